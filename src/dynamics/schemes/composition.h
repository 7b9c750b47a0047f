/* SPDX-License-Identifier: MIT */
#ifndef PH_DYNAMICS_SCHEMES_COMPOSITION_H
#define PH_DYNAMICS_SCHEMES_COMPOSITION_H

/* Compositions of one symmetric step of order two, S(g_1 h) S(g_2 h) ... S(g_s h), g_k = g_(s+1-k), with weights g that
 * give the whole a higher order, for any S.
 *
 * Several splitting schemes are compositions of Verlet steps B(g h/2) A(g h) B(g h/2): their drifts are the weights,
 * and the kicks between two steps are joined. Nothing in their order conditions is special to Verlet: S(h) = exp(h E1 +
 * h^3 E3 + h^5 E5 ...), and the conditions remove commutators of the E, which are independent of each other for Verlet
 * already. So the table of schemes is the table of compositions, too. */

#include "dynamics/schemes/scheme.h"

/* Is the scheme a composition of Verlet steps, kick first? */
bool ph_is_composition(const struct ph_scheme *scheme);

/* Number and weights of the steps, k from 0 */
int ph_composition_steps(const struct ph_scheme *composition);
double ph_composition_weight(const struct ph_scheme *composition, int k);

#endif
