/* SPDX-License-Identifier: MIT */
/* DCD as CHARMM, NAMD and VMD write it: Fortran records, each between two copies of its length in bytes, little-endian.
 *   header, 84 bytes   "CORD" and 20 integers: [0] frames, [1] first step, [2] steps between frames, [3] last step,
 *                      [9] length of a step, a float, in AKMA units of time, [10] 1 if there is a unit cell,
 *                      [19] 24, the version of CHARMM whose format this is; all others 0
 *   title              number of lines, and 80 letters for each
 *   number of atoms
 *   then for each frame
 *   unit cell          six doubles: A, cos gamma, B, cos beta, cos alpha, C; not in open space
 *   x, y and z         three records of floats */

/* Lengths are in Angstrom. There is no room for the time of each frame: readers multiply, so frames at unequal
 * distances (of stages that write differently) seem to be as far apart as the first two. */
#include "base/vec3.h"
#include "output/export/export_frames.h"

#include <stdlib.h>
#include <string.h>

static const double akma = 0.04888821290839616; /* ps: unit of time of A, kcal/mol and u, sqrt(u A^2/(kcal/mol)) */

enum { TITLE = 80 };

static void put_bytes(uint64_t bits, size_t n, FILE *out)
{
    for (size_t k = 0; k < n; ++k)
        putc_unlocked((int)(bits >> (8 * k) & 0xff), out);
}

static void put_integer(int64_t number, FILE *out) { put_bytes((uint64_t)number, 4, out); }

static void put_float(double number, FILE *out)
{
    const float value = (float)number;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_bytes(bits, 4, out);
}

static void put_double(double number, FILE *out)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    put_bytes(bits, 8, out);
}

/* Finds steps and time from the first frame to the second; 1 step of 1 ps for a single frame, or if the file has
 * none */
static void find_spacing(const struct ph_export_frames *frames, int64_t *steps, double *time)
{
    const size_t first = frames->first, second = first + frames->stride;
    const int64_t *step = frames->reader.position.step;
    *steps = 1;
    *time = 1.0;
    if (frames->n > 1 && step && step[second] > step[first])
        *steps = step[second] - step[first];
    if (frames->n > 1 && frames->times && frames->times[second] > frames->times[first])
        *time = frames->times[second] - frames->times[first];
}

static void write_header(const struct ph_export_frames *frames, FILE *out)
{
    int64_t steps;
    double time;
    find_spacing(frames, &steps, &time);
    const int64_t *step = frames->reader.position.step;
    const int64_t first = step ? step[frames->first] : 0, last = first + steps * (int64_t)(frames->n - 1);
    put_integer(84, out);
    fputs("CORD", out);
    for (int k = 0; k < 20; ++k)
        switch (k) {
        case 0: put_integer((int64_t)frames->n, out); break;
        case 1: put_integer(first, out); break;
        case 2: put_integer(steps, out); break;
        case 3: put_integer(last, out); break;
        case 9: put_float(time / (double)steps / akma, out); break;
        case 10: put_integer(frames->reader.periodic, out); break;
        case 19: put_integer(24, out); break;
        default: put_integer(0, out); break;
        }
    put_integer(84, out);
    char title[TITLE + 1];
    char *text = ph_reader_text(&frames->reader, "title");
    snprintf(title, sizeof title, "%-80.80s", text && text[0] ? text : "Polhode");
    free(text);
    put_integer(4 + TITLE, out);
    put_integer(1, out);
    fwrite(title, 1, TITLE, out);
    put_integer(4 + TITLE, out);
    put_integer(4, out);
    put_integer((int64_t)frames->reader.n_particles, out);
    put_integer(4, out);
}

static void write_frame(const struct ph_export_frames *frames, FILE *out)
{
    const size_t n = frames->reader.n_particles;
    if (frames->reader.periodic) {
        static const int other[3] = {1, 2, 0};
        double length[3], cosine[3]; /* cosine[e]: of edge e with the next one: gamma, alpha, beta */
        for (int e = 0; e < 3; ++e)
            length[e] = ph_vec3_norm(frames->edge[e]);
        for (int e = 0; e < 3; ++e)
            cosine[e] = frames->periodic
                            ? ph_vec3_dot(frames->edge[e], frames->edge[other[e]]) / (length[e] * length[other[e]])
                            : 0.0;
        const double cell[6] = {length[0], cosine[0], length[1], cosine[2], cosine[1], length[2]};
        put_integer(sizeof cell, out);
        for (int k = 0; k < 6; ++k)
            put_double(cell[k], out);
        put_integer(sizeof cell, out);
    }
    for (size_t k = 0; k < 3; ++k) {
        put_integer((int64_t)(4 * n), out);
        for (size_t i = 0; i < n; ++i)
            put_float(frames->position[3 * i + k], out);
        put_integer((int64_t)(4 * n), out);
    }
}

enum ph_status ph_export_dcd(const struct ph_export_request *request, FILE *out, size_t *written, struct ph_error *err)
{
    struct ph_export_frames frames;
    enum ph_status status = ph_export_frames_open(request, true, &frames, err);
    if (status == PH_OK && (frames.reader.n_particles > INT32_MAX / 4 || frames.n > INT32_MAX))
        status = ph_error_set(err, PH_ERR_INPUT, "%s: %zu frames of %zu particles are too many for DCD.", request->file,
                              frames.n, frames.reader.n_particles);
    if (status == PH_OK)
        frames.scale = ph_export_angstroms(&frames.reader);
    for (size_t k = 0; k < frames.n && status == PH_OK && !ferror(out); ++k) {
        status = ph_export_frames_read(&frames, k, err);
        if (status == PH_OK && k == 0)
            write_header(&frames, out);
        if (status == PH_OK)
            write_frame(&frames, out);
        *written += status == PH_OK;
    }
    ph_export_frames_close(&frames);
    return status;
}
