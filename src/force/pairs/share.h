/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_SHARE_H
#define PH_FORCE_PAIRS_SHARE_H

/* Tiles shared among the processes of a team.
 *
 * Every tile belongs to one process, and so do the molecules whose home it is. A process makes lists of its own tiles
 * and evaluates their pairs. What it finds for copies of molecules of another process goes there as it is, the sum of
 * each copy apart; the owner adds the copies in the order of the tiles. So every sum has the terms and the order that
 * it has in one process, to the last bit, whoever owns what.
 *
 * On its owner's side, a tile of another process is `away`: it holds just those of its copies whose molecules are ours,
 * and their sums when they have come. Whoever adds copies up need not know.
 *
 * For now all processes know the state of all molecules, and move them all: at the end forces of all go to all. */

#include "force/pairs/tile.h"
#include "parallel/team.h"

struct ph_share {
    size_t n_tiles, n_molecules;
    /* Process p has n_tiles_of[p] tiles from first_tile[p] on, and n_of[p] molecules: molecule[k] from k = first[p] on,
     * in the order of their tiles. */
    size_t *first_tile, *n_tiles_of, *first, *n_of;
    uint32_t *molecule, *owner; /* all of them, by tile; the process of each molecule */
    /* Copies here of molecules there, in the order of processes, then tiles; copies there of ours, in the order of
     * tiles, which is that of processes too */
    size_t n_out, n_in, room_out, room_in;
    size_t *n_copies; /* of our molecules, in each tile that is away */
    uint32_t *out_tile, *out_local;
    double *out, *in; /* room for n_fields of each */
    size_t n_parcels_out, n_parcels_in;
    struct ph_parcel *parcel_out, *parcel_in;
    double *of_molecules, *of_tiles; /* numbers that go to all */
};

/* Who owns what: molecule[begin[d]] .. molecule[begin[d+1]] are at home in tile d; NULL: all in the order of the
 * system. Marks tiles of other processes. */
enum ph_status ph_share_plan(size_t n_molecules, const uint32_t *molecule, const size_t *begin, struct ph_tiles *tiles,
                             struct ph_error *err);
/* Our own tiles are made, or that failed (`status`), as all processes get to know. Counts the copies that travel. Then,
 * with room for n_copies in each tile that is away: which molecules these are */
enum ph_status ph_share_count(enum ph_status status, size_t n_fields, const struct ph_tiles *tiles,
                              struct ph_error *err);
void ph_share_name(struct ph_tiles *tiles);
void ph_share_destroy(struct ph_share *share);

/* Where the sums of a tile's copies are: field f of local l at [f * field_step + l * local_step] */
struct ph_share_sums {
    double *sum;
    size_t field_step, local_step;
};
/* Sums of all copies go where their molecules are; sums(d, data) tells where those of tile d are. */
void ph_share_exchange(const struct ph_tiles *tiles, size_t n_fields,
                       struct ph_share_sums (*sums)(size_t d, void *data), void *data);
/* Vectors of our molecules go to all processes. */
void ph_share_spread(const struct ph_share *share, double *const a[3], double *const b[3]);
/* So do energies, virial and number of pairs of each of our tiles. */
void ph_share_spread_tiles(struct ph_tiles *tiles);

#endif
