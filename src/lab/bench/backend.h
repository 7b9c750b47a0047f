/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_BENCH_BACKEND_H
#define PH_LAB_BENCH_BACKEND_H

/* Whole steps on a backend, for example a graphics processor, and the parts of a step there. Steps are timed first as
 * in runs. Then parts are, one task at a time, which takes somewhat longer. */

#include "accel/backends.h"
#include "accel/engine/timed.h"
#include "input/texts.h"

struct ph_backend_timing {
    size_t n;
    double pairs;   /* of sites within the cutoff, each once, after the steps */
    bool estimated; /* from some molecules alone */
    long steps;
    size_t evaluations;
    double step, seconds;
    double ns_per_day; /* NaN in units where that says nothing */
    size_t lists_made;
    long part_steps; /* the steps whose parts were timed; their seconds, from first to last task: */
    double part_seconds;
    struct ph_timed timed;
};

/* The systems without an input */
enum { PH_BACKEND_SYSTEMS = 10 };
struct ph_backend_system {
    const char *name, *text; /* of the input */
    bool small;              /* for the processor; others are for devices */
};
extern const struct ph_backend_system ph_backend_systems[PH_BACKEND_SYSTEMS];

/* Steps of the input of this name, in `texts` or a file, for about `seconds` after a start that does not count. The
 * scheme is that of the last stage; nothing keeps a temperature. */
enum ph_status ph_bench_backend(const struct ph_backend_kind *kind, struct ph_texts *texts, const char *name,
                                double seconds, struct ph_backend_timing *timing, struct ph_error *err);

#endif
