/* SPDX-License-Identifier: MIT */
/* Cadences decide when output is written. They hold one after the other, each from the step after its from_step to the
 * from_step of the next one, and count from there. */
#include "output/trajectory/trajectory_inside.h"

static int64_t interval(const struct ph_trajectory_cadence *cadence, int what)
{
    return what == PH_TRAJECTORY_SERIES   ? cadence->series_every
           : what == PH_TRAJECTORY_FLUXES ? cadence->fluxes_every
                                          : cadence->every[what];
}

/* Returns the cadence of a step: the last to begin before it, or the first */
static size_t cadence_at(const struct ph_trajectory *trajectory, int64_t step)
{
    size_t c = trajectory->n_cadences - 1;
    while (c > 0 && trajectory->cadences[c].from_step >= step)
        --c;
    return c;
}

bool ph_cadence_due(const struct ph_trajectory *trajectory, int what, int64_t step)
{
    const struct ph_trajectory_cadence *cadence = &trajectory->cadences[cadence_at(trajectory, step)];
    const int64_t every = interval(cadence, what);
    return every > 0 && (step - cadence->from_step) % every == 0;
}

int64_t ph_cadence_last(const struct ph_trajectory *trajectory, int what, int64_t step)
{
    for (size_t c = cadence_at(trajectory, step);; --c) {
        const struct ph_trajectory_cadence *cadence = &trajectory->cadences[c];
        const int64_t every = interval(cadence, what);
        const int64_t last = every > 0 ? step - (step - cadence->from_step) % every : -1;
        if (last > cadence->from_step || (c == 0 && last == 0))
            return last;
        if (c == 0)
            return -1;
        step = cadence->from_step;
    }
}

int64_t ph_cadence_every(const struct ph_trajectory *trajectory, int what)
{
    const int64_t every = interval(&trajectory->cadences[0], what);
    for (size_t c = 1; c < trajectory->n_cadences && every > 0; ++c)
        if (interval(&trajectory->cadences[c], what) != every || trajectory->cadences[c].from_step % every != 0)
            return 0;
    return every;
}

bool ph_cadence_same(const struct ph_trajectory *trajectory, int what, int other)
{
    for (size_t c = 0; c < trajectory->n_cadences; ++c)
        if (interval(&trajectory->cadences[c], what) != interval(&trajectory->cadences[c], other))
            return false;
    return true;
}

bool ph_cadence_writes(const struct ph_trajectory_plan *plan, int what)
{
    for (size_t c = 0; c < plan->n_cadences; ++c)
        if (interval(&plan->cadences[c], what) > 0)
            return true;
    return false;
}
