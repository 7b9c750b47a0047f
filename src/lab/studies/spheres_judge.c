/* SPDX-License-Identifier: MIT */
#include "lab/studies/spheres.h"

#include <float.h>
#include <math.h>

enum { ELN = PH_SPHERES_ELN, RKMK4 = PH_SPHERES_RKMK4, RKMKGL4 = PH_SPHERES_RKMKGL4, RATTLE = PH_SPHERES_RATTLE };

/* ---- Texts about the measurement ---- */

static const char said_energy[] = "Over %g units of time, steps of %g, the energy follows a straight line that changes "
                                  "by s and leaves it by r at most:";
static const char said_norm[] =
    "||q| - 1| stays below %.1e with eln-s2, %.1e with rkmk4, %.1e with rkmkgl4, %.1e with rattle-s2.%s";
static const char why_rounding[] =
    " Lie group methods add up the rounding of their rotations; RATTLE, whose constraint is solved to rounding here, "
    "does not. What the paper saw of RATTLE may have been the tolerance of its solver.";
static const char said_tangent[] = "|q.w| grows to %.1e with rkmk4 and %.1e with rkmkgl4, and stays below %.1e with "
                                   "eln-s2: it turns q about w, and the changes of w are orthogonal to q.";
static const char said_orders[] =
    "Orders in q and w: eln-s2 %.2f, %.2f; rkmk4 %.2f, %.2f; rkmkgl4 %.2f, %.2f; rattle-s2 %.2f, %.2f. With h = 2^-9 q "
    "is off by %.1e, %.1e, %.1e and %.1e, in this order: rattle-s2 has %.1f times the error of eln-s2.";
static const char also_times[] = "Run times of eln-s2, rkmk4, rkmkgl4, rattle-s2: %.3f, %.3f, %.3f, %.3f s; in the "
                                 "paper, with MATLAB, %.2f, %.2f, %.2f, %.2f s.";
static const char note_engine[] =
    "The bodies are linear rotors of the engine, so its splitting schemes can follow them too; eln-s2 is its Verlet "
    "scheme. Beside it, srkn4-6b with the same step keeps the energy to %.1e instead of %.1e, symplectic and on the "
    "tangent bundle, in %.1f times the processor time.";
static const char note_reference[] = "Errors at t = 1 are against %s. Misprints of the source are put right; `polhode "
                                     "list integrators` and `polhode list problems` say which.";

void ph_spheres_judge_energy(struct ph_study_result *result, size_t claim, const struct ph_spheres_plan *plan,
                             const struct ph_spheres *spheres)
{
    static const bool expected[PH_SPHERES_OWN] = {[RKMK4] = true, [RKMKGL4] = true};
    size_t good = 0;
    for (size_t m = 0; m < PH_SPHERES_OWN; ++m)
        good += ph_spheres_drifts(plan, &spheres->run[m]) == expected[m];
    ph_study_judge(result, claim, ph_finding_share(good, PH_SPHERES_OWN), said_energy, plan->time, plan->step);
    for (size_t m = 0; m < PH_SPHERES_OWN; ++m) {
        const struct ph_spheres_run *run = &spheres->run[m];
        ph_study_add(result, claim, "%s s = %.1e, r = %.1e (%s)%s", ph_spheres_method_name(m), run->slope * plan->time,
                     run->residual, ph_spheres_drifts(plan, run) ? "a drift" : "no clear drift",
                     m + 1 < PH_SPHERES_OWN ? ";" : ".");
    }
}

void ph_spheres_judge_norm(struct ph_study_result *result, size_t claim, const struct ph_spheres *spheres)
{
    const struct ph_spheres_run *run = spheres->run;
    const double lie = fmax(run[ELN].norm, fmax(run[RKMK4].norm, run[RKMKGL4].norm));
    const bool rounding = lie < 1e-13, better = lie < run[RATTLE].norm;
    ph_study_judge(result, claim, ph_finding(rounding && better, rounding || better), said_norm, run[ELN].norm,
                   run[RKMK4].norm, run[RKMKGL4].norm, run[RATTLE].norm, better ? "" : why_rounding);
}

void ph_spheres_judge_tangent(struct ph_study_result *result, size_t claim, const struct ph_spheres_plan *plan,
                              const struct ph_spheres *spheres)
{
    const struct ph_spheres_run *run = spheres->run;
    const double rounding = plan->time / plan->step * DBL_EPSILON * run[ELN].speed; /* of every step, all one way */
    const bool kept = run[ELN].tangent < rounding;
    const bool lost = fmin(run[RKMK4].tangent, run[RKMKGL4].tangent) > 1e3 * run[ELN].tangent;
    ph_study_judge(result, claim, ph_finding(kept && lost, kept || lost), said_tangent, run[RKMK4].tangent,
                   run[RKMKGL4].tangent, run[ELN].tangent);
}

void ph_spheres_judge_orders(struct ph_study_result *result, size_t claim, const struct ph_spheres *spheres)
{
    static const int order[PH_SPHERES_OWN] = {[ELN] = 2, [RKMK4] = 4, [RKMKGL4] = 4, [RATTLE] = 2};
    const size_t last = spheres->n_steps - 1;
    bool right = true;
    for (size_t m = 0; m < PH_SPHERES_OWN; ++m)
        for (int velocity = 0; velocity < 2; ++velocity)
            right = right && fabs(ph_spheres_order(spheres, m, velocity == 1) - order[m]) < 0.2;
    const bool smaller = spheres->error_q[RKMKGL4][last] < spheres->error_q[RKMK4][last];
    const bool worst = spheres->error_q[RATTLE][last] > spheres->error_q[ELN][last] &&
                       spheres->error_w[RATTLE][last] > spheres->error_w[ELN][last];
    ph_study_judge(result, claim, ph_finding(right && smaller && worst, right || smaller || worst), said_orders,
                   ph_spheres_order(spheres, ELN, false), ph_spheres_order(spheres, ELN, true),
                   ph_spheres_order(spheres, RKMK4, false), ph_spheres_order(spheres, RKMK4, true),
                   ph_spheres_order(spheres, RKMKGL4, false), ph_spheres_order(spheres, RKMKGL4, true),
                   ph_spheres_order(spheres, RATTLE, false), ph_spheres_order(spheres, RATTLE, true),
                   spheres->error_q[ELN][last], spheres->error_q[RKMK4][last], spheres->error_q[RKMKGL4][last],
                   spheres->error_q[RATTLE][last], spheres->error_q[RATTLE][last] / spheres->error_q[ELN][last]);
}

void ph_spheres_add_times(struct ph_study_result *result, size_t claim, const struct ph_spheres *spheres,
                          const double published[PH_SPHERES_OWN])
{
    const struct ph_spheres_run *run = spheres->run;
    ph_study_add(result, claim, also_times, run[ELN].seconds, run[RKMK4].seconds, run[RKMKGL4].seconds,
                 run[RATTLE].seconds, published[ELN], published[RKMK4], published[RKMKGL4], published[RATTLE]);
}

void ph_spheres_note(struct ph_study_result *result, const struct ph_spheres_plan *plan,
                     const struct ph_spheres *spheres)
{
    if (plan->engine) {
        const struct ph_spheres_run *run = &spheres->run[PH_SPHERES_SRKN4], *eln = &spheres->run[ELN];
        ph_study_note(result, note_engine, run->largest, eln->largest, run->seconds / eln->seconds);
    }
    ph_study_note(result, note_reference,
                  plan->engine ? "srkn6-14a with steps of 2^-11" : "rkmkgl4 with steps of 2^-14");
}
