/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_LISTS_TILE_H
#define PH_FORCE_PAIRS_LISTS_TILE_H

/* The work of the pair loop, cut into tiles.
 *
 * A tile owns some molecules (home) and holds copies of their interaction partners (ghosts), periodic images included,
 * with the shift already in their coordinates. It sums forces on all of them in arrays of its own; the sums of a
 * molecule's copies are then added in the order of the tiles. How molecules are cut into tiles depends on the system
 * alone: any number of threads, taking tiles in any order, gives the same bits. Every pair is evaluated once, in one
 * tile. */

/* Coordinates are fields: for each interacting site of a species its position (3), then its dipole if it has one (3).
 * The same places of `out` receive the force on the site and the electric field at the dipole. */

#include "base/error.h"
#include "force/owned.h"
#include "model/system.h"

#include <stdint.h>

struct ph_share;

/* Where a thread that helps with a tile writes the next result, see loops/help.h */
struct ph_log {
    double *at;
};

enum { PH_IMAGES = 5 }; /* of the box in each direction, -2 .. 2 */

/* Parts of a list: neighbours that are inside all truncation for all molecules of the couple, whole blocks of PH_LANES;
 * near enough to interact with the first alone; with all of them; with the second alone. So the neighbours of the first
 * are contiguous, and so are the neighbours of the second. */
enum ph_tile_part { PH_PART_INSIDE, PH_PART_FIRST, PH_PART_ALL, PH_PART_SECOND, PH_TILE_PARTS };

struct ph_tile {
    size_t n_home, n_local; /* home molecules come first */
    uint32_t *molecule;     /* of each local copy */
    uint8_t *image;         /* of the box that it is in, as an index of ph_tiles.shift */
    /* Home molecules that are neighbours share a list, so that its molecules are fetched once for both: couple c is
     * the one or two molecules of one species from couple[c] to couple[c+1]. Their neighbours of species s are list
     * l = c n_species + s: local indices from number begin[l] of `neighbour` on, up to the next begin. Neighbours
     * that may interact now are in `near`, with all species of one kind (ph_pair_table.kind_end) together: from
     * number begin[l] on, l the first list of the kind, in parts, and within each part by species. */

    /* Neighbours of species s in a part end at part_end[l][part], counted from there, and begin at the end before
     * it. This depends only on the positions when the list was made and when it was last thinned out. NULL where all
     * pairs interact: then neighbours are all locals after i, in the order of the species. Indices are kept in two
     * bytes each where that suffices, else in four: see ph_index in gather.h. */
    size_t n_couples, index_bytes;
    bool is_short; /* lists are too short to fill vectors: no couples, and see flat_kernel.h */
    uint32_t *couple, *begin, (*part_end)[PH_TILE_PARTS];
    void *neighbour, *near;
    /* Field f of local l is at [f * field_step + l * local_step]: side by side for lists, whose molecules are
     * scattered; one array per field for all pairs, which take them in order. */
    double *in, *out;
    size_t field_step, local_step;
    double energy_radial, energy_electric, virial[3][3];
    struct ph_log *log;                         /* of a copy of a tile: where results go instead; else NULL */
    size_t pairs;                               /* tested by the pair loop, for reports */
    unsigned round;                             /* in which a thread has last begun with it, see ph_tiles_each */
    bool away;                                  /* another rank owns it, see share.h: loops skip it */
    size_t room_locals, room_lists, room_bytes; /* sizes of the arrays, which are reused at the next list build */
};

enum { PH_COPIES_AHEAD = 40 }; /* some ten molecules */

struct ph_tiles {
    size_t n;
    struct ph_tile *tile; /* owned */
    /* The tiles in which this rank has molecules, ascending: all; if tiles are shared, its own and the tiles of other
     * ranks with copies of its molecules. The memory of other tiles is zero and never touched. */
    size_t n_here;
    uint32_t *here;
    unsigned round;                                     /* of ph_tiles_each */
    double shift[PH_IMAGES * PH_IMAGES * PH_IMAGES][3]; /* of each image */
    /* Where the copies of molecule i are: entries first[i] .. first[i+1] of (tile, local), in the order of tiles */
    uint32_t *first, *copy_tile, *copy_local;
    double **copy_out; /* where the `out` of each copy begins; PH_COPIES_AHEAD more entries may be read ahead */
    size_t room_copies;
    /* Lists, none for all pairs: made by cells for a radius (between centres), and thinned out for a smaller one every
     * few evaluations, which is cheaper than evaluating pairs that do not interact. Centres at both times; if lists are
     * drawn from longer ones, the longer ones have the first: */
    double *built_at[3], *thinned_at[3];
    size_t n_fields_drawn;  /* of tiles that are drawn from these, or 0; never changed here */
    bool shared;            /* share tiles among the ranks of the team at each list build; never changed here */
    struct ph_share *share; /* owned; NULL where they are not shared */
};

/* How many tiles n molecules are cut into, for all pairs or for lists */
enum { PH_TILES_ALL_PAIRS = 16 }; /* at most */
size_t ph_tiles_count(size_t n, bool all_pairs);

/* All pairs of an open system. */
enum ph_status ph_tiles_all_pairs(const struct ph_system *system, size_t n_fields, struct ph_tiles *tiles,
                                  struct ph_error *err);

/* Pairs of molecules whose centres are closer than `radius`, by cells; any box, radius up to twice its width. A
 * molecule and an image of itself are a pair too: long molecules reach their own images. The tiles are zero, or come
 * from an earlier call for the same system, whose memory is reused. If tiles are shared and `state` is not NULL, each
 * rank knows only the present state of its own molecules: these rows. (tiles_build.c) */
enum ph_status ph_tiles_neighbours(const struct ph_system *system, const struct ph_column_set *state, double radius,
                                   size_t n_fields, struct ph_tiles *tiles, struct ph_error *err);

/* Draws the pairs closer than a smaller radius from lists `from` that have just been built. Home molecules are the
 * same, in the same order, and so are owners, which `from` keeps. (tile_draw.c) */
enum ph_status ph_tiles_draw(const struct ph_system *system, const struct ph_tiles *from, double radius,
                             size_t n_fields, struct ph_tiles *tiles, struct ph_error *err);

/* Before the first of these lists, where this process has molecules of a range of numbers alone (ph_share_begin) */
enum ph_status ph_tiles_begin(const struct ph_system *system, struct ph_tiles *tiles, struct ph_error *err);

/* Calls visit for every pair of a list, once for each image within reach, and perhaps for some beyond its radius.
 * Arguments are two places, and the vector from the second centre to the first. Visits only our own tiles if they are
 * shared. (tile_visit.c) */
typedef void ph_listed_visitor(size_t i, size_t j, const double d[3], void *context);
void ph_tiles_visit(const struct ph_system *system, const struct ph_tiles *tiles, ph_listed_visitor *visit,
                    void *context);
void ph_tile_visit(const struct ph_system *system, const struct ph_tiles *tiles, const struct ph_tile *tile,
                   ph_listed_visitor *visit, void *context); /* those of one tile */

/* Sets the shifts of all images in this box, which may differ from the box at the list build; see pairs_lists.c for how
 * long lists hold. */
void ph_tiles_set_box(const struct ph_box *box, struct ph_tiles *tiles);

/* Thins every list out and sorts it into its parts: pairs closer than `inside` now, and pairs closer than `radius` >=
 * inside. Species s and those after it, up to kind_end[s], are of one kind. Needs positions of all molecules, or of
 * `own` and its ghosts. (tile_thin.c) */
void ph_tiles_thin(const struct ph_system *system, const struct ph_owned *own, const size_t kind_end[], double inside,
                   double radius, struct ph_tiles *tiles);

/* Calls work(data, tiles, tile) for each tile here. All threads of a team call this, after one has increased
 * tiles->round. A thread begins with the same tiles in each round, because they may be in its cache. Then it takes
 * tiles that no thread has begun with. */
typedef void ph_tile_work(const void *data, const struct ph_tiles *tiles, struct ph_tile *tile);
void ph_tiles_each(struct ph_tiles *tiles, ph_tile_work *work, const void *data);

/* Also for tiles whose creation failed, which cannot be used otherwise. */
void ph_tiles_clear(struct ph_tiles *tiles);

/* n indices of a list (`neighbour` or `near`) from number `begin` on, and back */
void ph_tile_unpack(const struct ph_tile *tile, const void *list, size_t begin, size_t n, uint32_t *index);
void ph_tile_pack(const struct ph_tile *tile, size_t n, const uint32_t *index, void *list, size_t begin);

/* Returns true if lists of the molecules within this radius are too short for couples (neighbours.c) */
bool ph_tiles_are_short(const struct ph_system *system, double radius);

/* Returns the range begin .. end-1 of the tiles that this rank builds and evaluates: all, unless tiles are shared. */
void ph_tiles_own(const struct ph_tiles *tiles, size_t *begin, size_t *end);

/* For neighbours.c and tile_draw.c: reserve memory for n_local copies, side by side or one array per field; for
 * n_lists, of no more couples; record positions of all molecules, or of local ones; make the table of copies */
enum ph_status ph_tile_reserve(struct ph_tile *tile, size_t n_local, size_t n_fields, bool side_by_side,
                               struct ph_error *err);
enum ph_status ph_tile_reserve_lists(struct ph_tile *tile, size_t n_lists, size_t n_indices, size_t n_local,
                                     struct ph_error *err);
void ph_tiles_note_places(const struct ph_system *system, const struct ph_owned *own, double *const place[3]);
/* The same of all molecules by all threads of a team, each its part; they do not wait for each other. */
void ph_tiles_note_turns(const struct ph_system *system, double *const place[3]);
enum ph_status ph_tiles_index(size_t n_molecules, struct ph_tiles *tiles, struct ph_error *err);
/* Exchanges copies of shared tiles among ranks after they were built, or after that failed, and before their table */
enum ph_status ph_tiles_meet(enum ph_status status, size_t n_molecules, size_t n_fields, struct ph_tiles *tiles,
                             struct ph_error *err);

#endif
