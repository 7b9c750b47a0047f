/* SPDX-License-Identifier: MIT */
#include "force/pairs/cells.h"

#include "base/library.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void ph_cells_clear(struct ph_cells *cells)
{
    free(cells->number);
    free(cells->place);
    free(cells->start);
    free(cells->molecule);
    free(cells->r[0]);
    *cells = (struct ph_cells){.periodic = false};
}

/* Cells about half the radius wide: so a molecule meets half as many others in vain as with cells of one radius, but
 * 62 cells instead of 13. Where these would be nearly empty, one radius, or more where even they would. */
static void shape(const struct ph_system *system, double radius, struct ph_cells *cells)
{
    double width[3];
    cells->periodic = system->box.kind != PH_BOX_OPEN;
    for (int k = 0; k < 3; ++k) {
        if (cells->periodic) {
            width[k] = system->box.width[k];
            memcpy(cells->inverse[k], system->box.inverse[k], sizeof cells->inverse[k]);
        } else {
            double low = INFINITY, high = -INFINITY;
            for (size_t i = 0; i < system->n; ++i) {
                low = fmin(low, system->r[k][i]);
                high = fmax(high, system->r[k][i]);
            }
            width[k] = fmax(high - low, radius) * (1.0 + 1e-12);
            cells->origin[k] = low;
            cells->inverse[k][k] = 1.0 / width[k];
        }
    }
    const double volume_each = width[0] * width[1] * width[2] / (double)system->n, half = 0.5 * radius;
    const bool fine = half * half * half > 5.0 * volume_each;
    const double finest = fine ? half : fmax(radius, ph_library_cbrt(volume_each));
    cells->n_cells = 1;
    for (int k = 0; k < 3; ++k) {
        cells->n[k] = (int)fmax(1.0, fmin(1023.0, floor(width[k] / finest)));
        cells->reach[k] = (int)ceil(radius / (width[k] / cells->n[k]));
        cells->n_cells *= (size_t)cells->n[k];
    }
}

/* Bits of a coordinate below 1024, two apart: three such interleave to a place on the Z-order curve. */
static uint32_t spread_bits(uint32_t x)
{
    x = (x | x << 16) & 0x030000ffu;
    x = (x | x << 8) & 0x0300f00fu;
    x = (x | x << 4) & 0x030c30c3u;
    return (x | x << 2) & 0x09249249u;
}

struct numbered {
    uint32_t key, place;
};

static int by_key(const void *a, const void *b)
{
    const uint32_t one = ((const struct numbered *)a)->key, other = ((const struct numbered *)b)->key;
    return (one > other) - (one < other);
}

static bool number_cells(struct ph_cells *cells)
{
    struct numbered *order = malloc(cells->n_cells * sizeof *order);
    cells->number = malloc(cells->n_cells * sizeof *cells->number);
    cells->place = malloc(cells->n_cells * sizeof *cells->place);
    const bool complete = order && cells->number && cells->place;
    if (complete) {
        uint32_t p = 0;
        for (int x = 0; x < cells->n[0]; ++x)
            for (int y = 0; y < cells->n[1]; ++y)
                for (int z = 0; z < cells->n[2]; ++z, ++p)
                    order[p] = (struct numbered){
                        spread_bits((uint32_t)x) << 2 | spread_bits((uint32_t)y) << 1 | spread_bits((uint32_t)z), p};
        qsort(order, cells->n_cells, sizeof *order, by_key);
        for (uint32_t c = 0; c < cells->n_cells; ++c) {
            cells->place[c] = order[c].place;
            cells->number[order[c].place] = c;
        }
    }
    free(order);
    return complete;
}

/* The place of molecule i on the grid */
static size_t place_of(const struct ph_cells *cells, const struct ph_system *system, size_t i)
{
    size_t place = 0;
    for (int k = 0; k < 3; ++k) {
        double fraction = 0.0;
        for (int x = 0; x < 3; ++x)
            fraction += cells->inverse[k][x] * (system->r[x][i] - cells->origin[x]);
        place = place * (size_t)cells->n[k] + (size_t)fmin(cells->n[k] - 1, fmax(0.0, floor(fraction * cells->n[k])));
    }
    return place;
}

enum ph_status ph_cells_init(const struct ph_system *system, double radius, struct ph_cells *cells,
                             struct ph_error *err)
{
    *cells = (struct ph_cells){.periodic = false};
    for (size_t i = 0; i < system->n; ++i) {
        const double r[3] = {system->r[0][i], system->r[1][i], system->r[2][i]};
        if (!isfinite(r[0] + r[1] + r[2]))
            return ph_error_set(err, PH_ERR_NUMBERS, "The position of molecule %u is not finite: (%g, %g, %g).",
                                system->id[i], r[0], r[1], r[2]);
        if (system->box.kind != PH_BOX_OPEN && !ph_box_reaches(&system->box, r)) /* and so was not wrapped */
            return ph_error_set(err, PH_ERR_NUMBERS,
                                "Molecule %u is too far away, at (%g, %g, %g): the step may be too long.",
                                system->id[i], r[0], r[1], r[2]);
    }
    shape(system, radius, cells);
    uint32_t *cell_of = malloc(system->n * sizeof *cell_of);
    cells->start = calloc(cells->n_cells + 2, sizeof *cells->start);
    cells->molecule = malloc(system->n * sizeof *cells->molecule);
    cells->r[0] = malloc(3 * system->n * sizeof(double));
    enum ph_status status = PH_OK;
    if (!cell_of || !cells->start || !cells->molecule || !cells->r[0] || !number_cells(cells))
        status = ph_error_set(err, PH_ERR_MEMORY, "No memory for %zu cells.", cells->n_cells);
    if (status == PH_OK) {
        for (size_t i = 0; i < system->n; ++i) {
            cell_of[i] = cells->number[place_of(cells, system, i)];
            ++cells->start[cell_of[i] + 2]; /* two ahead: filling below moves the starts to where they belong */
        }
        for (size_t c = 0; c < cells->n_cells; ++c)
            cells->start[c + 2] += cells->start[c + 1];
        for (size_t i = 0; i < system->n; ++i)
            cells->molecule[cells->start[cell_of[i] + 1]++] = (uint32_t)i;
        for (size_t x = 0; x < 3; ++x) {
            cells->r[x] = cells->r[0] + x * system->n;
            for (size_t k = 0; k < system->n; ++k)
                cells->r[x][k] = system->r[x][cells->molecule[k]];
        }
    } else {
        ph_cells_clear(cells);
    }
    free(cell_of);
    return status;
}

bool ph_cells_wrap(const struct ph_cells *cells, int k, int *place, int *image)
{
    *image = 0;
    if (!cells->periodic)
        return *place >= 0 && *place < cells->n[k];
    for (; *place < 0; *place += cells->n[k])
        --*image;
    for (; *place >= cells->n[k]; *place -= cells->n[k])
        ++*image;
    return true;
}
