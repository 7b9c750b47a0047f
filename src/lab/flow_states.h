/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_FLOW_STATES_H
#define PH_LAB_FLOW_STATES_H

/* Arrays of bodies that own their memory, and random bodies to fill them with. */

#include "base/error.h"
#include "rigid/flow.h"

#include <stdint.h>

/* n bodies at rest, attitude 1, norm set; destroy with ph_states_destroy, which accepts {0}. */
enum ph_status ph_states_create(size_t n, struct ph_bodies *bodies, struct ph_error *err);
void ph_states_destroy(struct ph_bodies *bodies);

/* Copies m, q and norm; both must have the same n. */
void ph_states_copy(struct ph_bodies from, struct ph_bodies to);

/* Random numbers that depend on (stream, index) alone: splitmix64 of the counter. */
double ph_states_uniform(uint64_t stream, uint64_t index); /* in (0, 1) */
double ph_states_normal(uint64_t stream, uint64_t index);  /* mean 0, variance 1 */

#endif
