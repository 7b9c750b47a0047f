/* SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "base/plain.h"
#include "output/elements.h"
#include "output/export.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Columns after name and position, if the file has them */
static const struct column {
    const char *element, *name; /* in H5MD, and as OVITO calls it */
    size_t width;
    int length; /* power of length in its dimension */
} columns[] = {
    {"orientation", "orientation", 4, 0},           {"velocity", "velo", 3, 1},  {"force", "force", 3, -1},
    {"angular_momentum", "angular_momentum", 3, 2}, {"dipole", "dipoles", 3, 1},
};
enum { N_COLUMNS = sizeof columns / sizeof *columns };

struct frame {
    size_t row;
    double time, edge[3][3];
    bool periodic;
    double *position, *numbers[N_COLUMNS]; /* owned */
    bool known[N_COLUMNS];
    struct ph_h5md_element elements[N_COLUMNS];
};

static bool are_symbols(const struct ph_reader *reader)
{
    for (size_t i = 0; i < reader->n_particles; ++i)
        if (ph_element_number(reader->name[i]) == 0)
            return false;
    return true;
}

static void write_comment(const struct ph_reader *reader, const struct frame *frame, double scale, FILE *out)
{
    if (frame->periodic) {
        fputs("Lattice=\"", out);
        for (int k = 0; k < 9; ++k)
            ph_fprintf(out, "%s%.17g", k > 0 ? " " : "", scale * frame->edge[k / 3][k % 3]);
        fputs("\" ", out);
    }
    fprintf(out, "Properties=%s:S:1:pos:R:3", are_symbols(reader) ? "species" : "type");
    for (int c = 0; c < N_COLUMNS; ++c)
        if (frame->known[c])
            fprintf(out, ":%s:R:%zu", columns[c].name, columns[c].width);
    fprintf(out, " pbc=\"%s\"", frame->periodic ? "T T T" : "F F F");
    if (frame->known[0])
        fputs(" orientation_order=xyzw", out);
    if (isfinite(frame->time))
        ph_fprintf(out, " Time=%.17g", frame->time);
    if (reader->position.step)
        fprintf(out, " Step=%" PRId64, reader->position.step[frame->row]);
    fputc('\n', out);
}

static void write_lines(const struct ph_reader *reader, const struct frame *frame, double scale, FILE *out)
{
    static const int order[] = {1, 2, 3, 0}; /* scalar last */
    double factor[N_COLUMNS];
    for (int c = 0; c < N_COLUMNS; ++c)
        factor[c] = pow(scale, columns[c].length);
    for (size_t i = 0; i < reader->n_particles; ++i) {
        fputs(reader->name[i], out);
        for (size_t k = 0; k < 3; ++k)
            ph_fprintf(out, " %.17g", scale * frame->position[3 * i + k]);
        for (int c = 0; c < N_COLUMNS; ++c)
            for (size_t k = 0; k < columns[c].width && frame->known[c]; ++k)
                ph_fprintf(out, " %.17g",
                           factor[c] * frame->numbers[c][columns[c].width * i + (c == 0 ? (size_t)order[k] : k)]);
        fputc('\n', out);
    }
}

static enum ph_status write_frame(const struct ph_reader *reader, struct frame *frame, double scale, FILE *out,
                                  struct ph_error *err)
{
    const size_t row = frame->row;
    enum ph_status status = ph_h5md_element_read(&reader->position, row, frame->position, err);
    for (int c = 0; c < N_COLUMNS && status == PH_OK; ++c) {
        const struct ph_h5md_element *element = &frame->elements[c];
        const size_t at = ph_reader_row(reader, element, row);
        frame->known[c] = element->value >= 0 && at < element->rows;
        if (frame->known[c])
            status = ph_h5md_element_read(element, at, frame->numbers[c], err);
    }
    if (status == PH_OK)
        status = ph_reader_edges(reader, ph_reader_step(reader, row), row, frame->edge, &frame->periodic, err);
    if (status != PH_OK)
        return status;
    fprintf(out, "%zu\n", reader->n_particles);
    write_comment(reader, frame, scale, out);
    write_lines(reader, frame, scale, out);
    return PH_OK;
}

static enum ph_status write_frames(const struct ph_reader *reader, const struct ph_frame_range *frames, double scale,
                                   const struct ph_export_progress *progress, struct frame *frame, FILE *out,
                                   size_t *written, struct ph_error *err)
{
    size_t first, end, stride;
    double *times = NULL;
    struct ph_error forgotten;
    ph_frame_range_within(frames, reader->position.rows, &first, &end, &stride);
    if (first >= end)
        return ph_error_set(err, PH_ERR_INPUT, "%s: has %zu frames, and none of those asked for.", reader->file.name,
                            reader->position.rows);
    ph_h5md_element_times(&reader->position, &times, &forgotten); /* or NULL */
    enum ph_status status = PH_OK;
    for (size_t row = first; row < end && status == PH_OK && !ferror(out); row += stride) {
        frame->row = row;
        frame->time = times ? times[row] : NAN;
        status = write_frame(reader, frame, scale, out, err);
        *written += status == PH_OK;
        if (progress)
            progress->show((double)(row - first) / (double)(end - first), progress->data);
    }
    free(times);
    return status;
}

enum ph_status ph_export_extxyz(const char *file, const struct ph_frame_range *frames, double scale,
                                const struct ph_export_progress *progress, FILE *out, size_t *written,
                                struct ph_error *err)
{
    struct ph_reader reader;
    struct frame frame = {.position = NULL};
    for (int c = 0; c < N_COLUMNS; ++c)
        frame.elements[c].value = -1;
    *written = 0;
    const unsigned long refusals = ph_refusals();
    enum ph_status status = ph_reader_open_particles(file, &reader, err);
    for (int c = 0; c < N_COLUMNS && status == PH_OK; ++c) {
        frame.numbers[c] = calloc(reader.n_particles * columns[c].width, sizeof(double));
        status = frame.numbers[c]
                     ? ph_reader_element(&reader, columns[c].element, &frame.elements[c], err)
                     : ph_error_set(err, PH_ERR_MEMORY, "No memory for %zu particles.", reader.n_particles);
        if (!ph_h5md_element_is(&frame.elements[c], reader.n_particles, columns[c].width)) /* not one for each */
            ph_h5md_element_close(&frame.elements[c]);
    }
    frame.position = status == PH_OK ? calloc(3 * reader.n_particles, sizeof(double)) : NULL;
    if (status == PH_OK && !frame.position)
        status = ph_error_set(err, PH_ERR_MEMORY, "No memory for %zu particles.", reader.n_particles);
    if (status == PH_OK)
        status = write_frames(&reader, frames, scale, progress, &frame, out, written, err);
    for (int c = 0; c < N_COLUMNS; ++c) {
        ph_h5md_element_close(&frame.elements[c]);
        free(frame.numbers[c]);
    }
    free(frame.position);
    ph_reader_close(&reader);
    return ph_status_since(refusals, status, file, err);
}
