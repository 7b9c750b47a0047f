/* SPDX-License-Identifier: MIT */
#include "dynamics/integrators/mixing.h"

#include "base/array.h"
#include "base/room.h"
#include "base/threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = PH_MIXING_DEPTH, COLUMNS = PH_MIXING_COLUMNS + DEPTH };

/* Columns of differences whose part orthogonal to the newer ones is smaller than this are not used: it is rounding. */
static const double dependent = 1e-7;

struct ph_mixing {
    size_t n_rows;
    int known;                                   /* differences that are stored, newest at 0 */
    double *row[COLUMNS * PH_MIXING_ROWS];       /* owned: all of the following, which are columns of n_rows rows */
    double **last_g, **last_f;                   /* g, and f = g - x */
    double **dg[DEPTH], **df[DEPTH], **q[DEPTH]; /* differences, and scratch: df made orthonormal */
    bool started;
};

void ph_mixing_destroy(struct ph_mixing *mixing)
{
    if (!mixing)
        return;
    for (size_t k = 0; k < COLUMNS * mixing->n_rows; ++k)
        free(mixing->row[k]);
    free(mixing);
}

struct ph_mixing *ph_mixing_create(size_t n_rows, size_t n)
{
    PH_ROOM(n_rows <= PH_MIXING_ROWS);
    struct ph_mixing *mixing = calloc(1, sizeof *mixing);
    if (!mixing)
        return NULL;
    mixing->n_rows = n_rows;
    bool ok = true;
    for (size_t k = 0; k < COLUMNS * n_rows; ++k)
        ok = (mixing->row[k] = ph_array_create(ph_padded(n), sizeof(double))) != NULL && ok;
    if (!ok) {
        ph_mixing_destroy(mixing);
        return NULL;
    }
    double **column = mixing->row;
    mixing->last_g = column;
    mixing->last_f = column += n_rows;
    for (int k = 0; k < DEPTH; ++k) {
        mixing->dg[k] = column += n_rows;
        mixing->df[k] = column += n_rows;
    }
    for (int k = 0; k < DEPTH; ++k)
        mixing->q[k] = column += n_rows;
    return mixing;
}

void ph_mixing_reset(struct ph_mixing *mixing)
{
    mixing->known = 0;
    mixing->started = false;
}

double *const *ph_mixing_memory(const struct ph_mixing *mixing) { return mixing->row; }

/* ---- Columns ---- */

struct unknowns {
    struct ph_state *state;
    size_t n_rows;
};

/* Pairs of columns: for products of a_k and b_k, or to add a_k with a factor to b_k */
struct pair {
    double *const *a, *const *b;
};
struct columns {
    size_t n_rows;
    int n;
    const struct pair *of;
    double factor;
};

/* All rows of few molecules at once: the sum is exact, whatever its blocks. */
static void add_products(struct ph_range range, void *data, struct ph_exact *sums)
{
    const struct columns *columns = data;
    double product[PH_MIXING_ROWS * PH_TURN];
    for (int p = 0; p < columns->n; ++p) {
        size_t n = 0;
        for (size_t r = 0; r < columns->n_rows; ++r)
            for (size_t i = range.begin; i < range.end; ++i)
                product[n++] = columns->of[p].a[r][i] * columns->of[p].b[r][i];
        ph_exact_add(n, product, &sums[p]);
    }
}

/* Several of them at once, at most 1 + DEPTH: of several processes each call waits for all. */
static void dots(const struct unknowns *u, int n, const struct pair of[], double product[])
{
    struct ph_exact sum[1 + DEPTH] = {{.spoilt = 0}};
    PH_ROOM(n <= 1 + DEPTH);
    _Static_assert(1 + DEPTH <= PH_EACH_SUMS, "a sum for each");
    ph_state_total(u->state, add_products, &(struct columns){u->n_rows, n, of, 0.0}, (size_t)n, sum);
    ph_state_add_up(u->state, (size_t)n, sum);
    for (int k = 0; k < n; ++k)
        product[k] = ph_exact_value(&sum[k]);
}

static double dot(const struct unknowns *u, double *const *a, double *const *b)
{
    double product;
    dots(u, 1, &(struct pair){a, b}, &product);
    return product;
}

static void add_range(struct ph_range range, void *data)
{
    const struct columns *columns = data;
    for (size_t r = 0; r < columns->n_rows; ++r)
        for (size_t i = range.begin; i < range.end; ++i)
            columns->of->b[r][i] += columns->factor * columns->of->a[r][i];
}

/* out += factor a */
static void add(const struct unknowns *u, double factor, double *const *a, double *const *out)
{
    ph_state_each(u->state, add_range, &(struct columns){u->n_rows, 1, &(struct pair){a, out}, factor});
}

static void divide_range(struct ph_range range, void *data)
{
    const struct columns *columns = data;
    for (size_t r = 0; r < columns->n_rows; ++r)
        for (size_t i = range.begin; i < range.end; ++i)
            columns->of->b[r][i] /= columns->factor;
}

static void divide(const struct unknowns *u, double by, double *const *a)
{
    ph_state_each(u->state, divide_range, &(struct columns){u->n_rows, 1, &(struct pair){a, a}, by});
}

static void copy_range(struct ph_range range, void *data)
{
    const struct columns *columns = data;
    for (size_t r = 0; r < columns->n_rows; ++r)
        for (size_t i = range.begin; i < range.end; ++i)
            columns->of->b[r][i] = columns->of->a[r][i];
}

static void copy(const struct unknowns *u, double *const *from, double *const *to)
{
    ph_state_each(u->state, copy_range, &(struct columns){u->n_rows, 1, &(struct pair){from, to}, 1.0});
}

/* ---- Mixing ---- */

/* Replaces the oldest difference by a new one at the front. */
static void shift(double **columns[DEPTH])
{
    double **oldest = columns[DEPTH - 1];
    memmove(columns + 1, columns, (DEPTH - 1) * sizeof *columns);
    columns[0] = oldest;
}

/* Computes the parts of the columns j > k, and of f, along q_k, all together. Subtracts them from the columns. */
static double take_off(struct ph_mixing *mixing, const struct unknowns *u, double *const *f, int k,
                       double R[DEPTH][DEPTH])
{
    struct pair of[1 + DEPTH] = {{mixing->q[k], f}};
    double part[1 + DEPTH];
    for (int j = k + 1; j < mixing->known; ++j)
        of[j - k] = (struct pair){mixing->q[k], mixing->q[j]};
    dots(u, mixing->known - k, of, part);
    for (int j = k + 1; j < mixing->known; ++j) {
        R[k][j] += part[j - k];
        add(u, -part[j - k], mixing->q[k], mixing->q[j]);
    }
    return part[0];
}

/* Finds weights w that make |f - sum w df| smallest, by Gram and Schmidt, newest first. The part along a column is
 * subtracted from all older ones as soon as it is known, and once more from each before it is used itself. */
static void weights(struct ph_mixing *mixing, const struct unknowns *u, double *const *f, double w[DEPTH])
{
    double R[DEPTH][DEPTH] = {{0.0}}, along[DEPTH], square[DEPTH];
    struct pair of[DEPTH];
    bool used[DEPTH];
    for (int k = 0; k < mixing->known; ++k) {
        copy(u, mixing->df[k], mixing->q[k]);
        of[k] = (struct pair){mixing->df[k], mixing->df[k]};
    }
    dots(u, mixing->known, of, square);
    for (int k = 0; k < mixing->known; ++k) {
        for (int j = 0; j < k; ++j) {
            if (!used[j])
                continue;
            const double part = dot(u, mixing->q[j], mixing->q[k]);
            R[j][k] += part;
            add(u, -part, mixing->q[j], mixing->q[k]);
        }
        R[k][k] = sqrt(k == 0 ? square[0] : dot(u, mixing->q[k], mixing->q[k]));
        used[k] = R[k][k] > dependent * sqrt(square[k]);
        if (used[k])
            divide(u, R[k][k], mixing->q[k]);
        along[k] = used[k] ? take_off(mixing, u, f, k, R) : 0.0;
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

/* Stores the last differences as the newest ones. */
static void store_differences(struct ph_mixing *mixing, const struct unknowns *u, double *const *g, double *const *x)
{
    shift(mixing->dg);
    shift(mixing->df);
    copy(u, g, mixing->dg[0]);
    add(u, -1.0, mixing->last_g, mixing->dg[0]);
    copy(u, g, mixing->df[0]);
    add(u, -1.0, x, mixing->df[0]);
    add(u, -1.0, mixing->last_f, mixing->df[0]);
    mixing->known = mixing->known < DEPTH ? mixing->known + 1 : DEPTH;
}

void ph_mixing_next(struct ph_mixing *mixing, struct ph_state *state, double *const *g, double *const *x)
{
    const struct unknowns u = {state, mixing->n_rows};
    if (mixing->started)
        store_differences(mixing, &u, g, x);
    mixing->started = true;
    copy(&u, g, mixing->last_g);
    copy(&u, g, mixing->last_f);
    add(&u, -1.0, x, mixing->last_f);
    double w[DEPTH];
    weights(mixing, &u, mixing->last_f, w);
    copy(&u, g, x);
    for (int k = 0; k < mixing->known; ++k)
        add(&u, -w[k], mixing->dg[k], x);
}
