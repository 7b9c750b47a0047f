/* SPDX-License-Identifier: MIT */
/* Functions of force_ranks.h: the term of all pairs knows which rank owns which molecule. */
#include "force/force_field_inside.h"
#include "force/pairs/pairs_inside.h"
#include "force/ranks/force_ranks.h"

#include <assert.h>

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

/* NULL: this rank has all molecules, as before the first list build and without lists */
static struct ph_share *share_of(const struct ph_force_field *field)
{
    return ((const struct ph_pairs *)field->all_pairs)->tiles.share;
}

bool ph_force_field_has_owners(const struct ph_force_field *field) { return share_of(field) != NULL; }

bool ph_force_field_shows_all(const struct ph_force_field *field)
{
    const struct ph_share *share = share_of(field);
    return !share || !share->owners.distributed || share->shown;
}

void ph_force_field_fail(struct ph_force_field *field, const struct ph_error *failure)
{
    ph_share_fail(share_of(field), failure);
}

enum ph_status ph_force_field_collect(struct ph_force_field *field, const struct ph_column_set *rows,
                                      struct ph_error *err)
{
    struct ph_share *share = share_of(field);
    unsigned nothing = 0;
    const enum ph_status status = share ? ph_share_meet(share, &nothing, err) : PH_OK;
    if (status == PH_OK && share)
        ph_share_collect(share, rows);
    return status;
}

enum ph_status ph_force_field_collect_memory(struct ph_force_field *field, bool first, struct ph_error *err)
{
    const struct ph_force_memory memory = ph_force_field_memory(field);
    const struct ph_pairs *pairs = field->all_pairs;
    const struct ph_tiles *tiles = &pairs->tiles;
    double *const *const groups[] = {tiles->built_at, tiles->thinned_at, memory.anchor,
                                     pairs->drawn ? pairs->drawn->tiles.thinned_at : NULL};
    enum { GROUPS = sizeof groups / sizeof *groups };
    double *row[3 * GROUPS];
    struct ph_column_set rows = {.n = 0, .row = row};
    if (!tiles->share || pairs->all_pairs)
        return PH_OK;
    for (size_t g = 0; g < GROUPS; ++g)
        for (int k = 0; k < 3 && groups[g] && groups[g][0]; ++k)
            row[rows.n++] = groups[g][k];
    if (first)
        return ph_share_collect_first(tiles->share, &rows, err);
    ph_share_collect(tiles->share, &rows);
    return PH_OK;
}

static enum ph_status withdraw_and_meet(struct ph_share *share, struct ph_error *err)
{
    unsigned nothing = 0;
    ph_share_withdraw(share);
    return ph_share_meet(share, &nothing, err);
}

enum ph_status ph_force_field_collect_first(struct ph_force_field *field, const struct ph_column_set *rows,
                                            struct ph_error *err)
{
    struct ph_share *share = share_of(field);
    const enum ph_status status = share ? withdraw_and_meet(share, err) : PH_OK;
    return share && status == PH_OK ? ph_share_collect_first(share, rows, err) : status;
}

enum ph_status ph_force_field_read(struct ph_force_field *field, const struct ph_column_set *rows,
                                   const struct ph_readers *readers, ph_columns_reader *block, void *data,
                                   struct ph_error *err)
{
    struct ph_share *share = share_of(field);
    assert(share);
    const enum ph_status status = withdraw_and_meet(share, err);
    return status == PH_OK ? ph_share_read(share, rows, readers, block, data, err) : status;
}

bool ph_force_field_has_lists(const struct ph_force_field *field)
{
    return !((const struct ph_pairs *)field->all_pairs)->all_pairs;
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
