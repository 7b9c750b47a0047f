/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_SITES_H
#define PH_FORCE_SITES_H

/* Positions and dipoles of all interacting sites in space, expanded from centres and orientations: what the terms that
 * act on sites share. */

#include "force/owned.h"
#include "force/pairs/pair_table.h"

struct ph_sites {
    struct ph_pair_table table;
    double *place; /* owned; field f of molecule i is place[i table.record + f], fields as in tile.h */
    /* Not NULL: forces are wanted on the molecules of this process alone, of which alone the present state is known:
     * these rows, if there is more than a process. Whether a term needs to know where all molecules are. Ours, known
     * after terms have prepared */
    const struct ph_column_set *state;
    bool whole;
    const struct ph_owned *own;
};

/* All zero before; ph_sites_clear is safe after a failure. */
enum ph_status ph_sites_init(const struct ph_system *system, const struct ph_interactions *interactions,
                             struct ph_sites *sites, struct ph_error *err);
void ph_sites_clear(struct ph_sites *sites);

/* Sites of all molecules; or only of ours, unless `own` is NULL or the sites are `whole`. Then those of guests, which
 * is for all threads of a region to call. */
void ph_sites_place(const struct ph_system *system, struct ph_sites *sites);
void ph_sites_place_guests(const struct ph_system *system, const struct ph_sites *sites);

#endif
