/* SPDX-License-Identifier: MIT */
#include "base/plain.h"
#include "base/vec3.h"
#include "output/export/export_frames.h"
#include "output/reader/elements.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double degree = 57.295779513082320877; /* 180/pi */

static double angle(const double a[3], const double b[3])
{
    return degree * acos(fmax(-1.0, fmin(1.0, ph_vec3_dot(a, b) / sqrt(ph_vec3_dot(a, a) * ph_vec3_dot(b, b)))));
}

/* The format has only lengths and angles. */
static void write_box(const double edge[3][3], FILE *out)
{
    ph_fprintf(out, "CRYST1%9.3f%9.3f%9.3f%7.2f%7.2f%7.2f P 1           1\n", ph_vec3_norm(edge[0]),
               ph_vec3_norm(edge[1]), ph_vec3_norm(edge[2]), angle(edge[1], edge[2]), angle(edge[0], edge[2]),
               angle(edge[0], edge[1]));
}

static void in_capitals(const char *name, char to[5])
{
    size_t n = 0;
    for (; n < 4 && name[n]; ++n)
        to[n] = (char)toupper((unsigned char)name[n]);
    to[n] = '\0';
}

/* Numbers too large for their columns wrap around, as in other programs. */
static void write_atom(const struct ph_reader *reader, size_t i, const double x[3], FILE *out)
{
    char name[5], residue[5], placed[6];
    const char *symbol = ph_element_symbol(reader->number[i]);
    in_capitals(reader->name[i], name);
    in_capitals(reader->molecule[i], residue);
    /* one-letter symbols stand in the second column */
    snprintf(placed, sizeof placed, strlen(symbol) < 2 && strlen(name) < 4 ? " %s" : "%s", name);
    char element[3] = "";
    for (int k = 0; k < 2 && symbol[k]; ++k)
        element[k] = (char)toupper((unsigned char)symbol[k]);
    ph_fprintf(out, "ATOM  %5zu %-4s %-4s%c%4d    %8.3f%8.3f%8.3f%6.2f%6.2f          %2s\n", (i + 1) % 100000, placed,
               residue, 'A', (reader->residue[i] + 1) % 10000, x[0], x[1], x[2], 1.0, 0.0, element);
}

static enum ph_status write_bonds(const struct ph_reader *reader, FILE *out, struct ph_error *err)
{
    struct ph_h5md_element bonds;
    enum ph_status status = ph_h5md_element_open(&reader->file, &bonds, err, "connectivity/bonds");
    const bool there = status == PH_OK && bonds.value >= 0 && bonds.fixed && bonds.rank == 2 && bonds.shape[1] == 2;
    if (there && reader->n_particles > 99999)
        fputs("REMARK  More than 99999 particles: bonds cannot be written.\n", out);
    if (there && reader->n_particles <= 99999) {
        double *pairs = calloc(2 * bonds.shape[0] + 1, sizeof *pairs);
        status = pairs ? ph_h5md_element_read(&bonds, 0, pairs, err) : ph_no_memory(err, "%zu bonds", bonds.shape[0]);
        for (size_t b = 0; b < bonds.shape[0] && status == PH_OK; ++b)
            if (pairs[2 * b] >= 0.0 && pairs[2 * b + 1] >= 0.0 && pairs[2 * b] < (double)reader->n_particles &&
                pairs[2 * b + 1] < (double)reader->n_particles)
                fprintf(out, "CONECT%5d%5d\n", (int)pairs[2 * b] + 1, (int)pairs[2 * b + 1] + 1);
        free(pairs);
    }
    ph_h5md_element_close(&bonds);
    return status;
}

/* Reports a coordinate that does not fit into its columns. */
static enum ph_status check_room(const struct ph_export_frames *frames, struct ph_error *err)
{
    for (size_t k = 0; k < 3 * frames->reader.n_particles; ++k)
        if (!(frames->position[k] > -999.9 && frames->position[k] < 9999.9))
            return ph_error_set(err, PH_ERR_INPUT,
                                "%s: a coordinate of particle %zu is %.6g: PDB has room for -999.9 to 9999.9.",
                                frames->reader.file.name, k / 3, frames->position[k]);
    return PH_OK;
}

/* Several frames are models, each with its box. */
static void write_frame(const struct ph_export_frames *frames, size_t model, FILE *out)
{
    const bool several = frames->n > 1;
    if (several)
        fprintf(out, "MODEL     %4zu\nREMARK  Frame %zu, step %" PRId64, (model + 1) % 10000, frames->row,
                frames->step);
    if (several && isfinite(frames->time))
        ph_fprintf(out, ", time %.10g", frames->time);
    if (several)
        fputs(".\n", out);
    if (frames->periodic)
        write_box((const double(*)[3])frames->edge, out);
    for (size_t i = 0; i < frames->reader.n_particles; ++i)
        write_atom(&frames->reader, i, &frames->position[3 * i], out);
    if (several)
        fputs("ENDMDL\n", out);
}

static void write_title(const struct ph_export_frames *frames, FILE *out)
{
    char *title = ph_reader_text(&frames->reader, "title");
    fprintf(out, "TITLE     %.60s\n", title && title[0] ? title : frames->reader.file.name);
    free(title);
    fprintf(out, "REMARK  Lengths in %s", frames->scale == 10.0 ? "Angstrom" : "units of the trajectory");
    if (frames->n == 1)
        fprintf(out, ", frame %zu", frames->first);
    fputs(".\n", out);
}

enum ph_status ph_export_pdb(const struct ph_export_request *request, FILE *out, size_t *written, struct ph_error *err)
{
    struct ph_export_frames frames;
    enum ph_status status = ph_export_frames_open(request, true, &frames, err);
    if (status == PH_OK)
        frames.scale = ph_export_angstroms(&frames.reader);
    for (size_t k = 0; k < frames.n && status == PH_OK && !ferror(out); ++k) {
        status = ph_export_frames_read(&frames, k, err);
        if (status == PH_OK)
            status = check_room(&frames, err);
        if (status == PH_OK && k == 0)
            write_title(&frames, out);
        if (status == PH_OK)
            write_frame(&frames, k, out);
        *written += status == PH_OK;
    }
    if (status == PH_OK)
        status = write_bonds(&frames.reader, out, err);
    if (status == PH_OK)
        fputs("END\n", out);
    ph_export_frames_close(&frames);
    return status;
}
