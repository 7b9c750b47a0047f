/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_VIRIAL_ANGLES_H
#define PH_LAB_VIRIAL_ANGLES_H

/* Means over the orientations of two axial molecules whose centres lie on the axis z. What is averaged depends on the
 * angles of both axes with that line and on the angle phi between the planes of the axes. The rule of Gauss and
 * Legendre serves for c1 = cos theta1 and c2. Equal parts serve for phi from 0 to pi, which for an even periodic
 * function is Gauss's rule too. */

#include "lab/virial.h"

enum { PH_VIRIAL_TILTS = 80 };

/* Orientations of both molecules with their weights, whose sums are 1 */
struct ph_virial_rule {
    int n[2];
    int rounds;                    /* orientations of the second molecule with the same tilt */
    bool like;                     /* exchanging two like molecules turns (c1, c2) into (-c2, -c1): half is enough */
    double (*q[2])[4], *weight[2]; /* owned */
};

/* Makes a rule with n tilts of each axis, at most PH_VIRIAL_TILTS; false without memory. A molecule that is a point
 * has one orientation, and the other then needs no phi. Free the rule in either case. */
bool ph_virial_rule_init(const struct ph_virial_task *task, int n, struct ph_virial_rule *rule);
void ph_virial_rule_free(struct ph_virial_rule *rule);

/* The mean of what `of` computes from two molecules, or, if `only` is not negative, its part from orientations whose
 * first molecule has that tilt */
typedef double (*ph_virial_function)(void *context, struct ph_two_molecules *two);
double ph_virial_mean(const struct ph_virial_rule *rule, int only, struct ph_two_molecules *two, ph_virial_function of,
                      void *context);

#endif
