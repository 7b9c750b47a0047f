/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_FLOW_STRUCTURE_H
#define PH_LAB_FLOW_STRUCTURE_H

#include "lab/certify_flow.h"

/* Fills the properties of the card: what the flow conserves, whether it is Poisson, symplectic, reversible */
enum ph_status ph_measure_flow_structure(const struct ph_flow *flow, struct ph_flow_card *card, struct ph_error *err);

/* Poisson and symplectic residuals of one step of length h, largest over bodies of this top with random momenta
 * |m| = 1.8, both in units of |m|; err if memory is short */
enum ph_status ph_flow_symplectic_residuals(const struct ph_flow *flow, const struct ph_top *top, double h,
                                            double *poisson, double *symplectic, struct ph_error *err);

#endif
