/* SPDX-License-Identifier: MIT */
#include "base/random.h"
#include "base/ranges.h"
#include "model/start.h"

#include <math.h>
#include <stdlib.h>

double ph_system_thermal_translation(const struct ph_system *system)
{
    return system->n > 1 ? 2.0 * ph_system_kinetic_translation(system) / (3.0 * (double)system->n - 3.0) : 0.0;
}

double ph_system_thermal_rotation(const struct ph_system *system)
{
    const size_t degrees = ph_system_degrees_rotation(system);
    return degrees > 0 ? 2.0 * ph_system_kinetic_rotation(system) / (double)degrees : 0.0;
}

static void draw_momenta(double kT, uint64_t seed, struct ph_system *system)
{
    for (size_t s = 0; s < system->n_species; ++s) {
        const double width = sqrt(kT * system->species[s].mass);
        for (size_t i = system->first[s]; i < system->first[s + 1]; ++i) {
            struct ph_random random = ph_random_stream(seed, PH_RANDOM_MOMENTUM, system->id[i]);
            for (int k = 0; k < 3; ++k)
                system->p[k][i] = width * ph_random_normal(&random);
        }
    }
}

/* Summed quantities */
enum what { MOMENTUM_X, MOMENTUM_Y, MOMENTUM_Z, TRANSLATION, ROTATION };

/* Adds x to a compensated sum, as in system.c: value and rounding error (Neumaier) */
static void add(double x, double sum[2])
{
    const double total = sum[0] + x;
    sum[1] += fabs(sum[0]) >= fabs(x) ? (sum[0] - total) + x : (x - total) + sum[0];
    sum[0] = total;
}

/* Adds the molecules at places from .. to-1 */
static void add_block(const struct ph_system *system, enum what what, size_t from, size_t to, double sum[2])
{
    for (size_t s = 0; s < system->n_species; ++s) {
        const struct ph_species *species = &system->species[s];
        const size_t first = system->first[s] > from ? system->first[s] : from;
        const size_t end = system->first[s + 1] < to ? system->first[s + 1] : to;
        double half_inverse[3];
        for (int k = 0; k < 3; ++k) {
            const double inertia = what == ROTATION ? species->inertia[k] : species->mass;
            half_inverse[k] = inertia > 0.0 ? 0.5 / inertia : 0.0;
        }
        double *const *v = what == ROTATION ? system->m : system->p;
        for (size_t i = first; i < end; ++i) {
            const double x = v[0][i], y = v[1][i], z = v[2][i];
            if (what == ROTATION)
                add(half_inverse[0] * x * x + half_inverse[1] * y * y + half_inverse[2] * z * z, sum);
            else if (what == TRANSLATION)
                add(half_inverse[0] * (x * x + y * y + z * z), sum);
            else
                sum[0] += v[what][i];
        }
    }
}

/* Sums over the whole system. `part` describes the part that `system` is; NULL: `system` is the whole. */
static double total(const struct ph_start_part *part, const struct ph_system *system, enum what what)
{
    const size_t begin = part ? part->begin / PH_RANGE_BLOCK : 0, n = part ? part->whole->n : system->n;
    const size_t blocks = (n + PH_RANGE_BLOCK - 1) / PH_RANGE_BLOCK;
    double all[2] = {0.0, 0.0};
    if (part) {
        for (size_t b = 0; b < blocks; ++b)
            part->sums[b][0] = part->sums[b][1] = 0.0;
        for (size_t from = 0, b = begin; from < system->n; from += PH_RANGE_BLOCK, ++b)
            add_block(system, what, from, from + PH_RANGE_BLOCK, part->sums[b]);
        part->complete(blocks, part->sums, part->data);
    }
    for (size_t b = 0; b < blocks; ++b) {
        double own[2] = {0.0, 0.0};
        if (!part)
            add_block(system, what, b * PH_RANGE_BLOCK, (b + 1) * PH_RANGE_BLOCK, own);
        const double *sum = part ? part->sums[b] : own;
        if (what <= MOMENTUM_Z)
            all[0] += sum[0];
        else
            add(sum[0], all);
        all[1] += sum[1];
    }
    return all[0] + all[1];
}

static size_t count(const struct ph_start_part *part, const struct ph_system *system, size_t s)
{
    const struct ph_system *whole = part ? part->whole : system;
    return whole->first[s + 1] - whole->first[s];
}

static double whole_mass(const struct ph_start_part *part, const struct ph_system *system)
{
    double mass = 0.0;
    for (size_t s = 0; s < system->n_species; ++s)
        mass += system->species[s].mass * (double)count(part, system, s);
    return mass;
}

double ph_start_drift(const struct ph_system *system)
{
    double square = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double momentum = total(NULL, system, (enum what)k);
        square += momentum * momentum;
    }
    return 0.5 * square / whole_mass(NULL, system);
}

/* Subtracts the velocity of the centre of mass. The second round removes the rounding error of the first. */
static void stop_drift(const struct ph_start_part *part, struct ph_system *system)
{
    const double mass = whole_mass(part, system);
    for (int round = 0; round < PH_START_ROUNDS; ++round)
        for (int k = 0; k < 3; ++k) {
            const double velocity = total(part, system, (enum what)k) / mass;
            for (size_t s = 0; s < system->n_species; ++s)
                for (size_t i = system->first[s]; i < system->first[s + 1]; ++i)
                    system->p[k][i] -= system->species[s].mass * velocity;
        }
}

void ph_start_stop_drift(struct ph_system *system) { stop_drift(NULL, system); }

void ph_start_velocity(const struct ph_system *whole, size_t blocks, double (*const momenta)[3], double velocity[3])
{
    const double mass = whole_mass(NULL, whole);
    for (int k = 0; k < 3; ++k) {
        double sum = 0.0;
        for (size_t b = 0; b < blocks; ++b)
            sum += momenta[b][k];
        velocity[k] = sum / mass;
    }
}

static void draw_spins(double kT, uint64_t seed, struct ph_system *system)
{
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t i = system->first[s]; i < system->first[s + 1]; ++i) {
            struct ph_random random = ph_random_stream(seed, PH_RANDOM_SPIN, system->id[i]);
            for (int k = 0; k < 3; ++k) /* an inertia of zero gives exactly none */
                system->m[k][i] = sqrt(kT * system->species[s].inertia[k]) * ph_random_normal(&random);
        }
}

static void scale(double factor, size_t n, double *const v[3])
{
    for (int k = 0; k < 3; ++k)
        for (size_t i = 0; i < n; ++i)
            v[k][i] *= factor;
}

/* Scales v so that the kinetic energy becomes kT/2 for each degree of freedom */
static void heat(double kT, double kinetic, double degrees, size_t n, double *const v[3])
{
    if (degrees > 0.0 && kinetic > 0.0)
        scale(sqrt(kT / (2.0 * kinetic / degrees)), n, v);
}

static void move(double kT, bool exact, bool pinned, uint64_t seed, const struct ph_start_part *part,
                 struct ph_system *system)
{
    const size_t n = part ? part->whole->n : system->n;
    double turning = 0.0;
    for (size_t s = 0; s < system->n_species; ++s)
        turning += (double)system->species[s].degrees * (double)count(part, system, s);
    draw_momenta(pinned ? 0.0 : kT, seed, system);
    if (n > 1)
        stop_drift(part, system);
    else
        scale(0.0, system->n, system->p); /* fixing the total momentum of one molecule leaves none */
    for (int k = 0; k < 3 && pinned; ++k)
        for (size_t i = 0; i < system->n; ++i)
            system->p[k][i] = 0.0; /* not -0.0 */
    draw_spins(kT, seed, system);
    if (!exact)
        return;
    heat(kT, total(part, system, TRANSLATION), 3.0 * (double)n - 3.0, system->n, system->p);
    heat(kT, total(part, system, ROTATION), turning, system->n, system->m);
}

void ph_start_move(double kT, bool exact, bool pinned, uint64_t seed, struct ph_system *system)
{
    move(kT, exact, pinned, seed, NULL, system);
}

void ph_start_move_part(double kT, bool exact, bool pinned, uint64_t seed, const struct ph_start_part *part,
                        struct ph_system *system)
{
    move(kT, exact, pinned, seed, part->complete ? part : NULL, system);
}

static size_t clamp(size_t x, size_t low, size_t high) { return x < low ? low : x > high ? high : x; }

enum ph_status ph_start_part_view(const struct ph_start_part *part, struct ph_system *view, struct ph_error *err)
{
    const struct ph_system *whole = part->whole;
    *view = *whole;
    view->n = part->end - part->begin;
    if (!(view->first = malloc((whole->n_species + 1) * sizeof *view->first)))
        return ph_no_memory(err, "%zu species", whole->n_species);
    for (size_t s = 0; s <= whole->n_species; ++s)
        view->first[s] = clamp(whole->first[s], part->begin, part->end) - part->begin;
    double **const groups[] = {view->r, view->p, view->q, view->m, view->f, view->t};
    for (size_t g = 0; g < sizeof groups / sizeof *groups; ++g)
        for (int k = 0; k < (groups[g] == view->q ? 4 : 3); ++k)
            groups[g][k] += part->begin;
    for (int k = 0; k < 3; ++k)
        view->image[k] += part->begin;
    view->id += part->begin;
    view->place = NULL;
    return PH_OK;
}
