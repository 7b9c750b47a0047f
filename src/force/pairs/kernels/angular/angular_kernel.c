/* SPDX-License-Identifier: MIT */
/* Blocks of pairs: two functions for each pair of numbers of axes */
#include "force/pairs/kernels/angular/angular_template.h"
#include "force/pairs/loops/gather.h"

typedef void block(const struct ph_angular_term *term, enum ph_truncate truncate, const struct ph_pair_term *truncation,
                   size_t from, size_t n, const struct ph_angular_j *j, struct ph_angular_i *i, struct sums *sums);

/* B(name, axes of i, axes of j, whether a.b matters): the first that fits is taken */
#define BLOCKS(B)                                                                                                      \
    B(00, 0, 0, true)                                                                                                  \
    B(01, 0, 1, true)                                                                                                  \
    B(03, 0, 3, true)                                                                                                  \
    B(10, 1, 0, true)                                                                                                  \
    B(11, 1, 1, true)                                                                                                  \
    B(13, 1, 3, true)                                                                                                  \
    B(30, 3, 0, true)                                                                                                  \
    B(31, 3, 1, true)                                                                                                  \
    B(33_apart, 3, 3, false)                                                                                           \
    B(33, 3, 3, true)

#define BLOCK(name, na, nb, with)                                                                                      \
    static void forces_##name(const struct ph_angular_term *term, enum ph_truncate truncate,                           \
                              const struct ph_pair_term *truncation, size_t from, size_t n,                            \
                              const struct ph_angular_j *j, struct ph_angular_i *i, struct sums *sums)                 \
    {                                                                                                                  \
        forces_of_block((struct axes){na, nb, with}, term, truncate, truncation, from, n, j, i, sums);                 \
    }                                                                                                                  \
    static void rates_##name(const struct ph_angular_term *term, enum ph_truncate truncate,                            \
                             const struct ph_pair_term *truncation, size_t from, size_t n,                             \
                             const struct ph_angular_j *j, struct ph_angular_i *i, struct sums *sums)                  \
    {                                                                                                                  \
        rates_of_block((struct axes){na, nb, with}, term, truncate, truncation, from, n, j, i, sums);                  \
    }
BLOCKS(BLOCK)
#undef BLOCK

static block *find_block(const struct ph_angular_term *term, bool rates)
{
    const bool apart = ph_angular_apart(term->kind, term->n_i, term->n_j);
#define BLOCK(name, na, nb, with)                                                                                      \
    if (term->n_i == na && term->n_j == nb && (with || apart))                                                         \
        return rates ? rates_##name : forces_##name;
    BLOCKS(BLOCK)
#undef BLOCK
    return NULL; /* forms have no other numbers of axes */
}

/* Sites of a block that lay apart */
struct gathered {
    PH_ALIGNED row r[3], axis[PH_AXES_MAX][3], r_rate[3], axis_rate[PH_AXES_MAX][3];
    PH_ALIGNED row force[3], field[PH_AXES_MAX][3];
};

/* Numbers of the sites j within the cutoff, and of those whose distance is no number, so that it shows */
static size_t find_seen(double cut2, size_t n, const struct ph_angular_j *j, const struct ph_angular_i *i,
                        uint32_t seen[PH_KERNEL_CHUNK])
{
    const double *restrict x = j->r[0], *restrict y = j->r[1], *restrict z = j->r[2];
    const double a = i->r[0], b = i->r[1], c = i->r[2];
    PH_ALIGNED double r2[PH_KERNEL_CHUNK], near[PH_KERNEL_CHUNK / PH_LANES] = {0.0};
    size_t count = 0;
    for (size_t first = 0; first < n; first += PH_LANES) {
        double any[PH_LANES];
        PH_SIMD
        for (size_t l = 0; l < PH_LANES; ++l) {
            const double dx = x[first + l] - a, dy = y[first + l] - b, dz = z[first + l] - c;
            r2[first + l] = ph_fma(dx, dx, ph_fma(dy, dy, dz * dz));
            any[l] = r2[first + l] >= cut2 ? 0.0 : 1.0;
        }
        near[first / PH_LANES] = ph_add_up(any);
    }
    for (size_t first = 0; first < n; first += PH_LANES)
        for (size_t l = first; near[first / PH_LANES] > 0.0 && l < first + PH_LANES; ++l) {
            seen[count] = (uint32_t)l;
            count += r2[l] >= cut2 ? 0 : 1;
        }
    return count;
}

/* Places of the axes of these sites */
static void find_places(const struct ph_angular_j *j, const uint32_t *seen, size_t n, uint32_t *place)
{
    const struct ph_angular_records *in = &j->in;
    for (size_t l = 0; l < n; ++l) /* padding is seen where the distance is no number */
        place[l] = in->list
                       ? (uint32_t)(ph_index(in->list, in->bytes, seen[l] < in->last ? seen[l] : in->last) * in->step)
                       : seen[l];
}

/* Copies vectors of one site after the other, because a loop over so few sites takes long to begin, and fills up to
 * whole lanes. */
PH_INLINE void take(size_t n_vectors, const double *const from[][3], const uint32_t *place, size_t n, double fill,
                    row to[][3])
{
    for (size_t l = 0; l < n; ++l)
        for (size_t m = 0; m < n_vectors; ++m)
            for (size_t x = 0; x < 3; ++x)
                to[m][x][l] = from[m][x][place[l]];
    for (size_t l = n; l % PH_LANES != 0; ++l)
        for (size_t m = 0; m < n_vectors; ++m)
            for (size_t x = 0; x < 3; ++x)
                to[m][x][l] = fill;
}

PH_INLINE void give(size_t n_vectors, row from[][3], const uint32_t *place, size_t n, double *const to[][3])
{
    for (size_t l = 0; l < n; ++l)
        for (size_t m = 0; m < n_vectors; ++m)
            for (size_t x = 0; x < 3; ++x)
                to[m][x][place[l]] += from[m][x][l];
}

/* Sets rows to zero, block by block, because calls of memset would take longer. */
PH_INLINE void clear(size_t n_vectors, size_t n, row out[][3])
{
    for (size_t first = 0; first < n; first += PH_LANES) {
        PH_ONE_BY_ONE;
        for (size_t m = 0; m < n_vectors; ++m)
            for (size_t x = 0; x < 3; ++x)
                for (size_t l = 0; l < PH_LANES; ++l)
                    out[m][x][first + l] = 0.0;
    }
}

/* A block of sites that lie apart */
static void gather_block(block *of_block, bool rates, const struct ph_angular_term *term,
                         const struct ph_pair_term *truncation, const uint32_t *seen, size_t n,
                         const struct ph_angular_j *j, struct ph_angular_i *i, struct sums *sums)
{
    const size_t padded = (n + PH_LANES - 1) / PH_LANES * PH_LANES;
    uint32_t place[PH_ANGULAR_BLOCK];
    struct gathered g;
    struct ph_angular_j near;
    find_places(j, seen, n, place);
    take(1, &j->r, seen, n, PH_OUT_OF_SIGHT, &g.r);
    take(term->n_j, j->axis, place, n, 0.0, g.axis);
    if (rates) {
        take(1, &j->r_rate, seen, n, 0.0, &g.r_rate);
        take(term->n_j, j->axis_rate, place, n, 0.0, g.axis_rate);
    }
    clear(1, padded, &g.force);
    clear(term->n_j, padded, g.field);
    for (size_t x = 0; x < 3; ++x) {
        near.r[x] = g.r[x];
        near.r_rate[x] = g.r_rate[x];
        near.force[x] = g.force[x];
        for (size_t m = 0; m < term->n_j; ++m) {
            near.axis[m][x] = g.axis[m][x];
            near.axis_rate[m][x] = g.axis_rate[m][x];
            near.field[m][x] = g.field[m][x];
        }
    }
    of_block(term, PH_CUT, truncation, 0, padded, &near, i, sums);
    give(1, &g.force, seen, n, &j->force);
    give(term->n_j, g.field, place, n, j->field);
}

/* Forms that end are short: of their pairs few are seen, and these are gathered. */
static void all_blocks(bool rates, const struct ph_angular_term *term, enum ph_truncate truncate,
                       const struct ph_pair_term *truncation, size_t n, const struct ph_angular_j *j,
                       struct ph_angular_i *i)
{
    uint32_t seen[PH_KERNEL_CHUNK];
    const size_t count = term->ends ? find_seen(truncation->cut2, n, j, i, seen) : n;
    if (count == 0)
        return;
    struct sums sums;
    start(term, &sums);
    block *const of_block = find_block(term, rates);
    for (size_t from = 0; from < count; from += PH_ANGULAR_BLOCK) {
        const size_t m = count - from < PH_ANGULAR_BLOCK ? count - from : PH_ANGULAR_BLOCK;
        if (term->ends)
            gather_block(of_block, rates, term, truncation, seen + from, m, j, i, &sums);
        else
            of_block(term, truncate, truncation, from, m, j, i, &sums);
    }
    finish(term, &sums, i);
}

static void forces(const struct ph_angular_term *term, enum ph_truncate truncate, const struct ph_pair_term *truncation,
                   size_t n, const struct ph_angular_j *j, struct ph_angular_i *i)
{
    all_blocks(false, term, truncate, truncation, n, j, i);
}

static void rates(const struct ph_angular_term *term, enum ph_truncate truncate, const struct ph_pair_term *truncation,
                  size_t n, const struct ph_angular_j *j, struct ph_angular_i *i)
{
    all_blocks(true, term, truncate, truncation, n, j, i);
}

ph_angular_kernel *ph_angular_find(bool of_rates) { return of_rates ? rates : forces; }
