/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIR_LOOP_H
#define PH_FORCE_PAIR_LOOP_H

/* All pairs of one domain: coordinates in, forces on sites and fields at dipoles out, with energies and virial if
 * asked. */

#include "force/domain.h"
#include "force/pair_table.h"

/* site[f][i] is field f of molecule i: positions and dipoles of its sites in space. */
void ph_pair_loop(const struct ph_pair_table *table, const struct ph_system *system, double *const site[],
                  const struct ph_domains *domains, bool energy, struct ph_domain *domain);

#endif
