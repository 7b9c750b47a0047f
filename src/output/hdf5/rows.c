/* SPDX-License-Identifier: MIT */
#include "output/hdf5/rows.h"

#include "base/memory.h"
#include "output/hdf5/fletcher.h"
#include "output/hdf5/store.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- making ---- */

/* Types in the file and in memory, and the value of rows that were never written */
struct number {
    hid_t stored, native;
    const void *unwritten;
};

/* A data set without rows; of the form, its rank, shape, chunk and compression count */
static hid_t create_set(hid_t file, const char *path, const struct ph_rows_form *form, bool checked,
                        struct number number)
{
    const int rank = form->rank;
    hsize_t extent[PH_ROWS_RANK + 1] = {0}, most[PH_ROWS_RANK + 1] = {H5S_UNLIMITED},
                                  together[PH_ROWS_RANK + 1] = {form->chunk};
    for (int k = 0; k < rank; ++k)
        extent[k + 1] = most[k + 1] = together[k + 1] = form->shape[k];
    const hid_t space = H5Screate_simple(rank + 1, extent, most), creation = H5Pcreate(H5P_DATASET_CREATE);
    bool good = space >= 0 && creation >= 0 && H5Pset_obj_track_times(creation, false) >= 0 &&
                H5Pset_chunk(creation, rank + 1, together) >= 0 &&
                H5Pset_fill_value(creation, number.native, number.unwritten) >= 0;
    if (form->compression > 0) {
        assert(form->chunk == 1);
        good = good && H5Pset_shuffle(creation) >= 0 && H5Pset_deflate(creation, (unsigned)form->compression) >= 0;
    }
    if (checked)
        good = good && H5Pset_fletcher32(creation) >= 0;
    const hid_t set = good ? H5Dcreate2(file, path, number.stored, space, H5P_DEFAULT, creation, H5P_DEFAULT) : -1;
    if (space >= 0)
        H5Sclose(space);
    if (creation >= 0)
        H5Pclose(creation);
    return set;
}

static const char *join(const char *group, const char *name, char path[PH_H5_PATH + 16])
{
    snprintf(path, PH_H5_PATH + 16, "%s/%s", group, name);
    return path;
}

static bool create_group(hid_t file, const char *group, int64_t every)
{
    return ph_h5_put_group(file, group) &&
           (every == 0 || ph_h5_note_integers(file, group, "every", H5T_STD_I64LE, 0, &every));
}

bool ph_clock_create(hid_t file, const char *group, int64_t every, size_t chunk, const char *unit,
                     struct ph_clock *clock)
{
    char path[PH_H5_PATH + 16];
    const struct number step = {H5T_STD_I64LE, H5T_NATIVE_INT64, &(int64_t){-1}};
    const struct number time = {H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &(double){NAN}};
    const struct ph_rows_form form = {.chunk = chunk};
    *clock = PH_CLOCK_NONE;
    clock->every = every;
    snprintf(clock->group, sizeof clock->group, "%s", group);
    if (!create_group(file, group, every))
        return false;
    clock->step = create_set(file, join(group, "step", path), &form, false, step);
    clock->time = create_set(file, join(group, "time", path), &form, false, time);
    return clock->step >= 0 && clock->time >= 0 && ph_h5_note_unit(file, path, unit);
}

static bool link_clock(hid_t file, const struct ph_clock *clock, const char *group)
{
    char from[PH_H5_PATH + 16], to[PH_H5_PATH + 16];
    if (strcmp(clock->group, group) == 0)
        return true;
    if (!create_group(file, group, clock->every))
        return false;
    static const char *const names[] = {"step", "time"};
    for (int k = 0; k < 2; ++k)
        if (H5Lcreate_hard(file, join(clock->group, names[k], from), file, join(group, names[k], to), H5P_DEFAULT,
                           H5P_DEFAULT) < 0)
            return false;
    return true;
}

static hid_t stored_type(const struct ph_rows_form *form)
{
    return form->integers ? H5T_STD_I32LE : form->single ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
}

bool ph_rows_create(hid_t file, const struct ph_clock *clock, struct ph_rows *rows)
{
    const struct ph_rows_form *form = &rows->form;
    char path[PH_H5_PATH + 16];
    const struct number number = {stored_type(form), form->integers ? H5T_NATIVE_INT32 : H5T_NATIVE_DOUBLE,
                                  form->integers ? (const void *)&(int32_t){0} : &(double){NAN}};
    rows->value = -1;
    if (!link_clock(file, clock, form->path))
        return false;
    /* Only chunks that are written once: a chunk that grows could be read while it is written, or torn by a kill, and
     * would be lost as a whole. deflate has a checksum of its own. */
    rows->checked = form->chunk == 1 && form->compression == 0;
    rows->value = create_set(file, join(form->path, "value", path), form, rows->checked, number);
    return rows->value >= 0 && ph_h5_note_unit(file, path, form->unit);
}

/* ---- opening ---- */

/* Extents of a data set, the first of them its rows; false if it has another rank or type, or more rows than the file
 * has bytes, which HDF5 would cut one by one. */
static bool look(hid_t set, int rank, hid_t stored, hsize_t extent[PH_ROWS_RANK + 1])
{
    const hid_t space = H5Dget_space(set), type = H5Dget_type(set), file = H5Iget_file_id(set);
    hsize_t bytes = 0;
    const bool good = H5Sget_simple_extent_ndims(space) == rank + 1 && H5Tequal(type, stored) > 0 &&
                      H5Sget_simple_extent_dims(space, extent, NULL) >= 0 && H5Fget_filesize(file, &bytes) >= 0 &&
                      extent[0] <= bytes;
    H5Fclose(file);
    H5Sclose(space);
    H5Tclose(type);
    return good;
}

static bool look_at_value(const struct ph_rows *rows, hsize_t extent[PH_ROWS_RANK + 1])
{
    return look(rows->value, rows->form.rank, stored_type(&rows->form), extent);
}

static enum ph_status differs(const char *name, const char *path, struct ph_error *err)
{
    return ph_error_set(err, PH_ERR_INPUT,
                        "%s: %s is missing, or not as this run would write it: only a file of the same input can be "
                        "resumed.",
                        name, path);
}

enum ph_status ph_clock_open(hid_t file, const char *name, const char *group, int64_t every, struct ph_clock *clock,
                             struct ph_error *err)
{
    char path[PH_H5_PATH + 16];
    int64_t found = 0;
    hsize_t steps[PH_ROWS_RANK + 1], times[PH_ROWS_RANK + 1];
    *clock = PH_CLOCK_NONE;
    clock->every = every;
    snprintf(clock->group, sizeof clock->group, "%s", group);
    if ((H5Aexists_by_name(file, group, "every", H5P_DEFAULT) > 0) != (every > 0) ||
        (every > 0 && !ph_h5_get_integer(file, group, "every", H5T_NATIVE_INT64, &found)))
        return differs(name, group, err);
    if (found != every)
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s: %s was written every %" PRId64 " steps, and would now be written every %" PRId64
                            ": a run is resumed as it was begun.",
                            name, group, found, every);
    clock->step = H5Dopen2(file, join(group, "step", path), H5P_DEFAULT);
    clock->time = H5Dopen2(file, join(group, "time", path), H5P_DEFAULT);
    if (clock->step < 0 || clock->time < 0 || !look(clock->step, 0, H5T_STD_I64LE, steps) ||
        !look(clock->time, 0, H5T_IEEE_F64LE, times))
        return differs(name, group, err);
    clock->rows = (size_t)(steps[0] < times[0] ? steps[0] : times[0]);
    return PH_OK;
}

enum ph_status ph_rows_open(hid_t file, const char *name, const struct ph_clock *clock, struct ph_rows *rows,
                            struct ph_error *err)
{
    const struct ph_rows_form *form = &rows->form;
    char path[PH_H5_PATH + 16];
    hsize_t extent[PH_ROWS_RANK + 1], theirs[PH_ROWS_RANK + 1], ours[PH_ROWS_RANK + 1];
    rows->value = H5Dopen2(file, join(form->path, "value", path), H5P_DEFAULT);
    bool good = rows->value >= 0 && look_at_value(rows, extent);
    for (int k = 0; k < form->rank && good; ++k)
        good = extent[k + 1] == form->shape[k];
    if (!good)
        return differs(name, path, err);
    const hid_t creation = H5Dget_create_plist(rows->value);
    rows->checked = H5Pget_filter_by_id2(creation, H5Z_FILTER_FLETCHER32, NULL, NULL, NULL, 0, NULL, NULL) >= 0;
    H5Pclose(creation);
    const hid_t step = H5Dopen2(file, join(form->path, "step", path), H5P_DEFAULT);
    good = step >= 0 && look(step, 0, H5T_STD_I64LE, theirs) && look(clock->step, 0, H5T_STD_I64LE, ours) &&
           theirs[0] == ours[0]; /* the same data set, as far as can be seen */
    if (step >= 0)
        H5Dclose(step);
    return good ? PH_OK : differs(name, path, err);
}

/* ---- cutting ---- */

static bool set_rows(const struct ph_rows *rows, size_t n)
{
    hsize_t extent[PH_ROWS_RANK + 1] = {n};
    for (int k = 0; k < rows->form.rank; ++k)
        extent[k + 1] = rows->form.shape[k];
    return H5Dset_extent(rows->value, extent) >= 0;
}

/* Counts complete rows up to the step; steps must increase. */
static bool count_good(const struct ph_clock *clock, size_t rows, int64_t step, size_t *good, int64_t *last)
{
    *good = 0;
    *last = -1;
    if (rows == 0)
        return true;
    int64_t *steps = ph_allocate(rows, sizeof *steps);
    const hsize_t first = 0, count = rows;
    const hid_t from = H5Dget_space(clock->step), to = H5Screate_simple(1, &count, NULL);
    const bool read = steps && H5Sselect_hyperslab(from, H5S_SELECT_SET, &first, NULL, &count, NULL) >= 0 &&
                      H5Dread(clock->step, H5T_NATIVE_INT64, to, from, H5P_DEFAULT, steps) >= 0;
    while (read && *good < rows && steps[*good] > *last && steps[*good] <= step)
        *last = steps[(*good)++];
    H5Sclose(to);
    H5Sclose(from);
    free(steps);
    return read;
}

enum ph_status ph_clock_count(const char *name, int64_t step, int64_t needed, struct ph_clock *clock, size_t n,
                              struct ph_rows *const *rows, struct ph_error *err)
{
    size_t whole = clock->rows;
    hsize_t extent[PH_ROWS_RANK + 1];
    for (size_t k = 0; k < n; ++k)
        if (look_at_value(rows[k], extent))
            whole = extent[0] < whole ? (size_t)extent[0] : whole;
    if (!count_good(clock, whole, step, &clock->rows, &clock->last))
        return ph_error_set(err, ph_h5_status(), "%s: %s/step cannot be read%s.", name, clock->group,
                            ph_h5_status() == PH_ERR_MEMORY ? ": there is no memory" : "");
    if (clock->rows == 0 || clock->last == needed)
        return PH_OK;
    return ph_error_set(err, PH_ERR_INPUT,
                        "%s: %s ends with step %" PRId64 ", but the checkpoint is of step %" PRId64
                        " and needs the row of step %" PRId64 ": they are not of the same run.",
                        name, clock->group, clock->last, step, needed);
}

bool ph_clock_cut(const struct ph_clock *clock, size_t n, struct ph_rows *const *rows)
{
    for (size_t k = 0; k < n; ++k)
        if (!set_rows(rows[k], clock->rows))
            return false;
    const hsize_t length = clock->rows;
    return H5Dset_extent(clock->step, &length) >= 0 && H5Dset_extent(clock->time, &length) >= 0;
}

/* ---- appending ---- */

static bool append(hid_t set, int rank, const hsize_t *shape, hid_t memory, size_t at, size_t n, const void *data)
{
    hsize_t first[PH_ROWS_RANK + 1] = {at}, count[PH_ROWS_RANK + 1] = {n}, extent[PH_ROWS_RANK + 1] = {at + n};
    for (int k = 0; k < rank; ++k)
        extent[k + 1] = count[k + 1] = shape[k];
    if (H5Dset_extent(set, extent) < 0)
        return false;
    const hid_t to = H5Dget_space(set), from = H5Screate_simple(rank + 1, count, NULL);
    const bool good = to >= 0 && from >= 0 && H5Sselect_hyperslab(to, H5S_SELECT_SET, first, NULL, count, NULL) >= 0 &&
                      H5Dwrite(set, memory, from, to, H5P_DEFAULT, data) >= 0;
    if (to >= 0)
        H5Sclose(to);
    if (from >= 0)
        H5Sclose(from);
    return good;
}

static hid_t memory_type(const struct ph_rows_form *form)
{
    return form->integers ? H5T_NATIVE_INT32 : form->single ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
}

size_t ph_rows_bytes(const struct ph_rows_form *form)
{
    size_t bytes = form->integers || form->single ? 4 : 8;
    for (int k = 0; k < form->rank; ++k)
        bytes *= (size_t)form->shape[k];
    return bytes;
}

/* Writes a row that is one chunk, and has the same bytes in memory as in the file, directly. HDF5 allocates it at once,
 * not when its cache is full, so files are the same if other ranks write the numbers. */
static bool append_chunk(const struct ph_rows *rows, size_t at, size_t bytes, const void *data)
{
    const hsize_t place[PH_ROWS_RANK + 1] = {at};
    return set_rows(rows, at + 1) && H5Dwrite_chunk(rows->value, H5P_DEFAULT, 0, place, bytes, data) >= 0;
}

/* Puts its checksum behind it */
static bool append_checked(const struct ph_rows *rows, size_t at, void *data)
{
    const size_t bytes = ph_rows_bytes(&rows->form);
    int64_t sums[PH_FLETCHER] = {0};
    ph_fletcher_add(data, bytes, 0, bytes, sums);
    ph_fletcher_end(sums, (unsigned char *)data + bytes);
    return append_chunk(rows, at, bytes + PH_FLETCHER_BYTES, data);
}

bool ph_rows_append(const struct ph_rows *rows, const struct ph_clock *clock, size_t n, void *data)
{
    const struct ph_rows_form *form = &rows->form;
    if (n == 1 && form->chunk == 1 && form->compression == 0 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
        return rows->checked ? append_checked(rows, clock->rows, data)
                             : append_chunk(rows, clock->rows, ph_rows_bytes(form), data);
    return append(rows->value, form->rank, form->shape, memory_type(form), clock->rows, n, data);
}

bool ph_rows_reserve(hid_t file, const struct ph_rows *rows, const struct ph_clock *clock, const void *room,
                     uint64_t *place)
{
    assert(rows->form.chunk == 1 && rows->form.compression == 0);
    const size_t bytes = ph_rows_bytes(&rows->form) + (rows->checked ? PH_FLETCHER_BYTES : 0);
    ph_store_reserve(file, true);
    const bool good = append_chunk(rows, clock->rows, bytes, room);
    const struct ph_store_place reserved = ph_store_reserved(file);
    ph_store_reserve(file, false);
    *place = reserved.address;
    return good && (reserved.size == bytes || reserved.size == 0);
}

size_t ph_rows_checked(const struct ph_rows *rows, const struct ph_clock *clock, struct ph_seal_range *places)
{
    size_t n = 0;
    for (size_t k = 0; k < clock->rows && (rows->checked || rows->form.compression > 0); ++k) {
        const hsize_t place[PH_ROWS_RANK + 1] = {k};
        unsigned mask;
        haddr_t address;
        hsize_t size;
        if (H5Dget_chunk_info_by_coord(rows->value, place, &mask, &address, &size) >= 0 && address != HADDR_UNDEF)
            places[n++] = (struct ph_seal_range){address, address + size};
    }
    return n;
}

bool ph_clock_append(struct ph_clock *clock, size_t n, const int64_t *steps, const double *times)
{
    if (n == 0)
        return true;
    if (!append(clock->time, 0, NULL, H5T_NATIVE_DOUBLE, clock->rows, n, times) ||
        !append(clock->step, 0, NULL, H5T_NATIVE_INT64, clock->rows, n, steps))
        return false;
    clock->rows += n;
    clock->last = steps[n - 1];
    return true;
}

bool ph_clock_close(struct ph_clock *clock)
{
    bool good = clock->step < 0 || H5Dclose(clock->step) >= 0;
    good = (clock->time < 0 || H5Dclose(clock->time) >= 0) && good;
    clock->step = clock->time = -1;
    return good;
}

bool ph_rows_close(struct ph_rows *rows)
{
    const bool good = rows->value < 0 || H5Dclose(rows->value) >= 0;
    rows->value = -1;
    return good;
}
