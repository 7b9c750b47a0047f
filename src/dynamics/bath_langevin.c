/* SPDX-License-Identifier: MIT */
#include "dynamics/bath_kinds.h"

static void half(const struct ph_bath_options *bath, double h, uint64_t step, struct ph_system *system,
                 double numbers[PH_BATH_NUMBERS])
{
    (void)bath, (void)h, (void)step, (void)system, (void)numbers;
}

const struct ph_bath_kind ph_bath_langevin = {
    .name = "langevin",
    .summary = "friction and noise on every molecule, before and after each step",
    .reference = "Bou-Rabee, Owhadi, SIAM J. Numer. Anal. 48 (2010) 278",
    .before = half,
    .after = half,
};

const struct ph_bath_kind ph_bath_metropolis = {
    .name = "metropolis",
    .summary = "langevin, with steps that are accepted or rejected by their error of energy",
    .reference = "Horowitz, Phys. Lett. B 268 (1991) 247",
    .metropolis = true,
    .before = half,
    .after = half,
};
