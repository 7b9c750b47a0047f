/* SPDX-License-Identifier: MIT */
/* The double spherical pendulum of Ortolan's thesis: Figures 7.4 to 7.6 and Table 7.2. */
#include "lab/studies/spheres.h"

#include "lab/papers.h"

#include <math.h>

enum { CLAIM_ENERGY, CLAIM_MOMENTUM, CLAIM_RENDER, CLAIM_SPACE, CLAIM_ORDER, CLAIM_TIME, CLAIMS };

/* ---- Texts about the measurement ---- */

static const char said_momentum[] = "The angular momentum about k changes by %.1e at most with rattle-s2, by %.1e with "
                                    "eln-s2, which is not symplectic where the kinetic energy couples the bodies.";
static const char said_render[] = "It changes by %.1e with rkmk4 and %.1e with rkmkgl4, against %.1e with eln-s2: "
                                  "small at this step, though neither conserves it. With rkmkgl4 a straight line "
                                  "changes by %.1e, and the momentum leaves it by %.1e; with rkmk4 by %.1e and %.1e.";
static const char said_space[] = "||q1| - 1| stays below %.1e with the Lie group methods. |q2.w2| grows to %.1e with "
                                 "rkmk4 and %.1e with rkmkgl4, and stays below %.1e with eln-s2.";
static const char said_time[] = "eln-s2 takes %.2f times as long as rattle-s2: it is implicit in the angular velocity.";
static const char headline[] = "Over t = 200 the angular momentum about the vertical changes by %.0e with rattle-s2, "
                               "by %.0e with rkmkgl4 and by %.0e with eln-s2";

enum { ELN = PH_SPHERES_ELN, RKMK4 = PH_SPHERES_RKMK4, RKMKGL4 = PH_SPHERES_RKMKGL4, RATTLE = PH_SPHERES_RATTLE };

static void judge_momentum(struct ph_study_result *result, const struct ph_spheres_plan *plan,
                           const struct ph_spheres *spheres)
{
    const struct ph_spheres_run *run = spheres->run;
    const bool exact = run[RATTLE].momentum<1e-11, lost = run[ELN].momentum> 1e-6;
    ph_study_judge(result, CLAIM_MOMENTUM, ph_finding(exact && lost, exact), said_momentum, run[RATTLE].momentum,
                   run[ELN].momentum);
    const bool small = fmax(run[RKMK4].momentum, run[RKMKGL4].momentum) < 0.1 * run[ELN].momentum,
               steady = !ph_spheres_momentum_drifts(plan, &run[RKMKGL4]);
    ph_study_judge(result, CLAIM_RENDER, ph_finding(small && steady, small || steady), said_render, run[RKMK4].momentum,
                   run[RKMKGL4].momentum, run[ELN].momentum, run[RKMKGL4].momentum_slope * plan->time,
                   run[RKMKGL4].momentum_residual, run[RKMK4].momentum_slope * plan->time,
                   run[RKMK4].momentum_residual);
}

static void judge_space(struct ph_study_result *result, const struct ph_spheres *spheres)
{
    const struct ph_spheres_run *run = spheres->run;
    const double norm = fmax(run[ELN].norm, fmax(run[RKMK4].norm, run[RKMKGL4].norm));
    const bool kept = norm < 1e-13,
               ordered = 1e3 * run[ELN].tangent < run[RKMKGL4].tangent && run[RKMKGL4].tangent < run[RKMK4].tangent;
    ph_study_judge(result, CLAIM_SPACE, ph_finding(kept && ordered, kept || ordered), said_space, norm,
                   run[RKMK4].tangent, run[RKMKGL4].tangent, run[ELN].tangent);
}

static void judge_time(struct ph_study_result *result, const struct ph_spheres *spheres)
{
    static const double published[PH_SPHERES_OWN] = {19.71, 44.67, 166.57, 12.64};
    const struct ph_spheres_run *run = spheres->run;
    const bool fourth = fmin(run[RKMK4].seconds, run[RKMKGL4].seconds) > fmax(run[ELN].seconds, run[RATTLE].seconds);
    const bool newmark = run[ELN].seconds > run[RATTLE].seconds;
    ph_study_judge(result, CLAIM_TIME, ph_finding(fourth && newmark, fourth || newmark), said_time,
                   run[ELN].seconds / run[RATTLE].seconds);
    ph_spheres_add_times(result, CLAIM_TIME, spheres, published);
}

static enum ph_status run(const struct ph_study_options *options, struct ph_study_result *result, struct ph_error *err)
{
    const struct ph_spheres_plan plan = {.problem = "double-spherical-pendulum",
                                         .time = 200.0,
                                         .step = 0.01,
                                         .samples = 2000,
                                         .body = 1,
                                         .first = 4,
                                         .last = 9};
    (void)options;
    struct ph_spheres spheres;
    const enum ph_status status = ph_spheres_measure(&plan, result, &spheres, err);
    if (status != PH_OK)
        return status;
    ph_spheres_judge_energy(result, CLAIM_ENERGY, &plan, &spheres);
    judge_momentum(result, &plan, &spheres);
    judge_space(result, &spheres);
    ph_spheres_judge_orders(result, CLAIM_ORDER, &spheres);
    judge_time(result, &spheres);
    ph_spheres_note(result, &plan, &spheres);
    ph_study_headline(result, headline, spheres.run[RATTLE].momentum, spheres.run[RKMKGL4].momentum,
                      spheres.run[ELN].momentum);
    return PH_OK;
}

const struct ph_study ph_study_double_pendulum = {
    .name = "double-pendulum",
    .title = "The double spherical pendulum by methods on spheres",
    .figure = "Figures 7.4 to 7.6 and Table 7.2",
    .reference = PH_PAPER_ORTOLAN ", section 7.2.2",
    .setup = "Two spherical pendulums in series, followed to t = 200 with steps of 0.01; energy, angular momentum "
             "about the vertical, |q| of the first and q.w of the second mass are watched. Errors at t = 1 are "
             "measured for h = 2^-4 to 2^-9.",
    .quick = "Run times are those of one run, not means of three.",
    .plot = "spheres",
    .shows = {{"Figure 7.4", "double-pendulum-energy.svg", "above: energy; below: angular momentum about the vertical"},
              {"Figure 7.5", "double-pendulum.svg", "above: |q1| and q2.w2"},
              {"Figure 7.6", "double-pendulum.svg", "below: errors of q and of w"},
              {"Table 7.2", "summary.csv", "column seconds; bars in double-pendulum.svg"}},
    .claim =
        {[CLAIM_ENERGY] = {PH_FINDING_PARTLY, "The ELN method exhibits an energy behavior comparable to RATTLE; RKMK "
                                              "methods exhibit a regular energy drift."},
         [CLAIM_MOMENTUM] = {PH_FINDING_HOLDS, "The symplectic RATTLE exactly preserves the momentum, but ELN does not "
                                               "(nearly) preserve the angular momentum."},
         [CLAIM_RENDER] =
             {PH_FINDING_HOLDS,
              "RKMK methods render correctly the angular momentum; no overall drift is exhibited by RKMKGL4."},
         [CLAIM_SPACE] =
             {PH_FINDING_HOLDS,
              "ELN, RKMK4 and RKMKGL4 preserve the unitary norm of the position up to machine precision; RKMK4 fails "
              "to preserve the orthogonality; notably, ELN error on the orthogonality is much smaller than RKMKGL4."},
         [CLAIM_ORDER] =
             {PH_FINDING_HOLDS,
              "All Lie methods maintain the same accuracy order also on the discrete flow on TS2. The implicit RKMKGL4 "
              "gives the smallest error; all the integrators are more accurate than RATTLE method."},
         [CLAIM_TIME] = {PH_FINDING_NONE, "RKMK fourth-order methods are predictably more expensive than second-order "
                                          "methods; ELN is more expensive than RATTLE in this case."}},
    .run = run,
};
