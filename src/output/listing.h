/* SPDX-License-Identifier: MIT */
#ifndef PH_OUTPUT_LISTING_H
#define PH_OUTPUT_LISTING_H

/* What is in an H5MD file, of ours or of another program: all elements that have rows, the particles, and what our
 * files say of their run. Nothing is required but that it is an HDF5 file with an H5MD group. */

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PH_LISTING_PATH = 192, PH_LISTING_WORD = 32 };

struct ph_listing_element {
    char path[PH_LISTING_PATH];
    char unit[PH_LISTING_WORD]; /* "" without */
    char shape[64];             /* of a row */
    size_t rows, width;         /* whole rows; numbers in each */
    int64_t every;              /* 0: not said */
    bool stepped;               /* it has steps, of the first and the last row: */
    int64_t first, last;
};

/* Molecules or sites that are alike */
struct ph_listing_kind {
    char name[64];
    size_t n, first; /* molecules, or particles; row of the first particle */
    size_t n_sites;  /* of a molecule; 0: not known */
};

struct ph_listing {
    struct ph_listing_handle *handle; /* owned; HDF5's part */
    const char *name;                 /* of the file; not owned */
    long long bytes;
    int version[2];
    char *creator, *creator_version, *author; /* owned; NULL: not said */
    size_t n_elements;
    struct ph_listing_element *elements; /* owned; those of the series in the order of its columns */
    char group[PH_LISTING_PATH / 2];     /* of particles; "" without */
    size_t n_particles, n_kinds;
    struct ph_listing_kind *kinds; /* owned; in the order of particles if they are bodies */
    bool bodies;                   /* kinds are rigid molecules, particles their sites */
    bool has_box, periodic;
    double edge[3][3];  /* at the last frame; zero if not known */
    size_t n_frames;    /* whole rows of position */
    double time[2];     /* of the first and the last of them; NaN: not said */
    int64_t production; /* -1: not said */
    int64_t hash_step;  /* -1: not said */
    uint64_t hash;
};

/* PH_ERR_IO: cannot be read; PH_ERR_INPUT: no H5MD. The name is not copied. To be closed in any case. HDF5 prints
 * nothing until then. */
enum ph_status ph_listing_open(const char *file, struct ph_listing *listing, struct ph_error *err);
void ph_listing_close(struct ph_listing *listing);

const struct ph_listing_element *ph_listing_find(const struct ph_listing *listing,
                                                 const char *path); /* NULL: not there */

/* All rows of an element, row by row; the caller frees them. Numbers may be anything, NaN too. Steps and times, where
 * the file has them, likewise. */
enum ph_status ph_listing_rows(const struct ph_listing *listing, const struct ph_listing_element *element,
                               double **values, struct ph_error *err);
enum ph_status ph_listing_clock(const struct ph_listing *listing, const struct ph_listing_element *element,
                                int64_t **steps, double **times, struct ph_error *err);

/* A parameter of ours: a text (the caller frees it; NULL without), or a number (false without) */
char *ph_listing_text(const struct ph_listing *listing, const char *name);
bool ph_listing_number(const struct ph_listing *listing, const char *name, double *number);

#endif
