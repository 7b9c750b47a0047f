/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_SHARE_INSIDE_H
#define PH_FORCE_PAIRS_SHARE_INSIDE_H

/* Shared by the files of ph_share alone. */

#include "force/pairs/share.h"

/* Points the parcels at their parts of an array of elements of so many bytes. */
void ph_share_address(size_t n_parcels, struct ph_parcel *parcels, size_t bytes, void *array);
/* Begins an exchange of copies: numbers of so many bytes for each */
void ph_share_exchange(const struct ph_share *share, size_t bytes, void *out, void *in);

#endif
