/* SPDX-License-Identifier: MIT */
/* A list build costs a rank memory for its own molecules and for those around them, however large the system is. */
#include "support.h"

#include "list_costs.h"

/* Costs of the rank that needs most memory. All ranks together have every molecule, and every pair once. */
static struct list_costs measure(size_t ranks, int cells, size_t neighbours)
{
    struct list_costs_system system = {.n_molecules = 2 * (size_t)cells * (size_t)cells * (size_t)cells,
                                       .cells = cells};
    struct list_costs *costs = list_costs_count(ranks, &system), most = {.own = 0};
    size_t own = 0, listed = 0;
    assert_non_null(costs);
    for (size_t p = 0; p < ranks; ++p) {
        own += costs[p].own;
        listed += costs[p].neighbours;
        if (costs[p].most_bytes > most.most_bytes)
            most = costs[p];
    }
    assert_int_equal(own, system.n_molecules);
    if (neighbours > 0)
        assert_int_equal(listed, neighbours);
    munmap(costs, ranks * sizeof *costs);
    return most;
}

/* The lists of one process, which has all molecules */
static int list_alone(void *result, void *data)
{
    struct ph_system *system = list_costs_create(data);
    struct ph_tiles tiles = {.n = 0};
    struct ph_error err = {.text = ""};
    if (!system)
        return 1;
    for (size_t i = 0; i < system->n; ++i)
        list_costs_place(system, i, i, 0.2);
    if (ph_tiles_neighbours(system, NULL, 1.0, LIST_COSTS_FIELDS, &tiles, &err) != PH_OK)
        return 1;
    ((struct list_costs *)result)->neighbours = list_costs_neighbours(&tiles);
    ph_tiles_clear(&tiles);
    ph_system_destroy(system);
    return 0;
}

/* Eight times as many ranks share eight times as many cells. Ranks have as many molecules as before, and need as much
 * memory: the table of ranks may grow. A number for each cell of the whole grid would add 256 kB, one for each tile of
 * the system some hundred bytes. */
static void memory_for_lists_does_not_grow_with_the_grid(void **state)
{
    struct list_costs_system few = {.n_molecules = 2 * 20 * 20 * 20, .cells = 20};
    struct list_costs *alone = forked_run(1, 1 << 20, sizeof *alone, list_alone, &few);
    assert_non_null(alone);
    const struct list_costs small = measure(8, 20, alone->neighbours), large = measure(64, 40, 0);
    munmap(alone, sizeof *alone);
    assert_in_range(large.own, small.own * 9 / 10, small.own * 11 / 10);
    const double each_small = (double)small.most_bytes / (double)(small.own + small.ghosts);
    const double each_large = (double)large.most_bytes / (double)(large.own + large.ghosts);
    print_message("bytes for a molecule: %.0f of %zu + %zu, %.0f of %zu + %zu\n", each_small, small.own, small.ghosts,
                  each_large, large.own, large.ghosts);
    assert_true(each_small > 50.0 && each_large < 1.1 * each_small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory_for_lists_does_not_grow_with_the_grid)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
