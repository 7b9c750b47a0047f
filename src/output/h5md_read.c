/* SPDX-License-Identifier: MIT */
#include "output/h5md_read.h"

#include "output/h5md_element.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum quantity { POSITION, ORIENTATION, VELOCITY, ANGULAR_MOMENTUM, IMAGE, QUANTITIES };

static const struct {
    const char *of_particles, *of_bodies; /* names of the elements */
    size_t width;
    int length;   /* power of length in its dimension */
    bool momenta; /* read only if wanted */
} quantities[QUANTITIES] = {
    [POSITION] = {"position", "center", 3, 1, false},
    [ORIENTATION] = {"orientation", "orientation", 4, 0, false},
    [VELOCITY] = {"velocity", "velocity", 3, 1, true},
    [ANGULAR_MOMENTUM] = {"angular_momentum", "angular_momentum", 3, 2, true},
    [IMAGE] = {"image", "image", 3, 0, false},
};

/* Agreement of numbers that two programs wrote from one model */
static const double agree = 1e-6;

struct reader {
    struct ph_h5md_file file;
    const struct ph_h5md_request *request;
    struct ph_frame *frame;
    struct ph_error *err;
    char group[PH_H5MD_PATH / 2]; /* of particles; "" if there is none */
    size_t row;                   /* of the frame */
    bool stepped;                 /* the frame has a step */
    int64_t step;
    bool found[QUANTITIES];   /* somewhere */
    bool missing[QUANTITIES]; /* for some molecules that need it */
};

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

static herr_t note_group(hid_t particles, const char *name, const H5L_info_t *info, void *found)
{
    (void)particles;
    (void)info;
    char(*names)[PH_H5MD_WORD] = found;
    if (names[0][0] == '\0' || names[1][0] == '\0')
        snprintf(names[names[0][0] == '\0' ? 0 : 1], PH_H5MD_WORD, "%s", name);
    return 0;
}

/* particles/trajectory, or the only group */
static enum ph_status find_particles(struct reader *reader)
{
    reader->group[0] = '\0';
    if (ph_h5md_exists(&reader->file, "particles/trajectory") > 0) {
        strcpy(reader->group, "particles/trajectory");
        return PH_OK;
    }
    char names[2][PH_H5MD_WORD] = {"", ""};
    if (ph_h5md_exists(&reader->file, "particles") > 0) {
        const hid_t group = H5Gopen2(reader->file.id, "particles", H5P_DEFAULT);
        if (group >= 0) {
            H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, note_group, names);
            H5Gclose(group);
        }
    }
    if (names[1][0] != '\0')
        return ph_error_set(reader->err, PH_ERR_INPUT,
                            "%s: particles has several groups (%s, %s, ...) and none is called 'trajectory': that one, "
                            "or the only one, is read.",
                            reader->file.name, names[0], names[1]);
    if (names[0][0] != '\0')
        snprintf(reader->group, sizeof reader->group, "particles/%s", names[0]);
    return PH_OK;
}

static bool has_body(const struct reader *reader, size_t s, char path[PH_H5MD_PATH])
{
    snprintf(path, PH_H5MD_PATH, "rigid_bodies/%s", reader->request->species[s].name);
    return ph_h5md_exists(&reader->file, path) > 0;
}

/* The frame's row and step from the element that counts frames */
static enum ph_status choose_frame(struct reader *reader, const struct ph_h5md_element *element)
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

/* The unit of lengths is that of positions; velocities must have the one that goes with it. */
static enum ph_status check_unit(struct reader *reader, const struct ph_h5md_element *element, enum quantity quantity)
{
    char unit[1][PH_H5MD_WORD] = {""}, path[PH_H5MD_PATH + 8], wanted[2 * PH_H5MD_WORD];
    snprintf(path, sizeof path, element->fixed ? "%s" : "%s/value", element->path);
    if (quantity != POSITION && quantity != VELOCITY)
        return PH_OK;
    const bool given = ph_h5md_words(&reader->file, path, "unit", 1, unit) == 1;
    if (quantity == POSITION) {
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

static enum ph_status check_body_frame(struct reader *reader, const struct ph_h5md_element *element)
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

/* n rows of a quantity at the frame's step; *out is NULL if the file has none. The caller frees it. */
static enum ph_status read_quantity(struct reader *reader, const char *group, enum quantity quantity, bool body,
                                    size_t n, double **out)
{
    *out = NULL;
    if (quantities[quantity].momenta && !reader->request->momenta)
        return PH_OK;
    char path[PH_H5MD_PATH], shape[64];
    snprintf(path, sizeof path, "%s/%s", group,
             body ? quantities[quantity].of_bodies : quantities[quantity].of_particles);
    struct ph_h5md_element element;
    enum ph_status status = ph_h5md_element_open(&reader->file, path, &element, reader->err);
    const size_t row = ph_h5md_element_row(&element, reader->stepped ? &reader->step : NULL, reader->row);
    const size_t width = quantities[quantity].width;
    if (status != PH_OK || element.value < 0)
        goto done;
    ph_h5md_shape(&element, shape);
    if (element.rank != 2 || element.shape[0] != n || element.shape[1] != width) {
        status = ph_error_set(reader->err, PH_ERR_INPUT, "%s: a frame of %s is %s; needed is [%zu][%zu].",
                              reader->file.name, path, shape, n, width);
        goto done;
    }
    if (row >= element.rows) { /* momenta and images may be written less often */
        if (quantity == POSITION || quantity == ORIENTATION)
            status = ph_error_set(reader->err, PH_ERR_INPUT, "%s: %s has %zu rows, and none for %s.", reader->file.name,
                                  path, element.rows, reader->frame->moment);
        goto done;
    }
    status = check_unit(reader, &element, quantity);
    if (status == PH_OK && quantity == ANGULAR_MOMENTUM)
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

static enum ph_status read_edges(struct reader *reader)
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

/* A file without a box leaves it to the input. */
static enum ph_status read_box(struct reader *reader)
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
static enum ph_status check_model(struct reader *reader, const char *body, const char *name, size_t n, double scale,
                                  const double *ours)
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

static enum ph_status check_body(struct reader *reader, size_t s, const char *body)
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

/* Copies rows of a quantity to lines of the frame; `from` may be NULL. */
static void fill(struct reader *reader, enum quantity quantity, const double *from, size_t n, size_t line)
{
    struct ph_frame *frame = reader->frame;
    double *const to[] = {&frame->position[0][0], &frame->orientation[0][0], &frame->velocity[0][0],
                          &frame->angular_momentum[0][0]};
    const size_t width = quantities[quantity].width;
    const double factor = pow(reader->request->scale, quantities[quantity].length);
    reader->found[quantity] = reader->found[quantity] || (from && n > 0);
    for (size_t k = 0; k < n * width && from; ++k)
        if (quantity == IMAGE)
            (&frame->image[0][0])[line * width + k] = (int32_t)fmax(fmin(from[k], INT32_MAX), INT32_MIN);
        else
            to[quantity][line * width + k] = factor * from[k];
}

static enum ph_status fill_from_body(struct reader *reader, size_t s, const char *body, size_t line)
{
    const size_t n = reader->request->counts[s];
    enum ph_status status = check_body(reader, s, body);
    for (int quantity = 0; quantity < QUANTITIES && status == PH_OK; ++quantity) {
        double *rows;
        status = read_quantity(reader, body, (enum quantity)quantity, true, n, &rows);
        if (status == PH_OK && quantity == POSITION && !rows)
            status = ph_error_set(reader->err, PH_ERR_INPUT, "%s: %s/center is missing.", reader->file.name, body);
        if (status != PH_OK)
            break;
        fill(reader, (enum quantity)quantity, rows, n, line);
        const bool wanted = quantity != ANGULAR_MOMENTUM || reader->request->species[s].degrees > 0;
        reader->missing[quantity] = reader->missing[quantity] || (wanted && n > 0 && !rows);
        free(rows);
    }
    return status;
}

/* Rows of one kind, molecule by molecule, are of one species of the file. */
static enum ph_status check_order(struct reader *reader, const double *kinds, size_t s, size_t first, size_t per)
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

static enum ph_status read_kinds(struct reader *reader, size_t n, double **kinds)
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
static enum ph_status fill_from_particles(struct reader *reader, enum ph_frame_lines lines, size_t n,
                                          const size_t *first_line)
{
    const struct ph_h5md_request *request = reader->request;
    double *kinds;
    enum ph_status status = read_kinds(reader, n, &kinds);
    for (int quantity = 0; quantity < QUANTITIES && status == PH_OK; ++quantity) {
        double *rows;
        char body[PH_H5MD_PATH];
        status = read_quantity(reader, reader->group, (enum quantity)quantity, false, n, &rows);
        for (size_t s = 0, row = 0; s < request->n_species && status == PH_OK; ++s) {
            const struct ph_species *species = &request->species[s];
            const size_t per = ph_frame_lines_of(species, lines), n_rows = per * request->counts[s];
            const bool sites = reader->frame->lines[s] != PH_LINES_MOLECULES;
            if (!has_body(reader, s, body)) {
                if (quantity == POSITION && kinds)
                    status = check_order(reader, kinds, s, row, per);
                if (!sites || quantity == POSITION || quantity == VELOCITY) {
                    fill(reader, (enum quantity)quantity, rows ? rows + row * quantities[quantity].width : NULL, n_rows,
                         first_line[s]);
                    const bool needed = n_rows > 0 && (quantity != ANGULAR_MOMENTUM || species->degrees > 0);
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
static enum ph_status find_lines(struct reader *reader, const struct ph_h5md_element *position, bool needed,
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

static enum ph_status allocate(struct reader *reader)
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
static void drop_missing(struct reader *reader)
{
    struct ph_frame *frame = reader->frame;
    if (!reader->found[ORIENTATION]) {
        free(frame->orientation);
        frame->orientation = NULL;
    }
    if (!reader->found[IMAGE]) {
        free(frame->image);
        frame->image = NULL;
    }
    if (!reader->found[VELOCITY] || reader->missing[VELOCITY]) {
        free(frame->velocity);
        frame->velocity = NULL;
    }
    if (!reader->found[ANGULAR_MOMENTUM] || reader->missing[ANGULAR_MOMENTUM]) {
        free(frame->angular_momentum);
        frame->angular_momentum = NULL;
    }
}

static enum ph_status fill_frame(struct reader *reader, const struct ph_h5md_element *position, bool needed)
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

static enum ph_status read_file(struct reader *reader)
{
    const struct ph_h5md_request *request = reader->request;
    enum ph_status status = find_particles(reader);
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
        status = read_box(reader);
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
    H5E_auto2_t print;
    void *data;
    H5Eget_auto2(H5E_DEFAULT, &print, &data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* HDF5 would print every failure by itself */
    struct reader reader = {.request = request, .frame = frame, .err = err};
    enum ph_status status = ph_h5md_open(file, &reader.file, err);
    if (status == PH_OK) {
        status = read_file(&reader);
        H5Fclose(reader.file.id);
    }
    H5Eset_auto2(H5E_DEFAULT, print, data);
    if (status != PH_OK)
        ph_frame_free(frame);
    return status;
}
