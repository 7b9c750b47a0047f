/* SPDX-License-Identifier: MIT */
#include "force/pairs/lists/short_lists.h"

#include "force/pairs/loops/gathered.h"

/* Pairs of many molecules i, one after the other: the pairs of molecule i[m] end at end[m] */
struct flat {
    struct ph_gathered g; /* in: of j, positions relative to i; second: positions of i; out: of j */
    PH_ALIGNED double mu_i[3][PH_KERNEL_ROW], field_i[3][PH_KERNEL_ROW];
    uint32_t j[PH_KERNEL_CHUNK], i[PH_KERNEL_CHUNK], end[PH_KERNEL_CHUNK];
    size_t n, n_molecules;
};

/* Appends a molecule with n neighbours, which must fit. Its fields are written by whole blocks: the next molecule
 * overwrites the surplus. */
static void append(const struct ph_site_pair *pair, const struct ph_tile *tile, size_t i, const void *list, size_t n,
                   struct flat *flat)
{
    for (size_t x = 0; x < 3; ++x) {
        const double r = *ph_field_at(tile->in, tile, x, i), mu = *ph_field_at(tile->in, tile, pair->dipole_i + x, i);
        for (size_t first = flat->n; first < flat->n + n; first += PH_LANES)
            for (size_t k = first; k < first + PH_LANES; ++k) {
                flat->g.second[x][k] = r;
                flat->mu_i[x][k] = mu;
            }
    }
    for (size_t k = 0; k < n; ++k)
        flat->j[flat->n + k] = (uint32_t)ph_index(list, tile->index_bytes, k);
    flat->n += n;
    flat->i[flat->n_molecules] = (uint32_t)i;
    flat->end[flat->n_molecules++] = (uint32_t)flat->n;
}

/* Adds the results of each molecule and its neighbours, in the order of the list. */
PH_INLINE void add_flat(const struct ph_site_pair *pair, size_t n_fields, struct ph_tile *tile, struct flat *flat)
{
    const bool dipole = pair->electric == PH_KERNEL_DIPOLE_DIPOLE;
    size_t begin = 0;
    for (size_t m = 0; m < flat->n_molecules; ++m) {
        const size_t end = flat->end[m];
        double force[3] = {0.0}, field[3] = {0.0};
        for (size_t k = begin; k < end; ++k)
            for (size_t x = 0; x < 3; ++x) {
                force[x] += flat->g.out[x][k];
                field[x] += dipole ? flat->field_i[x][k] : 0.0;
            }
        for (size_t x = 0; x < 3; ++x) {
            *ph_field_at(tile->out, tile, x, flat->i[m]) -= force[x];
            if (dipole)
                *ph_field_at(tile->out, tile, pair->dipole_i + x, flat->i[m]) += field[x];
        }
        ph_scatter_fields(tile->out, tile->local_step, n_fields, flat->j + begin, sizeof *flat->j, end - begin,
                          (double(*)[PH_KERNEL_ROW])(void *)(flat->g.out[0] + begin));
        begin = end;
    }
}

static void interact_flat(const struct ph_site_pairs *pairs, const struct ph_layout *layout, bool energy,
                          struct ph_tile *tile, struct flat *flat)
{
    const struct ph_site_pair *pair = pairs->pair;
    const size_t n = flat->n;
    struct ph_gathered *g = &flat->g;
    ph_gather_list(tile, layout->n_fields, flat->j, sizeof *flat->j, n, g);
    for (size_t x = 0; x < 3; ++x) {
        double *restrict d = g->in[x];
        const double *restrict r = g->second[x];
        PH_SIMD
        for (size_t k = 0; k < n; ++k)
            d[k] -= r[k];
    }
    const size_t padded = ph_pad(layout, n, PH_BEYOND_CUTOFF, g);
    struct ph_flat_rows rows;
    for (size_t x = 0; x < 3; ++x) {
        memset(flat->mu_i[x] + n, 0, (padded - n) * sizeof(double));
        rows.d[x] = g->in[x];
        rows.mu_i[x] = flat->mu_i[x];
        rows.mu_j[x] = g->in[pair->dipole_j + x];
        rows.force[x] = g->out[x];
        rows.field_i[x] = flat->field_i[x];
        rows.field_j[x] = g->out[pair->dipole_j + x];
    }
    pair->flat[energy](&pair->term, padded, &rows, &tile->energy_radial, &tile->energy_electric);
    PH_FOR_FIELDS(layout->n_fields, add_flat(pair, FIELDS, tile, flat))
    flat->n = flat->n_molecules = 0;
}

void ph_short_lists(const struct ph_pair_table *table, const struct ph_system *system, size_t own, size_t kind,
                    size_t s, bool energy, struct ph_tile *tile)
{
    const size_t n_species = table->n_species, bytes = tile->index_bytes;
    const struct ph_site_pairs *pairs = &table->of[own * n_species + s];
    const bool alone = table->kind_end[kind] == kind + 1; /* then all parts follow each other */
    struct flat flat;
    flat.n = flat.n_molecules = 0;
    if (table->layout[s].n_fields % 2)
        memset(flat.g.out[table->layout[s].n_fields], 0, sizeof flat.g.out[0]);
    for (size_t c = 0; c < tile->n_couples; ++c) {
        const size_t i = tile->couple[c], list = c * n_species;
        const uint32_t(*end)[PH_TILE_PARTS] = (const uint32_t(*)[PH_TILE_PARTS])(tile->part_end + list);
        const char *near = (const char *)tile->near + tile->begin[list + kind] * bytes;
        if (n_species > 1 && ph_system_species_of(system, tile->molecule[i]) != own)
            continue;
        for (size_t part = alone ? PH_TILE_PARTS - 1 : 0; part < PH_TILE_PARTS; ++part) {
            size_t k = alone ? 0 : s > kind ? end[s - 1][part] : part > 0 ? end[table->kind_end[s] - 1][part - 1] : 0;
            while (k < end[s][part]) {
                const size_t n = ph_at_most(end[s][part] - k, PH_KERNEL_CHUNK - flat.n);
                append(pairs->pair, tile, i, near + k * bytes, n, &flat);
                k += n;
                if (flat.n == PH_KERNEL_CHUNK)
                    interact_flat(pairs, &table->layout[s], energy, tile, &flat);
            }
        }
    }
    if (flat.n > 0)
        interact_flat(pairs, &table->layout[s], energy, tile, &flat);
}
