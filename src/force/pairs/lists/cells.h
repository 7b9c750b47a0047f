/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_LISTS_CELLS_H
#define PH_FORCE_PAIRS_LISTS_CELLS_H

/* Cell lists: molecules sorted into cells, and which cells are neighbours. Cells are numbered along a Z-order curve, so
 * that neighbours in number are neighbours in space and a range of numbers is a compact region. */

#include "base/error.h"
#include "model/system.h"

#include <stdint.h>

struct ph_cells {
    int n[3], reach[3]; /* cells in each direction; how many to look at on each side */
    bool periodic;
    double origin[3], inverse[3][3]; /* cell coordinate k = inverse[k] . (r - origin) n[k], inverse as in ph_box */
    size_t n_cells;
    uint32_t *number;   /* of the cell at grid place (x n[1] + y) n[2] + z */
    uint32_t *place;    /* the other way round */
    uint32_t *start;    /* molecules of cell c are molecule[start[c]] .. molecule[start[c+1]] */
    uint32_t *molecule; /* sorted by cell, in the order of the system within each; with only some molecules, by
                         * number */
    double *r[3];       /* their centres, in this order */
    /* Of all molecules, before[c] are in cells before c. This is `start`, unless molecules of some cells alone are here
     * (settle.h). */
    uint32_t *before;
};

/* One cell as seen from another: which, and by which image of the box */
struct ph_seen_cell {
    uint32_t cell;
    int image[3];
};

/* Cells about half the radius wide. PH_ERR_NUMBERS for a position that is not finite or too far away. */
enum ph_status ph_cells_init(const struct ph_system *system, double radius, struct ph_cells *cells,
                             struct ph_error *err);
void ph_cells_clear(struct ph_cells *cells);

/* Where part d of n_parts begins: parts of about as many molecules, whole cells that follow each other */
uint32_t ph_cells_cut(const struct ph_cells *cells, size_t n_molecules, size_t part, size_t n_parts);

/* The same in steps, for some molecules alone (NULL: all). Looks at their positions, and gives their lowest and highest
 * coordinates; lays cells over all, from the corners of all where space is open; puts molecules into them. */
enum ph_status ph_cells_check(const struct ph_system *system, size_t n, const uint32_t *molecule, double corners[2][3],
                              struct ph_error *err);
enum ph_status ph_cells_lay(const struct ph_system *system, double radius, const double corners[2][3],
                            struct ph_cells *cells, struct ph_error *err);
enum ph_status ph_cells_fill(const struct ph_system *system, size_t n, const uint32_t *molecule, struct ph_cells *cells,
                             struct ph_error *err);
/* The cell of a molecule */
uint32_t ph_cells_of(const struct ph_cells *cells, const struct ph_system *system, size_t i);

/* Brings a grid place in direction k, up to some boxes away, back into the box, and returns its image in *image; false
 * if there is none (open space). */
static inline bool ph_cells_wrap(const struct ph_cells *cells, int k, int *place, int *image)
{
    *image = 0;
    if (!cells->periodic)
        return *place >= 0 && *place < cells->n[k];
    for (; *place < 0; *place += cells->n[k])
        --*image;
    for (; *place >= cells->n[k]; *place -= cells->n[k])
        ++*image;
    return true;
}

#endif
