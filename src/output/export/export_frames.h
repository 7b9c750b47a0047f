/* SPDX-License-Identifier: MIT */
#ifndef PH_OUTPUT_EXPORT_EXPORT_FRAMES_H
#define PH_OUTPUT_EXPORT_EXPORT_FRAMES_H

/* Within the exports: reads the selected frames of a trajectory, one after the other. */

#include "output/export/export.h"

struct ph_export_frames {
    struct ph_reader reader;
    size_t n; /* selected frames */

    /* the frame that was read last */
    size_t row;
    int64_t step; /* the row, if the file has no steps */
    double time;  /* NaN: not in the file */
    bool periodic;
    double edge[3][3];
    double *position; /* owned; in units of `scale` */

    bool turned; /* the frame was rotated: its rows are the new axes */
    double axis[3][3];

    size_t first, stride;
    bool upright, unwrapped;
    double scale;
    double *times, *images; /* owned */
    struct ph_h5md_element image;
    const struct ph_export_progress *progress;
};

/* Return the factor from lengths of the file to nm or Angstrom; 1 if the file has no known units */
double ph_export_nanometres(const struct ph_reader *reader);
double ph_export_angstroms(const struct ph_reader *reader);

/* Opens the file. With `upright` the first edge lies along x and the second in the plane of x and y: otherwise the
 * whole frame is rotated. Lengths are multiplied by `scale`, which may be set later. Close in any case. */
enum ph_status ph_export_frames_open(const struct ph_export_request *request, bool upright,
                                     struct ph_export_frames *frames, struct ph_error *err);
enum ph_status ph_export_frames_read(struct ph_export_frames *frames, size_t k, struct ph_error *err);
void ph_export_frames_close(struct ph_export_frames *frames);

/* Velocities of the particles, if the file has them, in the unit of length of the frames. Set element.value to -1
 * before; close in any case. */
struct ph_export_velocities {
    struct ph_h5md_element element;
    double *numbers; /* owned */
    bool known;      /* in the frame that was read last */
};
enum ph_status ph_export_velocities_open(const struct ph_reader *reader, struct ph_export_velocities *velocities,
                                         struct ph_error *err);
/* Reads velocities of the present frame, and turns them with it. */
enum ph_status ph_export_velocities_read(const struct ph_export_frames *frames, struct ph_export_velocities *velocities,
                                         struct ph_error *err);
void ph_export_velocities_close(struct ph_export_velocities *velocities);

#endif
