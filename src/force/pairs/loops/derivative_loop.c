/* SPDX-License-Identifier: MIT */
#include "force/pairs/loops/derivative_loop.h"

#include "base/array.h"
#include "base/lanes.h"
#include "force/pairs/loops/gather.h"

#include <stdlib.h>

enum ph_status ph_derivative_reserve(const struct ph_pair_table *table, const struct ph_tile *tile,
                                     struct ph_derivative_tile *own, struct ph_error *err)
{
    const size_t row = (tile->n_local + PH_LANES) / PH_LANES * PH_LANES, even = table->record;
    const bool side_by_side = tile->neighbour != NULL;
    own->field_step = side_by_side ? 1 : row;
    own->in_step = side_by_side ? 2 * even : 1;
    own->out_step = side_by_side ? even : 1;
    if (row <= own->room)
        return PH_OK;
    const size_t room = ph_padded(row + row / 16 + PH_LANES); /* later lists have nearly this size */
    free(own->in);
    free(own->out);
    own->in = ph_array_create(2 * even * room, sizeof(double));
    own->out = ph_array_create(even * room, sizeof(double));
    own->room = own->in && own->out ? room : 0;
    if (own->room == 0)
        return ph_no_memory(err, "the force derivatives of %zu molecules", tile->n_local);
    return PH_OK;
}

static const struct ph_layout *layout_of_local(const struct ph_pair_table *table, const struct ph_system *system,
                                               const struct ph_tile *tile, size_t l)
{
    return &table->layout[system->n_species == 1 ? 0 : ph_system_species_of(system, tile->molecule[l])];
}

PH_INLINE double *in_at(const struct ph_derivative_tile *own, size_t f, size_t l)
{
    return own->in + f * own->field_step + l * own->in_step;
}

PH_INLINE double *out_at(const struct ph_derivative_tile *own, size_t f, size_t l)
{
    return own->out + f * own->field_step + l * own->out_step;
}

static void fill(const struct ph_pair_table *table, const struct ph_system *system, const double *moving,
                 const double shift[][3], const struct ph_tile *tile, const struct ph_derivative_tile *own)
{
    for (size_t l = 0; l < tile->n_local; ++l) {
        const struct ph_layout *layout = layout_of_local(table, system, tile, l);
        const double *record = moving + tile->molecule[l] * 2 * table->record;
        if (tile->neighbour)
            memcpy(own->in + l * own->in_step, record, 2 * layout->n_fields * sizeof(double));
        else
            for (size_t f = 0; f < 2 * layout->n_fields; ++f)
                *in_at(own, f, l) = record[f];
        for (size_t k = 0; k < layout->n_sites && l >= tile->n_home; ++k) /* images; dipoles and rates have none */
            for (size_t x = 0; x < 3; ++x)
                *in_at(own, layout->position[k] + x, l) += shift[tile->image[l]][x];
    }
    memset(own->out, 0, table->record * (tile->neighbour ? tile->n_local : own->field_step) * sizeof(double));
}

/* Neighbours of a couple, copied from a list into rows and back. Models with one site have positions and velocities
 * relative to the first molecule of the couple in `in`, and to the second in `second`. */
struct gathered {
    PH_ALIGNED double in[12 * PH_SITES_MAX][PH_KERNEL_ROW], out[6 * PH_SITES_MAX][PH_KERNEL_ROW];
    PH_ALIGNED double second[6][PH_KERNEL_ROW];
};

/* A position and its rate, twice */
struct twice {
    ph_two at[6];
};

PH_INLINE struct twice place_of(const struct ph_derivative_tile *own, size_t n_fields, size_t i)
{
    struct twice place;
    for (size_t x = 0; x < 3; ++x) {
        const double r = *in_at(own, x, i), v = *in_at(own, n_fields + x, i);
        place.at[x] = (ph_two){r, r};
        place.at[3 + x] = (ph_two){v, v};
    }
    return place;
}

/* Records of one site with its rates become rows, relative to one or two molecules with records of n_i fields */
PH_INLINE void gather_site(const struct ph_derivative_tile *own, size_t n_i, bool dipole, bool both, size_t first,
                           size_t second, const void *restrict list, size_t bytes, size_t n,
                           struct gathered *restrict g)
{
    const size_t fields = dipole ? 6 : 3, step = own->in_step;
    const struct twice one = place_of(own, n_i, first), other = place_of(own, n_i, second);
    for (size_t k = 0; k < n; k += 2) {
        const double *restrict a = own->in + ph_index(list, bytes, k) * step;
        const double *restrict b = own->in + ph_index(list, bytes, k + 1 < n ? k + 1 : k) * step;
        for (size_t f = 0; f < 2 * fields; f += 2) {
            const ph_two of_a = ph_load_two(a + f), of_b = ph_load_two(b + f);
            const ph_two pair[2] = {__builtin_shufflevector(of_a, of_b, 0, 2),
                                    __builtin_shufflevector(of_a, of_b, 1, 3)};
            for (size_t h = 0; h < 2; ++h) {
                const size_t row = f + h, x = row % fields, of_place = row < fields ? x : 3 + x;
                ph_store_two(g->in[row] + k, x < 3 ? pair[h] - one.at[of_place] : pair[h]);
                if (x < 3 && both)
                    ph_store_two(g->second[of_place] + k, pair[h] - other.at[of_place]);
            }
        }
    }
}

static void gather_relative(const struct ph_derivative_tile *own, size_t n_i, bool dipole, size_t first, size_t second,
                            const void *list, size_t bytes, size_t n, struct gathered *g)
{
    if (dipole && first != second)
        PH_FOR_INDICES(bytes, gather_site(own, n_i, true, true, first, second, list, BYTES, n, g))
    else if (dipole)
        PH_FOR_INDICES(bytes, gather_site(own, n_i, true, false, first, second, list, BYTES, n, g))
    else if (first != second)
        PH_FOR_INDICES(bytes, gather_site(own, n_i, false, true, first, second, list, BYTES, n, g))
    else
        PH_FOR_INDICES(bytes, gather_site(own, n_i, false, false, first, second, list, BYTES, n, g))
}

static void gather(const struct ph_derivative_tile *own, size_t n_fields, const void *list, size_t bytes, size_t n,
                   struct gathered *g)
{
    PH_FOR_FIELDS(n_fields,
                  PH_FOR_INDICES(bytes, ph_gather_fields(own->in, own->in_step, 2 * FIELDS, list, BYTES, n, g->in)))
}

static void scatter(const struct ph_derivative_tile *own, size_t n_fields, const void *list, size_t bytes, size_t n,
                    struct gathered *g)
{
    PH_FOR_FIELDS(n_fields,
                  PH_FOR_INDICES(bytes, ph_scatter_fields(own->out, own->out_step, FIELDS, list, BYTES, n, g->out)))
}

/* Fills a chunk up to whole blocks with sites at rest so far away that every term is 0. */
static size_t pad(const struct ph_layout *layout, size_t n, double far_away, struct gathered *g)
{
    const size_t padded = (n + PH_LANES - 1) / PH_LANES * PH_LANES;
    for (size_t k = n; k < padded; ++k) {
        for (size_t f = 0; f < 2 * layout->n_fields; ++f)
            g->in[f][k] = 0.0;
        for (size_t x = 0; x < 3; ++x) {
            for (size_t a = 0; a < layout->n_sites; ++a)
                g->in[layout->position[a] + x][k] = far_away;
            g->second[x][k] = far_away;
            g->second[3 + x][k] = 0.0;
        }
    }
    return padded;
}

/* One pair of sites: molecule i, whose record has n_i fields, against n molecules in rows */
static void interact(const struct ph_site_pair *pair, ph_derivative_kernel *kernel,
                     const struct ph_derivative_tile *own, size_t i, size_t n_i, size_t n,
                     const struct ph_derivative_j *j)
{
    struct ph_derivative_i site = {.force = {0.0}};
    for (size_t x = 0; x < 3; ++x) {
        site.r[x] = *in_at(own, pair->position_i + x, i);
        site.mu[x] = *in_at(own, pair->dipole_i + x, i);
        site.r_rate[x] = *in_at(own, n_i + pair->position_i + x, i);
        site.mu_rate[x] = *in_at(own, n_i + pair->dipole_i + x, i);
    }
    kernel(&pair->term, n, j, &site);
    for (size_t x = 0; x < 3; ++x) {
        *out_at(own, pair->position_i + x, i) += site.force[x];
        if (pair->dipole_i != pair->position_i)
            *out_at(own, pair->dipole_i + x, i) += site.field[x];
    }
}

/* The same with an angular form */
static void interact_angular(const struct ph_site_pair *pair, bool inside, const struct ph_derivative_tile *own,
                             size_t i, size_t n_i, size_t n_j, size_t n, double *const in[], double *const out[])
{
    const struct ph_angular_term *term = &pair->angular;
    struct ph_angular_i site = {.energy = 0.0};
    struct ph_angular_j j = {.r = {NULL}};
    for (size_t x = 0; x < 3; ++x) {
        site.r[x] = *in_at(own, pair->position_i + x, i);
        site.r_rate[x] = *in_at(own, n_i + pair->position_i + x, i);
        for (size_t m = 0; m < term->n_i; ++m) {
            site.axis[m][x] = *in_at(own, pair->axis_i[m] + x, i);
            site.axis_rate[m][x] = *in_at(own, n_i + pair->axis_i[m] + x, i);
        }
        j.r[x] = in[pair->position_j + x];
        j.r_rate[x] = in[n_j + pair->position_j + x];
        j.force[x] = out[pair->position_j + x];
        for (size_t m = 0; m < term->n_j; ++m) {
            j.axis[m][x] = in[pair->axis_j[m] + x];
            j.axis_rate[m][x] = in[n_j + pair->axis_j[m] + x];
            j.field[m][x] = out[pair->axis_j[m] + x];
        }
    }
    const enum ph_truncate truncate = inside && !term->ends ? PH_INSIDE : pair->truncate;
    pair->angular_kernel[true](term, truncate, &pair->term, n, &j, &site);
    for (size_t x = 0; x < 3; ++x) {
        *out_at(own, pair->position_i + x, i) += site.force[x];
        for (size_t m = 0; m < term->n_i; ++m)
            *out_at(own, pair->axis_i[m] + x, i) += site.field[m][x];
    }
}

/* All pairs of sites of molecule i and n molecules with n_j fields, which are at in[f] and out[f] */
static void interact_sites(const struct ph_site_pairs *pairs, bool inside, const struct ph_derivative_tile *own,
                           size_t i, size_t n_i, size_t n_j, size_t n, double *const in[], double *const out[])
{
    for (size_t t = 0; t < pairs->n; ++t) {
        const struct ph_site_pair *pair = &pairs->pair[t];
        if (pair->angular.kind != PH_ANGULAR_NONE) {
            interact_angular(pair, inside, own, i, n_i, n_j, n, in, out);
            continue;
        }
        struct ph_derivative_j j;
        for (size_t x = 0; x < 3; ++x) {
            j.r[x] = in[pair->position_j + x];
            j.mu[x] = in[pair->dipole_j + x];
            j.r_rate[x] = in[n_j + pair->position_j + x];
            j.mu_rate[x] = in[n_j + pair->dipole_j + x];
            j.force[x] = out[pair->position_j + x];
            j.field[x] = out[pair->dipole_j + x];
        }
        interact(pair, pair->derivative[inside][PH_ROWS_ADD], own, i, n_i, n, &j);
    }
}

/* Arguments that from_list passes on for each chunk of a list */
struct visit {
    const struct ph_site_pairs *pairs;
    const struct ph_layout *layout; /* of the molecules j */
    size_t n_i;                     /* fields of molecules i */
    bool inside;
    size_t first, second; /* molecules i; the same if there is but one */
};

static void visit_single(const struct visit *v, const void *list, size_t bytes, size_t n,
                         const struct ph_derivative_tile *own, struct gathered *g)
{
    const struct ph_site_pair *pair = v->pairs->pair;
    const size_t n_j = v->layout->n_fields;
    gather_relative(own, v->n_i, v->layout->has_dipole[0], v->first, v->second, list, bytes, n, g);
    const size_t padded = pad(v->layout, n, PH_BEYOND_CUTOFF, g);
    struct ph_derivative_j j;
    for (size_t x = 0; x < 3; ++x) {
        j.r[x] = g->in[x];
        j.mu[x] = g->in[pair->dipole_j + x];
        j.r_rate[x] = g->in[n_j + x];
        j.mu_rate[x] = g->in[n_j + pair->dipole_j + x];
        j.force[x] = g->out[x];
        j.field[x] = g->out[pair->dipole_j + x];
    }
    interact(pair, pair->derivative[v->inside][PH_ROWS_RELATIVE_SET], own, v->first, v->n_i, padded, &j);
    if (v->second != v->first) {
        for (size_t x = 0; x < 3; ++x) {
            j.r[x] = g->second[x];
            j.r_rate[x] = g->second[3 + x];
        }
        interact(pair, pair->derivative[v->inside][PH_ROWS_RELATIVE_ADD], own, v->second, v->n_i, padded, &j);
    }
    scatter(own, n_j, list, bytes, n, g);
}

static void visit_sites(const struct visit *v, const void *list, size_t bytes, size_t n,
                        const struct ph_derivative_tile *own, struct gathered *g)
{
    const size_t n_j = v->layout->n_fields;
    double *in[12 * PH_SITES_MAX], *out[6 * PH_SITES_MAX];
    gather(own, n_j, list, bytes, n, g);
    const size_t padded = pad(v->layout, n, PH_BEYOND_CUTOFF, g);
    for (size_t f = 0; f < 2 * n_j; ++f)
        in[f] = g->in[f];
    for (size_t f = 0; f < n_j; ++f) {
        out[f] = g->out[f];
        memset(out[f], 0, padded * sizeof(double));
    }
    for (size_t i = v->first; i <= v->second; ++i)
        interact_sites(v->pairs, v->inside, own, i, v->n_i, n_j, padded, in, out);
    scatter(own, n_j, list, bytes, n, g);
}

/* One list of a couple, of the lists `kind` up to `kind_end` of a kind, part by part, in chunks */
static void visit_list(struct visit *v, const struct ph_tile *tile, size_t kind, size_t kind_end, size_t list,
                       const struct ph_derivative_tile *own, struct gathered *g)
{
    const uint32_t(*end)[PH_TILE_PARTS] = (const uint32_t(*)[PH_TILE_PARTS])tile->part_end;
    const size_t bytes = tile->index_bytes;
    const char *near = (const char *)tile->near + tile->begin[kind] * bytes;
    const size_t first = v->first, second = v->second;
    for (size_t part = 0; part < PH_TILE_PARTS && v->pairs->n > 0; ++part) {
        size_t k = list > kind ? end[list - 1][part] : part > 0 ? end[kind_end - 1][part - 1] : 0;
        v->inside = part == PH_PART_INSIDE;
        v->first = part == PH_PART_SECOND ? second : first;
        v->second = part == PH_PART_FIRST ? first : second;
        while (k < end[list][part]) {
            const size_t n = end[list][part] - k < PH_KERNEL_CHUNK ? end[list][part] - k : PH_KERNEL_CHUNK;
            (v->pairs->single ? visit_single : visit_sites)(v, near + k * bytes, bytes, n, own, g);
            k += n;
        }
    }
}

static void from_list(const struct ph_pair_table *table, const struct ph_system *system, const struct ph_tile *tile,
                      const struct ph_derivative_tile *own)
{
    struct gathered g;
    const size_t n_species = system->n_species;
    for (size_t s = 0; s < n_species; ++s)
        if (table->layout[s].n_fields % 2) /* a row is moved along with the last field */
            memset(g.out[table->layout[s].n_fields], 0, sizeof g.out[0]);
    for (size_t c = 0; c < tile->n_couples; ++c) {
        const struct ph_layout *mine = layout_of_local(table, system, tile, tile->couple[c]);
        size_t kind = 0; /* the first list of the present one */
        for (size_t s = 0; s < n_species; ++s) {
            const size_t kind_end = c * n_species + table->kind_end[s];
            kind = s > 0 && table->kind_end[s - 1] > s ? kind : c * n_species + s;
            struct visit v = {.pairs = &table->of[(size_t)(mine - table->layout) * n_species + s],
                              .layout = &table->layout[s],
                              .n_i = mine->n_fields,
                              .first = tile->couple[c],
                              .second = tile->couple[c + 1] - 1};
            visit_list(&v, tile, kind, kind_end, c * n_species + s, own, &g);
        }
    }
}

/* Arguments for all pairs of molecule i with molecules j of one species */
struct all_pairs {
    const struct ph_site_pairs *pairs;
    size_t i, n_i;                  /* molecule i, and how many fields it has */
    const struct ph_layout *layout; /* of the molecules j */
};

/* The last molecules j, fewer than a block: copied, so that the block can be filled up */
static void interact_rest(const struct all_pairs *all, const struct ph_derivative_tile *own, size_t first, size_t n,
                          struct gathered *g)
{
    const size_t n_j = all->layout->n_fields;
    double *in[12 * PH_SITES_MAX], *out[6 * PH_SITES_MAX];
    for (size_t f = 0; f < 2 * n_j; ++f)
        in[f] = memcpy(g->in[f], in_at(own, f, first), n * sizeof(double));
    for (size_t f = 0; f < n_j; ++f)
        out[f] = memset(g->out[f], 0, PH_LANES * sizeof(double));
    const size_t padded = pad(all->layout, n, PH_OUT_OF_SIGHT, g);
    interact_sites(all->pairs, false, own, all->i, all->n_i, n_j, padded, in, out);
    for (size_t f = 0; f < n_j; ++f)
        for (size_t l = 0; l < n; ++l)
            *out_at(own, f, first + l) += out[f][l];
}

static void from_all(const struct ph_pair_table *table, const struct ph_system *system, const struct ph_tile *tile,
                     const struct ph_derivative_tile *own)
{
    struct gathered g;
    const size_t start = tile->n_local > 0 ? tile->molecule[0] : 0; /* local l is molecule start + l */
    for (size_t i = 0; i < tile->n_home; ++i) {
        const size_t own_species = (size_t)(layout_of_local(table, system, tile, i) - table->layout);
        for (size_t s = 0; s < system->n_species; ++s) {
            const size_t first = system->first[s] > start + i ? system->first[s] - start : i + 1;
            const size_t end = system->first[s + 1] > start ? system->first[s + 1] - start : 0;
            const struct all_pairs all = {.pairs = &table->of[own_species * system->n_species + s],
                                          .i = i,
                                          .n_i = table->layout[own_species].n_fields,
                                          .layout = &table->layout[s]};
            const size_t n_j = all.layout->n_fields;
            size_t k = first;
            while (k + PH_LANES <= end) {
                const size_t n = end - k < PH_KERNEL_CHUNK ? (end - k) / PH_LANES * PH_LANES : PH_KERNEL_CHUNK;
                double *in[12 * PH_SITES_MAX], *out[6 * PH_SITES_MAX];
                for (size_t f = 0; f < 2 * n_j; ++f)
                    in[f] = in_at(own, f, k);
                for (size_t f = 0; f < n_j; ++f)
                    out[f] = out_at(own, f, k);
                interact_sites(all.pairs, false, own, i, all.n_i, n_j, n, in, out);
                k += n;
            }
            if (k < end)
                interact_rest(&all, own, k, end - k, &g);
        }
    }
}

void ph_derivative_loop(const struct ph_pair_table *table, const struct ph_system *system, const double *moving,
                        const struct ph_tiles *tiles, const struct ph_tile *tile, struct ph_derivative_tile *own)
{
    if (tile->away)
        return;
    fill(table, system, moving, tiles->shift, tile, own);
    if (tile->neighbour)
        from_list(table, system, tile, own);
    else
        from_all(table, system, tile, own);
}
