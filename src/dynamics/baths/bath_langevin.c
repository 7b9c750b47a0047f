/* SPDX-License-Identifier: MIT */
/* Langevin dynamics of rigid molecules, split into exactly solved noise and steps at constant energy:
 *   O(h/2) Phi(h) O(h/2).
 * Phi is one step of any scheme and flow. O is the solution of dp = -gamma p dt + sqrt(2 gamma m kT) dW over h/2,
 *   p <- c p + sqrt((1 - c^2) m kT) xi,   c = exp(-gamma h/2),   xi normal.
 * It is the same for each component of the angular momentum in the body frame, with its moment of inertia. In that
 * frame the kinetic energy is a sum of squares, so these components are independent normal numbers in the canonical
 * ensemble. */

/* Why averages have the order of the scheme: O keeps the canonical density rho exactly. It mixes momenta with the
 * distribution that rho has, and does not touch positions. The exact flow would not change rho either. A step Phi of
 * order p is the flow of a modified energy H + h^p G, but for terms that are smaller than any power of h. So it
 * multiplies rho by 1 + h^(p+1) G'/kT, with G' the rate of G along the flow. */

/* The noise lets the state be forgotten within a number of steps like 1/h. Until then such changes add up to h^p, and
 * the composition keeps the density rho (1 + h^p g). All averages at the ends of steps are off by C h^p (Bou-Rabee and
 * Owhadi, SIAM J. Numer. Anal. 48 (2010) 278; for rigid bodies with p = 2 Davidchack, Ouldridge and Tretyakov, J. Chem.
 * Phys. 142 (2015) 144114). Splittings with O in the middle of the step (BAOAB) are better than others of order 2 in
 * averages of positions, but stay of order 2. */

/* langevin-middle has O(h) in the middle instead, which for verlet is B A O A B: kick, drift, noise (B. Leimkuhler, C.
 * Matthews, J. Chem. Phys. 138 (2013) 174102). With verlet, places at the ends of steps then have no bias in a harmonic
 * force, at any step and friction, and one of fourth order for strong friction in any force. Momenta after the noise
 * have the variance m kT there, those at the ends m kT (1 - (w h)^2/4) for frequency w. So observers see places at the
 * ends of steps together with the momenta before the last kick, which is half a step after the noise: it stays pending.
 * Other schemes leave a bias of second order also in a harmonic force: with bcss2-3 <x^2> is 0.980 of kT/k at w h = 1.
 */

/* The heat of all molecules and steps is one exact sum (base/numerics/exact.h), so that it does not depend on the
 * number of threads or ranks. Each rank adds up the heat of its molecules; ranks exchange these sums when a caller
 * needs the heat. */
#include "base/library.h"
#include "dynamics/baths/bath_kinds.h"

#include <math.h>

/* O(h/2); each half step has an index of its own. */
static enum ph_status half_step(const struct ph_bath_options *bath, double h, uint64_t index, struct ph_state *state,
                                double numbers[PH_BATH_NUMBERS], struct ph_error *err)
{
    const double exponent[2] = {bath->translation > 0 ? 0.5 * bath->friction[0] * fabs(h) : 0.0,
                                bath->rotation > 0 ? 0.5 * bath->friction[1] * fabs(h) : 0.0};
    struct ph_noise noise = {.seed = bath->seed, .index = index};
    if (!(exponent[0] > 0.0) && !(exponent[1] > 0.0))
        return PH_OK;
    for (int k = 0; k < 2; ++k) {
        noise.keep[k] = ph_library_exp(-exponent[k]);
        noise.spread[k] = k > 0 && exponent[k] == exponent[0] /* long double takes long where it is emulated */
                              ? noise.spread[0]
                              : (double)-expm1l(-2.0L * exponent[k]) * bath->kT;
    }
    return ph_state_apply_noise(state, &noise, numbers, err);
}

static enum ph_status before(const struct ph_bath_options *bath, double h, uint64_t step, struct ph_state *state,
                             double numbers[PH_BATH_NUMBERS], struct ph_error *err)
{
    return half_step(bath, h, 2 * step, state, numbers, err);
}

static enum ph_status after(const struct ph_bath_options *bath, double h, uint64_t step, struct ph_state *state,
                            double numbers[PH_BATH_NUMBERS], struct ph_error *err)
{
    return half_step(bath, h, 2 * step + 1, state, numbers, err);
}

const struct ph_bath_kind ph_bath_langevin = {
    .name = "langevin",
    .summary = "friction and noise on every molecule, before and after each step",
    .reference = "Bou-Rabee, Owhadi, SIAM J. Numer. Anal. 48 (2010) 278",
    .documentation = "Before and after each step momenta become c p + sqrt((1 - c^2) m kT) xi with c = exp(-friction "
                     "h/2) and a normal number xi, and angular momenta about each body axis likewise. This part is "
                     "exact; the bias of all averages is of the order of the scheme, not of second order as with other "
                     "programs. Every molecule has noise of its own, so that temperature is the same everywhere after "
                     "a time 1/friction; the total momentum is not kept, and diffusion is slowed down by the friction.",
    .before = before,
    .after = after,
};

static enum ph_status middle(const struct ph_bath_options *bath, double h, uint64_t step, struct ph_state *state,
                             double numbers[PH_BATH_NUMBERS], struct ph_error *err)
{
    return half_step(bath, 2.0 * h, step, state, numbers, err);
}

const struct ph_bath_kind ph_bath_langevin_middle = {
    .name = "langevin-middle",
    .summary = "langevin with noise in the middle of each step: small bias of places, at long steps",
    .reference = "Leimkuhler, Matthews, J. Chem. Phys. 138 (2013) 174102",
    .documentation =
        "The noise of langevin, for a whole step at once, in the middle of the drift that is in the middle of the "
        "step. Averages have a smaller bias than with langevin, in general of second order. With verlet springs have "
        "none at any step. Rows and frames have places at the ends of steps and the momenta before the last kick of "
        "the step; with verlet their temperatures have no bias for springs either. So energies of one row do not "
        "belong to one time, and the conserved energy is noisier than with langevin. The scheme must begin with a "
        "kick and have a drift in the middle: verlet, bcss2-3 and others.",
    .middle = middle,
};

const struct ph_bath_kind ph_bath_metropolis = {
    .name = "metropolis",
    .summary = "langevin, with steps that are accepted or rejected by their error of energy",
    .reference = "Horowitz, Phys. Lett. B 268 (1991) 247",
    .documentation =
        "Friction and noise as of langevin around each step; the step itself is accepted with probability min(1, "
        "exp(-dH/kT)), dH its error of energy, and otherwise undone, with all momenta reversed (generalised hybrid "
        "Monte Carlo). Averages have no bias, at any step. Since dH grows with the number of molecules the step has to "
        "shrink with it, the less the higher the order of the scheme; after a rejection the system goes back the way "
        "it came, so that rates and correlations in time have a meaning only if nearly all steps are accepted. The "
        "step must be reversible and keep the volume of phase space: all schemes do, with flows that are reversible "
        "and Poisson, and one-step integrators that are reversible and symplectic. With shadow: true, for sbab2 and "
        "saba2, dH is the error of the shadow energy, which these schemes keep better: more steps are accepted. The "
        "rows then have weights, exp(D/kT) with D the shadow energy less the total energy; polhode analyze averages "
        "takes them. Frames and other analyses do not.",
    .metropolis = true,
    .before = before,
    .after = after,
};
