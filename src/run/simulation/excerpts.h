/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_SIMULATION_EXCERPTS_H
#define PH_RUN_SIMULATION_EXCERPTS_H

/* Reads a state some molecules at a time, so that no rank needs memory for all: used to write it. */

#include "state/state.h"

/* Molecules begin .. end-1 as a system of their own, at the places 0, 1, ...; `id` holds their numbers */
struct ph_excerpt {
    size_t begin, end;
    struct ph_snapshot state;
};
typedef void ph_excerpt_reader(const struct ph_excerpt *excerpt, void *data);

/* Passes excerpts of a state to the readers, in the order of numbers. Residuals, and the memory of the field, may be
 * NULL. Every rank must call this. */
enum ph_status ph_excerpts_read(struct ph_state *where, const struct ph_snapshot *state,
                                const struct ph_readers *readers, ph_excerpt_reader *read, void *data,
                                struct ph_error *err);

#endif
