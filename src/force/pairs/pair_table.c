/* SPDX-License-Identifier: MIT */
#include "force/pairs/pair_table.h"

#include "base/library.h"
#include "base/vec3.h"
#include "force/longrange/split.h"
#include "force/pairs/angular_pairs.h"
#include "force/pairs/pair_groups.h"
#include "potential/curves/curve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Radial interactions ---- */

/* u and its derivative by the formula that loops over pairs have */
static struct ph_radial_value by_formula(const struct ph_radial *radial, double r)
{
    const struct ph_curve *curve = ph_curve_of(radial);
    if (curve) {
        const struct ph_jet u = ph_curve_at(curve, r);
        return r < curve->first ? (struct ph_radial_value){INFINITY, -INFINITY}
                                : (struct ph_radial_value){u.value, u.slope};
    }
    struct ph_formula formula;
    ph_formula_set(radial, ph_radial_wall(radial), &formula);
    const struct ph_radial_bend f = ph_formula_bend(radial->kind, formula.constants, formula.wall, r, 1.0 / r);
    return (struct ph_radial_value){f.u, -f.w * r};
}

double ph_radial_energy(const struct ph_radial *radial, double r)
{
    const double x = radial->sigma / r, eps = radial->epsilon;
    switch (radial->kind) {
    case PH_RADIAL_MIE:
        return ph_mie_prefactor(radial->repulsive, radial->attractive) * eps *
               (ph_library_pow(x, radial->repulsive) - ph_library_pow(x, radial->attractive));
    case PH_RADIAL_SOFT_SPHERE: return 4.0 * eps * ph_library_pow(x, radial->repulsive);
    case PH_RADIAL_WCA:
        return r < PH_WCA_END * radial->sigma ? 4.0 * eps * (ph_library_pow(x, 12.0) - ph_library_pow(x, 6.0)) + eps
                                              : 0.0;
    case PH_RADIAL_NONE: return 0.0;
    default: return by_formula(radial, r).u;
    }
}

double ph_radial_derivative(const struct ph_radial *radial, double r)
{
    const double x = radial->sigma / r, n = radial->repulsive, m = radial->attractive, eps = radial->epsilon;
    switch (radial->kind) {
    case PH_RADIAL_MIE:
        return -ph_mie_prefactor(n, m) * eps * (n * ph_library_pow(x, n) - m * ph_library_pow(x, m)) / r;
    case PH_RADIAL_SOFT_SPHERE: return -4.0 * eps * n * ph_library_pow(x, n) / r;
    case PH_RADIAL_WCA:
        return r < PH_WCA_END * radial->sigma
                   ? -4.0 * eps * (12.0 * ph_library_pow(x, 12.0) - 6.0 * ph_library_pow(x, 6.0)) / r
                   : 0.0;
    case PH_RADIAL_NONE: return 0.0;
    default: return by_formula(radial, r).w;
    }
}

/* ---- Layouts ---- */

static bool is_dipole(const struct ph_site *site) { return !ph_vec3_is_zero(site->dipole); }

/* Gives axes their fields. With `ends`: axes of forms that end by themselves. Without: axes of all other forms, and of
 * sites to which the input gives formulas, because these may reach further. */
static void place_axes(const struct ph_interactions *interactions, const struct ph_species *species, bool ends,
                       struct ph_layout *layout)
{
    for (size_t k = 0; k < layout->n_sites; ++k) {
        const struct ph_angular *angular = &species->site[layout->site[k]].angular;
        const bool has_end = angular->kind != PH_ANGULAR_NONE && ph_angular_end(angular) > 0.0 &&
                             !ph_site_is_given(interactions, species, layout->site[k]);
        if (has_end != ends || layout->n_axes[k] == 0)
            continue;
        if (ends && layout->n_fields < layout->n_far)
            layout->n_fields = layout->n_far;
        for (size_t x = 0; x < layout->n_axes[k]; ++x, layout->n_fields += 3)
            layout->axis[k][x] = layout->n_fields;
    }
}

static struct ph_layout layout_of(const struct ph_interactions *interactions, const struct ph_species *species)
{
    struct ph_layout layout = {0};
    for (size_t a = 0; a < species->n_sites; ++a) {
        const struct ph_site *site = &species->site[a];
        const bool dipole = is_dipole(site);
        size_t axis[PH_AXES_MAX];
        const size_t n_axes = ph_site_axes(site, axis);
        if (site->radial.kind == PH_RADIAL_NONE && site->angular.kind == PH_ANGULAR_NONE && site->charge == 0.0 &&
            !dipole && !ph_site_is_given(interactions, species, a))
            continue;
        const size_t k = layout.n_sites++;
        layout.site[k] = a;
        layout.position[k] = layout.dipole[k] = layout.n_fields;
        layout.has_dipole[k] = dipole;
        if (dipole)
            layout.dipole[k] = layout.n_fields + 3;
        layout.n_fields += dipole ? 6 : 3;
        layout.n_axes[k] = n_axes;
        memcpy(layout.body_axis[k], axis, sizeof axis);
    }
    place_axes(interactions, species, false, &layout);
    layout.n_far = (layout.n_fields + 1) / 2 * 2;
    place_axes(interactions, species, true, &layout);
    return layout;
}

/* ---- Terms ---- */

/* The kernels' name for a truncation */
static enum ph_truncate truncate_of(const struct ph_interactions *interactions)
{
    switch (interactions->truncation) {
    case PH_TRUNCATE_NONE: return PH_ENDLESS;
    case PH_TRUNCATE_SWITCHED: return PH_SWITCHED;
    case PH_TRUNCATE_CUT: return PH_CUT;
    default: return PH_SHIFTED;
    }
}

enum ph_switch_kind ph_switch_kind_of(const struct ph_interactions *interactions)
{
    switch (interactions->smoothness) {
    case 2: return PH_SWITCH_C2;
    case 4: return PH_SWITCH_C4;
    case 6: return PH_SWITCH_C6;
    default: return PH_SWITCH_ALL;
    }
}

/* Constants c0, c1 such that h + c0 + c1 r is shifted or force-shifted */
static struct ph_kernel_tail tail_of(const struct ph_interactions *interactions, double h, double dh)
{
    struct ph_kernel_tail tail = {0.0, 0.0};
    if (interactions->truncation == PH_TRUNCATE_SHIFTED)
        tail.c0 = -h;
    if (interactions->truncation == PH_TRUNCATE_FORCE_SHIFTED) {
        tail.c1 = -dh;
        tail.c0 = -h + dh * interactions->cutoff;
    }
    return tail;
}

static void set_truncation(const struct ph_interactions *interactions, struct ph_pair_term *term)
{
    const double rc = interactions->cutoff;
    term->cut2 = rc * rc;
    if (interactions->truncation == PH_TRUNCATE_SWITCHED) {
        term->switch_kind = ph_switch_kind_of(interactions);
        term->switch_on = rc - interactions->switch_width;
        term->inverse_width = 1.0 / interactions->switch_width;
    }
}

static enum ph_kernel_radial set_radial(const struct ph_interactions *interactions, const struct ph_radial *radial,
                                        struct ph_pair_term *term)
{
    if (radial->kind == PH_RADIAL_NONE || radial->epsilon == 0.0)
        return PH_KERNEL_NO_RADIAL;
    term->sigma2 = radial->sigma * radial->sigma;
    term->four_epsilon = 4.0 * radial->epsilon;
    if (interactions->truncation != PH_TRUNCATE_NONE)
        term->radial = tail_of(interactions, ph_radial_energy(radial, interactions->cutoff),
                               ph_radial_derivative(radial, interactions->cutoff));
    if (radial->kind == PH_RADIAL_MIE && radial->repulsive == 12.0 && radial->attractive == 6.0)
        return PH_KERNEL_LENNARD_JONES;
    if (radial->kind == PH_RADIAL_SOFT_SPHERE && radial->repulsive == 12.0)
        return PH_KERNEL_SOFT_12;
    if (radial->kind == PH_RADIAL_WCA) {
        term->wca_cut2 = PH_WCA_END * PH_WCA_END * term->sigma2;
        term->wca_shift = radial->epsilon;
        return PH_KERNEL_WCA;
    }
    ph_formula_set(radial, ph_radial_wall(radial), &term->formula);
    term->formula.curve = ph_curve_of(radial);
    if (interactions->truncation != PH_TRUNCATE_NONE)
        term->formula.reach = interactions->cutoff;
    return PH_KERNEL_IN_LOOP;
}

static void set_electric(const struct ph_interactions *interactions, const struct ph_split_pairs *split,
                         enum ph_kernel_electric kind, double charges, struct ph_pair_term *term)
{
    const double rc = interactions->cutoff;
    term->strength = interactions->coulomb * charges;
    term->split = split;
    if (ph_is_ewald(interactions)) {
        term->screening = interactions->ewald.screening;
        return;
    }
    if (interactions->electrostatics == PH_ELECTROSTATICS_REACTION_FIELD) {
        const double eps = interactions->epsilon_rf, ratio = isinf(eps) ? 0.5 : (eps - 1.0) / (2.0 * eps + 1.0);
        if (ph_field_is_smooth(interactions)) {
            term->field = ph_smooth_field(ratio, rc, rc - interactions->switch_width);
            term->rf = term->field.rf;
            term->rf_zero = term->field.zero;
            return;
        }
        term->rf = ratio / (rc * rc * rc);
        term->rf_zero = 1.0 / rc + term->rf * rc * rc;
    }
    if (interactions->truncation == PH_TRUNCATE_NONE)
        return;
    const double i = 1.0 / rc;
    if (kind == PH_KERNEL_CHARGE_CHARGE)
        term->electric = tail_of(interactions, i + term->rf * rc * rc - term->rf_zero, -i * i + 2.0 * term->rf * rc);
    else if (kind == PH_KERNEL_DIPOLE_DIPOLE)
        term->electric = tail_of(interactions, i * i * i, -3.0 * i * i * i * i);
    else
        term->electric = tail_of(interactions, i * i - 2.0 * term->rf * rc, -2.0 * i * i * i - 2.0 * term->rf);
}

/* Adds one kernel call */
static void add(struct ph_site_pairs *pairs, const struct ph_site_place *i, const struct ph_site_place *j,
                enum ph_kernel_radial radial, enum ph_kernel_electric electric, enum ph_truncate truncate,
                const struct ph_pair_term *term)
{
    const struct ph_layout *li = i->layout, *lj = j->layout;
    const size_t a = i->k, b = j->k;
    struct ph_site_pair *pair = &pairs->pair[pairs->n++];
    const enum ph_kernel_electric bare = ph_kernel_bare(electric);
    const bool writes_field = bare == PH_KERNEL_CHARGE_DIPOLE || bare == PH_KERNEL_DIPOLE_DIPOLE;
    const bool has_far_axis = lj->n_axes[b] > 0 && lj->axis[b][0] < lj->n_far;
    pairs->leads = pairs->n == 1 && li->position[a] == 0 && lj->n_sites == 1 && !has_far_axis &&
                   (writes_field || !lj->has_dipole[b]);
    pairs->single = pairs->leads && lj->n_axes[b] == 0;
    *pair = (struct ph_site_pair){.position_i = li->position[a],
                                  .dipole_i = li->dipole[a],
                                  .position_j = lj->position[b],
                                  .dipole_j = lj->dipole[b],
                                  .radial = radial,
                                  .electric = electric,
                                  .truncate = truncate,
                                  .term = *term,
                                  .row = {[PH_TERM_FOUR_EPSILON] = term->four_epsilon,
                                          [PH_TERM_SIGMA2] = term->sigma2,
                                          [PH_TERM_STRENGTH] = term->strength,
                                          [PH_TERM_RADIAL_C0] = term->radial.c0,
                                          [PH_TERM_RADIAL_C1] = term->radial.c1}};
    for (int energy = 0; energy < 2 && !term->split; ++energy)
        pair->flat[energy] = ph_flat_find(radial, electric, truncate, energy == 1);
    for (int rows = 0; rows < PH_ROWS_KINDS; ++rows) {
        const enum ph_kernel_rows kind = (enum ph_kernel_rows)rows;
        for (int energy = 0; energy < 2; ++energy) {
            pair->kernel[rows][energy] = ph_kernel_find(radial, electric, truncate, kind, energy == 1);
            pair->inside[rows][energy] = ph_kernel_find(radial, electric, PH_INSIDE, kind, energy == 1);
        }
        pair->derivative[0][rows] = ph_derivative_find(radial, electric, truncate, kind);
        pair->derivative[1][rows] = ph_derivative_find(radial, electric, PH_INSIDE, kind);
    }
}

/* A table must reach to the cutoff. A form must not be cut before it ends by itself, nor switched off within its wall.
 */
static enum ph_status check_reach(const struct ph_interactions *interactions, const struct ph_radial *radial,
                                  const struct ph_site_place *i, const struct ph_site_place *j, struct ph_error *err)
{
    const double end = ph_radial_end(radial), wall = ph_radial_wall(radial), cutoff = interactions->cutoff;
    const bool switched = interactions->truncation == PH_TRUNCATE_SWITCHED;
    const double whole = cutoff - (switched ? interactions->switch_width : 0.0);
    const struct ph_curve *curve = ph_curve_of(radial);
    const bool endless = interactions->truncation == PH_TRUNCATE_NONE;
    const bool known = !curve || (endless ? isinf(curve->last) : cutoff <= curve->last);
    if (known && (endless || (cutoff >= end && (wall == 0.0 || whole > wall))))
        return PH_OK;
    char sites[6 * PH_NAME];
    snprintf(sites, sizeof sites, "%s interaction of %s.%s and %s.%s", ph_form_of(radial)->title, i->species->name,
             i->species->site[i->layout->site[i->k]].name, j->species->name,
             j->species->site[j->layout->site[j->k]].name);
    if (!known && endless)
        return ph_error_set(err, PH_ERR_INPUT,
                            "interactions.truncation is none, but the %s ends at %g (%.300s): give a cutoff.", sites,
                            curve->last, curve->about);
    if (!known)
        return ph_error_set(err, PH_ERR_INPUT,
                            "interactions.cutoff is %g, but the %s ends at %g (%.300s): take a shorter cutoff, or a "
                            "longer table.",
                            cutoff, sites, curve->last, curve->about);
    return cutoff < end
               ? ph_error_set(err, PH_ERR_INPUT, "interactions.cutoff is %g, but the %s reaches to %g.", cutoff, sites,
                              end)
               : ph_error_set(err, PH_ERR_INPUT,
                              "interactions.cutoff is %g, and the %s is switched off from %g on, but its wall is at "
                              "%g: take a longer cutoff.",
                              cutoff, sites, whole, wall);
}

enum { PAIRS_MOST = 5 + PH_ANGULAR_PAIRS }; /* of two sites: one radial, four electric ones, angular ones */

/* All terms between two sites */
static enum ph_status add_site_pair(const struct ph_interactions *interactions, const struct ph_split_pairs *split,
                                    const struct ph_site_place *i, const struct ph_site_place *j,
                                    struct ph_site_pairs *pairs, struct ph_error *err)
{
    const struct ph_species *s = i->species, *t = j->species;
    const struct ph_layout *li = i->layout, *lj = j->layout;
    const size_t a = i->k, b = j->k;
    const struct ph_site *one = &s->site[li->site[a]], *other = &t->site[lj->site[b]];
    const enum ph_truncate truncate = truncate_of(interactions);
    struct ph_radial combined;
    enum ph_status status = ph_combine(interactions, s, li->site[a], t, lj->site[b], &combined, err);
    if (status != PH_OK)
        return status;
    status = check_reach(interactions, &combined, i, j, err);
    if (status != PH_OK)
        return status;

    struct ph_pair_term base = {0};
    set_truncation(interactions, &base);
    struct ph_pair_term radial_term = base;
    enum ph_kernel_radial radial = set_radial(interactions, &combined, &radial_term);

    const struct {
        enum ph_kernel_electric kind;
        double charges;
        bool there;
    } electrics[] = {
        {PH_KERNEL_CHARGE_CHARGE, one->charge * other->charge, one->charge != 0.0 && other->charge != 0.0},
        {PH_KERNEL_CHARGE_DIPOLE, one->charge, one->charge != 0.0 && lj->has_dipole[b]},
        {PH_KERNEL_DIPOLE_CHARGE, other->charge, li->has_dipole[a] && other->charge != 0.0},
        {PH_KERNEL_DIPOLE_DIPOLE, 1.0, li->has_dipole[a] && lj->has_dipole[b]},
    };
    for (size_t k = 0; k < sizeof electrics / sizeof electrics[0]; ++k) {
        if (!electrics[k].there)
            continue;
        const bool screened = ph_is_ewald(interactions) && !split;
        const enum ph_kernel_electric kind = screened ? ph_kernel_screen(electrics[k].kind) : electrics[k].kind;
        const bool fused = radial != PH_KERNEL_NO_RADIAL && ph_kernel_find(radial, kind, truncate, PH_ROWS_ADD, false);
        struct ph_pair_term term = fused ? radial_term : base;
        set_electric(interactions, split, electrics[k].kind, electrics[k].charges, &term);
        const bool ends_by_itself = term.field.edge > 0.0 || split;
        add(pairs, i, j, fused ? radial : PH_KERNEL_NO_RADIAL, kind, ends_by_itself && !fused ? PH_CUT : truncate,
            &term);
        if (fused)
            radial = PH_KERNEL_NO_RADIAL;
    }
    if (radial != PH_KERNEL_NO_RADIAL)
        add(pairs, i, j, radial, PH_KERNEL_NO_ELECTRIC, truncate, &radial_term);
    return ph_angular_pair_add(interactions, split, i, j, truncate, &base, pairs, err);
}

/* ---- Kinds ---- */

/* Whether a kernel for mixtures can take molecules j of two species together, whatever molecule i is */
static bool of_one_kind(const struct ph_pair_table *table, size_t s, size_t t)
{
    if (table->layout[s].n_fields != table->layout[t].n_fields)
        return false;
    for (size_t own = 0; own < table->n_species; ++own) {
        const struct ph_site_pairs *one = &table->of[own * table->n_species + s], *other = one + t - s;
        if (!one->single || !other->single)
            return false;
        const struct ph_site_pair *a = one->pair, *b = other->pair;
        if (!a->kernel[PH_ROWS_MIXED_SET][0] || a->radial != b->radial || a->electric != b->electric ||
            a->truncate != b->truncate)
            return false;
    }
    return true;
}

/* How many rows of constants the kernel takes that goes through n species */
static size_t rows_of(const struct ph_site_pairs pairs[], size_t n)
{
    const struct ph_site_pair *first = pairs->pair;
    const size_t rows = first->truncate == PH_SHIFTED                ? PH_TERM_ROWS
                        : first->electric == PH_KERNEL_CHARGE_CHARGE ? PH_TERM_STRENGTH + 1
                                                                     : PH_TERM_SIGMA2 + 1;
    for (size_t s = 1; s < n; ++s)
        if (memcmp(pairs[s].pair->row, first->row, sizeof first->row) != 0)
            return rows;
    return 0;
}

static void find_kinds(struct ph_pair_table *table)
{
    const size_t n = table->n_species;
    for (size_t first = 0, end; first < n; first = end) {
        end = first + 1;
        while (end < n && of_one_kind(table, first, end))
            ++end;
        for (size_t s = first; s < end; ++s)
            table->kind_end[s] = end;
        for (size_t own = 0; own < n && end > first + 1; ++own)
            table->of[own * n + first].n_rows = rows_of(&table->of[own * n + first], end - first);
    }
}

void ph_pair_table_clear(struct ph_pair_table *table)
{
    if (table->of)
        for (size_t k = 0; k < table->n_species * table->n_species; ++k) {
            free(table->of[k].pair);
            free(table->of[k].group);
        }
    free(table->of);
    free(table->layout);
    free(table->kind_end);
    free(table->split);
    *table = (struct ph_pair_table){0};
}

void ph_pair_table_set_split(const struct ph_interactions *interactions, struct ph_pair_table *table)
{
    if (table->split) {
        const struct ph_split split = ph_split_of(interactions);
        *table->split = ph_split_pairs(&split);
        return;
    }
    for (size_t k = 0; k < table->n_species * table->n_species; ++k)
        for (size_t p = 0; p < table->of[k].n; ++p)
            if (table->of[k].pair[p].term.screening != 0.0)
                table->of[k].pair[p].term.screening = interactions->ewald.screening;
}

enum ph_status ph_pair_table_init(const struct ph_system *system, const struct ph_interactions *interactions,
                                  struct ph_pair_table *table, struct ph_error *err)
{
    const size_t n = system->n_species;
    *table = (struct ph_pair_table){.n_species = n};
    table->layout = calloc(n, sizeof *table->layout);
    table->of = calloc(n * n, sizeof *table->of);
    table->kind_end = calloc(n, sizeof *table->kind_end);
    if (!table->layout || !table->of || !table->kind_end)
        goto no_memory;
    for (size_t s = 0; s < n; ++s) {
        table->layout[s] = layout_of(interactions, &system->species[s]);
        if (table->layout[s].n_fields > PH_FIELDS_MAX)
            return ph_error_set(err, PH_ERR_INPUT,
                                "Model '%s' has too many sites with axes: positions, dipoles and axes of its sites are "
                                "%zu numbers, and %d are possible.",
                                system->species[s].name, table->layout[s].n_fields, PH_FIELDS_MAX);
        if (table->layout[s].n_fields > table->n_fields)
            table->n_fields = table->layout[s].n_fields;
    }
    table->record = (table->n_fields + 1) / 2 * 2;
    if (ph_is_ewald(interactions) && interactions->ewald.split == PH_SPLIT_BESSEL) {
        table->split = malloc(sizeof *table->split);
        if (!table->split)
            goto no_memory;
        const struct ph_split split = ph_split_of(interactions);
        *table->split = ph_split_pairs(&split);
    }
    for (size_t s = 0; s < n; ++s)
        for (size_t t = 0; t < n; ++t) {
            const struct ph_layout *li = &table->layout[s], *lj = &table->layout[t];
            struct ph_site_pairs *pairs = &table->of[s * n + t];
            pairs->pair = calloc(PAIRS_MOST * li->n_sites * lj->n_sites + 1, sizeof *pairs->pair);
            if (!pairs->pair)
                goto no_memory;
            for (size_t a = 0; a < li->n_sites; ++a)
                for (size_t b = 0; b < lj->n_sites; ++b) {
                    const struct ph_site_place i = {&system->species[s], li, a}, j = {&system->species[t], lj, b};
                    const enum ph_status status = add_site_pair(interactions, table->split, &i, &j, pairs, err);
                    if (status != PH_OK)
                        return status;
                }
            const enum ph_status status = ph_pair_groups_make(pairs, err);
            if (status != PH_OK)
                return status;
        }
    find_kinds(table);
    return PH_OK;
no_memory:
    return ph_no_memory(err, "the table of pair interactions");
}
