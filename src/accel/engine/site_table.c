/* SPDX-License-Identifier: MIT */
#include "accel/engine/site_table.h"

#include "accel/engine/curve_table.h"
#include "accel/functions/shapes.h"
#include "accel/functions/transfer.h"
#include "accel/functions/variants.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NO_FIELD, SHARP_FIELD, SMOOTH_FIELD, SPLIT_FIELD }; /* as in potential/pair_force.h */

#define VARIANT(name, radial_term, electric_term, truncation, field_kind)                                              \
    {.variant = PH_SITES_##name,                                                                                       \
     .radial = PH_KERNEL_##radial_term,                                                                                \
     .electric = PH_KERNEL_##electric_term,                                                                            \
     .truncate = truncation,                                                                                           \
     .field = field_kind},
static const struct ph_site_entry variants[] = {PH_SITE_VARIANTS(VARIANT)};

/* ---- On the host ---- */

static int field_of(const struct ph_site_pair *pair)
{
    if (pair->electric == PH_KERNEL_NO_ELECTRIC || ph_kernel_screened(pair->electric))
        return NO_FIELD;
    if (pair->term.split)
        return SPLIT_FIELD;
    if (pair->term.field.edge > 0.0)
        return SMOOTH_FIELD;
    return pair->electric == PH_KERNEL_DIPOLE_DIPOLE && pair->term.rf != 0.0 ? SHARP_FIELD : NO_FIELD;
}

static int variant_of(const struct ph_site_entry *entry)
{
    for (size_t k = 0; k < sizeof variants / sizeof *variants; ++k)
        if (variants[k].radial == entry->radial && variants[k].electric == entry->electric &&
            variants[k].truncate == entry->truncate && variants[k].field == entry->field)
            return variants[k].variant;
    return PH_SITE_VARIANT_COUNT;
}

/* Returns true if radial and electric term both need `pair.slow`, which holds only one */
static bool is_two(const struct ph_site_pair *pair, int field)
{
    return pair->radial == PH_KERNEL_IN_LOOP && (ph_kernel_screened(pair->electric) || field == SMOOTH_FIELD);
}

static void describe_angular(const struct ph_site_pair *pair, struct ph_angular_entry *form)
{
    form->term = pair->angular;
    for (size_t m = 0; m < pair->angular.n_i; ++m)
        form->axis_i[m] = (uint32_t)pair->axis_i[m];
    for (size_t m = 0; m < pair->angular.n_j; ++m)
        form->axis_j[m] = (uint32_t)pair->axis_j[m];
}

/* The entries of two species from `entry` on; returns how many. split: where the machine has it */
static size_t list_entries(const struct ph_site_pairs *pairs, const struct ph_split_pairs *split,
                           struct ph_site_entry entry[], struct ph_angular_entry form[], uint32_t *n_forms)
{
    size_t n = 0;
    for (size_t k = 0; k < pairs->n; ++k) {
        const struct ph_site_pair *pair = &pairs->pair[k];
        const int field = field_of(pair), parts = is_two(pair, field) ? 2 : 1;
        for (int part = 0; part < parts; ++part) {
            struct ph_site_entry *e = &entry[n++];
            *e = (struct ph_site_entry){.radial = part == 0 ? pair->radial : PH_KERNEL_NO_RADIAL,
                                        .electric = part == parts - 1 ? pair->electric : PH_KERNEL_NO_ELECTRIC,
                                        .truncate = pair->truncate,
                                        .field = part == parts - 1 ? field : NO_FIELD,
                                        .last = part == parts - 1 &&
                                                (k + 1 == pairs->n || pair[1].position_i != pair->position_i),
                                        .position_i = (uint32_t)pair->position_i,
                                        .dipole_i = (uint32_t)pair->dipole_i,
                                        .position_j = (uint32_t)pair->position_j,
                                        .dipole_j = (uint32_t)pair->dipole_j,
                                        .term = pair->term};
            e->term.split = e->term.split ? split : NULL;
            e->variant = variant_of(e);
            if (pair->angular.kind != PH_ANGULAR_NONE) {
                describe_angular(pair, &form[(*n_forms)++]);
                e->angular = *n_forms;
            }
        }
    }
    return n;
}

static enum ph_status describe_kind(const struct ph_species *species, const struct ph_layout *layout,
                                    struct ph_site_kind *kind, struct ph_error *err)
{
    *kind = (struct ph_site_kind){
        .mass = species->mass, .rotates = species->degrees > 0, .n_sites = (uint32_t)layout->n_sites};
    for (size_t a = 0; a < layout->n_sites; ++a) {
        const struct ph_site *site = &species->site[layout->site[a]];
        kind->position[a] = (uint32_t)layout->position[a];
        kind->dipole[a] = (uint32_t)layout->dipole[a];
        kind->has_dipole[a] = layout->has_dipole[a];
        memcpy(kind->arm_body[a], site->position, sizeof site->position);
        memcpy(kind->dipole_body[a], site->dipole, sizeof site->dipole);
        for (size_t m = 0; m < layout->n_axes[a]; ++m) {
            kind->axis[kind->n_axes] = (uint32_t)layout->axis[a][m];
            memcpy(kind->axis_body[kind->n_axes++], site->axis[layout->body_axis[a][m]], sizeof site->axis[0]);
        }
    }
    return kind->rotates ? ph_top_init(species->inertia, &kind->top, err) : PH_OK;
}

/* ---- There ---- */

static enum ph_status copy_kinds(const struct ph_machine *machine, const struct ph_system *system,
                                 const struct ph_pair_table *table, struct ph_site_view *sites, struct ph_error *err)
{
    const size_t n = system->n_species;
    struct ph_site_kind *kind = malloc(n * sizeof *kind);
    uint32_t *species = malloc((system->n + 1) * sizeof *species);
    enum ph_status status = kind && species ? PH_OK : PH_ERR_MEMORY;
    for (size_t s = 0; s < n && status == PH_OK; ++s) {
        status = describe_kind(&system->species[s], &table->layout[s], &kind[s], err);
        for (size_t i = system->first[s]; i < system->first[s + 1]; ++i)
            species[i] = (uint32_t)s;
    }
    sites->kind = ph_copy_there(machine, kind, n * sizeof *kind, &status, err);
    sites->species = ph_copy_there(machine, species, system->n * sizeof *species, &status, err);
    free(kind);
    free(species);
    return status;
}

/* Do these differ in nothing but the sites? Numbers of the cutoff are the same in all. */
static bool are_alike(const struct ph_site_entry *a, const struct ph_site_entry *b)
{
    return a->variant == b->variant && a->term.four_epsilon == b->term.four_epsilon &&
           a->term.sigma2 == b->term.sigma2 && a->term.strength == b->term.strength && a->term.cut2 == b->term.cut2;
}

/* The number of the entry of these sites; n: there is none */
static size_t entry_of_pair(uint32_t pair, size_t n, const struct ph_site_entry entry[])
{
    size_t k = 0;
    while (k < n && (entry[k].position_i != 3 * ph_pair_first(pair) || entry[k].position_j != 3 * ph_pair_second(pair)))
        ++k;
    return k;
}

/* Do these entries have this shape? Finds an entry for each kind. */
static bool has_shape(enum ph_shape shape, size_t n, const struct ph_site_entry entry[],
                      uint32_t entry_of[PH_SHAPE_KINDS])
{
    size_t all = 0;
    for (uint32_t kind = 0; kind < ph_shape_kinds(shape); ++kind)
        for (uint32_t m = 0; m < ph_shape_pairs(shape, kind); ++m, ++all) {
            const size_t k = entry_of_pair(ph_shape_pair(shape, kind, m), n, entry);
            entry_of[kind] = m == 0 ? (uint32_t)k : entry_of[kind];
            if (k == n || !are_alike(&entry[entry_of[kind]], &entry[k]))
                return false;
        }
    return all == n;
}

static enum ph_shape find_shape(const struct ph_pair_table *table, size_t n, const struct ph_site_entry entry[],
                                struct ph_site_view *sites)
{
    const struct ph_layout *layout = table->layout;
    if (table->n_species != 1 || !sites->common || layout->n_fields != 3 * layout->n_sites)
        return PH_NO_SHAPE;
    for (int shape = 1; shape < PH_SHAPES; ++shape)
        if (layout->n_sites == ph_shape_sites((enum ph_shape)shape) &&
            has_shape((enum ph_shape)shape, n, entry, sites->entry_of))
            return (enum ph_shape)shape;
    return PH_NO_SHAPE;
}

/* ---- Water ---- */

/* Is this a pair of charges with this field, and nothing else? */
static bool is_charges(enum ph_water_field field, const struct ph_site_entry *e)
{
    return e->variant == (field == PH_WATER_SMOOTH ? PH_SITES_charges_smooth : PH_SITES_charges_split);
}

static enum ph_water_field find_water(const struct ph_site_view *sites, const struct ph_site_entry entry[])
{
    const bool three = sites->shape == PH_SHAPE_XY2;
    for (int field = PH_WATER_SMOOTH; field <= PH_WATER_SPLIT; ++field) {
        const int both = field == PH_WATER_SMOOTH ? PH_SITES_lj_charges_smooth : PH_SITES_lj_charges_split_switched;
        bool is = (three || sites->shape == PH_SHAPE_XY2M) &&
                  entry[sites->entry_of[0]].variant == (three ? both : PH_SITES_lj_switched);
        for (uint32_t kind = 1; is && kind < ph_shape_kinds(sites->shape); ++kind)
            is = is_charges((enum ph_water_field)field, &entry[sites->entry_of[kind]]);
        if (is)
            return (enum ph_water_field)field;
    }
    return PH_NO_WATER;
}

static void describe_water(const struct ph_site_view *sites, const struct ph_site_entry entry[],
                           const struct ph_split_pairs *split, struct ph_water *water)
{
    const struct ph_site_entry *charges = &entry[sites->entry_of[1]];
    const struct ph_smooth_field *field = &charges->term.field;
    *water = (struct ph_water){.term = entry[sites->entry_of[0]].term, .cut2 = charges->term.cut2};
    water->cutoff = sqrt(water->cut2);
    for (uint32_t kind = 0; kind < ph_shape_kinds(sites->shape); ++kind)
        water->strength[kind] = entry[sites->entry_of[kind]].term.strength;
    if (sites->water_field == PH_WATER_SMOOTH) {
        water->term.field = *field;
        water->inverse = field->inverse;
        for (int k = 0; k < 8; ++k) {
            water->t[k] = (k + 1) * field->t[k + 1];
            water->s[k] = (9 + k) * field->r[k] - (k < 7 ? (k + 1) * field->r[k + 1] : 0.0);
        }
    } else {
        water->scale = split->scale;
        memcpy(water->power, split->power, sizeof water->power);
    }
}

static void set_water(const struct ph_machine *machine, const struct ph_pair_table *table,
                      const struct ph_site_entry entry[], struct ph_site_view *sites, enum ph_status *status,
                      struct ph_error *err)
{
    sites->water_field = find_water(sites, entry);
    if (sites->water_field == PH_NO_WATER)
        return;
    sites->its_water = malloc(sizeof *sites->its_water);
    if (!sites->its_water) {
        *status = PH_ERR_MEMORY;
        return;
    }
    describe_water(sites, entry, table->split, sites->its_water);
    sites->water = ph_copy_there(machine, sites->its_water, sizeof *sites->its_water, status, err);
}

static enum ph_status copy_entries(const struct ph_machine *machine, const struct ph_pair_table *table,
                                   struct ph_site_view *sites, struct ph_error *err)
{
    const size_t couples = table->n_species * table->n_species;
    enum ph_status status = PH_OK;
    size_t most = 1, n = 0;
    for (size_t k = 0; k < couples; ++k)
        most += 2 * table->of[k].n;
    struct ph_site_entry *entry = calloc(most, sizeof *entry);
    struct ph_angular_entry *form = calloc(most, sizeof *form);
    uint32_t *start = calloc(couples + 1, sizeof *start), n_forms = 0;
    if (!entry || !form || !start)
        status = PH_ERR_MEMORY;
    if (table->split)
        sites->split = ph_copy_there(machine, table->split, sizeof *table->split, &status, err);
    sites->common = true;
    for (size_t k = 0; k < couples && status == PH_OK; ++k) {
        n += list_entries(&table->of[k], sites->split, entry + n, form, &n_forms);
        start[k + 1] = (uint32_t)n;
    }
    if (status == PH_OK)
        sites->curves = ph_curve_table_make(machine, n, entry, n_forms, form, &status, err);
    for (size_t k = 0; k < n; ++k)
        sites->common = sites->common && entry[k].variant != PH_SITE_VARIANT_COUNT;
    sites->entry = ph_copy_there(machine, entry, most * sizeof *entry, &status, err);
    sites->is_rare = n_forms > 0 || sites->curves;
    if (n_forms > 0)
        sites->angular = ph_copy_there(machine, form, n_forms * sizeof *form, &status, err);
    sites->start = ph_copy_there(machine, start, (couples + 1) * sizeof *start, &status, err);
    sites->shape = entry ? find_shape(table, n, entry, sites) : PH_NO_SHAPE;
    if (sites->shape != PH_NO_SHAPE && status == PH_OK)
        set_water(machine, table, entry, sites, &status, err);
    if (sites->shape != PH_NO_SHAPE)
        sites->on_host = entry;
    else
        free(entry);
    free(form);
    free(start);
    return status;
}

void ph_site_table_release_entries(const struct ph_machine *machine, struct ph_site_view *sites)
{
    void *const arrays[] = {sites->angular, sites->curves, sites->entry, sites->start, sites->split, sites->water};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k)
        machine->release(arrays[k]);
    free(sites->on_host);
    free(sites->its_water);
    sites->angular = NULL;
    sites->curves = NULL;
    sites->entry = NULL;
    sites->start = NULL;
    sites->split = NULL;
    sites->on_host = NULL;
    sites->its_water = NULL;
    sites->water = NULL;
    sites->water_field = PH_NO_WATER;
}

enum ph_status ph_site_table_set_entries(const struct ph_machine *machine, const struct ph_pair_table *table,
                                         struct ph_site_view *sites, struct ph_error *err)
{
    ph_site_table_release_entries(machine, sites);
    return copy_entries(machine, table, sites, err);
}

enum ph_status ph_site_table_make(const struct ph_machine *machine, const char *name, const struct ph_system *system,
                                  const struct ph_pair_table *table, struct ph_site_view *sites, struct ph_error *err)
{
    sites->n_kinds = (uint32_t)table->n_species;
    sites->record = (uint32_t)table->record;
    enum ph_status status = copy_kinds(machine, system, table, sites, err);
    if (status == PH_OK)
        status = ph_site_table_set_entries(machine, table, sites, err);
    sites->species_at = machine->allocate(system->n * sizeof(uint32_t), &status, err);
    sites->place = machine->allocate(system->n * table->record * sizeof(double), &status, err);
    return status != PH_ERR_MEMORY
               ? status
               : ph_error_set(err, PH_ERR_MEMORY,
                              "The memory of dynamics.backend: %s does not suffice for the sites of %zu molecules.",
                              name, system->n);
}

void ph_site_table_release(const struct ph_machine *machine, struct ph_site_view *sites)
{
    void *const arrays[] = {sites->kind, sites->species, sites->species_at, sites->place};
    ph_site_table_release_entries(machine, sites);
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k)
        machine->release(arrays[k]);
    *sites = (struct ph_site_view){0};
}
