/* SPDX-License-Identifier: MIT */
#include "lab/certify/sphere.h"

#include "lab/sphere/rotate.h"

#include <math.h>
#include <string.h>

enum { BODIES = 2, DIRECTIONS = 6, DISTURBANCES = BODIES * DIRECTIONS };
static const double disturbance = 1e-4; /* error of differences: its square, and 1e-16 over it by rounding */

/* A state as q and p = M q' */
struct phase {
    double q[BODIES][3], p[BODIES][3];
};

static struct phase phase_of(const struct ph_s2 *s2)
{
    struct phase phase = {.q = {{0.0}}};
    memcpy(phase.q, s2->q, s2->n * sizeof *s2->q);
    for (size_t i = 0; i < s2->n; ++i)
        for (size_t j = 0; j < s2->n; ++j) {
            double v[3];
            ph_vec3_cross(s2->w[j], s2->q[j], v);
            ph_vec3_add(s2->mass[i * s2->n + j], v, phase.p[i]);
        }
    return phase;
}

/* A step and its ends */
struct move {
    struct phase before, after;
};

/* One step from the disturbed start: direction and velocity of a body turned by a = change[0 .. 2], and its velocity
 * changed by the tangent part of b = change[3 .. 5] */
static enum ph_status move_disturbed(const struct ph_s2_method *method, const struct ph_s2_problem *problem,
                                     size_t body, const double change[DIRECTIONS], double step, struct move *move,
                                     struct ph_error *err)
{
    const double *a = change, *b = change + 3;
    struct ph_s2 *s2;
    enum ph_status status = ph_s2_create(problem, &s2, err);
    if (status != PH_OK)
        return status;
    ph_s2_rotate(a, s2->q[body], s2->q[body]);
    ph_s2_rotate(a, s2->w[body], s2->w[body]);
    ph_vec3_add(1.0, b, s2->w[body]);
    ph_vec3_add(-ph_vec3_dot(b, s2->q[body]), s2->q[body], s2->w[body]);
    move->before = phase_of(s2);
    status = ph_s2_advance(method, step, 1, s2, err);
    move->after = phase_of(s2);
    ph_s2_destroy(s2);
    return status;
}

static struct phase difference(const struct phase *plus, const struct phase *minus)
{
    struct phase d;
    for (size_t i = 0; i < BODIES; ++i)
        for (int k = 0; k < 3; ++k) {
            d.q[i][k] = (plus->q[i][k] - minus->q[i][k]) / (2.0 * disturbance);
            d.p[i][k] = (plus->p[i][k] - minus->p[i][k]) / (2.0 * disturbance);
        }
    return d;
}

static double form(const struct phase *x, const struct phase *y)
{
    double sum = 0.0;
    for (size_t i = 0; i < BODIES; ++i)
        sum += ph_vec3_dot(x->q[i], y->p[i]) - ph_vec3_dot(y->q[i], x->p[i]);
    return sum;
}

enum ph_status ph_s2_form_defect(const struct ph_s2_method *method, const struct ph_s2_problem *problem, double step,
                                 double *defect, struct ph_error *err)
{
    const size_t n = DIRECTIONS * (problem->n_coupled > 0 ? problem->n_coupled : 1);
    struct phase before[DISTURBANCES], after[DISTURBANCES];
    *defect = 0.0;
    for (size_t d = 0; d < n; ++d) {
        struct move move[2];
        for (int side = 0; side < 2; ++side) {
            double change[DIRECTIONS] = {0.0};
            change[d % DIRECTIONS] = side == 0 ? disturbance : -disturbance;
            const enum ph_status status =
                move_disturbed(method, problem, d / DIRECTIONS, change, step, &move[side], err);
            if (status != PH_OK)
                return status;
        }
        before[d] = difference(&move[0].before, &move[1].before);
        after[d] = difference(&move[0].after, &move[1].after);
    }
    for (size_t x = 0; x < n; ++x)
        for (size_t y = 0; y < x; ++y)
            *defect = fmax(*defect, fabs(form(&after[x], &after[y]) - form(&before[x], &before[y])));
    return PH_OK;
}
