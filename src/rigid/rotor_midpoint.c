/* SPDX-License-Identifier: MIT */
/* The implicit midpoint rule, y' = y + h f(Y) with Y = (y + y')/2, and the Cayley transform of the angular velocity of
 * Y for the orientation. It conserves all quadratic invariants: Q m, C and H. In the form of implicit.h it is the
 * discrete Moser-Veselov step without alpha, which stays in dq only. It has a solution for every h, but this solution
 * need not continue from h = 0 without a fold. Hence the limit of the step is the same as in rotor_dmv.c. */

#include "rigid/implicit.h"
#include "rigid/rotors.h"

static const double reach = 1.2;

PH_INLINE void coefficients(const struct ph_top *top, struct ph_implicit *work, int l)
{
    const double half = 0.5 * work->step[l];
    work->p[0][l] = half * top->a1;
    work->p[1][l] = half * top->a2;
    work->p[2][l] = half * top->a3;
    work->g[0][l] = half * top->inverse[0];
    work->g[1][l] = half * top->inverse[1];
    work->g[2][l] = half * top->inverse[2];
}

static void midpoint_step(const struct ph_flow *flow, const struct ph_top *top, struct ph_block *block)
{
    (void)flow;
    struct ph_implicit work;
    const double most = ph_implicit_prepare(reach, top, block, &work);
    PH_SIMD
    for (int l = 0; l < PH_LANES; ++l)
        coefficients(top, &work, l);
    ph_implicit_advance(0, most, top, block, &work);
}

const struct ph_flow ph_flow_imr2 = {
    .name = "imr2",
    .summary = "implicit midpoint rule",
    .reference = "P. Chartier, E. Hairer, G. Vilmart, Math. Comp. 76 (2007) 1941; E. Hairer, G. Vilmart, J. Phys. A 39 "
                 "(2006) 13225, section 5",
    .documentation = "Conserves the angular momentum in space, |m| and the energy to rounding. Implicit, solved by "
                     "Newton's iteration. Poisson in m only for a bracket of its own, not symplectic. Steps with "
                     "|omega| h above 1.2 are made in equal parts, so that the solution is the one near the start: the "
                     "cost then grows with |omega| h, and the map jumps a little where the number of parts changes.",
    .order = 2,
    .claims = {.conserves_space_momentum = true, .conserves_norm = true, .conserves_energy = true, .reversible = true},
    .step = midpoint_step,
};
