/* SPDX-License-Identifier: MIT */
/* What exports write of each particle beside its place */
#include "base/memory.h"
#include "base/vec3.h"
#include "output/export/export_frames.h"

#include <stdlib.h>
#include <string.h>

enum ph_status ph_export_vectors_open(const struct ph_reader *reader, const char *name, size_t width,
                                      struct ph_export_vectors *vectors, struct ph_error *err)
{
    const enum ph_status status = ph_reader_element(reader, name, &vectors->element, err);
    vectors->width = width;
    if (status != PH_OK || vectors->element.value < 0)
        return status;
    if (!ph_h5md_element_is(&vectors->element, reader->n_particles, width)) { /* not one for each */
        ph_h5md_element_close(&vectors->element);
        return PH_OK;
    }
    vectors->numbers = calloc(reader->n_particles + 1, width * sizeof(double));
    return vectors->numbers ? PH_OK : ph_no_memory(err, "%zu particles", reader->n_particles);
}

static size_t row_of(const struct ph_export_frames *frames, size_t row, const struct ph_export_vectors *vectors)
{
    return ph_reader_row(&frames->reader, &vectors->element, row);
}

enum ph_status ph_export_vectors_read(const struct ph_export_frames *frames, double factor,
                                      struct ph_export_vectors *vectors, struct ph_error *err)
{
    vectors->known = false;
    if (!vectors->numbers)
        return PH_OK;
    const size_t row = row_of(frames, frames->row, vectors), width = vectors->width;
    if (row >= vectors->element.rows)
        return PH_OK;
    const enum ph_status status = ph_h5md_element_read(&vectors->element, row, vectors->numbers, err);
    for (size_t i = 0; i < frames->reader.n_particles && status == PH_OK; ++i) {
        double *v = vectors->numbers + width * i;
        const double old[4] = {v[0], v[1], v[2]};
        const bool turned = frames->turned && width == 3 && !vectors->body;
        for (size_t k = 0; k < width; ++k)
            v[k] = factor * (turned ? ph_vec3_dot(frames->axis[k], old) : v[k]);
    }
    vectors->known = status == PH_OK;
    return status;
}

bool ph_export_vectors_always(const struct ph_export_frames *frames, const struct ph_export_vectors *vectors)
{
    for (size_t k = 0; k < frames->n && vectors->numbers; ++k)
        if (row_of(frames, frames->first + k * frames->stride, vectors) >= vectors->element.rows)
            return false;
    return vectors->numbers != NULL;
}

void ph_export_vectors_close(struct ph_export_vectors *vectors)
{
    ph_h5md_element_close(&vectors->element);
    free(vectors->numbers);
    vectors->numbers = NULL;
}

enum ph_status ph_export_numbers(const struct ph_reader *reader, const char *name, double **out, struct ph_error *err)
{
    struct ph_h5md_element element;
    enum ph_status status = ph_reader_element(reader, name, &element, err);
    *out = NULL;
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

enum ph_status ph_export_types_find(const struct ph_reader *reader, struct ph_export_types *types, struct ph_error *err)
{
    const size_t n = reader->n_particles;
    *types =
        (struct ph_export_types){.of = calloc(n + 1, sizeof *types->of), .first = calloc(n + 1, sizeof *types->first)};
    if (!types->of || !types->first)
        return ph_no_memory(err, "%zu particles", n);
    for (size_t i = 0; i < n; ++i) {
        size_t t = 0;
        while (t < types->n && !same_type(reader, i, types->first[t]))
            ++t;
        if (t == types->n)
            types->first[types->n++] = i;
        types->of[i] = t;
    }
    return PH_OK;
}

void ph_export_types_free(struct ph_export_types *types)
{
    free(types->of);
    free(types->first);
}
