/* SPDX-License-Identifier: MIT */
/* FIRE, the fast inertial relaxation engine (Bitzek, Koskinen, Gaehler, Moseler, Gumbsch, Phys. Rev. Lett. 97 (2006)
 * 170201), in the form 2.0 of Guenole, Noehring, Vaid, Houlle, Xie, Prakash, Bitzek, Comput. Mater. Sci. 175 (2020)
 * 109584. Molecules slide downhill with inertia, and velocities turn towards the forces little by little. All molecules
 * stop, half a step back, whenever they go uphill.
 *
 * All coordinates are lengths, and all masses are 1. Coordinates of a molecule are its centre, and the rotation vector
 * about its body axes times a length L of the molecule. So the forces are f and g = Q^T torque / L. Velocities are
 * fictitious. */

/* There is no time step to choose. The first, dt, moves nothing farther than first_move. It grows as in the paper, up
 * to 1/sqrt(c), c the stiffest recent curvature of the energy. The curvature along a step is c = (F.v before - F.v
 * after) / (dt v.v); a time step too long for the stiffest motion excites that motion, which then rules c. So the bound
 * is found, and by forgetting c little by little, found again. No step moves a centre by more than longest_move, nor
 * turns a molecule by more than widest_turn. */

/* Where molecules overlap the energy is useless: infinite, or with forces that throw everything apart, or so that
 * charges without a core of their own fall into each other. So overlapping sites are separated first, by the same
 * method with springs instead of forces. These are sites with a radial interaction that are nearer than nearest times
 * the mean of their sigmas. */
#include "run/minimise.h"

#include "base/array.h"
#include "base/vec3.h"
#include "parallel/ranks.h"
#include "rigid/group.h"
#include "run/build/closest.h"
#include "run/springs.h"
#include "state/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the paper: steps downhill before the time step grows, factors of the time step, and of the mixing of velocities */
enum { DELAY = 20 };
static const double grow = 1.1, shrink = 0.5, mixing_start = 0.25, mixing_factor = 0.99;

static const double first_move = 0.01, longest_move = 0.1; /* of the smallest sigma */
static const double widest_turn = 0.2, nearest = 0.8;
static const double memory = 0.998; /* of curvatures, in each step */

/* ---- Coordinates ---- */

enum { VELOCITY = 0, TURNING = 3, PUSH = 6, COLUMNS = 9, MOVING = 6, FORCE = 9, READ = 12 };

struct walk {
    struct ph_state *state;
    struct ph_system *system;
    bool pinned;
    double unit;             /* of displacements */
    double *column[COLUMNS]; /* owned: velocities of centres; L times angular velocities about body axes; g */
};

/* The smallest sigma; without any, the distance of the closest centres; of a single molecule its own length. Only
 * a single point is left then, which has none, but nothing to overlap with either. */
static enum ph_status find_unit(struct walk *walk, struct ph_error *err)
{
    const struct ph_system *system = walk->system;
    double unit = INFINITY;
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t a = 0; a < system->species[s].n_sites; ++a)
            if (ph_site_has_form(&system->species[s].site[a]))
                unit = fmin(unit, ph_site_size(&system->species[s].site[a]));
    if (isinf(unit) && system->n > 1) {
        ph_system_wrap(walk->system);
        struct ph_closest closest;
        const enum ph_status status = ph_closest_pair(system, &closest, err);
        if (status != PH_OK)
            return status;
        unit = closest.distance;
    }
    if (isinf(unit) && system->n > 0)
        unit = ph_species_gyration(&system->species[ph_system_species_of(system, 0)]);
    walk->unit = unit > 0.0 && isfinite(unit) ? unit : 1.0;
    return PH_OK;
}

/* Forces and torques, or velocities */
enum { CENTRES, TURNS, LEVEL, LARGEST };
struct largest {
    const struct walk *walk;
    double of[LARGEST]; /* `LEVEL`: of forces and torques over lengths */
};

static void join(const double here[LARGEST], struct largest *largest)
{
#pragma omp critical(ph_minimise_largest)
    for (int k = 0; k < LARGEST; ++k)
        largest->of[k] = fmax(largest->of[k], here[k]);
}

/* Fills g from the torques in space. Linear molecules do not turn about their axis. */
static void push_range(struct ph_range range, void *data)
{
    struct largest *largest = data;
    const struct walk *walk = largest->walk;
    const struct ph_system *system = walk->system;
    const double *inertia = system->species[range.species].inertia;
    const double length = ph_species_gyration(&system->species[range.species]);
    double here[LARGEST] = {0.0};
    for (size_t i = range.begin; i < range.end; ++i) {
        const double back[4] = {system->q[0][i], -system->q[1][i], -system->q[2][i], -system->q[3][i]};
        const double f[3] = {system->f[0][i], system->f[1][i], system->f[2][i]};
        const double t[3] = {system->t[0][i], system->t[1][i], system->t[2][i]};
        double g[3] = {0.0};
        if (length > 0.0)
            ph_quat_rotate(back, t, g);
        for (int k = 0; k < 3; ++k)
            walk->column[PUSH + k][i] = g[k] = inertia[k] > 0.0 ? g[k] / length : 0.0;
        const double force = walk->pinned ? 0.0 : ph_vec3_norm(f), turn = ph_vec3_norm(g);
        here[CENTRES] = fmax(here[CENTRES], force);
        here[TURNS] = fmax(here[TURNS], turn * length);
        here[LEVEL] = fmax(here[LEVEL], fmax(force, turn));
    }
    join(here, largest);
}

static struct largest find_pushes(struct walk *walk)
{
    struct largest pushes = {.walk = walk};
    ph_state_each(walk->state, push_range, &pushes);
    ph_state_largest(walk->state, LARGEST, pushes.of);
    return pushes;
}

static void speed_range(struct ph_range range, void *data)
{
    struct largest *largest = data;
    double *const *v = &largest->walk->column[VELOCITY], *const *w = &largest->walk->column[TURNING];
    const double length = ph_species_gyration(&largest->walk->system->species[range.species]);
    double here[LARGEST] = {0.0};
    for (size_t i = range.begin; i < range.end; ++i) {
        here[CENTRES] = fmax(here[CENTRES], ph_vec3_norm((const double[]){v[0][i], v[1][i], v[2][i]}));
        if (length > 0.0)
            here[TURNS] = fmax(here[TURNS], ph_vec3_norm((const double[]){w[0][i], w[1][i], w[2][i]}) / length);
    }
    join(here, largest);
}

/* Returns the longest time up to `step` that keeps every move and turn within its limit. */
static double bounded(const struct walk *walk, double step)
{
    struct largest speed = {.walk = walk};
    ph_state_each(walk->state, speed_range, &speed);
    ph_state_largest(walk->state, LARGEST, speed.of);
    const double distance = longest_move * walk->unit;
    if (step * speed.of[CENTRES] > distance)
        step = distance / speed.of[CENTRES];
    return step * speed.of[TURNS] > widest_turn ? widest_turn / speed.of[TURNS] : step;
}

/* Sums over all coordinates, in the order of numbers */
struct sums {
    double push_squared, centres, turns; /* F^2 (of centres that move); F.v of both kinds */
    double v_squared, w_squared;
    bool pinned;
};

static double product(const struct ph_columns_block *block, size_t i, size_t a, size_t b)
{
    const double *x = block->row + a * block->step + i, *y = block->row + b * block->step + i;
    const size_t step = block->step;
    return x[0] * y[0] + x[step] * y[step] + x[2 * step] * y[2 * step];
}

static void add_block(const struct ph_columns_block *block, void *data)
{
    struct sums *sums = data;
    for (size_t i = 0; i < block->end - block->begin; ++i) {
        const double force = sums->pinned ? 0.0 : sqrt(product(block, i, FORCE, FORCE));
        const double turn = sqrt(product(block, i, PUSH, PUSH));
        sums->push_squared += force * force + turn * turn;
        sums->centres += product(block, i, FORCE, VELOCITY);
        sums->turns += product(block, i, PUSH, TURNING);
        sums->v_squared += product(block, i, VELOCITY, VELOCITY);
        sums->w_squared += product(block, i, TURNING, TURNING);
    }
}

static enum ph_status find_sums(const struct walk *walk, struct sums *sums, struct ph_error *err)
{
    double *row[READ];
    memcpy(row, walk->column, sizeof walk->column);
    memcpy(row + FORCE, walk->system->f, sizeof walk->system->f);
    *sums = (struct sums){.pinned = walk->pinned};
    return ph_state_find(walk->state, &(struct ph_column_set){.n = READ, .row = row}, add_block, sums, sizeof *sums,
                         sums, err);
}

static double power(const struct sums *sums) { return sums->centres + sums->turns; }

static double speed_squared(const struct sums *sums) { return sums->v_squared + sums->w_squared; }

/* A step of velocities, or of molecules */
struct moving {
    const struct walk *walk;
    double a, b;
};

static void accelerate_range(struct ph_range range, void *data)
{
    const struct moving *moving = data;
    const struct walk *walk = moving->walk;
    const double a = moving->a, b = moving->b;
    for (int k = walk->pinned ? TURNING : VELOCITY; k < MOVING; ++k) {
        double *v = walk->column[k];
        const double *push = k < TURNING ? walk->system->f[k] : walk->column[PUSH + k - TURNING];
        for (size_t i = range.begin; i < range.end; ++i)
            v[i] = a * v[i] + b * push[i];
    }
}

/* velocities = a velocities + b forces */
static void accelerate(struct walk *walk, double a, double b)
{
    ph_state_each(walk->state, accelerate_range, &(struct moving){walk, a, b});
}

static void move_range(struct ph_range range, void *data)
{
    const struct moving *moving = data;
    struct ph_system *system = moving->walk->system;
    double *const *v = &moving->walk->column[VELOCITY], *const *w = &moving->walk->column[TURNING];
    const double step = moving->a, length = ph_species_gyration(&system->species[range.species]);
    for (size_t i = range.begin; i < range.end; ++i) {
        for (int k = 0; k < 3; ++k)
            system->r[k][i] += step * v[k][i];
        if (!(length > 0.0))
            continue;
        double q[4], vector[3], turn[4];
        for (int k = 0; k < 4; ++k)
            q[k] = system->q[k][i];
        for (int k = 0; k < 3; ++k)
            vector[k] = step * w[k][i] / length;
        ph_turn_exp(vector, turn);
        ph_turn_apply(q, turn, q);
        for (int k = 0; k < 4; ++k)
            system->q[k][i] = q[k];
    }
}

static void move(struct walk *walk, double step)
{
    ph_state_each(walk->state, move_range, &(struct moving){.walk = walk, .a = step});
    ph_state_changed(walk->state, PH_STATE_PLACES);
}

/* ---- FIRE ---- */

/* Fills forces and torques of the system: by its force field, or by springs. */
typedef enum ph_status evaluation(struct walk *walk, struct ph_error *err);

static enum ph_status descend(struct walk *walk, evaluation *evaluate, const struct ph_minimise_options *options,
                              int64_t *steps, struct largest *pushes, struct ph_error *err)
{
    struct sums sums;
    for (int k = 0; k < MOVING; ++k)
        memset(walk->column[k], 0, walk->system->n * sizeof(double));
    enum ph_status status = evaluate(walk, err);
    if (status == PH_OK)
        *pushes = find_pushes(walk);
    if (status == PH_OK)
        status = find_sums(walk, &sums, err);
    if (status != PH_OK)
        return status;
    const double level = pushes->of[LEVEL];
    double dt = level > 0.0 ? sqrt(first_move * walk->unit / level) : 1.0, mixing = mixing_start;
    double stiffest = 0.0;
    int64_t downhill = 0;
    for (*steps = 0; *steps < options->max_steps && pushes->of[LEVEL] > options->force; ++*steps) {
        const double push_squared = sums.push_squared;
        accelerate(walk, 1.0, dt);
        status = find_sums(walk, &sums, err);
        accelerate(walk, 1.0 - mixing, mixing * sqrt(speed_squared(&sums) / push_squared));
        if (status == PH_OK)
            status = find_sums(walk, &sums, err);
        if (status != PH_OK)
            return status;
        const double step = bounded(walk, dt), before = power(&sums);
        move(walk, step);
        status = evaluate(walk, err);
        if (status == PH_OK)
            *pushes = find_pushes(walk);
        if (status == PH_OK)
            status = find_sums(walk, &sums, err);
        if (status != PH_OK)
            return status;
        const double after = power(&sums);
        stiffest = fmax(memory * stiffest, (before - after) / (step * speed_squared(&sums)));
        if (after > 0.0 && ++downhill > DELAY) {
            dt *= grow;
            mixing *= mixing_factor;
        } else if (!(after > 0.0)) {
            downhill = 0;
            dt *= shrink;
            mixing = mixing_start;
            move(walk, -0.5 * step);
            accelerate(walk, 0.0, 0.0);
        }
        if (dt * dt * stiffest > 1.0)
            dt = 1.0 / sqrt(stiffest);
        if (options->progress)
            options->progress(*steps + 1, pushes->of[CENTRES], pushes->of[TURNS], options->data);
    }
    return PH_OK;
}

/* Velocities go with the molecules. */
static enum ph_status evaluate_field(struct walk *walk, struct ph_error *err)
{
    ph_state_attach(walk->state, MOVING, walk->column);
    const enum ph_status status = ph_state_forces(walk->state, PH_FORCES_ALL, NULL, err);
    ph_state_detach(walk->state, MOVING);
    return status;
}

static enum ph_status evaluate_springs(struct walk *walk, struct ph_error *err)
{
    return ph_ranks_agree(ph_springs_evaluate(walk->system, nearest, err), err);
}

/* ---- Both ---- */

/* Takes overlapping molecules apart. Every rank does so with all molecules. */
static enum ph_status take_apart(struct walk *walk, const struct ph_minimise_options *options, int64_t *steps,
                                 struct ph_error *err)
{
    struct ph_state *state = walk->state;
    struct largest pushes;
    struct ph_minimise_options apart = *options;
    apart.force = longest_move * nearest * walk->unit; /* springs shorter than this may be left */
    apart.progress = NULL;
    enum ph_status status = ph_state_show(state, PH_STATE_PLACES, err);
    if (status != PH_OK)
        return status;
    status = ph_state_create(walk->system, NULL, &(struct ph_state_options){.flow = NULL}, &walk->state, err);
    status = ph_ranks_agree(status, err);
    if (status == PH_OK)
        status = descend(walk, evaluate_springs, &apart, steps, &pushes, err);
    ph_state_destroy(walk->state);
    walk->state = state;
    ph_state_changed(state, PH_STATE_PLACES);
    return status;
}

static enum ph_status minimise(struct walk *walk, const struct ph_minimise_options *options,
                               struct ph_minimise_result *result, struct ph_error *err)
{
    struct ph_energy energy;
    struct largest pushes;
    enum ph_status status = ph_state_forces(walk->state, PH_FORCES_ALL, &energy, err);
    result->energy_before = status == PH_OK ? ph_energy_total(&energy) : INFINITY;
    if (status == PH_OK || status == PH_ERR_NUMBERS)
        status = take_apart(walk, options, &result->apart, err);
    if (status == PH_OK)
        status = descend(walk, evaluate_field, options, &result->steps, &pushes, err);
    if (status == PH_OK)
        status = ph_state_forces(walk->state, PH_FORCES_ALL, &energy, err);
    if (status != PH_OK)
        return status;
    pushes = find_pushes(walk); /* the last step may have ended half a step back */
    result->energy_after = ph_energy_total(&energy);
    result->force = pushes.of[CENTRES];
    result->torque = pushes.of[TURNS];
    result->converged = pushes.of[LEVEL] <= options->force;
    return PH_OK;
}

enum ph_status ph_minimise(struct ph_system *system, struct ph_force_field *field,
                           const struct ph_minimise_options *options, struct ph_minimise_result *result,
                           struct ph_error *err)
{
    *result = (struct ph_minimise_result){.steps = 0};
    struct walk walk = {.system = system, .pinned = options->pinned};
    enum ph_status status = find_unit(&walk, err);
    for (int k = 0; k < COLUMNS && status == PH_OK; ++k)
        if (!(walk.column[k] = ph_array_create(ph_padded(system->n), sizeof(double))))
            status = ph_no_memory(err, "minimising the energy of %zu molecules", system->n);
    if (status == PH_OK)
        status = ph_state_create(system, field, &(struct ph_state_options){.flow = NULL}, &walk.state, err);
    status = ph_ranks_agree(status, err);
    if (status == PH_OK)
        status = minimise(&walk, options, result, err);
    if (status == PH_OK)
        status = ph_state_show(walk.state, PH_STATE_PLACES | PH_STATE_MOMENTA | PH_STATE_FORCES, err);
    ph_state_destroy(walk.state);
    for (int k = 0; k < COLUMNS; ++k)
        free(walk.column[k]);
    return status;
}

/* ---- Of an input ---- */

/* The largest epsilon/sigma: a twentieth or so of the forces in a liquid */
static double usual_force(const struct ph_system *system)
{
    double largest = 0.0;
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t a = 0; a < system->species[s].n_sites; ++a) {
            const struct ph_site *site = &system->species[s].site[a];
            if (ph_site_has_form(site))
                largest = fmax(largest, ph_site_depth(site) / ph_site_size(site));
        }
    return largest;
}

enum ph_status ph_minimise_start(const struct ph_input *input, struct ph_system *system, struct ph_force_field *field,
                                 struct ph_build_notes *notes, struct ph_error *err)
{
    if (!(input->system.start.minimise.steps > 0))
        return PH_OK;
    const double force = input->system.start.minimise.force;
    const struct ph_minimise_options options = {
        .max_steps = input->system.start.minimise.steps,
        .force = isnan(force) ? usual_force(system) : force,
        .pinned = input->interactions.pinned,
    };
    struct ph_minimise_result result;
    const enum ph_status status = ph_minimise(system, field, &options, &result, err);
    if (status != PH_OK)
        return status;
    const double n = (double)system->n;
    ph_build_note(notes,
                  "Minimised: potential energy per molecule from %.6g to %.6g in %lld steps%s; the largest force is "
                  "%.3g and the largest torque %.3g, %s of %.3g.\n",
                  result.energy_before / n, result.energy_after / n, (long long)(result.steps + result.apart),
                  result.apart > 0 ? ", the first of them to take overlapping molecules apart" : "", result.force,
                  result.torque, result.converged ? "within the tolerance" : "NOT within the tolerance", options.force);
    return PH_OK;
}
