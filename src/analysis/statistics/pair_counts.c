/* SPDX-License-Identifier: MIT */
/* Distances are first found in single precision, from fractions of the box as whole numbers. 2^32 is one edge, so that
 * the difference of two of them, which wraps around, belongs to the nearest image. Where such a distance comes so near
 * to the edge of a bin that rounding may have taken it across, it is found again in double precision. The counts
 * therefore equal the counts of double precision throughout. */
#include "analysis/statistics/pair_counts.h"

#include "analysis/statistics/sorted_points.h"
#include "base/lanes.h"
#include "base/vec3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = PH_SORTED_SPARE, BATCH = 1024, LONG = 64, HISTOGRAMS = 2, SPREAD = 1024, DOUBTFUL = -1 };

/* How the frame is measured */
struct ruler {
    bool tilted;
    float edge[3][3]; /* columns by component; of one unit of the whole numbers, in widths of bins */
    float doubt;      /* nearer than this to a whole number of widths: uncertain */
    int32_t beyond;   /* places after the last bin that distances beyond it are counted at */
};

/* Points that may be near one, by their coordinates and numbers; not owned */
struct others {
    size_t n;
    const uint32_t *x[3];
    const int *point;
};

struct gathered {
    size_t n;
    uint32_t x[3][BATCH];
    int point[BATCH];
};

struct bins {
    int32_t bin[BATCH];
    int32_t doubtful[BATCH / BLOCK]; /* by block: some bin of it is not certain */
};

struct ph_pair_counts {
    struct ph_sorted_points sorted;
    size_t n_types, n_bins, row; /* numbers of a histogram */
    double width;
    const int *type, *molecule;
    int *members;     /* owned; points by molecule */
    uint32_t *x[3];   /* owned; of sorted points */
    uint64_t *counts; /* owned; two histograms in turn for each pair of types: a count need not wait for the last */
    /* Of the frame */
    struct ruler ruler;
    const struct ph_box *box;
    const double *position;
    uint64_t *histogram; /* of the pair of types at hand */
    struct gathered gathered;
    struct bins bins;
};

/* Sorts points by molecule and keeps the order within each molecule: counting sort */
static int *sort_members(size_t n, const int *molecule)
{
    int last = 0;
    for (size_t i = 0; i < n; ++i)
        last = molecule[i] > last ? molecule[i] : last;
    int *members = malloc((n + 1) * sizeof *members);
    size_t *next = calloc((size_t)last + 2, sizeof *next);
    if (members && next) {
        for (size_t i = 0; i < n; ++i)
            ++next[molecule[i] + 1];
        for (int m = 0; m < last; ++m)
            next[m + 1] += next[m];
        for (size_t i = 0; i < n; ++i)
            members[next[molecule[i]]++] = (int)i;
    } else {
        free(members);
        members = NULL;
    }
    free(next);
    return members;
}

struct ph_pair_counts *ph_pair_counts_create(size_t n, size_t n_types, const int *type, const int *molecule,
                                             size_t n_bins, double width)
{
    struct ph_pair_counts *counts = calloc(1, sizeof *counts);
    if (!counts)
        return NULL;
    const size_t n_pairs = n_types * (n_types + 1) / 2;
    counts->n_types = n_types;
    counts->type = type;
    counts->molecule = molecule;
    counts->n_bins = n_bins;
    counts->row = n_bins + SPREAD + 1;
    counts->width = width;
    counts->counts = calloc(n_pairs * HISTOGRAMS * counts->row + 1, sizeof *counts->counts);
    bool good = ph_sorted_points_init(n, n_types, type, &counts->sorted) && counts->counts;
    if (molecule)
        good = (counts->members = sort_members(n, molecule)) && good;
    for (int d = 0; d < 3; ++d)
        good = (counts->x[d] = calloc(n + BLOCK, sizeof *counts->x[d])) && good;
    if (good)
        return counts;
    ph_pair_counts_destroy(counts);
    return NULL;
}

void ph_pair_counts_destroy(struct ph_pair_counts *counts)
{
    if (!counts)
        return;
    ph_sorted_points_free(&counts->sorted);
    for (int d = 0; d < 3; ++d)
        free(counts->x[d]);
    free(counts->members);
    free(counts->counts);
    free(counts);
}

/* ---- One pair in double precision ---- */

static size_t exact_bin(const struct ph_pair_counts *counts, size_t i, size_t j)
{
    const struct ph_box *box = counts->box;
    const double *a = &counts->position[3 * i], *b = &counts->position[3 * j];
    const double r[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    double d[3] = {r[0], r[1], r[2]}, square = 0.0;
    for (int k = 0; k < 3 && box->kind != PH_BOX_OPEN; ++k) {
        const double *v = box->inverse[k];
        const double images = ph_round(v[0] * r[0] + v[1] * r[1] + v[2] * r[2]);
        for (int c = 0; c < 3; ++c)
            d[c] -= images * box->edge[k][c];
    }
    for (int c = 0; c < 3; ++c)
        square += d[c] * d[c];
    const double widths = sqrt(square) / counts->width;
    return widths < (double)counts->n_bins ? (size_t)widths : counts->n_bins;
}

/* ---- Many pairs ---- */

/* Positive numbers are in the same order as their bits, and integers are compared without the care that NaN needs. */
PH_INLINE int32_t bits_of(float x)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Bins of the distances of n points from `own`, in full blocks. The fractional coordinates of the nearest image lie in
 * [-1/2, 1/2), which is all that is needed up to half the smallest width of the box. */
PH_INLINE void measure(const struct ruler *ruler, bool tilted, const uint32_t own[3], const struct others *others,
                       struct bins *restrict bins)
{
    const struct ruler m = *ruler; /* copies, so that no store can change them */
    const uint32_t x0 = own[0], y0 = own[1], z0 = own[2];
    const uint32_t *restrict px = others->x[0], *restrict py = others->x[1], *restrict pz = others->x[2];
    const float shift = 0x1.8p23f;
    const int32_t doubt = bits_of(m.doubt);
    for (size_t at = 0; at < others->n; at += BLOCK) {
        int32_t lowest = 0;
        _Pragma("omp simd reduction(min : lowest)") for (size_t l = at; l < at + BLOCK; ++l)
        {
            const float a = (float)(int32_t)(px[l] - x0), b = (float)(int32_t)(py[l] - y0),
                        c = (float)(int32_t)(pz[l] - z0);
            const float x = tilted ? a * m.edge[0][0] + b * m.edge[1][0] + c * m.edge[2][0] : a * m.edge[0][0];
            const float y = tilted ? a * m.edge[0][1] + b * m.edge[1][1] + c * m.edge[2][1] : b * m.edge[1][1];
            const float z = tilted ? a * m.edge[0][2] + b * m.edge[1][2] + c * m.edge[2][2] : c * m.edge[2][2];
            const float widths = sqrtf(x * x + y * y + z * z);
            const float off = fabsf(widths - ((widths + shift) - shift)); /* from the nearest whole number */
            const int32_t whole = (int32_t)widths, bin = whole < m.beyond ? whole : m.beyond;
            const int32_t found = bits_of(off) <= doubt ? DOUBTFUL : bin;
            lowest = found < lowest ? found : lowest;
            bins->bin[l] = found;
        }
        bins->doubtful[at / BLOCK] = lowest;
    }
}

PH_DISPATCHED static void measure_upright(const struct ruler *ruler, const uint32_t own[3], const struct others *others,
                                          struct bins *bins)
{
    measure(ruler, false, own, others, bins);
}

PH_DISPATCHED static void measure_tilted(const struct ruler *ruler, const uint32_t own[3], const struct others *others,
                                         struct bins *bins)
{
    measure(ruler, true, own, others, bins);
}

/* Counts the distances from point k. Distances past the end of `others` are computed too, but not counted. */
static void count(struct ph_pair_counts *counts, size_t k, const struct others *others)
{
    struct bins *bins = &counts->bins;
    const uint32_t own[3] = {counts->x[0][k], counts->x[1][k], counts->x[2][k]};
    const size_t n = others->n;
    if (counts->ruler.tilted)
        measure_tilted(&counts->ruler, own, others, bins);
    else
        measure_upright(&counts->ruler, own, others, bins);
    for (size_t at = 0; at < n; at += BLOCK)
        for (size_t l = at; bins->doubtful[at / BLOCK] && l < at + BLOCK && l < n; ++l)
            if (bins->bin[l] == DOUBTFUL)
                bins->bin[l] = (int32_t)exact_bin(counts, (size_t)counts->sorted.order[k], (size_t)others->point[l]);
    uint64_t *const even = counts->histogram, *const odd = even + counts->row;
    size_t l = 0;
    for (; l + 1 < n; l += 2) {
        ++even[bins->bin[l]];
        ++odd[bins->bin[l + 1]];
    }
    if (l < n)
        ++even[bins->bin[l]];
}

static void flush(struct ph_pair_counts *counts, size_t k)
{
    struct gathered *gathered = &counts->gathered;
    const struct others others = {gathered->n, {gathered->x[0], gathered->x[1], gathered->x[2]}, gathered->point};
    count(counts, k, &others);
    gathered->n = 0;
}

/* Short ranges are joined. Whole blocks are copied; the next range overwrites the excess. */
static void take_range(size_t k, size_t begin, size_t end, void *data)
{
    struct ph_pair_counts *counts = data;
    struct gathered *gathered = &counts->gathered;
    for (; end - begin > LONG; begin += end - begin < BATCH ? end - begin : BATCH) {
        const struct others others = {end - begin < BATCH ? end - begin : BATCH,
                                      {counts->x[0] + begin, counts->x[1] + begin, counts->x[2] + begin},
                                      counts->sorted.order + begin};
        count(counts, k, &others);
    }
    for (size_t a = begin; a < end; a += BLOCK) {
        for (int d = 0; d < 3; ++d)
            memcpy(&gathered->x[d][gathered->n], &counts->x[d][a], BLOCK * sizeof *counts->x[d]);
        memcpy(&gathered->point[gathered->n], &counts->sorted.order[a], BLOCK * sizeof *counts->sorted.order);
        gathered->n += end - a < BLOCK ? end - a : BLOCK;
        if (gathered->n > BATCH - BLOCK)
            flush(counts, k);
    }
}

/* ---- A frame ---- */

/* A box around all points of open space that is more than twice as wide, so that no image is nearer than a point */
static enum ph_status box_around(size_t n, const double *position, struct ph_box *box, double corner[3])
{
    double edge[3][3] = {{0.0}}, widest = 0.0;
    for (int d = 0; d < 3; ++d) {
        double low = n > 0 ? position[d] : 0.0, high = low;
        for (size_t i = 0; i < n; ++i) {
            low = fmin(low, position[3 * i + (size_t)d]);
            high = fmax(high, position[3 * i + (size_t)d]);
        }
        corner[d] = low;
        widest = fmax(widest, high - low);
    }
    for (int d = 0; d < 3; ++d)
        edge[d][d] = widest > 0.0 ? 2.5 * widest : 1.0;
    return ph_box_init_periodic(edge, box, NULL);
}

/* Sets bounds on the error of a distance r in widths. Coordinates are off by one unit each, then come roundings by
 * 2^-24. In an upright box single products are rounded, so that the error is below 8 roundings times r. In a tilted box
 * sums of three products are rounded, each of up to half an edge. */
static void set_ruler(struct ph_pair_counts *counts, const struct ph_box *box)
{
    struct ruler *ruler = &counts->ruler;
    double edges = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double *e = box->edge[k];
        edges += ph_vec3_norm(e) / counts->width;
        for (int c = 0; c < 3; ++c)
            ruler->edge[k][c] = (float)(e[c] / counts->width * 0x1p-32);
    }
    ruler->tilted = box->kind == PH_BOX_TRICLINIC;
    ruler->doubt = (float)(ruler->tilted ? 0x1p-21 * edges : 0x1p-21 * (double)(counts->n_bins + 1) + 0x1p-31 * edges);
    ruler->beyond = (int32_t)(counts->n_bins + SPREAD);
}

static void take_fractions(struct ph_pair_counts *counts, const struct ph_box *box, const double corner[3])
{
    for (size_t k = 0; k < counts->sorted.n; ++k) {
        const double *r = &counts->position[3 * counts->sorted.order[k]];
        for (int d = 0; d < 3; ++d) {
            const double *v = box->inverse[d];
            const double s = v[0] * (r[0] - corner[0]) + v[1] * (r[1] - corner[1]) + v[2] * (r[2] - corner[2]);
            counts->x[d][k] = (uint32_t)(uint64_t)((s - floor(s)) * 0x1p32); /* 2^32 is 0 again */
        }
    }
}

static size_t histogram_of(const struct ph_pair_counts *counts, size_t a, size_t b)
{
    const size_t low = a < b ? a : b, high = a < b ? b : a;
    return (low * counts->n_types - low * (low + 1) / 2 + high) * HISTOGRAMS * counts->row;
}

static void leave_out_molecules(struct ph_pair_counts *counts)
{
    const int *members = counts->members, *molecule = counts->molecule, *type = counts->type;
    for (size_t a = 0; a < counts->sorted.n; ++a)
        for (size_t b = a + 1; b < counts->sorted.n && molecule[members[b]] == molecule[members[a]]; ++b) {
            const size_t i = (size_t)members[a], j = (size_t)members[b];
            --counts->counts[histogram_of(counts, (size_t)type[i], (size_t)type[j]) + exact_bin(counts, i, j)];
        }
}

bool ph_pair_counts_frame(struct ph_pair_counts *counts, const struct ph_box *box, const double *position)
{
    const double origin[3] = {0.0, 0.0, 0.0};
    double corner[3] = {0.0, 0.0, 0.0};
    struct ph_box around;
    const bool open = box->kind == PH_BOX_OPEN;
    counts->box = box;
    counts->position = position;
    if (!ph_sorted_points_sort(&counts->sorted, box, position, (double)counts->n_bins * counts->width) ||
        (open && box_around(counts->sorted.n, position, &around, corner) != PH_OK))
        return false;
    take_fractions(counts, open ? &around : box, open ? corner : origin);
    set_ruler(counts, open ? &around : box);
    const size_t n_pairs = counts->n_types * (counts->n_types + 1) / 2;
    memset(counts->counts, 0, n_pairs * HISTOGRAMS * counts->row * sizeof *counts->counts);
    for (size_t k = 0; k < counts->sorted.n; ++k) {
        const size_t type = (size_t)counts->type[counts->sorted.order[k]];
        for (size_t other = type; other < counts->n_types; ++other) {
            counts->histogram = &counts->counts[histogram_of(counts, type, other)];
            ph_sorted_points_visit(&counts->sorted, k, other, take_range, counts);
            flush(counts, k);
        }
    }
    if (counts->molecule)
        leave_out_molecules(counts);
    return true;
}

uint64_t ph_pair_counts_at(const struct ph_pair_counts *counts, size_t type_a, size_t type_b, size_t bin)
{
    const uint64_t *even = &counts->counts[histogram_of(counts, type_a, type_b) + bin];
    return even[0] + even[counts->row];
}
