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

/* ---- Room ---- */

static size_t cells_of(const struct ph_accel_view *v) { return (size_t)v->cells[0] * v->cells[1] * v->cells[2]; }

/* Of the list of `v`, which is that of all pairs or that of near pairs */
static enum ph_status allocate_room(struct ph_engine *engine, double partners, struct ph_accel_view *v,
                                    struct ph_error *err)
{
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

static double partners_expected(const struct ph_engine *engine, const struct ph_accel_view *v)
{
    const double reach = sqrt(v->reach2), around = 4.1888 * reach * reach * reach;
    return 1.25 * around * (double)v->n / engine->box.volume + 2.0 * PH_PARTS;
}

enum ph_status ph_engine_allocate_lists(struct ph_engine *engine, struct ph_error *err)
{
    const struct ph_machine *machine = engine->machine;
    struct ph_accel_view *v = &engine->view;
    enum ph_status status = PH_OK;
    if (cells_of(v) > engine->room_cells) {
        machine->release(v->filled);
        machine->release(v->start);
        machine->release(v->share_start);
        v->start = v->share_start = NULL;
        v->filled = machine->allocate(cells_of(v) * sizeof(uint32_t), &status, err);
        v->start = machine->allocate((cells_of(v) + 1) * sizeof(uint32_t), &status, err);
        v->share_start = machine->allocate((cells_of(v) / PH_SCAN_SHARE + 1) * sizeof(uint32_t), &status, err);
        engine->room_cells = status == PH_OK ? cells_of(v) : 0;
    }
    if (!v->cell)
        v->cell = machine->allocate(v->n * sizeof(uint32_t), &status, err);
    if (!v->partners)
        v->partners = machine->allocate(v->n * sizeof(uint32_t), &status, err);
    if (status == PH_OK && !v->list)
        status = allocate_room(engine, partners_expected(engine, v), v, err);
    ph_engine_share_view(engine);
    struct ph_accel_view *near = &engine->near;
    if (status == PH_OK && engine->has_near && !near->partners)
        near->partners = machine->allocate(v->n * sizeof(uint32_t), &status, err);
    if (status == PH_OK && engine->has_near && !near->list)
        status = allocate_room(engine, partners_expected(engine, near), near, err);
    return status;
}

void ph_engine_share_view(struct ph_engine *engine)
{
    struct ph_accel_view *near = &engine->near, view = engine->view;
    if (!engine->has_near || engine->shared == view.version)
        return;
    engine->shared = view.version;
    const double reach = engine->near_cutoff + engine->skin + 2.0 * engine->extent;
    view.variant = view.variant >= 0 ? near->variant : -1;
    view.term = near->term;
    view.list = near->list;
    view.partners = near->partners;
    view.room = near->room;
    view.reach2 = reach * reach;
    view.margin = reach - 0.5 * engine->skin;
    view.sites.entry = near->sites.entry;
    view.sites.start = near->sites.start;
    view.sites.split = near->sites.split;
    view.sites.angular = near->sites.angular;
    view.sites.curves = near->sites.curves;
    view.sites.common = near->sites.common;
    view.sites.is_rare = near->sites.is_rare;
    view.sites.shape = near->sites.shape;
    memcpy(view.sites.entry_of, near->sites.entry_of, sizeof view.sites.entry_of);
    view.sites.on_host = near->sites.on_host;
    view.sites.water_field = near->sites.water_field;
    view.sites.water = near->sites.water;
    view.sites.its_water = near->sites.its_water;
    view.pending = (struct ph_pending_work){0};
    view.version = near->version + 1;
    *near = view;
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

void ph_engine_set_lengths(struct ph_engine *engine)
{
    const struct ph_box *box = &engine->box;
    struct ph_accel_view *v = &engine->view;
    const double reach = engine->cutoff + engine->skin + 2.0 * engine->extent;
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
        v->watch2 = 0.25 * engine->skin * engine->skin;
        v->margin =
            reach - 0.5 * engine->skin; /* images were outside the box, and have moved by half the skin at most */
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
static enum ph_status make_room(struct ph_engine *engine, struct ph_accel_view *v, struct ph_error *err)
{
    const uint32_t most = v->signals->most > 0 ? v->signals->most : v->room; /* 0: there was no memory last time */
    const enum ph_status status = allocate_room(engine, v->signals->most > 0 ? 1.1 * most : most - 1.0, v, err);
    if (status != PH_OK && engine->list == PH_LIST_VALID)
        engine->list = PH_LIST_STALE;
    if (status != PH_ERR_MEMORY)
        return status;
    return ph_error_set(err, PH_ERR_MEMORY,
                        "The memory of dynamics.backend: %s does not suffice for pair "
                        "lists of %u molecules with up to %u partners.",
                        engine->name, v->n, most);
}

/* The list of `v` of the sorted slots */
static enum ph_status find_partners(struct ph_engine *engine, struct ph_accel_view *v, struct ph_error *err)
{
    enum ph_status status = PH_OK;
    if (!v->listed)
        return ph_engine_wait(engine, err);
    do {
        if (v->signals->most > 0 || !v->list)
            status = make_room(engine, v, err);
        v->signals->most = 0;
        if (status == PH_OK)
            status = engine->machine->run(PH_TASK_PARTNERS, v->n, 0.0, 0.0, v, err);
        if (status == PH_OK)
            status = ph_engine_wait(engine, err);
    } while (status == PH_OK && v->signals->most > 0);
    return status;
}

/* Leaves slots as of the present state, too. */
static enum ph_status make_list(struct ph_engine *engine, struct ph_error *err)
{
    struct ph_accel_view *v = &engine->view;
    ph_engine_changed(engine, PH_OF_R | PH_OF_LIST);
    v->signals->most = 0;
    enum ph_status status = sort_slots(engine, err);
    if (status == PH_OK)
        status = find_partners(engine, v, err);
    ph_engine_share_view(engine);
    if (status == PH_OK && engine->has_near)
        status = find_partners(engine, &engine->near, err);
    if (status == PH_ERR_MEMORY)
        return status; /* see make_room */
    if (status == PH_OK && engine->list == PH_LIST_RESTORED) {
        status = ph_engine_run(engine, PH_TASK_PLACE, v->n, err);
        if (status == PH_OK)
            status = ph_engine_wait(engine, err);
    }
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
