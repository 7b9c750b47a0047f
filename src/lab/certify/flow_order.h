/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_CERTIFY_FLOW_ORDER_H
#define PH_LAB_CERTIFY_FLOW_ORDER_H

#include "lab/certify/flow.h"

/* Orders of a flow in m and in q on one body, against the Taylor reference */
enum ph_status ph_measure_flow_order(const struct ph_flow *flow, const struct ph_certify_body *body,
                                     struct ph_flow_orders *orders, struct ph_error *err);

#endif
