/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_LONGRANGE_TAIL_H
#define PH_FORCE_LONGRANGE_TAIL_H

/* What truncation leaves out of the radial terms of a homogeneous fluid: energy, and virial per dimension (the same on
 * the diagonal). Fails for potentials whose tail does not decay faster than r^-3. */

#include "force/interactions.h"
#include "model/system.h"

enum ph_status ph_long_range(const struct ph_system *system, const struct ph_interactions *interactions, double *energy,
                             double *virial, struct ph_error *err);

#endif
