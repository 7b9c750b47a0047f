/* SPDX-License-Identifier: MIT */
#ifndef PH_INPUT_RADIAL_CURVES_H
#define PH_INPUT_RADIAL_CURVES_H

/* Radial interactions of the user's own, as inputs and models write them: a table in a file, or a formula. */

#include "input/input.h"

/* `place` and `key` are for messages: where the interaction is written, and the path of its map. */
enum ph_status ph_input_table(const char *place, const char *key, const char *file, struct ph_texts *texts,
                              const struct ph_input_radial *radial, const struct ph_curve **curve,
                              struct ph_error *err);
enum ph_status ph_input_formula(const char *place, const char *key, const struct ph_input_radial *radial,
                                const struct ph_curve **curve, struct ph_error *err);

#endif
