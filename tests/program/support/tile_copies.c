/* SPDX-License-Identifier: MIT */
/* How one process cuts the start of an input into tiles:  tile_copies INPUT [KEY=VALUE ...]
 * Prints lines of numbers: how many molecules and tiles there are, the radius of lists and the edges of the box; for
 * each molecule its position; for each tile how many molecules are at home and how many are copies of others, then
 * which. */
#include "force/pairs/lists/tile.h"
#include "force/pairs/pairs.h"
#include "run/build/build.h"

#include <math.h>
#include <stdio.h>

static int fail(const struct ph_error *err)
{
    fprintf(stderr, "tile_copies: %s\n", err->text);
    return (int)err->status;
}

int main(int argc, char **argv)
{
    static struct ph_input input;
    struct ph_interactions interactions = {.cutoff = 0.0};
    struct ph_build_notes notes = {0};
    struct ph_system *system = NULL;
    struct ph_tiles tiles = {.n = 0};
    struct ph_error err = {.status = PH_OK};
    if (argc < 2)
        return PH_ERR_INPUT;
    enum ph_status status = ph_input_read(argv[1], (size_t)argc - 2, (const char *const *)argv + 2, &input, &err);
    if (status == PH_OK)
        status = ph_build_system(&input, &system, &interactions, &notes, &err);
    double extent = 0.0;
    for (size_t s = 0; status == PH_OK && s < system->n_species; ++s)
        extent = fmax(extent, system->species[s].extent);
    const double radius = interactions.cutoff + 2.0 * extent + ph_pairs_skin(&interactions);
    if (status == PH_OK) {
        ph_system_wrap(system);
        status = ph_tiles_neighbours(system, NULL, radius, 6, &tiles, &err);
    }
    if (status != PH_OK)
        return fail(&err);
    printf("%zu %zu %.17g %.17g %.17g %.17g\n", system->n, tiles.n, radius, system->box.edge[0][0],
           system->box.edge[1][1], system->box.edge[2][2]);
    for (size_t i = 0; i < system->n; ++i)
        printf("%.17g %.17g %.17g\n", system->r[0][i], system->r[1][i], system->r[2][i]);
    for (size_t d = 0; d < tiles.n; ++d) {
        const struct ph_tile *tile = &tiles.tile[d];
        printf("%zu %zu", tile->n_home, tile->n_local - tile->n_home);
        for (size_t l = 0; l < tile->n_local; ++l)
            printf(" %u", tile->molecule[l]);
        printf("\n");
    }
    ph_tiles_clear(&tiles);
    ph_interactions_free(&interactions);
    ph_system_destroy(system);
    return PH_OK;
}
