/* SPDX-License-Identifier: MIT */
/* Timing on machines that do other things at the same time. Every flow is timed for a short moment, one after the
 * other, many times over, and its best time counts. One thread is timed by its own processor clock, which stands still
 * while other threads run. Several threads are timed by the wall clock, and a moment counts only if they ran together.
 * Else a scheduler that puts two threads on one processor would be taken for a flow that does not scale. */
#include "lab/bench/flows.h"

#include "base/clock.h"
#include "lab/problems/flow_reference.h"
#include "lab/problems/flow_states.h"
#include "lab/stopwatch.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#ifdef _OPENMP
#include <omp.h>
int ph_bench_max_threads(void) { return omp_get_max_threads(); }
#else
int ph_bench_max_threads(void) { return 1; }
#endif

const double ph_bench_inertia[3] = {1.0, 1.88, 2.88};

static const double bench_turn = 0.1; /* rms |omega| h */

/* ---- speed ---- */

/* Maxwell's distribution at temperature one: m_k normal with variance I_k */
static void fill_thermal(const double inertia[3], struct ph_bodies bodies)
{
    for (size_t i = 0; i < bodies.n; ++i)
        for (int k = 0; k < 3; ++k)
            bodies.m[k][i] = sqrt(inertia[k]) * ph_states_normal(3, 3 * i + (size_t)k);
    ph_bodies_set_norm(bodies);
}

/* Seconds of one call, the mean of a few; infinite if the threads did not run together */
static double time_steps(const struct ph_flow *flow, const struct ph_top *top, double h, int threads,
                         struct ph_bodies start, struct ph_bodies work)
{
    enum { CALLS = 4 };
    ph_states_copy(start, work);
    ph_flow_advance(flow, top, h, work); /* caches, threads */
    const struct ph_stopwatch watch = ph_stopwatch_start(threads);
    for (int i = 0; i < CALLS; ++i)
        ph_flow_advance(flow, top, h, work);
    return ph_stopwatch_read(&watch) / CALLS;
}

enum ph_status ph_time_flows(size_t n_flows, const struct ph_flow *const flows[], int n_threads, const int threads[],
                             double seconds, struct ph_flow_timing timings[], struct ph_error *err)
{
    struct ph_top top;
    struct ph_bodies start = {0}, work = {0};
    enum ph_status status = ph_top_init(ph_bench_inertia, &top, err);
    if (status == PH_OK)
        status = ph_states_create(PH_BENCH_BODIES, &start, err);
    if (status == PH_OK)
        status = ph_states_create(PH_BENCH_BODIES, &work, err);
    if (status == PH_OK) {
        fill_thermal(ph_bench_inertia, start);
        double rate = 0.0; /* <omega^2> = sum 1 / I_k */
        for (int k = 0; k < 3; ++k)
            rate += 1.0 / ph_bench_inertia[k];
        const double h = bench_turn / sqrt(rate);
        const int all_threads = ph_bench_max_threads();
        for (size_t f = 0; f < n_flows; ++f) {
            timings[f].flow = flows[f];
            for (int t = 0; t < PH_BENCH_THREAD_COUNTS; ++t)
                timings[f].ns[t] = t < n_threads ? HUGE_VAL : NAN;
        }
        const double end = ph_clock_wall() + seconds;
        do {
            for (int t = 0; t < n_threads; ++t) {
                ph_stopwatch_use_threads(threads[t]);
                for (size_t f = 0; f < n_flows; ++f) {
                    const double ns = 1e9 * time_steps(flows[f], &top, h, threads[t], start, work) / PH_BENCH_BODIES;
                    timings[f].ns[t] = fmin(timings[f].ns[t], ns);
                }
            }
        } while (ph_clock_wall() < end);
        ph_stopwatch_use_threads(all_threads);
        for (size_t f = 0; f < n_flows; ++f)
            for (int t = 0; t < n_threads; ++t)
                if (!isfinite(timings[f].ns[t]))
                    timings[f].ns[t] = NAN;
    }
    ph_states_destroy(&start);
    ph_states_destroy(&work);
    return status;
}

/* ---- work and precision ---- */

static const char *const work_names[PH_WORK_BODIES] = {"asymmetric", "flat", "random"};

const char *ph_work_body_name(size_t body) { return body < PH_WORK_BODIES ? work_names[body] : NULL; }

static const double work_time = 10.0;
enum { RANDOM_BODIES = 100, COPIES_OF_ONE = 2048, COPIES_OF_RANDOM = 256 };

/* One body, the way it goes, and an array of copies to time it on */
struct work {
    struct ph_top top;
    struct ph_reference_body start, end;
};

/* Moments and momentum of random body i */
static void draw(uint64_t i, double inertia[3], double m[3])
{
    for (uint64_t trial = 0;; ++trial) { /* every second trial succeeds */
        const double a = ph_states_uniform(100 + i, 2 * trial), b = ph_states_uniform(100 + i, 2 * trial + 1);
        if (a + b < 1.0 || a == b)
            continue;
        inertia[0] = fmin(a, b);
        inertia[1] = fmax(a, b);
        inertia[2] = 1.0;
        break;
    }
    double square = 0.0;
    for (uint64_t k = 0; k < 3; ++k) {
        m[k] = fabs(ph_states_normal(4, 3 * i + k));
        square += m[k] * m[k];
    }
    for (int k = 0; k < 3; ++k)
        m[k] /= sqrt(square);
}

static enum ph_status prepare(enum ph_work_body kind, size_t n, struct work *work, struct ph_error *err)
{
    for (size_t i = 0; i < n; ++i) {
        double inertia[3], m[3];
        const struct ph_certify_body *body = &ph_certify_bodies[kind == PH_WORK_FLAT ? 0 : 1];
        for (int k = 0; k < 3; ++k) {
            inertia[k] = body->inertia[k];
            m[k] = body->momentum[k];
        }
        if (kind == PH_WORK_RANDOM)
            draw(i, inertia, m);
        const enum ph_status status = ph_top_init(inertia, &work[i].top, err);
        if (status != PH_OK)
            return status;
        work[i].start = (struct ph_reference_body){.m = {m[0], m[1], m[2]}, .q = {1.0L}};
    }
#pragma omp parallel for schedule(dynamic)
    for (size_t i = 0; i < n; ++i) {
        work[i].end = work[i].start;
        ph_reference_advance(work[i].top.inertia, (long double)work_time, &work[i].end);
    }
    return PH_OK;
}

static void fill_copies(const struct work *work, struct ph_bodies bodies)
{
    for (size_t i = 0; i < bodies.n; ++i) {
        for (int k = 0; k < 3; ++k)
            bodies.m[k][i] = (double)work->start.m[k];
        for (int k = 0; k < 4; ++k)
            bodies.q[k][i] = (double)work->start.q[k];
    }
    ph_bodies_set_norm(bodies);
}

/* Digits; 0 for a completely wrong answer or NaN. */
static double digits(double error) { return error < 1.0 ? -log10(fmax(error, 0.1 * DBL_EPSILON)) : 0.0; }

/* Digits of m and q at the end */
static void digits_at_end(const struct ph_flow *flow, const struct work *work, int n_steps, double *digits_m,
                          double *digits_q)
{
    double m[3], q[4], norm;
    const struct ph_bodies body = {.n = 1, .m = {m, m + 1, m + 2}, .q = {q, q + 1, q + 2, q + 3}, .norm = &norm};
    fill_copies(work, body);
    for (int n = 0; n < n_steps; ++n)
        ph_flow_advance(flow, &work->top, work_time / n_steps, body);
    double off_m = 0.0, minus = 0.0, plus = 0.0;
    for (int k = 0; k < 3; ++k)
        off_m += pow((double)(m[k] - work->end.m[k]) / norm, 2.0);
    for (int k = 0; k < 4; ++k) {
        minus += pow((double)(q[k] - work->end.q[k]), 2.0);
        plus += pow((double)(q[k] + work->end.q[k]), 2.0);
    }
    *digits_m = digits(sqrt(off_m));
    *digits_q = digits(sqrt(fmin(minus, plus)));
}

/* One body after the other in each thread; added up in their order, so that the sum does not depend on the threads */
static void measure_errors(const struct work *works, size_t n, struct ph_work_point *point)
{
    double digits_m[RANDOM_BODIES], digits_q[RANDOM_BODIES], sum_m = 0.0, sum_q = 0.0;
#pragma omp parallel for schedule(dynamic)
    for (size_t i = 0; i < n; ++i)
        digits_at_end(point->flow, &works[i], point->n_steps, &digits_m[i], &digits_q[i]);
    for (size_t i = 0; i < n; ++i) {
        sum_m += digits_m[i];
        sum_q += digits_q[i];
    }
    point->error_m = pow(10.0, -sum_m / (double)n);
    point->error_q = pow(10.0, -sum_q / (double)n);
}

/* On one thread. The best of several times if there is one body; a disturbance of one of many bodies is small in their
 * mean. */
static void measure_cost(const struct work *works, size_t n, struct ph_bodies start, struct ph_bodies bodies,
                         struct ph_work_point *point)
{
    const int all_threads = ph_bench_max_threads();
    ph_stopwatch_use_threads(1);
    double seconds = 0.0;
    for (size_t i = 0; i < n; ++i) {
        fill_copies(&works[i], start);
        double best = HUGE_VAL;
        for (int repetition = 0; repetition < (n == 1 ? 4 : 1); ++repetition)
            best = fmin(best, time_steps(point->flow, &works[i].top, point->step, 1, start, bodies));
        seconds += best / (double)n;
    }
    ph_stopwatch_use_threads(all_threads);
    point->ns_per_body_step = 1e9 * seconds / (double)bodies.n;
    point->cost_total_ns = point->ns_per_body_step * point->n_steps;
}

/* Steps evenly spaced in the logarithm: 0.34 to 0.014 as in the paper of the random bodies; wider for one body */
static int steps_of(enum ph_work_body kind, int i, int n)
{
    const double coarse = kind == PH_WORK_RANDOM ? 0.34 : 0.4, fine = kind == PH_WORK_RANDOM ? 0.014 : 0.002;
    return (int)lround(work_time / (coarse * pow(fine / coarse, i / (n - 1.0))));
}

enum ph_status ph_measure_work(size_t n_flows, const struct ph_flow *const flows[], enum ph_work_body body, int n_steps,
                               void (*progress)(size_t done, size_t n_flows, void *data), void *data,
                               struct ph_work_point points[], struct ph_error *err)
{
    const size_t n = body == PH_WORK_RANDOM ? RANDOM_BODIES : 1;
    const size_t copies = body == PH_WORK_RANDOM ? COPIES_OF_RANDOM : COPIES_OF_ONE;
    struct ph_bodies start = {0}, bodies = {0};
    struct work *works = calloc(n, sizeof *works);
    enum ph_status status = works ? PH_OK : ph_no_memory(err, "%zu bodies", n);
    if (status == PH_OK)
        status = prepare(body, n, works, err);
    if (status == PH_OK)
        status = ph_states_create(copies, &start, err);
    if (status == PH_OK)
        status = ph_states_create(copies, &bodies, err);
    for (size_t f = 0; f < n_flows && status == PH_OK; ++f) {
        if (progress)
            progress(f, n_flows, data);
        for (int i = 0; i < n_steps; ++i) {
            struct ph_work_point *point = &points[f * (size_t)n_steps + (size_t)i];
            const int steps = steps_of(body, i, n_steps);
            *point = (struct ph_work_point){.flow = flows[f], .n_steps = steps, .step = work_time / steps};
            measure_errors(works, n, point);
            measure_cost(works, n, start, bodies, point);
        }
    }
    if (progress && status == PH_OK)
        progress(n_flows, n_flows, data);
    ph_states_destroy(&start);
    ph_states_destroy(&bodies);
    free(works);
    return status;
}
