/* SPDX-License-Identifier: MIT */
#include "lab/drift.h"

#include "base/clock.h"

#include <math.h>
#include <string.h>

void ph_drift_line(size_t n, const double *values, double spacing, double *slope, double *deviation)
{
    double mean = 0.0, sum = 0.0, weight = 0.0, rest = 0.0;
    for (size_t i = 0; i < n; ++i)
        mean += values[i] / (double)n;
    for (size_t i = 0; i < n; ++i) {
        const double t = ((double)i - 0.5 * (double)(n - 1)) * spacing;
        sum += t * values[i];
        weight += t * t;
    }
    *slope = sum / weight;
    for (size_t i = 0; i < n; ++i) {
        const double t = ((double)i - 0.5 * (double)(n - 1)) * spacing, off = values[i] - mean - *slope * t;
        rest += off * off;
    }
    *deviation = sqrt(rest / ((double)n - 2.0) / weight);
}

static enum ph_status follow(struct ph_course *course, const struct ph_drift_test *test, long every, long per_part,
                             struct ph_drift *drift, struct ph_error *err)
{
    enum ph_status status = ph_course_energy(course, &drift->start, err);
    if (status == PH_OK && test->watch)
        test->watch(0.0, 0.0, test->data);
    long steps = 0;
    for (int part = 0; part < PH_DRIFT_PARTS && status == PH_OK; ++part)
        for (long i = 0; i < per_part && status == PH_OK; ++i) {
            double energy;
            status = ph_motion_advance(course->motion, every, err);
            if (status == PH_OK)
                status = ph_course_energy(course, &energy, err);
            if (status != PH_OK)
                break;
            steps += every;
            const double off = energy - drift->start;
            drift->mean[part] += off / (double)per_part;
            drift->low = fmin(drift->low, off);
            drift->high = fmax(drift->high, off);
            if (test->watch)
                test->watch((double)steps * test->step, off, test->data);
        }
    drift->time = (double)steps * test->step;
    return status;
}

enum ph_status ph_drift_measure(const struct ph_posed *posed, const struct ph_drift_test *test, struct ph_drift *drift,
                                struct ph_error *err)
{
    memset(drift, 0, sizeof *drift);
    const long steps = lround(test->time / test->step);
    const long wanted = (test->samples < steps ? test->samples : steps) / PH_DRIFT_PARTS,
               per_part = wanted > 0 ? wanted : 1;
    const long between = steps / (per_part * PH_DRIFT_PARTS), every = between > 0 ? between : 1;
    struct ph_course course;
    const double begun = ph_clock_thread();
    enum ph_status status = ph_course_begin(posed, test->integrator, test->step, &course, err);
    if (status == PH_OK) {
        status = follow(&course, test, every, per_part, drift, err);
        drift->counts = ph_motion_counts(course.motion);
    }
    drift->seconds = ph_clock_thread() - begun;
    drift->broke = status == PH_ERR_NUMBERS;
    ph_course_clear(&course);
    if (drift->broke) {
        drift->slope = drift->deviation = NAN;
        return PH_OK;
    }
    if (status == PH_OK)
        ph_drift_line(PH_DRIFT_PARTS, drift->mean, drift->time / PH_DRIFT_PARTS, &drift->slope, &drift->deviation);
    return status;
}

const struct ph_table_column ph_drift_track_columns[PH_DRIFT_TRACK_COLUMNS] = {
    {"method", "integrator", true},
    {"step", "of time", false},
    {"time", "", false},
    {"error", "energy less that at the start, over the scale that the study names", false},
};

void ph_drift_track(double t, double off, void *data)
{
    struct ph_drift_track *track = data;
    if (t < track->next || track->status != PH_OK)
        return;
    track->next += track->spacing;
    track->status = ph_table_append(track->table, (const char *const[]){track->method},
                                    (const double[]){track->step, t, off / track->scale}, track->err);
}
