/* SPDX-License-Identifier: MIT */
/* The state of an engine: transfers between host and machine */

#include "accel/engine/engine_parts.h"

#include <string.h>

size_t ph_engine_transfers(const struct ph_accel_view *v, const struct ph_system *system, double *const *residual,
                           double *const *built_at, struct ph_transfer transfer[PH_TRANSFERS])
{
    static const int of_residual[] = {PH_STATE_PLACES, PH_STATE_MOMENTA, PH_STATE_MOMENTA};
    static const enum ph_state_array residuals[] = {PH_OF_RESIDUALS_R, PH_OF_RESIDUALS_PM, PH_OF_RESIDUALS_PM};
    size_t n = 0;
    for (int k = 0; k < 3; ++k) {
        const struct ph_transfer all[] = {
            {PH_STATE_PLACES, PH_OF_R, false, system->r[k], v->r[k], sizeof(double)},
            {PH_STATE_PLACES, PH_OF_R, false, system->image[k], v->image[k], sizeof(int32_t)},
            {PH_STATE_MOMENTA, PH_OF_P, false, system->p[k], v->p[k], sizeof(double)},
            {PH_STATE_MOMENTA, PH_OF_M, false, system->m[k], v->m[k], sizeof(double)},
            {PH_STATE_FORCES, PH_OF_FORCES, false, system->f[k], v->f[k], sizeof(double)},
            {PH_STATE_FORCES, PH_OF_FORCES, false, system->t[k], v->t[k], sizeof(double)}};
        memcpy(transfer + n, all, sizeof all);
        n += sizeof all / sizeof *all;
    }
    for (int k = 0; k < 4; ++k)
        transfer[n++] = (struct ph_transfer){PH_STATE_PLACES, PH_OF_Q, false, system->q[k], v->q[k], sizeof(double)};
    for (int k = 0; k < 9 && residual && v->residual[0]; ++k)
        transfer[n++] = (struct ph_transfer){of_residual[k / 3], residuals[k / 3], true,
                                             residual[k],        v->residual[k],   sizeof(double)};
    for (int k = 0; k < 3 && built_at; ++k)
        transfer[n++] =
            (struct ph_transfer){PH_STATE_PLACES, PH_OF_LIST, true, built_at[k], v->built_at[k], sizeof(double)};
    return n;
}

bool ph_engine_needs_transfer(const struct ph_transfer *transfer, int parts)
{
    return transfer->part & parts && (!transfer->residual || parts & PH_STATE_RESIDUALS);
}

void ph_engine_changed(struct ph_engine *engine, int arrays)
{
    engine->seen.arrays &= ~arrays;
    engine->snapshot.arrays &= ~arrays;
}

/* Notes the arrays of the host; nothing is known about the contents of new ones. */
static void look_at(struct ph_engine *engine, const struct ph_system *system, double *const *residual)
{
    struct ph_seen *seen = &engine->seen;
    if (seen->place != system->r[0])
        seen->arrays = 0;
    if (residual && seen->residual != residual[0])
        seen->arrays &= ~(PH_OF_RESIDUALS_R | PH_OF_RESIDUALS_PM);
    seen->place = system->r[0];
    seen->residual = residual ? residual[0] : seen->residual;
}

static bool is_zero(const void *memory, size_t bytes)
{
    const unsigned char *at = memory;
    return bytes == 0 || (at[0] == 0 && memcmp(at, at + 1, bytes - 1) == 0);
}

/* Arrays that are zero, as residuals and images are where a run begins, do not cross. */
static enum ph_status write_array(const struct ph_engine *engine, const struct ph_transfer *transfer,
                                  struct ph_error *err)
{
    const size_t bytes = engine->view.n * transfer->size;
    return is_zero(transfer->here, bytes) ? engine->machine->clear(transfer->there, bytes, err)
                                          : engine->machine->copy_to(transfer->there, transfer->here, bytes, err);
}

/* A state without residuals adds without compensation: with extended Hamiltonians, which have none. */
static void use_residuals(struct ph_engine *engine, bool compensated)
{
    struct ph_accel_view *v = &engine->view;
    if (compensated == (v->residual[0] != NULL) || !engine->residual[0])
        return;
    for (int k = 0; k < 9; ++k)
        v->residual[k] = compensated ? engine->residual[k] : NULL;
    ++v->version;
    ph_engine_changed(engine, PH_OF_RESIDUALS_R | PH_OF_RESIDUALS_PM);
}

/* A list that was restored goes with the first state that is written. */
enum ph_status ph_engine_write(struct ph_backend *backend, int parts, const struct ph_system *system,
                               double *const *residual, struct ph_error *err)
{
    struct ph_engine *engine = (struct ph_engine *)backend;
    const struct ph_accel_view *v = &engine->view;
    struct ph_transfer transfer[PH_TRANSFERS];
    enum ph_status status = ph_engine_sync(engine, err);
    use_residuals(engine, residual != NULL);
    const size_t n = ph_engine_transfers(v, system, residual, NULL, transfer);
    int written = 0;
    look_at(engine, system, residual);
    for (size_t k = 0; k < n && status == PH_OK; ++k)
        if (transfer[k].part & parts & ~PH_STATE_FORCES) {
            status = write_array(engine, &transfer[k], err);
            written |= (int)transfer[k].is;
        }
    ph_engine_changed(engine, written);
    engine->bath.kinetic_known = engine->bath.kinetic_known && !(parts & PH_STATE_MOMENTA);
    engine->seen.arrays |= status == PH_OK ? written : 0;
    if (status == PH_OK && parts & PH_STATE_PLACES)
        status = engine->machine->copy_to(v->bath.id, system->id, v->n * sizeof *system->id, err);
    if (parts & PH_STATE_PLACES) {
        engine->list = engine->list == PH_LIST_RESTORED ? PH_LIST_RESTORED : PH_LIST_STALE;
        engine->placed = false;
    }
    return status;
}

/* This array of the last snapshot, if that has arrived and the array has not changed since; else NULL */
static const void *copy_of(const struct ph_engine *engine, const struct ph_transfer *transfer)
{
    const struct ph_snapshot_engine *s = &engine->snapshot;
    struct ph_transfer copies[PH_TRANSFERS];
    if (s->parts != 0 || !(s->arrays & (int)transfer->is))
        return NULL;
    const size_t n = ph_engine_transfers(&engine->view, &s->snapshot.system, s->snapshot.residual, s->built_at, copies);
    for (size_t k = 0; k < n; ++k)
        if (copies[k].there == transfer->there)
            return copies[k].here;
    return NULL;
}

/* Transfers only what the host lacks, in these arrays and in copies that have arrived. */
enum ph_status ph_engine_read(struct ph_backend *backend, int parts, struct ph_system *system, double *const *residual,
                              struct ph_error *err)
{
    struct ph_engine *engine = (struct ph_engine *)backend;
    const struct ph_accel_view *v = &engine->view;
    struct ph_transfer transfer[PH_TRANSFERS];
    const size_t n = ph_engine_transfers(v, system, residual, engine->built_at, transfer);
    enum ph_status status = ph_engine_sync(engine, err);
    if (status == PH_OK)
        status = ph_engine_wait(engine, err);
    look_at(engine, system, residual);
    int read = 0;
    for (size_t k = 0; k < n && status == PH_OK; ++k)
        if (ph_engine_needs_transfer(&transfer[k], parts) && !(engine->seen.arrays & (int)transfer[k].is)) {
            const size_t bytes = v->n * transfer[k].size;
            const void *copy = copy_of(engine, &transfer[k]);
            if (copy)
                memcpy(transfer[k].here, copy, bytes);
            else
                status = engine->machine->copy_from(transfer[k].here, transfer[k].there, bytes, err);
            read |= (int)transfer[k].is;
        }
    engine->seen.arrays |= status == PH_OK ? read : 0;
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
    ph_engine_changed(engine, PH_OF_LIST);
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
