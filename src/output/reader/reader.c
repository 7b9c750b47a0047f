/* SPDX-License-Identifier: MIT */
#include "output/reader/reader.h"

#include "base/memory.h"
#include "base/plain.h"
#include "output/hdf5/h5_tools.h"
#include "output/hdf5/store.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- elements ---- */

struct gathering {
    struct ph_reader *reader;
    enum ph_status status; /* of the file: damaged, or no memory */
    struct ph_error *err;
    size_t room;
    const char *under; /* path of the group being visited, ending in '/'; or "" */
};

/* Adds an element. Elements of other programs may have any form; unknown forms are left out. */
static void add_element(struct gathering *gathering, const char *path)
{
    struct ph_reader *reader = gathering->reader;
    struct ph_h5md_element element;
    struct ph_error inner;
    char value[PH_H5MD_PATH + 8], unit[1][PH_H5MD_WORD] = {""};
    if (reader->n_elements == gathering->room) {
        const size_t room = 2 * gathering->room + 32;
        struct ph_reader_element *elements = ph_reallocate(reader->elements, room, sizeof *elements);
        if (!elements)
            gathering->status = ph_no_memory(gathering->err, "the elements of %s", reader->file.name);
        if (!elements)
            return;
        reader->elements = elements;
        gathering->room = room;
    }
    const enum ph_status status = ph_h5md_element_open(&reader->file, &element, &inner, "%s", path);
    if (status != PH_OK && status != PH_ERR_INPUT)
        gathering->status = ph_error_set(gathering->err, status, "%s", inner.text);
    if (status == PH_OK && element.value >= 0) {
        struct ph_reader_element *found = &reader->elements[reader->n_elements++];
        *found = (struct ph_reader_element){.rows = element.rows, .stepped = element.step != NULL};
        strcpy(found->path, element.path);
        found->width = ph_h5md_element_width(&element);
        found->numbers = ph_h5md_numbers(&element);
        ph_h5md_shape(&element, found->shape);
        if (element.rank == 0)
            found->shape[0] = '\0';
        snprintf(value, sizeof value, "%s/value", path);
        if (ph_h5md_words(&reader->file, value, "unit", 1, unit) == 1)
            strcpy(found->unit, unit[0]);
        if (H5Aexists_by_name(reader->file.id, path, "every", H5P_DEFAULT) > 0)
            ph_h5_get_integer(reader->file.id, path, "every", H5T_NATIVE_INT64, &found->every);
        if (element.step && element.rows > 0) {
            found->first = element.step[0];
            found->last = element.step[element.rows - 1];
        }
    }
    ph_h5md_element_close(&element);
}

/* Groups with a data set `value` are elements. */
static void consider(struct gathering *gathering, const char *name)
{
    char path[PH_H5MD_PATH], value[PH_H5MD_PATH + 8];
    if (snprintf(path, sizeof path, "%s%s", gathering->under, name) >= PH_H5MD_PATH - 8)
        return;
    snprintf(value, sizeof value, "%s/value", path);
    if (ph_h5md_exists(&gathering->reader->file, value) > 0)
        add_element(gathering, path);
}

static herr_t visit_column(hid_t id, const char *name, const H5L_info_t *info, void *data)
{
    (void)id, (void)info;
    consider(data, name);
    return 0;
}

static enum ph_status find_elements(struct ph_reader *reader, struct ph_error *err)
{
    struct gathering gathering = {.reader = reader, .under = "", .err = err};
    for (size_t k = 0; k < reader->file.n_elements; ++k)
        if (strcmp(reader->file.elements[k], "series") != 0 && strncmp(reader->file.elements[k], "series/", 7) != 0)
            consider(&gathering, reader->file.elements[k]);
    const hid_t series =
        ph_h5md_exists(&reader->file, "series") > 0 ? H5Gopen2(reader->file.id, "series", H5P_DEFAULT) : -1;
    if (series >= 0) {
        gathering.under = "series/";
        if (H5Literate(series, H5_INDEX_CRT_ORDER, H5_ITER_INC, NULL, visit_column, &gathering) < 0)
            H5Literate(series, H5_INDEX_NAME, H5_ITER_INC, NULL, visit_column, &gathering);
        H5Gclose(series);
    }
    return gathering.status;
}

const struct ph_reader_element *ph_reader_find(const struct ph_reader *reader, const char *path)
{
    for (size_t k = 0; k < reader->n_elements; ++k)
        if (strcmp(reader->elements[k].path, path) == 0)
            return &reader->elements[k];
    return NULL;
}

size_t ph_reader_molecules(const struct ph_reader *reader)
{
    size_t n = 0;
    for (size_t k = 0; k < reader->n_kinds && reader->bodies; ++k)
        n += reader->kinds[k].n;
    return reader->bodies ? n : reader->n_particles;
}

/* ---- numbers ---- */

enum ph_status ph_reader_series(const struct ph_reader *reader, const struct ph_reader_element *element,
                                double **values, int64_t **steps, double **times, struct ph_error *err)
{
    struct ph_h5md_element data;
    *values = NULL;
    enum ph_status status = ph_h5md_element_open(&reader->file, &data, err, "%s", element->path);
    if (status == PH_OK && (data.value < 0 || data.rows < element->rows))
        status = ph_error_set(err, PH_ERR_INPUT, "%s: %s was changed meanwhile.", reader->file.name, data.path);
    if (status == PH_OK)
        status = ph_h5md_element_rows(&data, values, err);
    if (status == PH_OK && steps) {
        status = ph_h5md_element_times(&data, times, err);
        *steps = data.step;
        data.step = NULL;
        if (status == PH_OK && (!*steps || !*times))
            status = ph_error_set(err, PH_ERR_INPUT, "%s: %s has no steps or no times.", reader->file.name, data.path);
    }
    ph_h5md_element_close(&data);
    return status;
}

char *ph_reader_text(const struct ph_reader *reader, const char *name)
{
    char path[PH_H5MD_PATH];
    snprintf(path, sizeof path, "parameters/%s", name);
    return ph_h5md_exists(&reader->file, path) > 0 ? ph_h5_get_text(reader->file.id, path, NULL) : NULL;
}

bool ph_reader_number(const struct ph_reader *reader, const char *name, double *number)
{
    struct ph_h5md_element element;
    struct ph_error forgotten;
    const bool good = ph_h5md_element_open(&reader->file, &element, &forgotten, "parameters/%s", name) == PH_OK &&
                      element.value >= 0 && element.fixed && ph_h5md_element_width(&element) == 1 &&
                      H5Dread(element.value, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, number) >= 0;
    ph_h5md_element_close(&element);
    return good;
}

/* ---- opening ---- */

static enum ph_status read_h5md(struct ph_reader *reader, struct ph_error *err)
{
    struct ph_h5md_file *file = &reader->file;
    if (ph_h5md_exists(file, "h5md") <= 0)
        return ph_error_set(err, PH_ERR_INPUT, "%s: is an HDF5 file, but not H5MD: it has no group 'h5md'.",
                            file->name);
    const hid_t version = H5Aopen_by_name(file->id, "h5md", "version", H5P_DEFAULT, H5P_DEFAULT);
    if (version >= 0) {
        const hid_t space = H5Aget_space(version);
        if (H5Sget_simple_extent_npoints(space) == 2)
            H5Aread(version, H5T_NATIVE_INT, reader->version);
        H5Sclose(space);
        H5Aclose(version);
    }
    if (ph_h5md_exists(file, "h5md/creator") > 0) {
        reader->creator = ph_h5_get_text(file->id, "h5md/creator", "name");
        reader->creator_version = ph_h5_get_text(file->id, "h5md/creator", "version");
    }
    if (ph_h5md_exists(file, "h5md/author") > 0)
        reader->author = ph_h5_get_text(file->id, "h5md/author", "name");
    return PH_OK;
}

/* ---- particles ---- */

static bool grow_kinds(struct ph_reader *reader)
{
    struct ph_reader_kind *kinds = ph_reallocate(reader->kinds, reader->n_kinds + 1, sizeof *kinds);
    if (!kinds)
        return false;
    reader->kinds = kinds;
    reader->kinds[reader->n_kinds++] = (struct ph_reader_kind){.n = 0};
    return true;
}

static herr_t visit_body(hid_t bodies, const char *name, const H5L_info_t *info, void *data)
{
    (void)info;
    struct ph_reader *reader = data;
    struct ph_h5md_element sites;
    struct ph_error forgotten;
    char path[PH_H5MD_PATH];
    int64_t first = 0;
    snprintf(path, sizeof path, "rigid_bodies/%.60s/center", name);
    const struct ph_reader_element *center = ph_reader_find(reader, path);
    if (!center || center->width % 3 != 0 || !grow_kinds(reader))
        return 0;
    struct ph_reader_kind *kind = &reader->kinds[reader->n_kinds - 1];
    snprintf(kind->name, sizeof kind->name, "%.60s", name);
    kind->n = center->width / 3;
    if (H5Aexists_by_name(bodies, name, "first_particle", H5P_DEFAULT) > 0)
        ph_h5_get_integer(bodies, name, "first_particle", H5T_NATIVE_INT64, &first);
    kind->first = first > 0 ? (size_t)first : 0;
    if (ph_h5md_element_open(&reader->file, &sites, &forgotten, "rigid_bodies/%.60s/sites/mass", name) == PH_OK &&
        sites.value >= 0 && sites.rank == 1)
        kind->n_sites = sites.shape[0];
    ph_h5md_element_close(&sites);
    return 0;
}

static int compare_kinds(const void *a, const void *b)
{
    const struct ph_reader_kind *one = a, *other = b;
    return (one->first > other->first) - (one->first < other->first);
}

size_t ph_reader_names(const struct ph_reader *reader, char (**names)[PH_READER_NAME])
{
    static const char path[] = "parameters/species_names";
    size_t n = 0, size;
    char *texts =
        ph_h5md_exists(&reader->file, path) > 0 ? ph_h5_get_texts(reader->file.id, path, NULL, &n, &size) : NULL;
    *names = texts ? ph_allocate(n, sizeof **names) : NULL;
    for (size_t k = 0; k < n && *names; ++k)
        snprintf((*names)[k], PH_READER_NAME, "%s", texts + k * size);
    free(texts);
    return *names ? n : 0;
}

enum ph_status ph_reader_species(const struct ph_reader *reader, size_t n, const int64_t *step, size_t like,
                                 bool must_fit, double **species, struct ph_error *err)
{
    struct ph_h5md_element element;
    char shape[64];
    *species = NULL;
    enum ph_status status = ph_reader_element(reader, "species", &element, err);
    const bool there = status == PH_OK && element.value >= 0, fits = element.rank == 1 && element.shape[0] == n;
    const size_t row = ph_h5md_element_row(&element, step, like);
    ph_h5md_shape(&element, shape);
    if (there && !fits && must_fit)
        status = ph_error_set(err, PH_ERR_INPUT, "%s: %s is %s; needed is [%zu].", reader->file.name, element.path,
                              shape, n);
    if (there && fits && row < element.rows) {
        *species = ph_allocate(n + 1, sizeof **species);
        status = *species ? ph_h5md_element_read(&element, row, *species, err) : ph_no_memory(err, "%s", element.path);
    }
    ph_h5md_element_close(&element);
    if (status != PH_OK) {
        free(*species);
        *species = NULL;
    }
    return status;
}

struct numbered {
    double species;
    size_t particle;
};

static int compare_numbered(const void *a, const void *b)
{
    const struct numbered *one = a, *other = b;
    const int order = (one->species > other->species) - (one->species < other->species);
    return order ? order : (one->particle > other->particle) - (one->particle < other->particle);
}

/* Counts particles of the same kind, in the order of their first appearance. */
static void count_species(struct ph_reader *reader)
{
    double *species;
    char(*names)[PH_READER_NAME];
    struct ph_error forgotten;
    if (ph_reader_species(reader, reader->n_particles, NULL, 0, false, &species, &forgotten) != PH_OK || !species)
        return;
    const size_t n_names = ph_reader_names(reader, &names);
    const size_t n = reader->n_particles;
    struct numbered *sorted = ph_allocate(n + 1, sizeof *sorted);
    for (size_t i = 0; i < n && sorted; ++i)
        sorted[i] = (struct numbered){species[i], i};
    if (sorted)
        qsort(sorted, n, sizeof *sorted, compare_numbered);
    for (size_t i = 0; i < n && sorted; ++i) {
        const double kind = sorted[i].species;
        if (i == 0 || kind != sorted[i - 1].species) {
            if (!grow_kinds(reader))
                break;
            struct ph_reader_kind *new = &reader->kinds[reader->n_kinds - 1];
            new->first = sorted[i].particle;
            if (kind >= 0.0 && kind < (double)n_names)
                snprintf(new->name, sizeof new->name, "%s", names[(size_t)kind]);
            else
                ph_snprintf(new->name, sizeof new->name, "species %.17g", kind);
        }
        ++reader->kinds[reader->n_kinds - 1].n;
    }
    if (reader->n_kinds > 0)
        qsort(reader->kinds, reader->n_kinds, sizeof *reader->kinds, compare_kinds);
    free(sorted);
    free(names);
    free(species);
}

bool ph_reader_are_edges(const struct ph_h5md_element *edges)
{
    return edges->value >= 0 && ((edges->rank == 1 && edges->shape[0] == 3) || ph_h5md_element_is(edges, 3, 3));
}

enum ph_status ph_reader_read_edges(const struct ph_h5md_element *edges, size_t row, double edge[3][3],
                                    struct ph_error *err)
{
    double numbers[9] = {0.0};
    const enum ph_status status = ph_h5md_element_read(edges, row, numbers, err);
    for (int k = 0; k < 9 && status == PH_OK; ++k)
        edge[k / 3][k % 3] = edges->rank == 2 ? numbers[k] : (k % 4 == 0 ? numbers[k / 4] : 0.0);
    return status;
}

enum ph_status ph_reader_edges(const struct ph_reader *reader, const int64_t *step, size_t row, double edge[3][3],
                               bool *periodic, struct ph_error *err)
{
    const struct ph_h5md_element *edges = &reader->edges;
    *periodic = reader->periodic && ph_reader_are_edges(edges) && edges->rows > 0;
    if (!*periodic)
        return PH_OK;
    size_t at = ph_h5md_element_row(edges, step, row);
    if (at >= edges->rows)
        for (size_t k = at = 0; k < edges->rows && edges->step && step && edges->step[k] <= *step; ++k)
            at = k;
    return ph_reader_read_edges(edges, at, edge, err);
}

enum ph_status ph_reader_find_particles(struct ph_reader *reader, struct ph_error *err)
{
    const enum ph_status status = ph_h5md_find_particles(&reader->file, reader->group, err);
    if (status != PH_OK || reader->group[0] == '\0')
        return status;
    char path[PH_H5MD_PATH];
    snprintf(path, sizeof path, "%s/box", reader->group);
    const int box = ph_h5md_exists(&reader->file, path);
    if (box < 0)
        return ph_h5md_damaged(&reader->file, path, err);
    reader->has_box = box > 0;
    if (reader->has_box)
        reader->n_boundary = ph_h5md_words(&reader->file, path, "boundary", 3, reader->boundary);
    for (size_t k = 0; k < reader->n_boundary && k < 3; ++k)
        reader->periodic = reader->periodic || strcmp(reader->boundary[k], "periodic") == 0;
    return PH_OK;
}

enum ph_status ph_reader_element(const struct ph_reader *reader, const char *name, struct ph_h5md_element *element,
                                 struct ph_error *err)
{
    return ph_h5md_element_open(&reader->file, element, err, "%s/%s", reader->group, name);
}

static enum ph_status read_particles(struct ph_reader *reader, struct ph_error *err)
{
    const enum ph_status status = ph_reader_find_particles(reader, err);
    if (status != PH_OK || reader->group[0] == '\0')
        return status;
    struct ph_h5md_element edges = {.value = -1};
    struct ph_error forgotten;
    char path[PH_H5MD_PATH];
    snprintf(path, sizeof path, "%s/position", reader->group);
    const struct ph_reader_element *position = ph_reader_find(reader, path);
    if (position) {
        reader->n_particles = position->width / 3;
        reader->n_frames = position->rows;
        struct ph_h5md_element element;
        double *times = NULL;
        if (ph_reader_element(reader, "position", &element, &forgotten) == PH_OK &&
            ph_h5md_element_times(&element, &times, &forgotten) == PH_OK && times && element.rows > 0) {
            reader->time[0] = times[0];
            reader->time[1] = times[element.rows - 1];
        }
        ph_h5md_element_close(&element);
        free(times);
    }
    if (reader->has_box && ph_reader_element(reader, "box/edges", &edges, &forgotten) == PH_OK &&
        ph_reader_are_edges(&edges) && edges.rows > 0) {
        ph_reader_read_edges(&edges, 0, reader->first_edge, &forgotten);
        ph_reader_read_edges(&edges, edges.rows - 1, reader->edge, &forgotten);
    }
    ph_h5md_element_close(&edges);
    const hid_t bodies =
        ph_h5md_exists(&reader->file, "rigid_bodies") > 0 ? H5Gopen2(reader->file.id, "rigid_bodies", H5P_DEFAULT) : -1;
    if (bodies >= 0) {
        H5Literate(bodies, H5_INDEX_NAME, H5_ITER_INC, NULL, visit_body, reader);
        H5Gclose(bodies);
    }
    reader->bodies = reader->n_kinds > 0;
    if (reader->bodies)
        qsort(reader->kinds, reader->n_kinds, sizeof *reader->kinds, compare_kinds);
    else
        count_species(reader);
    return PH_OK;
}

/* Two signs, because one of them may be damaged */
static bool is_ours(const struct ph_h5md_file *file)
{
    char creator[1][PH_H5MD_WORD] = {""};
    if (ph_h5md_exists(file, "h5md/creator") > 0)
        ph_h5md_words(file, "h5md/creator", "name", 1, creator);
    return strcmp(creator[0], "polhode") == 0 || ph_h5md_exists(file, "parameters/identity") > 0;
}

enum ph_status ph_reader_open_file(const char *file, struct ph_reader *reader, struct ph_error *err)
{
    *reader = (struct ph_reader){.time = {NAN, NAN}, .production = -1, .hash_step = -1};
    reader->position.value = reader->edges.value = -1;
    ph_h5_quiet_begin();
    const bool written = ph_store_is_written(file);
    const enum ph_status status = ph_h5md_open(file, &reader->file, err);
    reader->unsealed = status == PH_OK && !written && !reader->file.sealed && is_ours(&reader->file);
    return status;
}

enum ph_status ph_reader_open(const char *file, struct ph_reader *reader, struct ph_error *err)
{
    const unsigned long refusals = ph_refusals();
    struct stat about;
    enum ph_status status = ph_reader_open_file(file, reader, err);
    const hid_t id = reader->file.id;
    if (status == PH_OK && stat(file, &about) == 0)
        reader->bytes = (long long)about.st_size;
    if (status == PH_OK)
        status = read_h5md(reader, err);
    if (status == PH_OK)
        status = find_elements(reader, err);
    if (status == PH_OK)
        status = read_particles(reader, err);
    if (status == PH_OK && ph_h5md_exists(&reader->file, "parameters/production_begins_at_step") > 0)
        reader->awaits_production = ph_h5_get_integer(id, "parameters/production_begins_at_step", NULL,
                                                      H5T_NATIVE_INT64, &reader->production) &&
                                    reader->production < 0;
    if (status == PH_OK && ph_h5md_exists(&reader->file, "parameters/state_hash_at_step") > 0 &&
        ph_h5_get_integer(id, "parameters/state_hash", NULL, H5T_NATIVE_UINT64, &reader->hash))
        ph_h5_get_integer(id, "parameters/state_hash_at_step", NULL, H5T_NATIVE_INT64, &reader->hash_step);
    if (status == PH_OK)
        ph_reader_find_stages(reader);
    return ph_status_since(refusals, status, file, err); /* an element that was left out may exist */
}

void ph_reader_close(struct ph_reader *reader)
{
    ph_h5md_element_close(&reader->position);
    ph_h5md_element_close(&reader->edges);
    free(reader->name);
    free(reader->molecule);
    free(reader->residue);
    free(reader->number);
    if (reader->is_lent)
        return;
    ph_h5md_close(&reader->file);
    ph_h5_quiet_end();
    free(reader->creator);
    free(reader->creator_version);
    free(reader->author);
    free(reader->elements);
    free(reader->kinds);
    free(reader->stages);
    free(reader->stage_names);
    free(reader->stage_abouts);
    free(reader->stage_ensembles);
}
