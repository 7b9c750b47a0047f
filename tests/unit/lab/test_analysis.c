/* SPDX-License-Identifier: MIT */
#include "support.h"

#include "analysis/analysis.h"
#include "analysis/statistics/blocks.h"
#include "analysis/statistics/correlator.h"
#include "analysis/statistics/pair_counts.h"
#include "analysis/statistics/pairs.h"
#include "analysis/statistics/step_free.h"
#include "base/random.h"
#include "dynamics/schemes/shadow.h"
#include "lab/analyses.h"

#include <stdlib.h>
#include <string.h>

static struct ph_random dice(uint64_t index) { return ph_random_stream(7, PH_RANDOM_TEST, index); }

/* ---- Errors ---- */

TEST(errors_of_independent_numbers_are_textbook)
{
    enum { N = 4096 };
    struct ph_random random = dice(0);
    double x[N], mean = 0.0, square = 0.0;
    for (int k = 0; k < N; ++k) {
        x[k] = 5.0 + ph_random_normal(&random);
        mean += x[k] / N;
    }
    for (int k = 0; k < N; ++k)
        square += (x[k] - mean) * (x[k] - mean) / N;
    const struct ph_mean out = ph_mean_of(N, x);
    assert_close(out.mean, mean, 1e-13, 5.0);
    assert_close(out.deviation, sqrt(square), 1e-12, 1.0);
    assert_close(out.error, sqrt(square / N), 0.25, out.error); /* blocks scatter, and g is at least 1 */
    assert_true(out.error >= 0.999 * sqrt(square / N));
    assert_false(out.rough);
}

/* Of 600 short records each, as long as 20 and as 50 independent numbers, hardly any mean is further off than chance
 * allows, though with four plain errors some are; and what chance allows is not so much that nothing would ever show:
 * below a standard deviation. */
TEST(chance_allows_what_happens_by_chance)
{
    enum { RUNS = 600, MOST = 950 };
    const double a = 0.9, g = (1.0 + a) / (1.0 - a);
    double x[MOST];
    for (int length = 0; length < 2; ++length) {
        const size_t n = (size_t)((length == 0 ? 20.0 : 50.0) * g);
        int outside = 0, said = 0;
        for (int run = 0; run < RUNS; ++run) {
            struct ph_random random = dice(1000 + (uint64_t)(length * RUNS + run));
            x[0] = ph_random_normal(&random);
            for (size_t k = 1; k < n; ++k)
                x[k] = a * x[k - 1] + sqrt(1.0 - a * a) * ph_random_normal(&random);
            const struct ph_mean out = ph_mean_of(n, x);
            const double chance = ph_mean_chance(&out);
            outside += fabs(out.mean) > chance;
            said += chance < (length == 0 ? 2.0 : 1.0) * out.deviation;
        }
        assert_true(outside <= 1);
        assert_true(said > RUNS / 2);
    }
    const struct ph_mean few = ph_mean_of(29, x), more = ph_mean_of(MOST, x);
    assert_true(isinf(ph_mean_chance(&few)) && isfinite(ph_mean_chance(&more)));
    struct ph_mean slow = more;
    slow.inefficiency = MOST / 9.0;
    assert_true(isinf(ph_mean_chance(&slow)));
}

/* x' = a x + noise has the inefficiency (1 + a)/(1 - a). The mean of many runs must show it within its own scatter, and
 * the error must be that of the scatter of the means. */
TEST(errors_know_of_correlation)
{
    enum { N = 8192, RUNS = 60 };
    const double a = 0.9;
    double g = 0.0, scatter = 0.0, printed = 0.0, *x = malloc(N * sizeof *x);
    assert_non_null(x);
    for (int run = 0; run < RUNS; ++run) {
        struct ph_random random = dice(100 + (uint64_t)run);
        x[0] = ph_random_normal(&random);
        for (int k = 1; k < N; ++k)
            x[k] = a * x[k - 1] + sqrt(1.0 - a * a) * ph_random_normal(&random);
        const struct ph_mean out = ph_mean_of(N, x);
        g += out.inefficiency / RUNS;
        scatter += out.mean * out.mean / RUNS;
        printed += out.error * out.error / RUNS;
    }
    free(x);
    assert_close(g, (1.0 + a) / (1.0 - a), 0.12, g);
    assert_close(sqrt(printed / scatter), 1.0, 0.25, 1.0); /* the scatter of 60 is known to 9 % */
}

/* Of many records x' = a x + noise, some with a slow part of a tenth of the variance: how often the true mean, zero, is
 * within one and two errors. The slow part has correlation time 50, which is lost in the noise of single numbers. */
TEST(errors_cover_the_truth_as_often_as_they_say)
{
    if (PH_SANITIZED)
        skip();
    enum { REPEATS = 600 };
    static const struct {
        double a, slow;
        size_t n;
    } cases[] = {{0.0, 0.0, 100},  {0.5, 0.0, 300},   {0.9, 0.0, 300},
                 {0.9, 0.0, 2000}, {0.98, 0.0, 2000}, {0.0, 0.1, 10000}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        const double a = cases[c].a, b = 0.98, noise = sqrt(1.0 - a * a), slow = sqrt(cases[c].slow);
        double *x = malloc(cases[c].n * sizeof *x), once = 0.0, twice = 0.0;
        assert_non_null(x);
        for (uint64_t r = 0; r < REPEATS; ++r) {
            struct ph_random random = dice(1000 * (c + 1) + r);
            double fast = ph_random_normal(&random), drift = slow * ph_random_normal(&random);
            for (size_t k = 0; k < cases[c].n; ++k) {
                x[k] = fast + drift;
                fast = a * fast + noise * ph_random_normal(&random);
                drift = b * drift + slow * sqrt(1.0 - b * b) * ph_random_normal(&random);
            }
            const struct ph_mean mean = ph_mean_of(cases[c].n, x);
            once += (fabs(mean.mean) < mean.error) / (double)REPEATS;
            twice += (fabs(mean.mean) < 2.0 * mean.error) / (double)REPEATS;
        }
        free(x);
        if (!(once > 0.60 && once < 0.76 && twice > 0.87 && twice < 0.99))
            fail_msg("a = %g, slow %g, n = %zu: within one error %.3f, within two %.3f", a, cases[c].slow, cases[c].n,
                     once, twice);
    }
}

TEST(short_runs_are_said_to_be_rough)
{
    double x[64];
    for (int k = 0; k < 64; ++k)
        x[k] = k < 32 ? 0.0 : 1.0;
    assert_true(ph_mean_of(64, x).rough);
    assert_true(isnan(ph_mean_of(1, x).error));
    assert_true(isnan(ph_mean_of(0, x).mean));
}

static double ratio(const double *sums, const void *data) { return sums[0] / sums[1]; }

/* Of a mean the jackknife is the standard error, exactly. */
TEST(jackknife_of_a_mean_is_the_standard_error)
{
    enum { N = 12 };
    double sums[2 * N], mean = 0.0, square = 0.0, value, error;
    struct ph_random random = dice(1);
    for (int k = 0; k < N; ++k) {
        sums[2 * k] = ph_random_normal(&random);
        sums[2 * k + 1] = 1.0;
        mean += sums[2 * k] / N;
    }
    for (int k = 0; k < N; ++k)
        square += (sums[2 * k] - mean) * (sums[2 * k] - mean);
    ph_jackknife(N, 2, sums, ratio, NULL, &value, &error);
    assert_close(value, mean, 1e-13, 1.0);
    assert_close(error, sqrt(square / (N * (N - 1.0))), 1e-10, error);
    ph_jackknife(1, 2, sums, ratio, NULL, &value, &error);
    assert_true(isnan(error));
}

TEST(merged_blocks_keep_all)
{
    double sums[2 * 37];
    for (int k = 0; k < 37; ++k) {
        sums[2 * k] = k;
        sums[2 * k + 1] = 1.0;
    }
    const size_t n = ph_blocks_merge(37, 2, sums, 16);
    double total = 0.0, count = 0.0;
    assert_true(n <= 16 && n >= 8);
    for (size_t k = 0; k < n; ++k) {
        total += sums[2 * k];
        count += sums[2 * k + 1];
    }
    assert_close(total, 37.0 * 36.0 / 2.0, 0.0, 1.0);
    assert_close(count, 37.0, 0.0, 1.0);
}

TEST(lines_have_their_slope)
{
    double t[50], y[50];
    for (int k = 0; k < 50; ++k) {
        t[k] = 3.0 + 0.1 * k;
        y[k] = 1e6 + 2.5 * t[k] + (k % 2 ? 1e-3 : -1e-3);
    }
    const struct ph_line line = ph_line_through(50, t, y);
    assert_close(line.slope, 2.5, 1e-3, 1.0);
    assert_close(line.residual, 1e-3, 1e-2, 1e-3);
    assert_true(fabs(line.slope - 2.5) < 3.0 * line.slope_error && line.slope_error < 1e-3);
}

/* ---- Pairs ---- */

struct found {
    double cutoff, sum; /* of squares of distances, signed by the order of the pair: each once */
    size_t n;
};

static void find(const struct ph_pair_batch *batch, void *data)
{
    struct found *found = data;
    for (size_t l = 0; l < batch->n; ++l)
        if (batch->square[l] < found->cutoff * found->cutoff) {
            found->sum += batch->square[l] * (1.0 + (batch->i + batch->j[l]) % 7);
            ++found->n;
        }
}

TEST(cells_find_the_pairs_that_all_pairs_have)
{
    enum { N = 500 };
    static const double edges[2][3][3] = {{{8.0, 0.0, 0.0}, {0.0, 9.0, 0.0}, {0.0, 0.0, 10.0}},
                                          {{8.0, 0.0, 0.0}, {2.0, 9.0, 0.0}, {-1.0, 3.0, 10.0}}};
    double *r = malloc(3 * N * sizeof *r);
    struct ph_pair_finder *pairs = ph_pair_finder_create(N);
    assert_non_null(r);
    assert_non_null(pairs);
    for (int b = 0; b < 2; ++b) {
        struct ph_box box;
        struct ph_random random = dice(2);
        assert_int_equal(ph_box_init_periodic(edges[b], &box, NULL), PH_OK);
        for (int i = 0; i < 3 * N; ++i)
            r[i] = 30.0 * ph_random_uniform(&random) - 12.0; /* not wrapped */
        for (double cutoff = 0.5; cutoff < 3.7; cutoff += 0.4) {
            struct found found = {.cutoff = cutoff}, want = {.cutoff = cutoff};
            assert_true(ph_pair_finder_visit(pairs, &box, r, cutoff, find, &found));
            for (int i = 0; i < N; ++i)
                for (int j = i + 1; j < N; ++j) {
                    double d[3] = {r[3 * j] - r[3 * i], r[3 * j + 1] - r[3 * i + 1], r[3 * j + 2] - r[3 * i + 2]};
                    ph_box_minimum_image(&box, d);
                    const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
                    if (square < cutoff * cutoff) {
                        want.sum += square * (1.0 + (i + j) % 7);
                        ++want.n;
                    }
                }
            assert_int_equal(found.n, want.n);
            assert_close(found.sum, want.sum, 1e-11, want.sum);
        }
    }
    ph_pair_finder_destroy(pairs);
    free(r);
}

/* Plain counting in double precision, all pairs. Some points lie on a lattice that makes many distances whole numbers
 * of bins; molecules are three points each, types follow no order. */
enum { COUNTED = 1200, COUNTED_TYPES = 3 };
static double counted_position[3 * COUNTED];
static int counted_type[COUNTED], counted_molecule[COUNTED];

static void expect_counts(const struct ph_box *box, size_t n_bins, double width, const int *molecule)
{
    struct ph_pair_counts *counts =
        ph_pair_counts_create(COUNTED, COUNTED_TYPES, counted_type, molecule, n_bins, width);
    uint64_t *want = calloc(COUNTED_TYPES * COUNTED_TYPES * n_bins, sizeof *want);
    assert_non_null(counts);
    assert_non_null(want);
    assert_true(ph_pair_counts_frame(counts, box, counted_position));
    for (int i = 0; i < COUNTED; ++i)
        for (int j = i + 1; j < COUNTED; ++j) {
            const double *a = &counted_position[3 * i], *b = &counted_position[3 * j];
            double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
            ph_box_minimum_image(box, d);
            const double widths = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / width;
            if (widths < (double)n_bins && !(molecule && molecule[i] == molecule[j]))
                ++want[((size_t)counted_type[i] * COUNTED_TYPES + (size_t)counted_type[j]) * n_bins + (size_t)widths];
        }
    for (size_t a = 0; a < COUNTED_TYPES; ++a)
        for (size_t b = a; b < COUNTED_TYPES; ++b)
            for (size_t k = 0; k < n_bins; ++k) {
                const uint64_t there = want[(a * COUNTED_TYPES + b) * n_bins + k];
                const uint64_t back = a == b ? 0 : want[(b * COUNTED_TYPES + a) * n_bins + k];
                assert_int_equal(ph_pair_counts_at(counts, a, b, k), there + back);
                assert_int_equal(ph_pair_counts_at(counts, b, a, k), there + back);
            }
    ph_pair_counts_destroy(counts);
    free(want);
}

TEST(counts_are_those_of_double_precision)
{
    static const double edges[2][3][3] = {{{8.0, 0.0, 0.0}, {0.0, 9.0, 0.0}, {0.0, 0.0, 10.0}},
                                          {{8.0, 0.0, 0.0}, {2.0, 9.0, 0.0}, {-1.0, 3.0, 10.0}}};
    struct ph_random random = dice(5);
    for (int i = 0; i < COUNTED; ++i) {
        const bool lattice = i % 2 == 0;
        for (int d = 0; d < 3; ++d) {
            const double u = 30.0 * ph_random_uniform(&random) - 12.0; /* not wrapped */
            counted_position[3 * i + d] = lattice ? 0.5 * floor(2.0 * u) : u;
        }
        counted_type[i] = (int)(COUNTED_TYPES * ph_random_uniform(&random));
        counted_molecule[i] = i % (COUNTED / 3);
    }
    for (int b = 0; b < 3; ++b) {
        struct ph_box box = ph_box_open();
        if (b < 2)
            assert_int_equal(ph_box_init_periodic(edges[b], &box, NULL), PH_OK);
        expect_counts(&box, 30, 0.125, counted_molecule); /* no cells */
        expect_counts(&box, 150, 0.0078125, NULL);        /* cells */
        expect_counts(&box, 1, 0.7, counted_molecule);
        expect_counts(&box, 100000, 1e-5, NULL); /* too fine for single precision */
    }
}

/* ---- Correlations ---- */

enum { MOMENTS = 203, LAGS = 97, SIGNALS = 70, WIDTH = 2 };
static double signals[SIGNALS][WIDTH][MOMENTS];

static void copy_signal(size_t s, const void *data, double *out) { memcpy(out, signals[s], sizeof signals[s]); }

TEST(transforms_give_the_sums_over_origins)
{
    const double weights[WIDTH] = {1.0, 2.5};
    struct ph_correlator *correlator;
    struct ph_random random = dice(3);
    for (size_t s = 0; s < SIGNALS; ++s)
        for (size_t c = 0; c < WIDTH; ++c)
            for (size_t t = 0; t < MOMENTS; ++t)
                signals[s][c][t] = 0.3 + ph_random_normal(&random);
    assert_int_equal(ph_correlator_create(MOMENTS, LAGS, &correlator, NULL), PH_OK);
    assert_int_equal(ph_correlator_add(correlator, SIGNALS, WIDTH, weights, copy_signal, NULL, NULL), PH_OK);
    const size_t blocks = ph_correlator_blocks(correlator);
    assert_int_equal(ph_correlator_first(correlator, blocks), MOMENTS);
    for (size_t b = 0; b < blocks; ++b)
        for (size_t k = 0; k < LAGS; k += 8) {
            double want = 0.0, count = 0.0;
            for (size_t t = ph_correlator_first(correlator, b);
                 t < ph_correlator_first(correlator, b + 1) && t + k < MOMENTS; ++t, count += 1.0)
                for (size_t s = 0; s < SIGNALS; ++s)
                    for (size_t c = 0; c < WIDTH; ++c)
                        want += weights[c] * signals[s][c][t] * signals[s][c][t + k];
            assert_close(ph_correlator_count(correlator, b, k), count, 0.0, 1.0);
            assert_close(ph_correlator_sum(correlator, b, k), want, 1e-12, SIGNALS * MOMENTS);
        }
    ph_correlator_destroy(correlator);
}

/* ---- Averages without the error of the step ---- */

/* A spring with omega = 1 at kT = 1. Places have the variance that Langevin dynamics with steps h keeps, momenta have
 * 1: `weight` is that of x^2/2 in the energy that a step keeps beside p^2/2. Six values each have the moments of normal
 * numbers up to the fifth, so that covariances of squares are exact. */
static double spring_less_step(double alpha, double beta, double weight, double h, enum ph_step_free_form form,
                               double *plain)
{
    enum { SIX = 6, N = SIX * SIX };
    static const double values[SIX] = {0.0, 1.7320508075688772, 0.0, 0.0, -1.7320508075688772, 0.0};
    double potential[N], shadow[N], total[N], kinetic[N];
    for (int i = 0; i < N; ++i) {
        const double x = values[i / SIX] / sqrt(weight), p = values[i % SIX];
        potential[i] = 0.5 * x * x;
        kinetic[i] = 0.5 * p * p;
        total[i] = potential[i] + kinetic[i];
        shadow[i] = h * h * (alpha * p * p + beta * x * x);
    }
    *plain = ph_mean_of(N, potential).mean;
    return ph_step_free_mean(&(struct ph_step_free_rows){N, potential, shadow, total, kinetic}, form, 1.0).mean;
}

/* What a scheme that begins with a kick keeps: p^2/2 + weight x^2/2. Of the matrix of a step, x' = a x + b p and
 * p' = c x + a p, it is -c/b. */
static double weight_of(const struct ph_scheme *scheme, double h)
{
    double state[2][2] = {{1.0, 0.0}, {0.0, 1.0}}; /* x, p after a step from these */
    for (int k = 0; k < scheme->flows; ++k) {
        const struct ph_scheme_flow flow = ph_scheme_flow_at(scheme, k);
        const int of = flow.kind == PH_FLOW_KICK ? 1 : 0;
        for (int s = 0; s < 2; ++s)
            state[s][of] += (of == 1 ? -h : h) * flow.x * state[s][1 - of];
    }
    return -state[0][1] / state[1][0];
}

/* What is left of the error is of order 4. With the form for another thermostat, or without a correction, it is of
 * order 2. */
TEST(springs_lose_the_error_of_second_order)
{
    static const struct {
        const char *scheme;
        enum ph_step_free_form form;
        double order;
    } cases[] = {{"verlet", PH_STEP_FREE_BATH, 4.0},
                 {"verlet", PH_STEP_FREE_PLAIN, 2.0},
                 {"sbab2", PH_STEP_FREE_PLAIN, 4.0},
                 {"sbab2", PH_STEP_FREE_BATH, 4.0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        const struct ph_scheme *scheme = ph_scheme_find(cases[k].scheme);
        const struct ph_shadow_terms terms = ph_shadow_terms(scheme);
        double error[2], plain_error[2], plain;
        for (int fine = 0; fine < 2; ++fine) {
            const double h = fine ? 0.1 : 0.2;
            error[fine] =
                spring_less_step(terms.alpha, terms.beta, weight_of(scheme, h), h, cases[k].form, &plain) - 0.5;
            plain_error[fine] = plain - 0.5;
        }
        const double order = log2(error[0] / error[1]), plain_order = log2(plain_error[0] / plain_error[1]);
        if (!(fabs(order - cases[k].order) < 0.2 && fabs(plain_order - 2.0) < 0.2))
            fail_msg("%s, form %d: errors of order %.2f (%.2e), without correction %.2f (%.2e)", cases[k].scheme,
                     (int)cases[k].form, order, error[1], plain_order, plain_error[1]);
    }
}

/* ---- Registry ---- */

TEST(every_analysis_says_what_it_is)
{
    for (size_t i = 0; i < ph_analysis_count(); ++i) {
        const struct ph_analysis *analysis = ph_analysis_at(i);
        assert_ptr_equal(ph_analysis_find(analysis->name), analysis);
        assert_true(strlen(analysis->summary) > 10 && strlen(analysis->documentation) > 60);
        assert_true(strlen(analysis->needs) > 5);
        assert_non_null(analysis->run);
        assert_false(ph_analysis_takes(analysis, "spac"));
    }
    assert_true(ph_analysis_takes(ph_analysis_find("rdf"), "spacing"));
    assert_null(ph_analysis_find("none"));
}
