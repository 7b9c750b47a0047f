/* SPDX-License-Identifier: MIT */
#include "run/simulation/load_molecules.h"

#include "base/array.h"

#include <stdio.h>
#include <stdlib.h>

/* What is read, and which molecules */
struct reading {
    const struct ph_checkpoint *checkpoint;
    bool lists, in_parts;
    size_t n, begin, end;
    struct ph_force_memory memory; /* owned, but for anchors: places of lists, of all molecules */
    double boxes[PH_LIST_BOXES], near_boxes[PH_LIST_BOXES];
};

static enum ph_status read_system(const struct reading *reading, struct ph_system *system, struct ph_error *err)
{
    if (!reading->in_parts)
        return ph_checkpoint_restore_system(reading->checkpoint, system, err);
    bool in_order;
    const enum ph_status status =
        ph_checkpoint_restore_some(reading->checkpoint, reading->begin, reading->end, system, &in_order, err);
    if (status != PH_OK || in_order)
        return status;
    return ph_error_set(err, PH_ERR_INPUT,
                        "The checkpoint does not have its molecules in the order of their numbers. Only one process "
                        "can resume it: start polhode without mpirun.");
}

/* Reads the arrays <name>_0 .. <name>_<count-1>. */
static enum ph_status read_arrays(const struct reading *reading, const char *name, int count, double *const *to,
                                  struct ph_error *err)
{
    enum ph_status status = PH_OK;
    char full[PH_CHECKPOINT_NAME];
    for (int k = 0; k < count && status == PH_OK; ++k) {
        snprintf(full, sizeof full, "%s_%d", name, k);
        status = ph_checkpoint_some_doubles(reading->checkpoint, full, reading->n, reading->begin, reading->end,
                                            to[k] + reading->begin, err);
    }
    return status;
}

/* Reads positions into arrays that the caller frees; NULL if the checkpoint has none */
static enum ph_status read_places(const struct reading *reading, const char *name, double *places[3],
                                  struct ph_error *err)
{
    char first[PH_CHECKPOINT_NAME];
    snprintf(first, sizeof first, "%s_0", name);
    if (!ph_checkpoint_find(reading->checkpoint, first))
        return PH_OK;
    for (int k = 0; k < 3; ++k)
        if (!(places[k] = ph_array_create(reading->n, sizeof(double))))
            return ph_no_memory(err, "%zu molecules", reading->n);
    return read_arrays(reading, name, 3, places, err);
}

/* Reads the box edges of a list into `room`; *boxes stays NULL if the checkpoint has none */
static enum ph_status read_boxes(const struct reading *reading, const char *name, double room[PH_LIST_BOXES],
                                 const double **boxes, struct ph_error *err)
{
    if (!ph_checkpoint_find(reading->checkpoint, name))
        return PH_OK;
    *boxes = room;
    return ph_checkpoint_doubles(reading->checkpoint, name, PH_LIST_BOXES, room, err);
}

/* Reads positions and boxes when lists were built and thinned out. */
static enum ph_status read_lists(struct reading *reading, struct ph_error *err)
{
    struct ph_force_memory *memory = &reading->memory;
    enum ph_status status = read_places(reading, "list_built_at", memory->built_at, err);
    if (status == PH_OK)
        status = read_places(reading, "list_thinned_at", memory->thinned_at, err);
    if (status == PH_OK)
        status = read_places(reading, "near_built_at", memory->near_built_at, err);
    if (status == PH_OK)
        status = read_places(reading, "near_thinned_at", memory->near_thinned_at, err);
    if (status == PH_OK)
        status = read_boxes(reading, "list_boxes", reading->boxes, &memory->boxes, err);
    return status == PH_OK ? read_boxes(reading, "near_boxes", reading->near_boxes, &memory->near_boxes, err) : status;
}

/* Another backend builds its own lists, but anchors of tethers belong to the run. They are read into the field. */
static enum ph_status read_molecules(struct ph_state *state, size_t begin, size_t end, struct ph_force_memory *memory,
                                     void *data, struct ph_error *err)
{
    struct reading *reading = data;
    const struct ph_force_memory present = ph_force_field_memory(ph_state_field(state));
    double *const *residuals = ph_state_residuals(state);
    reading->begin = begin;
    reading->end = end;
    enum ph_status status = read_system(reading, ph_state_system(state), err);
    if (status == PH_OK && residuals)
        status = read_arrays(reading, "residual", PH_STATE_RESIDUAL_COLUMNS, residuals, err);
    if (status == PH_OK && present.anchor[0])
        status = read_arrays(reading, "anchor", 3, present.anchor, err);
    if (status == PH_OK && reading->lists)
        status = read_lists(reading, err);
    *memory = reading->memory;
    for (int k = 0; k < 3; ++k)
        memory->anchor[k] = present.anchor[k];
    return status;
}

enum ph_status ph_load_molecules(const struct ph_checkpoint *checkpoint, bool lists, bool in_parts,
                                 struct ph_state *state, struct ph_error *err)
{
    struct reading reading = {
        .checkpoint = checkpoint, .lists = lists, .in_parts = in_parts, .n = ph_state_system(state)->n};
    const enum ph_status status = ph_state_write(state, read_molecules, &reading, err);
    for (int k = 0; k < 3; ++k) {
        free(reading.memory.built_at[k]);
        free(reading.memory.thinned_at[k]);
        free(reading.memory.near_built_at[k]);
        free(reading.memory.near_thinned_at[k]);
    }
    return status;
}
