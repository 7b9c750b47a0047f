/* SPDX-License-Identifier: MIT */
#include "output/hdf5/seal.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* The seal has pages of its own, so that no bad page takes numbers and the seal with it. */
enum { PAGE = 4096, BLOCK = 1 << 18, MARK = 16, TAIL = 48 };

static const unsigned char mark[MARK] = "polhode seal 1\n";

/* ---- bytes ---- */

static uint64_t get(const unsigned char bytes[8])
{
    uint64_t number = 0;
    for (int k = 7; k >= 0; --k)
        number = number << 8 | bytes[k];
    return number;
}

static void set(uint64_t number, unsigned char bytes[8])
{
    for (int k = 0; k < 8; ++k)
        bytes[k] = (unsigned char)(number >> 8 * k);
}

static bool read_bytes(int descriptor, uint64_t from, size_t n, unsigned char *to)
{
    while (n > 0) {
        const ssize_t done = pread(descriptor, to, n, (off_t)from);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        from += (uint64_t)done;
        to += done;
        n -= (size_t)done;
    }
    return true;
}

/* CRC-32 of the file up to `end` without the ranges, which are in order; false if it cannot be read. */
static bool crc_file(int descriptor, uint64_t end, size_t n, const struct ph_seal_range *ranges, uLong *crc)
{
    unsigned char *block = ph_allocate(BLOCK, 1);
    bool good = block != NULL;
    *crc = 0;
    uint64_t at = 0;
    for (size_t k = 0; k <= n && good; ++k) {
        const uint64_t until = k < n ? ranges[k].first : end;
        while (at < until && good) {
            const size_t size = until - at < BLOCK ? (size_t)(until - at) : BLOCK;
            good = read_bytes(descriptor, at, size, block);
            *crc = good ? crc32_z(*crc, block, size) : 0;
            at += size;
        }
        if (k < n)
            at = ranges[k].end > at ? ranges[k].end : at;
    }
    free(block);
    return good;
}

/* ---- the seal ---- */

static bool read_tail(int descriptor, unsigned char tail[TAIL], uint64_t *begin)
{
    struct stat about;
    if (fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size <= TAIL)
        return false;
    *begin = (uint64_t)about.st_size - TAIL;
    if (!read_bytes(descriptor, *begin, TAIL, tail))
        return false;
    int same = 0; /* a mark with some flipped bits is one */
    for (int k = 0; k < MARK; ++k)
        same += tail[TAIL - MARK + k] == mark[k];
    return 2 * same > MARK;
}

bool ph_seal_find(int descriptor, uint64_t *end)
{
    unsigned char tail[TAIL];
    uint64_t begin;
    if (!read_tail(descriptor, tail, &begin))
        return false;
    const uint64_t said = get(tail + 8);
    *end = said < begin ? said : begin;
    return true;
}

static int compare_ranges(const void *a, const void *b)
{
    const struct ph_seal_range *one = a, *other = b;
    return (one->first > other->first) - (one->first < other->first);
}

/* Joins ranges that touch or overlap; returns how many are left. */
static size_t join(size_t n, struct ph_seal_range *ranges)
{
    size_t joined = 0;
    if (n > 0)
        qsort(ranges, n, sizeof *ranges, compare_ranges);
    for (size_t k = 0; k < n; ++k) {
        struct ph_seal_range *last = joined > 0 ? &ranges[joined - 1] : NULL;
        if (!last || ranges[k].first > last->end)
            ranges[joined++] = ranges[k];
        else if (ranges[k].end > last->end)
            last->end = ranges[k].end;
    }
    return joined;
}

bool ph_seal_put(int descriptor, uint64_t end, size_t n, struct ph_seal_range *ranges)
{
    n = join(n, ranges);
    const size_t size = n * 16 + TAIL;
    unsigned char *seal = ph_allocate(size, 1), *tail = seal ? seal + n * 16 : NULL;
    uLong crc;
    bool good = seal && crc_file(descriptor, end, n, ranges, &crc);
    if (good) {
        for (size_t k = 0; k < n; ++k) {
            set(ranges[k].first, seal + 16 * k);
            set(ranges[k].end, seal + 16 * k + 8);
        }
        set(n, tail);
        set(end, tail + 8);
        set(crc, tail + 16);
        set(crc32_z(0, seal, size - MARK - 8), tail + 24);
        memcpy(tail + TAIL - MARK, mark, MARK);
        good = pwrite(descriptor, seal, size, (off_t)((end + PAGE - 1) / PAGE * PAGE)) == (ssize_t)size;
    }
    free(seal);
    return good;
}

/* Whether the file is as the seal with this tail says */
static bool fits(int descriptor, const unsigned char tail[TAIL], uint64_t tail_at)
{
    const uint64_t n = get(tail), end = get(tail + 8);
    if (n > tail_at / 16 || end > tail_at - 16 * n)
        return false;
    const size_t size = 16 * (size_t)n + TAIL;
    unsigned char *seal = ph_allocate(size, 1);
    struct ph_seal_range *ranges = ph_allocate((size_t)n + 1, sizeof *ranges);
    bool good = seal && ranges && read_bytes(descriptor, tail_at - 16 * n, size, seal) &&
                get(tail + 24) == crc32_z(0, seal, size - MARK - 8) && memcmp(tail + TAIL - MARK, mark, MARK) == 0;
    for (size_t k = 0; k < n && good; ++k) {
        ranges[k] = (struct ph_seal_range){get(seal + 16 * k), get(seal + 16 * k + 8)};
        good =
            ranges[k].first < ranges[k].end && ranges[k].end <= end && (k == 0 || ranges[k].first > ranges[k - 1].end);
    }
    uLong crc;
    good = good && crc_file(descriptor, end, (size_t)n, ranges, &crc) && get(tail + 16) == crc;
    free(seal);
    free(ranges);
    return good;
}

enum ph_status ph_seal_check(const char *file, bool *sealed, struct ph_error *err)
{
    const unsigned long refusals = ph_refusals();
    enum ph_status status = PH_OK;
    const int descriptor = open(file, O_RDONLY | O_CLOEXEC);
    unsigned char tail[TAIL], again[TAIL];
    uint64_t at, now;
    /* A run that writes to the file again removes the seal first: a mismatch during that is no damage. */
    *sealed = descriptor >= 0 && read_tail(descriptor, tail, &at);
    if (*sealed && !fits(descriptor, tail, at) && read_tail(descriptor, again, &now) && now == at &&
        memcmp(again, tail, TAIL) == 0)
        status = ph_error_set(err, PH_ERR_IO,
                              "%s: is damaged: it is not as the run wrote it. To read what is left, remove its seal: "
                              "truncate -s %" PRIu64 " FILE.",
                              file, get(tail + 8) < at ? get(tail + 8) : at);
    if (descriptor >= 0)
        close(descriptor);
    return ph_status_since(refusals, status, file, err);
}
