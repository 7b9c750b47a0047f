/* SPDX-License-Identifier: MIT */
/* The discrete Moser-Veselov algorithm in quaternions, and its preprocessed forms of order 4 to 14.
 *
 * The algorithm of order 2 conserves Q m, C and H and is integrable like the body itself: it is the exact motion of a body with
 * slightly other moments, which depend on H and C only. Preprocessing chooses the moments It_j so that these other
 * moments are the body's own, to the order wanted; the step itself is the same (implicit.h), the modified moments come from
 * the series of dmv_series.h.
 *
 * Reach (see implicit.h). For a sphere the equation is sin(angle) = h |omega| It-corrected: without the correction there is no
 * solution beyond h |omega| = 1, with it the solution is regular up to an angle of pi/2. Bodies drawn at random, rods and flat
 * ones included, behave like spheres in this: order 2 fails from 0.9 on, orders from 4 on do not fail at 1.4 (4 iterations). */

#include "rigid/implicit.h"
#include "rigid/rotors.h"

struct dmv {
    double reach;
    void (*moments)(const struct ph_top *top, struct ph_implicit *work);
};

/* Horner in X, its coefficients by Horner in V; `levels` is known to the compiler, which unrolls the loops. */
PH_INLINE void modified_moments(int levels, const struct ph_top *top, struct ph_implicit *work, int l)
{
    const struct ph_dmv_series *series = &top->dmv;
    const double h = work->step[l], half = 0.5 * h;
    const double x = h * (h * (series->x_scale * work->spread[l])), v = h * (h * (series->v_scale * work->square[l]));
    double s = 1.0, d = 0.0;
    if (levels > 0) {
        s = series->s[PH_DMV_INDEX(levels, 0)];
        d = series->d[PH_DMV_INDEX(levels, 0)];
#pragma GCC unroll 8
        for (int k = levels - 1; k >= 0; --k) {
            double s_k = series->s[PH_DMV_INDEX(k, levels - k)], d_k = series->d[PH_DMV_INDEX(k, levels - k)];
#pragma GCC unroll 8
            for (int i = levels - k - 1; i >= 0; --i) {
                const int constant_term = k + i == 0;
                s_k = ph_fma(s_k, v, constant_term ? 1.0 : series->s[PH_DMV_INDEX(k, i)]);
                d_k = constant_term ? d_k * v : ph_fma(d_k, v, series->d[PH_DMV_INDEX(k, i)]);
            }
            s = ph_fma(s, x, s_k);
            d = ph_fma(d, x, d_k);
        }
    }
    const double kappa = half * s;
    work->p[0][l] = kappa * top->a1;
    work->p[1][l] = kappa * top->a2;
    work->p[2][l] = kappa * top->a3;
    work->g[0][l] = half * ph_fma(top->inverse[0], s, d);
    work->g[1][l] = half * ph_fma(top->inverse[1], s, d);
    work->g[2][l] = half * ph_fma(top->inverse[2], s, d);
}

static void dmv_step(const struct ph_flow *flow, const struct ph_top *top, struct ph_block *block)
{
    const struct dmv *dmv = flow->data;
    struct ph_implicit work;
    const double most = ph_implicit_prepare(dmv->reach, top, block, &work);
    dmv->moments(top, &work);
    ph_implicit_advance(1, most, top, block, &work);
}

#define REFERENCE "J. Moser, A. P. Veselov, Comm. Math. Phys. 139 (1991) 217; E. Hairer, G. Vilmart, J. Phys. A 39 (2006) 13225"

#define PROPERTIES                                                                                                     \
    "Conserves the angular momentum in space, |m| and the energy to rounding. Implicit, solved by Newton's iteration. "

#define PARTS(limit)                                                                                                   \
    "Steps with |omega| h above " limit " are made in equal parts, so that there always is a solution: the cost then grows "    \
    "with |omega| h, and the map jumps a little where the number of parts changes."

#define PREPROCESSED                                                                                                   \
    PROPERTIES "Poisson in m, but not symplectic in attitude and momentum together, unlike dmv2. Its moments are modified by a "  \
               "series in h^2 with coefficients that depend on the energy and |m| only, which costs little. " PARTS("1.2")

/* One flow: its loop over the lanes, its data and its entry */
#define DMV(order_, levels, reach_, summary_, symplectic_, documentation_)                                             \
    static void moments_##order_(const struct ph_top *top, struct ph_implicit *work)                                   \
    {                                                                                                                  \
        PH_SIMD                                                                                                        \
        for (int l = 0; l < PH_LANES; ++l)                                                                             \
            modified_moments(levels, top, work, l);                                                                    \
    }                                                                                                                  \
    static const struct dmv dmv_##order_ = {.reach = reach_, .moments = moments_##order_};                             \
    const struct ph_flow ph_flow_dmv##order_ = {                                                                       \
        .name = "dmv" #order_,                                                                                         \
        .summary = summary_,                                                                                           \
        .reference = REFERENCE,                                                                                        \
        .documentation = documentation_,                                                                               \
        .order = order_,                                                                                               \
        .claims = {.conserves_space_momentum = true,                                                                   \
                   .conserves_norm = true,                                                                             \
                   .conserves_energy = true,                                                                           \
                   .poisson = true,                                                                                    \
                   .symplectic = symplectic_,                                                                          \
                   .reversible = true},                                                                                \
        .step = dmv_step,                                                                                              \
        .data = &dmv_##order_,                                                                                         \
    };

DMV(2, 0, 0.8, "discrete Moser-Veselov (RATTLE for the free body)", true,
    PROPERTIES "The symplectic method RATTLE, applied to the free body. Integrable; the error is in the phases only. " PARTS("0.8"))
DMV(4, 1, 1.2, "preprocessed discrete Moser-Veselov, order 4", false, PREPROCESSED)
DMV(6, 2, 1.2, "preprocessed discrete Moser-Veselov, order 6", false, PREPROCESSED)
DMV(8, 3, 1.2, "preprocessed discrete Moser-Veselov, order 8", false, PREPROCESSED)
DMV(10, 4, 1.2, "preprocessed discrete Moser-Veselov, order 10", false, PREPROCESSED)
DMV(12, 5, 1.2, "preprocessed discrete Moser-Veselov, order 12", false, PREPROCESSED)
DMV(14, 6, 1.2, "preprocessed discrete Moser-Veselov, order 14", false, PREPROCESSED)
