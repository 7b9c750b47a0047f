/* SPDX-License-Identifier: MIT */
/* polhode bench flows: the free rigid body, its speed and its errors. */
#include "cli/commands/bench/cmd_bench.h"
#include "lab/bench/flows.h"
#include "lab/table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- files ---- */

static enum ph_status open_csv(const char *path, FILE **file, struct ph_error *err)
{
    *file = NULL;
    if (!path)
        return PH_OK;
    *file = fopen(path, "w");
    return *file ? PH_OK
                 : ph_error_set(err, PH_ERR_IO, "'%s' could not be opened for writing: %s.", path, strerror(errno));
}

static enum ph_status close_csv(const char *path, FILE *file, struct ph_error *err)
{
    if (!file)
        return PH_OK;
    const bool failed = ferror(file) != 0;
    if (fclose(file) != 0 || failed)
        return ph_error_set(err, PH_ERR_IO, "'%s' could not be written completely.", path);
    return PH_OK;
}

/* ---- speed of the flows ---- */

enum { ONE, TWO, ALL }; /* numbers of threads timed */
static const double bench_seconds = 10.0;

/* A ratio of two costs that a user compares with the literature */
static const struct ratio {
    const char *upper, *lower;
} ratios[] = {{"exact", "dmv8"}, {"exact", "mr2"}, {"dmv10", "dmv2"}};
enum { N_RATIOS = sizeof ratios / sizeof ratios[0] };

struct speeds {
    size_t n;
    int threads[PH_BENCH_THREAD_COUNTS];
    struct ph_flow_timing *timings;
};

static const struct ph_flow_timing *timing_of(const struct speeds *speeds, const char *name)
{
    for (size_t i = 0; i < speeds->n; ++i)
        if (strcmp(speeds->timings[i].flow->name, name) == 0)
            return &speeds->timings[i];
    return NULL;
}

/* NaN if one of the two does not exist */
static double cost_ratio(const struct speeds *speeds, const char *upper, const char *lower)
{
    const struct ph_flow_timing *a = timing_of(speeds, upper), *b = timing_of(speeds, lower);
    return a && b ? a->ns[ONE] / b->ns[ONE] : NAN;
}

static double speed_up(const struct ph_flow_timing *timing, int threads)
{
    return timing->ns[ONE] / timing->ns[threads];
}

static const struct ph_table_column speed_columns[] = {
    {"flow", "flow of the free rigid body", true},
    {"ns_per_body_step", "one thread", false},
    {"ns_per_body_step_all_threads", "so many threads as the next column says", false},
    {"threads", "", false},
    {"cost_to_mr2", "one thread", false},
    {"speed_up", "all threads against one", false},
};
enum { SPEED_COLUMNS = sizeof speed_columns / sizeof *speed_columns };

static enum ph_status list_speeds(const struct speeds *speeds, struct ph_table *table, struct ph_error *err)
{
    ph_table_init(table, "flows", "speed of the flows", SPEED_COLUMNS, speed_columns);
    enum ph_status status = PH_OK;
    for (size_t i = 0; i < speeds->n && status == PH_OK; ++i) {
        const struct ph_flow_timing *t = &speeds->timings[i];
        status = ph_table_append(table, (const char *const[]){t->flow->name},
                                 (const double[]){t->ns[ONE], t->ns[ALL], speeds->threads[ALL],
                                                  cost_ratio(speeds, t->flow->name, "mr2"), speed_up(t, ALL)},
                                 err);
    }
    return status;
}

static void say_ratios(struct ph_json *json, const struct speeds *speeds)
{
    ph_json_begin_object(json, "ratios");
    for (size_t i = 0; i < N_RATIOS; ++i) {
        const double ratio = cost_ratio(speeds, ratios[i].upper, ratios[i].lower);
        char key[64];
        snprintf(key, sizeof key, "%s/%s", ratios[i].upper, ratios[i].lower);
        ph_json_number(json, key, ratio);
        if (isfinite(ratio))
            ph_json_say(json, "cost of %s / %s: %.2f\n", ratios[i].upper, ratios[i].lower, ratio);
    }
    const struct ph_flow_timing *exact = timing_of(speeds, "exact");
    const double gain = exact && speeds->threads[TWO] == 2 ? speed_up(exact, TWO) : NAN;
    ph_json_number(json, "two_threads/one", gain);
    if (isfinite(gain))
        ph_json_say(json, "speed of exact on two threads / one: %.2f\n", gain);
    ph_json_end(json);
}

static void say_speeds(struct ph_json *json, const struct speeds *speeds, const struct ph_table *table)
{
    char all[32];
    snprintf(all, sizeof all, "%d thread%s", speeds->threads[ALL], speeds->threads[ALL] == 1 ? "" : "s");
    const struct ph_table_look looks[SPEED_COLUMNS] = {{"flow", NULL}, {"1 thread", "%.2f"}, {all, "%.2f"},
                                                       {NULL, NULL},   {"/mr2", "%.2f"},     {"speed-up", "%.2f"}};
    bool missing = false;
    for (size_t i = 0; i < speeds->n; ++i)
        missing = missing || !isfinite(speeds->timings[i].ns[ALL]);
    ph_json_say(json, "%d molecules, I = (%g, %g, %g), rms |omega| h = 0.1; ns per body and step, best of many\n\n",
                PH_BENCH_BODIES, ph_bench_inertia[0], ph_bench_inertia[1], ph_bench_inertia[2]);
    ph_json_begin_object(json, NULL);
    ph_json_string(json, "bench", "flows");
    ph_json_integer(json, "bodies", PH_BENCH_BODIES);
    ph_json_numbers(json, "inertia", 3, ph_bench_inertia);
    ph_json_integer(json, "threads", speeds->threads[ALL]);
    ph_json_table(json, "flows", table, looks);
    if (missing)
        ph_json_say(json, "\n-: the threads never ran together, other work keeps the processors busy. "
                          "OMP_PROC_BIND=spread helps.\n");
    ph_json_say(json, "\n");
    say_ratios(json, speeds);
    ph_json_end(json);
}

static enum ph_status bench_speed(const struct ph_flows_words *words, bool json, size_t n,
                                  const struct ph_flow *const flows[], struct ph_error *err)
{
    FILE *csv;
    enum ph_status status = open_csv(words->csv, &csv, err);
    if (status != PH_OK)
        return status;
    const int all = ph_bench_max_threads();
    struct speeds speeds = {
        .n = n, .threads = {1, all < 2 ? all : 2, all}, .timings = calloc(n, sizeof *speeds.timings)};
    status = speeds.timings
                 ? ph_time_flows(n, flows, PH_BENCH_THREAD_COUNTS, speeds.threads, bench_seconds, speeds.timings, err)
                 : ph_no_memory(err, "%zu timings", n);
    struct ph_table table = {.name = NULL};
    if (status == PH_OK)
        status = list_speeds(&speeds, &table, err);
    if (status == PH_OK)
        say_speeds(&(struct ph_json){.out = stdout, .text = !json}, &speeds, &table);
    if (status == PH_OK && csv)
        ph_table_write_csv(&table, csv);
    ph_table_clear(&table);
    free(speeds.timings);
    const enum ph_status closed = close_csv(words->csv, csv, err);
    return status != PH_OK ? status : closed;
}

/* ---- work and precision of the flows ---- */

static const struct ph_table_column work_columns[] = {
    {"flow", "flow of the free rigid body", true},
    {"body", "kind of bodies", true},
    {"step", "of time", false},
    {"error_m", "of the angular momentum, relative", false},
    {"error_q", "of the orientation", false},
    {"ns_per_body_step", "one thread", false},
    {"cost_total_ns", "of the whole way", false},
};
enum { WORK_COLUMNS = sizeof work_columns / sizeof *work_columns };

static enum ph_status add_work(const char *body, size_t n, const struct ph_work_point *points, struct ph_table *table,
                               struct ph_error *err)
{
    enum ph_status status = PH_OK;
    for (size_t i = 0; i < n && status == PH_OK; ++i) {
        status = ph_table_append(table, (const char *const[]){points[i].flow->name, body},
                                 (const double[]){points[i].step, points[i].error_m, points[i].error_q,
                                                  points[i].ns_per_body_step, points[i].cost_total_ns},
                                 err);
    }
    return status;
}

/* The range of bodies asked for */
static enum ph_status choose_bodies(const char *name, size_t *first, size_t *end, struct ph_error *err)
{
    *first = 0;
    *end = PH_WORK_BODIES;
    if (!name)
        return PH_OK;
    while (*first < PH_WORK_BODIES && strcmp(ph_work_body_name(*first), name) != 0)
        ++*first;
    if (*first == PH_WORK_BODIES)
        return ph_cli_unknown_name("body", name, PH_WORK_BODIES, ph_work_body_name, err);
    *end = *first + 1;
    return PH_OK;
}

/* On a terminal: a line that replaces itself and is erased at the end */
static void show_progress(size_t done, size_t n_flows, void *data)
{
    (void)data;
    if (!isatty(STDERR_FILENO))
        return;
    if (done < n_flows)
        fprintf(stderr, "\r%zu of %zu flows measured", done, n_flows);
    else
        fprintf(stderr, "\r%30s\r", "");
}

static enum ph_status bench_work(const struct ph_flows_words *words, bool json, size_t n,
                                 const struct ph_flow *const flows[], struct ph_error *err)
{
    size_t first, end;
    FILE *csv = NULL;
    enum ph_status status = choose_bodies(words->body, &first, &end, err);
    if (status == PH_OK)
        status = open_csv(words->csv, &csv, err);
    if (status != PH_OK)
        return status;
    struct ph_table table;
    ph_table_init(&table, "work_precision", "errors at t = 10 and their cost", WORK_COLUMNS, work_columns);
    const size_t n_points = n * PH_WORK_STEPS;
    struct ph_work_point *points = calloc(n_points, sizeof *points);
    if (!points)
        status = ph_no_memory(err, "%zu points", n_points);
    for (size_t body = first; body < end && status == PH_OK; ++body) {
        status = ph_measure_work(n, flows, (enum ph_work_body)body, PH_WORK_STEPS, show_progress, NULL, points, err);
        if (status == PH_OK)
            status = add_work(ph_work_body_name(body), n_points, points, &table, err);
    }
    free(points);
    if (status == PH_OK && json) {
        struct ph_json document = {.out = stdout};
        ph_json_begin_object(&document, NULL);
        ph_json_table(&document, "work_precision", &table, NULL);
        ph_json_end(&document);
    }
    if (status == PH_OK && (csv || !json))
        ph_table_write_csv(&table, csv ? csv : stdout); /* the CSV is the result, without a file too */
    ph_table_clear(&table);
    const enum ph_status closed = close_csv(words->csv, csv, err);
    return status != PH_OK ? status : closed;
}

enum ph_status ph_cli_bench_flows(const struct ph_flows_words *words, bool json, struct ph_error *err)
{
    if (words->body && !words->work_precision)
        return ph_error_set(err, PH_ERR_INPUT, "--body goes with --work-precision only.");
    const size_t n = ph_flow_count();
    const struct ph_flow **flows = calloc(n, sizeof *flows);
    if (!flows)
        return ph_no_memory(err, "%zu flows", n);
    for (size_t i = 0; i < n; ++i)
        flows[i] = ph_flow_at(i);
    const enum ph_status status =
        words->work_precision ? bench_work(words, json, n, flows, err) : bench_speed(words, json, n, flows, err);
    free(flows);
    return status;
}
