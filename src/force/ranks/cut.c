/* SPDX-License-Identifier: MIT */
#include "force/ranks/cut.h"

#include "parallel/team.h"

/* Counts local molecules in the octants of a block; each octant has so many keys. */
static void count_octants(const struct ph_cells *cells, const struct ph_cut *cut, uint32_t keys, uint32_t *counts)
{
    uint32_t from = cut->begin;
    for (uint32_t octant = 0; octant < PH_OCTANTS; ++octant) {
        const uint32_t to = ph_cells_from(cells, from, cut->end, cut->key + (octant + 1) * keys);
        counts[octant] = cells->start[to] - cells->start[from];
        from = to;
    }
}

/* Goes on to the octant that holds the last of the molecules before the cut. */
static void descend(const struct ph_cells *cells, const uint32_t *counts, uint32_t keys, struct ph_cut *cut)
{
    uint32_t octant = 0;
    for (; octant + 1 < PH_OCTANTS && cut->before + counts[octant] < cut->wanted; ++octant)
        cut->before += counts[octant];
    cut->within = counts[octant];
    cut->key += octant * keys;
    cut->begin = ph_cells_from(cells, cut->begin, cut->end, cut->key);
    cut->end = ph_cells_from(cells, cut->begin, cut->end, cut->key + keys);
}

void ph_cut_find(const struct ph_cells *cells, size_t n_molecules, size_t n, struct ph_cut *cut, uint32_t *counts)
{
    for (size_t p = 0; p < n; ++p)
        cut[p] = (struct ph_cut){.wanted = cut[p].wanted, .within = n_molecules, .end = (uint32_t)cells->n_cells};
    for (int level = cells->levels - 1; level >= 0; --level) {
        const uint32_t keys = (uint32_t)1 << (3 * level);
        for (size_t p = 0; p < n; ++p)
            count_octants(cells, &cut[p], keys, counts + p * PH_OCTANTS);
        ph_team()->sum(n * PH_OCTANTS, counts);
        for (size_t p = 0; p < n; ++p)
            descend(cells, counts + p * PH_OCTANTS, keys, &cut[p]);
    }
    for (size_t p = 0; p < n; ++p) { /* the block is one cell: cut behind it, unless no molecule comes before */
        const bool first = cut[p].wanted == 0;
        cut[p].key = first ? 0 : cut[p].key + 1;
        cut[p].before = first ? 0 : cut[p].before + cut[p].within;
    }
}
