/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_RANKS_SHARE_INSIDE_H
#define PH_FORCE_RANKS_SHARE_INSIDE_H

/* Shared by the files of ph_share alone. */

#include "force/ranks/share.h"
#include "parallel/team.h"

/* Molecules of each rank that one gather handles, to limit memory */
enum { PH_SHARE_AT_A_TIME = 256 };

/* Begins an exchange of copies, with so many bytes for each copy. */
void ph_share_exchange(const struct ph_share *share, size_t bytes, void *out, void *in);

/* ---- Places (share_places.c) ---- */

static inline uint32_t ph_share_number(const struct ph_share *share, uint32_t place)
{
    return share->owners.distributed ? share->owners.number[place] : place;
}
/* Finds places of many of our molecules: of the molecules whose numbers begin at s << shift, the first has index
 * first[s] in the list. The caller frees `first`; returns false without memory. */
struct ph_share_finder {
    unsigned shift;
    uint32_t *first;
};
bool ph_share_find_places(const struct ph_share *share, struct ph_share_finder *finder);
uint32_t ph_share_place(const struct ph_share *share, const struct ph_share_finder *finder, uint32_t number);
/* Reserves memory for one number of each of n molecules here. */
bool ph_share_reserve_here(size_t n, struct ph_share *share);
/* Moves our entries of these rows to the places of their numbers. */
void ph_share_show(struct ph_share *share, const struct ph_column_set *rows, bool images);

#endif
