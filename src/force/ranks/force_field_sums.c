/* SPDX-License-Identifier: MIT */
/* Sums over molecules of all processes, in the order of their numbers. */
#include "force/force_field_inside.h"
#include "force/ranks/force_ranks.h"
#include "parallel/ranks.h"

#include <stdlib.h>

enum { ROWS = 16 }; /* r, q, p, m, f: torques are not needed */

struct summing {
    const struct ph_system *system;
    size_t *first; /* where species begin in a block */
    struct ph_state_sums *sums;
};

/* Treats a block as a system of its own. */
static void add_block(const struct ph_columns_block *block, void *data)
{
    const struct summing *summing = data;
    struct ph_system part;
    ph_system_window(summing->system, block->begin, block->end, block->step, block->row, block->image, summing->first,
                     &part);
    ph_state_sum_add(&part, summing->sums);
}

void ph_force_field_count_pairs(struct ph_force_field *field)
{
    if (!field->near || ph_ranks_count() == 1)
        return;
    const struct ph_force_counts counts = ph_force_field_counts(field);
    field->pairs[PH_PAIRS_NEAR] = (int64_t)counts.near_pairs;
    field->pairs[PH_PAIRS_ALL] = (int64_t)counts.molecule_pairs;
    ph_ranks_sum(2, field->pairs);
}

enum ph_status ph_force_field_find(struct ph_force_field *field, const struct ph_system *system,
                                   const struct ph_column_set *rows, ph_columns_reader *add, void *data, size_t bytes,
                                   void *found, struct ph_error *err)
{
    const enum ph_status status =
        ph_force_field_read(field, rows, &(struct ph_readers){.end = system->n}, add, data, err);
    if (status == PH_OK)
        ph_ranks_broadcast(bytes, found);
    return status;
}

enum ph_status ph_force_field_sum_state(struct ph_force_field *field, const struct ph_system *system,
                                        struct ph_state_sums *sums, struct ph_error *err)
{
    double *const row[ROWS] = {system->r[0], system->r[1], system->r[2], system->q[0], system->q[1], system->q[2],
                               system->q[3], system->p[0], system->p[1], system->p[2], system->m[0], system->m[1],
                               system->m[2], system->f[0], system->f[1], system->f[2]};
    const struct ph_column_set rows = {.n = ROWS, .row = row, .image = system->image};
    struct summing summing = {.system = system, .sums = sums};
    *sums = (struct ph_state_sums){.kinetic = {{0.0}}};
    if (!(summing.first = malloc((system->n_species + 1) * sizeof *summing.first)))
        ph_no_memory(err, "sums of %zu species", system->n_species);
    enum ph_status status = ph_ranks_agree(summing.first ? PH_OK : PH_ERR_MEMORY, err);
    if (status == PH_OK)
        status = ph_force_field_find(field, system, &rows, add_block, &summing, sizeof *sums, sums, err);
    free(summing.first);
    return status;
}
