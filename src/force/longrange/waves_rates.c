/* SPDX-License-Identifier: MIT */
#include "force/longrange/waves_inside.h"
#include "parallel/ranks.h"

/* How S, fields, pulls and gradients change while sites move with r_rate, and dipoles and quadrupoles turn with mu_rate
 * and m_rate. With w = q + i k.mu - k.M k, v = r_rate and a dot for rates
 *   S' = sum of (i k.mu' - k.M' k + i (k.v) w) exp(i k.r)
 *   y = Im S* exp(i k.r),  y' = Im S'* exp(i k.r) + (k.v) x
 *   x = Re S* exp(i k.r),  x' = Re S'* exp(i k.r) - (k.v) y. */

enum { BLOCK = PH_WAVE_BLOCK };

enum ph_status ph_waves_prepare_rates(struct ph_waves *waves, struct ph_error *err)
{
    bool enough = waves->im_rate || (waves->im_rate = ph_array_create(waves->n_waves, sizeof(double)));
    enough = enough && (waves->re_rate || (waves->re_rate = ph_array_create(waves->n_waves, sizeof(double))));
    return enough ? PH_OK : ph_no_memory(err, "the rates of %zu waves", waves->n_waves);
}

/* Products of k with mu, r_rate and mu_rate: those with the base of the row, and with the step of n3 */
struct products {
    double mu[BLOCK], v[BLOCK], nu[BLOCK];
};

/* k.M k and k.M' k */
struct squares {
    struct ph_wave_squares m, rate;
};

PH_INLINE void find_squares(const struct ph_waves *waves, const struct ph_wave_row *row, size_t begin, size_t end,
                            struct squares *out)
{
    ph_wave_squares(waves, row, waves->sites->m, begin, end, &out->m);
    ph_wave_squares(waves, row, waves->sites->m_rate, begin, end, &out->rate);
}

PH_INLINE double square_at(const struct ph_wave_squares *m, double steps, size_t j)
{
    return ph_fma(steps, ph_fma(steps, m->here[2][j], m->here[1][j]), m->here[0][j]);
}

PH_INLINE void find_all(const struct ph_waves *waves, const double u[3], size_t begin, size_t end, struct products *out)
{
    ph_wave_products(u, waves->sites->mu, begin, end, out->mu);
    ph_wave_products(u, waves->sites->r_rate, begin, end, out->v);
    ph_wave_products(u, waves->sites->mu_rate, begin, end, out->nu);
}

PH_INLINE void add_block(struct ph_waves *waves, const struct ph_wave_row *row, bool quadrupoles, size_t begin,
                         size_t end)
{
    struct products base, step;
    struct squares squares;
    double c[BLOCK], s[BLOCK];
    const double *restrict charge = waves->sites->charge + begin;
    ph_wave_row_phases(waves, row, begin, end, c, s);
    find_all(waves, row->base, begin, end, &base);
    find_all(waves, waves->dual[2], begin, end, &step);
    if (quadrupoles)
        find_squares(waves, row, begin, end, &squares);
    for (int z = row->first; z <= row->last; ++z) {
        const struct ph_wave_third third = ph_wave_third(waves, z, begin);
        const double *restrict cz = third.c, *restrict sz = third.s, sign = third.sign, steps = z;
        const double shift = ph_wave_shift(waves->unit[ph_wave_index(row, z)]);
        uint64_t re[PH_LANES] = {0}, im[PH_LANES] = {0};
        for (size_t first = 0; first < end - begin; first += PH_LANES) {
            PH_SIMD
            for (size_t l = 0; l < PH_LANES; ++l) {
                const size_t j = first + l;
                const double sj = sign * sz[j];
                const double cosine = ph_fma(c[j], cz[j], -(s[j] * sj)), sine = ph_fma(s[j], cz[j], c[j] * sj);
                const double mu = ph_fma(steps, step.mu[j], base.mu[j]), v = ph_fma(steps, step.v[j], base.v[j]);
                const double q = quadrupoles ? charge[j] - square_at(&squares.m, steps, j) : charge[j];
                const double less = quadrupoles ? square_at(&squares.rate, steps, j) : 0.0;
                const double wr = quadrupoles ? -ph_fma(v, mu, less) : -(v * mu);
                const double wi = ph_fma(q, v, ph_fma(steps, step.nu[j], base.nu[j]));
                re[l] += ph_wave_bits(ph_fma(wr, cosine, -(wi * sine)) + shift);
                im[l] += ph_wave_bits(ph_fma(wr, sine, wi * cosine) + shift);
            }
        }
        ph_wave_add(end - begin, re, shift, &waves->sum[2 * ph_wave_index(row, z)]);
        ph_wave_add(end - begin, im, shift, &waves->sum[2 * ph_wave_index(row, z) + 1]);
    }
}

PH_DISPATCHED static void add_dipoles(struct ph_waves *waves, const struct ph_wave_row *row, size_t begin, size_t end)
{
    add_block(waves, row, false, begin, end);
}

PH_DISPATCHED static void add_quadrupoles(struct ph_waves *waves, const struct ph_wave_row *row, size_t begin,
                                          size_t end)
{
    add_block(waves, row, true, begin, end);
}

/* Rates of fields, pulls and gradients; sums over a row as in waves.c */
PH_INLINE void push_block(struct ph_waves *waves, bool quadrupoles, size_t begin, size_t end)
{
    struct ph_wave_sites *sites = waves->sites;
    struct products base, step;
    struct squares squares;
    double c[BLOCK], s[BLOCK];
    find_all(waves, waves->dual[2], begin, end, &step);
    for (int k = 0; k < 3; ++k)
        for (size_t j = begin; j < end; ++j)
            sites->field_rate[k][j] = sites->pull_rate[k][j] = 0.0;
    for (int k = 0; k < PH_WAVE_TENSOR && quadrupoles; ++k)
        memset(sites->gradient_rate[k] + begin, 0, (end - begin) * sizeof(double));
    for (size_t r = 0; r < waves->n_rows; ++r) {
        const struct ph_wave_row *row = &waves->row[r];
        double field[BLOCK] = {0.0}, field_z[BLOCK] = {0.0}, pull[BLOCK] = {0.0}, pull_z[BLOCK] = {0.0};
        double tensor[3][BLOCK];
        ph_wave_row_phases(waves, row, begin, end, c, s);
        find_all(waves, row->base, begin, end, &base);
        if (quadrupoles) {
            find_squares(waves, row, begin, end, &squares);
            memset(tensor, 0, sizeof tensor);
        }
        for (int z = row->first; z <= row->last; ++z) {
            const size_t w = ph_wave_index(row, z);
            const struct ph_wave_third third = ph_wave_third(waves, z, begin);
            const double *restrict cz = third.c, *restrict sz = third.s, sign = third.sign, steps = z;
            const double two = 2.0 * waves->factor[w], re = two * waves->re[w], im = two * waves->im[w];
            const double re_rate = two * waves->re_rate[w], im_rate = two * waves->im_rate[w];
            PH_SIMD
            for (size_t j = 0; j < end - begin; ++j) {
                const double sj = sign * sz[j];
                const double cosine = ph_fma(c[j], cz[j], -(s[j] * sj)), sine = ph_fma(s[j], cz[j], c[j] * sj);
                const double mu = ph_fma(steps, step.mu[j], base.mu[j]), v = ph_fma(steps, step.v[j], base.v[j]);
                const double nu = ph_fma(steps, step.nu[j], base.nu[j]);
                const double y = ph_fma(re, sine, -(im * cosine)), x = ph_fma(re, cosine, im * sine);
                const double y_rate = ph_fma(v, x, ph_fma(re_rate, sine, -(im_rate * cosine)));
                const double x_rate = ph_fma(-v, y, ph_fma(re_rate, cosine, im_rate * sine));
                double along = ph_fma(nu, x, mu * x_rate);
                if (quadrupoles) {
                    along -= ph_fma(square_at(&squares.rate, steps, j), y, square_at(&squares.m, steps, j) * y_rate);
                    tensor[0][j] += x_rate;
                    tensor[1][j] = ph_fma(steps, x_rate, tensor[1][j]);
                    tensor[2][j] = ph_fma(steps * steps, x_rate, tensor[2][j]);
                }
                field[j] += y_rate;
                field_z[j] = ph_fma(steps, y_rate, field_z[j]);
                pull[j] += along;
                pull_z[j] = ph_fma(steps, along, pull_z[j]);
            }
        }
        for (int k = 0; k < 3; ++k)
            for (size_t j = 0; j < end - begin; ++j) {
                sites->field_rate[k][begin + j] += row->base[k] * field[j] + waves->dual[2][k] * field_z[j];
                sites->pull_rate[k][begin + j] += row->base[k] * pull[j] + waves->dual[2][k] * pull_z[j];
            }
        if (quadrupoles)
            ph_wave_add_tensor(waves, row, begin, end, tensor, sites->gradient_rate);
    }
}

PH_DISPATCHED static void push_dipoles(struct ph_waves *waves, size_t begin, size_t end)
{
    push_block(waves, false, begin, end);
}

PH_DISPATCHED static void push_quadrupoles(struct ph_waves *waves, size_t begin, size_t end)
{
    push_block(waves, true, begin, end);
}

/* No vector of any site, of all processes, is longer: the root of the sum of all squares */
static double bound(const struct ph_waves *waves, double *const v[3])
{
    struct ph_exact sum = {.spoilt = 0};
    double square[BLOCK];
    for (size_t begin = 0, end; begin < waves->sites->n; begin = end) {
        end = ph_wave_block_end(waves, begin);
        for (size_t j = begin; j < end; ++j)
            square[j - begin] = v[0][j] * v[0][j] + v[1][j] * v[1][j] + v[2][j] * v[2][j];
        ph_exact_add(end - begin, square, &sum);
    }
    ph_ranks_add_up(1, &sum);
    return sqrt(ph_exact_value(&sum));
}

/* The same of k.M' k for |k| = 1: |M'| is at most the root of the sum of the squares of its entries, those beside the
 * diagonal twice, and these lie in two sets of three */
static double tensor_bound(const struct ph_waves *waves)
{
    double *const *m = waves->sites->m_rate, *const on[3] = {m[0], m[3], m[5]}, *const beside[3] = {m[1], m[2], m[4]};
    const double one = bound(waves, on), two = bound(waves, beside);
    return sqrt(one * one + 2.0 * two * two);
}

/* Of terms |(i k.mu' - k.M' k + i (k.v) (q + i k.mu - k.M k)) exp(i k.r)|. */
static void find_units(const struct ph_waves *waves)
{
    const double v = bound(waves, waves->sites->r_rate);
    const double nu = waves->sites->dipoles ? bound(waves, waves->sites->mu_rate) : 0.0;
    const double tensor = waves->sites->quadrupoles ? tensor_bound(waves) : 0.0;
    for (size_t w = 0; w < waves->n_waves; ++w) {
        const double k = waves->length[w];
        const double w_most = waves->most.charge + k * (waves->most.dipole + k * waves->most.tensor);
        waves->unit[w] = ph_wave_unit(waves->most.n, k * (nu + k * tensor) + k * v * w_most);
    }
}

void ph_waves_rates(struct ph_waves *waves)
{
    const size_t padded = ph_padded(waves->sites->n);
    const bool quadrupoles = waves->sites->quadrupoles;
    find_units(waves);
#pragma omp parallel for schedule(dynamic)
    for (size_t r = 0; r < waves->n_rows; ++r) {
        const struct ph_wave_row *row = &waves->row[r];
        for (size_t w = 2 * row->wave; w < 2 * (ph_wave_index(row, row->last) + 1); ++w)
            waves->sum[w] = 0;
        for (size_t begin = 0; begin < padded; begin += BLOCK)
            (quadrupoles ? add_quadrupoles : add_dipoles)(waves, row, begin, ph_wave_block_end(waves, begin));
    }
    ph_waves_add_up(waves, waves->re_rate, waves->im_rate);
#pragma omp parallel for schedule(dynamic)
    for (size_t begin = 0; begin < padded; begin += BLOCK)
        (quadrupoles ? push_quadrupoles : push_dipoles)(waves, begin, ph_wave_block_end(waves, begin));
}
