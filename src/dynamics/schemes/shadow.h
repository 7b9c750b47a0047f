/* SPDX-License-Identifier: MIT */
#ifndef PH_DYNAMICS_SCHEMES_SHADOW_H
#define PH_DYNAMICS_SCHEMES_SHADOW_H

/* The energy that a scheme of second order conserves better than the energy itself. By the Baker-Campbell-Hausdorff
 * formula a symmetric scheme follows the Hamiltonian
 *   H + h^2 (alpha {{V,T},T} + beta {{T,V},V}) + O(h^4),
 * {{V,T},T}: the second derivative of the potential energy in time along free motion,
 * {{T,V},V} = f.M^-1 f + torque.I^-1 torque; for velocity Verlet alpha = 1/12, beta = -1/24. */

#include "dynamics/dynamics.h"

/* alpha = (1/6 - sum_{i<j<k} a_i b_j a_k)/2, beta = (1/6 - sum_{i<j<k} b_i a_j b_k)/2 - sum c, sums over the flows of a
 * step: the error of the scheme for a harmonic oscillator, in third order of h. Both vanish from order 4 on. */
struct ph_shadow_terms {
    double alpha, beta;
};
struct ph_shadow_terms ph_shadow_terms(const struct ph_scheme *scheme);

/* Is there such an estimate? For schemes of second order with the exact free flow. */
bool ph_shadow_known(const struct ph_scheme *scheme, const struct ph_flow *flow);

/* Does the correction depend on places alone, alpha = 0? As of saba2 and sbab2. Then it costs no evaluation. */
bool ph_shadow_of_places(const struct ph_scheme *scheme);

/* Computes the correction to add to the energy of a synchronised state whose forces were evaluated. */
enum ph_status ph_shadow_correction(const struct ph_dynamics_options *options, struct ph_state *state,
                                    double *correction, struct ph_error *err);

#endif
