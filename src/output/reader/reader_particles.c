/* SPDX-License-Identifier: MIT */
/* Particles of a file one by one, with names, and their frames, for exports and analyses */
#include "output/reader/reader.h"

#include "base/memory.h"
#include "base/plain.h"
#include "output/reader/elements.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Atomic numbers of the kinds, where our files have them; else 0 */
static void read_numbers(const struct ph_reader *reader, size_t n, double *numbers)
{
    struct ph_h5md_element element;
    struct ph_error forgotten;
    if (ph_h5md_element_open(&reader->file, &element, &forgotten, "parameters/vmd_structure/atomicnumber") != PH_OK ||
        element.value < 0 || element.rank != 1 || element.shape[0] != n ||
        ph_h5md_element_read(&element, 0, numbers, &forgotten) != PH_OK)
        memset(numbers, 0, n * sizeof *numbers);
    ph_h5md_element_close(&element);
}

/* One word, whatever the file calls it */
static void set_name(char to[PH_READER_NAME], const char *name)
{
    snprintf(to, PH_READER_NAME, "%.31s", name[0] ? name : "X");
    for (char *c = to; *c; ++c)
        if (*c == ' ' || *c == '\t' || *c == '"')
            *c = '_';
}

static enum ph_status name_particles(struct ph_reader *reader, struct ph_error *err)
{
    char(*names)[PH_READER_NAME];
    double *species;
    enum ph_status status = ph_reader_species(reader, reader->n_particles, NULL, 0, false, &species, err);
    if (status != PH_OK)
        return status;
    const size_t n_names = ph_reader_names(reader, &names);
    double *numbers = ph_allocate(n_names + 1, sizeof *numbers);
    if (numbers)
        read_numbers(reader, n_names, numbers);
    for (size_t i = 0; i < reader->n_particles; ++i) {
        char name[PH_READER_NAME] = "X";
        const bool known = species && species[i] >= 0.0 && species[i] < (double)n_names;
        if (known)
            strcpy(name, names[(size_t)species[i]]);
        else if (species)
            ph_snprintf(name, sizeof name, "species_%.0f", species[i]);
        set_name(reader->name[i], name);
        reader->number[i] = known && numbers && numbers[(size_t)species[i]] > 0.0 ? (int)numbers[(size_t)species[i]]
                                                                                  : ph_element_number(name);
        reader->residue[i] = (int32_t)i;
        strcpy(reader->molecule[i], reader->name[i]);
    }
    free(numbers);
    free(names);
    free(species);
    return PH_OK;
}

/* Sites belong to molecules. */
static void group_sites(struct ph_reader *reader)
{
    int32_t molecule = 0;
    for (size_t k = 0; k < reader->n_kinds && reader->bodies; ++k) {
        const struct ph_reader_kind *kind = &reader->kinds[k];
        for (size_t m = 0; m < kind->n; ++m, ++molecule)
            for (size_t a = 0; a < kind->n_sites; ++a) {
                const size_t i = kind->first + m * kind->n_sites + a;
                if (i >= reader->n_particles)
                    return;
                reader->residue[i] = molecule;
                set_name(reader->molecule[i], kind->name);
            }
    }
}

static enum ph_status open_particles(struct ph_reader *reader, struct ph_error *err)
{
    const char *file = reader->file.name;
    const size_t n = reader->n_particles;
    if (n == 0)
        return ph_error_set(err, PH_ERR_INPUT, "%s: has no positions of particles.", file);
    enum ph_status status = ph_reader_element(reader, "position", &reader->position, err);
    if (status == PH_OK)
        status = ph_reader_element(reader, "box/edges", &reader->edges, err);
    if (status == PH_OK && (reader->position.rank != 2 || reader->position.shape[1] != 3))
        return ph_error_set(err, PH_ERR_INPUT, "%s: %s does not have three numbers for each particle.", file,
                            reader->position.path);
    reader->name = calloc(n, sizeof *reader->name);
    reader->molecule = calloc(n, sizeof *reader->molecule);
    reader->residue = calloc(n, sizeof *reader->residue);
    reader->number = calloc(n, sizeof *reader->number);
    if (!reader->name || !reader->molecule || !reader->residue || !reader->number)
        return ph_no_memory(err, "the %zu particles of %s", n, file);
    if (status == PH_OK)
        status = name_particles(reader, err);
    group_sites(reader);
    return status;
}

enum ph_status ph_reader_open_particles(const char *file, struct ph_reader *reader, struct ph_error *err)
{
    const enum ph_status status = ph_reader_open(file, reader, err);
    return status == PH_OK ? open_particles(reader, err) : status;
}

enum ph_status ph_reader_lend_particles(const struct ph_reader *open, struct ph_reader *reader, struct ph_error *err)
{
    *reader = *open;
    reader->is_lent = true;
    reader->position = reader->edges = (struct ph_h5md_element){.value = -1};
    reader->name = reader->molecule = NULL;
    reader->residue = NULL;
    reader->number = NULL;
    return open_particles(reader, err);
}

enum ph_status ph_reader_frame(const struct ph_reader *reader, int64_t frame, size_t *row, struct ph_error *err)
{
    const int64_t n = (int64_t)reader->position.rows;
    if (n == 0)
        return ph_error_set(err, PH_ERR_INPUT, "%s: %s has no frames: at least one is needed.", reader->file.name,
                            reader->position.path);
    if (frame < -n || frame >= n)
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s: there is no frame %" PRId64 ": it has %" PRId64 ", from 0 to %" PRId64
                            ", or backwards from -1 to %" PRId64 ".",
                            reader->file.name, frame, n, n - 1, -n);
    *row = (size_t)(frame < 0 ? frame + n : frame);
    return PH_OK;
}

const int64_t *ph_reader_step(const struct ph_reader *reader, size_t row)
{
    return reader->position.step ? &reader->position.step[row] : NULL;
}

size_t ph_reader_row(const struct ph_reader *reader, const struct ph_h5md_element *element, size_t row)
{
    return ph_h5md_element_row(element, ph_reader_step(reader, row), row);
}

void ph_frame_range_within(const struct ph_frame_range *range, size_t n, size_t *first, size_t *end, size_t *stride)
{
    const int64_t count = (int64_t)n;
    int64_t from = range->has_first ? range->first : 0, to = range->has_end ? range->end : count;
    from += from < 0 ? count : 0;
    to += to < 0 ? count : 0;
    *first = (size_t)(from < 0 ? 0 : from);
    *end = (size_t)(to < 0 ? 0 : (to > count ? count : to));
    *stride = (size_t)(range->stride > 0 ? range->stride : 1);
}
