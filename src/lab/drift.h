/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_DRIFT_H
#define PH_LAB_DRIFT_H

/* Drift of the energy. A problem is followed for a long time. A straight line is fitted to the means of the energy over
 * equal parts of this time. Their scatter about the line gives the error of its slope. */

#include "lab/problems/course.h"
#include "lab/table.h"

enum { PH_DRIFT_PARTS = 40 };

struct ph_drift {
    double start;                /* energy at the beginning */
    double mean[PH_DRIFT_PARTS]; /* of energy - start, over each part */
    double slope, deviation;     /* of the line, per unit of time, and its standard deviation */
    double low, high;            /* least and largest energy - start */
    double time;                 /* that was followed */
    double seconds;              /* processor time, including the computation of the energy */
    struct ph_motion_counts counts;
    bool broke; /* the run failed (overlap, NaN or infinity) */
};

/* `watch`, which may be NULL, sees every sample: time and energy - start. */
struct ph_drift_test {
    const struct ph_integrator *integrator;
    double step, time;
    long samples; /* times at which the energy is looked at, at most one for each step; rounded to whole parts */
    void (*watch)(double t, double off, void *data);
    void *data;
};

enum ph_status ph_drift_measure(const struct ph_posed *posed, const struct ph_drift_test *test, struct ph_drift *drift,
                                struct ph_error *err);

/* A `watch` that keeps energies now and then in a table with these columns */
enum { PH_DRIFT_TRACK_COLUMNS = 4 };
extern const struct ph_table_column ph_drift_track_columns[PH_DRIFT_TRACK_COLUMNS];
struct ph_drift_track {
    struct ph_table *table; /* not owned */
    const char *method;
    double step;
    double scale;          /* unit of the energies in the table */
    double next, spacing;  /* when the next is kept, and the time between two */
    enum ph_status status; /* of the rows kept so far */
    struct ph_error *err;
};
void ph_drift_track(double t, double off, void *data);

/* Slope of the line through equally spaced values, and its standard deviation */
void ph_drift_line(size_t n, const double *values, double spacing, double *slope, double *deviation);

#endif
