/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_CERTIFY_FLOW_H
#define PH_LAB_CERTIFY_FLOW_H

/* Certification of the flows of the free rigid body: every property is measured, none is taken from the claims.
 * What a property means and how it is measured stands above the function that measures it. */

#include "lab/certify/card.h"
#include "rigid/flow.h"

/* The bodies of E. Hairer, G. Vilmart, J. Phys. A 39 (2006) 13225, section 3; a rod, on which the errors of methods of
 * high order are large enough to be seen; and a linear rotor, last */
enum { PH_CERTIFY_LINEAR = 3, PH_CERTIFY_BODIES = 4 };
struct ph_certify_body {
    const char *name;
    double inertia[3], momentum[3];
};
extern const struct ph_certify_body ph_certify_bodies[PH_CERTIFY_BODIES]; /* flat (water), asymmetric, rod, linear */

/* The order on one body: from the error of one step, and from the error at a fixed time */
enum ph_order_source { PH_ORDER_ONE_STEP, PH_ORDER_FIXED_TIME, PH_ORDER_SOURCES };
struct ph_flow_orders {
    struct ph_order m[PH_ORDER_SOURCES], q[PH_ORDER_SOURCES];
};
extern const double ph_certify_time; /* 2 */

/* Orders are claimed to 0.2 wherever they are resolved. A linear rotor moves like a sphere, simply enough for many
 * flows to be better than they claim: on it only a lower order counts. An order is confirmed if it is seen on one other
 * body at least, in one step or at a fixed time (an error of order 14 falls into rounding before it settles on most).
 */
enum ph_status ph_certify_flow(const struct ph_flow *flow, struct ph_card *card, struct ph_error *err);

#endif
