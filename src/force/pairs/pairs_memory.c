/* SPDX-License-Identifier: MIT */
/* Restores pair lists. A resumed run continues with the lists that it had. They are rebuilt from the positions and
 * boxes at the times of their build and thinning, so that its sums have the same terms in the same order. */

#include "base/array.h"
#include "force/pairs/pairs_inside.h"
#include "parallel/ranks.h"

#include <stdlib.h>
#include <string.h>

void ph_pairs_remember(const void *term, struct ph_force_memory *memory)
{
    const struct ph_pairs *pairs = term;
    const bool listed = !pairs->all_pairs && pairs->tiles.n > 0 && !pairs->stale;
    for (int k = 0; k < 3; ++k) {
        memory->built_at[k] = listed ? pairs->tiles.built_at[k] : NULL; /* NULL where they are drawn */
        memory->thinned_at[k] = listed ? pairs->tiles.thinned_at[k] : NULL;
    }
    memory->boxes = listed ? pairs->boxes[0][0] : NULL;
}

static void copy3(size_t n, double *const from[3], double *const to[3])
{
    for (int k = 0; k < 3; ++k)
        memcpy(to[k], from[k], n * sizeof(double));
}

/* As they were thinned out, when lists are there */
static enum ph_status thin_again(struct ph_pairs *pairs, const struct ph_force_memory *memory, struct ph_system *system,
                                 struct ph_error *err)
{
    enum ph_status status = PH_OK;
    double edge[2][3][3];
    if (memory->boxes && system->box.kind != PH_BOX_OPEN) {
        memcpy(edge, memory->boxes, sizeof edge);
        status = ph_box_init_periodic((const double(*)[3])edge[1], &system->box, err);
    }
    copy3(system->n, memory->thinned_at, system->r);
    if (status == PH_OK) {
        ph_tiles_set_box(&system->box, &pairs->tiles);
        ph_pairs_thin(pairs, system);
    }
    return status;
}

/* Rebuilds the list as it was built and thinned out, from positions and boxes at these times; wrapping changes
 * positions only on faces of triclinic boxes. */
static enum ph_status make_list_again(struct ph_pairs *pairs, const struct ph_force_memory *memory,
                                      struct ph_system *system, struct ph_error *err)
{
    enum ph_status status = PH_OK;
    double edge[2][3][3];
    if (pairs->of)
        return thin_again(pairs, memory, system, err);
    if (memory->boxes && system->box.kind != PH_BOX_OPEN) {
        memcpy(edge, memory->boxes, sizeof edge);
        status = ph_box_init_periodic((const double(*)[3])edge[0], &system->box, err);
    }
    copy3(system->n, memory->built_at, system->r);
    if (status == PH_OK)
        status = ph_pairs_make_list(pairs, system, err);
    if (status == PH_OK && pairs->drawn)
        ph_pairs_thin(pairs->drawn, system); /* until its own memory is restored */
    return status == PH_OK ? thin_again(pairs, memory, system, err) : status;
}

/* Edges of the box when the list was made, or, 9 numbers further, when it was thinned out; NULL: the present one */
static enum ph_status set_past_box(const double *edges, struct ph_system *past, struct ph_error *err)
{
    double edge[3][3];
    if (!edges || past->box.kind == PH_BOX_OPEN)
        return PH_OK;
    memcpy(edge, edges, sizeof edge);
    return ph_box_init_periodic((const double(*)[3])edge, &past->box, err);
}

/* Thins the list again, where each rank holds only its own molecules. Ghosts travel as messages here, not in shared
 * memory: no sums follow, and without them a rank must not write to shared memory again. */
static enum ph_status thin_part_again(struct ph_pairs *pairs, double *const at[3], const double *edges,
                                      struct ph_system *past, struct ph_error *err)
{
    struct ph_share *share = pairs->tiles.share;
    double *const shared_sums = share->shared_sums, *const shared_ghosts = share->shared_ghosts;
    memcpy(past->r, at, sizeof past->r);
    const enum ph_status status = set_past_box(edges, past, err); /* the same for all */
    if (status != PH_OK)
        return status;
    share->shared_sums = share->shared_ghosts = NULL;
    ph_share_begin_ghosts(share, 3, past->r);
    ph_share_finish_ghosts(share, 3, past->r);
    share->shared_sums = shared_sums;
    share->shared_ghosts = shared_ghosts;
    ph_tiles_set_box(&past->box, &pairs->tiles);
    ph_pairs_thin(pairs, past);
    return PH_OK;
}

/* Rebuilds lists like make_list_again, where each rank holds some molecules. These migrate to their owners with their
 * whole state, whose rows include the positions at all these times. The list build sees a system of the past, whose
 * images are not used. */
static enum ph_status make_part_again(struct ph_pairs *pairs, const struct ph_force_memory *memory,
                                      struct ph_system *past, struct ph_error *err)
{
    const double *boxes = memory->boxes, *near_boxes = memory->near_boxes;
    const struct ph_box present = past->box;
    enum ph_status status = set_past_box(boxes, past, err);
    memcpy(past->r, memory->built_at, sizeof past->r);
    if (status == PH_OK)
        status = ph_pairs_make_list(pairs, past, err);
    if (status == PH_OK && pairs->drawn && !memory->near_thinned_at[0])
        status = thin_part_again(pairs->drawn, memory->built_at, boxes, past, err);
    if (status == PH_OK)
        status = thin_part_again(pairs, memory->thinned_at, boxes ? boxes + 9 : NULL, past, err);
    past->box = present;
    if (status == PH_OK && pairs->drawn && memory->near_thinned_at[0])
        status = thin_part_again(pairs->drawn, memory->near_thinned_at, near_boxes ? near_boxes + 9 : NULL, past, err);
    return status;
}

enum ph_status ph_pairs_restore_part(void *term, const struct ph_system *system, const struct ph_force_memory *memory,
                                     struct ph_error *err)
{
    struct ph_pairs *pairs = term;
    struct ph_system past = *system;
    bool complete = true;
    for (int k = 0; k < 3; ++k)
        complete = (past.image[k] = ph_array_create(system->n, sizeof *past.image[k])) != NULL && complete;
    enum ph_status status = complete ? PH_OK : ph_no_memory(err, "the pair list of %zu molecules", system->n);
    status = ph_ranks_agree(status, err);
    if (status == PH_OK)
        status = make_part_again(pairs, memory, &past, err);
    if (status == PH_OK)
        ph_tiles_set_box(&system->box, &pairs->tiles);
    if (status == PH_OK && pairs->drawn)
        ph_tiles_set_box(&system->box, &pairs->drawn->tiles);
    for (int k = 0; k < 3; ++k)
        free(past.image[k]);
    return status;
}

enum ph_status ph_pairs_restore(void *term, struct ph_system *system, const struct ph_force_memory *memory,
                                struct ph_error *err)
{
    struct ph_pairs *pairs = term;
    const size_t n = system->n;
    pairs->stale = pairs->of ? pairs->of->stale : true; /* its source was restored before */
    if (pairs->all_pairs || !memory->thinned_at[0] || (pairs->of ? pairs->stale : !memory->built_at[0]))
        return PH_OK;
    const struct ph_box box = system->box;
    double *const now[3] = {malloc(n * sizeof(double)), malloc(n * sizeof(double)), malloc(n * sizeof(double))};
    int32_t *images = malloc(3 * n * sizeof *images);
    enum ph_status status = PH_OK;
    if (now[0] && now[1] && now[2] && images) {
        copy3(n, system->r, now);
        for (size_t k = 0; k < 3; ++k)
            memcpy(images + k * n, system->image[k], n * sizeof *images);
        status = make_list_again(pairs, memory, system, err);
        system->box = box;
        if (status == PH_OK)
            ph_tiles_set_box(&box, &pairs->tiles);
        if (status == PH_OK && pairs->drawn)
            ph_tiles_set_box(&box, &pairs->drawn->tiles);
        copy3(n, now, system->r);
        for (size_t k = 0; k < 3; ++k)
            memcpy(system->image[k], images + k * n, n * sizeof *images);
    } else {
        status = ph_no_memory(err, "the pair list of %zu molecules", n);
    }
    for (int k = 0; k < 3; ++k)
        free(now[k]);
    free(images);
    return status;
}
