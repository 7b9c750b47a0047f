/* SPDX-License-Identifier: MIT */
#ifndef PH_OUTPUT_CHECKPOINT_FILE_H
#define PH_OUTPUT_CHECKPOINT_FILE_H

/* Within the checkpoint: what its two files share. */

#include "output/checkpoint.h"

size_t ph_checkpoint_element_size(enum ph_checkpoint_kind kind);

#endif
