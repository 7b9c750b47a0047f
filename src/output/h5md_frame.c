/* SPDX-License-Identifier: MIT */
#include "output/h5md_frame.h"

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

/* The unit of lengths is that of positions; velocities must have the one that goes with it. */
static enum ph_status check_unit(struct ph_h5md_reader *reader, const struct ph_h5md_element *element,
                                 enum ph_h5md_quantity quantity)
{
    char unit[1][PH_H5MD_WORD] = {""}, path[PH_H5MD_PATH + 8], wanted[2 * PH_H5MD_WORD];
    snprintf(path, sizeof path, element->fixed ? "%s" : "%s/value", element->path);
    if (quantity != PH_H5MD_POSITION && quantity != PH_H5MD_VELOCITY)
        return PH_OK;
    const bool given = ph_h5md_words(&reader->file, path, "unit", 1, unit) == 1;
    if (quantity == PH_H5MD_POSITION) {
        if (reader->frame->unit[0] != '\0' && strcmp(unit[0], reader->frame->unit) != 0)
            return ph_error_set(reader->err, PH_ERR_INPUT, "%s: %s has the unit '%s', other positions '%s'.",
                                reader->file.name, path, unit[0], reader->frame->unit);
        strcpy(reader->frame->unit, unit[0]);
        return PH_OK;
    }
    snprintf(wanted, sizeof wanted, "%s ps-1", reader->frame->unit);
    if (!given || strcmp(unit[0], wanted) == 0)
        return PH_OK;
    return ph_error_set(reader->err, PH_ERR_INPUT,
                        "%s: %s has the unit '%s'; needed is '%s', or a temperature in the input, which draws new "
                        "momenta.",
                        reader->file.name, path, unit[0], reader->frame->unit[0] ? wanted : "none, like the positions");
}

static enum ph_status check_body_frame(struct ph_h5md_reader *reader, const struct ph_h5md_element *element)
{
    char frame[1][PH_H5MD_WORD] = {""}, path[PH_H5MD_PATH + 8];
    snprintf(path, sizeof path, "%s/value", element->path);
    if (ph_h5md_words(&reader->file, element->path, "frame", 1, frame) == 0 && !element->fixed)
        ph_h5md_words(&reader->file, path, "frame", 1, frame);
    if (strcmp(frame[0], "body") == 0)
        return PH_OK;
    return ph_error_set(reader->err, PH_ERR_INPUT,
                        "%s: %s has the attribute frame '%s'; needed is 'body', or a temperature in the input, which "
                        "draws new momenta.",
                        reader->file.name, element->path, frame[0]);
}

enum ph_status ph_h5md_read_quantity(struct ph_h5md_reader *reader, const char *group, enum ph_h5md_quantity quantity,
                                     bool body, size_t n, double **out)
{
    *out = NULL;
    if (ph_h5md_kinds[quantity].momenta && !reader->request->momenta)
        return PH_OK;
    char path[PH_H5MD_PATH], shape[64];
    snprintf(path, sizeof path, "%s/%s", group,
             body ? ph_h5md_kinds[quantity].of_bodies : ph_h5md_kinds[quantity].of_particles);
    struct ph_h5md_element element;
    enum ph_status status = ph_h5md_element_open(&reader->file, path, &element, reader->err);
    const size_t row = ph_h5md_element_row(&element, reader->stepped ? &reader->step : NULL, reader->row);
    const size_t width = ph_h5md_kinds[quantity].width;
    if (status != PH_OK || element.value < 0)
        goto done;
    ph_h5md_shape(&element, shape);
    if (element.rank != 2 || element.shape[0] != n || element.shape[1] != width) {
        status = ph_error_set(reader->err, PH_ERR_INPUT, "%s: a frame of %s is %s; needed is [%zu][%zu].",
                              reader->file.name, path, shape, n, width);
        goto done;
    }
    if (row >= element.rows) { /* momenta and images may be written less often */
        if (quantity == PH_H5MD_POSITION || quantity == PH_H5MD_ORIENTATION)
            status = ph_error_set(reader->err, PH_ERR_INPUT, "%s: %s has %zu rows, and none for %s.", reader->file.name,
                                  path, element.rows, reader->frame->moment);
        goto done;
    }
    status = check_unit(reader, &element, quantity);
    if (status == PH_OK && quantity == PH_H5MD_ANGULAR_MOMENTUM)
        status = check_body_frame(reader, &element);
    if (status != PH_OK)
        goto done;
    *out = malloc((n * width + 1) * sizeof **out);
    status = *out ? ph_h5md_element_read(&reader->file, &element, row, *out, reader->err)
                  : ph_error_set(reader->err, PH_ERR_MEMORY, "No memory for %s of %s.", path, reader->file.name);
    if (status != PH_OK) {
        free(*out);
        *out = NULL;
    }
done:
    ph_h5md_element_close(&element);
    return status;
}

static enum ph_status read_edges(struct ph_h5md_reader *reader)
{
    struct ph_h5md_element element;
    char path[PH_H5MD_PATH], shape[64];
    snprintf(path, sizeof path, "%s/box/edges", reader->group);
    enum ph_status status = ph_h5md_element_open(&reader->file, path, &element, reader->err);
    const size_t row = ph_h5md_element_row(&element, reader->stepped ? &reader->step : NULL, reader->row);
    double edges[9];
    ph_h5md_shape(&element, shape);
    const bool lengths = element.rank == 1 && element.shape[0] == 3;
    const bool vectors = element.rank == 2 && element.shape[0] == 3 && element.shape[1] == 3;
    if (status != PH_OK)
        ;
    else if (element.value < 0)
        status = ph_error_set(reader->err, PH_ERR_INPUT, "%s: %s is missing, but the boundary of the box is periodic.",
                              reader->file.name, path);
    else if (!lengths && !vectors)
        status = ph_error_set(reader->err, PH_ERR_INPUT,
                              "%s: a frame of %s is %s; needed is [3], the lengths, or [3][3], the edge vectors.",
                              reader->file.name, path, shape);
    else if (row >= element.rows)
        status = ph_error_set(reader->err, PH_ERR_INPUT, "%s: %s has %zu rows, and none for %s.", reader->file.name,
                              path, element.rows, reader->frame->moment);
    else
        status = ph_h5md_element_read(&reader->file, &element, row, edges, reader->err);
    for (int k = 0; k < 9 && status == PH_OK; ++k)
        if (vectors || k % 4 == 0)
            reader->frame->edge[k / 3][k % 3] = reader->request->scale * edges[vectors ? k : k / 4];
    ph_h5md_element_close(&element);
    return status;
}

enum ph_status ph_h5md_read_box(struct ph_h5md_reader *reader)
{
    char path[PH_H5MD_PATH], words[3][PH_H5MD_WORD];
    snprintf(path, sizeof path, "%s/box", reader->group);
    if (reader->group[0] == '\0' || ph_h5md_exists(&reader->file, path) == 0)
        return PH_OK;
    const size_t n = ph_h5md_words(&reader->file, path, "boundary", 3, words);
    size_t periodic = 0, open = 0;
    for (size_t k = 0; k < n && k < 3; ++k) {
        periodic += strcmp(words[k], "periodic") == 0;
        open += strcmp(words[k], "none") == 0;
    }
    if ((n != 1 && n != 3) || (periodic != n && open != n))
        return ph_error_set(reader->err, PH_ERR_INPUT,
                            "%s: %s has an attribute boundary of %zu words (%s); needed are three, all 'periodic' or "
                            "all 'none'.",
                            reader->file.name, path, n, n == 0 ? "missing" : words[0]);
    reader->frame->periodic = periodic == n;
    return periodic == n ? read_edges(reader) : PH_OK;
}

/* A fixed data set that says what a model is, if the file has it, must agree with ours. */
static enum ph_status check_model(struct ph_h5md_reader *reader, const char *body, const char *name, size_t n,
                                  double scale, const double *ours)
{
    struct ph_h5md_element element;
    char path[PH_H5MD_PATH];
    snprintf(path, sizeof path, "%.150s/%s", body, name);
    enum ph_status status = ph_h5md_element_open(&reader->file, path, &element, reader->err);
    double theirs[3 * PH_SITES_MAX], size = 0.0;
    size_t total = 1;
    for (int k = 0; k < element.rank && total <= n; ++k)
        total *= element.shape[k];
    for (size_t k = 0; k < n; ++k)
        size = fmax(size, fabs(ours[k]));
    const bool there = status == PH_OK && element.value >= 0 && element.rows > 0;
    if (there && total != n)
        status = ph_error_set(reader->err, PH_ERR_INPUT, "%s: %s does not have the %zu numbers that the model has.",
                              reader->file.name, path, n);
    else if (there)
        status = ph_h5md_element_read(&reader->file, &element, 0, theirs, reader->err);
    for (size_t k = 0; k < n && there && status == PH_OK; ++k)
        if (!(fabs(scale * theirs[k] - ours[k]) <= agree * size))
            status = ph_error_set(reader->err, PH_ERR_INPUT,
                                  "%s: number %zu of %s is %.10g, but %.10g in the model of the input: attitudes of "
                                  "another model, or in another body frame, cannot be used.",
                                  reader->file.name, k, path, scale * theirs[k], ours[k]);
    ph_h5md_element_close(&element);
    return status;
}

enum ph_status ph_h5md_check_body(struct ph_h5md_reader *reader, size_t s, const char *body)
{
    const struct ph_species *species = &reader->request->species[s];
    const double scale = reader->request->scale;
    double position[3 * PH_SITES_MAX];
    for (size_t a = 0; a < species->n_sites; ++a)
        memcpy(&position[3 * a], species->site[a].position, sizeof species->site[a].position);
    const enum ph_status status = check_model(reader, body, "inertia", 3, scale * scale, species->inertia);
    if (status != PH_OK)
        return status;
    return check_model(reader, body, "sites/position_body", 3 * species->n_sites, scale, position);
}
