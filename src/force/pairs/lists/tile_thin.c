/* SPDX-License-Identifier: MIT */
/* Thins lists out: keeps neighbours of each couple that are near now, sorted by the molecules of the couple that they
 * are near to. */

#include "base/lanes.h"
#include "force/pairs/lists/tile.h"
#include "force/pairs/loops/gather.h"
#include "parallel/spent.h"

#include <assert.h>

/* Centres of the copies, in places that the next pair loop overwrites */
static void find_centres(const struct ph_system *system, const double shift[][3], const struct ph_tile *tile,
                         double (*restrict centre)[4])
{
    for (size_t l = 0; l < tile->n_local; ++l)
        for (int x = 0; x < 3; ++x)
            centre[l][x] = system->r[x][tile->molecule[l]] + shift[tile->image[l]][x];
}

/* Squares of distances below which pairs are inside and near; memory for the parts of a list, with as many bytes per
 * index as in the tile */
struct thinning {
    const double (*centre)[4];
    double inside2, radius2;
    char *part[PH_TILE_PARTS];
};

/* Sorting counts all parts in one word. Three statements about a neighbour have a bit each: near the first molecule of
 * a couple, near the second, inside for both. The count of a part begins at the sum of the bits of its true statements.
 * Neighbours that are near neither belong to no part, and are counted from bit 0 on. A chunk fits into the BITS for
 * each. */
enum {
    BITS = 10,
    AT_NONE = 0,
    AT_FIRST = BITS,
    AT_SECOND = 2 * BITS,
    AT_ALL = AT_FIRST + AT_SECOND,
    MORE_INSIDE = BITS,
    AT_INSIDE = AT_ALL + MORE_INSIDE
};
static const uint8_t at_part[PH_TILE_PARTS] = {
    [PH_PART_INSIDE] = AT_INSIDE, [PH_PART_FIRST] = AT_FIRST, [PH_PART_ALL] = AT_ALL, [PH_PART_SECOND] = AT_SECOND};
_Static_assert(PH_KERNEL_CHUNK < 1 << BITS && AT_INSIDE + BITS <= 64, "a count needs more bits");

/* The partner of the first molecule, always the first of a list, is no neighbour of itself. */
PH_INLINE uint64_t at_partner(uint64_t at) { return at == AT_SECOND ? AT_NONE : AT_FIRST; }

/* Appends a neighbour to the part that it belongs to; the counts after that. No branches, and no counts in memory. */
PH_INLINE uint64_t append(size_t index, size_t bytes, uint64_t at, uint64_t counts, char *const to[])
{
    ph_set_index(to[at], bytes, counts >> at & ((1 << BITS) - 1), index);
    return counts + (UINT64_C(1) << at);
}

/* A loop that is not there if PH_NARROW: see tools/check-vectorised */
#define PH_SIMD_WIDE PH_SIMD

/* Sorts up to PH_KERNEL_CHUNK neighbours of a couple, where the first may be the partner, to to[..]. Returns the
 * counts. First makes a row with the bit for each. */
PH_INLINE uint64_t sort_by_rows(const struct thinning *thinning, size_t first, size_t second, bool partner, size_t n,
                                const void *restrict list, size_t bytes, char *const to[])
{
    PH_ALIGNED double rows[4][PH_KERNEL_ROW];
    uint64_t at[PH_KERNEL_CHUNK], counts = 0;
    const double *restrict x = rows[0], *restrict y = rows[1], *restrict z = rows[2];
    const double inside2 = thinning->inside2, radius2 = thinning->radius2;
    const double *a = thinning->centre[first], *b = thinning->centre[second];
    const double ax = a[0], ay = a[1], az = a[2], bx = b[0], by = b[1], bz = b[2];
    ph_gather_fields(thinning->centre[0], 4, 4, list, bytes, n, rows);
    PH_SIMD_WIDE
    for (size_t k = 0; k < n; ++k) {
        const double dx = x[k] - ax, dy = y[k] - ay, dz = z[k] - az, ex = x[k] - bx, ey = y[k] - by, ez = z[k] - bz;
        const double one = dx * dx + dy * dy + dz * dz, other = ex * ex + ey * ey + ez * ez;
        const uint64_t near_first = one < radius2 ? AT_FIRST : 0, near_second = other < radius2 ? AT_SECOND : 0;
        at[k] = near_first + near_second + (ph_max(one, other) < inside2 ? MORE_INSIDE : 0);
    }
    if (partner)
        at[0] = at_partner(at[0]);
    for (size_t k = 0; k < n; ++k)
        counts = append(ph_index(list, bytes, k), bytes, at[k], counts, to);
    return counts;
}

/* Where two neighbours with these centres are counted, of a couple with centres a and b */
typedef uint64_t two_bits __attribute__((vector_size(16)));

PH_INLINE two_bits find_two(bool any_inside, double inside2, double radius2, const double a[3], const double b[3],
                            const double *one_centre, const double *other_centre)
{
    const ph_two p = ph_load_two(one_centre), q = ph_load_two(other_centre), x = ph_firsts(p, q), y = ph_seconds(p, q);
    const ph_two z = ph_firsts(ph_load_two(one_centre + 2), ph_load_two(other_centre + 2));
    const ph_two dx = x - a[0], dy = y - a[1], dz = z - a[2], ex = x - b[0], ey = y - b[1], ez = z - b[2];
    const ph_two one = dx * dx + dy * dy + dz * dz, other = ex * ex + ey * ey + ez * ez;
    const two_bits near_first = (two_bits)(one < radius2) & AT_FIRST,
                   near_second = (two_bits)(other < radius2) & AT_SECOND;
    const two_bits both = near_first + near_second;
    return any_inside ? both + ((two_bits)((one < inside2) & (other < inside2)) & MORE_INSIDE) : both;
}

/* The same, two neighbours at a time: with vectors of two doubles, writing and reading rows takes longer than the
 * computation. */
PH_INLINE uint64_t sort_by_twos(const struct thinning *thinning, bool any_inside, size_t first, size_t second,
                                bool partner, size_t n, const void *restrict list, size_t bytes, char *const to[])
{
    const double inside2 = thinning->inside2, radius2 = thinning->radius2, (*centre)[4] = thinning->centre;
    const double *of_first = centre[first], *of_second = centre[second];
    const double a[3] = {of_first[0], of_first[1], of_first[2]}, b[3] = {of_second[0], of_second[1], of_second[2]};
    uint64_t counts = 0;
    size_t k = 0;
    if (partner) {
        const two_bits at = find_two(false, inside2, radius2, a, b, of_second, of_second);
        counts = append(second, bytes, at_partner(at[0]), counts, to);
        k = 1;
    }
    for (; k + 1 < n; k += 2) {
        const size_t i = ph_index(list, bytes, k), j = ph_index(list, bytes, k + 1);
        const two_bits at = find_two(any_inside, inside2, radius2, a, b, centre[i], centre[j]);
        counts = append(i, bytes, at[0], counts, to);
        counts = append(j, bytes, at[1], counts, to);
    }
    if (k < n) {
        const size_t i = ph_index(list, bytes, k);
        const two_bits at = find_two(any_inside, inside2, radius2, a, b, centre[i], centre[i]);
        counts = append(i, bytes, at[0], counts, to);
    }
    return counts;
}

/* Sorts n neighbours of a couple into parts, each in the order of the list, behind the count[..] that are there; a
 * molecule without a partner is its own second. */
PH_INLINE void sort_list(const struct thinning *thinning, size_t first, size_t second, size_t n, const char *list,
                         size_t bytes, size_t count[PH_TILE_PARTS])
{
    uint32_t none[PH_KERNEL_CHUNK];
    char *to[AT_INSIDE + 1];
    to[AT_NONE] = (char *)none;
    for (size_t begin = 0; begin < n; begin += PH_KERNEL_CHUNK) {
        const size_t m = n - begin < PH_KERNEL_CHUNK ? n - begin : PH_KERNEL_CHUNK;
        const char *from = list + begin * bytes;
        const bool partner = begin == 0 && ph_index(list, bytes, 0) == second;
        for (size_t p = 0; p < PH_TILE_PARTS; ++p)
            to[at_part[p]] = thinning->part[p] + count[p] * bytes;
        const uint64_t counts = !PH_NARROW ? sort_by_rows(thinning, first, second, partner, m, from, bytes, to)
                                : thinning->inside2 > 0
                                    ? sort_by_twos(thinning, true, first, second, partner, m, from, bytes, to)
                                    : sort_by_twos(thinning, false, first, second, partner, m, from, bytes, to);
        for (size_t p = 0; p < PH_TILE_PARTS; ++p)
            count[p] += counts >> at_part[p] & ((1 << BITS) - 1);
    }
}

/* Neighbours of the species s0 .. s1 of one kind: parts, and species within each of them */
PH_INLINE void thin_kind(const struct thinning *thinning, size_t c, size_t n_species, size_t s0, size_t s1,
                         size_t bytes, struct ph_tile *tile)
{
    const uint32_t first = tile->couple[c], second = tile->couple[c + 1] - 1, *begin = tile->begin + c * n_species;
    const char *neighbour = tile->neighbour;
    char *near = (char *)tile->near + begin[s0] * bytes, *const *part = thinning->part;
    uint32_t(*end)[PH_TILE_PARTS] = tile->part_end + c * n_species;
    size_t count[PH_TILE_PARTS] = {0}, k = 0;
    for (size_t s = s0; s < s1; ++s) {
        sort_list(thinning, first, second, begin[s + 1] - begin[s], neighbour + begin[s] * bytes, bytes, count);
        while (count[PH_PART_INSIDE] % PH_LANES != 0) /* the rest of a block goes to PH_PART_ALL */
            ph_set_index(part[PH_PART_ALL], bytes, count[PH_PART_ALL]++,
                         ph_index(part[PH_PART_INSIDE], bytes, --count[PH_PART_INSIDE]));
        for (size_t p = 0; p < PH_TILE_PARTS; ++p)
            end[s][p] = (uint32_t)count[p];
    }
    for (size_t p = 0; p < PH_TILE_PARTS; ++p) {
        memcpy(near + k * bytes, part[p], count[p] * bytes);
        for (size_t s = s0; s < s1; ++s)
            end[s][p] += (uint32_t)k;
        k += count[p];
    }
    tile->pairs += k + (first == second ? 0 : count[PH_PART_INSIDE] + count[PH_PART_ALL]);
}

PH_INLINE void thin_lists(const struct thinning *thinning, size_t n_species, const size_t kind_end[], size_t bytes,
                          struct ph_tile *tile)
{
    for (size_t c = 0; c < tile->n_couples; ++c)
        for (size_t s = 0; s < n_species; s = kind_end[s])
            thin_kind(thinning, c, n_species, s, kind_end[s], bytes, tile);
}

/* What is kept: squares of distances, see struct thinning */
struct ranges {
    const struct ph_system *system;
    const size_t *kind_end;
    double inside2, radius2;
};

static void thin_tile(const void *data, const struct ph_tiles *tiles, struct ph_tile *tile)
{
    const struct ranges *ranges = data;
    const struct ph_system *system = ranges->system;
    if (tile->away)
        return;
    double(*centre)[4] = (double(*)[4])(void *)tile->out;
    find_centres(system, (const double(*)[3])tiles->shift, tile, centre);
    struct thinning thinning = {
        .centre = (const double(*)[4])centre, .inside2 = ranges->inside2, .radius2 = ranges->radius2};
    for (size_t p = 0; p < PH_TILE_PARTS; ++p) /* free until the next pair loop */
        thinning.part[p] = (char *)tile->in + p * (tile->n_local + 1) * sizeof(uint32_t);
    tile->pairs = 0;
    PH_FOR_INDICES(tile->index_bytes, thin_lists(&thinning, system->n_species, ranges->kind_end, BYTES, tile))
}

void ph_tiles_thin(const struct ph_system *system, const struct ph_owned *own, const size_t kind_end[], double inside,
                   double radius, struct ph_tiles *tiles)
{
    assert(inside <= radius);
    const struct ranges ranges = {system, kind_end, inside > 0.0 ? inside * inside : 0.0, radius * radius};
    if (tiles->n == 1 || own)
        ph_tiles_note_places(system, own, tiles->thinned_at);
    if (tiles->n == 1) { /* no parallel region, see base/threads.h; a rank may have no tile */
        for (size_t k = 0; k < tiles->n_here; ++k)
            thin_tile(&ranges, tiles, &tiles->tile[tiles->here[k]]);
        return;
    }
    ++tiles->round;
#pragma omp parallel
    {
        if (!own)
            ph_tiles_note_turns(system, tiles->thinned_at);
        ph_tiles_each(tiles, thin_tile, &ranges);
        ph_spent_meet(PH_SPENT_THIN);
    }
}
