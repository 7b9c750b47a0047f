/* SPDX-License-Identifier: MIT */
#include "output/hdf5/h5md_links.h"

#include "base/memory.h"
#include "output/hdf5/h5_tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Addresses of objects. Several links may lead to one object, and links may form circles. */
struct addresses {
    size_t n, room; /* a power of two, or 0 */
    uint64_t *at;   /* HADDR_UNDEF: free */
};

struct visit {
    struct ph_h5md_file *file;
    struct addresses seen;
    char path[PH_H5MD_PATH];          /* of the group being visited, with '/' behind it; "" the root */
    size_t overlong;                  /* depth of the group below that path, where names have no room any more */
    size_t first;                     /* elements found before this group */
    char elsewhere[2 * PH_H5MD_PATH]; /* "" none */
    bool is_link;                     /* into another file; else a data set whose data are in another file */
    bool no_memory;
};

static uint64_t *slot_of(const struct addresses *seen, uint64_t address)
{
    size_t k = (size_t)((address * UINT64_C(0x9E3779B97F4A7C15)) >> 20) & (seen->room - 1);
    while (seen->at[k] != HADDR_UNDEF && seen->at[k] != address)
        k = (k + 1) & (seen->room - 1);
    return &seen->at[k];
}

static bool grow(struct addresses *seen)
{
    struct addresses larger = {.room = seen->room ? 2 * seen->room : 256};
    larger.at = ph_allocate(larger.room, sizeof *larger.at);
    if (!larger.at)
        return false;
    for (size_t k = 0; k < larger.room; ++k)
        larger.at[k] = HADDR_UNDEF;
    for (size_t k = 0; k < seen->room; ++k)
        if (seen->at[k] != HADDR_UNDEF)
            *slot_of(&larger, seen->at[k]) = seen->at[k];
    larger.n = seen->n;
    free(seen->at);
    *seen = larger;
    return true;
}

/* Returns true if this address came before. */
static bool was_seen(struct visit *visit, uint64_t address)
{
    struct addresses *seen = &visit->seen;
    if (2 * seen->n >= seen->room && !grow(seen)) {
        visit->no_memory = true;
        return false;
    }
    uint64_t *slot = slot_of(seen, address);
    if (*slot == address)
        return true;
    *slot = address;
    ++seen->n;
    return false;
}

/* ---- clocks ---- */

/* The address of an open object in its file, by which two links to one object are known as such */
static uint64_t address_of(hid_t object)
{
    H5O_info_t info;
#ifdef H5O_INFO_BASIC /* without a walk through the chunks of a data set */
    return H5Oget_info2(object, &info, H5O_INFO_BASIC) >= 0 ? info.addr : HADDR_UNDEF;
#else
    return H5Oget_info(object, &info) >= 0 ? info.addr : HADDR_UNDEF;
#endif
}

static struct ph_h5md_clock *find_clock(const struct ph_h5md_file *file, uint64_t address)
{
    for (size_t k = 0; k < file->n_clocks; ++k)
        if (file->clocks[k].address == address)
            return &file->clocks[k];
    return NULL;
}

size_t ph_h5md_clock_rows(const struct ph_h5md_file *file, int64_t steps)
{
    const struct ph_h5md_clock *clock = find_clock(file, address_of(steps));
    return clock ? clock->rows : SIZE_MAX;
}

/* Rows of a data set; as many as there may be if it has none */
static size_t rows_of(hid_t set)
{
    hsize_t extent[H5S_MAX_RANK];
    return ph_h5_extents(set, extent) > 0 ? extent[0] : SIZE_MAX;
}

/* The same of a member of a group, which may not be there, and its address */
static size_t count_rows(hid_t group, const char *name, uint64_t *address)
{
    const hid_t set = H5Lexists(group, name, H5P_DEFAULT) > 0 ? H5Dopen2(group, name, H5P_DEFAULT) : -1;
    const size_t rows = set >= 0 ? rows_of(set) : SIZE_MAX;
    *address = set >= 0 && rows < SIZE_MAX ? address_of(set) : HADDR_UNDEF;
    if (set >= 0)
        H5Dclose(set);
    return rows;
}

/* The address that a link of a group leads to, without opening the object */
static uint64_t member(hid_t group, const char *name)
{
    H5L_info_t info;
    return H5Lexists(group, name, H5P_DEFAULT) > 0 && H5Lget_info(group, name, &info, H5P_DEFAULT) >= 0 &&
                   info.type == H5L_TYPE_HARD
               ? info.u.address
               : HADDR_UNDEF;
}

/* Takes into account the rows of an element, a group with the data set `value`. */
static bool clip_clock(struct ph_h5md_file *file, hid_t group, size_t rows)
{
    uint64_t address = member(group, "step"), time = member(group, "time");
    struct ph_h5md_clock *known = find_clock(file, address);
    if (!known || known->time != time || time == HADDR_UNDEF) { /* as a rule many elements share both lists */
        const size_t steps = count_rows(group, "step", &address), times = count_rows(group, "time", &time);
        if (address == HADDR_UNDEF)
            return true;
        rows = steps < rows ? steps : rows;
        rows = times < rows ? times : rows;
        known = find_clock(file, address);
    }
    if (known) {
        known->rows = rows < known->rows ? rows : known->rows;
        return true;
    }
    struct ph_h5md_clock *clocks = ph_reallocate(file->clocks, file->n_clocks + 1, sizeof *clocks);
    if (!clocks)
        return false;
    file->clocks = clocks;
    file->clocks[file->n_clocks++] = (struct ph_h5md_clock){address, time, rows};
    return true;
}

/* ---- links ---- */

static herr_t visit_link(hid_t group, const char *name, const H5L_info_t *info, void *data);

/* Adds the group that is being visited to the elements, before those inside it. */
static bool add_element(struct visit *visit)
{
    struct ph_h5md_file *file = visit->file;
    char(*elements)[PH_H5MD_PATH] = ph_reallocate(file->elements, file->n_elements + 1, sizeof *elements);
    if (!elements)
        return false;
    file->elements = elements;
    memmove(elements[visit->first + 1], elements[visit->first], (file->n_elements - visit->first) * sizeof *elements);
    const int length = (int)strlen(visit->path);
    snprintf(elements[visit->first], PH_H5MD_PATH, "%.*s", length > 0 ? length - 1 : 1, length > 0 ? visit->path : ".");
    ++file->n_elements;
    return true;
}

static herr_t visit_group(struct visit *visit, hid_t group, const char *name)
{
    const size_t length = strlen(visit->path), first = visit->first;
    const bool fits = visit->overlong == 0 && length + strlen(name) + 2 <= sizeof visit->path;
    if (fits)
        snprintf(visit->path + length, sizeof visit->path - length, "%s/", name);
    visit->overlong += fits ? 0 : 1;
    visit->first = visit->file->n_elements;
    const herr_t done = H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, visit_link, visit);
    visit->first = first;
    visit->overlong -= fits ? 0 : 1;
    visit->path[length] = '\0';
    return done;
}

static herr_t refuse(struct visit *visit, const char *name)
{
    snprintf(visit->elsewhere, sizeof visit->elsewhere, "%s%.*s", visit->path, PH_H5MD_PATH, name);
    return 1;
}

static herr_t visit_object(struct visit *visit, hid_t group, const char *name, hid_t object, bool seen)
{
    const H5I_type_t type = H5Iget_type(object);
    const bool is_value = strcmp(name, "value") == 0 && visit->overlong == 0 && visit->path[0];
    if (type == H5I_DATASET && !seen && ph_h5_is_elsewhere(object))
        return refuse(visit, name);
    if (is_value && !clip_clock(visit->file, group, type == H5I_DATASET ? rows_of(object) : SIZE_MAX))
        visit->no_memory = true;
    if (visit->no_memory)
        return 1;
    return type == H5I_GROUP && !seen ? visit_group(visit, object, name) : 0;
}

static herr_t visit_link(hid_t group, const char *name, const H5L_info_t *info, void *data)
{
    struct visit *visit = data;
    const bool is_value = strcmp(name, "value") == 0 && visit->overlong == 0;
    visit->is_link = info->type != H5L_TYPE_HARD && info->type != H5L_TYPE_SOFT;
    if (visit->is_link)
        return refuse(visit, name);
    if (is_value && !add_element(visit)) {
        visit->no_memory = true;
        return 1;
    }
    if (info->type != H5L_TYPE_HARD)
        return 0;
    if (info->u.address == HADDR_UNDEF) /* damaged: no object has this address */
        return -1;
    const bool seen = was_seen(visit, info->u.address);
    if (visit->no_memory)
        return 1;
    if (seen && !is_value)
        return 0;
    const hid_t object = H5Oopen(group, name, H5P_DEFAULT);
    if (object < 0) { /* damage of a data set shows where it is read; what a group holds would be left out in silence */
        H5O_info_t about;
        const bool known = H5Oget_info_by_name(group, name, &about, H5P_DEFAULT) >= 0;
        return known && about.type == H5O_TYPE_DATASET ? 0 : -1;
    }
    const herr_t done = visit_object(visit, group, name, object, seen);
    H5Oclose(object);
    return done;
}

static enum ph_status refuse_elsewhere(const char *name, const struct visit *visit, struct ph_error *err)
{
    if (!visit->elsewhere[0])
        return PH_OK;
    return ph_error_set(err, visit->is_link ? PH_ERR_INPUT : PH_ERR_IO,
                        "%s: %s%s %s another file. Only what is in the file itself is used.", name,
                        visit->is_link ? "" : "the data of ", visit->elsewhere,
                        visit->is_link ? "is a link into" : "are in");
}

enum ph_status ph_h5md_look_at_links(struct ph_h5md_file *file, struct ph_error *err)
{
    struct visit visit = {.file = file};
    was_seen(&visit, address_of(file->id)); /* the root */
    const herr_t done =
        visit.no_memory ? 1 : H5Literate(file->id, H5_INDEX_NAME, H5_ITER_INC, NULL, visit_link, &visit);
    free(visit.seen.at);
    const enum ph_status status = refuse_elsewhere(file->name, &visit, err);
    if (status == PH_OK && visit.no_memory)
        return ph_error_set(err, PH_ERR_MEMORY, "%s: there is no memory to open it.", file->name);
    if (status != PH_OK || done >= 0)
        return status;
    char text[PH_H5_REASON];
    ph_h5_reason(text);
    return ph_error_set(err, ph_h5_status(), "%s: the file cannot be read: %s.", file->name, text);
}
