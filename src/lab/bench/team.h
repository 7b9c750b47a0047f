/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_BENCH_TEAM_H
#define PH_LAB_BENCH_TEAM_H

/* Times the common work of all ranks by the wall clock. Processor time, which stands still while other processes run,
 * says nothing about waiting. */

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct ph_bench_ranks_timing {
    double seconds;  /* of the slowest process */
    double exchange; /* of these, in exchange with other ranks: the least over ranks, taken as free of waiting */
    double waiting;  /* of these, waiting for other ranks: the mean over ranks less the least */
};

/* A watch that all ranks start and read together */
struct ph_bench_ranks_watch {
    double wall, apart;
};
struct ph_bench_ranks_watch ph_bench_ranks_watch_start(void);
struct ph_bench_ranks_timing ph_bench_ranks_watch_read(const struct ph_bench_ranks_watch *watch);

/* Evaluations of forces of the systems of ph_bench_forces */
struct ph_bench_ranks_forces {
    const char *name;
    size_t n;
    struct ph_bench_ranks_timing evaluation; /* with a list that is still good: the best of some */
    struct ph_bench_ranks_timing list;       /* evaluation and making of a list; 0 where there is none */
};
/* Fills ph_bench_forces_count() entries, measuring for about `seconds` after systems have been made */
enum ph_status ph_bench_team_forces(double seconds, struct ph_bench_ranks_forces timings[], struct ph_error *err);

#endif
