/* SPDX-License-Identifier: MIT */
/* TRR, GROMACS's trajectory without loss, in XDR (output/export/export_xdr.h). A frame is the number 1993, the word
 * GMX_trn_file with its length before it twice (once with the zero at its end), and 13 integers:
 *   sizes in bytes     [0] ir, [1] e, [2] box, [3] virial, [4] pressure, [5] topology, [6] symbols, [7] positions,
 *                      [8] velocities, [9] forces; 0: not there
 *   [10] atoms, [11] step, [12] 0
 * then time in ps and lambda, the edges of the box, positions, velocities and forces. The sizes show that all these
 * numbers are doubles. Lengths are in nm, velocities in nm/ps, forces in kJ/mol/nm. */
#include "output/export/export_frames.h"
#include "output/export/export_xdr.h"

#include <math.h>

enum { MAGIC = 1993, MOST = INT32_MAX / 24 };

static void put_rows(const double *numbers, size_t n, FILE *out)
{
    for (size_t k = 0; k < n; ++k)
        ph_xdr_double(numbers[k], out);
}

static void write_frame(const struct ph_export_frames *frames, const struct ph_export_vectors *velocities,
                        const struct ph_export_vectors *forces, FILE *out)
{
    static const char word[] = "GMX_trn_file";
    const size_t n = 3 * frames->reader.n_particles;
    const int64_t size = (int64_t)(n * sizeof(double));
    ph_xdr_integer(MAGIC, out);
    ph_xdr_integer(sizeof word, out);
    ph_xdr_integer(sizeof word - 1, out);
    fputs(word, out);
    const int64_t header[13] = {[2] = 9 * sizeof(double),
                                [7] = size,
                                [8] = velocities->known ? size : 0,
                                [9] = forces->known ? size : 0,
                                [10] = (int64_t)frames->reader.n_particles,
                                [11] = frames->step & INT32_MAX}; /* longer runs begin again with 0, as in XTC */
    for (int k = 0; k < 13; ++k)
        ph_xdr_integer(header[k], out);
    ph_xdr_double(isfinite(frames->time) ? frames->time : (double)frames->step, out);
    ph_xdr_double(0.0, out);
    put_rows(&frames->edge[0][0], 9, out);
    put_rows(frames->position, n, out);
    if (velocities->known)
        put_rows(velocities->numbers, n, out);
    if (forces->known)
        put_rows(forces->numbers, n, out);
}

enum ph_status ph_export_trr(const struct ph_export_request *request, FILE *out, size_t *written, struct ph_error *err)
{
    struct ph_export_frames frames;
    struct ph_export_vectors velocities = {.element.value = -1}, forces = {.element.value = -1};
    enum ph_status status = ph_export_frames_open(request, true, &frames, err);
    if (status == PH_OK && frames.reader.n_particles > MOST)
        status = ph_error_set(err, PH_ERR_INPUT, "%s: %zu particles are too many for TRR.", request->file,
                              frames.reader.n_particles);
    if (status == PH_OK) {
        frames.scale = ph_export_nanometres(&frames.reader);
        status = ph_export_vectors_open(&frames.reader, "velocity", 3, &velocities, err);
    }
    if (status == PH_OK)
        status = ph_export_vectors_open(&frames.reader, "force", 3, &forces, err);
    for (size_t k = 0; k < frames.n && status == PH_OK && !ferror(out); ++k) {
        status = ph_export_frames_read(&frames, k, err);
        if (status == PH_OK)
            status = ph_export_vectors_read(&frames, frames.scale, &velocities, err);
        if (status == PH_OK)
            status = ph_export_vectors_read(&frames, 1.0 / frames.scale, &forces, err);
        if (status != PH_OK)
            break;
        write_frame(&frames, &velocities, &forces, out);
        ++*written;
    }
    ph_export_vectors_close(&velocities);
    ph_export_vectors_close(&forces);
    ph_export_frames_close(&frames);
    return status;
}
