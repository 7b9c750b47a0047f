/* SPDX-License-Identifier: MIT */
/* All systems are timed in turn, again and again, and the best times count: what else the machine does disturbs all of
 * them alike. */
#include "lab/bench_forces.h"

#include "base/random.h"
#include "base/rotation.h"
#include "lab/bench_driver.h"
#include "lab/stopwatch.h"
#include "model/start.h"
#include "run/build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- Systems ---- */

struct workload {
    const char *name, *summary, *model, *units;
    size_t n;
    double density;     /* molecules per volume */
    double temperature; /* in the units of the model */
    bool open;          /* all pairs in open space, a simple cubic lattice; else a periodic cube */
    double cutoff, switch_width;
    bool reaction_field;
    double step; /* of time, for the ageing of lists */
    enum ph_ceiling ceiling;
};

static const struct workload workloads[] = {
    {.name = "stockmayer-cut",
     .summary = "Stockmayer, cut at 3.5",
     .model = "stockmayer",
     .units = "reduced",
     .n = 4000,
     .density = 0.8,
     .temperature = 1.35,
     .cutoff = 3.5,
     .step = 0.002,
     .ceiling = PH_CEILING_LENNARD_JONES_DIPOLE},
    {.name = "stockmayer-c6",
     .summary = "the same, C6 switch from 3.0",
     .model = "stockmayer",
     .units = "reduced",
     .n = 4000,
     .density = 0.8,
     .temperature = 1.35,
     .cutoff = 3.5,
     .switch_width = 0.5,
     .step = 0.002,
     .ceiling = PH_CEILING_LENNARD_JONES_DIPOLE},
    {.name = "dipolar-125",
     .summary = "dipolar soft spheres, all pairs",
     .model = "dipolar-soft-sphere",
     .units = "reduced",
     .n = 125,
     .density = 0.7,
     .temperature = 0.5,
     .open = true,
     .step = 0.002,
     .ceiling = PH_CEILING_LENNARD_JONES_DIPOLE},
    {.name = "dipolar-1000",
     .summary = "dipolar soft spheres, all pairs",
     .model = "dipolar-soft-sphere",
     .units = "reduced",
     .n = 1000,
     .density = 0.7,
     .temperature = 0.5,
     .open = true,
     .step = 0.002,
     .ceiling = PH_CEILING_LENNARD_JONES_DIPOLE},
    {.name = "dipolar-4000",
     .summary = "dipolar soft spheres, all pairs",
     .model = "dipolar-soft-sphere",
     .units = "reduced",
     .n = 4000,
     .density = 0.7,
     .temperature = 0.5,
     .open = true,
     .step = 0.002,
     .ceiling = PH_CEILING_LENNARD_JONES_DIPOLE},
    {.name = "spc-e",
     .summary = "SPC/E water, reaction field, 0.9 nm",
     .model = "spc-e",
     .units = "md",
     .n = 1000,
     .density = 33.4,
     .temperature = 298.15,
     .cutoff = 0.9,
     .reaction_field = true,
     .step = 0.002,
     .ceiling = PH_CEILING_CHARGE},
    {.name = "lennard-jones",
     .summary = "Lennard-Jones, cut at 2.5",
     .model = "lennard-jones",
     .units = "reduced",
     .n = 4000,
     .density = 0.8,
     .temperature = 1.35,
     .cutoff = 2.5,
     .step = 0.002,
     .ceiling = PH_CEILING_LENNARD_JONES},
};
enum { N_WORKLOADS = sizeof workloads / sizeof workloads[0] };

size_t ph_bench_forces_count(void) { return N_WORKLOADS; }

struct bench {
    struct ph_system *system;
    struct ph_force_field *field;
    struct ph_interactions interactions;
};

static void clear(struct bench *bench)
{
    ph_force_field_destroy(bench->field);
    ph_system_destroy(bench->system);
    ph_interactions_free(&bench->interactions);
    *bench = (struct bench){.system = NULL};
}

/* A model of the library by its name */
static enum ph_status find_species(const struct workload *w, struct ph_species *species, struct ph_error *err)
{
    struct ph_input *input = calloc(1, sizeof *input);
    struct ph_input_model *model = calloc(1, sizeof *model);
    enum ph_status status = input && model ? PH_OK : ph_error_set(err, PH_ERR_MEMORY, "No memory for a model.");
    if (status == PH_OK) {
        snprintf(input->units, sizeof input->units, "%s", w->units);
        snprintf(input->system.molecules[0].model, sizeof input->system.molecules[0].model, "%s", w->model);
        input->system.n_molecules = 1;
        status = ph_input_model(input, 0, model, err);
    }
    if (status == PH_OK)
        status = ph_build_species(model, species, err);
    free(input);
    free(model);
    return status;
}

static double thermal_energy(const struct workload *w) { return ph_units_find(w->units)->boltzmann * w->temperature; }

/* Molecules on a lattice, displaced by a twentieth of their distance, turned at random, with thermal momenta */
static enum ph_status make(const struct workload *w, size_t n, struct bench *bench, struct ph_error *err)
{
    *bench = (struct bench){.system = NULL};
    struct ph_species species;
    enum ph_status status = find_species(w, &species, err);
    if (status != PH_OK)
        return status;
    struct ph_box box = ph_box_open();
    const double edge = cbrt((double)n / w->density), edges[3][3] = {{edge, 0, 0}, {0, edge, 0}, {0, 0, edge}};
    if (!w->open)
        status = ph_box_init_periodic(edges, &box, err);
    if (status == PH_OK)
        status = ph_system_create(1, &species, &n, &box, &bench->system, err);
    /* Lattices that have as many places as there are molecules: 4 k^3 or k^3 */
    const double k = cbrt((double)n / 4.0);
    const bool fcc = !w->open && fabs(k - round(k)) < 1e-9;
    const struct ph_start start = {.kind = fcc ? PH_START_FCC : PH_START_SIMPLE_CUBIC,
                                   .seed = 1,
                                   .jitter = 0.05,
                                   .spacing = cbrt(1.0 / w->density)};
    if (status == PH_OK)
        status = ph_start_place(&start, bench->system, err);
    if (status != PH_OK)
        return status;
    ph_start_turn(1, bench->system);
    ph_start_move(thermal_energy(w), true, false, 1, bench->system);
    bench->interactions = (struct ph_interactions){
        .truncation = w->open                 ? PH_TRUNCATE_NONE
                      : w->switch_width > 0.0 ? PH_TRUNCATE_SWITCHED
                                              : PH_TRUNCATE_CUT,
        .cutoff = w->cutoff,
        .switch_width = w->switch_width,
        .smoothness = 6,
        .electrostatics = w->reaction_field ? PH_ELECTROSTATICS_REACTION_FIELD : PH_ELECTROSTATICS_CUTOFF,
        .epsilon_rf = INFINITY,
        .coulomb = ph_units_find(w->units)->coulomb,
    };
    return ph_force_field_create(bench->system, &bench->interactions, &bench->field, err);
}

static size_t lists_made(const struct bench *bench) { return ph_force_field_counts(bench->field).lists_made; }

/* A short melt, and how long lists last after it. Systems without lists stay on their lattice: there every molecule
 * meets every other in the same order, wherever they are. */
static enum ph_status melt(const struct workload *w, struct bench *bench, double *steps_per_list, struct ph_error *err)
{
    enum { MELT = 200, EVERY = 10, WATCH = 100 };
    *steps_per_list = 0.0;
    if (w->open)
        return PH_OK;
    struct ph_bench_driver *driver;
    enum ph_status status = ph_bench_driver_create(bench->system, bench->field, &driver, err);
    if (status != PH_OK)
        return status;
    status = ph_bench_driver_relax(driver, w->step, MELT, EVERY, thermal_energy(w), err);
    const size_t before = lists_made(bench);
    if (status == PH_OK)
        status = ph_bench_driver_advance(driver, w->step, WATCH, err);
    const size_t made = lists_made(bench) - before;
    *steps_per_list = made > 0 ? (double)WATCH / (double)made : WATCH;
    ph_bench_driver_destroy(driver);
    return status;
}

/* ---- Counting pairs ---- */

static bool interacts(const struct ph_site *site)
{
    return site->radial.kind != PH_RADIAL_NONE || site->charge != 0.0 || site->dipole[0] != 0.0 ||
           site->dipole[1] != 0.0 || site->dipole[2] != 0.0;
}

/* Interacting sites of molecule i relative to its centre; returns how many */
static size_t arms(const struct ph_system *system, size_t i, double arm[PH_SITES_MAX][3])
{
    const struct ph_species *species = &system->species[ph_system_species_of(system, i)];
    const double q[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]};
    size_t n = 0;
    for (size_t a = 0; a < species->n_sites; ++a)
        if (interacts(&species->site[a]))
            ph_quat_rotate(q, species->site[a].position, arm[n++]);
    return n;
}

/* Plainly: every molecule with every other, every site with every other */
static size_t count_pairs(const struct ph_system *system, const struct ph_interactions *interactions)
{
    const bool endless = interactions->truncation == PH_TRUNCATE_NONE;
    const double cut2 = interactions->cutoff * interactions->cutoff;
    size_t pairs = 0;
#pragma omp parallel for schedule(dynamic, 16) reduction(+ : pairs)
    for (size_t i = 0; i < system->n; ++i) {
        double of_i[PH_SITES_MAX][3], of_j[PH_SITES_MAX][3];
        const size_t n_i = arms(system, i, of_i);
        for (size_t j = 0; j < i; ++j) {
            double d[3] = {system->r[0][i] - system->r[0][j], system->r[1][i] - system->r[1][j],
                           system->r[2][i] - system->r[2][j]};
            ph_box_minimum_image(&system->box, d);
            const size_t n_j = arms(system, j, of_j);
            for (size_t a = 0; a < n_i; ++a)
                for (size_t b = 0; b < n_j; ++b) {
                    double r2 = 0.0;
                    for (int k = 0; k < 3; ++k)
                        r2 += pow(d[k] + of_i[a][k] - of_j[b][k], 2.0);
                    pairs += endless || r2 < cut2;
                }
        }
    }
    return pairs;
}

/* ---- Timing ---- */

enum demand { FORCES, FORCES_AND_ENERGY, FORCES_AND_LIST };

/* Seconds of one evaluation: the mean over about a millisecond at least */
static enum ph_status time_evaluation(struct bench *bench, enum demand demand, int threads, double *best,
                                      struct ph_error *err)
{
    struct ph_energy energy, *wanted = demand == FORCES_AND_ENERGY ? &energy : NULL;
    ph_stopwatch_use_threads(threads);
    enum ph_status status = ph_force_field_evaluate(bench->field, bench->system, wanted, err); /* caches, threads */
    int calls = 0;
    const struct ph_stopwatch watch = ph_stopwatch_start(threads);
    do {
        if (demand == FORCES_AND_LIST)
            ph_force_field_forget(bench->field);
        status = status == PH_OK ? ph_force_field_evaluate(bench->field, bench->system, wanted, err) : status;
        ++calls;
    } while (ph_stopwatch_now() - watch.wall < 1e-3 && status == PH_OK);
    *best = fmin(*best, ph_stopwatch_read(&watch) / calls);
    return status;
}

static enum ph_status time_once(const struct workload *w, struct bench *bench, int threads, struct ph_force_timing *t,
                                struct ph_error *err)
{
    enum ph_status status = time_evaluation(bench, FORCES, 1, &t->seconds, err);
    if (status == PH_OK)
        status = time_evaluation(bench, FORCES, threads, &t->seconds_all, err);
    if (status == PH_OK)
        status = time_evaluation(bench, FORCES_AND_ENERGY, 1, &t->energy_seconds, err);
    if (status == PH_OK && !w->open)
        status = time_evaluation(bench, FORCES_AND_LIST, 1, &t->list_seconds, err);
    if (status == PH_OK && !w->open)
        status = time_evaluation(bench, FORCES_AND_LIST, threads, &t->list_seconds_all, err);
    return status;
}

static double known(double time) { return isfinite(time) ? time : NAN; }

double ph_force_list_share(const struct ph_force_timing *timing)
{
    if (timing->steps_per_list == 0.0)
        return 0.0;
    return timing->list_seconds / (timing->list_seconds + timing->steps_per_list * timing->seconds);
}

enum ph_status ph_bench_forces(double seconds, int threads, struct ph_force_timing timings[], struct ph_error *err)
{
    struct bench bench[N_WORKLOADS] = {{.system = NULL}};
    double ceiling[PH_CEILINGS] = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
    enum ph_status status = PH_OK;
    for (size_t w = 0; w < N_WORKLOADS && status == PH_OK; ++w) {
        struct ph_force_timing *t = &timings[w];
        *t = (struct ph_force_timing){.name = workloads[w].name,
                                      .summary = workloads[w].summary,
                                      .n = workloads[w].n,
                                      .step = workloads[w].step,
                                      .kind = workloads[w].ceiling,
                                      .seconds = HUGE_VAL,
                                      .seconds_all = HUGE_VAL,
                                      .energy_seconds = HUGE_VAL,
                                      .list_seconds = HUGE_VAL,
                                      .list_seconds_all = HUGE_VAL};
        status = make(&workloads[w], workloads[w].n, &bench[w], err);
        if (status == PH_OK)
            status = melt(&workloads[w], &bench[w], &t->steps_per_list, err);
        if (status == PH_OK)
            t->pairs = count_pairs(bench[w].system, &bench[w].interactions);
    }
    const double end = ph_stopwatch_now() + seconds;
    do {
        ph_stopwatch_use_threads(1);
        for (int kind = 0; kind < PH_CEILINGS; ++kind)
            ceiling[kind] = fmin(ceiling[kind], ph_ceiling_seconds((enum ph_ceiling)kind));
        for (size_t w = 0; w < N_WORKLOADS && status == PH_OK; ++w)
            status = time_once(&workloads[w], &bench[w], threads, &timings[w], err);
    } while (status == PH_OK && ph_stopwatch_now() < end);
    ph_stopwatch_use_threads(threads);
    for (size_t w = 0; w < N_WORKLOADS; ++w) {
        struct ph_force_timing *t = &timings[w];
        t->ceiling_seconds = ceiling[t->kind];
        t->seconds_all = known(t->seconds_all);
        t->list_seconds = workloads[w].open ? 0.0 : t->list_seconds - t->seconds;
        t->list_seconds_all = workloads[w].open ? 0.0 : known(t->list_seconds_all) - t->seconds_all;
        clear(&bench[w]);
    }
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

static enum ph_status measure_size(struct ph_force_scaling *row, struct ph_error *err)
{
    enum { REPETITIONS = 12, LARGE = 100000 };
    const double before = resident_bytes(), n = (double)row->n;
    struct bench bench;
    enum ph_status status = make(&workloads[0], row->n, &bench, err);
    const double state = resident_bytes();
    if (status == PH_OK && row->shuffled)
        shuffle(bench.system);
    double evaluation = HUGE_VAL, with_list = HUGE_VAL;
    for (int k = 0; k < REPETITIONS && status == PH_OK; ++k) {
        status = time_evaluation(&bench, FORCES, 1, &evaluation, err);
        if (status == PH_OK)
            status = time_evaluation(&bench, FORCES_AND_LIST, 1, &with_list, err);
    }
    row->seconds = evaluation / n;
    row->list_seconds = (with_list - evaluation) / n;
    const bool tells = row->n >= LARGE && before > 0.0;
    row->state_bytes = tells ? (state - before) / n : NAN;
    row->force_bytes = tells ? (resident_bytes() - state) / n : NAN;
    row->list_peak_bytes = tells ? (peak_bytes() - before) / n : NAN;
    clear(&bench);
    return status;
}

enum ph_status ph_bench_scaling(struct ph_force_scaling rows[PH_SCALING_ROWS], struct ph_error *err)
{
    static const struct ph_force_scaling plan[PH_SCALING_ROWS] = {
        {.n = 256000}, {.n = 256000, .shuffled = true}, {.n = 4000}, {.n = 4000, .shuffled = true}};
    enum ph_status status = PH_OK;
    for (size_t k = 0; k < PH_SCALING_ROWS && status == PH_OK; ++k) {
        rows[k] = plan[k];
        status = measure_size(&rows[k], err);
    }
    return status;
}

/* ---- Steps of an input ---- */

static enum ph_status total_energy(struct bench *bench, double *potential, double *total, struct ph_error *err)
{
    struct ph_energy energy;
    const enum ph_status status = ph_force_field_evaluate(bench->field, bench->system, &energy, err);
    if (status != PH_OK)
        return status;
    *potential = ph_energy_total(&energy) - energy.long_range;
    *total = *potential + ph_system_kinetic_translation(bench->system) + ph_system_kinetic_rotation(bench->system);
    return PH_OK;
}

static enum ph_status run_steps(struct bench *bench, struct ph_step_timing *timing, struct ph_error *err)
{
    enum { COUNTABLE = 20000 };
    double before = 0.0, after = 0.0, last = 0.0;
    struct ph_bench_driver *driver = NULL;
    enum ph_status status = total_energy(bench, &timing->potential, &before, err);
    if (status == PH_OK)
        status = ph_bench_driver_create(bench->system, bench->field, &driver, err);
    if (status != PH_OK)
        return status;
    timing->n = bench->system->n;
    timing->pairs = timing->n <= COUNTABLE ? count_pairs(bench->system, &bench->interactions) : 0;
    const size_t lists = lists_made(bench);
    const struct ph_stopwatch watch = ph_stopwatch_start(timing->threads);
    status = ph_bench_driver_advance(driver, timing->step, timing->steps, err);
    timing->seconds = ph_stopwatch_read_any(&watch);
    timing->lists_made = lists_made(bench) - lists;
    if (status == PH_OK)
        status = total_energy(bench, &last, &after, err);
    timing->drift = (after - before) / (double)timing->n;
    ph_bench_driver_destroy(driver);
    return status;
}

enum ph_status ph_bench_steps(const char *input_file, int threads, struct ph_step_timing *timing, struct ph_error *err)
{
    struct ph_input *input = calloc(1, sizeof *input);
    if (!input)
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for an input.");
    struct bench bench = {.system = NULL};
    enum ph_status status = ph_input_read(input_file, 0, NULL, input, err);
    if (status == PH_OK && input->dynamics.line == 0)
        status = ph_error_set(err, PH_ERR_INPUT, "%s: dynamics is missing: its step and steps are what is timed.",
                              input_file);
    if (status == PH_OK && input->interactions.pinned)
        status = ph_error_set(err, PH_ERR_INPUT, "%s: interactions.external.pinned: the benchmark moves all centres.",
                              input_file);
    if (status == PH_OK)
        status = ph_build_system(input, &bench.system, &bench.interactions, err);
    if (status == PH_OK)
        status = ph_force_field_create(bench.system, &bench.interactions, &bench.field, err);
    if (status == PH_OK) {
        *timing = (struct ph_step_timing){
            .threads = threads, .steps = (long)input->dynamics.steps, .step = input->dynamics.step};
        status = run_steps(&bench, timing, err);
    }
    clear(&bench);
    free(input);
    return status;
}
