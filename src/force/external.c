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
           nonzero(interactions->body_force) || interactions->tether != 0.0 || interactions->gravity_gradient != 0.0;
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

/* Q I Q^T v */
static void apply_inertia(const struct ph_species *species, const double q[4], const double v[3], double out[3])
{
    const double back[4] = {q[0], -q[1], -q[2], -q[3]};
    double body[3];
    ph_quat_rotate(back, v, body);
    for (int k = 0; k < 3; ++k)
        body[k] *= species->inertia[k];
    ph_quat_rotate(q, body, out);
}

static const double e3[3] = {0.0, 0.0, 1.0}; /* where the mass is whose gravity has a gradient */

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
    if (interactions->gravity_gradient != 0.0) { /* u = 3/2 k e3.J e3, J = Q I Q^T; torque 3 k e3 x J e3 */
        double je3[3];
        apply_inertia(species, q, e3, je3);
        const double three_k = 3.0 * interactions->gravity_gradient;
        energy += 0.5 * three_k * dot(e3, je3);
        add_cross((const double[3]){0.0, 0.0, three_k}, je3, torque);
    }
    return energy;
}

/* Forces are constant but for tethers; what is fixed in the body turns with it, arms at the rate omega x arm, and J at
 * omega x J - J omega x. */
void ph_external_add_rates(const struct ph_interactions *interactions, const struct ph_species *species,
                           const double q[4], const double velocity[3], const double omega[3], double force_rate[3],
                           double torque_rate[3])
{
    if (nonzero(interactions->electric_field)) {
        double dipole[3], mu[3], mu_rate[3] = {0.0};
        ph_species_dipole(species, dipole);
        ph_quat_rotate(q, dipole, mu);
        add_cross(omega, mu, mu_rate);
        add_cross(mu_rate, interactions->electric_field, torque_rate);
    }
    if (nonzero(interactions->body_force)) {
        double arm[3], arm_rate[3] = {0.0};
        ph_quat_rotate(q, interactions->body_point, arm);
        add_cross(omega, arm, arm_rate);
        add_cross(arm_rate, interactions->body_force, torque_rate);
    }
    for (int k = 0; k < 3; ++k)
        force_rate[k] -= interactions->tether * velocity[k];
    if (interactions->gravity_gradient != 0.0) {
        double je3[3], turned[3] = {0.0}, j_turned[3], rate[3] = {0.0};
        apply_inertia(species, q, e3, je3);
        add_cross(omega, e3, turned);
        apply_inertia(species, q, turned, j_turned);
        add_cross(omega, je3, rate);
        for (int k = 0; k < 3; ++k)
            rate[k] -= j_turned[k];
        add_cross((const double[3]){0.0, 0.0, 3.0 * interactions->gravity_gradient}, rate, torque_rate);
    }
}
