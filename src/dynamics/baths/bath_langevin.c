/* SPDX-License-Identifier: MIT */
/* Langevin dynamics of rigid molecules, split into what is solved exactly and the steps at constant energy:
 *   O(h/2) Phi(h) O(h/2),
 * Phi one step of any scheme and flow, O the solution of dp = -gamma p dt + sqrt(2 gamma m kT) dW over h/2,
 *   p <- c p + sqrt((1 - c^2) m kT) xi,   c = exp(-gamma h/2),   xi normal,
 * and the same for each component of the angular momentum in the body frame with its moment of inertia: there the
 * kinetic energy is a sum of squares, so that the components are independent normal numbers in the canonical ensemble.
 *
 * Why averages have the order of the scheme: O keeps the canonical density rho exactly, since it mixes momenta with the
 * distribution that rho has and does not touch positions. A step Phi of order p is, but for terms that are smaller than
 * any power of h, the flow of a modified energy H + h^p G, so that it multiplies rho by 1 + h^(p+1) G'/kT, G' the
 * rate of G along the flow; the exact flow would not change rho. Over the time in which the noise forgets the state, a
 * number of steps like 1/h, such changes add up to h^p, and the density that the composition keeps is rho (1 + h^p g).
 * All averages at the ends of steps are off by C h^p: Bou-Rabee and Owhadi, SIAM J. Numer. Anal. 48 (2010) 278; for
 * rigid bodies with p = 2 Davidchack, Ouldridge and Tretyakov, J. Chem. Phys. 142 (2015) 144114. Splittings that have
 * O in the middle of the step (BAOAB) are better than others of order 2 in averages of positions, but stay of order 2.
 *
 * The heat of all molecules and steps is one exact sum (base/exact.h), so that neither threads nor processes matter: a
 * process adds up that of its molecules, and the others get to know when somebody looks. */
#include "base/lanes.h"
#include "base/library.h"
#include "base/random.h"
#include "base/threads.h"
#include "dynamics/baths/bath_kinds.h"
#include "dynamics/moved.h"

#include <math.h>
#include <string.h>

/* Noise of the molecules of a species */
struct noise {
    uint64_t seed, index;
    struct ph_noise_kind kind;
    struct ph_system *system;
};

PH_DISPATCHED static void mix(double keep, double width, double half_inverse, const double *restrict xi,
                              double *restrict x, double *restrict heat)
{
    PH_SIMD
    for (int l = 0; l < PH_LANES; ++l)
        ph_noise_mix(keep, width, half_inverse, xi[l], &x[l], &heat[l]);
}

/* PH_LANES molecules with these numbers */
static void shake(const struct noise *noise, const uint32_t *number, double *const x[6], double heat[PH_LANES])
{
    PH_ALIGNED double xi[6][PH_LANES];
    ph_random_normals(noise->seed, PH_RANDOM_LANGEVIN, noise->index, number, xi);
    for (int k = 0; k < 6; ++k)
        mix(noise->kind.keep[k], noise->kind.width[k], noise->kind.half_inverse[k], xi[k], x[k], heat);
}

/* Up to PH_LANES molecules of a turn, from number k on, brought together; the others of the block are not there. */
static void shake_gathered(const struct noise *noise, const struct ph_moved *turn, size_t k, double heat[PH_LANES])
{
    struct ph_system *system = noise->system;
    PH_ALIGNED double copy[6][PH_LANES] = {{0.0}};
    double *const rows[6] = {system->p[0], system->p[1], system->p[2], system->m[0], system->m[1], system->m[2]};
    double *const lanes[6] = {copy[0], copy[1], copy[2], copy[3], copy[4], copy[5]};
    uint32_t numbers[PH_LANES] = {0};
    const size_t n = turn->end - k < PH_LANES ? turn->end - k : PH_LANES;
    for (size_t l = 0; l < n; ++l)
        numbers[l] = system->id[ph_moved_at(turn, k + l)];
    for (int x = 0; x < 6; ++x)
        for (size_t l = 0; l < n; ++l)
            copy[x][l] = rows[x][ph_moved_at(turn, k + l)];
    shake(noise, numbers, lanes, heat);
    for (int x = 0; x < 6; ++x)
        for (size_t l = 0; l < n; ++l)
            rows[x][ph_moved_at(turn, k + l)] = copy[x][l];
}

static void shake_turn(const struct ph_moved *turn, void *data, struct ph_exact *sum)
{
    const struct noise *noise = data;
    struct ph_system *system = noise->system;
    PH_ALIGNED double heat[PH_TURN + PH_LANES] = {0.0};
    for (size_t k = turn->begin; k < turn->end; k += PH_LANES) {
        double *const x[6] = {system->p[0] + k, system->p[1] + k, system->p[2] + k,
                              system->m[0] + k, system->m[1] + k, system->m[2] + k};
        if (!turn->list && turn->end - k >= PH_LANES)
            shake(noise, system->id + k, x, heat + (k - turn->begin));
        else
            shake_gathered(noise, turn, k, heat + (k - turn->begin));
    }
    ph_exact_add(turn->end - turn->begin, heat, sum);
}

/* O(h/2); each half step has an index of its own. */
static enum ph_status half_step(const struct ph_bath_options *bath, double h, uint64_t index,
                                struct ph_momenta *momenta, double numbers[PH_BATH_NUMBERS], struct ph_error *err)
{
    const double exponent[2] = {bath->translation > 0 ? 0.5 * bath->friction[0] * fabs(h) : 0.0,
                                bath->rotation > 0 ? 0.5 * bath->friction[1] * fabs(h) : 0.0};
    struct ph_system *system = momenta->system;
    struct ph_noise noise = {.seed = bath->seed, .index = index};
    if (!(exponent[0] > 0.0) && !(exponent[1] > 0.0))
        return PH_OK;
    for (int k = 0; k < 2; ++k) {
        noise.keep[k] = ph_library_exp(-exponent[k]);
        noise.spread[k] = k > 0 && exponent[k] == exponent[0] /* long double takes long where it is emulated */
                              ? noise.spread[0]
                              : (double)-expm1l(-2.0L * exponent[k]) * bath->kT;
    }
    struct ph_exact heat = {.spoilt = 0};
    if (momenta->backend)
        return ph_momenta_shake_there(&noise, momenta, numbers, err);
    for (size_t s = 0; s < system->n_species; ++s) {
        const struct ph_species *species = &system->species[s];
        struct noise of_species = {bath->seed, index, ph_noise_kind_of(&noise, species->mass, species->inertia),
                                   system};
        ph_moved_sum(ph_moved_of(system, momenta->own, s), shake_turn, &of_species, 1, &heat);
    }
    ph_momenta_add_heat(&heat, momenta, numbers);
    return PH_OK;
}

static enum ph_status before(const struct ph_bath_options *bath, double h, uint64_t step, struct ph_momenta *momenta,
                             double numbers[PH_BATH_NUMBERS], struct ph_error *err)
{
    return half_step(bath, h, 2 * step, momenta, numbers, err);
}

static enum ph_status after(const struct ph_bath_options *bath, double h, uint64_t step, struct ph_momenta *momenta,
                            double numbers[PH_BATH_NUMBERS], struct ph_error *err)
{
    return half_step(bath, h, 2 * step + 1, momenta, numbers, err);
}

const struct ph_bath_kind ph_bath_langevin = {
    .name = "langevin",
    .summary = "friction and noise on every molecule, before and after each step",
    .reference = "Bou-Rabee, Owhadi, SIAM J. Numer. Anal. 48 (2010) 278",
    .documentation =
        "Before and after each step momenta become c p + sqrt((1 - c^2) m kT) xi with c = exp(-friction h/2) and a "
        "normal number xi, and angular momenta about each body axis likewise. This part is exact; the bias of all "
        "averages is of the order of the scheme, not of second order as with other programs. Every molecule has noise "
        "of its own, so that temperature is the same everywhere after a time 1/friction; the total momentum is not "
        "kept, and diffusion is slowed down by the friction.",
    .before = before,
    .after = after,
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
        "and Poisson, and one-step integrators that are reversible and symplectic.",
    .metropolis = true,
    .before = before,
    .after = after,
};
