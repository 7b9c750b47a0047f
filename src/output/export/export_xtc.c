/* SPDX-License-Identifier: MIT */
/* XTC, GROMACS's compressed trajectory. Everything is in XDR: 32-bit integers and floats, the highest byte first. A
 * frame is the number 1995, atoms, step, time in ps, the edges of the box in nm, atoms once more, and the coordinates.
 * Up to 9 atoms are floats. More atoms are precision, least and largest values, index, number of bytes, and these
 * bytes, filled up to a multiple of four (output/export/xtc_coordinates.h). */
#include "base/memory.h"
#include "output/export/export_frames.h"
#include "output/export/export_xdr.h"
#include "output/export/xtc_coordinates.h"

#include <math.h>
#include <stdlib.h>

enum { MAGIC = 1995, FLOATS_MOST = 9 };

struct work {
    double precision;    /* whole numbers in a nm */
    int32_t (*atom)[3];  /* owned */
    unsigned char *room; /* owned */
};

/* Rounds coordinates to whole numbers, which must be small enough that their differences are 32-bit integers. */
static enum ph_status round_all(const struct ph_export_frames *frames, struct work *work, struct ph_error *err)
{
    const double most = 0x1p30;
    for (size_t k = 0; k < 3 * frames->reader.n_particles; ++k) {
        const double number = round(work->precision * frames->position[k]);
        if (!(fabs(number) < most))
            return ph_error_set(err, PH_ERR_INPUT,
                                "%s: a coordinate of particle %zu is %.6g: with steps of %.3g XTC has room for %.6g. "
                                "Give fewer --decimals.",
                                frames->reader.file.name, k / 3, frames->position[k], 1.0 / work->precision,
                                most / work->precision);
        work->atom[k / 3][k % 3] = (int32_t)number;
    }
    return PH_OK;
}

static void put_packed(const struct ph_xtc_packed *packed, double precision, FILE *out)
{
    ph_xdr_float(precision, out);
    for (int k = 0; k < 3; ++k)
        ph_xdr_integer(packed->least[k], out);
    for (int k = 0; k < 3; ++k)
        ph_xdr_integer(packed->most[k], out);
    ph_xdr_integer(packed->index, out);
    ph_xdr_integer((int64_t)packed->size, out);
    fwrite(packed->bytes, 1, packed->size, out);
    for (size_t k = packed->size; k % 4 != 0; ++k)
        putc_unlocked(0, out);
}

static enum ph_status write_frame(const struct ph_export_frames *frames, struct work *work, FILE *out,
                                  struct ph_error *err)
{
    const size_t n = frames->reader.n_particles;
    const enum ph_status status = round_all(frames, work, err);
    if (status != PH_OK)
        return status;
    ph_xdr_integer(MAGIC, out);
    ph_xdr_integer((int64_t)n, out);
    ph_xdr_integer(frames->step & INT32_MAX, out); /* longer runs begin again with 0, as in other programs */
    ph_xdr_float(isfinite(frames->time) ? frames->time : (double)frames->step, out);
    for (int k = 0; k < 9; ++k)
        ph_xdr_float(frames->edge[k / 3][k % 3], out);
    ph_xdr_integer((int64_t)n, out);
    if (n <= FLOATS_MOST) {
        for (size_t k = 0; k < 3 * n; ++k)
            ph_xdr_float(frames->position[k], out);
        return PH_OK;
    }
    struct ph_xtc_packed packed;
    ph_xtc_pack(n, (const int32_t(*)[3])work->atom, work->room, &packed);
    put_packed(&packed, work->precision, out);
    return PH_OK;
}

enum ph_status ph_export_xtc(const struct ph_export_request *request, FILE *out, size_t *written, struct ph_error *err)
{
    struct ph_export_frames frames;
    struct work work = {.precision = pow(10.0, request->decimals)};
    enum ph_status status = ph_export_frames_open(request, true, &frames, err);
    const size_t n = frames.reader.n_particles;
    if (status == PH_OK && n > 100000000)
        status = ph_error_set(err, PH_ERR_INPUT, "%s: %zu particles are too many for XTC.", request->file, n);
    if (status == PH_OK) {
        frames.scale = ph_export_nanometres(&frames.reader);
        work.atom = ph_allocate(n, sizeof *work.atom);
        work.room = ph_allocate(ph_xtc_room(n), 1);
        if (!work.atom || !work.room)
            status = ph_no_memory(err, "%zu particles", n);
    }
    for (size_t k = 0; k < frames.n && status == PH_OK && !ferror(out); ++k) {
        status = ph_export_frames_read(&frames, k, err);
        if (status == PH_OK)
            status = write_frame(&frames, &work, out, err);
        *written += status == PH_OK;
    }
    free(work.atom);
    free(work.room);
    ph_export_frames_close(&frames);
    return status;
}
