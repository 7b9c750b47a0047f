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

/* Vectors of the particles, as velocities. Set element.value to -1 before; close in any case. */
struct ph_export_vectors {
    bool body; /* in the frame of each body, so that they stay if the frame is turned */
    size_t width;
    struct ph_h5md_element element;
    double *numbers; /* owned; NULL: the file does not have one for each particle */
    bool known;      /* in the frame that was read last */
};
enum ph_status ph_export_vectors_open(const struct ph_reader *reader, const char *name, size_t width,
                                      struct ph_export_vectors *vectors, struct ph_error *err);
/* Reads those of the present frame, multiplies them by a factor, and turns vectors of three numbers with the frame. */
enum ph_status ph_export_vectors_read(const struct ph_export_frames *frames, double factor,
                                      struct ph_export_vectors *vectors, struct ph_error *err);
/* Returns true if all selected frames have them. */
bool ph_export_vectors_always(const struct ph_export_frames *frames, const struct ph_export_vectors *vectors);
void ph_export_vectors_close(struct ph_export_vectors *vectors);

/* A number for each particle that holds for all times, as masses. *out is to be freed; NULL: not in the file. */
enum ph_status ph_export_numbers(const struct ph_reader *reader, const char *name, double **out, struct ph_error *err);

/* Types of particles: a site name of a molecule is a type. Free in any case. */
struct ph_export_types {
    size_t n;
    size_t *of;    /* owned; of each particle, from 0 */
    size_t *first; /* owned; the first particle of each type */
};
enum ph_status ph_export_types_find(const struct ph_reader *reader, struct ph_export_types *types,
                                    struct ph_error *err);
void ph_export_types_free(struct ph_export_types *types);

#endif
