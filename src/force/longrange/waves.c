/* SPDX-License-Identifier: MIT */
#include "force/longrange/waves.h"

#include "base/vec3.h"
#include "force/longrange/split.h"
#include "force/longrange/waves_inside.h"
#include "parallel/ranks.h"

enum { BLOCK = PH_WAVE_BLOCK };

/* ---- Set-up ---- */

void ph_waves_clear(struct ph_waves *waves)
{
    double *const owned[] = {waves->factor,  waves->fall,    waves->re,   waves->im,
                             waves->re_rate, waves->im_rate, waves->unit, waves->length};
    free(waves->row);
    free(waves->sum);
    for (size_t a = 0; a < sizeof owned / sizeof *owned; ++a)
        free(owned[a]);
    for (int k = 0; k < 3; ++k) {
        free(waves->cosine[k]);
        free(waves->sine[k]);
    }
    *waves = (struct ph_waves){.n_waves = 0};
}

static double form(const double m[3][3], double x, double y, double z)
{
    const double n[3] = {x, y, z};
    double sum = 0.0;
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
            sum += n[a] * m[a][b] * n[b];
    return sum;
}

/* One of every pair k, -k: the first integer that is not 0 is positive. */
static bool is_chosen(const double metric[3][3], int x, int y, int z)
{
    const bool half = x > 0 || (x == 0 && (y > 0 || (y == 0 && z > 0)));
    return half && form(metric, x, y, z) < 1.0;
}

/* Reciprocal vectors in rows; only counts them if there is no memory yet. An ellipsoid is convex: rows have no gaps. */
static void find_rows(const double metric[3][3], struct ph_waves *waves)
{
    size_t rows = 0, count = 0;
    for (int x = 0; x <= waves->n_max[0]; ++x)
        for (int y = -waves->n_max[1]; y <= waves->n_max[1]; ++y) {
            struct ph_wave_row row = {.n = {x, y}, .first = 1, .last = 0, .wave = count};
            for (int z = -waves->n_max[2]; z <= waves->n_max[2]; ++z)
                if (is_chosen(metric, x, y, z)) {
                    if (row.last < row.first)
                        row.first = z;
                    row.last = z;
                    ++count;
                }
            if (count == row.wave)
                continue;
            for (int k = 0; k < 3; ++k)
                row.base[k] = x * waves->dual[0][k] + y * waves->dual[1][k];
            if (waves->row)
                waves->row[rows] = row;
            ++rows;
        }
    waves->n_rows = rows;
    waves->n_waves = count;
}

static void wave_vector(const struct ph_waves *waves, const struct ph_wave_row *row, int z, double k[3])
{
    for (int a = 0; a < 3; ++a)
        k[a] = row->base[a] + z * waves->dual[2][a];
}

static bool reserve(struct ph_waves *waves)
{
    waves->row = calloc(waves->n_rows + 1, sizeof *waves->row);
    waves->factor = ph_array_create(waves->n_waves, sizeof(double));
    waves->fall = ph_array_create(waves->n_waves, sizeof(double));
    waves->re = ph_array_create(waves->n_waves, sizeof(double));
    waves->im = ph_array_create(waves->n_waves, sizeof(double));
    waves->sum = ph_array_create(2 * waves->n_waves, sizeof *waves->sum);
    waves->unit = ph_array_create(waves->n_waves, sizeof(double));
    waves->length = ph_array_create(waves->n_waves, sizeof(double));
    return waves->row && waves->factor && waves->fall && waves->re && waves->im && waves->sum && waves->unit &&
           waves->length;
}

enum ph_status ph_waves_reserve(struct ph_waves *waves, struct ph_error *err)
{
    if (waves->sites->room == waves->room && waves->cosine[0])
        return PH_OK;
    bool enough = true;
    for (int k = 0; k < 3; ++k) {
        const size_t table = waves->sites->room * ((size_t)waves->n_max[k] + 1);
        free(waves->cosine[k]);
        free(waves->sine[k]);
        waves->cosine[k] = ph_array_create(table, sizeof(double));
        waves->sine[k] = ph_array_create(table, sizeof(double));
        enough = enough && waves->cosine[k] && waves->sine[k];
    }
    waves->room = waves->sites->room;
    return enough ? PH_OK : ph_no_memory(err, "the Ewald sum of %zu sites", waves->sites->n);
}

/* -g'/g; in the virial it is multiplied by the same g, so that it does no harm if g is next to 0 */
static double relative_fall(const struct ph_split *split, double g, double slope)
{
    if (split->kind == PH_SPLIT_GAUSS) /* also where g is too small for a number */
        return 0.25 / (split->a * split->a);
    return g != 0.0 ? -slope / g : 0.0;
}

void ph_waves_set_box(const struct ph_box *box, const struct ph_interactions *interactions, struct ph_waves *waves)
{
    const double pi = 3.14159265358979323846;
    const struct ph_split split = ph_split_of(interactions);
    for (int e = 0; e < 3; ++e)
        for (int k = 0; k < 3; ++k) {
            waves->inverse[e][k] = box->inverse[e][k];
            waves->dual[e][k] = 2.0 * pi * box->inverse[e][k];
        }
    find_rows(interactions->ewald.waves, waves);
    for (size_t r = 0; r < waves->n_rows; ++r)
        for (int z = waves->row[r].first; z <= waves->row[r].last; ++z) {
            double k[3];
            wave_vector(waves, &waves->row[r], z, k);
            const size_t w = ph_wave_index(&waves->row[r], z);
            double slope;
            const double k2 = ph_vec3_dot(k, k), g = ph_split_wave(&split, k2, &slope);
            waves->length[w] = sqrt(k2);
            waves->factor[w] = 4.0 * pi * interactions->coulomb / box->volume * g / k2;
            waves->fall[w] = 1.0 / k2 + relative_fall(&split, g, slope);
        }
}

enum ph_status ph_waves_init(const struct ph_box *box, const struct ph_interactions *interactions,
                             const struct ph_wave_most *most, struct ph_wave_sites *sites, struct ph_waves *waves,
                             struct ph_error *err)
{
    const double pi = 3.14159265358979323846;
    *waves = (struct ph_waves){.sites = sites, .most = *most};
    /* The largest |n_e| of an ellipsoid n.(M n) < 1 is the root of the diagonal of 1/M. */
    const double(*m)[3] = interactions->ewald.waves;
    const double minor[3] = {m[1][1] * m[2][2] - m[1][2] * m[2][1], m[0][0] * m[2][2] - m[0][2] * m[2][0],
                             m[0][0] * m[1][1] - m[0][1] * m[1][0]};
    const double determinant = m[0][0] * minor[0] - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                               m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    double expected = 4.0 / 3.0 * pi / sqrt(determinant) / 2.0;
    if (!(expected < 1e8))
        return ph_error_set(err, PH_ERR_INPUT,
                            "The Ewald sum would need %.3g reciprocal vectors: take a larger cutoff or tolerance.",
                            expected);
    for (int e = 0; e < 3; ++e)
        waves->n_max[e] = (int)sqrt(minor[e] / determinant);
    find_rows(m, waves);
    if (!reserve(waves)) {
        ph_waves_clear(waves);
        return ph_no_memory(err, "the %zu waves of an Ewald sum", waves->n_waves);
    }
    ph_waves_set_box(box, interactions, waves);
    return PH_OK;
}

/* ---- Phases ---- */

/* cos and sin of n phases along edge e for a block of sites: by the angle-addition theorem, one n after the other */
PH_DISPATCHED static void find_phases(struct ph_waves *waves, int e, size_t begin, size_t end)
{
    const size_t padded = ph_padded(waves->sites->n);
    const double turn = 6.28318530717958647692, *in = waves->inverse[e], ix = in[0], iy = in[1], iz = in[2];
    const double *restrict x = waves->sites->r[0], *restrict y = waves->sites->r[1], *restrict z = waves->sites->r[2];
    double *restrict c = waves->cosine[e], *restrict s = waves->sine[e];
    double c1[BLOCK], s1[BLOCK];
    PH_SIMD
    for (size_t j = begin; j < end; ++j) {
        const double turns = ix * x[j] + iy * y[j] + iz * z[j];
        c[j] = 1.0;
        s[j] = 0.0;
        ph_sincos(turn * (turns - ph_round(turns)), &s1[j - begin], &c1[j - begin]);
    }
    for (size_t n = 1; n <= (size_t)waves->n_max[e]; ++n) {
        const double *restrict cn = c + (n - 1) * padded, *restrict sn = s + (n - 1) * padded;
        double *restrict next_c = c + n * padded, *restrict next_s = s + n * padded;
        PH_SIMD
        for (size_t j = begin; j < end; ++j) {
            next_c[j] = ph_fma(cn[j], c1[j - begin], -(sn[j] * s1[j - begin]));
            next_s[j] = ph_fma(sn[j], c1[j - begin], cn[j] * s1[j - begin]);
        }
    }
}

/* ---- Sums over sites ---- */

/* The highest multipole that sites have; a constant in the loops over them */
enum most { CHARGES, DIPOLES, QUADRUPOLES };

static enum most most_of(const struct ph_wave_sites *sites)
{
    return sites->quadrupoles ? QUADRUPOLES : sites->dipoles ? DIPOLES : CHARGES;
}

/* Adds a block of sites to S of one row: (q + i k.mu - k.M k) exp(i k.r) = (p + n3 t + n3^2 u) exp(i n3 phase) */
PH_INLINE void add_block(struct ph_waves *waves, const struct ph_wave_row *row, enum most most, size_t begin,
                         size_t end)
{
    const bool dipoles = most >= DIPOLES, quadrupoles = most >= QUADRUPOLES;
    double c[BLOCK], s[BLOCK], along[BLOCK], step[BLOCK], pr[BLOCK], pi[BLOCK], tr[BLOCK], ti[BLOCK], ur[BLOCK],
        ui[BLOCK];
    struct ph_wave_squares m;
    const double *restrict charge = waves->sites->charge;
    ph_wave_row_phases(waves, row, begin, end, c, s);
    if (dipoles) {
        ph_wave_products(row->base, waves->sites->mu, begin, end, along);
        ph_wave_products(waves->dual[2], waves->sites->mu, begin, end, step);
    }
    if (quadrupoles)
        ph_wave_squares(waves, row, waves->sites->m, begin, end, &m);
    const size_t n = end - begin;
    PH_SIMD
    for (size_t j = 0; j < n; ++j) {
        const double q = quadrupoles ? charge[begin + j] - m.here[0][j] : charge[begin + j];
        pr[j] = dipoles ? ph_fma(q, c[j], -(along[j] * s[j])) : q * c[j];
        pi[j] = dipoles ? ph_fma(q, s[j], along[j] * c[j]) : q * s[j];
        tr[j] = dipoles ? -(step[j] * s[j]) : 0.0;
        ti[j] = dipoles ? step[j] * c[j] : 0.0;
        if (quadrupoles) {
            tr[j] = ph_fma(-m.here[1][j], c[j], tr[j]);
            ti[j] = ph_fma(-m.here[1][j], s[j], ti[j]);
            ur[j] = -(m.here[2][j] * c[j]);
            ui[j] = -(m.here[2][j] * s[j]);
        }
    }
    for (int z = row->first; z <= row->last; ++z) {
        const struct ph_wave_third third = ph_wave_third(waves, z, begin);
        const double *restrict cz = third.c, *restrict sz = third.s, sign = third.sign, steps = z;
        const double shift = ph_wave_shift(waves->unit[ph_wave_index(row, z)]);
        uint64_t re[PH_LANES] = {0}, im[PH_LANES] = {0};
        for (size_t first = 0; first < n; first += PH_LANES) {
            PH_SIMD
            for (size_t l = 0; l < PH_LANES; ++l) {
                const size_t j = first + l;
                const double dr = quadrupoles ? ph_fma(steps, ur[j], tr[j]) : tr[j];
                const double di = quadrupoles ? ph_fma(steps, ui[j], ti[j]) : ti[j];
                const double wr = dipoles ? ph_fma(steps, dr, pr[j]) : pr[j], sj = sign * sz[j];
                const double wi = dipoles ? ph_fma(steps, di, pi[j]) : pi[j];
                re[l] += ph_wave_bits(ph_fma(wr, cz[j], -(wi * sj)) + shift);
                im[l] += ph_wave_bits(ph_fma(wr, sj, wi * cz[j]) + shift);
            }
        }
        ph_wave_add(n, re, shift, &waves->sum[2 * ph_wave_index(row, z)]);
        ph_wave_add(n, im, shift, &waves->sum[2 * ph_wave_index(row, z) + 1]);
    }
}

PH_DISPATCHED static void add_charges(struct ph_waves *waves, const struct ph_wave_row *row, size_t begin, size_t end)
{
    add_block(waves, row, CHARGES, begin, end);
}

PH_DISPATCHED static void add_dipoles(struct ph_waves *waves, const struct ph_wave_row *row, size_t begin, size_t end)
{
    add_block(waves, row, DIPOLES, begin, end);
}

PH_DISPATCHED static void add_quadrupoles(struct ph_waves *waves, const struct ph_wave_row *row, size_t begin,
                                          size_t end)
{
    add_block(waves, row, QUADRUPOLES, begin, end);
}

void ph_waves_add_up(const struct ph_waves *waves, double *re, double *im)
{
    ph_ranks_sum(2 * waves->n_waves, waves->sum);
    for (size_t w = 0; w < waves->n_waves; ++w) {
        re[w] = (double)waves->sum[2 * w] * waves->unit[w];
        im[w] = (double)waves->sum[2 * w + 1] * waves->unit[w];
    }
}

/* Energy of one row, and its part of the virial: row by row, long sums round less. */
static double sum_energy(const struct ph_waves *waves, const struct ph_wave_row *row, double virial[3][3])
{
    double energy = 0.0, sum[3][3] = {{0.0}};
    for (int z = row->first; z <= row->last; ++z) {
        const size_t w = ph_wave_index(row, z);
        double k[3];
        wave_vector(waves, row, z, k);
        const double u = waves->factor[w] * (waves->re[w] * waves->re[w] + waves->im[w] * waves->im[w]);
        const double slope = 2.0 * u * waves->fall[w];
        energy += u;
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b)
                sum[a][b] += slope * k[a] * k[b];
    }
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
            virial[a][b] += sum[a][b];
    return energy;
}

double ph_waves_energy(struct ph_waves *waves, double virial[3][3])
{
    const size_t padded = ph_padded(waves->sites->n);
    const struct ph_wave_most *most = &waves->most;
    static void (*const add[])(struct ph_waves *, const struct ph_wave_row *, size_t,
                               size_t) = {add_charges, add_dipoles, add_quadrupoles};
    for (size_t w = 0; w < waves->n_waves; ++w) { /* of terms |(q + i k.mu - k.M k) exp(i k.r)| */
        const double k = waves->length[w];
        waves->unit[w] = ph_wave_unit(most->n, most->charge + k * (most->dipole + k * most->tensor));
    }
#pragma omp parallel for schedule(dynamic)
    for (size_t begin = 0; begin < padded; begin += BLOCK)
        for (int e = 0; e < 3; ++e)
            find_phases(waves, e, begin, ph_wave_block_end(waves, begin));
#pragma omp parallel for schedule(dynamic)
    for (size_t r = 0; r < waves->n_rows; ++r) {
        const struct ph_wave_row *row = &waves->row[r];
        for (size_t w = 2 * row->wave; w < 2 * (ph_wave_index(row, row->last) + 1); ++w)
            waves->sum[w] = 0;
        for (size_t begin = 0; begin < padded; begin += BLOCK)
            add[most_of(waves->sites)](waves, row, begin, ph_wave_block_end(waves, begin));
    }
    ph_waves_add_up(waves, waves->re, waves->im);
    double energy = 0.0, sum[3][3] = {{0.0}};
    for (size_t r = 0; r < waves->n_rows; ++r)
        energy += sum_energy(waves, &waves->row[r], sum);
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
            virial[a][b] = (a == b ? energy : 0.0) - sum[a][b];
    return energy;
}

/* ---- Forces on sites ---- */

/* Sums over a row, of y and x = Im and Re of S* exp(i k.r), times 2 a(k): y, n3 y, p and n3 p with p = (k.mu) x -
 * (k.M k) y, then x, n3 x, n3^2 x */
struct row_sums {
    double y[BLOCK], zy[BLOCK], p[BLOCK], zp[BLOCK], x[3][BLOCK];
};

PH_INLINE void sum_row(const struct ph_waves *waves, const struct ph_wave_row *row, enum most most, size_t begin,
                       size_t end, const double *step, struct row_sums *sums)
{
    const bool dipoles = most >= DIPOLES, quadrupoles = most >= QUADRUPOLES;
    double c[BLOCK], s[BLOCK], along[BLOCK];
    struct ph_wave_squares m;
    const size_t n = end - begin;
    ph_wave_row_phases(waves, row, begin, end, c, s);
    if (dipoles)
        ph_wave_products(row->base, waves->sites->mu, begin, end, along);
    if (quadrupoles)
        ph_wave_squares(waves, row, waves->sites->m, begin, end, &m);
    *sums = (struct row_sums){.y = {0.0}};
    for (int z = row->first; z <= row->last; ++z) {
        const size_t w = ph_wave_index(row, z);
        const struct ph_wave_third third = ph_wave_third(waves, z, begin);
        const double *restrict cz = third.c, *restrict sz = third.s, sign = third.sign, steps = z;
        const double re = 2.0 * waves->factor[w] * waves->re[w], im = 2.0 * waves->factor[w] * waves->im[w];
        PH_SIMD
        for (size_t j = 0; j < n; ++j) {
            const double sj = sign * sz[j];
            const double cosine = ph_fma(c[j], cz[j], -(s[j] * sj)), sine = ph_fma(s[j], cz[j], c[j] * sj);
            const double y = ph_fma(re, sine, -(im * cosine));
            sums->y[j] += y;
            sums->zy[j] = ph_fma(steps, y, sums->zy[j]);
            if (dipoles) {
                const double x = ph_fma(re, cosine, im * sine);
                double p = x * ph_fma(steps, step[j], along[j]);
                if (quadrupoles) {
                    const double square = ph_fma(steps, ph_fma(steps, m.here[2][j], m.here[1][j]), m.here[0][j]);
                    p = ph_fma(-square, y, p);
                    sums->x[0][j] += x;
                    sums->x[1][j] = ph_fma(steps, x, sums->x[1][j]);
                    sums->x[2][j] = ph_fma(steps * steps, x, sums->x[2][j]);
                }
                sums->p[j] += p;
                sums->zp[j] = ph_fma(steps, p, sums->zp[j]);
            }
        }
    }
}

PH_INLINE void push_block(struct ph_waves *waves, enum most most, size_t begin, size_t end)
{
    struct ph_wave_sites *sites = waves->sites;
    const bool dipoles = most >= DIPOLES, quadrupoles = most >= QUADRUPOLES;
    double step[BLOCK];
    struct row_sums sums;
    if (dipoles)
        ph_wave_products(waves->dual[2], sites->mu, begin, end, step);
    for (int k = 0; k < 3; ++k)
        for (size_t j = begin; j < end; ++j)
            sites->field[k][j] = sites->pull[k][j] = 0.0;
    for (int k = 0; k < PH_WAVE_TENSOR && quadrupoles; ++k)
        memset(sites->gradient[k] + begin, 0, (end - begin) * sizeof(double));
    for (size_t r = 0; r < waves->n_rows; ++r) {
        const struct ph_wave_row *row = &waves->row[r];
        sum_row(waves, row, most, begin, end, step, &sums);
        for (int k = 0; k < 3; ++k) {
            const double base = row->base[k], dual = waves->dual[2][k];
            double *restrict field = sites->field[k] + begin, *restrict pull = sites->pull[k] + begin;
            PH_SIMD
            for (size_t j = 0; j < end - begin; ++j) {
                field[j] = ph_fma(base, sums.y[j], ph_fma(dual, sums.zy[j], field[j]));
                if (dipoles)
                    pull[j] = ph_fma(base, sums.p[j], ph_fma(dual, sums.zp[j], pull[j]));
            }
        }
        if (quadrupoles)
            ph_wave_add_tensor(waves, row, begin, end, sums.x, sites->gradient);
    }
}

PH_DISPATCHED static void push_charges(struct ph_waves *waves, size_t begin, size_t end)
{
    push_block(waves, CHARGES, begin, end);
}

PH_DISPATCHED static void push_dipoles(struct ph_waves *waves, size_t begin, size_t end)
{
    push_block(waves, DIPOLES, begin, end);
}

PH_DISPATCHED static void push_quadrupoles(struct ph_waves *waves, size_t begin, size_t end)
{
    push_block(waves, QUADRUPOLES, begin, end);
}

void ph_waves_forces(struct ph_waves *waves)
{
    static void (*const push[])(struct ph_waves *, size_t, size_t) = {push_charges, push_dipoles, push_quadrupoles};
    const size_t padded = ph_padded(waves->sites->n);
#pragma omp parallel for schedule(dynamic)
    for (size_t begin = 0; begin < padded; begin += BLOCK)
        push[most_of(waves->sites)](waves, begin, ph_wave_block_end(waves, begin));
}
