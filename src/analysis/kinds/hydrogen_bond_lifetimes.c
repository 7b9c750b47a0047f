/* SPDX-License-Identifier: MIT */
#include "analysis/kinds/hydrogen_bonds.h"
#include "analysis/trajectory/tracks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Errors come from blocks of origins, and from groups of hydrogens: the larger counts, as in correlator.h. */
enum { BLOCKS = 16, GROUPS = 32, FEWEST_GROUPS = 8 };

/* A moment at which a hydrogen is bonded to an acceptor */
struct moment {
    uint32_t acceptor, frame;
};

struct work {
    size_t n_frames, n_lags, n_hydrogens, n_blocks, n_groups;
    size_t *first;           /* moment of each hydrogen */
    struct moment *moments;  /* by hydrogen, acceptor and frame */
    double *both[2], *count; /* [group][block][lag]: sums of C and S, and of h at origins */
};

bool ph_bond_list_add(struct ph_bond_list *list, size_t hydrogen, size_t acceptor)
{
    if (list->n == list->room) {
        const size_t room = list->room > 0 ? 2 * list->room : 64;
        struct ph_bond *bonds = realloc(list->bonds, room * sizeof *bonds);
        if (!bonds)
            return false;
        list->bonds = bonds;
        list->room = room;
    }
    list->bonds[list->n++] = (struct ph_bond){(uint32_t)hydrogen, (uint32_t)acceptor};
    return true;
}

static int by_acceptor_and_frame(const void *a, const void *b)
{
    const struct moment *x = a, *y = b;
    if (x->acceptor != y->acceptor)
        return x->acceptor < y->acceptor ? -1 : 1;
    return (x->frame > y->frame) - (x->frame < y->frame);
}

static bool sort_moments(const struct ph_bond_list *lists, struct work *work)
{
    size_t all = 0;
    work->first = calloc(work->n_hydrogens + 2, sizeof *work->first);
    for (size_t f = 0; f < work->n_frames && work->first; ++f)
        for (size_t b = 0; b < lists[f].n; ++b, ++all)
            ++work->first[lists[f].bonds[b].hydrogen + 2];
    work->moments = calloc(all + 1, sizeof *work->moments);
    if (!work->first || !work->moments)
        return false;
    for (size_t h = 2; h < work->n_hydrogens + 2; ++h)
        work->first[h] += work->first[h - 1];
    for (size_t f = 0; f < work->n_frames; ++f) /* first[h + 1] moves from the beginning of h to its end */
        for (size_t b = 0; b < lists[f].n; ++b) {
            const struct ph_bond *bond = &lists[f].bonds[b];
            work->moments[work->first[bond->hydrogen + 1]++] = (struct moment){bond->acceptor, (uint32_t)f};
        }
    return true;
}

static size_t first_frame(const struct work *work, size_t block) { return block * work->n_frames / work->n_blocks; }
static size_t first_hydrogen(const struct work *work, size_t group)
{
    return group * work->n_hydrogens / work->n_groups;
}

/* Adds the moments of one hydrogen with one acceptor, in the order of time, to the tables of a group. */
static void add_bond(const struct work *work, size_t group, size_t n, const struct moment *moment)
{
    size_t block = 0;
    for (size_t i = 0; i < n; ++i) {
        const size_t origin = moment[i].frame;
        while (first_frame(work, block + 1) <= origin)
            ++block;
        const size_t row = (group * work->n_blocks + block) * work->n_lags;
        double *intermittent = &work->both[0][row], *continuous = &work->both[1][row], *count = &work->count[row];
        for (size_t j = i; j < n && moment[j].frame - origin < work->n_lags; ++j) {
            const size_t lag = moment[j].frame - origin;
            intermittent[lag] += 1.0;
            if (lag == j - i)
                continuous[lag] += 1.0;
        }
        const size_t longest = work->n_frames - 1 - origin;
        count[longest < work->n_lags ? longest : work->n_lags - 1] += 1.0; /* add_group makes these sums */
    }
}

static void add_group(const struct work *work, size_t group)
{
    for (size_t h = first_hydrogen(work, group); h < first_hydrogen(work, group + 1); ++h) {
        const size_t end = work->first[h + 1];
        size_t at = work->first[h];
        qsort(&work->moments[at], end - at, sizeof *work->moments, by_acceptor_and_frame);
        while (at < end) {
            size_t next = at;
            while (next < end && work->moments[next].acceptor == work->moments[at].acceptor)
                ++next;
            add_bond(work, group, next - at, &work->moments[at]);
            at = next;
        }
    }
    for (size_t b = 0; b < work->n_blocks; ++b) { /* an origin counts for all lags up to its longest */
        double *count = &work->count[(group * work->n_blocks + b) * work->n_lags];
        for (size_t k = work->n_lags - 1; k > 0; --k)
            count[k - 1] += count[k];
    }
}

/* Sums for the jackknife, of blocks or of groups: C, S and counts of all lags */
static double *tabulate(const struct work *work, bool groups)
{
    const size_t lags = work->n_lags, rows = groups ? work->n_groups : work->n_blocks;
    double *table = calloc(3 * lags * rows + 1, sizeof *table);
    for (size_t g = 0; g < work->n_groups && table; ++g)
        for (size_t b = 0; b < work->n_blocks; ++b) {
            const size_t from = (g * work->n_blocks + b) * lags;
            double *to = &table[3 * lags * (groups ? g : b)];
            for (size_t k = 0; k < lags; ++k) {
                to[k] += work->both[0][from + k];
                to[lags + k] += work->both[1][from + k];
                to[2 * lags + k] += work->count[from + k];
            }
        }
    return table;
}

/* ---- Results ---- */

struct shape {
    size_t lags;
    double interval;
};

/* C, S, the time at which C is 1/e, and the integral of S */
static void curves(const double *sums, const void *data, double *out)
{
    const struct shape *shape = data;
    const size_t lags = shape->lags;
    const double level = 0.36787944117144233;
    double integral = 0.0, time = NAN;
    for (size_t k = 0; k < lags; ++k) {
        out[k] = sums[k] / sums[2 * lags + k];
        out[lags + k] = sums[lags + k] / sums[2 * lags + k];
        if (k > 0)
            integral += 0.5 * shape->interval * (out[lags + k - 1] + out[lags + k]);
        if (k > 0 && isnan(time) && out[k] <= level)
            time = shape->interval * ((double)(k - 1) + (out[k - 1] - level) / (out[k - 1] - out[k]));
    }
    out[2 * lags] = time;
    out[2 * lags + 1] = integral;
}

static bool find_curves(const struct work *work, const struct shape *shape, double *values)
{
    const size_t lags = shape->lags, width = 2 * lags + 2;
    double *blocks = tabulate(work, false), *groups = tabulate(work, true);
    double *others = calloc(2 * width, sizeof *others);
    bool good = blocks && groups && others &&
                ph_jackknife_all(work->n_blocks, 3 * lags, blocks, curves, shape, width, values, values + width);
    if (good && work->n_groups >= FEWEST_GROUPS) {
        good = ph_jackknife_all(work->n_groups, 3 * lags, groups, curves, shape, width, others, others + width);
        for (size_t k = 0; k < width && good; ++k)
            values[width + k] = fmax(values[width + k], others[width + k]); /* of a number and NaN: the number */
    }
    free(blocks);
    free(groups);
    free(others);
    return good;
}

static void say(const struct ph_recording *recording, const struct shape *shape, const double *values,
                struct ph_result *result)
{
    const size_t lags = shape->lags, width = 2 * lags + 2;
    struct ph_value *value =
        ph_result_value(result, "lifetime_intermittent", values[2 * lags], values[width + 2 * lags], recording->clock,
                        "the time at which C(t) has fallen to 1/e");
    if (isnan(values[2 * lags]))
        ph_value_caution(value, "C(t) stays above 1/e up to the longest lag: a longer --lag is needed");
    value = ph_result_value(result, "lifetime_continuous", values[2 * lags + 1], values[width + 2 * lags + 1],
                            recording->clock, "the integral of S(t); it depends on the time between frames");
    if (values[2 * lags - 1] > 0.05)
        ph_value_caution(value, "S(t) is %.2g at the longest lag: a longer --lag is needed", values[2 * lags - 1]);
    if (lags > 1 && values[lags + 1] < 0.5)
        ph_value_caution(value, "more than half of the bonds break between two frames: frames are too far apart");
    struct ph_result_table *table = ph_result_table(
        result, lags, "intermittent C(t) = <h(0) h(t)>/<h> and continuous S(t) of hydrogen bonds", "lifetime");
    static const char *const names[] = {"intermittent", "continuous"}, *const errors[] = {"intermittent_error",
                                                                                          "continuous_error"};
    double *t = ph_result_column(result, table, "t", recording->clock);
    for (size_t k = 0; k < lags && t; ++k)
        t[k] = (double)k * shape->interval;
    for (size_t c = 0; c < 2; ++c) {
        double *to = ph_result_column(result, table, names[c], ""),
               *error = ph_result_column(result, table, errors[c], "");
        for (size_t k = 0; k < lags && to && error; ++k) {
            to[k] = values[c * lags + k];
            error[k] = values[width + c * lags + k];
        }
    }
}

enum ph_status ph_bond_lifetimes(const struct ph_recording *recording, const struct ph_analysis_request *request,
                                 size_t n_hydrogens, const struct ph_bond_list *lists, struct ph_result *result,
                                 struct ph_error *err)
{
    struct shape shape = {.interval = recording->interval};
    size_t last = 0;
    if (recording->n_frames < 2 || !(recording->interval > 0.0)) {
        ph_result_note(result, "Lifetimes need frames at equal times.");
        return PH_OK;
    }
    enum ph_status status = ph_choose_lags(request->files[0], recording->n_frames, recording->interval, request->lag,
                                           0.25, &shape.lags, err);
    if (status != PH_OK)
        return status;
    for (size_t f = 0; f + shape.lags <= recording->n_frames; ++f) /* origins of the longest lag */
        last += lists[f].n;
    if (last == 0) {
        ph_result_note(result, "No bond exists in frames from which the longest lag fits: there are no lifetimes.");
        return PH_OK;
    }
    struct work work = {.n_frames = recording->n_frames, .n_lags = shape.lags, .n_hydrogens = n_hydrogens};
    work.n_blocks = work.n_frames < BLOCKS ? work.n_frames : BLOCKS;
    work.n_groups = n_hydrogens < GROUPS ? n_hydrogens : GROUPS;
    const size_t size = work.n_groups * work.n_blocks * work.n_lags;
    double *values = calloc(2 * (2 * shape.lags + 2), sizeof *values);
    work.both[0] = calloc(size, sizeof *work.both[0]);
    work.both[1] = calloc(size, sizeof *work.both[1]);
    work.count = calloc(size, sizeof *work.count);
    bool good = values && work.both[0] && work.both[1] && work.count && sort_moments(lists, &work);
    if (good) {
#pragma omp parallel for schedule(dynamic, 1) /* whole numbers: their sums do not depend on threads */
        for (size_t g = 0; g < work.n_groups; ++g)
            add_group(&work, g);
        good = find_curves(&work, &shape, values);
    }
    if (good) {
        ph_result_number(result, "longest_lag", shape.interval * (double)(shape.lags - 1), recording->clock);
        say(recording, &shape, values, result);
    }
    free(values);
    free(work.both[0]);
    free(work.both[1]);
    free(work.count);
    free(work.first);
    free(work.moments);
    return good ? PH_OK : ph_no_memory(err, "lifetimes of hydrogen bonds");
}
