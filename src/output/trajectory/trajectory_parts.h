/* SPDX-License-Identifier: MIT */
#ifndef PH_OUTPUT_TRAJECTORY_TRAJECTORY_PARTS_H
#define PH_OUTPUT_TRAJECTORY_TRAJECTORY_PARTS_H

/* Within the trajectory writer: the elements and their data in a system. */

#include "output/hdf5/rows.h"
#include "output/trajectory/trajectory.h"

/* One element of the frames */
struct ph_file_part {
    enum ph_trajectory_element element;
    bool sites;        /* one line for each site, else for each molecule */
    size_t first, end; /* molecules */
    struct ph_rows rows;
};

/* Lists all elements of the plan, positions first; the caller frees *parts. */
enum ph_status ph_trajectory_parts(const struct ph_system *system, const struct ph_trajectory_plan *plan,
                                   struct ph_file_part **parts, size_t *n, struct ph_error *err);

/* Fills in the numbers of one part for molecules first .. end-1, as far as it has them, in its form. The numbers of a
 * molecule do not depend on the range. */
void ph_part_fill(const struct ph_file_part *part, const struct ph_system *system, size_t first, size_t end, void *out);
/* Lines of a part before a molecule */
size_t ph_part_line(const struct ph_file_part *part, const struct ph_system *system, size_t number);

/* trajectory_model.c: writes constants: masses, charges, kinds of particles, models, bonds, and names for VMD */
bool ph_trajectory_put_model(hid_t file, const struct ph_system *system, bool physical);

#endif
