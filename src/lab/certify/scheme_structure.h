/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_CERTIFY_SCHEME_STRUCTURE_H
#define PH_LAB_CERTIFY_SCHEME_STRUCTURE_H

#include "lab/certify/card.h"
#include "lab/certify/scheme_order.h"

/* The properties that a scheme claims */
enum {
    PH_SCHEME_SYMPLECTIC,
    PH_SCHEME_VOLUME, /* the volume of phase space is kept */
    PH_SCHEME_REVERSIBLE,
    PH_SCHEME_MOMENTUM,         /* total momentum is conserved, */
    PH_SCHEME_ANGULAR_MOMENTUM, /* angular momentum too, */
    PH_SCHEME_NO_DRIFT,         /* and energy does not drift: the deviation is the drift per unit of time */
    PH_SCHEME_CONDITIONS,       /* residuals of the order conditions */
    PH_SCHEME_PASSES,           /* evaluations and gradients are as many as said */
    PH_SCHEME_PROPERTIES
};
enum { PH_SCHEME_COSTS = 3 };
enum {
    PH_SCHEME_EVALUATIONS, /* per step, as counted; nested: of slow forces */
    PH_SCHEME_GRADIENTS,   /* nested: evaluations of fast forces */
    PH_SCHEME_EFFECTIVE_ERROR,
    /* Evaluations and passes for gradients per unit of time, for end states of the dipoles that are as accurate; NaN:
     * more than was tried */
    PH_SCHEME_COST,
    /* Energy of dipoles on springs over a long time: drift per unit of time, and the root mean square of the rest,
     * relative to the size of the energy */
    PH_SCHEME_DRIFT = PH_SCHEME_COST + PH_SCHEME_COSTS,
    PH_SCHEME_FLUCTUATION,
    PH_SCHEME_DRIFT_TIME,
    PH_SCHEME_FIGURES
};

/* Fills the properties of the card but the order conditions, the counts and the drift of the energy. `errors` at the
 * end of the problem of dipoles serve to choose the steps. `inner`: of a nested scheme, or NULL. */
enum ph_status ph_measure_scheme_structure(const struct ph_scheme *scheme, const struct ph_scheme *inner,
                                           const struct ph_flow *flow, const struct ph_errors *errors,
                                           struct ph_card *card, struct ph_error *err);

#endif
