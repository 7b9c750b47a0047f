/* SPDX-License-Identifier: MIT */
#ifndef PH_STATE_KEPT_H
#define PH_STATE_KEPT_H

/* Parts of a state to go back to, where a change is accepted or rejected. Copies go with molecules: the process that
 * has a molecule in the end is the one that brings it back. */

#include "state/state.h"

struct ph_kept; /* opaque */

/* Room for places, or for places and momenta (PH_STATE_...), without residuals */
enum ph_status ph_kept_create(const struct ph_system *system, int parts, struct ph_kept **out, struct ph_error *err);
void ph_kept_destroy(struct ph_kept *kept);
enum { PH_KEPT_COLUMNS = 16 }; /* that are attached to the state, at most */

/* Keeps the parts as they are. Between these two molecules may be moved, and forces evaluated. */
void ph_kept_begin(struct ph_kept *kept, struct ph_state *state);
void ph_kept_end(struct ph_kept *kept, struct ph_state *state);
/* After that: the parts are as they were, or with all momenta reversed. The caller says so (ph_state_changed). */
void ph_kept_bring_back(const struct ph_kept *kept, bool reversed, struct ph_state *state);

#endif
