/* SPDX-License-Identifier: MIT */
#include "force/longrange/mesh/grid.h"

/* Windows of a site along the three edges: [order][edge * lanes + point]. `lanes`, a constant, is the width rounded up
 * to whole vectors; the window is 0 at the points in excess. */
struct windows {
    PH_ALIGNED double of[PH_WINDOW_ORDERS][3 * PH_WINDOW_MOST];
};

PH_INLINE void find_windows(const struct ph_window *window, int order, int lanes, const struct ph_grid_site *site,
                            struct windows *out)
{
    PH_ALIGNED double d[3 * PH_WINDOW_MOST];
    for (int e = 0; e < 3; ++e) {
        const double from = site->u[e];
        PH_SIMD
        for (int l = 0; l < lanes; ++l)
            d[e * lanes + l] = from - l;
    }
    ph_window_fill(window, order, 3 * lanes, d, out->of);
}

/* Sites that are near each other are taken together, plane by plane: the part of a plane that their windows reach stays
 * in the fastest cache. */
enum { TOGETHER = 8 };

struct group {
    int n, low, high; /* sites, planes that they reach: from low to before high, around the box if beyond the last */
    struct windows window[TOGETHER];
    size_t row[TOGETHER][PH_WINDOW_MOST]; /* where the rows of a window begin within a plane, at its first point */
};

/* The plane of number x, which may be beyond the last */
PH_INLINE int plane_at(const struct ph_grid *grid, int x) { return x < grid->points[0] ? x : x - grid->points[0]; }

/* The point of a site's window that lies in a plane; none if it is not less than the width */
PH_INLINE int point_in(const struct ph_grid *grid, const struct ph_grid_site *site, int plane)
{
    const int at = plane - site->first[0];
    return at < 0 ? at + grid->points[0] : at;
}

/* Windows only of the sites that reach one of the planes from `first` to before `end`, and none if they are known */
PH_INLINE void find_group(const struct ph_window *window, int order, int lanes, bool known, size_t n,
                          const struct ph_grid_site *sites, int first, int end, const struct ph_grid *grid,
                          struct group *group)
{
    group->n = (int)n;
    group->low = sites[0].first[0];
    group->high = 0;
    for (size_t s = 0; s < n; ++s) {
        const struct ph_grid_site *site = &sites[s];
        const int begins = site->first[0], ends = begins + window->width;
        if (point_in(grid, site, first) >= window->width && (begins < first || begins >= end))
            continue;
        group->low = begins < group->low ? begins : group->low;
        group->high = ends > group->high ? ends : group->high;
        if (!known)
            find_windows(window, order, lanes, site, &group->window[s]);
        for (int k = 0; k < window->width; ++k) {
            const int y = site->first[1] + k;
            group->row[s][k] =
                (size_t)(y < grid->points[1] ? y : y - grid->points[1]) * grid->row + (size_t)site->first[2];
        }
    }
}

/* ---- Spreading ---- */

/* Windows of a site, of a group or found before: order o is at of[o * step], along the three edges */
struct known {
    const double *of;
    size_t step;
};

/* Of derivative o; or the window, if that is higher than the order */
PH_INLINE const double *known_at(const struct known *known, int order, int o)
{
    return known->of + (o <= order ? (size_t)o * known->step : 0);
}

PH_SPECIALISED void keep_windows(const struct ph_window *window, int order, int lanes, size_t begin, size_t end,
                                 const struct ph_grid_site *sites, double *windows)
{
    const size_t row = 3 * (size_t)lanes, rows = (size_t)order + 1;
    for (size_t s = begin; s < end; ++s) {
        struct windows found;
        find_windows(window, order, lanes, &sites[s], &found);
        for (size_t o = 0; o < rows; ++o)
            memcpy(windows + (s * rows + o) * row, found.of[o], row * sizeof(double));
    }
}

/* Weights of the rows of plane x: factors of W and of its derivatives up to the third along the row */
struct row_weights {
    PH_ALIGNED double of[4][PH_WINDOW_MOST];
};

PH_INLINE void find_row_weights(const struct known *w, int order, int lanes, int x, const double *c,
                                struct row_weights *out)
{
    const double *restrict y0 = known_at(w, order, 0) + lanes, *restrict y1 = known_at(w, order, 1) + lanes;
    const double *restrict y2 = known_at(w, order, 2) + lanes, *restrict y3 = known_at(w, order, 3) + lanes;
    const double x0 = y0[x - lanes], x1 = order >= 1 ? y1[x - lanes] : 0.0, x2 = order >= 2 ? y2[x - lanes] : 0.0;
    double p0 = c[0] * x0, p1 = 0.0, p2 = 0.0, s0 = 0.0, s1 = 0.0, t0 = 0.0;
    double p3 = 0.0, s2 = 0.0, t1 = 0.0, r0 = 0.0;
    if (order >= 1) {
        p0 = ph_fma(c[1], x1, p0);
        p1 = c[2] * x0;
        s0 = c[3] * x0;
    }
    if (order >= 2) {
        p0 = ph_fma(c[4], x2, p0);
        p1 = ph_fma(c[5], x1, p1);
        p2 = c[7] * x0;
        s0 = ph_fma(c[6], x1, s0);
        s1 = c[8] * x0;
        t0 = c[9] * x0;
    }
    if (order >= 3) {
        const double x3 = y3[x - lanes];
        p0 = ph_fma(c[10], x3, p0);
        p1 = ph_fma(c[11], x2, p1);
        s0 = ph_fma(c[12], x2, s0);
        p2 = ph_fma(c[13], x1, p2);
        s1 = ph_fma(c[14], x1, s1);
        t0 = ph_fma(c[15], x1, t0);
        p3 = c[16] * x0;
        s2 = c[17] * x0;
        t1 = c[18] * x0;
        r0 = c[19] * x0;
    }
    double *restrict a = out->of[0], *restrict b = out->of[1], *restrict d = out->of[2], *restrict e = out->of[3];
    PH_SIMD
    for (int y = 0; y < lanes; ++y) {
        double value = p0 * y0[y];
        if (order >= 1) {
            value = ph_fma(p1, y1[y], value);
            b[y] = s0 * y0[y];
        }
        if (order >= 2) {
            value = ph_fma(p2, y2[y], value);
            b[y] = ph_fma(s1, y1[y], b[y]);
            d[y] = t0 * y0[y];
        }
        if (order >= 3) {
            value = ph_fma(p3, y3[y], value);
            b[y] = ph_fma(s2, y2[y], b[y]);
            d[y] = ph_fma(t1, y1[y], d[y]);
            e[y] = r0 * y0[y];
        }
        a[y] = value;
    }
}

/* Point x of the window of a site, in one plane */
PH_INLINE void spread_plane(const struct known *w, int order, int lanes, int width, int x, const double *c,
                            const size_t *row_at, double *plane)
{
    struct row_weights weights;
    const double *restrict z0 = known_at(w, order, 0) + 2 * lanes, *restrict z1 = known_at(w, order, 1) + 2 * lanes;
    const double *restrict z2 = known_at(w, order, 2) + 2 * lanes, *restrict z3 = known_at(w, order, 3) + 2 * lanes;
    find_row_weights(w, order, lanes, x, c, &weights);
    for (int y = 0; y < width; ++y) {
        PH_ONE_BY_ONE;
        double *restrict row = plane + row_at[y];
        const double a = weights.of[0][y], b = weights.of[1][y], d = weights.of[2][y];
        const double e = order >= 3 ? weights.of[3][y] : 0.0;
        PH_SIMD
        for (int z = 0; z < lanes; ++z) {
            double value = ph_fma(a, z0[z], row[z]);
            if (order >= 1)
                value = ph_fma(b, z1[z], value);
            if (order >= 2)
                value = ph_fma(d, z2[z], value);
            if (order >= 3)
                value = ph_fma(e, z3[z], value);
            row[z] = value;
        }
    }
}

PH_SPECIALISED void spread(const struct ph_window *window, int order, int lanes, size_t begin, size_t end,
                           const struct ph_grid_site *sites, const double *windows, const double *c, int first_plane,
                           int end_plane, const struct ph_grid *grid)
{
    const size_t numbers = ph_grid_numbers(order), row = 3 * (size_t)lanes, of_site = ((size_t)order + 1) * row;
    struct group group;
    for (size_t from = begin; from < end; from += TOGETHER) {
        find_group(window, order, lanes, windows != NULL, end - from < TOGETHER ? end - from : TOGETHER, sites + from,
                   first_plane, end_plane, grid, &group);
        const int around = group.low + grid->points[0], last = group.high < around ? group.high : around;
        for (int x = group.low; x < last; ++x) {
            const int plane = plane_at(grid, x);
            if (plane < first_plane || plane >= end_plane)
                continue;
            for (int s = 0; s < group.n; ++s) {
                const size_t site = from + (size_t)s;
                const int at = point_in(grid, &sites[site], plane);
                const struct known known = {windows ? windows + site * of_site : group.window[s].of[0],
                                            windows ? row : sizeof group.window[s].of[0] / sizeof(double)};
                if (at < window->width)
                    spread_plane(&known, order, lanes, window->width, at, c + site * numbers, group.row[s],
                                 ph_grid_row(grid, plane, 0));
            }
        }
    }
}

/* ---- Gathering ---- */

/* In a fixed order, whatever the vectors of the machine */
PH_INLINE double dot(int lanes, const double *restrict a, const double *restrict b)
{
    double part[4] = {0.0};
    for (int first = 0; first < lanes; first += 4) {
        PH_SIMD
        for (int l = 0; l < 4; ++l)
            part[l] = ph_fma(a[first + l], b[first + l], part[l]);
    }
    return (part[0] + part[2]) + (part[1] + part[3]);
}

/* Sums over the rows of all planes, for each point along a row: with W_i along x and W_j along y, in the order 00 10 01
 * 20 11 02 30 21 12 03 40 31 22 13 04 */
struct row_sums {
    PH_ALIGNED double of[15][PH_WINDOW_MOST];
};

PH_INLINE void gather_plane(const struct windows *w, int order, int lanes, int width, int x, const size_t *row_at,
                            const double *plane, struct row_sums *sums)
{
    PH_ALIGNED double r0[PH_WINDOW_MOST] = {0.0}, r1[PH_WINDOW_MOST] = {0.0}, r2[PH_WINDOW_MOST] = {0.0},
                      r3[PH_WINDOW_MOST] = {0.0}, r4[PH_WINDOW_MOST] = {0.0};
    for (int y = 0; y < width; ++y) {
        PH_ONE_BY_ONE;
        const double *restrict row = plane + row_at[y];
        const double y0 = w->of[0][lanes + y], y1 = w->of[1][lanes + y];
        const double y2 = order >= 2 ? w->of[2][lanes + y] : 0.0, y3 = order >= 3 ? w->of[3][lanes + y] : 0.0;
        const double y4 = order >= 4 ? w->of[4][lanes + y] : 0.0;
        PH_SIMD
        for (int z = 0; z < lanes; ++z) {
            const double value = row[z];
            r0[z] = ph_fma(y0, value, r0[z]);
            r1[z] = ph_fma(y1, value, r1[z]);
            if (order >= 2)
                r2[z] = ph_fma(y2, value, r2[z]);
            if (order >= 3)
                r3[z] = ph_fma(y3, value, r3[z]);
            if (order >= 4)
                r4[z] = ph_fma(y4, value, r4[z]);
        }
    }
    const double x0 = w->of[0][x], x1 = w->of[1][x];
    const double x2 = order >= 2 ? w->of[2][x] : 0.0, x3 = order >= 3 ? w->of[3][x] : 0.0;
    const double x4 = order >= 4 ? w->of[4][x] : 0.0;
    double(*restrict sum)[PH_WINDOW_MOST] = sums->of;
    PH_SIMD
    for (int z = 0; z < lanes; ++z) {
        sum[0][z] = ph_fma(x0, r0[z], sum[0][z]);
        sum[1][z] = ph_fma(x1, r0[z], sum[1][z]);
        sum[2][z] = ph_fma(x0, r1[z], sum[2][z]);
        if (order >= 2) {
            sum[3][z] = ph_fma(x2, r0[z], sum[3][z]);
            sum[4][z] = ph_fma(x1, r1[z], sum[4][z]);
            sum[5][z] = ph_fma(x0, r2[z], sum[5][z]);
        }
        if (order >= 3) {
            sum[6][z] = ph_fma(x3, r0[z], sum[6][z]);
            sum[7][z] = ph_fma(x2, r1[z], sum[7][z]);
            sum[8][z] = ph_fma(x1, r2[z], sum[8][z]);
            sum[9][z] = ph_fma(x0, r3[z], sum[9][z]);
        }
        if (order >= 4) {
            sum[10][z] = ph_fma(x4, r0[z], sum[10][z]);
            sum[11][z] = ph_fma(x3, r1[z], sum[11][z]);
            sum[12][z] = ph_fma(x2, r2[z], sum[12][z]);
            sum[13][z] = ph_fma(x1, r3[z], sum[13][z]);
            sum[14][z] = ph_fma(x0, r4[z], sum[14][z]);
        }
    }
}

PH_SPECIALISED void gather(const struct ph_window *window, int order, int lanes, size_t begin, size_t end,
                           const struct ph_grid_site *sites, const struct ph_grid *grid, double *out)
{
    /* which row sum, and which derivative along the row */
    static const struct {
        unsigned char sum, z;
    } of[PH_GRID_NUMBERS] = {{0, 0}, {1, 0}, {2, 0},  {0, 1},  {3, 0}, {4, 0},  {1, 1}, {5, 0}, {2, 1},
                             {0, 2}, {6, 0}, {7, 0},  {3, 1},  {8, 0}, {4, 1},  {1, 2}, {9, 0}, {5, 1},
                             {2, 2}, {0, 3}, {10, 0}, {11, 0}, {6, 1}, {12, 0}, {7, 1}, {3, 2}, {13, 0},
                             {8, 1}, {4, 2}, {1, 3},  {14, 0}, {9, 1}, {5, 2},  {2, 3}, {0, 4}};
    const size_t numbers = ph_grid_numbers(order);
    struct group group;
    struct row_sums sums[TOGETHER];
    for (size_t from = begin; from < end; from += TOGETHER) {
        find_group(window, order, lanes, false, end - from < TOGETHER ? end - from : TOGETHER, sites + from, 0,
                   grid->points[0], grid, &group);
        memset(sums, 0, sizeof sums);
        /* Planes of a window follow each other around the box, for any group: so sums have one order. */
        for (int x = group.low; x < group.high; ++x) {
            const int plane = plane_at(grid, x);
            for (int s = 0; s < group.n; ++s) {
                const int at = x - sites[from + (size_t)s].first[0];
                if (at >= 0 && at < window->width)
                    gather_plane(&group.window[s], order, lanes, window->width, at, group.row[s],
                                 ph_grid_row(grid, plane, 0), &sums[s]);
            }
        }
        for (int s = 0; s < group.n; ++s)
            for (size_t k = 0; k < numbers; ++k)
                out[(from + (size_t)s) * numbers + k] =
                    dot(lanes, group.window[s].of[of[k].z] + 2 * lanes, sums[s].of[of[k].sum]);
    }
}

/* ---- One function for each order and number of lanes ---- */

#define SPREAD(order, lanes)                                                                                           \
    PH_DISPATCHED static void spread_##order##_##lanes(                                                                \
        const struct ph_window *window, size_t begin, size_t end, const struct ph_grid_site *sites,                    \
        const double *windows, const double *c, int first_plane, int end_plane, const struct ph_grid *grid)            \
    {                                                                                                                  \
        spread(window, order, lanes, begin, end, sites, windows, c, first_plane, end_plane, grid);                     \
    }
#define WINDOWS(order, lanes)                                                                                          \
    PH_DISPATCHED static void windows_##order##_##lanes(const struct ph_window *window, size_t begin, size_t end,      \
                                                        const struct ph_grid_site *sites, double *out)                 \
    {                                                                                                                  \
        keep_windows(window, order, lanes, begin, end, sites, out);                                                    \
    }
#define GATHER(order, lanes)                                                                                           \
    PH_DISPATCHED static void gather_##order##_##lanes(const struct ph_window *window, size_t begin, size_t end,       \
                                                       const struct ph_grid_site *sites, const struct ph_grid *grid,   \
                                                       double *out)                                                    \
    {                                                                                                                  \
        gather(window, order, lanes, begin, end, sites, grid, out);                                                    \
    }
#define FOR_LANES(MACRO, order) MACRO(order, 8) MACRO(order, 12) MACRO(order, 16) MACRO(order, 20)
FOR_LANES(SPREAD, 0)
FOR_LANES(SPREAD, 1)
FOR_LANES(SPREAD, 2)
FOR_LANES(SPREAD, 3)
FOR_LANES(WINDOWS, 0)
FOR_LANES(WINDOWS, 1)
FOR_LANES(WINDOWS, 2)
FOR_LANES(GATHER, 1)
FOR_LANES(GATHER, 2)
FOR_LANES(GATHER, 3)
FOR_LANES(GATHER, 4)

/* 0 .. 3 for 8, 12, 16, 20 lanes */
static int kind_of(const struct ph_window *window) { return window->width <= 8 ? 0 : (window->width - 5) / 4; }

int ph_grid_beyond(const struct ph_window *window) { return 8 + 4 * kind_of(window); }

size_t ph_grid_windows_size(const struct ph_window *window, int order)
{
    return ((size_t)order + 1) * 3 * (size_t)ph_grid_beyond(window);
}

void ph_grid_windows(const struct ph_window *window, int order, size_t begin, size_t end,
                     const struct ph_grid_site *sites, double *out)
{
#define ALL(order)                                                                                                     \
    {                                                                                                                  \
        windows_##order##_8, windows_##order##_12, windows_##order##_16, windows_##order##_20                          \
    }
    static void (*const functions[][4])(const struct ph_window *, size_t, size_t, const struct ph_grid_site *,
                                        double *) = {ALL(0), ALL(1), ALL(2)};
#undef ALL
    functions[order][kind_of(window)](window, begin, end, sites, out);
}

void ph_grid_spread(const struct ph_window *window, int order, size_t begin, size_t end,
                    const struct ph_grid_site *sites, const double *windows, const double *c, int first_plane,
                    int end_plane, const struct ph_grid *grid)
{
#define ALL(order)                                                                                                     \
    {                                                                                                                  \
        spread_##order##_8, spread_##order##_12, spread_##order##_16, spread_##order##_20                              \
    }
    static void (*const functions[][4])(const struct ph_window *, size_t, size_t, const struct ph_grid_site *,
                                        const double *, const double *, int, int,
                                        const struct ph_grid *) = {ALL(0), ALL(1), ALL(2), ALL(3)};
#undef ALL
    functions[order][kind_of(window)](window, begin, end, sites, windows, c, first_plane, end_plane, grid);
}

void ph_grid_gather(const struct ph_window *window, int order, size_t begin, size_t end,
                    const struct ph_grid_site *sites, const struct ph_grid *grid, double *out)
{
#define ALL(order)                                                                                                     \
    {                                                                                                                  \
        gather_##order##_8, gather_##order##_12, gather_##order##_16, gather_##order##_20                              \
    }
    static void (*const functions[][4])(const struct ph_window *, size_t, size_t, const struct ph_grid_site *,
                                        const struct ph_grid *, double *) = {ALL(1), ALL(2), ALL(3), ALL(4)};
#undef ALL
    functions[order - 1][kind_of(window)](window, begin, end, sites, grid, out);
}
