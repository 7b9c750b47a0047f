/* SPDX-License-Identifier: MIT */
#include "accel/engine/timed.h"

/* Times are taken from stamps when so many tasks have begun. */
enum { STAMPS = 2048 };

static _Thread_local struct {
    const struct ph_machine *machine; /* the timed one */
    struct ph_machine shown;
    void *before[STAMPS], *after[STAMPS]; /* owned; of tasks */
    enum ph_timed_part part[STAMPS];
    size_t n;
    void *first; /* owned; before the first task */
    bool begun;
    struct ph_timed timed;
    double all;
} state;

const char *ph_timed_name(enum ph_timed_part part)
{
    static const char *const names[PH_TIMED_PARTS] = {
        [PH_TIMED_FORCES] = "forces of pairs",   [PH_TIMED_WAVES] = "reciprocal space",
        [PH_TIMED_EXTERNAL] = "external fields", [PH_TIMED_SLOTS] = "lists: cells and slots",
        [PH_TIMED_PARTNERS] = "lists: partners", [PH_TIMED_MOTION] = "drift and kick",
        [PH_TIMED_BATHS] = "thermostats",        [PH_TIMED_SUMS] = "sums"};
    return names[part];
}

static enum ph_timed_part part_of(enum ph_task task)
{
    switch (task) {
    case PH_TASK_DRIFT:
    case PH_TASK_KICK:
    case PH_TASK_KEEP:
    case PH_TASK_BRING_BACK:
    case PH_TASK_MAP:
    case PH_TASK_DISPLACE:
    case PH_TASK_PLACES_BACK:
    case PH_TASK_FORCES_BACK: return PH_TIMED_MOTION;
    case PH_TASK_PARTNERS: return PH_TIMED_PARTNERS;
    case PH_TASK_FORCES:
    case PH_TASK_FORCES_ENERGY:
    case PH_TASK_NO_FORCES:
    case PH_TASK_KEEP_FAST:
    case PH_TASK_TAKE_OFF_FAST:
    case PH_TASK_RECALL_FAST: return PH_TIMED_FORCES;
    case PH_TASK_EXTERNAL: return PH_TIMED_EXTERNAL;
    case PH_TASK_SUM:
    case PH_TASK_OBSERVE: return PH_TIMED_SUMS;
    case PH_TASK_NOISE:
    case PH_TASK_KINETIC:
    case PH_TASK_FACTORS:
    case PH_TASK_SCALE: return PH_TIMED_BATHS;
    default: return PH_TIMED_SLOTS;
    }
}

/* Reads all stamps, which are free again */
static enum ph_status collect(struct ph_error *err)
{
    enum ph_status status = PH_OK;
    double seconds = 0.0;
    for (size_t k = 0; k < state.n && status == PH_OK; ++k) {
        status = state.machine->between(state.before[k], state.after[k], &seconds, err);
        state.timed.part[state.part[k]].seconds += seconds;
        ++state.timed.part[state.part[k]].launches;
    }
    if (status == PH_OK && state.n > 0) {
        status = state.machine->between(state.first, state.after[state.n - 1], &seconds, err);
        state.all = seconds;
    }
    state.n = 0;
    return status;
}

static enum ph_status begin_task(enum ph_timed_part part, struct ph_error *err)
{
    enum ph_status status = state.n == STAMPS ? collect(err) : PH_OK;
    if (status == PH_OK && !state.begun)
        status = state.machine->stamp(&state.first, err);
    state.begun = true;
    state.part[state.n] = part;
    return status == PH_OK ? state.machine->stamp(&state.before[state.n], err) : status;
}

static enum ph_status end_task(struct ph_error *err)
{
    const enum ph_status status = state.machine->stamp(&state.after[state.n], err);
    state.n += status == PH_OK ? 1 : 0;
    return status;
}

static enum ph_status run(enum ph_task task, uint32_t count, double x, double y, const struct ph_accel_view *view,
                          struct ph_error *err)
{
    enum ph_status status = begin_task(part_of(task), err);
    if (status == PH_OK)
        status = state.machine->run(task, count, x, y, view, err);
    return status == PH_OK ? end_task(err) : status;
}

static enum ph_status run_waves(enum ph_wave_task task, size_t count, struct ph_wave_order order,
                                const struct ph_accel_view *view, struct ph_error *err)
{
    enum ph_status status = begin_task(PH_TIMED_WAVES, err);
    if (status == PH_OK)
        status = state.machine->run_waves(task, count, order, view, err);
    return status == PH_OK ? end_task(err) : status;
}

const struct ph_machine *ph_timed_machine(const struct ph_machine *machine)
{
    state.machine = machine;
    state.shown = *machine;
    state.shown.run = run;
    state.shown.run_waves = run_waves;
    state.shown.run_jobs = NULL;
    ph_timed_restart();
    return &state.shown;
}

void ph_timed_restart(void)
{
    state.n = 0;
    state.begun = false;
    state.all = 0.0;
    state.timed = (struct ph_timed){.part = {{0}}};
}

enum ph_status ph_timed_read(struct ph_timed *timed, double *all, struct ph_error *err)
{
    const enum ph_status status = collect(err);
    *timed = state.timed;
    *all = state.all;
    return status;
}

void ph_timed_release(void)
{
    for (size_t k = 0; k < STAMPS; ++k) {
        if (state.before[k])
            state.machine->release_stamp(state.before[k]);
        if (state.after[k])
            state.machine->release_stamp(state.after[k]);
        state.before[k] = state.after[k] = NULL;
    }
    if (state.first)
        state.machine->release_stamp(state.first);
    state.first = NULL;
}
