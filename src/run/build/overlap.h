/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_BUILD_OVERLAP_H
#define PH_RUN_BUILD_OVERLAP_H

/* Molecules that overlap. Two sites do where they are closer than three quarters of their sigma: a Lennard-Jones
 * repulsion of 100 epsilon, ten times what collisions in a liquid reach. A run that starts so explodes, with any step.
 */

#include "model/system.h"
#include "run/build/notes.h"
#include "state/state.h"

struct ph_overlap {
    size_t pairs;              /* of molecules that overlap; 0: none, and the rest has no meaning */
    size_t molecule[2];        /* the worst of them, by number, */
    char site[2][2 * PH_NAME]; /* which sites of these, as model.site, */
    double distance, sigma;    /* how far apart, and how far they should be, about */
};

/* Molecules are in the box, as ph_system_wrap leaves them. Places that are not finite, or out of reach, have none. */
enum ph_status ph_overlap_find(const struct ph_system *system, const struct ph_interactions *interactions,
                               struct ph_overlap *overlap, struct ph_error *err);

/* The same where each process of a team has its own molecules alone, from the lists of the state, which were made: if
 * pairs that overlap are all in lists. All processes call it, and find the same. */
bool ph_overlap_listed(const struct ph_system *system, const struct ph_interactions *interactions);
enum ph_status ph_overlap_find_listed(const struct ph_state *state, const struct ph_interactions *interactions,
                                      struct ph_overlap *overlap, struct ph_error *err);

/* Describe the overlap of a start, and say how to avoid it. The first adds a warning to the end of the notes. The
 * second replaces the explanation in an error of the numbers. Both do nothing without an overlap; the second leaves
 * other errors alone. */
void ph_overlap_note(const struct ph_overlap *overlap, struct ph_build_notes *notes);
void ph_overlap_blame(const struct ph_overlap *overlap, struct ph_error *err);

#endif
