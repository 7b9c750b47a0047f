/* SPDX-License-Identifier: MIT */
#include "force/force_field_inside.h"

#include "base/array.h"
#include "base/room.h"
#include "base/threads.h"
#include "force/force_parts.h"
#include "force/longrange/ewald.h"
#include "force/pairs/pairs.h"
#include "force/ranks/force_ranks.h"
#include "parallel/ranks.h"
#include "parallel/spent.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* All kinds, in the order of their sums */
static const struct ph_term_kind *const kinds[] = {&ph_term_pairs,    &ph_term_tail,   &ph_term_ewald,
                                                   &ph_term_external, &ph_term_plumed, &ph_term_caller};
_Static_assert(sizeof kinds / sizeof *kinds == PH_TERM_KINDS, "room for one term of each kind");

double ph_energy_total(const struct ph_energy *energy)
{
    return energy->radial + energy->electric + energy->waves + energy->long_range + energy->field + energy->bias;
}

/* ---- Set-up ---- */

void ph_force_field_destroy(struct ph_force_field *field)
{
    if (!field)
        return;
    for (size_t t = 0; t < field->n_terms; ++t)
        field->term[t].kind->destroy(field->term[t].term);
    if (field->near)
        ph_term_pairs.destroy(field->near);
    field->near_sites.place = NULL;
    ph_sites_clear(&field->near_sites);
    ph_sites_clear(&field->sites);
    for (int k = 0; k < 6; ++k)
        free(field->kept[k]);
    free(field);
}

/* ---- The fast part ---- */

/* Creates the term of near pairs: the same interactions with a shorter cutoff and their own list, which is drawn from
 * the long list at every list build. Both lists have the same skin, so that they stay valid equally long. Charges and
 * dipoles are cut off as in a reaction field, which is smooth by itself (potential/electric.h), whatever method acts
 * beyond. A switch on each pair of sites would leave neutral molecules charged while they pass it, and in water make
 * the error of a nested scheme three hundred times as large. */
static enum ph_status create_near(const struct ph_system *system, const struct ph_interactions *all,
                                  struct ph_force_field *field, struct ph_error *err)
{
    struct ph_interactions near = *all;
    struct ph_error inner = {.text = ""};
    near.cutoff = all->fast.radius;
    near.truncation = PH_TRUNCATE_SWITCHED;
    near.switch_width = all->fast.width;
    near.smoothness = 6;
    near.electrostatics = PH_ELECTROSTATICS_REACTION_FIELD;
    near.epsilon_rf = INFINITY;
    near.skin = all->truncation == PH_TRUNCATE_NONE ? 0.0 : ph_pairs_skin(all);
    enum ph_status status = ph_pair_table_init(system, &near, &field->near_sites.table, &inner);
    field->near_sites.place = field->sites.place;
    const struct ph_term_setup setup = {.system = system, .interactions = &near, .sites = &field->near_sites};
    if (status == PH_OK)
        status = ph_term_pairs.create(&setup, &field->near, &inner);
    if (status == PH_OK)
        ph_pairs_draw(field->near, field->all_pairs);
    return status == PH_OK
               ? PH_OK
               : ph_error_set(err, status,
                              "dynamics.nested.radius: near pairs end at %g, as with an interactions.cutoff "
                              "of as much. %.600s",
                              near.cutoff, inner.text);
}

static enum ph_status create_fast(const struct ph_system *system, const struct ph_interactions *all,
                                  struct ph_force_field *field, struct ph_error *err)
{
    const struct ph_fast_part *fast = &all->fast;
    if (fast->kind == PH_FAST_NONE)
        return PH_OK;
    if (fast->kind == PH_FAST_BUT_WAVES && !ph_is_ewald(all))
        return ph_error_set(err, PH_ERR_INPUT,
                            "dynamics.nested.part is reciprocal, but interactions.electrostatics.method is neither "
                            "ewald nor mesh: there is no reciprocal space.");
    if (fast->kind == PH_FAST_NEAR && all->truncation != PH_TRUNCATE_NONE && !(fast->radius < all->cutoff))
        return ph_error_set(err, PH_ERR_INPUT,
                            "dynamics.nested.radius is %g; it must be smaller than the cutoff, %g, or nothing is slow.",
                            fast->radius, all->cutoff);
    if (fast->kind == PH_FAST_NEAR && !(fast->width > 0.0 && fast->width <= fast->radius))
        return ph_error_set(err, PH_ERR_INPUT,
                            "dynamics.nested.width is %g; it must lie between 0 and dynamics.nested.radius, %g.",
                            fast->width, fast->radius);
    field->fast = fast->kind;
    const struct ph_ewald_choice *mesh = &all->ewald;
    const double waves = mesh->spread_cost + mesh->gather_cost + mesh->transform_cost, sum = waves + mesh->pairs_cost;
    field->costs.slow = all->electrostatics == PH_ELECTROSTATICS_MESH && sum > 0.0 ? waves / sum : 0.5;
    field->costs.fast = 1.0 - field->costs.slow;
    for (int k = 0; k < 6; ++k)
        if (!(field->kept[k] = ph_array_create(ph_padded(system->n), sizeof(double))))
            return ph_no_memory(err, "the fast forces of %zu molecules", system->n);
    return fast->kind == PH_FAST_NEAR ? create_near(system, all, field, err) : PH_OK;
}

enum ph_status ph_force_field_create(const struct ph_system *system, const struct ph_interactions *interactions,
                                     struct ph_force_field **out, struct ph_error *err)
{
    *out = NULL;
    struct ph_interactions complete = *interactions;
    enum ph_status status = ph_is_ewald(&complete) ? ph_ewald_choose(system, &complete, err) : PH_OK; /* and a cutoff */
    if (status == PH_OK)
        status = ph_pairs_check_cutoff(system, &complete, err);
    if (status != PH_OK)
        return status;
    struct ph_force_field *field = calloc(1, sizeof *field);
    if (!field)
        return ph_no_memory(err, "the force field");
    const struct ph_term_setup setup = {.system = system, .interactions = &complete, .sites = &field->sites};
    status = ph_sites_init(system, &complete, &field->sites, err);
    for (size_t k = 0; k < PH_TERM_KINDS && status == PH_OK; ++k) {
        void *term = NULL;
        status = kinds[k]->create(&setup, &term, err);
        field->term[field->n_terms].kind = kinds[k];
        field->term[field->n_terms].term = term;
        field->n_terms += term != NULL;
        if (kinds[k] == &ph_term_pairs)
            field->all_pairs = term;
    }
    if (status == PH_OK)
        status = create_fast(system, &complete, field, err);
    if (status != PH_OK) {
        ph_force_field_destroy(field);
        return status;
    }
    *out = field;
    return PH_OK;
}

enum ph_status ph_force_field_set_caller(struct ph_force_field *field, const struct ph_system *system,
                                         const struct ph_interactions *interactions, struct ph_error *err)
{
    const struct ph_term_setup setup = {.system = system, .interactions = interactions, .sites = &field->sites};
    void *term = NULL;
    const enum ph_status status = ph_term_caller.create(&setup, &term, err);
    if (status != PH_OK)
        return status;
    field->evaluated = false;
    if (field->n_terms > 0 && field->term[field->n_terms - 1].kind == &ph_term_caller) /* it is always the last term */
        ph_term_caller.destroy(field->term[--field->n_terms].term);
    field->term[field->n_terms].kind = &ph_term_caller;
    field->term[field->n_terms].term = term;
    field->n_terms += term != NULL;
    return PH_OK;
}

/* ---- Forces ---- */

static size_t first_broken_of(double *const a[3], double *const b[3], size_t begin, size_t end)
{
    for (size_t i = begin; i < end; ++i)
        if (!isfinite(a[0][i] + a[1][i] + a[2][i] + b[0][i] + b[1][i] + b[2][i]))
            return i;
    return SIZE_MAX;
}

size_t ph_force_field_broken(const struct ph_system *system, const struct ph_owned *own, double *const a[3],
                             double *const b[3])
{
    size_t broken = SIZE_MAX;
    for (size_t s = 0; s < system->n_species && broken == SIZE_MAX; ++s) {
        const struct ph_places at = ph_own_places(own, system->first, s);
        if (at.end - at.begin < PH_WORTH_THREADS) {
            broken = first_broken_of(a, b, at.begin, at.end);
            continue;
        }
#pragma omp parallel for schedule(static) reduction(min : broken)
        for (size_t from = at.begin; from < at.end; from += PH_TURN) {
            const size_t first = first_broken_of(a, b, from, ph_turn_end(from, at.end));
            broken = first < broken ? first : broken;
        }
    }
    return broken;
}

static enum ph_status explain_term(const struct ph_term_kind *kind, const void *term, const struct ph_system *system,
                                   size_t broken, struct ph_error *err)
{
    const enum ph_status status = kind->explain ? kind->explain(term, system, broken, err) : PH_OK;
    return status != PH_OK ? status
                           : ph_error_set(err, PH_ERR_NUMBERS,
                                          "The force or torque on molecule %u at (%g, %g, %g) is not finite (%s).",
                                          system->id[broken], system->r[0][broken], system->r[1][broken],
                                          system->r[2][broken], kind->name);
}

/* Adds a term. Where ranks share molecules, a rank with non-finite forces records the failure and continues, so that
 * other ranks do not wait for it: see share.h. */
static enum ph_status add_term(struct ph_force_field *field, const struct ph_term_kind *kind, void *term,
                               struct ph_system *system, const struct ph_owned *own, struct ph_energy *energy,
                               struct ph_error *err)
{
    ph_spent_begin(kind == &ph_term_pairs ? PH_SPENT_PAIRS : PH_SPENT_OTHER);
    const enum ph_status status = kind->evaluate(term, system, energy, err);
    ph_spent_begin(PH_SPENT_CHECK);
    const bool seen = kind->saw_finite && kind->saw_finite(term);
    const size_t broken =
        status == PH_OK && !seen ? ph_force_field_broken(system, own, system->f, system->t) : SIZE_MAX;
    if (broken == SIZE_MAX)
        return status;
    if (!own)
        return explain_term(kind, term, system, broken, err);
    struct ph_error failure = {.text = ""};
    explain_term(kind, term, system, broken, &failure);
    ph_force_field_fail(field, &failure);
    return PH_OK;
}

/* For a part without pairs: exchanges failures among ranks. Pair terms do this themselves. */
static enum ph_status meet(struct ph_force_field *field, enum ph_force_part part, struct ph_error *err)
{
    const bool near = field->near && part == PH_FORCES_FAST;
    return !field->sites.state || near || ph_force_field_takes_part(field, &ph_term_pairs, part)
               ? PH_OK
               : ph_force_field_meet(field, &(struct ph_column_set){.n = 0}, err);
}

bool ph_force_field_begin_ahead(struct ph_force_field *field, const struct ph_system *system)
{
    field->stays_ahead = false;
    return field->went_ahead = field->fast == PH_FAST_NONE && ph_ranks_count() == 1 &&
                               ph_force_field_takes_part(field, &ph_term_pairs, PH_FORCES_ALL) &&
                               ph_pairs_begin_look(field->all_pairs, system);
}

void ph_force_field_go_ahead(const struct ph_force_field *field, const struct ph_system *system, size_t species,
                             size_t begin, size_t end)
{
    ph_sites_place_range(system, species, begin, end, &field->sites);
    ph_pairs_look(field->all_pairs, begin, end);
}

void ph_force_field_stay_ahead(struct ph_force_field *field) { field->stays_ahead = field->went_ahead; }

/* Whether work was done ahead for this evaluation */
static bool came_ahead(struct ph_force_field *field)
{
    const bool stays = field->stays_ahead;
    if (!stays)
        ph_force_field_drop_ahead(field);
    field->went_ahead = field->stays_ahead = false;
    return stays;
}

/* Rebuilds outdated lists of a part, which may wrap centres into the box. */
static enum ph_status prepare(struct ph_force_field *field, enum ph_force_part part, struct ph_system *system,
                              struct ph_error *err)
{
    const bool near = field->near && part == PH_FORCES_FAST;
    enum ph_status status = near ? ph_term_pairs.prepare(field->near, system, err) : PH_OK;
    for (size_t t = 0; t < field->n_terms && status == PH_OK; ++t)
        if (field->term[t].kind->prepare && ph_force_field_takes_part(field, field->term[t].kind, part))
            status = field->term[t].kind->prepare(field->term[t].term, system, err);
    return status;
}

/* Adds up forces and torques of all terms of a part; energies unless `energy` is NULL. */
static enum ph_status sum_terms(struct ph_force_field *field, enum ph_force_part part, struct ph_system *system,
                                struct ph_energy *energy, struct ph_error *err)
{
    const bool near = field->near && part == PH_FORCES_FAST;
    field->near_sites.state = field->sites.state;
    field->refused = false;
    const enum ph_spent_part before = ph_spent_begin(PH_SPENT_SITES);
    /* If lists still hold, which they mostly do, sites need not wait for them. */
    const bool pairs_first = !near && ph_force_field_takes_part(field, &ph_term_pairs, part);
    const bool came = came_ahead(field);
    const bool ahead = came || (pairs_first && !field->sites.state && ph_pairs_begin_look(field->all_pairs, system));
    field->sites.old_forces = pairs_first;
    const size_t lists = ph_pairs_lists_made(field->all_pairs);
    if (ahead)
        field->sites.own = NULL;
    if (ahead && !came)
        ph_sites_place(system, &field->sites, ph_pairs_look, field->all_pairs);
    ph_spent_begin(PH_SPENT_CHECK);
    enum ph_status status = prepare(field, part, system, err);
    ph_spent_begin(PH_SPENT_SITES);
    if (status == PH_OK)
        status = meet(field, part, err);
    else if (ph_force_field_takes_part(field, &ph_term_pairs, part) || near)
        field->refused = ph_pairs_refused(near ? field->near : field->all_pairs);
    if (status != PH_OK)
        return status;
    const struct ph_owned *own = field->sites.own = field->sites.state ? ph_force_field_owned(field) : NULL;
    if (near) /* the same molecules, but different ghosts */
        field->near_sites.own = field->sites.state ? ph_pairs_owned(field->near) : NULL;
    if (!ahead || ph_pairs_lists_made(field->all_pairs) != lists) /* molecules were wrapped then */
        ph_sites_place(system, &field->sites, NULL, NULL);
    if (near)
        status = add_term(field, &ph_term_pairs, field->near, system, own, energy, err);
    for (size_t t = 0; t < field->n_terms && status == PH_OK; ++t)
        if (ph_force_field_takes_part(field, field->term[t].kind, part))
            status = add_term(field, field->term[t].kind, field->term[t].term, system, own, energy, err);
    ph_spent_begin(before);
    return status;
}

enum { ROWS_MOST = 144 };

/* Lists all rows that migrate with a molecule: its state, and anchors */
static struct ph_column_set all_rows(const struct ph_force_field *field, const struct ph_column_set *state,
                                     double *row[ROWS_MOST])
{
    const struct ph_force_memory memory = ph_force_field_memory(field);
    struct ph_column_set rows = *state;
    PH_ROOM(state->n + 3 <= ROWS_MOST);
    memcpy(row, state->row, state->n * sizeof *row);
    for (int k = 0; k < 3 && memory.anchor[k]; ++k)
        row[rows.n++] = memory.anchor[k];
    rows.row = row;
    return rows;
}

static enum ph_status evaluate_all(struct ph_force_field *field, struct ph_system *system, struct ph_energy *energy,
                                   struct ph_error *err)
{
    struct ph_energy sum = {.radial = 0.0};
    enum ph_status status = sum_terms(field, PH_FORCES_ALL, system, energy ? &sum : NULL, err);
    if (status == PH_OK && energy && field->sites.state) /* get failures of other ranks before the energy is used */
        status = ph_force_field_collect(field, &(struct ph_column_set){.n = 0}, err);
    if (status == PH_OK && !isfinite(ph_energy_total(&sum)))
        status = ph_error_set(err, PH_ERR_NUMBERS, "The potential energy is not finite, although all forces are: %g.",
                              ph_energy_total(&sum));
    field->evaluated = status == PH_OK;
    if (energy && status == PH_OK)
        *energy = sum;
    return status;
}

/* Copies numbers of all molecules, or of local ones. */
static void copy(const struct ph_system *system, const struct ph_owned *own, const double *from, double *to)
{
    for (size_t s = 0; s < system->n_species; ++s) {
        const struct ph_places at = ph_own_places(own, system->first, s);
        memcpy(to + at.begin, from + at.begin, (at.end - at.begin) * sizeof *to);
    }
}

/* Returns the local molecules if the last evaluation was for these alone. Restores their order if a reader has
 * collected rows since. */
static const struct ph_owned *evaluated_for(const struct ph_force_field *field)
{
    return field->sites.own ? ph_force_field_owned(field) : NULL;
}

void ph_force_field_take_off_fast(const struct ph_force_field *field, struct ph_system *system)
{
    const struct ph_owned *own = evaluated_for(field);
    for (size_t s = 0; s < system->n_species; ++s) {
        const struct ph_places at = ph_own_places(own, system->first, s);
        for (int k = 0; k < 3; ++k)
            for (size_t i = at.begin; i < at.end; ++i) {
                system->f[k][i] -= field->kept[k][i];
                system->t[k][i] -= field->kept[3 + k][i];
            }
    }
}

static enum ph_status evaluate_part(struct ph_force_field *field, enum ph_force_part part, struct ph_system *system,
                                    struct ph_error *err)
{
    const enum ph_status status = sum_terms(field, part, system, NULL, err);
    if (status != PH_OK)
        return status;
    if (part == PH_FORCES_FAST) {
        const size_t lists = ph_force_field_counts(field).lists_made;
        for (int k = 0; k < 6 && lists != field->kept_lists; ++k) /* places may have changed since */
            ph_pairs_vacate(field->all_pairs, field->kept[k]);
        field->kept_lists = lists;
        for (int k = 0; k < 3; ++k) {
            copy(system, field->sites.own, system->f[k], field->kept[k]);
            copy(system, field->sites.own, system->t[k], field->kept[3 + k]);
        }
    }
    if (part == PH_FORCES_SLOW && field->near)
        ph_force_field_take_off_fast(field, system);
    return PH_OK;
}

/* Near pairs have lists of their own if all pairs have none. Their tiles are other ones than those that give molecules
 * their owners. So ranks collect all places, and each gets the forces on all molecules. */
static bool needs_all(const struct ph_force_field *field, enum ph_force_part part)
{
    return part == PH_FORCES_FAST && field->near && !ph_force_field_has_lists(field);
}

static enum ph_status collect_places(struct ph_force_field *field, const struct ph_system *system, struct ph_error *err)
{
    double *const row[] = {system->r[0], system->r[1], system->r[2], system->q[0],
                           system->q[1], system->q[2], system->q[3]};
    const struct ph_column_set places = {.n = sizeof row / sizeof *row, .row = row, .image = system->image};
    return ph_force_field_meet(field, &places, err);
}

enum ph_status ph_force_field_evaluate(struct ph_force_field *field, struct ph_system *system, enum ph_force_part part,
                                       const struct ph_column_set *local, struct ph_energy *energy,
                                       struct ph_error *err)
{
    double *row[ROWS_MOST];
    assert(local || ph_ranks_count() == 1);
    field->evaluated = false;
    if (local && needs_all(field, part)) {
        const enum ph_status status = collect_places(field, system, err);
        if (status != PH_OK)
            return status;
        local = NULL;
    }
    const struct ph_column_set rows = local ? all_rows(field, local, row) : (struct ph_column_set){.n = 0};
    field->sites.state = local ? &rows : NULL;
    const enum ph_status status = part == PH_FORCES_ALL || field->fast == PH_FAST_NONE
                                      ? evaluate_all(field, system, energy, err)
                                      : evaluate_part(field, part, system, err);
    field->sites.state = NULL;
    return status;
}

bool ph_force_field_slow_needs_fast(const struct ph_force_field *field) { return field->near != NULL; }

void ph_force_field_recall_fast(const struct ph_force_field *field, struct ph_system *system)
{
    const struct ph_owned *own = evaluated_for(field);
    for (int k = 0; k < 3; ++k) {
        copy(system, own, field->kept[k], system->f[k]);
        copy(system, own, field->kept[3 + k], system->t[k]);
    }
}

bool ph_force_field_keeps_fast(const struct ph_force_field *field)
{
    return field->kept_lists == ph_force_field_counts(field).lists_made;
}

struct ph_part_costs ph_force_field_part_costs(const struct ph_force_field *field)
{
    const struct ph_force_counts counts = ph_force_field_counts(field);
    if (!field->near)
        return field->costs;
    const bool together = field->pairs[PH_PAIRS_ALL] > 0;
    const double near = together ? (double)field->pairs[PH_PAIRS_NEAR] : (double)counts.near_pairs;
    const double all = together ? (double)field->pairs[PH_PAIRS_ALL] : (double)counts.molecule_pairs;
    const double share = all > 0.0 ? near / all : 0.0;
    return (struct ph_part_costs){.fast = share, .slow = 1.0};
}
