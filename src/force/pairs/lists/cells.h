/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_LISTS_CELLS_H
#define PH_FORCE_PAIRS_LISTS_CELLS_H

/* Cell lists: molecules sorted into cells, and which cells are neighbours. The key of a cell is its place on a Z-order
 * curve, so that cells with near keys are near in space and a range of keys is a compact region. Only cells with
 * molecules are stored, so the memory of a rank depends on its own molecules and on the molecules around them. */

#include "base/error.h"
#include "model/system.h"

#include <stdint.h>

/* Every key is below PH_CELL_KEYS, because there are at most 2^PH_CELL_LEVELS cells in each direction. */
enum { PH_CELL_LEVELS = 10, PH_CELL_KEYS = 1 << (3 * PH_CELL_LEVELS) };

struct ph_cells {
    int n[3], reach[3]; /* cells in each direction; how many to look at on each side */
    int levels;         /* every key is below 8^levels */
    bool periodic;
    double origin[3], inverse[3][3]; /* cell coordinate k = inverse[k] . (r - origin) n[k], inverse as in ph_box */
    size_t n_cells;                  /* with molecules */
    uint32_t *key;                   /* of each cell, ascending */
    /* Molecules of cell c are molecule[start[c]] .. molecule[start[c+1]]. Number n_cells is a cell without molecules.
     */
    uint32_t *start;
    uint32_t *molecule; /* sorted by cell, in the order of the system within each; with only some molecules, by
                         * number */
    double *r[3];       /* their centres, in this order */
    /* To find a cell: of the cells whose keys begin at s << shift, the first is number first[s]. */
    unsigned shift;
    uint32_t *first;
    /* Home cells are numbers home .. home_end - 1. Of all molecules, n_before are in cells before them. These are all
     * cells, unless only the molecules of some cells are here (migrate.h). */
    uint32_t home, home_end;
    size_t n_before;
};

/* One cell as seen from another: its key, and by which image of the box */
struct ph_seen_cell {
    uint32_t key;
    int image[3];
};

/* Cells about half the radius wide. PH_ERR_NUMBERS for a position that is not finite or too far away. */
enum ph_status ph_cells_init(const struct ph_system *system, double radius, struct ph_cells *cells,
                             struct ph_error *err);
void ph_cells_clear(struct ph_cells *cells);

/* Returns the number of the home cell where a part begins. Parts have about as many molecules each, and consist of
 * whole cells that follow each other. A rank may ask for the parts in its home cells and for their end. */
uint32_t ph_cells_cut(const struct ph_cells *cells, size_t n_molecules, size_t part, size_t n_parts);

/* ph_cells_init in steps, for some molecules alone (NULL: all). ph_cells_check looks at their positions and finds their
 * lowest and highest coordinates. ph_cells_lay lays the grid over all molecules, in open space from the corners of all.
 * ph_cells_fill sorts these molecules into cells, all of which are home cells. */
enum ph_status ph_cells_check(const struct ph_system *system, size_t n, const uint32_t *molecule, double corners[2][3],
                              struct ph_error *err);
void ph_cells_lay(const struct ph_system *system, double radius, const double corners[2][3], struct ph_cells *cells);
enum ph_status ph_cells_fill(const struct ph_system *system, size_t n, const uint32_t *molecule, struct ph_cells *cells,
                             struct ph_error *err);
/* Returns the first of the cells begin .. end-1 whose key is not smaller; `end` if there is none. */
uint32_t ph_cells_from(const struct ph_cells *cells, uint32_t begin, uint32_t end, uint32_t key);

/* ---- Keys ---- */

/* Spreads ten bits: bit k goes to bit 3k. */
static inline uint32_t ph_cells_spread(int coordinate)
{
    uint32_t bits = (uint32_t)coordinate;
    bits = (bits | bits << 16) & 0x030000ff;
    bits = (bits | bits << 8) & 0x0300f00f;
    bits = (bits | bits << 4) & 0x030c30c3;
    return (bits | bits << 2) & 0x09249249;
}

static inline int ph_cells_gather(uint32_t key)
{
    key &= 0x09249249;
    key = (key | key >> 2) & 0x030c30c3;
    key = (key | key >> 4) & 0x0300f00f;
    key = (key | key >> 8) & 0x030000ff;
    return (int)((key | key >> 16) & 0x3ff);
}

/* The key of the cell at a grid place, and back */
static inline uint32_t ph_cells_key(int x, int y, int z)
{
    return ph_cells_spread(x) << 2 | ph_cells_spread(y) << 1 | ph_cells_spread(z);
}

static inline void ph_cells_place(uint32_t key, int place[3])
{
    for (int k = 0; k < 3; ++k)
        place[k] = ph_cells_gather(key >> (2 - k));
}

/* Returns the number of the cell with this key; n_cells, a cell without molecules, if none has it. */
static inline uint32_t ph_cells_find(const struct ph_cells *cells, uint32_t key)
{
    const uint32_t none = (uint32_t)cells->n_cells;
    uint32_t low = cells->first[key >> cells->shift], high = cells->first[(key >> cells->shift) + 1];
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        low = cells->key[middle] <= key ? middle : low;
        high = cells->key[middle] <= key ? high : middle;
    }
    return low < high && cells->key[low] == key ? low : none;
}

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
