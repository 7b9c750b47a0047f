/* SPDX-License-Identifier: MIT */
/* polhode bench forces, started by mpirun: times the common work of several processes. */
#include "cli/commands/bench/cmd_bench.h"
#include "lab/table.h"

#include "lab/bench/flows.h"
#include "lab/bench/forces.h"
#include "lab/bench/team.h"
#include "parallel/ranks.h"

#include <math.h>
#include <stdlib.h>

static const double bench_seconds = 16.0; /* about as many more to make the systems */

static const struct ph_table_column columns[] = {
    {"name", "system", true},
    {"molecules", "", false},
    {"evaluations_per_second", "of all processes together", false},
    {"ms_per_evaluation", "", false},
    {"share_of_exchange", "of the time", false},
    {"share_of_waiting", "", false},
    {"ms_per_list", "", false},
};
static const struct ph_table_look looks[] = {
    {"system", NULL},     {"N", NULL},         {"evaluations/s", "%.4g"}, {"ms", "%.3f"},
    {"exchange", "%.3f"}, {"waiting", "%.3f"}, {"ms/list", "%.3f"},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static enum ph_status list(size_t n, const struct ph_bench_ranks_forces *timings, struct ph_table *table,
                           struct ph_error *err)
{
    enum ph_status status = PH_OK;
    for (size_t k = 0; k < n && status == PH_OK; ++k) {
        const struct ph_bench_ranks_timing *t = &timings[k].evaluation;
        const double with_list = timings[k].list.seconds;
        status = ph_table_append(table, (const char *const[]){timings[k].name},
                                 (const double[]){(double)timings[k].n, 1.0 / t->seconds, 1e3 * t->seconds,
                                                  t->exchange / t->seconds, t->waiting / t->seconds,
                                                  with_list > 0.0 ? 1e3 * (with_list - t->seconds) : NAN},
                                 err);
    }
    return status;
}

static void say(struct ph_json *json, int threads, const struct ph_table *table)
{
    const size_t processes = ph_ranks_count();
    ph_json_say(json, "Forces and torques, %zu processes with %d thread%s each, on the clock; best of some.\n\n",
                processes, threads, threads == 1 ? "" : "s");
    ph_json_begin_object(json, NULL);
    ph_json_string(json, "bench", "forces");
    ph_json_integer(json, "processes", (long)processes);
    ph_json_integer(json, "threads", threads);
    ph_json_table(json, "systems", table, looks);
    ph_json_end(json);
    ph_json_say(json,
                "\nShares of the time of an evaluation that processes spend in exchange, and in waiting for slower "
                "ones.\n");
}

enum ph_status ph_cli_bench_team_forces(bool json, struct ph_error *err)
{
    const size_t n = ph_bench_forces_count();
    const int threads = ph_bench_max_threads();
    struct ph_bench_ranks_forces *timings = calloc(n, sizeof *timings);
    enum ph_status status = timings ? PH_OK : ph_no_memory(err, "%zu timings", n);
    struct ph_table table;
    ph_table_init(&table, "forces", "what forces cost", COLUMNS, columns);
    status = ph_ranks_agree(status, err);
    if (status == PH_OK)
        status = ph_bench_team_forces(bench_seconds, timings, err);
    if (status == PH_OK)
        status = list(n, timings, &table, err);
    if (status == PH_OK)
        say(&(struct ph_json){.out = stdout, .text = !json}, threads, &table);
    ph_table_clear(&table);
    free(timings);
    return status;
}
