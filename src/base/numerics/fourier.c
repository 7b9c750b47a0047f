/* SPDX-License-Identifier: MIT */
#include "base/numerics/fourier.h"

#include "base/array.h"
#include "base/lanes.h"

#include <stdlib.h>

bool ph_fourier_init(int n, struct ph_fourier *fourier)
{
    *fourier = (struct ph_fourier){.n = n, .root = ph_array_create(2 * (size_t)n, sizeof(double))};
    if (!fourier->root)
        return false;
    const long double turn = 6.283185307179586476925286766559L / (long double)n;
    for (int k = 0; k < n; ++k) {
        fourier->root[2 * k] = (double)cosl(turn * (long double)k);
        fourier->root[2 * k + 1] = (double)-sinl(turn * (long double)k);
    }
    int rest = n;
    for (int radix = 4; rest > 1;) {
        if (rest % radix == 0) {
            fourier->radix[fourier->stages++] = radix;
            rest /= radix;
        } else {
            radix = radix == 4 ? 2 : radix == 2 ? 3 : radix + 2;
        }
    }
    return true;
}

void ph_fourier_free(struct ph_fourier *fourier) { free(fourier->root); }

/* What a stage does for one p: numbers x_k, `in` apart, to y_j, `out` apart; w: the root to the power p */
struct step {
    size_t count, in, out;
    const double *root[5]; /* of j */
};

PH_DISPATCHED static void two(const struct step *step, const double *restrict xr, const double *restrict xi,
                              double *restrict yr, double *restrict yi)
{
    const size_t in = step->in, out = step->out;
    const double wr = step->root[1][0], wi = step->root[1][1];
    PH_SIMD
    for (size_t q = 0; q < step->count; ++q) {
        const double ar = xr[q], ai = xi[q], br = xr[in + q], bi = xi[in + q], dr = ar - br, di = ai - bi;
        yr[q] = ar + br;
        yi[q] = ai + bi;
        yr[out + q] = wr * dr - wi * di;
        yi[out + q] = wr * di + wi * dr;
    }
}

PH_DISPATCHED static void three(const struct step *step, const double *restrict xr, const double *restrict xi,
                                double *restrict yr, double *restrict yi)
{
    const size_t in = step->in, out = step->out;
    const double w1r = step->root[1][0], w1i = step->root[1][1], w2r = step->root[2][0], w2i = step->root[2][1];
    const double sine = 0.86602540378443864676; /* of 120 degrees */
    PH_SIMD
    for (size_t q = 0; q < step->count; ++q) {
        const double ar = xr[q], ai = xi[q];
        const double tr = xr[in + q] + xr[2 * in + q], ti = xi[in + q] + xi[2 * in + q];
        const double vr = sine * (xi[in + q] - xi[2 * in + q]), vi = -sine * (xr[in + q] - xr[2 * in + q]);
        const double ur = ar - 0.5 * tr, ui = ai - 0.5 * ti;
        const double br = ur + vr, bi = ui + vi, cr = ur - vr, ci = ui - vi;
        yr[q] = ar + tr;
        yi[q] = ai + ti;
        yr[out + q] = w1r * br - w1i * bi;
        yi[out + q] = w1r * bi + w1i * br;
        yr[2 * out + q] = w2r * cr - w2i * ci;
        yi[2 * out + q] = w2r * ci + w2i * cr;
    }
}

PH_DISPATCHED static void four(const struct step *step, const double *restrict xr, const double *restrict xi,
                               double *restrict yr, double *restrict yi)
{
    const size_t in = step->in, out = step->out;
    const double w1r = step->root[1][0], w1i = step->root[1][1], w2r = step->root[2][0], w2i = step->root[2][1];
    const double w3r = step->root[3][0], w3i = step->root[3][1];
    PH_SIMD
    for (size_t q = 0; q < step->count; ++q) {
        const double sr = xr[q] + xr[2 * in + q], si = xi[q] + xi[2 * in + q];
        const double tr = xr[q] - xr[2 * in + q], ti = xi[q] - xi[2 * in + q];
        const double ur = xr[in + q] + xr[3 * in + q], ui = xi[in + q] + xi[3 * in + q];
        const double vr = xi[in + q] - xi[3 * in + q], vi = xr[3 * in + q] - xr[in + q];
        const double br = tr + vr, bi = ti + vi, cr = sr - ur, ci = si - ui, dr = tr - vr, di = ti - vi;
        yr[q] = sr + ur;
        yi[q] = si + ui;
        yr[out + q] = w1r * br - w1i * bi;
        yi[out + q] = w1r * bi + w1i * br;
        yr[2 * out + q] = w2r * cr - w2i * ci;
        yi[2 * out + q] = w2r * ci + w2i * cr;
        yr[3 * out + q] = w3r * dr - w3i * di;
        yi[3 * out + q] = w3r * di + w3i * dr;
    }
}

PH_DISPATCHED static void five(const struct step *step, const double *restrict xr, const double *restrict xi,
                               double *restrict yr, double *restrict yi)
{
    const size_t in = step->in, out = step->out;
    const double c1 = 0.30901699437494742410, c2 = -0.80901699437494742410; /* cosines of 72 and 144 degrees, */
    const double s1 = 0.95105651629515357212, s2 = 0.58778525229247312917;  /* and sines */
    const double *w1 = step->root[1], *w2 = step->root[2], *w3 = step->root[3], *w4 = step->root[4];
    const double w1r = w1[0], w1i = w1[1], w2r = w2[0], w2i = w2[1], w3r = w3[0], w3i = w3[1], w4r = w4[0], w4i = w4[1];
    PH_SIMD
    for (size_t q = 0; q < step->count; ++q) {
        const double ar = xr[q], ai = xi[q];
        const double br = xr[in + q] + xr[4 * in + q], bi = xi[in + q] + xi[4 * in + q];
        const double cr = xr[2 * in + q] + xr[3 * in + q], ci = xi[2 * in + q] + xi[3 * in + q];
        const double dr = xr[in + q] - xr[4 * in + q], di = xi[in + q] - xi[4 * in + q];
        const double er = xr[2 * in + q] - xr[3 * in + q], ei = xi[2 * in + q] - xi[3 * in + q];
        const double fr = ar + c1 * br + c2 * cr, fi = ai + c1 * bi + c2 * ci;
        const double gr = ar + c2 * br + c1 * cr, gi = ai + c2 * bi + c1 * ci;
        const double hr = s1 * di + s2 * ei, hi = -(s1 * dr + s2 * er);
        const double kr = s2 * di - s1 * ei, ki = -(s2 * dr - s1 * er);
        yr[q] = ar + br + cr;
        yi[q] = ai + bi + ci;
        yr[out + q] = w1r * (fr + hr) - w1i * (fi + hi);
        yi[out + q] = w1r * (fi + hi) + w1i * (fr + hr);
        yr[2 * out + q] = w2r * (gr + kr) - w2i * (gi + ki);
        yi[2 * out + q] = w2r * (gi + ki) + w2i * (gr + kr);
        yr[3 * out + q] = w3r * (gr - kr) - w3i * (gi - ki);
        yi[3 * out + q] = w3r * (gi - ki) + w3i * (gr - kr);
        yr[4 * out + q] = w4r * (fr - hr) - w4i * (fi - hi);
        yi[4 * out + q] = w4r * (fi - hi) + w4i * (fr - hr);
    }
}

/* y += root x */
PH_DISPATCHED static void add(size_t count, const double root[2], const double *restrict xr, const double *restrict xi,
                              double *restrict yr, double *restrict yi)
{
    const double wr = root[0], wi = root[1];
    PH_SIMD
    for (size_t q = 0; q < count; ++q) {
        yr[q] += wr * xr[q] - wi * xi[q];
        yi[q] += wr * xi[q] + wi * xr[q];
    }
}

/* Any radix, by its definition */
static void some(const struct ph_fourier *f, int radix, size_t turn, const struct step *step, const double *xr,
                 const double *xi, double *yr, double *yi)
{
    const size_t n = (size_t)f->n, part = n / (size_t)radix;
    for (size_t j = 0; j < (size_t)radix; ++j) {
        double *const re = yr + j * step->out, *const im = yi + j * step->out;
        for (size_t q = 0; q < step->count; ++q)
            re[q] = im[q] = 0.0;
        for (size_t k = 0; k < (size_t)radix; ++k)
            add(step->count, f->root + 2 * ((j * turn + j * k * part) % n), xr + k * step->in, xi + k * step->in, re,
                im);
    }
}

static void do_step(const struct ph_fourier *f, int radix, size_t turn, struct step *step, const double *xr,
                    const double *xi, double *yr, double *yi)
{
    for (size_t j = 0; j < 5 && j < (size_t)radix; ++j)
        step->root[j] = f->root + 2 * (j * turn);
    switch (radix) {
    case 2: two(step, xr, xi, yr, yi); break;
    case 3: three(step, xr, xi, yr, yi); break;
    case 4: four(step, xr, xi, yr, yi); break;
    case 5: five(step, xr, xi, yr, yi); break;
    default: some(f, radix, turn, step, xr, xi, yr, yi); break;
    }
}

struct ph_complex_lines ph_fourier_transform(const struct ph_fourier *fourier, bool back, size_t lines,
                                             struct ph_complex_lines from, struct ph_complex_lines to)
{
    /* With real and imaginary parts exchanged, the forward transform is the one back. */
    struct ph_complex_lines x = back ? (struct ph_complex_lines){from.im, from.re} : from;
    struct ph_complex_lines y = back ? (struct ph_complex_lines){to.im, to.re} : to;
    size_t length = (size_t)fourier->n, together = lines;
    for (int stage = 0; stage < fourier->stages; ++stage) {
        const size_t radix = (size_t)fourier->radix[stage], m = length / radix, turn = (size_t)fourier->n / length;
        struct step step = {.count = together, .in = together * m, .out = together};
        for (size_t p = 0; p < m; ++p)
            do_step(fourier, (int)radix, p * turn, &step, x.re + together * p, x.im + together * p,
                    y.re + together * radix * p, y.im + together * radix * p);
        length = m;
        together *= radix;
        const struct ph_complex_lines other = x;
        x = y;
        y = other;
    }
    return back ? (struct ph_complex_lines){x.im, x.re} : x;
}
