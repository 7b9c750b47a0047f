/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_LISTS_TILE_H
#define PH_FORCE_PAIRS_LISTS_TILE_H

/* The work of the pair loop, cut into tiles.
 *
 * A tile owns some molecules (home) and holds copies of those they interact with (ghosts), periodic images included,
 * with the shift already in their coordinates. It sums forces on all of them in arrays of its own; the sums of a
 * molecule's copies are then added in the order of the tiles. How molecules are cut into tiles depends on the
 * system alone: any number of threads, taking tiles in any order, gives the same bits. Every pair is evaluated once,
 * in one tile.
 *
 * Coordinates are fields: for each interacting site of a species its position (3), then its dipole if it has one (3).
 * The same places of `out` receive the force on the site and the electric field at the dipole. */

#include "base/error.h"
#include "force/owned.h"
#include "model/system.h"

#include <stdint.h>

struct ph_share;

enum { PH_IMAGES = 5 }; /* of the box in each direction, -2 .. 2 */

/* Parts of a list: neighbours that are inside all truncation for all molecules of the couple, whole blocks of PH_LANES;
 * near enough to interact with the first alone; with all of them; with the second alone. So those of the first follow
 * each other, and those of the second. */
enum ph_tile_part { PH_PART_INSIDE, PH_PART_FIRST, PH_PART_ALL, PH_PART_SECOND, PH_TILE_PARTS };

struct ph_tile {
    size_t n_home, n_local; /* home molecules come first */
    uint32_t *molecule;     /* of each local copy */
    uint8_t *image;         /* of the box that it is in, as an index of ph_tiles.shift */
    /* Home molecules that are neighbours share a list, so that what it names is fetched once for both: couple c is the
     * one or two molecules of one species from couple[c] to couple[c+1]. Their neighbours of species s are list
     * l = c n_species + s: local indices from number begin[l] of `neighbour` on, up to the next begin. Those that may
     * interact now are in `near`, those of all species of one kind (ph_pair_table.kind_end) together: from number
     * begin[l] on, l the first list of the kind, in parts, and within each part by species. Those of species s and a
     * part end at part_end[l][part], counted from there, and begin where those before them end. This depends only on
     * the positions when the list was made and when it was last thinned out. NULL where all pairs interact: then
     * neighbours are all locals after i, in the order of the species. Indices are kept in two bytes each where that
     * suffices, else in four: see ph_index in gather.h. */
    size_t n_couples, index_bytes;
    bool is_short; /* lists are too short to fill vectors: no couples, and see flat_kernel.h */
    uint32_t *couple, *begin, (*part_end)[PH_TILE_PARTS];
    void *neighbour, *near;
    /* Field f of local l is at [f * field_step + l * local_step]: side by side for lists, whose molecules are
     * scattered; one array per field for all pairs, which take them in order. */
    double *in, *out;
    size_t field_step, local_step;
    double energy_radial, energy_electric, virial[3][3];
    size_t pairs;                               /* that the pair loop looks at, for reports */
    bool away;                                  /* another process has it, see share.h: loops pass over it */
    size_t room_locals, room_lists, room_bytes; /* how much the arrays hold: they are kept when lists are made anew */
};

struct ph_tiles {
    size_t n;
    struct ph_tile *tile;                               /* owned */
    double shift[PH_IMAGES * PH_IMAGES * PH_IMAGES][3]; /* of each image */
    /* Where the copies of molecule i are: entries first[i] .. first[i+1] of (tile, local), in the order of tiles */
    uint32_t *first, *copy_tile, *copy_local;
    size_t room_copies;
    /* Lists, none for all pairs: made by cells for a radius (between centres), and thinned out for a smaller one every
     * few evaluations, which is cheaper than evaluating pairs that do not interact. Centres at both times; where lists
     * are drawn from others, these know the first: */
    double *built_at[3], *thinned_at[3];
    size_t n_fields_drawn;  /* of tiles that are drawn from these, or 0; stays as it is set */
    bool shared;            /* among the processes of the team, when they are made; stays as it is set */
    struct ph_share *share; /* owned; NULL where they are not shared */
};

/* All pairs of an open system. */
enum ph_status ph_tiles_all_pairs(const struct ph_system *system, size_t n_fields, struct ph_tiles *tiles,
                                  struct ph_error *err);

/* Pairs of molecules whose centres are closer than `radius`, by cells; any box, radius up to twice its width. A
 * molecule and an image of itself are a pair too: long molecules reach their own images. The tiles are zero, or those
 * of an earlier call for the same system, whose memory is used again. Where tiles are shared and `state` is not NULL, a
 * process knows the present state of molecules that are its own since then: these rows. (neighbours.c) */
enum ph_status ph_tiles_neighbours(const struct ph_system *system, const struct ph_column_set *state, double radius,
                                   size_t n_fields, struct ph_tiles *tiles, struct ph_error *err);

/* Pairs of these that are closer than a smaller radius now, when lists `from` have just been made: home molecules are
 * the same, in the same order, and so are owners, which `from` keeps. (tile_draw.c) */
enum ph_status ph_tiles_draw(const struct ph_system *system, const struct ph_tiles *from, double radius,
                             size_t n_fields, struct ph_tiles *tiles, struct ph_error *err);

/* Before the first of these lists, where this process has molecules of a range of numbers alone (ph_share_begin) */
enum ph_status ph_tiles_begin(const struct ph_system *system, struct ph_tiles *tiles, struct ph_error *err);

/* Calls visit for every pair of a list, once for each image of the other that is seen, and perhaps for some that are
 * beyond its radius: two places, and from the centre of the second to that of the first. Of tiles that are shared, our
 * own. (tile_visit.c) */
typedef void ph_listed_visitor(size_t i, size_t j, const double d[3], void *context);
void ph_tiles_visit(const struct ph_system *system, const struct ph_tiles *tiles, ph_listed_visitor *visit,
                    void *context);

/* Shifts of all images in this box, which may be another than that of the lists; see pairs_lists.c for how long they
 * hold. */
void ph_tiles_set_box(const struct ph_box *box, struct ph_tiles *tiles);

/* Thins every list out and sorts it into its parts: pairs closer than `inside` now, and those closer than `radius` >=
 * inside. Species s and those after it, up to kind_end[s], are of one kind. Positions of all are known, or of `own` and
 * their guests. (tile_thin.c) */
void ph_tiles_thin(const struct ph_system *system, const struct ph_owned *own, const size_t kind_end[], double inside,
                   double radius, struct ph_tiles *tiles);

/* Also for tiles whose creation failed, which cannot be used otherwise. */
void ph_tiles_clear(struct ph_tiles *tiles);

/* n indices of a list (`neighbour` or `near`) from number `begin` on, and back */
void ph_tile_unpack(const struct ph_tile *tile, const void *list, size_t begin, size_t n, uint32_t *index);
void ph_tile_pack(const struct ph_tile *tile, size_t n, const uint32_t *index, void *list, size_t begin);

/* Whether lists of so many molecules as there are within this radius are too short for couples (neighbours.c) */
bool ph_tiles_are_short(const struct ph_system *system, double radius);

/* For neighbours.c and tile_draw.c: space for n_local copies, side by side or one array per field; for n_lists, of no
 * more couples; where all molecules are, or ours; the table of copies */
enum ph_status ph_tile_reserve(struct ph_tile *tile, size_t n_local, size_t n_fields, bool side_by_side,
                               struct ph_error *err);
enum ph_status ph_tile_reserve_lists(struct ph_tile *tile, size_t n_lists, size_t n_indices, size_t n_local,
                                     struct ph_error *err);
void ph_tiles_note_places(const struct ph_system *system, const struct ph_owned *own, double *const place[3]);
enum ph_status ph_tiles_index(size_t n_molecules, struct ph_tiles *tiles, struct ph_error *err);
/* Between the making of tiles that are shared, which may have failed, and their table */
enum ph_status ph_tiles_meet(enum ph_status status, size_t n_molecules, size_t n_fields, struct ph_tiles *tiles,
                             struct ph_error *err);

#endif
