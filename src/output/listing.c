/* SPDX-License-Identifier: MIT */
#include "output/listing_inside.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- elements ---- */

struct gathering {
    struct ph_listing *listing;
    struct ph_error *err;
    enum ph_status status;
    size_t room;
    char under[PH_H5MD_GROUP]; /* what is visited lies here, with '/' at the end; or "" */
};

static enum ph_status add_element(struct gathering *gathering, const char *path)
{
    struct ph_listing *listing = gathering->listing;
    struct ph_h5md_element element;
    char value[PH_H5MD_PATH + 8], unit[1][PH_H5MD_WORD] = {""};
    if (listing->n_elements == gathering->room) {
        const size_t room = 2 * gathering->room + 32;
        struct ph_listing_element *elements = ph_reallocate(listing->elements, room, sizeof *elements);
        if (!elements)
            return ph_error_set(gathering->err, PH_ERR_MEMORY, "No memory for the elements of %s.", listing->name);
        listing->elements = elements;
        gathering->room = room;
    }
    enum ph_status status = ph_h5md_element_open(&listing->handle->file, path, &element, gathering->err);
    if (status == PH_OK && element.value >= 0) {
        struct ph_listing_element *found = &listing->elements[listing->n_elements++];
        *found = (struct ph_listing_element){.rows = element.rows, .width = 1, .stepped = element.step != NULL};
        snprintf(found->path, sizeof found->path, "%s", path);
        for (int k = 0; k < element.rank; ++k)
            found->width *= element.shape[k];
        ph_h5md_shape(&element, found->shape);
        if (element.rank == 0)
            found->shape[0] = '\0';
        snprintf(value, sizeof value, "%s/value", path);
        if (ph_h5md_words(&listing->handle->file, value, "unit", 1, unit) == 1)
            strcpy(found->unit, unit[0]);
        if (H5Aexists_by_name(listing->handle->file.id, path, "every", H5P_DEFAULT) > 0)
            ph_h5_get_integer(listing->handle->file.id, path, "every", H5T_NATIVE_INT64, &found->every);
        if (element.step && element.rows > 0) {
            found->first = element.step[0];
            found->last = element.step[element.rows - 1];
        }
    }
    ph_h5md_element_close(&element);
    return status;
}

/* Groups with a data set `value` are elements. */
static void consider(struct gathering *gathering, const char *name)
{
    char path[PH_H5MD_PATH], value[PH_H5MD_PATH + 8];
    if (snprintf(path, sizeof path, "%s%s", gathering->under, name) >= PH_H5MD_PATH - 8)
        return;
    snprintf(value, sizeof value, "%s/value", path);
    struct ph_error forgotten;
    struct ph_error *const err = gathering->err;
    if (ph_h5md_exists(&gathering->listing->handle->file, value) <= 0)
        return;
    gathering->err = &forgotten; /* other programs' elements may be of any form: what is not of ours is left out */
    if (add_element(gathering, path) == PH_ERR_MEMORY)
        gathering->status = ph_error_set(err, PH_ERR_MEMORY, "%s", forgotten.text);
    gathering->err = err;
}

static herr_t visit_object(hid_t id, const char *name, const H5O_info_t *info, void *data)
{
    (void)id;
    if (info->type == H5O_TYPE_GROUP && strcmp(name, "series") != 0 && strncmp(name, "series/", 7) != 0)
        consider(data, name);
    return 0;
}

static herr_t visit_column(hid_t id, const char *name, const H5L_info_t *info, void *data)
{
    (void)id;
    (void)info;
    consider(data, name);
    return 0;
}

enum ph_status ph_listing_find_elements(struct ph_listing *listing, struct ph_error *err)
{
    struct gathering gathering = {.listing = listing, .err = err};
    if (H5Ovisit(listing->handle->file.id, H5_INDEX_NAME, H5_ITER_INC, visit_object, &gathering) < 0)
        return ph_h5md_damaged(&listing->handle->file, "the file", err);
    const hid_t series = ph_h5md_exists(&listing->handle->file, "series") > 0
                             ? H5Gopen2(listing->handle->file.id, "series", H5P_DEFAULT)
                             : -1;
    if (series >= 0) {
        strcpy(gathering.under, "series/");
        if (H5Literate(series, H5_INDEX_CRT_ORDER, H5_ITER_INC, NULL, visit_column, &gathering) < 0)
            H5Literate(series, H5_INDEX_NAME, H5_ITER_INC, NULL, visit_column, &gathering);
        H5Gclose(series);
    }
    return gathering.status;
}

const struct ph_listing_element *ph_listing_find(const struct ph_listing *listing, const char *path)
{
    for (size_t k = 0; k < listing->n_elements; ++k)
        if (strcmp(listing->elements[k].path, path) == 0)
            return &listing->elements[k];
    return NULL;
}

/* ---- numbers ---- */

/* The first rows of a data set, all their numbers in one row */
static enum ph_status read_rows(const struct ph_listing *listing, const char *path, size_t rows, size_t width,
                                hid_t memory, size_t size, void **out, struct ph_error *err)
{
    *out = ph_allocate(rows * width + 1, size);
    if (!*out)
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for %zu rows of %s.", rows, path);
    if (rows * width == 0)
        return PH_OK;
    const hid_t set = H5Dopen2(listing->handle->file.id, path, H5P_DEFAULT);
    const hid_t from = set >= 0 ? H5Dget_space(set) : -1;
    hsize_t first[H5S_MAX_RANK] = {0}, count[H5S_MAX_RANK];
    const hsize_t total = rows * width;
    bool good = from >= 0 && H5Sget_simple_extent_dims(from, count, NULL) > 0 && count[0] >= rows;
    count[0] = rows;
    const hid_t to = H5Screate_simple(1, &total, NULL);
    good = good && H5Sselect_hyperslab(from, H5S_SELECT_SET, first, NULL, count, NULL) >= 0 &&
           H5Sget_select_npoints(from) == (hssize_t)total && H5Dread(set, memory, to, from, H5P_DEFAULT, *out) >= 0;
    const enum ph_status status = good ? PH_OK : ph_h5md_damaged(&listing->handle->file, path, err);
    H5Sclose(to);
    if (from >= 0)
        H5Sclose(from);
    if (set >= 0)
        H5Dclose(set);
    if (!good) {
        free(*out);
        *out = NULL;
    }
    return status;
}

enum ph_status ph_listing_rows(const struct ph_listing *listing, const struct ph_listing_element *element,
                               double **values, struct ph_error *err)
{
    char path[PH_H5MD_PATH + 8];
    void *out;
    snprintf(path, sizeof path, "%s/value", element->path);
    const enum ph_status status =
        read_rows(listing, path, element->rows, element->width, H5T_NATIVE_DOUBLE, sizeof **values, &out, err);
    *values = out;
    return status;
}

enum ph_status ph_listing_clock(const struct ph_listing *listing, const struct ph_listing_element *element,
                                int64_t **steps, double **times, struct ph_error *err)
{
    char path[PH_H5MD_PATH + 8];
    void *out;
    snprintf(path, sizeof path, "%s/step", element->path);
    enum ph_status status = read_rows(listing, path, element->rows, 1, H5T_NATIVE_INT64, sizeof **steps, &out, err);
    *steps = out;
    *times = NULL;
    if (status != PH_OK)
        return status;
    snprintf(path, sizeof path, "%s/time", element->path);
    status = read_rows(listing, path, element->rows, 1, H5T_NATIVE_DOUBLE, sizeof **times, &out, err);
    *times = out;
    if (status != PH_OK) {
        free(*steps);
        *steps = NULL;
    }
    return status;
}

char *ph_listing_text(const struct ph_listing *listing, const char *name)
{
    char path[PH_H5MD_PATH];
    snprintf(path, sizeof path, "parameters/%s", name);
    return ph_h5md_exists(&listing->handle->file, path) > 0 ? ph_h5_get_text(listing->handle->file.id, path, NULL)
                                                            : NULL;
}

bool ph_listing_number(const struct ph_listing *listing, const char *name, double *number)
{
    struct ph_h5md_element element;
    struct ph_error forgotten;
    char path[PH_H5MD_PATH];
    snprintf(path, sizeof path, "parameters/%s", name);
    const bool good = ph_h5md_element_open(&listing->handle->file, path, &element, &forgotten) == PH_OK &&
                      element.value >= 0 && element.fixed && element.rank == 0 &&
                      ph_h5md_element_read(&listing->handle->file, &element, 0, number, &forgotten) == PH_OK;
    ph_h5md_element_close(&element);
    return good;
}
