/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_CERTIFY_FLOW_STRUCTURE_H
#define PH_LAB_CERTIFY_FLOW_STRUCTURE_H

#include "lab/certify/card.h"
#include "rigid/flow.h"

/* Conserved quantities of a flow, and whether it is Poisson, symplectic, reversible */
enum {
    PH_FLOW_SPACE_MOMENTUM,
    PH_FLOW_NORM,
    PH_FLOW_ENERGY,
    PH_FLOW_POISSON,
    PH_FLOW_SYMPLECTIC,
    PH_FLOW_REVERSIBLE,
    PH_FLOW_PROPERTIES
};
enum ph_status ph_measure_flow_structure(const struct ph_flow *flow, struct ph_property property[PH_FLOW_PROPERTIES],
                                         struct ph_error *err);

#endif
