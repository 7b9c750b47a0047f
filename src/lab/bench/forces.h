/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_BENCH_FORCES_H
#define PH_LAB_BENCH_FORCES_H

/* The cost of forces on this machine: evaluations of some well-known systems, how the cost grows with their size, and
 * whole steps of a user's input. Pairs are pairs of sites nearer than the cutoff, each counted once, whatever the list
 * holds. */

#include "base/error.h"
#include "dynamics/schemes/scheme.h"
#include "lab/bench/ceiling.h"
#include "lab/bench/parts.h"
#include "lab/bench/team.h"
#include "parallel/spent.h"
#include "rigid/flow.h"

#include <stdbool.h>
#include <stddef.h>

/* Times are the best of many; NaN where the threads never ran together. */
struct ph_force_timing {
    const char *name, *summary;
    size_t n, pairs;        /* molecules; pairs of sites within the cutoff */
    size_t pairs_evaluated; /* of the list, with pairs beyond the cutoff */
    double seconds;         /* one evaluation of forces with a list that is still good, one thread */
    double seconds_all;     /* with all threads */
    double energy_seconds;  /* forces and energies, one thread */
    double list_seconds;    /* making a list, one thread; 0 for all pairs, as the next two */
    double list_seconds_all;
    double steps_per_list; /* time steps of `step` */
    double step;
    enum ph_ceiling kind;                           /* what to compare with */
    double ceiling_seconds;                         /* per pair, one thread, in the same minute */
    struct ph_step_part_timing part[PH_STEP_PARTS]; /* of a step; names NULL for all pairs */
};

/* Share of making lists in the time of forces, one thread */
double ph_force_list_share(const struct ph_force_timing *timing);

size_t ph_bench_forces_count(void);
/* Fills ph_bench_forces_count() entries; measures for about `seconds` after systems have been made. For *side_by_side
 * each thread has a system of its own, a copy of the first. It is the work of all threads over the work of one thread
 * in the same time. Threads that share a system cannot have a higher speed-up. It is NaN if the threads never ran
 * together. */
enum ph_status ph_bench_forces(double seconds, int threads, struct ph_force_timing timings[], double *side_by_side,
                               struct ph_error *err);

/* The Stockmayer fluid of ph_bench_forces, cut off, in two sizes and two orders in memory: as on the lattice, and
 * shuffled as after long diffusion */
enum { PH_SCALING_ROWS = 4 };
struct ph_force_scaling {
    size_t n;
    bool shuffled;
    double seconds, list_seconds;                     /* one thread; per molecule */
    double step_seconds;                              /* of whole steps, lists included */
    double state_bytes, force_bytes, list_peak_bytes; /* per molecule; NaN but for the first row */
};
enum ph_status ph_bench_scaling(struct ph_force_scaling rows[PH_SCALING_ROWS], struct ph_error *err);

/* The user's input from its start, with its own scheme, flow, step and number of steps: forces, lists, rotation, all */
struct ph_step_timing {
    const struct ph_scheme *scheme;
    const struct ph_flow *flow;
    size_t n;
    size_t pairs; /* at the start; 0: not counted because there are too many molecules */
    int threads;
    long steps;
    double step;
    double seconds;                    /* in total; processor time for one thread of one process, else wall clock */
    struct ph_bench_ranks_timing team; /* of several processes; 0 for one */
    double potential;                  /* energy at the start, without long-range correction */
    double drift;                      /* change of the total energy in all steps, per molecule */
    size_t lists_made, evaluations;
    struct ph_spent spent; /* of these seconds; 0 unless `parts` */
};
/* threads: 0 for as many as suit the system */
enum ph_status ph_bench_steps(const char *input_file, int threads, bool parts, struct ph_step_timing *timing,
                              struct ph_error *err);

#endif
