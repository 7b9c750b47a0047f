/* SPDX-License-Identifier: MIT */
#include "analysis/trajectory/tracks.h"

#include "base/rotation.h"
#include "base/vec3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Tracked quantities ---- */

/* Adds up displacements from frame to frame: r - r' + (n - n') . edges with the counts n of edges crossed, or, without
 * these, the nearest image of r - r'. Edges are taken from the later frame. In a constant box, this is r + n . edges.
 * In a changing box, r + n . edges would have molecules far from the first box jump by n times the change of the edges
 * (Bullerjahn, von Buelow, Heidari, Henin, Hummer, J. Chem. Theory Comput. 19 (2023) 3406). State: the sum of such
 * jumps, or the unwrapped place; n', or r'; the place at the first frame. */
static void fill_position(const struct ph_recording *recording, const struct ph_recorded *snapshot, size_t i,
                          bool first, double *state, double *out)
{
    (void)recording;
    const double *r = &snapshot->data[PH_CENTRE][3 * i];
    double d[3];
    const double *image = snapshot->data[PH_IMAGE] ? &snapshot->data[PH_IMAGE][3 * i] : NULL;
    double place[3] = {r[0], r[1], r[2]}; /* unwrapped */
    double *jumps = state, *crossed = state + 3, *start = state + 6;
    for (int e = 0; e < 3 && image; ++e) {
        for (int k = 0; k < 3; ++k) {
            place[k] += image[e] * snapshot->box.edge[e][k];
            jumps[k] += crossed[e] * (snapshot->box.edge[e][k] - snapshot->before.edge[e][k]); /* at first 0 */
        }
        crossed[e] = image[e];
    }
    for (int k = 0; k < 3 && image; ++k)
        place[k] -= jumps[k];
    if (!image) {
        double *last = state, *wrapped = state + 3;
        for (int k = 0; k < 3; ++k)
            d[k] = r[k] - wrapped[k];
        ph_box_minimum_image(&snapshot->box, d);
        for (int k = 0; k < 3; ++k) {
            place[k] = first ? r[k] : last[k] + d[k];
            last[k] = place[k];
            wrapped[k] = r[k];
        }
    }
    for (int k = 0; k < 3; ++k) {
        if (first)
            start[k] = place[k];
        out[k] = place[k] - start[k]; /* from the start: fewer digits are lost in squares */
    }
}

/* Sum of the rotation vectors from frame to frame, each in the body frame; turns by less than half a revolution */
static void fill_angle(const struct ph_recording *recording, const struct ph_recorded *snapshot, size_t i, bool first,
                       double *state, double *out)
{
    (void)recording;
    const double *q = &snapshot->data[PH_ORIENTATION][4 * i];
    if (!first) {
        const double back[4] = {state[0], -state[1], -state[2], -state[3]};
        double turn[4];
        ph_quat_multiply(back, q, turn);
        const double sign = turn[0] < 0.0 ? -1.0 : 1.0;
        const double sine = sqrt(turn[1] * turn[1] + turn[2] * turn[2] + turn[3] * turn[3]);
        const double angle = 2.0 * atan2(sine, sign * turn[0]);
        for (int k = 0; k < 3; ++k)
            state[4 + k] += sine > 0.0 ? sign * turn[1 + k] / sine * angle : 0.0;
    }
    memcpy(state, q, 4 * sizeof *q);
    memcpy(out, state + 4, 3 * sizeof *out);
}

static void fill_velocity(const struct ph_recording *recording, const struct ph_recorded *snapshot, size_t i,
                          bool first, double *state, double *out)
{
    (void)recording, (void)first, (void)state;
    memcpy(out, &snapshot->data[PH_VELOCITY][3 * i], 3 * sizeof *out);
}

static void fill_angular_velocity(const struct ph_recording *recording, const struct ph_recorded *snapshot, size_t i,
                                  bool first, double *state, double *out)
{
    (void)first, (void)state;
    const double *inertia = recording->kinds[recording->kind[i]].species.inertia;
    double omega[3];
    for (int k = 0; k < 3; ++k)
        omega[k] = inertia[k] > 0.0 ? snapshot->data[PH_ANGULAR_MOMENTUM][3 * i + (size_t)k] / inertia[k] : 0.0;
    ph_quat_rotate(&snapshot->data[PH_ORIENTATION][4 * i], omega, out);
}

static void fill_direction(const struct ph_recording *recording, const struct ph_recorded *snapshot, size_t i,
                           bool first, double *state, double *out)
{
    (void)recording, (void)first, (void)state;
    const double *mu = &snapshot->data[PH_DIPOLE][3 * i];
    const double size = ph_vec3_norm(mu);
    for (int k = 0; k < 3; ++k)
        out[k] = size > 0.0 ? mu[k] / size : 0.0;
}

static void fill_directions(const struct ph_recording *recording, const struct ph_recorded *snapshot, size_t i,
                            bool first, double *state, double *out)
{
    double u[3];
    fill_direction(recording, snapshot, i, first, state, u);
    out[0] = u[0] * u[0];
    out[1] = u[1] * u[1];
    out[2] = u[2] * u[2];
    out[3] = u[0] * u[1];
    out[4] = u[0] * u[2];
    out[5] = u[1] * u[2];
}

const struct ph_track ph_track_position = {3, 9, PH_BIT(PH_CENTRE) | PH_BIT(PH_IMAGE), fill_position};
const struct ph_track ph_track_angle = {3, 7, PH_BIT(PH_ORIENTATION), fill_angle};
const struct ph_track ph_track_velocity = {3, 0, PH_BIT(PH_VELOCITY), fill_velocity};
const struct ph_track ph_track_angular_velocity = {3, 0, PH_BIT(PH_ANGULAR_MOMENTUM) | PH_BIT(PH_ORIENTATION),
                                                   fill_angular_velocity};
const struct ph_track ph_track_direction = {3, 0, PH_BIT(PH_DIPOLE) | PH_BIT(PH_ORIENTATION), fill_direction};
const struct ph_track ph_track_directions = {6, 0, PH_BIT(PH_DIPOLE) | PH_BIT(PH_ORIENTATION), fill_directions};

/* ---- Groups ---- */

/* Consecutive frames are transposed together, so that the numbers of one molecule are written side by side. */
enum { AT_ONCE = 16 };

struct stretch {
    size_t n, most; /* frames in memory, and how many may be */
    struct ph_recorded frames[AT_ONCE];
};

static void turn_round(const struct ph_recording *recording, const struct stretch *stretch,
                       const struct ph_track *track, const size_t *molecules, double *states,
                       const struct ph_tracks *tracks)
{
#pragma omp parallel for schedule(static)
    for (size_t m = 0; m < tracks->n; ++m)
        for (size_t k = 0; k < stretch->n; ++k) {
            double out[PH_TRACK_WIDTH];
            const size_t f = stretch->frames[k].frame;
            track->fill(recording, &stretch->frames[k], molecules[m], f == 0, &states[m * PH_TRACK_STATE], out);
            for (size_t c = 0; c < track->width; ++c)
                tracks->data[(m * track->width + c) * tracks->n_frames + f] = out[c];
        }
}

static enum ph_status stretch_init(const struct ph_recording *recording, const struct ph_track *track,
                                   struct stretch *stretch, struct ph_error *err)
{
    const size_t budget = (size_t)8 << 20; /* numbers: 64 MB */
    size_t numbers = 0;
    for (size_t p = 0; p < recording->n_parts; ++p)
        numbers += recording->parts[p].n * ph_quantity_width[recording->parts[p].quantity];
    const size_t fit = budget / (numbers + 1);
    *stretch = (struct stretch){.most = fit < 1 ? 1 : (fit < AT_ONCE ? fit : AT_ONCE)};
    enum ph_status status = PH_OK;
    for (size_t k = 0; k < stretch->most && status == PH_OK; ++k) {
        status = ph_snapshot_init(recording, &stretch->frames[k], err);
        stretch->frames[k].unread = ~track->reads;
    }
    return status;
}

static enum ph_status read_stretch(const struct ph_recording *recording, size_t first, struct stretch *stretch,
                                   struct ph_error *err)
{
    const size_t left = recording->n_frames - first;
    enum ph_status status = PH_OK;
    struct ph_box before = stretch->n > 0 ? stretch->frames[stretch->n - 1].box : ph_box_open();
    stretch->n = left < stretch->most ? left : stretch->most;
    for (size_t k = 0; k < stretch->n && status == PH_OK; ++k) {
        status = ph_recording_read(recording, first + k, &stretch->frames[k], err);
        stretch->frames[k].before = before;
        before = stretch->frames[k].box;
    }
    return status;
}

enum ph_status ph_tracks_visit(const struct ph_recording *recording, const struct ph_analysis_request *request,
                               const struct ph_track *track, size_t n, const size_t *molecules, ph_tracks_use *use,
                               void *data, struct ph_error *err)
{
    const size_t budget = (size_t)64 << 20; /* numbers: 512 MB */
    const size_t each = recording->n_frames * track->width, fit = budget / each > 0 ? budget / each : 1;
    const size_t most = fit < n ? fit : n, passes = n > 0 ? (n + most - 1) / most : 0;
    struct stretch stretch;
    double *series = malloc((most * each + 1) * sizeof *series);
    double *states = malloc((most * PH_TRACK_STATE + 1) * sizeof *states);
    enum ph_status status = stretch_init(recording, track, &stretch, err);
    if (status == PH_OK && (!series || !states))
        status = ph_no_memory(err, "the motion of %zu molecules", most);
    for (size_t p = 0; p < passes && status == PH_OK; ++p) {
        const size_t first = p * most;
        const struct ph_tracks tracks = {.n = n - first < most ? n - first : most,
                                         .width = track->width,
                                         .n_frames = recording->n_frames,
                                         .data = series};
        memset(states, 0, most * PH_TRACK_STATE * sizeof *states);
        for (size_t f = 0; f < recording->n_frames && status == PH_OK; f += stretch.n) {
            status = read_stretch(recording, f, &stretch, err);
            if (status == PH_OK)
                turn_round(recording, &stretch, track, molecules + first, states, &tracks);
            if (request->progress)
                request->progress(((double)p + (double)f / (double)recording->n_frames) / (double)passes,
                                  request->progress_data);
        }
        if (status == PH_OK)
            status = use(&tracks, data, err);
    }
    for (size_t k = 0; k < AT_ONCE; ++k)
        ph_snapshot_free(&stretch.frames[k]);
    free(series);
    free(states);
    return status;
}

void ph_tracks_signal(size_t s, const void *data, double *out)
{
    const struct ph_tracks *tracks = data;
    const size_t each = tracks->width * tracks->n_frames;
    memcpy(out, tracks->data + s * each, each * sizeof *out);
}

size_t *ph_recording_members(const struct ph_recording *recording, size_t kind)
{
    size_t n = 0, *members = malloc((recording->n_molecules + 1) * sizeof *members);
    for (size_t i = 0; i < recording->n_molecules && members; ++i)
        if (recording->kind[i] == (int)kind)
            members[n++] = i;
    return members;
}

enum ph_status ph_choose_lags(const char *name, size_t n, double interval, double lag, double part, size_t *n_lags,
                              struct ph_error *err)
{
    if (n < 2)
        return ph_error_set(err, PH_ERR_INPUT, "%s: has %zu frame or row to look at: two at least are needed.", name,
                            n);
    if (!(interval > 0.0))
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s: the times of its frames or rows are not equally spaced: time correlations cannot be "
                            "computed. --frames may choose a part where they are.",
                            name);
    const double wanted = isnan(lag) ? part * (double)(n - 1) : lag / interval * (1.0 + 1e-9);
    if (wanted > (double)(n - 1) * (1.0 + 1e-6))
        return ph_error_set(err, PH_ERR_INPUT, "--lag %g: is longer than the record, %g.", lag,
                            interval * (double)(n - 1));
    *n_lags = 1 + (size_t)wanted;
    *n_lags = *n_lags < 2 ? 2 : (*n_lags > n ? n : *n_lags);
    return PH_OK;
}
