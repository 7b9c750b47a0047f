/* SPDX-License-Identifier: MIT */
#include "output/export/xtc_coordinates.h"

#include <string.h>

/* S of each index: three numbers below S fit into `index` bits, S^3 <= 2^index. Readers have the same list, a part of
 * the format with its irregular entries (5060, 524287, 8388607). Indices below the first are not used. */
enum { FIRST = 9, NEAR_MOST = 8 };
static const int32_t range[] = {
    0,       0,       0,       0,       0,        0,        0,        0,       0,       8,       10,
    12,      16,      20,      25,      32,       40,       50,       64,      80,      101,     128,
    161,     203,     256,     322,     406,      512,      645,      812,     1024,    1290,    1625,
    2048,    2580,    3250,    4096,    5060,     6501,     8192,     10321,   13003,   16384,   20642,
    26007,   32768,   41285,   52015,   65536,    82570,    104031,   131072,  165140,  208063,  262144,
    330280,  416127,  524287,  660561,  832255,   1048576,  1321122,  1664510, 2097152, 2642245, 3329021,
    4194304, 5284491, 6658042, 8388607, 10568983, 13316085, 16777216,
};
enum { N_RANGES = sizeof range / sizeof *range };

static const uint32_t together_most = 0xffffff; /* ranges up to this are packed as one number */

/* ---- bits, the highest first ---- */

struct stream {
    unsigned char *bytes;
    size_t n_bits;
};

static void put(struct stream *stream, uint32_t number, unsigned n_bits)
{
    for (unsigned k = n_bits; k > 0; --k, ++stream->n_bits) {
        const unsigned bit = number >> (k - 1) & 1u, at = 7u - (unsigned)(stream->n_bits % 8);
        stream->bytes[stream->n_bits / 8] = (unsigned char)(stream->bytes[stream->n_bits / 8] | bit << at);
    }
}

static unsigned bits_of(uint64_t number)
{
    unsigned n = 0;
    for (; number > 0; number >>= 1)
        ++n;
    return n;
}

/* x y with at most 72 bits: the upper ones and the lower 24 */
struct wide {
    uint64_t high;
    uint32_t low;
};

static struct wide multiply_add(uint64_t x, uint32_t y, uint32_t z)
{
    const uint64_t low = (x & 0xffffff) * y + z, high = (x >> 24) * y + (low >> 24);
    return (struct wide){high, (uint32_t)(low & 0xffffff)};
}

/* (a B + b) C + c in n_bits, the lowest byte first; the last byte may have fewer bits */
static void put_three(struct stream *stream, const uint32_t number[3], const uint32_t ranges[3], unsigned n_bits)
{
    const struct wide all = multiply_add((uint64_t)number[0] * ranges[1] + number[1], ranges[2], number[2]);
    for (unsigned done = 0; done < n_bits; done += 8) {
        const uint64_t byte = done < 24 ? all.low >> done : all.high >> (done - 24);
        put(stream, (uint32_t)(byte & 0xff), n_bits - done < 8 ? n_bits - done : 8);
    }
}

/* ---- groups ---- */

/* Returns the atom from where the difference of the atom at `at` counts, in a group that begins at `first`. */
static size_t reference(size_t first, size_t at)
{
    if (at == first)
        return first + 1;
    return at == first + 2 ? first : at - 1;
}

static int is_near(const int32_t (*atom)[3], size_t i, size_t from, int32_t small)
{
    for (int k = 0; k < 3; ++k) {
        const int64_t shifted = (int64_t)atom[i][k] - atom[from][k] + small / 2;
        if (shifted < 0 || shifted >= small)
            return 0;
    }
    return 1;
}

/* How many near atoms the group has that begins here */
static size_t near_atoms(size_t n, const int32_t (*atom)[3], size_t first, int32_t small)
{
    size_t count = 0;
    if (first + 1 < n && is_near(atom, first, first + 1, small))
        for (count = 1; count < NEAR_MOST && first + count + 1 < n &&
                        is_near(atom, first + count + 1, reference(first, first + count + 1), small);)
            ++count;
    return count;
}

/* Bits of an atom in full: of all three numbers together, or 0, and of each */
struct full {
    uint32_t ranges[3];
    unsigned together, each[3];
};

static unsigned full_bits(const struct full *full)
{
    return full->together > 0 ? full->together : full->each[0] + full->each[1] + full->each[2];
}

static size_t count_bits(size_t n, const int32_t (*atom)[3], const struct full *full, int index)
{
    size_t bits = 0, before = 0;
    for (size_t i = 0; i < n;) {
        const size_t near = near_atoms(n, atom, i, range[index]);
        bits += full_bits(full) + (near == before ? 1 : 6) + near * (size_t)index;
        before = near;
        i += near + 1;
    }
    return bits;
}

static void put_full(struct stream *stream, const struct full *full, const int32_t atom[3], const int32_t least[3])
{
    uint32_t number[3];
    for (int k = 0; k < 3; ++k)
        number[k] = (uint32_t)atom[k] - (uint32_t)least[k];
    if (full->together > 0)
        put_three(stream, number, full->ranges, full->together);
    for (int k = 0; k < 3 && full->together == 0; ++k)
        put(stream, number[k], full->each[k]);
}

static void put_near(struct stream *stream, const int32_t atom[3], const int32_t from[3], int index)
{
    const uint32_t small = (uint32_t)range[index], ranges[3] = {small, small, small};
    uint32_t number[3];
    for (int k = 0; k < 3; ++k)
        number[k] = (uint32_t)(atom[k] - from[k] + range[index] / 2);
    put_three(stream, number, ranges, (unsigned)index);
}

static struct full find_ranges(size_t n, const int32_t (*atom)[3], struct ph_xtc_packed *packed)
{
    struct full full = {.together = 0};
    int large = 0;
    for (int k = 0; k < 3; ++k) {
        packed->least[k] = packed->most[k] = atom[0][k];
        for (size_t i = 1; i < n; ++i) {
            packed->least[k] = atom[i][k] < packed->least[k] ? atom[i][k] : packed->least[k];
            packed->most[k] = atom[i][k] > packed->most[k] ? atom[i][k] : packed->most[k];
        }
        full.ranges[k] = (uint32_t)packed->most[k] - (uint32_t)packed->least[k] + 1;
        full.each[k] = bits_of(full.ranges[k]);
        large = large || full.ranges[k] > together_most;
    }
    const struct wide product = multiply_add((uint64_t)full.ranges[0] * full.ranges[1], full.ranges[2], 0);
    if (!large)
        full.together = product.high > 0 ? 24 + bits_of(product.high) : bits_of(product.low);
    return full;
}

size_t ph_xtc_room(size_t n) { return 16 * n + 16; } /* 3 x 32 bits and 6 more for each atom at most */

void ph_xtc_pack(size_t n, const int32_t (*atom)[3], unsigned char *room, struct ph_xtc_packed *packed)
{
    const struct full full = find_ranges(n, atom, packed);
    size_t fewest = SIZE_MAX;
    for (int index = FIRST; index < N_RANGES; ++index) {
        const size_t bits = count_bits(n, atom, &full, index);
        if (bits < fewest) {
            fewest = bits;
            packed->index = index;
        }
        if ((unsigned)index > full_bits(&full)) /* near atoms would need more bits than full ones */
            break;
    }
    memset(room, 0, ph_xtc_room(n));
    struct stream stream = {.bytes = room};
    for (size_t i = 0, before = 0; i < n;) {
        const size_t near = near_atoms(n, atom, i, range[packed->index]);
        put_full(&stream, &full, atom[near > 0 ? i + 1 : i], packed->least);
        put(&stream, near != before, 1);
        if (near != before)
            put(&stream, (uint32_t)(3 * near + 1), 5);
        for (size_t k = 0; k <= near && near > 0; ++k)
            if (k != 1)
                put_near(&stream, atom[i + k], atom[reference(i, i + k)], packed->index);
        before = near;
        i += near + 1;
    }
    packed->size = (stream.n_bits + 7) / 8;
    packed->bytes = room;
}
