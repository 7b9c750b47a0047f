/* SPDX-License-Identifier: MIT */
#include "lab/free_energy/runs.h"

#include "analysis/trajectory/conditions.h"
#include "lab/free_energy/energies.h"
#include "model/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEWEST_FRAMES = 4, SIDE = 2, STENCIL = 2 * SIDE + 1 };

/* ---- Reading ---- */

static void set_of(const char *key, double value, size_t size, char *set)
{
    snprintf(set, size, "%s=%.17g", key, value);
}

static enum ph_status open_run(const struct ph_free_study *study, const char *file, struct ph_recording *recording,
                               struct ph_result *result, struct ph_error *err)
{
    struct ph_analysis_request one = *study->request;
    one.n_files = 1;
    one.files = &file;
    return ph_recording_open(&one, PH_BIT(PH_CENTRE), PH_BIT(PH_ORIENTATION) | PH_BIT(PH_IMAGE), recording, result,
                             err);
}

/* Finds value and temperature of a run. */
static enum ph_status look_at_run(struct ph_free_study *study, const char *file, struct ph_free_run *run,
                                  struct ph_result *result, struct ph_error *err)
{
    struct ph_recording recording;
    struct ph_result about = {.n_values = 0};
    struct ph_recorded_input *recorded = calloc(1, sizeof *recorded);
    enum ph_status status = open_run(study, file, &recording, &about, err);
    for (size_t k = 0; k < about.n_notes; ++k)
        ph_result_note(result, "%s: %s", file, about.notes[k]);
    ph_result_free(&about);
    if (status == PH_OK && !recorded)
        status = ph_no_memory(err, "the input");
    if (status == PH_OK)
        status = ph_recorded_input_read(&recording, study->request, recorded, err);
    if (status == PH_OK)
        status = ph_recorded_input_number(recorded, study->request->key, &run->value, err);
    if (status == PH_OK) {
        const struct ph_conditions conditions = ph_conditions_of(&recording.reader, study->request->stage);
        const double asked = study->request->temperature;
        run->file = file;
        run->n = recording.n_frames;
        run->kT = ph_units_find(recorded->input.units)->boltzmann * (isnan(asked) ? conditions.temperature : asked);
        memcpy(run->ensemble, conditions.ensemble, sizeof run->ensemble);
        study->physical = recording.physical;
        if (!(run->kT > 0.0))
            status = ph_error_set(err, PH_ERR_INPUT,
                                  "%s: has no temperature that a thermostat keeps: give --temperature.", file);
        else if (run->n < FEWEST_FRAMES)
            status = ph_error_set(err, PH_ERR_INPUT, "%s: %zu frames are too few. Accepted: from %d on.", file, run->n,
                                  (int)FEWEST_FRAMES);
    }
    ph_recorded_input_free(recorded);
    ph_recording_close(&recording);
    return status;
}

static int by_value(const void *a, const void *b)
{
    const double x = ((const struct ph_free_run *)a)->value, y = ((const struct ph_free_run *)b)->value;
    return (x > y) - (x < y);
}

enum ph_status ph_free_study_look(struct ph_free_study *study, struct ph_result *result, struct ph_error *err)
{
    const struct ph_analysis_request *request = study->request;
    enum ph_status status = PH_OK;
    if (!request->key)
        return ph_error_set(err, PH_ERR_INPUT,
                            "--key is missing: the key in which the runs differ, as interactions.external.tether.");
    if (request->n_files < 2 || request->n_files > PH_FREE_RUNS)
        return ph_error_set(err, PH_ERR_INPUT, "%zu file%s: a difference of free energies needs 2 to %d runs.",
                            request->n_files, request->n_files == 1 ? "" : "s", (int)PH_FREE_RUNS);
    for (size_t k = 0; k < request->n_files && status == PH_OK; ++k, study->n = k)
        status = look_at_run(study, request->files[k], &study->run[k], result, err);
    if (status != PH_OK)
        return status;
    qsort(study->run, study->n, sizeof *study->run, by_value);
    for (size_t k = 1; k < study->n; ++k) {
        const struct ph_free_run *one = &study->run[k - 1], *other = &study->run[k];
        if (!(other->value > one->value))
            return ph_error_set(err, PH_ERR_INPUT, "%s and %s: both have %s = %g.", one->file, other->file,
                                request->key, one->value);
        study->thermal = study->thermal || fabs(other->kT - one->kT) > 1e-12 * one->kT;
    }
    return PH_OK;
}

/* ---- Energies ---- */

struct states {
    struct ph_energy_state *at[PH_FREE_RUNS]; /* with the value of each run */
    struct ph_energy_state *near[STENCIL];    /* with values a few steps off; NULL in the middle */
    double step;
};

static void clear(struct states *states)
{
    for (size_t l = 0; l < PH_FREE_RUNS; ++l)
        ph_energy_state_destroy(states->at[l]);
    for (size_t l = 0; l < STENCIL; ++l)
        ph_energy_state_destroy(states->near[l]);
}

/* Makes the states of one side, `sign` times one and two steps from the run's value; false if the input refuses one. */
static bool make_side(const struct ph_free_study *study, const struct ph_recording *recording,
                      const struct ph_free_run *run, int sign, struct states *states, const struct ph_energy_state *own)
{
    for (int k = 1; k <= SIDE; ++k) {
        char set[PH_PATH];
        struct ph_error refused;
        struct ph_energy_state **state = &states->near[SIDE + sign * k];
        set_of(study->request->key, run->value + sign * k * states->step, sizeof set, set);
        if (ph_energy_state_create(recording, study->request, set, own, state, &refused) != PH_OK)
            return false;
    }
    return true;
}

static enum ph_status make_states(const struct ph_free_study *study, const struct ph_recording *recording, size_t k,
                                  struct states *states, struct ph_free_run *run, struct ph_error *err)
{
    const char *key = study->request->key;
    enum ph_status status = ph_energy_state_create(recording, study->request, NULL, NULL, &states->at[k], err);
    for (size_t l = 0; l < study->n && status == PH_OK; ++l) {
        char set[PH_PATH];
        set_of(key, study->run[l].value, sizeof set, set);
        if (l != k)
            status = ph_energy_state_create(recording, study->request, set, states->at[k], &states->at[l], err);
    }
    if (status != PH_OK || study->thermal)
        return status;
    states->step = 1e-3 * (study->run[study->n - 1].value - study->run[0].value);
    const bool below = make_side(study, recording, run, -1, states, states->at[k]),
               above = make_side(study, recording, run, 1, states, states->at[k]);
    run->sides = below && above ? 0 : above ? 1 : -1;
    return below || above ? PH_OK
                          : ph_error_set(err, PH_ERR_INPUT,
                                         "--key %s: no value near %g is accepted, so there is no "
                                         "derivative.",
                                         key, run->value);
}

/* First and second derivative from energies at -2 .. 2 steps; roughness from differences over one step and two. */
static void differentiate(int sides, double h, const double u[STENCIL], double *first, double *second, double *rough)
{
    const double *at = &u[SIDE];
    if (sides == 0) {
        const double one = (at[1] - at[-1]) / (2.0 * h), two = (at[2] - at[-2]) / (4.0 * h);
        *first = (4.0 * one - two) / 3.0;
        *second = (16.0 * (at[1] + at[-1]) - (at[2] + at[-2]) - 30.0 * at[0]) / (12.0 * h * h);
        *rough = fabs(one - two);
    } else {
        const double up = at[sides], far = at[2 * sides];
        *first = sides * (4.0 * up - far - 3.0 * at[0]) / (2.0 * h);
        *second = (far - 2.0 * up + at[0]) / (h * h);
        *rough = fabs((up - at[0]) / h - (far - at[0]) / (2.0 * h));
    }
}

static enum ph_status evaluate_frame(struct ph_free_study *study, struct states *states,
                                     const struct ph_recorded *snapshot, size_t k, size_t frame, struct ph_error *err)
{
    struct ph_free_run *run = &study->run[k];
    double near[STENCIL] = {0.0}, rough = 0.0;
    enum ph_status status = PH_OK;
    for (size_t l = 0; l < study->n && status == PH_OK; ++l)
        status = ph_energy_state_evaluate(states->at[l], snapshot, &run->energy[l * run->n + frame], err);
    for (size_t l = 0; l < STENCIL && status == PH_OK; ++l)
        if (states->near[l])
            status = ph_energy_state_evaluate(states->near[l], snapshot, &near[l], err);
    if (status != PH_OK)
        return status;
    near[SIDE] = run->energy[k * run->n + frame];
    if (study->thermal) {
        run->first[frame] = near[SIDE];
        return PH_OK;
    }
    differentiate(run->sides, states->step, near, &run->first[frame], &run->second[frame], &rough);
    const double size = fabs(run->first[frame]) + 1e-12 * fabs(near[SIDE]) / states->step;
    study->roughness = fmax(study->roughness, size > 0.0 ? rough / size : 0.0);
    return PH_OK;
}

static enum ph_status evaluate_run(struct ph_free_study *study, size_t k, struct ph_error *err)
{
    struct ph_free_run *run = &study->run[k];
    struct ph_recording recording;
    struct ph_recorded snapshot = {.frame = 0};
    struct states states = {.step = 0.0};
    struct ph_result forgotten = {.n_values = 0}; /* of notes that looking at the run has made already */
    run->energy = calloc(study->n * run->n, sizeof *run->energy);
    run->first = calloc(run->n, sizeof *run->first);
    run->second = calloc(run->n, sizeof *run->second);
    enum ph_status status = open_run(study, run->file, &recording, &forgotten, err);
    if (status == PH_OK && (!run->energy || !run->first || !run->second))
        status = ph_no_memory(err, "energies");
    if (status == PH_OK)
        status = make_states(study, &recording, k, &states, run, err);
    if (status == PH_OK)
        status = ph_snapshot_init(&recording, &snapshot, err);
    for (size_t f = 0; f < run->n && status == PH_OK; ++f) {
        status = ph_recording_read(&recording, f, &snapshot, err);
        if (status == PH_OK)
            status = evaluate_frame(study, &states, &snapshot, k, f, err);
        if (study->request->progress)
            study->request->progress(((double)k + (double)f / (double)run->n) / (double)study->n,
                                     study->request->progress_data);
    }
    ph_snapshot_free(&snapshot);
    clear(&states);
    ph_result_free(&forgotten);
    ph_recording_close(&recording);
    return status;
}

/* Runs at several temperatures must have one energy. */
static enum ph_status check_energies(const struct ph_free_study *study, struct ph_error *err)
{
    for (size_t k = 0; k < study->n && study->thermal; ++k)
        for (size_t i = 0; i < study->n * study->run[k].n; ++i) {
            const double own = study->run[k].energy[k * study->run[k].n + i % study->run[k].n];
            if (fabs(study->run[k].energy[i] - own) > 1e-9 * fabs(own))
                return ph_error_set(err, PH_ERR_INPUT,
                                    "--key %s: the runs have different temperatures, and different energies too. Only "
                                    "one of both may change.",
                                    study->request->key);
        }
    return PH_OK;
}

enum ph_status ph_free_study_evaluate(struct ph_free_study *study, struct ph_error *err)
{
    enum ph_status status = PH_OK;
    for (size_t k = 0; k < study->n && status == PH_OK; ++k)
        status = evaluate_run(study, k, err);
    return status == PH_OK ? check_energies(study, err) : status;
}

void ph_free_study_clear(struct ph_free_study *study)
{
    for (size_t k = 0; k < PH_FREE_RUNS; ++k) {
        free(study->run[k].energy);
        free(study->run[k].first);
        free(study->run[k].second);
    }
}
