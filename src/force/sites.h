/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_SITES_H
#define PH_FORCE_SITES_H

/* Positions and dipoles of all interacting sites in space, expanded from centres and orientations. Shared by the terms
 * that act on sites. */

#include "force/owned.h"
#include "force/pairs/pair_table.h"

struct ph_sites {
    struct ph_pair_table table;
    double *place; /* owned; field f of molecule i is place[i table.record + f], fields as in tile.h */
    /* state: if not NULL, only forces on the molecules of this rank are needed, and only their present state is known:
     * these rows, with more than one rank. own: our molecules, known after terms have prepared */
    const struct ph_column_set *state;
    const struct ph_owned *own;
    /* True if f and t still hold the forces of an earlier state. Then the first term, which is pairs, sets them instead
     * of adding to them. */
    bool old_forces;
};

/* All zero before; ph_sites_clear is safe after a failure. */
enum ph_status ph_sites_init(const struct ph_system *system, const struct ph_interactions *interactions,
                             struct ph_sites *sites, struct ph_error *err);
void ph_sites_clear(struct ph_sites *sites);

/* ph_sites_place computes sites of our molecules; of all if `own` is NULL. To save parallel regions it also sets their
 * forces and torques to 0 unless old forces stay, and, if `look` is not NULL, calls look(data, begin, end) for all
 * ranges of molecules. ph_sites_place_ghosts then computes sites of ghosts; all threads of a region must call it.
 */
typedef void ph_sites_look(void *data, size_t begin, size_t end);
void ph_sites_place(struct ph_system *system, struct ph_sites *sites, ph_sites_look *look, void *data);
/* Sites of molecules begin .. end-1 of species s alone */
void ph_sites_place_range(const struct ph_system *system, size_t s, size_t begin, size_t end,
                          const struct ph_sites *sites);
void ph_sites_place_ghosts(const struct ph_system *system, const struct ph_sites *sites);

#endif
