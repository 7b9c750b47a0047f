/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_BUILD_CLOSEST_H
#define PH_RUN_BUILD_CLOSEST_H

#include "model/system.h"

/* Calls visit(i, j, context) once for every pair of molecules whose centres, nearest images taken, are closer than
 * `radius`, and perhaps for some that are not. By cells: molecules are in the box, as ph_system_wrap leaves them. */
typedef void ph_pair_visitor(size_t i, size_t j, void *context);
enum ph_status ph_near_pairs(const struct ph_system *system, double radius, ph_pair_visitor *visit, void *context,
                             struct ph_error *err);

/* The two molecules whose centres are closest, images included; the distance is infinite for a single molecule. Wrapped
 * as above. */
struct ph_closest {
    size_t molecule[2];
    double distance;
};

enum ph_status ph_closest_pair(const struct ph_system *system, struct ph_closest *closest, struct ph_error *err);

#endif
