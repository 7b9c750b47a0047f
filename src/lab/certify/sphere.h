/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_CERTIFY_SPHERE_H
#define PH_LAB_CERTIFY_SPHERE_H

/* Certification of the methods on products of spheres: every property is measured, none is taken from the claims. The
 * comment on each measuring function defines the property and the measurement. */

#include "lab/certify/card.h"
#include "lab/sphere/s2.h"

/* Orders at t = 1 on three problems, one of each kind. A method that claims to be symplectic must not drift. */
enum ph_status ph_certify_s2(const struct ph_s2_method *method, struct ph_card *card, struct ph_error *err);

/* sphere_structure.c: measures how much one step of a method changes the symplectic form sum dq_i ^ dp_i, p_i = sum_j
 * M_ij q'_j. The step begins at the start of a problem with at most two bodies. Takes the largest change over pairs of
 * disturbances, by central differences. */
enum ph_status ph_s2_form_defect(const struct ph_s2_method *method, const struct ph_s2_problem *problem, double step,
                                 double *defect, struct ph_error *err);

#endif
