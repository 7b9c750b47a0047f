/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIR_LOOP_H
#define PH_FORCE_PAIR_LOOP_H

/* All pairs of one domain: coordinates in, forces on sites and fields at dipoles out, with energies and virial if
 * asked. */

#include "force/domain.h"
#include "force/pair_table.h"

/* Field f of molecule i, positions and dipoles of its sites in space, is at site[i table->record + f]. */
void ph_pair_loop(const struct ph_pair_table *table, const struct ph_system *system, const double *site,
                  const struct ph_domains *domains, bool energy, struct ph_domain *domain);

/* The sums over all copies of molecule i of what the pair loops found in each field */
void ph_pair_loop_sum(const struct ph_domains *domains, size_t i, size_t n_fields, double sum[]);

#endif
