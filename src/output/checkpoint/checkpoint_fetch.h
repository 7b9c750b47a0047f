/* SPDX-License-Identifier: MIT */
#ifndef PH_OUTPUT_CHECKPOINT_CHECKPOINT_FETCH_H
#define PH_OUTPUT_CHECKPOINT_CHECKPOINT_FETCH_H

/* Elements of an array of a checkpoint that is open, for checkpoint.c and checkpoint_file.c. `file` is that of HDF5,
 * 0 for none. */

#include "output/checkpoint/checkpoint.h"

enum ph_status ph_checkpoint_fetch(int64_t file, const struct ph_checkpoint_array *array, size_t begin, size_t end,
                                   void *out, struct ph_error *err);
void ph_checkpoint_close(int64_t file);

#endif
