/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_STUDIES_ENERGY_TEST_H
#define PH_LAB_STUDIES_ENERGY_TEST_H

/* One problem followed with one method and step: energy error and cost. */

#include "dynamics/schemes/scheme.h"
#include "lab/problems/problem.h"
#include "rigid/flow.h"
#include "run/observables.h"

struct ph_energy_test {
    const struct ph_scheme *scheme;
    const struct ph_flow *flow;
    double step; /* wanted: it is changed a little so that a whole number of steps, at least one, takes `time` */
    double time;
    long samples; /* at most so many times at which the energy is looked at, evenly spread, the end among them */
    /* May be NULL: sees the start and every sample. */
    void (*watch)(double t, const struct ph_system *system, const struct ph_observables *observables, void *data);
    void *data;
};

struct ph_energy_test_result {
    double step; /* that was taken */
    long steps;
    size_t evaluations;   /* of forces that the scheme needs; evaluations for the energy are not counted */
    double seconds;       /* of the processor for these steps, likewise */
    double energy;        /* at the start */
    double largest, last; /* |H - H0|/|H0|: of all samples, at the end */
    bool broke;           /* the run failed (overlap, NaN or infinity): errors are infinite */
};

/* Does not change the posed problem, so that several tests can start from it at the same time. */
enum ph_status ph_energy_test_run(const struct ph_posed *posed, const struct ph_energy_test *test,
                                  struct ph_energy_test_result *result, struct ph_error *err);

#endif
