/* SPDX-License-Identifier: MIT */
/* Restores a force field on ranks that hold only parts of the molecules. */
#include "force/force_field_inside.h"
#include "force/pairs/pairs_inside.h"
#include "force/ranks/force_ranks.h"
#include "parallel/ranks.h"

#include <stdlib.h>
#include <string.h>

/* Positions at the last list build, at the last thinning and, for near pairs, at the last thinning of the short list */
enum { PLACES_MOST = 9 };

/* Lists these positions, then all other rows that migrate with molecules. */
static size_t list_rows(const struct ph_force_memory *memory, const struct ph_column_set *state, double **row)
{
    double *const *const groups[] = {memory->built_at, memory->thinned_at, memory->near_thinned_at};
    size_t n = 0;
    for (size_t g = 0; g < sizeof groups / sizeof *groups; ++g)
        for (int k = 0; k < 3 && groups[g][0]; ++k)
            row[n++] = groups[g][k];
    memcpy(row + n, state->row, state->n * sizeof *row);
    return n + state->n;
}

enum ph_status ph_force_field_restore_part(struct ph_force_field *field, const struct ph_system *system,
                                           const struct ph_column_set *state, const struct ph_force_memory *memory,
                                           struct ph_error *err)
{
    struct ph_pairs *pairs = field->all_pairs;
    field->evaluated = false;
    pairs->stale = true;
    enum ph_status status = ph_tiles_begin(system, &pairs->tiles, err);
    if (status != PH_OK || !memory->built_at[0] || !memory->thinned_at[0])
        return status;
    double **row = malloc((PLACES_MOST + state->n) * sizeof *row);
    status = ph_ranks_agree(row ? PH_OK : ph_no_memory(err, "rows of a state"), err);
    if (status == PH_OK) {
        const struct ph_column_set rows = {.n = list_rows(memory, state, row), .row = row, .image = state->image};
        field->sites.state = field->near_sites.state = &rows;
        status = ph_pairs_restore_part(pairs, system, memory, err);
        field->sites.state = field->near_sites.state = NULL;
    }
    free(row);
    return status;
}
