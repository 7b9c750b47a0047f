/* SPDX-License-Identifier: MIT */
#ifndef PH_OUTPUT_TRAJECTORY_ABOUT_H
#define PH_OUTPUT_TRAJECTORY_ABOUT_H

/* Within the output layer: the description of a run in its file, under parameters. */

#include "output/hdf5/h5_tools.h"
#include "output/trajectory/trajectory.h"

bool ph_about_put(hid_t file, const struct ph_about *about);

#endif
