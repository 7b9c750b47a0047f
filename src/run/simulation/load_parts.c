/* SPDX-License-Identifier: MIT */
#include "run/simulation/load_parts.h"

#include "base/array.h"
#include "dynamics/dynamics.h"
#include "force/force_parts.h"
#include "force/ranks/force_ranks.h"
#include "parallel/ranks.h"

#include <stdio.h>
#include <stdlib.h>

enum { OF_SYSTEM = 19, MOST = OF_SYSTEM + PH_STATE_RESIDUAL_COLUMNS + 3 };

/* The molecules that this rank reads */
struct part {
    const struct ph_checkpoint *checkpoint;
    size_t n, begin, end;
};

static struct part part_of(const struct ph_checkpoint *checkpoint, size_t n)
{
    struct part part = {.checkpoint = checkpoint, .n = n};
    ph_ranks_range(n, &part.begin, &part.end);
    return part;
}

enum ph_status ph_load_parts_system(const struct ph_checkpoint *checkpoint, struct ph_system *system,
                                    struct ph_error *err)
{
    const struct part part = part_of(checkpoint, system->n);
    ph_system_number(system, part.begin, part.end);
    bool in_order;
    enum ph_status status = ph_checkpoint_restore_some(checkpoint, part.begin, part.end, system, &in_order, err);
    if (status == PH_OK && !in_order)
        status = ph_error_set(err, PH_ERR_INPUT,
                              "The checkpoint does not have its molecules in the order of their numbers. Only one "
                              "process can resume it: start polhode without mpirun.");
    return ph_ranks_agree(status, err);
}

/* Reads molecules of this rank from the arrays <name>_0 .. <name>_<count-1>; *there: the checkpoint has them */
static enum ph_status read_arrays(const struct part *part, const char *name, int count, double *const *to, bool *there,
                                  struct ph_error *err)
{
    enum ph_status status = PH_OK;
    char full[PH_CHECKPOINT_NAME];
    snprintf(full, sizeof full, "%s_0", name);
    *there = ph_checkpoint_find(part->checkpoint, full) != NULL;
    for (int k = 0; k < count && *there && status == PH_OK; ++k) {
        snprintf(full, sizeof full, "%s_%d", name, k);
        status = ph_checkpoint_some_doubles(part->checkpoint, full, part->n, part->begin, part->end,
                                            to[k] + part->begin, err);
    }
    return status;
}

/* Reads positions into arrays that the caller frees; NULL if the checkpoint has none */
static enum ph_status read_places(const struct part *part, const char *name, double *places[3], struct ph_error *err)
{
    bool there;
    for (int k = 0; k < 3; ++k)
        if (!(places[k] = ph_array_create(part->n, sizeof(double))))
            return ph_no_memory(err, "%zu molecules", part->n);
    const enum ph_status status = read_arrays(part, name, 3, places, &there, err);
    for (int k = 0; k < 3 && !there; ++k) {
        free(places[k]);
        places[k] = NULL;
    }
    return status;
}

/* Reads the box edges of a list into `room`; *boxes is NULL if the checkpoint has none */
static enum ph_status read_boxes(const struct part *part, const char *name, double room[PH_LIST_BOXES],
                                 const double **boxes, struct ph_error *err)
{
    *boxes = ph_checkpoint_find(part->checkpoint, name) ? room : NULL;
    return *boxes ? ph_checkpoint_doubles(part->checkpoint, name, PH_LIST_BOXES, room, err) : PH_OK;
}

/* Reads positions at the list build and at its thinning, and at the thinning of the short list that is drawn from it;
 * `boxes` is memory for their boxes. */
static enum ph_status read_lists(const struct part *part, bool near, double boxes[2][PH_LIST_BOXES],
                                 struct ph_force_memory *memory, struct ph_error *err)
{
    enum ph_status status = read_places(part, "list_built_at", memory->built_at, err);
    if (status == PH_OK)
        status = read_places(part, "list_thinned_at", memory->thinned_at, err);
    if (status == PH_OK)
        status = read_boxes(part, "list_boxes", boxes[0], &memory->boxes, err);
    if (status == PH_OK && near)
        status = read_places(part, "near_thinned_at", memory->near_thinned_at, err);
    if (status == PH_OK && near)
        status = read_boxes(part, "near_boxes", boxes[1], &memory->near_boxes, err);
    return status;
}

/* Reads data of molecules besides their state, except lists. */
static enum ph_status read_beside(const struct part *part, double *const *residuals, double *const anchor[3],
                                  struct ph_error *err)
{
    enum ph_status status = PH_OK;
    bool there;
    if (residuals) {
        status = read_arrays(part, "residual", PH_STATE_RESIDUAL_COLUMNS, residuals, &there, err);
        if (status == PH_OK && !there)
            status = ph_error_set(err, PH_ERR_INPUT, "The checkpoint has no 'residual_0'.");
    }
    if (status == PH_OK && anchor[0])
        status = read_arrays(part, "anchor", 3, anchor, &there, err);
    return status;
}

/* Lists all rows that migrate with molecules. */
static struct ph_column_set list_rows(const struct ph_system *system, double *const *residuals, double *const anchor[3],
                                      double *row[MOST])
{
    double *const *const groups[] = {system->r, system->q, system->p, system->m, system->f, system->t};
    size_t n = 0;
    for (size_t g = 0; g < sizeof groups / sizeof *groups; ++g)
        for (int k = 0; k < (groups[g] == system->q ? 4 : 3); ++k)
            row[n++] = groups[g][k];
    for (int k = 0; k < PH_STATE_RESIDUAL_COLUMNS && residuals; ++k)
        row[n++] = residuals[k];
    for (int k = 0; k < 3 && anchor[0]; ++k)
        row[n++] = anchor[k];
    return (struct ph_column_set){.n = n, .row = row, .image = system->image};
}

enum ph_status ph_load_parts_memory(const struct ph_checkpoint *checkpoint, bool lists, double *const *residuals,
                                    struct ph_system *system, struct ph_force_field *field, struct ph_error *err)
{
    const struct part part = part_of(checkpoint, system->n);
    const struct ph_force_memory present = ph_force_field_memory(field);
    struct ph_force_memory memory = {.anchor = {NULL}};
    double boxes[2][PH_LIST_BOXES], *row[MOST];
    enum ph_status status = read_beside(&part, residuals, present.anchor, err);
    if (status == PH_OK && lists)
        status = read_lists(&part, ph_force_field_slow_needs_fast(field), boxes, &memory, err);
    status = ph_ranks_agree(status, err);
    const struct ph_column_set state = list_rows(system, residuals, present.anchor, row);
    if (status == PH_OK)
        status = ph_force_field_restore_part(field, system, &state, &memory, err);
    for (int k = 0; k < 3; ++k) {
        free(memory.built_at[k]);
        free(memory.thinned_at[k]);
        free(memory.near_thinned_at[k]);
    }
    return status;
}
