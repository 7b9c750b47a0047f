/* SPDX-License-Identifier: MIT */
#include "output/hdf5/store_changes.h"

#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Failures to write are not reported to HDF5, which could not close its objects then. It continues in memory, and the
 * commit returns the failure. */
bool ph_store_fail(struct ph_store *store)
{
    if (store->failure == 0)
        store->failure = errno ? errno : EIO;
    store->discard = true;
    return false;
}

bool ph_store_put(int descriptor, uint64_t address, size_t size, const void *bytes)
{
    const unsigned char *from = bytes;
    errno = 0;
    while (size > 0) {
        const ssize_t n = pwrite(descriptor, from, size, (off_t)address);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        address += (uint64_t)n;
        size -= (size_t)n;
        from += n;
    }
    return true;
}

static bool unseal(struct ph_store *store)
{
    if (store->sealed && ftruncate(store->descriptor, (off_t)store->committed) != 0)
        return ph_store_fail(store);
    store->sealed = false;
    return true;
}

bool ph_store_write(struct ph_store *store, haddr_t address, size_t size, const unsigned char *bytes)
{
    if (!unseal(store))
        return false;
    if (!ph_store_put(store->descriptor, address, size, bytes))
        return ph_store_fail(store);
    store->size = address + size > store->size ? address + size : store->size;
    return true;
}

void ph_store_overlay(haddr_t to_address, size_t to_size, unsigned char *to, haddr_t address, size_t size,
                      const unsigned char *bytes)
{
    const haddr_t first = address > to_address ? address : to_address;
    const haddr_t to_end = to_address + to_size, from_end = address + size;
    const haddr_t end = from_end < to_end ? from_end : to_end;
    if (first < end)
        memcpy(to + (first - to_address), bytes + (first - address), (size_t)(end - first));
}

bool ph_store_hold(struct ph_store *store, bool numbers, haddr_t address, size_t size, const unsigned char *bytes)
{
    bool known = false;
    for (size_t k = 0; k < store->n_held; ++k) {
        struct ph_store_held *held = &store->held[k];
        ph_store_overlay(held->address, held->size, held->bytes, address, size, bytes);
        known = known || (held->address == address && held->size == size);
    }
    if (known)
        return true;
    if (store->n_held == store->room) {
        const size_t room = 2 * store->room + 64;
        struct ph_store_held *held = ph_reallocate(store->held, room, sizeof *held);
        if (!held)
            return ph_store_fail(store);
        store->held = held;
        store->room = room;
    }
    unsigned char *copy = ph_allocate(size, 1);
    if (!copy)
        return ph_store_fail(store);
    memcpy(copy, bytes, size);
    store->held[store->n_held++] = (struct ph_store_held){address, size, copy, numbers};
    return true;
}

void ph_store_forget(struct ph_store *store)
{
    for (size_t k = 0; k < store->n_held; ++k)
        free(store->held[k].bytes);
    store->n_held = 0;
}

/* The rank of a change in the order of a commit: the superblock, nodes of indices ("TREE", kind, level) by their
 * level, numbers, then all else. Extents of data sets are among the last, so that rows are there before they count. */
static int rank_of(const struct ph_store_held *held)
{
    if (held->address == 0)
        return 0;
    if (!held->numbers && held->size > 5 && memcmp(held->bytes, "TREE", 4) == 0)
        return 256 - held->bytes[5];
    return held->numbers ? 257 : 258;
}

static int compare_held(const void *a, const void *b)
{
    const struct ph_store_held *one = a, *other = b;
    const int ranks = rank_of(one) - rank_of(other);
    return ranks != 0 ? ranks : (one->address > other->address) - (one->address < other->address);
}

bool ph_store_write_held(struct ph_store *store)
{
    if (store->discard)
        return false;
    if (store->size < store->end) {
        if (!unseal(store) || ftruncate(store->descriptor, (off_t)store->end) != 0)
            return ph_store_fail(store);
        store->size = store->end;
    }
    if (store->n_held > 0)
        qsort(store->held, store->n_held, sizeof *store->held, compare_held);
    for (size_t k = 0; k < store->n_held; ++k)
        if (!ph_store_write(store, store->held[k].address, store->held[k].size, store->held[k].bytes))
            return false;
    ph_store_forget(store);
    store->committed = store->end;
    if (store->size > store->end && ftruncate(store->descriptor, (off_t)store->end) == 0)
        store->size = store->end; /* a longer file would do no harm */
    return true;
}
