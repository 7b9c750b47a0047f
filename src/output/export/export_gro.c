/* SPDX-License-Identifier: MIT */
/* GROMACS's text format, in nm: a title with time and step, the number of atoms, a line for each, the box. Columns have
 * fixed widths; readers find the number of decimals n from the distance of the points, n + 5. Velocities, in nm/ps,
 * have the same width and one decimal more. */
#include "base/plain.h"
#include "output/export/export_frames.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static void write_title(const struct ph_export_frames *frames, FILE *out)
{
    char *title = ph_reader_text(&frames->reader, "title");
    fprintf(out, "%.60s", title && title[0] ? title : frames->reader.file.name);
    free(title);
    if (isfinite(frames->time))
        ph_fprintf(out, " t= %.5f", frames->time);
    fprintf(out, " step= %" PRId64 "\n%zu\n", frames->step, frames->reader.n_particles);
}

/* The lengths along the axes, and for a tilted box the other components: v1y v1z v2x v2z v3x v3y */
static void write_box(const double edge[3][3], FILE *out)
{
    static const int rest[6][2] = {{0, 1}, {0, 2}, {1, 0}, {1, 2}, {2, 0}, {2, 1}};
    bool tilted = false;
    for (int k = 0; k < 3; ++k)
        ph_fprintf(out, " %.9f", edge[k][k]);
    for (int k = 0; k < 6; ++k)
        tilted = tilted || edge[rest[k][0]][rest[k][1]] != 0.0;
    for (int k = 0; k < 6 && tilted; ++k)
        ph_fprintf(out, " %.9f", edge[rest[k][0]][rest[k][1]]);
    fputc('\n', out);
}

static enum ph_status write_frame(const struct ph_export_frames *frames, const struct ph_export_vectors *velocities,
                                  int decimals, FILE *out, struct ph_error *err)
{
    const struct ph_reader *reader = &frames->reader;
    for (size_t k = 0; k < 3 * reader->n_particles; ++k)
        if (!(frames->position[k] > -999.0 && frames->position[k] < 9999.0))
            return ph_error_set(err, PH_ERR_INPUT,
                                "%s: a coordinate of particle %zu is %.6g: GRO has room for -999 to 9999.",
                                reader->file.name, k / 3, frames->position[k]);
    for (size_t k = 0; k < 3 * reader->n_particles && velocities->known; ++k)
        if (!(velocities->numbers[k] > -99.0 && velocities->numbers[k] < 999.0))
            return ph_error_set(err, PH_ERR_INPUT,
                                "%s: a velocity of particle %zu is %.6g: GRO has room for -99 to 999.",
                                reader->file.name, k / 3, velocities->numbers[k]);
    write_title(frames, out);
    for (size_t i = 0; i < reader->n_particles; ++i) { /* numbers too large for their columns wrap around */
        fprintf(out, "%5d%-5.5s%5.5s%5zu", (reader->residue[i] + 1) % 100000, reader->molecule[i], reader->name[i],
                (i + 1) % 100000);
        for (size_t k = 0; k < 3; ++k)
            ph_fprintf(out, "%*.*f", decimals + 5, decimals, frames->position[3 * i + k]);
        for (size_t k = 0; k < 3 && velocities->known; ++k)
            ph_fprintf(out, "%*.*f", decimals + 5, decimals + 1, velocities->numbers[3 * i + k]);
        fputc('\n', out);
    }
    write_box((const double(*)[3])frames->edge, out);
    return PH_OK;
}

enum ph_status ph_export_gro(const struct ph_export_request *request, FILE *out, size_t *written, struct ph_error *err)
{
    struct ph_export_frames frames;
    enum ph_status status = ph_export_frames_open(request, true, &frames, err);
    struct ph_export_vectors velocities = {.element.value = -1};
    if (status == PH_OK) {
        frames.scale = ph_export_nanometres(&frames.reader);
        status = ph_export_vectors_open(&frames.reader, "velocity", 3, &velocities, err);
    }
    for (size_t k = 0; k < frames.n && status == PH_OK && !ferror(out); ++k) {
        status = ph_export_frames_read(&frames, k, err);
        if (status == PH_OK)
            status = ph_export_vectors_read(&frames, frames.scale, &velocities, err);
        if (status == PH_OK)
            status = write_frame(&frames, &velocities, request->decimals, out, err);
        *written += status == PH_OK;
    }
    ph_export_vectors_close(&velocities);
    ph_export_frames_close(&frames);
    return status;
}
