/* SPDX-License-Identifier: MIT */
#include "lab/studies/energy_test.h"

#include "base/clock.h"
#include "dynamics/dynamics.h"

#include <math.h>
#include <stdlib.h>

/* What one test needs */
struct bench {
    const struct ph_energy_test *test;
    struct ph_system *system; /* owned, as the next two */
    struct ph_force_field *field;
    struct ph_dynamics *dynamics;
    struct ph_degrees degrees;
};

static enum ph_status look(struct bench *bench, double t, struct ph_energy_test_result *result, struct ph_error *err)
{
    struct ph_energy energy;
    struct ph_observables observables;
    const enum ph_status status = ph_dynamics_synchronise(bench->dynamics, &energy, err);
    if (status != PH_OK)
        return status;
    ph_observe(bench->system, &bench->degrees, &energy, 1.0, &observables);
    if (bench->test->watch)
        bench->test->watch(t, bench->system, &observables, bench->test->data);
    if (t == 0.0)
        result->energy = observables.total;
    result->last = fabs((observables.total - result->energy) / result->energy);
    if (!isfinite(result->last))
        return ph_error_set(err, PH_ERR_NUMBERS, "The energy is not finite.");
    result->largest = fmax(result->largest, result->last);
    return PH_OK;
}

static enum ph_status follow(struct bench *bench, struct ph_energy_test_result *result, struct ph_error *err)
{
    const long samples = bench->test->samples < result->steps ? bench->test->samples : result->steps;
    enum ph_status status = look(bench, 0.0, result, err);
    long done = 0;
    for (long k = 1; k <= samples && status == PH_OK; ++k) {
        const long until = (long)((double)result->steps * (double)k / (double)samples + 0.5);
        const double before = ph_clock_thread();
        status = ph_dynamics_advance(bench->dynamics, until - done, err);
        if (status == PH_OK) /* includes the part of the last step that was still owed */
            status = ph_dynamics_synchronise(bench->dynamics, NULL, err);
        result->seconds += ph_clock_thread() - before;
        done = until;
        if (status == PH_OK)
            status = look(bench, (double)done * result->step, result, err);
    }
    return status;
}

enum ph_status ph_energy_test_run(const struct ph_posed *posed, const struct ph_energy_test *test,
                                  struct ph_energy_test_result *result, struct ph_error *err)
{
    const long steps = (long)fmax(1.0, round(test->time / test->step));
    *result =
        (struct ph_energy_test_result){.step = test->time / (double)steps,
                                       .steps = steps,
                                       .evaluations = (size_t)steps * (size_t)ph_scheme_evaluations(test->scheme)};
    struct bench bench = {.test = test};
    const struct ph_dynamics_options options = {
        .scheme = test->scheme, .flow = test->flow, .step = result->step, .pinned = posed->interactions.pinned};
    enum ph_status status = ph_posed_copy_system(posed->system, &bench.system, err);
    if (status == PH_OK)
        status = ph_force_field_create(bench.system, &posed->interactions, &bench.field, err);
    if (status == PH_OK)
        status = ph_dynamics_create(bench.system, bench.field, &options, &bench.dynamics, err);
    if (status == PH_OK) {
        bench.degrees = ph_degrees_count(bench.system, &posed->interactions);
        status = follow(&bench, result, err);
    }
    if (status == PH_ERR_NUMBERS) {
        result->broke = true;
        result->largest = result->last = INFINITY;
        status = PH_OK;
    }
    ph_dynamics_destroy(bench.dynamics);
    ph_force_field_destroy(bench.field);
    ph_system_destroy(bench.system);
    return status;
}
