/* SPDX-License-Identifier: MIT */
/* All systems are timed in turn, again and again, and the best times count: so that other load on the machine affects
 * all of them alike. */
#include "lab/bench/forces.h"

#include "base/clock.h"
#include "base/random.h"
#include "dynamics/dynamics.h"
#include "lab/bench/flows.h"
#include "lab/bench/systems.h"
#include "lab/stopwatch.h"
#include "parallel/ranks.h"
#include "run/build/build.h"
#include "run/build/methods.h"
#include "run/threads.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

size_t ph_bench_forces_count(void) { return PH_WORKLOADS; }

/* ---- Timing ---- */

enum demand { FORCES, FORCES_AND_ENERGY, FORCES_AND_LIST };

static const double moment = 1e-3;

/* Seconds of one evaluation: the mean over `least` seconds at least */
static enum ph_status time_evaluation(struct ph_bench_system *bench, enum demand demand, int threads, double least,
                                      double *best, struct ph_error *err)
{
    struct ph_energy energy, *wanted = demand == FORCES_AND_ENERGY ? &energy : NULL;
    ph_stopwatch_use_threads(threads);
    enum ph_status status =
        ph_force_field_evaluate(bench->field, bench->system, PH_FORCES_ALL, NULL, wanted, err); /* caches, threads */
    int calls = 0;
    const struct ph_stopwatch watch = ph_stopwatch_start(threads);
    do {
        if (demand == FORCES_AND_LIST)
            ph_force_field_forget(bench->field);
        status = status == PH_OK
                     ? ph_force_field_evaluate(bench->field, bench->system, PH_FORCES_ALL, NULL, wanted, err)
                     : status;
        ++calls;
    } while (ph_clock_wall() - watch.wall < least && status == PH_OK);
    *best = fmin(*best, ph_stopwatch_read(&watch) / calls);
    return status;
}

static enum ph_status time_once(const struct ph_workload *w, struct ph_bench_system *bench, int threads,
                                struct ph_force_timing *t, struct ph_error *err)
{
    enum ph_status status = time_evaluation(bench, FORCES, 1, moment, &t->seconds, err);
    if (status == PH_OK)
        status = time_evaluation(bench, FORCES, threads, moment, &t->seconds_all, err);
    if (status == PH_OK)
        status = time_evaluation(bench, FORCES_AND_ENERGY, 1, moment, &t->energy_seconds, err);
    if (status == PH_OK && !w->open)
        status = time_evaluation(bench, FORCES_AND_LIST, 1, moment, &t->list_seconds, err);
    if (status == PH_OK && !w->open)
        status = time_evaluation(bench, FORCES_AND_LIST, threads, moment, &t->list_seconds_all, err);
    return status;
}

/* Every thread evaluates a system of its own. */
struct side_by_side {
    int threads;
    struct ph_bench_system *bench; /* owned, and one for each thread */
    double alone, together;        /* seconds of an evaluation */
};

static enum ph_status make_side_by_side(int threads, struct side_by_side *side, struct ph_error *err)
{
    *side = (struct side_by_side){.threads = threads, .alone = HUGE_VAL, .together = HUGE_VAL};
    if (!(side->bench = calloc((size_t)threads, sizeof *side->bench)))
        return ph_no_memory(err, "%d systems", threads);
    enum ph_status status = PH_OK;
    for (int t = 0; t < threads && status == PH_OK; ++t)
        status = ph_bench_system_make(&ph_workloads[0], ph_workloads[0].n, &side->bench[t], err);
    return status;
}

static enum ph_status time_side_by_side(struct side_by_side *side, struct ph_error *err)
{
    enum { CALLS = 2 };
    enum ph_status status = time_evaluation(&side->bench[0], FORCES, 1, moment, &side->alone, err);
    ph_stopwatch_use_threads(side->threads);
    const struct ph_stopwatch watch = ph_stopwatch_start(side->threads);
    int failed = 0;
#pragma omp parallel for schedule(static, 1) reduction(+ : failed)
    for (int t = 0; t < side->threads; ++t)
        for (int k = 0; k < CALLS; ++k) { /* loops inside have but one thread */
            struct ph_error own;
            failed += ph_force_field_evaluate(side->bench[t].field, side->bench[t].system, PH_FORCES_ALL, NULL, NULL,
                                              &own) != PH_OK;
        }
    side->together = fmin(side->together, ph_stopwatch_read(&watch) / CALLS);
    if (status == PH_OK && failed > 0)
        status = ph_error_set(err, PH_ERR_NUMBERS, "Forces side by side failed.");
    return status;
}

static void clear_side_by_side(struct side_by_side *side)
{
    for (int t = 0; t < side->threads && side->bench; ++t)
        ph_bench_system_clear(&side->bench[t]);
    free(side->bench);
}

static double known(double time) { return isfinite(time) ? time : NAN; }

double ph_force_list_share(const struct ph_force_timing *timing)
{
    if (timing->steps_per_list == 0.0)
        return 0.0;
    return timing->list_seconds / (timing->list_seconds + timing->steps_per_list * timing->seconds);
}

enum ph_status ph_bench_forces(double seconds, int threads, struct ph_force_timing timings[], double *side_by_side,
                               struct ph_error *err)
{
    struct ph_bench_system bench[PH_WORKLOADS] = {{.system = NULL}};
    struct ph_parts_bench *parts[PH_WORKLOADS] = {NULL};
    double ceiling[PH_CEILINGS];
    for (int kind = 0; kind < PH_CEILINGS; ++kind)
        ceiling[kind] = HUGE_VAL;
    struct side_by_side side;
    enum ph_status status = make_side_by_side(threads, &side, err);
    for (size_t w = 0; w < PH_WORKLOADS && status == PH_OK; ++w) {
        struct ph_force_timing *t = &timings[w];
        *t = (struct ph_force_timing){.name = ph_workloads[w].name,
                                      .summary = ph_workloads[w].summary,
                                      .n = ph_workloads[w].n,
                                      .step = ph_workloads[w].step,
                                      .kind = ph_workloads[w].ceiling,
                                      .seconds = HUGE_VAL,
                                      .seconds_all = HUGE_VAL,
                                      .energy_seconds = HUGE_VAL,
                                      .list_seconds = HUGE_VAL,
                                      .list_seconds_all = HUGE_VAL};
        status = ph_bench_system_make(&ph_workloads[w], ph_workloads[w].n, &bench[w], err);
        if (status == PH_OK)
            status = ph_bench_system_melt(&ph_workloads[w], &bench[w], &t->steps_per_list, err);
        if (status == PH_OK)
            t->pairs = ph_bench_system_pairs(&bench[w]);
        if (status == PH_OK && !ph_workloads[w].open)
            status = ph_parts_create(&bench[w], t->step, t->steps_per_list, &parts[w], err);
    }
    const double end = ph_clock_wall() + seconds;
    do {
        ph_stopwatch_use_threads(1);
        for (int kind = 0; kind < PH_CEILINGS; ++kind)
            ceiling[kind] = fmin(ceiling[kind], ph_ceiling_seconds((enum ph_ceiling)kind));
        for (size_t w = 0; w < PH_WORKLOADS && status == PH_OK; ++w)
            status = time_once(&ph_workloads[w], &bench[w], threads, &timings[w], err);
        for (size_t w = 0; w < PH_WORKLOADS && status == PH_OK; ++w) {
            status = time_side_by_side(&side, err);
            if (status == PH_OK && parts[w])
                status = ph_parts_time(parts[w], err);
        }
    } while (status == PH_OK && ph_clock_wall() < end);
    ph_stopwatch_use_threads(threads);
    for (size_t w = 0; w < PH_WORKLOADS; ++w) {
        struct ph_force_timing *t = &timings[w];
        t->pairs_evaluated = status == PH_OK ? ph_force_field_counts(bench[w].field).site_pairs : 0;
        t->ceiling_seconds = ceiling[t->kind];
        t->seconds_all = known(t->seconds_all);
        t->list_seconds = ph_workloads[w].open ? 0.0 : t->list_seconds - t->seconds;
        t->list_seconds_all = ph_workloads[w].open ? 0.0 : known(t->list_seconds_all) - t->seconds_all;
        if (status == PH_OK && parts[w])
            ph_parts_read(parts[w], t->pairs, t->ceiling_seconds, t->part);
        ph_parts_destroy(parts[w]);
        ph_bench_system_clear(&bench[w]);
    }
    *side_by_side = threads * side.alone / known(side.together);
    clear_side_by_side(&side);
    return status;
}

/* ---- Growth with size ---- */

/* Bytes of this process in memory; 0 if the system does not tell */
static double resident_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file)
        return 0.0;
    long pages = 0;
    if (fscanf(file, "%*d %ld", &pages) != 1)
        pages = 0;
    fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static double peak_bytes(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? 1024.0 * (double)usage.ru_maxrss : 0.0;
}

/* Centres in random order */
static void shuffle(struct ph_system *system)
{
    struct ph_random random = ph_random_stream(1, PH_RANDOM_ORDER, 0);
    for (size_t i = system->n; i > 1; --i) {
        const size_t j = ph_random_below(&random, i);
        for (int k = 0; k < 3; ++k) {
            const double r = system->r[k][i - 1];
            system->r[k][i - 1] = system->r[k][j];
            system->r[k][j] = r;
        }
    }
}

/* Makes the system of a row, evaluates it once, and measures the memory that this takes */
static enum ph_status make_size(struct ph_force_scaling *row, struct ph_bench_system *bench, struct ph_error *err)
{
    enum { LARGE = 100000 };
    const double before = resident_bytes(), n = (double)row->n;
    enum ph_status status = ph_bench_system_make(&ph_workloads[0], row->n, bench, err);
    const double state = resident_bytes();
    if (status == PH_OK && row->shuffled)
        shuffle(bench->system);
    if (status == PH_OK)
        status = ph_force_field_evaluate(bench->field, bench->system, PH_FORCES_ALL, NULL, NULL, err);
    const bool tells = row->n >= LARGE && !row->shuffled && before > 0.0; /* the peak belongs to the first system */
    row->state_bytes = tells ? (state - before) / n : NAN;
    row->force_bytes = tells ? (resident_bytes() - state) / n : NAN;
    row->list_peak_bytes = tells ? (peak_bytes() - before) / n : NAN;
    row->seconds = row->list_seconds = HUGE_VAL;
    return status;
}

/* Forces and lists of all rows in turn: means over the same time, so that other work on the machine finds all alike */
static enum ph_status time_sizes(struct ph_bench_system bench[], struct ph_force_scaling rows[], struct ph_error *err)
{
    enum { TURNS = 10 };
    static const double least = 0.2;
    enum ph_status status = PH_OK;
    for (size_t turn = 0; turn < TURNS * PH_SCALING_ROWS && status == PH_OK; ++turn) {
        const size_t k = turn % PH_SCALING_ROWS;
        status = time_evaluation(&bench[k], FORCES, 1, least, &rows[k].seconds, err);
        if (status == PH_OK)
            status = time_evaluation(&bench[k], FORCES_AND_LIST, 1, least, &rows[k].list_seconds, err);
    }
    return status;
}

/* Whole steps of all rows in turn, all in all */
static enum ph_status time_steps_of_sizes(struct ph_bench_system bench[], struct ph_force_scaling rows[],
                                          struct ph_error *err)
{
    enum { TURNS = 10, STEPS = 4 /* of the first row, which is the largest */ };
    struct ph_dynamics *dynamics[PH_SCALING_ROWS] = {NULL};
    const struct ph_dynamics_options options = {
        .scheme = ph_scheme_find("verlet"), .flow = ph_flow_find("exact"), .step = ph_workloads[0].step};
    enum ph_status status = PH_OK;
    for (size_t k = 0; k < PH_SCALING_ROWS && status == PH_OK; ++k)
        status = ph_dynamics_create(bench[k].system, bench[k].field, &options, &dynamics[k], err);
    for (size_t turn = 0; turn < TURNS * PH_SCALING_ROWS && status == PH_OK; ++turn) {
        const size_t k = turn % PH_SCALING_ROWS;
        const long steps = (long)(STEPS * rows[0].n / rows[k].n);
        const struct ph_stopwatch watch = ph_stopwatch_start(1);
        status = ph_dynamics_advance(dynamics[k], steps, err);
        rows[k].step_seconds += ph_stopwatch_read(&watch) / (double)(TURNS * steps);
    }
    for (size_t k = 0; k < PH_SCALING_ROWS; ++k)
        ph_dynamics_destroy(dynamics[k]);
    return status;
}

enum ph_status ph_bench_scaling(struct ph_force_scaling rows[PH_SCALING_ROWS], struct ph_error *err)
{
    static const struct ph_force_scaling plan[PH_SCALING_ROWS] = {
        {.n = 256000}, {.n = 256000, .shuffled = true}, {.n = 4000}, {.n = 4000, .shuffled = true}};
    struct ph_bench_system bench[PH_SCALING_ROWS] = {{.system = NULL}};
    enum ph_status status = PH_OK;
    ph_stopwatch_use_threads(1);
    for (size_t k = 0; k < PH_SCALING_ROWS && status == PH_OK; ++k) {
        rows[k] = plan[k];
        status = make_size(&rows[k], &bench[k], err);
    }
    if (status == PH_OK)
        status = time_sizes(bench, rows, err);
    if (status == PH_OK)
        status = time_steps_of_sizes(bench, rows, err);
    for (size_t k = 0; k < PH_SCALING_ROWS; ++k) {
        rows[k].list_seconds = (rows[k].list_seconds - rows[k].seconds) / (double)rows[k].n;
        rows[k].seconds /= (double)rows[k].n;
        rows[k].step_seconds /= (double)rows[k].n;
        ph_bench_system_clear(&bench[k]);
    }
    return status;
}

/* ---- Steps of an input ---- */

static double total_energy(struct ph_state *state, const struct ph_energy *energy)
{
    double kinetic[PH_BATH_GROUPS];
    ph_state_kinetic(state, kinetic);
    return ph_energy_total(energy) + kinetic[0] + kinetic[1] + kinetic[2] + kinetic[3];
}

static enum ph_status run_steps(struct ph_bench_system *bench, struct ph_dynamics *dynamics, bool parts,
                                struct ph_step_timing *timing, struct ph_error *err)
{
    struct ph_energy before, after;
    enum ph_status status = ph_dynamics_synchronise(dynamics, &before, err);
    if (status != PH_OK)
        return status;
    timing->potential = ph_energy_total(&before) - before.long_range;
    const double total = total_energy(ph_dynamics_state(dynamics), &before);
    const size_t lists = ph_bench_system_lists(bench),
                 evaluations = ph_state_counts(ph_dynamics_state(dynamics)).evaluations;
    const bool several = ph_ranks_count() > 1;
    const struct ph_bench_ranks_watch together =
        several ? ph_bench_ranks_watch_start() : (struct ph_bench_ranks_watch){.wall = 0.0};
    const struct ph_stopwatch watch = ph_stopwatch_start(timing->threads);
    if (parts)
        ph_spent_start();
    status = ph_dynamics_advance(dynamics, timing->steps, err);
    if (parts)
        timing->spent = ph_spent_stop();
    timing->seconds = ph_stopwatch_read_any(&watch);
    if (several) {
        timing->team = ph_bench_ranks_watch_read(&together);
        timing->seconds = timing->team.seconds;
    }
    timing->lists_made = ph_bench_system_lists(bench) - lists;
    timing->evaluations = ph_state_counts(ph_dynamics_state(dynamics)).evaluations - evaluations;
    if (status == PH_OK)
        status = ph_dynamics_synchronise(dynamics, &after, err);
    if (status == PH_OK)
        timing->drift = (total_energy(ph_dynamics_state(dynamics), &after) - total) / (double)timing->n;
    return status;
}

enum ph_status ph_bench_steps(const char *input_file, int threads, bool parts, struct ph_step_timing *timing,
                              struct ph_error *err)
{
    enum { COUNTABLE = 20000 };
    struct ph_input *input = calloc(1, sizeof *input);
    if (!input)
        return ph_no_memory(err, "an input");
    struct ph_bench_system bench = {.system = NULL};
    enum ph_status status = ph_input_read(input_file, 0, NULL, input, err);
    if (status == PH_OK && input->dynamics.line == 0)
        status = ph_error_set(err, PH_ERR_INPUT, "%s: dynamics is missing: the benchmark needs its step and steps.",
                              input_file);
    struct ph_methods methods;
    if (status == PH_OK)
        status = ph_methods_find(input, &methods, err);
    if (status == PH_OK && methods.integrator)
        status = ph_error_set(err, PH_ERR_INPUT,
                              "%s: dynamics.integrator is %s: steps are timed of splitting schemes, dynamics.scheme.",
                              input_file, methods.integrator->name);
    if (status == PH_OK)
        status = ph_build_system(input, &bench.system, &bench.interactions, NULL, err);
    if (status == PH_OK) {
        ph_stopwatch_use_threads(threads > 0 ? threads : ph_threads_suitable(bench.system, &bench.interactions));
        status = ph_force_field_create(bench.system, &bench.interactions, &bench.field, err);
    }
    const size_t pairs = /* counted before ranks divide the molecules */
        status == PH_OK && bench.system->n <= COUNTABLE ? ph_bench_system_pairs(&bench) : 0;
    struct ph_dynamics *dynamics = NULL;
    if (status == PH_OK) {
        const struct ph_dynamics_options options = {.scheme = methods.scheme,
                                                    .flow = methods.flow,
                                                    .inner = methods.inner,
                                                    .substeps = methods.substeps,
                                                    .step = input->dynamics.step,
                                                    .compensated = input->dynamics.compensated,
                                                    .pinned = bench.interactions.pinned};
        status = ph_dynamics_create(bench.system, bench.field, &options, &dynamics, err);
    }
    if (status == PH_OK) {
        *timing = (struct ph_step_timing){.scheme = methods.scheme,
                                          .flow = methods.flow,
                                          .n = bench.system->n,
                                          .pairs = pairs,
                                          .threads = ph_bench_max_threads(),
                                          .steps = (long)input->dynamics.steps,
                                          .step = input->dynamics.step};
        status = run_steps(&bench, dynamics, parts, timing, err);
    }
    ph_dynamics_destroy(dynamics);
    ph_bench_system_clear(&bench);
    free(input);
    return status;
}
