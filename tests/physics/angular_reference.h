/* SPDX-License-Identifier: MIT */
#ifndef PH_TESTS_ANGULAR_REFERENCE_H
#define PH_TESTS_ANGULAR_REFERENCE_H

/* Molecules with angular forms, and a plain text of the formulas, which shares nothing with the program's. */

#include "force_systems.h"

/* ---- Molecules ---- */

static inline struct ph_angular gay_berne(double a, double b, double c, const double well[3], double mu, double nu)
{
    return (struct ph_angular){PH_ANGULAR_GAY_BERNE, {1.0, 1.0, a, b, c, well[0], well[1], well[2], mu, nu, 1.0}};
}

static inline struct ph_angular re_squared(double a, double b, double c, const double well[3])
{
    return (struct ph_angular){PH_ANGULAR_RE_SQUARED, {1.0, 1.0, a, b, c, well[0], well[1], well[2]}};
}

/* A uniaxial molecule with these ratios of length and wells */
static inline struct ph_angular classic(double k, double k_prime, double mu, double nu)
{
    return gay_berne(0.5, 0.5, 0.5 * k, (const double[]){1.0, 1.0, 1.0 / k_prime}, mu, nu);
}

static inline struct ph_site angular_site(const struct ph_angular *angular)
{
    return (struct ph_site){.name = "A", .mass = 1.0, .angular = *angular, .axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

static inline struct ph_species make_ellipsoid(const char *name, const struct ph_angular *angular)
{
    struct ph_species species = {.n_sites = 1, .site = {angular_site(angular)}};
    snprintf(species.name, sizeof species.name, "%s", name);
    assert_ok(ph_species_complete(&species, NULL, (const double[]){0.5, 0.6, 0.25}, &err));
    return species;
}

static inline struct ph_system *make_pair(const struct ph_angular *one, const struct ph_angular *other,
                                          const double d[3], const double q[2][4])
{
    const struct ph_species first = make_ellipsoid("one", one), second = make_ellipsoid("other", other);
    return make_two(&first, &second, d, q);
}

/* Spheres, uniaxial ellipsoids about several axes and a biaxial one */
static inline const struct ph_angular *ellipsoids(enum ph_angular_kind kind, size_t *n)
{
    static const double even[3] = {1, 1, 1}, along_x[3] = {0.4, 1, 1}, biaxial[3] = {1.2, 0.7, 0.3};
    static struct ph_angular forms[5];
    const bool gb = kind == PH_ANGULAR_GAY_BERNE;
    *n = 5;
    forms[0] = gb ? gay_berne(0.5, 0.5, 0.5, even, 1.5, 2) : re_squared(0.5, 0.5, 0.5, even);
    forms[1] = gb ? gay_berne(0.4, 0.4, 1.1, (const double[]){1, 1, 0.2}, 1.5, 2)
                  : re_squared(0.4, 0.4, 1.1, (const double[]){1, 1, 0.2});
    forms[2] = gb ? gay_berne(0.2, 0.6, 0.6, along_x, 1.5, 2) : re_squared(0.2, 0.6, 0.6, along_x);
    forms[3] = gb ? gay_berne(0.3, 0.5, 0.9, biaxial, 1.5, 2) : re_squared(0.3, 0.5, 0.9, biaxial);
    forms[4] = gb ? gay_berne(0.6, 0.4, 0.6, (const double[]){1, 0.5, 1}, 1.5, 2)
                  : re_squared(0.6, 0.4, 0.6, (const double[]){1, 0.5, 1});
    for (size_t k = 0; k < *n; ++k) { /* epsilon and sigma differ */
        forms[k].number[0] = 0.8 + 0.3 * (double)k;
        forms[k].number[1] = 0.9 + 0.05 * (double)k;
    }
    return forms;
}

/* Uniaxial rotors, biaxial bodies with charges and a dipole beside their ellipsoids, and water, with no centres nearer
 * than `apart` */
static inline struct ph_system *make_mixture_of_forms(enum ph_angular_kind kind, size_t each, const struct ph_box *box,
                                                      double apart, uint64_t seed)
{
    size_t n;
    const struct ph_angular *form = ellipsoids(kind, &n);
    const bool gb = kind == PH_ANGULAR_GAY_BERNE;
    struct ph_species species[3] = {{.name = "rod", .n_sites = 1, .site = {angular_site(&form[1])}},
                                    {.name = "board", .n_sites = 3, .site = {angular_site(&form[3])}}};
    assert_ok(ph_species_complete(&species[0], NULL, (const double[]){0.5, 0.5, 0.0}, &err));
    struct ph_site *site = species[1].site;
    site[0].dipole[0] = 0.3;
    site[0].dipole[2] = -0.4;
    const double turn[3][3] = {{0, 0.6, 0.8}, {1, 0, 0}, {0, 0.8, -0.6}};
    memcpy(site[0].axis, turn, sizeof turn);
    site[1] = (struct ph_site){.name = "B", .mass = 0.5, .charge = 0.4, .position = {0.1, 0.25, -0.1}};
    site[2] = (struct ph_site){.name = "C", .mass = 0.3, .charge = -0.4, .position = {-0.2, 0.05, 0.3}};
    assert_ok(ph_species_complete(&species[1], NULL, NULL, &err));
    species[2] = make_molecule(WATER, gb ? lennard_jones : (struct ph_radial){.kind = PH_RADIAL_NONE});
    return make_at_random(3, species, (const size_t[]){each, each, each}, box, apart, seed);
}

/* ---- A plain text of the formulas, in matrices ---- */

typedef double matrix[3][3];

static inline double det(const matrix m)
{
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/* n.(m^-1 n) by Cramer's rule */
static inline double along(const matrix m, const double n[3])
{
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        matrix with;
        memcpy(with, m, sizeof with);
        for (int x = 0; x < 3; ++x)
            with[x][k] = n[x];
        sum += n[k] * det((const double(*)[3])with) / det(m);
    }
    return sum;
}

/* m += w A' diag(value^p) A of molecule i */
static inline void add_tensor(const struct ph_system *system, size_t i, const double value[3], double p, double w,
                              matrix m)
{
    const double q[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]};
    for (int k = 0; k < 3; ++k) {
        double unit[3] = {0.0}, axis[3];
        unit[k] = 1.0;
        ph_quat_rotate(q, unit, axis);
        for (int x = 0; x < 3; ++x)
            for (int y = 0; y < 3; ++y)
                m[x][y] += w * pow(value[k], p) * axis[x] * axis[y];
    }
}

static inline double half_product(const double *s) { return (s[0] * s[1] + s[2] * s[2]) * sqrt(s[0] * s[1]); }

static inline double plain_gay_berne(const struct ph_system *system, const double *a, const double *b, double r,
                                     const double n[3])
{
    matrix g = {{0.0}}, wells = {{0.0}};
    const double epsilon = sqrt(a[0] * b[0]), sigma = 0.5 * (a[1] + b[1]), mu = a[8], nu = a[9], gamma = a[10];
    add_tensor(system, 0, a + 2, 2.0, 1.0, g);
    add_tensor(system, 1, b + 2, 2.0, 1.0, g);
    add_tensor(system, 0, a + 5, -1.0 / mu, 1.0, wells);
    add_tensor(system, 1, b + 5, -1.0 / mu, 1.0, wells);
    const double contact = 1.0 / sqrt(0.5 * along((const double(*)[3])g, n));
    const double rho = sigma / (r - contact + gamma * sigma);
    const double eta = pow(2.0 * half_product(a + 2) * half_product(b + 2) / det((const double(*)[3])g), 0.5 * nu);
    const double chi = pow(2.0 * along((const double(*)[3])wells, n), mu);
    return 4.0 * epsilon * (pow(rho, 12.0) - pow(rho, 6.0)) * eta * chi;
}

static inline double plain_re_squared(const struct ph_system *system, const double *a, const double *b, double r,
                                      const double n[3])
{
    const double *number[2] = {a, b}, hamaker = sqrt(a[0] * b[0]), sigma = 0.5 * (a[1] + b[1]);
    matrix g = {{0.0}}, wells = {{0.0}}, curved = {{0.0}};
    double radius[2], area = 0.0;
    for (size_t i = 0; i < 2; ++i) {
        matrix inverse = {{0.0}};
        add_tensor(system, i, number[i] + 2, 2.0, 1.0, g);
        add_tensor(system, i, number[i] + 5, 1.0, 1.0, wells);
        add_tensor(system, i, number[i] + 2, -2.0, 1.0, inverse);
        double square = 0.0;
        for (int x = 0; x < 3; ++x)
            for (int y = 0; y < 3; ++y)
                square += n[x] * inverse[x][y] * n[y];
        radius[i] = 1.0 / sqrt(square);
        area += number[i][2] * number[i][3] * number[i][4] * square;
        add_tensor(system, i, number[i] + 2, 2.0, 1.0 / radius[i], curved);
    }
    const double h = r - 1.0 / sqrt(0.5 * along((const double(*)[3])g, n));
    const double eta = area / sqrt(det((const double(*)[3])curved) / (radius[0] + radius[1]));
    const double t = eta * 2.0 * along((const double(*)[3])wells, n) * sigma / h;
    double wide = 1.0, narrow = 1.0;
    for (size_t i = 0; i < 2; ++i)
        for (int x = 0; x < 3; ++x) {
            wide *= number[i][2 + x] / (number[i][2 + x] + 0.5 * h);
            narrow *= number[i][2 + x] / (number[i][2 + x] + h / cbrt(60.0));
        }
    return -hamaker / 36.0 * (1.0 + 3.0 * t) * wide +
           hamaker / 2025.0 * pow(sigma / h, 6.0) * (1.0 + 45.0 / 56.0 * t) * narrow;
}

static inline double plain_energy(const struct ph_system *system, const struct ph_angular *one,
                                  const struct ph_angular *other)
{
    double n[3], r = 0.0;
    for (int k = 0; k < 3; ++k) {
        n[k] = system->r[k][1] - system->r[k][0];
        r += n[k] * n[k];
    }
    r = sqrt(r);
    for (int k = 0; k < 3; ++k)
        n[k] /= r;
    return (one->kind == PH_ANGULAR_GAY_BERNE ? plain_gay_berne : plain_re_squared)(system, one->number, other->number,
                                                                                    r, n);
}

#endif
