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
#include "base/random.h"
#include "base/vec3.h"
#include "rigid/group.h"
#include "run/build/closest.h"

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

struct walk {
    struct ph_system *system;
    bool pinned;
    double unit;                      /* of displacements */
    double *velocity[3], *turning[3]; /* of centres; L times the angular velocity about body axes */
    double *push[3];                  /* g */
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

struct pushes {
    double force, torque, level; /* largest; `level`: of forces and torques over lengths */
    double square;               /* sum over all coordinates */
};

/* Fills walk->push from the torques in space. Linear molecules do not turn about their axis. */
static struct pushes find_pushes(struct walk *walk)
{
    const struct ph_system *system = walk->system;
    struct pushes pushes = {.force = 0.0};
    for (size_t s = 0; s < system->n_species; ++s) {
        const double *inertia = system->species[s].inertia, length = ph_species_gyration(&system->species[s]);
        for (size_t i = system->first[s]; i < system->first[s + 1]; ++i) {
            const double back[4] = {system->q[0][i], -system->q[1][i], -system->q[2][i], -system->q[3][i]};
            const double f[3] = {system->f[0][i], system->f[1][i], system->f[2][i]};
            const double t[3] = {system->t[0][i], system->t[1][i], system->t[2][i]};
            double g[3] = {0.0};
            if (length > 0.0)
                ph_quat_rotate(back, t, g);
            for (int k = 0; k < 3; ++k)
                walk->push[k][i] = g[k] = inertia[k] > 0.0 ? g[k] / length : 0.0;
            const double force = walk->pinned ? 0.0 : ph_vec3_norm(f), turn = ph_vec3_norm(g);
            pushes.force = fmax(pushes.force, force);
            pushes.torque = fmax(pushes.torque, turn * length);
            pushes.level = fmax(pushes.level, fmax(force, turn));
            pushes.square += force * force + turn * turn;
        }
    }
    return pushes;
}

static double *const *forces(const struct walk *walk) { return walk->system->f; }

/* Sum over all coordinates, in the order of places */
static double product(const struct walk *walk, double *const a[3], double *const b[3])
{
    double sum = 0.0;
    for (size_t i = 0; i < walk->system->n; ++i)
        sum += a[0][i] * b[0][i] + a[1][i] * b[1][i] + a[2][i] * b[2][i];
    return sum;
}

static double power(const struct walk *walk)
{
    return product(walk, forces(walk), walk->velocity) + product(walk, walk->push, walk->turning);
}

static double speed_squared(const struct walk *walk)
{
    return product(walk, walk->velocity, walk->velocity) + product(walk, walk->turning, walk->turning);
}

/* x = a x + b y */
static void combine(size_t n, double a, double *const x[3], double b, double *const y[3])
{
    for (int k = 0; k < 3; ++k)
        for (size_t i = 0; i < n; ++i)
            x[k][i] = a * x[k][i] + b * y[k][i];
}

/* velocities = a velocities + b forces */
static void accelerate(struct walk *walk, double a, double b)
{
    if (!walk->pinned)
        combine(walk->system->n, a, walk->velocity, b, forces(walk));
    combine(walk->system->n, a, walk->turning, b, walk->push);
}

/* Returns the longest time up to `step` that keeps every move and turn within its limit. */
static double bounded(const struct walk *walk, double step)
{
    const struct ph_system *system = walk->system;
    double farthest = 0.0, widest = 0.0;
    for (size_t s = 0; s < system->n_species; ++s) {
        const double length = ph_species_gyration(&system->species[s]);
        for (size_t i = system->first[s]; i < system->first[s + 1]; ++i) {
            const double v[3] = {walk->velocity[0][i], walk->velocity[1][i], walk->velocity[2][i]};
            const double w[3] = {walk->turning[0][i], walk->turning[1][i], walk->turning[2][i]};
            farthest = fmax(farthest, ph_vec3_norm(v));
            if (length > 0.0)
                widest = fmax(widest, ph_vec3_norm(w) / length);
        }
    }
    const double distance = longest_move * walk->unit;
    if (step * farthest > distance)
        step = distance / farthest;
    return step * widest > widest_turn ? widest_turn / widest : step;
}

static void move(struct walk *walk, double step)
{
    struct ph_system *system = walk->system;
    for (size_t s = 0; s < system->n_species; ++s) {
        const double length = ph_species_gyration(&system->species[s]);
        for (size_t i = system->first[s]; i < system->first[s + 1]; ++i) {
            for (int k = 0; k < 3; ++k)
                system->r[k][i] += step * walk->velocity[k][i];
            if (!(length > 0.0))
                continue;
            double q[4], vector[3], turn[4];
            for (int k = 0; k < 4; ++k)
                q[k] = system->q[k][i];
            for (int k = 0; k < 3; ++k)
                vector[k] = step * walk->turning[k][i] / length;
            ph_turn_exp(vector, turn);
            ph_turn_apply(q, turn, q);
            for (int k = 0; k < 4; ++k)
                system->q[k][i] = q[k];
        }
    }
}

/* ---- FIRE ---- */

/* Something to walk on: fills system->f and system->t. */
struct ground {
    enum ph_status (*evaluate)(const struct ground *ground, struct ph_system *system, struct ph_error *err);
    struct ph_force_field *field;
};

static enum ph_status descend(struct walk *walk, const struct ground *ground, const struct ph_minimise_options *options,
                              int64_t *steps, struct pushes *pushes, struct ph_error *err)
{
    const size_t n = walk->system->n;
    for (int k = 0; k < 3; ++k) {
        memset(walk->velocity[k], 0, n * sizeof(double));
        memset(walk->turning[k], 0, n * sizeof(double));
    }
    enum ph_status status = ground->evaluate(ground, walk->system, err);
    if (status != PH_OK)
        return status;
    *pushes = find_pushes(walk);
    double dt = pushes->level > 0.0 ? sqrt(first_move * walk->unit / pushes->level) : 1.0, mixing = mixing_start;
    double stiffest = 0.0;
    int64_t downhill = 0;
    for (*steps = 0; *steps < options->max_steps && pushes->level > options->force; ++*steps) {
        accelerate(walk, 1.0, dt);
        accelerate(walk, 1.0 - mixing, mixing * sqrt(speed_squared(walk) / pushes->square));
        const double step = bounded(walk, dt), before = power(walk);
        move(walk, step);
        status = ground->evaluate(ground, walk->system, err);
        if (status != PH_OK)
            return status;
        *pushes = find_pushes(walk);
        const double after = power(walk);
        stiffest = fmax(memory * stiffest, (before - after) / (step * speed_squared(walk)));
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
            options->progress(*steps + 1, pushes->force, pushes->torque, options->data);
    }
    return PH_OK;
}

static enum ph_status evaluate_field(const struct ground *ground, struct ph_system *system, struct ph_error *err)
{
    return ph_force_field_evaluate(ground->field, system, PH_FORCES_ALL, NULL, NULL, err);
}

/* ---- Springs between sites that overlap ---- */

/* From site b of molecule j to site a of molecule i, the nearest image; `arm`: from the centres */
static void between(const struct ph_system *system, size_t i, size_t j, const struct ph_site *a,
                    const struct ph_site *b, double d[3], double arm_i[3], double arm_j[3])
{
    const double qi[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]};
    const double qj[4] = {system->q[0][j], system->q[1][j], system->q[2][j], system->q[3][j]};
    ph_quat_rotate(qi, a->position, arm_i);
    ph_quat_rotate(qj, b->position, arm_j);
    for (int k = 0; k < 3; ++k)
        d[k] = system->r[k][i] + arm_i[k] - system->r[k][j] - arm_j[k];
    ph_box_minimum_image(&system->box, d);
}

static void add_spring(size_t i, const double force[3], const double arm[3], struct ph_system *system)
{
    double torque[3];
    ph_vec3_cross(arm, force, torque);
    for (int k = 0; k < 3; ++k) {
        system->f[k][i] += force[k];
        system->t[k][i] += torque[k];
    }
}

/* A spring of constant 1 for each pair of sites that are too near. Sites in one place have no direction apart; they
 * get one by their numbers. */
static void push_apart(size_t i, size_t j, void *context)
{
    struct ph_system *system = context;
    const struct ph_species *one = &system->species[ph_system_species_of(system, i)];
    const struct ph_species *other = &system->species[ph_system_species_of(system, j)];
    for (size_t a = 0; a < one->n_sites; ++a)
        for (size_t b = 0; b < other->n_sites; ++b) {
            const struct ph_site *x = &one->site[a], *y = &other->site[b];
            if (!ph_site_has_form(x) || !ph_site_has_form(y))
                continue;
            const double contact = nearest * 0.5 * (ph_site_size(x) + ph_site_size(y));
            double d[3], arm_i[3], arm_j[3], force[3], back[3];
            between(system, i, j, x, y, d, arm_i, arm_j);
            double distance = ph_vec3_norm(d);
            if (distance >= contact)
                continue;
            const double missing = contact - distance;
            if (distance < 1e-12 * contact) {
                struct ph_random random = ph_random_stream(system->id[i], PH_RANDOM_MINIMISE, system->id[j]);
                ph_random_direction(&random, d);
                distance = 1.0;
            }
            for (int k = 0; k < 3; ++k) {
                force[k] = missing * d[k] / distance;
                back[k] = -force[k];
            }
            add_spring(i, force, arm_i, system);
            add_spring(j, back, arm_j, system);
        }
}

static enum ph_status evaluate_springs(const struct ground *ground, struct ph_system *system, struct ph_error *err)
{
    (void)ground;
    double sigma = 0.0, extent = 0.0;
    for (size_t s = 0; s < system->n_species; ++s) {
        extent = fmax(extent, system->species[s].extent);
        for (size_t a = 0; a < system->species[s].n_sites; ++a)
            if (ph_site_has_form(&system->species[s].site[a]))
                sigma = fmax(sigma, ph_site_size(&system->species[s].site[a]));
    }
    for (int k = 0; k < 3; ++k) {
        memset(system->f[k], 0, system->n * sizeof(double));
        memset(system->t[k], 0, system->n * sizeof(double));
    }
    ph_system_wrap(system);
    return sigma > 0.0 ? ph_near_pairs(system, nearest * sigma + 2.0 * extent, push_apart, system, err) : PH_OK;
}

/* ---- Both ---- */

static enum ph_status minimise(struct walk *walk, struct ph_force_field *field,
                               const struct ph_minimise_options *options, struct ph_minimise_result *result,
                               struct ph_error *err)
{
    struct ph_system *system = walk->system;
    const struct ground springs = {.evaluate = evaluate_springs}, real = {evaluate_field, field};
    struct ph_minimise_options apart = *options;
    struct ph_energy energy;
    struct pushes pushes;
    enum ph_status status = find_unit(walk, err);
    if (status == PH_OK)
        status = ph_force_field_evaluate(field, system, PH_FORCES_ALL, NULL, &energy, err);
    result->energy_before = status == PH_OK ? ph_energy_total(&energy) : INFINITY;
    apart.force = longest_move * nearest * walk->unit; /* springs shorter than this may be left */
    apart.progress = NULL;
    if (status == PH_OK || status == PH_ERR_NUMBERS)
        status = descend(walk, &springs, &apart, &result->apart, &pushes, err);
    if (status == PH_OK)
        status = descend(walk, &real, options, &result->steps, &pushes, err);
    if (status == PH_OK)
        status = ph_force_field_evaluate(field, system, PH_FORCES_ALL, NULL, &energy, err);
    if (status != PH_OK)
        return status;
    pushes = find_pushes(walk); /* the last step may have ended half a step back */
    result->energy_after = ph_energy_total(&energy);
    result->force = pushes.force;
    result->torque = pushes.torque;
    result->converged = pushes.level <= options->force;
    return PH_OK;
}

enum ph_status ph_minimise(struct ph_system *system, struct ph_force_field *field,
                           const struct ph_minimise_options *options, struct ph_minimise_result *result,
                           struct ph_error *err)
{
    *result = (struct ph_minimise_result){.steps = 0};
    struct walk walk = {.system = system, .pinned = options->pinned};
    double **arrays[] = {walk.velocity, walk.turning, walk.push};
    enum ph_status status = PH_OK;
    for (int a = 0; a < 9 && status == PH_OK; ++a)
        if (!(arrays[a / 3][a % 3] = ph_array_create(ph_padded(system->n), sizeof(double))))
            status = ph_error_set(err, PH_ERR_MEMORY, "No memory to minimise the energy of %zu molecules.", system->n);
    if (status == PH_OK)
        status = minimise(&walk, field, options, result, err);
    for (int a = 0; a < 9; ++a)
        free(arrays[a / 3][a % 3]);
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
