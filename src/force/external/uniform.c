/* SPDX-License-Identifier: MIT */
/* Fields that are uniform in space, or nearly so. Vectors fixed in a body turn with it: an arm changes at the rate
 * omega x arm, and J = Q I Q^T at omega x J - J omega x. Forces and energies are in external_force.h. */
#include "base/plain.h"
#include "force/external/external_force.h"

static bool always_pulls(const struct ph_external_fields *fields, const struct ph_species *species)
{
    (void)fields, (void)species;
    return true;
}

/* ---- Electric field ---- */

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
    .add = ph_external_add_electric,
    .add_rates = electric_rates,
    .pulls = electric_pulls,
};

/* ---- Gravity ---- */

const struct ph_external_kind ph_external_gravity = {
    .name = "gravity",
    .offset = offsetof(struct ph_external_fields, gravity),
    .n = 3,
    .add = ph_external_add_gravity,
    .pulls = always_pulls,
};

/* ---- A constant force at a point b of the body ---- */

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
    .add = ph_external_add_body_force,
    .add_rates = body_force_rates,
    .pulls = always_pulls,
    .describe = body_force_describe,
};

/* ---- Tethers ---- */

static void tether_rates(const struct ph_external_body *body, struct ph_external_rates *rates)
{
    for (int k = 0; k < 3; ++k)
        rates->force[k] -= body->fields->tether * rates->velocity[k];
}

const struct ph_external_kind ph_external_tether = {
    .name = "tethers",
    .offset = offsetof(struct ph_external_fields, tether),
    .n = 1,
    .add = ph_external_add_tether,
    .add_rates = tether_rates,
    .pulls = always_pulls,
};

/* ---- The gradient of the gravity of a mass along e3 ---- */

static const double e3[3] = {0.0, 0.0, 1.0};

static void gradient_rates(const struct ph_external_body *body, struct ph_external_rates *rates)
{
    double je3[3], turned[3] = {0.0}, j_turned[3], rate[3] = {0.0};
    ph_external_apply_inertia(body, e3, je3);
    ph_vec3_add_cross(rates->omega, e3, turned);
    ph_external_apply_inertia(body, turned, j_turned);
    ph_vec3_add_cross(rates->omega, je3, rate);
    for (int k = 0; k < 3; ++k)
        rate[k] -= j_turned[k];
    ph_vec3_add_cross((const double[3]){0.0, 0.0, 3.0 * body->fields->gravity_gradient}, rate, rates->torque);
}

const struct ph_external_kind ph_external_gravity_gradient = {
    .name = "gravity gradient",
    .offset = offsetof(struct ph_external_fields, gravity_gradient),
    .n = 1,
    .add = ph_external_add_gravity_gradient,
    .add_rates = gradient_rates,
};
