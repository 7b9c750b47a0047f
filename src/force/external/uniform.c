/* SPDX-License-Identifier: MIT */
/* Fields that are uniform in space, or nearly so. Vectors fixed in a body turn with it: an arm changes at the rate
 * omega x arm, and J = Q I Q^T at omega x J - J omega x. */
#include "base/plain.h"
#include "base/rotation.h"
#include "force/external/external.h"

static bool always_pulls(const struct ph_external_fields *fields, const struct ph_species *species)
{
    (void)fields, (void)species;
    return true;
}

/* ---- Electric field: u = -q_a E.r_a - mu_a.E over the sites ---- */

static double add_electric(const struct ph_external_body *body, double force[3], double torque[3])
{
    const double *field = body->fields->electric_field;
    double energy = 0.0;
    for (size_t a = 0; a < body->species->n_sites; ++a) {
        const struct ph_site *site = &body->species->site[a];
        double arm[3], mu[3];
        ph_quat_rotate(body->q, site->position, arm);
        ph_quat_rotate(body->q, site->dipole, mu);
        const double push[3] = {site->charge * field[0], site->charge * field[1], site->charge * field[2]};
        energy -= ph_vec3_dot(push, body->r) + ph_vec3_dot(push, arm) + ph_vec3_dot(mu, field);
        for (int k = 0; k < 3; ++k)
            force[k] += push[k];
        ph_vec3_add_cross(arm, push, torque);
        ph_vec3_add_cross(mu, field, torque);
    }
    return energy;
}

static void electric_rates(const struct ph_external_body *body, struct ph_external_rates *rates)
{
    double dipole[3], mu[3], mu_rate[3] = {0.0};
    ph_species_dipole(body->species, dipole);
    ph_quat_rotate(body->q, dipole, mu);
    ph_vec3_add_cross(rates->omega, mu, mu_rate);
    ph_vec3_add_cross(mu_rate, body->fields->electric_field, rates->torque);
}

/* Charges that should cancel may leave rounding errors. */
static bool electric_pulls(const struct ph_external_fields *fields, const struct ph_species *species)
{
    (void)fields;
    double charge = 0.0, size = 0.0;
    for (size_t a = 0; a < species->n_sites; ++a) {
        charge += species->site[a].charge;
        size += fabs(species->site[a].charge);
    }
    return fabs(charge) > 1e-12 * size;
}

const struct ph_external_kind ph_external_electric = {
    .name = "electric field",
    .offset = offsetof(struct ph_external_fields, electric_field),
    .n = 3,
    .add = add_electric,
    .add_rates = electric_rates,
    .pulls = electric_pulls,
};

/* ---- Gravity: u = -m g.r ---- */

static double add_gravity(const struct ph_external_body *body, double force[3], double torque[3])
{
    (void)torque;
    for (int k = 0; k < 3; ++k)
        force[k] += body->species->mass * body->fields->gravity[k];
    return -(body->species->mass * ph_vec3_dot(body->fields->gravity, body->r));
}

const struct ph_external_kind ph_external_gravity = {
    .name = "gravity",
    .offset = offsetof(struct ph_external_fields, gravity),
    .n = 3,
    .add = add_gravity,
    .pulls = always_pulls,
};

/* ---- A constant force at a point b of the body: u = -F.(r + Q b) ---- */

static double add_body_force(const struct ph_external_body *body, double force[3], double torque[3])
{
    const double *push = body->fields->body_force;
    double arm[3];
    ph_quat_rotate(body->q, body->fields->body_point, arm);
    for (int k = 0; k < 3; ++k)
        force[k] += push[k];
    ph_vec3_add_cross(arm, push, torque);
    return -(ph_vec3_dot(push, body->r) + ph_vec3_dot(push, arm));
}

static void body_force_rates(const struct ph_external_body *body, struct ph_external_rates *rates)
{
    double arm[3], arm_rate[3] = {0.0};
    ph_quat_rotate(body->q, body->fields->body_point, arm);
    ph_vec3_add_cross(rates->omega, arm, arm_rate);
    ph_vec3_add_cross(arm_rate, body->fields->body_force, rates->torque);
}

static void body_force_describe(const struct ph_external_fields *fields, size_t size, char text[])
{
    const double *f = fields->body_force, *b = fields->body_point;
    ph_snprintf(text, size, "force on a point of the body: (%.10g, %.10g, %.10g), at (%.10g, %.10g, %.10g)", f[0], f[1],
                f[2], b[0], b[1], b[2]);
}

const struct ph_external_kind ph_external_body_force = {
    .name = "force on a point of the body",
    .offset = offsetof(struct ph_external_fields, body_force),
    .n = 3,
    .add = add_body_force,
    .add_rates = body_force_rates,
    .pulls = always_pulls,
    .describe = body_force_describe,
};

/* ---- Tethers: u = k |r - r0|^2 / 2 ---- */

static double add_tether(const struct ph_external_body *body, double force[3], double torque[3])
{
    (void)torque;
    double energy = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double d = body->r[k] - body->anchor[k];
        energy += 0.5 * body->fields->tether * d * d;
        force[k] -= body->fields->tether * d;
    }
    return energy;
}

static void tether_rates(const struct ph_external_body *body, struct ph_external_rates *rates)
{
    for (int k = 0; k < 3; ++k)
        rates->force[k] -= body->fields->tether * rates->velocity[k];
}

const struct ph_external_kind ph_external_tether = {
    .name = "tethers",
    .offset = offsetof(struct ph_external_fields, tether),
    .n = 1,
    .add = add_tether,
    .add_rates = tether_rates,
    .pulls = always_pulls,
};

/* ---- The gradient of the gravity of a mass along e3: u = 3/2 k e3.J e3, torque 3 k e3 x J e3 ---- */

static const double e3[3] = {0.0, 0.0, 1.0};

/* J v */
static void apply_inertia(const struct ph_external_body *body, const double v[3], double out[3])
{
    const double back[4] = {body->q[0], -body->q[1], -body->q[2], -body->q[3]};
    ph_quat_rotate(back, v, out);
    for (int k = 0; k < 3; ++k)
        out[k] *= body->species->inertia[k];
    ph_quat_rotate(body->q, out, out);
}

static double add_gradient(const struct ph_external_body *body, double force[3], double torque[3])
{
    (void)force;
    double je3[3];
    apply_inertia(body, e3, je3);
    const double three_k = 3.0 * body->fields->gravity_gradient;
    ph_vec3_add_cross((const double[3]){0.0, 0.0, three_k}, je3, torque);
    return 0.5 * three_k * ph_vec3_dot(e3, je3);
}

static void gradient_rates(const struct ph_external_body *body, struct ph_external_rates *rates)
{
    double je3[3], turned[3] = {0.0}, j_turned[3], rate[3] = {0.0};
    apply_inertia(body, e3, je3);
    ph_vec3_add_cross(rates->omega, e3, turned);
    apply_inertia(body, turned, j_turned);
    ph_vec3_add_cross(rates->omega, je3, rate);
    for (int k = 0; k < 3; ++k)
        rate[k] -= j_turned[k];
    ph_vec3_add_cross((const double[3]){0.0, 0.0, 3.0 * body->fields->gravity_gradient}, rate, rates->torque);
}

const struct ph_external_kind ph_external_gravity_gradient = {
    .name = "gravity gradient",
    .offset = offsetof(struct ph_external_fields, gravity_gradient),
    .n = 1,
    .add = add_gradient,
    .add_rates = gradient_rates,
};
