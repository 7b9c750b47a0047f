/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_CERTIFY_SCHEME_H
#define PH_LAB_CERTIFY_SCHEME_H

/* Certification of splitting schemes, composed with a flow: every property is measured on small systems, none is taken
 * from the claims. The comment on each measuring function defines the property and the measurement. */

#include "dynamics/schemes/scheme.h"
#include "lab/certify/card.h"
#include "rigid/flow.h"

/* The order is open unless both problems, three dipoles and a heavy top, resolve the order of one step. The order
 * conditions, which find errors too small to be seen in a motion, are met up to rounding of the coefficients.
 * Evaluations and gradients are as many as claimed.
 *
 * With `inner`: of a nested scheme (dynamics/dynamics.h) with one substep. The claimed order is the smaller of both
 * schemes, and the order conditions of both count. Fast are the forces within 2.5, which end over 1.5, and all of the
 * heavy top. The card keeps the pointer `name`. */
enum ph_status ph_certify_scheme(const struct ph_scheme *scheme, const struct ph_scheme *inner, const char *name,
                                 const struct ph_flow *flow, struct ph_card *card, struct ph_error *err);

#endif
