/* SPDX-License-Identifier: MIT */
/* A force field that goes on where another was, in processes none of which has all molecules. */
#include "force/force_field_inside.h"
#include "force/pairs/pairs.h"
#include "parallel/team.h"

#include <stdlib.h>
#include <string.h>

enum { PLACES = 6 }; /* where molecules were when the list was made, and when it was thinned out */

enum ph_status ph_force_field_restore_part(struct ph_force_field *field, const struct ph_system *system,
                                           const struct ph_rows *state, const struct ph_force_memory *memory,
                                           struct ph_error *err)
{
    field->evaluated = false;
    enum ph_status status = ph_force_field_begin(field, system, err);
    if (status != PH_OK || !memory->built_at[0] || !memory->thinned_at[0])
        return status;
    double **row = malloc((PLACES + state->n) * sizeof *row);
    status = ph_team_agree(row ? PH_OK : ph_error_set(err, PH_ERR_MEMORY, "No memory for rows of a state."), err);
    if (status == PH_OK) {
        memcpy(row, memory->built_at, sizeof memory->built_at);
        memcpy(row + 3, memory->thinned_at, sizeof memory->thinned_at);
        memcpy(row + PLACES, state->row, state->n * sizeof *row);
        const struct ph_rows rows = {.n = PLACES + state->n, .row = row, .image = state->image, .apart = true};
        field->sites.state = &rows;
        field->sites.whole = false;
        status = ph_pairs_restore_part(field->term[0].term, system, memory, err);
        field->sites.state = NULL;
    }
    free(row);
    return status;
}
