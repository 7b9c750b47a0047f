/* SPDX-License-Identifier: MIT */
/* The perturbed free body of Celledoni et al., Figures 12 and 13: five schemes, each with the exact free body and with
 * its splitting mr2, with the same number of force evaluations. */
#include "lab/studies/frame/study.h"

#include "base/plain.h"
#include "lab/papers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CLAIM_ORDER, CLAIM_SMALLER, CLAIM_COMPETITIVE, CLAIMS };

/* ---- Texts about the measurement ---- */

static const char also_order[] = "With the exact free body, T0 = 1, eps = %g and basic steps of %g and %g, where "
                                 "rounding is far below, the orders are";
static const char said_order[] =
    "A quarter of epsilon makes errors %.2f to %.2f times smaller (step %g of the basic scheme).";
static const char said_smaller[] =
    "%zu of %d methods with the exact free body stay below epsilon = %g everywhere, and %zu of %d with mr2.";
static const char also_largest[] = "The largest error with the exact free body is %.1e (%s, T0 = %g, step %.3g), with "
                                   "mr2 %.1e (%s, T0 = %g, step %.3g).";
static const char also_steps_below[] =
    "All exact ones are below epsilon for basic steps up to %g. Where the worst one errs, the body turns by about %.0f "
    "radians in a step: the field it feels is sampled too rarely for any order to show. At the end of the run that "
    "error is %.1e.";
static const char also_competitive[] = "T0 = %s: the least error is %.1e (%s, exact)";
static const char also_split_useless[] = "and %.1e with mr2, with which not a digit is right.";
static const char also_split_time[] = "and %.1e (%s, mr2); an exact one gets there in %.2g of the time.";
static const char said_competitive[] = "For the same number of steps exact rotation takes %.2f times the processor "
                                       "time of mr2, in the mean (one body, whose forces cost next to nothing).";
static const char headline[] =
    "At the same number of force evaluations, exact rotation (solid) errs by %.0e at most, mr2 (dashed) by %.0e";
static const char note[] =
    "The paper does not say when it measures the error. Here it is the largest of %ld moments spread evenly over a "
    "run, the mean over %zu random starts is plotted; the tables also have the median and the error at the end.";

enum { SCHEMES = 5, METHODS = 2 * SCHEMES, PANELS = 5, MIDDLE = 2 }; /* the middle panel has T0 = 1 */
static const struct ph_survey_method methods[METHODS] = {
    {"verlet", "exact"}, {"s4-6", "exact"}, {"srkn4-6b", "exact"}, {"s6-10", "exact"}, {"srkn6-14a", "exact"},
    {"verlet", "mr2"},   {"s4-6", "mr2"},   {"srkn4-6b", "mr2"},   {"s6-10", "mr2"},   {"srkn6-14a", "mr2"},
};
static const double steps[] = {8.0, 5.0, 4.0, 2.0, 1.75, 1.5, 1.25, 1.0, 0.5};
static const double quick_steps[] = {8.0, 4.0, 2.0, 1.0, 0.5};
static const double linear_step = 2.0; /* at which linearity in epsilon is looked at */
/* Orders are measured with a stronger field and shorter steps: with the paper's, rounding is reached before the
 * asymptotic law. As errors are linear in epsilon, the orders hold for any weak field. */
static const double order_epsilon = 1e-2, order_steps[] = {0.5, 0.25};

static struct ph_survey_panel make_panel(double epsilon, double kinetic, const char *label)
{
    struct ph_survey_panel panel = {
        .value = kinetic, .n_settings = 2, .setting = {{"epsilon", epsilon}, {"kinetic", kinetic}}};
    snprintf(panel.label, sizeof panel.label, "%s", label);
    return panel;
}

/* ---- Claims ---- */

/* Of the schemes with the exact free body, T0 = 1 */
struct law {
    double ratio[SCHEMES]; /* by which the error shrinks when epsilon is a quarter: 4 if it is linear */
    double order[SCHEMES]; /* from two short steps */
};

static enum ph_status measure_linearity(const struct ph_survey *full, double epsilon,
                                        const struct ph_lab_progress *progress, struct law *law, struct ph_error *err)
{
    struct ph_survey survey = *full;
    const struct ph_survey_panel panels[2] = {make_panel(epsilon, 1.0, "eps"),
                                              make_panel(0.25 * epsilon, 1.0, "eps/4")};
    survey.n_panels = 2;
    survey.panels = panels;
    survey.n_methods = SCHEMES; /* methods with the exact free body */
    survey.n_steps = 1;
    survey.steps = &linear_step;
    struct ph_survey_point points[2 * SCHEMES];
    const enum ph_status status = ph_survey_run(&survey, progress, points, err);
    for (size_t m = 0; m < SCHEMES && status == PH_OK; ++m)
        law->ratio[m] = points[m].largest / points[SCHEMES + m].largest;
    return status;
}

static enum ph_status measure_orders(const struct ph_survey *full, const struct ph_lab_progress *progress,
                                     struct law *law, struct ph_error *err)
{
    enum { STEPS = sizeof order_steps / sizeof *order_steps };
    struct ph_survey survey = *full;
    const struct ph_survey_panel panel = make_panel(order_epsilon, 1.0, "orders");
    survey.n_panels = 1;
    survey.panels = &panel;
    survey.n_methods = SCHEMES;
    survey.n_steps = STEPS;
    survey.steps = order_steps;
    struct ph_survey_point points[SCHEMES * STEPS];
    const enum ph_status status = ph_survey_run(&survey, progress, points, err);
    for (size_t m = 0; m < SCHEMES && status == PH_OK; ++m)
        law->order[m] = ph_survey_order(&survey, points, 0, m, 0.0);
    return status;
}

static void judge_order(struct ph_study_result *result, const struct law *law)
{
    size_t orders = 0;
    double least = law->ratio[0], most = law->ratio[0];
    ph_study_add(result, CLAIM_ORDER, also_order, order_epsilon, order_steps[0], order_steps[1]);
    for (size_t m = 0; m < SCHEMES; ++m) {
        const int order = ph_scheme_find(methods[m].scheme)->order;
        orders += fabs(law->order[m] - order) < 0.2;
        least = fmin(least, law->ratio[m]);
        most = fmax(most, law->ratio[m]);
        ph_study_add(result, CLAIM_ORDER, "%.1f (%s, order %d)%s", law->order[m], methods[m].scheme, order,
                     m + 1 < SCHEMES ? "," : ".");
    }
    const bool linear = least > 3.6 && most < 4.4;
    ph_study_judge(result, CLAIM_ORDER, ph_finding(orders == SCHEMES && linear, orders > 0 || linear), said_order,
                   least, most, linear_step);
}

struct extreme {
    double error;
    size_t panel, method, step;
};

/* The largest mean error of the methods from `first` to `end`, over all panels and steps */
static struct extreme find_worst(const struct ph_survey *survey, const struct ph_survey_point *points, size_t first,
                                 size_t end)
{
    struct extreme worst = {.error = -1.0};
    for (size_t p = 0; p < survey->n_panels; ++p)
        for (size_t m = first; m < end; ++m)
            for (size_t k = 0; k < survey->n_steps; ++k) {
                const double error = ph_survey_point(survey, points, p, m, k)->largest;
                if (error > worst.error)
                    worst = (struct extreme){.error = error, .panel = p, .method = m, .step = k};
            }
    return worst;
}

/* Methods from `first` to `end` whose mean error is below epsilon in all panels and steps */
static size_t count_below(const struct ph_survey *survey, const struct ph_survey_point *points, double epsilon,
                          size_t first, size_t end)
{
    size_t below = 0;
    for (size_t m = first; m < end; ++m)
        below += find_worst(survey, points, m, m + 1).error < epsilon;
    return below;
}

static void judge_smaller(struct ph_study_result *result, const struct ph_survey *survey,
                          const struct ph_survey_point *points, double epsilon)
{
    const size_t exact = count_below(survey, points, epsilon, 0, SCHEMES);
    const size_t split = count_below(survey, points, epsilon, SCHEMES, METHODS);
    ph_study_judge(result, CLAIM_SMALLER, ph_finding(exact == SCHEMES && split == 0, split == 0), said_smaller, exact,
                   SCHEMES, epsilon, split, SCHEMES);
    const struct extreme e = find_worst(survey, points, 0, SCHEMES), s = find_worst(survey, points, SCHEMES, METHODS);
    ph_study_add(result, CLAIM_SMALLER, also_largest, e.error, methods[e.method].scheme, survey->panels[e.panel].value,
                 ph_survey_point(survey, points, e.panel, e.method, e.step)->step, s.error, methods[s.method].scheme,
                 survey->panels[s.panel].value, ph_survey_point(survey, points, s.panel, s.method, s.step)->step);
    /* The largest step where the claim is true */
    const struct ph_survey_point *worst = ph_survey_point(survey, points, e.panel, e.method, e.step);
    double coarsest = 0.0;
    for (size_t k = survey->n_steps; k-- > 0;) {
        bool all = true;
        for (size_t p = 0; p < survey->n_panels; ++p)
            for (size_t m = 0; m < SCHEMES; ++m)
                all = all && ph_survey_point(survey, points, p, m, k)->largest < epsilon;
        if (!all)
            break;
        coarsest = survey->steps[k];
    }
    if (exact < SCHEMES)
        ph_study_add(result, CLAIM_SMALLER, also_steps_below, coarsest,
                     sqrt(2.0 * survey->panels[e.panel].value) * worst->step, worst->last);
}

/* The smallest error of the methods from `first` to `end` in a panel */
static struct extreme find_best(const struct ph_survey *survey, const struct ph_survey_point *points, size_t panel,
                                size_t first, size_t end)
{
    struct extreme best = {.error = INFINITY};
    for (size_t m = first; m < end; ++m)
        for (size_t k = 0; k < survey->n_steps; ++k) {
            const double error = ph_survey_point(survey, points, panel, m, k)->largest;
            if (error < best.error)
                best = (struct extreme){.error = error, .panel = panel, .method = m, .step = k};
        }
    return best;
}

/* Processor time after which some method with the exact free body is as accurate as the best with mr2 */
static double time_to(const struct ph_survey *survey, const struct ph_survey_point *points, size_t panel, double error)
{
    double least = INFINITY;
    for (size_t m = 0; m < SCHEMES; ++m)
        for (size_t k = 0; k < survey->n_steps; ++k) {
            const struct ph_survey_point *point = ph_survey_point(survey, points, panel, m, k);
            if (point->largest <= error)
                least = fmin(least, point->seconds);
        }
    return least;
}

static void judge_competitive(struct ph_study_result *result, const struct ph_survey *survey,
                              const struct ph_survey_point *points)
{
    static const double useless = 0.1; /* not a digit is right */
    size_t wins = 0;
    for (size_t p = 0; p < survey->n_panels; ++p) {
        const struct extreme split = find_best(survey, points, p, SCHEMES, METHODS);
        const struct extreme exact = find_best(survey, points, p, 0, SCHEMES);
        const double needed = ph_survey_point(survey, points, p, split.method, split.step)->seconds;
        const double share = time_to(survey, points, p, split.error) / needed;
        ph_study_add(result, CLAIM_COMPETITIVE, also_competitive, survey->panels[p].label, exact.error,
                     methods[exact.method].scheme);
        if (split.error > useless)
            ph_study_add(result, CLAIM_COMPETITIVE, also_split_useless, split.error);
        else
            ph_study_add(result, CLAIM_COMPETITIVE, also_split_time, split.error, methods[split.method].scheme, share);
        wins += exact.error < split.error && (split.error > useless || share < 1.0);
    }
    ph_study_judge(result, CLAIM_COMPETITIVE, ph_finding(wins == survey->n_panels, wins > 0), said_competitive,
                   ph_survey_cost(survey, points));
}

/* ---- The study ---- */

/* Of the progress of a whole, the part from `begin` to `end` */
struct part {
    const struct ph_lab_progress *whole;
    double begin, end;
};

static void tell_part(double done, void *data)
{
    const struct part *part = data;
    if (part->whole->tell)
        part->whole->tell(part->begin + (part->end - part->begin) * done, part->whole->data);
}

static enum ph_status run(double epsilon, const struct ph_study_options *options, struct ph_study_result *result,
                          struct ph_error *err)
{
    const struct ph_survey_panel panels[PANELS] = {
        make_panel(epsilon, epsilon * epsilon, "eps^2"),
        make_panel(epsilon, epsilon, "eps"),
        make_panel(epsilon, 1.0, "1"),
        make_panel(epsilon, 1.0 / epsilon, "1/eps"),
        make_panel(epsilon, 1.0 / (epsilon * epsilon), "1/eps^2"),
    };
    const struct ph_survey survey = {
        .problem = &ph_problem_perturbed_body,
        .n_panels = PANELS,
        .panels = panels,
        .n_methods = METHODS,
        .methods = methods,
        .n_steps = options->quick ? sizeof quick_steps / sizeof *quick_steps : sizeof steps / sizeof *steps,
        .steps = options->quick ? quick_steps : steps,
        .n_starts = options->quick ? 4 : 20,
        .time = options->quick ? 200.0 : 2000.0,
        .samples = 200,
        .seed = options->seed,
    };
    struct ph_survey_point *points;
    struct law law;
    struct part part = {.whole = &options->progress, .begin = 0.0, .end = 0.89};
    const struct ph_lab_progress progress = {.tell = tell_part, .data = &part};
    result->options.progress = progress;
    enum ph_status status = ph_study_survey(&survey, result, &points, err);
    result->options.progress = options->progress;
    part.begin = part.end;
    part.end = 0.91;
    if (status == PH_OK)
        status = measure_linearity(&survey, epsilon, &progress, &law, err);
    part.begin = part.end;
    part.end = 1.0;
    if (status == PH_OK)
        status = measure_orders(&survey, &progress, &law, err);
    if (status == PH_OK) {
        judge_order(result, &law);
        judge_smaller(result, &survey, points, epsilon);
        judge_competitive(result, &survey, points);
        const struct extreme e = find_worst(&survey, points, 0, SCHEMES),
                             s = find_worst(&survey, points, SCHEMES, METHODS);
        ph_study_headline(result, headline, e.error, s.error);
        result->line = epsilon;
        ph_snprintf(result->line_label, sizeof result->line_label, "eps = %.0e", epsilon);
        ph_study_note(result, note, survey.samples, survey.n_starts);
        ph_study_note(result, "%s", ph_problem_perturbed_body.documentation);
    }
    free(points);
    return status;
}

static enum ph_status run_weak(const struct ph_study_options *options, struct ph_study_result *result,
                               struct ph_error *err)
{
    return run(1e-6, options, result, err);
}

static enum ph_status run_strong(const struct ph_study_options *options, struct ph_study_result *result,
                                 struct ph_error *err)
{
    return run(1e-3, options, result, err);
}

#define SETUP                                                                                                          \
    "A free rigid body in a weak field, U = eps e3.(Q^T u0), with kinetic energies T0 = eps^2, eps, 1, 1/eps, "        \
    "1/eps^2; "                                                                                                        \
    "20 random bodies and starts each, followed over [0, 2000]. A scheme with s force evaluations takes steps of "     \
    "s/10 h "                                                                                                          \
    "(so that all use as many forces), h = 8, 5, 4, 2, 1.75, 1.5, 1.25, 1, 0.5."
#define QUICK "4 starts, [0, 200], h = 8, 4, 2, 1, 0.5."
#define CLAIMS_OF_BOTH                                                                                                 \
    {                                                                                                                  \
        [CLAIM_ORDER] = {PH_FINDING_HOLDS, "For a splitting method of order p, it is reasonable to expect a leading "  \
                                           "error term of the form eps h^p, i.e. linear in eps."},                     \
        [CLAIM_SMALLER] = {PH_FINDING_PARTLY, "Only the methods using the exact integrator produce an error that is "  \
                                              "smaller than eps for all the choices of the step size."},               \
        [CLAIM_COMPETITIVE] = {PH_FINDING_HOLDS, "The implementation of the exact solution of the free rigid body is " \
                                                 "competitive as a numerical approach."},                              \
    }

const struct ph_study ph_study_heavy_top_weak = {
    .name = "heavy-top-1e-6",
    .title = "Perturbations of the free rigid body, eps = 1e-6",
    .figure = "Figure 12",
    .reference = PH_PAPER_CELLEDONI ", section 3.3.1",
    .setup = SETUP,
    .quick = QUICK,
    .plot = "survey",
    .shows = {{"Figure 12", "heavy-top-1e-6-time.svg",
               "against processor time; heavy-top-1e-6.svg: against force evaluations"}},
    .claim = CLAIMS_OF_BOTH,
    .run = run_weak,
};

const struct ph_study ph_study_heavy_top_strong = {
    .name = "heavy-top-1e-3",
    .title = "Perturbations of the free rigid body, eps = 1e-3",
    .figure = "Figure 13",
    .reference = PH_PAPER_CELLEDONI ", section 3.3.1",
    .setup = SETUP,
    .quick = QUICK,
    .plot = "survey",
    .shows = {{"Figure 13", "heavy-top-1e-3-time.svg",
               "against processor time; heavy-top-1e-3.svg: against force evaluations"}},
    .claim = CLAIMS_OF_BOTH,
    .run = run_strong,
};
