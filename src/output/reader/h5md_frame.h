/* SPDX-License-Identifier: MIT */
#ifndef PH_OUTPUT_READER_H5MD_FRAME_H
#define PH_OUTPUT_READER_H5MD_FRAME_H

/* Within the reading of a start: the parts of one frame, each read from its place in the file and checked. */

#include "formats/start_file.h"
#include "output/reader/reader.h"

enum ph_h5md_quantity {
    PH_H5MD_POSITION,
    PH_H5MD_ORIENTATION,
    PH_H5MD_VELOCITY,
    PH_H5MD_ANGULAR_MOMENTUM,
    PH_H5MD_IMAGE,
    PH_H5MD_QUANTITIES
};

struct ph_h5md_kind {
    const char *of_particles, *of_bodies; /* names of the elements */
    size_t width;
    int length;   /* power of length in its dimension */
    bool momenta; /* read only if wanted */
};
extern const struct ph_h5md_kind ph_h5md_kinds[PH_H5MD_QUANTITIES];

/* A frame that is being read */
struct ph_h5md_reading {
    struct ph_reader reader; /* its position counts frames */
    struct ph_frame *frame;  /* not owned */
    size_t row;              /* of the frame */
    double scale;            /* factor of lengths */
    bool momenta;            /* velocities and angular momenta are wanted */
    struct ph_error *err;
};

/* n rows of a quantity of a group of particles, or of a rigid body, at the frame's step; *out is NULL if the file has
 * none. The caller frees it. */
enum ph_status ph_h5md_read_quantity(struct ph_h5md_reading *reading, const char *group, enum ph_h5md_quantity quantity,
                                     bool body, size_t n, double **out);

/* The box of the frame; a file without one leaves it to the input. */
enum ph_status ph_h5md_read_box(struct ph_h5md_reading *reading);

/* Checks that the description of a rigid body in the file, if any, agrees with its model. */
enum ph_status ph_h5md_check_body(struct ph_h5md_reading *reading, const struct ph_species *species, const char *body);

#endif
