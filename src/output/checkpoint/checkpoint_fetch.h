/* SPDX-License-Identifier: MIT */
#ifndef PH_OUTPUT_CHECKPOINT_CHECKPOINT_FETCH_H
#define PH_OUTPUT_CHECKPOINT_CHECKPOINT_FETCH_H

/* Reads elements of an array of an open checkpoint, for checkpoint.c and checkpoint_file.c. `file` is the HDF5 file, 0
 * for none. */

#include "output/checkpoint/checkpoint.h"

enum ph_status ph_checkpoint_fetch(int64_t file, const struct ph_checkpoint_array *array, size_t begin, size_t end,
                                   void *out, struct ph_error *err);
void ph_checkpoint_close(int64_t file);

#endif
