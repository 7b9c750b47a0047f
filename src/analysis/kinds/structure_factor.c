/* SPDX-License-Identifier: MIT */
/* The structure factor S(k) = <|sum_j exp(-i k.r_j)|^2>/N at wave vectors that fit the box, averaged over shells of
 * |k|. k.r = 2 pi n.s with whole numbers n and fractional coordinates s. Of shells with many vectors some are taken,
 * evenly from a list in a fixed order. In a box that changes, the mean box defines the shells. Each frame has its own k
 * of each vector, and |k| of a shell is the mean over its vectors and frames. */
#include "analysis/registry.h"
#include "analysis/statistics/blocks.h"
#include "analysis/trajectory/sweep.h"
#include "base/lanes.h"
#include "base/vec3.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PER_SHELL = 60, CHUNK = 128, FRAMES = 0, FIRST_SUM = 1, MOST_SHELLS = 2000, HIGHEST = 400 };

struct wave {
    int n[3];
    size_t shell;
    double length;
};

struct task {
    enum ph_quantity quantity;
    size_t n, n_waves, n_shells;
    struct wave *waves; /* owned */
    int highest[3];     /* |n_k| at most */
    double *k, *count;  /* owned; of shells: mean |k|, number of vectors */
    bool changing;      /* the box; then sums of |k| follow the sums of S */
};

/* exp(-2 pi i m s) of the points of a chunk; entries behind the last point are zero */
struct phases {
    double real[CHUNK], imaginary[CHUNK];
};

struct scratch {
    double complex *rho;     /* of each wave */
    struct phases *power[3]; /* for m = -highest .. highest */
};

static void end(void *data)
{
    struct scratch *scratch = data;
    free(scratch->rho);
    for (int k = 0; k < 3; ++k)
        free(scratch->power[k]);
}

static bool begin(const void *data, void *own)
{
    const struct task *task = data;
    struct scratch *scratch = own;
    scratch->rho = calloc(task->n_waves + 1, sizeof *scratch->rho);
    bool good = scratch->rho != NULL;
    for (int k = 0; k < 3; ++k)
        good = (scratch->power[k] = calloc((size_t)(2 * task->highest[k] + 1), sizeof **scratch->power)) && good;
    return good;
}

static void turn(int m, const double s[CHUNK], size_t n, struct phases *to)
{
    const double two_pi = 6.28318530717958647693;
    PH_SIMD
    for (size_t j = 0; j < CHUNK; ++j) {
        const double turns = m * s[j];
        double sine, cosine;
        ph_sincos(two_pi * (turns - rint(turns)), &sine, &cosine);
        to->real[j] = j < n ? cosine : 0.0;
        to->imaginary[j] = j < n ? -sine : 0.0;
    }
}

static void multiply(const struct phases *restrict a, const struct phases *restrict b, struct phases *restrict to)
{
    PH_SIMD
    for (size_t j = 0; j < CHUNK; ++j) {
        to->real[j] = a->real[j] * b->real[j] - a->imaginary[j] * b->imaginary[j];
        to->imaginary[j] = a->real[j] * b->imaginary[j] + a->imaginary[j] * b->real[j];
    }
}

/* Computes every eighth power from its own angle, and the powers between as products, because long products would lose
 * digits. */
static void fill_powers(const struct task *task, const struct ph_recorded *snapshot, size_t first, size_t n,
                        struct scratch *scratch)
{
    for (int k = 0; k < 3; ++k) {
        const double *v = snapshot->box.inverse[k];
        struct phases *power = scratch->power[k] + task->highest[k];
        double s[CHUNK];
        for (size_t j = 0; j < CHUNK; ++j) {
            const double *r = &snapshot->data[task->quantity][3 * (first + (j < n ? j : 0))];
            s[j] = v[0] * r[0] + v[1] * r[1] + v[2] * r[2];
        }
        for (int m = 0; m <= task->highest[k]; ++m) {
            if (m > 2 && m % 8 != 0)
                multiply(&power[m - 1], &power[1], &power[m]);
            else
                turn(m, s, n, &power[m]);
            for (size_t j = 0; j < CHUNK && m > 0; ++j) {
                power[-m].real[j] = power[m].real[j];
                power[-m].imaginary[j] = -power[m].imaginary[j];
            }
        }
    }
}

/* The sum of a b c over a chunk: by lane, then over lanes */
static double complex sum_products(const struct phases *a, const struct phases *b, const struct phases *c)
{
    double real[PH_LANES] = {0.0}, imaginary[PH_LANES] = {0.0};
    for (size_t first = 0; first < CHUNK; first += PH_LANES) {
        PH_SIMD
        for (size_t l = 0; l < PH_LANES; ++l) {
            const size_t j = first + l;
            const double br = b->real[j], bi = b->imaginary[j], cr = c->real[j], ci = c->imaginary[j];
            const double xr = ph_fma(br, cr, -(bi * ci)), xi = ph_fma(br, ci, bi * cr);
            real[l] = ph_fma(a->real[j], xr, ph_fma(-a->imaginary[j], xi, real[l]));
            imaginary[l] = ph_fma(a->real[j], xi, ph_fma(a->imaginary[j], xr, imaginary[l]));
        }
    }
    double complex sum = 0.0;
    for (size_t l = 0; l < PH_LANES; ++l)
        sum += real[l] + I * imaginary[l];
    return sum;
}

static double wave_number(const struct ph_box *box, const int n[3])
{
    const double two_pi = 6.28318530717958647693;
    double square = 0.0;
    for (int j = 0; j < 3; ++j) {
        const double k = two_pi * (n[0] * box->inverse[0][j] + n[1] * box->inverse[1][j] + n[2] * box->inverse[2][j]);
        square += k * k;
    }
    return sqrt(square);
}

static bool add(const struct ph_recording *recording, const struct ph_recorded *snapshot, const void *data, void *own,
                double *sums)
{
    (void)recording;
    const struct task *task = data;
    struct scratch *scratch = own;
    memset(scratch->rho, 0, task->n_waves * sizeof *scratch->rho);
    for (size_t first = 0; first < task->n; first += CHUNK) {
        const size_t n = task->n - first < CHUNK ? task->n - first : CHUNK;
        fill_powers(task, snapshot, first, n, scratch);
        for (size_t w = 0; w < task->n_waves; ++w) {
            const int *m = task->waves[w].n, *top = task->highest;
            scratch->rho[w] += sum_products(&scratch->power[0][top[0] + m[0]], &scratch->power[1][top[1] + m[1]],
                                            &scratch->power[2][top[2] + m[2]]);
        }
    }
    sums[FRAMES] += 1.0;
    for (size_t w = 0; w < task->n_waves; ++w) {
        const double complex rho = scratch->rho[w];
        sums[FIRST_SUM + task->waves[w].shell] += (creal(rho) * creal(rho) + cimag(rho) * cimag(rho)) / (double)task->n;
        if (task->changing)
            sums[FIRST_SUM + task->n_shells + task->waves[w].shell] += wave_number(&snapshot->box, task->waves[w].n);
    }
    return true;
}

/* ---- Wave vectors ---- */

static int compare(const void *a, const void *b)
{
    const struct wave *one = a, *other = b;
    if (one->shell != other->shell)
        return one->shell < other->shell ? -1 : 1;
    for (int k = 0; k < 3; ++k)
        if (one->n[k] != other->n[k])
            return one->n[k] < other->n[k] ? -1 : 1;
    return 0;
}

/* All vectors of a half space up to k_max: n = 0 does not count, and of n and -n one is enough. */
static bool list_waves(const struct ph_box *box, double k_max, double width, struct task *task)
{
    size_t room = 0;
    for (int a = 0; a <= task->highest[0]; ++a)
        for (int b = -task->highest[1]; b <= task->highest[1]; ++b)
            for (int c = -task->highest[2]; c <= task->highest[2]; ++c) {
                const double k = wave_number(box, (int[]){a, b, c});
                const bool half = a > 0 || (a == 0 && (b > 0 || (b == 0 && c > 0)));
                if (!half || k > k_max)
                    continue;
                if (task->n_waves == room) {
                    room = 2 * room + 1024;
                    struct wave *waves = realloc(task->waves, room * sizeof *waves);
                    if (!waves)
                        return false;
                    task->waves = waves;
                }
                task->waves[task->n_waves++] = (struct wave){.n = {a, b, c}, .shell = (size_t)(k / width), .length = k};
            }
    return true;
}

/* Keeps some of each shell, and leaves out shells without any. */
static bool choose_waves(struct task *task)
{
    qsort(task->waves, task->n_waves, sizeof *task->waves, compare);
    task->k = calloc(MOST_SHELLS + 1, sizeof *task->k);
    task->count = calloc(MOST_SHELLS + 1, sizeof *task->count);
    if (!task->k || !task->count)
        return false;
    size_t kept = 0;
    for (size_t first = 0, next; first < task->n_waves; first = next) {
        next = first;
        while (next < task->n_waves && task->waves[next].shell == task->waves[first].shell)
            ++next;
        const size_t all = next - first, some = all < PER_SHELL ? all : PER_SHELL, shell = task->n_shells++;
        for (size_t w = 0; w < some; ++w) {
            struct wave wave = task->waves[first + w * all / some];
            wave.shell = shell;
            task->k[shell] += wave.length / (double)some;
            task->count[shell] += 1.0;
            task->waves[kept++] = wave; /* kept never exceeds the index that is read */
        }
    }
    task->n_waves = kept;
    return true;
}

static enum ph_status make_waves(const struct ph_analysis_request *request, const struct ph_recording *recording,
                                 struct task *task, struct ph_result *result, struct ph_error *err)
{
    const double two_pi = 6.28318530717958647693;
    const struct ph_reader *reader = &recording->reader;
    struct ph_boxes boxes;
    struct ph_box box;
    struct ph_error inner;
    const enum ph_status status = ph_recording_boxes(recording, request->stage, &boxes, result, err);
    if (status != PH_OK)
        return status;
    if (!boxes.periodic || ph_box_init_periodic((const double(*)[3])boxes.edge, &box, &inner) != PH_OK)
        return ph_error_set(err, PH_ERR_INPUT, "%s: a structure factor needs a periodic box.", reader->file.name);
    task->changing = boxes.change;
    if (boxes.change)
        ph_result_note(result, "The box changes in time: wave vectors fit that of each frame, and wave numbers are "
                               "their means over frames.");
    const double longest = fmax(box.width[0], fmax(box.width[1], box.width[2]));
    const double k_max = isnan(request->k_max) ? 4.0 * two_pi / cbrt(box.volume / (double)task->n) : request->k_max;
    const double width = isnan(request->spacing) ? two_pi / longest : request->spacing;
    bool good = k_max / width < MOST_SHELLS && k_max > 0.0;
    for (int k = 0; k < 3; ++k) { /* |n_k| = |k . edge_k|/2 pi <= |k| |edge_k|/2 pi */
        const double *e = box.edge[k], most = k_max * ph_vec3_norm(e) / two_pi;
        good = good && most < HIGHEST;
        task->highest[k] = good ? (int)most : 0;
    }
    if (!good)
        return ph_error_set(
            err, PH_ERR_INPUT,
            "--k-max %g and --spacing %g: not accepted; at most %d shells, and wave lengths down to the box over %d.",
            k_max, width, MOST_SHELLS, HIGHEST);
    if (!list_waves(&box, k_max, width, task) || !choose_waves(task))
        return ph_no_memory(err, "wave vectors");
    if (task->n_waves == 0)
        return ph_error_set(err, PH_ERR_INPUT, "--k-max %g: no wave vector of the box is as short; the shortest is %g.",
                            k_max, two_pi / longest);
    char unit[PH_RESULT_UNIT];
    snprintf(unit, sizeof unit, "%s%s", recording->length, recording->length[0] ? "-1" : "");
    ph_result_number(result, "k_max", k_max, unit);
    ph_result_number(result, "spacing", width, unit);
    ph_result_number(result, "wave_vectors", (double)task->n_waves, NULL);
    return PH_OK;
}

/* ---- Results ---- */

static void curve(const double *sums, const void *data, double *out)
{
    const struct task *task = data;
    for (size_t s = 0; s < task->n_shells; ++s)
        out[s] = sums[FIRST_SUM + s] / (sums[FRAMES] * task->count[s]);
}

static void mean_wave_numbers(size_t blocks, const struct ph_pass *sweep, const struct task *task, double *k)
{
    double frames = 0.0;
    for (size_t b = 0; b < blocks; ++b)
        frames += sweep->sums[b * sweep->size + FRAMES];
    for (size_t shell = 0; shell < task->n_shells; ++shell) {
        double sum = 0.0;
        for (size_t b = 0; b < blocks; ++b)
            sum += sweep->sums[b * sweep->size + FIRST_SUM + task->n_shells + shell];
        k[shell] = sum / (frames * task->count[shell]);
    }
}

static bool report(const struct ph_recording *recording, const struct task *task, struct ph_pass *sweep,
                   struct ph_result *result)
{
    char unit[PH_RESULT_UNIT];
    snprintf(unit, sizeof unit, "%s%s", recording->length, recording->length[0] ? "-1" : "");
    struct ph_result_table *table =
        ph_result_table(result, task->n_shells, "structure factor, by shells of |k|", "structure_factor");
    double *k = ph_result_column(result, table, "k", unit), *s = ph_result_column(result, table, "s", "");
    double *error = ph_result_column(result, table, "s_error", "");
    double *vectors = ph_result_column(result, table, "vectors", "");
    if (!k || !s || !error || !vectors)
        return false;
    memcpy(k, task->k, task->n_shells * sizeof *k);
    memcpy(vectors, task->count, task->n_shells * sizeof *k);
    const struct ph_mean first = ph_sweep_ratio(sweep, FIRST_SUM, FRAMES); /* the slowest: the smallest k */
    const size_t blocks = ph_blocks_merge(sweep->n_blocks, sweep->size, sweep->sums, PH_ERROR_BLOCKS);
    ph_result_number(result, "blocks", (double)blocks, NULL);
    if (!ph_jackknife_all(blocks, sweep->size, sweep->sums, curve, task, task->n_shells, s, error))
        return false;
    if (task->changing)
        mean_wave_numbers(blocks, sweep, task, k);
    size_t peak = 0;
    for (size_t i = 1; i < task->n_shells; ++i)
        peak = s[i] > s[peak] ? i : peak;
    ph_result_value(result, "peak_wave_number", k[peak], NAN, unit, "of the shell where S is highest");
    ph_result_value(result, "peak_height", s[peak], error[peak], "", "S there");
    struct ph_value *longest = ph_result_value(result, "s_of_longest_waves", s[0], error[0], "",
                                               "S at the smallest wave number, near rho kT kappa_T in a fluid");
    longest->correlation_time = ph_mean_time(&first, sweep->length);
    longest->rough = first.rough;
    return true;
}

static enum ph_status run(const struct ph_analysis_request *request, struct ph_result *result, struct ph_error *err)
{
    const bool sites = request->of && strcmp(request->of, "sites") == 0;
    struct ph_recording recording;
    struct ph_pass sweep = {.sums = NULL};
    struct task task = {.quantity = PH_CENTRE};
    if (request->of && !sites && strcmp(request->of, "centres") != 0)
        return ph_error_set(err, PH_ERR_INPUT, "--of %s: not accepted; give centres or sites.", request->of);
    enum ph_status status =
        ph_recording_open(request, PH_BIT(PH_CENTRE), sites ? PH_BIT(PH_SITE) : 0, &recording, result, err);
    if (sites && (recording.quantities & PH_BIT(PH_SITE)))
        task.quantity = PH_SITE;
    task.n = task.quantity == PH_SITE ? recording.reader.n_particles : recording.n_molecules;
    if (status == PH_OK)
        status = make_waves(request, &recording, &task, result, err);
    const struct ph_pass_task sweep_task = {.size = FIRST_SUM + (task.changing ? 2 : 1) * task.n_shells,
                                            .data = &task,
                                            .add = add,
                                            .scratch = sizeof(struct scratch),
                                            .begin = begin,
                                            .end = end};
    if (status == PH_OK)
        status = ph_sweep_run(&recording, &sweep_task, request, &sweep, err);
    if (status == PH_OK && !report(&recording, &task, &sweep, result))
        status = ph_no_memory(err, "the structure factor");
    free(sweep.sums);
    free(task.waves);
    free(task.k);
    free(task.count);
    ph_recording_close(&recording);
    return status;
}

const struct ph_analysis ph_analysis_structure_factor = {
    .name = "structure-factor",
    .summary = "structure factor S(k)",
    .documentation = "S(k) = <|sum exp(-i k.r)|^2>/N of all centres (or --of sites) at wave vectors that fit the box, "
                     "up to 60 of each shell of |k|, which is --spacing wide (default: the smallest wave number), up "
                     "to --k-max (default: four times 2 pi over the mean distance of particles).",
    .needs = "positions in a periodic box",
    .options = "stage frames of k-max spacing",
    .run = run,
};
