/* SPDX-License-Identifier: MIT */
#include "force/derivative_loop.h"

#include "base/array.h"
#include "base/lanes.h"
#include "force/gather.h"

#include <stdlib.h>

enum { WHOLE = 4 }; /* molecules that a kernel takes at full speed are a multiple of this */

enum ph_status ph_derivative_reserve(const struct ph_pair_table *table, const struct ph_domain *domain,
                                     struct ph_derivative_domain *own, struct ph_error *err)
{
    const size_t row = (domain->n_local + PH_LANES) / PH_LANES * PH_LANES, even = (table->n_fields + 1) / 2 * 2;
    const bool side_by_side = domain->neighbour != NULL;
    own->field_step = side_by_side ? 1 : row;
    own->in_step = side_by_side ? 2 * even : 1;
    own->out_step = side_by_side ? even : 1;
    if (row <= own->room)
        return PH_OK;
    const size_t room = ph_padded(row + row / 16 + PH_LANES); /* lists made anew are of nearly this size */
    free(own->in);
    free(own->out);
    own->in = ph_array_create(2 * even * room, sizeof(double));
    own->out = ph_array_create(even * room, sizeof(double));
    own->room = own->in && own->out ? room : 0;
    if (own->room == 0)
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for the force derivatives of %zu molecules.",
                            domain->n_local);
    return PH_OK;
}

static const struct ph_layout *layout_of_local(const struct ph_pair_table *table, const struct ph_system *system,
                                               const struct ph_domain *domain, size_t l)
{
    return &table->layout[system->n_species == 1 ? 0 : ph_system_species_of(system, domain->molecule[l])];
}

PH_INLINE double *in_at(const struct ph_derivative_domain *own, size_t f, size_t l)
{
    return own->in + f * own->field_step + l * own->in_step;
}

PH_INLINE double *out_at(const struct ph_derivative_domain *own, size_t f, size_t l)
{
    return own->out + f * own->field_step + l * own->out_step;
}

static void fill(const struct ph_pair_table *table, const struct ph_system *system, const double *site,
                 const double *rate, const double shift[][3], const struct ph_domain *domain,
                 const struct ph_derivative_domain *own)
{
    for (size_t l = 0; l < domain->n_local; ++l) {
        const struct ph_layout *layout = layout_of_local(table, system, domain, l);
        const size_t n_fields = layout->n_fields, molecule = domain->molecule[l];
        for (size_t f = 0; f < n_fields; ++f) {
            *in_at(own, f, l) = site[molecule * table->record + f];
            *in_at(own, n_fields + f, l) = rate[molecule * table->record + f];
        }
        if (l < domain->n_home)
            continue;
        for (size_t k = 0; k < layout->n_sites; ++k) /* positions of images; dipoles and rates have none */
            for (size_t x = 0; x < 3; ++x)
                *in_at(own, layout->position[k] + x, l) += shift[domain->image[l]][x];
    }
    const size_t even = (table->n_fields + 1) / 2 * 2;
    memset(own->out, 0, even * (domain->neighbour ? domain->n_local : own->field_step) * sizeof(double));
}

/* Neighbours of one molecule, copied from a list into arrays and back */
struct gathered {
    PH_ALIGNED double in[12 * PH_SITES_MAX][PH_KERNEL_ROW], out[6 * PH_SITES_MAX][PH_KERNEL_ROW];
};

static void gather(const struct ph_derivative_domain *own, size_t n_fields, const uint32_t *list, size_t n,
                   struct gathered *g)
{
    PH_FOR_FIELDS(n_fields, ph_gather_fields(own->in, own->in_step, 2 * FIELDS, list, n, g->in))
}

static void scatter(const struct ph_derivative_domain *own, size_t n_fields, const uint32_t *list, size_t n,
                    struct gathered *g)
{
    PH_FOR_FIELDS(n_fields, ph_scatter_fields(own->out, own->out_step, FIELDS, list, n, g->out))
}

/* Molecule i with n_i fields against n molecules of one species with n_j fields, which are at in[f] and out[f] */
static void interact(const struct ph_site_pairs *pairs, bool inside, bool store, const struct ph_derivative_domain *own,
                     size_t i, size_t n_i, size_t n_j, size_t n, double *const in[], double *const out[])
{
    for (size_t t = 0; t < pairs->n; ++t) {
        const struct ph_site_pair *pair = &pairs->pair[t];
        struct ph_derivative_i site = {.force = {0.0}};
        struct ph_derivative_j j;
        for (size_t x = 0; x < 3; ++x) {
            site.r[x] = *in_at(own, pair->position_i + x, i);
            site.mu[x] = *in_at(own, pair->dipole_i + x, i);
            site.r_rate[x] = *in_at(own, n_i + pair->position_i + x, i);
            site.mu_rate[x] = *in_at(own, n_i + pair->dipole_i + x, i);
            j.r[x] = in[pair->position_j + x];
            j.mu[x] = in[pair->dipole_j + x];
            j.r_rate[x] = in[n_j + pair->position_j + x];
            j.mu_rate[x] = in[n_j + pair->dipole_j + x];
            j.force[x] = out[pair->position_j + x];
            j.field[x] = out[pair->dipole_j + x];
        }
        pair->derivative[inside][store](&pair->term, n, &j, &site);
        for (size_t x = 0; x < 3; ++x) {
            *out_at(own, pair->position_i + x, i) += site.force[x];
            if (pair->dipole_i != pair->position_i)
                *out_at(own, pair->dipole_i + x, i) += site.field[x];
        }
    }
}

/* Fills a chunk up to whole vectors with sites at rest far beyond the cutoff, where every term is 0. */
static size_t pad(const struct ph_layout *layout, size_t n, struct gathered *g)
{
    static const double far_away = 1e17;
    const size_t padded = (n + WHOLE - 1) / WHOLE * WHOLE;
    for (size_t k = n; k < padded; ++k) {
        for (size_t f = 0; f < 2 * layout->n_fields; ++f)
            g->in[f][k] = 0.0;
        for (size_t a = 0; a < layout->n_sites; ++a)
            for (size_t x = 0; x < 3; ++x)
                g->in[layout->position[a] + x][k] = far_away;
    }
    return padded;
}

/* One part of the list of a couple, in chunks: molecules from `first` to `last`, one or two, with those listed. */
static void visit_part(const struct ph_site_pairs *pairs, size_t n_i, const struct ph_layout *layout, bool inside,
                       size_t first, size_t last, const uint32_t *list, size_t n_listed,
                       const struct ph_derivative_domain *own, struct gathered *g)
{
    const size_t n_fields = layout->n_fields;
    double *in[12 * PH_SITES_MAX], *out[6 * PH_SITES_MAX];
    for (size_t f = 0; f < 2 * n_fields; ++f)
        in[f] = g->in[f];
    for (size_t f = 0; f < n_fields; ++f)
        out[f] = g->out[f];
    for (size_t k = 0, n; k < n_listed; k += n) {
        n = n_listed - k < PH_KERNEL_CHUNK ? n_listed - k : PH_KERNEL_CHUNK;
        gather(own, n_fields, list + k, n, g);
        const size_t padded = pad(layout, n, g);
        for (size_t f = 0; f < n_fields && !pairs->single; ++f)
            memset(g->out[f], 0, padded * sizeof(double));
        for (size_t i = first; i <= last; ++i)
            interact(pairs, inside, pairs->single && i == first, own, i, n_i, n_fields, padded, in, out);
        scatter(own, n_fields, list + k, n, g);
    }
}

/* Pairs inside the switch are taken in whole vectors; those left over go with the next part, as in the force pass. */
static void from_list(const struct ph_pair_table *table, const struct ph_system *system, const struct ph_domain *domain,
                      const struct ph_derivative_domain *own)
{
    struct gathered g;
    if (table->n_fields % 2) /* moved along with the last field */
        memset(g.out[table->n_fields], 0, sizeof g.out[0]);
    const size_t n_species = system->n_species;
    for (size_t c = 0; c < domain->n_couples; ++c) {
        const size_t first = domain->couple[c], last = domain->couple[c + 1] - 1;
        const size_t own_species = (size_t)(layout_of_local(table, system, domain, first) - table->layout);
        for (size_t s = 0; s < n_species; ++s) {
            const struct ph_site_pairs *pairs = &table->of[own_species * n_species + s];
            const size_t l = c * n_species + s;
            const uint32_t *list = domain->near + domain->begin[l], *end = domain->part_end[l];
            size_t k = 0;
            for (size_t part = 0; part < PH_PARTS && pairs->n > 0; ++part) {
                const bool inside = part == PH_PART_INSIDE;
                const size_t stop = inside ? end[part] / WHOLE * WHOLE : end[part];
                visit_part(pairs, table->layout[own_species].n_fields, &table->layout[s], inside,
                           part == PH_PART_SECOND ? last : first, part == PH_PART_FIRST ? first : last, list + k,
                           stop - k, own, &g);
                k = stop;
            }
        }
    }
}

static void from_all(const struct ph_pair_table *table, const struct ph_system *system, const struct ph_domain *domain,
                     const struct ph_derivative_domain *own)
{
    const size_t start = domain->n_local > 0 ? domain->molecule[0] : 0; /* local l is molecule start + l */
    for (size_t i = 0; i < domain->n_home; ++i) {
        const size_t own_species = (size_t)(layout_of_local(table, system, domain, i) - table->layout);
        for (size_t s = 0; s < system->n_species; ++s) {
            const size_t first = system->first[s] > start + i ? system->first[s] - start : i + 1;
            const size_t end = system->first[s + 1] > start ? system->first[s + 1] - start : 0;
            const size_t n_fields = table->layout[s].n_fields;
            for (size_t k = first; k < end; k += PH_KERNEL_CHUNK) {
                const size_t n = end - k < PH_KERNEL_CHUNK ? end - k : PH_KERNEL_CHUNK;
                double *in[12 * PH_SITES_MAX], *out[6 * PH_SITES_MAX];
                for (size_t f = 0; f < 2 * n_fields; ++f)
                    in[f] = in_at(own, f, k);
                for (size_t f = 0; f < n_fields; ++f)
                    out[f] = out_at(own, f, k);
                interact(&table->of[own_species * system->n_species + s], false, false, own, i,
                         table->layout[own_species].n_fields, n_fields, n, in, out);
            }
        }
    }
}

void ph_derivative_loop(const struct ph_pair_table *table, const struct ph_system *system, const double *site,
                        const double *rate, const struct ph_domains *domains, const struct ph_domain *domain,
                        struct ph_derivative_domain *own)
{
    fill(table, system, site, rate, domains->shift, domain, own);
    if (domain->neighbour)
        from_list(table, system, domain, own);
    else
        from_all(table, system, domain, own);
}
