/* SPDX-License-Identifier: MIT */
/* Prints the cost of a list build, the mean and the largest of many simulated ranks:
 *   list_costs RANKS CELLS [MOLECULES]
 * The box has CELLS cells along each edge. The default of MOLECULES is two in each cell. */
#include "list_costs.h"

static void print(const char *what, size_t ranks, const struct list_costs *costs, size_t offset)
{
    size_t sum = 0, most = 0;
    for (size_t p = 0; p < ranks; ++p) {
        size_t number;
        memcpy(&number, (const char *)&costs[p] + offset, sizeof number);
        sum += number;
        most = number > most ? number : most;
    }
    printf("%-34s %12zu %12zu\n", what, sum / ranks, most);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "list_costs RANKS CELLS [MOLECULES]\n");
        return 2;
    }
    const size_t ranks = (size_t)atol(argv[1]);
    struct list_costs_system system = {.cells = atoi(argv[2])};
    system.n_molecules =
        argc > 3 ? (size_t)atol(argv[3]) : 2 * (size_t)system.cells * (size_t)system.cells * (size_t)system.cells;
    const struct list_costs *costs = list_costs_count(ranks, &system);
    if (!costs)
        return 1;
    printf("%zu ranks, %d^3 cells, %zu molecules\n%-34s %12s %12s\n", ranks, system.cells, system.n_molecules,
           "for each rank", "mean", "largest");
    print("molecules", ranks, costs, offsetof(struct list_costs, own));
    print("ghosts", ranks, costs, offsetof(struct list_costs, ghosts));
    print("bytes allocated for a list", ranks, costs, offsetof(struct list_costs, most_bytes));
    print("bytes resident after it", ranks, costs, offsetof(struct list_costs, resident));
    print("bytes to all ranks", ranks, costs, offsetof(struct list_costs, traffic.to_all));
    print("bytes in messages", ranks, costs, offsetof(struct list_costs, traffic.to_some));
    double sum = 0.0, most = 0.0;
    for (size_t p = 0; p < ranks; ++p) {
        sum += costs[p].seconds;
        most = fmax(most, costs[p].seconds);
    }
    printf("%-34s %12.4f %12.4f\n", "seconds of the processor", sum / (double)ranks, most);
    return 0;
}
