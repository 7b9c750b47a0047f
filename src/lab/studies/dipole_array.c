/* SPDX-License-Identifier: MIT */
/* The array of magnetic dipoles of Ortolan's thesis: Figures 7.7 to 7.9 and Table 7.3. */
#include "lab/studies/spheres.h"

#include "lab/papers.h"

enum { CLAIM_ENERGY, CLAIM_SMALL, CLAIM_NORM, CLAIM_TANGENT, CLAIM_ORDER, CLAIM_TIME, CLAIMS };

/* ---- Texts about the measurement ---- */

static const char said_small[] =
    "The energy error is at most %.1e with eln-s2, %.1e with rattle-s2 and %.1e with rkmkgl4, of an energy of %.2e.";
static const char said_time[] = "eln-s2 takes %.2f times as long as rattle-s2, with %.2f times its error.";
static const char note[] =
    "The source does not say over which time it follows the needles: here 200, as its pendulums.";
static const char headline[] = "16 magnetic needles: the energy errs by %.0e with eln-s2, %.0e with rattle-s2, %.0e "
                               "with rkmk4 and %.0e with srkn4-6b of the engine";

enum { ELN = PH_SPHERES_ELN, RKMK4 = PH_SPHERES_RKMK4, RKMKGL4 = PH_SPHERES_RKMKGL4, RATTLE = PH_SPHERES_RATTLE };

static void judge_small(struct ph_study_result *result, const struct ph_spheres *spheres)
{
    const struct ph_spheres_run *run = spheres->run;
    const double similar = run[RATTLE].largest / run[ELN].largest, small = run[RKMKGL4].largest / run[ELN].largest;
    const bool alike = similar > 0.5 && similar < 2.0, really = small < 0.01;
    ph_study_judge(result, CLAIM_SMALL, ph_finding(alike && really, alike || really), said_small, run[ELN].largest,
                   run[RATTLE].largest, run[RKMKGL4].largest, run[ELN].energy);
}

static void judge_time(struct ph_study_result *result, const struct ph_spheres *spheres)
{
    static const double published[PH_SPHERES_OWN] = {118.74, 289.28, 1785.53, 125.22};
    const double ratio = spheres->run[ELN].seconds / spheres->run[RATTLE].seconds;
    const size_t last = spheres->n_steps - 1;
    const bool faster = ratio < 1.0, better = spheres->error_q[ELN][last] < spheres->error_q[RATTLE][last];
    ph_study_judge(result, CLAIM_TIME, ph_finding(faster && better, faster || better), said_time, ratio,
                   spheres->error_q[ELN][last] / spheres->error_q[RATTLE][last]);
    ph_spheres_add_times(result, CLAIM_TIME, spheres, published);
}

static enum ph_status run(const struct ph_study_options *options, struct ph_study_result *result, struct ph_error *err)
{
    const struct ph_spheres_plan plan = {.problem = "dipole-array",
                                         .time = 200.0,
                                         .step = 0.01,
                                         .samples = 2000,
                                         .body = 15,
                                         .first = 4,
                                         .last = 9,
                                         .engine = true};
    (void)options;
    struct ph_spheres spheres;
    const enum ph_status status = ph_spheres_measure(&plan, result, &spheres, err);
    if (status != PH_OK)
        return status;
    ph_spheres_judge_energy(result, CLAIM_ENERGY, &plan, &spheres);
    judge_small(result, &spheres);
    ph_spheres_judge_norm(result, CLAIM_NORM, &spheres);
    ph_spheres_judge_tangent(result, CLAIM_TANGENT, &plan, &spheres);
    ph_spheres_judge_orders(result, CLAIM_ORDER, &spheres);
    judge_time(result, &spheres);
    ph_spheres_note(result, &plan, &spheres);
    ph_study_note(result, note);
    ph_study_headline(result, headline, spheres.run[ELN].largest, spheres.run[RATTLE].largest,
                      spheres.run[RKMK4].largest, spheres.run[PH_SPHERES_SRKN4].largest);
    return PH_OK;
}

const struct ph_study ph_study_dipole_array = {
    .name = "dipole-array",
    .title = "An array of magnetic dipoles by methods on spheres",
    .figure = "Figures 7.7 to 7.9 and Table 7.3",
    .reference = PH_PAPER_ORTOLAN ", section 7.2.3",
    .setup = "4 x 4 magnetic needles pinned on a square grid, followed to t = 200 with steps of 0.01, as points on "
             "spheres and as linear rotors by splitting schemes of the engine; energy, |q| of the first and q.w of the "
             "last needle are watched. Errors at t = 1 are measured for h = 2^-4 to 2^-9.",
    .quick = "Run times are those of one run, not means of three.",
    .plot = "spheres",
    .shows = {{"Figure 7.7", "dipole-array-energy.svg", "energy of every method on its own scale"},
              {"Figure 7.8", "dipole-array.svg", "above: |q1| and q16.w16"},
              {"Figure 7.9", "dipole-array.svg", "below: errors of q and of w"},
              {"Table 7.3", "summary.csv", "column seconds; bars in dipole-array.svg"}},
    .claim =
        {[CLAIM_ENERGY] = {PH_FINDING_HOLDS, "ELN and RATTLE show a very similar oscillatory behavior (of the energy), "
                                             "while RKMK methods exhibit a linear drift."},
         [CLAIM_SMALL] =
             {PH_FINDING_HOLDS,
              "The ELN method exhibits a very similar energy behavior than RATTLE; and RKMKGL4 error is really small."},
         [CLAIM_NORM] = {PH_FINDING_PARTLY, "The unitary norm of q is preserved up to machine precision by Lie group "
                                            "methods, with a better performance than RATTLE."},
         [CLAIM_TANGENT] = {PH_FINDING_HOLDS, "ELN seems to conserve also the orthogonality between q and omega, while "
                                              "RKMK methods show a non-negligible error."},
         [CLAIM_ORDER] =
             {PH_FINDING_HOLDS,
              "The discrete flow on TS2 generated by ELN is second-order accurate, those by RKMK4 and RKMKGL4 are "
              "fourth-order accurate. Notably, all the Lie group methods are more accurate than RATTLE."},
         [CLAIM_TIME] = {PH_FINDING_NONE, "The ELN method is faster than RATTLE, while showing an improved accuracy."}},
    .run = run,
};
