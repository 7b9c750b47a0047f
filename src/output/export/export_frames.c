/* SPDX-License-Identifier: MIT */
#include "output/export/export_frames.h"

#include "base/memory.h"
#include "base/vec3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double ph_export_nanometres(const struct ph_reader *reader)
{
    const struct ph_reader_element *position = ph_reader_find(reader, reader->position.path);
    const char *unit = position ? position->unit : "";
    return strcmp(unit, "Angstrom") == 0 || strcmp(unit, "angstrom") == 0 || strcmp(unit, "A") == 0 ? 0.1 : 1.0;
}

double ph_export_angstroms(const struct ph_reader *reader)
{
    const struct ph_reader_element *position = ph_reader_find(reader, reader->position.path);
    return position && strcmp(position->unit, "nm") == 0 ? 10.0 : 1.0;
}

static enum ph_status choose(const struct ph_export_request *request, struct ph_export_frames *frames,
                             struct ph_error *err)
{
    const struct ph_reader *reader = &frames->reader;
    size_t end;
    if (request->one) {
        frames->n = frames->stride = 1;
        return ph_reader_frame(reader, request->frames.first, &frames->first, err);
    }
    ph_frame_range_within(&request->frames, reader->position.rows, &frames->first, &end, &frames->stride);
    if (frames->first >= end)
        return ph_error_set(err, PH_ERR_INPUT, "%s: has %zu frames, and none of those asked for.", reader->file.name,
                            reader->position.rows);
    frames->n = (end - frames->first + frames->stride - 1) / frames->stride;
    return PH_OK;
}

/* Counts of box edges crossed, which unwrapped positions need */
static enum ph_status open_images(struct ph_export_frames *frames, struct ph_error *err)
{
    struct ph_reader *reader = &frames->reader;
    const enum ph_status status = ph_reader_element(reader, "image", &frames->image, err);
    if (status != PH_OK)
        return status;
    if (frames->image.value < 0 || !ph_h5md_element_is(&frames->image, reader->n_particles, 3))
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s: has no %s/image: which box a molecule has gone to is not known (output.image_every).",
                            reader->file.name, reader->group);
    frames->images = ph_allocate(3 * reader->n_particles, sizeof *frames->images);
    return frames->images ? PH_OK : ph_no_memory(err, "%zu particles", reader->n_particles);
}

enum ph_status ph_export_frames_open(const struct ph_export_request *request, bool upright,
                                     struct ph_export_frames *frames, struct ph_error *err)
{
    *frames = (struct ph_export_frames){.scale = 1.0,
                                        .upright = upright,
                                        .unwrapped = request->unwrapped,
                                        .image.value = -1,
                                        .progress = request->progress};
    struct ph_error forgotten;
    enum ph_status status = ph_reader_open_particles(request->file, &frames->reader, err);
    if (status == PH_OK)
        status = choose(request, frames, err);
    if (status == PH_OK && request->unwrapped && frames->reader.periodic)
        status = open_images(frames, err);
    if (status != PH_OK)
        return status;
    ph_h5md_element_times(&frames->reader.position, &frames->times, &forgotten); /* or NULL */
    frames->position = ph_allocate(3 * frames->reader.n_particles, sizeof *frames->position);
    return frames->position ? PH_OK : ph_no_memory(err, "%zu particles", frames->reader.n_particles);
}

static enum ph_status unwrap(struct ph_export_frames *frames, struct ph_error *err)
{
    const size_t row = ph_reader_row(&frames->reader, &frames->image, frames->row);
    if (row >= frames->image.rows)
        return ph_error_set(err, PH_ERR_INPUT, "%s: %s has no row for frame %zu: unwrapped positions need one.",
                            frames->reader.file.name, frames->image.path, frames->row);
    const enum ph_status status = ph_h5md_element_read(&frames->image, row, frames->images, err);
    for (size_t i = 0; i < frames->reader.n_particles && status == PH_OK; ++i)
        for (int e = 0; e < 3; ++e)
            for (size_t k = 0; k < 3; ++k)
                frames->position[3 * i + k] += frames->images[3 * i + (size_t)e] * frames->edge[e][k];
    return status;
}

/* Turns the frame such that edge 1 is along x, and edge 2 in the plane of x and y with y > 0. */
static void put_upright(struct ph_export_frames *frames)
{
    double(*edge)[3] = frames->edge, (*axis)[3] = frames->axis;
    frames->turned = false;
    if (edge[0][0] > 0.0 && edge[0][1] == 0.0 && edge[0][2] == 0.0 && edge[1][1] > 0.0 && edge[1][2] == 0.0)
        return; /* all bits stay */
    ph_vec3_cross(edge[0], edge[1], axis[2]);
    ph_vec3_cross(axis[2], edge[0], axis[1]);
    frames->turned = true;
    memcpy(axis[0], edge[0], sizeof axis[0]);
    for (int a = 0; a < 3; ++a) {
        const double length = ph_vec3_norm(axis[a]);
        for (int k = 0; k < 3; ++k)
            axis[a][k] /= length;
    }
    for (size_t i = 0; i < frames->reader.n_particles + 3; ++i) {
        double *x = i < 3 ? edge[i] : &frames->position[3 * (i - 3)];
        const double old[3] = {x[0], x[1], x[2]};
        for (int a = 0; a < 3; ++a)
            x[a] = ph_vec3_dot(axis[a], old);
    }
    edge[0][1] = edge[0][2] = edge[1][2] = 0.0; /* but for rounding */
}

enum ph_status ph_export_frames_read(struct ph_export_frames *frames, size_t k, struct ph_error *err)
{
    const struct ph_reader *reader = &frames->reader;
    const size_t row = frames->row = frames->first + k * frames->stride;
    const int64_t *step = ph_reader_step(reader, row);
    frames->step = step ? *step : (int64_t)row;
    frames->time = frames->times ? frames->times[row] : NAN;
    enum ph_status status = ph_h5md_element_read(&reader->position, row, frames->position, err);
    if (status == PH_OK)
        status = ph_reader_edges(reader, step, row, frames->edge, &frames->periodic, err);
    if (status == PH_OK && frames->periodic && frames->images)
        status = unwrap(frames, err);
    if (status != PH_OK)
        return status;
    if (!frames->periodic)
        memset(frames->edge, 0, sizeof frames->edge);
    else if (frames->upright)
        put_upright(frames);
    for (size_t j = 0; j < 3 * reader->n_particles && frames->scale != 1.0; ++j)
        frames->position[j] *= frames->scale;
    for (int e = 0; e < 9; ++e)
        frames->edge[e / 3][e % 3] *= frames->scale;
    if (frames->progress)
        frames->progress->show((double)k / (double)frames->n, frames->progress->data);
    return PH_OK;
}

void ph_export_frames_close(struct ph_export_frames *frames)
{
    ph_h5md_element_close(&frames->image);
    free(frames->times);
    free(frames->images);
    free(frames->position);
    ph_reader_close(&frames->reader);
}
