/* SPDX-License-Identifier: MIT */
#ifndef PH_STATE_KEPT_H
#define PH_STATE_KEPT_H

/* A saved copy of parts of a state, to return to if a change is rejected. The copy migrates with its molecules: each
 * rank restores the molecules that it owns at the end. */

#include "state/state.h"

struct ph_kept; /* opaque */

/* Allocates memory for places, or for places and momenta (PH_STATE_...); a device has its own. Residuals are not saved.
 * Not collective: follow it with ph_state_agree. */
enum ph_status ph_kept_create(const struct ph_state *state, int parts, struct ph_kept **out, struct ph_error *err);
void ph_kept_destroy(struct ph_kept *kept);
enum { PH_KEPT_COLUMNS = 16 }; /* the most columns that a copy attaches to the state */

/* Saves the parts and attaches the copy; detaches it. In between the caller may move molecules and evaluate forces. */
void ph_kept_begin(struct ph_kept *kept, struct ph_state *state);
void ph_kept_end(struct ph_kept *kept, struct ph_state *state);
/* Restores the saved parts, with all momenta reversed if asked for. Residuals become zero. Call it after ph_kept_end.
 */
void ph_kept_bring_back(const struct ph_kept *kept, bool reversed, struct ph_state *state);

#endif
