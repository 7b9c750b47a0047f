/* SPDX-License-Identifier: MIT */
#include "output/hdf5/h5md_file.h"

#include "base/memory.h"
#include "output/hdf5/h5_tools.h"
#include "output/hdf5/h5md_links.h"
#include "output/hdf5/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char ph_h5md_unsealed[] =
    "has no seal: its run was killed, or another program changed the file. Damage outside frames would not be noticed.";

/* Whether it begins as HDF5 files do; negative if it cannot be opened (see errno). */
static int has_signature(const char *name)
{
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    unsigned char begin[8];
    struct stat about;
    if (stat(name, &about) == 0 && !S_ISREG(about.st_mode)) /* a pipe would wait, or lose what is read here */
        return 0;
    FILE *stream = fopen(name, "rb");
    if (!stream)
        return -1;
    const size_t n = fread(begin, 1, sizeof begin, stream);
    fclose(stream);
    return n == sizeof begin && memcmp(begin, signature, sizeof begin) == 0;
}

bool ph_h5md_is(const char *name)
{
    const char *dot = strrchr(name, '.');
    return (dot && (strcmp(dot, ".h5md") == 0 || strcmp(dot, ".h5") == 0)) || has_signature(name) > 0;
}

enum ph_status ph_h5md_open(const char *name, struct ph_h5md_file *file, struct ph_error *err)
{
    *file = (struct ph_h5md_file){.id = -1, .name = name};
    const int begins = has_signature(name);
    if (begins < 0)
        return ph_error_set(err, PH_ERR_IO, "%s: cannot be read: %s.", name, strerror(errno));
    if (begins == 0)
        return ph_error_set(err, PH_ERR_INPUT, "%s: is not an HDF5 file: it does not begin with HDF5's signature.",
                            name);
    const enum ph_status status = ph_seal_check(name, &file->sealed, err);
    if (status != PH_OK)
        return status;
    file->id = ph_store_read(name);
    char text[PH_H5_REASON];
    if (file->id < 0 && ph_h5_status() == PH_ERR_MEMORY)
        return ph_error_set(err, PH_ERR_MEMORY, "%s: there is no memory to open it.", name);
    if (file->id < 0)
        return ph_error_set(err, PH_ERR_IO,
                            "%s: HDF5 cannot open it: %s. The file is truncated or damaged, or another program "
                            "is writing to it.",
                            name, ph_h5_reason(text));
    return ph_h5md_look_at_links(file, err);
}

void ph_h5md_close(struct ph_h5md_file *file)
{
    if (file->id >= 0)
        H5Fclose(file->id);
    free(file->clocks);
    free(file->elements);
    *file = (struct ph_h5md_file){.id = -1};
}

/* Negative also if a group on the way is not there */
static int exists_at_once(hid_t file, const char *path)
{
    const htri_t link = H5Lexists(file, path, H5P_DEFAULT);
    return link > 0 ? H5Oexists_by_name(file, path, H5P_DEFAULT) : link;
}

int ph_h5md_exists(const struct ph_h5md_file *file, const char *path)
{
    char part[PH_H5MD_PATH + 8];
    const int found = exists_at_once(file->id, path); /* as a rule the groups are there */
    if (found >= 0)
        return found;
    for (const char *end = path; end;) {
        end = strchr(end, '/');
        const size_t length = end ? (size_t)(end - path) : strlen(path);
        memcpy(part, path, length);
        part[length] = '\0';
        const int there = exists_at_once(file->id, part);
        if (there <= 0)
            return there;
        end = end ? end + 1 : NULL;
    }
    return 1;
}

enum ph_status ph_h5md_damaged(const struct ph_h5md_file *file, const char *path, struct ph_error *err)
{
    char text[PH_H5_REASON];
    ph_h5_reason(text);
    return ph_error_set(err, ph_h5_status(), "%s: %s cannot be read: %s.", file->name, path, text);
}

_Static_assert(sizeof(hid_t) == sizeof(int64_t), "as h5md_file.h says");

static herr_t note_group(hid_t particles, const char *name, const H5L_info_t *info, void *found)
{
    (void)particles, (void)info;
    char(*names)[PH_H5MD_WORD] = found;
    if (names[0][0] == '\0' || names[1][0] == '\0')
        snprintf(names[names[0][0] == '\0' ? 0 : 1], PH_H5MD_WORD, "%s", name);
    return 0;
}

enum ph_status ph_h5md_find_particles(const struct ph_h5md_file *file, char group[PH_H5MD_GROUP], struct ph_error *err)
{
    group[0] = '\0';
    if (ph_h5md_exists(file, "particles/trajectory") > 0) {
        strcpy(group, "particles/trajectory");
        return PH_OK;
    }
    char names[2][PH_H5MD_WORD] = {"", ""};
    if (ph_h5md_exists(file, "particles") > 0) {
        const hid_t particles = H5Gopen2(file->id, "particles", H5P_DEFAULT);
        if (particles >= 0) {
            H5Literate(particles, H5_INDEX_NAME, H5_ITER_INC, NULL, note_group, names);
            H5Gclose(particles);
        }
    }
    if (names[1][0] != '\0')
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s: particles has several groups (%s, %s, ...) and none is called 'trajectory': that one, "
                            "or the only one, is read.",
                            file->name, names[0], names[1]);
    if (names[0][0] != '\0')
        snprintf(group, PH_H5MD_GROUP, "particles/%s", names[0]);
    return PH_OK;
}

size_t ph_h5md_words(const struct ph_h5md_file *file, const char *path, const char *attribute, size_t room,
                     char (*words)[PH_H5MD_WORD])
{
    size_t n = 0, size;
    if (H5Aexists_by_name(file->id, path, attribute, H5P_DEFAULT) <= 0)
        return 0;
    char *texts = ph_h5_get_texts(file->id, path, attribute, &n, &size);
    for (size_t k = 0; k < n && k < room && texts; ++k) {
        snprintf(words[k], PH_H5MD_WORD, "%s", texts + k * size);
        for (size_t end = strlen(words[k]); end > 0 && words[k][end - 1] == ' '; --end)
            words[k][end - 1] = '\0'; /* Fortran pads with spaces */
    }
    free(texts);
    return texts ? n : 0;
}
