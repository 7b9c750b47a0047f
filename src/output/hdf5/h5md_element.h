/* SPDX-License-Identifier: MIT */
#ifndef PH_OUTPUT_HDF5_H5MD_ELEMENT_H
#define PH_OUTPUT_HDF5_H5MD_ELEMENT_H

/* Reading the elements of an H5MD file: a group {value, step, time} with one row for each of its steps, or a plain data
 * set that holds for all times. Steps may be listed, or be one number: the interval between steps, from attribute
 * `offset` on. Errors name file and data set. */

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PH_H5MD_PATH = 192, PH_H5MD_GROUP = 96, PH_H5MD_WORD = 32, PH_H5MD_RANK = 3 };

/* Handles of HDF5 (hid_t) are 64-bit integers: files that include this do not need HDF5's headers. */
struct ph_h5md_file {
    int64_t id;
    const char *name; /* as the user calls it; not owned */
    bool sealed;      /* see seal.h */
    size_t n_clocks;
    struct ph_h5md_clock *clocks; /* owned; see below */
};

/* A list of steps, which several elements may share. A program that is killed while it adds a row leaves it in some of
 * them: only rows that all have count. */
struct ph_h5md_clock {
    uint64_t address; /* of the list in the file */
    size_t rows;
};

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

/* What readers say of a file of ours without a seal, behind its name */
extern const char ph_h5md_unsealed[];

/* By its content, or by the ending .h5md or .h5 */
bool ph_h5md_is(const char *name);

/* PH_ERR_IO if it cannot be read, PH_ERR_INPUT if it is not HDF5, or has links into other files. To be closed in any
 * case. The name is not copied. */
enum ph_status ph_h5md_open(const char *name, struct ph_h5md_file *file, struct ph_error *err);
void ph_h5md_close(struct ph_h5md_file *file);

/* 1 there, 0 not there, negative: the file is damaged */
int ph_h5md_exists(const struct ph_h5md_file *file, const char *path);

/* The error of a path that is there but cannot be read, with HDF5's reason */
enum ph_status ph_h5md_damaged(const struct ph_h5md_file *file, const char *path, struct ph_error *err);

/* particles/trajectory, or the only group of particles; "" if there is none. Several under other names are an error. */
enum ph_status ph_h5md_find_particles(const struct ph_h5md_file *file, char group[PH_H5MD_GROUP], struct ph_error *err);

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

/* Up to `room` strings of an attribute, of fixed or variable length, of an object that is there; returns how many the
 * attribute has, 0 if it is missing or no string. */
size_t ph_h5md_words(const struct ph_h5md_file *file, const char *path, const char *attribute, size_t room,
                     char (*words)[PH_H5MD_WORD]);

#endif
