/* SPDX-License-Identifier: MIT */
/* GSD, the trajectory of HOOMD-blue, version 2 of the file layer and 1.4 of the schema `hoomd`, little-endian:
 *   header, 256 bytes   magic, places and room of index and names, versions, application, schema
 *   names               of all chunks, each with a zero at its end; a chunk is known by its place in this list
 *   index               an entry of 32 bytes for each chunk, by frame and then by name: frame, rows, place, columns,
 *                       name, type
 *   data                of the chunks
 * All sizes are known before the first frame, so that one pass writes the file, also to a pipe. Chunks that cannot
 * change are in frame 0 alone. */

/* HOOMD-blue has no units, so numbers are those of the trajectory, in single precision. Its box lies around the origin.
 * Particles are wrapped into it one by one, as HOOMD-blue demands: with `image` molecules are whole again. `body` is
 * the number of the molecule, and -1 for molecules of one site. These have orientations and angular momenta if the
 * file has them: angmom is 2 q (0, L) with the angular momentum L in the body frame. */
#include "base/rotation.h"
#include "formats/start_file.h"
#include "output/export/export_frames.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum type { BYTE = 5, UINT32 = 3, UINT64 = 4, INT32 = 7, FLOAT = 9 };

enum chunk { STEP, BOX, N, TYPES, TYPEID, MASS, CHARGE, BODY, POSITION, IMAGE, VELOCITY, ORIENTATION, ANGMOM, CHUNKS };

/* Chunks from N to BODY are in frame 0 alone. */
static const struct {
    const char *name;
    enum type type;
    size_t size, columns;
} chunks[CHUNKS] = {
    [STEP] = {"configuration/step", UINT64, 8, 1},
    [BOX] = {"configuration/box", FLOAT, 4, 1},
    [N] = {"particles/N", UINT32, 4, 1},
    [TYPES] = {"particles/types", BYTE, 1, PH_READER_NAME},
    [TYPEID] = {"particles/typeid", UINT32, 4, 1},
    [MASS] = {"particles/mass", FLOAT, 4, 1},
    [CHARGE] = {"particles/charge", FLOAT, 4, 1},
    [BODY] = {"particles/body", INT32, 4, 1},
    [POSITION] = {"particles/position", FLOAT, 4, 3},
    [IMAGE] = {"particles/image", INT32, 4, 3},
    [VELOCITY] = {"particles/velocity", FLOAT, 4, 3},
    [ORIENTATION] = {"particles/orientation", FLOAT, 4, 4},
    [ANGMOM] = {"particles/angmom", FLOAT, 4, 4},
};
enum { HEADER = 256, ENTRY = 32, NAMES = 512 };

struct writing {
    bool there[CHUNKS];
    size_t rows[CHUNKS];
    struct ph_export_types types;
    double *mass, *charge; /* owned; or NULL */
    struct ph_export_vectors velocity, orientation, momentum;
};

static void put(uint64_t bits, size_t bytes, FILE *out)
{
    for (size_t k = 0; k < bytes; ++k)
        putc_unlocked((int)(bits >> (8 * k) & 0xff), out);
}

static void put_float(double number, FILE *out)
{
    const float value = (float)number;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(bits, 4, out);
}

static void put_text(const char *text, size_t size, FILE *out)
{
    for (size_t k = 0, length = strlen(text); k < size; ++k)
        putc_unlocked(k < length ? text[k] : 0, out);
}

static bool is_in(const struct writing *how, size_t frame, enum chunk chunk)
{
    return how->there[chunk] && (frame == 0 || chunk == STEP || chunk == BOX || chunk >= POSITION);
}

static size_t bytes_of(const struct writing *how, enum chunk chunk)
{
    return how->rows[chunk] * chunks[chunk].columns * chunks[chunk].size;
}

static void write_head(const struct ph_export_frames *frames, const struct writing *how, FILE *out)
{
    size_t entries = 0, names = 0;
    for (size_t frame = 0; frame < frames->n; ++frame)
        for (enum chunk c = 0; c < CHUNKS; ++c)
            entries += is_in(how, frame, c);
    put(0x65DF65DF65DF65DF, 8, out);
    put(HEADER + NAMES, 8, out);
    put(entries, 8, out);
    put(HEADER, 8, out);
    put(NAMES / 64, 8, out); /* room in units of 64 bytes */
    put(1 << 16 | 4, 4, out);
    put(2 << 16, 4, out);
    put_text("polhode", 64, out);
    put_text("hoomd", 64, out);
    put_text("", 80, out);
    for (enum chunk c = 0; c < CHUNKS; ++c)
        if (how->there[c]) {
            put_text(chunks[c].name, strlen(chunks[c].name) + 1, out);
            names += strlen(chunks[c].name) + 1;
        }
    put_text("", NAMES - names, out);
    uint64_t place = HEADER + NAMES + ENTRY * (uint64_t)entries;
    for (size_t frame = 0; frame < frames->n; ++frame)
        for (enum chunk c = 0, id = 0; c < CHUNKS; ++c) {
            if (is_in(how, frame, c)) {
                put(frame, 8, out);
                put(how->rows[c], 8, out);
                put(place, 8, out);
                put(chunks[c].columns, 4, out);
                put(id, 2, out);
                put(chunks[c].type, 1, out);
                put(0, 1, out);
                place += bytes_of(how, c);
            }
            id += how->there[c];
        }
}

/* Lengths along the axes, and tilts. Open space has a box that is large enough, as HOOMD-blue has no other. */
static void find_box(const struct ph_export_frames *frames, double edge[3][3])
{
    memcpy(edge, frames->edge, sizeof frames->edge);
    if (frames->periodic)
        return;
    double far = 1.0;
    for (size_t k = 0; k < 3 * frames->reader.n_particles; ++k)
        far = fmax(far, 1.0 + fabs(frames->position[k]));
    for (int k = 0; k < 3; ++k)
        edge[k][k] = 2.0 * far;
}

/* Where a particle is in a box around the origin, and how many edges from there. Edge e has components 0 to e. */
static void wrap(const double edge[3][3], bool periodic, double x[3], int64_t image[3])
{
    double part[3];
    for (int k = 0; k < 3 && periodic; ++k)
        x[k] -= 0.5 * (edge[0][k] + edge[1][k] + edge[2][k]);
    for (int e = 2; e >= 0; --e) {
        part[e] = x[e];
        for (int later = e + 1; later < 3; ++later)
            part[e] -= part[later] * edge[later][e];
        part[e] /= edge[e][e];
        image[e] = periodic ? (int64_t)floor(part[e] + 0.5) : 0;
    }
    for (int e = 0; e < 3; ++e)
        for (int k = 0; k <= e; ++k)
            x[k] -= (double)image[e] * edge[e][k];
}

static void write_fixed(const struct ph_reader *reader, const struct writing *how, FILE *out)
{
    const size_t n = reader->n_particles;
    put(n, 4, out);
    for (size_t t = 0; t < how->types.n; ++t)
        put_text(reader->name[how->types.first[t]], PH_READER_NAME, out);
    for (size_t i = 0; i < n; ++i)
        put(how->types.of[i], 4, out);
    for (size_t i = 0; i < n && how->there[MASS]; ++i)
        put_float(how->mass[i], out);
    for (size_t i = 0; i < n && how->there[CHARGE]; ++i)
        put_float(how->charge[i], out);
    for (size_t i = 0; i < n; ++i) {
        const bool before = i > 0 && reader->residue[i - 1] == reader->residue[i];
        const bool after = i + 1 < n && reader->residue[i + 1] == reader->residue[i];
        put(before || after ? (uint32_t)reader->residue[i] : UINT32_MAX, 4, out); /* -1: alone */
    }
}

/* The rotation of the frame as a quaternion: from the axes of the file to the new ones */
static void find_turn(const struct ph_export_frames *frames, double turn[4])
{
    static const double old[4][3] = {{0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double new[4][3] = {{0}}, shift[3];
    for (int k = 0; k < 3; ++k)
        for (int a = 0; a < 3; ++a)
            new[k + 1][a] = frames->axis[a][k];
    ph_fit_orientation(4, old, (const double(*)[3]) new, turn, shift);
}

static void write_frame(const struct ph_export_frames *frames, const struct writing *how, FILE *out)
{
    const size_t n = frames->reader.n_particles;
    double edge[3][3], turn[4] = {1.0, 0.0, 0.0, 0.0};
    find_box(frames, edge);
    if (frames->turned && how->there[ORIENTATION])
        find_turn(frames, turn);
    put((uint64_t)frames->step, 8, out);
    for (int k = 0; k < 3; ++k)
        put_float(edge[k][k], out);
    put_float(edge[1][0] / edge[1][1], out);
    put_float(edge[2][0] / edge[2][2], out);
    put_float(edge[2][1] / edge[2][2], out);
    if (frames->row == frames->first)
        write_fixed(&frames->reader, how, out);
    for (enum chunk c = POSITION; c <= IMAGE; ++c)
        for (size_t i = 0; i < n; ++i) {
            double x[3];
            int64_t image[3];
            memcpy(x, frames->position + 3 * i, sizeof x);
            wrap((const double(*)[3])edge, frames->periodic, x, image);
            for (int k = 0; k < 3 && c == POSITION; ++k)
                put_float(x[k], out);
            for (int k = 0; k < 3 && c == IMAGE; ++k)
                put((uint32_t)image[k], 4, out);
        }
    for (size_t k = 0; k < 3 * n && how->there[VELOCITY]; ++k)
        put_float(how->velocity.numbers[k], out);
    for (enum chunk c = ORIENTATION; c <= ANGMOM && how->there[c]; ++c)
        for (size_t i = 0; i < n; ++i) {
            double q[4];
            ph_quat_multiply(turn, how->orientation.numbers + 4 * i, q);
            if (c == ANGMOM) {
                const double *body = how->momentum.numbers + 3 * i;
                const double twice[4] = {0.0, 2.0 * body[0], 2.0 * body[1], 2.0 * body[2]};
                ph_quat_multiply(q, twice, q);
            }
            for (int k = 0; k < 4; ++k)
                put_float(q[k], out);
        }
}

/* Which chunks there are, and how many rows they have */
static void plan(const struct ph_export_frames *frames, struct writing *how)
{
    for (enum chunk c = 0; c < CHUNKS; ++c) {
        how->there[c] = true;
        how->rows[c] = c < TYPES ? 1 : frames->reader.n_particles;
    }
    how->rows[BOX] = 6;
    how->rows[TYPES] = how->types.n;
    how->there[MASS] = how->mass != NULL;
    how->there[CHARGE] = how->charge != NULL;
    how->there[VELOCITY] = ph_export_vectors_always(frames, &how->velocity);
    how->there[ORIENTATION] = ph_export_vectors_always(frames, &how->orientation);
    how->there[ANGMOM] = how->there[ORIENTATION] && ph_export_vectors_always(frames, &how->momentum);
}

static enum ph_status open_all(const struct ph_export_request *request, struct ph_export_frames *frames,
                               struct writing *how, struct ph_error *err)
{
    enum ph_status status = ph_export_frames_open(request, true, frames, err);
    const struct ph_reader *reader = &frames->reader;
    if (status == PH_OK && reader->n_particles > INT32_MAX)
        status = ph_error_set(err, PH_ERR_INPUT, "%s: %zu particles are too many for GSD.", request->file,
                              reader->n_particles);
    if (status == PH_OK)
        status = ph_export_vectors_open(reader, "velocity", 3, &how->velocity, err);
    if (status == PH_OK)
        status = ph_export_vectors_open(reader, "orientation", 4, &how->orientation, err);
    if (status == PH_OK)
        status = ph_export_vectors_open(reader, "angular_momentum", 3, &how->momentum, err);
    if (status == PH_OK)
        status = ph_export_numbers(reader, "mass", &how->mass, err);
    if (status == PH_OK)
        status = ph_export_numbers(reader, "charge", &how->charge, err);
    if (status == PH_OK)
        status = ph_export_types_find(reader, &how->types, err);
    if (status == PH_OK)
        plan(frames, how);
    return status;
}

enum ph_status ph_export_gsd(const struct ph_export_request *request, FILE *out, size_t *written, struct ph_error *err)
{
    struct ph_export_frames frames;
    struct writing how = {
        .velocity.element.value = -1, .orientation.element.value = -1, .momentum = {.body = true, .element.value = -1}};
    enum ph_status status = open_all(request, &frames, &how, err);
    if (status == PH_OK)
        write_head(&frames, &how, out);
    for (size_t k = 0; k < frames.n && status == PH_OK && !ferror(out); ++k) {
        status = ph_export_frames_read(&frames, k, err);
        if (status == PH_OK)
            status = ph_export_vectors_read(&frames, 1.0, &how.velocity, err);
        if (status == PH_OK)
            status = ph_export_vectors_read(&frames, 1.0, &how.orientation, err);
        if (status == PH_OK)
            status = ph_export_vectors_read(&frames, 1.0, &how.momentum, err);
        if (status != PH_OK)
            break;
        write_frame(&frames, &how, out);
        ++*written;
    }
    ph_export_vectors_close(&how.velocity);
    ph_export_vectors_close(&how.orientation);
    ph_export_vectors_close(&how.momentum);
    free(how.mass);
    free(how.charge);
    ph_export_types_free(&how.types);
    ph_export_frames_close(&frames);
    return status;
}
