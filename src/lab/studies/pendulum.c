/* SPDX-License-Identifier: MIT */
/* The spherical pendulum of Ortolan's thesis: Figures 7.1 to 7.3 and Table 7.1. */
#include "lab/studies/spheres.h"

#include "lab/papers.h"

enum { CLAIM_ENERGY, CLAIM_LOWER, CLAIM_NORM, CLAIM_TANGENT, CLAIM_ORDER, CLAIM_TIME, CLAIMS };

/* ---- Texts about the measurement ---- */

static const char said_lower[] =
    "The energy error of eln-s2 is at most %.1e, that of rattle-s2 %.1e, %.1f times as much.";
static const char said_time[] = "rkmkgl4 takes %.1f times as long as rkmk4 and %.1f times as long as eln-s2.";
static const char note[] =
    "The potential of the source, m g l k.q, means that k points up, its text that k points along gravity; the formula "
    "was taken. With the other reading the energy of eln-s2 follows a line that changes by %.1e over the run and "
    "leaves it by %.1e, that of rkmk4 by %.1e and %.1e.";
static const char headline[] =
    "Over t = 200 the energy oscillates by %.0e with eln-s2 and %.0e with rattle-s2, and drifts by %.0e with rkmk4";

static void judge_lower(struct ph_study_result *result, const struct ph_spheres *spheres)
{
    const double eln = spheres->run[PH_SPHERES_ELN].largest, rattle = spheres->run[PH_SPHERES_RATTLE].largest;
    ph_study_judge(result, CLAIM_LOWER, ph_finding(eln < rattle, false), said_lower, eln, rattle, rattle / eln);
}

/* Ratios of times: "five times and 227 times" */
static void judge_time(struct ph_study_result *result, const struct ph_spheres *spheres)
{
    static const double published[PH_SPHERES_OWN] = {0.34, 17.41, 83.17, 2.72};
    const struct ph_spheres_run *run = spheres->run;
    const double explicit = run[PH_SPHERES_RKMKGL4].seconds / run[PH_SPHERES_RKMK4].seconds,
                 newmark = run[PH_SPHERES_RKMKGL4].seconds / run[PH_SPHERES_ELN].seconds;
    ph_study_judge(result, CLAIM_TIME,
                   ph_finding(explicit > 2.5 && explicit < 10.0 && newmark > 75.0, explicit > 1.0 && newmark > 1.0),
                   said_time, explicit, newmark);
    ph_spheres_add_times(result, CLAIM_TIME, spheres, published);
}

/* The source calls e3 the direction of gravity, but writes the potential for the opposite one. */
static enum ph_status note_other_sign(const struct ph_spheres_plan *plan, struct ph_study_result *result,
                                      struct ph_error *err)
{
    struct ph_spheres_plan down = *plan;
    struct ph_spheres_run eln, rkmk4;
    down.problem = "spherical-pendulum-down";
    enum ph_status status = ph_spheres_follow(&down, PH_SPHERES_ELN, &eln, err);
    if (status == PH_OK)
        status = ph_spheres_follow(&down, PH_SPHERES_RKMK4, &rkmk4, err);
    if (status == PH_OK)
        ph_study_note(result, note, eln.slope * down.time, eln.residual, rkmk4.slope * down.time, rkmk4.residual);
    return status;
}

static enum ph_status run(const struct ph_study_options *options, struct ph_study_result *result, struct ph_error *err)
{
    const struct ph_spheres_plan plan = {.problem = "spherical-pendulum",
                                         .time = 200.0,
                                         .step = 0.01,
                                         .samples = 2000,
                                         .body = 0,
                                         .first = 2,
                                         .last = 9,
                                         .engine = true};
    (void)options;
    struct ph_spheres spheres;
    enum ph_status status = ph_spheres_measure(&plan, result, &spheres, err);
    if (status == PH_OK)
        status = note_other_sign(&plan, result, err);
    if (status != PH_OK)
        return status;
    ph_spheres_judge_energy(result, CLAIM_ENERGY, &plan, &spheres);
    judge_lower(result, &spheres);
    ph_spheres_judge_norm(result, CLAIM_NORM, &spheres);
    ph_spheres_judge_tangent(result, CLAIM_TANGENT, &plan, &spheres);
    ph_spheres_judge_orders(result, CLAIM_ORDER, &spheres);
    judge_time(result, &spheres);
    ph_spheres_note(result, &plan, &spheres);
    ph_study_headline(result, headline, spheres.run[PH_SPHERES_ELN].largest, spheres.run[PH_SPHERES_RATTLE].largest,
                      spheres.run[PH_SPHERES_RKMK4].largest);
    return PH_OK;
}

const struct ph_study ph_study_pendulum = {
    .name = "spherical-pendulum",
    .title = "The spherical pendulum by methods on the sphere",
    .figure = "Figures 7.1 to 7.3 and Table 7.1",
    .reference = PH_PAPER_ORTOLAN ", section 7.2.1",
    .setup = "A spherical pendulum is followed to t = 200 with steps of 0.01 by the explicit Lie-Newmark method (ELN), "
             "two Runge-Kutta-Munthe-Kaas methods and RATTLE, and by splitting schemes of the engine; energy, |q| and "
             "q.w are watched. Errors at t = 1 are measured for h = 2^-2 to 2^-9.",
    .quick = "Run times are those of one run, not means of three.",
    .plot = "spheres",
    .shows = {{"Figure 7.1", "spherical-pendulum-energy.svg", "energy of every method on its own scale"},
              {"Figure 7.2", "spherical-pendulum.svg", "above: |q| and q.w"},
              {"Figure 7.3", "spherical-pendulum.svg", "below: errors of q and of w"},
              {"Table 7.1", "summary.csv", "column seconds; bars in spherical-pendulum.svg"}},
    .claim =
        {[CLAIM_ENERGY] = {PH_FINDING_HOLDS, "ELN and RATTLE show a bounded oscillatory behavior (of the energy), "
                                             "while RKMK methods exhibit a linear drift."},
         [CLAIM_LOWER] = {PH_FINDING_HOLDS, "Note that ELN absolute value is lower than RATTLE."},
         [CLAIM_NORM] = {PH_FINDING_PARTLY, "The unitary norm of q is preserved up to machine precision by Lie group "
                                            "methods, with a better performance than the one exhibited by RATTLE."},
         [CLAIM_TANGENT] = {PH_FINDING_HOLDS, "ELN seems to conserve also the orthogonality between q and omega, while "
                                              "RKMK methods show an evident drift."},
         [CLAIM_ORDER] =
             {PH_FINDING_HOLDS,
              "Each Lie algorithm maintains the same original accuracy order also for the flow on TS2; implicit "
              "RKMKGL4 exhibits a smaller error than RKMK4; RATTLE shows a higher error than ELN."},
         [CLAIM_TIME] = {PH_FINDING_NONE,
                         "RKMKGL4 requires five times and 227 times the run-time of RKMK4 and ELN, respectively."}},
    .run = run,
};
