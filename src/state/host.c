/* SPDX-License-Identifier: MIT */
/* Operations on molecules in the memory of this process, for the kinds local and ranks */
#include "base/lanes.h"
#include "base/rotation.h"
#include "state/momenta.h"
#include "state/state_inside.h"

#include <string.h>

static void each(struct ph_state *state, ph_range_work *work, void *data)
{
    const struct ph_owned *own = state->kind->local(state);
    ph_each(state->system, own, work, data);
}

/* A flow of local molecules: a drift for a time t, or a kick by t times forces and g times their rates */
struct flow {
    struct ph_state *state;
    double t, g;
};

static void drift(struct ph_range range, void *data)
{
    const struct flow *flow = data;
    struct ph_state *state = flow->state;
    struct ph_system *system = state->system;
    const struct ph_species *species = &system->species[range.species];
    if (!state->options.pinned)
        ph_range_add(range, flow->t / species->mass, system->p, system->r, &state->residual[PH_RESIDUAL_R]);
    if (species->degrees > 0)
        ph_range_rotate(range, state->options.flow, &state->top[range.species], flow->t, system);
}

enum ph_status ph_host_drift(struct ph_state *state, double t, struct ph_error *err)
{
    (void)err;
    each(state, drift, &(struct flow){state, t, 0.0});
    return PH_OK;
}

static void kick(struct ph_range range, void *data)
{
    const struct flow *flow = data;
    struct ph_state *state = flow->state;
    struct ph_system *system = state->system;
    double *const *residual = &state->residual[PH_RESIDUAL_P];
    if (!state->options.pinned)
        ph_range_add(range, flow->t, system->f, system->p, residual);
    if (!state->options.pinned && flow->g != 0.0)
        ph_range_add(range, flow->g, state->force_rate, system->p, residual);
    if (system->species[range.species].degrees > 0)
        ph_range_add_torque(range, flow->t, flow->g, state->torque_rate, system, &state->residual[PH_RESIDUAL_M]);
}

enum ph_status ph_host_kick(struct ph_state *state, double b, double c, struct ph_error *err)
{
    (void)err;
    each(state, kick, &(struct flow){state, b, 2.0 * c});
    return PH_OK;
}

/* A kick and then a drift */
struct two_flows {
    struct flow kick, drift;
};

static void kick_and_drift(struct ph_range range, void *data)
{
    struct two_flows *flows = data;
    kick(range, &flows->kick);
    drift(range, &flows->drift);
}

enum ph_status ph_host_kick_and_drift(struct ph_state *state, double b, double c, double t, struct ph_error *err)
{
    (void)err;
    each(state, kick_and_drift, &(struct two_flows){{state, b, 2.0 * c}, {state, t, 0.0}});
    return PH_OK;
}

/* ---- Accelerations ---- */

/* Acceleration and angular acceleration I^-1 torque of molecule i in space; a linear rotor has none about its axis. */
static void accelerate(struct ph_state *state, double per_mass, const double per_inertia[3], size_t i)
{
    const struct ph_system *system = state->system;
    const double q[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]};
    const double back[4] = {q[0], -q[1], -q[2], -q[3]}; /* space to body */
    const double torque[3] = {system->t[0][i], system->t[1][i], system->t[2][i]};
    double body[3], turned[3];
    ph_quat_rotate(back, torque, body);
    for (int k = 0; k < 3; ++k)
        body[k] *= per_inertia[k];
    ph_quat_rotate(q, body, turned);
    for (int k = 0; k < 3; ++k) {
        state->acceleration[k][i] = per_mass * system->f[k][i];
        state->spin_up[k][i] = turned[k];
    }
}

static void accelerate_range(struct ph_range range, void *data)
{
    struct ph_state *state = data;
    const struct ph_species *species = &state->system->species[range.species];
    const double per_mass = state->options.pinned ? 0.0 : 1.0 / species->mass;
    double per_inertia[3];
    for (int k = 0; k < 3; ++k)
        per_inertia[k] = species->inertia[k] > 0.0 ? 1.0 / species->inertia[k] : 0.0;
    for (size_t i = range.begin; i < range.end; ++i)
        accelerate(state, per_mass, per_inertia, i);
}

void ph_host_accelerate(struct ph_state *state) { each(state, accelerate_range, state); }

/* ---- A new box ---- */

/* r = factor r for centres */
struct mapping {
    double factor[3][3];
    struct ph_system *system;
};

PH_INLINE void map_centre(const double f[3][3], size_t i, double *x, double *y, double *z)
{
    const double a = x[i], b = y[i], c = z[i];
    x[i] = f[0][0] * a + f[0][1] * b + f[0][2] * c;
    y[i] = f[1][0] * a + f[1][1] * b + f[1][2] * c;
    z[i] = f[2][0] * a + f[2][1] * b + f[2][2] * c;
}

static void map_range(struct ph_range range, void *data)
{
    const struct mapping mapping = *(const struct mapping *)data;
    double *restrict x = mapping.system->r[0], *restrict y = mapping.system->r[1], *restrict z = mapping.system->r[2];
    PH_SIMD
    for (size_t i = range.begin; i < range.end; ++i)
        map_centre(mapping.factor, i, x, y, z);
}

void ph_host_map_centres(struct ph_state *state, const double map[3][3])
{
    struct mapping mapping = {.system = state->system};
    memcpy(mapping.factor, map, sizeof mapping.factor);
    each(state, map_range, &mapping);
    ph_host_forget(state, 0, PH_STATE_RESIDUAL_COLUMNS);
}

/* ---- Baths ---- */

void ph_host_kinetic(struct ph_state *state, double kinetic[PH_BATH_GROUPS])
{
    const struct ph_owned *local = state->kind->local(state);
    ph_momenta_kinetic(state->system, local, kinetic);
}

void ph_host_scale_by(struct ph_state *state, const double factor[PH_BATH_GROUPS])
{
    const struct ph_owned *local = state->kind->local(state);
    ph_momenta_scale(factor, local, state->system);
}

struct columns {
    double *const *column;
    int first, end;
};

static void clear_range(struct ph_range range, void *data)
{
    const struct columns *columns = data;
    for (int k = columns->first; k < columns->end; ++k)
        memset(columns->column[k] + range.begin, 0, (range.end - range.begin) * sizeof(double));
}

void ph_host_forget(struct ph_state *state, int first, int end)
{
    if (state->options.compensated)
        each(state, clear_range, &(struct columns){state->residual, first, end});
}

enum ph_status ph_host_scale(struct ph_state *state, const struct ph_scaling *scaling, double *numbers,
                             struct ph_error *err)
{
    (void)err;
    double kinetic[PH_BATH_GROUPS], factor[PH_BATH_GROUPS];
    const struct ph_owned *own = state->kind->local(state);
    ph_momenta_kinetic(state->system, own, kinetic);
    ph_momenta_factors(scaling, kinetic, numbers, factor);
    ph_momenta_scale(factor, own, state->system);
    ph_host_forget(state, PH_RESIDUAL_P, PH_STATE_RESIDUAL_COLUMNS);
    return PH_OK;
}

enum ph_status ph_host_restore(struct ph_state *state, const struct ph_force_memory *memory, struct ph_error *err)
{
    return ph_force_field_restore(state->field, state->system, memory, err);
}
