/* SPDX-License-Identifier: MIT */
#include "accel/engine/engine_parts.h"

#include <math.h>

enum ph_status ph_engine_run(struct ph_engine *engine, enum ph_task task, size_t count, struct ph_error *err)
{
    return engine->machine->run(task, (uint32_t)count, 0.0, 0.0, &engine->view, err);
}

/* Half steps of a bath, after the pending kick. Where kinetic energies are known, there is none. */
static enum ph_status act(struct ph_engine *engine, struct ph_error *err)
{
    static const enum ph_task noise[] = {PH_TASK_NOISE}, scaling[] = {PH_TASK_KINETIC, PH_TASK_FACTORS, PH_TASK_SCALE};
    struct ph_accel_view *v = &engine->view;
    const bool noisy = engine->bath.noise;
    const enum ph_task *tasks = noisy ? noise : scaling;
    v->pending.kinetic_stale = !engine->bath.kinetic_known;
    enum ph_status status = PH_OK;
    for (size_t k = v->pending.kinetic_stale ? 0 : 1; k < (noisy ? 1 : 3) && status == PH_OK; ++k)
        status = ph_engine_run(engine, tasks[k], v->n, err);
    v->pending.kick = 0.0;
    v->pending.halves = 0;
    engine->bath.kinetic_known = !noisy;
    return status;
}

enum ph_status ph_engine_sync(struct ph_engine *engine, struct ph_error *err)
{
    if (engine->view.pending.halves > 0)
        return act(engine, err);
    const double t = engine->view.pending.kick;
    engine->view.pending.kick = 0.0;
    return t != 0.0 ? engine->machine->run(PH_TASK_KICK, engine->view.n, t, 0.0, &engine->view, err) : PH_OK;
}

/* Reports the first molecule whose force is not finite. */
enum ph_status ph_engine_explain(struct ph_engine *engine, struct ph_error *err)
{
    struct ph_accel_view *v = &engine->view;
    const uint32_t i = UINT32_MAX - v->signals->first_bad;
    double r[3] = {0.0};
    enum ph_status status = engine->machine->wait(err); /* kernels that still run may find others */
    v->signals->first_bad = 0;
    for (int k = 0; k < 3 && status == PH_OK; ++k)
        status = engine->machine->copy_from(&r[k], v->r[k] + i, sizeof r[k], err);
    if (status != PH_OK)
        return status;
    if (!isfinite(r[0] + r[1] + r[2]))
        return ph_error_set(err, PH_ERR_NUMBERS, "The position of molecule %u is not finite: (%g, %g, %g).", i, r[0],
                            r[1], r[2]);
    if (v->periodic && !ph_box_reaches(&engine->box, r))
        return ph_error_set(err, PH_ERR_NUMBERS,
                            "Molecule %u is too far away, at (%g, %g, %g): the step may be too long.", i, r[0], r[1],
                            r[2]);
    return ph_error_set(err, PH_ERR_NUMBERS,
                        "The force or torque on molecule %u at (%g, %g, %g) is not finite: it overlaps with another, "
                        "or its state is not finite.",
                        i, r[0], r[1], r[2]);
}

enum ph_status ph_engine_wait(struct ph_engine *engine, struct ph_error *err)
{
    const enum ph_status status = engine->machine->wait(err);
    return status == PH_OK && engine->view.signals->first_bad > 0 ? ph_engine_explain(engine, err) : status;
}
