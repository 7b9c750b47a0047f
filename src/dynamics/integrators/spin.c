/* SPDX-License-Identifier: MIT */
#include "dynamics/integrators/spin.h"

#include "base/vec3.h"

#include <float.h>
#include <math.h>

/* A change of z is only rounding if it is below the first, relative to the terms of z; or below the second and no
 * longer falling, as Newton's changes do until then. */
static const double rounding = DBL_EPSILON, nearly = 1e-12;
enum { ITERATIONS = 60 };

/* x of A x = r by Cramer's rule; false for singular or not finite A */
static bool solve3(double A[3][3], const double r[3], double x[3])
{
    double c[3][3];
    for (int i = 0; i < 3; ++i)
        ph_vec3_cross(A[(i + 1) % 3], A[(i + 2) % 3], c[i]);
    const double determinant = ph_vec3_dot(A[0], c[0]);
    for (int k = 0; k < 3; ++k)
        x[k] = (c[0][k] * r[0] + c[1][k] * r[1] + c[2][k] * r[2]) / determinant;
    return isfinite(x[0] + x[1] + x[2]);
}

/* One of the equations as z = g(z): g, and its derivatives along z_0, z_1 and z_2 */
struct equation {
    void (*value)(const struct equation *equation, const double z[3], double g[3]);
    void (*slopes)(const struct equation *equation, const double z[3], double slope[3][3]);
    const double *w;
    const void *data;
};

static bool newton(const struct equation *equation, double size, double z[3])
{
    double last = INFINITY;
    for (int i = 0; i < ITERATIONS; ++i) {
        double g[3], slope[3][3], A[3][3], delta[3];
        equation->value(equation, z, g);
        equation->slopes(equation, z, slope);
        for (int k = 0; k < 3; ++k) {
            for (int j = 0; j < 3; ++j)
                A[j][k] = (j == k ? 1.0 : 0.0) - slope[k][j];
            g[k] -= z[k];
        }
        if (!solve3(A, g, delta))
            return false;
        for (int k = 0; k < 3; ++k)
            z[k] += delta[k];
        const double change = ph_vec3_norm(delta), scale = fmax(size, ph_vec3_norm(z));
        if (change <= rounding * scale || (change <= nearly * scale && change >= 0.5 * last))
            return true;
        last = change;
    }
    return false;
}

/* ---- euler ---- */

struct euler {
    double c, lag;
    const double *b;
};

static void euler_value(const struct equation *equation, const double z[3], double g[3])
{
    const struct euler *e = equation->data;
    const double rate[3] = {equation->w[0] * z[0], equation->w[1] * z[1], equation->w[2] * z[2]};
    const double lag = e->lag * e->c * e->c * ph_vec3_dot(z, rate);
    double cross[3];
    ph_vec3_cross(z, rate, cross);
    for (int k = 0; k < 3; ++k)
        g[k] = e->b[k] + e->c * cross[k] - lag * rate[k];
}

static void euler_slopes(const struct equation *equation, const double z[3], double slope[3][3])
{
    const struct euler *e = equation->data;
    const double *w = equation->w, rate[3] = {w[0] * z[0], w[1] * z[1], w[2] * z[2]};
    const double lag = e->lag * e->c * e->c, same = lag * ph_vec3_dot(z, rate);
    for (int along = 0; along < 3; ++along) {
        double x[3] = {0.0, 0.0, 0.0}, turn[3] = {0.0, 0.0, 0.0}, first[3], second[3];
        x[along] = 1.0;
        turn[along] = w[along];
        const double more = 2.0 * lag * rate[along];
        ph_vec3_cross(x, rate, first);
        ph_vec3_cross(z, turn, second);
        for (int k = 0; k < 3; ++k)
            slope[along][k] = e->c * (first[k] + second[k]) - same * turn[k] - more * rate[k];
    }
}

bool ph_spin_solve_euler(const double w[3], double c, double lag, const double b[3], double z[3])
{
    const struct euler euler = {.c = c, .lag = lag, .b = b};
    const struct equation equation = {.value = euler_value, .slopes = euler_slopes, .w = w, .data = &euler};
    for (int k = 0; k < 3; ++k)
        z[k] = b[k];
    return newton(&equation, ph_vec3_norm(b), z);
}

/* ---- turned ---- */

/* The rotation vector f c (W (z + shift) + extra) */
static void turned_vector(const struct equation *equation, double f, const double z[3], double v[3])
{
    const struct ph_spin_turned *e = equation->data;
    for (int k = 0; k < 3; ++k)
        v[k] = f * e->c * (equation->w[k] * (z[k] + e->shift[k]) + e->extra[k]);
}

static void turned_value(const struct equation *equation, const double z[3], double g[3])
{
    const struct ph_spin_turned *e = equation->data;
    double v[3], turn[4], back[3];
    turned_vector(equation, 1.0, z, v);
    ph_turn_exp(v, turn);
    ph_turn_back(turn, e->b, g);
    if (ph_vec3_is_zero(e->half)) {
        ph_vec3_add(1.0, e->d, g);
        return;
    }
    turned_vector(equation, 0.5, z, v);
    ph_turn_exp(v, turn);
    ph_turn_back(turn, e->half, back);
    for (int k = 0; k < 3; ++k)
        g[k] += back[k] + e->d[k];
}

/* exp(-hat(v)) b changes by (dexp_{-v} (-dv)) x (exp(-hat(v)) b). */
static void add_turned_slopes(const struct equation *equation, double f, const double b[3], const double z[3],
                              double slope[3][3])
{
    const struct ph_spin_turned *e = equation->data;
    double v[3], turn[4], back[3], once, twice;
    turned_vector(equation, -f, z, v);
    ph_turn_exp(v, turn);
    ph_quat_rotate(turn, b, back);
    ph_turn_dexp_factors(v, &once, &twice);
    for (int along = 0; along < 3; ++along) {
        double dv[3] = {0.0, 0.0, 0.0}, turned[3], change[3];
        dv[along] = -f * e->c * equation->w[along];
        ph_turn_polynomial(once, twice, v, dv, turned);
        ph_vec3_cross(turned, back, change);
        ph_vec3_add(1.0, change, slope[along]);
    }
}

static void turned_slopes(const struct equation *equation, const double z[3], double slope[3][3])
{
    const struct ph_spin_turned *e = equation->data;
    for (int along = 0; along < 3; ++along)
        for (int k = 0; k < 3; ++k)
            slope[along][k] = 0.0;
    add_turned_slopes(equation, 1.0, e->b, z, slope);
    if (!ph_vec3_is_zero(e->half))
        add_turned_slopes(equation, 0.5, e->half, z, slope);
}

bool ph_spin_solve_turned(const double w[3], const struct ph_spin_turned *turned, double z[3])
{
    const struct equation equation = {.value = turned_value, .slopes = turned_slopes, .w = w, .data = turned};
    for (int k = 0; k < 3; ++k)
        z[k] = turned->b[k] + turned->half[k] + turned->d[k];
    return newton(&equation, ph_vec3_norm(turned->b), z);
}
