/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_LOOPS_GATHERED_H
#define PH_FORCE_PAIRS_LOOPS_GATHERED_H

/* Neighbours from a list, copied from the records of a tile into rows that kernels take */

#include "force/pairs/lists/tile.h"
#include "force/pairs/loops/gather.h"
#include "force/pairs/pair_table.h"

PH_INLINE double *ph_field_at(double *fields, const struct ph_tile *tile, size_t f, size_t l)
{
    return fields + f * tile->field_step + l * tile->local_step;
}

PH_INLINE size_t ph_at_most(size_t n, size_t most) { return n < most ? n : most; }

enum { PH_TERMS_AT_ONCE = 2 * PH_LANES }; /* constants of a mixture that are written together */

/* Neighbours of a couple, copied from a list into rows and back. Models with one site have their positions relative to
 * the first molecule of the couple in `in`, and to the second in `second`. */
struct ph_gathered {
    PH_ALIGNED double in[6 * PH_SITES_MAX][PH_KERNEL_ROW], out[6 * PH_SITES_MAX][PH_KERNEL_ROW];
    PH_ALIGNED double second[3][PH_KERNEL_ROW];
    PH_ALIGNED double term[PH_TERM_ROWS][PH_KERNEL_CHUNK + PH_TERMS_AT_ONCE]; /* of mixtures */
};

static inline void ph_gather_list(const struct ph_tile *tile, size_t n_fields, const void *list, size_t bytes, size_t n,
                                  struct ph_gathered *g)
{
    PH_FOR_FIELDS(n_fields,
                  PH_FOR_INDICES(bytes, ph_gather_fields(tile->in, tile->local_step, FIELDS, list, BYTES, n, g->in)))
}

/* Fills a chunk up to whole blocks with sites that are too far away to matter. A scalar loop over the rest would cost
 * as much as several vectors. */
static inline size_t ph_pad(const struct ph_layout *layout, size_t n, double far_away, struct ph_gathered *g)
{
    const size_t padded = (n + PH_LANES - 1) / PH_LANES * PH_LANES;
    for (size_t k = n; k < padded; ++k)
        for (size_t x = 0; x < 3; ++x) {
            for (size_t a = 0; a < layout->n_sites; ++a) {
                for (size_t m = 0; m < layout->n_axes[a]; ++m)
                    g->in[layout->axis[a][m] + x][k] = 0.0;
                g->in[layout->dipole[a] + x][k] = 0.0;
                g->in[layout->position[a] + x][k] = far_away;
            }
            g->second[x][k] = far_away;
        }
    return padded;
}

#endif
