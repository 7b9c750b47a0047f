/* SPDX-License-Identifier: MIT */
#ifndef PH_OUTPUT_HDF5_H5MD_ELEMENT_H
#define PH_OUTPUT_HDF5_H5MD_ELEMENT_H

/* Reading the elements of an H5MD file: a group {value, step, time} with one row for each of its steps, or a plain data
 * set that holds for all times. Steps may be listed, or be one number: the interval between steps, from attribute
 * `offset` on. Errors name file and data set. */

#include "output/hdf5/h5md_file.h"

struct ph_h5md_element {
    const struct ph_h5md_file *file; /* not owned */
    char path[PH_H5MD_PATH];
    int64_t value; /* the data set; negative: the file has no such element */
    bool fixed;    /* holds for all times */
    size_t rows;   /* steps that are there in full; 1 if fixed */
    int rank;      /* of one row */
    size_t shape[PH_H5MD_RANK];
    int64_t *step; /* owned; of each row; NULL if fixed or not said */
};

/* Finds an element by its path, given as for printf; a missing one is no error. It must be closed in any case. */
__attribute__((format(printf, 4, 5))) enum ph_status ph_h5md_element_open(const struct ph_h5md_file *file,
                                                                          struct ph_h5md_element *element,
                                                                          struct ph_error *err, const char *format,
                                                                          ...);
void ph_h5md_element_close(struct ph_h5md_element *element);

/* Row of a step; rows if it has none. `like` is the row of the same step in another element: of several rows with this
 * step, and without any steps in the file, it is preferred. */
size_t ph_h5md_element_row(const struct ph_h5md_element *element, const int64_t *step, size_t like);

/* One row, converted to double; every number must be finite. */
enum ph_status ph_h5md_element_read(const struct ph_h5md_element *element, size_t row, double *out,
                                    struct ph_error *err);

/* All rows, and their times, which may be a list or one number, as steps; the caller frees them in any case. Numbers
 * may be NaN or infinite. *out is NULL if there are no times. */
enum ph_status ph_h5md_element_rows(const struct ph_h5md_element *element, double **out, struct ph_error *err);
enum ph_status ph_h5md_element_times(const struct ph_h5md_element *element, double **out, struct ph_error *err);

/* Numbers in a row */
size_t ph_h5md_element_width(const struct ph_h5md_element *element);
/* Is a row [n][width]? */
bool ph_h5md_element_is(const struct ph_h5md_element *element, size_t n, size_t width);

/* The shape of a row in words, "[100][3]" */
void ph_h5md_shape(const struct ph_h5md_element *element, char text[64]);
/* How its numbers are stored: "single", "double" or "integer" */
const char *ph_h5md_numbers(const struct ph_h5md_element *element);

#endif
