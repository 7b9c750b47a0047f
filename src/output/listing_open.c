/* SPDX-License-Identifier: MIT */
#include "output/listing_inside.h"

#include "base/memory.h"
#include "base/plain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static enum ph_status read_h5md(struct ph_listing *listing, struct ph_error *err)
{
    struct ph_h5md_file *file = &listing->handle->file;
    if (ph_h5md_exists(file, "h5md") <= 0)
        return ph_error_set(err, PH_ERR_INPUT, "%s: is an HDF5 file, but not H5MD: it has no group 'h5md'.",
                            file->name);
    const hid_t version = H5Aopen_by_name(file->id, "h5md", "version", H5P_DEFAULT, H5P_DEFAULT);
    if (version >= 0) {
        const hid_t space = H5Aget_space(version);
        if (H5Sget_simple_extent_npoints(space) == 2)
            H5Aread(version, H5T_NATIVE_INT, listing->version);
        H5Sclose(space);
        H5Aclose(version);
    }
    if (ph_h5md_exists(file, "h5md/creator") > 0) {
        listing->creator = ph_h5_get_text(file->id, "h5md/creator", "name");
        listing->creator_version = ph_h5_get_text(file->id, "h5md/creator", "version");
    }
    if (ph_h5md_exists(file, "h5md/author") > 0)
        listing->author = ph_h5_get_text(file->id, "h5md/author", "name");
    return PH_OK;
}

/* ---- particles ---- */

static bool grow_kinds(struct ph_listing *listing)
{
    struct ph_listing_kind *kinds = ph_reallocate(listing->kinds, listing->n_kinds + 1, sizeof *kinds);
    if (!kinds)
        return false;
    listing->kinds = kinds;
    listing->kinds[listing->n_kinds++] = (struct ph_listing_kind){.n = 0};
    return true;
}

static herr_t visit_body(hid_t bodies, const char *name, const H5L_info_t *info, void *data)
{
    (void)info;
    struct ph_listing *listing = data;
    struct ph_h5md_element sites;
    struct ph_error forgotten;
    char path[PH_H5MD_PATH];
    int64_t first = 0;
    snprintf(path, sizeof path, "rigid_bodies/%.60s/center", name);
    const struct ph_listing_element *center = ph_listing_find(listing, path);
    if (!center || center->width % 3 != 0 || !grow_kinds(listing))
        return 0;
    struct ph_listing_kind *kind = &listing->kinds[listing->n_kinds - 1];
    snprintf(kind->name, sizeof kind->name, "%.60s", name);
    kind->n = center->width / 3;
    if (H5Aexists_by_name(bodies, name, "first_particle", H5P_DEFAULT) > 0)
        ph_h5_get_integer(bodies, name, "first_particle", H5T_NATIVE_INT64, &first);
    kind->first = first > 0 ? (size_t)first : 0;
    snprintf(path, sizeof path, "rigid_bodies/%.60s/sites/mass", name);
    if (ph_h5md_element_open(&listing->handle->file, path, &sites, &forgotten) == PH_OK && sites.value >= 0 &&
        sites.rank == 1)
        kind->n_sites = sites.shape[0];
    ph_h5md_element_close(&sites);
    return 0;
}

static int compare_kinds(const void *a, const void *b)
{
    const struct ph_listing_kind *one = a, *other = b;
    return (one->first > other->first) - (one->first < other->first);
}

size_t ph_listing_names(const struct ph_listing *listing, char (**names)[PH_LISTING_NAME])
{
    *names = NULL;
    const hid_t set = ph_h5md_exists(&listing->handle->file, "parameters/species_names") > 0
                          ? H5Dopen2(listing->handle->file.id, "parameters/species_names", H5P_DEFAULT)
                          : -1;
    if (set < 0)
        return 0;
    const hid_t type = H5Dget_type(set), space = H5Dget_space(set), memory = H5Tcopy(H5T_C_S1);
    const hssize_t n = H5Sget_simple_extent_npoints(space);
    bool good = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 && n > 0 && n < 100000;
    if (good)
        *names = ph_allocate((size_t)n, sizeof **names);
    good = good && *names && H5Tset_size(memory, PH_LISTING_NAME) >= 0 &&
           H5Dread(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, *names) >= 0;
    H5Tclose(memory);
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(set);
    if (!good) {
        free(*names);
        *names = NULL;
    }
    return good ? (size_t)n : 0;
}

enum ph_status ph_listing_species(const struct ph_listing *listing, double **species, struct ph_error *err)
{
    struct ph_h5md_element element;
    char path[PH_H5MD_PATH];
    *species = NULL;
    snprintf(path, sizeof path, "%s/species", listing->group);
    enum ph_status status = ph_h5md_element_open(&listing->handle->file, path, &element, err);
    if (status == PH_OK && element.value >= 0 && element.rows > 0 && element.rank == 1 &&
        element.shape[0] == listing->n_particles) {
        *species = ph_allocate(listing->n_particles + 1, sizeof **species);
        status = *species ? ph_h5md_element_read(&listing->handle->file, &element, 0, *species, err)
                          : ph_error_set(err, PH_ERR_MEMORY, "No memory for %s.", path);
    }
    ph_h5md_element_close(&element);
    if (status != PH_OK) {
        free(*species);
        *species = NULL;
    }
    return status;
}

/* Particles that are alike, in the order in which they appear */
static void count_species(struct ph_listing *listing)
{
    double *species;
    char(*names)[PH_LISTING_NAME];
    struct ph_error forgotten;
    if (ph_listing_species(listing, &species, &forgotten) != PH_OK || !species)
        return;
    const size_t n_names = ph_listing_names(listing, &names);
    double *known = ph_allocate(listing->n_particles + 1, sizeof *known);
    for (size_t i = 0, k = 0; i < listing->n_particles && known && listing->n_kinds < 1000; ++i) {
        for (k = 0; k < listing->n_kinds && known[k] != species[i];)
            ++k;
        if (k == listing->n_kinds) {
            if (!grow_kinds(listing))
                break;
            known[k] = species[i];
            listing->kinds[k].first = i;
            if (species[i] >= 0.0 && species[i] < (double)n_names)
                snprintf(listing->kinds[k].name, sizeof listing->kinds[k].name, "%s", names[(size_t)species[i]]);
            else
                ph_snprintf(listing->kinds[k].name, sizeof listing->kinds[k].name, "species %.17g", species[i]);
        }
        ++listing->kinds[k].n;
    }
    free(known);
    free(names);
    free(species);
}

static void read_box(struct ph_listing *listing)
{
    struct ph_h5md_element edges;
    struct ph_error forgotten;
    char path[PH_H5MD_PATH], words[3][PH_H5MD_WORD] = {"", "", ""};
    double numbers[9];
    snprintf(path, sizeof path, "%s/box", listing->group);
    listing->has_box = ph_h5md_exists(&listing->handle->file, path) > 0;
    if (!listing->has_box)
        return;
    const size_t n = ph_h5md_words(&listing->handle->file, path, "boundary", 3, words);
    for (size_t k = 0; k < n && k < 3; ++k)
        listing->periodic = listing->periodic || strcmp(words[k], "periodic") == 0;
    snprintf(path, sizeof path, "%s/box/edges", listing->group);
    if (ph_h5md_element_open(&listing->handle->file, path, &edges, &forgotten) == PH_OK && edges.value >= 0 &&
        edges.rows > 0) {
        const bool lengths = edges.rank == 1 && edges.shape[0] == 3;
        const bool vectors = edges.rank == 2 && edges.shape[0] == 3 && edges.shape[1] == 3;
        if ((lengths || vectors) &&
            ph_h5md_element_read(&listing->handle->file, &edges, edges.rows - 1, numbers, &forgotten) == PH_OK)
            for (int k = 0; k < 9; ++k)
                listing->edge[k / 3][k % 3] = vectors ? numbers[k] : (k % 4 == 0 ? numbers[k / 4] : 0.0);
    }
    ph_h5md_element_close(&edges);
}

static enum ph_status read_particles(struct ph_listing *listing, struct ph_error *err)
{
    const enum ph_status status = ph_h5md_find_particles(&listing->handle->file, listing->group, err);
    if (status != PH_OK || listing->group[0] == '\0')
        return status;
    char path[PH_H5MD_PATH];
    snprintf(path, sizeof path, "%s/position", listing->group);
    const struct ph_listing_element *position = ph_listing_find(listing, path);
    if (position) {
        listing->n_particles = position->width / 3;
        listing->n_frames = position->rows;
        int64_t *steps = NULL;
        double *times = NULL;
        struct ph_error forgotten;
        if (position->rows > 0 && ph_listing_clock(listing, position, &steps, &times, &forgotten) == PH_OK) {
            listing->time[0] = times[0];
            listing->time[1] = times[position->rows - 1];
        }
        free(steps);
        free(times);
    }
    read_box(listing);
    const hid_t bodies = ph_h5md_exists(&listing->handle->file, "rigid_bodies") > 0
                             ? H5Gopen2(listing->handle->file.id, "rigid_bodies", H5P_DEFAULT)
                             : -1;
    if (bodies >= 0) {
        H5Literate(bodies, H5_INDEX_NAME, H5_ITER_INC, NULL, visit_body, listing);
        H5Gclose(bodies);
    }
    listing->bodies = listing->n_kinds > 0;
    if (listing->bodies)
        qsort(listing->kinds, listing->n_kinds, sizeof *listing->kinds, compare_kinds);
    else
        count_species(listing);
    return PH_OK;
}

enum ph_status ph_listing_open(const char *file, struct ph_listing *listing, struct ph_error *err)
{
    *listing = (struct ph_listing){.name = file, .time = {NAN, NAN}, .production = -1, .hash_step = -1};
    const unsigned long refusals = ph_refusals();
    struct stat about;
    listing->handle = ph_allocate(1, sizeof *listing->handle);
    if (!listing->handle)
        return ph_error_set(err, PH_ERR_MEMORY, "No memory to look at %s.", file);
    ph_h5_quiet_begin();
    enum ph_status status = ph_h5md_open(file, &listing->handle->file, err);
    if (status == PH_OK && stat(file, &about) == 0)
        listing->bytes = (long long)about.st_size;
    if (status == PH_OK)
        status = read_h5md(listing, err);
    if (status == PH_OK)
        status = ph_listing_find_elements(listing, err);
    if (status == PH_OK)
        status = read_particles(listing, err);
    if (status == PH_OK && ph_h5md_exists(&listing->handle->file, "parameters/production_begins_at_step") > 0)
        ph_h5_get_integer(listing->handle->file.id, "parameters/production_begins_at_step", NULL, H5T_NATIVE_INT64,
                          &listing->production);
    if (status == PH_OK && ph_h5md_exists(&listing->handle->file, "parameters/state_hash_at_step") > 0 &&
        ph_h5_get_integer(listing->handle->file.id, "parameters/state_hash", NULL, H5T_NATIVE_UINT64, &listing->hash))
        ph_h5_get_integer(listing->handle->file.id, "parameters/state_hash_at_step", NULL, H5T_NATIVE_INT64,
                          &listing->hash_step);
    return ph_status_since(refusals, status, file, err); /* what was left out may be there */
}

void ph_listing_close(struct ph_listing *listing)
{
    if (listing->handle) {
        if (listing->handle->file.id >= 0)
            H5Fclose(listing->handle->file.id);
        ph_h5_quiet_end();
    }
    free(listing->handle);
    free(listing->creator);
    free(listing->creator_version);
    free(listing->author);
    free(listing->elements);
    free(listing->kinds);
}
