/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_RANKS_SHARE_H
#define PH_FORCE_RANKS_SHARE_H

/* Tiles shared among the ranks of a team.
 *
 * One rank owns each tile and the molecules whose home it is. A rank builds the lists of its own tiles and evaluates
 * their pairs. It sends the sum of each copy of another rank's molecule to the owner of the molecule, without adding
 * anything up. The owner adds the copies in the order of the tiles. So every sum has the same terms in the same order
 * as on one rank, to the last bit, for any distribution. */

/* On the owner of a molecule, a tile of another rank is `away`: it holds only the copies of local molecules, and their
 * sums after these have arrived. Code that adds up copies treats it like any other tile.
 *
 * Before an evaluation, each rank sends positions and orientations of its molecules to every rank whose tiles have
 * copies of them, once for each rank. All other entries of remote molecules are out of date or missing (owned.h) until
 * a reader collects them from their owners. When lists are built, molecules migrate to their new owners with their
 * whole state, and to no other rank (migrate.h). */

#include "force/owned.h"
#include "force/pairs/lists/tile.h"

struct ph_parcel; /* parallel/team.h */

enum { PH_SHARE_SHOWN = 64 };

/* Number of copies of one rank's molecules in a tile of another */
struct ph_copies {
    uint32_t tile, n;
};

/* Owners of tiles and molecules, and the places of molecules in memory. The share that allocated the arrays frees them.
 * A share whose tiles are drawn from another share has a copy of this struct, valid since the last list build. */
struct ph_owners {
    size_t n_tiles, n_molecules;
    /* Rank p has n_tiles_of[p] tiles from first_tile[p] on, and n_of[p] molecules from first[p] on, counted in the
     * order of all tiles. */
    size_t *first_tile, *n_tiles_of, *first, *n_of;
    /* Nanoseconds spent on the pairs of each tile, and on the pairs of tiles drawn from it, since owners were chosen.
     * Known for our tiles only. */
    uint64_t *spent;
    uint64_t *spent_by; /* scratch: sums of these for each rank, */
    int64_t *dealt;     /* and the first tiles that follow from them */
    /* molecule: our molecules, in the order of their tiles. owner[place]: the rank that owns the molecule, for our
     * molecules and for molecules in cells around ours. */
    uint32_t *molecule, *owner;
    /* If `distributed` is false, the place of a molecule is its number. If it is true, only our molecules and the
     * molecules around them are stored. For species s, our molecules begin at first_place[s] in the order of their
     * numbers. The molecules around them follow up to here_end[s]. number[i] is the number of the molecule at place i.
     */
    bool distributed;
    size_t n_species, *first_place, *here_end;
    uint32_t *number;
    bool poisoned;       /* for tests: unused places become NaN instead of being released */
    struct ph_owned own; /* our molecules, as integrators and thermostats see them */
    uint32_t *ours;      /* its list, */
    size_t *first_of;    /* and where species begin */
    uint32_t *seen;      /* scratch: one number for each molecule */
    double *of_tiles;    /* scratch: numbers of tiles for all ranks */
};

struct ph_share {
    /* If not NULL: tiles are drawn from the tiles of this share (not owned), which keeps all data except copies. Calls
     * of meet, collect and show must use this share. */
    const struct ph_share *from;
    struct ph_owners owners;
    size_t plans;    /* number of list builds */
    bool shuffled;   /* for tests: each list build chooses random owners */
    bool images_old; /* box images of remote molecules are out of date */
    double *here;    /* scratch: one number for each molecule here, local or around */
    size_t room_here;
    /* Rows that at present hold molecules at the places of their numbers, because a reader looks at all molecules */
    bool shown;
    size_t n_shown;
    double *row_shown[PH_SHARE_SHOWN];
    int32_t *image_shown[3];
    uint32_t *id, *place; /* not owned; of the system */
    /* out: copies here of molecules of other ranks, in the order of ranks, then tiles. in: copies on other ranks of our
     * molecules, in the order of tiles, which is also the order of ranks. */
    size_t n_out, n_in, room_out, room_in;
    size_t n_away;
    struct ph_copies *away; /* tiles of other ranks with copies of our molecules, ascending */
    uint32_t *out_tile, *out_local;
    size_t n_inner, n_outer; /* numbers of our tiles without and with copies of remote molecules */
    uint32_t *inner, *outer;
    double *out, *in; /* room for n_fields of each */
    size_t n_parcels_out, n_parcels_in;
    struct ph_parcel *parcel_out, *parcel_in;
    /* The molecules of these copies, each once, in the order of ranks: `ghost` lists remote molecules (ghosts), `sent`
     * our molecules. A rank receives ghosts from the same ranks that it sends sums of copies to. */
    size_t n_sent, room_ghosts, room_sent;
    uint32_t *ghost, *sent;
    double *rows_out, *rows_in;
    struct ph_parcel *ghosts_out, *ghosts_in;
    double *shared_sums, *shared_ghosts; /* send buffers of the team for sums and rows; or NULL */
    double *drawn_shared;                /* the same for tiles drawn from these, which have no more copies */
    bool ghosts_under_way;               /* an exchange of ghosts is in progress */
    double *of_molecules;                /* numbers that go to all, */
    uint32_t *names;                     /* of these molecules, */
    size_t *some;                        /* so many of each process */
    struct ph_error failure;             /* error of this rank that other ranks have not received yet; or PH_OK */
};

/* Assigns owners: molecule[begin[d]] .. molecule[begin[d+1]] have their home in tile d. NULL: all molecules in the
 * order of the system. Marks tiles of other ranks. */
enum ph_status ph_share_plan(const struct ph_system *system, const uint32_t *molecule, const size_t *begin,
                             struct ph_tiles *tiles, struct ph_error *err);
/* Gives tiles that are drawn from the tiles of `from` the same owners. `status` says whether this rank has allocated
 * memory for them; all ranks return the same status. */
enum ph_status ph_share_draw(enum ph_status status, const struct ph_share *from, struct ph_tiles *tiles,
                             struct ph_error *err);
/* Distributes molecules from the first list build on. Until then each rank has a range of
 * molecule numbers (base/ranges.h), at the places of their numbers. */
enum ph_status ph_share_begin(const struct ph_system *system, struct ph_tiles *tiles, struct ph_error *err);
/* ph_share_plan in steps, after an earlier list build. ph_share_choose chooses owners of tiles. Then the caller finds
 * how many molecules each rank gets. ph_share_own takes the molecules ours[0 .. n], in ascending order, as local. */
void ph_share_choose(struct ph_share *share);
void ph_share_own(const struct ph_system *system, size_t n, struct ph_share *share);
/* Returns the range begin .. end-1 of the tiles of this rank. */
void ph_share_own_tiles(const struct ph_share *share, size_t *begin, size_t *end);
/* Gives each rank consecutive tiles of about equal total cost. A tile goes to the rank in whose share of the cost its
 * middle lies. Counts how many of n_tiles consecutive tiles come before each of n_processes ranks, and before the end.
 * `before` is the cost of the tiles before these, and `sum` that of all. So each rank can count its own tiles, and the
 * sums of the counts over all ranks are the first tiles. */
void ph_share_deal(size_t n_tiles, const uint64_t *cost, uint64_t before, uint64_t sum, size_t n_processes,
                   int64_t *first_tile);
/* Counts the copies that ranks exchange, after each rank has built its own tiles or failed to (`status`); all ranks
 * return the same status. Then ph_share_name finds the molecules of these copies; it needs memory for them in each tile
 * that is away. */
enum ph_status ph_share_count(enum ph_status status, size_t n_fields, const struct ph_tiles *tiles,
                              struct ph_error *err);
enum ph_status ph_share_name(size_t n_fields, struct ph_tiles *tiles, struct ph_error *err);
void ph_share_destroy(struct ph_share *share);

/* Where the sums of a tile's copies are: field f of local l at [f * field_step + l * local_step] */
struct ph_share_sums {
    double *sum;
    size_t field_step, local_step;
};
/* ph_share_begin_sums sends the sums of all copies to the owners of their molecules; sums(d, data) returns where the
 * sums of tile d are stored. They have arrived when ph_share_finish_sums returns. */
void ph_share_begin_sums(const struct ph_tiles *tiles, size_t n_fields,
                         struct ph_share_sums (*sums)(size_t d, void *data), void *data);
void ph_share_finish_sums(const struct ph_tiles *tiles, size_t n_fields,
                          struct ph_share_sums (*sums)(size_t d, void *data), void *data);
/* Exchanges ghosts: ph_share_begin_ghosts sends up to PH_SHARE_ROWS rows of our molecules to the ranks that have them
 * as ghosts. They have arrived when ph_share_finish_ghosts returns, called with the same rows. Without a call of
 * ph_share_begin_ghosts before it, ph_share_finish_ghosts does nothing. */
enum { PH_SHARE_ROWS = 8 };
void ph_share_begin_ghosts(struct ph_share *share, size_t n_rows, double *const rows[]);
void ph_share_finish_ghosts(struct ph_share *share, size_t n_rows, double *const rows[]);
/* Makes progress on an exchange during other work. Only the thread that began the program may call it. */
void ph_share_push(void);
/* Sends entries of our molecules to all ranks, for any number of rows. Afterwards the rows hold all molecules at the
 * places of their numbers. */
void ph_share_collect(struct ph_share *share, const struct ph_column_set *rows);
/* ph_share_read passes all molecules to the readers, block by block in the order of numbers, while none of these rows
 * is shown. ph_share_collect_first collects them into the rows of rank 0, while all or none of them are shown. Other
 * ranks leave their rows unchanged. (share_read.c) */
enum ph_status ph_share_read(const struct ph_share *share, const struct ph_column_set *rows,
                             const struct ph_readers *readers, ph_columns_reader *block, void *data,
                             struct ph_error *err);
enum ph_status ph_share_collect_first(struct ph_share *share, const struct ph_column_set *rows, struct ph_error *err);
/* Restores the compact local order. (share_places.c) */
void ph_share_withdraw(struct ph_share *share);
/* If molecules are distributed: releases the unused places of a row whose entries have so many bytes */
void ph_share_vacate(const struct ph_share *share, size_t bytes, void *row);
/* Gathers energies and virials of all tiles on every rank, and returns those of each tile: the virial, then radial and
 * electric energy. */
enum { PH_SHARE_OF_TILE = 11 };
const double (*ph_share_spread_tiles(const struct ph_tiles *tiles))[PH_SHARE_OF_TILE];

/* ph_share_fail records a numerical failure of this rank, which continues for now. Other ranks receive it at the next
 * ph_share_meet: this ORs *bits over all ranks and returns the status of the first rank that failed. */
void ph_share_fail(struct ph_share *share, const struct ph_error *failure);
enum ph_status ph_share_meet(struct ph_share *share, unsigned *bits, struct ph_error *err);

#endif
