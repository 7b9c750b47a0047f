/* SPDX-License-Identifier: MIT */
#include "output/hdf5/h5_tools.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static herr_t innermost(unsigned n, const H5E_error2_t *record, void *text)
{
    if (n == 0 && record->desc)
        snprintf(text, PH_H5_REASON, "%s", record->desc);
    return 0;
}

static herr_t find_allocation(unsigned n, const H5E_error2_t *record, void *failed)
{
    (void)n;
    if (record->maj_num == H5E_RESOURCE && (record->min_num == H5E_NOSPACE || record->min_num == H5E_CANTALLOC))
        *(bool *)failed = true;
    return 0;
}

/* HDF5 calls this where one of its functions fails, before it forgets why. */
static herr_t note_failure(hid_t stack, void *data)
{
    (void)data;
    bool failed = false;
    H5Ewalk2(stack, H5E_WALK_DOWNWARD, find_allocation, &failed);
    if (failed && ph_memory_is_short())
        ph_count_refusal();
    return 0;
}

/* HDF5 may have a stack of errors for each thread. */
static _Thread_local struct {
    int depth;
    H5E_auto2_t print;
    void *data;
    unsigned long refusals; /* failed allocations when it began */
} host;

enum ph_status ph_h5_status(void)
{
    if (host.depth > 0 && ph_refusals() == host.refusals && H5Eget_num(H5E_DEFAULT) <= 0 && ph_memory_is_short())
        ph_count_refusal(); /* not even for words */
    return host.depth > 0 && ph_refusals() != host.refusals ? PH_ERR_MEMORY : PH_ERR_IO;
}

const char *ph_h5_reason(char text[PH_H5_REASON])
{
    strcpy(text, "no reason given");
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, text);
    if (ph_h5_status() == PH_ERR_MEMORY)
        strcpy(text, "there is no memory");
    return text;
}

void ph_h5_quiet_begin(void)
{
    if (host.depth++ > 0)
        return;
    host.refusals = ph_refusals();
    H5Eget_auto2(H5E_DEFAULT, &host.print, &host.data);
    H5Eset_auto2(H5E_DEFAULT, note_failure, NULL);
}

void ph_h5_quiet_end(void)
{
    if (host.depth > 0 && --host.depth == 0)
        H5Eset_auto2(H5E_DEFAULT, host.print, host.data);
}

static hid_t with_groups(void)
{
    const hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    return links;
}

static hid_t space_of(int rank, const hsize_t *extent)
{
    return rank > 0 ? H5Screate_simple(rank, extent, NULL) : H5Screate(H5S_SCALAR);
}

static hid_t text_type(size_t size, bool utf8)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size);
    H5Tset_cset(type, utf8 ? H5T_CSET_UTF8 : H5T_CSET_ASCII);
    return type;
}

bool ph_h5_put_group(hid_t at, const char *path)
{
    const hid_t links = with_groups();
    const hid_t group = H5Gcreate2(at, path, links, H5P_DEFAULT, H5P_DEFAULT);
    H5Pclose(links);
    return group >= 0 && H5Gclose(group) >= 0;
}

bool ph_h5_put_ordered_group(hid_t at, const char *path)
{
    const hid_t order = H5Pcreate(H5P_GROUP_CREATE);
    const hid_t group = H5Pset_link_creation_order(order, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED) >= 0
                            ? H5Gcreate2(at, path, H5P_DEFAULT, order, H5P_DEFAULT)
                            : -1;
    H5Pclose(order);
    return group >= 0 && H5Gclose(group) >= 0;
}

static hid_t create_set(hid_t at, const char *path, hid_t stored, hid_t space)
{
    const hid_t links = with_groups(), creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(creation, false); /* no time stamps, so that equal runs have equal files */
    const hid_t set = space >= 0 ? H5Dcreate2(at, path, stored, space, links, creation, H5P_DEFAULT) : -1;
    H5Pclose(creation);
    H5Pclose(links);
    return set;
}

bool ph_h5_put_data(hid_t at, const char *path, hid_t stored, hid_t memory, int rank, const hsize_t *extent,
                    const void *data)
{
    const hid_t space = space_of(rank, extent), set = create_set(at, path, stored, space);
    bool good = set >= 0;
    if (good && H5Sget_simple_extent_npoints(space) > 0)
        good = H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
    if (set >= 0)
        good = H5Dclose(set) >= 0 && good;
    if (space >= 0)
        H5Sclose(space);
    return good;
}

static bool write_block(hid_t set, hid_t space, const struct ph_h5_lines *lines, size_t begin, size_t end, char *block)
{
    const hsize_t from[2] = {begin, 0}, size[2] = {end - begin, lines->columns};
    for (size_t row = begin; row < end; ++row)
        lines->fill(lines->what, row, block + (row - begin) * lines->bytes);
    const hid_t here = space_of(lines->columns > 0 ? 2 : 1, size);
    const bool good = here >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, size, NULL) >= 0 &&
                      H5Dwrite(set, lines->memory, here, space, H5P_DEFAULT, block) >= 0;
    if (here >= 0)
        H5Sclose(here);
    return good;
}

bool ph_h5_put_lines(hid_t at, const char *path, const struct ph_h5_lines *lines)
{
    const size_t most = 65536, room = lines->n < most ? lines->n : most;
    const hid_t space = space_of(lines->columns > 0 ? 2 : 1, (hsize_t[]){lines->n, lines->columns});
    const hid_t set = create_set(at, path, lines->stored, space);
    char *block = ph_allocate(room, lines->bytes);
    bool good = set >= 0 && block;
    for (size_t begin = 0; begin < lines->n && good; begin += most)
        good = write_block(set, space, lines, begin, begin + most < lines->n ? begin + most : lines->n, block);
    free(block);
    if (set >= 0)
        good = H5Dclose(set) >= 0 && good;
    if (space >= 0)
        H5Sclose(space);
    return good;
}

/* All texts with the room of the longest and its zero, `size` bytes; the caller frees them. */
static char *side_by_side(size_t n, const char *const *texts, size_t *size)
{
    *size = 2;
    for (size_t k = 0; k < n; ++k)
        *size = strlen(texts[k]) + 1 > *size ? strlen(texts[k]) + 1 : *size;
    char *all = ph_allocate(n, *size);
    for (size_t k = 0; k < n && all; ++k)
        strcpy(all + k * *size, texts[k]);
    return all;
}

bool ph_h5_put_text(hid_t at, const char *path, const char *text)
{
    const hid_t type = text_type(strlen(text) + 1, true);
    const bool good = ph_h5_put_data(at, path, type, type, 0, NULL, text);
    H5Tclose(type);
    return good;
}

bool ph_h5_put_texts(hid_t at, const char *path, size_t n, const char *const *texts)
{
    size_t size;
    char *all = side_by_side(n, texts, &size);
    if (!all)
        return false;
    const hid_t type = text_type(size, true);
    const bool good = ph_h5_put_data(at, path, type, type, 1, (hsize_t[]){n}, all);
    H5Tclose(type);
    free(all);
    return good;
}

hid_t ph_h5_word(size_t size) { return text_type(size, false); }

bool ph_h5_put_words(hid_t at, const char *path, size_t n, size_t size, const char *words)
{
    const hid_t type = ph_h5_word(size);
    const bool good = ph_h5_put_data(at, path, type, type, 1, (hsize_t[]){n}, words);
    H5Tclose(type);
    return good;
}

static bool note(hid_t at, const char *path, const char *name, hid_t stored, hid_t memory, size_t n, const void *data)
{
    const hid_t space = space_of(n > 0, (hsize_t[]){n});
    const hid_t attribute = H5Acreate_by_name(at, path, name, stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = attribute >= 0 && H5Awrite(attribute, memory, data) >= 0;
    if (attribute >= 0)
        good = H5Aclose(attribute) >= 0 && good;
    H5Sclose(space);
    return good;
}

bool ph_h5_note_words(hid_t at, const char *path, const char *name, bool variable, size_t n, const char *const *words)
{
    if (variable) {
        const hid_t type = text_type(H5T_VARIABLE, false);
        const bool good = note(at, path, name, type, type, n, words);
        H5Tclose(type);
        return good;
    }
    size_t size;
    char *all = side_by_side(n > 0 ? n : 1, words, &size);
    if (!all)
        return false;
    const hid_t type = text_type(size, false);
    const bool good = note(at, path, name, type, type, n, all);
    H5Tclose(type);
    free(all);
    return good;
}

bool ph_h5_note_word(hid_t at, const char *path, const char *name, bool variable, const char *word)
{
    return ph_h5_note_words(at, path, name, variable, 0, &word);
}

bool ph_h5_note_integers(hid_t at, const char *path, const char *name, hid_t stored, size_t n, const int64_t *numbers)
{
    return note(at, path, name, stored, H5T_NATIVE_INT64, n, numbers);
}

bool ph_h5_note_number(hid_t at, const char *path, const char *name, double number)
{
    return note(at, path, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 0, &number);
}

bool ph_h5_note_unit(hid_t at, const char *path, const char *unit)
{
    return !unit || ph_h5_note_word(at, path, "unit", true, unit);
}

static bool close_set_or_note(hid_t id, const char *attribute)
{
    return attribute ? H5Aclose(id) >= 0 : H5Dclose(id) >= 0;
}

/* Opens the data set or the attribute, which must hold one whole number; negative if it does not. */
static hid_t open_number(hid_t at, const char *path, const char *attribute)
{
    const hid_t id =
        attribute ? H5Aopen_by_name(at, path, attribute, H5P_DEFAULT, H5P_DEFAULT) : H5Dopen2(at, path, H5P_DEFAULT);
    if (id < 0)
        return id;
    const hid_t space = attribute ? H5Aget_space(id) : H5Dget_space(id);
    const hid_t type = attribute ? H5Aget_type(id) : H5Dget_type(id);
    const bool good = H5Sget_simple_extent_npoints(space) == 1 && H5Tget_class(type) == H5T_INTEGER;
    H5Sclose(space);
    H5Tclose(type);
    if (good)
        return id;
    close_set_or_note(id, attribute);
    return -1;
}

bool ph_h5_set_integer(hid_t at, const char *path, hid_t memory, const void *number)
{
    const hid_t id = open_number(at, path, NULL);
    if (id < 0)
        return false;
    const bool good = H5Dwrite(id, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, number) >= 0;
    return close_set_or_note(id, NULL) && good;
}

bool ph_h5_get_integer(hid_t at, const char *path, const char *attribute, hid_t memory, void *number)
{
    const hid_t id = open_number(at, path, attribute);
    if (id < 0)
        return false;
    const bool good =
        attribute ? H5Aread(id, memory, number) >= 0 : H5Dread(id, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, number) >= 0;
    return close_set_or_note(id, attribute) && good;
}

static bool read_into(hid_t id, bool attribute, hid_t type, void *to)
{
    return attribute ? H5Aread(id, type, to) >= 0 : H5Dread(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, to) >= 0;
}

/* Reads texts. HDF5 allocates texts of variable length; texts of fixed length lie side by side, without a terminating
 * zero. */
static char *read_texts(hid_t id, bool attribute, hid_t type, hid_t space, size_t n, size_t *size)
{
    const bool variable = H5Tis_variable_str(type) > 0;
    const size_t theirs = variable ? sizeof(char *) : H5Tget_size(type);
    char *data = ph_allocate(n, theirs), *texts = NULL;
    const bool good = data && read_into(id, attribute, type, data);
    *size = variable ? 1 : theirs + 1;
    for (size_t k = 0; k < n && good && variable; ++k) {
        const char *text = ((char **)(void *)data)[k];
        *size = text && strlen(text) >= *size ? strlen(text) + 1 : *size;
    }
    if (good)
        texts = ph_allocate(n, *size);
    for (size_t k = 0; k < n && texts; ++k) {
        const char *text = variable ? ((char **)(void *)data)[k] : data + k * theirs;
        if (text)
            strncpy(texts + k * *size, text, *size - 1);
    }
    if (variable && good)
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, data);
    free(data);
    return texts;
}

char *ph_h5_get_texts(hid_t at, const char *path, const char *attribute, size_t *n, size_t *size)
{
    const hid_t id =
        attribute ? H5Aopen_by_name(at, path, attribute, H5P_DEFAULT, H5P_DEFAULT) : H5Dopen2(at, path, H5P_DEFAULT);
    if (id < 0)
        return NULL;
    const hid_t type = attribute ? H5Aget_type(id) : H5Dget_type(id);
    const hid_t space = attribute ? H5Aget_space(id) : H5Dget_space(id);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    char *texts = NULL;
    if (H5Tget_class(type) == H5T_STRING && count > 0 && count < 100000)
        texts = read_texts(id, attribute != NULL, type, space, (size_t)count, size);
    *n = texts ? (size_t)count : 0;
    H5Sclose(space);
    H5Tclose(type);
    close_set_or_note(id, attribute);
    return texts;
}

char *ph_h5_get_text(hid_t at, const char *path, const char *attribute)
{
    size_t n, size;
    char *text = ph_h5_get_texts(at, path, attribute, &n, &size);
    if (text && n == 1)
        return text;
    free(text);
    return NULL;
}

int ph_h5_extents(hid_t dataset, hsize_t extent[H5S_MAX_RANK])
{
    const hid_t space = H5Dget_space(dataset);
    const int rank = H5Sget_simple_extent_dims(space, extent, NULL);
    H5Sclose(space);
    return rank;
}

bool ph_h5_is_elsewhere(hid_t dataset)
{
    const hid_t creation = H5Dget_create_plist(dataset);
    const bool elsewhere =
        creation >= 0 && (H5Pget_external_count(creation) > 0 || H5Pget_layout(creation) == H5D_VIRTUAL);
    if (creation >= 0)
        H5Pclose(creation);
    return elsewhere;
}
