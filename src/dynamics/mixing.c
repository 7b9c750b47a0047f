/* SPDX-License-Identifier: MIT */
#include "dynamics/mixing.h"

#include "base/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 5 };

/* Columns of differences whose part orthogonal to the newer ones is smaller than this are not used: it is rounding. */
static const double dependent = 1e-7;

struct ph_mixing {
    size_t n;
    int known;                                /* differences that are stored, newest at 0 */
    double *last_g, *last_f;                  /* owned: g, and f = g - x */
    double *dg[DEPTH], *df[DEPTH], *q[DEPTH]; /* owned: differences, and df made orthonormal */
    int started;
};

void ph_mixing_destroy(struct ph_mixing *mixing)
{
    if (!mixing)
        return;
    free(mixing->last_g);
    free(mixing->last_f);
    for (int k = 0; k < DEPTH; ++k) {
        free(mixing->dg[k]);
        free(mixing->df[k]);
        free(mixing->q[k]);
    }
    free(mixing);
}

struct ph_mixing *ph_mixing_create(size_t n)
{
    struct ph_mixing *mixing = calloc(1, sizeof *mixing);
    if (!mixing)
        return NULL;
    mixing->n = n;
    int ok = (mixing->last_g = ph_array_create(n, sizeof(double))) != NULL &&
             (mixing->last_f = ph_array_create(n, sizeof(double))) != NULL;
    for (int k = 0; k < DEPTH && ok; ++k)
        ok = (mixing->dg[k] = ph_array_create(n, sizeof(double))) != NULL &&
             (mixing->df[k] = ph_array_create(n, sizeof(double))) != NULL &&
             (mixing->q[k] = ph_array_create(n, sizeof(double))) != NULL;
    if (!ok) {
        ph_mixing_destroy(mixing);
        return NULL;
    }
    return mixing;
}

void ph_mixing_reset(struct ph_mixing *mixing) { mixing->known = mixing->started = 0; }

static double dot(size_t n, const double *a, const double *b)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; ++i)
        sum += a[i] * b[i];
    return sum;
}

static void add(size_t n, double factor, const double *a, double *out)
{
    for (size_t i = 0; i < n; ++i)
        out[i] += factor * a[i];
}

/* Replaces the oldest difference by a new one at the front. */
static void shift(double *columns[DEPTH])
{
    double *oldest = columns[DEPTH - 1];
    memmove(columns + 1, columns, (DEPTH - 1) * sizeof *columns);
    columns[0] = oldest;
}

/* Weights w that make |f - sum w df| smallest; by Gram and Schmidt, newest first, each column twice */
static void weights(struct ph_mixing *mixing, const double *f, double w[DEPTH])
{
    const size_t n = mixing->n;
    double R[DEPTH][DEPTH], along[DEPTH];
    int used[DEPTH];
    for (int k = 0; k < mixing->known; ++k) {
        memcpy(mixing->q[k], mixing->df[k], n * sizeof(double));
        const double size = sqrt(dot(n, mixing->df[k], mixing->df[k]));
        for (int j = 0; j < k; ++j)
            R[j][k] = 0.0;
        for (int pass = 0; pass < 2; ++pass)
            for (int j = 0; j < k; ++j) {
                if (!used[j])
                    continue;
                const double part = dot(n, mixing->q[j], mixing->q[k]);
                R[j][k] += part;
                add(n, -part, mixing->q[j], mixing->q[k]);
            }
        R[k][k] = sqrt(dot(n, mixing->q[k], mixing->q[k]));
        used[k] = R[k][k] > dependent * size;
        for (size_t i = 0; i < n && used[k]; ++i)
            mixing->q[k][i] /= R[k][k];
        along[k] = used[k] ? dot(n, mixing->q[k], f) : 0.0;
    }
    for (int k = mixing->known - 1; k >= 0; --k) {
        w[k] = 0.0;
        if (!used[k])
            continue;
        double sum = along[k];
        for (int j = k + 1; j < mixing->known; ++j)
            sum -= R[k][j] * w[j];
        w[k] = sum / R[k][k];
    }
}

void ph_mixing_next(struct ph_mixing *mixing, const double *g, double *x)
{
    const size_t n = mixing->n;
    if (mixing->started) {
        shift(mixing->dg);
        shift(mixing->df);
        for (size_t i = 0; i < n; ++i) {
            mixing->dg[0][i] = g[i] - mixing->last_g[i];
            mixing->df[0][i] = (g[i] - x[i]) - mixing->last_f[i];
        }
        mixing->known = mixing->known < DEPTH ? mixing->known + 1 : DEPTH;
    }
    mixing->started = 1;
    for (size_t i = 0; i < n; ++i) {
        mixing->last_g[i] = g[i];
        mixing->last_f[i] = g[i] - x[i];
    }
    double w[DEPTH];
    weights(mixing, mixing->last_f, w);
    memcpy(x, g, n * sizeof *x);
    for (int k = 0; k < mixing->known; ++k)
        add(n, -w[k], mixing->dg[k], x);
}
