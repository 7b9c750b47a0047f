/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_CERTIFY_FLOW_ORDER_H
#define PH_LAB_CERTIFY_FLOW_ORDER_H

#include "lab/power_law.h"
#include "lab/problems/flow_states.h"

/* The order on one body: from the error of one step, and from the error at a fixed time */
enum ph_order_source { PH_ORDER_ONE_STEP, PH_ORDER_FIXED_TIME, PH_ORDER_SOURCES };
struct ph_flow_orders {
    struct ph_order m[PH_ORDER_SOURCES], q[PH_ORDER_SOURCES];
};
extern const double ph_certify_time; /* 2 */

/* Measures orders of a flow in m and in q on one of ph_certify_bodies, against the Taylor reference. Finds the points
 * of the reference once and keeps them, so only one thread at a time may call this. */
enum ph_status ph_measure_flow_order(const struct ph_flow *flow, const struct ph_certify_body *body,
                                     struct ph_flow_orders *orders, struct ph_error *err);

#endif
