/* SPDX-License-Identifier: MIT */
#include "force/external.h"

#include "base/rotation.h"

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void add_cross(const double a[3], const double b[3], double out[3])
{
    out[0] += a[1] * b[2] - a[2] * b[1];
    out[1] += a[2] * b[0] - a[0] * b[2];
    out[2] += a[0] * b[1] - a[1] * b[0];
}

static bool nonzero(const double v[3]) { return v[0] != 0.0 || v[1] != 0.0 || v[2] != 0.0; }

bool ph_external_any(const struct ph_interactions *interactions)
{
    return nonzero(interactions->electric_field) || nonzero(interactions->gravity) ||
           nonzero(interactions->body_force) || interactions->tether != 0.0;
}

/* u = -q_a E.r_a - mu_a.E over the sites */
static double electric(const double field[3], const struct ph_species *species, const double q[4], const double r[3],
                       double force[3], double torque[3])
{
    double energy = 0.0;
    for (size_t a = 0; a < species->n_sites; ++a) {
        const struct ph_site *site = &species->site[a];
        double arm[3], mu[3];
        ph_quat_rotate(q, site->position, arm);
        ph_quat_rotate(q, site->dipole, mu);
        const double push[3] = {site->charge * field[0], site->charge * field[1], site->charge * field[2]};
        energy -= dot(push, r) + dot(push, arm) + dot(mu, field);
        for (int k = 0; k < 3; ++k)
            force[k] += push[k];
        add_cross(arm, push, torque);
        add_cross(mu, field, torque);
    }
    return energy;
}

double ph_external_add(const struct ph_interactions *interactions, const struct ph_species *species, const double q[4],
                       const double unwrapped[3], const double anchor[3], double force[3], double torque[3])
{
    double energy = 0.0;
    if (nonzero(interactions->electric_field))
        energy += electric(interactions->electric_field, species, q, unwrapped, force, torque);
    if (nonzero(interactions->gravity)) { /* u = -m g.r */
        energy -= species->mass * dot(interactions->gravity, unwrapped);
        for (int k = 0; k < 3; ++k)
            force[k] += species->mass * interactions->gravity[k];
    }
    if (nonzero(interactions->body_force)) { /* u = -F.(r + Q b) */
        double arm[3];
        ph_quat_rotate(q, interactions->body_point, arm);
        energy -= dot(interactions->body_force, unwrapped) + dot(interactions->body_force, arm);
        for (int k = 0; k < 3; ++k)
            force[k] += interactions->body_force[k];
        add_cross(arm, interactions->body_force, torque);
    }
    if (interactions->tether != 0.0) { /* u = k |r - r0|^2 / 2 */
        for (int k = 0; k < 3; ++k) {
            const double d = unwrapped[k] - anchor[k];
            energy += 0.5 * interactions->tether * d * d;
            force[k] -= interactions->tether * d;
        }
    }
    return energy;
}
