/* SPDX-License-Identifier: MIT */
/* polhode bench: speed on this machine. */
#include "cli/commands/bench/cmd_bench.h"
#include "lab/table.h"

#include "lab/bench/flows.h"
#include "parallel/ranks.h"

#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char command[] = "polhode bench";

struct words {
    const char *name;  /* what to bench; NULL: list */
    const char *csv;   /* file name or NULL */
    const char *body;  /* of the work-precision data; NULL: all */
    const char *input; /* of the steps, of averages, and of backends */
    const char *backend, *device;
    const char *schemes; /* of accuracy, and of averages */
    struct ph_accuracy_words accuracy;
    struct ph_averages_words averages;
    bool json, work_precision, scaling, threads;
};

static enum ph_status bench_accuracy(const struct words *words, struct ph_error *err);
static enum ph_status bench_averages(const struct words *words, struct ph_error *err);
static enum ph_status bench_backend(const struct words *words, struct ph_error *err);
static enum ph_status bench_flows(const struct words *words, struct ph_error *err);
static enum ph_status bench_forces(const struct words *words, struct ph_error *err);
static enum ph_status bench_mesh(const struct words *words, struct ph_error *err);
static enum ph_status bench_steps(const struct words *words, struct ph_error *err);

static const struct bench {
    const char *name, *summary;
    enum ph_status (*run)(const struct words *words, struct ph_error *err);
    bool team; /* measures several processes, too */
} benches[] = {
    {"accuracy", "energy error in a fluid against force evaluations per unit of time (an hour)", bench_accuracy, false},
    {"averages", "errors of averages of the system in the file given with --input, against force evaluations",
     bench_averages, false},
    {"backend",
     "whole steps on a graphics processor, and their parts: of some fluids, or of the file given with --input",
     bench_backend, false},
    {"flows", "flows of the free rigid body: time per body and step; with --work-precision also their errors",
     bench_flows, false},
    {"forces", "forces and torques of some fluids: time per pair; with --scaling how it grows with their size",
     bench_forces, true},
    {"mesh", "electrostatics on a mesh: errors and cost of tolerances (two minutes)", bench_mesh, false},
    {"steps", "whole steps of the system in the file given with --input", bench_steps, true},
};
enum { N_BENCHES = sizeof benches / sizeof benches[0] };

static const char *bench_name(size_t i) { return benches[i].name; }

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

static enum ph_status bench_speed(const struct words *words, size_t n, const struct ph_flow *const flows[],
                                  struct ph_error *err)
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
        say_speeds(&(struct ph_json){.out = stdout, .text = !words->json}, &speeds, &table);
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

static enum ph_status bench_work(const struct words *words, size_t n, const struct ph_flow *const flows[],
                                 struct ph_error *err)
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
    if (status == PH_OK && words->json) {
        struct ph_json json = {.out = stdout};
        ph_json_begin_object(&json, NULL);
        ph_json_table(&json, "work_precision", &table, NULL);
        ph_json_end(&json);
    }
    if (status == PH_OK && (csv || !words->json))
        ph_table_write_csv(&table, csv ? csv : stdout); /* the CSV is the result, without a file too */
    ph_table_clear(&table);
    const enum ph_status closed = close_csv(words->csv, csv, err);
    return status != PH_OK ? status : closed;
}

static enum ph_status bench_flows(const struct words *words, struct ph_error *err)
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
        words->work_precision ? bench_work(words, n, flows, err) : bench_speed(words, n, flows, err);
    free(flows);
    return status;
}

/* ---- forces and steps ---- */

static enum ph_status bench_forces(const struct words *words, struct ph_error *err)
{
    if (words->scaling)
        return ph_cli_bench_scaling(words->json, err);
    return ph_ranks_count() > 1 ? ph_cli_bench_team_forces(words->json, err) : ph_cli_bench_forces(words->json, err);
}

static enum ph_status bench_mesh(const struct words *words, struct ph_error *err)
{
    return ph_cli_bench_mesh(words->json, err);
}

static enum ph_status bench_steps(const struct words *words, struct ph_error *err)
{
    if (!words->input)
        return ph_error_set(err, PH_ERR_INPUT, "An input file is needed: give --input FILE.");
    return ph_cli_bench_steps(words->input, words->threads, words->json, err);
}

static enum ph_status bench_backend(const struct words *words, struct ph_error *err)
{
    return ph_cli_bench_backend(words->backend, words->device, words->input, words->json, err);
}

static enum ph_status bench_accuracy(const struct words *words, struct ph_error *err)
{
    struct ph_accuracy_words accuracy = words->accuracy;
    accuracy.schemes = words->schemes;
    return ph_cli_bench_accuracy(&accuracy, words->json, err);
}

static enum ph_status bench_averages(const struct words *words, struct ph_error *err)
{
    struct ph_averages_words averages = words->averages;
    averages.schemes = words->schemes;
    return ph_cli_bench_averages(&averages, words->input, words->json, err);
}

/* ---- the command ---- */

static const struct argp_option options[] = {
    {.name = "json", .key = KEEP_FLAG(json), .doc = "Print one JSON document"},
    {.name = "csv", .key = KEEP_WORD(csv), .arg = "FILE", .doc = "Write a table for other programs to FILE"},
    {.name = "work-precision",
     .key = KEEP_FLAG(work_precision),
     .doc = "Errors at t = 10 and cost, for twenty steps; prints CSV"},
    {.name = "body",
     .key = KEEP_WORD(body),
     .arg = "BODY",
     .doc = "asymmetric, flat or random; all without this option"},
    {.name = "scaling",
     .key = KEEP_FLAG(scaling),
     .doc = "forces: 256000 molecules against 4000, and their memory (80 s)"},
    {.name = "threads", .key = KEEP_FLAG(threads), .doc = "steps: also parts of a step, with one thread and with all"},
    {.name = "input",
     .key = KEEP_WORD(input),
     .arg = "FILE",
     .doc = "steps, averages, backend: input file with a dynamics section"},
    {.name = "backend", .key = KEEP_WORD(backend), .arg = "NAME", .doc = "backend: cuda (default) or emulated"},
    {.name = "device", .key = KEEP_WORD(device), .arg = "N", .doc = "backend: its device, from 0 on (0)"},
    {.name = "fluid",
     .key = KEEP_WORD(accuracy.fluid),
     .arg = "NAME",
     .doc = "accuracy: stockmayer (default) or water"},
    {.name = "schemes",
     .key = KEEP_WORD(schemes),
     .arg = "A,B,...",
     .doc = "accuracy: these instead of the candidates of tune; averages: these instead of verlet, chin4a-displaced "
            "and polhode4-6b"},
    {.name = "molecules",
     .key = KEEP_WORD(accuracy.molecules),
     .arg = "N",
     .doc = "accuracy: size of the fluid (500, water 216)"},
    {.name = "states",
     .key = KEEP_WORD(accuracy.states),
     .arg = "N",
     .doc = "accuracy: independent states to begin from (8)"},
    {.name = "most",
     .key = KEEP_WORD(accuracy.most),
     .arg = "N",
     .doc = "accuracy: leave out rates above N passes per unit of time"},
    {.name = "steps",
     .key = KEEP_WORD(averages.steps),
     .arg = "T,...",
     .doc = "averages: times per force evaluation; a scheme with n of them takes steps n times as long (half, once and "
            "twice the input's)"},
    {.name = "reference",
     .key = KEEP_WORD(averages.reference),
     .arg = "NAME",
     .doc = "averages: metropolis (default; polhode4-6b, whose steps are accepted or rejected), or a scheme"},
    {.name = "reference-step",
     .key = KEEP_WORD(averages.reference_step),
     .arg = "T",
     .doc = "averages: time per force evaluation of the reference (half of the shortest of --steps)"},
    {.name = "reference-times",
     .key = KEEP_WORD(averages.reference_times),
     .arg = "X",
     .doc = "averages: the reference is X times as long as the other runs (4)"},
    {.name = "time",
     .key = KEEP_WORD(averages.time),
     .arg = "T",
     .doc = "averages: length of each run (20000 evaluations of the input's scheme and step)"},
    {.name = "samples", .key = KEEP_WORD(averages.samples), .arg = "N", .doc = "averages: samples of each run (2000)"},
    {.name = "budgets",
     .key = KEEP_WORD(averages.budgets),
     .arg = "N,...",
     .doc = "averages: numbers of evaluations after which total errors are given (1e4,1e5,1e6)"},
    {.name = "seed", .key = KEEP_WORD(averages.seed), .arg = "N", .doc = "averages: of the random numbers (1)"},
    {0},
};

static error_t take_word(int key, char *argument, struct argp_state *state)
{
    struct words *words = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        if (words->name)
            argp_error(state, "one bench at a time: '%s' or '%s'", words->name, argument);
        words->name = argument;
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* An option of another bench is an error, not ignored. */
static enum ph_status check_options(const struct words *words, struct ph_error *err)
{
    const struct {
        bool given;
        const char *option, *benches; /* names of which none is a part of another */
    } rules[] = {{words->csv, "--csv", "flows"},
                 {words->work_precision, "--work-precision", "flows"},
                 {words->body, "--body", "flows"},
                 {words->scaling, "--scaling", "forces"},
                 {words->input, "--input", "steps, averages or backend"},
                 {words->backend, "--backend", "backend"},
                 {words->device, "--device", "backend"},
                 {words->threads, "--threads", "steps"},
                 {words->schemes, "--schemes", "accuracy or averages"},
                 {words->accuracy.molecules, "--molecules", "accuracy"},
                 {words->accuracy.states, "--states", "accuracy"},
                 {words->accuracy.fluid, "--fluid", "accuracy"},
                 {words->accuracy.most, "--most", "accuracy"},
                 {words->averages.steps, "--steps", "averages"},
                 {words->averages.reference, "--reference", "averages"},
                 {words->averages.reference_step, "--reference-step", "averages"},
                 {words->averages.reference_times, "--reference-times", "averages"},
                 {words->averages.time, "--time", "averages"},
                 {words->averages.samples, "--samples", "averages"},
                 {words->averages.budgets, "--budgets", "averages"},
                 {words->averages.seed, "--seed", "averages"}};
    for (size_t k = 0; k < sizeof rules / sizeof *rules; ++k)
        if (rules[k].given && !strstr(rules[k].benches, words->name))
            return ph_error_set(err, PH_ERR_INPUT, "%s goes with bench %s only, not with %s.", rules[k].option,
                                rules[k].benches, words->name);
    return PH_OK;
}

static enum ph_status check_team(const struct words *words, bool measures, struct ph_error *err)
{
    if (ph_ranks_count() == 1 || (measures && !words->scaling))
        return PH_OK;
    return ph_error_set(err, PH_ERR_INPUT, "%s%s measures one process: start it without mpirun.", words->name,
                        words->scaling ? " --scaling" : "");
}

int ph_cmd_bench(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = take_word,
        .args_doc = "[NAME]",
        .doc = "Measures speed on this machine. Without NAME, lists what can be measured.",
    };
    struct words words = {0};
    struct ph_error err = {0};
    if (ph_cli_parse(&argp, argc, argv, &words))
        return PH_ERR_INPUT;
    if (!words.name) {
        for (size_t i = 0; i < N_BENCHES; ++i)
            printf("%-10s %s\n", benches[i].name, benches[i].summary);
        return PH_OK;
    }
    for (size_t i = 0; i < N_BENCHES; ++i)
        if (strcmp(benches[i].name, words.name) == 0)
            return check_options(&words, &err) == PH_OK && check_team(&words, benches[i].team, &err) == PH_OK &&
                           benches[i].run(&words, &err) == PH_OK
                       ? PH_OK
                       : ph_cli_fail(command, &err);
    ph_cli_unknown_name("bench", words.name, N_BENCHES, bench_name, &err);
    return ph_cli_fail(command, &err);
}
