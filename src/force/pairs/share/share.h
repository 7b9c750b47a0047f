/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_SHARE_SHARE_H
#define PH_FORCE_PAIRS_SHARE_SHARE_H

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
 * What an evaluation needs of molecules of others goes the other way before: positions and orientations of those of
 * which a tile has copies, once for each process. Entries of others are old, or there are none (owned.h), until they
 * are collected from their owners, which is done when somebody looks. When lists are made, molecules go to new owners
 * with all of their state, and to no one else (settle.h). */

#include "force/owned.h"
#include "force/pairs/lists/tile.h"
#include "parallel/team.h"

enum { PH_SHARE_SHOWN = 64 };

/* Whose tiles and molecules are, and where these are. Arrays are freed by the share that made them; one whose tiles are
 * drawn from others has a copy of all this, as it is since lists were made. */
struct ph_owners {
    size_t n_tiles, n_molecules;
    /* Process p has n_tiles_of[p] tiles from first_tile[p] on, and n_of[p] molecules: molecule[k] from k = first[p] on,
     * in the order of their tiles. */
    size_t *first_tile, *n_tiles_of, *first, *n_of;
    /* Nanoseconds on the pairs of each tile, and of those drawn from it, since owners were chosen: ours, until these
     * are gathered */
    uint64_t *spent;
    /* Ours, in the order of their tiles; the process of a molecule that is ours or in cells around ours, by its place
     */
    uint32_t *molecule, *owner;
    /* Molecules are at places that are their numbers; or, if they are apart, ours of species s follow each other from
     * its first place, first_place[s], on, in the order of their numbers, and after them up to here_end[s] there are
     * those around them. Then number[i] is that of the molecule at place i. */
    bool apart;
    size_t n_species, *first_place, *here_end;
    uint32_t *number;
    bool poisoned;       /* places that are not in use get NaN instead of being given back, which tests ask for */
    struct ph_owned own; /* ours, as those know them who move molecules */
    uint32_t *ours;      /* its list, */
    size_t *first_of;    /* and where species begin */
    uint32_t *seen;      /* room for a number of each molecule, */
    double *of_tiles;    /* and for numbers of tiles that go to all */
};

struct ph_share {
    /* Not NULL, not owned: tiles are drawn from those of this, to which all belongs that is not about copies. Who
     * meets, collects or shows does so there. */
    const struct ph_share *from;
    struct ph_owners owners;
    size_t plans;    /* so many lists were made, */
    bool shuffled;   /* and owners are chosen at random for each, which tests ask for */
    bool images_old; /* images of the box that molecules of others are in are old */
    double *here;    /* room for one number of each of those at places of ours and around them */
    size_t room_here;
    /* Rows in which molecules are at their numbers for a while, since somebody looks at all of them */
    bool shown;
    size_t n_shown;
    double *row_shown[PH_SHARE_SHOWN];
    int32_t *image_shown[3];
    uint32_t *id, *place; /* not owned; of the system */
    /* Copies here of molecules there, in the order of processes, then tiles; copies there of ours, in the order of
     * tiles, which is that of processes too */
    size_t n_out, n_in, room_out, room_in;
    size_t *n_copies; /* of our molecules, in each tile that is away */
    uint32_t *out_tile, *out_local;
    size_t n_inner, n_outer; /* of our tiles those without and with copies of molecules of others */
    uint32_t *inner, *outer;
    double *out, *in; /* room for n_fields of each */
    size_t n_parcels_out, n_parcels_in;
    struct ph_parcel *parcel_out, *parcel_in;
    /* Molecules whose copies these are, each once: of others, `guest`; of ours, `sent`, in the order of processes. Who
     * sends sums of copies there gets guests from there. */
    size_t n_sent, room_guests, room_sent;
    uint32_t *guest, *sent;
    double *rows_out, *rows_in;
    struct ph_parcel *guests_out, *guests_in;
    double *sums_lent, *rows_lent; /* of the team: for both kinds of what goes out; or NULL */
    double *drawn_lent;            /* the same for tiles drawn from these, which have no more copies */
    bool invited;                  /* guests are on their way */
    double *of_molecules;          /* numbers that go to all, */
    uint32_t *names;               /* of these molecules, */
    size_t *some;                  /* so many of each process */
    struct ph_error failure;       /* of ours, that the others do not know of yet; or PH_OK */
};

/* Who owns what: molecule[begin[d]] .. molecule[begin[d+1]] are at home in tile d; NULL: all in the order of the
 * system. Marks tiles of other processes. */
enum ph_status ph_share_plan(const struct ph_system *system, const uint32_t *molecule, const size_t *begin,
                             struct ph_tiles *tiles, struct ph_error *err);
/* Tiles that are drawn from those of `from` have their owners, if this process has room for them (`status`), as all get
 * to know. */
enum ph_status ph_share_draw(enum ph_status status, const struct ph_share *from, struct ph_tiles *tiles,
                             struct ph_error *err);
/* Where molecules are to be apart from the first list on: until it is made each process has those of a range of numbers
 * (base/ranges.h), at the places of their numbers. */
enum ph_status ph_share_begin(const struct ph_system *system, struct ph_tiles *tiles, struct ph_error *err);
/* The same in two steps, where lists were made before. Chooses owners of tiles, and so of numbers of molecules; then
 * those are ours that are in ours[0 .. n], in ascending order. */
void ph_share_choose(const size_t *begin, struct ph_tiles *tiles);
void ph_share_own(const struct ph_system *system, size_t n, struct ph_share *share);
/* Each process gets tiles that follow each other and cost about as much as those of others: a tile goes where its
 * middle lies. first_tile has n_processes + 1 entries. */
void ph_share_deal(size_t n_tiles, const uint64_t *cost, size_t n_processes, size_t *first_tile);
/* Our own tiles are made, or that failed (`status`), as all processes get to know. Counts the copies that travel. Then,
 * with room for n_copies in each tile that is away: which molecules these are */
enum ph_status ph_share_count(enum ph_status status, size_t n_fields, const struct ph_tiles *tiles,
                              struct ph_error *err);
enum ph_status ph_share_name(size_t n_fields, struct ph_tiles *tiles, struct ph_error *err);
void ph_share_destroy(struct ph_share *share);

/* Where the sums of a tile's copies are: field f of local l at [f * field_step + l * local_step] */
struct ph_share_sums {
    double *sum;
    size_t field_step, local_step;
};
/* Sums of all copies go where their molecules are; sums(d, data) tells where those of tile d are. They have come
 * after a call of the second. */
void ph_share_begin_sums(const struct ph_tiles *tiles, size_t n_fields,
                         struct ph_share_sums (*sums)(size_t d, void *data), void *data);
void ph_share_finish_sums(const struct ph_tiles *tiles, size_t n_fields,
                          struct ph_share_sums (*sums)(size_t d, void *data), void *data);
/* Entries of our molecules go to those who have them as guests: up to PH_SHARE_ROWS rows. They have come after a call
 * of the second, with the same rows; where none were invited it does nothing. */
enum { PH_SHARE_ROWS = 8 };
void ph_share_invite(struct ph_share *share, size_t n_rows, double *const rows[]);
void ph_share_welcome(struct ph_share *share, size_t n_rows, double *const rows[]);
/* Entries of our molecules go to all processes, of any number of rows, in which molecules are then at their numbers. */
void ph_share_collect(struct ph_share *share, const struct ph_column_set *rows);
/* To those who read, block by block, in the order of numbers, where none of these rows is shown. Or to the first
 * process, into its rows, where all or none of them are. The others leave theirs as they are. (share_read.c) */
enum ph_status ph_share_read(const struct ph_share *share, const struct ph_column_set *rows,
                             const struct ph_readers *readers, ph_columns_reader *block, void *data,
                             struct ph_error *err);
enum ph_status ph_share_collect_first(struct ph_share *share, const struct ph_column_set *rows, struct ph_error *err);
/* They are where they were again. (share_places.c) */
void ph_share_withdraw(struct ph_share *share);
/* If molecules are apart: what a row of entries of so many bytes has at places that are not in use */
void ph_share_vacate(const struct ph_share *share, size_t bytes, void *row);
/* So do energies and virial of each of our tiles. */
void ph_share_spread_tiles(struct ph_tiles *tiles);

/* A process alone has found that numbers fail. It goes on, and the others get to know when all meet next: in *bits are
 * those that any has set; the status is that of the first that failed. */
void ph_share_fail(struct ph_share *share, const struct ph_error *failure);
enum ph_status ph_share_meet(struct ph_share *share, unsigned *bits, struct ph_error *err);

#endif
