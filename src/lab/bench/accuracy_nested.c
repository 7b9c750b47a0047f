/* SPDX-License-Identifier: MIT */
/* Energy error against cost with two time scales. */
#include "lab/bench/accuracy.h"

#include <math.h>

/* By evaluations: of an outer scheme with two */
static const double outer_steps[PH_NESTED_STEPS] = {0.034, 0.029, 0.025, 0.0225, 0.02, 0.017, 0.014};
const double ph_nested_levels[PH_NESTED_LEVELS] = {1e-3, 3e-4, 1e-4};

static const struct {
    const char *outer, *inner;
} pairs[PH_NESTED_ROWS] = {
    {"verlet", "bcss2-3"}, {"verlet-position", "bcss2-3"}, {"sbab2", "bcss2-3"}, {"saba2", "bcss2-3"}};

static const double astray = 1.0; /* energy per molecule */

static enum ph_status measure(struct ph_pilot *pilot, double time, int k, struct ph_nested_row *row,
                              struct ph_error *err)
{
    struct ph_pilot_run run;
    const double h = 0.5 * ph_scheme_evaluations(row->outer) * outer_steps[k];
    const struct ph_dynamics_options options = {
        .scheme = row->outer, .flow = ph_flow_find("exact"), .step = h, .inner = row->inner, .substeps = 1};
    const enum ph_status status = ph_pilot_measure(pilot, PH_PILOT_STATES, options, time, astray, &run, err);
    if (status != PH_OK)
        return status;
    const double covered = (double)ph_pilot_states(pilot) * (double)run.steps * h;
    row->step[k] = h;
    row->error[k] = run.gave_up ? INFINITY : run.error;
    row->cost[k] = ((double)run.counts.slow + (double)run.counts.fast * run.fast_cost) / covered;
    return PH_OK;
}

/* Where the error passes a level for the last time, by the power law between two steps */
static double needed(const struct ph_nested_row *row, double level)
{
    int k = PH_NESTED_STEPS - 1;
    if (!(row->error[k] <= level))
        return NAN;
    while (k > 0 && row->error[k - 1] <= level)
        --k;
    if (k == 0 || !isfinite(row->error[k - 1]))
        return row->cost[k];
    const double part = log(level / row->error[k]) / log(row->error[k - 1] / row->error[k]);
    return row->cost[k] * pow(row->cost[k - 1] / row->cost[k], part);
}

enum ph_status ph_bench_nested(struct ph_pilot *pilot, double time, struct ph_nested_row rows[PH_NESTED_ROWS],
                               struct ph_error *err)
{
    for (int r = 0; r < PH_NESTED_ROWS; ++r) {
        struct ph_nested_row *row = &rows[r];
        *row = (struct ph_nested_row){.outer = ph_scheme_find(pairs[r].outer), .inner = ph_scheme_find(pairs[r].inner)};
        for (int k = 0; k < PH_NESTED_STEPS; ++k) {
            const enum ph_status status = measure(pilot, time, k, row, err);
            if (status != PH_OK)
                return status;
        }
        for (int level = 0; level < PH_NESTED_LEVELS; ++level)
            row->needed[level] = needed(row, ph_nested_levels[level]);
    }
    return PH_OK;
}
