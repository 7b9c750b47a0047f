/* SPDX-License-Identifier: MIT */
/* A cloud of 100 dipolar soft spheres, Figure 16 of Celledoni et al.: schemes with the exact free body and with its
 * splitting mr2, with the same number of force evaluations. */
#include "lab/studies/frame/study.h"

#include "lab/papers.h"

#include <math.h>
#include <stdlib.h>

/* Errors below this, relative to the energy, may be rounding. */
static const double rounding = 1e-12;

enum { CLOUD_HIGHER, CLOUD_SECOND, CLOUD_GAIN, CLOUD_NYSTROM, CLOUD_ORDERS, CLOUD_COST, CLOUD_CLAIMS };

/* ---- Texts about the measurement ---- */

static const char said_cloud_higher[] =
    "With %.0f force evaluations Verlet errs by %.1e, SRKN4-6b by %.1e and S6-10 by %.1e (exact).";
static const char said_cloud_second[] = "At the finest steps the errors with mr2 follow the powers %.2f (Verlet), %.2f "
                                        "(SRKN4-6b) and %.2f (S6-10) of the step.";
static const char said_cloud_gain[] =
    "With mr2 and the most evaluations SRKN4-6b errs %.0f times less than Verlet, S6-10 %.0f times less.";
static const char said_cloud_nystrom[] = "With %.0f evaluations it errs %.1e times less than Verlet, and less than "
                                         "S6-10, which has order 6, in %zu of the %zu coarsest steps.";
static const char said_cloud_orders[] =
    "The finest steps above rounding show the orders %.2f (Verlet), %.2f (SRKN4-6b) and %.2f (S6-10).";
static const char headline[] = "100 dipoles, %.0f force evaluations: Verlet errs by %.0e, SRKN4-6b by %.0e, S6-10 by "
                               "%.0e; with mr2 (dashed) they end as orders %.1f, %.1f and %.1f";

enum { V2, SRKN4, S6, V2_SPLIT, SRKN4_SPLIT, S6_SPLIT, METHODS };
static const struct ph_survey_method methods[METHODS] = {
    {"verlet", "exact"}, {"srkn4-6b", "exact"}, {"s6-10", "exact"},
    {"verlet", "mr2"},   {"srkn4-6b", "mr2"},   {"s6-10", "mr2"},
};

/* The finest step at which the errors of all methods are above rounding */
static size_t finest_above_rounding(const struct ph_survey *survey, const struct ph_survey_point *points, size_t panel)
{
    size_t best = 0;
    for (size_t k = 0; k < survey->n_steps; ++k) {
        bool above = true;
        for (size_t m = 0; m < survey->n_methods; ++m)
            above = above && ph_survey_point(survey, points, panel, m, k)->largest > rounding;
        best = above ? k : best;
    }
    return best;
}

static void judge(struct ph_study_result *result, const struct ph_survey *survey, const struct ph_survey_point *points)
{
    const size_t k = finest_above_rounding(survey, points, 0), last = survey->n_steps - 1;
    double at[METHODS], end[METHODS], order[METHODS];
    for (size_t m = 0; m < METHODS; ++m) {
        at[m] = ph_survey_point(survey, points, 0, m, k)->largest;
        end[m] = ph_survey_point(survey, points, 0, m, last)->largest;
        order[m] = ph_survey_order(survey, points, 0, m, rounding);
    }
    const double evaluations = ph_survey_point(survey, points, 0, V2, k)->evaluations;
    ph_study_judge(result, CLOUD_HIGHER, ph_finding(at[SRKN4] < at[V2] && at[S6] < at[V2], false), said_cloud_higher,
                   evaluations, at[V2], at[SRKN4], at[S6]);
    const bool second =
        fabs(order[V2_SPLIT] - 2.0) < 0.5 && fabs(order[SRKN4_SPLIT] - 2.0) < 0.5 && fabs(order[S6_SPLIT] - 2.0) < 0.5;
    ph_study_judge(result, CLOUD_SECOND, ph_finding(second, false), said_cloud_second, order[V2_SPLIT],
                   order[SRKN4_SPLIT], order[S6_SPLIT]);
    const double gain[2] = {end[V2_SPLIT] / end[SRKN4_SPLIT], end[V2_SPLIT] / end[S6_SPLIT]};
    ph_study_judge(result, CLOUD_GAIN, ph_finding(fmin(gain[0], gain[1]) > 10.0, false), said_cloud_gain, gain[0],
                   gain[1]);
    size_t wins = 0, compared = 0;
    for (size_t j = 0; j <= k; ++j, ++compared)
        wins +=
            ph_survey_point(survey, points, 0, SRKN4, j)->largest < ph_survey_point(survey, points, 0, S6, j)->largest;
    ph_study_judge(result, CLOUD_NYSTROM, ph_finding(at[SRKN4] < 1e-3 * at[V2], false), said_cloud_nystrom, evaluations,
                   at[V2] / at[SRKN4], wins, compared);
    const bool right = fabs(order[V2] - 2.0) < 0.5 && fabs(order[SRKN4] - 4.0) < 0.7 && fabs(order[S6] - 6.0) < 0.7;
    ph_study_judge(result, CLOUD_ORDERS, ph_finding(right, false), said_cloud_orders, order[V2], order[SRKN4],
                   order[S6]);
    ph_study_judge_cost(result, CLOUD_COST, survey, points);
    ph_study_headline(result, headline, evaluations, at[V2], at[SRKN4], at[S6], order[V2_SPLIT], order[SRKN4_SPLIT],
                      order[S6_SPLIT]);
}

static enum ph_status run(const struct ph_study_options *options, struct ph_study_result *result, struct ph_error *err)
{
    static const double steps[] = {1.0, 0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125};
    static const struct ph_survey_panel panel = {.label = "cloud", .value = 0.14134185611814};
    const struct ph_survey survey = {.problem = &ph_problem_dipole_cloud,
                                     .n_panels = 1,
                                     .panels = &panel,
                                     .n_methods = METHODS,
                                     .methods = methods,
                                     .n_steps = options->quick ? 7 : sizeof steps / sizeof *steps,
                                     .steps = steps,
                                     .n_starts = 1,
                                     .time = 1.0,
                                     .samples = 100,
                                     .seed = options->seed};
    struct ph_survey_point *points;
    const enum ph_status status = ph_study_survey(&survey, result, &points, err);
    if (status == PH_OK) {
        judge(result, &survey, points);
        ph_study_note(result, "%s", ph_problem_dipole_cloud.documentation);
    }
    free(points);
    return status;
}

const struct ph_study ph_study_dipoles_100 = {
    .name = "dipoles-100",
    .title = "100 dipolar soft spheres",
    .figure = "Figure 16",
    .reference = PH_PAPER_CELLEDONI ", section 3.4",
    .setup = "A cloud of 100 dipolar soft spheres, at rest at the start, is followed over [0, 1]. Verlet takes the "
             "steps 0.1/2^i, i = 0 .. 7, the other schemes steps that need as many force evaluations, changed a little "
             "so that a whole number of them ends at 1.",
    .quick = "i = 0 .. 6.",
    .plot = "survey",
    .shows = {{"Figure 16", "dipoles-100-time.svg",
               "against processor time; dipoles-100.svg: against force evaluations"}},
    .claim =
        {[CLOUD_HIGHER] = {PH_FINDING_HOLDS, "The use of higher order splitting methods is indeed favourable."},
         [CLOUD_SECOND] = {PH_FINDING_HOLDS,
                           "All methods using McL2 (mr2) will ultimately behave as a second-order method, and the "
                           "corresponding lines will ultimately be parallel to the lines of the Verlet splitting."},
         [CLOUD_GAIN] =
             {PH_FINDING_HOLDS,
              "Notice however the gain in accuracy: the splitting methods have very small leading-error coefficients."},
         [CLOUD_NYSTROM] = {PH_FINDING_HOLDS, "In particular, the Nystrom 4th order scheme is extremely accurate."},
         [CLOUD_ORDERS] = {PH_FINDING_HOLDS,
                           "The methods using the exact RB solutions display the correct order of convergence ..."},
         [CLOUD_COST] = {PH_FINDING_NONE, "... producing more accurate solutions at the same computational cost."}},
    .run = run,
};
