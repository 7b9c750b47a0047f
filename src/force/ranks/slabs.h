/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_RANKS_SLABS_H
#define PH_FORCE_RANKS_SLABS_H

/* A grid shared among the ranks of a team. Each rank has a slab of planes across the first edge, to spread, transform
 * and gather, and, of waves, the lines along that edge of some rows y. In between, ranks exchange rows: the transposes
 * of a distributed Fourier transform. One rank computes each number from the same numbers, so it has the same bits for
 * any number of ranks. A rank has memory for its planes, for further planes that it gathers from, and for its lines. */

#include "base/error.h"
#include "force/longrange/mesh/grid.h"

struct ph_parcel;

/* Destinations of rows: the owners of lines, the owners of planes, and ranks that gather from planes of other ranks */
enum ph_slab_move { PH_SLABS_TO_LINES, PH_SLABS_TO_PLANES, PH_SLABS_TO_READERS, PH_SLABS_MOVES };

struct ph_slabs {
    int n_planes, n_lines;
    int reach; /* planes after its own that a rank gathers from */
    int *layer, *plane,
        *line;  /* process p has plane[p] .. plane[p+1], which are layers layer[p] .. of cells, and so on */
    size_t row; /* doubles */
    double *out, *in;
    struct ph_parcel *parcel_out, *parcel_in;
    size_t *n_of; /* for each process, of whatever is gathered */
};

/* Slabs of whole layers of so many planes. *out stays NULL for a process alone. */
enum ph_status ph_slabs_create(const struct ph_grid *grid, int planes_of_layer, int reach, struct ph_slabs **out,
                               struct ph_error *err);
void ph_slabs_destroy(struct ph_slabs *slabs);

/* Return the parts of this rank: its planes and the planes after them that it gathers from, at least one; the rows y of
 * its lines, of all planes. The caller reserves the values, for *n_planes and for all planes. */
void ph_slabs_planes(const struct ph_slabs *slabs, struct ph_grid *grid, size_t *n_planes);
void ph_slabs_lines(const struct ph_slabs *slabs, struct ph_grid *lines);

/* Sends and receives rows, from one part of the grid to another, or to the same. */
void ph_slabs_move(const struct ph_slabs *slabs, enum ph_slab_move move, const struct ph_grid *from_grid,
                   const struct ph_grid *to_grid);

#endif
