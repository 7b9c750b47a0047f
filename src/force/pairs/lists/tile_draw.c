/* SPDX-License-Identifier: MIT */
/* Draws short lists from long lists that have just been built. Needs neither cells nor further molecules. */
#include "force/pairs/lists/tile.h"
#include "force/ranks/share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A tile under construction, like the builder of neighbours.c. `place`: for each local of the long tile first 1 if a
 * list names it, then its number among the locals that are left */
struct drawing {
    const struct ph_tile *from;
    size_t n_species;
    double radius2;
    bool alone; /* couples are split, because lists are short */
    double (*centre)[3];
    uint32_t *index; /* neighbours of all lists of the long tile */
    uint32_t *couple, *begin, *neighbour, *place;
    size_t n_couples, n_neighbours, n_local;
};

static void clear(struct drawing *d)
{
    free(d->centre);
    free(d->index);
    free(d->couple);
    free(d->begin);
    free(d->neighbour);
    free(d->place);
}

/* Allocates memory. If couples are split, a neighbour may appear in the lists of both. */
static bool make_room(struct drawing *d)
{
    const struct ph_tile *from = d->from;
    const size_t n_indices = from->begin[from->n_couples * d->n_species], n_local = from->n_local + 1;
    d->centre = malloc(n_local * sizeof *d->centre);
    d->index = malloc((n_indices + 1) * sizeof *d->index);
    d->couple = malloc((from->n_home + 1) * sizeof *d->couple);
    d->begin = malloc((from->n_home * d->n_species + 1) * sizeof *d->begin);
    d->neighbour = malloc((2 * n_indices + 1) * sizeof *d->neighbour);
    d->place = calloc(n_local, sizeof *d->place);
    return d->centre && d->index && d->couple && d->begin && d->neighbour && d->place;
}

static void find_centres(const struct ph_system *system, const double shift[][3], struct drawing *d)
{
    for (size_t l = 0; l < d->from->n_local; ++l)
        for (int x = 0; x < 3; ++x)
            d->centre[l][x] = system->r[x][d->from->molecule[l]] + shift[d->from->image[l]][x];
}

static double distance2(const struct drawing *d, uint32_t i, uint32_t j)
{
    const double x = d->centre[j][0] - d->centre[i][0], y = d->centre[j][1] - d->centre[i][1];
    const double z = d->centre[j][2] - d->centre[i][2];
    return x * x + y * y + z * z;
}

/* Appends the list of molecules first .. last, one or both of couple c: the part of its list that is near to one of
 * them. The second of a couple is the first in the list of both, and stays so; it is no neighbour of itself. */
static void append(struct drawing *d, size_t c, uint32_t first, uint32_t last)
{
    const uint32_t *begin = d->from->begin + c * d->n_species;
    for (size_t s = 0; s < d->n_species; ++s) {
        d->begin[d->n_couples * d->n_species + s] = (uint32_t)d->n_neighbours;
        for (uint32_t k = begin[s]; k < begin[s + 1]; ++k) {
            const uint32_t j = d->index[k];
            const bool near = fmin(distance2(d, first, j), distance2(d, last, j)) < d->radius2;
            d->neighbour[d->n_neighbours] = j;
            d->n_neighbours += near && j != first;
        }
    }
    d->couple[d->n_couples++] = first;
}

static void make_lists(struct drawing *d)
{
    const struct ph_tile *from = d->from;
    ph_tile_unpack(from, from->neighbour, 0, from->begin[from->n_couples * d->n_species], d->index);
    for (size_t c = 0; c < from->n_couples; ++c) {
        const uint32_t first = from->couple[c], last = from->couple[c + 1] - 1;
        append(d, c, first, d->alone ? first : last);
        if (d->alone && last != first)
            append(d, c, last, last);
    }
    d->begin[d->n_couples * d->n_species] = (uint32_t)d->n_neighbours;
    d->couple[d->n_couples] = (uint32_t)from->n_home;
}

/* Home molecules stay, and copies that a list names. */
static void drop_unused(struct drawing *d)
{
    for (size_t l = 0; l < d->from->n_home; ++l)
        d->place[l] = 1;
    for (size_t k = 0; k < d->n_neighbours; ++k)
        d->place[d->neighbour[k]] = 1;
    for (size_t l = 0; l < d->from->n_local; ++l)
        d->place[l] = d->place[l] ? (uint32_t)d->n_local++ : UINT32_MAX;
    for (size_t k = 0; k < d->n_neighbours; ++k)
        d->neighbour[k] = d->place[d->neighbour[k]];
}

static enum ph_status fill(const struct drawing *d, size_t n_fields, struct ph_tile *tile, struct ph_error *err)
{
    const size_t n_lists = d->n_couples * d->n_species;
    enum ph_status status = ph_tile_reserve_lists(tile, n_lists, d->n_neighbours, d->n_local, err);
    if (status == PH_OK)
        status = ph_tile_reserve(tile, d->n_local, n_fields, true, err);
    if (status != PH_OK)
        return status;
    tile->is_short = d->alone;
    tile->n_home = d->from->n_home;
    tile->n_couples = d->n_couples;
    memcpy(tile->couple, d->couple, (d->n_couples + 1) * sizeof *tile->couple);
    memcpy(tile->begin, d->begin, (n_lists + 1) * sizeof *tile->begin);
    ph_tile_pack(tile, d->n_neighbours, d->neighbour, tile->neighbour, 0);
    for (size_t l = 0; l < d->from->n_local; ++l)
        if (d->place[l] != UINT32_MAX) {
            tile->molecule[d->place[l]] = d->from->molecule[l];
            tile->image[d->place[l]] = d->from->image[l];
        }
    return PH_OK;
}

static enum ph_status draw_tile(const struct ph_system *system, const struct ph_tiles *from, size_t number,
                                double radius, size_t n_fields, struct ph_tiles *tiles, struct ph_error *err)
{
    struct drawing d = {.from = &from->tile[number],
                        .n_species = system->n_species,
                        .radius2 = radius * radius,
                        .alone = ph_tiles_are_short(system, radius)};
    enum ph_status status = make_room(&d) ? PH_OK : ph_no_memory(err, "a short list");
    if (status == PH_OK) {
        find_centres(system, from->shift, &d);
        make_lists(&d);
        drop_unused(&d);
        status = fill(&d, n_fields, &tiles->tile[number], err);
    }
    clear(&d);
    return status;
}

/* Allocates the arrays of the whole system. */
static bool prepare(const struct ph_system *system, struct ph_tiles *tiles)
{
    if (!tiles->tile)
        tiles->tile = calloc(tiles->n, sizeof *tiles->tile);
    bool complete = tiles->tile != NULL;
    for (int k = 0; k < 3; ++k) {
        if (!tiles->thinned_at[k])
            tiles->thinned_at[k] = malloc(system->n * sizeof(double));
        complete = complete && tiles->thinned_at[k];
    }
    return complete;
}

enum ph_status ph_tiles_draw(const struct ph_system *system, const struct ph_tiles *from, double radius,
                             size_t n_fields, struct ph_tiles *tiles, struct ph_error *err)
{
    if (tiles->n != from->n) {
        ph_tiles_clear(tiles);
        tiles->n = from->n;
    }
    memcpy(tiles->shift, from->shift, sizeof tiles->shift);
    enum ph_status status = prepare(system, tiles) ? PH_OK : ph_no_memory(err, "tiles of near pairs");
    if (from->share)
        status = ph_share_draw(status, from->share, tiles, err);
    if (status != PH_OK)
        return status;
    size_t first, end;
    ph_tiles_own(tiles, &first, &end);
#pragma omp parallel for schedule(dynamic) if (tiles->n > 1)
    for (size_t d = first; d < end; ++d) {
        struct ph_error own = {.status = PH_OK};
        draw_tile(system, from, d, radius, n_fields, tiles, &own);
#pragma omp critical
        if (own.status != PH_OK && status == PH_OK)
            status = ph_error_set(err, own.status, "%s", own.text);
    }
    if (tiles->share)
        status = ph_tiles_meet(status, system->n, n_fields, tiles, err);
    return status == PH_OK ? ph_tiles_index(system->n, tiles, err) : status;
}
