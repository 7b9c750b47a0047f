/* SPDX-License-Identifier: MIT */
/* Fields of the literature on integrators that act on orientations alone. Torques and energies are in external_force.h.
 */
#include "base/plain.h"
#include "force/external/external_force.h"

/* ---- A charge before a wall ---- */

static const double e3[3] = {0.0, 0.0, 1.0};

static void wall_rates(const struct ph_external_body *body, struct ph_external_rates *rates)
{
    double n[3], n_rate[3] = {0.0}, slope, bend;
    ph_quat_rotate(body->q, e3, n);
    ph_vec3_add_cross(rates->omega, n, n_rate);
    ph_external_wall_energy(body->fields, n, &slope, &bend);
    ph_vec3_add_cross(n, (const double[3]){0.0, 0.0, -bend * n_rate[2]}, rates->torque);
    ph_vec3_add_cross(n_rate, (const double[3]){0.0, 0.0, -slope}, rates->torque);
}

static void wall_describe(const struct ph_external_fields *fields, size_t size, char text[])
{
    ph_snprintf(text, size, "wall: %.10g/z - %.10g/z^10, z = %.10g + Q33", fields->wall_repulsion, fields->wall_core,
                fields->wall_height);
}

const struct ph_external_kind ph_external_wall = {
    .name = "wall",
    .turns_only = true,
    .offset = offsetof(struct ph_external_fields, wall_repulsion),
    .n = 2,
    .add = ph_external_add_wall,
    .add_rates = wall_rates,
    .describe = wall_describe,
};

/* ---- Functions of the distance d of the orientation Q from a rotation S, as in external_force.h ---- */

static const double root2 = 1.4142135623730950488;

/* g' = (sqrt(8) bend - slope/|v|) sqrt(2)/|v| |v|' */
static void add_distance_rate(const struct ph_turn_distance *x, const double s[4], double slope, double bend,
                              const double omega[3], double torque_rate[3])
{
    if (x->length == 0.0)
        return;
    const double back[4] = {s[0], -s[1], -s[2], -s[3]};
    double w[3], turn[3] = {0.0}, rate[3];
    ph_quat_rotate(back, omega, w);
    ph_vec3_add_cross(w, x->v, turn);
    const double along = ph_vec3_dot(w, x->v), c_rate = -0.5 * along, length_rate = 0.5 * x->c * along / x->length;
    const double g = root2 * slope / x->length;
    const double g_rate = (4.0 * bend - g) * length_rate / x->length; /* sqrt(2) sqrt(8) = 4 */
    for (int k = 0; k < 3; ++k) {
        const double v_rate = 0.5 * (x->c * w[k] + turn[k]);
        rate[k] = -(g_rate * x->c + g * c_rate) * x->v[k] - g * x->c * v_rate;
    }
    ph_quat_rotate(s, rate, rate);
    for (int k = 0; k < 3; ++k)
        torque_rate[k] += rate[k];
}

static const double unturned[4] = {1.0, 0.0, 0.0, 0.0};

/* ---- A valley of orientations ---- */

static void valley_rates(const struct ph_external_body *body, struct ph_external_rates *rates)
{
    const struct ph_turn_distance x = ph_turn_distance(unturned, body->q);
    const double twice = 2.0 * body->fields->valley_stiffness, slope = twice * (x.d - body->fields->valley_distance);
    add_distance_rate(&x, unturned, slope, twice, rates->omega, rates->torque);
}

static void valley_describe(const struct ph_external_fields *fields, size_t size, char text[])
{
    ph_snprintf(text, size, "valley of orientations: %.10g (d - %.10g)^2", fields->valley_stiffness,
                fields->valley_distance);
}

const struct ph_external_kind ph_external_valley = {
    .name = "valley of orientations",
    .turns_only = true,
    .offset = offsetof(struct ph_external_fields, valley_stiffness),
    .n = 1,
    .add = ph_external_add_valley,
    .add_rates = valley_rates,
    .describe = valley_describe,
};

/* ---- An orientation R that attracts ---- */

static void attraction_rates(const struct ph_external_body *body, struct ph_external_rates *rates)
{
    const struct ph_turn_distance x = ph_turn_distance(body->attractor, body->q);
    const double slope = body->fields->attraction / (x.d * x.d);
    add_distance_rate(&x, body->attractor, slope, -2.0 * slope / x.d, rates->omega, rates->torque);
}

static void attraction_describe(const struct ph_external_fields *fields, size_t size, char text[])
{
    double q[4];
    ph_turn_exp(fields->attractor, q);
    ph_snprintf(text, size, "orientation that attracts: -%.10g/d, d from (%.10g, %.10g, %.10g, %.10g)",
                fields->attraction, q[0], q[1], q[2], q[3]);
}

const struct ph_external_kind ph_external_attraction = {
    .name = "orientation that attracts",
    .turns_only = true,
    .offset = offsetof(struct ph_external_fields, attraction),
    .n = 1,
    .add = ph_external_add_attraction,
    .add_rates = attraction_rates,
    .describe = attraction_describe,
};
