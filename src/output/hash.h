/* SPDX-License-Identifier: MIT */
#ifndef PH_OUTPUT_HASH_H
#define PH_OUTPUT_HASH_H

#include "base/hash.h"
#include "model/system.h"

/* The edges of the box; positions, momenta, orientations, angular momenta and images of all molecules: bit for bit */
uint64_t ph_state_hash(const struct ph_system *system);

#endif
