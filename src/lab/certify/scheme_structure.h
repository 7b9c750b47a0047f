/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_CERTIFY_SCHEME_STRUCTURE_H
#define PH_LAB_CERTIFY_SCHEME_STRUCTURE_H

#include "lab/certify/scheme.h"

/* Fills the properties of the card, the counts and the drift of the energy; scheme and flow are set. `errors` are those
 * at the end of the dipoles: steps are chosen by them. */
enum ph_status ph_measure_scheme_structure(const struct ph_errors *errors, struct ph_scheme_card *card,
                                           struct ph_error *err);

#endif
