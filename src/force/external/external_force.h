/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_EXTERNAL_EXTERNAL_FORCE_H
#define PH_FORCE_EXTERNAL_EXTERNAL_FORCE_H

/* Force, torque and energy of one molecule in each of the external fields, for the processor and other machines
 * (accel/functions/device_functions.h). Each adds force and torque (space frame) and returns the energy. */

#include "base/rotation.h"
#include "force/external/external.h"

/* All of them by name, in the order of ph_external_at: E(name) */
#define PH_EXTERNALS(E)                                                                                                \
    E(electric)                                                                                                        \
    E(gravity)                                                                                                         \
    E(body_force)                                                                                                      \
    E(tether)                                                                                                          \
    E(gravity_gradient)                                                                                                \
    E(wall)                                                                                                            \
    E(valley)                                                                                                          \
    E(attraction)

/* ---- Electric field: u = -q_a E.r_a - mu_a.E over the sites ---- */

PH_INLINE double ph_external_add_electric(const struct ph_external_body *body, double force[3], double torque[3])
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

/* ---- Gravity: u = -m g.r ---- */

PH_INLINE double ph_external_add_gravity(const struct ph_external_body *body, double force[3], double torque[3])
{
    (void)torque;
    for (int k = 0; k < 3; ++k)
        force[k] += body->species->mass * body->fields->gravity[k];
    return -(body->species->mass * ph_vec3_dot(body->fields->gravity, body->r));
}

/* ---- A constant force at a point b of the body: u = -F.(r + Q b) ---- */

PH_INLINE double ph_external_add_body_force(const struct ph_external_body *body, double force[3], double torque[3])
{
    const double *push = body->fields->body_force;
    double arm[3];
    ph_quat_rotate(body->q, body->fields->body_point, arm);
    for (int k = 0; k < 3; ++k)
        force[k] += push[k];
    ph_vec3_add_cross(arm, push, torque);
    return -(ph_vec3_dot(push, body->r) + ph_vec3_dot(push, arm));
}

/* ---- Tethers: u = k |r - r0|^2 / 2 ---- */

PH_INLINE double ph_external_add_tether(const struct ph_external_body *body, double force[3], double torque[3])
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

/* ---- The gradient of the gravity of a mass along e3: u = 3/2 k e3.J e3, torque 3 k e3 x J e3 ---- */

/* J v */
PH_INLINE void ph_external_apply_inertia(const struct ph_external_body *body, const double v[3], double out[3])
{
    const double back[4] = {body->q[0], -body->q[1], -body->q[2], -body->q[3]};
    ph_quat_rotate(back, v, out);
    for (int k = 0; k < 3; ++k)
        out[k] *= body->species->inertia[k];
    ph_quat_rotate(body->q, out, out);
}

PH_INLINE double ph_external_add_gravity_gradient(const struct ph_external_body *body, double force[3],
                                                  double torque[3])
{
    (void)force;
    const double e3[3] = {0.0, 0.0, 1.0}, three_k = 3.0 * body->fields->gravity_gradient;
    const double axis[3] = {0.0, 0.0, three_k};
    double je3[3];
    ph_external_apply_inertia(body, e3, je3);
    ph_vec3_add_cross(axis, je3, torque);
    return 0.5 * three_k * ph_vec3_dot(e3, je3);
}

/* ---- A charge before a wall: u(z), z = height + e3.n, n = Q e3; torque n x (-u' e3) ---- */

/* u, and its first two derivatives in z */
PH_INLINE double ph_external_wall_energy(const struct ph_external_fields *fields, const double n[3], double *slope,
                                         double *bend)
{
    const double z = fields->wall_height + n[2], inverse = 1.0 / z, inverse2 = inverse * inverse;
    const double inverse10 = inverse2 * inverse2 * inverse2 * inverse2 * inverse2;
    const double repulsion = fields->wall_repulsion * inverse, core = fields->wall_core * inverse10;
    *slope = (-repulsion + 10.0 * core) * inverse;
    *bend = (2.0 * repulsion - 110.0 * core) * inverse2;
    return repulsion - core;
}

PH_INLINE double ph_external_add_wall(const struct ph_external_body *body, double force[3], double torque[3])
{
    (void)force;
    const double e3[3] = {0.0, 0.0, 1.0};
    double n[3], slope, bend;
    ph_quat_rotate(body->q, e3, n);
    const double energy = ph_external_wall_energy(body->fields, n, &slope, &bend), push[3] = {0.0, 0.0, -slope};
    ph_vec3_add_cross(n, push, torque);
    return energy;
}

/* ---- Functions of the distance d of the orientation Q from a rotation S ----
 *
 * With the quaternion p = s^* q = (c, v) of S^T Q, tr(S^T Q) = 4 c^2 - 1 and d = sqrt(8) |v|. If Q turns with omega,
 * which is w in the frame of S, then c' = -w.v/2 and v' = (c w + w x v)/2: d' = sqrt(2) c v.w/|v|. So the torque of
 * u(d) is -g c v in the frame of S, g = sqrt(2) u'(d)/|v|. */

struct ph_turn_distance {
    double c, v[3], length; /* of p, |v| */
    double d;
};

PH_INLINE struct ph_turn_distance ph_turn_distance(const double s[4], const double q[4])
{
    const double back[4] = {s[0], -s[1], -s[2], -s[3]};
    double p[4];
    ph_quat_multiply(back, q, p);
    struct ph_turn_distance x = {p[0], {p[1], p[2], p[3]}, 0.0, 0.0};
    x.length = sqrt(ph_vec3_dot(x.v, x.v));
    x.d = 2.8284271247461900976 * x.length;
    return x;
}

/* Adds the torque, turned from the frame of S to space. At d = 0 there is none: all directions are alike. */
PH_INLINE void ph_turn_distance_torque(const struct ph_turn_distance *x, const double s[4], double slope,
                                       double torque[3])
{
    const double root2 = 1.4142135623730950488;
    if (x->length == 0.0)
        return;
    double turned[3];
    ph_quat_rotate(s, x->v, turned);
    for (int k = 0; k < 3; ++k)
        torque[k] -= root2 * slope / x->length * x->c * turned[k];
}

/* A valley of orientations: k (d(1) - d0)^2 */
PH_INLINE double ph_external_add_valley(const struct ph_external_body *body, double force[3], double torque[3])
{
    (void)force;
    const double unturned[4] = {1.0, 0.0, 0.0, 0.0}, stiffness = body->fields->valley_stiffness;
    const struct ph_turn_distance x = ph_turn_distance(unturned, body->q);
    const double off = x.d - body->fields->valley_distance;
    ph_turn_distance_torque(&x, unturned, 2.0 * stiffness * off, torque);
    return stiffness * off * off;
}

/* An orientation R that attracts: -a/d(R) */
PH_INLINE double ph_external_add_attraction(const struct ph_external_body *body, double force[3], double torque[3])
{
    (void)force;
    const double attraction = body->fields->attraction;
    const struct ph_turn_distance x = ph_turn_distance(body->attractor, body->q);
    ph_turn_distance_torque(&x, body->attractor, attraction / (x.d * x.d), torque);
    return -attraction / x.d;
}

#endif
