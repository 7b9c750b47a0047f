/* SPDX-License-Identifier: MIT */
#ifndef PH_OUTPUT_HDF5_H5MD_FILE_H
#define PH_OUTPUT_HDF5_H5MD_FILE_H

/* An H5MD file that is read: its links, its clocks and its group of particles. h5md_element.h reads what is in it. */

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
    size_t n_elements;
    char (*elements)[PH_H5MD_PATH]; /* owned; paths of all groups with a member `value` */
};

/* A list of steps, which several elements may share. A program that is killed while it adds a row leaves it in some of
 * them: only rows that all have count. */
struct ph_h5md_clock {
    uint64_t address; /* of the list in the file */
    uint64_t time;    /* of the list of times beside it */
    size_t rows;
};

/* What readers say of a file of ours without a seal, behind its name */
extern const char ph_h5md_unsealed[];

/* By its content, or by the ending .h5md or .h5 */
bool ph_h5md_is(const char *name);

/* PH_ERR_IO if it cannot be read or keeps data in other files, PH_ERR_INPUT if it is not HDF5 or has links into other
 * files. To be closed in any case. The name is not copied. */
enum ph_status ph_h5md_open(const char *name, struct ph_h5md_file *file, struct ph_error *err);
void ph_h5md_close(struct ph_h5md_file *file);

/* 1 there, 0 not there, negative: the file is damaged */
int ph_h5md_exists(const struct ph_h5md_file *file, const char *path);

/* The error of a path that is there but cannot be read, with HDF5's reason */
enum ph_status ph_h5md_damaged(const struct ph_h5md_file *file, const char *path, struct ph_error *err);

/* particles/trajectory, or the only group of particles; "" if there is none. Several under other names are an error. */
enum ph_status ph_h5md_find_particles(const struct ph_h5md_file *file, char group[PH_H5MD_GROUP], struct ph_error *err);

/* Up to `room` strings of an attribute, of fixed or variable length, of an object that is there; returns how many the
 * attribute has, 0 if it is missing or no string. */
size_t ph_h5md_words(const struct ph_h5md_file *file, const char *path, const char *attribute, size_t room,
                     char (*words)[PH_H5MD_WORD]);

#endif
