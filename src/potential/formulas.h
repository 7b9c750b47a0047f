/* SPDX-License-Identifier: MIT */
#ifndef PH_POTENTIAL_FORMULAS_H
#define PH_POTENTIAL_FORMULAS_H

/* The formulas of the radial forms in loops (potential/forms.h). Each form has a function of its constants, r and 1/r,
 * for loops over pairs and for devices, and a function that finds the constants at set-up, on the host alone. Most
 * formulas are jets (potential/jet.h): energy, force and rates follow from one text. */

#include "base/library.h"
#include "potential/forms.h"
#include "potential/jet.h"

/* Constants of a formula, by value: compilers do not vectorise reads of a variable whose address is taken. */
struct ph_constants {
    double a, b, c, d;
};

/* ---- Mie: u = a [(s2/r^2)^(c/2) - (s2/r^2)^(d/2)], s2 = b ---- */

/* Factor that makes the minimum -epsilon; 4 for 12-6 */
static inline double ph_mie_prefactor(double n, double m) { return n / (n - m) * ph_library_pow(n / m, m / (n - m)); }

static inline struct ph_constants ph_mie_constants(const struct ph_radial *radial)
{
    const double n = radial->repulsive, m = radial->attractive;
    return (struct ph_constants){ph_mie_prefactor(n, m) * radial->epsilon, radial->sigma * radial->sigma, n, m};
}

PH_INLINE struct ph_radial_bend ph_mie(struct ph_constants k, double r, double inv_r)
{
    (void)r;
    const double inv_r2 = inv_r * inv_r;
    const struct ph_radial_bend f = ph_power_bend(ph_inverse_power(k.a, k.b, k.c, inv_r2), k.c, inv_r2);
    const struct ph_radial_bend g = ph_power_bend(ph_inverse_power(k.a, k.b, k.d, inv_r2), k.d, inv_r2);
    return (struct ph_radial_bend){f.u - g.u, f.w - g.w, f.x - g.x};
}

/* ---- Soft sphere: u = a (s2/r^2)^(c/2), s2 = b ---- */

static inline struct ph_constants ph_soft_sphere_constants(const struct ph_radial *radial)
{
    return (struct ph_constants){4.0 * radial->epsilon, radial->sigma * radial->sigma, radial->repulsive, 0.0};
}

PH_INLINE struct ph_radial_bend ph_soft_sphere(struct ph_constants k, double r, double inv_r)
{
    (void)r;
    const double inv_r2 = inv_r * inv_r;
    return ph_power_bend(ph_inverse_power(k.a, k.b, k.c, inv_r2), k.c, inv_r2);
}

/* ---- Buckingham: u = a exp(-b r) - c/r^6, b = 1/rho ---- */

static inline struct ph_constants ph_buckingham_constants(const struct ph_radial *radial)
{
    return (struct ph_constants){radial->epsilon, 1.0 / radial->sigma, radial->attractive, 0.0};
}

PH_INLINE struct ph_radial_bend ph_buckingham(struct ph_constants k, double r, double inv_r)
{
    const struct ph_jet i = ph_jet_inverse(inv_r), i2 = ph_jet_product(i, i), i4 = ph_jet_product(i2, i2);
    const struct ph_jet repulsion = ph_jet_times(k.a, ph_jet_exp(ph_jet_times(-k.b, ph_jet_r(r))));
    return ph_jet_bend(ph_jet_add(repulsion, ph_jet_times(-k.c, ph_jet_product(i4, i2))), inv_r);
}

/* Newton's method for p log r - r/rho = level, where the left side is concave with its maximum at p rho: the root above
 * it, or below. Steps go one way, because tangents lie above. NAN: there is no root. */
static inline double ph_buckingham_root(double p, double rho, double level, bool above)
{
    if (!(p * ph_library_log(p * rho) - p > level))
        return NAN;
    double r = above ? 2.0 * p * rho : ph_library_exp(level / p);
    while (above && p * ph_library_log(r) - r / rho > level)
        r *= 2.0;
    for (int k = 0; k < 100; ++k) {
        const double step = (p * ph_library_log(r) - r / rho - level) / (p / r - 1.0 / rho);
        r -= step;
        if (fabs(step) <= 1e-15 * r)
            break;
    }
    return r;
}

/* The maximum of u, within which it attracts without bound: 6 C/r^7 = A/rho exp(-r/rho). NAN where u is never
 * positive */
static inline double ph_buckingham_wall(const struct ph_radial *radial)
{
    const double a = radial->epsilon, rho = radial->sigma, c = radial->attractive;
    if (c == 0.0)
        return 0.0;
    const bool repels = a > 0.0 && !isnan(ph_buckingham_root(6.0, rho, ph_library_log(c / a), true));
    return repels ? ph_buckingham_root(7.0, rho, ph_library_log(6.0 * c * rho / a), false) : NAN;
}

static const double ph_buckingham_soft = 1e-4; /* without attraction sites touch where u has fallen to so much of A */

/* Where u changes sign */
static inline double ph_buckingham_size(const struct ph_radial *radial)
{
    const double a = radial->epsilon, rho = radial->sigma, c = radial->attractive;
    return c == 0.0 ? -rho * ph_library_log(ph_buckingham_soft)
                    : ph_buckingham_root(6.0, rho, ph_library_log(c / a), true);
}

static inline double ph_buckingham_depth(const struct ph_radial *radial)
{
    const double a = radial->epsilon, rho = radial->sigma, c = radial->attractive;
    if (c == 0.0)
        return ph_buckingham_soft * a;
    const double r = ph_buckingham_root(7.0, rho, ph_library_log(6.0 * c * rho / a), true);
    return c / (r * r * r * r * r * r) * (1.0 - 6.0 * rho / r); /* A exp(-r/rho) = 6 C rho/r^7 there */
}

/* ---- Yukawa: u = a exp[-c (r - b)] b/r ---- */

static inline struct ph_constants ph_yukawa_constants(const struct ph_radial *radial)
{
    return (struct ph_constants){radial->epsilon * radial->sigma, radial->sigma, radial->repulsive, 0.0};
}

PH_INLINE struct ph_radial_bend ph_yukawa(struct ph_constants k, double r, double inv_r)
{
    const struct ph_jet screen = ph_jet_exp(ph_jet_times(-k.c, ph_jet_plus(ph_jet_r(r), -k.b)));
    return ph_jet_bend(ph_jet_times(k.a, ph_jet_product(screen, ph_jet_inverse(inv_r))), inv_r);
}

/* ---- Morse: u = a (x^2 - 2 x), x = exp[-c (r - b)] ---- */

static inline struct ph_constants ph_morse_constants(const struct ph_radial *radial)
{
    return (struct ph_constants){radial->epsilon, radial->sigma, radial->repulsive, 0.0};
}

PH_INLINE struct ph_radial_bend ph_morse(struct ph_constants k, double r, double inv_r)
{
    const struct ph_jet x = ph_jet_exp(ph_jet_times(-k.c, ph_jet_plus(ph_jet_r(r), -k.b)));
    return ph_jet_bend(ph_jet_times(k.a, ph_jet_product(x, ph_jet_plus(x, -2.0))), inv_r);
}

/* Where u changes sign; below 0 it never does */
static inline double ph_morse_size(const struct ph_radial *radial)
{
    return radial->sigma - 0.69314718055994530942 / radial->repulsive;
}

static inline double ph_morse_wall(const struct ph_radial *radial) { return ph_morse_size(radial) > 0.0 ? 0.0 : NAN; }

/* ---- All of them ---- */

/* A form with its constants, as pairs of sites have it */
struct ph_formula {
    enum ph_radial_kind kind;
    struct ph_constants constants;
    double wall;                  /* 1/r^2 from which u is infinite, or INFINITY */
    const struct ph_curve *curve; /* of curves; not owned */
    double reach;                 /* of curves: no values are needed beyond, or INFINITY */
};

/* u is infinite within the wall. Beyond everything, where 1/r is 0, it is 0. NaN stays NaN. */
PH_INLINE struct ph_radial_bend ph_formula_wall(struct ph_radial_bend f, double wall, double inv_r)
{
    const bool seen = inv_r != 0.0, within = inv_r * inv_r > wall;
    f.u = within ? (double)INFINITY : f.u;
    f.w = within ? (double)INFINITY : f.w;
    f.x = within ? (double)INFINITY : f.x;
    return (struct ph_radial_bend){seen ? f.u : 0.0, seen ? f.w : 0.0, seen ? f.x : 0.0};
}

/* Of one pair; `kind` is a constant in loops, and no curve */
PH_INLINE struct ph_radial_bend ph_formula_bend(enum ph_radial_kind kind, struct ph_constants constants, double wall,
                                                double r, double inv_r)
{
    struct ph_radial_bend f = {0.0, 0.0, 0.0};
    switch (kind) {
#define PH_FORMULA_CASE(KIND, formula, ...)                                                                            \
    case PH_RADIAL_##KIND: f = ph_##formula(constants, r, inv_r); break;
        PH_FORMS_IN_LOOPS(PH_FORMULA_CASE)
#undef PH_FORMULA_CASE
    default: break;
    }
    if (kind == PH_RADIAL_MIE || kind == PH_RADIAL_SOFT_SPHERE) /* powers vanish by themselves, and have no wall */
        return f;
    return ph_formula_wall(f, wall, inv_r);
}

/* Kinds without a loop have no constants; a curve is for the caller to add (potential/curves/curve.h). wall:
 * ph_radial_wall */
static inline void ph_formula_set(const struct ph_radial *radial, double wall, struct ph_formula *formula)
{
    *formula = (struct ph_formula){
        .kind = radial->kind, .wall = wall > 0.0 ? 1.0 / (wall * wall) : INFINITY, .reach = INFINITY};
    switch (radial->kind) {
#define PH_FORMULA_SET(KIND, id, ...)                                                                                  \
    case PH_RADIAL_##KIND: formula->constants = ph_##id##_constants(radial); break;
        PH_FORMS_IN_LOOPS(PH_FORMULA_SET)
#undef PH_FORMULA_SET
    default: break;
    }
}

#endif
