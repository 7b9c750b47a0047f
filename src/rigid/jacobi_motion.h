/* SPDX-License-Identifier: MIT */
#ifndef PH_RIGID_JACOBI_MOTION_H
#define PH_RIGID_JACOBI_MOTION_H

/* Pieces of Jacobi's solution that all exact flows share, for one lane: y before and z after the step, sorted axes. */

#include "rigid/flow.h"

#include <stdbool.h>

/* The addition theorem of the elliptic functions takes y to y(h) by S = sn(lambda h)/lambda and c1, c3 (cn and dn of
 * lambda h, or dn and cn) alone, whatever the phase of y. D, the divisor, is a sum of squares. */
PH_INLINE void ph_addition_theorem(const struct ph_top *top, double s, double c1, double c3, double y[3])
{
    const double y1 = y[0], y2 = y[1], y3 = y[2], y3s = y3 * s;
    const double inverse = 1.0 / ph_fma(c1, c1, top->p * y3s * y3s);
    y[0] = ph_fma(c1, y1, top->a1 * s * c3 * y2 * y3) * inverse;
    y[1] = ph_fma(c1 * c3, y2, top->a2 * s * y1 * y3) * inverse;
    y[2] = ph_fma(c3, y3, top->a3 * s * c1 * y1 * y2) * inverse;
}

/* Of the axes 1 and 3 the one whose kappa is smaller: it is never near y, nor near any later y. */
PH_INLINE bool ph_axis_is_3(const struct ph_top *top, double y1, double y2, double y3, double *kappa)
{
    const double kappa1 = top->p * ph_fma(y1, y1, top->c1 * y2 * y2);
    const double kappa3 = top->r * ph_fma(y3, y3, top->c3 * y2 * y2);
    const bool third = (kappa3 < kappa1) | ((kappa3 == kappa1) & (fabs(y3) < fabs(y1)));
    *kappa = third ? kappa3 : kappa1;
    return third;
}

/* That axis e, the two others (f, g) in cyclic order, and the sign of y_e */
struct ph_axes {
    bool third; /* e is axis 3, else axis 1 */
    double sign;
    double ye, yf, yg, ze, zf, zg;
};

PH_INLINE struct ph_axes ph_choose_axes(const struct ph_top *top, const double y[3], const double z[3])
{
    double kappa;
    const bool third = ph_axis_is_3(top, y[0], y[1], y[2], &kappa);
    const double ye = third ? y[2] : y[0];
    return (struct ph_axes){.third = third,
                            .sign = ye < 0.0 ? -1.0 : 1.0,
                            .ye = ye,
                            .yf = third ? y[0] : y[1],
                            .yg = third ? y[1] : y[2],
                            .ze = third ? z[2] : z[0],
                            .zf = third ? z[0] : z[1],
                            .zg = third ? z[1] : z[2]};
}

/* dq = p(y)^* (c, s sign e) p(z), where p(y) = (M + |y_e|, y x sign e) is the shortest turn of y to the axis sign e;
 * y x e is (y_g, -y_f) on the axes (f, g). (c, s) are cosine and sine of half the angle up to a common factor. 1 for y
 * = 0. */
PH_INLINE void ph_frame_product(const struct ph_axes *v, double norm, double c, double s, double dq[4])
{
    const double p0 = norm + fabs(v->ye), pf = v->sign * v->yg, pg = -v->sign * v->yf, se = v->sign * s;
    const double r0 = norm + v->sign * v->ze, rf = v->sign * v->zg, rg = -v->sign * v->zf;
    const double u0 = c * r0, ue = se * r0, uf = ph_fma(c, rf, -(se * rg)), ug = ph_fma(c, rg, se * rf);
    const double q0 = ph_fma(p0, u0, ph_fma(pf, uf, pg * ug));
    const double qe = ph_fma(p0, ue, -ph_fma(pf, ug, -(pg * uf)));
    const double qf = ph_fma(p0, uf, -ph_fma(pf, u0, pg * ue));
    const double qg = ph_fma(p0, ug, -ph_fma(pg, u0, -(pf * ue)));
    const double length2 = ph_fma(q0, q0, ph_fma(qe, qe, ph_fma(qf, qf, qg * qg)));
    const double factor = length2 > 0.0 ? 1.0 / sqrt(length2) : 0.0;
    dq[0] = length2 > 0.0 ? q0 * factor : 1.0;
    dq[1] = (v->third ? qf : qe) * factor;
    dq[2] = (v->third ? qg : qf) * factor;
    dq[3] = (v->third ? qe : qg) * factor;
}

/* Cosine and sine of half the argument of x + iy, up to a positive factor; 1 for 0 */
PH_INLINE void ph_half_angle(double x, double y, double *c, double *s)
{
    const double length = sqrt(ph_fma(x, x, y * y)), sum = length + fabs(x);
    const double cosine = x >= 0.0 ? sum : fabs(y);
    *s = x >= 0.0 ? y : (y >= 0.0 ? sum : -sum);
    *c = length > 0.0 ? cosine : 1.0;
}

#endif
