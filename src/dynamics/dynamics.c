/* SPDX-License-Identifier: MIT */
#include "dynamics/dynamics.h"

#include <stdlib.h>

struct ph_dynamics {
    struct ph_state *state; /* owned */
    struct ph_dynamics_options options;
    bool has_pending_flow; /* the last outermost flow is still to be done */
};

void ph_dynamics_destroy(struct ph_dynamics *dynamics)
{
    if (!dynamics)
        return;
    ph_state_destroy(dynamics->state);
    free(dynamics);
}

enum ph_status ph_dynamics_create(struct ph_system *system, struct ph_force_field *field,
                                  const struct ph_dynamics_options *options, struct ph_dynamics **out,
                                  struct ph_error *err)
{
    *out = NULL;
    if (options->inner && !(ph_scheme_is_plain(options->scheme) && ph_scheme_is_plain(options->inner)))
        return ph_error_set(err, PH_ERR_INPUT,
                            "Schemes with force gradients or displaced forces cannot be nested: %s, %s.",
                            options->scheme->name, options->inner->name);
    struct ph_dynamics *dynamics = calloc(1, sizeof *dynamics);
    if (!dynamics)
        return ph_no_memory(err, "the dynamics");
    dynamics->options = *options;
    const struct ph_state_options state_options = {.flow = options->flow,
                                                   .pinned = options->pinned,
                                                   .compensated = options->compensated,
                                                   .gradients = ph_scheme_gradients(options->scheme) > 0,
                                                   .displaced = ph_scheme_is_displaced(options->scheme),
                                                   .backend = options->backend};
    const enum ph_status status = ph_state_create(system, field, &state_options, &dynamics->state, err);
    if (status != PH_OK) {
        ph_dynamics_destroy(dynamics);
        return status;
    }
    *out = dynamics;
    return PH_OK;
}

struct ph_state *ph_dynamics_state(const struct ph_dynamics *dynamics) { return dynamics->state; }

/* ---- Nested schemes ---- */

/* Makes inner steps for a time t. Joins the last flow of a step with the first of the next. They are equal, because
 * schemes are symmetric. */
static enum ph_status inner_steps(struct ph_dynamics *dynamics, double t, struct ph_error *err)
{
    const struct ph_scheme *inner = dynamics->options.inner;
    const int substeps = dynamics->options.substeps, last = inner->flows - 1;
    enum ph_status status = PH_OK;
    for (int step = 0; step < substeps; ++step)
        for (int k = 0; k < inner->flows && status == PH_OK; ++k) {
            if (k == last && step + 1 < substeps)
                continue;
            const struct ph_scheme_flow flow = ph_scheme_flow_at(inner, k);
            const double x = (k == 0 && step > 0 ? 2.0 : 1.0) * flow.x * t / substeps;
            status = flow.kind == PH_FLOW_DRIFT ? ph_state_drift(dynamics->state, x, err)
                                                : ph_state_kick(dynamics->state, PH_FORCES_FAST, x, 0.0, err);
        }
    return status;
}

/* ---- Composition ---- */

/* Applies flow k of the scheme once or twice. Two kicks or drifts are one of double length. Inner steps are repeated
 * instead, because longer ones would have another error. */
static enum ph_status flow(struct ph_dynamics *dynamics, int k, int times, struct ph_error *err)
{
    struct ph_state *state = dynamics->state;
    const struct ph_scheme_flow flow = ph_scheme_flow_at(dynamics->options.scheme, k);
    const double h = dynamics->options.step, x = times * flow.x * h, c = times * flow.c * h * h * h;
    const bool nested = dynamics->options.inner != NULL;
    if (flow.kind == PH_FLOW_KICK)
        return ph_state_kick(state, nested ? PH_FORCES_SLOW : PH_FORCES_ALL, x, nested ? 0.0 : c, err);
    if (!nested)
        return ph_state_drift(state, x, err);
    enum ph_status status = PH_OK;
    for (int time = 0; time < times && status == PH_OK; ++time)
        status = inner_steps(dynamics, flow.x * h, err);
    return status;
}

/* A kick of all forces, and a drift after it within the step, are done in one pass over the molecules. */
static bool drift_follows(const struct ph_dynamics *dynamics, int k)
{
    const struct ph_scheme *scheme = dynamics->options.scheme;
    return !dynamics->options.inner && k + 2 < scheme->flows && ph_scheme_flow_at(scheme, k).kind == PH_FLOW_KICK &&
           ph_scheme_flow_at(scheme, k + 1).kind == PH_FLOW_DRIFT;
}

static enum ph_status kick_and_drift(struct ph_dynamics *dynamics, int k, int times, struct ph_error *err)
{
    const struct ph_scheme_flow kick = ph_scheme_flow_at(dynamics->options.scheme, k),
                                drift = ph_scheme_flow_at(dynamics->options.scheme, k + 1);
    const double h = dynamics->options.step;
    return ph_state_kick_and_drift(dynamics->state, PH_FORCES_ALL, times * kick.x * h, times * kick.c * h * h * h,
                                   drift.x * h, err);
}

/* Leaves out the last flow of each step. The first flow of the next step then has double length. */
enum ph_status ph_dynamics_advance(struct ph_dynamics *dynamics, long n, struct ph_error *err)
{
    const int flows = dynamics->options.scheme->flows;
    for (long step = 0; step < n; ++step)
        for (int k = 0; k + 1 < flows; ++k) {
            const int times = k == 0 && dynamics->has_pending_flow ? 2 : 1;
            const bool both = drift_follows(dynamics, k);
            const enum ph_status status =
                both ? kick_and_drift(dynamics, k, times, err) : flow(dynamics, k, times, err);
            k += both;
            if (status != PH_OK)
                return status;
            dynamics->has_pending_flow = true;
        }
    return PH_OK;
}

enum ph_status ph_dynamics_advance_about(struct ph_dynamics *dynamics, ph_dynamics_middle *middle, void *data,
                                         struct ph_error *err)
{
    const int flows = dynamics->options.scheme->flows, centre = flows / 2;
    const double half = 0.5 * ph_scheme_flow_at(dynamics->options.scheme, centre).x * dynamics->options.step;
    enum ph_status status = PH_OK;
    for (int k = 0; k + 1 < flows && status == PH_OK; ++k) {
        if (k != centre) {
            status = flow(dynamics, k, k == 0 && dynamics->has_pending_flow ? 2 : 1, err);
        } else {
            status = ph_state_drift(dynamics->state, half, err);
            if (status == PH_OK)
                status = middle(data, err);
            if (status == PH_OK)
                status = ph_state_drift(dynamics->state, half, err);
        }
        dynamics->has_pending_flow = true;
    }
    return status;
}

enum ph_status ph_dynamics_synchronise(struct ph_dynamics *dynamics, struct ph_energy *energy, struct ph_error *err)
{
    const bool kick_pending =
        dynamics->has_pending_flow && ph_scheme_kick_first(dynamics->options.scheme) && !dynamics->options.inner;
    enum ph_status status = PH_OK;
    if (kick_pending && energy) /* evaluates forces for the pending kick and the energy together */
        status = ph_state_forces(dynamics->state, PH_FORCES_ALL, energy, err);
    if (status == PH_OK && dynamics->has_pending_flow) {
        status = flow(dynamics, 0, 1, err);
        dynamics->has_pending_flow = false;
    }
    if (status == PH_OK && energy && !kick_pending)
        status = ph_state_forces(dynamics->state, PH_FORCES_ALL, energy, err);
    return status;
}

void ph_dynamics_reset(struct ph_dynamics *dynamics)
{
    ph_state_changed(dynamics->state, PH_STATE_PLACES | PH_STATE_MOMENTA);
    dynamics->has_pending_flow = false;
}

bool ph_dynamics_has_pending_flow(const struct ph_dynamics *dynamics) { return dynamics->has_pending_flow; }

void ph_dynamics_restore_pending_flow(struct ph_dynamics *dynamics, bool has_pending_flow)
{
    dynamics->has_pending_flow = has_pending_flow;
}
