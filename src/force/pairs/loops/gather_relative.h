/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_LOOPS_GATHER_RELATIVE_H
#define PH_FORCE_PAIRS_LOOPS_GATHER_RELATIVE_H

/* Gathers neighbours of models with one site, with positions relative to the molecules of a couple. */

#include "force/pairs/loops/gathered.h"

/* Gathers records of one site into rows, with positions relative to one or two molecules. */
PH_INLINE void ph_gather_site(const struct ph_tile *tile, bool dipole, bool both, size_t first, size_t second,
                              const void *restrict list, size_t bytes, size_t n, struct ph_gathered *restrict g)
{
    const size_t step = tile->local_step;
    const double *records = tile->in, *r1 = records + first * step, *r2 = records + second * step;
    /* Copies, because the compiler cannot exclude that rows overlap */
    const double x1 = r1[0], y1 = r1[1], z1 = r1[2], x2 = r2[0], y2 = r2[1], z2 = r2[2];
    double *restrict dx = g->in[0], *restrict dy = g->in[1], *restrict dz = g->in[2], *restrict mx = g->in[3];
    double *restrict ex = g->second[0], *restrict ey = g->second[1], *restrict ez = g->second[2];
    size_t k = 0;
    for (; k + 3 < n; k += 4) {
        const double *a = records + ph_index(list, bytes, k) * step, *b = records + ph_index(list, bytes, k + 1) * step;
        const double *c = records + ph_index(list, bytes, k + 2) * step,
                     *d = records + ph_index(list, bytes, k + 3) * step;
        ph_four x = ph_load_four(a), y = ph_load_four(b), z = ph_load_four(c), mu = ph_load_four(d);
        ph_transpose(&x, &y, &z, &mu); /* from four records to four fields */
        ph_store_four(dx + k, ph_less(x, x1));
        ph_store_four(dy + k, ph_less(y, y1));
        ph_store_four(dz + k, ph_less(z, z1));
        if (both) {
            ph_store_four(ex + k, ph_less(x, x2));
            ph_store_four(ey + k, ph_less(y, y2));
            ph_store_four(ez + k, ph_less(z, z2));
        }
        if (dipole) {
            ph_store_four(mx + k, mu);
            ph_gather_four(a, b, c, d, 4, 6, k, g->in);
        }
    }
    for (; k < n; k += 2) {
        const double *a = records + ph_index(list, bytes, k) * step,
                     *b = records + ph_index(list, bytes, k + 1 < n ? k + 1 : k) * step;
        const ph_two a0 = ph_load_two(a), b0 = ph_load_two(b), a2 = ph_load_two(a + 2), b2 = ph_load_two(b + 2);
        const ph_two x = __builtin_shufflevector(a0, b0, 0, 2), y = __builtin_shufflevector(a0, b0, 1, 3);
        const ph_two z = __builtin_shufflevector(a2, b2, 0, 2);
        ph_store_two(dx + k, x - x1);
        ph_store_two(dy + k, y - y1);
        ph_store_two(dz + k, z - z1);
        if (both) {
            ph_store_two(ex + k, x - x2);
            ph_store_two(ey + k, y - y2);
            ph_store_two(ez + k, z - z2);
        }
        if (dipole) {
            ph_store_two(mx + k, __builtin_shufflevector(a2, b2, 1, 3));
            ph_gather_two(a, b, 4, 6, k, g->in);
        }
    }
}

static inline void ph_gather_relative(const struct ph_tile *tile, bool dipole, size_t first, size_t second,
                                      const void *list, size_t bytes, size_t n, struct ph_gathered *g)
{
    if (dipole && first != second)
        PH_FOR_INDICES(bytes, ph_gather_site(tile, true, true, first, second, list, BYTES, n, g))
    else if (dipole)
        PH_FOR_INDICES(bytes, ph_gather_site(tile, true, false, first, second, list, BYTES, n, g))
    else if (first != second)
        PH_FOR_INDICES(bytes, ph_gather_site(tile, false, true, first, second, list, BYTES, n, g))
    else
        PH_FOR_INDICES(bytes, ph_gather_site(tile, false, false, first, second, list, BYTES, n, g))
}

#endif
