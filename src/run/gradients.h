/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_GRADIENTS_H
#define PH_RUN_GRADIENTS_H

/* Are the forces of a system the gradient of its energy? Forces, torques and the virial against finite differences. */

#include "force/force_field.h"

#include <stdbool.h>

/* One kind of derivative: the largest deviation, relative to `scale`, and where it is */
struct ph_gradient {
    bool checked;
    double deviation;
    double scale;    /* the molecule's force or torque, or the largest component of the virial. At least a thousandth of
                      * the largest in the system, and, where pairs cancel, at least the contribution of one pair */
    size_t molecule; /* of forces and torques */
    int axis[2];     /* x, y, z as 0, 1, 2; the second for the virial alone */
    double given, difference; /* there: as computed, by finite differences */
};

struct ph_gradients {
    size_t n_molecules; /* that were checked */
    double step;        /* the longest displacement */
    struct ph_gradient force, torque, virial;
    char virial_note[160]; /* why the virial was not checked, if so */
};

/* Displaces and turns up to `most` molecules of each species, spread evenly, and strains the whole. Where an
 * interaction has a jump in its first two derivatives, steps are short enough that no pair crosses it. Works on
 * a copy of the system. Every rank must call this, and ranks divide the molecules. */
enum ph_status ph_check_gradients(const struct ph_system *system, const struct ph_interactions *interactions,
                                  size_t most, struct ph_gradients *gradients, struct ph_error *err);

#endif
