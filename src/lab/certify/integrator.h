/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_CERTIFY_INTEGRATOR_H
#define PH_LAB_CERTIFY_INTEGRATOR_H

/* Certification of one-step integrators of rigid bodies: every property is measured on one body, none is taken from the
 * claims. The comment on each measuring function defines the property and the measurement. */

#include "dynamics/integrators/integrator.h"
#include "lab/certify/card.h"

/* Orders are measured on four problems, against end states computed with 25 digits. Energy is followed for two steps in
 * the problem 'attractor': a method that drifts is neither symplectic nor conjugate to a symplectic method. A method
 * that claims to be symplectic must not drift. */
enum ph_status ph_certify_integrator(const struct ph_integrator *integrator, struct ph_card *card,
                                     struct ph_error *err);

#endif
