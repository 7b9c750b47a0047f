/* SPDX-License-Identifier: MIT */
/* Copies of the state beside it: to return to after a step that is rejected, and during an evaluation of forces at
 * displaced places. Each has its own memory, from its first use on. */

#include "accel/engine/engine_parts.h"

#include "accel/functions/aside_functions.h"

static enum ph_status make_room(struct ph_engine *engine, double **copy, struct ph_error *err)
{
    enum ph_status status = PH_OK;
    if (*copy)
        return PH_OK;
    *copy = engine->machine->allocate(ASIDE_COLUMNS * (size_t)engine->view.n * sizeof **copy, &status, err);
    ++engine->view.version;
    return status != PH_ERR_MEMORY
               ? status
               : ph_error_set(err, status,
                              "The memory of dynamics.backend: %s does not suffice for a second state of %u molecules.",
                              engine->name, engine->view.n);
}

/* ---- A state to return to ---- */

enum ph_status ph_engine_keep(struct ph_backend *backend, int parts, struct ph_error *err)
{
    struct ph_engine *engine = (struct ph_engine *)backend;
    enum ph_status status = make_room(engine, &engine->view.kept, err);
    if (status == PH_OK)
        status = ph_engine_sync(engine, err);
    engine->returns_momenta = (parts & PH_STATE_MOMENTA) != 0;
    return status == PH_OK ? ph_engine_run(engine, PH_TASK_KEEP, engine->view.n, err) : status;
}

/* Numbers that were not finite are of the state that it leaves, whose tasks have all ended then. */
enum ph_status ph_engine_bring_back(struct ph_backend *backend, bool reversed, struct ph_error *err)
{
    struct ph_engine *engine = (struct ph_engine *)backend;
    const struct ph_accel_view *v = &engine->view;
    const double sign = !engine->returns_momenta ? 0.0 : reversed ? -1.0 : 1.0;
    enum ph_status status = ph_engine_sync(engine, err);
    if (status == PH_OK)
        status = engine->machine->wait(err);
    v->signals->first_bad = 0;
    if (status == PH_OK)
        status = engine->machine->run(PH_TASK_BRING_BACK, v->n, sign, 0.0, v, err);
    engine->placed = false;
    engine->bath.kinetic_known = false;
    ph_engine_changed(engine, PH_OF_MOVED);
    return status;
}

/* ---- Displaced forces ---- */

/* As after a drift: the slots are there, and the signal says whether the list still holds. */
static enum ph_status moved(struct ph_engine *engine, enum ph_status status, struct ph_error *err)
{
    engine->placed = true;
    ph_engine_changed(engine, PH_OF_R | PH_OF_Q);
    return status == PH_OK ? engine->machine->mark(&engine->mark, err) : status;
}

enum ph_status ph_engine_displace(struct ph_backend *backend, double d, struct ph_error *err)
{
    struct ph_engine *engine = (struct ph_engine *)backend;
    enum ph_status status = make_room(engine, &engine->view.aside, err);
    if (status == PH_OK)
        status = ph_engine_sync(engine, err);
    if (status == PH_OK && engine->list != PH_LIST_VALID) /* where slots are */
        status = ph_engine_update_list(engine, err);
    if (status == PH_OK)
        status = engine->machine->run(PH_TASK_DISPLACE, engine->view.n, d, d / engine->mass, &engine->view, err);
    return moved(engine, status, err);
}

enum ph_status ph_engine_places_back(struct ph_backend *backend, struct ph_error *err)
{
    struct ph_engine *engine = (struct ph_engine *)backend;
    return moved(engine, ph_engine_run(engine, PH_TASK_PLACES_BACK, engine->view.n, err), err);
}

enum ph_status ph_engine_forces_back(struct ph_backend *backend, struct ph_error *err)
{
    struct ph_engine *engine = (struct ph_engine *)backend;
    const enum ph_status status = ph_engine_sync(engine, err); /* the kick by displaced forces */
    ph_engine_changed(engine, PH_OF_FORCES);
    return status == PH_OK ? ph_engine_run(engine, PH_TASK_FORCES_BACK, engine->view.n, err) : status;
}
