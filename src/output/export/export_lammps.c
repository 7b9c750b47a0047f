/* SPDX-License-Identifier: MIT */
/* LAMMPS data: header, masses of types, atoms in the style `full` (number, molecule, type, charge, place, images), and
 * velocities. The unit style is real where the file has nm, otherwise lj. A type is a site name of a molecule. In open
 * space the box encloses the atoms. Bonds are left out: rigid molecules have none (fix rigid takes the molecules).
 *
 * A dump has all frames in the same units and types. Places are xu, yu, zu, since molecules are in one piece. */
#include "base/plain.h"
#include "output/export/export_frames.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct writing {
    struct ph_export_vectors velocities;
    double *mass, *charge; /* owned; of particles, or NULL */
    struct ph_export_types types;
    bool real;
    double speed; /* factor from Angstrom/ps to Angstrom/fs, in the unit style real */
};

/* The box from the origin, or around the atoms */
static void find_box(const struct ph_export_frames *frames, double low[3], double high[3])
{
    for (size_t k = 0; k < 3; ++k) {
        low[k] = 0.0;
        high[k] = frames->edge[k][k];
        for (size_t i = 0; i < frames->reader.n_particles && !frames->periodic; ++i) {
            const double x = frames->position[3 * i + k];
            low[k] = i == 0 ? x - 1.0 : fmin(low[k], x - 1.0);
            high[k] = i == 0 ? x + 1.0 : fmax(high[k], x + 1.0);
        }
    }
}

static void write_box(const struct ph_export_frames *frames, FILE *out)
{
    static const char axis[] = "xyz";
    double low[3], high[3];
    find_box(frames, low, high);
    for (size_t k = 0; k < 3; ++k)
        ph_fprintf(out, "%.17g %.17g %clo %chi\n", low[k], high[k], axis[k], axis[k]);
    const double(*edge)[3] = (const double(*)[3])frames->edge;
    if (edge[1][0] != 0.0 || edge[2][0] != 0.0 || edge[2][1] != 0.0)
        ph_fprintf(out, "%.17g %.17g %.17g xy xz yz\n", edge[1][0], edge[2][0], edge[2][1]);
}

static void write_data(const struct ph_export_frames *frames, const struct writing *how, FILE *out)
{
    const struct ph_reader *reader = &frames->reader;
    fprintf(out, "LAMMPS data file via polhode, units = %s\n\n%zu atoms\n%zu atom types\n\n", how->real ? "real" : "lj",
            reader->n_particles, how->types.n);
    write_box(frames, out);
    fputs("\nMasses\n\n", out);
    for (size_t t = 0; t < how->types.n; ++t)
        ph_fprintf(out, "%zu %.17g # %s %s\n", t + 1, how->mass ? how->mass[how->types.first[t]] : 1.0,
                   reader->molecule[how->types.first[t]], reader->name[how->types.first[t]]);
    fputs("\nAtoms # full\n\n", out);
    for (size_t i = 0; i < reader->n_particles; ++i)
        ph_fprintf(out, "%zu %d %zu %.17g %.17g %.17g %.17g 0 0 0\n", i + 1, reader->residue[i] + 1,
                   how->types.of[i] + 1, how->charge ? how->charge[i] : 0.0, frames->position[3 * i],
                   frames->position[3 * i + 1], frames->position[3 * i + 2]);
    if (!how->velocities.known)
        return;
    fputs("\nVelocities\n\n", out);
    for (size_t i = 0; i < reader->n_particles; ++i) {
        const double *v = how->velocities.numbers + 3 * i;
        ph_fprintf(out, "%zu %.17g %.17g %.17g\n", i + 1, how->speed * v[0], how->speed * v[1], how->speed * v[2]);
    }
}

/* A frame of a dump. Its box is that around the tilted one, as LAMMPS has it. */
static void write_dump(const struct ph_export_frames *frames, const struct writing *how, FILE *out)
{
    const struct ph_reader *reader = &frames->reader;
    fprintf(out, "ITEM: TIMESTEP\n%" PRId64 "\nITEM: NUMBER OF ATOMS\n%zu\nITEM: BOX BOUNDS", frames->step,
            reader->n_particles);
    const double(*edge)[3] = (const double(*)[3])frames->edge, xy = edge[1][0], xz = edge[2][0], yz = edge[2][1];
    const bool tilted = xy != 0.0 || xz != 0.0 || yz != 0.0;
    const char *side = frames->periodic ? " pp" : " ff";
    fprintf(out, "%s%s%s%s\n", tilted ? " xy xz yz" : "", side, side, side);
    double low[3], high[3];
    find_box(frames, low, high);
    low[0] += fmin(fmin(0.0, xy), fmin(xz, xy + xz));
    high[0] += fmax(fmax(0.0, xy), fmax(xz, xy + xz));
    low[1] += fmin(0.0, yz);
    high[1] += fmax(0.0, yz);
    const double tilt[3] = {xy, xz, yz};
    for (int k = 0; k < 3; ++k) {
        ph_fprintf(out, "%.17g %.17g", low[k], high[k]);
        if (tilted)
            ph_fprintf(out, " %.17g", tilt[k]);
        fputc('\n', out);
    }
    fprintf(out, "ITEM: ATOMS id mol type element mass q xu yu zu%s\n", how->velocities.known ? " vx vy vz" : "");
    for (size_t i = 0; i < reader->n_particles; ++i) {
        const double *x = frames->position + 3 * i;
        ph_fprintf(out, "%zu %d %zu %s %.17g %.17g %.17g %.17g %.17g", i + 1, reader->residue[i] + 1,
                   how->types.of[i] + 1, reader->name[i], how->mass ? how->mass[i] : 1.0,
                   how->charge ? how->charge[i] : 0.0, x[0], x[1], x[2]);
        if (how->velocities.known) {
            const double *v = how->velocities.numbers + 3 * i;
            ph_fprintf(out, " %.17g %.17g %.17g", how->speed * v[0], how->speed * v[1], how->speed * v[2]);
        }
        fputc('\n', out);
    }
}

static enum ph_status open_all(const struct ph_export_request *request, struct ph_export_frames *frames,
                               struct writing *how, struct ph_error *err)
{
    *how = (struct writing){.velocities.element.value = -1};
    enum ph_status status = ph_export_frames_open(request, true, frames, err);
    if (status != PH_OK)
        return status;
    frames->scale = ph_export_angstroms(&frames->reader);
    how->real = frames->scale != 1.0;
    how->speed = how->real ? 1e-3 : 1.0;
    status = ph_export_vectors_open(&frames->reader, "velocity", 3, &how->velocities, err);
    if (status == PH_OK)
        status = ph_export_numbers(&frames->reader, "mass", &how->mass, err);
    if (status == PH_OK)
        status = ph_export_numbers(&frames->reader, "charge", &how->charge, err);
    return status == PH_OK ? ph_export_types_find(&frames->reader, &how->types, err) : status;
}

static void close_all(struct ph_export_frames *frames, struct writing *how)
{
    ph_export_vectors_close(&how->velocities);
    free(how->mass);
    free(how->charge);
    ph_export_types_free(&how->types);
    ph_export_frames_close(frames);
}

static enum ph_status write_frames(struct ph_export_frames *frames, struct writing *how,
                                   void (*write)(const struct ph_export_frames *, const struct writing *, FILE *),
                                   FILE *out, size_t *written, struct ph_error *err)
{
    enum ph_status status = PH_OK;
    for (size_t k = 0; k < frames->n && status == PH_OK && !ferror(out); ++k) {
        status = ph_export_frames_read(frames, k, err);
        if (status == PH_OK)
            status = ph_export_vectors_read(frames, frames->scale, &how->velocities, err);
        if (status != PH_OK)
            break;
        write(frames, how, out);
        ++*written;
    }
    return status;
}

enum ph_status ph_export_lammps(const struct ph_export_request *request, FILE *out, size_t *written,
                                struct ph_error *err)
{
    struct ph_export_frames frames;
    struct writing how;
    enum ph_status status = open_all(request, &frames, &how, err);
    if (status == PH_OK && frames.n > 1)
        status = ph_error_set(err, PH_ERR_INPUT,
                              "%s: LAMMPS data holds one frame, and %zu were asked for. The format dump holds all.",
                              frames.reader.file.name, frames.n);
    if (status == PH_OK)
        status = write_frames(&frames, &how, write_data, out, written, err);
    close_all(&frames, &how);
    return status;
}

enum ph_status ph_export_dump(const struct ph_export_request *request, FILE *out, size_t *written, struct ph_error *err)
{
    struct ph_export_frames frames;
    struct writing how;
    enum ph_status status = open_all(request, &frames, &how, err);
    if (status == PH_OK)
        status = write_frames(&frames, &how, write_dump, out, written, err);
    close_all(&frames, &how);
    return status;
}
