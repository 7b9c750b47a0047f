/* SPDX-License-Identifier: MIT */
#include "state/kept.h"

#include "base/array.h"
#include "state/state_inside.h"

#include <stdlib.h>

enum { Q = 3, IMAGE = 7, P = 10, M = 13 }; /* columns, after columns of r; images are small numbers */

struct ph_kept {
    int parts;
    size_t n;                        /* columns in use: without momenta up to P; 0: on a device */
    double *column[PH_KEPT_COLUMNS]; /* owned */
};

void ph_kept_destroy(struct ph_kept *kept)
{
    for (size_t k = 0; kept && k < PH_KEPT_COLUMNS; ++k)
        free(kept->column[k]);
    free(kept);
}

enum ph_status ph_kept_create(const struct ph_state *state, int parts, struct ph_kept **out, struct ph_error *err)
{
    *out = NULL;
    const struct ph_system *system = state->system;
    struct ph_kept *kept = calloc(1, sizeof *kept);
    bool ok = kept != NULL;
    if (ok) {
        kept->parts = parts;
        kept->n = state->kind->keep ? 0 : parts & PH_STATE_MOMENTA ? PH_KEPT_COLUMNS : P;
    }
    for (size_t k = 0; ok && k < kept->n; ++k)
        ok = (kept->column[k] = ph_array_create(ph_padded(system->n), sizeof(double))) != NULL;
    if (!ok) {
        ph_kept_destroy(kept);
        return ph_no_memory(err, "a second state of %zu molecules", system->n);
    }
    *out = kept;
    return PH_OK;
}

struct work {
    double *const *column;
    size_t n;
    bool reversed;
    struct ph_system *system;
};

/* The column of the state that column k is a copy of; NULL: one of images */
static double *of_state(const struct ph_system *system, size_t k)
{
    return k < Q       ? system->r[k]
           : k < IMAGE ? system->q[k - Q]
           : k < P     ? NULL
           : k < M     ? system->p[k - P]
                       : system->m[k - M];
}

static void keep(struct ph_range range, void *data)
{
    const struct work *work = data;
    for (size_t k = 0; k < work->n; ++k) {
        const double *from = of_state(work->system, k);
        for (size_t i = range.begin; i < range.end; ++i)
            work->column[k][i] = from ? from[i] : work->system->image[k - IMAGE][i];
    }
}

static void bring_back(struct ph_range range, void *data)
{
    const struct work *work = data;
    for (size_t k = 0; k < work->n; ++k) {
        double *to = of_state(work->system, k);
        const double sign = k >= P && work->reversed ? -1.0 : 1.0;
        for (size_t i = range.begin; i < range.end; ++i)
            if (to)
                to[i] = sign * work->column[k][i];
            else
                work->system->image[k - IMAGE][i] = (int32_t)work->column[k][i];
    }
}

void ph_kept_begin(struct ph_kept *kept, struct ph_state *state)
{
    if (state->kind->keep)
        state->kind->keep(state, kept->parts);
    else
        ph_state_each(state, keep, &(struct work){kept->column, kept->n, false, state->system});
    ph_state_attach(state, kept->n, kept->column);
}

void ph_kept_end(struct ph_kept *kept, struct ph_state *state) { ph_state_detach(state, kept->n); }

void ph_kept_bring_back(const struct ph_kept *kept, bool reversed, struct ph_state *state)
{
    if (state->kind->bring_back) {
        state->kind->bring_back(state, reversed);
        return;
    }
    ph_state_each(state, bring_back, &(struct work){kept->column, kept->n, reversed, state->system});
    ph_state_changed(state, PH_STATE_PLACES | PH_STATE_MOMENTA);
}
