/* SPDX-License-Identifier: MIT */
/* The machine `emulated`: bodies in loops, in the memory of the host. */
#include "accel/functions/device_functions.h"

#include "accel/functions/aside_functions.h"
#include "accel/functions/bath_functions.h"
#include "accel/functions/external_functions.h"
#include "accel/functions/list_functions.h"
#include "accel/functions/site_functions.h"
#include "accel/functions/variants.h"
#include "accel/machines/device_choice.h"
#include "accel/machines/emulated_forces.h"
#include "accel/machines/machine.h"
#include "base/clock.h"
#include "base/threads.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All the same, for tests of the choice */
enum { DEVICES = 2 };

static void look(struct ph_machine_facts *facts)
{
    *facts = (struct ph_machine_facts){.built = true, .found = true, .devices = DEVICES};
    snprintf(facts->device, sizeof facts->device, "this processor, %d thread%s", omp_get_max_threads(),
             omp_get_max_threads() == 1 ? "" : "s");
}

static enum ph_status open_machine(struct ph_error *err)
{
    int device;
    return ph_device_find("emulated", DEVICES, &device, err);
}

static void *allocate(size_t bytes, enum ph_status *status, struct ph_error *err)
{
    (void)err;
    void *memory = *status == PH_OK ? calloc(bytes > 0 ? bytes : 1, 1) : NULL;
    if (!memory && *status == PH_OK)
        *status = PH_ERR_MEMORY;
    return memory;
}

static struct ph_signals *allocate_signals(enum ph_status *status, struct ph_error *err)
{
    return allocate(sizeof(struct ph_signals), status, err);
}

static void release_signals(struct ph_signals *signals) { free(signals); }

static _Thread_local struct ph_transfer_counts transfers;

static struct ph_transfer_counts transfers_so_far(void) { return transfers; }

static void copy(void *to, const void *from, size_t bytes, struct ph_traffic *traffic)
{
    const double began = ph_clock_wall();
    memcpy(to, from, bytes);
    ph_traffic_add(1, bytes, ph_clock_wall() - began, traffic);
}

static enum ph_status copy_to(void *there, const void *here, size_t bytes, struct ph_error *err)
{
    (void)err;
    copy(there, here, bytes, &transfers.to);
    return PH_OK;
}

static enum ph_status clear(void *there, size_t bytes, struct ph_error *err)
{
    (void)err;
    memset(there, 0, bytes);
    return PH_OK;
}

static enum ph_status copy_from(void *here, const void *there, size_t bytes, struct ph_error *err)
{
    (void)err;
    copy(here, there, bytes, &transfers.from);
    return PH_OK;
}

/* ---- Arrays that are sent. They arrive late, to expose code that reads them too early ---- */

int ph_emulated_late = 3;

struct way {
    struct ph_sent_array *array; /* owned; n of them are on the way */
    size_t n;
    int asked;
};

static enum ph_status send_arrays(void **at, size_t n, const struct ph_sent_array arrays[], struct ph_error *err)
{
    struct way *way = *at ? *at : calloc(1, sizeof *way);
    struct ph_sent_array *all = way ? realloc(way->array, (way->n + n) * sizeof *all) : NULL;
    *at = way;
    if (!all)
        return ph_no_memory(err, "a copy of the state");
    way->array = all;
    memcpy(way->array + way->n, arrays, n * sizeof *arrays);
    way->n += n;
    way->asked = 0;
    for (size_t k = 0; k < n; ++k) {
        memcpy(arrays[k].kept, arrays[k].there, arrays[k].bytes);
        memset(arrays[k].here, 0xff, arrays[k].bytes); /* no numbers */
    }
    return PH_OK;
}

static enum ph_status have_arrived(void *at, bool wait, bool *all, struct ph_error *err)
{
    (void)err;
    struct way *way = at;
    const double began = ph_clock_wall();
    *all = !way || way->n == 0 || ++way->asked >= ph_emulated_late || wait;
    for (size_t k = 0; way && *all && k < way->n; ++k)
        copy(way->array[k].here, way->array[k].kept, way->array[k].bytes, &transfers.beside);
    transfers.waited += wait ? ph_clock_wall() - began : 0.0;
    if (way && *all)
        way->n = 0;
    return PH_OK;
}

static void release_way(void *at)
{
    struct way *way = at;
    if (way)
        free(way->array);
    free(way);
}

/* ---- Tasks ---- */

static void drift(const struct ph_accel_view *v, double t, double flight, uint32_t i)
{
    drift_body(false, v, t, flight, i);
}
static void kick(const struct ph_accel_view *v, double t, double unused, uint32_t i)
{
    (void)unused;
    kick_body(v, t, i);
}

static void partners(const struct ph_accel_view *v, double x, double y, uint32_t k)
{
    (void)x, (void)y;
    partners_body(v, k, 0);
}

static void external(const struct ph_accel_view *v, double x, double y, uint32_t i)
{
    if (!(x != 0.0 && *v->outdated))
        external_body(y != 0.0, v, i);
}

#define PLAIN(name)                                                                                                    \
    static void name(const struct ph_accel_view *v, double x, double y, uint32_t i)                                    \
    {                                                                                                                  \
        (void)x, (void)y;                                                                                              \
        name##_body(v, i);                                                                                             \
    }
PLAIN(place)
PLAIN(wrap)
PLAIN(count)
PLAIN(fill)
PLAIN(sort)
PLAIN(arrange)
PLAIN(sum)
PLAIN(scale)
PLAIN(keep)
PLAIN(map)
PLAIN(places_back)
PLAIN(forces_back)
PLAIN(recall_fast)

static void bring_back(const struct ph_accel_view *v, double sign, double unused, uint32_t i)
{
    (void)unused;
    bring_back_body(v, sign, i);
}

static void displace(const struct ph_accel_view *v, double d, double by, uint32_t i) { displace_body(v, d, by, i); }

/* After forces that may have been left out */
#define AFTER_FORCES(name)                                                                                             \
    static void name(const struct ph_accel_view *v, double x, double y, uint32_t i)                                    \
    {                                                                                                                  \
        (void)y;                                                                                                       \
        if (x == 0.0 || !*v->outdated)                                                                                 \
            name##_body(v, i);                                                                                         \
    }
AFTER_FORCES(no_forces)
AFTER_FORCES(keep_fast)
AFTER_FORCES(take_off_fast)

/* Tasks whose threads share counters run in one thread. */
static const struct {
    void (*body)(const struct ph_accel_view *v, double x, double y, uint32_t i);
    bool alone;
} tasks[] = {
    [PH_TASK_DRIFT] = {drift, false},
    [PH_TASK_KICK] = {kick, false},
    [PH_TASK_PLACE] = {place, false},
    [PH_TASK_WRAP] = {wrap, false},
    [PH_TASK_COUNT] = {count, true},
    [PH_TASK_FILL] = {fill, true},
    [PH_TASK_SORT] = {sort, false},
    [PH_TASK_ARRANGE] = {arrange, false},
    [PH_TASK_PARTNERS] = {partners, false},
    [PH_TASK_SUM] = {sum, false},
    [PH_TASK_EXTERNAL] = {external, false},
    [PH_TASK_SCALE] = {scale, false},
    [PH_TASK_KEEP] = {keep, false},
    [PH_TASK_BRING_BACK] = {bring_back, false},
    [PH_TASK_MAP] = {map, false},
    [PH_TASK_DISPLACE] = {displace, false},
    [PH_TASK_PLACES_BACK] = {places_back, false},
    [PH_TASK_FORCES_BACK] = {forces_back, false},
    [PH_TASK_NO_FORCES] = {no_forces, false},
    [PH_TASK_KEEP_FAST] = {keep_fast, false},
    [PH_TASK_TAKE_OFF_FAST] = {take_off_fast, false},
    [PH_TASK_RECALL_FAST] = {recall_fast, false},
};

static void scan(uint32_t cells, const struct ph_accel_view *v)
{
    uint32_t sum = 0;
    for (uint32_t c = 0; c < cells; ++c) {
        v->start[c] = sum;
        sum += v->filled[c];
    }
    v->start[cells] = sum;
}

/* ---- Baths and observables: sums by halves, as the threads of a device make them ---- */

static double add_by_halves(uint32_t n, double x[])
{
    for (uint32_t width = n / 2; width > 0; width /= 2)
        for (uint32_t k = 0; k < width; ++k)
            x[k] += x[k + width];
    return x[0];
}

static void noise_group(const struct ph_accel_view *v, uint32_t group)
{
    double heat[PH_BATH_HALVES][PH_SUM_GROUP];
    for (uint32_t k = 0, i = group * PH_SUM_GROUP; k < PH_SUM_GROUP; ++k, ++i) {
        double mine[PH_BATH_HALVES] = {0.0};
        if (i < v->n)
            noise_body(v, i, mine);
        for (uint32_t half = 0; half < PH_BATH_HALVES; ++half)
            heat[half][k] = mine[half];
    }
    for (uint32_t half = 0; half < v->pending.halves; ++half)
        v->bath.parts[half * sum_groups(v) + group] = add_by_halves(PH_SUM_GROUP, heat[half]);
}

/* `count` quantities of each molecule */
static void quantities_group(enum ph_task task, uint32_t count, const struct ph_accel_view *v, uint32_t group)
{
    double all[PH_STATE_SUMS][PH_SUM_GROUP];
    for (uint32_t k = 0, i = group * PH_SUM_GROUP; k < PH_SUM_GROUP; ++k, ++i) {
        double x[PH_STATE_SUMS] = {0.0};
        if (i < v->n && task == PH_TASK_KINETIC)
            kinetic_body(v, i, x);
        else if (i < v->n)
            observe_body(v, i, x);
        for (uint32_t s = 0; s < count; ++s)
            all[s][k] = x[s];
    }
    for (uint32_t s = 0; s < count; ++s)
        v->bath.parts[(size_t)s * sum_groups(v) + group] = add_by_halves(PH_SUM_GROUP, all[s]);
}

static double total(const struct ph_accel_view *v, uint32_t which)
{
    double sum[PH_PART_SUMS];
    for (uint32_t k = 0; k < PH_PART_SUMS; ++k)
        sum[k] = add_parts(v, which, k);
    return add_by_halves(PH_PART_SUMS, sum);
}

static void run_sums(enum ph_task task, const struct ph_accel_view *v)
{
    const uint32_t count = task == PH_TASK_KINETIC ? PH_BATH_GROUPS : PH_STATE_SUMS;
#pragma omp parallel for schedule(static) if (v->n >= PH_WORTH_THREADS)
    for (uint32_t group = 0; group < sum_groups(v); ++group)
        if (task == PH_TASK_NOISE)
            noise_group(v, group);
        else
            quantities_group(task, count, v, group);
    for (uint32_t half = 0; half < v->pending.halves && task == PH_TASK_NOISE; ++half)
        v->bath.numbers[PH_BATH_HEAT] += total(v, half);
    for (uint32_t s = 0; s < count && task == PH_TASK_OBSERVE; ++s)
        v->signals->sums[s] = total(v, s);
}

static void find_factors(const struct ph_accel_view *v)
{
    double heat[PH_BATH_HALVES][PH_BATH_GROUPS] = {{0.0}};
    for (uint32_t group = 0; group < PH_BATH_GROUPS; ++group) {
        double mine[PH_BATH_HALVES] = {0.0};
        factors_body(v, (int)group, v->pending.kinetic_stale ? total(v, group) : 0.0, mine);
        for (uint32_t half = 0; half < PH_BATH_HALVES; ++half)
            heat[half][group] = mine[half];
    }
    for (uint32_t half = 0; half < PH_BATH_HALVES && half < v->pending.halves; ++half)
        ph_scaling_count_heat(heat[half], v->bath.numbers);
}

static void all_slots(uint32_t cells, bool wraps, const struct ph_accel_view *v)
{
    static const enum ph_task turn[] = {PH_TASK_WRAP, PH_TASK_COUNT, PH_TASK_FILL, PH_TASK_SORT, PH_TASK_ARRANGE};
    for (size_t k = wraps ? 0 : 1; k < sizeof turn / sizeof *turn; ++k) {
        if (turn[k] == PH_TASK_FILL)
            scan(cells, v);
        for (uint32_t i = 0; i < v->n; ++i)
            tasks[turn[k]].body(v, 0.0, 0.0, i);
    }
}

static enum ph_status run(enum ph_task task, uint32_t count, double x, double y, const struct ph_accel_view *view,
                          struct ph_error *err)
{
    (void)err;
    if (task == PH_TASK_SCAN) {
        scan(count, view);
    } else if (task == PH_TASK_SLOTS) {
        all_slots(count, x != 0.0, view);
    } else if (task == PH_TASK_FORCES || task == PH_TASK_FORCES_ENERGY) {
        forces_function *function = view->variant < 0 ? forces_of_sites : forces_of[view->variant];
        const bool energy = task == PH_TASK_FORCES_ENERGY;
        if (x != 0.0 && *view->outdated)
            return PH_OK;
#pragma omp parallel for schedule(static, PH_TURN) if (count >= PH_WORTH_THREADS)
        for (uint32_t i = 0; i < count; ++i)
            function(energy, view, i);
    } else if (task == PH_TASK_NOISE || task == PH_TASK_KINETIC || task == PH_TASK_OBSERVE) {
        run_sums(task, view);
    } else if (task == PH_TASK_FACTORS) {
        find_factors(view);
    } else {
#pragma omp parallel for schedule(static, PH_TURN) if (count >= PH_WORTH_THREADS && !tasks[task].alone)
        for (uint32_t i = 0; i < count; ++i)
            tasks[task].body(view, x, y, i);
    }
    return PH_OK;
}

/* ---- Several systems, each by one thread ---- */

/* Uses the kernel of the first job for all jobs of a launch, as on a device. This exposes jobs in one launch that do
 * not match, see ph_jobs_match. */
static void take_kernel_of(const struct ph_job *first, struct ph_accel_view *view)
{
    const struct ph_accel_view *like = first->view;
    if (first->waves && first->task >= PH_WAVES_ROWS)
        memcpy(view->waves.points, like->waves.points, sizeof view->waves.points);
    if (first->waves && (first->task == PH_WAVES_spread || first->task == PH_WAVES_spread_tensors))
        view->waves.width = like->waves.width;
    if (first->waves || (first->task != PH_TASK_FORCES && first->task != PH_TASK_FORCES_ENERGY))
        return;
    view->variant = like->variant;
    view->listed = like->listed;
    view->periodic = like->periodic;
    view->sites.shape = like->sites.shape;
    view->sites.water_field = like->sites.water_field;
    view->sites.common = like->sites.common;
    view->sites.is_rare = like->sites.is_rare;
}

static void run_jobs(size_t n, struct ph_job *const job[])
{
    const bool waves = job[0]->waves;
    const int task = job[0]->task;
#pragma omp parallel for schedule(dynamic) if (n > 1)
    for (size_t k = 0; k < n; ++k) {
        struct ph_job *is = job[k];
        struct ph_accel_view view = *is->kept; /* the copy of the machine, as on a device */
        view.pending = is->pending;
        take_kernel_of(job[0], &view);
        is->status = waves ? ph_emulated_run_waves((enum ph_wave_task)task, is->count, is->order, &view, is->err)
                           : run((enum ph_task)task, (uint32_t)is->count, is->x, is->y, &view, is->err);
    }
}

static enum ph_status wait_for(struct ph_error *err)
{
    (void)err;
    return PH_OK;
}

static enum ph_status set_mark(void **mark, struct ph_error *err)
{
    (void)mark, (void)err;
    return PH_OK;
}

static enum ph_status wait_for_mark(void *mark, struct ph_error *err)
{
    (void)mark, (void)err;
    return PH_OK;
}

static void release_mark(void *mark) { (void)mark; }

static enum ph_status set_stamp(void **stamp, struct ph_error *err)
{
    double *time = *stamp ? *stamp : malloc(sizeof *time);
    if (!time)
        return ph_no_memory(err, "a time");
    *time = ph_clock_wall();
    *stamp = time;
    return PH_OK;
}

static enum ph_status seconds_between(void *from, void *to, double *seconds, struct ph_error *err)
{
    (void)err;
    *seconds = *(const double *)to - *(const double *)from;
    return PH_OK;
}

const struct ph_machine ph_machine_emulated = {
    .look = look,
    .open = open_machine,
    .allocate = allocate,
    .release = free,
    .allocate_signals = allocate_signals,
    .release_signals = release_signals,
    .copy_to = copy_to,
    .clear = clear,
    .copy_from = copy_from,
    .allocate_here = malloc,
    .release_here = free,
    .send = send_arrays,
    .arrived = have_arrived,
    .release_way = release_way,
    .transfers = transfers_so_far,
    .run = run,
    .run_waves = ph_emulated_run_waves,
    .run_jobs = run_jobs,
    .wait = wait_for,
    .mark = set_mark,
    .wait_for_mark = wait_for_mark,
    .release_mark = release_mark,
    .stamp = set_stamp,
    .between = seconds_between,
    .release_stamp = free,
};
