/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_FREE_ENERGY_RECORDED_INPUT_H
#define PH_LAB_FREE_ENERGY_RECORDED_INPUT_H

/* The interactions of the run that wrote a trajectory, built again from the input and the models in the file, or from
 * another input (--input). For analyses that compute energies. */

#include "analysis/trajectory/recording.h"
#include "force/interactions.h"
#include "input/input.h"
#include "model/system.h"

enum { PH_RECORDED_SETS_MAX = 256 };

struct ph_recorded_input {
    struct ph_input input;
    struct ph_texts texts;
    size_t n_sets;
    const char *sets[PH_RECORDED_SETS_MAX]; /* those of the run first */
    char *recorded_sets;                    /* owned; texts of these */
};

/* Reads the input that the file holds, or request->input, with the settings of the run and then of the request. Free in
 * any case. It is large: keep it on the heap. */
enum ph_status ph_recorded_input_read(const struct ph_recording *recording, const struct ph_analysis_request *request,
                                      struct ph_recorded_input *recorded, struct ph_error *err);
void ph_recorded_input_free(struct ph_recorded_input *recorded);

/* Reads the number that a key has in the input, as "interactions.cutoff" or "interactions.external.electric_field[2]"
 */
enum ph_status ph_recorded_input_number(struct ph_recorded_input *recorded, const char *key, double *number,
                                        struct ph_error *err);

/* Fails unless the molecules of the trajectory are those of the system, which has `more` molecules of other species at
 * its end, and the trajectory says how they are turned. */
enum ph_status ph_recorded_input_match(const struct ph_recording *recording, const struct ph_recorded_input *recorded,
                                       const struct ph_system *system, size_t more, struct ph_error *err);

/* Notes on frames whose averages need weights, which only the rows of the series have. */
void ph_recorded_input_note_weights(const struct ph_recording *recording, struct ph_result *result);

#endif
