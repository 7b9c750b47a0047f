/* SPDX-License-Identifier: MIT */
/* The discrete Moser-Veselov algorithm in quaternions, and its preprocessed forms of order 4 to 14.
 *
 * The algorithm of order 2 conserves Q m, C and H and is integrable like the body itself. It is the exact motion of a
 * body with slightly other moments, which depend on H and C only. Preprocessing chooses the moments It_j so that these
 * other moments are the body's own, to the order wanted. The step itself is the same (implicit.h), and the modified
 * moments come from the series of dmv_series.h. */

/* Reach (see implicit.h). For a sphere the equation says sin(angle) = h |omega|, which has no solution beyond 1. The
 * preprocessed one says sin(angle) = sin(h |omega|) up to its order, which is regular up to pi/2. Bodies drawn at
 * random, including rods and flat bodies, are like spheres in this. Order 2 loses solutions between 0.8 and 1, while
 * the higher orders still converge at 1.4. */

#include "rigid/implicit.h"

struct dmv {
    double reach;
    void (*moments)(const struct ph_top *top, struct ph_implicit *work);
};

/* One step of Horner's rule for the coefficients c of X^k V^i with k + i <= levels. Indices and levels are constants of
 * the calls below, so nothing but the fused multiply-add is left of it. */
PH_INLINE double horner(int levels, int k, int i, const double *c, double v, double sum)
{
    if (k + i > levels)
        return 0.0;
    if (k + i == levels)
        return c[PH_DMV_INDEX(k, i)];
    return ph_fma(sum, v, c[PH_DMV_INDEX(k, i)]);
}

/* The polynomial in V that belongs to X^k; the one of X^0 has no constant term. */
PH_INLINE double row(int levels, int k, const double *c, double v)
{
    double sum = horner(levels, k, 6, c, v, 0.0);
    sum = horner(levels, k, 5, c, v, sum);
    sum = horner(levels, k, 4, c, v, sum);
    sum = horner(levels, k, 3, c, v, sum);
    sum = horner(levels, k, 2, c, v, sum);
    sum = horner(levels, k, 1, c, v, sum);
    return k == 0 ? sum * v : horner(levels, k, 0, c, v, sum);
}

PH_INLINE double polynomial(int levels, const double *c, double x, double v)
{
    double sum = levels >= 6 ? row(levels, 6, c, v) : 0.0;
    sum = levels > 5 ? ph_fma(sum, x, row(levels, 5, c, v)) : levels == 5 ? row(levels, 5, c, v) : 0.0;
    sum = levels > 4 ? ph_fma(sum, x, row(levels, 4, c, v)) : levels == 4 ? row(levels, 4, c, v) : 0.0;
    sum = levels > 3 ? ph_fma(sum, x, row(levels, 3, c, v)) : levels == 3 ? row(levels, 3, c, v) : 0.0;
    sum = levels > 2 ? ph_fma(sum, x, row(levels, 2, c, v)) : levels == 2 ? row(levels, 2, c, v) : 0.0;
    sum = levels > 1 ? ph_fma(sum, x, row(levels, 1, c, v)) : levels == 1 ? row(levels, 1, c, v) : 0.0;
    return levels > 0 ? ph_fma(sum, x, row(levels, 0, c, v)) : 0.0;
}

PH_INLINE void modified_moments(int levels, const struct ph_top *top, struct ph_implicit *work, int l)
{
    const struct ph_dmv_series *series = &top->dmv;
    const double h = work->step[l], half = 0.5 * h;
    const double x = h * (h * (series->x_scale * work->spread[l])), v = h * (h * (series->v_scale * work->square[l]));
    const double s = 1.0 + polynomial(levels, series->s, x, v), d = polynomial(levels, series->d, x, v);
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

#define REFERENCE                                                                                                      \
    "J. Moser, A. P. Veselov, Comm. Math. Phys. 139 (1991) 217; E. Hairer, G. Vilmart, J. Phys. A 39 (2006) 13225"

#define PLAIN                                                                                                          \
    "RATTLE applied to the free body: symplectic and integrable, with errors in the phases only. Conserves the "       \
    "angular momentum in space, |m| and the energy to rounding. Implicit, solved by Newton's iteration; steps with "   \
    "|omega| h above 0.8 are made in equal parts, because there is no solution beyond 1: the cost then grows with "    \
    "|omega| h, and the map jumps a little where the number of parts changes."

#define PREPROCESSED                                                                                                   \
    "dmv2 with moments of inertia modified by a series in h^2, whose coefficients depend on the energy and |m| only: " \
    "a high order for little more work. Conserves the angular momentum in space, |m| and the energy to rounding; "     \
    "Poisson in m, but not symplectic in orientation and momentum together. Implicit, solved by Newton's iteration; "  \
    "steps with |omega| h above 1.2 are made in equal parts, so that it always converges: the cost then grows with "   \
    "|omega| h, and the map jumps a little where the number of parts changes."

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

DMV(2, 0, 0.8, "discrete Moser-Veselov (RATTLE for the free body)", true, PLAIN)
DMV(4, 1, 1.2, "preprocessed discrete Moser-Veselov, order 4", false, PREPROCESSED)
DMV(6, 2, 1.2, "preprocessed discrete Moser-Veselov, order 6", false, PREPROCESSED)
DMV(8, 3, 1.2, "preprocessed discrete Moser-Veselov, order 8", false, PREPROCESSED)
DMV(10, 4, 1.2, "preprocessed discrete Moser-Veselov, order 10", false, PREPROCESSED)
DMV(12, 5, 1.2, "preprocessed discrete Moser-Veselov, order 12", false, PREPROCESSED)
DMV(14, 6, 1.2, "preprocessed discrete Moser-Veselov, order 14", false, PREPROCESSED)
