/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_SIMULATION_FILES_H
#define PH_RUN_SIMULATION_FILES_H

#include "run/simulation_parts.h"

/* Makes the trajectory of a simulation, or opens that of one that goes on */
enum ph_status ph_simulation_open(struct ph_simulation *simulation, bool overwrite, struct ph_error *err);

#endif
