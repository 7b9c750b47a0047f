/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_LONGRANGE_EWALD_H
#define PH_FORCE_LONGRANGE_EWALD_H

/* What an Ewald sum adds to the screened interactions of pairs: the sum in reciprocal space less the self-energy of
 * each molecule, and the field of a polarised sphere in a continuum. P. P. Ewald, Ann. Phys. 369 (1921) 253; in a
 * continuum, with dipoles: S. W. de Leeuw, J. W. Perram, E. R. Smith, Proc. R. Soc. London A 373 (1980) 27; forces and
 * stress of multipoles: A. Aguado, P. A. Madden, J. Chem. Phys. 119 (2003) 7471. */

#include "force/interactions.h"
#include "model/system.h"

/* Chooses parameters of interactions->ewald that are 0. Fails for open space, no cutoff, a tolerance out of range. */
enum ph_status ph_ewald_settle(const struct ph_system *system, struct ph_interactions *interactions,
                               struct ph_error *err);

#endif
