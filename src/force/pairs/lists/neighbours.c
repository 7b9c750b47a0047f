/* SPDX-License-Identifier: MIT */
/* Pair lists of one tile from cell lists: its home molecules, the copies it needs, and neighbours of each molecule. */
#include "force/pairs/lists/neighbours.h"

#include "base/lanes.h"

#include <stdlib.h>

enum { AT_ONCE = 4 }; /* molecules copied at a time, even if fewer are needed */

/* Growing arrays for one tile under construction */
struct ph_list_builder {
    const struct ph_system *system;
    const struct ph_cells *cells;
    const struct ph_tiles *tiles;
    double radius2;
    int images; /* how many images of the box are seen on each side: 1, or 2 in tiny boxes */
    /* Cells that are here, home cells first, perhaps without molecules. Molecules of a cell are in the order of their
     * species: of cell c and species s they are local from run[c n_species + s] up to the next run. Cell c is (cell,
     * image) touched[c], as a key. A hash table finds c from the key: slot[s] is c + 1, or 0 if the slot is free. Its
     * size is a power of two, and at most half of the slots are in use. */
    uint32_t *slot, *run;
    size_t *touched, n_touched, touched_capacity, n_slots;
    uint32_t *molecule, *place; /* place: see drop_unused */
    uint8_t *image;
    double *r[3];
    size_t n_local, capacity;
    uint32_t *couple, *begin; /* of each couple its first molecule; of each list */
    size_t n_couples, list_capacity;
    uint32_t *neighbour;
    size_t n_neighbours, neighbour_capacity;
    uint32_t *around; /* cells around the current home cell */
    size_t n_around, around_capacity;
    uint32_t *candidate; /* all molecules of these, in the order of the species, and their positions */
    double *x, *y, *z, *distance2;
    size_t *candidates_begin; /* of each species, and the end of the last */
    size_t n_candidates, candidate_capacity;
};

void ph_list_builder_destroy(struct ph_list_builder *b)
{
    if (!b)
        return;
    free(b->slot);
    free(b->run);
    free(b->touched);
    free(b->molecule);
    free(b->place);
    free(b->image);
    for (int k = 0; k < 3; ++k)
        free(b->r[k]);
    free(b->couple);
    free(b->begin);
    free(b->neighbour);
    free(b->around);
    free(b->candidates_begin);
    free(b->candidate);
    free(b->x);
    free(b->y);
    free(b->z);
    free(b->distance2);
    free(b);
}

struct ph_list_builder *ph_list_builder_create(const struct ph_system *system, const struct ph_cells *cells,
                                               const struct ph_tiles *tiles, double radius, int images)
{
    struct ph_list_builder *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    *b = (struct ph_list_builder){
        .system = system, .cells = cells, .tiles = tiles, .radius2 = radius * radius, .images = images};
    b->candidates_begin = malloc((system->n_species + 1) * sizeof *b->candidates_begin);
    if (b->candidates_begin)
        return b;
    ph_list_builder_destroy(b);
    return NULL;
}

/* Room for `needed` elements in an array of *capacity, which the caller sets: several arrays may have that size. */
static bool enlarge(void *array_pointer, size_t size, size_t larger)
{
    void **array = array_pointer, *moved = realloc(*array, larger * size);
    if (moved)
        *array = moved;
    return moved != NULL;
}

static size_t roomy(size_t needed) { return needed + needed / 2 + 64; }

static bool grow_locals(struct ph_list_builder *b, size_t needed)
{
    needed += AT_ONCE;
    if (needed <= b->capacity)
        return true;
    const size_t larger = roomy(needed);
    if (!enlarge(&b->r[0], sizeof(double), larger) || !enlarge(&b->r[1], sizeof(double), larger) ||
        !enlarge(&b->r[2], sizeof(double), larger) || !enlarge(&b->molecule, sizeof(uint32_t), larger) ||
        !enlarge(&b->place, sizeof(uint32_t), larger) || !enlarge(&b->image, 1, larger))
        return false;
    b->capacity = larger;
    return true;
}

static bool grow_around(struct ph_list_builder *b, size_t needed)
{
    if (needed <= b->around_capacity)
        return true;
    b->around_capacity = roomy(needed);
    return enlarge(&b->around, sizeof *b->around, b->around_capacity);
}

/* Grows the table of cells; n_touched are here. */
static bool grow_cells(struct ph_list_builder *b)
{
    if (b->n_touched < b->touched_capacity)
        return true;
    b->touched_capacity = roomy(b->n_touched);
    return enlarge(&b->touched, sizeof *b->touched, b->touched_capacity) &&
           enlarge(&b->run, sizeof *b->run, b->touched_capacity * b->system->n_species + 1);
}

static bool grow_candidates(struct ph_list_builder *b, size_t needed)
{
    if (needed <= b->candidate_capacity)
        return true;
    const size_t larger = roomy(needed);
    if (!enlarge(&b->x, sizeof(double), larger) || !enlarge(&b->y, sizeof(double), larger) ||
        !enlarge(&b->z, sizeof(double), larger) || !enlarge(&b->distance2, sizeof(double), larger) ||
        !enlarge(&b->candidate, sizeof(uint32_t), larger))
        return false;
    b->candidate_capacity = larger;
    return true;
}

static bool grow_neighbours(struct ph_list_builder *b, size_t needed)
{
    if (needed <= b->neighbour_capacity)
        return true;
    b->neighbour_capacity = roomy(needed);
    return enlarge(&b->neighbour, sizeof(uint32_t), b->neighbour_capacity);
}

static bool grow_lists(struct ph_list_builder *b, size_t needed)
{
    if (needed <= b->list_capacity)
        return true;
    b->list_capacity = roomy(needed);
    return enlarge(&b->begin, sizeof(uint32_t), b->list_capacity) &&
           enlarge(&b->couple, sizeof(uint32_t), b->list_capacity);
}

/* Returns the slot of a key: the one that has it, or a free one. */
static size_t slot_of(const struct ph_list_builder *b, size_t key)
{
    size_t s = (size_t)((uint64_t)key * 0x9e3779b97f4a7c15u >> 20) & (b->n_slots - 1);
    while (b->slot[s] && b->touched[b->slot[s] - 1] != key)
        s = (s + 1) & (b->n_slots - 1);
    return s;
}

/* Makes room for one more cell in the hash table. */
static bool grow_slots(struct ph_list_builder *b)
{
    if (2 * (b->n_touched + 1) <= b->n_slots)
        return true;
    const size_t larger = b->n_slots > 0 ? 2 * b->n_slots : 1024;
    uint32_t *slot = calloc(larger, sizeof *slot);
    if (!slot)
        return false;
    free(b->slot);
    b->slot = slot;
    b->n_slots = larger;
    for (size_t c = 0; c < b->n_touched; ++c)
        b->slot[slot_of(b, b->touched[c])] = (uint32_t)c + 1;
    return true;
}

/* Makes the molecules of a cell, seen by an image, local; gives its number among the cells that are here. */
static bool bring_cell(struct ph_list_builder *b, const struct ph_seen_cell *seen, uint32_t *number)
{
    const size_t side = 2 * (size_t)b->images + 1, n_species = b->system->n_species;
    size_t key = seen->key, image = 0;
    for (int k = 0; k < 3; ++k) {
        key = key * side + (size_t)(seen->image[k] + b->images);
        image = image * PH_IMAGES + (size_t)(seen->image[k] + PH_IMAGES / 2);
    }
    if (!grow_slots(b))
        return false;
    const size_t slot = slot_of(b, key);
    if (b->slot[slot]) {
        *number = b->slot[slot] - 1;
        return true;
    }
    const uint32_t cell = ph_cells_find(b->cells, seen->key);
    const uint32_t begin = b->cells->start[cell], end = b->cells->start[cell + 1];
    if (!grow_locals(b, b->n_local + (end - begin)) || !grow_cells(b))
        return false;
    *number = (uint32_t)b->n_touched;
    b->touched[b->n_touched++] = key;
    b->slot[slot] = *number + 1;
    uint32_t *run = b->run + *number * n_species, k = begin;
    const size_t first = b->n_local - begin; /* local index of k, less k */
    for (size_t s = 0; s < n_species; ++s) {
        run[s] = (uint32_t)(first + k);
        while (k < end && b->cells->molecule[k] < b->system->first[s + 1])
            ++k;
    }
    b->n_local += end - begin;
    for (k = begin; k < end; ++k) {
        b->molecule[first + k] = b->cells->molecule[k];
        b->image[first + k] = (uint8_t)image;
        for (int x = 0; x < 3; ++x)
            b->r[x][first + k] = b->cells->r[x][k] + b->tiles->shift[image][x];
    }
    run[n_species] = (uint32_t)b->n_local; /* where the next cell begins */
    return true;
}

/* The cells around a home cell, the positive half of them: the other half finds its pairs from the other side. */
static bool look_around(struct ph_list_builder *b, uint32_t cell)
{
    const struct ph_cells *cells = b->cells;
    const int *reach = cells->reach;
    int from[3];
    ph_cells_place(cells->key[cell], from);
    b->n_around = 0;
    for (int dx = 0; dx <= reach[0]; ++dx) {
        struct ph_seen_cell seen;
        int x = from[0] + dx;
        if (!ph_cells_wrap(cells, 0, &x, &seen.image[0]))
            continue;
        for (int dy = dx == 0 ? 0 : -reach[1]; dy <= reach[1]; ++dy) {
            int y = from[1] + dy;
            if (!ph_cells_wrap(cells, 1, &y, &seen.image[1]))
                continue;
            for (int dz = dx == 0 && dy == 0 ? 1 : -reach[2]; dz <= reach[2]; ++dz) {
                int z = from[2] + dz;
                if (!ph_cells_wrap(cells, 2, &z, &seen.image[2]))
                    continue;
                seen.key = ph_cells_key(x, y, z);
                if (!grow_around(b, b->n_around + 1) || !bring_cell(b, &seen, &b->around[b->n_around]))
                    return false;
                ++b->n_around;
            }
        }
    }
    return true;
}

/* Candidates for the molecules of one home cell: all of the cells around it, sorted by species, once for all lists.
 * Runs are copied in steps of AT_ONCE: they are short, and their lengths hard to guess. */
static bool collect_candidates(struct ph_list_builder *b, uint32_t cell)
{
    const size_t n_species = b->system->n_species;
    size_t n = 0;
    if (!look_around(b, cell))
        return false;
    for (size_t c = 0; c < b->n_around; ++c) {
        const uint32_t *run = b->run + b->around[c] * n_species;
        n += run[n_species] - run[0];
    }
    if (!grow_candidates(b, n + AT_ONCE))
        return false;
    for (int x = 0; x < 3; ++x) /* so that only initialised memory is read */
        memset(b->r[x] + b->n_local, 0, AT_ONCE * sizeof *b->r[x]);
    n = 0;
    for (size_t s = 0; s < n_species; ++s) {
        b->candidates_begin[s] = n;
        for (size_t c = 0; c < b->n_around; ++c) {
            const uint32_t *run = b->run + b->around[c] * n_species + s, end = run[1];
            uint32_t l = run[0];
            do {
                memcpy(b->x + n, b->r[0] + l, AT_ONCE * sizeof *b->x);
                memcpy(b->y + n, b->r[1] + l, AT_ONCE * sizeof *b->y);
                memcpy(b->z + n, b->r[2] + l, AT_ONCE * sizeof *b->z);
                for (uint32_t k = 0; k < AT_ONCE; ++k)
                    b->candidate[n + k] = l + k;
                n += end - l < AT_ONCE ? end - l : AT_ONCE;
                l += AT_ONCE;
            } while (l < end);
        }
    }
    b->n_candidates = b->candidates_begin[n_species] = n;
    return true;
}

/* Appends the neighbours of home molecules i and `last` (i or i + 1), species by species, and where each species
 * begins. First come later molecules of their own cell, whose runs are `own`, then the candidates, if they are near to
 * one of the two. In a small box their own images are among the candidates. */
static bool append_neighbours(struct ph_list_builder *b, uint32_t i, uint32_t last, const uint32_t *own,
                              uint32_t *begin)
{
    const size_t n = b->n_candidates, n_species = b->system->n_species;
    if (!grow_neighbours(b, b->n_neighbours + n + (own[n_species] - i)))
        return false;
    const double x = b->r[0][i], y = b->r[1][i], z = b->r[2][i], radius2 = b->radius2;
    const double other_x = b->r[0][last], other_y = b->r[1][last], other_z = b->r[2][last];
    double *restrict distance2 = b->distance2;
    const double *restrict cx = b->x, *restrict cy = b->y, *restrict cz = b->z;
    if (last == i) {
        PH_SIMD
        for (size_t k = 0; k < n; ++k) {
            const double dx = x - cx[k], dy = y - cy[k], dz = z - cz[k];
            distance2[k] = dx * dx + dy * dy + dz * dz;
        }
    } else {
        PH_SIMD
        for (size_t k = 0; k < n; ++k) {
            const double dx = x - cx[k], dy = y - cy[k], dz = z - cz[k];
            const double ex = other_x - cx[k], ey = other_y - cy[k], ez = other_z - cz[k];
            distance2[k] = ph_min(dx * dx + dy * dy + dz * dz, ex * ex + ey * ey + ez * ez);
        }
    }
    uint32_t *list = b->neighbour + b->n_neighbours;
    size_t m = 0;
    for (size_t s = 0; s < n_species; ++s) {
        begin[s] = (uint32_t)(b->n_neighbours + m);
        for (uint32_t j = own[s] > i ? own[s] : i + 1; j < own[s + 1]; ++j) {
            const double dx = x - b->r[0][j], dy = y - b->r[1][j], dz = z - b->r[2][j];
            const double ex = other_x - b->r[0][j], ey = other_y - b->r[1][j], ez = other_z - b->r[2][j];
            list[m] = j;
            m += ph_min(dx * dx + dy * dy + dz * dz, ex * ex + ey * ey + ez * ez) < radius2;
        }
        for (size_t k = b->candidates_begin[s]; k < b->candidates_begin[s + 1]; ++k) {
            list[m] = b->candidate[k];
            m += distance2[k] < radius2;
        }
    }
    b->n_neighbours += m;
    return true;
}

static void swap_locals(struct ph_list_builder *b, uint32_t i, uint32_t j)
{
    const uint32_t molecule = b->molecule[i]; /* both are home, of one image and one species */
    b->molecule[i] = b->molecule[j];
    b->molecule[j] = molecule;
    for (int x = 0; x < 3; ++x) {
        const double r = b->r[x][i];
        b->r[x][i] = b->r[x][j];
        b->r[x][j] = r;
    }
}

/* Makes i+1 the nearest of the later molecules of a run, to share a list with i. False if there is none. */
static bool find_partner(struct ph_list_builder *b, uint32_t i, uint32_t run_end)
{
    uint32_t nearest = i;
    double smallest = INFINITY;
    for (uint32_t j = i + 1; j < run_end; ++j) {
        const double x = b->r[0][j] - b->r[0][i], y = b->r[1][j] - b->r[1][i], z = b->r[2][j] - b->r[2][i];
        const double distance2 = x * x + y * y + z * z;
        if (distance2 < smallest) {
            smallest = distance2;
            nearest = j;
        }
    }
    if (nearest == i)
        return false;
    swap_locals(b, i + 1, nearest);
    return true;
}

/* Lists that fit into two vectors are not worth sharing. */
bool ph_tiles_are_short(const struct ph_system *system, double radius)
{
    const double pi = 3.14159265358979323846;
    const double half = (double)system->n / system->box.volume * 2.0 / 3.0 * pi * radius * radius * radius;
    return system->box.kind != PH_BOX_OPEN && half < 2 * PH_LANES;
}

/* Orders the home molecules of each run so that couples follow each other; before any list names them. */
static void make_couples(struct ph_list_builder *b, size_t n_cells, bool alone)
{
    uint32_t i = 0;
    b->n_couples = 0;
    for (size_t run = 0; run < n_cells * b->system->n_species; ++run)
        while (i < b->run[run + 1]) {
            b->couple[b->n_couples++] = i;
            i += !alone && find_partner(b, i, b->run[run + 1]) ? 2 : 1;
        }
    b->couple[b->n_couples] = i;
}

/* Lists of all couples of the n_cells home cells from first_cell on */
static bool make_lists(struct ph_list_builder *b, uint32_t first_cell, size_t n_cells)
{
    const size_t n_species = b->system->n_species;
    size_t couple = 0;
    for (uint32_t c = 0; c < n_cells; ++c) {
        const size_t own = c * n_species; /* number of its first run; the array may be reallocated */
        if (b->run[own] < b->run[own + n_species] && !collect_candidates(b, first_cell + c))
            return false;
        for (; b->couple[couple] < b->run[own + n_species]; ++couple)
            if (!append_neighbours(b, b->couple[couple], b->couple[couple + 1] - 1, b->run + own,
                                   b->begin + couple * n_species))
                return false;
    }
    b->begin[couple * n_species] = (uint32_t)b->n_neighbours;
    return true;
}

/* Cells are brought whole: drops the copies that no list names, a third of them and more. */
static void drop_unused(struct ph_list_builder *b, size_t n_home)
{
    uint32_t n = 0;
    for (size_t l = 0; l < b->n_local; ++l)
        b->place[l] = l < n_home;
    for (size_t k = 0; k < b->n_neighbours; ++k)
        b->place[b->neighbour[k]] = 1;
    for (size_t l = 0; l < b->n_local; ++l)
        if (b->place[l]) {
            b->molecule[n] = b->molecule[l];
            b->image[n] = b->image[l];
            b->place[l] = n++;
        }
    for (size_t k = 0; k < b->n_neighbours; ++k)
        b->neighbour[k] = b->place[b->neighbour[k]];
    b->n_local = n;
}

enum ph_status ph_list_builder_tile(struct ph_list_builder *b, uint32_t first_cell, uint32_t end_cell, size_t n_fields,
                                    struct ph_tile *tile, struct ph_error *err)
{
    const size_t n_home = b->cells->start[end_cell] - b->cells->start[first_cell];
    bool complete = grow_lists(b, n_home * b->system->n_species + 1);
    b->n_local = b->n_neighbours = 0;
    for (uint32_t c = first_cell; c < end_cell && complete; ++c) {
        const struct ph_seen_cell own = {.key = b->cells->key[c]};
        uint32_t number; /* c - first_cell */
        complete = bring_cell(b, &own, &number);
    }
    tile->is_short = ph_tiles_are_short(b->system, sqrt(b->radius2));
    if (complete) {
        make_couples(b, end_cell - first_cell, tile->is_short);
        complete = make_lists(b, first_cell, end_cell - first_cell);
    }
    if (b->n_slots > 0)
        memset(b->slot, 0, b->n_slots * sizeof *b->slot);
    b->n_touched = 0;
    if (!complete)
        return ph_no_memory(err, "a pair list of %zu molecules", n_home);
    drop_unused(b, n_home);
    const size_t n_lists = b->n_couples * b->system->n_species;
    enum ph_status status = ph_tile_reserve_lists(tile, n_lists, b->n_neighbours, b->n_local, err);
    if (status == PH_OK)
        status = ph_tile_reserve(tile, b->n_local, n_fields, true, err);
    if (status == PH_OK) {
        tile->n_home = n_home;
        tile->n_couples = b->n_couples;
        memcpy(tile->couple, b->couple, (b->n_couples + 1) * sizeof *tile->couple);
        memcpy(tile->begin, b->begin, (n_lists + 1) * sizeof *tile->begin);
        ph_tile_pack(tile, b->n_neighbours, b->neighbour, tile->neighbour, 0);
    }
    if (status == PH_OK && b->n_local > 0) { /* where cells are few, a tile may have none */
        memcpy(tile->molecule, b->molecule, b->n_local * sizeof *tile->molecule);
        memcpy(tile->image, b->image, b->n_local);
    }
    return status;
}
