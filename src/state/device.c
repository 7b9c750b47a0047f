/* SPDX-License-Identifier: MIT */
/* A state on a device: the backend holds the molecules, and the system is a copy. Changes of the copy are transferred
 * before the backend does anything. */
#include "state/state_inside.h"

static const struct ph_owned *local(struct ph_state *state)
{
    (void)state;
    return NULL;
}

/* Transfers changed parts to the device, and a new box. Returns the error of an earlier copy to this process, if there
 * was one. */
static enum ph_status send(struct ph_state *state, struct ph_error *err)
{
    struct ph_backend *backend = state->options.backend;
    const struct ph_error failure = state->failure;
    state->failure.status = PH_OK;
    if (failure.status != PH_OK)
        return ph_error_set(err, failure.status, "%s", failure.text);
    enum ph_status status = backend->set_box(backend, state->system, state->field, err);
    if (state->unwritten == 0 || status != PH_OK)
        return status;
    status = backend->write(backend, state->unwritten, state->system, ph_host_residuals(state), err);
    state->unwritten = status == PH_OK ? 0 : state->unwritten;
    return status;
}

static enum ph_status evaluate(struct ph_state *state, enum ph_force_part part, struct ph_energy *energy,
                               struct ph_error *err)
{
    struct ph_backend *backend = state->options.backend;
    const enum ph_status status = send(state, err);
    if (status != PH_OK)
        return status;
    return part == PH_FORCES_ALL ? backend->evaluate(backend, energy, err) : backend->evaluate_part(backend, part, err);
}

static bool keeps_fast(const struct ph_state *state)
{
    return state->options.backend->keeps_fast(state->options.backend);
}

static enum ph_status recall_fast(struct ph_state *state, bool take_off, struct ph_error *err)
{
    const enum ph_status status = send(state, err);
    return status == PH_OK ? state->options.backend->recall_fast(state->options.backend, take_off, err) : status;
}

static enum ph_status drift(struct ph_state *state, double t, struct ph_error *err)
{
    const enum ph_status status = send(state, err);
    return status == PH_OK ? state->options.backend->drift(state->options.backend, t, err) : status;
}

static enum ph_status kick(struct ph_state *state, double b, double c, struct ph_error *err)
{
    (void)c;                                        /* no gradients */
    const enum ph_status status = send(state, err); /* momenta may have been changed, forces not */
    return status == PH_OK ? state->options.backend->kick(state->options.backend, b, err) : status;
}

/* ---- Baths ---- */

static enum ph_status write_numbers(struct ph_state *state, const double *numbers, struct ph_error *err)
{
    struct ph_backend *backend = state->options.backend;
    enum ph_status status = send(state, err);
    if (status == PH_OK && !state->numbers_there)
        status = backend->write_bath(backend, numbers, err);
    state->numbers_there = status == PH_OK;
    return status;
}

static enum ph_status scale(struct ph_state *state, const struct ph_scaling *scaling, double *numbers,
                            struct ph_error *err)
{
    const enum ph_status status = write_numbers(state, numbers, err);
    return status == PH_OK ? state->options.backend->scale(state->options.backend, scaling, err) : status;
}

static enum ph_status apply_noise(struct ph_state *state, const struct ph_noise *noise, double *numbers,
                                  struct ph_error *err)
{
    const enum ph_status status = write_numbers(state, numbers, err);
    return status == PH_OK ? state->options.backend->apply_noise(state->options.backend, noise, err) : status;
}

static enum ph_status know_numbers(struct ph_state *state, double *numbers, struct ph_error *err)
{
    return state->numbers_there ? state->options.backend->read_bath(state->options.backend, numbers, err) : PH_OK;
}

/* ---- Operations that return no status: an error is kept for the next call ---- */

static void note(struct ph_state *state, enum ph_status status, const struct ph_error *failure)
{
    if (status != PH_OK)
        state->failure = *failure;
}

static void kinetic(struct ph_state *state, double kinetic[PH_BATH_GROUPS])
{
    struct ph_backend *backend = state->options.backend;
    struct ph_error failure = {.text = ""};
    struct ph_state_sums sums = {.momentum = {0.0}};
    enum ph_status status = send(state, &failure);
    if (status == PH_OK)
        status = backend->observe(backend, &sums, &failure);
    kinetic[0] = sums.kinetic[0][0] + sums.kinetic[1][1] + sums.kinetic[2][2];
    for (int k = 0; k < 3; ++k)
        kinetic[1 + k] = sums.axis[k];
    note(state, status, &failure);
}

static void scale_by(struct ph_state *state, const double factor[PH_BATH_GROUPS])
{
    struct ph_backend *backend = state->options.backend;
    struct ph_error failure = {.text = ""};
    enum ph_status status = send(state, &failure);
    if (status == PH_OK)
        status = backend->scale_by(backend, factor, &failure);
    note(state, status, &failure);
}

static void map_centres(struct ph_state *state, const double map[3][3])
{
    struct ph_backend *backend = state->options.backend;
    struct ph_error failure = {.text = ""};
    enum ph_status status = send(state, &failure);
    if (status == PH_OK)
        status = backend->map_centres(backend, map, &failure);
    note(state, status, &failure);
}

static void keep(struct ph_state *state, int parts)
{
    struct ph_backend *backend = state->options.backend;
    struct ph_error failure = {.text = ""};
    enum ph_status status = send(state, &failure);
    if (status == PH_OK)
        status = backend->keep(backend, parts, &failure);
    note(state, status, &failure);
}

static void bring_back(struct ph_state *state, bool reversed)
{
    struct ph_backend *backend = state->options.backend;
    struct ph_error failure = {.text = ""};
    if (state->failure.status == PH_ERR_NUMBERS) /* of the state that is given up */
        state->failure.status = PH_OK;
    enum ph_status status = send(state, &failure);
    if (status == PH_OK)
        status = backend->bring_back(backend, reversed, &failure);
    state->forces_known = state->rates_known = state->fast_kept = false;
    note(state, status, &failure);
}

/* ---- Displaced forces ---- */

static void displace(struct ph_state *state, double d)
{
    struct ph_backend *backend = state->options.backend;
    struct ph_error failure = {.text = ""};
    enum ph_status status = send(state, &failure);
    if (status == PH_OK)
        status = backend->displace(backend, d, &failure);
    note(state, status, &failure);
}

static void places_back(struct ph_state *state)
{
    struct ph_error failure = {.text = ""};
    note(state, state->options.backend->places_back(state->options.backend, &failure), &failure);
}

static void forces_back(struct ph_state *state)
{
    struct ph_error failure = {.text = ""};
    note(state, state->options.backend->forces_back(state->options.backend, &failure), &failure);
}

/* ---- Reading ---- */

static enum ph_status observe(struct ph_state *state, struct ph_state_sums *sums, struct ph_error *err)
{
    const enum ph_status status = send(state, err);
    return status == PH_OK ? state->options.backend->observe(state->options.backend, sums, err) : status;
}

static enum ph_status show(struct ph_state *state, int parts, struct ph_error *err)
{
    double *const *residuals = parts & PH_STATE_RESIDUALS ? ph_host_residuals(state) : NULL;
    const enum ph_status status = send(state, err);
    return status == PH_OK ? state->options.backend->read(state->options.backend, parts, state->system, residuals, err)
                           : status;
}

/* Copies places and momenta with their residuals, and known forces, to this process. The backend skips parts that have
 * not changed since the last copy. An error is kept for the next call. */
static void bring(struct ph_state *state)
{
    struct ph_error failure = {.text = ""};
    const int parts = PH_STATE_PLACES | PH_STATE_MOMENTA | PH_STATE_RESIDUALS;
    if (show(state, parts | (state->forces_known ? PH_STATE_FORCES : 0), &failure) != PH_OK)
        state->failure = failure;
}

static enum ph_status snap(struct ph_state *state, bool whole, bool *begun, struct ph_error *err)
{
    struct ph_backend *backend = state->options.backend;
    const int parts = whole ? PH_STATE_ALL : PH_STATE_ALL & ~PH_STATE_RESIDUALS;
    const enum ph_status status = send(state, err);
    return status == PH_OK ? backend->snap(backend, parts, state->system, begun, err) : status;
}

static enum ph_status snapped(struct ph_state *state, bool wait, const struct ph_snapshot **snapshot,
                              struct ph_error *err)
{
    return state->options.backend->snapped(state->options.backend, wait, snapshot, err);
}

static struct ph_force_memory memory(const struct ph_state *state)
{
    return state->options.backend->memory(state->options.backend);
}

static enum ph_status restore(struct ph_state *state, const struct ph_force_memory *kept, struct ph_error *err)
{
    const enum ph_status status = ph_host_restore(state, kept, err);
    return status == PH_OK ? state->options.backend->restore(state->options.backend, kept, err) : status;
}

const struct ph_state_kind ph_state_of_device = {
    .name = "device",
    .lacks = PH_NEEDS_RANKS | PH_NEEDS_INTEGRATORS | PH_NEEDS_FLOWS | PH_NEEDS_RATES | PH_NEEDS_FLUX | PH_NEEDS_OUTSIDE,
    .local = local,
    .evaluate = evaluate,
    .drift = drift,
    .kick = kick,
    .scale = scale,
    .apply_noise = apply_noise,
    .know_numbers = know_numbers,
    .observe = observe,
    .kinetic = kinetic,
    .scale_by = scale_by,
    .map_centres = map_centres,
    .displace = displace,
    .places_back = places_back,
    .forces_back = forces_back,
    .keeps_fast = keeps_fast,
    .recall_fast = recall_fast,
    .keep = keep,
    .bring_back = bring_back,
    .show = show,
    .bring = bring,
    .snap = snap,
    .snapped = snapped,
    .memory = memory,
    .restore = restore,
};
