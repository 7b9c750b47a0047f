/* SPDX-License-Identifier: MIT */
#include "output/reader/h5md_frame.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct ph_h5md_kind ph_h5md_kinds[PH_H5MD_QUANTITIES] = {
    [PH_H5MD_POSITION] = {"position", "center", 3, 1, false},
    [PH_H5MD_ORIENTATION] = {"orientation", "orientation", 4, 0, false},
    [PH_H5MD_VELOCITY] = {"velocity", "velocity", 3, 1, true},
    [PH_H5MD_ANGULAR_MOMENTUM] = {"angular_momentum", "angular_momentum", 3, 2, true},
    [PH_H5MD_IMAGE] = {"image", "image", 3, 0, false},
};

/* Agreement of numbers that two programs wrote from one model */
static const double agree = 1e-6;

/* Checks units: positions set the unit of lengths, and velocities must have the matching unit. */
static enum ph_status check_unit(struct ph_h5md_reading *reading, const struct ph_h5md_element *element,
                                 enum ph_h5md_quantity quantity)
{
    char unit[1][PH_H5MD_WORD] = {""}, path[PH_H5MD_PATH + 8], wanted[2 * PH_H5MD_WORD];
    snprintf(path, sizeof path, element->fixed ? "%s" : "%s/value", element->path);
    if (quantity != PH_H5MD_POSITION && quantity != PH_H5MD_VELOCITY)
        return PH_OK;
    const bool given = ph_h5md_words(&reading->reader.file, path, "unit", 1, unit) == 1;
    if (quantity == PH_H5MD_POSITION) {
        if (reading->frame->unit[0] != '\0' && strcmp(unit[0], reading->frame->unit) != 0)
            return ph_error_set(reading->err, PH_ERR_INPUT, "%s: %s has the unit '%s', other positions '%s'.",
                                reading->reader.file.name, path, unit[0], reading->frame->unit);
        strcpy(reading->frame->unit, unit[0]);
        return PH_OK;
    }
    snprintf(wanted, sizeof wanted, "%s ps-1", reading->frame->unit);
    if (!given || strcmp(unit[0], wanted) == 0)
        return PH_OK;
    return ph_error_set(
        reading->err, PH_ERR_INPUT,
        "%s: %s has the unit '%s'; needed is '%s', or a temperature in the input, which draws new momenta.",
        reading->reader.file.name, path, unit[0], reading->frame->unit[0] ? wanted : "none, like the positions");
}

static enum ph_status check_body_frame(struct ph_h5md_reading *reading, const struct ph_h5md_element *element)
{
    char frame[1][PH_H5MD_WORD] = {""}, path[PH_H5MD_PATH + 8];
    snprintf(path, sizeof path, "%s/value", element->path);
    if (ph_h5md_words(&reading->reader.file, element->path, "frame", 1, frame) == 0 && !element->fixed)
        ph_h5md_words(&reading->reader.file, path, "frame", 1, frame);
    if (strcmp(frame[0], "body") == 0)
        return PH_OK;
    return ph_error_set(reading->err, PH_ERR_INPUT,
                        "%s: %s has the attribute frame '%s'; needed is 'body', or a temperature in the input, which "
                        "draws new momenta.",
                        reading->reader.file.name, element->path, frame[0]);
}

enum ph_status ph_h5md_read_quantity(struct ph_h5md_reading *reading, const char *group, enum ph_h5md_quantity quantity,
                                     bool body, size_t n, double **out)
{
    *out = NULL;
    if (ph_h5md_kinds[quantity].momenta && !reading->momenta)
        return PH_OK;
    char shape[64];
    const char *name = body ? ph_h5md_kinds[quantity].of_bodies : ph_h5md_kinds[quantity].of_particles;
    struct ph_h5md_element element;
    enum ph_status status = ph_h5md_element_open(&reading->reader.file, &element, reading->err, "%s/%s", group, name);
    const size_t row = ph_reader_row(&reading->reader, &element, reading->row);
    const size_t width = ph_h5md_kinds[quantity].width;
    if (status != PH_OK || element.value < 0)
        goto done;
    ph_h5md_shape(&element, shape);
    if (!ph_h5md_element_is(&element, n, width)) {
        status = ph_error_set(reading->err, PH_ERR_INPUT, "%s: a frame of %s is %s; needed is [%zu][%zu].",
                              reading->reader.file.name, element.path, shape, n, width);
        goto done;
    }
    if (row >= element.rows) { /* momenta and images may be written less often */
        if (quantity == PH_H5MD_POSITION || quantity == PH_H5MD_ORIENTATION)
            status = ph_error_set(reading->err, PH_ERR_INPUT, "%s: %s has %zu rows, and none for %s.",
                                  reading->reader.file.name, element.path, element.rows, reading->frame->moment);
        goto done;
    }
    status = check_unit(reading, &element, quantity);
    if (status == PH_OK && quantity == PH_H5MD_ANGULAR_MOMENTUM)
        status = check_body_frame(reading, &element);
    if (status != PH_OK)
        goto done;
    *out = malloc((n * width + 1) * sizeof **out);
    status = *out ? ph_h5md_element_read(&element, row, *out, reading->err)
                  : ph_no_memory(reading->err, "%s of %s", element.path, reading->reader.file.name);
    if (status != PH_OK) {
        free(*out);
        *out = NULL;
    }
done:
    ph_h5md_element_close(&element);
    return status;
}

static enum ph_status read_edges(struct ph_h5md_reading *reading)
{
    struct ph_reader *reader = &reading->reader;
    const struct ph_h5md_element *edges = &reader->edges;
    char shape[64];
    enum ph_status status = ph_reader_element(reader, "box/edges", &reader->edges, reading->err);
    if (status != PH_OK)
        return status;
    const size_t row = ph_reader_row(reader, edges, reading->row);
    ph_h5md_shape(edges, shape);
    if (edges->value < 0)
        return ph_error_set(reading->err, PH_ERR_INPUT, "%s: %s is missing, but the boundary of the box is periodic.",
                            reader->file.name, edges->path);
    if (!ph_reader_are_edges(edges))
        return ph_error_set(reading->err, PH_ERR_INPUT,
                            "%s: a frame of %s is %s; needed is [3], the lengths, or [3][3], the edge vectors.",
                            reader->file.name, edges->path, shape);
    if (row >= edges->rows)
        return ph_error_set(reading->err, PH_ERR_INPUT, "%s: %s has %zu rows, and none for %s.", reader->file.name,
                            edges->path, edges->rows, reading->frame->moment);
    status = ph_reader_read_edges(edges, row, reading->frame->edge, reading->err);
    for (int k = 0; k < 9; ++k)
        reading->frame->edge[k / 3][k % 3] *= reading->scale;
    return status;
}

enum ph_status ph_h5md_read_box(struct ph_h5md_reading *reading)
{
    const struct ph_reader *reader = &reading->reader;
    const size_t n = reader->n_boundary;
    size_t periodic = 0, open = 0;
    if (!reader->has_box)
        return PH_OK;
    for (size_t k = 0; k < n && k < 3; ++k) {
        periodic += strcmp(reader->boundary[k], "periodic") == 0;
        open += strcmp(reader->boundary[k], "none") == 0;
    }
    if ((n != 1 && n != 3) || (periodic != n && open != n))
        return ph_error_set(reading->err, PH_ERR_INPUT,
                            "%s: %s/box has an attribute boundary of %zu words (%s); needed are three, all 'periodic' "
                            "or all 'none'.",
                            reader->file.name, reader->group, n, n == 0 ? "missing" : reader->boundary[0]);
    reading->frame->periodic = periodic == n;
    return periodic == n ? read_edges(reading) : PH_OK;
}

/* Checks that a fixed data set of a model, if the file has it, agrees with our model. */
static enum ph_status check_model(struct ph_h5md_reading *reading, const char *body, const char *name, size_t n,
                                  double scale, const double *ours)
{
    struct ph_h5md_element element;
    enum ph_status status = ph_h5md_element_open(&reading->reader.file, &element, reading->err, "%s/%s", body, name);
    double theirs[3 * PH_SITES_MAX], size = 0.0;
    for (size_t k = 0; k < n; ++k)
        size = fmax(size, fabs(ours[k]));
    const bool there = status == PH_OK && element.value >= 0 && element.rows > 0;
    if (there && ph_h5md_element_width(&element) != n)
        status = ph_error_set(reading->err, PH_ERR_INPUT, "%s: %s does not have the %zu numbers that the model has.",
                              reading->reader.file.name, element.path, n);
    else if (there)
        status = ph_h5md_element_read(&element, 0, theirs, reading->err);
    for (size_t k = 0; k < n && there && status == PH_OK; ++k)
        if (!(fabs(scale * theirs[k] - ours[k]) <= agree * size))
            status = ph_error_set(reading->err, PH_ERR_INPUT,
                                  "%s: number %zu of %s is %.10g, but %.10g in the model of the input: orientations of "
                                  "another model, or in another body frame, cannot be used.",
                                  reading->reader.file.name, k, element.path, scale * theirs[k], ours[k]);
    ph_h5md_element_close(&element);
    return status;
}

enum ph_status ph_h5md_check_body(struct ph_h5md_reading *reading, const struct ph_species *species, const char *body)
{
    const double scale = reading->scale;
    double position[3 * PH_SITES_MAX];
    for (size_t a = 0; a < species->n_sites; ++a)
        memcpy(&position[3 * a], species->site[a].position, sizeof species->site[a].position);
    const enum ph_status status = check_model(reading, body, "inertia", 3, scale * scale, species->inertia);
    if (status != PH_OK)
        return status;
    return check_model(reading, body, "sites/position_body", 3 * species->n_sites, scale, position);
}
