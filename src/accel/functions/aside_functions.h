/* SPDX-License-Identifier: MIT */
#ifndef PH_ACCEL_FUNCTIONS_ASIDE_FUNCTIONS_H
#define PH_ACCEL_FUNCTIONS_ASIDE_FUNCTIONS_H

/* Copies of states and forces, as accel/functions/device_functions.h: a state that a rejected step returns to, places
 * and forces during an evaluation at displaced places, fast forces; and the map of centres to a new box. For the
 * processor see state/kept.c, state/displaced.c, state/host.c and force/force_field.c. */

#include "accel/functions/bath_functions.h"

/* Columns of a copy: r, q, images, then p and m, or f and t. Images are small numbers. */
enum { ASIDE_R = 0, ASIDE_Q = 3, ASIDE_IMAGE = 7, ASIDE_LAST = 10, ASIDE_COLUMNS = 16 };

PH_INLINE double *aside_column(const struct ph_accel_view *v, double *copy, int column, uint32_t i)
{
    return copy + (size_t)column * v->n + i;
}

PH_INLINE void copy_places(const struct ph_accel_view *v, double *copy, uint32_t i)
{
    for (int k = 0; k < 3; ++k) {
        *aside_column(v, copy, ASIDE_R + k, i) = v->r[k][i];
        *aside_column(v, copy, ASIDE_IMAGE + k, i) = (double)v->image[k][i];
    }
    for (int k = 0; k < 4; ++k)
        *aside_column(v, copy, ASIDE_Q + k, i) = v->q[k][i];
}

PH_INLINE void clear_residuals(const struct ph_accel_view *v, uint32_t i)
{
    for (int k = 0; k < 9 && v->residual[k]; ++k)
        v->residual[k][i] = 0.0;
}

/* ---- A state to return to ---- */

PH_INLINE void keep_body(const struct ph_accel_view *v, uint32_t i)
{
    copy_places(v, v->kept, i);
    for (int k = 0; k < 6; ++k) {
        const double momentum = *momentum_of(v, k, i);
        *aside_column(v, v->kept, ASIDE_LAST + k, i) = momentum;
    }
}

/* `sign`: of momenta; 0: they stay */
PH_INLINE void bring_back_body(const struct ph_accel_view *v, double sign, uint32_t i)
{
    for (int k = 0; k < 3; ++k) {
        v->r[k][i] = *aside_column(v, v->kept, ASIDE_R + k, i);
        v->image[k][i] = (int32_t)*aside_column(v, v->kept, ASIDE_IMAGE + k, i);
    }
    for (int k = 0; k < 4; ++k)
        v->q[k][i] = *aside_column(v, v->kept, ASIDE_Q + k, i);
    for (int k = 0; k < 6 && sign != 0.0; ++k) {
        const double kept = *aside_column(v, v->kept, ASIDE_LAST + k, i);
        *momentum_of(v, k, i) = sign * kept;
    }
    clear_residuals(v, i);
}

/* ---- A new box ---- */

PH_INLINE void map_body(const struct ph_accel_view *v, uint32_t i)
{
    const double *f = v->map, x = v->r[0][i], y = v->r[1][i], z = v->r[2][i];
    for (int k = 0; k < 3; ++k)
        v->r[k][i] = f[3 * k] * x + f[3 * k + 1] * y + f[3 * k + 2] * z;
    clear_residuals(v, i);
}

/* ---- Displaced forces ---- */

/* Sets places and forces aside; moves the centre by `by` (of one species: d/mass) times the force, and turns the body
 * by d I^-1 torque. A linear rotor does not turn about its axis. */
PH_INLINE void displace_body(const struct ph_accel_view *v, double d, double by, uint32_t i)
{
    const struct ph_site_kind *kind = kind_of(v, i);
    const double *half_inverse = v->bath.kind[species_of(v, i)].half_inverse;
    double q[4], body[3], small[4];
    copy_places(v, v->aside, i);
    for (int k = 0; k < 3; ++k) {
        *aside_column(v, v->aside, ASIDE_LAST + k, i) = v->f[k][i];
        *aside_column(v, v->aside, ASIDE_LAST + 3 + k, i) = v->t[k][i];
    }
    for (int k = 0; k < 3 && !v->pinned; ++k)
        v->r[k][i] += (kind ? d / kind->mass : by) * v->f[k][i];
    for (int k = 0; k < 4; ++k)
        q[k] = v->q[k][i];
    if (kind ? kind->rotates : v->rotates) {
        const double back[4] = {q[0], -q[1], -q[2], -q[3]};
        const double torque[3] = {v->t[0][i], v->t[1][i], v->t[2][i]};
        ph_quat_rotate(back, torque, body);
        for (int k = 0; k < 3; ++k)
            body[k] *= 2.0 * d * half_inverse[1 + k];
        ph_turn_exp(body, small);
        ph_quat_multiply(q, small, q);
        for (int k = 0; k < 4; ++k)
            v->q[k][i] = q[k];
    }
    place_body(v, i);
}

/* A list may have wrapped the centre in between: then wraps the old one likewise, because lists hold from there on. */
PH_INLINE void places_back_body(const struct ph_accel_view *v, uint32_t i)
{
    double r[3], boxes[3];
    for (int k = 0; k < 3; ++k) {
        r[k] = *aside_column(v, v->aside, ASIDE_R + k, i);
        boxes[k] = (double)v->image[k][i] - *aside_column(v, v->aside, ASIDE_IMAGE + k, i);
    }
    for (int b = 0; b < 3; ++b)
        for (int k = 0; k < 3 && boxes[b] != 0.0; ++k)
            r[k] -= boxes[b] * v->edges[b][k];
    for (int k = 0; k < 3; ++k)
        v->r[k][i] = r[k];
    for (int k = 0; k < 4; ++k)
        v->q[k][i] = *aside_column(v, v->aside, ASIDE_Q + k, i);
    place_body(v, i);
}

PH_INLINE void forces_back_body(const struct ph_accel_view *v, uint32_t i)
{
    for (int k = 0; k < 3; ++k) {
        v->f[k][i] = *aside_column(v, v->aside, ASIDE_LAST + k, i);
        v->t[k][i] = *aside_column(v, v->aside, ASIDE_LAST + 3 + k, i);
    }
}

/* ---- Two time scales ---- */

/* Forces before the first term of the slow part */
PH_INLINE void no_forces_body(const struct ph_accel_view *v, uint32_t i)
{
    for (int k = 0; k < 3; ++k)
        v->f[k][i] = v->t[k][i] = 0.0;
}

PH_INLINE void keep_fast_body(const struct ph_accel_view *v, uint32_t i)
{
    for (int k = 0; k < 3; ++k) {
        *aside_column(v, v->fast, k, i) = v->f[k][i];
        *aside_column(v, v->fast, 3 + k, i) = v->t[k][i];
    }
}

PH_INLINE void recall_fast_body(const struct ph_accel_view *v, uint32_t i)
{
    for (int k = 0; k < 3; ++k) {
        v->f[k][i] = *aside_column(v, v->fast, k, i);
        v->t[k][i] = *aside_column(v, v->fast, 3 + k, i);
    }
}

PH_INLINE void take_off_fast_body(const struct ph_accel_view *v, uint32_t i)
{
    for (int k = 0; k < 3; ++k) {
        v->f[k][i] -= *aside_column(v, v->fast, k, i);
        v->t[k][i] -= *aside_column(v, v->fast, 3 + k, i);
    }
}

#endif
