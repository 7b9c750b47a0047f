/* SPDX-License-Identifier: MIT */
#include "force/pairs/lists/cells.h"

#include "base/library.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void ph_cells_clear(struct ph_cells *cells)
{
    free(cells->number);
    free(cells->place);
    if (cells->before != cells->start)
        free(cells->before);
    free(cells->start);
    free(cells->molecule);
    free(cells->r[0]);
    *cells = (struct ph_cells){.periodic = false};
}

/* Makes cells about half the radius wide. So a molecule tests half as many molecules out of reach as with cells of one
 * radius, but visits 62 cells instead of 13. If such cells would be nearly empty, they are one radius wide, or wider if
 * even these would be. */
static void shape(const struct ph_system *system, double radius, const double corners[2][3], struct ph_cells *cells)
{
    double width[3];
    cells->periodic = system->box.kind != PH_BOX_OPEN;
    for (int k = 0; k < 3; ++k) {
        if (cells->periodic) {
            width[k] = system->box.width[k];
            memcpy(cells->inverse[k], system->box.inverse[k], sizeof cells->inverse[k]);
        } else {
            width[k] = fmax(corners[1][k] - corners[0][k], radius) * (1.0 + 1e-12);
            cells->origin[k] = corners[0][k];
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

/* Numbers the cells of a cube of grid places along the Z-order curve: one half of the cube in x after the other, in
 * each half one in y, then in z. Cells that are near each other in space get near numbers. */
static void number_cube(struct ph_cells *cells, int x, int y, int z, int size, uint32_t *next)
{
    if (x >= cells->n[0] || y >= cells->n[1] || z >= cells->n[2])
        return;
    if (size == 1) {
        const uint32_t place = (uint32_t)((x * cells->n[1] + y) * cells->n[2] + z);
        cells->place[*next] = place;
        cells->number[place] = (*next)++;
        return;
    }
    const int half = size / 2;
    for (int octant = 0; octant < 8; ++octant)
        number_cube(cells, x + (octant & 4 ? half : 0), y + (octant & 2 ? half : 0), z + (octant & 1 ? half : 0), half,
                    next);
}

static bool number_cells(struct ph_cells *cells)
{
    int size = 1;
    uint32_t next = 0;
    while (size < cells->n[0] || size < cells->n[1] || size < cells->n[2])
        size *= 2;
    cells->number = malloc(cells->n_cells * sizeof *cells->number);
    cells->place = malloc(cells->n_cells * sizeof *cells->place);
    const bool complete = cells->number && cells->place;
    if (complete)
        number_cube(cells, 0, 0, 0, size, &next);
    return complete;
}

enum ph_status ph_cells_lay(const struct ph_system *system, double radius, const double corners[2][3],
                            struct ph_cells *cells, struct ph_error *err)
{
    *cells = (struct ph_cells){.periodic = false};
    shape(system, radius, corners, cells);
    cells->before = cells->start = calloc(cells->n_cells + 2, sizeof *cells->start);
    if (cells->start && number_cells(cells))
        return PH_OK;
    const size_t n_cells = cells->n_cells;
    ph_cells_clear(cells);
    return ph_error_set(err, PH_ERR_MEMORY, "No memory for %zu cells.", n_cells);
}

enum ph_status ph_cells_check(const struct ph_system *system, size_t n, const uint32_t *molecule, double corners[2][3],
                              struct ph_error *err)
{
    for (int k = 0; k < 3; ++k) {
        corners[0][k] = INFINITY;
        corners[1][k] = -INFINITY;
    }
    for (size_t number = 0; number < n; ++number) {
        const size_t i = molecule ? molecule[number] : number;
        const double r[3] = {system->r[0][i], system->r[1][i], system->r[2][i]};
        if (!isfinite(r[0] + r[1] + r[2]))
            return ph_error_set(err, PH_ERR_NUMBERS, "The position of molecule %u is not finite: (%g, %g, %g).",
                                system->id[i], r[0], r[1], r[2]);
        if (system->box.kind != PH_BOX_OPEN && !ph_box_reaches(&system->box, r)) /* and so was not wrapped */
            return ph_error_set(err, PH_ERR_NUMBERS,
                                "Molecule %u is too far away, at (%g, %g, %g): the step may be too long.",
                                system->id[i], r[0], r[1], r[2]);
        for (int k = 0; k < 3; ++k) {
            corners[0][k] = fmin(corners[0][k], r[k]);
            corners[1][k] = fmax(corners[1][k], r[k]);
        }
    }
    return PH_OK;
}

uint32_t ph_cells_of(const struct ph_cells *cells, const struct ph_system *system, size_t i)
{
    size_t place = 0;
    for (int k = 0; k < 3; ++k) {
        double fraction = 0.0;
        for (int x = 0; x < 3; ++x)
            fraction += cells->inverse[k][x] * (system->r[x][i] - cells->origin[x]);
        place = place * (size_t)cells->n[k] + (size_t)fmin(cells->n[k] - 1, fmax(0.0, floor(fraction * cells->n[k])));
    }
    return cells->number[place];
}

/* Sorts by insertion, because few are out of order: remote molecules behind local ones */
static void sort_by_number(const uint32_t *number, uint32_t *molecule, size_t n)
{
    for (size_t k = 1; k < n; ++k) {
        const uint32_t moved = molecule[k];
        size_t to = k;
        for (; to > 0 && number[molecule[to - 1]] > number[moved]; --to)
            molecule[to] = molecule[to - 1];
        molecule[to] = moved;
    }
}

enum ph_status ph_cells_fill(const struct ph_system *system, size_t n, const uint32_t *molecule, struct ph_cells *cells,
                             struct ph_error *err)
{
    uint32_t *cell_of = malloc((n + 1) * sizeof *cell_of);
    free(cells->molecule);
    free(cells->r[0]);
    cells->molecule = malloc((n + 1) * sizeof *cells->molecule);
    cells->r[0] = malloc((3 * n + 1) * sizeof(double));
    if (!cell_of || !cells->molecule || !cells->r[0]) {
        free(cell_of);
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for %zu molecules in cells.", n);
    }
    memset(cells->start, 0, (cells->n_cells + 2) * sizeof *cells->start);
    for (size_t k = 0; k < n; ++k) {
        cell_of[k] = ph_cells_of(cells, system, molecule ? molecule[k] : k);
        ++cells->start[cell_of[k] + 2]; /* two ahead: filling below moves the starts to where they belong */
    }
    for (size_t c = 0; c < cells->n_cells; ++c)
        cells->start[c + 2] += cells->start[c + 1];
    for (size_t k = 0; k < n; ++k)
        cells->molecule[cells->start[cell_of[k] + 1]++] = molecule ? molecule[k] : (uint32_t)k;
    for (size_t c = 0; c < cells->n_cells && molecule; ++c)
        sort_by_number(system->id, cells->molecule + cells->start[c], cells->start[c + 1] - cells->start[c]);
    for (size_t x = 0; x < 3; ++x) {
        cells->r[x] = cells->r[0] + x * n;
        for (size_t k = 0; k < n; ++k)
            cells->r[x][k] = system->r[x][cells->molecule[k]];
    }
    free(cell_of);
    return PH_OK;
}

enum ph_status ph_cells_init(const struct ph_system *system, double radius, struct ph_cells *cells,
                             struct ph_error *err)
{
    double corners[2][3];
    *cells = (struct ph_cells){.periodic = false};
    enum ph_status status = ph_cells_check(system, system->n, NULL, corners, err);
    if (status == PH_OK)
        status = ph_cells_lay(system, radius, (const double(*)[3])corners, cells, err);
    if (status == PH_OK)
        status = ph_cells_fill(system, system->n, NULL, cells, err);
    if (status != PH_OK)
        ph_cells_clear(cells);
    return status;
}

/* The first cell at or after which `molecules` molecules have been counted */
static uint32_t cell_after(const struct ph_cells *cells, size_t molecules)
{
    uint32_t low = 0, high = (uint32_t)cells->n_cells;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (cells->before[middle] < molecules)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t ph_cells_cut(const struct ph_cells *cells, size_t n_molecules, size_t part, size_t n_parts)
{
    return part == n_parts ? (uint32_t)cells->n_cells : cell_after(cells, n_molecules * part / n_parts);
}
