/* SPDX-License-Identifier: MIT */
#ifndef PH_DYNAMICS_BATHS_BATH_KINDS_H
#define PH_DYNAMICS_BATHS_BATH_KINDS_H

/* All baths, for the registry */

#include "dynamics/baths/bath.h"

extern const struct ph_bath_kind ph_bath_langevin, ph_bath_langevin_middle, ph_bath_metropolis; /* bath_langevin.c */
extern const struct ph_bath_kind ph_bath_rescaling;                                             /* bath_rescaling.c */
extern const struct ph_bath_kind ph_bath_chains;                                                /* bath_chains.c */

#endif
