/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_STUDIES_FRAME_SURVEY_H
#define PH_LAB_STUDIES_FRAME_SURVEY_H

/* Many energy tests: every method with every step on many starts of a problem, in several panels that differ by
 * parameters of the problem. Steps are in proportion to the evaluations of a scheme, so that all methods need the same
 * number of forces. Starts run in parallel; results do not depend on the number of threads. */

#include "lab/problems/problem.h"
#include "lab/studies/energy_test.h"

#include <stddef.h>
#include <stdint.h>

enum { PH_SURVEY_SETTINGS = 3, PH_SURVEY_LABEL = 32 };

struct ph_survey_method {
    const char *scheme, *flow;
};

struct ph_survey_panel {
    char label[PH_SURVEY_LABEL];
    double value; /* the number that sets this panel apart */
    size_t n_settings;
    struct ph_setting setting[PH_SURVEY_SETTINGS];
};

/* Nothing in here is owned. */
struct ph_survey {
    const struct ph_problem *problem;
    size_t n_panels, n_methods, n_steps, n_starts;
    const struct ph_survey_panel *panels;
    const struct ph_survey_method *methods;
    const double *steps; /* of a scheme with 10 evaluations, falling */
    double time;
    long samples; /* of the energy in each test */
    uint64_t seed;
};

/* Means over the starts that did not fail */
struct ph_survey_point {
    double step;        /* that was taken */
    double evaluations; /* of forces */
    double seconds;     /* of one processor */
    double largest;     /* relative energy error, the largest of a test; */
    double median;      /* the same, but the median over all starts; */
    double last;        /* at the end */
    size_t broke;       /* starts where the run failed (overlap, NaN or infinity) */
};

/* For long work: `tell` gets the finished share, from 0 to 1, from one thread at a time */
struct ph_lab_progress {
    void (*tell)(double done, void *data); /* may be NULL */
    void *data;
};

/* points[(panel * n_methods + method) * n_steps + step] */
enum ph_status ph_survey_run(const struct ph_survey *survey, const struct ph_lab_progress *progress,
                             struct ph_survey_point *points, struct ph_error *err);

size_t ph_survey_points(const struct ph_survey *survey);
const struct ph_survey_point *ph_survey_point(const struct ph_survey *survey, const struct ph_survey_point *points,
                                              size_t panel, size_t method, size_t step);

/* The index of a method in the survey, which must have it */
size_t ph_survey_method(const struct ph_survey *survey, const char *scheme, const char *flow);

/* The order that errors show: slope of log(error) over log(step) at the finest steps (up to three) whose error is above
 * `floor` and below 0.1. NAN if there are fewer than two. */
double ph_survey_order(const struct ph_survey *survey, const struct ph_survey_point *points, size_t panel,
                       size_t method, double floor);

/* The first half of the methods has the same schemes as the second half, with another flow. Returns the ratio of their
 * processor times, first over second, at the finest step, mean over schemes and panels. */
double ph_survey_cost(const struct ph_survey *survey, const struct ph_survey_point *points);

#endif
