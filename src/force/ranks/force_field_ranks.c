/* SPDX-License-Identifier: MIT */
/* Functions of force_ranks.h: the pairs know which rank owns which molecule. */
#include "force/force_field_inside.h"
#include "force/pairs/pairs.h"
#include "force/ranks/force_ranks.h"

/* Returns true if a term belongs to a part. Near pairs are not among the terms. */
bool ph_force_field_takes_part(const struct ph_force_field *field, const struct ph_term_kind *kind,
                               enum ph_force_part part)
{
    if (part == PH_FORCES_ALL)
        return true;
    if (field->fast == PH_FAST_BUT_WAVES)
        return (kind == &ph_term_ewald) == (part == PH_FORCES_SLOW);
    return part == PH_FORCES_SLOW || kind == &ph_term_external; /* slow: all terms, minus the stored forces */
}

const struct ph_owned *ph_force_field_owned(const struct ph_force_field *field)
{
    return ph_pairs_owned(field->all_pairs);
}

bool ph_force_field_has_owners(const struct ph_force_field *field) { return ph_pairs_has_owners(field->all_pairs); }

bool ph_force_field_shows_all(const struct ph_force_field *field) { return ph_pairs_show_all(field->all_pairs); }

void ph_force_field_fail(struct ph_force_field *field, const struct ph_error *failure)
{
    ph_pairs_fail(field->all_pairs, failure);
}

enum ph_status ph_force_field_collect(struct ph_force_field *field, const struct ph_column_set *rows,
                                      struct ph_error *err)
{
    return ph_pairs_collect(field->all_pairs, rows, err);
}

enum ph_status ph_force_field_collect_memory(struct ph_force_field *field, bool first, struct ph_error *err)
{
    const struct ph_force_memory memory = ph_force_field_memory(field);
    return ph_pairs_collect_memory(field->all_pairs, memory.anchor, first, err);
}

enum ph_status ph_force_field_collect_first(struct ph_force_field *field, const struct ph_column_set *rows,
                                            struct ph_error *err)
{
    return ph_pairs_read(field->all_pairs, rows, NULL, NULL, NULL, err);
}

enum ph_status ph_force_field_read(struct ph_force_field *field, const struct ph_column_set *rows,
                                   const struct ph_readers *readers, ph_columns_reader *block, void *data,
                                   struct ph_error *err)
{
    return ph_pairs_read(field->all_pairs, rows, readers, block, data, err);
}

bool ph_force_field_has_lists(const struct ph_force_field *field) { return ph_pairs_has_lists(field->all_pairs); }

enum ph_status ph_force_field_begin(struct ph_force_field *field, const struct ph_system *system, struct ph_error *err)
{
    return ph_pairs_begin(field->all_pairs, system, err);
}

void ph_force_field_visit_pairs(const struct ph_force_field *field, const struct ph_system *system,
                                void (*visit)(size_t i, size_t j, const double d[3], void *context), void *context)
{
    ph_pairs_visit_listed(field->all_pairs, system, visit, context);
}

bool ph_force_field_refused(const struct ph_force_field *field) { return field->refused; }

enum ph_status ph_force_field_meet(struct ph_force_field *field, const struct ph_column_set *rows, struct ph_error *err)
{
    const enum ph_status status = ph_force_field_collect(field, rows, err);
    field->refused = status != PH_OK;
    return status;
}
