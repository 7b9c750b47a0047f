/* SPDX-License-Identifier: MIT */
#ifndef PH_POTENTIAL_ORIENTATIONS_H
#define PH_POTENTIAL_ORIENTATIONS_H

/* Formulas of the user's own with angles, at many orientations of two sites. */

#include "potential/curves/program.h"

/* u, and du/dr and d2u/dr2, of the orientations that have the lowest u at this distance */
struct ph_jet ph_orientations_lowest(const struct ph_program *program, double r);

/* Returns false, and where and how, if two formulas differ at distances of some `size`. */
bool ph_orientations_agree(const struct ph_program *one, const struct ph_program *other, double size, size_t length,
                           char *where);

#endif
