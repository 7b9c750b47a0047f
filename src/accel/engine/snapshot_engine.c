/* SPDX-License-Identifier: MIT */
/* Copies the state of an engine for output while steps continue: first within the machine, in order with its tasks,
 * then to the host, concurrently with them. */

#include "accel/engine/engine_parts.h"

#include <assert.h>

enum { ALIGNMENT = 64 };

static size_t padded(size_t bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

static size_t bytes_of(const struct ph_engine *engine)
{
    const size_t numbers = 3 * 6 + 4 + (engine->residual[0] ? 9 : 0), n = engine->view.n;
    return numbers * padded(n * sizeof(double)) + 3 * padded(n * sizeof(int32_t));
}

/* Places the arrays of a copy one after the other. */
static void place_arrays(const struct ph_engine *engine, struct ph_snapshot_engine *s)
{
    unsigned char *block = s->here;
    struct ph_system *system = &s->snapshot.system;
    double **const groups[] = {system->r, system->p, system->m, system->f, system->t, s->built_at};
    const size_t numbers = padded(engine->view.n * sizeof(double)), integers = padded(engine->view.n * sizeof(int32_t));
    size_t at = 0;
    for (size_t g = 0; g < sizeof groups / sizeof *groups; ++g)
        for (int k = 0; k < 3; ++k, at += numbers)
            groups[g][k] = (double *)(void *)(block + at);
    for (int k = 0; k < 4; ++k, at += numbers)
        system->q[k] = (double *)(void *)(block + at);
    for (int k = 0; k < 9 && engine->residual[0]; ++k, at += numbers)
        s->residual[k] = (double *)(void *)(block + at);
    for (int k = 0; k < 3; ++k, at += integers)
        system->image[k] = (int32_t *)(void *)(block + at);
    assert(at == bytes_of(engine));
    s->snapshot.residual = engine->view.residual[0] ? s->residual : NULL;
}

/* Allocates memory at the first call. If that fails, the engine makes no more copies during steps. */
static bool make_room(struct ph_engine *engine)
{
    struct ph_snapshot_engine *s = &engine->snapshot;
    if (!s->refused && !s->here)
        s->here = engine->machine->allocate_here(bytes_of(engine));
    enum ph_status status = PH_OK; /* ignored: device errors surface at the next call */
    if (!s->refused && !s->kept)
        s->kept = engine->machine->allocate(bytes_of(engine), &status, NULL);
    s->refused = !s->here || !s->kept;
    if (s->refused && s->parts == 0 && s->here) {
        engine->machine->release_here(s->here);
        s->here = NULL;
        s->arrays = 0;
    }
    return !s->refused;
}

/* Begins a copy. First does a pending kick and reports non-finite numbers found by tasks, as before a read. Skips
 * arrays that have not changed since the last copy. */
enum ph_status ph_engine_snap(struct ph_backend *backend, int parts, const struct ph_system *system, bool *begun,
                              struct ph_error *err)
{
    struct ph_engine *engine = (struct ph_engine *)backend;
    struct ph_snapshot_engine *s = &engine->snapshot;
    *begun = make_room(engine);
    enum ph_status status = *begun ? ph_engine_sync(engine, err) : PH_OK;
    if (status == PH_OK && *begun)
        status = ph_engine_wait(engine, err);
    if (status != PH_OK || !*begun)
        return status;
    s->snapshot.system = *system;
    place_arrays(engine, s);
    struct ph_transfer transfer[PH_TRANSFERS];
    struct ph_sent_array sent[PH_TRANSFERS];
    const size_t n =
        ph_engine_transfers(&engine->view, &s->snapshot.system, s->snapshot.residual, s->built_at, transfer);
    size_t n_sent = 0;
    int arrays = s->arrays;
    for (size_t k = 0; k < n; ++k)
        if (ph_engine_needs_transfer(&transfer[k], parts) && !(s->arrays & (int)transfer[k].is)) {
            sent[n_sent++] = (struct ph_sent_array){.here = transfer[k].here,
                                                    .kept = s->kept + ((unsigned char *)transfer[k].here - s->here),
                                                    .there = transfer[k].there,
                                                    .bytes = engine->view.n * transfer[k].size};
            arrays |= (int)transfer[k].is;
        }
    const struct ph_force_memory memory = ph_engine_memory(backend);
    for (int k = 0; k < 3; ++k) {
        s->snapshot.memory.built_at[k] = memory.built_at[k] ? s->built_at[k] : NULL;
        s->snapshot.memory.anchor[k] = memory.anchor[k];
    }
    s->parts |= parts;
    const enum ph_status sending = n_sent > 0 ? engine->machine->send(&s->way, n_sent, sent, err) : PH_OK;
    s->arrays = sending == PH_OK ? arrays : 0;
    return sending;
}

enum ph_status ph_engine_snapped(struct ph_backend *backend, bool wait, const struct ph_snapshot **snapshot,
                                 struct ph_error *err)
{
    struct ph_engine *engine = (struct ph_engine *)backend;
    struct ph_snapshot_engine *s = &engine->snapshot;
    bool all = false;
    const enum ph_status status = engine->machine->arrived(s->way, wait, &all, err);
    *snapshot = status == PH_OK && all ? &s->snapshot : NULL;
    s->parts = *snapshot ? 0 : s->parts;
    return status;
}

bool ph_engine_forgo_snapshots(struct ph_engine *engine)
{
    struct ph_snapshot_engine *s = &engine->snapshot;
    struct ph_error inner;
    bool all = true;
    if (!s->kept || engine->machine->arrived(s->way, true, &all, &inner) != PH_OK)
        return false;
    engine->machine->release(s->kept);
    s->kept = NULL;
    s->arrays = 0;
    s->refused = true;
    return true;
}

void ph_engine_release_snapshot(struct ph_engine *engine)
{
    struct ph_snapshot_engine *s = &engine->snapshot;
    if (s->way)
        engine->machine->release_way(s->way);
    if (s->here)
        engine->machine->release_here(s->here);
    engine->machine->release(s->kept);
}
