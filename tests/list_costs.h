/* SPDX-License-Identifier: MIT */
#ifndef PH_TESTS_LIST_COSTS_H
#define PH_TESTS_LIST_COSTS_H

/* Counts what a list build costs each of many simulated ranks: bytes of memory, seconds of processor time, and bytes
 * that go to all ranks. The linker puts the functions below in the place of those that allocate (tests/CMakeLists.txt).
 */

#include "forked_team.h"

#include "base/ranges.h"
#include "force/pairs/lists/tile.h"
#include "force/ranks/share.h"
#include "model/system.h"

#include <malloc.h>
#include <math.h>
#include <time.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *memory);

/* Bytes in use since the last list_costs_begin, and the most at any time */
static struct {
    long now, most;
} in_use;

static void *count_more(void *memory)
{
    in_use.now += memory ? (long)malloc_usable_size(memory) : 0;
    in_use.most = in_use.now > in_use.most ? in_use.now : in_use.most;
    return memory;
}
static void count_less(void *memory) { in_use.now -= memory ? (long)malloc_usable_size(memory) : 0; }

void *__wrap_malloc(size_t size) { return count_more(__real_malloc(size)); }
void *__wrap_calloc(size_t n, size_t size) { return count_more(__real_calloc(n, size)); }
void *__wrap_realloc(void *memory, size_t size)
{
    count_less(memory);
    return count_more(__real_realloc(memory, size));
}
void *__wrap_aligned_alloc(size_t alignment, size_t size) { return count_more(__real_aligned_alloc(alignment, size)); }
void __wrap_free(void *memory)
{
    count_less(memory);
    __real_free(memory);
}

/* Molecules on a cubic lattice, about two in each cell: so many cells to an edge of the box, as wide as the radius */
struct list_costs_system {
    size_t n_molecules;
    int cells;
};

/* Costs of the second list on a rank. The first list migrates all molecules and allocates memory that is kept. */
struct list_costs {
    size_t own, ghosts, neighbours; /* molecules; entries of all lists */
    size_t most_bytes;              /* allocated at any time during the list build, besides what is kept */
    size_t resident;                /* bytes of memory of this rank after it; molecules and lists included */
    struct forked_traffic traffic;
    double seconds; /* of the processor */
};

static double list_costs_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Bytes that are in memory and not shared with other ranks */
static size_t list_costs_resident(void)
{
    char line[256];
    size_t kilobytes = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "RssAnon: %zu", &kilobytes) == 1)
            break;
    if (file)
        fclose(file);
    return 1024 * kilobytes;
}

static struct ph_system *list_costs_create(const struct list_costs_system *of)
{
    struct ph_species species = {.name = "point", .n_sites = 1};
    const double edge = of->cells + 0.5; /* the radius of lists is 1 */
    const double edges[3][3] = {{edge, 0, 0}, {0, edge, 0}, {0, 0, edge}};
    struct ph_box box;
    struct ph_system *system = NULL;
    struct ph_error err = {.text = ""};
    species.site[0] = (struct ph_site){.name = "A", .mass = 1.0};
    if (ph_species_complete(&species, NULL, NULL, &err) != PH_OK || ph_box_init_periodic(edges, &box, &err) != PH_OK ||
        ph_system_create(1, &species, &of->n_molecules, &box, &system, &err) != PH_OK)
        fprintf(stderr, "%s\n", err.text);
    return system;
}

/* Places molecule `number` at place i, at a point that depends on the number and on the list. */
static void list_costs_place(struct ph_system *system, size_t i, size_t number, double moved)
{
    const size_t side = (size_t)ceil(cbrt((double)system->n));
    const size_t at[3] = {number / (side * side), number / side % side, number % side};
    for (int k = 0; k < 3; ++k) {
        const double spacing = system->box.edge[k][k] / (double)side;
        system->r[k][i] = spacing * ((double)at[k] + 0.5 + 0.3 * sin((double)number * (k + 1) + moved));
    }
}

static size_t list_costs_neighbours(const struct ph_tiles *tiles)
{
    size_t n = 0;
    for (size_t d = 0; d < tiles->n; ++d)
        if (!tiles->tile[d].away && tiles->tile[d].n_couples > 0)
            n += tiles->tile[d].begin[tiles->tile[d].n_couples];
    return n;
}

enum { LIST_COSTS_FIELDS = 3 };

/* Runs on each rank. */
static int list_costs_rank(void *result, void *data)
{
    struct list_costs *costs = result;
    struct ph_system *system = list_costs_create(data);
    struct ph_error err = {.text = ""};
    if (!system)
        return 1;
    double *row[] = {system->r[0], system->r[1], system->r[2], system->p[0], system->p[1], system->p[2], system->q[0],
                     system->q[1], system->q[2], system->q[3], system->m[0], system->m[1], system->m[2]};
    const struct ph_column_set state = {.n = sizeof row / sizeof *row, .row = row, .image = system->image};
    struct ph_tiles tiles = {.shared = true};
    size_t begin, end;
    ph_range_of(system->n, ph_team()->rank, ph_team()->size, &begin, &end);
    ph_system_number(system, begin, end);
    for (size_t i = begin; i < end; ++i)
        list_costs_place(system, i, i, 0.0);
    enum ph_status status = ph_tiles_begin(system, &tiles, &err);
    for (int list = 0; list < 2 && status == PH_OK; ++list) {
        const struct ph_owned *own = &tiles.share->owners.own;
        for (size_t k = 0; k < own->n; ++k)
            list_costs_place(system, own->molecule[k], own->number ? own->number[own->molecule[k]] : own->molecule[k],
                             0.2 * list);
        in_use.now = in_use.most = 0;
        forked.traffic = (struct forked_traffic){0, 0};
        const double began = list_costs_clock();
        status = ph_tiles_neighbours(system, &state, 1.0, LIST_COSTS_FIELDS, &tiles, &err);
        *costs = (struct list_costs){.own = own->n,
                                     .ghosts = own->n_ghosts,
                                     .most_bytes = (size_t)in_use.most,
                                     .traffic = forked.traffic,
                                     .seconds = list_costs_clock() - began};
    }
    if (status != PH_OK) {
        fprintf(stderr, "rank %zu: %s\n", ph_team()->rank, err.text);
        return 1;
    }
    costs->resident = list_costs_resident();
    costs->neighbours = list_costs_neighbours(&tiles);
    ph_tiles_clear(&tiles);
    ph_system_destroy(system);
    return 0;
}

/* Returns the costs of each rank; NULL if one failed. The caller unmaps them. */
static struct list_costs *list_costs_count(size_t ranks, struct list_costs_system *system)
{
    const size_t bytes_each = 400 * (system->n_molecules / ranks + 10000);
    return forked_run(ranks, bytes_each, sizeof(struct list_costs), list_costs_rank, system);
}

#endif
