/* SPDX-License-Identifier: MIT */
/* The window of the mesh against formulas in long double and quadrature, and spreading and gathering against plain sums
 * over all points. */
#include "support.h"

#include "base/array.h"
#include "force/longrange/mesh/bessel.h"
#include "force/longrange/mesh/grid.h"

#include <stdlib.h>

static const long double pi = 3.14159265358979323846264L;

/* Deterministic numbers in (-1, 1), the same on every machine (xorshift64*) */
static double uniform(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return 2.0 * (double)((*seed * UINT64_C(0x2545f4914f6cdd1d)) >> 11) * 0x1p-53 - 1.0;
}

/* ---- Bessel functions ---- */

/* Long double is emulated on some machines, where each function takes microseconds: what integrals share is tabulated.
 */

/* The trapezoidal rule for even functions of t over [-pi/2, pi/2] that vanish at the ends: the half t >= 0. With
 * x = sin t it integrates (1 - x^2)^m f(x) over [-1, 1] to rounding, since derivatives up to 2 m vanish at the ends. */
enum { HALF = 200, M_MOST = 14 };
static long double sine[HALF], cosine[HALF], weight[HALF]; /* of points, and weights of dt */

static int make_rule(void **state)
{
    for (int k = 0; k < HALF; ++k) {
        const long double t = 0.5L * pi * k / HALF;
        sine[k] = sinl(t);
        cosine[k] = cosl(t);
        weight[k] = (k == 0 ? 0.5L : 1.0L) * pi / HALF;
    }
    return 0;
}

static long double power(long double x, int n)
{
    long double product = 1.0L;
    for (int k = 0; k < n; ++k)
        product *= x;
    return product;
}

/* Poisson's integral, F_m(w) = 1/(2^(m+1) m!) integral of (1 - x^2)^m cos(z x) over [-1, 1], z^2 = -w, for all m */
static void poisson(double w, double out[M_MOST + 1])
{
    const long double z = sqrtl(fabsl((long double)w));
    long double sum[M_MOST + 1] = {0.0L}, scale = 0.5L;
    for (int k = 0; k < HALF; ++k) {
        long double term = weight[k] * cosine[k] * (w < 0.0 ? cosl(z * sine[k]) : coshl(z * sine[k]));
        for (int m = 0; m <= M_MOST; ++m, term *= cosine[k] * cosine[k])
            sum[m] += term;
    }
    for (int m = 0; m <= M_MOST; scale /= 2.0L * ++m)
        out[m] = (double)(sum[m] * scale);
}

TEST(the_transform_is_that_of_poisson)
{
    double at_zero[M_MOST + 1], want[M_MOST + 1], below[M_MOST + 1];
    poisson(0.0, at_zero);
    for (double w = 0.0; w < 1700.0; w = 1.3 * w + 0.7) {
        poisson(w, want);
        poisson(-w, below);
        for (int m = 4; m <= M_MOST; ++m) {
            assert_close(ph_bessel_transform(m, w), want[m], 3e-15, want[m]);
            assert_close(ph_bessel_transform(m, -w), below[m], 2e-15, at_zero[m]);
        }
    }
    for (int m = 4; m <= M_MOST; ++m) /* where the series ends and the recurrence begins */
        for (int k = -3; k <= 3; ++k) {
            const double w = -(double)((m + 2) * (m + 2)) * (1.0 + 1e-3 * k);
            poisson(w, want);
            assert_close(ph_bessel_transform(m, w), want[m], 2e-15, at_zero[m]);
        }
}

TEST(the_slope_of_the_transform_is_half_the_next)
{
    static const double weights[] = {45.0 / 60, -9.0 / 60, 1.0 / 60};
    for (int m = 4; m <= 12; ++m)
        for (double w = -900.0; w < 900.0; w += 37.0) {
            const double h = 0.3;
            double slope = 0.0;
            for (int k = 1; k <= 3; ++k)
                slope += weights[k - 1] * (ph_bessel_transform(m, w + k * h) - ph_bessel_transform(m, w - k * h)) / h;
            const double want = 0.5 * ph_bessel_transform(m + 1, w);
            assert_close(slope, want, 1e-11, fmax(fabs(want), 0.5 * ph_bessel_transform(m + 1, 0.0)));
        }
}

/* I_m by its integral over an angle: u^m I_m(b u) ~ v^m integral of cosh(b u sin t) cos(t)^2m, for m = 1 .. most */
static void angular(int most, double b, long double v, long double *out)
{
    long double sum[M_MOST + 1] = {0.0L}, one[M_MOST + 1] = {0.0L};
    for (int k = 0; k < HALF; ++k) {
        const long double swing = coshl(b * sqrtl(v) * sine[k]), square = cosine[k] * cosine[k];
        long double of_m = weight[k] * square;
        for (int m = 1; m <= most; ++m, of_m *= square) {
            sum[m] += of_m * swing;
            one[m] += of_m;
        }
    }
    for (int m = 1; m <= most; ++m)
        out[m] = sum[m] / one[m] * power(v, m);
}

TEST(the_window_is_that_of_bessel)
{
    enum { MOST = 12 };
    for (int s = 0; s <= 40; s += 5)
        for (int k = 1; k <= 8; ++k) {
            const long double v = 0.125L * k, h = 0x1p-12L * v;
            long double want[MOST + 1];
            angular(MOST, s, v, want);
            for (int m = 1; m <= MOST; ++m) {
                const long double got = ph_bessel_window(m, s, v);
                assert_close((double)(got / want[m] - 1.0L), 0.0, 1e-16, 1.0);
                /* its derivative is m times that of m - 1 */
                const long double one = ph_bessel_window(m, s, v + h) - ph_bessel_window(m, s, v - h);
                const long double two = ph_bessel_window(m, s, v + 2 * h) - ph_bessel_window(m, s, v - 2 * h);
                const long double slope = (8.0L * one - two) / (12.0L * h);
                assert_close((double)(m * ph_bessel_window(m - 1, s, v) / slope), 1.0, 1e-8, 1.0);
            }
        }
}

/* ---- Windows ---- */

static const struct {
    int m, width;
    double shape;
} windows[] = {{4, 5, 9.0},    {6, 6, 11.0},  {8, 7, 12.0},   {8, 8, 15.0},  {8, 9, 17.0},   {8, 10, 18.0},
               {8, 11, 21.0},  {8, 12, 24.0}, {6, 13, 26.0},  {8, 14, 28.0}, {10, 15, 30.0}, {8, 16, 32.0},
               {10, 17, 32.0}, {8, 18, 36.0}, {12, 19, 36.0}, {10, 20, 32.0}};
enum { WINDOWS = sizeof windows / sizeof *windows };

/* W and its derivatives by formulas; 1/`scale` is the integral of the bare window over d */
static void formulas(const struct ph_window *window, long double scale, long double d,
                     long double out[PH_WINDOW_ORDERS])
{
    const int m = window->m;
    const long double c2 = 4.0L / ((long double)window->width * window->width), v = 1.0L - c2 * d * d;
    long double of[PH_WINDOW_ORDERS] = {0.0L};
    for (int o = 0; o < PH_WINDOW_ORDERS && v > 0.0L; ++o) { /* derivatives in v */
        of[o] = scale * ph_bessel_window(m - o, window->shape, v);
        scale *= m - o;
    }
    const long double slope = -2.0L * c2 * d, bend = -2.0L * c2;
    out[0] = of[0];
    out[1] = of[1] * slope;
    out[2] = of[2] * slope * slope + of[1] * bend;
    out[3] = of[3] * slope * slope * slope + 3.0L * of[2] * slope * bend;
    out[4] = (of[4] * slope * slope + 6.0L * of[3] * bend) * slope * slope + 3.0L * of[2] * bend * bend;
}

/* What the integral over d = width/2 sin t has of the bare window at each point */
static void bare_window(const struct ph_window *window, long double out[HALF])
{
    for (int p = 0; p < HALF; ++p)
        out[p] = weight[p] * 0.5L * window->width * cosine[p] *
                 ph_bessel_window(window->m, window->shape, cosine[p] * cosine[p]);
}

/* Integral of the bare window times cos(k d) */
static long double bare_transform(int width, const long double bare[HALF], long double k)
{
    long double sum = 0.0L;
    for (int p = 0; p < HALF; ++p)
        sum += bare[p] * (k == 0.0L ? 1.0L : cosl(0.5L * width * k * sine[p]));
    return sum;
}

static long double bare_integral(const struct ph_window *window)
{
    long double bare[HALF];
    bare_window(window, bare);
    return bare_transform(window->width, bare, 0.0L);
}

enum { AT_ONCE = 12 };

/* The fourth derivative of a window of order 4 jumps at its ends, and has a value beyond them. */
static int highest(const struct ph_window *window) { return window->m > 4 ? 4 : 3; }

/* To rounding up to a shape of 30; beyond, the polynomials end too early. */
TEST(windows_have_their_values_and_derivatives)
{
    double most[PH_WINDOW_ORDERS] = {0.0};
    for (size_t k = 0; k < WINDOWS; ++k) {
        const struct ph_window window = ph_window(windows[k].m, windows[k].width, windows[k].shape);
        const long double scale = 1.0L / bare_integral(&window);
        double off[PH_WINDOW_ORDERS] = {0.0}, size[PH_WINDOW_ORDERS] = {0.0};
        for (int from = -720; from < 720; from += AT_ONCE) {
            double d[AT_ONCE], of[PH_WINDOW_ORDERS][3 * PH_WINDOW_MOST];
            for (int l = 0; l < AT_ONCE; ++l)
                d[l] = 0.5 * window.width * (from + l + 0.25) / 600.0; /* also outside */
            ph_window_fill(&window, 4, AT_ONCE, d, of);
            for (int l = 0; l < AT_ONCE; ++l) {
                long double want[PH_WINDOW_ORDERS];
                formulas(&window, scale, d[l], want);
                for (int o = 0; o <= highest(&window); ++o) {
                    off[o] = fmax(off[o], fabs((double)(of[o][l] - want[o])));
                    size[o] = fmax(size[o], fabs((double)want[o]));
                    assert_true(fabs(d[l]) < 0.5 * window.width || of[o][l] == 0.0);
                }
            }
        }
        for (int o = 0; o <= highest(&window); ++o)
            most[o] = fmax(most[o], off[o] / size[o]);
        for (int o = 0; o <= highest(&window); ++o)
            if (!(off[o] < (window.shape > 32.0   ? 1e-12
                            : window.shape > 30.0 ? 2e-14
                                                  : 4e-15) *
                               (o == 4 ? 4.0 : 1.0) * size[o]))
                fail_msg("m %d, width %d: derivative %d is off by %.2g of %.3g", window.m, window.width, o, off[o],
                         size[o]);
    }
    print_message("windows off by %.2g, derivatives by %.2g, %.2g, %.2g, %.2g of the largest\n", most[0], most[1],
                  most[2], most[3], most[4]);
}

/* The same numbers, whatever is asked for beside them */
TEST(lower_derivatives_do_not_mind_higher_ones)
{
    const struct ph_window window = ph_window(8, 10, 18.0);
    double d[AT_ONCE], of[PH_WINDOW_ORDERS][PH_WINDOW_ORDERS][3 * PH_WINDOW_MOST];
    for (int l = 0; l < AT_ONCE; ++l)
        d[l] = 0.77 * l - 4.3;
    ph_window_fill(&window, 0, AT_ONCE, d, of[0]);
    ph_window_fill(&window, 1, AT_ONCE, d, of[1]);
    ph_window_fill(&window, 2, AT_ONCE, d, of[2]);
    ph_window_fill(&window, 3, AT_ONCE, d, of[3]);
    ph_window_fill(&window, 4, AT_ONCE, d, of[4]);
    for (int o = 0; o < PH_WINDOW_ORDERS; ++o)
        for (int p = 0; p < o; ++p)
            for (int l = 0; l < AT_ONCE; ++l)
                assert_close(of[o][p][l], of[p][p][l], 1e-15, of[p][p][l]);
}

TEST(windows_have_their_transform)
{
    for (size_t k = 0; k < WINDOWS; ++k) {
        const struct ph_window window = ph_window(windows[k].m, windows[k].width, windows[k].shape);
        long double bare[HALF];
        bare_window(&window, bare);
        const long double one = bare_transform(window.width, bare, 0.0L);
        assert_close(ph_window_transform(&window, 0, 48), 1.0, 0.0, 1.0);
        for (int points = 32; points <= 45; points += 13)
            for (int n = 0; n <= 3 * points; ++n) {
                const double want = (double)(bare_transform(window.width, bare, 2.0L * pi * n / points) / one);
                assert_close(ph_window_transform(&window, n, points), want, 2e-14, fmax(fabs(want), 1e-3));
                if (n <= points)
                    assert_close(ph_window_transform(&window, -n, points), want, 2e-14, fmax(fabs(want), 1e-3));
            }
    }
}

/* Its values at points one apart add up to 1, wherever these lie, as well as its transform has ended at 1 point */
TEST(weights_of_a_site_add_up)
{
    const struct ph_window window = ph_window(8, 14, 28.0);
    const double rest = fabs(ph_window_transform(&window, 1.0, 1));
    assert_true(rest > 1e-16 && rest < 1e-10);
    double most = 0.0;
    for (int k = 0; k < 50; ++k) {
        double d[AT_ONCE * 2], of[PH_WINDOW_ORDERS][3 * PH_WINDOW_MOST], sum = 0.0;
        for (int l = 0; l < AT_ONCE * 2; ++l)
            d[l] = l - 10.0 - 0.02 * k;
        ph_window_fill(&window, 0, AT_ONCE * 2, d, of);
        for (int l = 0; l < AT_ONCE * 2; ++l)
            sum += of[0][l];
        most = fmax(most, fabs(sum - 1.0));
    }
    print_message("weights add up to 1 but for %.2g, %.2g expected\n", most, 2.0 * rest);
    assert_true(most < 3.0 * rest + 1e-15);
}

/* ---- Grids ---- */

/* Derivatives along the three edges of the numbers of a site, in their order */
static const int orders[PH_GRID_NUMBERS][3] = {
    {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 0, 0}, {1, 1, 0}, {1, 0, 1}, {0, 2, 0}, {0, 1, 1},
    {0, 0, 2}, {3, 0, 0}, {2, 1, 0}, {2, 0, 1}, {1, 2, 0}, {1, 1, 1}, {1, 0, 2}, {0, 3, 0}, {0, 2, 1},
    {0, 1, 2}, {0, 0, 3}, {4, 0, 0}, {3, 1, 0}, {3, 0, 1}, {2, 2, 0}, {2, 1, 1}, {2, 0, 2}, {1, 3, 0},
    {1, 2, 1}, {1, 1, 2}, {1, 0, 3}, {0, 4, 0}, {0, 3, 1}, {0, 2, 2}, {0, 1, 3}, {0, 0, 4}};

enum { SITES = 60, POINTS_MOST = PH_WINDOW_MOST + 5 };
struct fixture {
    struct ph_window window;
    long double scale;
    struct ph_grid grid;
    struct ph_grid_site site[SITES];
    double c[SITES * PH_GRID_NUMBERS];
};

/* Sites whose windows begin at the first and last points of each edge, and at others */
static void make(size_t which, struct fixture *f)
{
    uint64_t seed = 1 + which;
    const int width = windows[which].width;
    f->window = ph_window(windows[which].m, width, windows[which].shape);
    f->scale = 1.0L / bare_integral(&f->window);
    f->grid = (struct ph_grid){.points = {width + 2, width, width + 5}}; /* as small as may be along y */
    const size_t row = (size_t)(f->grid.points[2] + ph_grid_beyond(&f->window));
    f->grid.row = (row + PH_LANES - 1) / PH_LANES * PH_LANES;
    f->grid.plane = f->grid.row * (size_t)f->grid.points[1];
    f->grid.value = ph_array_create((size_t)f->grid.points[0] * f->grid.plane, sizeof(double));
    for (unsigned s = 0; s < SITES; ++s) {
        f->site[s].number = s;
        for (int e = 0; e < 3; ++e) {
            const int points = f->grid.points[e];
            const unsigned corner = s >> (2 * e) & 3; /* all 64 but four combinations of these */
            const double part = 0.5 + 0.5 * uniform(&seed);
            f->site[s].first[e] = corner == 0   ? 0
                                  : corner == 1 ? points - 1
                                  : corner == 2 ? points - width + (points > width)
                                                : (int)((0.5 + 0.5 * uniform(&seed)) * points);
            f->site[s].u[e] = 0.5 * width - (s % 7 == 0 ? 0.0 : part); /* in (width/2 - 1, width/2] */
        }
    }
    for (size_t k = 0; k < SITES * PH_GRID_NUMBERS; ++k)
        f->c[k] = uniform(&seed);
}

static double *at(const struct ph_grid *grid, int x, int y, int z)
{
    return grid->value + (size_t)x * grid->plane + (size_t)y * grid->row + z;
}

static void clear(const struct ph_grid *grid)
{
    memset(grid->value, 0, (size_t)grid->points[0] * grid->plane * sizeof(double));
}

static void fold(const struct ph_grid *grid)
{
    for (int x = 0; x < grid->points[0]; ++x)
        for (int y = 0; y < grid->points[1]; ++y)
            for (int z = grid->points[2]; z < (int)grid->row; ++z)
                *at(grid, x, y, z % grid->points[2]) += *at(grid, x, y, z);
}

/* Random values, and beyond the end of rows those of their beginning */
static void fill(const struct ph_grid *grid, uint64_t seed)
{
    for (int x = 0; x < grid->points[0]; ++x)
        for (int y = 0; y < grid->points[1]; ++y)
            for (int z = 0; z < (int)grid->row; ++z)
                *at(grid, x, y, z) = z < grid->points[2] ? uniform(&seed) : *at(grid, x, y, z - grid->points[2]);
}

/* W and its derivatives from a site to the points of each edge of the grid, by formulas */
static long double weights[SITES][3][POINTS_MOST][PH_WINDOW_ORDERS];

static void find_weights(const struct fixture *f)
{
    for (size_t s = 0; s < SITES; ++s)
        for (int e = 0; e < 3; ++e)
            for (int x = 0; x < f->grid.points[e]; ++x) {
                const int points = f->grid.points[e], steps = (x - f->site[s].first[e] + points) % points;
                assert_true(points <= POINTS_MOST);
                formulas(&f->window, f->scale, (long double)f->site[s].u[e] - steps, weights[s][e][x]);
            }
}

/* What all sites have to do with one point: c += value W W W of each site, or the sum of c W W W */
static double touch(size_t numbers, const double *c, const int point[3], double value, double *gathered)
{
    long double sum = 0.0L;
    for (size_t s = 0; s < SITES; ++s) {
        const long double *const w[3] = {weights[s][0][point[0]], weights[s][1][point[1]], weights[s][2][point[2]]};
        for (size_t k = 0; k < numbers; ++k) {
            const long double product = w[0][orders[k][0]] * w[1][orders[k][1]] * w[2][orders[k][2]];
            if (c)
                sum += c[s * numbers + k] * product;
            else
                gathered[s * numbers + k] += (double)(value * product);
        }
    }
    return (double)sum;
}

TEST(spreading_is_the_sum_over_sites)
{
    for (size_t which = 0; which < WINDOWS; which += 5)
        for (int order = 0; order <= 3; ++order) {
            struct fixture f;
            make(which, &f);
            if (order == 0) /* as for the other orders */
                find_weights(&f);
            ph_grid_spread(&f.window, order, 0, SITES, f.site, NULL, f.c, 0, f.grid.points[0], &f.grid);
            fold(&f.grid);
            double off = 0.0, size = 0.0;
            const int step = f.window.width / 4; /* not all points: plain sums take long */
            for (int x = 0; x < f.grid.points[0]; x += step)
                for (int y = 0; y < f.grid.points[1]; ++y)
                    for (int z = (x + y) % step; z < f.grid.points[2]; z += step) {
                        const double want = touch(ph_grid_numbers(order), f.c, (int[]){x, y, z}, 0.0, NULL);
                        off = fmax(off, fabs(want - *at(&f.grid, x, y, z)));
                        size = fmax(size, fabs(want));
                    }
            if (!(off < 1e-14 * size && size > 1e-5))
                fail_msg("width %d, order %d: off by %.2g of %.3g", f.window.width, order, off, size);
            free(f.grid.value);
        }
}

TEST(gathering_is_the_sum_over_points)
{
    for (size_t which = 0; which < WINDOWS; which += 5) {
        struct fixture f;
        double want[SITES * PH_GRID_NUMBERS] = {0.0}, got[SITES * PH_GRID_NUMBERS], lower[SITES * PH_GRID_NUMBERS];
        make(which, &f);
        find_weights(&f);
        clear(&f.grid);
        uint64_t seed = 3 + which;
        for (int k = 0; k < 40; ++k) { /* values at some points only: plain sums take long */
            int point[3];
            for (int e = 0; e < 3; ++e)
                point[e] = (int)((0.5 + 0.5 * uniform(&seed)) * f.grid.points[e]);
            const double value = uniform(&seed);
            for (int z = point[2]; z < (int)f.grid.row; z += f.grid.points[2])
                *at(&f.grid, point[0], point[1], z) += value;
            touch(PH_GRID_NUMBERS, NULL, point, value, want);
        }
        ph_grid_gather(&f.window, 4, 0, SITES, f.site, &f.grid, got);
        for (size_t k = 0; k < ph_grid_numbers(highest(&f.window)); ++k) {
            double off = 0.0, size = 0.0;
            for (size_t s = 0; s < SITES; ++s) {
                off = fmax(off, fabs(got[s * PH_GRID_NUMBERS + k] - want[s * PH_GRID_NUMBERS + k]));
                size = fmax(size, fabs(want[s * PH_GRID_NUMBERS + k]));
            }
            if (!(off < 1e-14 * size && size > 1e-6))
                fail_msg("width %d, number %zu: off by %.2g of %.3g", f.window.width, k, off, size);
        }
        for (int order = 1; order <= 3; ++order) {
            const size_t numbers = ph_grid_numbers(order);
            ph_grid_gather(&f.window, order, 0, SITES, f.site, &f.grid, lower);
            for (size_t k = 0; k < SITES * numbers; ++k)
                assert_close(lower[k], got[k / numbers * PH_GRID_NUMBERS + k % numbers], 1e-14, 0.1);
        }
        free(f.grid.value);
    }
}

/* The sum over points of values times spread densities equals the sum over numbers times gathered values. This makes
 * forces exact derivatives. */
TEST(gathering_is_the_transpose_of_spreading)
{
    for (size_t which = 0; which < WINDOWS; ++which)
        for (int order = 0; order <= 3; ++order) {
            struct fixture f;
            make(which, &f);
            const size_t numbers = ph_grid_numbers(order), of_gather = ph_grid_numbers(order == 0 ? 1 : order);
            ph_grid_spread(&f.window, order, 0, SITES, f.site, NULL, f.c, 0, f.grid.points[0], &f.grid);
            fold(&f.grid);
            const size_t n = (size_t)f.grid.points[0] * f.grid.plane;
            double *density = malloc(n * sizeof *density), one = 0.0, other = 0.0, size = 0.0;
            double gathered[SITES * PH_GRID_NUMBERS];
            memcpy(density, f.grid.value, n * sizeof *density);
            fill(&f.grid, 7 + which);
            for (int x = 0; x < f.grid.points[0]; ++x)
                for (int y = 0; y < f.grid.points[1]; ++y)
                    for (int z = 0; z < f.grid.points[2]; ++z) {
                        const double *value = at(&f.grid, x, y, z);
                        one += *value * density[value - f.grid.value];
                        size += fabs(*value * density[value - f.grid.value]);
                    }
            ph_grid_gather(&f.window, order == 0 ? 1 : order, 0, SITES, f.site, &f.grid, gathered);
            for (size_t k = 0; k < SITES * numbers; ++k)
                other += f.c[k] * gathered[k / numbers * of_gather + k % numbers];
            assert_close(one, other, 1e-14, size);
            free(density);
            free(f.grid.value);
        }
}

/* The same bits when the planes are filled one after the other, or the sites in pieces, as threads do; and with windows
 * that are kept */
TEST(pieces_are_spread_like_the_whole)
{
    for (size_t which = 0; which < WINDOWS; which += 3)
        for (int order = 0; order <= 2; ++order) {
            struct fixture f;
            make(which, &f);
            const int points = f.grid.points[0];
            const size_t bytes = (size_t)points * f.grid.plane * sizeof(double);
            double *whole = malloc(bytes);
            ph_grid_spread(&f.window, order, 0, SITES, f.site, NULL, f.c, 0, points, &f.grid);
            memcpy(whole, f.grid.value, bytes);
            const size_t of_site = ph_grid_windows_size(&f.window, order);
            double *kept = malloc(SITES * of_site * sizeof *kept);
            ph_grid_windows(&f.window, order, 5, SITES, f.site, kept);
            ph_grid_windows(&f.window, order, 0, 5, f.site, kept);
            for (int pieces = 2; pieces <= points; pieces += 3) {
                clear(&f.grid);
                for (int p = 0; p < pieces; ++p)
                    ph_grid_spread(&f.window, order, 0, SITES, f.site, p % 2 == 0 ? kept : NULL, f.c,
                                   points * p / pieces, points * (p + 1) / pieces, &f.grid);
                assert_memory_equal(f.grid.value, whole, bytes);
            }
            clear(&f.grid);
            ph_grid_spread(&f.window, order, 0, 13, f.site, NULL, f.c, 0, points, &f.grid);
            ph_grid_spread(&f.window, order, 13, SITES, f.site, NULL, f.c, 0, points, &f.grid);
            assert_memory_equal(f.grid.value, whole, bytes);
            clear(&f.grid);
            ph_grid_spread(&f.window, order, 0, SITES, f.site, NULL, f.c, 1, 3, &f.grid); /* and nothing elsewhere */
            for (int x = 0; x < points; ++x)
                for (size_t k = 0; k < f.grid.plane; ++k)
                    assert_true(f.grid.value[(size_t)x * f.grid.plane + k] ==
                                (x == 1 || x == 2 ? whole[(size_t)x * f.grid.plane + k] : 0.0));
            free(kept);
            free(whole);
            free(f.grid.value);
        }
}

GROUP(make_rule, NULL)
