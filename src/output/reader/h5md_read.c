/* SPDX-License-Identifier: MIT */
#include "output/reader/h5md_read.h"

#include "base/memory.h"
#include "output/reader/h5md_frame.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A request that is being met */
struct job {
    const struct ph_h5md_request *request;
    struct ph_h5md_reading reading;
    bool found[PH_H5MD_QUANTITIES];   /* somewhere */
    bool missing[PH_H5MD_QUANTITIES]; /* for some molecules that need it */
};

static bool has_body(const struct job *job, size_t s, char path[PH_H5MD_PATH])
{
    snprintf(path, PH_H5MD_PATH, "rigid_bodies/%s", job->request->species[s].name);
    return ph_h5md_exists(&job->reading.reader.file, path) > 0;
}

/* The frame's row and step from the element that counts frames */
static enum ph_status choose_frame(struct job *job)
{
    struct ph_h5md_reading *reading = &job->reading;
    const enum ph_status status = ph_reader_frame(&reading->reader, job->request->frame, &reading->row, reading->err);
    if (status != PH_OK)
        return status;
    const int64_t *step = ph_reader_step(&reading->reader, reading->row);
    char *moment = reading->frame->moment;
    const size_t room = sizeof reading->frame->moment;
    const int used = snprintf(moment, room, "frame %zu", reading->row);
    if (step)
        snprintf(moment + used, room - (size_t)used, " (step %" PRId64 ")", *step);
    return PH_OK;
}

/* Copies rows of a quantity to lines of the frame; `from` may be NULL. */
static void fill(struct job *job, enum ph_h5md_quantity quantity, const double *from, size_t n, size_t line)
{
    struct ph_frame *frame = job->reading.frame;
    double *const to[] = {&frame->position[0][0], &frame->orientation[0][0], &frame->velocity[0][0],
                          &frame->angular_momentum[0][0]};
    const size_t width = ph_h5md_kinds[quantity].width;
    const double factor = pow(job->reading.scale, ph_h5md_kinds[quantity].length);
    job->found[quantity] = job->found[quantity] || (from && n > 0);
    for (size_t k = 0; k < n * width && from; ++k)
        if (quantity == PH_H5MD_IMAGE)
            (&frame->image[0][0])[line * width + k] = (int32_t)fmax(fmin(from[k], INT32_MAX), INT32_MIN);
        else
            to[quantity][line * width + k] = factor * from[k];
}

static enum ph_status fill_from_body(struct job *job, size_t s, const char *body, size_t line)
{
    const size_t n = job->request->counts[s];
    enum ph_status status = ph_h5md_check_body(&job->reading, &job->request->species[s], body);
    for (int quantity = 0; quantity < PH_H5MD_QUANTITIES && status == PH_OK; ++quantity) {
        double *rows;
        status = ph_h5md_read_quantity(&job->reading, body, (enum ph_h5md_quantity)quantity, true, n, &rows);
        if (status == PH_OK && quantity == PH_H5MD_POSITION && !rows)
            status = ph_error_set(job->reading.err, PH_ERR_INPUT, "%s: %s/center is missing.",
                                  job->reading.reader.file.name, body);
        if (status != PH_OK)
            break;
        fill(job, (enum ph_h5md_quantity)quantity, rows, n, line);
        const bool wanted = quantity != PH_H5MD_ANGULAR_MOMENTUM || job->request->species[s].degrees > 0;
        job->missing[quantity] = job->missing[quantity] || (wanted && n > 0 && !rows);
        free(rows);
    }
    return status;
}

/* Rows of one kind, molecule by molecule, are of one species of the file. */
static enum ph_status check_order(struct job *job, const double *kinds, size_t s, size_t first, size_t per)
{
    for (size_t k = per; k < per * job->request->counts[s]; ++k)
        if (kinds[first + k] != kinds[first + k - per])
            return ph_error_set(job->reading.err, PH_ERR_INPUT,
                                "%s: %s/species is %g in row %zu and %g in row %zu, where the input has the same site "
                                "of '%s': molecules must be in the order of the input, sites in that of the model.",
                                job->reading.reader.file.name, job->reading.reader.group, kinds[first + k - per],
                                first + k - per, kinds[first + k], first + k, job->request->species[s].name);
    return PH_OK;
}

/* All species that have no rigid body, from the n rows of particles */
static enum ph_status fill_from_particles(struct job *job, enum ph_frame_lines lines, size_t n,
                                          const size_t *first_line)
{
    const struct ph_h5md_request *request = job->request;
    double *kinds;
    const struct ph_h5md_reading *reading = &job->reading;
    enum ph_status status = ph_reader_species(&reading->reader, n, ph_reader_step(&reading->reader, reading->row),
                                              reading->row, true, &kinds, reading->err);
    for (int quantity = 0; quantity < PH_H5MD_QUANTITIES && status == PH_OK; ++quantity) {
        double *rows;
        char body[PH_H5MD_PATH];
        status = ph_h5md_read_quantity(&job->reading, job->reading.reader.group, (enum ph_h5md_quantity)quantity, false,
                                       n, &rows);
        for (size_t s = 0, row = 0; s < request->n_species && status == PH_OK; ++s) {
            const struct ph_species *species = &request->species[s];
            const size_t per = ph_frame_lines_of(species, lines), n_rows = per * request->counts[s];
            const bool sites = job->reading.frame->lines[s] != PH_LINES_MOLECULES;
            if (!has_body(job, s, body)) {
                if (quantity == PH_H5MD_POSITION && kinds)
                    status = check_order(job, kinds, s, row, per);
                if (!sites || quantity == PH_H5MD_POSITION || quantity == PH_H5MD_VELOCITY) {
                    fill(job, (enum ph_h5md_quantity)quantity, rows ? rows + row * ph_h5md_kinds[quantity].width : NULL,
                         n_rows, first_line[s]);
                    const bool needed = n_rows > 0 && (quantity != PH_H5MD_ANGULAR_MOMENTUM || species->degrees > 0);
                    job->missing[quantity] = job->missing[quantity] || (needed && !rows);
                }
            }
            row += n_rows;
        }
        free(rows);
    }
    free(kinds);
    return status;
}

/* Finds the meaning of the rows of particles from their number; `needed`: no rigid bodies stand for some species */
static enum ph_status find_lines(struct job *job, const struct ph_h5md_element *position, bool needed,
                                 enum ph_frame_lines *lines)
{
    const struct ph_h5md_request *request = job->request;
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
    return ph_error_set(job->reading.err, PH_ERR_INPUT,
                        "%s: a frame of %s is %s; the input has %zu molecules with %zu sites, %zu of them with mass, "
                        "and the file must have [n][3] with one of these numbers.",
                        job->reading.reader.file.name, position->path, shape, totals[0], totals[1], totals[2]);
}

static enum ph_status allocate(struct job *job)
{
    struct ph_frame *frame = job->reading.frame;
    const size_t n = frame->n + 1;
    frame->position = calloc(n, sizeof *frame->position);
    frame->orientation = calloc(n, sizeof *frame->orientation);
    frame->velocity = calloc(n, sizeof *frame->velocity);
    frame->angular_momentum = calloc(n, sizeof *frame->angular_momentum);
    frame->image = calloc(n, sizeof *frame->image);
    if (frame->position && frame->orientation && frame->velocity && frame->angular_momentum && frame->image)
        return PH_OK;
    return ph_no_memory(job->reading.err, "the %zu rows of %s", frame->n, job->reading.reader.file.name);
}

/* Arrays that turned out empty, or not complete where all is needed */
static void drop_missing(struct job *job)
{
    struct ph_frame *frame = job->reading.frame;
    if (!job->found[PH_H5MD_ORIENTATION]) {
        free(frame->orientation);
        frame->orientation = NULL;
    }
    if (!job->found[PH_H5MD_IMAGE]) {
        free(frame->image);
        frame->image = NULL;
    }
    if (!job->found[PH_H5MD_VELOCITY] || job->missing[PH_H5MD_VELOCITY]) {
        free(frame->velocity);
        frame->velocity = NULL;
    }
    if (!job->found[PH_H5MD_ANGULAR_MOMENTUM] || job->missing[PH_H5MD_ANGULAR_MOMENTUM]) {
        free(frame->angular_momentum);
        frame->angular_momentum = NULL;
    }
}

static enum ph_status fill_frame(struct job *job, bool needed)
{
    const struct ph_h5md_request *request = job->request;
    struct ph_frame *frame = job->reading.frame;
    enum ph_frame_lines lines;
    char body[PH_H5MD_PATH];
    const struct ph_h5md_element *position = &job->reading.reader.position;
    enum ph_status status = find_lines(job, position, needed, &lines);
    if (status != PH_OK)
        return status;
    size_t *first_line = calloc(request->n_species + 1, sizeof *first_line);
    frame->lines = calloc(request->n_species + 1, sizeof *frame->lines);
    if (!first_line || !frame->lines) {
        free(first_line);
        return ph_no_memory(job->reading.err, "%zu species", request->n_species);
    }
    for (size_t s = 0; s < request->n_species; ++s) {
        const struct ph_species *species = &request->species[s];
        const bool whole = has_body(job, s, body) || ph_species_single_site(species);
        frame->lines[s] = whole ? PH_LINES_MOLECULES : lines;
        first_line[s] = frame->n;
        frame->n += ph_frame_lines_of(species, frame->lines[s]) * request->counts[s];
    }
    status = allocate(job);
    if (status == PH_OK && needed)
        status = fill_from_particles(job, lines, position->shape[0], first_line);
    for (size_t s = 0; s < request->n_species && status == PH_OK; ++s)
        if (has_body(job, s, body))
            status = fill_from_body(job, s, body, first_line[s]);
    free(first_line);
    if (status == PH_OK)
        drop_missing(job);
    return status;
}

static enum ph_status read_file(struct job *job)
{
    const struct ph_h5md_request *request = job->request;
    struct ph_reader *reader = &job->reading.reader;
    struct ph_error *err = job->reading.err;
    static const char *const roots[] = {"particles", "rigid_bodies"};
    for (int k = 0; k < 2; ++k)
        if (ph_h5md_exists(&reader->file, roots[k]) < 0)
            return ph_h5md_damaged(&reader->file, roots[k], err);
    enum ph_status status = ph_reader_find_particles(reader, err);
    if (status != PH_OK)
        return status;
    bool needed = false;
    char body[PH_H5MD_PATH];
    for (size_t s = 0; s < request->n_species; ++s)
        needed = needed || (request->counts[s] > 0 && !has_body(job, s, body));
    if (reader->group[0] != '\0')
        status = ph_reader_element(reader, "position", &reader->position, err);
    if (status == PH_OK && reader->position.value < 0 && !needed && request->n_species > 0) {
        has_body(job, 0, body);
        status = ph_h5md_element_open(&reader->file, &reader->position, err, "%s/center", body);
    }
    if (status == PH_OK && reader->position.value < 0)
        status =
            ph_error_set(err, PH_ERR_INPUT, "%s: %s is missing: an H5MD file with positions of particles%s is needed.",
                         reader->file.name, reader->group[0] ? reader->position.path : "particles/trajectory",
                         needed ? "" : " or rigid bodies");
    if (status == PH_OK)
        status = choose_frame(job);
    if (status == PH_OK)
        status = ph_h5md_read_box(&job->reading);
    return status == PH_OK ? fill_frame(job, needed) : status;
}

enum ph_status ph_h5md_read(const char *file, const struct ph_h5md_request *request, struct ph_frame *frame,
                            struct ph_error *err)
{
    *frame = (struct ph_frame){.needs = "orientations of particles or of rigid_bodies, or the positions of several "
                                        "sites"};
    snprintf(frame->file, sizeof frame->file, "%s", file);
    const unsigned long refusals = ph_refusals();
    struct job job = {.request = request,
                      .reading = {.frame = frame, .scale = request->scale, .momenta = request->momenta, .err = err}};
    enum ph_status status = ph_reader_open_file(file, &job.reading.reader, err);
    frame->unsealed = job.reading.reader.unsealed;
    if (status == PH_OK)
        status = read_file(&job);
    ph_reader_close(&job.reading.reader);
    status = ph_status_since(refusals, status, file, err); /* data that seem to be missing may be there */
    if (status != PH_OK)
        ph_frame_free(frame);
    return status;
}
