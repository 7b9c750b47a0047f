/* SPDX-License-Identifier: MIT */
#ifndef PH_TESTS_FORCE_REFERENCE_H
#define PH_TESTS_FORCE_REFERENCE_H

/* Forces the plain way: every pair of molecules, every image that may matter, also of a molecule itself, every pair of
 * sites, in long double, from the formulas of force/interactions.h. Shares no code with the force field: slow, scalar,
 * obvious.
 *
 * r = r_a - r_b, n = r/|r|; every term is an angular factor times h(r), and h is what is truncated. With f_a = -du/dr
 * and the field E = -du/dmu at a dipole: radial          u = h charge-charge   u = k q_a q_b h,                     h =
 * 1/r   + B r^2 - C charge-dipole   u = k q_a (mu_b.n) h,                h = 1/r^2 - 2 B r dipole-charge   u = -k q_b
 * (mu_a.n) h,               h = 1/r^2 - 2 B r dipole-dipole   u = k [mu_a.mu_b - 3 (mu_a.n)(mu_b.n)] h - 2 k B
 * (mu_a.mu_b) g,   h = 1/r^3 B = (eps - 1)/(2 eps + 1)/rc^3 and C = 1/rc + B rc^2 with a reaction field, else 0. g = 1
 * up to the cutoff. Beside a switch of the radial terms all electric ones derive from one function, see ref_smooth. */

#include "support.h"

#include "force/force_field.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef long double real;

/* Sizes are sums of absolute values before truncation: what rounding happens to. (Near the cutoff a truncated term is
 * arbitrarily small, but the rounding of r is not.) */
struct reference {
    real radial, electric, field, virial[3][3];
    real (*force)[3], (*torque)[3];
    real energy_size, virial_size, *force_size, *torque_size;
};

static inline real ref_dot(const real a[3], const real b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static inline real ref_norm(const real a[3]) { return sqrtl(ref_dot(a, a)); }

static inline void ref_add_cross(const real a[3], const real b[3], real out[3])
{
    out[0] += a[1] * b[2] - a[2] * b[1];
    out[1] += a[2] * b[0] - a[0] * b[2];
    out[2] += a[0] * b[1] - a[1] * b[0];
}

/* Body vector to space by the rotation matrix of q */
static inline void ref_rotate(const struct ph_system *system, size_t i, const double v[3], real out[3])
{
    const real w = system->q[0][i], x = system->q[1][i], y = system->q[2][i], z = system->q[3][i];
    const real matrix[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                               {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                               {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    for (int k = 0; k < 3; ++k)
        out[k] = matrix[k][0] * v[0] + matrix[k][1] * v[1] + matrix[k][2] * v[2];
}

/* A function and its derivative */
struct ref_function {
    real value, slope;
};

/* The interaction of two sites, by name or by combining rule */
static inline struct ph_radial ref_combine(const struct ph_interactions *in, const struct ph_species *s, size_t a,
                                           const struct ph_species *t, size_t b)
{
    char one[2 * PH_NAME + 2], other[2 * PH_NAME + 2];
    snprintf(one, sizeof one, "%s.%s", s->name, s->site[a].name);
    snprintf(other, sizeof other, "%s.%s", t->name, t->site[b].name);
    for (size_t k = 0; k < in->n_overrides; ++k) {
        const char *first = in->overrides[k].site[0], *second = in->overrides[k].site[1];
        if ((!strcmp(first, one) && !strcmp(second, other)) || (!strcmp(first, other) && !strcmp(second, one)))
            return in->overrides[k].radial;
    }
    struct ph_radial x = s->site[a].radial;
    const struct ph_radial y = t->site[b].radial;
    if (x.kind == PH_RADIAL_NONE || y.kind == PH_RADIAL_NONE)
        return (struct ph_radial){.kind = PH_RADIAL_NONE};
    x.sigma = in->combining == PH_COMBINE_GEOMETRIC ? sqrt(x.sigma * y.sigma) : (x.sigma + y.sigma) / 2;
    x.epsilon = sqrt(x.epsilon * y.epsilon);
    return x;
}

static inline real ref_power(real x, double n)
{
    if (n == 12 || n == 6) {
        const real x2 = x * x, x6 = x2 * x2 * x2;
        return n == 12 ? x6 * x6 : x6;
    }
    return powl(x, n);
}

static inline struct ref_function ref_radial(const struct ph_radial *radial, real r)
{
    const real eps = radial->epsilon, x = radial->sigma / r;
    const double n = radial->repulsive, m = radial->attractive;
    if (radial->kind == PH_RADIAL_SOFT_SPHERE) {
        const real u = 4 * eps * ref_power(x, n);
        return (struct ref_function){u, -n * u / r};
    }
    if (radial->kind == PH_RADIAL_WCA) {
        if (x * x * x * x * x * x <= 0.5L)
            return (struct ref_function){0, 0};
        const real p = ref_power(x, 12), a = ref_power(x, 6);
        return (struct ref_function){4 * eps * (p - a) + eps, 4 * eps * (6 * a - 12 * p) / r};
    }
    const real factor = n == 12 && m == 6 ? 4 : n / ((real)n - m) * powl(n / (real)m, m / ((real)n - m));
    const real p = ref_power(x, n), a = ref_power(x, m);
    return (struct ref_function){factor * eps * (p - a), factor * eps * (m * a - n * p) / r};
}

/* The switch: 1 - I_x(k+1, k+1), the incomplete beta function, as a sum; or 1/(1 + exp(1/(1-x) - 1/x)) */
static inline struct ref_function ref_switch(const struct ph_interactions *in, real r)
{
    const real on = (real)in->cutoff - in->switch_width, x = (r - on) / in->switch_width;
    if (x <= 0)
        return (struct ref_function){1, 0};
    if (x >= 1)
        return (struct ref_function){0, 0};
    if (in->smoothness == PH_SMOOTH_ALL) {
        const real e = expl(1 / (1 - x) - 1 / x), de = e * (1 / ((1 - x) * (1 - x)) + 1 / (x * x));
        return isinf(e) ? (struct ref_function){0, 0}
                        : (struct ref_function){1 / (1 + e), -de / ((1 + e) * (1 + e)) / in->switch_width};
    }
    const int k = in->smoothness; /* S = (1-x)^(k+1) sum_j binomial(k+j, j) x^j */
    real sum = 0, slope_sum = 0, binomial = 1, power = 1;
    for (int j = 0; j <= k; ++j) {
        sum += binomial * power;
        if (j < k)
            slope_sum += binomial * (k + j + 1) * power; /* (j+1) binomial(k+j+1, j+1) x^j */
        binomial = binomial * (k + j + 1) / (j + 1);
        power *= x;
    }
    const real y = 1 - x, yk = powl(y, k);
    return (struct ref_function){yk * y * sum, (yk * y * slope_sum - (k + 1) * yk * sum) / in->switch_width};
}

/* h as it ends: at_end is h at the cutoff */
static inline struct ref_function ref_truncate(const struct ph_interactions *in, struct ref_function h,
                                               struct ref_function at_end, real r)
{
    const real rc = in->cutoff;
    if (in->truncation == PH_TRUNCATE_NONE)
        return h;
    if (r >= rc)
        return (struct ref_function){0, 0};
    if (in->truncation == PH_TRUNCATE_SHIFTED)
        h.value -= at_end.value;
    if (in->truncation == PH_TRUNCATE_FORCE_SHIFTED) {
        h.value -= at_end.value + (r - rc) * at_end.slope;
        h.slope -= at_end.slope;
    }
    if (in->truncation == PH_TRUNCATE_SWITCHED) {
        const struct ref_function s = ref_switch(in, r);
        h = (struct ref_function){s.value * h.value, s.value * h.slope + s.slope * h.value};
    }
    return h;
}

static inline real ref_rf(const struct ph_interactions *in)
{
    if (in->electrostatics != PH_ELECTROSTATICS_REACTION_FIELD)
        return 0;
    const real rc = in->cutoff, eps = in->epsilon_rf;
    return (isinf(eps) ? 0.5L : (eps - 1) / (2 * eps + 1)) / (rc * rc * rc);
}

/* 1/r, 1/r^2, 1/r^3 with their reaction fields; power 1, 2, 3 */
static inline struct ref_function ref_electric(const struct ph_interactions *in, int power, real r)
{
    const real b = ref_rf(in), rc = in->cutoff;
    const real c = in->electrostatics == PH_ELECTROSTATICS_REACTION_FIELD ? 1 / rc + b * rc * rc : 0;
    if (power == 1)
        return (struct ref_function){1 / r + b * r * r - c, -1 / (r * r) + 2 * b * r};
    if (power == 2)
        return (struct ref_function){1 / (r * r) - 2 * b * r, -2 / (r * r * r) - 2 * b};
    return (struct ref_function){1 / (r * r * r), -3 / (r * r * r * r)};
}

/* Products of functions that are given by value, first, second and third derivative */
static inline void ref_multiply(const real a[4], const real b[4], real ab[4])
{
    const real out[4] = {a[0] * b[0], a[1] * b[0] + a[0] * b[1], a[2] * b[0] + 2 * a[1] * b[1] + a[0] * b[2],
                         a[3] * b[0] + 3 * a[2] * b[1] + 3 * a[1] * b[2] + a[0] * b[3]};
    memcpy(ab, out, sizeof out);
}

/* A reaction field beside a switch: f = 1/r + g and its derivatives. With v = (rc^2 - r^2)/(rc^2 - on^2) and y = 1 - v,
 * g = c + s y up to y = 0, and g = c + s y + y^9 Z(v) beyond. f and 8 derivatives vanish at v = 0 if Z has the terms of
 * -(1/r + c + s y)/y^9 below v^8, and that with v^8 is 0. In a conductor that with v^7 is 0 as well; else s is 2 (eps -
 * 1)/(2 eps + 1) of what it is there. */
static inline void ref_smooth(const struct ph_interactions *in, real r, real f[4])
{
    const real rc = in->cutoff, on = rc - in->switch_width, d = rc * rc - on * on;
    const real part = 2 * ref_rf(in) * rc * rc * rc;
    real coulomb[9], nine[9], eight[9]; /* of 1/r, y^-9, y^-8 */
    coulomb[0] = 1 / rc;
    nine[0] = eight[0] = 1;
    for (int k = 1; k < 9; ++k) {
        coulomb[k] = coulomb[k - 1] * (2 * k - 1) / (2 * k) * d / (rc * rc);
        nine[k] = nine[k - 1] * (8 + k) / k;
        eight[k] = eight[k - 1] * (7 + k) / k;
    }
    real both[9] = {0}; /* of 1/r y^-9 */
    for (int k = 0; k < 9; ++k)
        for (int j = 0; j <= k; ++j)
            both[k] += coulomb[j] * nine[k - j];
    const real s = part * (both[8] * nine[7] - both[7] * nine[8]) / (eight[7] * nine[8] - eight[8] * nine[7]);
    const real c = -(both[8] + s * eight[8]) / nine[8];
    const real v[4] = {(rc * rc - r * r) / d, -2 * r / d, -2 / d, 0}, y[4] = {1 - v[0], 2 * r / d, 2 / d, 0};
    real g[4] = {0};
    for (int k = 7; k >= 0 && r > on; --k) {
        ref_multiply(g, v, g);
        g[0] -= both[k] + c * nine[k] + s * eight[k];
    }
    for (int k = 0; k < 9; ++k)
        ref_multiply(g, y, g);
    f[0] = 1 / r + c + s * y[0] + g[0];
    f[1] = -1 / (r * r) + s * y[1] + g[1];
    f[2] = 2 / (r * r * r) + s * y[2] + g[2];
    f[3] = -6 / (r * r * r * r) + g[3];
}

static inline struct ref_function ref_electric_end(const struct ph_interactions *in, int power, real r)
{
    const struct ref_function none = {0, 0};
    if (ph_field_is_smooth(in)) {
        real f[4];
        ref_smooth(in, r, f);
        return r >= in->cutoff ? none
               : power == 1    ? (struct ref_function){f[0], f[1]}
                               : (struct ref_function){-f[1], -f[2]};
    }
    return ref_truncate(in, ref_electric(in, power, r),
                        in->truncation == PH_TRUNCATE_NONE ? none : ref_electric(in, power, in->cutoff), r);
}

/* Two dipoles: p and z of u = (mu_a.mu_b) p - (mu_a.n)(mu_b.n) z */
static inline void ref_dipoles(const struct ph_interactions *in, real r, struct ref_function *p, struct ref_function *z)
{
    if (ph_field_is_smooth(in)) {
        real f[4];
        ref_smooth(in, r, f);
        *p = (struct ref_function){-f[1] / r, (f[1] / r - f[2]) / r};
        *z = (struct ref_function){f[2] - f[1] / r, f[3] - (f[2] - f[1] / r) / r};
        if (r >= in->cutoff)
            *p = *z = (struct ref_function){0, 0};
        return;
    }
    const struct ref_function h = ref_electric_end(in, 3, r);
    const real field = in->truncation == PH_TRUNCATE_NONE || r >= in->cutoff ? 0 : 2 * ref_rf(in);
    *p = (struct ref_function){h.value - field, h.slope};
    *z = (struct ref_function){3 * h.value, 3 * h.slope};
}

/* What two sites do to each other: force on a, fields at the dipoles, energies */
struct ref_pair {
    real radial, electric, force[3], field_a[3], field_b[3];
    real size, energy_size; /* of force and energy: sums of the terms */
};

static inline void ref_add_size(int slopes, real energy, real r, struct ref_pair *pair)
{
    pair->energy_size += energy;
    pair->size += slopes * energy / r;
}

static inline struct ref_pair ref_sites(const struct ph_interactions *in, const struct ph_radial *radial,
                                        const struct ph_site *a, const struct ph_site *b, const real mu_a[3],
                                        const real mu_b[3], const real d[3])
{
    struct ref_pair pair = {0};
    const real r = ref_norm(d), k = in->coulomb, qa = a->charge, qb = b->charge;
    const real n[3] = {d[0] / r, d[1] / r, d[2] / r};
    const real ca = ref_dot(mu_a, n), cb = ref_dot(mu_b, n), cab = ref_dot(mu_a, mu_b);
    real along_n = 0;
    if (radial->kind != PH_RADIAL_NONE && radial->epsilon != 0) {
        const struct ref_function plain = ref_radial(radial, r), none = {0, 0};
        const bool endless = radial->kind == PH_RADIAL_WCA || in->truncation == PH_TRUNCATE_NONE;
        const struct ref_function h = radial->kind == PH_RADIAL_WCA
                                          ? plain
                                          : ref_truncate(in, plain, endless ? none : ref_radial(radial, in->cutoff), r);
        pair.radial = h.value;
        along_n -= h.slope;
        pair.size += fabsl(plain.slope);
        pair.energy_size += fabsl(plain.value);
    }
    if (qa != 0 && qb != 0) {
        const struct ref_function h = ref_electric_end(in, 1, r);
        pair.electric += k * qa * qb * h.value;
        along_n -= k * qa * qb * h.slope;
        ref_add_size(1, fabsl(k * qa * qb) / r, r, &pair);
    }
    if (qa != 0 && ref_norm(mu_b) > 0) {
        const struct ref_function h = ref_electric_end(in, 2, r);
        pair.electric += k * qa * cb * h.value;
        for (int x = 0; x < 3; ++x) {
            pair.force[x] -= k * qa * (cb * h.slope * n[x] + h.value / r * (mu_b[x] - cb * n[x]));
            pair.field_b[x] -= k * qa * n[x] * h.value;
        }
        ref_add_size(3, fabsl(k * qa) * ref_norm(mu_b) / (r * r), r, &pair);
    }
    if (qb != 0 && ref_norm(mu_a) > 0) {
        const struct ref_function h = ref_electric_end(in, 2, r);
        pair.electric -= k * qb * ca * h.value;
        for (int x = 0; x < 3; ++x) {
            pair.force[x] += k * qb * (ca * h.slope * n[x] + h.value / r * (mu_a[x] - ca * n[x]));
            pair.field_a[x] += k * qb * n[x] * h.value;
        }
        ref_add_size(3, fabsl(k * qb) * ref_norm(mu_a) / (r * r), r, &pair);
    }
    if (ref_norm(mu_a) > 0 && ref_norm(mu_b) > 0) {
        struct ref_function p, z; /* u = cab p - ca cb z */
        ref_dipoles(in, r, &p, &z);
        pair.electric += k * (cab * p.value - ca * cb * z.value);
        along_n -= k * (cab * p.slope - ca * cb * z.slope);
        for (int x = 0; x < 3; ++x) {
            pair.force[x] += k * z.value / r * ((mu_a[x] - ca * n[x]) * cb + (mu_b[x] - cb * n[x]) * ca);
            pair.field_a[x] += k * (cb * n[x] * z.value - mu_b[x] * p.value);
            pair.field_b[x] += k * (ca * n[x] * z.value - mu_a[x] * p.value);
        }
        ref_add_size(9, k * ref_norm(mu_a) * ref_norm(mu_b) / (r * r * r), r, &pair);
    }
    for (int x = 0; x < 3; ++x)
        pair.force[x] += along_n * n[x];
    return pair;
}

/* Sites of all molecules in space: arms and dipoles */
struct ref_sites_of {
    real arm[PH_SITES_MAX][3], mu[PH_SITES_MAX][3];
};

static inline void ref_add_molecules(const struct ph_system *system, const struct ph_interactions *in,
                                     const struct ref_sites_of *sites, size_t i, size_t j, const real centre[3],
                                     struct reference *out)
{
    const struct ph_species *s = &system->species[ph_system_species_of(system, i)];
    const struct ph_species *t = &system->species[ph_system_species_of(system, j)];
    for (size_t a = 0; a < s->n_sites; ++a)
        for (size_t b = 0; b < t->n_sites; ++b) {
            const struct ph_radial radial = ref_combine(in, s, a, t, b);
            real d[3];
            for (int x = 0; x < 3; ++x)
                d[x] = centre[x] + sites[i].arm[a][x] - sites[j].arm[b][x];
            /* nothing ends beyond the cutoff but a WCA wider than it */
            if (in->truncation != PH_TRUNCATE_NONE && radial.kind != PH_RADIAL_WCA && ref_norm(d) >= in->cutoff)
                continue;
            const real *mu_a = sites[i].mu[a], *mu_b = sites[j].mu[b];
            const struct ref_pair pair = ref_sites(in, &radial, &s->site[a], &t->site[b], mu_a, mu_b, d);
            real back[3];
            for (int x = 0; x < 3; ++x) {
                back[x] = -pair.force[x];
                out->force[i][x] += pair.force[x];
                out->force[j][x] -= pair.force[x];
                for (int y = 0; y < 3; ++y)
                    out->virial[x][y] += centre[x] * pair.force[y];
            }
            ref_add_cross(sites[i].arm[a], pair.force, out->torque[i]);
            ref_add_cross(sites[j].arm[b], back, out->torque[j]);
            ref_add_cross(mu_a, pair.field_a, out->torque[i]);
            ref_add_cross(mu_b, pair.field_b, out->torque[j]);
            out->radial += pair.radial;
            out->electric += pair.electric;
            out->energy_size += pair.energy_size;
            out->virial_size += ref_norm(centre) * pair.size;
            out->force_size[i] += pair.size;
            out->force_size[j] += pair.size;
            out->torque_size[i] += s->extent * pair.size + pair.energy_size;
            out->torque_size[j] += t->extent * pair.size + pair.energy_size;
        }
}

/* -q E.r - mu.E, -m g.r, -F.(r + Q b), k/2 |r - anchor|^2; anchor[i] are unwrapped places, or NULL without tethers */
static inline void ref_external(const struct ph_system *system, const struct ph_interactions *in,
                                const struct ref_sites_of *sites, const double (*anchor)[3], struct reference *out)
{
    for (size_t i = 0; i < system->n; ++i) {
        const struct ph_species *s = &system->species[ph_system_species_of(system, i)];
        real r[3], arm[3];
        for (int x = 0; x < 3; ++x) {
            r[x] = system->r[x][i];
            for (int e = 0; e < 3; ++e)
                r[x] += (real)system->image[e][i] * system->box.edge[e][x];
        }
        const real field[3] = {in->external.electric_field[0], in->external.electric_field[1],
                               in->external.electric_field[2]};
        const real push[3] = {in->external.body_force[0], in->external.body_force[1], in->external.body_force[2]};
        for (size_t a = 0; a < s->n_sites; ++a) {
            real on_site[3];
            for (int x = 0; x < 3; ++x) {
                on_site[x] = s->site[a].charge * field[x];
                out->force[i][x] += on_site[x];
                out->field -= on_site[x] * (r[x] + sites[i].arm[a][x]) + sites[i].mu[a][x] * field[x];
            }
            ref_add_cross(sites[i].arm[a], on_site, out->torque[i]);
            ref_add_cross(sites[i].mu[a], field, out->torque[i]);
        }
        ref_rotate(system, i, in->external.body_point, arm);
        ref_add_cross(arm, push, out->torque[i]);
        for (int x = 0; x < 3; ++x) {
            const real away = anchor ? r[x] - anchor[i][x] : 0;
            out->force[i][x] += s->mass * in->external.gravity[x] + push[x] - in->external.tether * away;
            out->field += -s->mass * in->external.gravity[x] * r[x] - push[x] * (r[x] + arm[x]) +
                          in->external.tether * away * away / 2;
        }
        out->force_size[i] += ref_norm(out->force[i]);
        out->torque_size[i] += ref_norm(out->torque[i]);
    }
    out->energy_size += fabsl(out->field);
}

static inline void reference_free(struct reference *reference)
{
    free(reference->force);
    free(reference->torque);
    free(reference->force_size);
    free(reference->torque_size);
}

static inline struct reference reference_evaluate(const struct ph_system *system, const struct ph_interactions *in,
                                                  const double (*anchor)[3])
{
    const size_t n = system->n;
    struct reference out = {.force = calloc(n, sizeof *out.force),
                            .torque = calloc(n, sizeof *out.torque),
                            .force_size = calloc(n, sizeof *out.force_size),
                            .torque_size = calloc(n, sizeof *out.torque_size)};
    struct ref_sites_of *sites = calloc(n, sizeof *sites);
    double reach = 0.0;
    for (size_t i = 0; i < n; ++i) {
        const struct ph_species *s = &system->species[ph_system_species_of(system, i)];
        reach = fmax(reach, s->extent);
        for (size_t a = 0; a < s->n_sites; ++a) {
            ref_rotate(system, i, s->site[a].position, sites[i].arm[a]);
            ref_rotate(system, i, s->site[a].dipole, sites[i].mu[a]);
        }
    }
    const bool open = system->box.kind == PH_BOX_OPEN, endless = in->truncation == PH_TRUNCATE_NONE;
    reach = (in->cutoff + 2.0 * reach) * (1.0 + 1e-12); /* generous; decided by sites later */
    int images[3] = {0, 0, 0};                          /* beyond the nearest fractional one */
    for (int k = 0; k < 3 && !open; ++k)
        images[k] = (int)floor(reach / system->box.width[k] + 0.5 + 1e-9);
    for (size_t i = 0; i < n; ++i)
        for (size_t j = i; j < n; ++j) {
            double d[3], whole[3] = {0.0};
            for (int x = 0; x < 3; ++x)
                d[x] = system->r[x][i] - system->r[x][j];
            for (int k = 0; k < 3 && !open; ++k)
                whole[k] = rint(system->box.inverse[k][0] * d[0] + system->box.inverse[k][1] * d[1] +
                                system->box.inverse[k][2] * d[2]);
            for (int a = -images[0]; a <= images[0]; ++a)
                for (int b = -images[1]; b <= images[1]; ++b)
                    for (int c = -images[2]; c <= images[2]; ++c) {
                        /* a molecule and its images on both sides: of opposite ones one, and not itself */
                        if (i == j && (a < 0 || (a == 0 && (b < 0 || (b == 0 && c <= 0)))))
                            continue;
                        const double count[3] = {whole[0] + a, whole[1] + b, whole[2] + c};
                        double square = 0.0;
                        for (int x = 0; x < 3; ++x) {
                            const double l = d[x] - count[0] * system->box.edge[0][x] -
                                             count[1] * system->box.edge[1][x] - count[2] * system->box.edge[2][x];
                            square += l * l;
                        }
                        if (!endless && square > reach * reach)
                            continue;
                        real centre[3];
                        for (int x = 0; x < 3; ++x) {
                            centre[x] = (real)system->r[x][i] - system->r[x][j];
                            for (int k = 0; k < 3 && !open; ++k)
                                centre[x] -= (real)count[k] * system->box.edge[k][x];
                        }
                        ref_add_molecules(system, in, sites, i, j, centre, &out);
                    }
        }
    ref_external(system, in, sites, anchor, &out);
    free(sites);
    return out;
}

/* The largest deviations of a result, each relative to the sum of the absolute values it is the sum of */
struct deviation {
    double energy, force, torque, virial;
};

static inline struct deviation reference_compare(const struct reference *want, const struct ph_system *system,
                                                 const struct ph_energy *energy)
{
    struct deviation off = {0};
    const real tiny = 1e-300L;
    off.energy = (double)(fmaxl(fabsl(energy->radial - want->radial),
                                fmaxl(fabsl(energy->electric - want->electric), fabsl(energy->field - want->field))) /
                          (want->energy_size + tiny));
    for (int x = 0; x < 3; ++x)
        for (int y = 0; y < 3; ++y)
            off.virial =
                fmax(off.virial,
                     (double)(fabsl(energy->virial[x][y] - (x == y ? energy->long_range * 0 : 0) - want->virial[x][y]) /
                              (want->virial_size + tiny)));
    for (size_t i = 0; i < system->n; ++i)
        for (int x = 0; x < 3; ++x) {
            const double f = (double)(fabsl(system->f[x][i] - want->force[i][x]) / (want->force_size[i] + tiny));
            const double t = (double)(fabsl(system->t[x][i] - want->torque[i][x]) / (want->torque_size[i] + tiny));
            off.force = f > off.force || isnan(f) ? f : off.force;
            off.torque = t > off.torque || isnan(t) ? t : off.torque;
        }
    return off;
}

#endif
