/* SPDX-License-Identifier: MIT */
/* E. Hairer, G. Vilmart, J. Phys. A 39 (2006) 13225, equations (3), (4) and (6). */
#include "lab/studies/dmv_fixed_point.h"

#include "base/random.h"
#include "base/rotation.h"
#include "base/vec3.h"
#include "lab/problems/free_bodies.h"

#include <assert.h>
#include <math.h>

/* Sum of c[k,l] x^k v^l over 1 <= k + l <= levels */
static double series(const double *c, int levels, double x, double v)
{
    double sum = 0.0;
    for (int k = 0; k <= levels; ++k)
        for (int l = 0; k + l <= levels; ++l)
            if (k + l > 0)
                sum += c[PH_DMV_INDEX(k, l)] * pow(x, k) * pow(v, l);
    return sum;
}

/* 1/It_j = s/I_j + d */
static void inverse_moments(const struct ph_top *top, int order, double h, const double y[3], double inverse[3])
{
    const int levels = order / 2 - 1;
    const double spread =
        (top->inverse[0] - top->inverse[2]) * y[0] * y[0] + (top->inverse[1] - top->inverse[2]) * y[1] * y[1];
    const double x = h * h * top->dmv.x_scale * spread, v = h * h * top->dmv.v_scale * ph_vec3_dot(y, y);
    const double s = 1.0 + series(top->dmv.s, levels, x, v), d = series(top->dmv.d, levels, x, v);
    for (int k = 0; k < 3; ++k)
        inverse[k] = s * top->inverse[k] + d;
}

bool ph_dmv_fixed_point(const struct ph_top *top, int order, double h, double m[3])
{
    enum { MOST = 1000 };
    static const double settled = 1e-14, beyond = 1e6;
    assert(top->axis[0] == 0 && top->axis[1] == 1 && top->axis[2] == 2 && top->scale == 1.0);
    double inverse[3], e[3] = {0.0, 0.0, 0.0}, change = INFINITY;
    inverse_moments(top, order, h, m, inverse);
    /* It e = h/2 (1 + |e|^2) y + (It e) x e */
    for (int i = 0; i < MOST && change > settled; ++i) {
        const double moved[3] = {e[0] / inverse[0], e[1] / inverse[1], e[2] / inverse[2]};
        double turned[3], square = 0.0;
        ph_vec3_cross(moved, e, turned);
        const double length = 0.5 * h * (1.0 + ph_vec3_dot(e, e));
        for (int k = 0; k < 3; ++k) {
            const double next = inverse[k] * (length * m[k] + turned[k]);
            square += (next - e[k]) * (next - e[k]);
            e[k] = next;
        }
        change = sqrt(square);
        if (!(change < beyond))
            return false;
    }
    if (!(change <= settled))
        return false;
    /* The quaternion of the step is (1, e)/norm; the momentum in space stays, so that in the body is turned back. */
    const double norm = sqrt(1.0 + ph_vec3_dot(e, e)), back[4] = {1.0 / norm, -e[0] / norm, -e[1] / norm, -e[2] / norm};
    const double before[3] = {m[0], m[1], m[2]};
    ph_quat_rotate(back, before, m);
    return true;
}

/* ---- How often it converges ---- */

static const double end_time = 10.0;
enum { LONG_STEPS = 29 }; /* of 0.34 */

static bool converges(const struct ph_top *top, int order, const double m[3])
{
    double now[3] = {m[0], m[1], m[2]};
    for (int k = 0; k < LONG_STEPS; ++k)
        if (!ph_dmv_fixed_point(top, order, end_time / LONG_STEPS, now))
            return false;
    return true;
}

static void draw_any(uint64_t seed, uint64_t index, double inertia[3], double m[3])
{
    struct ph_random random = ph_random_stream(seed, PH_RANDOM_PROBLEM, index);
    for (int k = 0; k < 3; ++k) {
        inertia[k] = ph_random_uniform(&random);
        m[k] = ph_random_uniform(&random);
    }
    const double least = fmin(fmin(inertia[0], inertia[1]), inertia[2]),
                 most = fmax(fmax(inertia[0], inertia[1]), inertia[2]);
    const double middle = inertia[0] + inertia[1] + inertia[2] - least - most;
    inertia[0] = least / most;
    inertia[1] = middle / most;
    inertia[2] = 1.0;
}

static enum ph_status count_flow(const struct ph_flow *dmv, const struct ph_top *top, double m[1][3],
                                 struct ph_dmv_converged *converged, struct ph_error *err)
{
    static const double lost = 0.1;
    double q[1][4], error = 0.0;
    const struct ph_free_course course = {top, 1, (const double(*)[3])m, end_time, (const double(*)[4])q};
    enum ph_status status = ph_free_reference(top, 1, course.m, end_time, q, NULL, err);
    if (status == PH_OK)
        status = ph_free_errors(dmv, &course, LONG_STEPS, &error, err);
    converged->flow += status == PH_OK && error < lost;
    return status;
}

enum ph_status ph_dmv_count_converged(const struct ph_flow *dmv, uint64_t seed, int bodies,
                                      struct ph_dmv_converged *converged, struct ph_error *err)
{
    *converged = (struct ph_dmv_converged){.flow = 0};
    enum ph_status status = PH_OK;
    for (uint64_t i = 0; i < (uint64_t)bodies && status == PH_OK; ++i) {
        double inertia[3], m[1][3];
        struct ph_top top;
        ph_free_draw_inertia(seed, i, inertia);
        ph_free_draw_momentum(seed, i, m[0]);
        status = ph_top_init(inertia, &top, err);
        if (status == PH_OK)
            status = count_flow(dmv, &top, m, converged, err);
        if (status != PH_OK)
            break;
        converged->fixed_point += converges(&top, dmv->order, m[0]);
        draw_any(seed, i, inertia, m[0]);
        status = ph_top_init(inertia, &top, err);
        if (status == PH_OK)
            converged->fixed_point_any += converges(&top, dmv->order, m[0]);
    }
    return status;
}
