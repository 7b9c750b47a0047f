/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_BENCH_PARTS_H
#define PH_LAB_BENCH_PARTS_H

/* Where the time of a step goes: its parts, each beside the least that this machine could do it in.
 *
 * Nothing is timed inside an evaluation, which would disturb it. Instead evaluations of the same state are compared
 * that leave something out: kernels; then neighbours too. Lists are made anew, or only thinned. The additional time is
 * the time of lists, in proportion to how often a run makes or thins them. Drift and kick are done by themselves. */

#include "lab/bench/systems.h"

enum ph_step_part {
    PH_STEP_LISTS,     /* making them */
    PH_STEP_THINNING,  /* keeping the entries that may interact now, sorted into parts */
    PH_STEP_SURROUNDS, /* sites from centres and orientations, copies of molecules, forces and torques from copies */
    PH_STEP_MOVING,    /* gathering neighbours into rows and scattering forces back, loops over lists included */
    PH_STEP_KERNELS,
    PH_STEP_DRIFT,
    PH_STEP_KICK,
    PH_STEP_PARTS
};

struct ph_step_part_timing {
    const char *name;
    const char *ceiling_name;
    double seconds, ceiling; /* per step of one evaluation, one thread */
};

struct ph_parts_bench; /* opaque */

/* For a system with lists that has melted, with this step of time, whose lists last so many steps. It is not owned.
 * Call ph_parts_destroy also if this failed. */
enum ph_status ph_parts_create(struct ph_bench_system *bench, double step, double steps_per_list,
                               struct ph_parts_bench **out, struct ph_error *err);
void ph_parts_destroy(struct ph_parts_bench *parts);

/* Measures everything once more, one thread, the best counts: for some hundredths of a second */
enum ph_status ph_parts_time(struct ph_parts_bench *parts, struct ph_error *err);

/* Reads the parts after ph_parts_time, for `pairs` pairs of sites within the cutoff; `pair_ceiling`: seconds for a pair
 * in the cache */
void ph_parts_read(const struct ph_parts_bench *parts, size_t pairs, double pair_ceiling,
                   struct ph_step_part_timing part[PH_STEP_PARTS]);

#endif
