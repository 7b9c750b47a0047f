/* SPDX-License-Identifier: MIT */
#ifndef PH_OUTPUT_H5MD_FRAME_H
#define PH_OUTPUT_H5MD_FRAME_H

/* Within the H5MD reader: the parts of one frame, each read from its place in the file and checked. */

#include "output/h5md_element.h"
#include "output/h5md_read.h"

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

struct ph_h5md_reader {
    struct ph_h5md_file file;
    const struct ph_h5md_request *request;
    struct ph_frame *frame;
    struct ph_error *err;
    char group[PH_H5MD_GROUP]; /* of particles; "" if there is none */
    size_t row;                /* of the frame */
    bool stepped;              /* the frame has a step */
    int64_t step;
    bool found[PH_H5MD_QUANTITIES];   /* somewhere */
    bool missing[PH_H5MD_QUANTITIES]; /* for some molecules that need it */
};

/* n rows of a quantity of a group of particles, or of a rigid body, at the frame's step; *out is NULL if the file has
 * none. The caller frees it. */
enum ph_status ph_h5md_read_quantity(struct ph_h5md_reader *reader, const char *group, enum ph_h5md_quantity quantity,
                                     bool body, size_t n, double **out);

/* The box of the frame; a file without one leaves it to the input. */
enum ph_status ph_h5md_read_box(struct ph_h5md_reader *reader);

/* What the file says of a rigid body, if it does, must be what the model of species s says. */
enum ph_status ph_h5md_check_body(struct ph_h5md_reader *reader, size_t s, const char *body);

#endif
