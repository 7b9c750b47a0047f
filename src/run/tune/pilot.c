/* SPDX-License-Identifier: MIT */
#include "run/tune/pilot.h"

#include "base/clock.h"
#include "force/force_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SAMPLES = 128,  /* energies taken in a run, if it has as many steps */
    RELAX_RUN = 16, /* steps of relaxation between looks at the time scale */
    DOUBLES = 13,   /* r, p, q, m */
};

/* Steps of relaxation, as parts of two times. One is the time scale. In the other the largest force changes the
 * momentum of its molecule by the root mean square of all momenta. */
static const double relax_part = 0.1, relax_worst = 0.3;

struct state {
    double *numbers; /* owned; DOUBLES arrays of n */
    int32_t *image;  /* owned; 3 arrays of n */
};

struct ph_pilot {
    struct ph_system *system;     /* not owned */
    struct ph_force_field *field; /* owned */
    bool compensated, pinned, has_fast;
    size_t n_states;
    struct state state[PH_PILOT_STATES];
    double lists, run_time; /* lists made after the first of runs, and the time that these covered */
};

void ph_pilot_destroy(struct ph_pilot *pilot)
{
    if (!pilot)
        return;
    ph_force_field_destroy(pilot->field);
    for (size_t k = 0; k < pilot->n_states; ++k) {
        free(pilot->state[k].numbers);
        free(pilot->state[k].image);
    }
    free(pilot);
}

enum ph_status ph_pilot_create(struct ph_system *system, const struct ph_interactions *interactions, bool compensated,
                               struct ph_pilot **out, struct ph_error *err)
{
    *out = NULL;
    struct ph_pilot *pilot = calloc(1, sizeof *pilot);
    if (!pilot)
        return ph_no_memory(err, "pilot runs");
    pilot->system = system;
    pilot->compensated = compensated;
    pilot->pinned = interactions->pinned;
    pilot->has_fast = interactions->fast.kind != PH_FAST_NONE;
    const enum ph_status status = ph_force_field_create(system, interactions, &pilot->field, err);
    if (status != PH_OK) {
        ph_pilot_destroy(pilot);
        return status;
    }
    *out = pilot;
    return PH_OK;
}

static enum ph_status move_with(struct ph_pilot *pilot, const struct ph_scheme *scheme, const struct ph_flow *flow,
                                double step, struct ph_dynamics **out, struct ph_error *err)
{
    const struct ph_dynamics_options options = {
        .scheme = scheme, .flow = flow, .step = step, .compensated = pilot->compensated, .pinned = pilot->pinned};
    return ph_dynamics_create(pilot->system, pilot->field, &options, out, err);
}

/* ---- States ---- */

static double *const *number_array(const struct ph_system *system, int k)
{
    return k < 3 ? &system->r[k] : k < 6 ? &system->p[k - 3] : k < 10 ? &system->q[k - 6] : &system->m[k - 10];
}

enum ph_status ph_pilot_keep(struct ph_pilot *pilot, struct ph_error *err)
{
    const size_t n = pilot->system->n;
    if (pilot->n_states == PH_PILOT_STATES)
        return ph_error_set(err, PH_ERR_INPUT, "Pilot runs begin from %d states at most.", PH_PILOT_STATES);
    struct state state = {.numbers = malloc(DOUBLES * n * sizeof(double)), .image = malloc(3 * n * sizeof(int32_t))};
    if (!state.numbers || !state.image) {
        free(state.numbers);
        free(state.image);
        return ph_no_memory(err, "pilot runs");
    }
    for (int k = 0; k < DOUBLES; ++k)
        memcpy(state.numbers + (size_t)k * n, *number_array(pilot->system, k), n * sizeof(double));
    for (size_t k = 0; k < 3; ++k)
        memcpy(state.image + k * n, pilot->system->image[k], n * sizeof(int32_t));
    pilot->state[pilot->n_states++] = state;
    return PH_OK;
}

size_t ph_pilot_states(const struct ph_pilot *pilot) { return pilot->n_states; }

static void restore(struct ph_pilot *pilot, size_t which)
{
    const size_t n = pilot->system->n;
    const struct state *state = &pilot->state[which];
    for (int k = 0; k < DOUBLES; ++k)
        memcpy(*number_array(pilot->system, k), state->numbers + (size_t)k * n, n * sizeof(double));
    for (size_t k = 0; k < 3; ++k)
        memcpy(pilot->system->image[k], state->image + k * n, n * sizeof(int32_t));
    ph_force_field_forget(pilot->field);
}

/* ---- Time scales and relaxation ---- */

static double square(double *const v[3], size_t i) { return v[0][i] * v[0][i] + v[1][i] * v[1][i] + v[2][i] * v[2][i]; }

/* Of molecules begin to end: rms |momentum| over rms |force|, and over the largest |force| */
struct ratio {
    double usual, worst;
};

static void take_ratio(double *const momentum[3], double *const force[3], size_t begin, size_t end, struct ratio *least)
{
    double momenta = 0.0, forces = 0.0, largest = 0.0;
    for (size_t i = begin; i < end; ++i) {
        const double f = square(force, i);
        momenta += square(momentum, i);
        forces += f;
        largest = fmax(largest, f);
    }
    if (!(forces > 0.0))
        return;
    least->usual = fmin(least->usual, sqrt(momenta / forces));
    least->worst = fmin(least->worst, sqrt(momenta / (double)(end - begin) / largest));
}

/* Of a system whose forces are known */
static struct ratio time_scales(const struct ph_pilot *pilot)
{
    const struct ph_system *system = pilot->system;
    struct ratio least = {.usual = INFINITY, .worst = INFINITY};
    for (size_t s = 0; s < system->n_species; ++s) {
        const size_t begin = system->first[s], end = system->first[s + 1];
        if (!pilot->pinned)
            take_ratio(system->p, system->f, begin, end, &least);
        if (system->species[s].degrees > 0)
            take_ratio(system->m, system->t, begin, end, &least);
    }
    return least;
}

enum ph_status ph_pilot_time_scale(struct ph_pilot *pilot, double *scale, struct ph_error *err)
{
    const enum ph_status status = ph_force_field_evaluate(pilot->field, pilot->system, PH_FORCES_ALL, NULL, NULL, err);
    *scale = time_scales(pilot).usual;
    return status;
}

/* A few steps of one length */
static enum ph_status relax_run(struct ph_pilot *pilot, double step, const struct ph_thermostat *bath, uint64_t *count,
                                struct ph_error *err)
{
    struct ph_dynamics *dynamics;
    enum ph_status status = move_with(pilot, ph_scheme_find("verlet"), ph_flow_find("exact"), step, &dynamics, err);
    for (int k = 0; k < RELAX_RUN && status == PH_OK; ++k) {
        status = ph_dynamics_advance(dynamics, 1, err);
        if (status == PH_OK)
            status = ph_dynamics_synchronise(dynamics, NULL, err);
        if (status == PH_OK && bath) {
            ph_thermostat_apply(bath, step, ++*count, pilot->system);
            ph_state_changed(ph_dynamics_state(dynamics), PH_STATE_MOMENTA);
        }
    }
    ph_dynamics_destroy(dynamics);
    return status;
}

enum ph_status ph_pilot_relax(struct ph_pilot *pilot, double scales, double time, const struct ph_thermostat *bath,
                              double *relaxed, struct ph_error *err)
{
    double passed = 0.0;
    uint64_t count = 0;
    *relaxed = 0.0;
    while (passed < scales && *relaxed < time * (1.0 - 1e-9)) {
        enum ph_status status = ph_force_field_evaluate(pilot->field, pilot->system, PH_FORCES_ALL, NULL, NULL, err);
        if (status != PH_OK)
            return status;
        const struct ratio now = time_scales(pilot);
        const double step = fmin(fmin(relax_part * now.usual, relax_worst * now.worst), (time - *relaxed) / RELAX_RUN);
        if (!(step > 0.0 && isfinite(step)))
            return PH_OK; /* nothing moves, or no force acts: there is nothing to relax */
        status = relax_run(pilot, step, bath, &count, err);
        if (status != PH_OK)
            return status;
        *relaxed += RELAX_RUN * step;
        passed += RELAX_RUN * step / now.usual;
    }
    return PH_OK;
}

/* ---- Runs ---- */

/* Mean and sum of squares about it, of deviations from the first energy (Welford) */
struct moments {
    double n, mean, squares;
};

static void add_sample(double x, struct moments *moments)
{
    const double delta = x - moments->mean;
    moments->n += 1.0;
    moments->mean += delta / moments->n;
    moments->squares += delta * (x - moments->mean);
}

static enum ph_status total_energy(const struct ph_system *system, struct ph_dynamics *dynamics, double *total,
                                   struct ph_error *err)
{
    struct ph_energy energy;
    const enum ph_status status = ph_dynamics_synchronise(dynamics, &energy, err);
    *total = status == PH_OK
                 ? ph_energy_total(&energy) + ph_system_kinetic_translation(system) + ph_system_kinetic_rotation(system)
                 : NAN;
    return status;
}

/* Variances of the energy per molecule: over a whole run, and over its halves */
struct variances {
    double whole, halves;
};

static double variance(const struct moments *moments) { return moments->squares / (moments->n - 1.0); }

/* One run from the state that the system is in */
static enum ph_status follow(struct ph_pilot *pilot, struct ph_dynamics *dynamics, double limit,
                             struct ph_pilot_run *run, struct variances *out, struct ph_error *err)
{
    const double per_molecule = 1.0 / (double)pilot->system->n;
    const long every = (run->steps + SAMPLES - 1) / SAMPLES;
    struct moments whole = {.n = 0.0}, half[2] = {{.n = 0.0}};
    double first = NAN;
    for (long step = 0; step <= run->steps && !run->gave_up; step += every) {
        double total = NAN;
        enum ph_status status = step > 0 ? ph_dynamics_advance(dynamics, every, err) : PH_OK;
        if (status == PH_OK)
            status = total_energy(pilot->system, dynamics, &total, err);
        if (status != PH_OK)
            return status;
        if (step == 0)
            first = total;
        const double deviation = (total - first) * per_molecule;
        add_sample(deviation, &whole);
        add_sample(deviation, &half[2 * step > run->steps]);
        run->gave_up = !(fabs(deviation) <= limit); /* true for NaN */
    }
    *out = (struct variances){.whole = variance(&whole), .halves = 0.5 * (variance(&half[0]) + variance(&half[1]))};
    return isfinite(out->whole) ? PH_OK : ph_error_set(err, PH_ERR_NUMBERS, "The total energy is not finite.");
}

static enum ph_status run_state(struct ph_pilot *pilot, size_t which, const struct ph_dynamics_options *options,
                                double limit, struct ph_pilot_run *run, struct variances *out, struct ph_error *err)
{
    restore(pilot, which);
    struct ph_dynamics *dynamics;
    enum ph_status status = ph_dynamics_create(pilot->system, pilot->field, options, &dynamics, err);
    if (status != PH_OK)
        return status;
    const size_t lists = ph_force_field_counts(pilot->field).lists_made;
    status = follow(pilot, dynamics, limit, run, out, err);
    const struct ph_state_counts counts = ph_state_counts(ph_dynamics_state(dynamics));
    ph_state_counts_add(&counts, &run->counts);
    run->fast_cost = ph_force_field_part_costs(pilot->field).fast;
    run->spent += lround(ph_state_equivalent(&counts, pilot->field)) + (long)counts.gradients;
    if (status == PH_OK && !run->gave_up) {
        const size_t made = ph_force_field_counts(pilot->field).lists_made - lists;
        pilot->lists += made > 0 ? (double)(made - 1) : 0.0;
        pilot->run_time += (double)run->steps * fabs(options->step);
    }
    ph_dynamics_destroy(dynamics);
    return status;
}

/* A random walk whose mean square grows by D t has the variance D t/6 about its mean over t. */
static double wander(double whole, double halves, double time)
{
    return whole > halves ? sqrt(12.0 * (whole - halves) / time) : 0.0; /* NaN: 0 */
}

enum ph_status ph_pilot_measure(struct ph_pilot *pilot, size_t states, struct ph_dynamics_options options, double time,
                                double limit, struct ph_pilot_run *run, struct ph_error *err)
{
    options.compensated = pilot->compensated;
    options.pinned = pilot->pinned;
    const double step = fabs(options.step);
    const long least = (long)ceil(time / step * (1.0 - 1e-9)), every = (least + SAMPLES - 1) / SAMPLES;
    *run = (struct ph_pilot_run){.steps = (least + every - 1) / every * every, .error = INFINITY};
    struct variances sum = {.whole = 0.0};
    while (run->states < pilot->n_states && run->states < states && !run->gave_up) {
        struct variances one = {.whole = NAN};
        struct ph_error inner = {.text = ""};
        const enum ph_status status = run_state(pilot, run->states, &options, limit, run, &one, &inner);
        if (status == PH_ERR_NUMBERS) {
            snprintf(run->failure, sizeof run->failure, "%.250s", inner.text);
            return PH_OK;
        }
        if (status != PH_OK)
            return ph_error_set(err, status, "%.1000s", inner.text);
        run->variance[run->states++] = one.whole;
        sum.whole += one.whole;
        sum.halves += one.halves;
    }
    const double n = (double)run->states;
    run->error = sqrt(sum.whole / n);
    if (!run->gave_up)
        run->wander = wander(sum.whole / n, sum.halves / n, (double)run->steps * step);
    return PH_OK;
}

/* ---- Costs ---- */

enum { ROUNDS = 7 };
static const double round_seconds = 0.01;

/* The least time of a step so far, from the first state; steps so short that the pair list stays good. `substeps`: of
 * the same scheme with fast forces, or 0. */
static enum ph_status time_steps(struct ph_pilot *pilot, const char *scheme, int substeps, const struct ph_flow *flow,
                                 double step, double *seconds, struct ph_error *err)
{
    const struct ph_dynamics_options options = {.scheme = ph_scheme_find(scheme),
                                                .flow = flow,
                                                .step = step,
                                                .compensated = pilot->compensated,
                                                .pinned = pilot->pinned,
                                                .inner = substeps > 0 ? ph_scheme_find(scheme) : NULL,
                                                .substeps = substeps};
    restore(pilot, 0);
    struct ph_dynamics *dynamics;
    enum ph_status status = ph_dynamics_create(pilot->system, pilot->field, &options, &dynamics, err);
    if (status == PH_OK)
        status = ph_dynamics_advance(dynamics, 1, err); /* makes the list */
    const double begin = ph_clock_wall();
    double before = begin;
    while (status == PH_OK && before - begin < round_seconds) {
        status = ph_dynamics_advance(dynamics, 1, err);
        const double after = ph_clock_wall();
        *seconds = fmin(*seconds, after - before);
        before = after;
    }
    ph_dynamics_destroy(dynamics);
    return status;
}

/* times: the least so far of an evaluation with a new list, and with the existing one */
static enum ph_status time_list(struct ph_pilot *pilot, double times[2], struct ph_error *err)
{
    enum ph_status status = PH_OK;
    ph_force_field_forget(pilot->field);
    for (int k = 0; k < 2 && status == PH_OK; ++k) {
        const double begin = ph_clock_wall();
        status = ph_force_field_evaluate(pilot->field, pilot->system, PH_FORCES_ALL, NULL, NULL, err);
        times[k] = fmin(times[k], ph_clock_wall() - begin);
    }
    return status;
}

enum ph_status ph_pilot_time_costs(struct ph_pilot *pilot, const struct ph_flow *flow, struct ph_pilot_costs *costs,
                                   struct ph_error *err)
{
    enum { FEW = 1, MANY = 9 }; /* substeps */
    double scale, verlet = INFINITY, chin = INFINITY, list[2] = {INFINITY, INFINITY}, nested[2] = {INFINITY, INFINITY};
    bool gradients = true;
    restore(pilot, 0);
    enum ph_status status = ph_pilot_time_scale(pilot, &scale, err);
    const double step = scale > 0.0 && isfinite(scale) ? 1e-4 * scale : 1e-9;
    for (int k = 0; k < ROUNDS && status == PH_OK; ++k) {
        status = time_steps(pilot, "verlet", 0, flow, step, &verlet, err);
        for (int many = 0; many < 2 && pilot->has_fast && status == PH_OK; ++many)
            status = time_steps(pilot, "verlet", many ? MANY : FEW, flow, step, &nested[many], err);
        if (status == PH_OK)
            status = time_list(pilot, list, err);
        gradients = gradients && time_steps(pilot, "chin4a", 0, flow, step, &chin, NULL) == PH_OK;
    }
    *costs = (struct ph_pilot_costs){
        .evaluation = verlet,
        .gradient = gradients ? fmax(0.0, chin - 2.0 * verlet) : NAN, /* chin4a: two evaluations and a gradient */
        .list = fmax(0.0, list[0] - list[1]),
        .fast = pilot->has_fast ? fmax(0.0, nested[1] - nested[0]) / (MANY - FEW) : NAN,
    };
    return status;
}

double ph_pilot_lists_per_time(const struct ph_pilot *pilot)
{
    return pilot->run_time > 0.0 ? pilot->lists / pilot->run_time : 0.0;
}
