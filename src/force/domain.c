/* SPDX-License-Identifier: MIT */
#include "force/domain.h"

#include "base/lanes.h"

#include <stdlib.h>

void ph_domains_clear(struct ph_domains *domains)
{
    for (size_t d = 0; d < domains->n; ++d) {
        struct ph_domain *domain = &domains->domain[d];
        free(domain->molecule);
        for (int k = 0; k < 3; ++k)
            free(domain->shift[k]);
        free(domain->begin);
        free(domain->neighbour);
        free(domain->near_begin);
        free(domain->near);
        free(domain->in);
        free(domain->out);
    }
    free(domains->domain);
    free(domains->first);
    free(domains->copy_domain);
    free(domains->copy_local);
    for (int k = 0; k < 3; ++k) {
        free(domains->built_at[k]);
        free(domains->thinned_at[k]);
    }
    *domains = (struct ph_domains){0};
}

static void *aligned_doubles(size_t n)
{
    const size_t line = 64 / sizeof(double);
    return aligned_alloc(64, (n + line - 1) / line * line * sizeof(double));
}

/* Space for n_local copies, side by side or one array per field */
static enum ph_status reserve(struct ph_domain *domain, size_t n_local, size_t n_fields, bool side_by_side,
                              struct ph_error *err)
{
    const size_t record = (n_fields + 3) / 4 * 4, row = (n_local + PH_LANES - 1) / PH_LANES * PH_LANES;
    domain->n_local = n_local;
    domain->field_step = side_by_side ? 1 : row;
    domain->local_step = side_by_side ? record : 1;
    domain->in = aligned_doubles(record * row);
    domain->out = aligned_doubles(record * row);
    domain->molecule = malloc(n_local * sizeof *domain->molecule);
    bool complete = domain->in && domain->out && domain->molecule;
    for (int k = 0; k < 3; ++k) {
        domain->shift[k] = calloc(n_local, sizeof(double));
        complete = complete && domain->shift[k];
    }
    if (!complete)
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for a domain of %zu molecules.", n_local);
    return PH_OK;
}

/* The table of copies of each molecule */
static enum ph_status index_copies(size_t n_molecules, struct ph_domains *domains, struct ph_error *err)
{
    size_t n_copies = 0;
    for (size_t d = 0; d < domains->n; ++d)
        n_copies += domains->domain[d].n_local;
    domains->first = calloc(n_molecules + 2, sizeof *domains->first);
    domains->copy_domain = malloc((n_copies + 1) * sizeof *domains->copy_domain);
    domains->copy_local = malloc((n_copies + 1) * sizeof *domains->copy_local);
    if (!domains->first || !domains->copy_domain || !domains->copy_local)
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for the table of %zu copies of molecules.", n_copies);
    uint32_t *count = domains->first + 2; /* two places ahead, so that filling leaves the starts in place */
    for (size_t d = 0; d < domains->n; ++d)
        for (size_t l = 0; l < domains->domain[d].n_local; ++l)
            ++count[domains->domain[d].molecule[l]];
    for (size_t i = 1; i < n_molecules; ++i)
        count[i] += count[i - 1];
    uint32_t *next = domains->first + 1;
    for (size_t d = 0; d < domains->n; ++d)
        for (size_t l = 0; l < domains->domain[d].n_local; ++l) {
            const uint32_t place = next[domains->domain[d].molecule[l]]++;
            domains->copy_domain[place] = (uint32_t)d;
            domains->copy_local[place] = (uint32_t)l;
        }
    return PH_OK;
}

/* Enough domains to share among threads, few enough that ghosts stay a small part; never a matter of threads. */
static size_t domain_count(size_t n_molecules, size_t molecules_each, size_t most)
{
    const size_t n = n_molecules / molecules_each;
    return n < 1 ? 1 : n > most ? most : n;
}

enum ph_status ph_domains_all_pairs(const struct ph_system *system, size_t n_fields, struct ph_domains *domains,
                                    struct ph_error *err)
{
    const size_t n = system->n;
    *domains = (struct ph_domains){.n = domain_count(n, 32, 16)};
    domains->domain = calloc(domains->n, sizeof *domains->domain);
    if (!domains->domain)
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for domains.");
    /* Row i has n-1-i pairs: cut where the area above is the domain's share. */
    size_t start = 0;
    for (size_t d = 0; d < domains->n; ++d) {
        const double rest = sqrt(1.0 - (double)(d + 1) / (double)domains->n);
        const size_t end = d + 1 == domains->n ? n : (size_t)((1.0 - rest) * (double)n);
        struct ph_domain *domain = &domains->domain[d];
        const enum ph_status status = reserve(domain, n - start, n_fields, false, err);
        if (status != PH_OK)
            return status;
        domain->n_home = end - start;
        for (size_t l = 0; l < n - start; ++l)
            domain->molecule[l] = (uint32_t)(start + l);
        domain->pairs = (end - start) * (n - start) - (end - start) * (end - start + 1) / 2;
        start = end;
    }
    return index_copies(n, domains, err);
}

/* ---- Cells ---- */

enum { SHIFTS = 5 }; /* images -2 .. 2 */

struct grid {
    int n[3], reach[3];
    bool periodic;
    double origin[3], inverse[3][3]; /* cell coordinate k = inverse[k] . (r - origin) n[k], inverse as in ph_box */
    uint32_t *start;                 /* first slot of each cell; slots are molecules sorted by cell */
    uint32_t *slot_molecule, *cell_of;
    size_t n_cells;
};

static void grid_clear(struct grid *grid)
{
    free(grid->start);
    free(grid->slot_molecule);
    free(grid->cell_of);
}

/* Cells about half the radius wide, unless the molecules are so few that most would be empty */
static void grid_shape(const struct ph_system *system, double radius, struct grid *grid)
{
    double width[3];
    grid->periodic = system->box.kind != PH_BOX_OPEN;
    for (int k = 0; k < 3; ++k) {
        if (grid->periodic) {
            width[k] = system->box.width[k];
            memcpy(grid->inverse[k], system->box.inverse[k], sizeof grid->inverse[k]);
        } else {
            double low = INFINITY, high = -INFINITY;
            for (size_t i = 0; i < system->n; ++i) {
                low = fmin(low, system->r[k][i]);
                high = fmax(high, system->r[k][i]);
            }
            width[k] = fmax(high - low, radius) * (1.0 + 1e-12);
            grid->origin[k] = low;
            grid->inverse[k][k] = 1.0 / width[k];
        }
    }
    const double fewest = fmax(0.5 * radius, cbrt(width[0] * width[1] * width[2] / (double)system->n));
    grid->n_cells = 1;
    for (int k = 0; k < 3; ++k) {
        grid->n[k] = (int)fmax(1.0, fmin(1024.0, floor(width[k] / fewest)));
        grid->reach[k] = (int)ceil(radius / (width[k] / grid->n[k]));
        grid->n_cells *= (size_t)grid->n[k];
    }
}

static size_t cell_index(const struct grid *grid, const int c[3])
{
    return ((size_t)c[0] * (size_t)grid->n[1] + (size_t)c[1]) * (size_t)grid->n[2] + (size_t)c[2];
}

static enum ph_status sort_into_cells(const struct ph_system *system, struct grid *grid, struct ph_error *err)
{
    const size_t n = system->n;
    grid->start = calloc(grid->n_cells + 2, sizeof *grid->start);
    grid->slot_molecule = malloc(n * sizeof *grid->slot_molecule);
    grid->cell_of = malloc(n * sizeof *grid->cell_of);
    if (!grid->start || !grid->slot_molecule || !grid->cell_of)
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for %zu cells.", grid->n_cells);
    for (size_t i = 0; i < n; ++i) {
        int c[3];
        for (int k = 0; k < 3; ++k) {
            double fraction = 0.0;
            for (int x = 0; x < 3; ++x)
                fraction += grid->inverse[k][x] * (system->r[x][i] - grid->origin[x]);
            if (!isfinite(fraction))
                return ph_error_set(err, PH_ERR_NUMBERS, "The position of molecule %zu is not finite.", i);
            c[k] = (int)fmin(grid->n[k] - 1, fmax(0.0, floor(fraction * grid->n[k])));
        }
        grid->cell_of[i] = (uint32_t)cell_index(grid, c);
        ++grid->start[grid->cell_of[i] + 2];
    }
    for (size_t c = 0; c < grid->n_cells; ++c)
        grid->start[c + 2] += grid->start[c + 1];
    for (size_t i = 0; i < n; ++i)
        grid->slot_molecule[grid->start[grid->cell_of[i] + 1]++] = (uint32_t)i;
    return PH_OK;
}

/* One neighbouring cell as seen from another: which, and by which image */
struct seen_cell {
    size_t cell;
    int image[3];
};

/* The cell at an offset; false if there is none (open space) */
static bool look(const struct grid *grid, const int from[3], const int offset[3], struct seen_cell *seen)
{
    int c[3];
    for (int k = 0; k < 3; ++k) {
        c[k] = from[k] + offset[k];
        seen->image[k] = 0;
        if (!grid->periodic && (c[k] < 0 || c[k] >= grid->n[k]))
            return false;
        while (c[k] < 0) {
            c[k] += grid->n[k];
            --seen->image[k];
        }
        while (c[k] >= grid->n[k]) {
            c[k] -= grid->n[k];
            ++seen->image[k];
        }
    }
    seen->cell = cell_index(grid, c);
    return true;
}

/* Growing arrays for one domain under construction */
struct builder {
    const struct ph_system *system;
    const struct grid *grid;
    double radius2;
    bool own_images; /* the box is so small that they are within the radius */
    /* local index of the first molecule of (cell, image), plus 1; 0: not here yet */
    uint32_t *ghost;
    size_t *touched, n_touched, touched_capacity;
    uint32_t *molecule;
    double *r[3], *shift[3];
    size_t n_local, capacity;
    uint32_t *neighbour;
    size_t n_neighbours, neighbour_capacity;
    uint32_t *candidate; /* of the current home cell, and their positions */
    double *x, *y, *z, *distance2;
    size_t n_candidates, candidate_capacity;
};

static bool grow(void **array, size_t size, size_t needed, size_t *capacity)
{
    if (needed <= *capacity)
        return true;
    const size_t larger = needed + needed / 2 + 64;
    void *moved = realloc(*array, larger * size);
    if (!moved)
        return false;
    *array = moved;
    *capacity = larger;
    return true;
}

static bool grow_locals(struct builder *b, size_t needed)
{
    if (needed <= b->capacity)
        return true;
    size_t capacity = 0;
    bool complete = true;
    for (int k = 0; k < 3; ++k) {
        capacity = b->capacity;
        complete = complete && grow((void **)&b->r[k], sizeof(double), needed, &capacity);
        capacity = b->capacity;
        complete = complete && grow((void **)&b->shift[k], sizeof(double), needed, &capacity);
    }
    capacity = b->capacity;
    complete = complete && grow((void **)&b->molecule, sizeof(uint32_t), needed, &capacity);
    if (complete)
        b->capacity = capacity;
    return complete;
}

/* Makes the molecules of a cell, seen by an image, local; returns the first local index. */
static bool bring_cell(struct builder *b, const struct seen_cell *seen, uint32_t *first)
{
    const size_t key = (seen->cell * SHIFTS + (size_t)(seen->image[0] + 2)) * SHIFTS * SHIFTS +
                       (size_t)(seen->image[1] + 2) * SHIFTS + (size_t)(seen->image[2] + 2);
    if (b->ghost[key]) {
        *first = b->ghost[key] - 1;
        return true;
    }
    const uint32_t begin = b->grid->start[seen->cell], end = b->grid->start[seen->cell + 1];
    if (!grow_locals(b, b->n_local + (end - begin)) ||
        !grow((void **)&b->touched, sizeof *b->touched, b->n_touched + 1, &b->touched_capacity))
        return false;
    b->touched[b->n_touched++] = key;
    *first = (uint32_t)b->n_local;
    b->ghost[key] = *first + 1;
    double shift[3] = {0.0};
    for (int x = 0; x < 3; ++x)
        for (int k = 0; k < 3; ++k)
            shift[x] += seen->image[k] * b->system->box.edge[k][x];
    for (uint32_t s = begin; s < end; ++s) {
        const uint32_t molecule = b->grid->slot_molecule[s];
        b->molecule[b->n_local] = molecule;
        for (int x = 0; x < 3; ++x) {
            b->shift[x][b->n_local] = shift[x];
            b->r[x][b->n_local] = b->system->r[x][molecule] + shift[x];
        }
        ++b->n_local;
    }
    return true;
}

/* Candidates for the molecules of one home cell: all cells of the positive half of the neighbourhood */
static bool collect_candidates(struct builder *b, size_t cell)
{
    const struct grid *g = b->grid;
    const int from[3] = {(int)(cell / ((size_t)g->n[1] * (size_t)g->n[2])),
                         (int)(cell / (size_t)g->n[2] % (size_t)g->n[1]), (int)(cell % (size_t)g->n[2])};
    b->n_candidates = 0;
    for (int dx = 0; dx <= g->reach[0]; ++dx)
        for (int dy = dx == 0 ? 0 : -g->reach[1]; dy <= g->reach[1]; ++dy)
            for (int dz = dx == 0 && dy == 0 ? 1 : -g->reach[2]; dz <= g->reach[2]; ++dz) {
                const int offset[3] = {dx, dy, dz};
                struct seen_cell seen;
                uint32_t first;
                if (!look(g, from, offset, &seen))
                    continue;
                const size_t count = g->start[seen.cell + 1] - g->start[seen.cell];
                if (count == 0)
                    continue;
                const size_t needed = b->n_candidates + count;
                if (!bring_cell(b, &seen, &first))
                    return false;
                if (needed > b->candidate_capacity) {
                    size_t capacity = b->candidate_capacity;
                    double **const arrays[4] = {&b->x, &b->y, &b->z, &b->distance2};
                    for (int a = 0; a < 4; ++a) {
                        capacity = b->candidate_capacity;
                        if (!grow((void **)arrays[a], sizeof(double), needed, &capacity))
                            return false;
                    }
                    capacity = b->candidate_capacity;
                    if (!grow((void **)&b->candidate, sizeof(uint32_t), needed, &capacity))
                        return false;
                    b->candidate_capacity = capacity;
                }
                for (uint32_t l = first; l < first + count; ++l, ++b->n_candidates) {
                    b->candidate[b->n_candidates] = l;
                    b->x[b->n_candidates] = b->r[0][l];
                    b->y[b->n_candidates] = b->r[1][l];
                    b->z[b->n_candidates] = b->r[2][l];
                }
            }
    return true;
}

/* The neighbours of home molecule i, appended: later ones of its own cell, then the candidates */
static bool append_neighbours(struct builder *b, uint32_t i, uint32_t cell_end)
{
    const size_t n = b->n_candidates;
    if (!grow((void **)&b->neighbour, sizeof(uint32_t), b->n_neighbours + n + (cell_end - i), &b->neighbour_capacity))
        return false;
    const double x = b->r[0][i], y = b->r[1][i], z = b->r[2][i], radius2 = b->radius2;
    uint32_t *list = b->neighbour + b->n_neighbours;
    size_t m = 0;
    for (uint32_t j = i + 1; j < cell_end; ++j) {
        const double dx = x - b->r[0][j], dy = y - b->r[1][j], dz = z - b->r[2][j];
        list[m] = j;
        m += dx * dx + dy * dy + dz * dz < radius2;
    }
    double *restrict distance2 = b->distance2;
    const double *restrict cx = b->x, *restrict cy = b->y, *restrict cz = b->z;
    PH_SIMD
    for (size_t k = 0; k < n; ++k) {
        const double dx = x - cx[k], dy = y - cy[k], dz = z - cz[k];
        distance2[k] = dx * dx + dy * dy + dz * dz;
    }
    for (size_t k = 0; k < n; ++k) {
        list[m] = b->candidate[k];
        m += distance2[k] < radius2;
    }
    if (b->own_images) { /* a molecule does not interact with its own images */
        size_t kept = 0;
        for (size_t k = 0; k < m; ++k)
            if (b->molecule[list[k]] != b->molecule[i])
                list[kept++] = list[k];
        m = kept;
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
    /* insertion sort by species: stable, and lists are short */
    for (size_t k = 1; k < n; ++k) {
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

static enum ph_status build_domain(struct builder *b, size_t first_cell, size_t end_cell, size_t n_fields,
                                   struct ph_domain *domain, struct ph_error *err)
{
    const struct ph_system *system = b->system;
    const struct grid *grid = b->grid;
    const size_t n_home = grid->start[end_cell] - grid->start[first_cell];
    b->n_local = b->n_neighbours = 0;
    for (size_t c = first_cell; c < end_cell; ++c) {
        const struct seen_cell own = {.cell = c};
        uint32_t first;
        if (!bring_cell(b, &own, &first))
            goto no_memory;
    }
    domain->n_home = n_home;
    domain->begin = malloc((n_home * system->n_species + 1) * sizeof *domain->begin);
    if (!domain->begin)
        goto no_memory;
    uint32_t i = 0;
    for (size_t c = first_cell; c < end_cell; ++c) {
        const uint32_t cell_end = i + (grid->start[c + 1] - grid->start[c]);
        if (cell_end > i && !collect_candidates(b, c))
            goto no_memory;
        for (; i < cell_end; ++i) {
            const size_t start = b->n_neighbours;
            if (!append_neighbours(b, i, cell_end))
                goto no_memory;
            split_by_species(system, b, start, domain->begin + i * system->n_species);
        }
    }
    domain->begin[n_home * system->n_species] = (uint32_t)b->n_neighbours;
    domain->neighbour = malloc((b->n_neighbours + 1) * sizeof *domain->neighbour);
    domain->near = malloc((b->n_neighbours + 1) * sizeof *domain->near);
    domain->near_begin = malloc((n_home * system->n_species + 1) * sizeof *domain->near_begin);
    if (!domain->neighbour || !domain->near || !domain->near_begin)
        goto no_memory;
    memcpy(domain->neighbour, b->neighbour, b->n_neighbours * sizeof *domain->neighbour);
    const enum ph_status status = reserve(domain, b->n_local, n_fields, true, err);
    if (status != PH_OK)
        return status;
    memcpy(domain->molecule, b->molecule, b->n_local * sizeof *domain->molecule);
    for (int k = 0; k < 3; ++k)
        memcpy(domain->shift[k], b->shift[k], b->n_local * sizeof(double));
    for (size_t t = 0; t < b->n_touched; ++t)
        b->ghost[b->touched[t]] = 0;
    b->n_touched = 0;
    return PH_OK;
no_memory:
    return ph_error_set(err, PH_ERR_MEMORY, "No memory for a neighbour list of %zu molecules.", n_home);
}

static void builder_clear(struct builder *b)
{
    free(b->ghost);
    free(b->touched);
    free(b->molecule);
    for (int k = 0; k < 3; ++k) {
        free(b->r[k]);
        free(b->shift[k]);
    }
    free(b->neighbour);
    free(b->candidate);
    free(b->x);
    free(b->y);
    free(b->z);
    free(b->distance2);
}

enum ph_status ph_domains_neighbours(const struct ph_system *system, double radius, size_t n_fields,
                                     struct ph_domains *domains, struct ph_error *err)
{
    *domains = (struct ph_domains){.n = domain_count(system->n, 500, 64), .radius = radius};
    struct grid grid = {0};
    enum ph_status status = PH_OK;
    grid_shape(system, radius, &grid);
    for (int k = 0; k < 3; ++k)
        if (grid.periodic && radius > 2.0 * system->box.width[k])
            return ph_error_set(err, PH_ERR_INPUT, "Neighbours within %g do not fit into a box of width %g.", radius,
                                system->box.width[k]);
    domains->domain = calloc(domains->n, sizeof *domains->domain);
    bool complete = domains->domain != NULL;
    for (int k = 0; k < 3; ++k) {
        domains->built_at[k] = malloc(system->n * sizeof(double));
        domains->thinned_at[k] = malloc(system->n * sizeof(double));
        complete = complete && domains->built_at[k] && domains->thinned_at[k];
    }
    if (!complete)
        status = ph_error_set(err, PH_ERR_MEMORY, "No memory for domains.");
    if (status == PH_OK)
        status = sort_into_cells(system, &grid, err);
    if (status == PH_OK) {
        for (int k = 0; k < 3; ++k)
            memcpy(domains->built_at[k], system->r[k], system->n * sizeof(double));
#pragma omp parallel
        {
            struct ph_error own = {0};
            struct builder b = {.system = system, .grid = &grid, .radius2 = radius * radius};
            for (int k = 0; k < 3 && grid.periodic; ++k)
                b.own_images = b.own_images || radius > system->box.width[k];
            b.ghost = calloc(grid.n_cells * SHIFTS * SHIFTS * SHIFTS, sizeof *b.ghost);
            if (!b.ghost)
                ph_error_set(&own, PH_ERR_MEMORY, "No memory for %zu cells.", grid.n_cells);
#pragma omp for schedule(dynamic)
            for (size_t d = 0; d < domains->n; ++d) {
                /* cells [first, end) hold about 1/n of the molecules */
                const size_t low = system->n * d / domains->n, high = system->n * (d + 1) / domains->n;
                size_t first = 0, end = 0;
                while (first < grid.n_cells && grid.start[first] < low)
                    ++first;
                for (end = first; end < grid.n_cells && grid.start[end] < high;)
                    ++end;
                if (d + 1 == domains->n)
                    end = grid.n_cells;
                if (own.status == PH_OK)
                    build_domain(&b, first, end, n_fields, &domains->domain[d], &own);
            }
            builder_clear(&b);
#pragma omp critical
            if (own.status != PH_OK && status == PH_OK)
                status = ph_error_set(err, own.status, "%s", own.text);
        }
    }
    grid_clear(&grid);
    return status == PH_OK ? index_copies(system->n, domains, err) : status;
}

/* ---- Thinning ---- */

static void thin_domain(const struct ph_system *system, double radius2, struct ph_domain *domain)
{
    const size_t n_lists = domain->n_home * system->n_species;
    /* Centres of the copies, in places that the next pair loop overwrites */
    double *restrict x = domain->out, *restrict y = x + domain->n_local, *restrict z = y + domain->n_local;
    for (size_t l = 0; l < domain->n_local; ++l) {
        const size_t i = domain->molecule[l];
        x[l] = system->r[0][i] + domain->shift[0][l];
        y[l] = system->r[1][i] + domain->shift[1][l];
        z[l] = system->r[2][i] + domain->shift[2][l];
    }
    uint32_t n = 0;
    for (size_t list = 0; list < n_lists; ++list) {
        const size_t i = list / system->n_species;
        const double xi = x[i], yi = y[i], zi = z[i];
        domain->near_begin[list] = n;
        for (uint32_t k = domain->begin[list]; k < domain->begin[list + 1]; ++k) {
            const uint32_t j = domain->neighbour[k];
            const double dx = xi - x[j], dy = yi - y[j], dz = zi - z[j];
            domain->near[n] = j;
            n += dx * dx + dy * dy + dz * dz < radius2;
        }
    }
    domain->near_begin[n_lists] = n;
    domain->pairs = n;
}

void ph_domains_thin(const struct ph_system *system, double radius, struct ph_domains *domains)
{
    for (int k = 0; k < 3; ++k)
        memcpy(domains->thinned_at[k], system->r[k], system->n * sizeof(double));
#pragma omp parallel for schedule(dynamic)
    for (size_t d = 0; d < domains->n; ++d)
        thin_domain(system, radius * radius, &domains->domain[d]);
}
