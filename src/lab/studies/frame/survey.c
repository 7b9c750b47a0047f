/* SPDX-License-Identifier: MIT */
#include "lab/studies/frame/survey.h"

#include "lab/line.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

size_t ph_survey_points(const struct ph_survey *survey)
{
    return survey->n_panels * survey->n_methods * survey->n_steps;
}

const struct ph_survey_point *ph_survey_point(const struct ph_survey *survey, const struct ph_survey_point *points,
                                              size_t panel, size_t method, size_t step)
{
    return &points[(panel * survey->n_methods + method) * survey->n_steps + step];
}

size_t ph_survey_method(const struct ph_survey *survey, const char *scheme, const char *flow)
{
    size_t m = 0;
    while (m < survey->n_methods &&
           (strcmp(survey->methods[m].scheme, scheme) != 0 || strcmp(survey->methods[m].flow, flow) != 0))
        ++m;
    assert(m < survey->n_methods);
    return m;
}

/* ---- Running ---- */

/* All methods and steps on one start of one panel; results in the order of the points of a panel */
static enum ph_status run_start(const struct ph_survey *survey, size_t panel, size_t start,
                                struct ph_energy_test_result *results, struct ph_error *err)
{
    const struct ph_survey_panel *p = &survey->panels[panel];
    struct ph_posed posed;
    enum ph_status status =
        ph_problem_pose(survey->problem, p->n_settings, p->setting, survey->seed, start, &posed, err);
    for (size_t m = 0; m < survey->n_methods && status == PH_OK; ++m) {
        const struct ph_scheme *scheme = ph_scheme_find(survey->methods[m].scheme);
        const struct ph_flow *flow = ph_flow_find(survey->methods[m].flow);
        assert(scheme && flow);
        for (size_t k = 0; k < survey->n_steps && status == PH_OK; ++k) {
            const struct ph_energy_test test = {.scheme = scheme,
                                                .flow = flow,
                                                .step = ph_scheme_evaluations(scheme) / 10.0 * survey->steps[k],
                                                .time = survey->time,
                                                .samples = survey->samples};
            status = ph_energy_test_run(&posed, &test, &results[m * survey->n_steps + k], err);
        }
    }
    ph_posed_clear(&posed);
    return status;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The mean over starts, whose results lie `stride` apart, in their order; `sorted` has room for all of them. */
static struct ph_survey_point average(size_t n, size_t stride, const struct ph_energy_test_result *results,
                                      double *sorted)
{
    struct ph_survey_point point = {.step = results[0].step, .evaluations = (double)results[0].evaluations};
    for (size_t i = 0; i < n; ++i) {
        const struct ph_energy_test_result *result = &results[i * stride];
        sorted[i] = result->largest;
        point.seconds += result->seconds / (double)n;
        point.broke += result->broke;
        if (!result->broke) {
            point.largest += result->largest;
            point.last += result->last;
        }
    }
    const double whole = (double)(n - point.broke);
    point.largest = point.broke < n ? point.largest / whole : INFINITY;
    point.last = point.broke < n ? point.last / whole : INFINITY;
    qsort(sorted, n, sizeof *sorted, ascending);
    point.median = n % 2 ? sorted[n / 2] : 0.5 * (sorted[n / 2 - 1] + sorted[n / 2]);
    return point;
}

static void tell(const struct ph_lab_progress *progress, size_t done, size_t all)
{
    if (progress && progress->tell)
        progress->tell((double)done / (double)all, progress->data);
}

enum ph_status ph_survey_run(const struct ph_survey *survey, const struct ph_lab_progress *progress,
                             struct ph_survey_point *points, struct ph_error *err)
{
    const size_t per_start = survey->n_methods * survey->n_steps, all = survey->n_panels * survey->n_starts;
    struct ph_energy_test_result *results = calloc(all * per_start, sizeof *results);
    double *sorted = calloc(survey->n_starts, sizeof *sorted);
    enum ph_status status = PH_OK;
    if (!results || !sorted)
        status = ph_no_memory(err, "%zu energy tests", all * per_start);
    size_t done = 0, failed = all;
    const bool ready = status == PH_OK;
#pragma omp parallel for schedule(dynamic, 1)
    for (size_t unit = 0; unit < (ready ? all : 0); ++unit) {
        struct ph_error own = {.text = ""};
        const enum ph_status result =
            run_start(survey, unit / survey->n_starts, unit % survey->n_starts, &results[unit * per_start], &own);
#pragma omp critical(ph_survey)
        {
            if (result != PH_OK && unit < failed) { /* of several failures the first is reported */
                failed = unit;
                status = ph_error_set(err, result, "%s", own.text);
            }
            tell(progress, ++done, all);
        }
    }
    for (size_t panel = 0; panel < survey->n_panels && status == PH_OK; ++panel)
        for (size_t k = 0; k < per_start; ++k)
            points[panel * per_start + k] =
                average(survey->n_starts, per_start, &results[panel * survey->n_starts * per_start + k], sorted);
    free(results);
    free(sorted);
    return status;
}

/* ---- Results ---- */

double ph_survey_order(const struct ph_survey *survey, const struct ph_survey_point *points, size_t panel,
                       size_t method, double floor)
{
    enum { MOST = 3 };
    static const double ceiling = 0.1;
    struct ph_line_sums line = {.n = 0.0};
    for (size_t k = survey->n_steps; k-- > 0 && line.n < MOST;) {
        const struct ph_survey_point *point = ph_survey_point(survey, points, panel, method, k);
        if (point->largest > floor && point->largest < ceiling)
            ph_line_sums_add(&line, log(point->step), log(point->largest));
    }
    return line.n < 2.0 ? NAN : ph_line_sums_slope(&line);
}

double ph_survey_cost(const struct ph_survey *survey, const struct ph_survey_point *points)
{
    const size_t half = survey->n_methods / 2, finest = survey->n_steps - 1;
    double cost = 0.0;
    for (size_t p = 0; p < survey->n_panels; ++p)
        for (size_t m = 0; m < half; ++m)
            cost += ph_survey_point(survey, points, p, m, finest)->seconds /
                    ph_survey_point(survey, points, p, m + half, finest)->seconds;
    return cost / (double)(half * survey->n_panels);
}
