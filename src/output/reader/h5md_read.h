/* SPDX-License-Identifier: MIT */
#ifndef PH_OUTPUT_READER_H5MD_READ_H
#define PH_OUTPUT_READER_H5MD_READ_H

/* One frame of an H5MD file (version 1.1), of ours or of another program.
 *
 * Molecules of a species come from rigid_bodies/<species> (center, orientation, velocity, angular_momentum, image) if
 * the file has it, otherwise from particles/trajectory, or from the only group of particles under another name. Its
 * rows follow in the order of the system: one per molecule (position, orientation, velocity, angular_momentum, image),
 * or one per site in the order of the model, with or without massless sites. A data set `species` must not contradict
 * this order.
 *
 * Frames are the rows of position, or of center in a file without positions. Other elements may have been written less
 * often: the row with the same step counts. */

#include "formats/start_file.h"
#include "output/hdf5/h5md_element.h"

#include <stdint.h>

struct ph_h5md_request {
    int64_t frame; /* from 0, or backwards from -1, the last */
    double scale;  /* factor of lengths */
    bool momenta;  /* velocities and angular momenta are wanted */
    size_t n_species;
    const struct ph_species *species;
    const size_t *counts; /* molecules of each */
};

/* Fills the frame, which ph_frame_free must release if PH_OK is returned. PH_ERR_IO: the file cannot be read;
 * PH_ERR_INPUT: the file lacks needed data. Prints nothing. */
enum ph_status ph_h5md_read(const char *file, const struct ph_h5md_request *request, struct ph_frame *frame,
                            struct ph_error *err);

#endif
