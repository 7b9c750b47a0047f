/* SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "base/plain.h"
#include "base/vec3.h"
#include "output/elements.h"
#include "output/export.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double degree = 57.295779513082320877; /* 180/pi */

static double angle(const double a[3], const double b[3])
{
    return degree * acos(fmax(-1.0, fmin(1.0, ph_vec3_dot(a, b) / sqrt(ph_vec3_dot(a, a) * ph_vec3_dot(b, b)))));
}

/* The format has only lengths and angles, with the first edge along x and the second in the plane of x and y. */
static void write_box(const double edge[3][3], double scale, FILE *out)
{
    if (edge[0][1] != 0.0 || edge[0][2] != 0.0 || edge[1][2] != 0.0)
        fputs("REMARK  The box is turned against that of CRYST1: use its edges from the trajectory.\n", out);
    ph_fprintf(out, "CRYST1%9.3f%9.3f%9.3f%7.2f%7.2f%7.2f P 1           1\n", scale * ph_vec3_norm(edge[0]),
               scale * ph_vec3_norm(edge[1]), scale * ph_vec3_norm(edge[2]), angle(edge[1], edge[2]),
               angle(edge[0], edge[2]), angle(edge[0], edge[1]));
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
        status = pairs ? ph_h5md_element_read(&bonds, 0, pairs, err)
                       : ph_error_set(err, PH_ERR_MEMORY, "No memory for %zu bonds.", bonds.shape[0]);
        for (size_t b = 0; b < bonds.shape[0] && status == PH_OK; ++b)
            if (pairs[2 * b] >= 0.0 && pairs[2 * b + 1] >= 0.0 && pairs[2 * b] < (double)reader->n_particles &&
                pairs[2 * b + 1] < (double)reader->n_particles)
                fprintf(out, "CONECT%5d%5d\n", (int)pairs[2 * b] + 1, (int)pairs[2 * b + 1] + 1);
        free(pairs);
    }
    ph_h5md_element_close(&bonds);
    return status;
}

static enum ph_status write_all(const struct ph_reader *reader, size_t row, double *position, FILE *out,
                                struct ph_error *err)
{
    const struct ph_reader_element *element = ph_reader_find(reader, reader->position.path);
    const double scale = element && strcmp(element->unit, "nm") == 0 ? 10.0 : 1.0;
    bool periodic;
    double edge[3][3];
    enum ph_status status = ph_h5md_element_read(&reader->position, row, position, err);
    if (status == PH_OK)
        status = ph_reader_edges(reader, ph_reader_step(reader, row), row, edge, &periodic, err);
    for (size_t k = 0; k < 3 * reader->n_particles && status == PH_OK; ++k)
        if (!(scale * position[k] > -999.9 && scale * position[k] < 9999.9))
            status = ph_error_set(err, PH_ERR_INPUT,
                                  "%s: a coordinate of particle %zu is %.6g: PDB has room for -999.9 to 9999.9.",
                                  reader->file.name, k / 3, scale * position[k]);
    if (status != PH_OK)
        return status;
    char *title = ph_reader_text(reader, "title");
    fprintf(out, "TITLE     %.60s\n", title && title[0] ? title : reader->file.name);
    free(title);
    fprintf(out, "REMARK  Lengths in %s, frame %zu.\n", scale == 10.0 ? "Angstrom" : "units of the trajectory", row);
    if (periodic)
        write_box((const double(*)[3])edge, scale, out);
    for (size_t i = 0; i < reader->n_particles; ++i)
        write_atom(reader, i,
                   (double[]){scale * position[3 * i], scale * position[3 * i + 1], scale * position[3 * i + 2]}, out);
    status = write_bonds(reader, out, err);
    fputs("END\n", out);
    return status;
}

enum ph_status ph_export_pdb(const char *file, int64_t frame, FILE *out, struct ph_error *err)
{
    const unsigned long refusals = ph_refusals();
    struct ph_reader reader;
    size_t row = 0;
    enum ph_status status = ph_reader_open_particles(file, &reader, err);
    if (status == PH_OK)
        status = ph_reader_frame(&reader, frame, &row, err);
    double *position = status == PH_OK ? calloc(3 * reader.n_particles, sizeof *position) : NULL;
    if (status == PH_OK)
        status = position ? write_all(&reader, row, position, out, err)
                          : ph_error_set(err, PH_ERR_MEMORY, "No memory for %zu particles.", reader.n_particles);
    free(position);
    ph_reader_close(&reader);
    return ph_status_since(refusals, status, file, err);
}
