/* SPDX-License-Identifier: MIT */
#ifndef PH_TESTS_FORCE_REFERENCE_H
#define PH_TESTS_FORCE_REFERENCE_H

/* Forces the plain way: every pair of molecules, every image that may matter, also of a molecule itself, every pair of
 * sites, from the formulas of force/interactions.h. Shares no code with the force field: slow, scalar,
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

/* Long double is emulated on some machines. It is needed for places, since large coordinates cancel, and for functions
 * that are switched off, whose terms do; all else is rounded as forces of the engine are. */
typedef double real;
typedef long double long_real;

/* Sizes are sums of absolute values before truncation: what rounding happens to. (Near the cutoff a truncated term is
 * arbitrarily small, but the rounding of r is not.) */
struct reference {
    real radial, electric, field, virial[3][3];
    real (*force)[3], (*torque)[3];
    real energy_size, virial_size, *force_size, *torque_size;
};

static inline real ref_dot(const real a[3], const real b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static inline real ref_norm(const real a[3]) { return sqrt(ref_dot(a, a)); }

static inline void ref_add_cross(const real a[3], const real b[3], real out[3])
{
    out[0] += a[1] * b[2] - a[2] * b[1];
    out[1] += a[2] * b[0] - a[0] * b[2];
    out[2] += a[0] * b[1] - a[1] * b[0];
}

/* Body vector to space by the rotation matrix of q */
static inline void ref_rotate(const struct ph_system *system, size_t i, const double v[3], long_real out[3])
{
    const long_real w = system->q[0][i], x = system->q[1][i], y = system->q[2][i], z = system->q[3][i];
    const long_real matrix[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
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
    for (size_t k = 0; k < in->n_overrides; ++k) {
        char one[2 * PH_NAME + 2], other[2 * PH_NAME + 2];
        snprintf(one, sizeof one, "%s.%s", s->name, s->site[a].name);
        snprintf(other, sizeof other, "%s.%s", t->name, t->site[b].name);
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
    if (x.kind == PH_RADIAL_BUCKINGHAM)
        x.attractive = sqrt(x.attractive * y.attractive);
    return x;
}

static inline real ref_power(real x, double n)
{
    if (n == 12 || n == 6) {
        const real x2 = x * x, x6 = x2 * x2 * x2;
        return n == 12 ? x6 * x6 : x6;
    }
    return pow(x, n);
}

static inline struct ref_function ref_radial(const struct ph_radial *radial, real r)
{
    const real eps = radial->epsilon, x = radial->sigma / r;
    const double n = radial->repulsive, m = radial->attractive;
    if (radial->kind == PH_RADIAL_BUCKINGHAM) {
        const real e = eps * exp(-r / radial->sigma), c = m / (r * r * r * r * r * r);
        return (struct ref_function){e - c, 6 * c / r - e / radial->sigma};
    }
    if (radial->kind == PH_RADIAL_YUKAWA) {
        const real u = eps * exp(-n * (r - radial->sigma)) * x;
        return (struct ref_function){u, -u * (n + 1 / r)};
    }
    if (radial->kind == PH_RADIAL_MORSE) {
        const real e = exp(-n * (r - radial->sigma));
        return (struct ref_function){eps * e * (e - 2), 2 * n * eps * e * (1 - e)};
    }
    if (radial->kind == PH_RADIAL_SOFT_SPHERE) {
        const real u = 4 * eps * ref_power(x, n);
        return (struct ref_function){u, -n * u / r};
    }
    if (radial->kind == PH_RADIAL_WCA) {
        if (x * x * x * x * x * x <= 0.5)
            return (struct ref_function){0, 0};
        const real p = ref_power(x, 12), a = ref_power(x, 6);
        return (struct ref_function){4 * eps * (p - a) + eps, 4 * eps * (6 * a - 12 * p) / r};
    }
    const real factor = n == 12 && m == 6 ? 4 : n / ((real)n - m) * pow(n / (real)m, m / ((real)n - m));
    const real p = ref_power(x, n), a = ref_power(x, m);
    return (struct ref_function){factor * eps * (p - a), factor * eps * (m * a - n * p) / r};
}

/* The switch: 1 - I_x(k+1, k+1), the incomplete beta function, as a sum; or 1/(1 + exp(1/(1-x) - 1/x)) */
static inline struct ref_function ref_switch(const struct ph_interactions *in, long_real r)
{
    const real width = in->switch_width;
    const long_real on = (long_real)in->cutoff - width, x = (r - on) / width;
    if (x <= 0)
        return (struct ref_function){1, 0};
    if (x >= 1)
        return (struct ref_function){0, 0};
    if (in->smoothness == PH_SMOOTH_ALL) {
        const long_real e = expl(1 / (1 - x) - 1 / x), de = e * (1 / ((1 - x) * (1 - x)) + 1 / (x * x));
        return isinf(e) ? (struct ref_function){0, 0}
                        : (struct ref_function){(real)(1 / (1 + e)), (real)(-de / ((1 + e) * (1 + e)) / width)};
    }
    const int k = in->smoothness; /* S = (1-x)^(k+1) sum_j binomial(k+j, j) x^j */
    long_real sum = 0, slope_sum = 0, power = 1, yk = 1, binomial = 1;
    for (int j = 0; j <= k; ++j) {
        sum += binomial * power;
        if (j < k) {
            slope_sum += binomial * (k + j + 1) * power; /* (j+1) binomial(k+j+1, j+1) x^j */
            yk *= 1 - x;
        }
        binomial = binomial * (k + j + 1) / (j + 1);
        power *= x;
    }
    return (struct ref_function){(real)(yk * (1 - x) * sum),
                                 (real)((yk * (1 - x) * slope_sum - (k + 1) * yk * sum) / width)};
}

/* h as it ends: at_end is h at the cutoff */
static inline struct ref_function ref_truncate(const struct ph_interactions *in, struct ref_function h,
                                               struct ref_function at_end, long_real r)
{
    const real rc = in->cutoff;
    if (in->truncation == PH_TRUNCATE_NONE)
        return h;
    if (r >= rc)
        return (struct ref_function){0, 0};
    if (in->truncation == PH_TRUNCATE_SHIFTED)
        h.value -= at_end.value;
    if (in->truncation == PH_TRUNCATE_FORCE_SHIFTED) {
        h.value -= at_end.value + (real)(r - rc) * at_end.slope;
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
    return (isinf(eps) ? 0.5 : (eps - 1) / (2 * eps + 1)) / (rc * rc * rc);
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
static inline void ref_multiply(const long_real a[4], const long_real b[4], long_real ab[4])
{
    const long_real out[4] = {a[0] * b[0], a[1] * b[0] + a[0] * b[1], a[2] * b[0] + 2 * a[1] * b[1] + a[0] * b[2],
                              a[3] * b[0] + 3 * a[2] * b[1] + 3 * a[1] * b[2] + a[0] * b[3]};
    memcpy(ab, out, sizeof out);
}

/* A reaction field beside a switch: f = 1/r + g and its derivatives. With v = (rc^2 - r^2)/(rc^2 - on^2) and y = 1 - v,
 * g = c + s y up to y = 0, and g = c + s y + y^9 Z(v) beyond. f and 8 derivatives vanish at v = 0 if Z has the terms of
 * -(1/r + c + s y)/y^9 below v^8, and that with v^8 is 0. In a conductor that with v^7 is 0 as well; else s is 2 (eps -
 * 1)/(2 eps + 1) of what it is there. */
struct ref_smooth_field {
    real cutoff, switch_width, field; /* what it was found for */
    long_real on, d, c, s, z[8];
};

static inline struct ref_smooth_field ref_find_smooth(const struct ph_interactions *in)
{
    const long_real rc = in->cutoff, on = rc - in->switch_width, d = rc * rc - on * on;
    const long_real part = 2 * ref_rf(in) * rc * rc * rc;
    long_real coulomb[9], nine[9], eight[9]; /* of 1/r, y^-9, y^-8 */
    coulomb[0] = 1 / rc;
    nine[0] = eight[0] = 1;
    for (int k = 1; k < 9; ++k) {
        coulomb[k] = coulomb[k - 1] * (2 * k - 1) / (2 * k) * d / (rc * rc);
        nine[k] = nine[k - 1] * (8 + k) / k;
        eight[k] = eight[k - 1] * (7 + k) / k;
    }
    long_real both[9] = {0}; /* of 1/r y^-9 */
    for (int k = 0; k < 9; ++k)
        for (int j = 0; j <= k; ++j)
            both[k] += coulomb[j] * nine[k - j];
    struct ref_smooth_field field = {in->cutoff, in->switch_width, ref_rf(in), .on = on, .d = d};
    field.s = part * (both[8] * nine[7] - both[7] * nine[8]) / (eight[7] * nine[8] - eight[8] * nine[7]);
    field.c = -(both[8] + field.s * eight[8]) / nine[8];
    for (int k = 0; k < 8; ++k)
        field.z[k] = -(both[k] + field.c * nine[k] + field.s * eight[k]);
    return field;
}

static inline void ref_smooth(const struct ph_interactions *in, long_real r, real f[4])
{
    static struct ref_smooth_field last; /* coefficients are the same for many pairs */
    if (last.cutoff != in->cutoff || last.switch_width != in->switch_width || last.field != ref_rf(in))
        last = ref_find_smooth(in);
    const long_real rc = in->cutoff, d = last.d;
    const long_real v[4] = {(rc * rc - r * r) / d, -2 * r / d, -2 / d, 0}, y[4] = {1 - v[0], 2 * r / d, 2 / d, 0};
    long_real g[4] = {0};
    for (int k = 7; k >= 0 && r > last.on; --k) {
        ref_multiply(g, v, g);
        g[0] += last.z[k];
    }
    if (r > last.on) {
        long_real power[4]; /* y^2, y^4, y^8 */
        memcpy(power, y, sizeof power);
        for (int k = 0; k < 3; ++k)
            ref_multiply(power, power, power);
        ref_multiply(g, power, g);
        ref_multiply(g, y, g);
    }
    f[0] = (real)(1 / r + last.c + last.s * y[0] + g[0]);
    f[1] = (real)(-1 / (r * r) + last.s * y[1] + g[1]);
    f[2] = (real)(2 / (r * r * r) + last.s * y[2] + g[2]);
    f[3] = (real)(-6 / (r * r * r * r) + g[3]);
}

static inline struct ref_function ref_electric_end(const struct ph_interactions *in, int power, long_real r)
{
    const struct ref_function none = {0, 0};
    if (ph_field_is_smooth(in)) {
        real f[4];
        ref_smooth(in, r, f);
        return r >= in->cutoff ? none
               : power == 1    ? (struct ref_function){f[0], f[1]}
                               : (struct ref_function){-f[1], -f[2]};
    }
    return ref_truncate(in, ref_electric(in, power, (real)r),
                        in->truncation == PH_TRUNCATE_NONE ? none : ref_electric(in, power, in->cutoff), r);
}

/* Two dipoles: p and z of u = (mu_a.mu_b) p - (mu_a.n)(mu_b.n) z */
static inline void ref_dipoles(const struct ph_interactions *in, long_real exact, struct ref_function *p,
                               struct ref_function *z)
{
    const real r = (real)exact;
    if (ph_field_is_smooth(in)) {
        real f[4];
        ref_smooth(in, exact, f);
        *p = (struct ref_function){-f[1] / r, (f[1] / r - f[2]) / r};
        *z = (struct ref_function){f[2] - f[1] / r, f[3] - (f[2] - f[1] / r) / r};
        if (r >= in->cutoff)
            *p = *z = (struct ref_function){0, 0};
        return;
    }
    const struct ref_function h = ref_electric_end(in, 3, exact);
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
                                        const real mu_b[3], const long_real at[3])
{
    struct ref_pair pair = {0};
    const real d[3] = {(real)at[0], (real)at[1], (real)at[2]};
    const real r = ref_norm(d), k = in->coulomb, qa = a->charge, qb = b->charge;
    const real n[3] = {d[0] / r, d[1] / r, d[2] / r};
    const real ca = ref_dot(mu_a, n), cb = ref_dot(mu_b, n), cab = ref_dot(mu_a, mu_b);
    const bool switched = in->truncation == PH_TRUNCATE_SWITCHED && r > in->cutoff - in->switch_width;
    const long_real exact = switched ? sqrtl(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]) : r;
    real along_n = 0;
    if (radial->kind != PH_RADIAL_NONE && radial->epsilon != 0) {
        const struct ref_function plain = ref_radial(radial, r), none = {0, 0};
        const bool endless = radial->kind == PH_RADIAL_WCA || in->truncation == PH_TRUNCATE_NONE;
        const struct ref_function h =
            radial->kind == PH_RADIAL_WCA
                ? plain
                : ref_truncate(in, plain, endless ? none : ref_radial(radial, in->cutoff), exact);
        pair.radial = h.value;
        along_n -= h.slope;
        pair.size += fabs(plain.slope);
        pair.energy_size += fabs(plain.value);
    }
    if (qa != 0 && qb != 0) {
        const struct ref_function h = ref_electric_end(in, 1, exact);
        pair.electric += k * qa * qb * h.value;
        along_n -= k * qa * qb * h.slope;
        ref_add_size(1, fabs(k * qa * qb) / r, r, &pair);
    }
    if (qa != 0 && ref_norm(mu_b) > 0) {
        const struct ref_function h = ref_electric_end(in, 2, exact);
        pair.electric += k * qa * cb * h.value;
        for (int x = 0; x < 3; ++x) {
            pair.force[x] -= k * qa * (cb * h.slope * n[x] + h.value / r * (mu_b[x] - cb * n[x]));
            pair.field_b[x] -= k * qa * n[x] * h.value;
        }
        ref_add_size(3, fabs(k * qa) * ref_norm(mu_b) / (r * r), r, &pair);
    }
    if (qb != 0 && ref_norm(mu_a) > 0) {
        const struct ref_function h = ref_electric_end(in, 2, exact);
        pair.electric -= k * qb * ca * h.value;
        for (int x = 0; x < 3; ++x) {
            pair.force[x] += k * qb * (ca * h.slope * n[x] + h.value / r * (mu_a[x] - ca * n[x]));
            pair.field_a[x] += k * qb * n[x] * h.value;
        }
        ref_add_size(3, fabs(k * qb) * ref_norm(mu_a) / (r * r), r, &pair);
    }
    if (ref_norm(mu_a) > 0 && ref_norm(mu_b) > 0) {
        struct ref_function p, z; /* u = cab p - ca cb z */
        ref_dipoles(in, exact, &p, &z);
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
    long_real at[PH_SITES_MAX][3]; /* the arm once more */
    real arm[PH_SITES_MAX][3], mu[PH_SITES_MAX][3];
};

static inline void ref_add_molecules(const struct ph_system *system, const struct ph_interactions *in,
                                     const struct ref_sites_of *sites, size_t i, size_t j, const long_real at[3],
                                     struct reference *out)
{
    const struct ph_species *s = &system->species[ph_system_species_of(system, i)];
    const struct ph_species *t = &system->species[ph_system_species_of(system, j)];
    const real centre[3] = {(real)at[0], (real)at[1], (real)at[2]};
    for (size_t a = 0; a < s->n_sites; ++a)
        for (size_t b = 0; b < t->n_sites; ++b) {
            const struct ph_radial radial = ref_combine(in, s, a, t, b);
            long_real d[3];
            for (int x = 0; x < 3; ++x)
                d[x] = at[x] + sites[i].at[a][x] - sites[j].at[b][x];
            /* nothing ends beyond the cutoff but a WCA wider than it */
            if (in->truncation != PH_TRUNCATE_NONE && radial.kind != PH_RADIAL_WCA &&
                ref_norm((const real[]){(real)d[0], (real)d[1], (real)d[2]}) >= in->cutoff)
                continue;
            const real *mu_a = sites[i].mu[a], *mu_b = sites[j].mu[b];
            const struct ref_pair pair = ref_sites(in, &radial, &s->site[a], &t->site[b], mu_a, mu_b, d);
            real back[3];
            for (int x = 0; x < 3; ++x) {
                back[x] = -pair.force[x];
                out->force[i][x] += i == j ? 0 : pair.force[x]; /* own images: no net force, not even by rounding */
                out->force[j][x] -= i == j ? 0 : pair.force[x];
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
        real r[3];
        long_real arm[3];
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
        ref_add_cross((const real[]){(real)arm[0], (real)arm[1], (real)arm[2]}, push, out->torque[i]);
        for (int x = 0; x < 3; ++x) {
            const real away = anchor ? r[x] - anchor[i][x] : 0;
            out->force[i][x] += s->mass * in->external.gravity[x] + push[x] - in->external.tether * away;
            out->field += -s->mass * in->external.gravity[x] * r[x] - push[x] * (r[x] + (real)arm[x]) +
                          in->external.tether * away * away / 2;
        }
        out->force_size[i] += ref_norm(out->force[i]);
        out->torque_size[i] += ref_norm(out->torque[i]);
    }
    out->energy_size += fabs(out->field);
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
        long_real dipole[3];
        reach = fmax(reach, s->extent);
        for (size_t a = 0; a < s->n_sites; ++a) {
            ref_rotate(system, i, s->site[a].position, sites[i].at[a]);
            ref_rotate(system, i, s->site[a].dipole, dipole);
            for (int x = 0; x < 3; ++x) {
                sites[i].arm[a][x] = (real)sites[i].at[a][x];
                sites[i].mu[a][x] = (real)dipole[x];
            }
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
                        long_real centre[3];
                        for (int x = 0; x < 3; ++x) {
                            centre[x] = (long_real)system->r[x][i] - system->r[x][j];
                            for (int k = 0; k < 3 && !open; ++k)
                                centre[x] -= (long_real)count[k] * system->box.edge[k][x];
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
    const real tiny = 1e-300;
    off.energy = (double)(fmax(fabs(energy->radial - want->radial),
                               fmax(fabs(energy->electric - want->electric), fabs(energy->field - want->field))) /
                          (want->energy_size + tiny));
    for (int x = 0; x < 3; ++x)
        for (int y = 0; y < 3; ++y)
            off.virial =
                fmax(off.virial,
                     (double)(fabs(energy->virial[x][y] - (x == y ? energy->long_range * 0 : 0) - want->virial[x][y]) /
                              (want->virial_size + tiny)));
    for (size_t i = 0; i < system->n; ++i)
        for (int x = 0; x < 3; ++x) {
            const double f = (double)(fabs(system->f[x][i] - want->force[i][x]) / (want->force_size[i] + tiny));
            const double t = (double)(fabs(system->t[x][i] - want->torque[i][x]) / (want->torque_size[i] + tiny));
            off.force = f > off.force || isnan(f) ? f : off.force;
            off.torque = t > off.torque || isnan(t) ? t : off.torque;
        }
    return off;
}

#endif
