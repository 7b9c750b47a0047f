/* SPDX-License-Identifier: MIT */
#ifndef PH_OUTPUT_STORE_H
#define PH_OUTPUT_STORE_H

/* How HDF5 reaches a file that we write: a driver that keeps the file readable at every instant.
 *
 * HDF5 changes a file in many places for one frame, in the order of their addresses. A process killed between two of
 * these writes, or a full disk, would leave an index that points to nothing, or a file shorter than its beginning says:
 * everything in it is lost then. Here H5Fflush commits: what lies behind the end that was committed last is written as
 * it comes, since nothing refers to it yet; changes of what lies before it are kept in memory until then, and written
 * in an order in which each single write leads from one good file to another: first the superblock (it knows the new
 * length), then the nodes of indices from the roots to the leaves, then all else. A node that is split is new on one
 * side, and for a moment what moved there is found in both. No node lies across two pages, so that none is half
 * written.
 *
 * HDF5's way to lock files would keep readers out while a run goes on; a lock of our own only keeps a second writer
 * out. Only for files that grow: space that was freed must not be used again before the file is closed. */

#include "base/error.h"

#include <hdf5.h>
#include <stdbool.h>

/* Opens or creates (the file must not be there) for reading and writing; close with ph_store_close. */
enum ph_status ph_store_create(const char *name, hid_t *file, struct ph_error *err);
enum ph_status ph_store_open(const char *name, hid_t *file, struct ph_error *err);

enum ph_status ph_store_commit(hid_t file, const char *name, struct ph_error *err);
enum ph_status ph_store_sync(hid_t file, const char *name, struct ph_error *err); /* to the disk itself */

/* Commits and closes; with `discard`: the file stays as last committed. All objects in it must be closed. */
enum ph_status ph_store_close(hid_t file, const char *name, bool discard, struct ph_error *err);

/* What failed last on the disk, in words; NULL if nothing did and HDF5 itself must know. */
const char *ph_store_reason(hid_t file);

/* Does another process (or this one) write to the file now? */
bool ph_store_is_written(const char *name);

#endif
