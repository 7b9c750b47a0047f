/* SPDX-License-Identifier: MIT */
#ifndef PH_ACCEL_FUNCTIONS_MESH_FUNCTIONS_H
#define PH_ACCEL_FUNCTIONS_MESH_FUNCTIONS_H

/* Reciprocal space of an Ewald sum on a mesh: text of both machines, see accel/functions/device_functions.h; the method
 * is described in force/longrange/mesh/mesh.h. Sites are spread in integers, whose sums are exact in any order. Each
 * point has two: the value in units of 2^-PH_DENSITY_BITS of the largest that a site can have there, and the remainder
 * in units smaller by the same factor. So rounding errors are smaller than in doubles. That matters, because the
 * factors of waves near the corners of the grid amplify white noise of the density by many powers of ten. The Fourier
 * transform is ours, since others give other bits on other machines. */

#include "accel/functions/wave_functions.h"

/* ---- Sites ---- */

PH_INLINE double *window_row(const struct ph_accel_view *v, uint32_t order, uint32_t edge, uint32_t point)
{
    const struct ph_wave_view *w = &v->waves;
    return w->windows + ((size_t)(order * 3 + edge) * w->width + point) * ((size_t)v->n * w->most);
}

/* Where the window of a site begins, and its values; as `locate` of mesh.c */
PH_INLINE void locate_body(bool energy, const struct ph_accel_view *v, size_t t)
{
    (void)energy;
    const struct ph_wave_view *w = &v->waves;
    struct charged site;
    if (!find_charged(v, (uint32_t)(t / w->most), (uint32_t)(t % w->most), &site))
        return;
    bool lost = false;
    const int order = w->quadrupoles ? 3 : w->dipoles ? 2 : 1;
    w->number[0][t] = site.q;
    if (w->quadrupoles) {
        double m[6], points[6];
        find_tensor(v, &site, m);
        ph_tensor_to_points(w->to_points, m, points);
        for (int s = 0; s < 6; ++s) {
            w->number[4 + s][t] = points[s];
            lost = lost || !(fabs(points[s]) <= w->widest);
        }
    }
    for (uint32_t e = 0; e < 3; ++e) {
        const double points = w->points[e];
        double u = ph_vec3_dot(w->to_points[e], site.r);
        lost = lost || !(fabs(u) < 1e8 * points);
        u = lost ? 0.0 : u - points * floor(u / points);
        const double begin = ceil(u - 0.5 * w->width);
        const int first = (int)begin;
        w->first[e][t] = first < 0 ? first + (int)points : first >= (int)points ? first - (int)points : first;
        if (w->dipoles)
            w->number[1 + e][t] = ph_vec3_dot(w->to_points[e], site.mu);
        lost = lost || (w->dipoles && !(fabs(w->number[1 + e][t]) <= w->longest)); /* would not fit into integers */
        for (uint32_t point = 0; point < w->width; ++point) {
            const double d = (u - begin) - point;
            double of[PH_WINDOW_ORDERS][3 * PH_WINDOW_MOST]; /* the first ones of each row are used */
            if (order == 3)
                ph_window_fill(w->window, 3, 1, &d, of);
            else if (order == 2)
                ph_window_fill(w->window, 2, 1, &d, of);
            else
                ph_window_fill(w->window, 1, 1, &d, of);
            for (int o = 0; o <= order; ++o)
                window_row(v, (uint32_t)o, e, point)[t] = of[o][0];
        }
    }
    if (lost) {
        w->first[0][t] = -1;
        raise_to(UINT32_MAX - v->order[t / w->most], &v->signals->first_bad);
    }
}

/* Point number `point` of a window that begins at `first` */
PH_INLINE uint32_t around(int32_t first, uint32_t point, uint32_t points)
{
    const uint32_t at = (uint32_t)first + point;
    return at < points ? at : at - points;
}

/* ---- Spreading ---- */

PH_INLINE void clear_body(bool energy, const struct ph_accel_view *v, size_t point)
{
    (void)energy;
    v->waves.density[point] = 0;
    v->waves.remainder[point] = 0;
}

PH_INLINE void add_integer(int64_t more, int64_t *sum)
{
#ifdef __CUDA_ARCH__
    atomicAdd((unsigned long long *)sum, (unsigned long long)more);
#else
#pragma omp atomic
    *sum += more;
#endif
}

/* The points of the window of a site t with the same x and z, a line along y: factors of the window and two derivatives
 */
struct spread_line {
    size_t t;
    uint32_t x, z;
    double a, b, c;
};

/* Is a site there to be spread? */
PH_INLINE bool is_spread(const struct ph_accel_view *v, size_t t)
{
    const struct ph_wave_view *w = &v->waves;
    return t % w->most < w->n_charged[v->sites.species_at[t / w->most]] && w->first[0][t] >= 0;
}

/* `tensors`, a constant: with quadrupoles */
PH_INLINE struct spread_line find_line(bool tensors, const struct ph_accel_view *v, size_t t, uint32_t x, uint32_t z)
{
    const struct ph_wave_view *w = &v->waves;
    const double x0 = window_row(v, 0, 0, x)[t], z0 = window_row(v, 0, 2, z)[t];
    double a = w->number[0][t] * x0 * z0, b = 0.0, c = 0.0;
    if (w->dipoles) {
        a = ph_fma(w->number[1][t] * window_row(v, 1, 0, x)[t], z0, a);
        a = ph_fma(w->number[3][t] * x0, window_row(v, 1, 2, z)[t], a);
        b = w->number[2][t] * x0 * z0;
    }
    if (tensors) {
        const double x1 = window_row(v, 1, 0, x)[t], z1 = window_row(v, 1, 2, z)[t];
        a = ph_fma(w->number[4][t] * window_row(v, 2, 0, x)[t], z0, a);
        a = ph_fma(w->number[6][t] * x1, z1, a);
        a = ph_fma(w->number[9][t] * x0, window_row(v, 2, 2, z)[t], a);
        b = ph_fma(w->number[5][t] * x1, z0, b);
        b = ph_fma(w->number[8][t] * x0, z1, b);
        c = w->number[7][t] * x0 * z0;
    }
    const struct spread_line line = {t, x, z, a, b, c};
    return line;
}

/* What a point of a line gets: at most 2^PH_DENSITY_BITS each */
struct spread_value {
    int64_t high, low;
};

PH_INLINE struct spread_value value_at(bool tensors, const struct ph_accel_view *v, const struct spread_line *line,
                                       uint32_t y)
{
    const struct ph_wave_view *w = &v->waves;
    double value = line->a * window_row(v, 0, 1, y)[line->t];
    if (w->dipoles)
        value = ph_fma(line->b, window_row(v, 1, 1, y)[line->t], value);
    if (tensors)
        value = ph_fma(line->c, window_row(v, 2, 1, y)[line->t], value);
    value *= w->scale;
    const double high = ph_round(value), low = ph_round((value - high) * PH_DENSITY_STEP);
    const struct spread_value whole = {(int64_t)high, (int64_t)low};
    return whole;
}

/* A line of a site, of width^2. Threads that follow each other have neighbours along z, which lie side by side. */
PH_INLINE void spread_site(bool tensors, const struct ph_accel_view *v, size_t index)
{
    const struct ph_wave_view *w = &v->waves;
    const uint32_t all = w->width * w->width, own = (uint32_t)(index % all), x = own / w->width, z = own % w->width;
    const size_t t = index / all;
    if (!is_spread(v, t))
        return;
    const struct spread_line line = find_line(tensors, v, t, x, z);
    const size_t px = around(w->first[0][t], x, w->points[0]), pz = around(w->first[2][t], z, w->points[2]);
    const size_t begin = px * w->points[1] * w->points[2] + pz;
    for (uint32_t y = 0; y < w->width; ++y) {
        const struct spread_value value = value_at(tensors, v, &line, y);
        const size_t point = begin + (size_t)around(w->first[1][t], y, w->points[1]) * w->points[2];
        add_integer(value.high, w->density + point);
        add_integer(value.low, w->remainder + point);
    }
}

PH_INLINE void spread_body(bool energy, const struct ph_accel_view *v, size_t index)
{
    (void)energy;
    spread_site(false, v, index);
}

PH_INLINE void spread_tensors_body(bool energy, const struct ph_accel_view *v, size_t index)
{
    (void)energy;
    spread_site(true, v, index);
}

/* ---- Fourier transforms ----
 *
 * Several lines at a time, by `threads` threads together, in two work spaces that they share: number j of line l is at
 * [j lines + l]. Stages put numbers in order as they go (T. G. Stockham's way): with the product m of the radices
 * before and radix p, numbers j, j + n/p, ... times roots become a transform of p numbers, at m apart. */

struct together {
    uint32_t thread, threads, lines;
};

PH_INLINE void meet(void)
{
#ifdef __CUDA_ARCH__
    __syncthreads();
#endif
}

PH_INLINE struct ph_complex times(struct ph_complex a, struct ph_complex b)
{
    const struct ph_complex product = {ph_fma(a.re, b.re, -(a.im * b.im)), ph_fma(a.re, b.im, a.im * b.re)};
    return product;
}

PH_INLINE struct ph_complex root_of(const struct ph_fft *fft, bool back, uint32_t k)
{
    struct ph_complex root = fft->root[k];
    root.im = back ? -root.im : root.im;
    return root;
}

/* Four numbers with their roots, at once */
PH_INLINE void four_together(const struct ph_fft *fft, bool back, uint32_t turn, const struct ph_complex *in,
                             size_t step, struct ph_complex *out, size_t out_step)
{
    const struct ph_complex a = in[0], b = times(in[step], root_of(fft, back, turn));
    const struct ph_complex c = times(in[2 * step], root_of(fft, back, 2 * turn));
    const struct ph_complex d = times(in[3 * step], root_of(fft, back, 3 * turn));
    const struct ph_complex p = {a.re + c.re, a.im + c.im}, m = {a.re - c.re, a.im - c.im};
    const struct ph_complex q = {b.re + d.re, b.im + d.im}, o = {b.re - d.re, b.im - d.im};
    const double sign = back ? -1.0 : 1.0; /* times -i, or i */
    const struct ph_complex turned = {sign * o.im, -sign * o.re};
    out[0].re = p.re + q.re, out[0].im = p.im + q.im;
    out[out_step].re = m.re + turned.re, out[out_step].im = m.im + turned.im;
    out[2 * out_step].re = p.re - q.re, out[2 * out_step].im = p.im - q.im;
    out[3 * out_step].re = m.re - turned.re, out[3 * out_step].im = m.im - turned.im;
}

/* Any radix, by its definition */
PH_INLINE void some_together(const struct ph_fft *fft, bool back, uint32_t radix, uint32_t turn,
                             const struct ph_complex *in, size_t step, struct ph_complex *out, size_t out_step)
{
    for (uint32_t q = 0; q < radix; ++q) {
        const uint32_t each = (turn + q * (fft->n / radix)) % fft->n;
        struct ph_complex sum = in[0];
        for (uint32_t p = 1, k = each; p < radix; ++p, k = k + each < fft->n ? k + each : k + each - fft->n) {
            const struct ph_complex more = times(in[p * step], root_of(fft, back, k));
            sum.re += more.re;
            sum.im += more.im;
        }
        out[q * out_step] = sum;
    }
}

/* Returns which of the two work spaces has the result; *from had the numbers. */
PH_INLINE struct ph_complex *transform(const struct ph_fft *fft, bool back, struct together all,
                                       struct ph_complex *from, struct ph_complex *to)
{
    uint32_t before = 1;
    for (uint32_t stage = 0; stage < fft->stages; ++stage) {
        const uint32_t radix = fft->radix[stage], apart = fft->n / radix;
        for (uint32_t index = all.thread; index < apart * all.lines; index += all.threads) {
            const uint32_t line = index % all.lines, j = index / all.lines, inner = j % before;
            const uint32_t turn = inner * (apart / before);
            const struct ph_complex *in = from + (size_t)j * all.lines + line;
            struct ph_complex *out = to + (size_t)((j - inner) * radix + inner) * all.lines + line;
            const size_t step = (size_t)apart * all.lines, out_step = (size_t)before * all.lines;
            if (radix == 4)
                four_together(fft, back, turn, in, step, out, out_step);
            else
                some_together(fft, back, radix, turn, in, step, out, out_step);
        }
        meet();
        struct ph_complex *other = from;
        from = to;
        to = other;
        before *= radix;
    }
    return from;
}

PH_INLINE double density_at(const struct ph_wave_view *w, size_t point)
{
    return ph_fma((double)w->remainder[point], 1.0 / PH_DENSITY_STEP, (double)w->density[point]) * w->inverse_scale;
}

/* Returns an input value of the transform of a row along z: densities; or, on the way back, waves of real numbers,
 * where the stored half determines the other half. */
PH_INLINE struct ph_complex row_value(const struct ph_wave_view *w, bool back, size_t row, uint32_t z)
{
    const uint32_t n = w->points[2];
    struct ph_complex value = {0.0, 0.0};
    if (!back) {
        value.re = density_at(w, row * n + z);
        return value;
    }
    value = w->work[row * w->half + (z < w->half ? z : n - z)];
    value.im = z < w->half ? value.im : -value.im;
    return value;
}

/* Rows along z: densities become half of their waves, and waves the potential. */
PH_INLINE void rows_body(const struct ph_accel_view *v, bool back, size_t group, struct together all,
                         struct ph_complex *from, struct ph_complex *to)
{
    const struct ph_wave_view *w = &v->waves;
    const uint32_t n = w->points[2], kept = back ? n : w->half;
    const size_t first = group * all.lines, rows = (size_t)w->points[0] * w->points[1];
    for (uint32_t index = all.thread; index < n * all.lines; index += all.threads) {
        const uint32_t line = index / n, z = index % n;
        struct ph_complex value = {0.0, 0.0};
        if (first + line < rows)
            value = row_value(w, back, first + line, z);
        from[(size_t)z * all.lines + line] = value;
    }
    meet();
    const struct ph_complex *found = transform(&w->fft[2], back, all, from, to);
    for (uint32_t index = all.thread; index < kept * all.lines; index += all.threads) {
        const uint32_t line = index / kept, z = index % kept;
        if (first + line >= rows)
            continue;
        if (back)
            w->potential[(first + line) * n + z] = found[(size_t)z * all.lines + line].re;
        else
            w->work[(first + line) * w->half + z] = found[(size_t)z * all.lines + line];
    }
}

/* Lines across rows: `lines` neighbours along z, from wave number `first` on, `step` from number to number */
PH_INLINE void load_lines(const struct ph_wave_view *w, uint32_t n, size_t first, size_t step, uint32_t z,
                          struct together all, struct ph_complex *to)
{
    for (uint32_t index = all.thread; index < n * all.lines; index += all.threads) {
        const uint32_t line = index % all.lines, j = index / all.lines;
        struct ph_complex value = {0.0, 0.0};
        if (z + line < w->half)
            value = w->work[first + j * step + line];
        to[index] = value;
    }
    meet();
}

PH_INLINE void store_lines(const struct ph_wave_view *w, uint32_t n, size_t first, size_t step, uint32_t z,
                           struct together all, const struct ph_complex *from)
{
    for (uint32_t index = all.thread; index < n * all.lines; index += all.threads) {
        const uint32_t line = index % all.lines, j = index / all.lines;
        if (z + line < w->half)
            w->work[first + j * step + line] = from[index];
    }
}

/* Along y, there or back */
PH_INLINE void columns_body(const struct ph_accel_view *v, bool back, size_t group, struct together all,
                            struct ph_complex *from, struct ph_complex *to)
{
    const struct ph_wave_view *w = &v->waves;
    const uint32_t groups = (w->half + all.lines - 1) / all.lines, z = (uint32_t)(group % groups) * all.lines;
    const size_t first = group / groups * w->points[1] * w->half + z;
    load_lines(w, w->points[1], first, w->half, z, all, from);
    store_lines(w, w->points[1], first, w->half, z, all, transform(&w->fft[1], back, all, from, to));
}

/* Along x: there, times the factors of waves, and back */
PH_INLINE void lines_body(bool energy, const struct ph_accel_view *v, size_t group, struct together all,
                          struct ph_complex *from, struct ph_complex *to)
{
    const struct ph_wave_view *w = &v->waves;
    const uint32_t groups = (w->half + all.lines - 1) / all.lines, z = (uint32_t)(group % groups) * all.lines;
    const uint32_t n = w->points[0];
    const size_t y = group / groups, first = y * w->half + z, step = (size_t)w->points[1] * w->half;
    load_lines(w, n, first, step, z, all, from);
    struct ph_complex *found = transform(&w->fft[0], false, all, from, to);
    for (uint32_t index = all.thread; index < n * all.lines; index += all.threads) {
        const uint32_t line = index % all.lines, x = index / all.lines;
        if (z + line >= w->half)
            continue;
        const size_t wave = (y * n + x) * w->half + z + line;
        const struct ph_complex s = found[index];
        if (energy)
            w->square[wave] = ph_fma(s.re, s.re, s.im * s.im);
        found[index].re = w->factor[wave] * s.re;
        found[index].im = w->factor[wave] * s.im;
    }
    meet();
    store_lines(w, n, first, step, z, all, transform(&w->fft[0], true, all, found, found == from ? to : from));
}

/* ---- Gathering ---- */

/* Converts derivatives along the edges, in points, to derivatives in space: -(to_points^T g) */
PH_INLINE void minus_gradient(const struct ph_wave_view *w, const double g[3], size_t t, double *const out[3])
{
    for (int x = 0; x < 3; ++x)
        out[x][t] = -(w->to_points[0][x] * g[0] + w->to_points[1][x] * g[1] + w->to_points[2][x] * g[2]);
}

/* Field and pull at a site, from the potential and derivatives of its window. `tensors`, a constant: its gradient too
 */
PH_INLINE void gather_site(bool tensors, const struct ph_accel_view *v, size_t t)
{
    const struct ph_wave_view *w = &v->waves;
    const uint32_t width = w->width;
    double g[3] = {0.0, 0.0, 0.0}, h[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};  /* first and second derivatives */
    double third[10] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0}; /* as in force/longrange/mesh/grid.h */
    if (t % w->most >= w->n_charged[v->sites.species_at[t / w->most]] || w->first[0][t] < 0)
        return;
    for (uint32_t x = 0; x < width; ++x) {
        const size_t px = around(w->first[0][t], x, w->points[0]);
        double r00 = 0.0, r10 = 0.0, r20 = 0.0, r01 = 0.0, r11 = 0.0, r02 = 0.0; /* derivatives along y, z */
        double r30 = 0.0, r21 = 0.0, r12 = 0.0, r03 = 0.0;
        for (uint32_t y = 0; y < width; ++y) {
            const size_t py = around(w->first[1][t], y, w->points[1]);
            const double *row = w->potential + (px * w->points[1] + py) * w->points[2];
            double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
            for (uint32_t z = 0; z < width; ++z) {
                const double value = row[around(w->first[2][t], z, w->points[2])];
                s0 = ph_fma(value, window_row(v, 0, 2, z)[t], s0);
                s1 = ph_fma(value, window_row(v, 1, 2, z)[t], s1);
                if (w->dipoles)
                    s2 = ph_fma(value, window_row(v, 2, 2, z)[t], s2);
                if (tensors)
                    s3 = ph_fma(value, window_row(v, 3, 2, z)[t], s3);
            }
            const double y0 = window_row(v, 0, 1, y)[t], y1 = window_row(v, 1, 1, y)[t];
            r00 = ph_fma(y0, s0, r00);
            r10 = ph_fma(y1, s0, r10);
            r01 = ph_fma(y0, s1, r01);
            if (w->dipoles) {
                r20 = ph_fma(window_row(v, 2, 1, y)[t], s0, r20);
                r11 = ph_fma(y1, s1, r11);
                r02 = ph_fma(y0, s2, r02);
            }
            if (tensors) {
                r30 = ph_fma(window_row(v, 3, 1, y)[t], s0, r30);
                r21 = ph_fma(window_row(v, 2, 1, y)[t], s1, r21);
                r12 = ph_fma(y1, s2, r12);
                r03 = ph_fma(y0, s3, r03);
            }
        }
        const double x0 = window_row(v, 0, 0, x)[t], x1 = window_row(v, 1, 0, x)[t];
        g[0] = ph_fma(x1, r00, g[0]);
        g[1] = ph_fma(x0, r10, g[1]);
        g[2] = ph_fma(x0, r01, g[2]);
        if (w->dipoles) {
            h[0] = ph_fma(window_row(v, 2, 0, x)[t], r00, h[0]);
            h[1] = ph_fma(x1, r10, h[1]);
            h[2] = ph_fma(x1, r01, h[2]);
            h[3] = ph_fma(x0, r20, h[3]);
            h[4] = ph_fma(x0, r11, h[4]);
            h[5] = ph_fma(x0, r02, h[5]);
        }
        if (tensors) {
            const double x2 = window_row(v, 2, 0, x)[t];
            const double more[10] = {window_row(v, 3, 0, x)[t] * r00,
                                     x2 * r10,
                                     x2 * r01,
                                     x1 * r20,
                                     x1 * r11,
                                     x1 * r02,
                                     x0 * r30,
                                     x0 * r21,
                                     x0 * r12,
                                     x0 * r03};
            for (int k = 0; k < 10; ++k)
                third[k] += more[k];
        }
    }
    minus_gradient(w, g, t, w->field);
    if (!w->dipoles)
        return;
    const double a = w->number[1][t], b = w->number[2][t], c = w->number[3][t];
    double along[3] = {h[0] * a + h[1] * b + h[2] * c, h[1] * a + h[3] * b + h[4] * c, h[2] * a + h[4] * b + h[5] * c};
    if (tensors) {
        double gradient[6], numbers[6];
        ph_tensor_from_points(w->to_points, h, gradient);
        for (int s = 0; s < 6; ++s) {
            w->gradient[s][t] = gradient[s];
            numbers[s] = w->number[4 + s][t];
        }
        ph_tensor_add_third(third, numbers, along);
    }
    minus_gradient(w, along, t, w->pull);
}

PH_INLINE void gather_body(bool energy, const struct ph_accel_view *v, size_t t)
{
    (void)energy;
    gather_site(false, v, t);
}

PH_INLINE void gather_tensors_body(bool energy, const struct ph_accel_view *v, size_t t)
{
    (void)energy;
    gather_site(true, v, t);
}

#endif
