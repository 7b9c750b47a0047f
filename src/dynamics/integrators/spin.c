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

/* One of the equations as z = g(z): g, and its derivative along x */
struct equation {
    void (*value)(const struct equation *equation, const double z[3], double g[3]);
    void (*slope)(const struct equation *equation, const double z[3], const double x[3], double out[3]);
    const double *w;
    const void *data;
};

static bool newton(const struct equation *equation, double size, double z[3])
{
    double last = INFINITY;
    for (int i = 0; i < ITERATIONS; ++i) {
        double g[3], A[3][3], delta[3];
        equation->value(equation, z, g);
        for (int k = 0; k < 3; ++k) {
            double e[3] = {0.0, 0.0, 0.0}, column[3];
            e[k] = 1.0;
            equation->slope(equation, z, e, column);
            for (int j = 0; j < 3; ++j)
                A[j][k] = e[j] - column[j];
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

static void euler_slope(const struct equation *equation, const double z[3], const double x[3], double out[3])
{
    const struct euler *e = equation->data;
    const double *w = equation->w;
    const double rate[3] = {w[0] * z[0], w[1] * z[1], w[2] * z[2]}, turn[3] = {w[0] * x[0], w[1] * x[1], w[2] * x[2]};
    const double lag = e->lag * e->c * e->c, same = lag * ph_vec3_dot(z, rate), more = 2.0 * lag * ph_vec3_dot(x, rate);
    double first[3], second[3];
    ph_vec3_cross(x, rate, first);
    ph_vec3_cross(z, turn, second);
    for (int k = 0; k < 3; ++k)
        out[k] = e->c * (first[k] + second[k]) - same * turn[k] - more * rate[k];
}

bool ph_spin_solve_euler(const double w[3], double c, double lag, const double b[3], double z[3])
{
    const struct euler euler = {.c = c, .lag = lag, .b = b};
    const struct equation equation = {.value = euler_value, .slope = euler_slope, .w = w, .data = &euler};
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
    turned_vector(equation, 0.5, z, v);
    ph_turn_exp(v, turn);
    ph_turn_back(turn, e->half, back);
    for (int k = 0; k < 3; ++k)
        g[k] += back[k] + e->d[k];
}

/* exp(-hat(v)) b changes by (dexp_{-v} (-dv)) x (exp(-hat(v)) b). */
static void add_turned_slope(const struct equation *equation, double f, const double b[3], const double z[3],
                             const double x[3], double out[3])
{
    const struct ph_spin_turned *e = equation->data;
    double v[3], turn[4], back[3], dv[3], turned[3], change[3];
    turned_vector(equation, -f, z, v);
    for (int k = 0; k < 3; ++k)
        dv[k] = -f * e->c * equation->w[k] * x[k];
    ph_turn_exp(v, turn);
    ph_quat_rotate(turn, b, back);
    ph_turn_dexp(v, dv, turned);
    ph_vec3_cross(turned, back, change);
    ph_vec3_add(1.0, change, out);
}

static void turned_slope(const struct equation *equation, const double z[3], const double x[3], double out[3])
{
    const struct ph_spin_turned *e = equation->data;
    for (int k = 0; k < 3; ++k)
        out[k] = 0.0;
    add_turned_slope(equation, 1.0, e->b, z, x, out);
    if (!ph_vec3_is_zero(e->half))
        add_turned_slope(equation, 0.5, e->half, z, x, out);
}

bool ph_spin_solve_turned(const double w[3], const struct ph_spin_turned *turned, double z[3])
{
    const struct equation equation = {.value = turned_value, .slope = turned_slope, .w = w, .data = turned};
    for (int k = 0; k < 3; ++k)
        z[k] = turned->b[k] + turned->half[k] + turned->d[k];
    return newton(&equation, ph_vec3_norm(turned->b), z);
}
