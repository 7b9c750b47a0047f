/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_CERTIFY_FLOW_JACOBIAN_H
#define PH_LAB_CERTIFY_FLOW_JACOBIAN_H

#include "base/error.h"
#include "rigid/flow.h"

/* Distance of neighbours in the differences, in radians and in units of |m|; there are five on either side */
extern const double ph_jacobian_spacing;

/* Measures Poisson and symplectic residuals of one step of length h, both in units of |m|. They are the largest over
 * bodies of this top in the states of ph_states_draw. The Poisson residual of linear rotors is 0. Fails if memory is
 * short. */
enum ph_status ph_flow_symplectic_residuals(const struct ph_flow *flow, const struct ph_top *top, double h,
                                            double *poisson, double *symplectic, struct ph_error *err);

#endif
