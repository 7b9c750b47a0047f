/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_CERTIFY_FLOW_H
#define PH_LAB_CERTIFY_FLOW_H

/* Certification of the flows of the free rigid body: every property is measured, none is taken from the claims. The
 * comment on each measuring function defines the property and the measurement. */

#include "lab/certify/card.h"
#include "rigid/flow.h"

/* Orders are claimed to 0.2 wherever they are resolved. A linear rotor moves like a sphere, simply enough for many
 * flows to be better than they claim: on it only a lower order counts. An order is confirmed if it is seen on one other
 * body at least, in one step or at a fixed time. (An error of order 14 falls into rounding before it settles on most
 * bodies.) */
enum ph_status ph_certify_flow(const struct ph_flow *flow, struct ph_card *card, struct ph_error *err);

#endif
