/* SPDX-License-Identifier: MIT */
#include "run/springs.h"

#include "base/numerics/matrix.h"
#include "base/random.h"
#include "base/rotation.h"
#include "base/vec3.h"
#include "run/build/closest.h"

#include <math.h>
#include <string.h>

struct springs {
    struct ph_system *system;
    double nearest;
};

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

/* Adds the sum of the squares of a site's half axes, times their directions in space. */
static void add_shape(const struct ph_system *system, size_t i, const struct ph_site *site, double g[3][3])
{
    const double q[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]};
    const double *half = ph_angular_half_axes(&site->angular), radius = 0.5 * ph_site_size(site);
    for (int n = 0; n < 3; ++n) {
        const double length = half ? half[n] : radius, even[3] = {n == 0, n == 1, n == 2};
        double axis[3];
        ph_quat_rotate(q, half ? site->axis[n] : even, axis);
        for (int k = 0; k < 3; ++k)
            for (int l = 0; l < 3; ++l)
                g[k][l] += length * length * axis[k] * axis[l];
    }
}

/* The distance at which two sites touch in the direction d. Ellipsoids: as Gay-Berne and RE-squared forms have it. */
static double contact_of(const struct ph_system *system, size_t i, size_t j, const struct ph_site *one,
                         const struct ph_site *other, const double d[3])
{
    double g[3][3] = {{0.0}}, value[3], vector[3][3], sum = 0.0;
    if (!ph_angular_half_axes(&one->angular) && !ph_angular_half_axes(&other->angular))
        return 0.5 * (ph_site_size(one) + ph_site_size(other));
    add_shape(system, i, one, g);
    add_shape(system, j, other, g);
    ph_symmetric_eigen(3, g[0], value, vector[0]);
    for (int k = 0; k < 3; ++k) {
        const double along = d[0] * vector[0][k] + d[1] * vector[1][k] + d[2] * vector[2][k];
        sum += along * along / value[k];
    }
    return sum > 0.0 ? ph_vec3_norm(d) * sqrt(2.0 / sum) : 0.5 * (ph_site_length(one) + ph_site_length(other));
}

/* A spring of constant 1 for each pair of sites that are too near. Sites in one place have no direction apart; they
 * get one by their numbers. */
static void push_apart(size_t i, size_t j, void *context)
{
    const struct springs *springs = context;
    struct ph_system *system = springs->system;
    const struct ph_species *one = &system->species[ph_system_species_of(system, i)];
    const struct ph_species *other = &system->species[ph_system_species_of(system, j)];
    for (size_t a = 0; a < one->n_sites; ++a)
        for (size_t b = 0; b < other->n_sites; ++b) {
            const struct ph_site *x = &one->site[a], *y = &other->site[b];
            if (!ph_site_has_form(x) || !ph_site_has_form(y))
                continue;
            double d[3], arm_i[3], arm_j[3], force[3], back[3];
            between(system, i, j, x, y, d, arm_i, arm_j);
            const double contact = springs->nearest * contact_of(system, i, j, x, y, d);
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

enum ph_status ph_springs_evaluate(struct ph_system *system, double nearest, struct ph_error *err)
{
    struct springs springs = {system, nearest};
    double sigma = 0.0, extent = 0.0;
    for (size_t s = 0; s < system->n_species; ++s) {
        extent = fmax(extent, system->species[s].extent);
        for (size_t a = 0; a < system->species[s].n_sites; ++a)
            if (ph_site_has_form(&system->species[s].site[a]))
                sigma = fmax(sigma, ph_site_length(&system->species[s].site[a]));
    }
    for (int k = 0; k < 3; ++k) {
        memset(system->f[k], 0, system->n * sizeof(double));
        memset(system->t[k], 0, system->n * sizeof(double));
    }
    ph_system_wrap(system);
    const double reach = nearest * sigma + 2.0 * extent;
    return sigma > 0.0 ? ph_near_pairs(system, reach, push_apart, &springs, err) : PH_OK;
}
