/* SPDX-License-Identifier: MIT */
#include "rigid/exact_motion.h"
#include "rigid/rotors.h"

static void exact_step(const struct ph_flow *flow, const struct ph_top *top, struct ph_block *block)
{
    (void)flow;
    ph_exact_motion(top, block);
}

const struct ph_flow ph_flow_exact = {
    .name = "exact",
    .summary = "Jacobi's exact solution, any body, any step",
    .reference = "C. G. J. Jacobi, J. reine angew. Math. 39 (1850) 293; E. Celledoni, F. Fasso, N. Safstrom, A. Zanna, "
                 "SIAM J. Sci. Comput. 30 (2008) 2084; B. C. Carlson, Numer. Algorithms 10 (1995) 13",
    .documentation =
        "The default. Machine accurate for every body and every step, in one formula without cases: the addition "
        "theorem of the elliptic functions for the momentum, one integral of the third kind for the orientation, both "
        "by power series at the step of a simulation and by Landen's and Carlson's transformations beyond.",
    .order = 0,
    .exact_momentum = true,
    .claims = {.conserves_space_momentum = true,
               .conserves_norm = true,
               .conserves_energy = true,
               .poisson = true,
               .symplectic = true,
               .reversible = true},
    .step = exact_step,
};
