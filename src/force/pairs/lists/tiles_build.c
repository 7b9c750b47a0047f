/* SPDX-License-Identifier: MIT */
/* Builds the pair lists of all tiles: sorts molecules into cells, cuts the cells into tiles, and shares these among
 * ranks. */
#include "force/pairs/lists/cells.h"
#include "force/pairs/lists/neighbours.h"
#include "force/pairs/lists/tile.h"
#include "force/ranks/migrate.h"
#include "force/ranks/share.h"
#include "parallel/ranks.h"
#include "parallel/spent.h"

#include <stdlib.h>

void ph_tiles_set_box(const struct ph_box *box, struct ph_tiles *tiles)
{
    for (int i = 0; i < PH_IMAGES * PH_IMAGES * PH_IMAGES; ++i)
        for (int x = 0; x < 3; ++x) {
            const int image[3] = {i / (PH_IMAGES * PH_IMAGES) - PH_IMAGES / 2,
                                  i / PH_IMAGES % PH_IMAGES - PH_IMAGES / 2, i % PH_IMAGES - PH_IMAGES / 2};
            tiles->shift[i][x] = 0.0;
            for (int k = 0; k < 3; ++k)
                tiles->shift[i][x] += image[k] * box->edge[k][x];
        }
}

/* Allocates the arrays of the whole system. */
static bool prepare(const struct ph_system *system, struct ph_tiles *tiles)
{
    if (!tiles->tile)
        tiles->tile = calloc(tiles->n, sizeof *tiles->tile);
    bool complete = tiles->tile != NULL;
    for (int k = 0; k < 3; ++k) {
        if (!tiles->built_at[k])
            tiles->built_at[k] = malloc(system->n * sizeof(double));
        if (!tiles->thinned_at[k])
            tiles->thinned_at[k] = malloc(system->n * sizeof(double));
        complete = complete && tiles->built_at[k] && tiles->thinned_at[k];
    }
    return complete;
}

/* Every process has the state of all molecules, and so all cells. */
static enum ph_status share(const struct ph_cells *cells, const struct ph_system *system, struct ph_tiles *tiles,
                            struct ph_error *err)
{
    size_t *begin = malloc((tiles->n + 1) * sizeof *begin);
    for (size_t d = 0; d <= tiles->n && begin; ++d)
        begin[d] = cells->start[ph_cells_cut(cells, system->n, d, tiles->n)];
    enum ph_status status = begin ? PH_OK : ph_no_memory(err, "sharing tiles");
    status = ph_ranks_agree(status, err);
    if (status == PH_OK)
        status = ph_share_plan(system, cells->molecule, begin, tiles, err);
    free(begin);
    return status;
}

enum ph_status ph_tiles_begin(const struct ph_system *system, struct ph_tiles *tiles, struct ph_error *err)
{
    tiles->n = ph_tiles_count(system->n, false);
    const enum ph_status status = ph_ranks_agree(prepare(system, tiles) ? PH_OK : ph_no_memory(err, "tiles"), err);
    return status == PH_OK ? ph_share_begin(system, tiles, err) : status;
}

static enum ph_status sort_molecules(const struct ph_system *system, const struct ph_column_set *state, double radius,
                                     struct ph_tiles *tiles, struct ph_cells *cells, struct ph_error *err)
{
    if (tiles->share && state)
        return ph_migrate(system, state, radius, tiles, cells, err);
    if (tiles->shared && state) {
        *cells = (struct ph_cells){.periodic = false};
        const enum ph_status first = ph_tiles_begin(system, tiles, err);
        return first == PH_OK ? ph_migrate(system, state, radius, tiles, cells, err) : first;
    }
    enum ph_status status = ph_cells_init(system, radius, cells, err);
    if (status == PH_OK && !prepare(system, tiles))
        status = ph_no_memory(err, "tiles");
    if (tiles->shared)
        status = ph_ranks_agree(status, err);
    if (status == PH_OK && tiles->shared)
        status = share(cells, system, tiles, err);
    return status;
}

enum ph_status ph_tiles_neighbours(const struct ph_system *system, const struct ph_column_set *state, double radius,
                                   size_t n_fields, struct ph_tiles *tiles, struct ph_error *err)
{
    if (tiles->n != ph_tiles_count(system->n, false)) {
        ph_tiles_clear(tiles);
        tiles->n = ph_tiles_count(system->n, false);
    }
    const bool periodic = system->box.kind != PH_BOX_OPEN;
    int images = 1;
    for (int k = 0; k < 3 && periodic; ++k) {
        images = radius > system->box.width[k] ? 2 : images;
        if (radius > (PH_IMAGES / 2) * system->box.width[k])
            return ph_error_set(err, PH_ERR_INPUT, "Neighbours within %g do not fit into a box of width %g.", radius,
                                system->box.width[k]);
    }
    struct ph_cells cells;
    ph_tiles_set_box(&system->box, tiles);
    enum ph_status status = sort_molecules(system, state, radius, tiles, &cells, err);
    if (status != PH_OK) {
        ph_cells_clear(&cells);
        return status;
    }
    ph_tiles_note_places(system, state && tiles->share ? &tiles->share->owners.own : NULL, tiles->built_at);
    size_t first_tile, end_tile;
    ph_tiles_own(tiles, &first_tile, &end_tile);
#pragma omp parallel if (tiles->n > 1)
    {
        struct ph_error own = {.status = PH_OK};
        struct ph_list_builder *builder = ph_list_builder_create(system, &cells, tiles, radius, images);
        if (!builder)
            ph_no_memory(&own, "building pair lists");
#pragma omp for schedule(dynamic) nowait
        for (size_t d = first_tile; d < end_tile; ++d) {
            const uint32_t first = ph_cells_cut(&cells, system->n, d, tiles->n);
            const uint32_t end = ph_cells_cut(&cells, system->n, d + 1, tiles->n);
            if (own.status == PH_OK)
                ph_list_builder_tile(builder, first, end, n_fields, &tiles->tile[d], &own);
        }
        ph_list_builder_destroy(builder);
        ph_spent_meet(PH_SPENT_MAKE);
#pragma omp critical
        if (own.status != PH_OK && status == PH_OK)
            status = ph_error_set(err, own.status, "%s", own.text);
    }
    ph_cells_clear(&cells);
    if (tiles->shared)
        status = ph_tiles_meet(status, system->n, n_fields, tiles, err);
    return status == PH_OK ? ph_tiles_index(system->n, tiles, err) : status;
}
