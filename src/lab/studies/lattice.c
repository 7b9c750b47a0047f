/* SPDX-License-Identifier: MIT */
/* A lattice of 125 dipolar soft spheres, Figures 17 and 18 of Celledoni et al.: several energies, a longer run. */
#include "lab/studies/frame/study.h"

#include "base/plain.h"
#include "lab/papers.h"

#include <math.h>
#include <stdlib.h>

/* ---- Figure 17: a lattice of 125, several energies ---- */

enum { LATTICE_SMALL, LATTICE_HIGH, LATTICE_CLAIMS };

/* ---- Texts about the measurement ---- */

static const char also_high[] = "mr2 errs more than the exact free body by these factors (SRKN4-6b, S6-10):";
static const char said_high[] = "At H0 = %g SRKN4-6b errs by %.1e; without V^short, dipoles alone, by %.1e.";
static const char said_small[] =
    "With H0 = %g and the finest step, mr2 errs %.3g (SRKN4-6b) and %.3g (S6-10) times more than the exact free body.";
static const char headline_125[] =
    "125 dipoles: exact rotation errs %.0f times less than mr2 (SRKN4-6b) at H0 = %g, %.2g times at H0 = %g";
static const char note_spacing_fails[] =
    "With a lattice constant of 1 the potential energy is %.0f, and one step of 1 with S6-10 fails altogether.";
static const char note_spacing[] = "With a lattice constant of 1 the potential energy is %.0f, and one step of 1 with "
                                   "S6-10 changes the energy by a factor of %.0e.";
static const char note_energies[] =
    "The energies are not given in the text of the paper; those here lead from a lattice in "
    "which nobody meets to one in which the two corners run into their neighbours.";
static const char also_sharp[] =
    "H0 = %g: from a step of %.2g to %.2g the error of SRKN6-14a grows by %.1e (64 is order 6), that of SRKN4-6b from "
    "%.2g to %.2g by %.1e (16 is order 4); with the finest steps SRKN4-6b errs %.2g times as much.";
static const char said_sharp[] =
    "The increase of the 6th order method beyond a step of 1 is sharp (twice what the order says) in %zu of %zu.";
static const char also_both_sharp[] = "In %zu of them that of the 4th order method, with steps below 1, is sharp too: "
                                      "steps are then too long for spheres that meet, whatever the scheme.";
static const char headline_long[] = "125 dipoles over [0, 10]: with the finest steps order 6 is ahead of order 4 at "
                                    "%zu of %zu energies; at H0 = %g and %.0f evaluations by a factor of %.0f";

enum { V2, SRKN4, S6, ENERGY_METHODS = 6, ENERGIES = 4 };
static const struct ph_survey_method energy_methods[ENERGY_METHODS] = {
    {"verlet", "exact"}, {"srkn4-6b", "exact"}, {"s6-10", "exact"},
    {"verlet", "mr2"},   {"srkn4-6b", "mr2"},   {"s6-10", "mr2"},
};
static const double energies[ENERGIES] = {1.0, 5.0, 20.0, 85.0};

static struct ph_survey_panel energy_panel(double energy)
{
    struct ph_survey_panel panel = {.value = energy, .n_settings = 1, .setting = {{"energy", energy}}};
    ph_snprintf(panel.label, sizeof panel.label, "H0 = %g", energy);
    return panel;
}

/* How many times larger the error of a scheme is with mr2 than with the exact free body, at the finest step */
static double gain_of_exact(const struct ph_survey *survey, const struct ph_survey_point *points, size_t panel,
                            size_t method)
{
    const size_t finest = survey->n_steps - 1;
    return ph_survey_point(survey, points, panel, method + survey->n_methods / 2, finest)->largest /
           ph_survey_point(survey, points, panel, method, finest)->largest;
}

/* The mean error of SRKN4-6b at the highest energy and the finest step, for dipoles without repulsion */
static enum ph_status error_without_repulsion(const struct ph_survey *full, double *error, struct ph_error *err)
{
    struct ph_survey survey = *full;
    struct ph_survey_panel panel = full->panels[full->n_panels - 1];
    panel.setting[panel.n_settings++] = (struct ph_setting){"epsilon", 0.0};
    survey.n_panels = survey.n_methods = survey.n_steps = 1;
    survey.panels = &panel;
    survey.methods = &full->methods[SRKN4];
    survey.steps = &full->steps[full->n_steps - 1];
    struct ph_survey_point point;
    const enum ph_status status = ph_survey_run(&survey, NULL, &point, err);
    if (status == PH_OK)
        *error = point.largest;
    return status;
}

static void judge_high(struct ph_study_result *result, const struct ph_survey *survey,
                       const struct ph_survey_point *points, double without)
{
    const size_t top = survey->n_panels - 1;
    const double *value = &survey->panels[top].value,
                 gain[2] = {gain_of_exact(survey, points, top, SRKN4), gain_of_exact(survey, points, top, S6)};
    ph_study_add(result, LATTICE_HIGH, also_high);
    for (size_t p = 0; p <= top; ++p)
        ph_study_add(result, LATTICE_HIGH, "%.3g and %.3g at H0 = %g%s", gain_of_exact(survey, points, p, SRKN4),
                     gain_of_exact(survey, points, p, S6), survey->panels[p].value, p < top ? "," : ".");
    const double with = ph_survey_point(survey, points, top, SRKN4, survey->n_steps - 1)->largest;
    const bool same = fabs(gain[0] - 1.0) < 0.2 && fabs(gain[1] - 1.0)<0.2, leads = with> 2.0 * without;
    ph_study_judge(result, LATTICE_HIGH, ph_finding(same && leads, same || leads), said_high, *value, with, without);
}

static void judge_lattice(struct ph_study_result *result, const struct ph_survey *survey,
                          const struct ph_survey_point *points, double without)
{
    const size_t top = survey->n_panels - 1;
    const double low[2] = {gain_of_exact(survey, points, 0, SRKN4), gain_of_exact(survey, points, 0, S6)};
    ph_study_judge(result, LATTICE_SMALL, ph_finding(fmin(low[0], low[1]) > 2.0, false), said_small,
                   survey->panels[0].value, low[0], low[1]);
    judge_high(result, survey, points, without);
    ph_study_headline(result, headline_125, low[0], survey->panels[0].value, gain_of_exact(survey, points, top, SRKN4),
                      survey->panels[top].value);
}

/* Notes results for the lattice as printed, in numbers */
static enum ph_status note_as_printed(const struct ph_study_options *options, struct ph_study_result *result,
                                      struct ph_error *err)
{
    const struct ph_setting setting = {"spacing", 1.0};
    struct ph_posed posed;
    struct ph_energy_test_result r;
    double potential = 0.0, kinetic;
    enum ph_status status = ph_problem_pose(&ph_problem_dipole_lattice, 1, &setting, options->seed, 0, &posed, err);
    if (status == PH_OK)
        status = ph_posed_energy(&posed, &potential, &kinetic, err);
    const struct ph_energy_test test = {
        .scheme = ph_scheme_find("s6-10"), .flow = ph_flow_find("exact"), .step = 1.0, .time = 1.0, .samples = 1};
    if (status == PH_OK)
        status = ph_energy_test_run(&posed, &test, &r, err);
    ph_posed_clear(&posed);
    if (status != PH_OK)
        return status;
    ph_study_note(result, "%s", ph_problem_dipole_lattice.documentation);
    if (r.broke)
        ph_study_note(result, note_spacing_fails, potential);
    else
        ph_study_note(result, note_spacing, potential, r.largest);
    return PH_OK;
}

static enum ph_status run_lattice(const struct ph_study_options *options, struct ph_study_result *result,
                                  struct ph_error *err)
{
    static const double steps[] = {1.0, 0.5, 0.25, 0.125};
    struct ph_survey_panel panels[ENERGIES];
    for (size_t p = 0; p < ENERGIES; ++p)
        panels[p] = energy_panel(energies[p]);
    const struct ph_survey survey = {.problem = &ph_problem_dipole_lattice,
                                     .n_panels = ENERGIES,
                                     .panels = panels,
                                     .n_methods = ENERGY_METHODS,
                                     .methods = energy_methods,
                                     .n_steps = sizeof steps / sizeof *steps,
                                     .steps = steps,
                                     .n_starts = options->quick ? 4 : 100,
                                     .time = 1.0,
                                     .samples = 100,
                                     .seed = options->seed};
    struct ph_survey_point *points;
    enum ph_status status = ph_study_survey(&survey, result, &points, err);
    double without = NAN;
    if (status == PH_OK)
        status = error_without_repulsion(&survey, &without, err);
    if (status == PH_OK) {
        judge_lattice(result, &survey, points, without);
        status = note_as_printed(options, result, err);
    }
    if (status == PH_OK)
        ph_study_note(result, note_energies);
    free(points);
    return status;
}

const struct ph_study ph_study_dipoles_125 = {
    .name = "dipoles-125",
    .title = "125 dipolar soft spheres at several energies",
    .figure = "Figure 17",
    .reference = PH_PAPER_CELLEDONI ", section 3.4",
    .setup = "125 dipolar soft spheres on a lattice, two corners of which move towards each other such that the energy "
             "is H0, followed over [0, 1] with steps 1, 1/2, 1/4, 1/8 of S6-10 and steps of the other schemes that "
             "need as many force evaluations; 100 starts for each.",
    .quick = "4 starts.",
    .plot = "survey",
    .shows = {{"Figure 17", "dipoles-125-time.svg",
               "against processor time; dipoles-125.svg: against force evaluations"}},
    .claim = {[LATTICE_SMALL] = {PH_FINDING_HOLDS,
                                 "For small energies, the splitting methods using the exact RB integrator perform very "
                                 "well: better than those with the McL2 splitting."},
              [LATTICE_HIGH] = {PH_FINDING_HOLDS,
                                "For higher energies, the leading error term in the splitting comes from V^short, and "
                                "the effect of having an exact integrator for the RB part is less relevant."}},
    .run = run_lattice,
};

/* ---- Figure 18: the same, longer ---- */

enum { LONG_SHARP, LONG_COST, LONG_CLAIMS };
enum { LONG4, LONG6, LONG_METHODS = 4, LONG_ENERGIES = 3 };
static const struct ph_survey_method long_methods[LONG_METHODS] = {
    {"srkn4-6b", "exact"}, {"srkn6-14a", "exact"}, {"srkn4-6b", "mr2"}, {"srkn6-14a", "mr2"}};

/* By how much the error grows from the second longest to the longest step */
static double jump(const struct ph_survey *survey, const struct ph_survey_point *points, size_t panel, size_t method)
{
    return ph_survey_point(survey, points, panel, method, 0)->largest /
           ph_survey_point(survey, points, panel, method, 1)->largest;
}

/* The finest step at which the error of the 6th order scheme is not rounding */
static size_t finest_above_rounding(const struct ph_survey *survey, const struct ph_survey_point *points, size_t panel)
{
    static const double rounding = 1e-12;
    size_t k = survey->n_steps - 1;
    while (k > 0 && ph_survey_point(survey, points, panel, LONG6, k)->largest < rounding)
        --k;
    return k;
}

static void judge_long(struct ph_study_result *result, const struct ph_survey *survey,
                       const struct ph_survey_point *points)
{
    size_t sharp = 0, both = 0, ahead = 0;
    const size_t finest = survey->n_steps - 1;
    for (size_t p = 0; p < survey->n_panels; ++p) {
        const double six = jump(survey, points, p, LONG6), four = jump(survey, points, p, LONG4);
        const double ratio = ph_survey_point(survey, points, p, LONG4, finest)->largest /
                             ph_survey_point(survey, points, p, LONG6, finest)->largest;
        sharp += six > 2.0 * 64.0;
        both += six > 2.0 * 64.0 && four > 2.0 * 16.0;
        ahead += ratio > 1.0;
        ph_study_add(
            result, LONG_SHARP, also_sharp, survey->panels[p].value, ph_survey_point(survey, points, p, LONG6, 1)->step,
            ph_survey_point(survey, points, p, LONG6, 0)->step, six, ph_survey_point(survey, points, p, LONG4, 1)->step,
            ph_survey_point(survey, points, p, LONG4, 0)->step, four, ratio);
    }
    ph_study_judge(result, LONG_SHARP, ph_finding(sharp == survey->n_panels && both == 0, sharp > 0), said_sharp, sharp,
                   survey->n_panels);
    if (both > 0)
        ph_study_add(result, LONG_SHARP, also_both_sharp, both);
    ph_study_judge_cost(result, LONG_COST, survey, points);
    const size_t k = finest_above_rounding(survey, points, 0);
    ph_study_headline(result, headline_long, ahead, survey->n_panels, survey->panels[0].value,
                      ph_survey_point(survey, points, 0, LONG6, k)->evaluations,
                      ph_survey_point(survey, points, 0, LONG4, k)->largest /
                          ph_survey_point(survey, points, 0, LONG6, k)->largest);
}

static enum ph_status run_long(const struct ph_study_options *options, struct ph_study_result *result,
                               struct ph_error *err)
{
    static const double steps[] = {1.0, 0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625};
    struct ph_survey_panel panels[LONG_ENERGIES];
    for (size_t p = 0; p < LONG_ENERGIES; ++p)
        panels[p] = energy_panel(energies[p]);
    const struct ph_survey survey = {.problem = &ph_problem_dipole_lattice,
                                     .n_panels = options->quick ? 1 : LONG_ENERGIES,
                                     .panels = panels,
                                     .n_methods = LONG_METHODS,
                                     .methods = long_methods,
                                     .n_steps = options->quick ? 6 : sizeof steps / sizeof *steps,
                                     .steps = steps,
                                     .n_starts = 1,
                                     .time = 10.0,
                                     .samples = 200,
                                     .seed = options->seed};
    struct ph_survey_point *points;
    enum ph_status status = ph_study_survey(&survey, result, &points, err);
    if (status == PH_OK) {
        judge_long(result, &survey, points);
        status = note_as_printed(options, result, err);
    }
    free(points);
    return status;
}

const struct ph_study ph_study_dipoles_long = {
    .name = "dipoles-long",
    .title = "125 dipolar soft spheres, a longer run with two Nystrom schemes",
    .figure = "Figure 18",
    .reference = PH_PAPER_CELLEDONI ", section 3.4",
    .setup = "As dipoles-125, but over [0, 10], from one start, with SRKN4-6b and SRKN6-14a; steps begin with 0.6 and "
             "1.4 and are halved six times, so that both need as many force evaluations.",
    .quick = "H0 = 1 alone, steps are halved five times.",
    .plot = "survey",
    .shows = {{"Figure 18", "dipoles-long-time.svg",
               "against processor time; dipoles-long.svg: against force evaluations"}},
    .claim = {[LONG_SHARP] = {PH_FINDING_HOLDS, "The sharp increase of the error for the 6th order method is due to "
                                                "the fact that the stepsize is greater than one."},
              [LONG_COST] = {PH_FINDING_NONE, "The overall cost of the implementation lies in the computation of the "
                                              "potential part, which is the same for all the implementations."}},
    .expected_full = {[LONG_SHARP] =
                          PH_FINDING_PARTLY}, /* at higher energies spheres meet, and no scheme has its order */
    .run = run_long,
};
