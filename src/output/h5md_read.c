/* SPDX-License-Identifier: MIT */
#include "output/h5md_read.h"

#include "base/memory.h"
#include "output/h5_tools.h"
#include "output/h5md_frame.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ph_h5md_is(const char *file)
{
    const char *dot = strrchr(file, '.');
    if (dot && (strcmp(dot, ".h5md") == 0 || strcmp(dot, ".h5") == 0))
        return true;
    FILE *stream = fopen(file, "rb");
    char begin[4] = "";
    const bool good = stream && fread(begin, 1, sizeof begin, stream) == sizeof begin;
    if (stream)
        fclose(stream);
    return good && memcmp(begin, "\211HDF", sizeof begin) == 0;
}

static bool has_body(const struct ph_h5md_reader *reader, size_t s, char path[PH_H5MD_PATH])
{
    snprintf(path, PH_H5MD_PATH, "rigid_bodies/%s", reader->request->species[s].name);
    return ph_h5md_exists(&reader->file, path) > 0;
}

/* The frame's row and step from the element that counts frames */
static enum ph_status choose_frame(struct ph_h5md_reader *reader, const struct ph_h5md_element *element)
{
    const int64_t wanted = reader->request->frame, n = (int64_t)element->rows;
    if (n == 0)
        return ph_error_set(reader->err, PH_ERR_INPUT, "%s: %s has no frames: at least one is needed.",
                            reader->file.name, element->path);
    if (wanted >= n || wanted < -n)
        return ph_error_set(reader->err, PH_ERR_INPUT,
                            "%s: there is no frame %" PRId64 ": %s has %" PRId64 ", from 0 to %" PRId64
                            ", or backwards from -1 to %" PRId64 ".",
                            reader->file.name, wanted, element->path, n, n - 1, -n);
    reader->row = (size_t)(wanted < 0 ? wanted + n : wanted);
    reader->stepped = element->step != NULL;
    reader->step = reader->stepped ? element->step[reader->row] : 0;
    int used = snprintf(reader->frame->moment, sizeof reader->frame->moment, "frame %zu", reader->row);
    if (reader->stepped)
        snprintf(reader->frame->moment + used, sizeof reader->frame->moment - (size_t)used, " (step %" PRId64 ")",
                 reader->step);
    return PH_OK;
}

/* Copies rows of a quantity to lines of the frame; `from` may be NULL. */
static void fill(struct ph_h5md_reader *reader, enum ph_h5md_quantity quantity, const double *from, size_t n,
                 size_t line)
{
    struct ph_frame *frame = reader->frame;
    double *const to[] = {&frame->position[0][0], &frame->orientation[0][0], &frame->velocity[0][0],
                          &frame->angular_momentum[0][0]};
    const size_t width = ph_h5md_kinds[quantity].width;
    const double factor = pow(reader->request->scale, ph_h5md_kinds[quantity].length);
    reader->found[quantity] = reader->found[quantity] || (from && n > 0);
    for (size_t k = 0; k < n * width && from; ++k)
        if (quantity == PH_H5MD_IMAGE)
            (&frame->image[0][0])[line * width + k] = (int32_t)fmax(fmin(from[k], INT32_MAX), INT32_MIN);
        else
            to[quantity][line * width + k] = factor * from[k];
}

static enum ph_status fill_from_body(struct ph_h5md_reader *reader, size_t s, const char *body, size_t line)
{
    const size_t n = reader->request->counts[s];
    enum ph_status status = ph_h5md_check_body(reader, s, body);
    for (int quantity = 0; quantity < PH_H5MD_QUANTITIES && status == PH_OK; ++quantity) {
        double *rows;
        status = ph_h5md_read_quantity(reader, body, (enum ph_h5md_quantity)quantity, true, n, &rows);
        if (status == PH_OK && quantity == PH_H5MD_POSITION && !rows)
            status = ph_error_set(reader->err, PH_ERR_INPUT, "%s: %s/center is missing.", reader->file.name, body);
        if (status != PH_OK)
            break;
        fill(reader, (enum ph_h5md_quantity)quantity, rows, n, line);
        const bool wanted = quantity != PH_H5MD_ANGULAR_MOMENTUM || reader->request->species[s].degrees > 0;
        reader->missing[quantity] = reader->missing[quantity] || (wanted && n > 0 && !rows);
        free(rows);
    }
    return status;
}

/* Rows of one kind, molecule by molecule, are of one species of the file. */
static enum ph_status check_order(struct ph_h5md_reader *reader, const double *kinds, size_t s, size_t first,
                                  size_t per)
{
    for (size_t k = per; k < per * reader->request->counts[s]; ++k)
        if (kinds[first + k] != kinds[first + k - per])
            return ph_error_set(reader->err, PH_ERR_INPUT,
                                "%s: %s/species is %g in row %zu and %g in row %zu, where the input has the same site "
                                "of '%s': molecules must be in the order of the input, sites in that of the model.",
                                reader->file.name, reader->group, kinds[first + k - per], first + k - per,
                                kinds[first + k], first + k, reader->request->species[s].name);
    return PH_OK;
}

static enum ph_status read_kinds(struct ph_h5md_reader *reader, size_t n, double **kinds)
{
    *kinds = NULL;
    struct ph_h5md_element element;
    char path[PH_H5MD_PATH], shape[64];
    snprintf(path, sizeof path, "%s/species", reader->group);
    enum ph_status status = ph_h5md_element_open(&reader->file, path, &element, reader->err);
    const size_t row = ph_h5md_element_row(&element, reader->stepped ? &reader->step : NULL, reader->row);
    ph_h5md_shape(&element, shape);
    if (status == PH_OK && element.value >= 0 && (element.rank != 1 || element.shape[0] != n))
        status = ph_error_set(reader->err, PH_ERR_INPUT, "%s: %s is %s; needed is [%zu].", reader->file.name, path,
                              shape, n);
    if (status == PH_OK && element.value >= 0 && row < element.rows) {
        *kinds = malloc((n + 1) * sizeof **kinds);
        status = *kinds ? ph_h5md_element_read(&reader->file, &element, row, *kinds, reader->err)
                        : ph_error_set(reader->err, PH_ERR_MEMORY, "No memory for %s.", path);
    }
    ph_h5md_element_close(&element);
    return status;
}

/* All species that have no rigid body, from the n rows of particles */
static enum ph_status fill_from_particles(struct ph_h5md_reader *reader, enum ph_frame_lines lines, size_t n,
                                          const size_t *first_line)
{
    const struct ph_h5md_request *request = reader->request;
    double *kinds;
    enum ph_status status = read_kinds(reader, n, &kinds);
    for (int quantity = 0; quantity < PH_H5MD_QUANTITIES && status == PH_OK; ++quantity) {
        double *rows;
        char body[PH_H5MD_PATH];
        status = ph_h5md_read_quantity(reader, reader->group, (enum ph_h5md_quantity)quantity, false, n, &rows);
        for (size_t s = 0, row = 0; s < request->n_species && status == PH_OK; ++s) {
            const struct ph_species *species = &request->species[s];
            const size_t per = ph_frame_lines_of(species, lines), n_rows = per * request->counts[s];
            const bool sites = reader->frame->lines[s] != PH_LINES_MOLECULES;
            if (!has_body(reader, s, body)) {
                if (quantity == PH_H5MD_POSITION && kinds)
                    status = check_order(reader, kinds, s, row, per);
                if (!sites || quantity == PH_H5MD_POSITION || quantity == PH_H5MD_VELOCITY) {
                    fill(reader, (enum ph_h5md_quantity)quantity,
                         rows ? rows + row * ph_h5md_kinds[quantity].width : NULL, n_rows, first_line[s]);
                    const bool needed = n_rows > 0 && (quantity != PH_H5MD_ANGULAR_MOMENTUM || species->degrees > 0);
                    reader->missing[quantity] = reader->missing[quantity] || (needed && !rows);
                }
            }
            row += n_rows;
        }
        free(rows);
    }
    free(kinds);
    return status;
}

/* What the rows of particles are, by their number; `needed`: no rigid bodies stand for some species */
static enum ph_status find_lines(struct ph_h5md_reader *reader, const struct ph_h5md_element *position, bool needed,
                                 enum ph_frame_lines *lines)
{
    const struct ph_h5md_request *request = reader->request;
    static const enum ph_frame_lines all[] = {PH_LINES_MOLECULES, PH_LINES_SITES, PH_LINES_MASSIVE_SITES};
    size_t totals[3] = {0, 0, 0};
    for (size_t s = 0; s < request->n_species; ++s)
        for (int k = 0; k < 3; ++k)
            totals[k] += ph_frame_lines_of(&request->species[s], all[k]) * request->counts[s];
    *lines = PH_LINES_MOLECULES;
    if (!needed)
        return PH_OK;
    char shape[64];
    ph_h5md_shape(position, shape);
    for (int k = 0; k < 3 && position->rank == 2 && position->shape[1] == 3; ++k)
        if (position->shape[0] == totals[k]) {
            *lines = all[k];
            return PH_OK;
        }
    return ph_error_set(reader->err, PH_ERR_INPUT,
                        "%s: a frame of %s is %s; the input has %zu molecules with %zu sites, %zu of them with mass, "
                        "and the file must have [n][3] with one of these numbers.",
                        reader->file.name, position->path, shape, totals[0], totals[1], totals[2]);
}

static enum ph_status allocate(struct ph_h5md_reader *reader)
{
    struct ph_frame *frame = reader->frame;
    const size_t n = frame->n + 1;
    frame->position = calloc(n, sizeof *frame->position);
    frame->orientation = calloc(n, sizeof *frame->orientation);
    frame->velocity = calloc(n, sizeof *frame->velocity);
    frame->angular_momentum = calloc(n, sizeof *frame->angular_momentum);
    frame->image = calloc(n, sizeof *frame->image);
    if (frame->position && frame->orientation && frame->velocity && frame->angular_momentum && frame->image)
        return PH_OK;
    return ph_error_set(reader->err, PH_ERR_MEMORY, "No memory for the %zu rows of %s.", frame->n, reader->file.name);
}

/* Arrays that turned out empty, or not complete where all is needed */
static void drop_missing(struct ph_h5md_reader *reader)
{
    struct ph_frame *frame = reader->frame;
    if (!reader->found[PH_H5MD_ORIENTATION]) {
        free(frame->orientation);
        frame->orientation = NULL;
    }
    if (!reader->found[PH_H5MD_IMAGE]) {
        free(frame->image);
        frame->image = NULL;
    }
    if (!reader->found[PH_H5MD_VELOCITY] || reader->missing[PH_H5MD_VELOCITY]) {
        free(frame->velocity);
        frame->velocity = NULL;
    }
    if (!reader->found[PH_H5MD_ANGULAR_MOMENTUM] || reader->missing[PH_H5MD_ANGULAR_MOMENTUM]) {
        free(frame->angular_momentum);
        frame->angular_momentum = NULL;
    }
}

static enum ph_status fill_frame(struct ph_h5md_reader *reader, const struct ph_h5md_element *position, bool needed)
{
    const struct ph_h5md_request *request = reader->request;
    struct ph_frame *frame = reader->frame;
    enum ph_frame_lines lines;
    char body[PH_H5MD_PATH];
    enum ph_status status = find_lines(reader, position, needed, &lines);
    if (status != PH_OK)
        return status;
    size_t *first_line = calloc(request->n_species + 1, sizeof *first_line);
    frame->lines = calloc(request->n_species + 1, sizeof *frame->lines);
    if (!first_line || !frame->lines) {
        free(first_line);
        return ph_error_set(reader->err, PH_ERR_MEMORY, "No memory for %zu species.", request->n_species);
    }
    for (size_t s = 0; s < request->n_species; ++s) {
        const struct ph_species *species = &request->species[s];
        const bool whole = has_body(reader, s, body) || ph_species_single_site(species);
        frame->lines[s] = whole ? PH_LINES_MOLECULES : lines;
        first_line[s] = frame->n;
        frame->n += ph_frame_lines_of(species, frame->lines[s]) * request->counts[s];
    }
    status = allocate(reader);
    if (status == PH_OK && needed)
        status = fill_from_particles(reader, lines, position->shape[0], first_line);
    for (size_t s = 0; s < request->n_species && status == PH_OK; ++s)
        if (has_body(reader, s, body))
            status = fill_from_body(reader, s, body, first_line[s]);
    free(first_line);
    if (status == PH_OK)
        drop_missing(reader);
    return status;
}

static enum ph_status read_file(struct ph_h5md_reader *reader)
{
    const struct ph_h5md_request *request = reader->request;
    static const char *const roots[] = {"particles", "rigid_bodies"};
    for (int k = 0; k < 2; ++k)
        if (ph_h5md_exists(&reader->file, roots[k]) < 0)
            return ph_h5md_damaged(&reader->file, roots[k], reader->err);
    enum ph_status status = ph_h5md_find_particles(&reader->file, reader->group, reader->err);
    if (status != PH_OK)
        return status;
    bool needed = false;
    char path[PH_H5MD_PATH], body[PH_H5MD_PATH];
    for (size_t s = 0; s < request->n_species; ++s)
        needed = needed || (request->counts[s] > 0 && !has_body(reader, s, body));
    struct ph_h5md_element counter = {.value = -1};
    snprintf(path, sizeof path, "%s/position", reader->group);
    if (reader->group[0] != '\0')
        status = ph_h5md_element_open(&reader->file, path, &counter, reader->err);
    if (status == PH_OK && counter.value < 0 && !needed && request->n_species > 0) {
        ph_h5md_element_close(&counter);
        has_body(reader, 0, body);
        snprintf(path, sizeof path, "%.150s/center", body);
        status = ph_h5md_element_open(&reader->file, path, &counter, reader->err);
    }
    if (status == PH_OK && counter.value < 0)
        status = ph_error_set(
            reader->err, PH_ERR_INPUT, "%s: %s is missing: an H5MD file with positions of particles%s is needed.",
            reader->file.name, reader->group[0] ? path : "particles/trajectory", needed ? "" : " or rigid bodies");
    if (status == PH_OK)
        status = choose_frame(reader, &counter);
    if (status == PH_OK)
        status = ph_h5md_read_box(reader);
    if (status == PH_OK)
        status = fill_frame(reader, &counter, needed);
    ph_h5md_element_close(&counter);
    return status;
}

enum ph_status ph_h5md_read(const char *file, const struct ph_h5md_request *request, struct ph_frame *frame,
                            struct ph_error *err)
{
    *frame = (struct ph_frame){.needs = "orientations of particles or of rigid_bodies, or the positions of several "
                                        "sites"};
    snprintf(frame->file, sizeof frame->file, "%s", file);
    const unsigned long refusals = ph_refusals();
    ph_h5_quiet_begin();
    struct ph_h5md_reader reader = {.request = request, .frame = frame, .err = err};
    enum ph_status status = ph_h5md_open(file, &reader.file, err);
    if (status == PH_OK) {
        status = read_file(&reader);
        H5Fclose(reader.file.id);
    }
    ph_h5_quiet_end();
    status = ph_status_since(refusals, status, file, err); /* what it seems to lack may be there */
    if (status != PH_OK)
        ph_frame_free(frame);
    return status;
}
