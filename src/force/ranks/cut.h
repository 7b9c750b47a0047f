/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_RANKS_CUT_H
#define PH_FORCE_RANKS_CUT_H

/* Cuts the curve of cells (lists/cells.h) into the parts of the ranks. No rank knows the molecules of all cells, so all
 * ranks search the cuts together. They descend from blocks of cells to octants of these blocks, and add up how many
 * molecules each octant has. That takes 32 bytes for each rank and level of the grid. */

#include "force/pairs/lists/cells.h"

/* A block of cells in which a rank begins */
struct ph_cut {
    size_t wanted;         /* at least so many molecules come before the rank */
    size_t before, within; /* molecules of all ranks before the block, and in it */
    uint32_t key;          /* of its first cell */
    uint32_t begin, end;   /* local cells in it */
};

enum { PH_OCTANTS = 8 };

/* Finds the first key of each rank from the `wanted` molecules of n cuts, one for each rank but the first. `cells`
 * holds the local molecules. Afterwards rank p + 1 begins at cut[p].key, after cut[p].before molecules. counts: scratch
 * for PH_OCTANTS numbers of each cut */
void ph_cut_find(const struct ph_cells *cells, size_t n_molecules, size_t n, struct ph_cut *cut, uint32_t *counts);

#endif
