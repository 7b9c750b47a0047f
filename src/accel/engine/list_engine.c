/* SPDX-License-Identifier: MIT */
/* Lists of a machine. Centres are wrapped into the box and sorted into cells, and within a cell by the numbers of their
 * molecules. A cell is no narrower than half of the reach of a list along y and z, and a sixth of it along x. The
 * partners of a molecule are the molecules within cutoff and skin in the rows of cells around it, in this order. So a
 * list follows from positions alone, and a restart rebuilds it from the old centres. Every drift signals when a
 * molecule has moved by half a skin. Boxes narrower than two and a half times the reach of a list, and open space, have
 * all pairs. */

#include "accel/engine/engine_parts.h"

#include <math.h>
#include <string.h>

/* Making lists is cheap beside forces, so skins are thinner than on the processor. Of the cutoff */
static const double skin_part = 0.08;

/* ---- Room ---- */

static size_t cells_of(const struct ph_accel_view *v) { return (size_t)v->cells[0] * v->cells[1] * v->cells[2]; }

static enum ph_status allocate_room(struct ph_engine *engine, double partners, struct ph_error *err)
{
    struct ph_accel_view *v = &engine->view;
    v->room = ((uint32_t)partners / (PH_ROW * PH_PARTS) + 1) * PH_ROW * PH_PARTS;
    engine->machine->release(v->list);
    const size_t bytes = (size_t)v->room * v->n * sizeof(uint32_t);
    enum ph_status status = PH_OK;
    v->list = engine->machine->allocate(bytes, &status, err);
    if (status == PH_ERR_MEMORY && ph_engine_forgo_snapshots(engine)) {
        status = PH_OK;
        v->list = engine->machine->allocate(bytes, &status, err);
    }
    ++v->version; /* copies made before this line are incomplete */
    return status;
}

enum ph_status ph_engine_allocate_lists(struct ph_engine *engine, const struct ph_system *system, struct ph_error *err)
{
    const struct ph_machine *machine = engine->machine;
    struct ph_accel_view *v = &engine->view;
    const double reach = sqrt(v->reach2), around = 4.1888 * reach * reach * reach;
    enum ph_status status = PH_OK;
    v->cell = machine->allocate(v->n * sizeof(uint32_t), &status, err);
    v->filled = machine->allocate(cells_of(v) * sizeof(uint32_t), &status, err);
    v->start = machine->allocate((cells_of(v) + 1) * sizeof(uint32_t), &status, err);
    v->share_start = machine->allocate((cells_of(v) / PH_SCAN_SHARE + 1) * sizeof(uint32_t), &status, err);
    v->partners = machine->allocate(v->n * sizeof(uint32_t), &status, err);
    if (status != PH_OK)
        return status;
    return allocate_room(engine, 1.25 * around * (double)v->n / system->box.volume + 2.0 * PH_PARTS, err);
}

/* Cells searched along each edge: with fewer, a search would meet one twice */
static const uint32_t fewest_cells[3] = {2 * PH_AROUND_X + 1, 2 * PH_AROUND + 1, 2 * PH_AROUND + 1};

/* Chooses cells no narrower than a part of `reach`, along x a smaller part. There are at most 1024 along an edge, and
 * in all at most about as many as molecules, because empty cells cost memory and time, too. */
static void set_cells(const struct ph_box *box, double reach, uint32_t n, uint32_t cells[3])
{
    for (int k = 0; k < 3; ++k)
        cells[k] = (uint32_t)(fmin(box->width[k] / reach, 1024.0) * (k == 0 ? PH_AROUND_X : PH_AROUND));
    while ((size_t)cells[0] * cells[1] * cells[2] > (n > 512 ? n : 512)) {
        int most = 0;
        for (int k = 1; k < 3; ++k)
            if ((size_t)cells[k] * fewest_cells[most] > (size_t)cells[most] * fewest_cells[k])
                most = k;
        if (cells[most] <= fewest_cells[most])
            break;
        --cells[most];
    }
}

void ph_engine_set_lengths(const struct ph_system *system, const struct ph_interactions *interactions,
                           struct ph_accel_view *v)
{
    const struct ph_box *box = &system->box;
    const double cutoff = interactions->cutoff,
                 skin = interactions->skin > 0.0 ? interactions->skin : skin_part * cutoff;
    double extent = 0.0;
    for (size_t s = 0; s < system->n_species; ++s)
        extent = fmax(extent, system->species[s].extent);
    const double reach = cutoff + skin + 2.0 * extent;
    v->periodic = box->kind != PH_BOX_OPEN;
    v->tilted = box->kind == PH_BOX_TRICLINIC;
    v->listed = v->periodic;
    v->watch2 = INFINITY;
    if (v->periodic)
        set_cells(box, reach, v->n, v->cells);
    for (int k = 0; k < 3 && v->periodic; ++k) {
        const double part = 0.25 * box->width[k];
        v->edge[k] = box->edge[k][k];
        v->inverse[k] = box->inverse[k][k];
        v->listed = v->listed && v->cells[k] >= fewest_cells[k];
        v->width[k] = box->width[k] / (double)v->cells[k];
        v->watch2 = fmin(v->watch2, part * part);
    }
    memcpy(v->edges, box->edge, sizeof v->edges);
    memcpy(v->inverses, box->inverse, sizeof v->inverses);
    if (v->listed) {
        v->reach2 = reach * reach;
        v->watch2 = 0.25 * skin * skin;
        v->margin = reach - 0.5 * skin; /* images were outside the box, and have moved by no more than half the skin */
    }
}

/* ---- Making ---- */

static enum ph_status run_all(struct ph_engine *engine, size_t n_tasks, const enum ph_task task[], struct ph_error *err)
{
    const struct ph_accel_view *v = &engine->view;
    enum ph_status status = PH_OK;
    for (size_t k = 0; k < n_tasks && status == PH_OK; ++k)
        status = ph_engine_run(engine, task[k], task[k] == PH_TASK_SCAN ? cells_of(v) : v->n, err);
    return status;
}

/* So few that one block of a device does all of it sooner than as many launches begin */
enum { FEW = PH_SCAN_SHARE };

/* Without partners yet */
static enum ph_status sort_slots(struct ph_engine *engine, struct ph_error *err)
{
    static const enum ph_task sorting[] = {PH_TASK_COUNT, PH_TASK_SCAN, PH_TASK_FILL, PH_TASK_SORT};
    const struct ph_accel_view *v = &engine->view;
    const bool restored = engine->list == PH_LIST_RESTORED;
    if (v->listed && v->n <= FEW && cells_of(v) <= PH_SCAN_SHARE)
        return engine->machine->run(PH_TASK_SLOTS, (uint32_t)cells_of(v), restored ? 0.0 : 1.0, 0.0, v, err);
    enum ph_status status = restored ? PH_OK : ph_engine_run(engine, PH_TASK_WRAP, v->n, err);
    if (status == PH_OK && v->listed)
        status = run_all(engine, sizeof sorting / sizeof *sorting, sorting, err);
    return status == PH_OK ? ph_engine_run(engine, PH_TASK_ARRANGE, v->n, err) : status;
}

/* Allocates more memory after a list did not fit. If that fails there is no valid list from then on, but the data of a
 * list that is to be restored are kept. */
static enum ph_status make_room(struct ph_engine *engine, struct ph_error *err)
{
    const struct ph_accel_view *v = &engine->view;
    const enum ph_status status = allocate_room(engine, 1.1 * v->signals->most, err);
    if (status != PH_OK && engine->list == PH_LIST_VALID)
        engine->list = PH_LIST_STALE;
    if (status != PH_ERR_MEMORY)
        return status;
    return ph_error_set(err, PH_ERR_MEMORY,
                        "The memory of dynamics.backend: %s does not suffice for pair "
                        "lists of %u molecules with up to %u partners.",
                        engine->name, v->n, v->signals->most);
}

/* Leaves slots as of the present state, too. */
static enum ph_status make_list(struct ph_engine *engine, struct ph_error *err)
{
    struct ph_accel_view *v = &engine->view;
    enum ph_status status = PH_OK;
    ph_engine_changed(engine, PH_OF_R | PH_OF_LIST);
    do {
        if (v->signals->most > 0)
            status = make_room(engine, err);
        if (status != PH_OK)
            return status;
        v->signals->most = 0;
        status = sort_slots(engine, err);
        if (status == PH_OK && v->listed)
            status = ph_engine_run(engine, PH_TASK_PARTNERS, v->n, err);
        if (status == PH_OK && engine->list == PH_LIST_RESTORED)
            status = ph_engine_run(engine, PH_TASK_PLACE, v->n, err);
        if (status == PH_OK)
            status = ph_engine_wait(engine, err);
    } while (status == PH_OK && v->signals->most > 0);
    ++engine->lists_made;
    engine->list = status == PH_OK ? PH_LIST_VALID : PH_LIST_STALE;
    return status;
}

enum ph_status ph_engine_update_list(struct ph_engine *engine, struct ph_error *err)
{
    struct ph_accel_view *v = &engine->view;
    const bool known = engine->list == PH_LIST_VALID && engine->placed; /* from the signal of the last drift */
    enum ph_status status = known ? PH_OK : ph_engine_wait(engine, err);
    if (status == PH_OK && engine->list == PH_LIST_VALID && !engine->placed) {
        status = ph_engine_run(engine, PH_TASK_PLACE, v->n, err);
        if (status == PH_OK)
            status = ph_engine_wait(engine, err);
    }
    for (int turn = 0; status == PH_OK && turn < 2 && (engine->list != PH_LIST_VALID || v->signals->moved); ++turn) {
        v->signals->moved = 0;
        status = make_list(engine, err);
    }
    engine->placed = true;
    v->signals->moved = 0;
    return status;
}
