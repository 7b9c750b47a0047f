/* SPDX-License-Identifier: MIT */
#include "output/hdf5/h5md_element.h"

#include "base/memory.h"
#include "base/plain.h"
#include "output/hdf5/h5_tools.h"
#include "output/hdf5/h5md_links.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool holds_numbers(hid_t dataset)
{
    const hid_t type = H5Dget_type(dataset);
    const H5T_class_t class = H5Tget_class(type);
    H5Tclose(type);
    return class == H5T_FLOAT || class == H5T_INTEGER || class == H5T_ENUM;
}

/* Returns true if numbers have a format of processors. HDF5 can describe any other format, crashes on some, and returns
 * wrong numbers for a type with a flipped bit. */
static bool is_usual(hid_t type)
{
    if (H5Tget_class(type) == H5T_ENUM) {
        const hid_t base = H5Tget_super(type);
        const bool usual = base >= 0 && H5Tget_class(base) == H5T_INTEGER && is_usual(base);
        if (base >= 0)
            H5Tclose(base);
        return usual;
    }
    if (H5Tget_class(type) == H5T_FLOAT)
        return H5Tequal(type, H5T_IEEE_F32LE) > 0 || H5Tequal(type, H5T_IEEE_F64LE) > 0 ||
               H5Tequal(type, H5T_IEEE_F32BE) > 0 || H5Tequal(type, H5T_IEEE_F64BE) > 0 ||
               H5Tequal(type, H5T_NATIVE_LDOUBLE) > 0;
    const size_t size = H5Tget_size(type);
    return (size == 1 || size == 2 || size == 4 || size == 8) && H5Tget_offset(type) == 0 &&
           H5Tget_precision(type) == 8 * size;
}

/* The most that deflate makes of a byte, and a little more */
static const double inflation = 1100.0;

/* Refuses a data set of numbers with an impossible type or extent. */
static enum ph_status check_set(const struct ph_h5md_file *file, const char *path, hid_t dataset, int rank,
                                const hsize_t *extent, struct ph_error *err)
{
    const hid_t type = H5Dget_type(dataset), creation = H5Dget_create_plist(dataset);
    double bytes = (double)H5Tget_size(type);
    hsize_t size = 0;
    for (int k = 0; k < rank; ++k)
        bytes *= (double)extent[k];
    const bool usual = is_usual(type), known = H5Fget_filesize(file->id, &size) >= 0;
    const double room = (H5Pget_nfilters(creation) > 0 ? inflation : 1.0) * (double)size;
    if (type >= 0)
        H5Tclose(type);
    if (creation >= 0)
        H5Pclose(creation);
    if (!usual)
        return ph_error_set(err, PH_ERR_IO,
                            "%s: the type of the numbers of %s is that of no processor: the file is damaged.",
                            file->name, path);
    if (known && bytes > room)
        return ph_error_set(err, PH_ERR_IO,
                            "%s: %s says that it has %.3g bytes, more than the file can hold: the file is damaged.",
                            file->name, path, bytes);
    return PH_OK;
}

const char *ph_h5md_numbers(const struct ph_h5md_element *element)
{
    const hid_t type = H5Dget_type(element->value);
    const char *numbers = H5Tget_class(type) != H5T_FLOAT ? "integer" : (H5Tget_size(type) <= 4 ? "single" : "double");
    H5Tclose(type);
    return numbers;
}

/* The first rows of a data set, all their numbers in one row */
static bool read_rows(hid_t dataset, size_t rows, size_t width, hid_t memory, void *out)
{
    hsize_t first[H5S_MAX_RANK] = {0}, count[H5S_MAX_RANK];
    const hsize_t total = rows * width;
    if (total == 0)
        return true;
    const hid_t from = H5Dget_space(dataset), to = H5Screate_simple(1, &total, NULL);
    bool good = H5Sget_simple_extent_dims(from, count, NULL) > 0 && count[0] >= rows;
    count[0] = rows;
    good = good && H5Sselect_hyperslab(from, H5S_SELECT_SET, first, NULL, count, NULL) >= 0 &&
           H5Sget_select_npoints(from) == (hssize_t)total && H5Dread(dataset, memory, to, from, H5P_DEFAULT, out) >= 0;
    H5Sclose(to);
    H5Sclose(from);
    return good;
}

/* Steps or times of one number: offset + row * distance */
static bool read_linear(hid_t dataset, hid_t memory, void *distance, void *offset)
{
    bool good = H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, distance) >= 0;
    if (good && H5Aexists(dataset, "offset") > 0) {
        const hid_t attribute = H5Aopen(dataset, "offset", H5P_DEFAULT);
        const hid_t space = H5Aget_space(attribute);
        good = H5Sget_simple_extent_npoints(space) == 1 && H5Aread(attribute, memory, offset) >= 0;
        H5Sclose(space);
        H5Aclose(attribute);
    }
    return good;
}

/* A list may be shorter or longer by a row that a killed program left unfinished, which is ignored. */
static bool read_steps(hid_t dataset, struct ph_h5md_element *element)
{
    hsize_t extent[H5S_MAX_RANK];
    const int rank = ph_h5_extents(dataset, extent);
    if (rank < 0 || rank > 1 || !holds_numbers(dataset))
        return false;
    if (rank == 1 && extent[0] < element->rows)
        element->rows = extent[0];
    const size_t rows = ph_h5md_clock_rows(element->file, dataset);
    element->rows = rows < element->rows ? rows : element->rows;
    element->step = ph_allocate(element->rows + 1, sizeof *element->step);
    if (!element->step)
        return false;
    if (rank == 1)
        return read_rows(dataset, element->rows, 1, H5T_NATIVE_INT64, element->step);
    int64_t distance, offset = 0;
    const bool good = read_linear(dataset, H5T_NATIVE_INT64, &distance, &offset);
    for (size_t row = 0; row < element->rows && good; ++row)
        element->step[row] = (int64_t)((uint64_t)offset + row * (uint64_t)distance);
    return good;
}

static enum ph_status open_steps(const struct ph_h5md_file *file, struct ph_h5md_element *element, struct ph_error *err)
{
    char path[PH_H5MD_PATH + 8];
    snprintf(path, sizeof path, "%s/step", element->path);
    const int there = ph_h5md_exists(file, path);
    if (there == 0)
        return PH_OK;
    const hid_t dataset = there > 0 ? H5Dopen2(file->id, path, H5P_DEFAULT) : -1;
    hsize_t extent[H5S_MAX_RANK];
    const int rank = dataset >= 0 ? ph_h5_extents(dataset, extent) : -1;
    const enum ph_status status =
        rank >= 0 && holds_numbers(dataset) ? check_set(file, path, dataset, rank, extent, err) : PH_OK;
    const bool good = rank >= 0 && status == PH_OK && read_steps(dataset, element);
    if (dataset >= 0)
        H5Dclose(dataset);
    if (good || status != PH_OK)
        return status;
    if (ph_h5_status() == PH_ERR_MEMORY)
        return ph_h5md_damaged(file, path, err);
    return ph_error_set(err, PH_ERR_INPUT, "%s: %s cannot be read as one whole number, or a list of them.", file->name,
                        path);
}

enum ph_status ph_h5md_element_open(const struct ph_h5md_file *file, struct ph_h5md_element *element,
                                    struct ph_error *err, const char *format, ...)
{
    *element = (struct ph_h5md_element){.file = file, .value = -1, .rows = 1};
    char value[PH_H5MD_PATH + 8];
    const char *path = element->path;
    va_list words;
    va_start(words, format);
    const int length = ph_vsnprintf(element->path, sizeof element->path, format, words);
    va_end(words);
    const int there = length < PH_H5MD_PATH ? ph_h5md_exists(file, path) : 0;
    if (there == 0)
        return PH_OK;
    snprintf(value, sizeof value, "%s/value", path);
    const hid_t object = there > 0 ? H5Oopen(file->id, path, H5P_DEFAULT) : -1;
    if (object < 0)
        return ph_h5md_damaged(file, path, err);
    element->fixed = H5Iget_type(object) == H5I_DATASET;
    H5Oclose(object);
    if (!element->fixed && ph_h5md_exists(file, value) == 0)
        return ph_error_set(err, PH_ERR_INPUT, "%s: %s is neither a data set nor a group with a data set 'value'.",
                            file->name, path);
    element->value = H5Dopen2(file->id, element->fixed ? path : value, H5P_DEFAULT);
    hsize_t extent[H5S_MAX_RANK];
    const int rank = element->value < 0 ? -1 : ph_h5_extents(element->value, extent);
    if (rank < 0)
        return ph_h5md_damaged(file, path, err);
    const int rows = element->fixed ? 0 : 1; /* the first extent counts steps */
    if (rank < rows || rank - rows > PH_H5MD_RANK || !holds_numbers(element->value))
        return ph_error_set(
            err, PH_ERR_INPUT, "%s: %s holds an array of rank %d%s; needed are numbers, and %d ranks at most.",
            file->name, path, rank, holds_numbers(element->value) ? "" : " that are no numbers", PH_H5MD_RANK + rows);
    const enum ph_status status = check_set(file, path, element->value, rank, extent, err);
    if (status != PH_OK)
        return status;
    element->rank = rank - rows;
    for (int k = 0; k < element->rank; ++k)
        element->shape[k] = extent[k + rows];
    if (element->fixed)
        return PH_OK;
    element->rows = extent[0];
    return open_steps(file, element, err);
}

void ph_h5md_element_close(struct ph_h5md_element *element)
{
    if (element->value >= 0)
        H5Dclose(element->value);
    free(element->step);
    element->value = -1;
    element->step = NULL;
}

size_t ph_h5md_element_row(const struct ph_h5md_element *element, const int64_t *step, size_t like)
{
    if (element->fixed)
        return 0;
    if (!element->step || !step)
        return like < element->rows ? like : element->rows;
    if (like < element->rows && element->step[like] == *step)
        return like;
    for (size_t row = element->rows; row > 0; --row)
        if (element->step[row - 1] == *step)
            return row - 1;
    return element->rows;
}

size_t ph_h5md_element_width(const struct ph_h5md_element *element)
{
    size_t width = 1;
    for (int k = 0; k < element->rank; ++k)
        width *= element->shape[k];
    return width;
}

bool ph_h5md_element_is(const struct ph_h5md_element *element, size_t n, size_t width)
{
    return element->rank == 2 && element->shape[0] == n && element->shape[1] == width;
}

enum ph_status ph_h5md_element_read(const struct ph_h5md_element *element, size_t row, double *out,
                                    struct ph_error *err)
{
    hsize_t first[PH_H5MD_RANK + 1] = {row}, count[PH_H5MD_RANK + 1] = {1};
    const size_t total = ph_h5md_element_width(element);
    for (int k = 0; k < element->rank; ++k)
        count[k + 1] = element->shape[k];
    if (total == 0)
        return PH_OK;
    ph_h5_quiet_begin(); /* on this thread: analyses read frames on several */
    /* Read into memory of the same shape: otherwise HDF5 converts number by number. */
    const hid_t from = H5Dget_space(element->value);
    const hid_t to = element->fixed ? H5Scopy(from) : H5Screate_simple(element->rank + 1, count, NULL);
    const bool selected = element->fixed || H5Sselect_hyperslab(from, H5S_SELECT_SET, first, NULL, count, NULL) >= 0;
    const bool good = selected && H5Dread(element->value, H5T_NATIVE_DOUBLE, to, from, H5P_DEFAULT, out) >= 0;
    const enum ph_status status =
        good ? PH_OK : ph_h5md_damaged(element->file, element->path, err); /* before HDF5 forgets why */
    H5Sclose(to);
    H5Sclose(from);
    ph_h5_quiet_end();
    for (size_t k = 0; k < total && good; ++k)
        if (!isfinite(out[k]))
            return ph_error_set(err, PH_ERR_INPUT,
                                "%s: %s has the number %g in row %zu (number %zu of it): not finite.",
                                element->file->name, element->path, out[k], row, k);
    return status;
}

enum ph_status ph_h5md_element_rows(const struct ph_h5md_element *element, double **out, struct ph_error *err)
{
    const size_t width = ph_h5md_element_width(element);
    *out = ph_allocate(element->rows * width + 1, sizeof **out);
    if (!*out)
        return ph_no_memory(err, "%zu rows of %s", element->rows, element->path);
    return read_rows(element->value, element->rows, width, H5T_NATIVE_DOUBLE, *out)
               ? PH_OK
               : ph_h5md_damaged(element->file, element->path, err);
}

enum ph_status ph_h5md_element_times(const struct ph_h5md_element *element, double **out, struct ph_error *err)
{
    struct ph_h5md_element clock;
    double distance, offset = 0.0;
    *out = NULL;
    enum ph_status status = ph_h5md_element_open(element->file, &clock, err, "%s/time", element->path);
    const bool there = status == PH_OK && clock.value >= 0 && clock.fixed && clock.rank <= 1;
    if (there && !(*out = ph_allocate(element->rows + 1, sizeof **out)))
        status = ph_no_memory(err, "the times of %s", element->path);
    else if (there && !(clock.rank == 1 ? read_rows(clock.value, element->rows, 1, H5T_NATIVE_DOUBLE, *out)
                                        : read_linear(clock.value, H5T_NATIVE_DOUBLE, &distance, &offset)))
        status = ph_h5md_damaged(element->file, clock.path, err);
    for (size_t row = 0; row < element->rows && there && clock.rank == 0 && status == PH_OK; ++row)
        (*out)[row] = offset + (double)row * distance;
    ph_h5md_element_close(&clock);
    if (status != PH_OK) {
        free(*out);
        *out = NULL;
    }
    return status;
}

void ph_h5md_shape(const struct ph_h5md_element *element, char text[64])
{
    size_t used = 0;
    strcpy(text, "of one number");
    for (int k = 0; k < element->rank && used < 40; ++k)
        used += (size_t)snprintf(text + used, 64 - used, "[%zu]", element->shape[k]);
}
