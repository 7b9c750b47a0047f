/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_PAIRS_INSIDE_H
#define PH_FORCE_PAIRS_PAIRS_INSIDE_H

/* Shared by the files of the term of all pairs alone: pairs.c, pairs_explain.c for messages, pairs_shared.c for what
 * several processes have of it, pairs_lists.c for lists and pairs_memory.c for those that are made again on resuming.
 */

#include "force/pairs/lists/tile.h"
#include "force/pairs/loops/derivative.h"
#include "force/pairs/pairs.h"
#include "force/pairs/share/share.h"
#include "force/term.h"

struct ph_pairs {
    const struct ph_sites *sites;        /* not owned */
    struct ph_pairs *of, *drawn;         /* not owned: whose lists these are drawn from; which are drawn from these */
    struct ph_interactions interactions; /* overrides not kept */
    struct ph_tiles tiles;
    bool all_pairs;
    double skin, near_skin;
    double inside, reach;            /* of centres: nearer pairs are before the switch, further ones do not interact */
    struct ph_derivative derivative; /* scratch of force derivatives, if ever wanted */
    bool stale;                      /* the list must be made anew */
    bool refused;                    /* all were told, before the last evaluation, that something had failed */
    double boxes[2][3][3];           /* edges of the box when the list was made, and when it was thinned out */
    size_t lists_made, lists_thinned;
};

/* The list, from positions of all molecules, or of ours alone; and lists that are drawn from these. It is thinned out
 * afterwards. Before an evaluation both are done if they have to be. (pairs_lists.c) */
enum ph_status ph_pairs_make_list(struct ph_pairs *pairs, struct ph_system *system, struct ph_error *err);
void ph_pairs_thin(struct ph_pairs *pairs, const struct ph_system *system);
enum ph_status ph_pairs_update_list(void *term, struct ph_system *system, struct ph_error *err);

/* See the kind of a term (pairs_explain.c) */
enum ph_status ph_pairs_explain(const void *term, const struct ph_system *system, size_t i, struct ph_error *err);

/* Where lists are, for whoever resumes; and such lists (pairs_memory.c) */
void ph_pairs_remember(const void *term, struct ph_force_memory *memory);
enum ph_status ph_pairs_restore(void *term, struct ph_system *system, const struct ph_force_memory *memory,
                                struct ph_error *err);

/* ---- Several processes (pairs_shared.c) ---- */

/* Who knows whose molecules are whose: where lists are drawn from others, these do. */
struct ph_share *ph_pairs_owners(const struct ph_pairs *pairs);
/* Ours, where their positions are known and those of all are not */
const struct ph_owned *ph_pairs_known(const struct ph_pairs *pairs);
/* Whether the first list leaves a process with its own molecules alone, though it has been given all */
bool ph_pairs_parts_at_first(const struct ph_pairs *pairs);
/* What else there is at places that are not in use any more */
void ph_pairs_vacate_state(const struct ph_pairs *pairs, const struct ph_system *system);

#endif
