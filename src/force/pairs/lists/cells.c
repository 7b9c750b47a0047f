/* SPDX-License-Identifier: MIT */
#include "force/pairs/lists/cells.h"

#include "base/library.h"
#include "base/threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Frees what ph_cells_fill makes. */
static void empty(struct ph_cells *cells)
{
    free(cells->key);
    free(cells->start);
    free(cells->molecule);
    free(cells->r[0]);
    free(cells->first);
    cells->key = cells->start = cells->molecule = cells->first = NULL;
    cells->r[0] = NULL;
    cells->n_cells = 0;
}

void ph_cells_clear(struct ph_cells *cells)
{
    empty(cells);
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
    for (int k = 0; k < 3; ++k) {
        cells->n[k] = (int)fmax(1.0, fmin((1 << PH_CELL_LEVELS) - 1.0, floor(width[k] / finest)));
        cells->reach[k] = (int)ceil(radius / (width[k] / cells->n[k]));
        while (1 << cells->levels < cells->n[k])
            ++cells->levels;
    }
}

void ph_cells_lay(const struct ph_system *system, double radius, const double corners[2][3], struct ph_cells *cells)
{
    *cells = (struct ph_cells){.periodic = false};
    shape(system, radius, corners, cells);
}

/* Some molecules that are sorted into cells, in open space the corners of all, and the first molecule that has no cell
 */
struct looked {
    const struct ph_system *system;
    const uint32_t *molecule; /* NULL: all */
    double corners[2][3];
    size_t lost; /* number of it among these; SIZE_MAX: none */
};

static bool has_cell(const struct ph_system *system, const double r[3])
{
    return isfinite(r[0] + r[1] + r[2]) &&
           (system->box.kind == PH_BOX_OPEN || ph_box_reaches(&system->box, r)); /* else it was not wrapped */
}

static void look(size_t begin, size_t end, struct looked *at)
{
    const struct ph_system *system = at->system;
    for (size_t number = begin; number < end; ++number) {
        const size_t i = at->molecule ? at->molecule[number] : number;
        const double r[3] = {system->r[0][i], system->r[1][i], system->r[2][i]};
        if (!has_cell(system, r))
            at->lost = number < at->lost ? number : at->lost;
        for (int k = 0; k < 3; ++k) {
            at->corners[0][k] = fmin(at->corners[0][k], r[k]);
            at->corners[1][k] = fmax(at->corners[1][k], r[k]);
        }
    }
}

static void join(const struct looked *part, struct looked *all)
{
    all->lost = part->lost < all->lost ? part->lost : all->lost;
    for (int k = 0; k < 3; ++k) {
        all->corners[0][k] = fmin(all->corners[0][k], part->corners[0][k]);
        all->corners[1][k] = fmax(all->corners[1][k], part->corners[1][k]);
    }
}

static void look_at_all(size_t n, struct looked *all)
{
    if (n < PH_WORTH_COPIES) {
        look(0, n, all);
        return;
    }
    const struct looked none = *all;
#pragma omp parallel
    {
        struct looked part = none;
#pragma omp for schedule(static) nowait
        for (size_t from = 0; from < n; from += PH_TURN)
            look(from, ph_turn_end(from, n), &part);
#pragma omp critical(ph_cells_check)
        join(&part, all);
    }
}

enum ph_status ph_cells_check(const struct ph_system *system, size_t n, const uint32_t *molecule, double corners[2][3],
                              struct ph_error *err)
{
    struct looked all = {.system = system, .molecule = molecule, .lost = SIZE_MAX};
    for (int k = 0; k < 3; ++k) {
        all.corners[0][k] = INFINITY;
        all.corners[1][k] = -INFINITY;
    }
    look_at_all(n, &all);
    memcpy(corners, all.corners, sizeof all.corners);
    if (all.lost == SIZE_MAX)
        return PH_OK;
    const size_t i = molecule ? molecule[all.lost] : all.lost;
    const double r[3] = {system->r[0][i], system->r[1][i], system->r[2][i]};
    if (!isfinite(r[0] + r[1] + r[2]))
        return ph_error_set(err, PH_ERR_NUMBERS, "The position of molecule %u is not finite: (%g, %g, %g).",
                            system->id[i], r[0], r[1], r[2]);
    return ph_error_set(err, PH_ERR_NUMBERS, "Molecule %u is too far away, at (%g, %g, %g): the step may be too long.",
                        system->id[i], r[0], r[1], r[2]);
}

static uint32_t key_of(const struct ph_cells *cells, const struct ph_system *system, size_t i)
{
    int place[3];
    for (int k = 0; k < 3; ++k) {
        double fraction = 0.0;
        for (int x = 0; x < 3; ++x)
            fraction += cells->inverse[k][x] * (system->r[x][i] - cells->origin[x]);
        place[k] = (int)fmin(cells->n[k] - 1, fmax(0.0, floor(fraction * cells->n[k])));
    }
    return ph_cells_key(place[0], place[1], place[2]);
}

/* ---- Sorting ---- */

struct entry {
    uint32_t key, molecule;
};

/* Sorts by so many bits of the key from `shift` on, and keeps the order of equal ones. */
enum { DIGIT = 12 };
static void sort_by_digit(size_t n, unsigned shift, unsigned bits, const struct entry *restrict from,
                          struct entry *restrict to)
{
    uint32_t begin[(1 << DIGIT) + 1];
    const uint32_t mask = ((uint32_t)1 << bits) - 1;
    memset(begin, 0, (mask + (size_t)2) * sizeof *begin);
    for (size_t k = 0; k < n; ++k)
        ++begin[(from[k].key >> shift & mask) + 1];
    for (size_t digit = 0; digit < mask; ++digit)
        begin[digit + 1] += begin[digit];
    for (size_t k = 0; k < n; ++k)
        to[begin[from[k].key >> shift & mask]++] = from[k];
}

/* Sorts by key, in one pass for each digit, and returns which of the two arrays holds the result. */
static struct entry *sort_by_key(size_t n, int levels, struct entry *entries, struct entry *scratch)
{
    const unsigned bits = 3 * (unsigned)levels;
    for (unsigned shift = 0; shift < bits; shift += DIGIT) {
        sort_by_digit(n, shift, bits - shift < DIGIT ? bits - shift : DIGIT, entries, scratch);
        struct entry *sorted = scratch;
        scratch = entries;
        entries = sorted;
    }
    return entries;
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

/* Divides the keys into stretches of 2^shift, so that there are at most eight stretches for a cell. In a cube each
 * is then one key, unless the cells of other ranks are missing. */
static bool make_finder(struct ph_cells *cells)
{
    const size_t n_keys = (size_t)1 << (3 * cells->levels), n = cells->n_cells;
    cells->shift = 0;
    while (n_keys >> cells->shift > 8 * n && n_keys >> cells->shift > 1)
        ++cells->shift;
    const size_t stretches = n_keys >> cells->shift;
    cells->first = malloc((stretches + 1) * sizeof *cells->first);
    for (size_t stretch = 0, c = 0; stretch <= stretches && cells->first; cells->first[stretch++] = (uint32_t)c)
        while (c < n && cells->key[c] >> cells->shift < stretch)
            ++c;
    return cells->first != NULL;
}

/* Lists the cells of sorted molecules. */
static bool list_cells(size_t n, const struct entry *sorted, struct ph_cells *cells)
{
    size_t n_cells = 0;
    for (size_t k = 0; k < n; ++k)
        n_cells += k == 0 || sorted[k].key != sorted[k - 1].key;
    cells->key = malloc((n_cells + 1) * sizeof *cells->key);
    cells->start = malloc((n_cells + 2) * sizeof *cells->start);
    cells->molecule = malloc((n + 1) * sizeof *cells->molecule);
    if (!cells->key || !cells->start || !cells->molecule)
        return false;
    for (size_t k = 0; k < n; ++k) {
        if (k == 0 || sorted[k].key != sorted[k - 1].key) {
            cells->key[cells->n_cells] = sorted[k].key;
            cells->start[cells->n_cells++] = (uint32_t)k;
        }
        cells->molecule[k] = sorted[k].molecule;
    }
    cells->start[n_cells] = cells->start[n_cells + 1] = (uint32_t)n;
    cells->home = 0;
    cells->home_end = (uint32_t)n_cells;
    cells->n_before = 0;
    return make_finder(cells);
}

static void enter(const struct ph_system *system, size_t begin, size_t end, const uint32_t *molecule,
                  const struct ph_cells *cells, struct entry *entries)
{
    for (size_t k = begin; k < end; ++k) {
        const uint32_t i = molecule ? molecule[k] : (uint32_t)k;
        entries[k] = (struct entry){key_of(cells, system, i), i};
    }
}

/* Sorts the molecules in the memory for their centres, which has room for two entries of each. */
static bool sort_molecules(const struct ph_system *system, size_t n, const uint32_t *molecule, struct ph_cells *cells)
{
    struct entry *entries = (struct entry *)(void *)cells->r[0];
    if (n < PH_WORTH_COPIES) {
        enter(system, 0, n, molecule, cells, entries);
    } else {
#pragma omp parallel for schedule(static)
        for (size_t from = 0; from < n; from += PH_TURN)
            enter(system, from, ph_turn_end(from, n), molecule, cells, entries);
    }
    return list_cells(n, sort_by_key(n, cells->levels, entries, entries + n), cells);
}

static void take_centres(const struct ph_system *system, size_t begin, size_t end, struct ph_cells *cells)
{
    for (size_t x = 0; x < 3; ++x)
        for (size_t k = begin; k < end; ++k)
            cells->r[x][k] = system->r[x][cells->molecule[k]];
}

enum ph_status ph_cells_fill(const struct ph_system *system, size_t n, const uint32_t *molecule, struct ph_cells *cells,
                             struct ph_error *err)
{
    empty(cells);
    cells->r[0] = malloc((3 * n + 1) * sizeof(double));
    if (!cells->r[0] || !sort_molecules(system, n, molecule, cells)) {
        empty(cells);
        return ph_no_memory(err, "%zu molecules in cells", n);
    }
    for (size_t c = 0; c < cells->n_cells && molecule; ++c)
        sort_by_number(system->id, cells->molecule + cells->start[c], cells->start[c + 1] - cells->start[c]);
    for (size_t x = 0; x < 3; ++x)
        cells->r[x] = cells->r[0] + x * n;
    if (n < PH_WORTH_COPIES) {
        take_centres(system, 0, n, cells);
    } else {
#pragma omp parallel for schedule(static)
        for (size_t from = 0; from < n; from += PH_TURN)
            take_centres(system, from, ph_turn_end(from, n), cells);
    }
    return PH_OK;
}

enum ph_status ph_cells_init(const struct ph_system *system, double radius, struct ph_cells *cells,
                             struct ph_error *err)
{
    double corners[2][3];
    *cells = (struct ph_cells){.periodic = false};
    enum ph_status status = ph_cells_check(system, system->n, NULL, corners, err);
    if (status == PH_OK)
        ph_cells_lay(system, radius, (const double(*)[3])corners, cells);
    if (status == PH_OK)
        status = ph_cells_fill(system, system->n, NULL, cells, err);
    if (status != PH_OK)
        ph_cells_clear(cells);
    return status;
}

uint32_t ph_cells_from(const struct ph_cells *cells, uint32_t begin, uint32_t end, uint32_t key)
{
    while (begin < end) {
        const uint32_t middle = begin + (end - begin) / 2;
        if (cells->key[middle] < key)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

uint32_t ph_cells_cut(const struct ph_cells *cells, size_t n_molecules, size_t part, size_t n_parts)
{
    const size_t molecules = n_molecules * part / n_parts, other = cells->start[cells->home];
    uint32_t low = cells->home, high = cells->home_end;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (cells->n_before + cells->start[middle] - other < molecules)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
