/* SPDX-License-Identifier: MIT */
/* What a force field knows besides its terms: lists and anchors for checkpoints, changes of the box, parameters of an
 * Ewald sum, counts. */
#include "force/force_field_inside.h"
#include "force/longrange/ewald.h"
#include "parallel/ranks.h"

#include <string.h>

void ph_force_field_forget(struct ph_force_field *field)
{
    ph_force_field_drop_ahead(field);
    for (size_t t = 0; t < field->n_terms; ++t)
        if (field->term[t].kind->forget)
            field->term[t].kind->forget(field->term[t].term);
    if (field->near)
        ph_term_pairs.forget(field->near);
}

enum ph_status ph_force_field_box_changed(struct ph_force_field *field, const struct ph_system *system,
                                          struct ph_error *err)
{
    field->evaluated = false;
    ++field->version.boxes;
    enum ph_status status = PH_OK;
    for (size_t t = 0; t < field->n_terms && status == PH_OK; ++t)
        if (field->term[t].kind->box_changed)
            status = field->term[t].kind->box_changed(field->term[t].term, system, err);
    if (status == PH_OK && field->near)
        status = ph_term_pairs.box_changed(field->near, system, err);
    return status;
}

/* Returns the index of the Ewald term, or n_terms. */
static size_t ewald_of(const struct ph_force_field *field)
{
    size_t t = 0;
    while (t < field->n_terms && field->term[t].kind != &ph_term_ewald)
        ++t;
    return t;
}

struct ph_force_version ph_force_field_version(const struct ph_force_field *field) { return field->version; }

const struct ph_pair_table *ph_force_field_pair_table(const struct ph_force_field *field, bool near)
{
    return !near ? &field->sites.table : field->near ? &field->near_sites.table : NULL;
}

const void *ph_force_field_ewald_term(const struct ph_force_field *field)
{
    const size_t t = ewald_of(field);
    return t < field->n_terms ? field->term[t].term : NULL;
}

const struct ph_ewald_choice *ph_force_field_ewald(const struct ph_force_field *field)
{
    const size_t t = ewald_of(field);
    return t < field->n_terms ? &ph_ewald_interactions(field->term[t].term)->ewald : NULL;
}

bool ph_force_field_is_rough(const struct ph_force_field *field, const struct ph_system *system)
{
    const size_t t = ewald_of(field);
    return t < field->n_terms && ph_ewald_is_rough(system, ph_ewald_interactions(field->term[t].term));
}

enum ph_status ph_force_field_choose_again(struct ph_force_field *field, const struct ph_system *system,
                                           struct ph_error *err)
{
    const size_t t = ewald_of(field);
    struct ph_interactions again = *ph_ewald_interactions(field->term[t].term);
    const struct ph_term_setup setup = {.system = system, .interactions = &again, .sites = &field->sites};
    struct ph_error why = {.text = ""};
    void *term = NULL;
    enum ph_status status = ph_ewald_choose_again(system, &again, &why);
    if (status != PH_OK)
        return ph_error_set(err, PH_ERR_NUMBERS,
                            "The box has changed since long ranges were chosen for it, and the volume is now %g. %s",
                            system->box.volume, why.text);
    status = ph_ranks_agree(ph_term_ewald.create(&setup, &term, err), err);
    if (status != PH_OK) {
        if (term)
            ph_term_ewald.destroy(term);
        return status;
    }
    ph_term_ewald.destroy(field->term[t].term);
    field->term[t].term = term;
    ph_pair_table_set_split(&again, &field->sites.table);
    field->evaluated = false;
    ++field->version.choices;
    return PH_OK;
}

struct ph_force_memory ph_force_field_memory(const struct ph_force_field *field)
{
    struct ph_force_memory memory = {.anchor = {NULL}};
    for (size_t t = 0; t < field->n_terms; ++t)
        if (field->term[t].kind->remember)
            field->term[t].kind->remember(field->term[t].term, &memory);
    if (field->near) {
        struct ph_force_memory near = {.anchor = {NULL}};
        ph_term_pairs.remember(field->near, &near);
        memcpy(memory.near_built_at, near.built_at, sizeof near.built_at);
        memcpy(memory.near_thinned_at, near.thinned_at, sizeof near.thinned_at);
        memory.near_boxes = near.boxes;
    }
    return memory;
}

enum ph_status ph_force_field_restore(struct ph_force_field *field, struct ph_system *system,
                                      const struct ph_force_memory *memory, struct ph_error *err)
{
    field->evaluated = false;
    ph_force_field_drop_ahead(field);
    enum ph_status status = PH_OK;
    for (size_t t = 0; t < field->n_terms && status == PH_OK; ++t)
        if (field->term[t].kind->restore)
            status = field->term[t].kind->restore(field->term[t].term, system, memory, err);
    if (status == PH_OK && field->near) {
        struct ph_force_memory near = {.boxes = memory->near_boxes};
        memcpy(near.built_at, memory->near_built_at, sizeof near.built_at);
        memcpy(near.thinned_at, memory->near_thinned_at, sizeof near.thinned_at);
        status = ph_term_pairs.restore(field->near, system, &near, err);
    }
    return status;
}

struct ph_force_counts ph_force_field_counts(const struct ph_force_field *field)
{
    struct ph_force_counts counts = {.lists_made = 0};
    for (size_t t = 0; t < field->n_terms; ++t)
        if (field->term[t].kind->count)
            field->term[t].kind->count(field->term[t].term, &counts);
    if (field->near) {
        struct ph_force_counts near = {.lists_made = 0};
        ph_term_pairs.count(field->near, &near);
        counts.near_pairs = near.molecule_pairs;
    }
    return counts;
}
