/* SPDX-License-Identifier: MIT */
/* Chooses the frames of a recording: the frames of a stage and a range that have all needed quantities. */
#include "analysis/trajectory/recording.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum ph_status unknown_stage(const struct ph_reader *reader, const char *stage, struct ph_error *err)
{
    char names[400] = "";
    size_t length = 0;
    for (size_t k = 0; k < reader->n_stages && length < sizeof names; ++k)
        if (strcmp(reader->stages[k].name, "production") != 0 && strcmp(reader->stages[k].name, "equilibration") != 0)
            length += (size_t)snprintf(names + length, sizeof names - length, ", %s", reader->stages[k].name);
    return ph_error_set(err, PH_ERR_INPUT, "--stage %s: not accepted; give production, equilibration%s or all%s.",
                        stage, names, reader->n_stages > 0 ? "" : " (the file names no stages)");
}

enum ph_status ph_stage_steps(const struct ph_reader *reader, const char *stage, int64_t steps[2],
                              struct ph_result *result, struct ph_error *err)
{
    steps[0] = INT64_MIN;
    steps[1] = INT64_MAX;
    if (stage && strcmp(stage, "all") == 0)
        return PH_OK;
    for (size_t k = 0; k < reader->n_stages && stage; ++k)
        if (strcmp(stage, reader->stages[k].name) == 0) {
            steps[0] = reader->stages[k].first_step;
            if (k + 1 < reader->n_stages)
                steps[1] = reader->stages[k + 1].first_step;
            return PH_OK;
        }
    if (stage && strcmp(stage, "production") != 0 && strcmp(stage, "equilibration") != 0)
        return unknown_stage(reader, stage, err);
    const bool before = stage && strcmp(stage, "equilibration") == 0;
    if (reader->awaits_production && before)
        return PH_OK;
    if (reader->production < 0 && before)
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s: does not say where the production begins: there is no equilibration to look at alone.",
                            reader->file.name);
    if (reader->awaits_production)
        ph_result_note(result, "The production of %s has not begun: all that comes before it is used.",
                       reader->file.name);
    else if (reader->production < 0)
        ph_result_note(result, "%s does not say where the production begins: all of it is used.", reader->file.name);
    else
        steps[before ? 1 : 0] = reader->production;
    return PH_OK;
}

/* Times of the rows of an element; the number of the row if the file has none */
static enum ph_status read_times(struct ph_recording *recording, const struct ph_h5md_element *element, double **times,
                                 struct ph_result *result, struct ph_error *err)
{
    const struct ph_reader *reader = &recording->reader;
    const enum ph_status status = ph_h5md_element_times(element, times, err);
    if (*times || status == PH_ERR_MEMORY)
        return status;
    ph_result_note(result, "%s has no times: the number of the frame is taken for the time.", reader->file.name);
    *times = malloc((element->rows + 1) * sizeof **times);
    if (!*times)
        return ph_no_memory(err, "the times of %s", reader->file.name);
    for (size_t r = 0; r < element->rows; ++r)
        (*times)[r] = (double)r;
    return PH_OK;
}

static int64_t step_of(const struct ph_h5md_element *element, size_t row)
{
    return element->step ? element->step[row] : (int64_t)row;
}

/* Keeps a frame if all parts have it. */
static bool match(struct ph_recording *recording, const struct ph_h5md_element *base, size_t row, size_t at)
{
    const int64_t step = step_of(base, row);
    for (size_t p = 0; p < recording->n_parts; ++p) {
        struct ph_recording_part *part = &recording->parts[p];
        part->row[at] = ph_h5md_element_row(&part->element, base->step ? &step : NULL, row);
        if (part->row[at] >= part->element.rows)
            return false;
    }
    return true;
}

static enum ph_status choose_frames(struct ph_recording *recording, const struct ph_analysis_request *request,
                                    const struct ph_h5md_element *base, const double *times, struct ph_result *result,
                                    struct ph_error *err)
{
    const struct ph_reader *reader = &recording->reader;
    int64_t steps[2];
    const enum ph_status status = ph_stage_steps(reader, request->stage, steps, result, err);
    if (status != PH_OK)
        return status;
    size_t begin = 0, stop = base->rows, first, end, stride, dropped = 0;
    while (begin < base->rows && base->step && step_of(base, begin) < steps[0])
        ++begin;
    while (stop > begin && base->step && step_of(base, stop - 1) >= steps[1])
        --stop;
    ph_frame_range_within(&request->frames, stop - begin, &first, &end, &stride);
    for (size_t r = first; r < end; r += stride) {
        const size_t row = begin + r, at = recording->n_frames;
        if (!match(recording, base, row, at)) {
            ++dropped;
            continue;
        }
        recording->step[at] = step_of(base, row);
        recording->time[at] = times[row];
        recording->row[at] = row;
        ++recording->n_frames;
    }
    if (dropped > 0)
        ph_result_note(result, "%zu frames do not have all that is needed, and are left out.", dropped);
    if (recording->n_frames == 0)
        return ph_error_set(
            err, PH_ERR_INPUT,
            "%s: none of its %zu frames is left to look at%s. --stage all takes those of the equilibration, too.",
            reader->file.name, base->rows, base->rows > 0 ? " (stage, --frames, or elements missing)" : "");
    return PH_OK;
}

double ph_even_interval(size_t n, const double *time)
{
    const double interval = n > 1 ? (time[n - 1] - time[0]) / (double)(n - 1) : NAN;
    for (size_t f = 1; f < n; ++f)
        if (!(fabs(time[f] - time[f - 1] - interval) < 1e-6 * fabs(interval) + 1e-12 * fabs(time[f])))
            return NAN;
    return interval;
}

enum ph_status ph_recording_open_frames(struct ph_recording *recording, const struct ph_analysis_request *request,
                                        struct ph_result *result, struct ph_error *err)
{
    const struct ph_h5md_element *base =
        recording->n_parts > 0 ? &recording->parts[0].element : &recording->reader.position;
    const size_t n = base->rows + 1;
    recording->step = calloc(n, sizeof *recording->step);
    recording->time = calloc(n, sizeof *recording->time);
    recording->row = calloc(n, sizeof *recording->row);
    bool memory = recording->step && recording->time && recording->row;
    for (size_t p = 0; p < recording->n_parts; ++p)
        memory = (recording->parts[p].row = calloc(n, sizeof *recording->row)) && memory;
    if (!memory)
        return ph_no_memory(err, "the frames of %s", recording->reader.file.name);
    double *times = NULL;
    enum ph_status status = read_times(recording, base, &times, result, err);
    if (status == PH_OK)
        status = choose_frames(recording, request, base, times, result, err);
    free(times);
    recording->interval = ph_even_interval(recording->n_frames, recording->time);
    return status;
}
