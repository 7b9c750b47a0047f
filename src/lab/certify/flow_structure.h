/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_CERTIFY_FLOW_STRUCTURE_H
#define PH_LAB_CERTIFY_FLOW_STRUCTURE_H

#include "lab/certify/flow.h"

/* Fills the properties of the card: what the flow conserves, whether it is Poisson, symplectic, reversible */
enum ph_status ph_measure_flow_structure(const struct ph_flow *flow, struct ph_flow_card *card, struct ph_error *err);

#endif
