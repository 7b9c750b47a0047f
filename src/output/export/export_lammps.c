/* SPDX-License-Identifier: MIT */
/* LAMMPS data: header, masses of types, atoms in the style `full` (number, molecule, type, charge, place, images), and
 * velocities. The unit style is real where the file has nm, otherwise lj. A type is a site name of a molecule. In open
 * space the box encloses the atoms. Bonds are left out: rigid molecules have none (fix rigid takes the molecules). */
#include "base/plain.h"
#include "output/export/export_frames.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct writing {
    struct ph_export_velocities velocities;
    double *mass, *charge; /* owned; of particles, or NULL */
    size_t *type;          /* owned; of particles, from 0 */
    size_t *first;         /* owned; the first particle of each type */
    size_t n_types;
    bool real;
};

static enum ph_status read_numbers(const struct ph_reader *reader, const char *name, double **out, struct ph_error *err)
{
    struct ph_h5md_element element;
    enum ph_status status = ph_reader_element(reader, name, &element, err);
    if (status == PH_OK && element.value >= 0 && ph_h5md_element_width(&element) == reader->n_particles) {
        *out = calloc(reader->n_particles + 1, sizeof **out);
        status = *out ? ph_h5md_element_read(&element, 0, *out, err)
                      : ph_no_memory(err, "%zu particles", reader->n_particles);
    }
    ph_h5md_element_close(&element);
    return status;
}

static bool same_type(const struct ph_reader *reader, size_t i, size_t j)
{
    return strcmp(reader->name[i], reader->name[j]) == 0 && strcmp(reader->molecule[i], reader->molecule[j]) == 0;
}

static enum ph_status find_types(const struct ph_reader *reader, struct writing *how, struct ph_error *err)
{
    const size_t n = reader->n_particles;
    how->type = calloc(n + 1, sizeof *how->type);
    how->first = calloc(n + 1, sizeof *how->first);
    if (!how->type || !how->first)
        return ph_no_memory(err, "%zu particles", n);
    for (size_t i = 0; i < n; ++i) {
        size_t t = 0;
        while (t < how->n_types && !same_type(reader, i, how->first[t]))
            ++t;
        if (t == how->n_types)
            how->first[how->n_types++] = i;
        how->type[i] = t;
    }
    return PH_OK;
}

/* The box from the origin, or around the atoms */
static void write_box(const struct ph_export_frames *frames, FILE *out)
{
    static const char axis[] = "xyz";
    for (size_t k = 0; k < 3; ++k) {
        double low = 0.0, high = frames->edge[k][k];
        for (size_t i = 0; i < frames->reader.n_particles && !frames->periodic; ++i) {
            const double x = frames->position[3 * i + k];
            low = i == 0 ? x - 1.0 : fmin(low, x - 1.0);
            high = i == 0 ? x + 1.0 : fmax(high, x + 1.0);
        }
        ph_fprintf(out, "%.17g %.17g %clo %chi\n", low, high, axis[k], axis[k]);
    }
    const double(*edge)[3] = (const double(*)[3])frames->edge;
    if (edge[1][0] != 0.0 || edge[2][0] != 0.0 || edge[2][1] != 0.0)
        ph_fprintf(out, "%.17g %.17g %.17g xy xz yz\n", edge[1][0], edge[2][0], edge[2][1]);
}

static void write_frame(const struct ph_export_frames *frames, const struct writing *how, FILE *out)
{
    const struct ph_reader *reader = &frames->reader;
    fprintf(out, "LAMMPS data file via polhode, units = %s\n\n%zu atoms\n%zu atom types\n\n", how->real ? "real" : "lj",
            reader->n_particles, how->n_types);
    write_box(frames, out);
    fputs("\nMasses\n\n", out);
    for (size_t t = 0; t < how->n_types; ++t)
        ph_fprintf(out, "%zu %.17g # %s %s\n", t + 1, how->mass ? how->mass[how->first[t]] : 1.0,
                   reader->molecule[how->first[t]], reader->name[how->first[t]]);
    fputs("\nAtoms # full\n\n", out);
    for (size_t i = 0; i < reader->n_particles; ++i)
        ph_fprintf(out, "%zu %d %zu %.17g %.17g %.17g %.17g 0 0 0\n", i + 1, reader->residue[i] + 1, how->type[i] + 1,
                   how->charge ? how->charge[i] : 0.0, frames->position[3 * i], frames->position[3 * i + 1],
                   frames->position[3 * i + 2]);
    if (!how->velocities.known)
        return;
    const double scale = how->real ? 1e-3 : 1.0; /* of Angstrom/ps to Angstrom/fs */
    fputs("\nVelocities\n\n", out);
    for (size_t i = 0; i < reader->n_particles; ++i) {
        const double *v = how->velocities.numbers + 3 * i;
        ph_fprintf(out, "%zu %.17g %.17g %.17g\n", i + 1, scale * v[0], scale * v[1], scale * v[2]);
    }
}

enum ph_status ph_export_lammps(const struct ph_export_request *request, FILE *out, size_t *written,
                                struct ph_error *err)
{
    struct ph_export_frames frames;
    struct writing how = {.velocities.element.value = -1};
    enum ph_status status = ph_export_frames_open(request, true, &frames, err);
    if (status == PH_OK && frames.n > 1)
        status = ph_error_set(err, PH_ERR_INPUT, "%s: LAMMPS data holds one frame, and %zu were asked for.",
                              frames.reader.file.name, frames.n);
    if (status == PH_OK) {
        frames.scale = ph_export_angstroms(&frames.reader);
        how.real = frames.scale != 1.0;
        status = ph_export_velocities_open(&frames.reader, &how.velocities, err);
    }
    if (status == PH_OK)
        status = read_numbers(&frames.reader, "mass", &how.mass, err);
    if (status == PH_OK)
        status = read_numbers(&frames.reader, "charge", &how.charge, err);
    if (status == PH_OK)
        status = find_types(&frames.reader, &how, err);
    if (status == PH_OK)
        status = ph_export_frames_read(&frames, 0, err);
    if (status == PH_OK)
        status = ph_export_velocities_read(&frames, &how.velocities, err);
    if (status == PH_OK) {
        write_frame(&frames, &how, out);
        ++*written;
    }
    ph_export_velocities_close(&how.velocities);
    free(how.mass);
    free(how.charge);
    free(how.type);
    free(how.first);
    ph_export_frames_close(&frames);
    return status;
}
