/* SPDX-License-Identifier: MIT */
#ifndef PH_ANALYSIS_TRAJECTORY_TRACKS_H
#define PH_ANALYSIS_TRAJECTORY_TRACKS_H

/* Time series of single molecules: transposed frames. As many molecules are in memory at a time as fit into a fixed
 * amount of it; the file is read once for each such group. */

#include "analysis/trajectory/recording.h"

/* A tracked quantity: fills `width` numbers of molecule i at a frame. `state` is the molecule's own, zero at first. */
struct ph_track {
    size_t width, state;
    unsigned reads; /* bits of quantities */
    void (*fill)(const struct ph_recording *recording, const struct ph_recorded *snapshot, size_t i, bool first,
                 double *state, double *out);
};
enum { PH_TRACK_WIDTH = 6, PH_TRACK_STATE = 9 };

extern const struct ph_track ph_track_position;         /* unwrapped, from the first frame on: 3 */
extern const struct ph_track ph_track_angle;            /* turned about each body axis since the first frame: 3 */
extern const struct ph_track ph_track_velocity;         /* 3 */
extern const struct ph_track ph_track_angular_velocity; /* in space: 3 */
extern const struct ph_track ph_track_direction;        /* of the dipole: 3 */
extern const struct ph_track ph_track_directions;       /* products xx, yy, zz, xy, xz, yz of these: 6 */

/* A group of molecules: component c of the m-th at frame f is data[(m * width + c) * n_frames + f] */
struct ph_tracks {
    size_t n, width, n_frames;
    double *data;
};

/* Calls `use` for one group after the other of the molecules listed. */
typedef enum ph_status ph_tracks_use(const struct ph_tracks *tracks, void *data, struct ph_error *err);
enum ph_status ph_tracks_visit(const struct ph_recording *recording, const struct ph_analysis_request *request,
                               const struct ph_track *track, size_t n, const size_t *molecules, ph_tracks_use *use,
                               void *data, struct ph_error *err);

/* A signal for the correlator: the components of the s-th molecule of `struct ph_tracks *data` */
void ph_tracks_signal(size_t s, const void *data, double *out);

/* Molecules of a kind; to be freed. NULL: no memory. */
size_t *ph_recording_members(const struct ph_recording *recording, size_t kind);

/* Finds the number of lags up to --lag, or up to a part of the record. PH_ERR_INPUT if frames are not equally apart or
 * fewer than 2. */
enum ph_status ph_choose_lags(const char *name, size_t n, double interval, double lag, double part, size_t *n_lags,
                              struct ph_error *err);

#endif
