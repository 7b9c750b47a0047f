/* SPDX-License-Identifier: MIT */
#ifndef PH_OUTPUT_HDF5_H5MD_LINKS_H
#define PH_OUTPUT_HDF5_H5MD_LINKS_H

/* One walk through all links of an H5MD file that was just opened, and what it found */

#include "output/hdf5/h5md_file.h"

/* Refuses what leads into other files, which a file from elsewhere could have made. Finds the elements of the file, and
 * how many rows each clock has. */
enum ph_status ph_h5md_look_at_links(struct ph_h5md_file *file, struct ph_error *err);

/* Rows of a data set of steps that all its elements have; SIZE_MAX if the file has no such clock */
size_t ph_h5md_clock_rows(const struct ph_h5md_file *file, int64_t steps);

#endif
