/* SPDX-License-Identifier: MIT */
#include "force/external/external.h"

#include "base/rotation.h"

#include <math.h>

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
           nonzero(interactions->body_force) || interactions->tether != 0.0 || interactions->gravity_gradient != 0.0 ||
           interactions->wall_repulsion != 0.0 || interactions->wall_core != 0.0 ||
           interactions->valley_stiffness != 0.0 || interactions->attraction != 0.0;
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

/* ---- A charge before a wall: u(z), z = height + e3.n, n = Q e3 ---- */

/* u, and its first two derivatives in z */
static double wall(const struct ph_interactions *interactions, const double n[3], double *slope, double *bend)
{
    const double z = interactions->wall_height + n[2], inverse = 1.0 / z, inverse2 = inverse * inverse;
    const double inverse10 = inverse2 * inverse2 * inverse2 * inverse2 * inverse2;
    const double repulsion = interactions->wall_repulsion * inverse, core = interactions->wall_core * inverse10;
    *slope = (-repulsion + 10.0 * core) * inverse;
    *bend = (2.0 * repulsion - 110.0 * core) * inverse2;
    return repulsion - core;
}

/* torque n x (-u' e3) */
static double add_wall(const struct ph_interactions *interactions, const double q[4], double torque[3])
{
    double n[3], slope, bend;
    ph_quat_rotate(q, e3, n);
    const double energy = wall(interactions, n, &slope, &bend);
    add_cross(n, (const double[3]){0.0, 0.0, -slope}, torque);
    return energy;
}

static void add_wall_rate(const struct ph_interactions *interactions, const double q[4], const double omega[3],
                          double torque_rate[3])
{
    double n[3], n_rate[3] = {0.0}, slope, bend;
    ph_quat_rotate(q, e3, n);
    add_cross(omega, n, n_rate);
    wall(interactions, n, &slope, &bend);
    add_cross(n, (const double[3]){0.0, 0.0, -bend * n_rate[2]}, torque_rate);
    add_cross(n_rate, (const double[3]){0.0, 0.0, -slope}, torque_rate);
}

/* ---- Functions of the distance d of the attitude Q from a turn S ----
 *
 * With the quaternion p = s^* q = (c, v) of S^T Q, tr(S^T Q) = 4 c^2 - 1 and d = sqrt(8) |v|. If Q turns with omega,
 * which is w in the frame of S, then c' = -w.v/2 and v' = (c w + w x v)/2: d' = sqrt(2) c v.w/|v|. So the torque of
 * u(d) is -g c v in the frame of S, g = sqrt(2) u'(d)/|v|. */

struct distance {
    double c, v[3], length; /* of p, |v| */
    double d;
};

static struct distance distance_from(const double s[4], const double q[4])
{
    const double back[4] = {s[0], -s[1], -s[2], -s[3]};
    double p[4];
    ph_quat_multiply(back, q, p);
    struct distance x = {.c = p[0], .v = {p[1], p[2], p[3]}};
    x.length = sqrt(dot(x.v, x.v));
    x.d = 2.8284271247461900976 * x.length;
    return x;
}

static const double root2 = 1.4142135623730950488;

/* Adds the torque, turned from the frame of S to space. At d = 0 there is none: all directions are alike. */
static void add_distance_torque(const struct distance *x, const double s[4], double slope, double torque[3])
{
    if (x->length == 0.0)
        return;
    double turned[3];
    ph_quat_rotate(s, x->v, turned);
    for (int k = 0; k < 3; ++k)
        torque[k] -= root2 * slope / x->length * x->c * turned[k];
}

/* g' = (sqrt(8) bend - slope/|v|) sqrt(2)/|v| |v|' */
static void add_distance_rate(const struct distance *x, const double s[4], double slope, double bend,
                              const double omega[3], double torque_rate[3])
{
    if (x->length == 0.0)
        return;
    const double back[4] = {s[0], -s[1], -s[2], -s[3]};
    double w[3], turn[3] = {0.0}, rate[3];
    ph_quat_rotate(back, omega, w);
    add_cross(w, x->v, turn);
    const double along = dot(w, x->v), c_rate = -0.5 * along, length_rate = 0.5 * x->c * along / x->length;
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

static double add_valley(const struct ph_interactions *interactions, const double q[4], double torque[3])
{
    const struct distance x = distance_from(unturned, q);
    const double off = x.d - interactions->valley_distance;
    add_distance_torque(&x, unturned, 2.0 * interactions->valley_stiffness * off, torque);
    return interactions->valley_stiffness * off * off;
}

static void add_valley_rate(const struct ph_interactions *interactions, const double q[4], const double omega[3],
                            double torque_rate[3])
{
    const struct distance x = distance_from(unturned, q);
    const double twice = 2.0 * interactions->valley_stiffness;
    add_distance_rate(&x, unturned, twice * (x.d - interactions->valley_distance), twice, omega, torque_rate);
}

static double add_attraction(const struct ph_interactions *interactions, const double q[4], double torque[3])
{
    const struct distance x = distance_from(interactions->attractor, q);
    add_distance_torque(&x, interactions->attractor, interactions->attraction / (x.d * x.d), torque);
    return -interactions->attraction / x.d;
}

static void add_attraction_rate(const struct ph_interactions *interactions, const double q[4], const double omega[3],
                                double torque_rate[3])
{
    const struct distance x = distance_from(interactions->attractor, q);
    const double slope = interactions->attraction / (x.d * x.d);
    add_distance_rate(&x, interactions->attractor, slope, -2.0 * slope / x.d, omega, torque_rate);
}

/* ---- All of them ---- */

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
    if (species->degrees == 0) /* the rest acts on attitudes */
        return energy;
    if (interactions->wall_repulsion != 0.0 || interactions->wall_core != 0.0)
        energy += add_wall(interactions, q, torque);
    if (interactions->valley_stiffness != 0.0)
        energy += add_valley(interactions, q, torque);
    if (interactions->attraction != 0.0)
        energy += add_attraction(interactions, q, torque);
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
    if (species->degrees == 0)
        return;
    if (interactions->wall_repulsion != 0.0 || interactions->wall_core != 0.0)
        add_wall_rate(interactions, q, omega, torque_rate);
    if (interactions->valley_stiffness != 0.0)
        add_valley_rate(interactions, q, omega, torque_rate);
    if (interactions->attraction != 0.0)
        add_attraction_rate(interactions, q, omega, torque_rate);
}
