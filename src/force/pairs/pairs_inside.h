/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_PAIRS_INSIDE_H
#define PH_FORCE_PAIRS_PAIRS_INSIDE_H

/* Shared by the files of the term of all pairs alone: pairs.c, pairs_explain.c for messages, pairs_lists.c for lists,
 * pairs_memory.c for lists that are rebuilt on resuming; pairs_shared.c and force_field_ranks.c for several ranks. */

#include "force/pairs/lists/tile.h"
#include "force/pairs/loops/derivative.h"
#include "force/pairs/loops/flux.h"
#include "force/pairs/loops/help.h"
#include "force/pairs/pairs.h"
#include "force/ranks/share.h"
#include "force/term.h"

/* From where, by which map of the box, and how far molecules may have moved, squared */
struct ph_displaced {
    const double *x, *y, *z, *x0, *y0, *z0;
    double map[3][3], most2;
};

struct ph_pairs {
    const struct ph_sites *sites;        /* not owned */
    struct ph_pairs *of, *drawn;         /* not owned: the source of these lists; lists drawn from these */
    struct ph_interactions interactions; /* overrides not kept */
    struct ph_tiles tiles;
    bool all_pairs;
    bool in_centres; /* each molecule has one site, at its centre, without axes, and all have a dipole or none */
    double skin, near_skin;
    double inside, reach;            /* of centres: nearer pairs are before the switch, further ones do not interact */
    struct ph_derivative derivative; /* scratch of force derivatives, if ever wanted */
    struct ph_help *help;            /* owned: of threads that help each other; NULL: never wanted */
    bool stale;                      /* the list must be made anew */
    bool saw_finite;                 /* see ph_term_kind */
    bool refused;                    /* the last evaluation returned an earlier failure instead */
    double boxes[2][3][3];           /* edges of the box when the list was made, and when it was thinned out */
    size_t lists_made, lists_thinned;
    bool looking;                 /* molecules are being looked at for the next ph_pairs_update_list: */
    struct ph_displaced since[2]; /* since lists were made and thinned out */
    unsigned seen;                /* what is to be done with the lists, see pairs_lists.c */
};

/* Build the list, from positions of all molecules or of ours alone, and lists drawn from it; thin it out afterwards.
 * ph_pairs_update_list does both before an evaluation if necessary. (pairs_lists.c) */
enum ph_status ph_pairs_make_list(struct ph_pairs *pairs, struct ph_system *system, struct ph_error *err);
void ph_pairs_thin(struct ph_pairs *pairs, const struct ph_system *system);
enum ph_status ph_pairs_update_list(void *term, struct ph_system *system, struct ph_error *err);

/* See the kind of a term (pairs_explain.c) */
enum ph_status ph_pairs_explain(const void *term, const struct ph_system *system, size_t i, struct ph_error *err);

/* Save the positions at list builds for resuming, and restore the lists (pairs_memory.c) */
void ph_pairs_remember(const void *term, struct ph_force_memory *memory);
enum ph_status ph_pairs_restore(void *term, struct ph_system *system, const struct ph_force_memory *memory,
                                struct ph_error *err);

/* Molecules whose copies this rank sums: n of a list, or all if it is NULL. ph_pairs_collect stores or adds forces and
 * torques of entries begin .. end-1. Returns true if all are finite then. (pairs_collect.c) */
struct ph_collected {
    const uint32_t *molecule;
    size_t n;
};
struct ph_collected ph_pairs_to_collect(const struct ph_pairs *pairs, size_t n);
bool ph_pairs_collect(const struct ph_pairs *pairs, struct ph_system *system, struct ph_collected which, size_t begin,
                      size_t end);

/* ---- Several processes (pairs_shared.c) ---- */

/* Returns the share with the owners of molecules: for drawn lists, the share of their source. */
struct ph_share *ph_pairs_owners(const struct ph_pairs *pairs);
/* Returns true if each rank needs forces on its own molecules alone */
bool ph_pairs_is_divided(const struct ph_pairs *pairs);
/* Returns our molecules if only their positions are known; NULL if all are */
const struct ph_owned *ph_pairs_known(const struct ph_pairs *pairs);
/* Releases other data at places that are no longer in use. */
void ph_pairs_vacate_state(const struct ph_pairs *pairs, const struct ph_system *system);

#endif
