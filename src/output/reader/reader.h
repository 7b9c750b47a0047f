/* SPDX-License-Identifier: MIT */
#ifndef PH_OUTPUT_READER_READER_H
#define PH_OUTPUT_READER_READER_H

/* The reader of H5MD files, of ours or of other programs: info, exports, analyses and starts from a file all use it. It
 * knows the particles, the box, all elements that have rows, and the description of the run in our files. Single frames
 * and whole series are read on demand. A file may still be written, or its run may have been killed: incomplete rows
 * are ignored.
 *
 * PH_ERR_IO: the file cannot be read; PH_ERR_INPUT: the file lacks needed data. HDF5 prints nothing until the reader is
 * closed. Not thread-safe, because HDF5 is not. */

#include "output/hdf5/h5md_element.h"

enum { PH_READER_NAME = 32 };

/* An element that has rows */
struct ph_reader_element {
    char path[PH_H5MD_PATH];
    char unit[PH_H5MD_WORD]; /* "" without */
    char shape[64];          /* of a row */
    const char *numbers;     /* "single", "double" or "integer" */
    size_t rows, width;      /* whole rows; numbers in each */
    int64_t every;           /* 0: not in the file */
    bool stepped;            /* whether it has steps; steps of the first and the last row: */
    int64_t first, last;
};

/* Molecules or sites that are alike */
struct ph_reader_kind {
    char name[64];
    size_t n, first; /* molecules, or particles; row of the first particle */
    size_t n_sites;  /* of a molecule; 0: not known */
};

/* A part of the run: from its first step to the first step of the next stage, which is its final state */
struct ph_reader_stage {
    const char *name, *about; /* about: ensemble and method in words */
    const char *ensemble;     /* NVE, NVT, NPT or NPH; NULL: not in the file, nor are the fields after `step` */
    int64_t first_step;
    double step;                  /* its length */
    double temperature, pressure; /* target values; NaN without */
    double degrees[2];            /* of freedom: of translation, of rotation */
};

struct ph_reader {
    struct ph_h5md_file file; /* its name is not owned */
    bool unsealed;            /* of ours, without a seal, and no run is writing it: ph_h5md_unsealed */

    /* from ph_reader_find_particles on */
    char group[PH_H5MD_GROUP]; /* of particles; "" without */
    bool has_box, periodic;    /* periodic: in any direction */
    size_t n_boundary;         /* words that the file has for the boundary, three of them: */
    char boundary[3][PH_H5MD_WORD];

    /* from ph_reader_open on */
    long long bytes;
    int version[2];
    char *creator, *creator_version, *author; /* owned; NULL: not in the file */
    size_t n_elements;
    struct ph_reader_element *elements; /* owned; elements of the series in the order of its columns */
    size_t n_particles, n_kinds;
    struct ph_reader_kind *kinds; /* owned; in the order of particles if they are bodies */
    bool bodies;                  /* kinds are rigid molecules, particles their sites */
    double edge[3][3];            /* at the last frame; zero if not known */
    double first_edge[3][3];      /* at the first */
    size_t n_frames;              /* whole rows of position */
    double time[2];               /* of the first and the last of them; NaN: not said */
    int64_t production;           /* first step of it; -1: not said */
    bool awaits_production;       /* the run has not come there yet */
    int64_t hash_step;            /* -1: not said */
    uint64_t hash;
    size_t n_stages;                                    /* 0: not said */
    struct ph_reader_stage *stages;                     /* owned */
    char *stage_names, *stage_abouts, *stage_ensembles; /* owned; their texts */

    bool is_lent; /* by another reader, which owns all that stands above: see ph_reader_lend_particles */

    /* from ph_reader_open_particles on */
    struct ph_h5md_element position, edges;
    char (*name)[PH_READER_NAME];     /* owned; of each particle */
    char (*molecule)[PH_READER_NAME]; /* owned; name of its molecule */
    int32_t *residue;                 /* owned; number of its molecule, from 0 */
    int *number;                      /* owned; atomic, or 0 */
};

/* Opens an H5MD file and reads its structure. The name is not copied. Close in any case. */
enum ph_status ph_reader_open(const char *file, struct ph_reader *reader, struct ph_error *err);
/* The same, with positions and a name for each particle, which it must have */
enum ph_status ph_reader_open_particles(const char *file, struct ph_reader *reader, struct ph_error *err);
/* The same of a file that a reader has open. That one stays open until the new one is closed. */
enum ph_status ph_reader_lend_particles(const struct ph_reader *open, struct ph_reader *reader, struct ph_error *err);
/* Opens only the file, which must be HDF5 but need not be complete H5MD. ph_reader_find_particles then finds group and
 * boundary of its particles. */
enum ph_status ph_reader_open_file(const char *file, struct ph_reader *reader, struct ph_error *err);
enum ph_status ph_reader_find_particles(struct ph_reader *reader, struct ph_error *err);
void ph_reader_find_stages(struct ph_reader *reader); /* called last by ph_reader_open; none if they make no sense */
void ph_reader_close(struct ph_reader *reader);

const struct ph_reader_element *ph_reader_find(const struct ph_reader *reader, const char *path); /* NULL: not there */
size_t ph_reader_molecules(const struct ph_reader *reader); /* or particles, if the file has no molecules */

/* All rows of an element, and unless they are NULL their steps and times, which it must have then. All begin as NULL;
 * the caller frees them in any case. */
enum ph_status ph_reader_series(const struct ph_reader *reader, const struct ph_reader_element *element,
                                double **values, int64_t **steps, double **times, struct ph_error *err);

/* A parameter of ours: a text (the caller frees it; NULL without), or a number, infinite ones too (false without) */
char *ph_reader_text(const struct ph_reader *reader, const char *name);
bool ph_reader_number(const struct ph_reader *reader, const char *name, double *number);

/* Opens an element of the particles; close it in any case. */
enum ph_status ph_reader_element(const struct ph_reader *reader, const char *name, struct ph_h5md_element *element,
                                 struct ph_error *err);
/* Names of the kinds of particles by number, as our files have them; returns how many. *names is to be freed. */
size_t ph_reader_names(const struct ph_reader *reader, char (**names)[PH_READER_NAME]);
/* The kind of each of n particles, at a step as for ph_h5md_element_row; NULL if the file does not say. A data set of
 * another shape is an error if they must fit, and ignored otherwise. To be freed. */
enum ph_status ph_reader_species(const struct ph_reader *reader, size_t n, const int64_t *step, size_t like,
                                 bool must_fit, double **species, struct ph_error *err);

/* Row of position of a frame; negative ones count from the end. */
enum ph_status ph_reader_frame(const struct ph_reader *reader, int64_t frame, size_t *row, struct ph_error *err);
/* Step of a row of position, NULL without; row of another element then, all its rows if it has none */
const int64_t *ph_reader_step(const struct ph_reader *reader, size_t row);
size_t ph_reader_row(const struct ph_reader *reader, const struct ph_h5md_element *element, size_t row);

/* Returns true if they are lengths or edge vectors; then one row can be read. */
bool ph_reader_are_edges(const struct ph_h5md_element *edges);
enum ph_status ph_reader_read_edges(const struct ph_h5md_element *edges, size_t row, double edge[3][3],
                                    struct ph_error *err);
/* Reads the edges at a row of position, which has this step (NULL: none): of the same step, or the last before. Open
 * space, or not known: *periodic is false. */
enum ph_status ph_reader_edges(const struct ph_reader *reader, const int64_t *step, size_t row, double edge[3][3],
                               bool *periodic, struct ph_error *err);

/* Frames first, first + stride, ... before end, as in Python: negative ones count from the end. */
struct ph_frame_range {
    bool has_first, has_end;
    int64_t first, end, stride; /* the stride is at least 1 */
};
/* The range within n */
void ph_frame_range_within(const struct ph_frame_range *range, size_t n, size_t *first, size_t *end, size_t *stride);

#endif
