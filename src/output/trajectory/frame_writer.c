/* SPDX-License-Identifier: MIT */
#include "output/trajectory/frame_writer.h"

#include "base/memory.h"
#include "base/ranges.h"
#include "base/room.h"
#include "output/hdf5/fletcher.h"
#include "output/hdf5/store.h"
#include "output/trajectory/trajectory_parts.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = PH_RANGE_BLOCK };

struct ph_frame_writer {
    char *file; /* owned */
    int descriptor;
    size_t n_parts;
    struct ph_file_part *parts; /* owned; none is open */
    uint64_t *places;           /* owned; of the parts */
    int64_t *sums;              /* owned; for their checksums, over the data of this rank */
    double *numbers;            /* owned; of a block of molecules */
};

enum ph_status ph_frame_writer_open(const char *file, const struct ph_system *system,
                                    const struct ph_trajectory_plan *plan, struct ph_frame_writer **out,
                                    struct ph_error *err)
{
    assert(plan->compression == 0);
    *out = NULL;
    if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__) /* numbers are written as they are in memory */
        return ph_error_set(err, PH_ERR_INPUT,
                            "output.writing is 'collective', for which numbers must begin with their low byte, as in "
                            "files. Accepted on this machine: gathered.");
    size_t sites = 1;
    for (size_t s = 0; s < system->n_species; ++s)
        sites = system->species[s].n_sites > sites ? system->species[s].n_sites : sites;
    struct ph_frame_writer *writer = *out = ph_allocate(1, sizeof *writer);
    if (!writer)
        return ph_no_memory(err, "writing frames");
    writer->descriptor = -1;
    const enum ph_status status = ph_trajectory_parts(system, plan, &writer->parts, &writer->n_parts, err);
    if (status != PH_OK)
        return status;
    writer->file = ph_copy_text(file);
    writer->places = ph_allocate(writer->n_parts, sizeof *writer->places);
    writer->sums = ph_allocate(writer->n_parts, PH_FLETCHER * sizeof *writer->sums);
    writer->numbers = ph_allocate(4 * sites * BLOCK, sizeof *writer->numbers);
    if (!writer->file || !writer->places || !writer->sums || !writer->numbers)
        return ph_no_memory(err, "writing frames");
    writer->descriptor = ph_store_help(file);
    if (writer->descriptor < 0)
        return ph_error_set(err, PH_ERR_IO,
                            "%s: cannot be opened by every process: %s. output.writing: collective needs a folder that "
                            "all of them reach.",
                            file, strerror(errno));
    return PH_OK;
}

static enum ph_status failed(const struct ph_frame_writer *writer, struct ph_error *err)
{
    return ph_error_set(err, PH_ERR_IO, "%s: cannot be written: %s. It holds what was written before.", writer->file,
                        strerror(errno ? errno : EIO));
}

uint64_t *ph_frame_writer_places(struct ph_frame_writer *writer, size_t *n)
{
    *n = writer->n_parts;
    memset(writer->sums, 0, writer->n_parts * PH_FLETCHER * sizeof *writer->sums);
    return writer->places;
}

int64_t *ph_frame_writer_sums(struct ph_frame_writer *writer, size_t *n)
{
    *n = writer->n_parts * PH_FLETCHER;
    return writer->sums;
}

enum ph_status ph_frame_writer_seal(struct ph_frame_writer *writer, const struct ph_trajectory *trajectory,
                                    struct ph_error *err)
{
    for (size_t k = 0; k < writer->n_parts; ++k) {
        unsigned char checksum[PH_FLETCHER_BYTES];
        ph_fletcher_end(writer->sums + PH_FLETCHER * k, checksum);
        if (writer->places[k] > 0 && ph_trajectory_has_checksums(trajectory, k) &&
            !ph_store_put(writer->descriptor, writer->places[k] + ph_rows_bytes(&writer->parts[k].rows.form),
                          sizeof checksum, checksum))
            return failed(writer, err);
    }
    return PH_OK;
}

static size_t clamp(size_t x, size_t low, size_t high) { return x < low ? low : x > high ? high : x; }

/* Molecules from `begin` on, as many as there are in the window */
static bool put_part(const struct ph_frame_writer *writer, size_t k, const struct ph_system *whole, size_t begin,
                     const struct ph_system *window)
{
    const struct ph_file_part *part = &writer->parts[k];
    const struct ph_rows_form *form = &part->rows.form;
    const size_t width = (size_t)form->shape[1], bytes = form->integers || form->single ? 4 : 8;
    const size_t first = clamp(part->first, begin, begin + window->n), end = clamp(part->end, begin, begin + window->n);
    struct ph_file_part here = *part;
    here.first = first - begin;
    here.end = end - begin;
    const size_t n = width * ph_part_line(&here, window, here.end);
    ph_part_fill(&here, window, here.first, here.end, writer->numbers);
    const size_t at = bytes * width * ph_part_line(part, whole, first);
    ph_fletcher_add(writer->numbers, bytes * n, at, ph_rows_bytes(form), writer->sums + PH_FLETCHER * k);
    return ph_store_put(writer->descriptor, writer->places[k] + at, bytes * n, writer->numbers);
}

enum ph_status ph_frame_writer_put(struct ph_frame_writer *writer, const struct ph_system *whole, size_t begin,
                                   const struct ph_system *window, struct ph_error *err)
{
    PH_ROOM(window->n <= BLOCK);
    for (size_t k = 0; k < writer->n_parts; ++k) {
        const struct ph_file_part *part = &writer->parts[k];
        if (writer->places[k] > 0 && part->first < begin + window->n && part->end > begin &&
            !put_part(writer, k, whole, begin, window))
            return failed(writer, err);
    }
    return PH_OK;
}

enum ph_status ph_frame_writer_sync(struct ph_frame_writer *writer, struct ph_error *err)
{
    return fsync(writer->descriptor) == 0 ? PH_OK : failed(writer, err);
}

void ph_frame_writer_close(struct ph_frame_writer *writer)
{
    if (!writer)
        return;
    if (writer->descriptor >= 0)
        close(writer->descriptor);
    free(writer->file);
    free(writer->parts);
    free(writer->places);
    free(writer->sums);
    free(writer->numbers);
    free(writer);
}
