/* SPDX-License-Identifier: MIT */
#include "output/checkpoint/checkpoint.h"

#include "base/memory.h"
#include "output/checkpoint/checkpoint_fetch.h"
#include "output/checkpoint/hash.h"
#include "output/hdf5/h5_tools.h"
#include "output/hdf5/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 1 << 20 };

/* The last bytes of the file; the last letter of the mark is the version of the format. */
struct seal {
    char mark[8];
    uint64_t length; /* bytes before the seal */
    uint64_t hash;   /* of these bytes, in blocks */
};
static const char mark[8] = "polhode1";

/* Hash of the next `length` bytes of the file */
static bool hash_file(int descriptor, uint64_t length, uint64_t *hash)
{
    unsigned char *block = ph_allocate(BLOCK, 1);
    *hash = ph_hash_begin();
    bool good = block != NULL;
    while (good && length > 0) {
        const size_t want = length < BLOCK ? (size_t)length : BLOCK;
        size_t have = 0;
        while (good && have < want) {
            const ssize_t n = read(descriptor, block + have, want - have);
            good = n > 0 || (n < 0 && errno == EINTR);
            have += n > 0 ? (size_t)n : 0;
        }
        if (good)
            *hash = ph_hash_bytes(*hash, want, block);
        length -= want;
    }
    free(block);
    return good;
}

/* ---- writing ---- */

static bool put_array(hid_t file, const struct ph_checkpoint_array *array)
{
    const hid_t stored[] = {H5T_IEEE_F64LE, H5T_STD_I32LE, H5T_STD_I64LE};
    const hid_t memory[] = {H5T_NATIVE_DOUBLE, H5T_NATIVE_INT32, H5T_NATIVE_INT64};
    if (array->kind == PH_CHECKPOINT_TEXT)
        return ph_h5_put_text(file, array->name, array->data);
    return ph_h5_put_data(file, array->name, stored[array->kind], memory[array->kind], 1, (hsize_t[]){array->n},
                          array->data);
}

/* Arrays that are worth sharing: HDF5 hands them over as they are, smaller ones through a buffer of its own. */
static bool is_large(const struct ph_checkpoint_array *array)
{
    return array->kind != PH_CHECKPOINT_TEXT && array->n * ph_checkpoint_element_size(array->kind) > PH_STORE_BUFFER;
}

static bool reserve_array(hid_t file, const struct ph_checkpoint_array *array, uint64_t *place)
{
    ph_store_reserve(file, true);
    const bool good = put_array(file, array);
    const struct ph_store_place reserved = ph_store_reserved(file);
    ph_store_reserve(file, false);
    *place = reserved.address;
    return good && reserved.size == array->n * ph_checkpoint_element_size(array->kind);
}

/* With `places`: all but large arrays */
static enum ph_status write_arrays(const char *name, const struct ph_checkpoint *checkpoint, uint64_t *places,
                                   struct ph_error *err)
{
    hid_t file;
    enum ph_status status = ph_store_create(name, &file, err);
    if (status != PH_OK)
        return status;
    bool good = true;
    for (size_t k = 0; k < checkpoint->n && good; ++k) {
        const struct ph_checkpoint_array *array = &checkpoint->array[k];
        const bool shared = places && is_large(array);
        good = shared ? reserve_array(file, array, &places[k]) : put_array(file, array);
    }
    if (!good) {
        const char *reason = ph_store_reason(file);
        status =
            ph_error_set(err, ph_h5_status(), "%s: cannot be written: %s.", name, reason ? reason : "HDF5 refuses");
    }
    const enum ph_status closed = ph_store_close(file, name, !good, good ? err : NULL);
    return good ? closed : status;
}

/* Appends the seal and synchronises the file to disk. */
static enum ph_status finish(const char *name, struct ph_error *err)
{
    const int descriptor = open(name, O_RDWR | O_CLOEXEC);
    struct seal seal;
    memcpy(seal.mark, mark, sizeof mark);
    const off_t length = descriptor >= 0 ? lseek(descriptor, 0, SEEK_END) : -1;
    seal.length = (uint64_t)length;
    errno = length >= 0 ? 0 : errno;
    const bool good = length >= 0 && lseek(descriptor, 0, SEEK_SET) == 0 &&
                      hash_file(descriptor, seal.length, &seal.hash) &&
                      write(descriptor, &seal, sizeof seal) == (ssize_t)sizeof seal && fsync(descriptor) == 0;
    const int failure = errno;
    if (descriptor >= 0 && close(descriptor) == 0 && good)
        return PH_OK;
    return ph_error_set(err, ph_h5_status(), "%s: cannot be written: %s.", name,
                        strerror(failure ? failure : ENOSPC)); /* a short write: no room */
}

/* A renaming is on disk once the directory is synchronised. */
static void sync_directory(const char *file)
{
    char *path = ph_copy_text(file);
    if (!path)
        return;
    char *slash = strrchr(path, '/');
    if (slash)
        slash[slash == path] = '\0';
    const int descriptor = open(slash ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0) {
        fsync(descriptor); /* ignored: file systems that cannot do this offer nothing else */
        close(descriptor);
    }
    free(path);
}

static char *with_ending(const char *file, const char *ending)
{
    char *name = ph_allocate(strlen(file) + strlen(ending) + 1, 1);
    if (name)
        sprintf(name, "%s%s", file, ending);
    return name;
}

static enum ph_status rename_all(const char *temporary, const char *file, const char *older, struct ph_error *err)
{
    if (rename(file, older) != 0 && errno != ENOENT)
        return ph_error_set(err, PH_ERR_IO, "%s: cannot be renamed to %s: %s.", file, older, strerror(errno));
    if (rename(temporary, file) != 0)
        return ph_error_set(err, PH_ERR_IO, "%s: cannot be renamed to %s: %s.", temporary, file, strerror(errno));
    sync_directory(file);
    return PH_OK;
}

enum ph_status ph_checkpoint_begin(const char *file, const struct ph_checkpoint *checkpoint, uint64_t *places,
                                   struct ph_error *err)
{
    char *temporary = with_ending(file, ".tmp");
    if (!temporary)
        return ph_no_memory(err, "the name of a checkpoint");
    for (size_t k = 0; k < checkpoint->n && places; ++k)
        places[k] = 0;
    ph_h5_quiet_begin();
    unlink(temporary); /* left by a process that was killed */
    const enum ph_status status = write_arrays(temporary, checkpoint, places, err);
    ph_h5_quiet_end();
    if (status != PH_OK)
        unlink(temporary);
    free(temporary);
    return status;
}

_Static_assert((PH_CHECKPOINT_LARGE - 1) * sizeof(int32_t) == PH_STORE_BUFFER, "see is_large");

void ph_checkpoint_help(const char *file, const struct ph_checkpoint *checkpoint, const uint64_t *places,
                        struct ph_checkpoint_helper *helper)
{
    char *temporary = with_ending(file, ".tmp");
    *helper = (struct ph_checkpoint_helper){checkpoint, places, -1, ENOMEM};
    if (temporary) {
        helper->descriptor = ph_store_help(temporary);
        helper->failure = helper->descriptor >= 0 ? 0 : errno;
    }
    free(temporary);
}

void ph_checkpoint_put(struct ph_checkpoint_helper *helper, size_t begin, const struct ph_checkpoint *some)
{
    for (size_t k = 0; k < some->n && helper->failure == 0; ++k) {
        const struct ph_checkpoint_array *from = &some->array[k],
                                         *to = ph_checkpoint_find(helper->checkpoint, from->name);
        const uint64_t place = to ? helper->places[to - helper->checkpoint->array] : 0;
        const size_t bytes = ph_checkpoint_element_size(from->kind);
        if (place > 0 && !ph_store_put(helper->descriptor, place + bytes * begin, bytes * from->n, from->data))
            helper->failure = errno ? errno : EIO;
    }
}

enum ph_status ph_checkpoint_helped(struct ph_checkpoint_helper *helper, const char *file, struct ph_error *err)
{
    if (helper->failure == 0 && fsync(helper->descriptor) != 0) /* another machine may have this in memory only */
        helper->failure = errno;
    if (helper->descriptor >= 0)
        close(helper->descriptor);
    return helper->failure == 0 ? PH_OK
                                : ph_error_set(err, helper->failure == ENOMEM ? PH_ERR_MEMORY : PH_ERR_IO,
                                               "%s.tmp: cannot be written: %s.", file, strerror(helper->failure));
}

enum ph_status ph_checkpoint_end(const char *file, bool good, struct ph_error *err)
{
    char *temporary = with_ending(file, ".tmp"), *older = with_ending(file, ".1");
    enum ph_status status = PH_OK;
    if (!temporary || !older)
        status = ph_no_memory(err, "the name of a checkpoint");
    else if (good) {
        ph_h5_quiet_begin();
        status = finish(temporary, err);
        ph_h5_quiet_end();
        if (status == PH_OK)
            status = rename_all(temporary, file, older, err);
    }
    if (temporary && (status != PH_OK || !good))
        unlink(temporary);
    free(temporary);
    free(older);
    return status;
}

enum ph_status ph_checkpoint_write(const char *file, const struct ph_checkpoint *checkpoint, struct ph_error *err)
{
    const enum ph_status status = ph_checkpoint_begin(file, checkpoint, NULL, err);
    return status == PH_OK ? ph_checkpoint_end(file, true, err) : status;
}

/* ---- reading ---- */

/* Checks the seal. `known`: the hash that another rank has verified; if NULL, it is computed */
static enum ph_status check_seal(const char *name, const uint64_t *known, uint64_t *sealed, struct ph_error *err)
{
    const int descriptor = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* of a pipe, too */
    if (descriptor < 0)
        return ph_error_set(err, PH_ERR_IO, "%s: cannot be read: %s.", name, strerror(errno));
    struct seal seal;
    uint64_t hash = 0;
    const char *wrong = NULL;
    const off_t size = lseek(descriptor, 0, SEEK_END), length = size - (off_t)sizeof seal;
    if (length <= 0 || pread(descriptor, &seal, sizeof seal, length) != (ssize_t)sizeof seal ||
        memcmp(seal.mark, mark, sizeof mark - 1) != 0)
        wrong = "it does not end as a checkpoint does: it is cut off, or something else";
    else if (seal.mark[7] != mark[7])
        wrong = "it is of another version of the program";
    else if (seal.length != (uint64_t)length)
        wrong = "its length is not that which was written";
    else if (known && seal.hash != *known)
        wrong = "it is not the file that another process reads under this name";
    else if (!known && (lseek(descriptor, 0, SEEK_SET) != 0 || !hash_file(descriptor, seal.length, &hash)))
        wrong = ph_h5_status() == PH_ERR_MEMORY ? "there is no memory to read it" : "it cannot be read to its end";
    else if (!known && hash != seal.hash)
        wrong = "its hash differs from the hash of the written data: it is damaged";
    close(descriptor);
    *sealed = wrong ? 0 : seal.hash;
    return wrong ? ph_error_set(err, ph_h5_status(), "%s: cannot be used: %s.", name, wrong) : PH_OK;
}

/* Reads the numbers of an array; large arrays are read on request. */
static bool get_numbers(hid_t root, hid_t set, hid_t type, struct ph_checkpoint_array *array)
{
    const hid_t space = H5Dget_space(set);
    const hssize_t n = H5Sget_simple_extent_npoints(space);
    H5Sclose(space);
    const bool real = H5Tget_class(type) == H5T_FLOAT;
    array->kind = real ? PH_CHECKPOINT_DOUBLE : (H5Tget_size(type) == 4 ? PH_CHECKPOINT_INT32 : PH_CHECKPOINT_INT64);
    if (n < 0 || (!real && H5Tget_class(type) != H5T_INTEGER))
        return false;
    array->n = (size_t)n;
    if (is_large(array))
        return true;
    void *data = ph_allocate(array->n + 1, ph_checkpoint_element_size(array->kind));
    array->data = data;
    return data && ph_checkpoint_fetch(root, array, 0, array->n, data, NULL) == PH_OK;
}

static herr_t get_array(hid_t root, const char *name, const H5L_info_t *info, void *data)
{
    struct ph_checkpoint *checkpoint = data;
    if (info->type != H5L_TYPE_HARD || checkpoint->n == PH_CHECKPOINT_ARRAYS || strlen(name) >= PH_CHECKPOINT_NAME)
        return -1;
    const hid_t set = H5Dopen2(root, name, H5P_DEFAULT);
    if (set < 0)
        return -1;
    if (ph_h5_is_elsewhere(set)) {
        H5Dclose(set);
        return -1;
    }
    const hid_t type = H5Dget_type(set);
    struct ph_checkpoint_array *array = &checkpoint->array[checkpoint->n++];
    *array = (struct ph_checkpoint_array){.kind = PH_CHECKPOINT_TEXT};
    strcpy(array->name, name);
    bool good;
    if (H5Tget_class(type) == H5T_STRING) {
        array->data = ph_h5_get_text(root, name, NULL);
        array->n = array->data ? strlen(array->data) : 0;
        good = array->data != NULL;
    } else {
        good = get_numbers(root, set, type, array);
    }
    H5Tclose(type);
    H5Dclose(set);
    return good ? 0 : -1;
}

static enum ph_status read_one(const char *name, const uint64_t *known, struct ph_checkpoint *checkpoint,
                               struct ph_error *err)
{
    *checkpoint = (struct ph_checkpoint){.owned = true};
    const enum ph_status status = check_seal(name, known, &checkpoint->hash, err);
    if (status != PH_OK)
        return status;
    const hid_t file = H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT);
    const bool good = file >= 0 && H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, NULL, get_array, checkpoint) >= 0;
    checkpoint->file = file >= 0 ? (int64_t)file : 0;
    if (good)
        return PH_OK;
    ph_checkpoint_free(checkpoint);
    if (ph_h5_status() == PH_ERR_MEMORY)
        return ph_error_set(err, PH_ERR_MEMORY, "%s: there is no memory to read it.", name);
    return ph_error_set(err, PH_ERR_IO, "%s: cannot be used: HDF5 does not read it as a checkpoint.", name);
}

enum ph_status ph_checkpoint_read(const char *file, struct ph_checkpoint *checkpoint, char note[PH_CHECKPOINT_NOTE],
                                  struct ph_error *err)
{
    struct ph_error first = {.text = ""}, second = {.text = ""};
    char *older = with_ending(file, ".1");
    if (note)
        note[0] = '\0';
    if (!older) {
        *checkpoint = (struct ph_checkpoint){.owned = true};
        return ph_error_set(err, PH_ERR_MEMORY, "%s: there is no memory to read it.", file);
    }
    ph_h5_quiet_begin();
    enum ph_status status = read_one(file, NULL, checkpoint, &first);
    if (status != PH_OK &&
        ph_h5_status() != PH_ERR_MEMORY) { /* without memory it is not known whether the file is good */
        status = read_one(older, NULL, checkpoint, &second);
        checkpoint->is_older = true;
        if (status == PH_OK && note)
            snprintf(note, PH_CHECKPOINT_NOTE, "%.300s The one before, %.150s, is used.", first.text, older);
    }
    ph_h5_quiet_end();
    free(older);
    if (status != PH_OK)
        ph_error_set(err, status, "%.480s%s%.480s", first.text, second.text[0] ? " " : "", second.text);
    return status;
}

enum ph_status ph_checkpoint_read_same(const char *file, bool older, uint64_t hash, struct ph_checkpoint *checkpoint,
                                       struct ph_error *err)
{
    char *name = with_ending(file, older ? ".1" : "");
    *checkpoint = (struct ph_checkpoint){.owned = true};
    if (!name)
        return ph_error_set(err, PH_ERR_MEMORY, "%s: there is no memory to read it.", file);
    ph_h5_quiet_begin();
    const enum ph_status status = read_one(name, &hash, checkpoint, err);
    ph_h5_quiet_end();
    checkpoint->is_older = older;
    free(name);
    return status;
}

bool ph_checkpoint_name(const char *trajectory, size_t size, char *file)
{
    const int length = snprintf(file, size, "%s.checkpoint", trajectory);
    return length >= 0 && (size_t)length < size;
}

void ph_checkpoint_remove(const char *file)
{
    static const char *const endings[] = {"", ".1", ".tmp"};
    for (int k = 0; k < 3; ++k) {
        char *name = with_ending(file, endings[k]);
        if (name)
            unlink(name);
        free(name);
    }
}
