/* SPDX-License-Identifier: MIT */
#include "force/pairs/loops/pair_loop.h"

#include "force/pairs/lists/short_lists.h"
#include "force/pairs/lists/tile_fill.h"
#include "force/pairs/loops/gather_relative.h"
#include "force/pairs/loops/results.h"

static size_t species_of_local(const struct ph_system *system, const struct ph_tile *tile, size_t l)
{
    return system->n_species == 1 ? 0 : ph_system_species_of(system, tile->molecule[l]);
}

static void scatter(struct ph_tile *tile, size_t n_fields, const void *list, size_t n, struct ph_gathered *g)
{
    if (tile->log)
        ph_log_rows(tile->log, n_fields, list, n, g);
    else
        ph_results_add_rows(tile, n_fields, list, n, g);
}

/* Sets whole blocks of a row to zero in a loop, because they are few, and calls of memset would take longer. */
PH_INLINE void zero_blocks(double *restrict row, size_t begin, size_t end)
{
    for (size_t first = begin; first < end; first += PH_LANES)
        for (size_t l = 0; l < PH_LANES; ++l)
            row[first + l] = 0.0;
}

/* Loads the site of molecule i of a pair, in place, because copying numbers that were just written one by one is
 * slow. */
PH_INLINE void take_site(const struct ph_site_pair *pair, const struct ph_tile *tile, size_t i,
                         struct ph_kernel_i *site)
{
    for (size_t x = 0; x < 3; ++x) {
        site->r[x] = *ph_field_at(tile->in, tile, pair->position_i + x, i);
        site->mu[x] = *ph_field_at(tile->in, tile, pair->dipole_i + x, i);
        site->force[x] = site->field[x] = 0.0;
    }
    site->radial_energy = site->electric_energy = 0.0;
}

/* Adds its results. */
static void add_site(const struct ph_site_pair *pair, const struct ph_kernel_i *site, struct ph_tile *tile, size_t i)
{
    if (tile->log) { /* without energies */
        ph_log_site(tile->log, pair, site->force, site->field, i);
        return;
    }
    ph_results_add_site(pair, site->force, site->field, tile, i);
    tile->energy_radial += site->radial_energy;
    tile->energy_electric += site->electric_energy;
}

/* One pair of sites: molecule i against n molecules whose fields are in rows */
static void interact(const struct ph_site_pair *pair, ph_kernel *kernel, struct ph_tile *tile, size_t i, size_t n,
                     const struct ph_kernel_j *j)
{
    struct ph_kernel_i site;
    take_site(pair, tile, i, &site);
    kernel(&pair->term, n, j, &site);
    add_site(pair, &site, tile, i);
}

/* The same with an angular form. Positions in rows r are relative to `origin`. Of a form that ends by itself axes and
 * fields are in `records`, if these have a list. */
static void interact_angular(const struct ph_site_pair *pair, bool inside, struct ph_tile *tile, size_t i,
                             const double origin[3], size_t from, size_t n, double *const r[3], double *const in[],
                             double *const out[], struct ph_angular_records records)
{
    const struct ph_angular_term *term = &pair->angular;
    const bool apart = term->ends && records.list;
    struct ph_angular_i site; /* no more is set than the form has, because both are long */
    struct ph_angular_j j;
    site.energy = 0.0;
    j.in = records;
    j.in.list = apart ? (const char *)records.list + from * records.bytes : NULL;
    j.in.last -= apart ? from : 0;
    for (size_t x = 0; x < 3; ++x) {
        site.force[x] = 0.0;
        site.r[x] = *ph_field_at(tile->in, tile, pair->position_i + x, i) - origin[x];
        for (size_t m = 0; m < term->n_i; ++m) {
            site.axis[m][x] = *ph_field_at(tile->in, tile, pair->axis_i[m] + x, i);
            site.field[m][x] = 0.0;
        }
        j.r[x] = r[x] + from;
        j.force[x] = out[pair->position_j + x] + from;
        for (size_t m = 0; m < term->n_j; ++m) {
            const size_t axis = pair->axis_j[m] + x;
            j.axis[m][x] = apart ? tile->in + axis : in[axis] + from;
            j.field[m][x] = apart ? tile->out + axis : out[axis] + from;
        }
    }
    const enum ph_truncate truncate = inside && !term->ends ? PH_INSIDE : pair->truncate;
    pair->angular_kernel[false](term, truncate, &pair->term, n, &j, &site);
    for (size_t x = 0; x < 3; ++x) {
        *ph_field_at(tile->out, tile, pair->position_i + x, i) += site.force[x];
        for (size_t m = 0; m < term->n_i; ++m)
            *ph_field_at(tile->out, tile, pair->axis_i[m] + x, i) += site.field[m][x];
    }
    *(term->electric ? &tile->energy_electric : &tile->energy_radial) += site.energy;
}

static const double nowhere[3] = {0.0};
static const struct ph_angular_records in_rows = {.list = NULL};

/* All pairs of sites of molecule i and n molecules, whose fields are at in[f] and out[f], from place `from` on.
 * records: of those whose fields beyond `n_far` are not there (interact_angular) */
static void interact_sites(const struct ph_site_pairs *pairs, bool inside, bool energy, struct ph_tile *tile, size_t i,
                           size_t from, size_t n, double *const in[], double *const out[],
                           struct ph_angular_records records)
{
    for (size_t g = 0; g < pairs->n_groups; ++g) {
        const struct ph_site_group *group = &pairs->group[g];
        const struct ph_site_pair *pair = &pairs->pair[group->pair[0]];
        if (pair->angular.kind != PH_ANGULAR_NONE) {
            interact_angular(pair, inside, tile, i, nowhere, from, n, in + pair->position_j, in, out, records);
            continue;
        }
        struct ph_kernel_j j;
        for (size_t x = 0; x < 3; ++x) {
            j.r[x] = in[pair->position_j + x] + from;
            j.mu[x] = in[pair->dipole_j + x] + from;
            j.force[x] = out[pair->position_j + x] + from;
            j.field[x] = out[pair->dipole_j + x] + from;
        }
        if (group->n == 1) {
            interact(pair, (inside ? pair->inside : pair->kernel)[PH_ROWS_ADD][energy], tile, i, n, &j);
            continue;
        }
        const struct ph_pair_term *term[PH_GROUP_MAX];
        struct ph_kernel_i site[PH_GROUP_MAX];
        for (size_t k = 0; k < group->n; ++k) {
            term[k] = &pairs->pair[group->pair[k]].term;
            take_site(&pairs->pair[group->pair[k]], tile, i, &site[k]);
        }
        group->kernel[inside][energy](term, n, &j, site);
        for (size_t k = 0; k < group->n; ++k)
            add_site(&pairs->pair[group->pair[k]], &site[k], tile, i);
    }
}

/* Arguments that from_list passes on for each chunk of a list. The chunk is gathered once. The first molecule of the
 * couple interacts with the neighbours before first_end, the second with the neighbours from second_begin on, in whole
 * blocks: the surplus of a block is out of reach. */
struct visit {
    const struct ph_site_pairs *pairs; /* with the species of a kind */
    const struct ph_layout *layout;    /* of the molecules j */
    size_t list, n_species;            /* of the kind: the first list, and how many there are */
    bool inside, energy;
    size_t first, second; /* molecules i; the same if there is but one */
    size_t first_end, second_begin;
    size_t done, part, species; /* of a mixture: neighbours done, and where the next ones belong */
};

PH_INLINE size_t blocks_up(size_t n) { return (n + PH_LANES - 1) / PH_LANES * PH_LANES; }
PH_INLINE size_t blocks_down(size_t n) { return n / PH_LANES * PH_LANES; }

/* Constants of the next n neighbours, which lie in the order of parts and of species, up to the end of the last block.
 * At least PH_TERMS_AT_ONCE are written, which is most often enough: the next species overwrites the surplus. */
PH_INLINE void fill_terms(size_t n_rows, struct visit *v, const struct ph_tile *tile, size_t n,
                          struct ph_gathered *restrict g)
{
    const size_t padded = blocks_up(n);
    for (size_t k = 0; k < n;) {
        const size_t end = tile->part_end[v->list + v->species][v->part] - v->done, stop = end < n ? end : padded;
        const double *restrict value = v->pairs[v->species].pair->row;
        for (size_t q = 0; q < n_rows; ++q)
            for (size_t l = 0; l < PH_TERMS_AT_ONCE; ++l)
                g->term[q][k + l] = value[q];
        for (k += PH_TERMS_AT_ONCE; k < stop; k += PH_LANES)
            for (size_t q = 0; q < n_rows; ++q)
                for (size_t l = 0; l < PH_LANES; ++l)
                    g->term[q][k + l] = value[q];
        k = stop;
        if (end <= n && ++v->species == v->n_species) {
            v->species = 0;
            ++v->part;
        }
    }
    v->done += n;
}

/* How many fields are gathered: fewer than all if some are for forms that end by themselves */
static size_t fields_of(const struct ph_layout *layout) { return ph_at_most(layout->n_far, layout->n_fields); }

/* The records of neighbours, if not all of their fields are gathered */
static struct ph_angular_records find_records(const struct visit *v, const struct ph_tile *tile, const void *list,
                                              size_t bytes, size_t n)
{
    return (struct ph_angular_records){v->layout->n_far < v->layout->n_fields ? list : NULL, bytes, tile->local_step,
                                       n - 1};
}

/* Forms that end by themselves, after the kernel that leads: molecule i and neighbours begin .. end */
static void interact_ends(const struct visit *v, struct ph_tile *tile, size_t i, size_t begin, size_t end,
                          double *const r[3], struct ph_angular_records records, struct ph_gathered *g)
{
    double *out[3] = {g->out[0], g->out[1], g->out[2]}, origin[3];
    for (size_t x = 0; x < 3; ++x)
        origin[x] = *ph_field_at(tile->in, tile, x, i);
    for (size_t k = 1; k < v->pairs->n; ++k)
        interact_angular(&v->pairs->pair[k], v->inside, tile, i, origin, begin, end - begin, r, NULL, out, records);
}

static void visit_single(struct visit *v, const void *list, size_t bytes, size_t n, struct ph_tile *tile,
                         struct ph_gathered *g)
{
    const struct ph_site_pair *pair = v->pairs->pair;
    const size_t n_fields = fields_of(v->layout);
    ph_kernel *const(*kernel)[2] = v->inside ? pair->inside : pair->kernel;
    const bool mixed = v->pairs->n_rows > 0;
    if (mixed && v->pairs->n_rows == PH_TERM_SIGMA2 + 1)
        fill_terms(PH_TERM_SIGMA2 + 1, v, tile, n, g);
    else if (mixed)
        fill_terms(v->pairs->n_rows, v, tile, n, g);
    ph_gather_relative(tile, v->layout->has_dipole[0], v->first, v->second, list, bytes, n, g);
    const size_t padded = ph_pad(v->layout, n, PH_BEYOND_CUTOFF, g);
    const size_t end = blocks_up(v->first_end), begin = blocks_down(v->second_begin);
    struct ph_kernel_j j;
    for (size_t x = 0; x < 3; ++x) {
        j.r[x] = g->in[x];
        j.mu[x] = g->in[pair->dipole_j + x];
        j.force[x] = g->out[x];
        j.field[x] = g->out[pair->dipole_j + x];
    }
    for (size_t q = 0; q < PH_TERM_ROWS; ++q)
        j.term[q] = g->term[q];
    const struct ph_angular_records records = find_records(v, tile, list, bytes, n);
    interact(pair, kernel[mixed ? PH_ROWS_MIXED_SET : PH_ROWS_RELATIVE_SET][v->energy], tile, v->first, end, &j);
    interact_ends(v, tile, v->first, 0, end, (double *[3]){g->in[0], g->in[1], g->in[2]}, records, g);
    if (v->second != v->first) {
        for (size_t f = 0; f < n_fields; ++f)
            zero_blocks(g->out[f], end, padded);
        for (size_t k = begin; k < v->second_begin; ++k)
            if (ph_index(list, bytes, k) == v->second) /* it does not meet itself */
                g->second[0][k] = g->second[1][k] = g->second[2][k] = PH_BEYOND_CUTOFF;
        for (size_t x = 0; x < 3; ++x) {
            j.r[x] = g->second[x] + begin;
            j.mu[x] += begin;
            j.force[x] += begin;
            j.field[x] += begin;
        }
        for (size_t q = 0; q < PH_TERM_ROWS; ++q)
            j.term[q] += begin;
        interact(pair, kernel[mixed ? PH_ROWS_MIXED_ADD : PH_ROWS_RELATIVE_ADD][v->energy], tile, v->second,
                 padded - begin, &j);
        interact_ends(v, tile, v->second, begin, padded, (double *[3]){g->second[0], g->second[1], g->second[2]},
                      records, g);
    }
    scatter(tile, n_fields, list, n, g);
}

static void visit_sites(struct visit *v, const void *list, size_t bytes, size_t n, struct ph_tile *tile,
                        struct ph_gathered *g)
{
    const size_t n_fields = fields_of(v->layout);
    double *in[6 * PH_SITES_MAX], *out[6 * PH_SITES_MAX];
    ph_gather_list(tile, n_fields, list, bytes, n, g);
    const size_t padded = ph_pad(v->layout, n, PH_BEYOND_CUTOFF, g);
    const size_t end = blocks_up(v->first_end), begin = blocks_down(v->second_begin);
    for (size_t f = 0; f < n_fields; ++f) {
        in[f] = g->in[f];
        out[f] = g->out[f];
        zero_blocks(out[f], 0, padded);
    }
    const struct ph_angular_records records = find_records(v, tile, list, bytes, n);
    interact_sites(v->pairs, v->inside, v->energy, tile, v->first, 0, end, in, out, records);
    if (v->second != v->first) {
        if (ph_index(list, bytes, 0) == v->second) /* it does not meet itself */
            for (size_t a = 0; a < v->layout->n_sites; ++a)
                for (size_t x = 0; x < 3; ++x)
                    in[v->layout->position[a] + x][0] = PH_BEYOND_CUTOFF;
        interact_sites(v->pairs, v->inside, v->energy, tile, v->second, begin, padded - begin, in, out, records);
    }
    scatter(tile, n_fields, list, n, g);
}

/* Visits the lists of a couple for one kind, in chunks: first neighbours inside, then all others. Kernels for the
 * inside have no cutoff, so that sites far away that fill up a block would feel a reaction field: there are none, see
 * tile.h. */
static void visit_kind(struct visit *v, struct ph_tile *tile, struct ph_gathered *g)
{
    const uint32_t *end = tile->part_end[v->list + v->n_species - 1];
    const size_t bytes = tile->index_bytes, inside_end = end[PH_PART_INSIDE], last = end[PH_TILE_PARTS - 1];
    const char *near = (const char *)tile->near + tile->begin[v->list] * bytes;
    size_t n;
    for (size_t k = 0; k < last; k += n) {
        v->inside = k < inside_end;
        n = ph_at_most((v->inside ? inside_end : last) - k, PH_KERNEL_CHUNK);
        v->first_end = end[PH_PART_ALL] > k ? ph_at_most(end[PH_PART_ALL] - k, n) : 0;
        v->second_begin = end[PH_PART_FIRST] > k && !v->inside ? ph_at_most(end[PH_PART_FIRST] - k, n) : 0;
        (v->pairs->leads ? visit_single : visit_sites)(v, near + k * bytes, bytes, n, tile, g);
    }
}

/* Whether they are done so; the same for all species of a kind */
static bool is_flat(const struct ph_site_pairs *pairs, const struct ph_tile *tile)
{
    return tile->is_short && pairs->single && pairs->pair->flat[0];
}

static void do_couple(const struct ph_pair_table *table, const struct ph_system *system, bool energy, size_t c,
                      struct ph_tile *tile, struct ph_gathered *g)
{
    const size_t n_species = system->n_species, own = species_of_local(system, tile, tile->couple[c]);
    for (size_t s = 0; s < n_species; s = table->kind_end[s]) {
        struct visit v = {.pairs = &table->of[own * n_species + s],
                          .layout = &table->layout[s],
                          .list = c * n_species + s,
                          .n_species = table->kind_end[s] - s,
                          .energy = energy,
                          .first = tile->couple[c],
                          .second = tile->couple[c + 1] - 1};
        if (!is_flat(v.pairs, tile))
            visit_kind(&v, tile, g);
    }
}

/* A row is moved along with the last of an odd number of fields. */
static void clear_rows(const struct ph_pair_table *table, struct ph_gathered *g)
{
    for (size_t s = 0; s < table->n_species; ++s)
        if (table->layout[s].n_fields % 2)
            memset(g->out[table->layout[s].n_fields], 0, sizeof g->out[0]);
}

/* Whether other threads can help: without energies, whose terms are not logged, or forms that add to records. */
static bool can_be_helped(const struct ph_pair_table *table, bool energy, const struct ph_tile *tile)
{
    if (energy || tile->is_short)
        return false;
    for (size_t k = 0; k < table->n_species * table->n_species; ++k)
        for (size_t pair = 0; pair < table->of[k].n; ++pair)
            if (table->of[k].pair[pair].angular.kind != PH_ANGULAR_NONE)
                return false;
    return true;
}

static void from_list(const struct ph_pair_table *table, const struct ph_system *system, bool energy,
                      struct ph_help *help, size_t d, struct ph_tile *tile)
{
    struct ph_gathered g;
    const size_t n_species = system->n_species;
    bool all_flat = true;
    const bool helped = help && ph_help_open(help, d, can_be_helped(table, energy, tile) ? tile->n_couples : 0);
    for (size_t own = 0; own < n_species; ++own)
        for (size_t kind = 0; kind < n_species; kind = table->kind_end[kind]) {
            const bool flat = is_flat(&table->of[own * n_species + kind], tile);
            for (size_t s = kind; flat && s < table->kind_end[kind]; ++s)
                ph_short_lists(table, system, own, kind, s, energy, tile);
            all_flat = all_flat && flat;
        }
    if (all_flat)
        return;
    clear_rows(table, &g);
    if (!helped) {
        for (size_t c = 0; c < tile->n_couples; ++c)
            do_couple(table, system, energy, c, tile, &g);
        return;
    }
    for (size_t begin, end; ph_help_take(help, d, &begin, &end);)
        for (size_t c = begin; c < end; ++c)
            do_couple(table, system, energy, c, tile, &g);
    ph_help_add_logs(help, d, tile, &g);
}

struct helped {
    const struct ph_pair_table *table;
    const struct ph_system *system;
};

/* Room in a log for all results of a couple */
static size_t log_room(const void *data, const struct ph_tile *tile, size_t c)
{
    const struct helped *helped = data;
    const struct ph_pair_table *table = helped->table;
    const size_t n_species = table->n_species, own = species_of_local(helped->system, tile, tile->couple[c]);
    size_t room = 0;
    for (size_t s = 0; s < n_species; s = table->kind_end[s]) {
        const size_t last = tile->part_end[c * n_species + table->kind_end[s] - 1][PH_TILE_PARTS - 1];
        const size_t chunks = last / PH_KERNEL_CHUNK + 2, sites = 2 * table->of[own * n_species + s].n;
        room += last * table->layout[s].n_fields + chunks * (PH_LOG_ENTRY + sites * PH_LOG_SITE);
    }
    return room;
}

/* What another thread may read of a tile while its owner adds to it */
static struct ph_tile without_sums(const struct ph_tile *tile)
{
    return (struct ph_tile){.n_home = tile->n_home,
                            .n_local = tile->n_local,
                            .molecule = tile->molecule,
                            .n_couples = tile->n_couples,
                            .index_bytes = tile->index_bytes,
                            .couple = tile->couple,
                            .begin = tile->begin,
                            .part_end = tile->part_end,
                            .near = tile->near,
                            .in = tile->in,
                            .field_step = tile->field_step,
                            .local_step = tile->local_step};
}

void ph_pair_loop_help(const struct ph_pair_table *table, const struct ph_system *system, const struct ph_tiles *tiles,
                       struct ph_help *help)
{
    struct ph_gathered g;
    struct ph_help_work work;
    const struct helped helped = {table, system};
    clear_rows(table, &g);
    while (ph_help_find(help, tiles, log_room, &helped, &work)) {
        struct ph_tile tile = without_sums(&tiles->tile[work.tile]);
        tile.log = &work.log;
        for (size_t c = work.begin; c < work.end; ++c)
            do_couple(table, system, false, c, &tile, &g);
        ph_help_done(help, &work);
    }
}

/* The last molecules j of a species, fewer than a block: copied, so that the block can be filled up */
static void interact_rest(const struct ph_site_pairs *pairs, const struct ph_layout *layout, bool energy,
                          struct ph_tile *tile, size_t i, size_t first, size_t n, struct ph_gathered *g)
{
    double *in[6 * PH_SITES_MAX], *out[6 * PH_SITES_MAX];
    for (size_t f = 0; f < layout->n_fields; ++f) {
        in[f] = memcpy(g->in[f], ph_field_at(tile->in, tile, f, first), n * sizeof(double));
        out[f] = memset(g->out[f], 0, PH_LANES * sizeof(double));
    }
    interact_sites(pairs, false, energy, tile, i, 0, ph_pad(layout, n, PH_OUT_OF_SIGHT, g), in, out, in_rows);
    for (size_t f = 0; f < layout->n_fields; ++f)
        for (size_t l = 0; l < n; ++l)
            *ph_field_at(tile->out, tile, f, first + l) += out[f][l];
}

static void from_all(const struct ph_pair_table *table, const struct ph_system *system, bool energy,
                     struct ph_tile *tile)
{
    struct ph_gathered g;
    const size_t start = tile->n_local > 0 ? tile->molecule[0] : 0; /* local l is molecule start + l */
    for (size_t i = 0; i < tile->n_home; ++i) {
        const size_t own = species_of_local(system, tile, i);
        for (size_t s = 0; s < system->n_species; ++s) {
            const size_t first = system->first[s] > start + i ? system->first[s] - start : i + 1;
            const size_t end = system->first[s + 1] > start ? system->first[s + 1] - start : 0;
            const struct ph_site_pairs *pairs = &table->of[own * system->n_species + s];
            const struct ph_layout *layout = &table->layout[s];
            size_t k = first;
            while (k + PH_LANES <= end) {
                const size_t n = end - k < PH_KERNEL_CHUNK ? (end - k) / PH_LANES * PH_LANES : PH_KERNEL_CHUNK;
                double *in[6 * PH_SITES_MAX], *out[6 * PH_SITES_MAX];
                for (size_t f = 0; f < layout->n_fields; ++f) {
                    in[f] = ph_field_at(tile->in, tile, f, k);
                    out[f] = ph_field_at(tile->out, tile, f, k);
                }
                interact_sites(pairs, false, energy, tile, i, 0, n, in, out, in_rows);
                k += n;
            }
            if (k < end)
                interact_rest(pairs, layout, energy, tile, i, k, end - k, &g);
        }
    }
}

/* sum over copies of (centre of the copy) (force on it)^T: images carry their shift, so this is the sum over pairs */
static void add_virial(const struct ph_pair_table *table, const struct ph_system *system, const double shift[][3],
                       struct ph_tile *tile)
{
    for (size_t l = 0; l < tile->n_local; ++l) {
        const size_t molecule = tile->molecule[l];
        const struct ph_layout *layout = ph_layout_of(table, system, molecule);
        double force[3] = {0.0};
        for (size_t k = 0; k < layout->n_sites; ++k)
            for (size_t x = 0; x < 3; ++x)
                force[x] += *ph_field_at(tile->out, tile, layout->position[k] + x, l);
        for (size_t x = 0; x < 3; ++x)
            for (size_t y = 0; y < 3; ++y)
                tile->virial[x][y] += (system->r[x][molecule] + shift[tile->image[l]][x]) * force[y];
    }
}

void ph_pair_loop(const struct ph_pair_table *table, const struct ph_system *system, const double *site,
                  const struct ph_tiles *tiles, bool energy, struct ph_help *help, struct ph_tile *tile)
{
    const double(*shift)[3] = tiles->shift;
    if (tile->away)
        return;
    tile->energy_radial = tile->energy_electric = 0.0;
    memset(tile->virial, 0, sizeof tile->virial);
    ph_tile_fill(table, system, site, shift, tile);
    if (tile->neighbour)
        from_list(table, system, energy, help, (size_t)(tile - tiles->tile), tile);
    else
        from_all(table, system, energy, tile);
    if (energy)
        add_virial(table, system, shift, tile);
}
