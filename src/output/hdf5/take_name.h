/* SPDX-License-Identifier: MIT */
#ifndef PH_OUTPUT_HDF5_TAKE_NAME_H
#define PH_OUTPUT_HDF5_TAKE_NAME_H

#include <stdbool.h>

/* Gives a finished file its name. Without `overwrite` it keeps an existing file of that name, even a file that has just
 * appeared. Returns 0, or errno; then the file still has its temporary name. */
int ph_take_name(const char *temporary, const char *name, bool overwrite);

#endif
