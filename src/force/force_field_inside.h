/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_FORCE_FIELD_INSIDE_H
#define PH_FORCE_FORCE_FIELD_INSIDE_H

/* Shared by the files of the force field alone. */

#include "force/force_ahead.h"
#include "force/force_parts.h"
#include "force/force_tables.h"
#include "force/pairs/pairs.h"
#include "force/term.h"

enum { PH_TERM_KINDS = 6 };

struct ph_force_field {
    struct ph_sites sites; /* owned */
    size_t n_terms;
    struct {
        const struct ph_term_kind *kind;
        void *term; /* owned */
    } term[PH_TERM_KINDS];
    void *all_pairs; /* the term of pairs, always there: it knows lists, and which rank owns which molecules */
    struct ph_force_version version;
    bool evaluated;               /* nothing has changed since an evaluation of all */
    bool went_ahead, stays_ahead; /* see force_ahead.h: work was done for the next evaluation; it is of use */
    bool refused;                 /* the last evaluation of forces or rates was not begun */

    /* Two time scales */
    enum ph_fast_kind fast;
    struct ph_part_costs costs; /* where waves are slow */
    struct ph_sites near_sites; /* shares its places with `sites` */
    void *near;                 /* owned; pairs with a short list, NULL unless PH_FAST_NEAR */
    double *kept[6];   /* owned; fast forces and torques, as they were evaluated last; NULL without a fast part */
    size_t kept_lists; /* lists of all pairs made until then */
    int64_t pairs[2];  /* of molecules in both lists, of all processes, as they were counted last; 0: never */
};
enum { PH_PAIRS_NEAR, PH_PAIRS_ALL };

/* Returns the first molecule, of all or of ours, with a or b (forces and torques, or their rates) not finite; SIZE_MAX
 * for none */
size_t ph_force_field_broken(const struct ph_system *system, const struct ph_owned *own, double *const a[3],
                             double *const b[3]);
/* Exchanges failures since the last evaluation among all ranks: PH_OK if there are none, else the evaluation is
 * refused. Also collects these rows of all molecules. */
enum ph_status ph_force_field_meet(struct ph_force_field *field, const struct ph_column_set *rows,
                                   struct ph_error *err);
/* Work done ahead is of no use any more. */
static inline void ph_force_field_drop_ahead(struct ph_force_field *field)
{
    if (field->went_ahead)
        ph_pairs_drop_look(field->all_pairs);
    field->went_ahead = field->stays_ahead = false;
}
/* Returns true if a term belongs to a part. Near pairs are not among the terms. */
bool ph_force_field_takes_part(const struct ph_force_field *field, const struct ph_term_kind *kind,
                               enum ph_force_part part);

#endif
