/* SPDX-License-Identifier: MIT */
/* The machine `emulated`: reciprocal space. */
#include "accel/functions/device_functions.h"

#include "accel/functions/mesh_functions.h"
#include "accel/machines/machine.h"
#include "base/threads.h"

#include <stdlib.h>

#define WAVES(name)                                                                                                    \
    static void waves_##name(bool energy, const struct ph_accel_view *v, size_t i) { name##_body(energy, v, i); }
PH_WAVE_BODIES(WAVES)
PH_WAVE_SPREADS(WAVES)
#define WAVES_ENTRY(name) waves_##name,
static void (*const wave_bodies[])(bool energy, const struct ph_accel_view *v,
                                   size_t i) = {PH_WAVE_BODIES(WAVES_ENTRY) PH_WAVE_SPREADS(WAVES_ENTRY)};

/* One group of a Fourier transform, by one thread */
static void transform_group(enum ph_wave_task task, bool energy, const struct ph_accel_view *v, size_t group,
                            struct together all, struct ph_complex *from, struct ph_complex *to)
{
    if (task == PH_WAVES_ROWS || task == PH_WAVES_ROWS_BACK)
        rows_body(v, task == PH_WAVES_ROWS_BACK, group, all, from, to);
    else if (task == PH_WAVES_LINES)
        lines_body(energy, v, group, all, from, to);
    else
        columns_body(v, task == PH_WAVES_COLUMNS_BACK, group, all, from, to);
}

enum { WORTH_TRANSFORM = 1 << 14 }; /* number of waves above which threads gain more than they cost */

static enum ph_status run_transform(enum ph_wave_task task, size_t count, bool energy, const struct ph_accel_view *v,
                                    struct ph_error *err)
{
    const struct ph_wave_view *w = &v->waves;
    const struct together all = {0, 1, 8};
    const bool rows = task == PH_WAVES_ROWS || task == PH_WAVES_ROWS_BACK;
    const uint32_t n = w->points[rows ? 2 : task == PH_WAVES_LINES ? 0 : 1];
    const size_t groups = rows ? (count + all.lines - 1) / all.lines : count * ((w->half + all.lines - 1) / all.lines);
    bool enough = true;
#pragma omp parallel reduction(&& : enough) if (w->n_waves >= WORTH_TRANSFORM)
    {
        struct ph_complex *space = malloc(2 * (size_t)n * all.lines * sizeof *space);
        enough = space != NULL;
#pragma omp for schedule(static)
        for (size_t group = 0; group < groups; ++group)
            if (space)
                transform_group(task, energy, v, group, all, space, space + (size_t)n * all.lines);
        free(space);
    }
    return enough ? PH_OK : ph_no_memory(err, "the Fourier transforms of a mesh");
}

enum ph_status ph_emulated_run_waves(enum ph_wave_task task, size_t count, struct ph_wave_order order,
                                     const struct ph_accel_view *view, struct ph_error *err)
{
    if (order.unless_outdated && *view->outdated)
        return PH_OK;
    const bool is_short = task == PH_WAVES_clear || task == PH_WAVES_spread;
    if (task >= PH_WAVES_ROWS)
        return run_transform(task, count, order.energy, view, err);
#pragma omp parallel for schedule(static, PH_TURN) if (count >= (is_short ? 16 : 1) * PH_WORTH_THREADS)
    for (size_t i = 0; i < count; ++i)
        wave_bodies[task](order.energy, view, i);
    return PH_OK;
}
