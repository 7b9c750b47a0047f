/* SPDX-License-Identifier: MIT */
/* Neighbour lists by cells: who is home where, who must be copied, who is near whom. */
#include "base/lanes.h"
#include "force/cells.h"
#include "force/domain.h"

#include <stdlib.h>

/* Growing arrays for one domain under construction */
struct builder {
    const struct ph_system *system;
    const struct ph_cells *cells;
    const struct ph_domains *domains;
    double radius2;
    int images; /* how many images of the box are seen on each side: 1, or 2 in tiny boxes */
    /* local index of the first molecule of (cell, image), plus 1; 0: not here yet. Reset through `touched`. */
    uint32_t *ghost;
    size_t *touched, n_touched, touched_capacity;
    uint32_t *molecule;
    uint8_t *image;
    double *r[3];
    size_t n_local, capacity;
    uint32_t *couple, *begin; /* of each couple its first molecule; of each list */
    size_t n_couples, list_capacity;
    uint32_t *neighbour;
    size_t n_neighbours, neighbour_capacity;
    uint32_t *candidate; /* of the current home cell, and their positions */
    double *x, *y, *z, *distance2;
    size_t n_candidates, candidate_capacity;
};

static void builder_clear(struct builder *b)
{
    free(b->ghost);
    free(b->touched);
    free(b->molecule);
    free(b->image);
    for (int k = 0; k < 3; ++k)
        free(b->r[k]);
    free(b->couple);
    free(b->begin);
    free(b->neighbour);
    free(b->candidate);
    free(b->x);
    free(b->y);
    free(b->z);
    free(b->distance2);
}

/* Room for `needed` elements in an array of *capacity; capacity is set by the caller, who may have several of that
 * size. */
static bool enlarge(void *array_pointer, size_t size, size_t larger)
{
    void **array = array_pointer, *moved = realloc(*array, larger * size);
    if (moved)
        *array = moved;
    return moved != NULL;
}

static size_t roomy(size_t needed) { return needed + needed / 2 + 64; }

static bool grow_locals(struct builder *b, size_t needed)
{
    if (needed <= b->capacity)
        return true;
    const size_t larger = roomy(needed);
    if (!enlarge(&b->r[0], sizeof(double), larger) || !enlarge(&b->r[1], sizeof(double), larger) ||
        !enlarge(&b->r[2], sizeof(double), larger) || !enlarge(&b->molecule, sizeof(uint32_t), larger) ||
        !enlarge(&b->image, 1, larger))
        return false;
    b->capacity = larger;
    return true;
}

static bool grow_candidates(struct builder *b, size_t needed)
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

static bool grow_neighbours(struct builder *b, size_t needed)
{
    if (needed <= b->neighbour_capacity)
        return true;
    b->neighbour_capacity = roomy(needed);
    return enlarge(&b->neighbour, sizeof(uint32_t), b->neighbour_capacity);
}

static bool grow_lists(struct builder *b, size_t needed)
{
    if (needed <= b->list_capacity)
        return true;
    b->list_capacity = roomy(needed);
    return enlarge(&b->begin, sizeof(uint32_t), b->list_capacity) &&
           enlarge(&b->couple, sizeof(uint32_t), b->list_capacity);
}

/* Makes the molecules of a cell, seen by an image, local; gives the first local index. */
static bool bring_cell(struct builder *b, const struct ph_seen_cell *seen, uint32_t *first)
{
    const size_t side = 2 * (size_t)b->images + 1;
    size_t key = seen->cell, image = 0;
    for (int k = 0; k < 3; ++k) {
        key = key * side + (size_t)(seen->image[k] + b->images);
        image = image * PH_IMAGES + (size_t)(seen->image[k] + PH_IMAGES / 2);
    }
    if (b->ghost[key]) {
        *first = b->ghost[key] - 1;
        return true;
    }
    const uint32_t begin = b->cells->start[seen->cell], end = b->cells->start[seen->cell + 1];
    if (!grow_locals(b, b->n_local + (end - begin)))
        return false;
    if (b->n_touched == b->touched_capacity) {
        b->touched_capacity = roomy(b->n_touched);
        if (!enlarge(&b->touched, sizeof *b->touched, b->touched_capacity))
            return false;
    }
    b->touched[b->n_touched++] = key;
    *first = (uint32_t)b->n_local;
    b->ghost[key] = *first + 1;
    for (uint32_t s = begin; s < end; ++s, ++b->n_local) {
        const uint32_t molecule = b->cells->molecule[s];
        b->molecule[b->n_local] = molecule;
        b->image[b->n_local] = (uint8_t)image;
        for (int x = 0; x < 3; ++x)
            b->r[x][b->n_local] = b->system->r[x][molecule] + b->domains->shift[image][x];
    }
    return true;
}

/* Candidates for the molecules of one home cell: all cells of the positive half of the neighbourhood */
static bool collect_candidates(struct builder *b, uint32_t cell)
{
    const struct ph_cells *cells = b->cells;
    const int *reach = cells->reach, from = (int)cells->place[cell], *n = cells->n;
    b->n_candidates = 0;
    for (int dx = 0; dx <= reach[0]; ++dx) {
        struct ph_seen_cell seen;
        int x = from / (n[1] * n[2]) + dx;
        if (!ph_cells_wrap(cells, 0, &x, &seen.image[0]))
            continue;
        for (int dy = dx == 0 ? 0 : -reach[1]; dy <= reach[1]; ++dy) {
            int y = from / n[2] % n[1] + dy;
            if (!ph_cells_wrap(cells, 1, &y, &seen.image[1]))
                continue;
            for (int dz = dx == 0 && dy == 0 ? 1 : -reach[2]; dz <= reach[2]; ++dz) {
                int z = from % n[2] + dz;
                uint32_t first;
                if (!ph_cells_wrap(cells, 2, &z, &seen.image[2]))
                    continue;
                seen.cell = cells->number[(x * n[1] + y) * n[2] + z];
                const size_t count = cells->start[seen.cell + 1] - cells->start[seen.cell];
                if (count == 0)
                    continue;
                if (!bring_cell(b, &seen, &first) || !grow_candidates(b, b->n_candidates + count))
                    return false;
                for (uint32_t l = first; l < first + count; ++l, ++b->n_candidates) {
                    b->candidate[b->n_candidates] = l;
                    b->x[b->n_candidates] = b->r[0][l];
                    b->y[b->n_candidates] = b->r[1][l];
                    b->z[b->n_candidates] = b->r[2][l];
                }
            }
        }
    }
    return true;
}

/* The neighbours of home molecules i and `last`, which may be the same or the next, appended: later ones of their own
 * cell, then the candidates, if they are near to one of the two. In a small box their own images are among those. */
static bool append_neighbours(struct builder *b, uint32_t i, uint32_t last, uint32_t cell_end)
{
    const size_t n = b->n_candidates;
    if (!grow_neighbours(b, b->n_neighbours + n + (cell_end - i)))
        return false;
    const double x = b->r[0][i], y = b->r[1][i], z = b->r[2][i], radius2 = b->radius2;
    const double other_x = b->r[0][last], other_y = b->r[1][last], other_z = b->r[2][last];
    uint32_t *list = b->neighbour + b->n_neighbours;
    size_t m = 0;
    for (uint32_t j = i + 1; j < cell_end; ++j)
        list[m++] = j;
    double *restrict distance2 = b->distance2;
    const double *restrict cx = b->x, *restrict cy = b->y, *restrict cz = b->z;
    PH_SIMD
    for (size_t k = 0; k < n; ++k) {
        const double dx = x - cx[k], dy = y - cy[k], dz = z - cz[k];
        const double ex = other_x - cx[k], ey = other_y - cy[k], ez = other_z - cz[k];
        distance2[k] = ph_min(dx * dx + dy * dy + dz * dz, ex * ex + ey * ey + ez * ez);
    }
    for (size_t k = 0; k < n; ++k) {
        list[m] = b->candidate[k];
        m += distance2[k] < radius2;
    }
    b->n_neighbours += m;
    return true;
}

/* Orders one molecule's neighbours by species, keeping their order otherwise, and notes where each species starts. */
static void split_by_species(const struct ph_system *system, const struct builder *b, size_t start, uint32_t *begin)
{
    const size_t n_species = system->n_species, n = b->n_neighbours - start;
    uint32_t *list = b->neighbour + start;
    begin[0] = (uint32_t)start;
    if (n_species == 1)
        return;
    for (size_t k = 1; k < n; ++k) { /* insertion sort: stable, and lists are short */
        const uint32_t moving = list[k];
        const size_t species = ph_system_species_of(system, b->molecule[moving]);
        size_t at = k;
        for (; at > 0 && ph_system_species_of(system, b->molecule[list[at - 1]]) > species; --at)
            list[at] = list[at - 1];
        list[at] = moving;
    }
    size_t k = 0;
    for (size_t s = 0; s < n_species; ++s) {
        begin[s] = (uint32_t)(start + k);
        while (k < n && ph_system_species_of(system, b->molecule[list[k]]) == s)
            ++k;
    }
}

static void swap_locals(struct builder *b, uint32_t i, uint32_t j)
{
    const uint32_t molecule = b->molecule[i]; /* both are home: of one image */
    b->molecule[i] = b->molecule[j];
    b->molecule[j] = molecule;
    for (int x = 0; x < 3; ++x) {
        const double r = b->r[x][i];
        b->r[x][i] = b->r[x][j];
        b->r[x][j] = r;
    }
}

/* Makes i+1 the nearest of the later molecules of a cell that are of the species of i, to share a list with it. False
 * if there is none. */
static bool find_partner(struct builder *b, uint32_t i, uint32_t cell_end)
{
    const size_t species = ph_system_species_of(b->system, b->molecule[i]);
    uint32_t nearest = i;
    double smallest = INFINITY;
    for (uint32_t j = i + 1; j < cell_end; ++j) {
        const double x = b->r[0][j] - b->r[0][i], y = b->r[1][j] - b->r[1][i], z = b->r[2][j] - b->r[2][i];
        const double distance2 = x * x + y * y + z * z;
        if (distance2 < smallest && ph_system_species_of(b->system, b->molecule[j]) == species) {
            smallest = distance2;
            nearest = j;
        }
    }
    if (nearest == i)
        return false;
    swap_locals(b, i + 1, nearest);
    return true;
}

/* Orders the home molecules of each cell so that couples follow each other; before any list names them. */
static void make_couples(struct builder *b, uint32_t first_cell, uint32_t end_cell)
{
    uint32_t i = 0;
    b->n_couples = 0;
    for (uint32_t c = first_cell; c < end_cell; ++c) {
        const uint32_t cell_end = i + (b->cells->start[c + 1] - b->cells->start[c]);
        while (i < cell_end) {
            b->couple[b->n_couples++] = i;
            i += find_partner(b, i, cell_end) ? 2 : 1;
        }
    }
    b->couple[b->n_couples] = i;
}

/* Lists of all couples of the cells first_cell .. end_cell */
static bool make_lists(struct builder *b, uint32_t first_cell, uint32_t end_cell)
{
    const size_t n_species = b->system->n_species;
    size_t couple = 0;
    uint32_t cell_end = 0;
    for (uint32_t c = first_cell; c < end_cell; ++c) {
        const bool empty = b->cells->start[c + 1] == b->cells->start[c];
        cell_end += b->cells->start[c + 1] - b->cells->start[c];
        if (!empty && !collect_candidates(b, c))
            return false;
        for (; b->couple[couple] < cell_end; ++couple) {
            const size_t start = b->n_neighbours;
            if (!append_neighbours(b, b->couple[couple], b->couple[couple + 1] - 1, cell_end))
                return false;
            split_by_species(b->system, b, start, b->begin + couple * n_species);
        }
    }
    b->begin[couple * n_species] = (uint32_t)b->n_neighbours;
    return true;
}

static enum ph_status build_domain(struct builder *b, uint32_t first_cell, uint32_t end_cell, size_t n_fields,
                                   struct ph_domain *domain, struct ph_error *err)
{
    const size_t n_home = b->cells->start[end_cell] - b->cells->start[first_cell];
    bool complete = grow_lists(b, n_home * b->system->n_species + 1);
    b->n_local = b->n_neighbours = 0;
    for (uint32_t c = first_cell; c < end_cell && complete; ++c) {
        const struct ph_seen_cell own = {.cell = c};
        uint32_t first;
        complete = bring_cell(b, &own, &first);
    }
    if (complete) {
        make_couples(b, first_cell, end_cell);
        complete = make_lists(b, first_cell, end_cell);
    }
    for (size_t t = 0; t < b->n_touched; ++t)
        b->ghost[b->touched[t]] = 0;
    b->n_touched = 0;
    if (!complete)
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for a neighbour list of %zu molecules.", n_home);
    const size_t n_lists = b->n_couples * b->system->n_species;
    enum ph_status status = ph_domain_reserve_lists(domain, n_lists, b->n_neighbours, b->n_local, err);
    if (status == PH_OK)
        status = ph_domain_reserve(domain, b->n_local, n_fields, true, err);
    if (status == PH_OK) {
        domain->n_home = n_home;
        domain->n_couples = b->n_couples;
        memcpy(domain->couple, b->couple, (b->n_couples + 1) * sizeof *domain->couple);
        memcpy(domain->begin, b->begin, (n_lists + 1) * sizeof *domain->begin);
        ph_domain_pack(domain, b->n_neighbours, b->neighbour, domain->neighbour, 0);
    }
    if (status == PH_OK && b->n_local > 0) { /* where cells are few, a domain may have none */
        memcpy(domain->molecule, b->molecule, b->n_local * sizeof *domain->molecule);
        memcpy(domain->image, b->image, b->n_local);
    }
    return status;
}

/* Shifts of all images, and room for what the whole system needs */
static bool prepare(const struct ph_system *system, struct ph_domains *domains)
{
    for (int i = 0; i < PH_IMAGES * PH_IMAGES * PH_IMAGES; ++i)
        for (int x = 0; x < 3; ++x) {
            const int image[3] = {i / (PH_IMAGES * PH_IMAGES) - PH_IMAGES / 2,
                                  i / PH_IMAGES % PH_IMAGES - PH_IMAGES / 2, i % PH_IMAGES - PH_IMAGES / 2};
            domains->shift[i][x] = 0.0;
            for (int k = 0; k < 3; ++k)
                domains->shift[i][x] += image[k] * system->box.edge[k][x];
        }
    if (!domains->domain)
        domains->domain = calloc(domains->n, sizeof *domains->domain);
    bool complete = domains->domain != NULL;
    for (int k = 0; k < 3; ++k) {
        if (!domains->built_at[k])
            domains->built_at[k] = malloc(system->n * sizeof(double));
        if (!domains->thinned_at[k])
            domains->thinned_at[k] = malloc(system->n * sizeof(double));
        complete = complete && domains->built_at[k] && domains->thinned_at[k];
        if (complete)
            memcpy(domains->built_at[k], system->r[k], system->n * sizeof(double));
    }
    return complete;
}

/* The first cell at or after which `molecules` molecules have been counted */
static uint32_t cell_after(const struct ph_cells *cells, size_t molecules)
{
    uint32_t low = 0, high = (uint32_t)cells->n_cells;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (cells->start[middle] < molecules)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* At least eight domains where molecules suffice, so that threads can share them; of at most 3000 molecules, so that a
 * domain stays in the cache. Never a matter of threads. */
static size_t domain_count(size_t n)
{
    const size_t by_size = (n + 2999) / 3000, by_share = n / 250 < 8 ? n / 250 : 8;
    const size_t count = by_size > by_share ? by_size : by_share;
    return count > 0 ? count : 1;
}

enum ph_status ph_domains_neighbours(const struct ph_system *system, double radius, size_t n_fields,
                                     struct ph_domains *domains, struct ph_error *err)
{
    if (domains->n != domain_count(system->n)) {
        ph_domains_clear(domains);
        domains->n = domain_count(system->n);
    }
    const bool periodic = system->box.kind != PH_BOX_OPEN;
    int images = 1;
    for (int k = 0; k < 3 && periodic; ++k) {
        images = radius > system->box.width[k] ? 2 : images;
        if (radius > (PH_IMAGES / 2) * system->box.width[k]) {
            if (!domains->domain)
                domains->n = 0;
            return ph_error_set(err, PH_ERR_INPUT, "Neighbours within %g do not fit into a box of width %g.", radius,
                                system->box.width[k]);
        }
    }
    struct ph_cells cells;
    enum ph_status status = ph_cells_init(system, radius, &cells, err);
    if (status == PH_OK && !prepare(system, domains))
        status = ph_error_set(err, PH_ERR_MEMORY, "No memory for domains.");
    if (status != PH_OK) {
        ph_cells_clear(&cells);
        if (!domains->domain)
            domains->n = 0;
        return status;
    }
#pragma omp parallel if (domains->n > 1)
    {
        struct ph_error own = {.status = PH_OK};
        struct builder b = {
            .system = system, .cells = &cells, .domains = domains, .radius2 = radius * radius, .images = images};
        const size_t side = 2 * (size_t)b.images + 1;
        b.ghost = calloc(cells.n_cells * side * side * side, sizeof *b.ghost);
        if (!b.ghost)
            ph_error_set(&own, PH_ERR_MEMORY, "No memory for %zu cells.", cells.n_cells);
#pragma omp for schedule(dynamic)
        for (size_t d = 0; d < domains->n; ++d) {
            const uint32_t first = cell_after(&cells, system->n * d / domains->n);
            const uint32_t end =
                d + 1 == domains->n ? (uint32_t)cells.n_cells : cell_after(&cells, system->n * (d + 1) / domains->n);
            if (own.status == PH_OK)
                build_domain(&b, first, end, n_fields, &domains->domain[d], &own);
        }
        builder_clear(&b);
#pragma omp critical
        if (own.status != PH_OK && status == PH_OK)
            status = ph_error_set(err, own.status, "%s", own.text);
    }
    ph_cells_clear(&cells);
    return status == PH_OK ? ph_domains_index(system->n, domains, err) : status;
}
