/* SPDX-License-Identifier: MIT */
#include "force/pairs/pair_groups.h"

#include <stdlib.h>

static bool has_lennard_jones(const struct ph_site_pair *pair) { return pair->radial == PH_KERNEL_LENNARD_JONES; }

/* Whether charges need no truncation but their own end */
static bool ends_by_itself(const struct ph_site_pair *pair) { return pair->term.field.edge > 0.0 || pair->term.split; }

/* Whether a pair can be one of a group */
static bool is_plain(const struct ph_site_pair *pair)
{
    return (pair->electric == PH_KERNEL_CHARGE_CHARGE && pair->radial == PH_KERNEL_NO_RADIAL) ||
           ((pair->electric == PH_KERNEL_CHARGE_CHARGE || pair->electric == PH_KERNEL_NO_ELECTRIC) &&
            has_lennard_jones(pair));
}

/* Whether two of them can be in the same */
static bool go_together(const struct ph_site_pair *a, const struct ph_site_pair *b)
{
    return a->position_j == b->position_j && a->electric == b->electric &&
           (a->truncate == b->truncate || (a->electric != PH_KERNEL_NO_ELECTRIC && ends_by_itself(a)));
}

/* Adds a group of the first n of these pairs, if there are kernels for it. Pairs with Lennard-Jones centres come first,
 * and their truncation counts. */
static bool add_group(struct ph_site_pairs *pairs, size_t n, const size_t member[])
{
    const struct ph_site_pair *first = &pairs->pair[member[0]];
    const bool charges = first->electric == PH_KERNEL_CHARGE_CHARGE;
    struct ph_site_group group = {.n = n};
    size_t n_lj = 0;
    for (size_t k = 0; k < n; ++k) {
        group.pair[k] = member[k];
        n_lj += has_lennard_jones(&pairs->pair[member[k]]);
    }
    for (int energy = 0; energy < 2 && n > 1; ++energy) {
        group.kernel[0][energy] = ph_group_find(n, n_lj, charges, first->truncate, energy == 1);
        group.kernel[1][energy] = ph_group_find(n, n_lj, charges, PH_INSIDE, energy == 1);
    }
    if (n > 1 && !group.kernel[0][0])
        return false;
    pairs->group[pairs->n_groups++] = group;
    return true;
}

/* Puts pair k into a group with others that have the same site of j: threes, but two and two of four. */
static void find_group(struct ph_site_pairs *pairs, size_t k, bool *taken)
{
    const struct ph_site_pair *first = &pairs->pair[k];
    size_t member[PH_GROUP_MAX] = {k}, n = 1, all = 1;
    for (int lennard_jones = 1; lennard_jones >= 0 && is_plain(first); --lennard_jones)
        for (size_t m = 0; m < pairs->n; ++m) {
            const struct ph_site_pair *other = &pairs->pair[m];
            if (m == k || taken[m] || !is_plain(other) || has_lennard_jones(other) != (lennard_jones == 1) ||
                !go_together(first, other))
                continue;
            ++all;
            if (n < PH_GROUP_MAX)
                member[n++] = m;
        }
    n = all == 4 ? 2 : n;
    while (!add_group(pairs, n, member))
        --n;
    for (size_t m = 0; m < n; ++m)
        taken[member[m]] = true;
}

/* Pairs with a Lennard-Jones centre look for companions first: they must be the first of a group. */
enum ph_status ph_pair_groups_make(struct ph_site_pairs *pairs, struct ph_error *err)
{
    bool *taken = calloc(pairs->n + 1, sizeof *taken);
    pairs->group = calloc(pairs->n + 1, sizeof *pairs->group);
    const bool complete = taken && pairs->group;
    for (int turn = 0; turn < 2 && complete; ++turn)
        for (size_t k = 0; k < pairs->n; ++k)
            if (!taken[k] && (turn == 1 || has_lennard_jones(&pairs->pair[k])))
                find_group(pairs, k, taken);
    free(taken);
    return complete ? PH_OK : ph_no_memory(err, "the table of pair interactions");
}
