/* SPDX-License-Identifier: MIT */
#ifndef PH_TESTS_H5_COMPARE_H
#define PH_TESTS_H5_COMPARE_H

/* Do two HDF5 files hold the same? Every link, data set and attribute of one is held against the other, bytes against
 * bytes. How the files are laid out on the disk does not matter. */

#include <hdf5.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct h5_comparison {
    hid_t other;
    const char *const *skipped; /* names of links or attributes that may differ; ends with NULL */
    bool names_alone;           /* values were compared the other way round */
    size_t n;                   /* compared */
    char difference[512];
    const char *at; /* object whose attributes are compared */
};

static inline bool h5_skips(const struct h5_comparison *c, const char *name)
{
    for (const char *const *skipped = c->skipped; skipped && *skipped; ++skipped)
        if (strcmp(*skipped, name) == 0)
            return true;
    return false;
}

static inline herr_t h5_differs(struct h5_comparison *c, const char *name, const char *what)
{
    snprintf(c->difference, sizeof c->difference, "%s%s%s: %s", c->at ? c->at : "", c->at ? "@" : "", name, what);
    return 1;
}

/* Both have been read as `n` elements of `type`. */
static inline const char *h5_compare_values(hid_t type, size_t n, char *one, char *two)
{
    if (H5Tis_variable_str(type) > 0) {
        for (size_t k = 0; k < n; ++k)
            if (strcmp(((char **)(void *)one)[k], ((char **)(void *)two)[k]) != 0)
                return "texts differ";
        return NULL;
    }
    return memcmp(one, two, n * H5Tget_size(type)) == 0 ? NULL : "values differ";
}

/* Data sets, or attributes */
static inline const char *h5_compare_data(hid_t a, hid_t b, bool attribute)
{
    const hid_t type = attribute ? H5Aget_type(a) : H5Dget_type(a);
    const hid_t other_type = attribute ? H5Aget_type(b) : H5Dget_type(b);
    const hid_t space = attribute ? H5Aget_space(a) : H5Dget_space(a);
    const hid_t other_space = attribute ? H5Aget_space(b) : H5Dget_space(b);
    const char *difference = NULL;
    if (H5Tequal(type, other_type) <= 0)
        difference = "types differ";
    else if (H5Sextent_equal(space, other_space) <= 0)
        difference = "numbers of rows differ";
    const hssize_t n = H5Sget_simple_extent_npoints(space);
    if (!difference && n > 0) {
        const size_t size = H5Tget_size(type);
        char *one = calloc((size_t)n, size), *two = calloc((size_t)n, size);
        const bool read = one && two &&
                          (attribute ? H5Aread(a, type, one) >= 0 && H5Aread(b, type, two) >= 0
                                     : H5Dread(a, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, one) >= 0 &&
                                           H5Dread(b, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, two) >= 0);
        difference = read ? h5_compare_values(type, (size_t)n, one, two) : "cannot be read";
        if (read && H5Tis_variable_str(type) > 0) {
            H5Dvlen_reclaim(type, space, H5P_DEFAULT, one);
            H5Dvlen_reclaim(type, space, H5P_DEFAULT, two);
        }
        free(one);
        free(two);
    }
    H5Tclose(type);
    H5Tclose(other_type);
    H5Sclose(space);
    H5Sclose(other_space);
    return difference;
}

static inline herr_t h5_visit_attribute(hid_t object, const char *name, const H5A_info_t *info, void *data)
{
    (void)info;
    struct h5_comparison *c = data;
    if (h5_skips(c, name))
        return 0;
    ++c->n;
    if (c->names_alone)
        return H5Aexists_by_name(c->other, c->at, name, H5P_DEFAULT) > 0 ? 0 : h5_differs(c, name, "is missing");
    const hid_t other = H5Oopen(c->other, c->at, H5P_DEFAULT);
    const hid_t a = H5Aopen(object, name, H5P_DEFAULT);
    const hid_t b = H5Aexists(other, name) > 0 ? H5Aopen(other, name, H5P_DEFAULT) : -1;
    const char *difference = b < 0 ? "is missing" : h5_compare_data(a, b, true);
    H5Aclose(a);
    if (b >= 0)
        H5Aclose(b);
    H5Oclose(other);
    return difference ? h5_differs(c, name, difference) : 0;
}

static inline herr_t h5_visit_link(hid_t root, const char *name, const H5L_info_t *info, void *data)
{
    struct h5_comparison *c = data;
    if (h5_skips(c, name))
        return 0;
    ++c->n;
    if (H5Lexists(c->other, name, H5P_DEFAULT) <= 0)
        return h5_differs(c, name, "is missing");
    if (info->type == H5L_TYPE_SOFT)
        return 0;
    const hid_t a = H5Oopen(root, name, H5P_DEFAULT);
    const hid_t b = c->names_alone ? H5I_INVALID_HID : H5Oopen(c->other, name, H5P_DEFAULT);
    const char *difference = !c->names_alone && H5Iget_type(a) != H5Iget_type(b) ? "is of another kind" : NULL;
    if (!difference && !c->names_alone && H5Iget_type(a) == H5I_DATASET)
        difference = h5_compare_data(a, b, false);
    hsize_t first = 0;
    herr_t status = 0;
    if (!difference) {
        c->at = name;
        status = H5Aiterate2(a, H5_INDEX_NAME, H5_ITER_INC, &first, h5_visit_attribute, c);
        c->at = NULL;
    }
    H5Oclose(a);
    if (!c->names_alone)
        H5Oclose(b);
    return difference ? h5_differs(c, name, difference) : status;
}

/* "" if the files are alike, else where they differ; `n` becomes the number of links and attributes compared. The text
 * lives until the next call. */
static inline const char *h5_difference(const char *one, const char *two, const char *const *skipped, size_t *n)
{
    static char text[1600];
    text[0] = '\0';
    *n = 0;
    const hid_t a = H5Fopen(one, H5F_ACC_RDONLY, H5P_DEFAULT), b = H5Fopen(two, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (a < 0 || b < 0)
        snprintf(text, sizeof text, "%.500s cannot be opened", a < 0 ? one : two);
    for (int way = 0; way < 2 && text[0] == '\0'; ++way) { /* what one has, and what the other has */
        struct h5_comparison c = {.other = way == 0 ? b : a, .skipped = skipped, .names_alone = way == 1};
        const herr_t status = H5Lvisit(way == 0 ? a : b, H5_INDEX_NAME, H5_ITER_INC, h5_visit_link, &c);
        if (status != 0)
            snprintf(text, sizeof text, "%.500s and %.500s: %s", one, two,
                     c.difference[0] ? c.difference : "HDF5 cannot walk through it");
        *n += c.n;
    }
    if (a >= 0)
        H5Fclose(a);
    if (b >= 0)
        H5Fclose(b);
    return text;
}

#endif
