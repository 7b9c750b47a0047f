/* SPDX-License-Identifier: MIT */
#include "force/pairs/lists/tile.h"

/* Computes the vector between the centres of two copies, from b to a. */
static void separation(const struct ph_system *system, const struct ph_tiles *tiles, const struct ph_tile *tile,
                       size_t a, size_t b, double d[3])
{
    for (int x = 0; x < 3; ++x)
        d[x] = system->r[x][tile->molecule[a]] + tiles->shift[tile->image[a]][x] -
               (system->r[x][tile->molecule[b]] + tiles->shift[tile->image[b]][x]);
}

/* Visits the neighbours of a couple. They are neighbours of both, except the second molecule, which is the first of its
 * own list. */
static void visit_couple(const struct ph_system *system, const struct ph_tiles *tiles, const struct ph_tile *tile,
                         size_t c, ph_listed_visitor *visit, void *context)
{
    const size_t end = tile->begin[(c + 1) * system->n_species], last = tile->couple[c + 1] - 1;
    for (size_t k = tile->begin[c * system->n_species]; k < end; ++k) {
        uint32_t b;
        ph_tile_unpack(tile, tile->neighbour, k, 1, &b);
        for (size_t a = tile->couple[c]; a <= last; ++a) {
            double d[3];
            if (a == b)
                continue;
            separation(system, tiles, tile, a, b, d);
            visit(tile->molecule[a], tile->molecule[b], d, context);
        }
    }
}

void ph_tile_visit(const struct ph_system *system, const struct ph_tiles *tiles, const struct ph_tile *tile,
                   ph_listed_visitor *visit, void *context)
{
    for (size_t c = 0; c < tile->n_couples && !tile->away; ++c)
        visit_couple(system, tiles, tile, c, visit, context);
}

void ph_tiles_visit(const struct ph_system *system, const struct ph_tiles *tiles, ph_listed_visitor *visit,
                    void *context)
{
    for (size_t k = 0; k < tiles->n_here; ++k)
        ph_tile_visit(system, tiles, &tiles->tile[tiles->here[k]], visit, context);
}
