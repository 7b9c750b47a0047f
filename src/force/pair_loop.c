/* SPDX-License-Identifier: MIT */
#include "force/pair_loop.h"

#include "base/lanes.h"

static size_t species_of_local(const struct ph_system *system, const struct ph_domain *domain, size_t l)
{
    return system->n_species == 1 ? 0 : ph_system_species_of(system, domain->molecule[l]);
}

PH_INLINE double *at(double *fields, const struct ph_domain *domain, size_t f, size_t l)
{
    return fields + f * domain->field_step + l * domain->local_step;
}

static void fill(const struct ph_pair_table *table, const struct ph_system *system, double *const site[],
                 const double shift[][3], struct ph_domain *domain)
{
    const size_t n_fields = table->n_fields;
    for (size_t l = 0; l < domain->n_local; ++l)
        for (size_t f = 0; f < n_fields; ++f) {
            *at(domain->in, domain, f, l) = site[f][domain->molecule[l]];
            *at(domain->out, domain, f, l) = 0.0;
        }
    /* Positions of images; dipoles have none. */
    for (size_t l = domain->n_home; l < domain->n_local; ++l) {
        const struct ph_layout *layout = &table->layout[species_of_local(system, domain, l)];
        for (size_t k = 0; k < layout->n_sites; ++k)
            for (size_t x = 0; x < 3; ++x)
                *at(domain->in, domain, layout->position[k] + x, l) += shift[domain->image[l]][x];
    }
}

/* Neighbours of one molecule, copied from a list into arrays and back */
struct gathered {
    PH_ALIGNED double in[6 * PH_SITES_MAX][PH_KERNEL_ROW], out[6 * PH_SITES_MAX][PH_KERNEL_ROW];
};

/* Two doubles that are moved together: fields f, f+1 of one record, or one field of two records */
typedef double two __attribute__((vector_size(16)));

PH_INLINE two load_two(const double *from)
{
    two value;
    memcpy(&value, from, sizeof value);
    return value;
}

PH_INLINE void store_two(double *to, two value) { memcpy(to, &value, sizeof value); }

/* Records of molecules become rows of fields, two molecules and two fields at a time: a transposition. Records and rows
 * have room for an even number of fields, and rows for one molecule more. */
PH_INLINE void gather_fields(const struct ph_domain *domain, size_t n_fields, const uint32_t *restrict list, size_t n,
                             struct gathered *restrict g)
{
    const size_t step = domain->local_step;
    for (size_t k = 0; k < n; k += 2) {
        const double *restrict a = domain->in + list[k] * step, *restrict b =
                                                                    domain->in + list[k + 1 < n ? k + 1 : k] * step;
        for (size_t f = 0; f < n_fields; f += 2) {
            const two of_a = load_two(a + f), of_b = load_two(b + f);
            store_two(g->in[f] + k, __builtin_shufflevector(of_a, of_b, 0, 2));
            store_two(g->in[f + 1] + k, __builtin_shufflevector(of_a, of_b, 1, 3));
        }
    }
}

PH_INLINE void scatter_fields(struct ph_domain *domain, size_t n_fields, const uint32_t *restrict list, size_t n,
                              const struct gathered *restrict g)
{
    const size_t step = domain->local_step;
    size_t k = 0;
    for (; k + 1 < n; k += 2) {
        double *restrict a = domain->out + list[k] * step, *restrict b = domain->out + list[k + 1] * step;
        for (size_t f = 0; f < n_fields; f += 2) {
            const two one = load_two(g->out[f] + k), other = load_two(g->out[f + 1] + k);
            store_two(a + f, load_two(a + f) + __builtin_shufflevector(one, other, 0, 2));
            store_two(b + f, load_two(b + f) + __builtin_shufflevector(one, other, 1, 3));
        }
    }
    if (k < n)
        for (size_t f = 0; f < n_fields; ++f)
            domain->out[list[k] * step + f] += g->out[f][k];
}

/* The number of fields as a constant, for the common models: the loops over fields disappear. */
#define PH_FOR_FIELDS(n_fields, call)                                                                                  \
    switch (n_fields) {                                                                                                \
    case 3: {                                                                                                          \
        enum { FIELDS = 3 };                                                                                           \
        call;                                                                                                          \
        break;                                                                                                         \
    }                                                                                                                  \
    case 6: {                                                                                                          \
        enum { FIELDS = 6 };                                                                                           \
        call;                                                                                                          \
        break;                                                                                                         \
    }                                                                                                                  \
    case 9: {                                                                                                          \
        enum { FIELDS = 9 };                                                                                           \
        call;                                                                                                          \
        break;                                                                                                         \
    }                                                                                                                  \
    case 12: {                                                                                                         \
        enum { FIELDS = 12 };                                                                                          \
        call;                                                                                                          \
        break;                                                                                                         \
    }                                                                                                                  \
    default: {                                                                                                         \
        const size_t FIELDS = n_fields;                                                                                \
        call;                                                                                                          \
        break;                                                                                                         \
    }                                                                                                                  \
    }

static void gather(const struct ph_domain *domain, size_t n_fields, const uint32_t *list, size_t n, struct gathered *g)
{
    PH_FOR_FIELDS(n_fields, gather_fields(domain, FIELDS, list, n, g))
}

static void scatter(struct ph_domain *domain, size_t n_fields, const uint32_t *list, size_t n, const struct gathered *g)
{
    PH_FOR_FIELDS(n_fields, scatter_fields(domain, FIELDS, list, n, g))
}

/* Molecule i against n molecules of one species, whose fields are at in[f] and out[f] */
static void interact(const struct ph_site_pairs *pairs, bool inside, bool store, bool energy, struct ph_domain *domain,
                     size_t i, size_t n, double *const in[], double *const out[])
{
    for (size_t t = 0; t < pairs->n; ++t) {
        const struct ph_site_pair *pair = &pairs->pair[t];
        struct ph_kernel_i site = {.radial_energy = 0.0};
        struct ph_kernel_j j;
        for (size_t x = 0; x < 3; ++x) {
            site.r[x] = *at(domain->in, domain, pair->position_i + x, i);
            site.mu[x] = *at(domain->in, domain, pair->dipole_i + x, i);
            j.r[x] = in[pair->position_j + x];
            j.mu[x] = in[pair->dipole_j + x];
            j.force[x] = out[pair->position_j + x];
            j.field[x] = out[pair->dipole_j + x];
        }
        (inside ? pair->inside : pair->kernel)[store][energy](&pair->term, n, &j, &site);
        for (size_t x = 0; x < 3; ++x) {
            *at(domain->out, domain, pair->position_i + x, i) += site.force[x];
            if (pair->dipole_i != pair->position_i)
                *at(domain->out, domain, pair->dipole_i + x, i) += site.field[x];
        }
        domain->energy_radial += site.radial_energy;
        domain->energy_electric += site.electric_energy;
    }
}

/* Fills a chunk up to whole vectors with sites that are too far away to matter: 1e-17 of a charge nearby, and nothing
 * at all where there is a cutoff. The rest of a loop, one by one, would cost as much as several vectors. */
static size_t pad(const struct ph_layout *layout, size_t n, struct gathered *g)
{
    enum { WHOLE = 4 };
    static const double far_away = 1e17;
    const size_t padded = (n + WHOLE - 1) / WHOLE * WHOLE;
    for (size_t k = n; k < padded; ++k)
        for (size_t a = 0; a < layout->n_sites; ++a)
            for (size_t x = 0; x < 3; ++x) {
                g->in[layout->dipole[a] + x][k] = 0.0;
                g->in[layout->position[a] + x][k] = far_away;
            }
    return padded;
}

static void from_list(const struct ph_pair_table *table, const struct ph_system *system, bool energy,
                      struct ph_domain *domain)
{
    struct gathered g;
    double *in[6 * PH_SITES_MAX], *out[6 * PH_SITES_MAX];
    for (size_t f = 0; f < table->n_fields; ++f) {
        in[f] = g.in[f];
        out[f] = g.out[f];
    }
    const size_t n_species = system->n_species;
    for (size_t i = 0; i < domain->n_home; ++i) {
        const size_t own = species_of_local(system, domain, i);
        for (size_t s = 0; s < n_species; ++s) {
            const struct ph_site_pairs *pairs = &table->of[own * n_species + s];
            const uint32_t *list = domain->neighbour + domain->begin[i * n_species + s];
            const size_t n_inside = domain->n_inside[i * n_species + s], n_near = domain->n_near[i * n_species + s];
            const size_t n_fields = table->layout[s].n_fields;
            for (size_t k = 0, n; k < n_near; k += n) {
                const bool inside = k < n_inside;
                const size_t left = (inside ? n_inside : n_near) - k;
                n = left < PH_KERNEL_CHUNK ? left : PH_KERNEL_CHUNK;
                gather(domain, n_fields, list + k, n, &g);
                const size_t padded = pad(&table->layout[s], n, &g);
                for (size_t f = 0; f < n_fields && !pairs->store; ++f)
                    memset(g.out[f], 0, padded * sizeof(double));
                interact(pairs, inside, pairs->store, energy, domain, i, padded, in, out);
                scatter(domain, n_fields, list + k, n, &g);
            }
        }
    }
}

static void from_all(const struct ph_pair_table *table, const struct ph_system *system, bool energy,
                     struct ph_domain *domain)
{
    const size_t start = domain->n_local > 0 ? domain->molecule[0] : 0; /* local l is molecule start + l */
    for (size_t i = 0; i < domain->n_home; ++i) {
        const size_t own = species_of_local(system, domain, i);
        for (size_t s = 0; s < system->n_species; ++s) {
            const size_t first = system->first[s] > start + i ? system->first[s] - start : i + 1;
            const size_t end = system->first[s + 1] > start ? system->first[s + 1] - start : 0;
            for (size_t k = first; k < end; k += PH_KERNEL_CHUNK) {
                const size_t n = end - k < PH_KERNEL_CHUNK ? end - k : PH_KERNEL_CHUNK;
                double *in[6 * PH_SITES_MAX], *out[6 * PH_SITES_MAX];
                for (size_t f = 0; f < table->layout[s].n_fields; ++f) {
                    in[f] = at(domain->in, domain, f, k);
                    out[f] = at(domain->out, domain, f, k);
                }
                interact(&table->of[own * system->n_species + s], false, false, energy, domain, i, n, in, out);
            }
        }
    }
}

/* sum over copies of (centre of the copy) (force on it)^T: images carry their shift, so this is the sum over pairs */
static void add_virial(const struct ph_pair_table *table, const struct ph_system *system, const double shift[][3],
                       struct ph_domain *domain)
{
    for (size_t l = 0; l < domain->n_local; ++l) {
        const size_t molecule = domain->molecule[l];
        const struct ph_layout *layout = &table->layout[species_of_local(system, domain, l)];
        double force[3] = {0.0};
        for (size_t k = 0; k < layout->n_sites; ++k)
            for (size_t x = 0; x < 3; ++x)
                force[x] += *at(domain->out, domain, layout->position[k] + x, l);
        for (size_t x = 0; x < 3; ++x)
            for (size_t y = 0; y < 3; ++y)
                domain->virial[x][y] += (system->r[x][molecule] + shift[domain->image[l]][x]) * force[y];
    }
}

void ph_pair_loop(const struct ph_pair_table *table, const struct ph_system *system, double *const site[],
                  const struct ph_domains *domains, bool energy, struct ph_domain *domain)
{
    const double(*shift)[3] = domains->shift;
    domain->energy_radial = domain->energy_electric = 0.0;
    memset(domain->virial, 0, sizeof domain->virial);
    fill(table, system, site, shift, domain);
    if (domain->neighbour)
        from_list(table, system, energy, domain);
    else
        from_all(table, system, energy, domain);
    if (energy)
        add_virial(table, system, shift, domain);
}
