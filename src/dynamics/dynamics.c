/* SPDX-License-Identifier: MIT */
#include "dynamics/dynamics.h"

#include "base/array.h"
#include "base/compensated.h"
#include "base/rotation.h"
#include "base/threads.h"
#include "dynamics/moved.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { RESIDUAL_R = 0, RESIDUAL_P = 3, RESIDUAL_M = 6 };
enum { ROW_P = 7, ROWS = 13 }; /* of r, q, p, m */

struct ph_dynamics {
    struct ph_system *system;     /* not owned */
    struct ph_force_field *field; /* not owned */
    struct ph_dynamics_options options;
    struct ph_top *top;                      /* owned; of each species that rotates */
    double *residual[PH_DYNAMICS_RESIDUALS]; /* owned; NULL if not compensated */
    /* Owned, for schemes with gradients: accelerations, angular accelerations, rates of force and torque along them */
    double *acceleration[3], *spin_up[3], *force_rate[3], *torque_rate[3];
    bool forces_known, rates_known; /* of these positions, */
    enum ph_force_part part;        /* if it is these of which forces are known */
    bool fast_kept;                 /* the field keeps the fast ones of these positions */
    bool owes;                      /* the last outermost flow is still to be done */
    int unwritten;                  /* parts of the state that the backend does not have yet */
    double *row[ROWS + PH_DYNAMICS_RESIDUALS + PH_DYNAMICS_CARRIED];
    size_t n_rows;        /* of these, without those that are carried for others */
    struct ph_rows state; /* all that there are */
    int scattered;        /* parts, over the processes that have moved their own molecules since all knew the whole */
    struct ph_dynamics_counts counts;
};

void ph_dynamics_destroy(struct ph_dynamics *dynamics)
{
    if (!dynamics)
        return;
    if (dynamics->state.apart) /* residuals are not shown any more */
        (void)ph_force_field_owned(dynamics->field);
    free(dynamics->top);
    for (int k = 0; k < PH_DYNAMICS_RESIDUALS; ++k)
        free(dynamics->residual[k]);
    for (int k = 0; k < 3; ++k) {
        free(dynamics->acceleration[k]);
        free(dynamics->spin_up[k]);
        free(dynamics->force_rate[k]);
        free(dynamics->torque_rate[k]);
    }
    free(dynamics);
}

static bool allocate(struct ph_dynamics *dynamics)
{
    const size_t n = ph_padded(dynamics->system->n);
    const struct ph_scheme *scheme = dynamics->options.scheme;
    bool ok = (dynamics->top = calloc(dynamics->system->n_species, sizeof *dynamics->top)) != NULL;
    for (int k = 0; k < PH_DYNAMICS_RESIDUALS && ok && dynamics->options.compensated; ++k)
        ok = (dynamics->residual[k] = ph_array_create(n, sizeof(double))) != NULL;
    for (int k = 0; k < 3 && ok && scheme && ph_scheme_gradients(scheme) > 0; ++k)
        ok = (dynamics->acceleration[k] = ph_array_create(n, sizeof(double))) != NULL &&
             (dynamics->spin_up[k] = ph_array_create(n, sizeof(double))) != NULL &&
             (dynamics->force_rate[k] = ph_array_create(n, sizeof(double))) != NULL &&
             (dynamics->torque_rate[k] = ph_array_create(n, sizeof(double))) != NULL;
    return ok;
}

/* Everything that goes with a molecule: r and q, p and m, residuals */
static void list_rows(struct ph_dynamics *dynamics)
{
    const struct ph_system *system = dynamics->system;
    double *const rows[ROWS] = {system->r[0], system->r[1], system->r[2], system->q[0], system->q[1],
                                system->q[2], system->q[3], system->p[0], system->p[1], system->p[2],
                                system->m[0], system->m[1], system->m[2]};
    memcpy(dynamics->row, rows, sizeof rows);
    memcpy(dynamics->row + ROWS, dynamics->residual, sizeof dynamics->residual);
    dynamics->n_rows = ROWS + (dynamics->options.compensated ? PH_DYNAMICS_RESIDUALS : 0);
    dynamics->state = (struct ph_rows){
        .n = dynamics->n_rows, .row = dynamics->row, .image = system->image, .apart = dynamics->options.apart};
}

enum ph_status ph_dynamics_create(struct ph_system *system, struct ph_force_field *field,
                                  const struct ph_dynamics_options *options, struct ph_dynamics **out,
                                  struct ph_error *err)
{
    *out = NULL;
    if (options->inner && (ph_scheme_gradients(options->scheme) > 0 || ph_scheme_gradients(options->inner) > 0))
        return ph_error_set(err, PH_ERR_INPUT, "Schemes with force gradients cannot be nested: %s, %s.",
                            options->scheme->name, options->inner->name);
    struct ph_dynamics *dynamics = calloc(1, sizeof *dynamics);
    if (!dynamics)
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for the dynamics.");
    dynamics->system = system;
    dynamics->field = field;
    dynamics->options = *options;
    dynamics->options.owned =
        options->owned && !options->backend &&
        !(options->inner && ph_force_field_slow_needs_fast(field) && !ph_force_field_parted(field));
    dynamics->options.apart = options->apart && dynamics->options.owned;
    dynamics->unwritten = PH_STATE_ALL;
    enum ph_status status = PH_OK;
    if (allocate(dynamics))
        list_rows(dynamics);
    else
        status = ph_error_set(err, PH_ERR_MEMORY, "No memory for the dynamics of %zu molecules.", system->n);
    for (size_t s = 0; s < system->n_species && status == PH_OK; ++s)
        if (system->species[s].degrees > 0)
            status = ph_top_init(system->species[s].inertia, &dynamics->top[s], err);
    if (status != PH_OK) {
        ph_dynamics_destroy(dynamics);
        return status;
    }
    *out = dynamics;
    return PH_OK;
}

/* ---- The two flows ---- */

/* Which molecules this process moves: NULL for all. From then on these parts of the state of others are old. */
static const struct ph_owned *take_ours(struct ph_dynamics *dynamics, int parts)
{
    const struct ph_owned *own = dynamics->options.owned ? ph_force_field_owned(dynamics->field) : NULL;
    dynamics->scattered |= own ? parts : 0;
    return own;
}

/* Makes parts of the state whole: forces where they are wanted, of the last evaluation, residuals and the memory of the
 * field where all is. */
static enum ph_status collect(struct ph_dynamics *dynamics, int parts, struct ph_error *err)
{
    const struct ph_system *system = dynamics->system;
    double *const forces[] = {system->f[0], system->f[1], system->f[2], system->t[0], system->t[1], system->t[2]};
    enum ph_status status = PH_OK;
    if (!dynamics->options.owned)
        return PH_OK;
    const bool all = parts == PH_STATE_ALL;
    if (!ph_force_field_shows_all(dynamics->field))
        dynamics->scattered |= PH_STATE_PLACES | PH_STATE_MOMENTA;
    const int old = all ? parts : parts & dynamics->scattered;
    const size_t first = old & PH_STATE_PLACES ? 0 : ROW_P, end = all                      ? dynamics->n_rows
                                                                  : old & PH_STATE_MOMENTA ? ROWS
                                                                                           : ROW_P;
    if (old)
        status = ph_force_field_collect(dynamics->field,
                                        &(struct ph_rows){.n = end - first,
                                                          .row = dynamics->row + first,
                                                          .image = old & PH_STATE_PLACES ? system->image : NULL},
                                        err);
    if (status == PH_OK && all)
        status = ph_force_field_collect_memory(dynamics->field, false, err);
    if (status == PH_OK && parts & PH_STATE_FORCES)
        status = ph_force_field_collect(dynamics->field, &(struct ph_rows){.n = 6, .row = forces}, err);
    dynamics->scattered &= ~parts;
    return status;
}

/* The same for the first process alone: places, momenta and forces, or residuals and the memory too */
static enum ph_status collect_first(struct ph_dynamics *dynamics, bool all, struct ph_error *err)
{
    const struct ph_system *system = dynamics->system;
    double *row[ROWS + PH_DYNAMICS_RESIDUALS + 6];
    size_t n = all ? dynamics->n_rows : ROWS;
    memcpy(row, dynamics->row, n * sizeof *row);
    for (int k = 0; k < 3; ++k) {
        row[n++] = system->f[k];
        row[n++] = system->t[k];
    }
    const struct ph_rows rows = {.n = n, .row = row, .image = system->image};
    enum ph_status status = ph_force_field_collect_first(dynamics->field, &rows, err);
    if (status == PH_OK && all)
        status = ph_force_field_collect_memory(dynamics->field, true, err);
    dynamics->scattered |= PH_STATE_PLACES | PH_STATE_MOMENTA; /* for the others */
    return status;
}

/* What was changed here is made known to the backend. */
static enum ph_status write_state(struct ph_dynamics *dynamics, struct ph_error *err)
{
    struct ph_backend *backend = dynamics->options.backend;
    if (dynamics->unwritten == 0)
        return PH_OK;
    double *const *residuals = ph_dynamics_residuals(dynamics);
    const enum ph_status status = backend->write(backend, dynamics->unwritten, dynamics->system, residuals, err);
    dynamics->unwritten = status == PH_OK ? 0 : dynamics->unwritten;
    return status;
}

/* A flow of molecules of one species: a drift for a time t, or a kick by t times forces and g times their rates */
struct flow_of {
    struct ph_dynamics *dynamics;
    size_t species;
    double t, g;
};

static void drift_turn(const struct ph_moved *turn, void *data)
{
    const struct flow_of *flow = data;
    struct ph_dynamics *dynamics = flow->dynamics;
    struct ph_system *system = dynamics->system;
    const struct ph_species *species = &system->species[flow->species];
    if (!dynamics->options.pinned)
        ph_moved_add(turn, flow->t / species->mass, system->p, system->r, &dynamics->residual[RESIDUAL_R]);
    if (species->degrees > 0)
        ph_moved_rotate(turn, dynamics->options.flow, &dynamics->top[flow->species], flow->t, system);
}

/* A: free flight and free rotation for a time t */
static enum ph_status drift(struct ph_dynamics *dynamics, double t, double none, struct ph_error *err)
{
    (void)none;
    struct ph_system *system = dynamics->system;
    struct ph_backend *backend = dynamics->options.backend;
    if (backend) {
        dynamics->forces_known = false;
        const enum ph_status status = write_state(dynamics, err);
        return status == PH_OK ? backend->drift(backend, t, err) : status;
    }
    const struct ph_owned *own = take_ours(dynamics, PH_STATE_PLACES | PH_STATE_MOMENTA);
    for (size_t s = 0; s < system->n_species; ++s)
        ph_moved_share(ph_moved_of(system, own, s), drift_turn, &(struct flow_of){dynamics, s, t, 0.0});
    dynamics->forces_known = dynamics->rates_known = dynamics->fast_kept = false;
    return PH_OK;
}

/* Whether what was evaluated last counts: the same for any number of processes */
static bool counts(const struct ph_dynamics *dynamics) { return !ph_force_field_refused(dynamics->field); }

static enum ph_status know_forces(struct ph_dynamics *dynamics, struct ph_energy *energy, struct ph_error *err)
{
    if (dynamics->forces_known && dynamics->part == PH_FORCES_ALL && !energy)
        return PH_OK;
    struct ph_backend *backend = dynamics->options.backend;
    enum ph_status status = backend ? write_state(dynamics, err) : PH_OK;
    if (status == PH_OK)
        status = backend ? backend->evaluate(backend, energy, err)
                 : dynamics->options.owned
                     ? ph_force_field_evaluate_owned(dynamics->field, dynamics->system, &dynamics->state, energy, err)
                     : ph_force_field_evaluate(dynamics->field, dynamics->system, energy, err);
    take_ours(dynamics, PH_STATE_PLACES); /* a new list puts centres into the box */
    dynamics->forces_known = status == PH_OK;
    dynamics->part = PH_FORCES_ALL;
    dynamics->counts.evaluations += counts(dynamics);
    return status;
}

static enum ph_status evaluate_part(struct ph_dynamics *dynamics, enum ph_force_part part, struct ph_error *err)
{
    const enum ph_status status =
        dynamics->options.owned
            ? ph_force_field_evaluate_part_owned(dynamics->field, part, dynamics->system, &dynamics->state, err)
            : ph_force_field_evaluate_part(dynamics->field, part, dynamics->system, err);
    take_ours(dynamics, PH_STATE_PLACES); /* a new list puts centres into the box */
    *(part == PH_FORCES_FAST ? &dynamics->counts.fast : &dynamics->counts.slow) += counts(dynamics);
    dynamics->fast_kept = status == PH_OK && (dynamics->fast_kept || part == PH_FORCES_FAST);
    return status;
}

/* Forces of a part. Fast ones of a place are evaluated once: slow ones in between do not make them unknown. */
static enum ph_status know_part(struct ph_dynamics *dynamics, enum ph_force_part part, struct ph_error *err)
{
    if (part == PH_FORCES_ALL)
        return know_forces(dynamics, NULL, err);
    if (dynamics->forces_known && dynamics->part == part)
        return PH_OK;
    const bool less_fast = part == PH_FORCES_SLOW && ph_force_field_slow_needs_fast(dynamics->field);
    /* New lists, which wrap positions, are made with fast forces: those of a place are what a resumed run finds. */
    const bool kept = dynamics->fast_kept && ph_force_field_keeps_fast(dynamics->field);
    enum ph_status status = PH_OK;
    if (part == PH_FORCES_FAST && kept) {
        ph_force_field_recall_fast(dynamics->field, dynamics->system);
    } else if (less_fast && kept && dynamics->forces_known && dynamics->part == PH_FORCES_ALL) {
        ph_force_field_take_off_fast(dynamics->field, dynamics->system); /* after an energy */
    } else {
        if (less_fast && !kept)
            status = evaluate_part(dynamics, PH_FORCES_FAST, err);
        if (status == PH_OK)
            status = evaluate_part(dynamics, part, err);
    }
    dynamics->forces_known = status == PH_OK;
    dynamics->part = part;
    return status;
}

PH_INLINE void load3(double *const from[3], size_t i, double v[3])
{
    for (int k = 0; k < 3; ++k)
        v[k] = from[k][i];
}

/* Conjugate of the orientation: space to body */
PH_INLINE void load_back(const struct ph_system *system, size_t i, double back[4])
{
    back[0] = system->q[0][i];
    for (int k = 1; k < 4; ++k)
        back[k] = -system->q[k][i];
}

/* Acceleration and angular acceleration I^-1 torque of molecule i in space; a linear rotor has none about its axis. */
static void accelerate(struct ph_dynamics *dynamics, double per_mass, const double per_inertia[3], size_t i)
{
    const struct ph_system *system = dynamics->system;
    double back[4], torque[3], body[3], turned[3];
    load_back(system, i, back);
    load3(system->t, i, torque);
    ph_quat_rotate(back, torque, body);
    for (int k = 0; k < 3; ++k)
        body[k] *= per_inertia[k];
    const double q[4] = {back[0], -back[1], -back[2], -back[3]};
    ph_quat_rotate(q, body, turned);
    for (int k = 0; k < 3; ++k) {
        dynamics->acceleration[k][i] = per_mass * system->f[k][i];
        dynamics->spin_up[k][i] = turned[k];
    }
}

static void accelerations(struct ph_dynamics *dynamics)
{
    const struct ph_system *system = dynamics->system;
    const struct ph_owned *own = take_ours(dynamics, 0);
    for (size_t s = 0; s < system->n_species; ++s) {
        const struct ph_species *species = &system->species[s];
        const struct ph_moved moved = ph_moved_of(system, own, s);
        const double per_mass = dynamics->options.pinned ? 0.0 : 1.0 / species->mass;
        double per_inertia[3];
        for (int k = 0; k < 3; ++k)
            per_inertia[k] = species->inertia[k] > 0.0 ? 1.0 / species->inertia[k] : 0.0;
        if (moved.end - moved.begin < PH_WORTH_THREADS) {
            for (size_t k = moved.begin; k < moved.end; ++k)
                accelerate(dynamics, per_mass, per_inertia, ph_moved_at(&moved, k));
            continue;
        }
#pragma omp parallel for schedule(static)
        for (size_t k = moved.begin; k < moved.end; ++k)
            accelerate(dynamics, per_mass, per_inertia, ph_moved_at(&moved, k));
    }
}

static enum ph_status know_rates(struct ph_dynamics *dynamics, struct ph_error *err)
{
    if (dynamics->rates_known)
        return PH_OK;
    accelerations(dynamics);
    const enum ph_status status =
        dynamics->options.owned
            ? ph_force_field_derivative_owned(dynamics->field, dynamics->system, &dynamics->state,
                                              dynamics->acceleration, dynamics->spin_up, dynamics->force_rate,
                                              dynamics->torque_rate, err)
            : ph_force_field_derivative(dynamics->field, dynamics->system, dynamics->acceleration, dynamics->spin_up,
                                        dynamics->force_rate, dynamics->torque_rate, err);
    dynamics->rates_known = status == PH_OK;
    dynamics->counts.gradients += counts(dynamics);
    return status;
}

static void kick_turn(const struct ph_moved *turn, void *data)
{
    const struct flow_of *flow = data;
    struct ph_dynamics *dynamics = flow->dynamics;
    struct ph_system *system = dynamics->system;
    double *const *residual = &dynamics->residual[RESIDUAL_P];
    if (!dynamics->options.pinned)
        ph_moved_add(turn, flow->t, system->f, system->p, residual);
    if (!dynamics->options.pinned && flow->g != 0.0)
        ph_moved_add(turn, flow->g, dynamics->force_rate, system->p, residual);
    if (system->species[flow->species].degrees > 0)
        ph_moved_add_torque(turn, flow->t, flow->g, dynamics->torque_rate, system, &dynamics->residual[RESIDUAL_M]);
}

/* B: p += b f + c g, and the same for m; b and c with their powers of the step in them, g twice the rate of f */
static enum ph_status kick_by(struct ph_dynamics *dynamics, enum ph_force_part part, double b, double c,
                              struct ph_error *err)
{
    struct ph_system *system = dynamics->system;
    enum ph_status status = know_part(dynamics, part, err);
    if (status == PH_OK && c != 0.0)
        status = know_rates(dynamics, err);
    struct ph_backend *backend = dynamics->options.backend;
    if (status == PH_OK && backend) {
        status = write_state(dynamics, err); /* momenta may have been changed, forces not */
        return status == PH_OK ? backend->kick(backend, b, err) : status;
    }
    if (status != PH_OK)
        return status;
    const struct ph_owned *own = take_ours(dynamics, PH_STATE_MOMENTA);
    for (size_t k = 0; k < system->n_species; ++k)
        ph_moved_share(ph_moved_of(system, own, k), kick_turn, &(struct flow_of){dynamics, k, b, 2.0 * c});
    return PH_OK;
}

static enum ph_status kick(struct ph_dynamics *dynamics, double b, double c, struct ph_error *err)
{
    return kick_by(dynamics, PH_FORCES_ALL, b, c, err);
}

/* ---- The same for nested schemes ---- */

/* Inner steps for a time t; the last flow of one and the first of the next are joined. */
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
            status = flow.kind == PH_FLOW_DRIFT ? drift(dynamics, x, 0.0, err)
                                                : kick_by(dynamics, PH_FORCES_FAST, x, 0.0, err);
        }
    return status;
}

/* ---- Composition ---- */

/* What the letters of schemes stand for: x and c with their powers of the step in them */
typedef enum ph_status flow_function(struct ph_dynamics *dynamics, double x, double c, struct ph_error *err);
static flow_function *const flow_of_kind[] = {[PH_FLOW_DRIFT] = drift, [PH_FLOW_KICK] = kick};

enum ph_status ph_dynamics_flow(struct ph_dynamics *dynamics, enum ph_flow_kind kind, double t, struct ph_error *err)
{
    return flow_of_kind[kind](dynamics, t, 0.0, err);
}

/* Flow k of the scheme, once or twice. Twice is once for twice as long, but for inner steps, whose error it would
 * change.
 */
static enum ph_status flow(struct ph_dynamics *dynamics, int k, int times, struct ph_error *err)
{
    const struct ph_scheme_flow flow = ph_scheme_flow_at(dynamics->options.scheme, k);
    const double h = dynamics->options.step;
    if (!dynamics->options.inner)
        return flow_of_kind[flow.kind](dynamics, times * flow.x * h, times * flow.c * h * h * h, err);
    if (flow.kind == PH_FLOW_KICK)
        return kick_by(dynamics, PH_FORCES_SLOW, times * flow.x * h, 0.0, err);
    enum ph_status status = PH_OK;
    for (int time = 0; time < times && status == PH_OK; ++time)
        status = inner_steps(dynamics, flow.x * h, err);
    return status;
}

enum ph_status ph_dynamics_advance(struct ph_dynamics *dynamics, long n, struct ph_error *err)
{
    const int flows = dynamics->options.scheme->flows;
    for (long step = 0; step < n; ++step)
        for (int k = 0; k + 1 < flows; ++k) {
            const enum ph_status status = flow(dynamics, k, k == 0 && dynamics->owes ? 2 : 1, err);
            if (status != PH_OK)
                return status;
            dynamics->owes = true;
        }
    return PH_OK;
}

enum ph_status ph_dynamics_synchronise_momenta(struct ph_dynamics *dynamics, const struct ph_owned **own,
                                               struct ph_error *err)
{
    const enum ph_status status = dynamics->owes ? flow(dynamics, 0, 1, err) : PH_OK;
    dynamics->owes = false;
    *own = take_ours(dynamics, PH_STATE_MOMENTA);
    return status == PH_OK && dynamics->options.backend ? write_state(dynamics, err) : status;
}

/* Does the pending flow, with energies if they are asked for. */
static enum ph_status settle(struct ph_dynamics *dynamics, struct ph_energy *energy, struct ph_error *err)
{
    const bool kick_owed = dynamics->owes && ph_scheme_kick_first(dynamics->options.scheme) && !dynamics->options.inner;
    enum ph_status status = PH_OK;
    if (kick_owed && energy) /* the forces for the kick come with the energy */
        status = know_forces(dynamics, energy, err);
    if (status == PH_OK && dynamics->owes) {
        status = flow(dynamics, 0, 1, err);
        dynamics->owes = false;
    }
    if (status == PH_OK && energy && !kick_owed)
        status = know_forces(dynamics, energy, err);
    return status == PH_OK && dynamics->options.backend ? write_state(dynamics, err) : status;
}

enum ph_status ph_dynamics_observe(struct ph_dynamics *dynamics, struct ph_energy *energy, struct ph_state_sums *sums,
                                   struct ph_error *err)
{
    struct ph_backend *backend = dynamics->options.backend;
    const bool apart = dynamics->options.apart;
    enum ph_status status =
        backend || apart ? settle(dynamics, energy, err) : ph_dynamics_synchronise(dynamics, energy, err);
    if (status == PH_OK && sums && backend)
        status = backend->observe(backend, sums, err);
    else if (status == PH_OK && sums && apart)
        status = ph_force_field_sum_state(dynamics->field, dynamics->system, sums, err);
    else if (status == PH_OK && sums)
        ph_state_sum(dynamics->system, sums);
    return status;
}

enum ph_status ph_dynamics_synchronise(struct ph_dynamics *dynamics, struct ph_energy *energy, struct ph_error *err)
{
    struct ph_backend *backend = dynamics->options.backend;
    enum ph_status status = settle(dynamics, energy, err);
    const bool forces = energy || (!backend && dynamics->forces_known); /* they may have been seen before */
    const int parts = PH_STATE_PLACES | PH_STATE_MOMENTA | (forces ? PH_STATE_FORCES : 0);
    if (status == PH_OK && backend)
        status = backend->read(backend, parts, dynamics->system, NULL, err);
    return status == PH_OK ? collect(dynamics, parts, err) : status;
}

enum ph_status ph_dynamics_synchronise_places(struct ph_dynamics *dynamics, const struct ph_rows **state,
                                              struct ph_energy *energy, struct ph_error *err)
{
    *state = dynamics->options.owned ? &dynamics->state : NULL;
    if (!*state)
        return ph_dynamics_synchronise(dynamics, energy, err);
    const enum ph_status status = settle(dynamics, energy, err);
    take_ours(dynamics, PH_STATE_PLACES | PH_STATE_MOMENTA);
    return status;
}

const struct ph_owned *ph_dynamics_take(struct ph_dynamics *dynamics, int parts)
{
    if (parts & PH_STATE_PLACES)
        dynamics->forces_known = dynamics->rates_known = dynamics->fast_kept = false;
    return take_ours(dynamics, parts);
}

enum ph_status ph_dynamics_evaluate(struct ph_dynamics *dynamics, struct ph_energy *energy, struct ph_error *err)
{
    return know_forces(dynamics, energy, err);
}

void ph_dynamics_carry(struct ph_dynamics *dynamics, size_t n, double *const *rows)
{
    assert(dynamics->state.n + n <= sizeof dynamics->row / sizeof *dynamics->row);
    memcpy(dynamics->row + dynamics->state.n, rows, n * sizeof *rows);
    dynamics->state.n += n;
}

void ph_dynamics_drop(struct ph_dynamics *dynamics, size_t n)
{
    assert(dynamics->state.n >= dynamics->n_rows + n);
    dynamics->state.n -= n;
}

enum ph_status ph_dynamics_fetch(struct ph_dynamics *dynamics, struct ph_error *err)
{
    struct ph_backend *backend = dynamics->options.backend;
    double *const *residuals = ph_dynamics_residuals(dynamics);
    enum ph_status status = backend ? write_state(dynamics, err) : PH_OK;
    if (status == PH_OK && backend)
        status = backend->read(backend, PH_STATE_ALL, dynamics->system, residuals, err);
    return status == PH_OK ? collect(dynamics, PH_STATE_ALL, err) : status;
}

enum ph_status ph_dynamics_snap(struct ph_dynamics *dynamics, bool whole, bool *begun, struct ph_error *err)
{
    struct ph_backend *backend = dynamics->options.backend;
    const int parts = whole ? PH_STATE_ALL : PH_STATE_ALL & ~PH_STATE_RESIDUALS;
    *begun = false;
    const enum ph_status status = backend ? write_state(dynamics, err) : PH_OK;
    return status == PH_OK && backend ? backend->snap(backend, parts, dynamics->system, begun, err) : status;
}

/* Of all molecules, or of ours */
static void forget_residuals(struct ph_dynamics *dynamics, int first, int end)
{
    const struct ph_owned *own = take_ours(dynamics, 0);
    for (int k = first; k < end && dynamics->options.compensated; ++k)
        if (own)
            for (size_t m = 0; m < own->n; ++m)
                dynamics->residual[k][own->molecule[m]] = 0.0;
        else
            memset(dynamics->residual[k], 0, dynamics->system->n * sizeof(double));
}

enum ph_status ph_dynamics_synchronise_first(struct ph_dynamics *dynamics, struct ph_error *err)
{
    if (!dynamics->options.apart)
        return ph_dynamics_synchronise(dynamics, NULL, err);
    const enum ph_status status = settle(dynamics, NULL, err);
    return status == PH_OK ? collect_first(dynamics, false, err) : status;
}

bool ph_dynamics_apart(const struct ph_dynamics *dynamics)
{
    return dynamics->options.apart && ph_force_field_has_owners(dynamics->field);
}

const struct ph_rows *ph_dynamics_state(const struct ph_dynamics *dynamics)
{
    return dynamics->options.apart ? &dynamics->state : NULL;
}

enum ph_status ph_dynamics_fetch_first(struct ph_dynamics *dynamics, struct ph_error *err)
{
    return dynamics->options.apart ? collect_first(dynamics, true, err) : ph_dynamics_fetch(dynamics, err);
}

void ph_dynamics_momenta_changed(struct ph_dynamics *dynamics)
{
    dynamics->unwritten |= PH_STATE_MOMENTA;
    forget_residuals(dynamics, RESIDUAL_P, PH_DYNAMICS_RESIDUALS);
}

void ph_dynamics_reset(struct ph_dynamics *dynamics)
{
    forget_residuals(dynamics, RESIDUAL_R, PH_DYNAMICS_RESIDUALS);
    dynamics->forces_known = dynamics->rates_known = dynamics->fast_kept = dynamics->owes = false;
    dynamics->unwritten = PH_STATE_ALL;
}

void ph_dynamics_moved(struct ph_dynamics *dynamics)
{
    ph_dynamics_reset(dynamics);
    dynamics->forces_known = !dynamics->options.backend; /* which has its own */
    dynamics->part = PH_FORCES_ALL;
}

/* ---- State for checkpoints, counts ---- */

bool ph_dynamics_owes(const struct ph_dynamics *dynamics) { return dynamics->owes; }

void ph_dynamics_restore_owed(struct ph_dynamics *dynamics, bool owes)
{
    dynamics->owes = owes;
    dynamics->unwritten = PH_STATE_ALL;
}

double *const *ph_dynamics_residuals(struct ph_dynamics *dynamics)
{
    return dynamics->options.compensated ? dynamics->residual : NULL;
}

struct ph_dynamics_counts ph_dynamics_counts(const struct ph_dynamics *dynamics) { return dynamics->counts; }

void ph_dynamics_counts_add(const struct ph_dynamics_counts *more, struct ph_dynamics_counts *counts)
{
    counts->evaluations += more->evaluations;
    counts->gradients += more->gradients;
    counts->fast += more->fast;
    counts->slow += more->slow;
}

double ph_dynamics_equivalent(const struct ph_dynamics_counts *counts, const struct ph_force_field *field)
{
    const struct ph_part_costs costs = ph_force_field_part_costs(field);
    const double parts = (double)counts->fast * costs.fast + (double)counts->slow * costs.slow;
    return (double)counts->evaluations + (counts->fast + counts->slow > 0 ? parts : 0.0);
}
