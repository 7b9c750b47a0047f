/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_CLOSEST_H
#define PH_RUN_CLOSEST_H

#include "model/system.h"

/* The two molecules whose centres are closest, images included; the distance is infinite for a single molecule. */
struct ph_closest {
    size_t molecule[2];
    double distance;
};

enum ph_status ph_closest_pair(const struct ph_system *system, struct ph_closest *closest, struct ph_error *err);

#endif
