/* SPDX-License-Identifier: MIT */
#include "parallel/spent.h"

#include "base/clock.h"

#include <omp.h>
#include <stdbool.h>

static const char *const names[PH_SPENT_PARTS] = {
    [PH_SPENT_REST] = "rest",
    [PH_SPENT_MOVES] = "drifts, kicks",
    [PH_SPENT_CHECK] = "checks",
    [PH_SPENT_MAKE] = "making lists",
    [PH_SPENT_THIN] = "thinning lists",
    [PH_SPENT_SITES] = "sites",
    [PH_SPENT_PAIRS] = "pairs",
    [PH_SPENT_SUMS] = "sums over copies",
    [PH_SPENT_OTHER] = "other terms",
    [PH_SPENT_MESH_SITES] = "mesh: sites",
    [PH_SPENT_MESH_SPREAD] = "mesh: spreading",
    [PH_SPENT_MESH_TRANSFORM] = "mesh: transforms",
    [PH_SPENT_MESH_GATHER] = "mesh: gathering",
};

const char *ph_spent_name(enum ph_spent_part part) { return names[part]; }

static struct ph_spent spent;
static enum ph_spent_part now;
static double since;
static bool measured;              /* threads read it, which exist or begin after it was set */
static _Thread_local bool is_ours; /* of the thread that started */

void ph_spent_start(void)
{
    spent = (struct ph_spent){.seconds = {0.0}};
    now = PH_SPENT_REST;
    measured = is_ours = true;
    since = ph_clock_wall();
}

enum ph_spent_part ph_spent_begin(enum ph_spent_part part)
{
    if (!is_ours)
        return PH_SPENT_REST;
    const enum ph_spent_part before = now;
    const double time = ph_clock_wall();
    spent.seconds[before] += time - since;
    since = time;
    now = part;
    return before;
}

struct ph_spent ph_spent_stop(void)
{
    ph_spent_begin(PH_SPENT_REST);
    measured = is_ours = false;
    return spent;
}

void ph_spent_meet(enum ph_spent_part part)
{
    if (!measured) {
#pragma omp barrier
        return;
    }
    const double begun = ph_clock_wall();
#pragma omp barrier
    const double waited = (ph_clock_wall() - begun) / omp_get_num_threads();
#pragma omp atomic
    spent.waiting[part] += waited;
}
