/* SPDX-License-Identifier: MIT */
#include "base/plain.h"
#include "output/elements.h"
#include "output/export_frames.h"

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

struct extra {
    struct ph_h5md_element element;
    double *numbers; /* owned */
    bool known;      /* in this frame */
};

static bool are_symbols(const struct ph_reader *reader)
{
    for (size_t i = 0; i < reader->n_particles; ++i)
        if (ph_element_number(reader->name[i]) == 0)
            return false;
    return true;
}

static void write_comment(const struct ph_export_frames *frames, const struct extra *extras, FILE *out)
{
    if (frames->periodic) {
        fputs("Lattice=\"", out);
        for (int k = 0; k < 9; ++k)
            ph_fprintf(out, "%s%.17g", k > 0 ? " " : "", frames->edge[k / 3][k % 3]);
        fputs("\" ", out);
    }
    fprintf(out, "Properties=%s:S:1:pos:R:3", are_symbols(&frames->reader) ? "species" : "type");
    for (int c = 0; c < N_COLUMNS; ++c)
        if (extras[c].known)
            fprintf(out, ":%s:R:%zu", columns[c].name, columns[c].width);
    fprintf(out, " pbc=\"%s\"", frames->periodic ? "T T T" : "F F F");
    if (extras[0].known)
        fputs(" orientation_order=xyzw", out);
    if (isfinite(frames->time))
        ph_fprintf(out, " Time=%.17g", frames->time);
    if (frames->reader.position.step)
        fprintf(out, " Step=%" PRId64, frames->step);
    fputc('\n', out);
}

static void write_lines(const struct ph_export_frames *frames, const struct extra *extras, FILE *out)
{
    static const int order[] = {1, 2, 3, 0}; /* scalar last */
    double factor[N_COLUMNS];
    for (int c = 0; c < N_COLUMNS; ++c)
        factor[c] = pow(frames->scale, columns[c].length);
    for (size_t i = 0; i < frames->reader.n_particles; ++i) {
        fputs(frames->reader.name[i], out);
        for (size_t k = 0; k < 3; ++k)
            ph_fprintf(out, " %.17g", frames->position[3 * i + k]);
        for (int c = 0; c < N_COLUMNS; ++c)
            for (size_t k = 0; k < columns[c].width && extras[c].known; ++k)
                ph_fprintf(out, " %.17g",
                           factor[c] * extras[c].numbers[columns[c].width * i + (c == 0 ? (size_t)order[k] : k)]);
        fputc('\n', out);
    }
}

static enum ph_status open_extras(const struct ph_reader *reader, struct extra *extras, struct ph_error *err)
{
    enum ph_status status = PH_OK;
    for (int c = 0; c < N_COLUMNS && status == PH_OK; ++c) {
        extras[c].numbers = calloc(reader->n_particles * columns[c].width, sizeof(double));
        status = extras[c].numbers
                     ? ph_reader_element(reader, columns[c].element, &extras[c].element, err)
                     : ph_error_set(err, PH_ERR_MEMORY, "No memory for %zu particles.", reader->n_particles);
        if (!ph_h5md_element_is(&extras[c].element, reader->n_particles, columns[c].width)) /* not one for each */
            ph_h5md_element_close(&extras[c].element);
    }
    return status;
}

static enum ph_status read_extras(const struct ph_export_frames *frames, struct extra *extras, struct ph_error *err)
{
    enum ph_status status = PH_OK;
    for (int c = 0; c < N_COLUMNS && status == PH_OK; ++c) {
        const struct ph_h5md_element *element = &extras[c].element;
        const size_t row = ph_reader_row(&frames->reader, element, frames->row);
        extras[c].known = element->value >= 0 && row < element->rows;
        if (extras[c].known)
            status = ph_h5md_element_read(element, row, extras[c].numbers, err);
    }
    return status;
}

enum ph_status ph_export_extxyz(const struct ph_export_request *request, FILE *out, size_t *written,
                                struct ph_error *err)
{
    struct ph_export_frames frames;
    struct extra extras[N_COLUMNS] = {{.numbers = NULL}};
    for (int c = 0; c < N_COLUMNS; ++c)
        extras[c].element.value = -1;
    enum ph_status status = ph_export_frames_open(request, false, &frames, err);
    frames.scale = request->scale;
    if (status == PH_OK)
        status = open_extras(&frames.reader, extras, err);
    for (size_t k = 0; k < frames.n && status == PH_OK && !ferror(out); ++k) {
        status = ph_export_frames_read(&frames, k, err);
        if (status == PH_OK)
            status = read_extras(&frames, extras, err);
        if (status != PH_OK)
            break;
        fprintf(out, "%zu\n", frames.reader.n_particles);
        write_comment(&frames, extras, out);
        write_lines(&frames, extras, out);
        ++*written;
    }
    for (int c = 0; c < N_COLUMNS; ++c) {
        ph_h5md_element_close(&extras[c].element);
        free(extras[c].numbers);
    }
    ph_export_frames_close(&frames);
    return status;
}
