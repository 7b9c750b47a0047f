/* SPDX-License-Identifier: MIT */
/* What the molecules of a recording are: of our files the models are read again, of bodies of other programs what the
 * file says of them. */
#include "analysis/recording.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The model that our files keep as a text */
static bool species_from_model(const struct ph_recording *recording, const char *name, struct ph_species *species)
{
    char path[PH_H5MD_PATH];
    snprintf(path, sizeof path, "models/%.60s", name);
    char *text = recording->help ? ph_listing_text(&recording->source.listing, path) : NULL;
    const bool good = text && recording->help->species(name, text, species);
    free(text);
    return good;
}

static bool read_fixed(const struct ph_listing *listing, const char *body, const char *name, size_t n, double *out)
{
    struct ph_h5md_element element;
    struct ph_error forgotten;
    char path[PH_H5MD_PATH];
    snprintf(path, sizeof path, "rigid_bodies/%.60s/%s", body, name);
    size_t total = 1;
    const bool open =
        ph_h5md_element_open(&listing->handle->file, path, &element, &forgotten) == PH_OK && element.value >= 0;
    for (int k = 0; k < element.rank; ++k)
        total *= element.shape[k];
    const bool good = open && element.fixed && total == n &&
                      ph_h5md_element_read(&listing->handle->file, &element, 0, out, &forgotten) == PH_OK;
    ph_h5md_element_close(&element);
    return good;
}

static bool species_from_body(const struct ph_listing *listing, const struct ph_listing_kind *kind,
                              struct ph_species *species)
{
    double position[3 * PH_SITES_MAX], charge[PH_SITES_MAX] = {0.0}, mass[PH_SITES_MAX] = {0.0};
    const size_t n = kind->n_sites;
    *species = (struct ph_species){.n_sites = n};
    if (n == 0 || n > PH_SITES_MAX || !read_fixed(listing, kind->name, "inertia", 3, species->inertia) ||
        !read_fixed(listing, kind->name, "mass", 1, &species->mass) ||
        !read_fixed(listing, kind->name, "sites/position_body", 3 * n, position))
        return false;
    read_fixed(listing, kind->name, "sites/charge", n, charge);
    read_fixed(listing, kind->name, "sites/mass", n, mass);
    for (size_t a = 0; a < n; ++a) {
        memcpy(species->site[a].position, &position[3 * a], sizeof species->site[a].position);
        species->site[a].charge = charge[a];
        species->site[a].mass = mass[a];
    }
    for (int k = 0; k < 3; ++k)
        species->degrees += species->inertia[k] > 0.0;
    return true;
}

static void describe_kind(const struct ph_recording *recording, const struct ph_listing_kind *from,
                          struct ph_recording_kind *kind)
{
    const struct ph_listing *listing = &recording->source.listing;
    snprintf(kind->name, sizeof kind->name, "%.63s", from->name);
    kind->n = from->n;
    kind->known = species_from_model(recording, from->name, &kind->species) ||
                  (listing->bodies && species_from_body(listing, from, &kind->species));
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
    const struct ph_listing *listing = &recording->source.listing;
    size_t m = 0;
    for (size_t k = 0; k < listing->n_kinds && listing->bodies; ++k)
        for (size_t i = 0; i < listing->kinds[k].n; ++i)
            recording->kind[m++] = (int)k;
    for (size_t i = 0; i < recording->source.n; ++i) {
        char name[96];
        const bool other = strcmp(recording->source.name[i], recording->source.molecule[i]) != 0;
        snprintf(name, sizeof name, "%.31s%s%.31s", recording->source.molecule[i], other ? "." : "",
                 other ? recording->source.name[i] : "");
        const int type = find_type(recording, name);
        if (type < 0)
            return false;
        ++recording->types[type].n;
        recording->type[i] = type;
        recording->molecule[i] = recording->source.residue[i];
        if (!listing->bodies)
            recording->kind[i] = type;
    }
    return true;
}

enum ph_status ph_recording_find_kinds(struct ph_recording *recording, struct ph_error *err)
{
    const struct ph_listing *listing = &recording->source.listing;
    recording->n_molecules = 0;
    for (size_t k = 0; k < listing->n_kinds && listing->bodies; ++k)
        recording->n_molecules += listing->kinds[k].n;
    if (!listing->bodies)
        recording->n_molecules = recording->source.n;
    recording->kind = calloc(recording->n_molecules + 1, sizeof *recording->kind);
    recording->type = calloc(recording->source.n + 1, sizeof *recording->type);
    recording->molecule = calloc(recording->source.n + 1, sizeof *recording->molecule);
    if (!recording->kind || !recording->type || !recording->molecule || !number_molecules(recording))
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for the molecules of %s.", listing->name);
    recording->n_kinds = listing->bodies ? listing->n_kinds : recording->n_types;
    recording->kinds = calloc(recording->n_kinds + 1, sizeof *recording->kinds);
    if (!recording->kinds)
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for the kinds of molecules of %s.", listing->name);
    for (size_t k = 0; k < recording->n_kinds; ++k) {
        struct ph_listing_kind particle = {.n = 0}; /* of one site: the type is the kind */
        if (!listing->bodies) {
            snprintf(particle.name, sizeof particle.name, "%.63s", recording->types[k].name);
            particle.n = recording->types[k].n;
        }
        describe_kind(recording, listing->bodies ? &listing->kinds[k] : &particle, &recording->kinds[k]);
    }
    return PH_OK;
}
