/* SPDX-License-Identifier: MIT */
#include "dynamics/bath_kinds.h"

static void half(const struct ph_bath_options *bath, double h, uint64_t step, struct ph_system *system,
                 double numbers[PH_BATH_NUMBERS])
{
    (void)bath, (void)h, (void)step, (void)system, (void)numbers;
}

const struct ph_bath_kind ph_bath_chains = {
    .name = "nose-hoover",
    .summary = "chains of thermostats, one for translation and one for each axis of rotation",
    .reference = "Martyna, Klein, Tuckerman, J. Chem. Phys. 97 (1992) 2635",
    .keeps_momentum = true,
    .before = half,
    .after = half,
};
