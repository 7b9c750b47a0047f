/* SPDX-License-Identifier: MIT */
#ifndef PH_DYNAMICS_CELLS_CELL_KINDS_H
#define PH_DYNAMICS_CELLS_CELL_KINDS_H

/* All changes of the cell, for the registry */

#include "dynamics/cells/cell.h"

extern const struct ph_cell_kind ph_cell_rescaling; /* cell_rescaling.c */
extern const struct ph_cell_kind ph_cell_ramp;      /* cell_ramp.c */

#endif
