/* SPDX-License-Identifier: MIT */
#include "force/pairs/lists/tile_fill.h"

#include "force/pairs/loops/gathered.h"

enum { IMAGES = PH_IMAGES * PH_IMAGES * PH_IMAGES };

/* Records of all copies, each with the shift of its image */
PH_INLINE void copy_records(const struct ph_tile *tile, const double *restrict site, size_t record,
                            const double *restrict shift)
{
    double *restrict in = tile->in;
    for (size_t l = 0; l < tile->n_home; ++l)
        memcpy(in + l * record, site + tile->molecule[l] * record, record * sizeof(double));
    for (size_t l = tile->n_home; l < tile->n_local; ++l) {
        const double *restrict from = site + tile->molecule[l] * record, *restrict by = shift + tile->image[l] * record;
        for (size_t f = 0; f < record; ++f)
            in[l * record + f] = from[f] + by[f];
    }
}

/* Fills in molecules with one layout: shifts positions, not dipoles. */
static void copy_alike(const struct ph_layout *layout, size_t record, const double *site, const double shift[][3],
                       struct ph_tile *tile)
{
    double of_record[IMAGES * 6 * PH_SITES_MAX];
    memset(of_record, 0, IMAGES * record * sizeof(double));
    for (size_t image = 0; image < IMAGES; ++image)
        for (size_t k = 0; k < layout->n_sites; ++k)
            memcpy(of_record + image * record + layout->position[k], shift[image], sizeof shift[image]);
    PH_FOR_FIELDS(record, copy_records(tile, site, FIELDS, of_record))
}

static void shift_copies(const struct ph_pair_table *table, const struct ph_system *system, const double shift[][3],
                         struct ph_tile *tile)
{
    for (size_t l = tile->n_home; l < tile->n_local; ++l) {
        const struct ph_layout *layout = ph_layout_of(table, system, tile->molecule[l]);
        for (size_t k = 0; k < layout->n_sites; ++k)
            for (size_t x = 0; x < 3; ++x)
                *ph_field_at(tile->in, tile, layout->position[k] + x, l) += shift[tile->image[l]][x];
    }
}

static void fill_records(const struct ph_pair_table *table, const struct ph_system *system, const double *site,
                         const double shift[][3], struct ph_tile *tile)
{
    const size_t record = table->record;
    memset(tile->out, 0, tile->n_local * record * sizeof(double));
    if (table->kind_end[0] == table->n_species) {
        copy_alike(&table->layout[0], record, site, shift, tile);
        return;
    }
    for (size_t l = 0; l < tile->n_local; ++l)
        memcpy(tile->in + l * record, site + tile->molecule[l] * record, record * sizeof(double));
    shift_copies(table, system, shift, tile);
}

static void fill_rows(const struct ph_pair_table *table, const struct ph_system *system, const double *site,
                      const double shift[][3], struct ph_tile *tile)
{
    for (size_t f = 0; f < table->n_fields; ++f)
        for (size_t l = 0; l < tile->n_local; ++l) {
            *ph_field_at(tile->in, tile, f, l) = site[tile->molecule[l] * table->record + f];
            *ph_field_at(tile->out, tile, f, l) = 0.0;
        }
    shift_copies(table, system, shift, tile);
}

void ph_tile_fill(const struct ph_pair_table *table, const struct ph_system *system, const double *site,
                  const double shift[][3], struct ph_tile *tile)
{
    if (tile->neighbour)
        fill_records(table, system, site, shift, tile);
    else
        fill_rows(table, system, site, shift, tile);
}
