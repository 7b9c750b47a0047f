/* SPDX-License-Identifier: MIT */
#include "lab/bench/team.h"

#include "base/clock.h"
#include "lab/bench/systems.h"
#include "parallel/ranks.h"

#include <stdlib.h>

/* ---- A watch for all processes ---- */

struct ph_bench_ranks_watch ph_bench_ranks_watch_start(void)
{
    ph_ranks_seconds();
    ph_ranks_any(0); /* all begin together */
    const double apart = ph_ranks_seconds();
    return (struct ph_bench_ranks_watch){.wall = ph_clock_wall(), .apart = apart};
}

struct ph_bench_ranks_timing ph_bench_ranks_watch_read(const struct ph_bench_ranks_watch *watch)
{
    const double seconds = ph_clock_wall() - watch->wall, exchange = ph_ranks_seconds() - watch->apart;
    double largest[2] = {seconds, -exchange};
    struct ph_exact sum = {.spoilt = 0};
    ph_exact_add(1, &exchange, &sum);
    ph_ranks_largest(2, largest);
    ph_ranks_add_up(1, &sum);
    const double mean = ph_exact_value(&sum) / (double)ph_ranks_count();
    return (struct ph_bench_ranks_timing){.seconds = largest[0], .exchange = -largest[1], .waiting = mean + largest[1]};
}

/* ---- Forces ---- */

/* As in runs: each process has the state of its own molecules alone, which do not move here. */
static enum ph_status evaluate(struct ph_bench_system *bench, bool list, long calls,
                               struct ph_bench_ranks_timing *timing, struct ph_error *err)
{
    struct ph_system *system = bench->system;
    double *const row[] = {system->r[0], system->r[1], system->r[2], system->q[0],
                           system->q[1], system->q[2], system->q[3]};
    const struct ph_column_set state = {.n = sizeof row / sizeof *row, .row = row, .image = system->image};
    enum ph_status status = PH_OK;
    const struct ph_bench_ranks_watch watch = ph_bench_ranks_watch_start();
    for (long k = 0; k < calls && status == PH_OK; ++k) {
        if (list)
            ph_force_field_forget(bench->field);
        status = ph_ranks_agree(ph_force_field_evaluate(bench->field, system, PH_FORCES_ALL, &state, NULL, err), err);
    }
    *timing = ph_bench_ranks_watch_read(&watch);
    timing->seconds /= (double)calls;
    timing->exchange /= (double)calls;
    timing->waiting /= (double)calls;
    return status;
}

/* The fastest of some rounds of so many calls that each takes about `seconds`, by times that all of them know */
static enum ph_status time_evaluation(struct ph_bench_system *bench, bool list, double seconds,
                                      struct ph_bench_ranks_timing *best, struct ph_error *err)
{
    enum { ROUNDS = 4 };
    enum ph_status status = evaluate(bench, list, 1, best, err);
    if (status == PH_OK)
        status = evaluate(bench, list, 2, best, err);
    const long calls = best->seconds < seconds ? (long)(seconds / best->seconds) : 1; /* the same number in all */
    for (int round = 0; round < ROUNDS && status == PH_OK; ++round) {
        struct ph_bench_ranks_timing timing;
        status = evaluate(bench, list, calls, &timing, err);
        if (timing.seconds < best->seconds)
            *best = timing;
    }
    return status;
}

enum ph_status ph_bench_team_forces(double seconds, struct ph_bench_ranks_forces timings[], struct ph_error *err)
{
    const double each = seconds / (8.0 * PH_WORKLOADS);
    enum ph_status status = PH_OK;
    for (size_t w = 0; w < PH_WORKLOADS && status == PH_OK; ++w) {
        const struct ph_workload *workload = &ph_workloads[w];
        struct ph_bench_system bench = {.system = NULL};
        double steps_per_list;
        timings[w] = (struct ph_bench_ranks_forces){.name = workload->name, .n = workload->n};
        status = ph_ranks_agree(ph_bench_system_make(workload, workload->n, &bench, err), err);
        if (status == PH_OK)
            status = ph_bench_system_melt(workload, &bench, &steps_per_list, err);
        if (status == PH_OK)
            status = time_evaluation(&bench, false, each, &timings[w].evaluation, err);
        if (status == PH_OK && !workload->open)
            status = time_evaluation(&bench, true, each, &timings[w].list, err);
        ph_bench_system_clear(&bench);
    }
    return status;
}
