/* SPDX-License-Identifier: MIT */
/* Finds the molecules of a recording. Models of our own files are read again; bodies of other programs are taken from
 * the file's description. */
#include "analysis/trajectory/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The model that our files keep as a text */
static bool species_from_model(const struct ph_recording *recording, const char *name, struct ph_species *species)
{
    char path[PH_H5MD_PATH];
    snprintf(path, sizeof path, "models/%.60s", name);
    char *text = recording->help ? ph_reader_text(&recording->reader, path) : NULL;
    const bool good = text && recording->help->species(name, text, species);
    free(text);
    return good;
}

static bool read_fixed(const struct ph_reader *reader, const char *body, const char *name, size_t n, double *out)
{
    struct ph_h5md_element element;
    struct ph_error forgotten;
    const bool good =
        ph_h5md_element_open(&reader->file, &element, &forgotten, "rigid_bodies/%.60s/%s", body, name) == PH_OK &&
        element.value >= 0 && element.fixed && ph_h5md_element_width(&element) == n &&
        ph_h5md_element_read(&element, 0, out, &forgotten) == PH_OK;
    ph_h5md_element_close(&element);
    return good;
}

static bool species_from_body(const struct ph_reader *reader, const struct ph_reader_kind *kind,
                              struct ph_species *species)
{
    double position[3 * PH_SITES_MAX], charge[PH_SITES_MAX] = {0.0}, mass[PH_SITES_MAX] = {0.0};
    const size_t n = kind->n_sites;
    *species = (struct ph_species){.n_sites = n};
    if (n == 0 || n > PH_SITES_MAX || !read_fixed(reader, kind->name, "inertia", 3, species->inertia) ||
        !read_fixed(reader, kind->name, "mass", 1, &species->mass) ||
        !read_fixed(reader, kind->name, "sites/position_body", 3 * n, position))
        return false;
    read_fixed(reader, kind->name, "sites/charge", n, charge);
    read_fixed(reader, kind->name, "sites/mass", n, mass);
    for (size_t a = 0; a < n; ++a) {
        memcpy(species->site[a].position, &position[3 * a], sizeof species->site[a].position);
        species->site[a].charge = charge[a];
        species->site[a].mass = mass[a];
    }
    for (int k = 0; k < 3; ++k)
        species->degrees += species->inertia[k] > 0.0;
    return true;
}

static void describe_kind(const struct ph_recording *recording, const struct ph_reader_kind *from,
                          struct ph_recording_kind *kind)
{
    const struct ph_reader *reader = &recording->reader;
    snprintf(kind->name, sizeof kind->name, "%.63s", from->name);
    kind->n = from->n;
    kind->known = species_from_model(recording, from->name, &kind->species) ||
                  (reader->bodies && species_from_body(reader, from, &kind->species));
    if (kind->known)
        ph_species_dipole(&kind->species, kind->dipole);
}

static int find_type(struct ph_recording *recording, const char *name)
{
    for (size_t t = 0; t < recording->n_types; ++t)
        if (strcmp(recording->types[t].name, name) == 0)
            return (int)t;
    struct ph_recording_type *types = realloc(recording->types, (recording->n_types + 1) * sizeof *types);
    if (!types)
        return -1;
    recording->types = types;
    types[recording->n_types] = (struct ph_recording_type){.n = 0};
    snprintf(types[recording->n_types].name, sizeof types->name, "%s", name);
    return (int)recording->n_types++;
}

/* Molecules follow each other as the kinds do if they are bodies; else they are the particles. */
static bool number_molecules(struct ph_recording *recording)
{
    const struct ph_reader *reader = &recording->reader;
    size_t m = 0;
    for (size_t k = 0; k < reader->n_kinds && reader->bodies; ++k)
        for (size_t i = 0; i < reader->kinds[k].n; ++i)
            recording->kind[m++] = (int)k;
    for (size_t i = 0; i < recording->reader.n_particles; ++i) {
        char name[96];
        const bool other = strcmp(recording->reader.name[i], recording->reader.molecule[i]) != 0;
        snprintf(name, sizeof name, "%.31s%s%.31s", recording->reader.molecule[i], other ? "." : "",
                 other ? recording->reader.name[i] : "");
        const int type = find_type(recording, name);
        if (type < 0)
            return false;
        ++recording->types[type].n;
        recording->type[i] = type;
        recording->molecule[i] = recording->reader.residue[i];
        if (!reader->bodies)
            recording->kind[i] = type;
    }
    return true;
}

enum ph_status ph_recording_find_kinds(struct ph_recording *recording, struct ph_error *err)
{
    const struct ph_reader *reader = &recording->reader;
    recording->n_molecules = 0;
    for (size_t k = 0; k < reader->n_kinds && reader->bodies; ++k)
        recording->n_molecules += reader->kinds[k].n;
    if (!reader->bodies)
        recording->n_molecules = recording->reader.n_particles;
    recording->kind = calloc(recording->n_molecules + 1, sizeof *recording->kind);
    recording->type = calloc(recording->reader.n_particles + 1, sizeof *recording->type);
    recording->molecule = calloc(recording->reader.n_particles + 1, sizeof *recording->molecule);
    if (!recording->kind || !recording->type || !recording->molecule || !number_molecules(recording))
        return ph_no_memory(err, "the molecules of %s", reader->file.name);
    recording->n_kinds = reader->bodies ? reader->n_kinds : recording->n_types;
    recording->kinds = calloc(recording->n_kinds + 1, sizeof *recording->kinds);
    if (!recording->kinds)
        return ph_no_memory(err, "the kinds of molecules of %s", reader->file.name);
    for (size_t k = 0; k < recording->n_kinds; ++k) {
        struct ph_reader_kind particle = {.n = 0}; /* of one site: the type is the kind */
        if (!reader->bodies) {
            snprintf(particle.name, sizeof particle.name, "%.63s", recording->types[k].name);
            particle.n = recording->types[k].n;
        }
        describe_kind(recording, reader->bodies ? &reader->kinds[k] : &particle, &recording->kinds[k]);
    }
    return PH_OK;
}
