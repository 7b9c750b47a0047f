/* SPDX-License-Identifier: MIT */
/* The state of an engine: what crosses between host and machine, and when */

#include "accel/engine_parts.h"

#include <string.h>

size_t ph_engine_crossings(const struct ph_accel_view *v, const struct ph_system *system, double *const *residual,
                           double *const *built_at, struct ph_crossing crossing[PH_CROSSINGS])
{
    static const int of_residual[] = {PH_STATE_PLACES, PH_STATE_MOMENTA, PH_STATE_MOMENTA};
    size_t n = 0;
    for (int k = 0; k < 3; ++k) {
        const struct ph_crossing all[] = {{PH_STATE_PLACES, false, system->r[k], v->r[k], sizeof(double)},
                                          {PH_STATE_PLACES, false, system->image[k], v->image[k], sizeof(int32_t)},
                                          {PH_STATE_MOMENTA, false, system->p[k], v->p[k], sizeof(double)},
                                          {PH_STATE_MOMENTA, false, system->m[k], v->m[k], sizeof(double)},
                                          {PH_STATE_FORCES, false, system->f[k], v->f[k], sizeof(double)},
                                          {PH_STATE_FORCES, false, system->t[k], v->t[k], sizeof(double)}};
        memcpy(crossing + n, all, sizeof all);
        n += sizeof all / sizeof *all;
    }
    for (int k = 0; k < 4; ++k)
        crossing[n++] = (struct ph_crossing){PH_STATE_PLACES, false, system->q[k], v->q[k], sizeof(double)};
    for (int k = 0; k < 9 && residual && v->residual[0]; ++k)
        crossing[n++] = (struct ph_crossing){of_residual[k / 3], true, residual[k], v->residual[k], sizeof(double)};
    for (int k = 0; k < 3 && built_at; ++k)
        crossing[n++] = (struct ph_crossing){PH_STATE_PLACES, true, built_at[k], v->built_at[k], sizeof(double)};
    return n;
}

bool ph_engine_crosses(const struct ph_crossing *crossing, int parts)
{
    return crossing->part & parts && (!crossing->residual || parts & PH_STATE_RESIDUALS);
}

/* A list that was restored goes with the first state that is written. */
enum ph_status ph_engine_write(struct ph_backend *backend, int parts, const struct ph_system *system,
                               double *const *residual, struct ph_error *err)
{
    struct ph_engine *engine = (struct ph_engine *)backend;
    const struct ph_accel_view *v = &engine->view;
    struct ph_crossing crossing[PH_CROSSINGS];
    const size_t n = ph_engine_crossings(v, system, residual, NULL, crossing);
    enum ph_status status = ph_engine_settle(engine, err);
    for (size_t k = 0; k < n && status == PH_OK; ++k)
        if (crossing[k].part & parts & ~PH_STATE_FORCES)
            status = engine->machine->copy_to(crossing[k].there, crossing[k].here, v->n * crossing[k].size, err);
    if (status == PH_OK && parts & PH_STATE_PLACES)
        status = engine->machine->copy_to(v->bath.id, system->id, v->n * sizeof *system->id, err);
    if (parts & PH_STATE_PLACES) {
        engine->list = engine->list == PH_LIST_RESTORED ? PH_LIST_RESTORED : PH_LIST_STALE;
        engine->placed = false;
    }
    return status;
}

enum ph_status ph_engine_read(struct ph_backend *backend, int parts, struct ph_system *system, double *const *residual,
                              struct ph_error *err)
{
    struct ph_engine *engine = (struct ph_engine *)backend;
    const struct ph_accel_view *v = &engine->view;
    struct ph_crossing crossing[PH_CROSSINGS];
    const size_t n = ph_engine_crossings(v, system, residual, engine->built_at, crossing);
    enum ph_status status = ph_engine_settle(engine, err);
    if (status == PH_OK)
        status = ph_engine_wait(engine, err);
    for (size_t k = 0; k < n && status == PH_OK; ++k)
        if (ph_engine_crosses(&crossing[k], parts))
            status = engine->machine->copy_from(crossing[k].here, crossing[k].there, v->n * crossing[k].size, err);
    return status;
}

struct ph_force_memory ph_engine_memory(const struct ph_backend *backend)
{
    const struct ph_engine *engine = (const struct ph_engine *)backend;
    struct ph_force_memory memory = {.boxes = NULL};
    for (int k = 0; k < 3 && engine->list == PH_LIST_VALID; ++k)
        memory.built_at[k] = engine->built_at[k];
    for (int k = 0; k < 3; ++k)
        memory.anchor[k] = engine->anchor[k];
    return memory;
}

enum ph_status ph_engine_restore(struct ph_backend *backend, const struct ph_force_memory *memory, struct ph_error *err)
{
    struct ph_engine *engine = (struct ph_engine *)backend;
    enum ph_status status = PH_OK;
    engine->list = memory->built_at[0] ? PH_LIST_RESTORED : PH_LIST_STALE;
    for (int k = 0; k < 3 && engine->list == PH_LIST_RESTORED && status == PH_OK; ++k)
        status = engine->machine->copy_to(engine->view.built_at[k], memory->built_at[k],
                                          engine->view.n * sizeof(double), err);
    for (int k = 0; k < 3 && memory->anchor[k] && engine->anchor[k] && status == PH_OK; ++k) {
        memcpy(engine->anchor[k], memory->anchor[k], engine->view.n * sizeof(double));
        status = engine->machine->copy_to(engine->view.external.anchor[k], memory->anchor[k],
                                          engine->view.n * sizeof(double), err);
    }
    return status;
}
