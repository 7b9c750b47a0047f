/* SPDX-License-Identifier: MIT */
#ifndef PH_TESTS_MOVERS_H
#define PH_TESTS_MOVERS_H

/* Movers of a stage, averages with errors, and states kept as a checkpoint keeps them. */

#include "motion.h"

#include "dynamics/mover.h"

static inline struct ph_mover_options plain_options(const char *scheme, double step)
{
    return (struct ph_mover_options){
        .dynamics = {.scheme = ph_scheme_find(scheme), .flow = ph_flow_find("exact"), .step = step}};
}

static inline struct ph_mover *make_mover(struct ph_system *system, struct ph_force_field *field,
                                          const struct ph_mover_options *options)
{
    struct ph_mover *mover;
    assert_ok(ph_mover_create(system, field, options, &mover, &err));
    return mover;
}

static inline void move(struct ph_mover *mover, long n) { assert_ok(ph_mover_advance(mover, n, &err)); }

static inline struct ph_energy mover_energy(struct ph_mover *mover)
{
    struct ph_energy energy = {.radial = 0.0};
    assert_ok(ph_mover_synchronise(mover, &energy, &err));
    return energy;
}

/* What the mover conserves */
static inline double mover_conserved(struct ph_mover *mover, const struct ph_system *system)
{
    const struct ph_energy energy = mover_energy(mover);
    return ph_mover_conserved(mover, total_energy(system, &energy));
}

/* ---- Averages, with errors from the means of blocks ---- */

enum { BLOCKS = 20 };

struct average {
    long n, each; /* so far; in a block */
    double block[BLOCKS];
};

static inline void add_sample(struct average *average, double x)
{
    const long k = average->n++ / average->each;
    if (k < BLOCKS)
        average->block[k] += x / (double)average->each;
}

static inline double mean_of(const struct average *average)
{
    double sum = 0.0;
    for (int k = 0; k < BLOCKS; ++k)
        sum += average->block[k];
    return sum / BLOCKS;
}

static inline double error_of(const struct average *average)
{
    const double mean = mean_of(average);
    double sum = 0.0;
    for (int k = 0; k < BLOCKS; ++k)
        sum += (average->block[k] - mean) * (average->block[k] - mean);
    return sqrt(sum / (BLOCKS * (BLOCKS - 1.0)));
}

/* Within so many errors, which must be no larger than `most` times the value */
static inline void assert_mean(const char *what, const struct average *average, double want, double errors, double most)
{
    const double mean = mean_of(average), error = error_of(average);
    assert_true(average->n == BLOCKS * average->each);
    if (!(fabs(mean - want) < errors * error) || !(error < most * fabs(want)))
        fail_msg("%s: %g +- %g, should be %g, error at most %g", what, mean, error, want, most * fabs(want));
}

/* Are two means the same, each with its own error? */
static inline void assert_same_mean(const char *what, const struct average *a, const struct average *b, double errors)
{
    const double error = hypot(error_of(a), error_of(b));
    if (!(fabs(mean_of(a) - mean_of(b)) < errors * error))
        fail_msg("%s: %g and %g differ by more than %g errors of %g", what, mean_of(a), mean_of(b), errors, error);
}

#endif
