/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* locks that belong to the open file, not to the process */
#include "output/hdf5/store.h"

#include "base/memory.h"
#include "output/hdf5/h5_tools.h"
#include "output/hdf5/seal.h"
#include "output/hdf5/store_changes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* A killed process may have written some pages of a block and not the rest. Nodes of indices, smaller than a page and
 * larger than any block that HDF5 puts together, therefore begin with a page. */
enum { NODE = 2048, PAGE = 4096 };

#define LONGEST ((haddr_t)INT64_MAX - 2)

/* Locks on bytes beyond any file: the writer locks the first byte, its helpers share a lock on the second. So no other
 * process can begin to write while one of them is left. */
enum lock { WRITER, HELPERS };

static struct flock lock_on(enum lock which, short kind)
{
    return (struct flock){
        .l_type = kind, .l_whence = SEEK_SET, .l_start = INT64_MAX - (which == WRITER ? 1 : 2), .l_len = 1};
}

static bool is_busy(int descriptor, enum lock which, int command)
{
    struct flock lock = lock_on(which, F_WRLCK);
    if (fcntl(descriptor, command, &lock) != 0)
        return command == F_OFD_SETLK && (errno == EAGAIN || errno == EACCES);
    if (command == F_OFD_GETLK && lock.l_type != F_UNLCK)
        errno = EAGAIN;
    return command == F_OFD_GETLK && lock.l_type != F_UNLCK;
}

/* ---- HDF5's driver ---- */

/* Returns true if another program writes by HDF5's own driver, which locks the whole file. On a file system with only
 * one kind of lock, ours would look like it. */
static bool is_foreign(int descriptor)
{
    return !is_busy(descriptor, WRITER, F_OFD_GETLK) && flock(descriptor, LOCK_SH | LOCK_NB) != 0 &&
           errno == EWOULDBLOCK;
}

/* errno of the last file that our driver could not open, or 0. HDF5 may lose errno: it notes the time of each failure,
 * and without a file of the time zone localtime sets errno itself. */
static _Thread_local int open_failure;

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t plist, haddr_t most)
{
    (void)plist, (void)most;
    const bool new = flags &H5F_ACC_CREAT, reads = !(flags & H5F_ACC_RDWR);
    struct ph_store *store = ph_allocate(1, sizeof *store);
    if (!store)
        return NULL;
    store->descriptor = open(name, (reads ? O_RDONLY : O_RDWR) | O_CLOEXEC | (new ? O_CREAT | O_EXCL : 0), 0666);
    struct stat about;
    if (store->descriptor < 0 || fstat(store->descriptor, &about) != 0 ||
        (reads ? is_foreign(store->descriptor)
               : is_busy(store->descriptor, WRITER, F_OFD_SETLK) || is_busy(store->descriptor, HELPERS, F_OFD_GETLK))) {
        open_failure = errno;
        if (store->descriptor >= 0)
            close(store->descriptor);
        free(store);
        return NULL;
    }
    store->size = (haddr_t)about.st_size;
    store->reads = reads;
    uint64_t end;
    store->sealed = !reads && ph_seal_find(store->descriptor, &end);
    if (store->sealed)
        store->size = end;
    store->committed = store->size;
    return &store->driver;
}

static herr_t driver_close(H5FD_t *file)
{
    struct ph_store *store = (struct ph_store *)file;
    if (store->discard && !store->sealed && store->committed > 0 &&
        ftruncate(store->descriptor, (off_t)store->committed) != 0)
        ph_store_fail(store);                         /* bytes after it do no harm */
    if (store->seals && ph_store_write_held(store) && /* HDF5 writes its superblock once more */
        !ph_seal_put(store->descriptor, store->size, store->n_left_out, store->left_out) &&
        ftruncate(store->descriptor, (off_t)store->size) != 0)
        ph_store_fail(store); /* all numbers are there; without room for a seal there is none */
    const int failed = close(store->descriptor);
    ph_store_forget(store);
    free(store->held);
    free(store->left_out);
    free(store);
    return failed;
}

static herr_t driver_query(const H5FD_t *file, unsigned long *flags)
{
    (void)file;
    *flags = H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE; /* and no gathering of metadata: see store.h */
    return 0;
}

static herr_t driver_set_end(H5FD_t *file, H5FD_mem_t kind, haddr_t end)
{
    (void)kind;
    ((struct ph_store *)file)->end = end;
    return 0;
}

static haddr_t driver_size(const H5FD_t *file, H5FD_mem_t kind)
{
    (void)kind;
    const struct ph_store *store = (const struct ph_store *)file;
    struct stat about;
    return store->reads && fstat(store->descriptor, &about) == 0 ? (haddr_t)about.st_size : store->size;
}

/* Lets readers read up to the end of the file, which includes commits after the superblock was read. */
static haddr_t driver_end(const H5FD_t *file, H5FD_mem_t kind)
{
    const struct ph_store *store = (const struct ph_store *)file;
    return store->reads ? driver_size(file, kind) : store->end;
}

static herr_t driver_handle(H5FD_t *file, hid_t plist, void **handle)
{
    (void)plist;
    *handle = file;
    return 0;
}

static herr_t driver_read(H5FD_t *file, H5FD_mem_t kind, hid_t plist, haddr_t address, size_t size, void *to)
{
    (void)kind, (void)plist;
    struct ph_store *store = (struct ph_store *)file;
    size_t done = 0;
    while (done < size) {
        const ssize_t n =
            pread(store->descriptor, (unsigned char *)to + done, size - done, (off_t)(address + (haddr_t)done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            ph_store_fail(store);
            return -1;
        }
        if (n == 0 && store->reads) { /* an address that no writer has committed */
            errno = EIO;
            return -1;
        }
        if (n == 0) /* allocated, but not written yet */
            break;
        done += (size_t)n;
    }
    memset((unsigned char *)to + done, 0, size - done);
    for (size_t k = 0; k < store->n_held; ++k)
        ph_store_overlay(address, size, to, store->held[k].address, store->held[k].size, store->held[k].bytes);
    return 0;
}

static herr_t driver_write(H5FD_t *file, H5FD_mem_t kind, hid_t plist, haddr_t address, size_t size, const void *from)
{
    (void)plist;
    struct ph_store *store = (struct ph_store *)file;
    if (store->reserves && kind == H5FD_MEM_DRAW && address >= store->committed) {
        store->reserved = (struct ph_store_place){address, size};
        return 0;
    }
    const haddr_t before = address < store->committed ? store->committed - address : 0;
    const size_t n = store->discard || before > size ? size : (size_t)before;
    const bool numbers = kind == H5FD_MEM_DRAW;
    if ((n > 0 && !ph_store_hold(store, numbers, address, n, from)))
        return -1; /* no memory */
    if (n < size && !ph_store_write(store, address + n, size - n, (const unsigned char *)from + n))
        return ph_store_hold(store, numbers, address + n, size - n, (const unsigned char *)from + n) ? 0 : -1;
    return 0;
}

static herr_t driver_flush(H5FD_t *file, hid_t plist, hbool_t closing)
{
    (void)plist, (void)closing;
    struct ph_store *store = (struct ph_store *)file;
    if (!store->reads)
        ph_store_write_held(store);
    return 0;
}

static const H5FD_class_t driver_class = {
#if H5_VERSION_GE(1, 13, 0)
    .version = H5FD_CLASS_VERSION,
    .value = 512, /* one of the numbers free for everyone */
#endif
    .name = "polhode",
    .maxaddr = LONGEST,
    .fc_degree = H5F_CLOSE_SEMI,
    .open = driver_open,
    .close = driver_close,
    .query = driver_query,
    .get_eoa = driver_end,
    .set_eoa = driver_set_end,
    .get_eof = driver_size,
    .get_handle = driver_handle,
    .read = driver_read,
    .write = driver_write,
    .flush = driver_flush,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

/* ---- Public functions ---- */

/* Returns the access list for this driver; negative without memory. It stays until HDF5 itself ends, because HDF5 frees
 * a driver before it calls `close` for files that are still open. */
static hid_t our_access(void)
{
    static hid_t access = H5I_INVALID_HID;
    if (H5Iis_valid(access) > 0)
        return access;
    const hid_t driver = H5FDregister(&driver_class);
    access = driver >= 0 ? H5Pcreate(H5P_FILE_ACCESS) : H5I_INVALID_HID;
    if (access >= 0 && H5Pset_driver(access, driver, NULL) >= 0 && H5Pset_alignment(access, NODE, PAGE) >= 0 &&
        H5Pset_sieve_buf_size(access, PH_STORE_BUFFER) >= 0)
        return access;
    if (access >= 0)
        H5Pclose(access);
    return access = H5I_INVALID_HID;
}

/* A new file if it must not be there yet (H5F_ACC_EXCL) */
static hid_t open_by_driver(const char *name, unsigned flags)
{
    const hid_t access = our_access();
    open_failure = errno = 0;
    if (access < 0)
        return H5I_INVALID_HID;
    const hid_t file =
        flags & H5F_ACC_EXCL ? H5Fcreate(name, flags, H5P_DEFAULT, access) : H5Fopen(name, flags, access);
    if (file < 0 && open_failure != 0)
        errno = open_failure;
    return file;
}

hid_t ph_store_read(const char *name) { return open_by_driver(name, H5F_ACC_RDONLY); }

static enum ph_status open_file(const char *name, bool new, hid_t *file, struct ph_error *err)
{
    char text[PH_H5_REASON];
    *file = open_by_driver(name, new ? H5F_ACC_EXCL : H5F_ACC_RDWR);
    const int failure = errno;
    if (*file >= 0)
        return PH_OK;
    return ph_error_set(err, ph_h5_status(), "%s: cannot be %s: %s.%s", name, new ? "created" : "opened for writing",
                        failure ? strerror(failure) : ph_h5_reason(text),
                        failure == EAGAIN || failure == EACCES ? " Another program may be writing to it."
                        : failure == EEXIST                    ? " Another run has made it just now."
                                                               : "");
}

enum ph_status ph_store_create(const char *name, hid_t *file, struct ph_error *err)
{
    return open_file(name, true, file, err);
}

enum ph_status ph_store_open(const char *name, hid_t *file, struct ph_error *err)
{
    return open_file(name, false, file, err);
}

static struct ph_store *store_of(hid_t file)
{
    void *store = NULL;
    return H5Fget_vfd_handle(file, H5P_DEFAULT, &store) >= 0 ? store : NULL;
}

const char *ph_store_reason(hid_t file)
{
    const struct ph_store *store = store_of(file);
    return store && store->failure ? strerror(store->failure) : NULL;
}

enum ph_status ph_store_commit(hid_t file, const char *name, struct ph_error *err)
{
    char text[PH_H5_REASON] = "HDF5 gives no reason";
    const bool flushed = H5Fflush(file, H5F_SCOPE_LOCAL) >= 0;
    if (!flushed)
        ph_h5_reason(text);
    const char *reason = ph_store_reason(file);
    if (flushed && !reason)
        return PH_OK;
    return ph_error_set(err, ph_h5_status(), "%s: cannot be written: %s.", name, reason ? reason : text);
}

enum ph_status ph_store_sync(hid_t file, const char *name, struct ph_error *err)
{
    const enum ph_status status = ph_store_commit(file, name, err);
    struct ph_store *store = store_of(file);
    if (status != PH_OK || !store || fsync(store->descriptor) == 0)
        return status;
    ph_store_fail(store);
    return ph_error_set(err, PH_ERR_IO, "%s: cannot be written to disk: %s.", name, strerror(store->failure));
}

enum ph_status ph_store_close(hid_t file, const char *name, bool discard, struct ph_error *err)
{
    const enum ph_status status = discard ? PH_OK : ph_store_commit(file, name, err);
    struct ph_store *store = store_of(file);
    if (store)
        store->discard = store->discard || discard || status != PH_OK;
    if (H5Fclose(file) >= 0)
        return status;
    char text[PH_H5_REASON];
    ph_h5_reason(text);
    return status != PH_OK ? status : ph_error_set(err, ph_h5_status(), "%s: cannot be closed: %s.", name, text);
}

void ph_store_seal(hid_t file, size_t n, struct ph_seal_range *checked)
{
    struct ph_store *store = store_of(file);
    if (!store || store->left_out) {
        free(checked);
        return;
    }
    store->seals = true;
    store->n_left_out = n;
    store->left_out = checked;
}

void ph_store_reserve(hid_t file, bool begins)
{
    struct ph_store *store = store_of(file);
    if (store) {
        store->reserves = begins;
        store->reserved = (struct ph_store_place){0};
    }
}

struct ph_store_place ph_store_reserved(hid_t file)
{
    const struct ph_store *store = store_of(file);
    return store ? store->reserved : (struct ph_store_place){0};
}

int ph_store_help(const char *name)
{
    const int descriptor = open(name, O_RDWR | O_CLOEXEC);
    struct flock lock = lock_on(HELPERS, F_RDLCK);
    if (descriptor >= 0)
        fcntl(descriptor, F_OFD_SETLK, &lock); /* as good as it is where there are no locks */
    return descriptor;
}

bool ph_store_is_written(const char *name)
{
    const int descriptor = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* of a pipe, too */
    const bool busy = descriptor >= 0 && is_busy(descriptor, WRITER, F_OFD_GETLK);
    if (descriptor >= 0)
        close(descriptor);
    return busy;
}
