/* SPDX-License-Identifier: MIT */
#include "output/export_source.h"

#include "base/memory.h"
#include "base/plain.h"
#include "output/elements.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Atomic numbers of the kinds, where our files have them; else 0 */
static void read_numbers(const struct ph_source *source, size_t n, double *numbers)
{
    struct ph_h5md_element element;
    struct ph_error forgotten;
    const struct ph_h5md_file *file = &source->listing.handle->file;
    if (ph_h5md_element_open(file, "parameters/vmd_structure/atomicnumber", &element, &forgotten) != PH_OK ||
        element.value < 0 || element.rank != 1 || element.shape[0] != n ||
        ph_h5md_element_read(file, &element, 0, numbers, &forgotten) != PH_OK)
        memset(numbers, 0, n * sizeof *numbers);
    ph_h5md_element_close(&element);
}

/* One word, whatever the file calls it */
static void set_name(char to[PH_LISTING_NAME], const char *name)
{
    snprintf(to, PH_LISTING_NAME, "%.31s", name[0] ? name : "X");
    for (char *c = to; *c; ++c)
        if (*c == ' ' || *c == '\t' || *c == '"')
            *c = '_';
}

static enum ph_status name_particles(struct ph_source *source, struct ph_error *err)
{
    char(*names)[PH_LISTING_NAME];
    double *species;
    enum ph_status status = ph_listing_species(&source->listing, &species, err);
    if (status != PH_OK)
        return status;
    const size_t n_names = ph_listing_names(&source->listing, &names);
    double *numbers = ph_allocate(n_names + 1, sizeof *numbers);
    if (numbers)
        read_numbers(source, n_names, numbers);
    for (size_t i = 0; i < source->n; ++i) {
        char name[PH_LISTING_NAME] = "X";
        const bool known = species && species[i] >= 0.0 && species[i] < (double)n_names;
        if (known)
            strcpy(name, names[(size_t)species[i]]);
        else if (species)
            ph_snprintf(name, sizeof name, "species_%.0f", species[i]);
        set_name(source->name[i], name);
        source->number[i] = known && numbers && numbers[(size_t)species[i]] > 0.0 ? (int)numbers[(size_t)species[i]]
                                                                                  : ph_element_number(name);
        source->residue[i] = (int32_t)i;
        strcpy(source->molecule[i], source->name[i]);
    }
    free(numbers);
    free(names);
    free(species);
    return PH_OK;
}

/* Sites belong to molecules. */
static void group_sites(struct ph_source *source)
{
    int32_t molecule = 0;
    for (size_t k = 0; k < source->listing.n_kinds && source->listing.bodies; ++k) {
        const struct ph_listing_kind *kind = &source->listing.kinds[k];
        for (size_t m = 0; m < kind->n; ++m, ++molecule)
            for (size_t a = 0; a < kind->n_sites; ++a) {
                const size_t i = kind->first + m * kind->n_sites + a;
                if (i >= source->n)
                    return;
                source->residue[i] = molecule;
                set_name(source->molecule[i], kind->name);
            }
    }
}

enum ph_status ph_source_open(const char *file, struct ph_source *source, struct ph_error *err)
{
    *source = (struct ph_source){.position.value = -1, .edges.value = -1};
    enum ph_status status = ph_listing_open(file, &source->listing, err);
    if (status != PH_OK)
        return status;
    struct ph_listing *listing = &source->listing;
    const size_t n = source->n = listing->n_particles;
    if (n == 0)
        return ph_error_set(err, PH_ERR_INPUT, "%s: has no positions of particles.", file);
    char path[PH_H5MD_PATH];
    snprintf(path, sizeof path, "%s/position", listing->group);
    status = ph_h5md_element_open(&listing->handle->file, path, &source->position, err);
    snprintf(path, sizeof path, "%s/box/edges", listing->group);
    if (status == PH_OK)
        status = ph_h5md_element_open(&listing->handle->file, path, &source->edges, err);
    if (status == PH_OK && (source->position.rank != 2 || source->position.shape[1] != 3))
        return ph_error_set(err, PH_ERR_INPUT, "%s: %s does not have three numbers for each particle.", file,
                            source->position.path);
    source->name = calloc(n, sizeof *source->name);
    source->molecule = calloc(n, sizeof *source->molecule);
    source->residue = calloc(n, sizeof *source->residue);
    source->number = calloc(n, sizeof *source->number);
    if (!source->name || !source->molecule || !source->residue || !source->number)
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for the %zu particles of %s.", n, file);
    if (status == PH_OK)
        status = name_particles(source, err);
    group_sites(source);
    return status;
}

void ph_source_close(struct ph_source *source)
{
    ph_h5md_element_close(&source->position);
    ph_h5md_element_close(&source->edges);
    free(source->name);
    free(source->molecule);
    free(source->residue);
    free(source->number);
    ph_listing_close(&source->listing);
}

enum ph_status ph_source_frame(const struct ph_source *source, int64_t frame, size_t *row, struct ph_error *err)
{
    const int64_t n = (int64_t)source->position.rows;
    if (frame < -n || frame >= n)
        return ph_error_set(err, PH_ERR_INPUT, "%s: there is no frame %" PRId64 ": it has %" PRId64 ".",
                            source->listing.name, frame, n);
    *row = (size_t)(frame < 0 ? frame + n : frame);
    return PH_OK;
}

static size_t row_like(const struct ph_source *source, const struct ph_h5md_element *element, size_t row)
{
    return ph_h5md_element_row(element, source->position.step ? &source->position.step[row] : NULL, row);
}

enum ph_status ph_source_edges(const struct ph_source *source, size_t row, double edge[3][3], bool *known,
                               struct ph_error *err)
{
    const struct ph_h5md_element *edges = &source->edges;
    const bool lengths = edges->rank == 1 && edges->shape[0] == 3;
    const bool vectors = edges->rank == 2 && edges->shape[0] == 3 && edges->shape[1] == 3;
    const size_t at = edges->value >= 0 ? row_like(source, edges, row) : 0;
    double numbers[9] = {0.0};
    *known = source->listing.periodic && edges->value >= 0 && (lengths || vectors) && at < edges->rows;
    if (!*known)
        return PH_OK;
    const enum ph_status status = ph_h5md_element_read(&source->listing.handle->file, edges, at, numbers, err);
    for (int k = 0; k < 9; ++k)
        edge[k / 3][k % 3] = vectors ? numbers[k] : (k % 4 == 0 ? numbers[k / 4] : 0.0);
    return status;
}

enum ph_status ph_source_element(const struct ph_source *source, const char *name, size_t width,
                                 struct ph_h5md_element *element, struct ph_error *err)
{
    char path[PH_H5MD_PATH];
    snprintf(path, sizeof path, "%s/%s", source->listing.group, name);
    const enum ph_status status = ph_h5md_element_open(&source->listing.handle->file, path, element, err);
    if (status == PH_OK && element->value >= 0 &&
        (element->rank != 2 || element->shape[0] != source->n || element->shape[1] != width))
        ph_h5md_element_close(element);
    return status;
}

enum ph_status ph_source_read(const struct ph_source *source, const struct ph_h5md_element *element, size_t row,
                              double *out, bool *known, struct ph_error *err)
{
    const size_t at = element->value >= 0 ? row_like(source, element, row) : 0;
    *known = element->value >= 0 && at < element->rows;
    return *known ? ph_h5md_element_read(&source->listing.handle->file, element, at, out, err) : PH_OK;
}
