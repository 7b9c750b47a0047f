/* SPDX-License-Identifier: MIT */
#include "lab/bench/accuracy.h"

#include "lab/bench/systems.h"
#include "run/observables.h"

#include <math.h>
#include <string.h>

const double ph_accuracy_rates[PH_ACCURACY_RATES] = {125.0,  180.0,  250.0,  360.0,  500.0, 710.0,
                                                     1000.0, 1410.0, 2000.0, 2830.0, 4000.0};
const double ph_accuracy_levels[PH_ACCURACY_LEVELS] = {1e-4, 1e-6, 1e-9, 1e-12};

static const double melt_time = 12.0, between_time = 5.0, bath_time = 0.1; /* in units of the fluid */
static const double astray = 1.0;                                          /* energy per molecule */

static const struct ph_workload *find_fluid(void)
{
    for (size_t k = 0; k < PH_WORKLOADS; ++k)
        if (strcmp(ph_workloads[k].name, "stockmayer-c6") == 0)
            return &ph_workloads[k];
    return NULL;
}

static double passes(const struct ph_scheme *scheme)
{
    return ph_scheme_evaluations(scheme) + ph_scheme_gradients(scheme);
}

/* Independent liquid states */
static enum ph_status keep_states(const struct ph_workload *fluid, const struct ph_bench_system *bench, int states,
                                  struct ph_pilot *pilot, struct ph_error *err)
{
    const struct ph_degrees degrees = ph_degrees_count(bench->system, &bench->interactions);
    struct ph_thermostat bath = {
        .kT = fluid->temperature, /* reduced units */
        .relaxation_time = bath_time,
        .translation = degrees.translation,
        .rotation = degrees.rotation,
    };
    for (int k = 0; k < states; ++k) {
        double relaxed;
        bath.seed = (uint64_t)k + 1;
        enum ph_status status =
            ph_pilot_relax(pilot, INFINITY, k == 0 ? melt_time : between_time, &bath, &relaxed, err);
        if (status == PH_OK)
            status = ph_pilot_keep(pilot, err);
        if (status != PH_OK)
            return status;
    }
    return PH_OK;
}

/* Where the error passes a level for the last time, by the power law between two rates, or beyond the last by that of
 * the last two */
static void find_needed(struct ph_accuracy_row *row)
{
    for (int level = 0; level < PH_ACCURACY_LEVELS; ++level) {
        const double goal = ph_accuracy_levels[level];
        int k = PH_ACCURACY_RATES - 1;
        while (k > 0 && row->error[k - 1] <= goal)
            --k;
        row->needed[level] = k == 0 ? ph_accuracy_rates[0] : NAN; /* less than the first rate: not resolved */
        row->beyond[level] = k == PH_ACCURACY_RATES - 1 && row->error[k] > goal;
        if (k == 0 || !isfinite(row->error[k - 1]))
            continue;
        const double slope =
            log(row->error[k] / row->error[k - 1]) / log(ph_accuracy_rates[k] / ph_accuracy_rates[k - 1]);
        if (slope < -1.0)
            row->needed[level] = ph_accuracy_rates[k] * pow(goal / row->error[k], 1.0 / slope);
    }
}

static enum ph_status measure_row(struct ph_pilot *pilot, double time, struct ph_accuracy_row *row,
                                  struct ph_error *err)
{
    for (int k = 0; k < PH_ACCURACY_RATES; ++k) {
        struct ph_pilot_run run;
        const struct ph_dynamics_options options = {
            .scheme = row->scheme, .flow = row->flow, .step = passes(row->scheme) / ph_accuracy_rates[k]};
        const enum ph_status status = ph_pilot_measure(pilot, PH_PILOT_STATES, options, time, astray, &run, err);
        if (status != PH_OK)
            return status;
        row->error[k] = run.gave_up ? INFINITY : run.error;
    }
    find_needed(row);
    return PH_OK;
}

enum ph_status ph_bench_accuracy(const struct ph_accuracy_options *options, struct ph_pilot_costs *costs,
                                 struct ph_error *err)
{
    const struct ph_workload *fluid = find_fluid();
    struct ph_bench_system bench;
    struct ph_pilot *pilot = NULL;
    enum ph_status status = ph_bench_system_make(fluid, options->molecules, &bench, err);
    if (status == PH_OK)
        status = ph_pilot_create(bench.system, &bench.interactions, true, &pilot, err);
    if (status == PH_OK)
        status = keep_states(fluid, &bench, options->states, pilot, err);
    if (status == PH_OK)
        status = ph_pilot_time_costs(pilot, ph_flow_find("exact"), costs, err);
    for (size_t k = 0; k < options->n && status == PH_OK; ++k) {
        status = measure_row(pilot, options->time, &options->rows[k], err);
        if (status == PH_OK && options->progress)
            options->progress(&options->rows[k], k, options->data);
    }
    ph_pilot_destroy(pilot);
    ph_bench_system_clear(&bench);
    return status;
}
