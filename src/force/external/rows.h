/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_EXTERNAL_ROWS_H
#define PH_FORCE_EXTERNAL_ROWS_H

/* Rows of all molecules, in the order of their numbers, for forces that one call computes for all of them. */

#include "force/sites.h"

/* Doubles of a molecule: position (not wrapped), quaternion; then force and torque (space frame) */
enum { PH_ROW_PLACE = 3 + 4, PH_ROW = PH_ROW_PLACE + 3 + 3 };

/* Fills positions and the quaternions that follow them in memory. Where several ranks share the molecules, each rank
 * gets the rows of all. */
void ph_rows_gather(const struct ph_sites *sites, const struct ph_system *system, double *positions,
                    double *quaternions);

/* Adds forces and torques to the molecules of this rank. Removes torques about axes without inertia from the rows. */
void ph_rows_add(const struct ph_sites *sites, const double *quaternions, const double *forces, double *torques,
                 struct ph_system *system);

#endif
