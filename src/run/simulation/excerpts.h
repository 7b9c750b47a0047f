/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_SIMULATION_EXCERPTS_H
#define PH_RUN_SIMULATION_EXCERPTS_H

/* A state that is looked at some molecules at a time, since nobody need have room for all: those that write it. */

#include "state/state.h"

/* Molecules begin .. end-1: a system of these alone, whose `id` are their numbers, at the places 0, 1, ... */
struct ph_excerpt {
    size_t begin, end;
    struct ph_snapshot state;
};
typedef void ph_excerpt_reader(const struct ph_excerpt *excerpt, void *data);

/* Excerpts of a state come to those who read, in the order of numbers. Residuals, and the memory of the field, may be
 * NULL. All processes call it. */
enum ph_status ph_excerpts_read(struct ph_state *where, const struct ph_snapshot *state,
                                const struct ph_readers *readers, ph_excerpt_reader *read, void *data,
                                struct ph_error *err);

#endif
