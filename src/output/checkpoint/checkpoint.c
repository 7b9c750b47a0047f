/* SPDX-License-Identifier: MIT */
#include "output/checkpoint/checkpoint.h"

#include "base/room.h"
#include "output/checkpoint/checkpoint_fetch.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[] = {
    [PH_CHECKPOINT_DOUBLE] = "doubles",
    [PH_CHECKPOINT_INT32] = "32-bit integers",
    [PH_CHECKPOINT_INT64] = "64-bit integers",
    [PH_CHECKPOINT_TEXT] = "text",
};

size_t ph_checkpoint_element_size(enum ph_checkpoint_kind kind)
{
    static const size_t sizes[] = {
        [PH_CHECKPOINT_DOUBLE] = sizeof(double),
        [PH_CHECKPOINT_INT32] = sizeof(int32_t),
        [PH_CHECKPOINT_INT64] = sizeof(int64_t),
        [PH_CHECKPOINT_TEXT] = 1,
    };
    return sizes[kind];
}

/* ---- adding ---- */

static void add(struct ph_checkpoint *checkpoint, const char *name, enum ph_checkpoint_kind kind, size_t n,
                const void *data)
{
    PH_ROOM(checkpoint->n < PH_CHECKPOINT_ARRAYS && strlen(name) < PH_CHECKPOINT_NAME);
    assert(!checkpoint->owned && !strchr(name, '/') && !ph_checkpoint_find(checkpoint, name));
    struct ph_checkpoint_array *array = &checkpoint->array[checkpoint->n++];
    *array = (struct ph_checkpoint_array){.kind = kind, .n = n, .data = data};
    snprintf(array->name, sizeof array->name, "%s", name);
}

void ph_checkpoint_add_doubles(struct ph_checkpoint *checkpoint, const char *name, size_t n, const double *data)
{
    add(checkpoint, name, PH_CHECKPOINT_DOUBLE, n, data);
}

void ph_checkpoint_add_int32(struct ph_checkpoint *checkpoint, const char *name, size_t n, const int32_t *data)
{
    add(checkpoint, name, PH_CHECKPOINT_INT32, n, data);
}

void ph_checkpoint_add_int64(struct ph_checkpoint *checkpoint, const char *name, size_t n, const int64_t *data)
{
    add(checkpoint, name, PH_CHECKPOINT_INT64, n, data);
}

void ph_checkpoint_add_text(struct ph_checkpoint *checkpoint, const char *name, const char *text)
{
    add(checkpoint, name, PH_CHECKPOINT_TEXT, strlen(text), text);
}

/* ---- finding ---- */

const struct ph_checkpoint_array *ph_checkpoint_find(const struct ph_checkpoint *checkpoint, const char *name)
{
    for (size_t k = 0; k < checkpoint->n; ++k)
        if (strcmp(checkpoint->array[k].name, name) == 0)
            return &checkpoint->array[k];
    return NULL;
}

static enum ph_status find(const struct ph_checkpoint *checkpoint, const char *name, enum ph_checkpoint_kind kind,
                           const size_t *n, const struct ph_checkpoint_array **array, struct ph_error *err)
{
    *array = ph_checkpoint_find(checkpoint, name);
    if (!*array)
        return ph_error_set(err, PH_ERR_INPUT, "The checkpoint has no '%s'.", name);
    if ((*array)->kind != kind)
        return ph_error_set(err, PH_ERR_INPUT, "'%s' of the checkpoint is made of %s, not of %s.", name,
                            kind_names[(*array)->kind], kind_names[kind]);
    if (n && (*array)->n != *n)
        return ph_error_set(err, PH_ERR_INPUT, "'%s' of the checkpoint has %zu numbers, not %zu.", name, (*array)->n,
                            *n);
    return PH_OK;
}

/* Elements begin .. end-1 of an array of n */
static enum ph_status copy_some(const struct ph_checkpoint *checkpoint, const char *name, enum ph_checkpoint_kind kind,
                                size_t n, size_t begin, size_t end, void *out, struct ph_error *err)
{
    const struct ph_checkpoint_array *array;
    const size_t size = ph_checkpoint_element_size(kind);
    const enum ph_status status = find(checkpoint, name, kind, &n, &array, err);
    if (status != PH_OK || begin == end)
        return status;
    if (!array->data)
        return ph_checkpoint_fetch(checkpoint->file, array, begin, end, out, err);
    memcpy(out, (const char *)array->data + begin * size, (end - begin) * size);
    return PH_OK;
}

static enum ph_status copy(const struct ph_checkpoint *checkpoint, const char *name, enum ph_checkpoint_kind kind,
                           size_t n, void *out, struct ph_error *err)
{
    return copy_some(checkpoint, name, kind, n, 0, n, out, err);
}

enum ph_status ph_checkpoint_doubles(const struct ph_checkpoint *checkpoint, const char *name, size_t n, double *out,
                                     struct ph_error *err)
{
    return copy(checkpoint, name, PH_CHECKPOINT_DOUBLE, n, out, err);
}

enum ph_status ph_checkpoint_some_doubles(const struct ph_checkpoint *checkpoint, const char *name, size_t n,
                                          size_t begin, size_t end, double *out, struct ph_error *err)
{
    return copy_some(checkpoint, name, PH_CHECKPOINT_DOUBLE, n, begin, end, out, err);
}

enum ph_status ph_checkpoint_int32(const struct ph_checkpoint *checkpoint, const char *name, size_t n, int32_t *out,
                                   struct ph_error *err)
{
    return copy(checkpoint, name, PH_CHECKPOINT_INT32, n, out, err);
}

enum ph_status ph_checkpoint_int64(const struct ph_checkpoint *checkpoint, const char *name, size_t n, int64_t *out,
                                   struct ph_error *err)
{
    return copy(checkpoint, name, PH_CHECKPOINT_INT64, n, out, err);
}

enum ph_status ph_checkpoint_text(const struct ph_checkpoint *checkpoint, const char *name, const char **text,
                                  struct ph_error *err)
{
    const struct ph_checkpoint_array *array;
    const enum ph_status status = find(checkpoint, name, PH_CHECKPOINT_TEXT, NULL, &array, err);
    *text = status == PH_OK ? array->data : NULL;
    return status;
}

void ph_checkpoint_free(struct ph_checkpoint *checkpoint)
{
    for (size_t k = 0; k < checkpoint->n && checkpoint->owned; ++k)
        free((void *)checkpoint->array[k].data);
    ph_checkpoint_close(checkpoint->file);
    checkpoint->n = 0;
    checkpoint->owned = false;
    checkpoint->file = 0;
}

/* ---- the system ---- */

static const struct {
    const char *name;
    size_t offset; /* of the array of pointers in the system */
    int components;
} state[] = {
    {"r", offsetof(struct ph_system, r), 3}, {"p", offsetof(struct ph_system, p), 3},
    {"q", offsetof(struct ph_system, q), 4}, {"m", offsetof(struct ph_system, m), 3},
    {"f", offsetof(struct ph_system, f), 3}, {"t", offsetof(struct ph_system, t), 3},
};
enum { N_STATE = sizeof state / sizeof *state };

static double *component(const struct ph_system *system, int group, int k)
{
    double *const *arrays = (double *const *)(const void *)((const char *)system + state[group].offset);
    return arrays[k];
}

_Static_assert(sizeof(size_t) == sizeof(int64_t), "numbers of molecules are stored as they are");

void ph_checkpoint_add_system(struct ph_checkpoint *checkpoint, const struct ph_system *system)
{
    char name[PH_CHECKPOINT_NAME];
    ph_checkpoint_add_int64(checkpoint, "system_first", system->n_species + 1,
                            (const int64_t *)(const void *)system->first);
    for (size_t s = 0; s < system->n_species; ++s) {
        snprintf(name, sizeof name, "system_species_%zu", s);
        ph_checkpoint_add_text(checkpoint, name, system->species[s].name);
    }
    ph_checkpoint_add_doubles(checkpoint, "system_box", 9, system->box.edge[0]);
    for (int g = 0; g < N_STATE; ++g)
        for (int k = 0; k < state[g].components; ++k) {
            snprintf(name, sizeof name, "system_%s_%d", state[g].name, k);
            ph_checkpoint_add_doubles(checkpoint, name, system->n, component(system, g, k));
        }
    for (int k = 0; k < 3; ++k) {
        snprintf(name, sizeof name, "system_image_%d", k);
        ph_checkpoint_add_int32(checkpoint, name, system->n, system->image[k]);
    }
    ph_checkpoint_add_int32(checkpoint, "system_id", system->n, (const int32_t *)system->id);
}

static enum ph_status check_species(const struct ph_checkpoint *checkpoint, const struct ph_system *system,
                                    struct ph_error *err)
{
    const struct ph_checkpoint_array *first;
    const size_t n = system->n_species + 1;
    enum ph_status status = find(checkpoint, "system_first", PH_CHECKPOINT_INT64, &n, &first, err);
    for (size_t s = 0; s < system->n_species && status == PH_OK; ++s) {
        char name[PH_CHECKPOINT_NAME];
        const char *species;
        const int64_t *firsts = first->data;
        snprintf(name, sizeof name, "system_species_%zu", s);
        status = ph_checkpoint_text(checkpoint, name, &species, err);
        if (status == PH_OK && (strcmp(species, system->species[s].name) != 0 ||
                                firsts[s + 1] - firsts[s] != (int64_t)(system->first[s + 1] - system->first[s])))
            status =
                ph_error_set(err, PH_ERR_INPUT,
                             "The checkpoint has %lld molecules of '%s' as species %zu, the input has %zu of '%s'.",
                             (long long)(firsts[s + 1] - firsts[s]), species, s,
                             system->first[s + 1] - system->first[s], system->species[s].name);
    }
    return status;
}

static enum ph_status restore_box(const struct ph_checkpoint *checkpoint, struct ph_system *system,
                                  struct ph_error *err)
{
    static const double none[3][3] = {{0.0}};
    double edge[3][3];
    struct ph_box box;
    enum ph_status status = ph_checkpoint_doubles(checkpoint, "system_box", 9, edge[0], err);
    if (status != PH_OK || memcmp(edge, system->box.edge, sizeof edge) == 0)
        return status;
    if (system->box.kind == PH_BOX_OPEN)
        return ph_error_set(err, PH_ERR_INPUT, "The checkpoint has a periodic box, the input has open space.");
    if (memcmp(edge, none, sizeof edge) == 0)
        return ph_error_set(err, PH_ERR_INPUT, "The checkpoint has open space, the input has a periodic box.");
    status = ph_box_init_periodic((const double(*)[3])edge, &box, err);
    if (status == PH_OK)
        system->box = box;
    return status;
}

/* Arrays are stored in their order in memory, with the number of the molecule at every place. Each number must appear
 * once, within the range of its species. */
static enum ph_status restore_numbers(const struct ph_checkpoint *checkpoint, struct ph_system *system,
                                      struct ph_error *err)
{
    if (!ph_checkpoint_find(checkpoint, "system_id")) /* of an older program: places are numbers, as in a new system */
        return PH_OK;
    const enum ph_status status = ph_checkpoint_int32(checkpoint, "system_id", system->n, (int32_t *)system->id, err);
    if (status != PH_OK)
        return status;
    for (size_t number = 0; number < system->n; ++number)
        system->place[number] = UINT32_MAX;
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t i = system->first[s]; i < system->first[s + 1]; ++i) {
            const size_t number = system->id[i];
            if (number < system->first[s] || number >= system->first[s + 1] || system->place[number] != UINT32_MAX)
                return ph_error_set(err, PH_ERR_INPUT,
                                    "The checkpoint has molecule %zu twice, or as another species than '%s'.", number,
                                    system->species[s].name);
            system->place[number] = (uint32_t)i;
        }
    return PH_OK;
}

/* Box, and arrays of the molecules at places begin .. end-1 */
static enum ph_status restore_places(const struct ph_checkpoint *checkpoint, size_t begin, size_t end,
                                     struct ph_system *system, struct ph_error *err)
{
    char name[PH_CHECKPOINT_NAME];
    const size_t n = system->n;
    enum ph_status status = check_species(checkpoint, system, err);
    if (status == PH_OK)
        status = restore_box(checkpoint, system, err);
    for (int g = 0; g < N_STATE && status == PH_OK; ++g)
        for (int k = 0; k < state[g].components && status == PH_OK; ++k) {
            snprintf(name, sizeof name, "system_%s_%d", state[g].name, k);
            status = ph_checkpoint_some_doubles(checkpoint, name, n, begin, end, component(system, g, k) + begin, err);
        }
    for (int k = 0; k < 3 && status == PH_OK; ++k) {
        snprintf(name, sizeof name, "system_image_%d", k);
        status = copy_some(checkpoint, name, PH_CHECKPOINT_INT32, n, begin, end, system->image[k] + begin, err);
    }
    return status;
}

enum ph_status ph_checkpoint_restore_system(const struct ph_checkpoint *checkpoint, struct ph_system *system,
                                            struct ph_error *err)
{
    const enum ph_status status = restore_places(checkpoint, 0, system->n, system, err);
    return status == PH_OK ? restore_numbers(checkpoint, system, err) : status;
}

enum ph_status ph_checkpoint_restore_some(const struct ph_checkpoint *checkpoint, size_t begin, size_t end,
                                          struct ph_system *system, bool *in_order, struct ph_error *err)
{
    enum ph_status status = restore_places(checkpoint, begin, end, system, err);
    *in_order = true;
    if (status == PH_OK && ph_checkpoint_find(checkpoint, "system_id"))
        status =
            copy_some(checkpoint, "system_id", PH_CHECKPOINT_INT32, system->n, begin, end, system->id + begin, err);
    for (size_t i = begin; i < end && status == PH_OK; ++i)
        *in_order = *in_order && system->id[i] == i;
    return status;
}
