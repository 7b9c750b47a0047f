/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_PAIR_GROUPS_H
#define PH_FORCE_PAIRS_PAIR_GROUPS_H

#include "force/pairs/pair_table.h"

/* Collects pairs of sites into groups that one call of a kernel does. */
enum ph_status ph_pair_groups_make(struct ph_site_pairs *pairs, struct ph_error *err);

#endif
