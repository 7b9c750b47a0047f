/* SPDX-License-Identifier: MIT */
#ifndef PH_OUTPUT_HDF5_STORE_H
#define PH_OUTPUT_HDF5_STORE_H

/* A driver through which HDF5 writes our files, and which keeps them readable at every instant.
 *
 * HDF5 changes a file in many places for one frame, in the order of their addresses. A process killed between two of
 * these writes, or a full disk, would leave an index that points to nothing, or a file shorter than its superblock
 * says. All data in it would be lost. Here H5Fflush commits. Bytes beyond the end of the last commit are written at
 * once, because nothing refers to them yet. */

/* Changes before that end stay in memory until the commit. They are written in an order that keeps the file valid
 * after every single write. First comes the superblock (it knows the new length), then the nodes of indices from the
 * roots to the leaves, then all else. When a node is split, one half is new, and for a moment both halves have the
 * entries that moved. No node crosses a page boundary, so that none is half written. */

/* HDF5's own locks would keep readers out during a run; ours only keeps out a second writer. Only for files that grow:
 * space that was freed must not be used again before the file is closed. */

#include "base/error.h"
#include "output/hdf5/seal.h"

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

/* Opens or creates (the file must not be there) for reading and writing; close with ph_store_close. */
enum ph_status ph_store_create(const char *name, hid_t *file, struct ph_error *err);
enum ph_status ph_store_open(const char *name, hid_t *file, struct ph_error *err);

/* Opens for reading a file that a run may be writing, or may begin to; close with H5Fclose. HDF5's own driver reads the
 * length only once, when it opens the file, and takes later commits for damage. Negative if it fails. */
hid_t ph_store_read(const char *name);

enum ph_status ph_store_commit(hid_t file, const char *name, struct ph_error *err);
enum ph_status ph_store_sync(hid_t file, const char *name, struct ph_error *err); /* to the disk itself */

/* Commits and closes; with `discard`: the file stays as last committed. All objects in it must be closed. */
enum ph_status ph_store_close(hid_t file, const char *name, bool discard, struct ph_error *err);

/* The file gets a seal (seal.h) when it is closed and all was written. It leaves out bytes that have checksums of their
 * own. The store frees the array. */
void ph_store_seal(hid_t file, size_t n, struct ph_seal_range *checked);

/* The last failure to write, in words; NULL if there was none, and the error is HDF5's own. */
const char *ph_store_reason(hid_t file);

/* Lets several ranks write one file. Between ph_store_reserve(file, true) and (file, false) HDF5 allocates space for
 * numbers of data sets as usual, but numbers beyond the last commit are not written. ph_store_reserved returns the
 * place of the last ones (size 0: none yet). Other ranks open the file by ph_store_help and write the numbers there
 * with ph_store_put (false: see errno); then the first rank commits. No other program can open the file for writing
 * until every helper has called close(). */
struct ph_store_place {
    uint64_t address, size; /* bytes */
};
enum { PH_STORE_BUFFER = 1 << 16 }; /* bytes; HDF5 writes smaller data sets itself when they are closed */
void ph_store_reserve(hid_t file, bool begins);
struct ph_store_place ph_store_reserved(hid_t file);
int ph_store_help(const char *name); /* a descriptor; negative if it fails, see errno */
bool ph_store_put(int descriptor, uint64_t address, size_t size, const void *bytes);

/* Whether another process (or this one) is writing to the file */
bool ph_store_is_written(const char *name);

#endif
