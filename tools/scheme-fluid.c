/* SPDX-License-Identifier: MIT */
/* Energy errors of splitting schemes that are in no table, in a small polar fluid: a servant of tools/search-schemes.
 *
 *   scheme-fluid MOLECULES CUTOFF STATES SEED
 *
 * The fluid is that of `polhode bench accuracy` (Stockmayer, density 0.8, temperature 1.35, C6 switch over the last
 * 0.5) with a cutoff that suits the number of molecules; the box must be twice as wide. States are independent: each
 * has a heat bath with a seed of its own, SEED, SEED + 1 and so on. When they are ready, prints "ready". Then every
 * line
 *
 *   RATE TIME LETTERS x0 x1 ...
 *
 * asks for runs over a time with so many force evaluations per unit of time of the scheme that has this half of
 * coefficients (dynamics/schemes/scheme.h: letters BA or AB). It is answered with a line for each state: the total
 * energy per molecule at the beginning of the run and after steps, at most 128 of them, less that at the beginning;
 * "inf" alone if the run went astray. Ends with its input. */
#include "base/plain.h"
#include "lab/bench/systems.h"
#include "run/observables.h"
#include "run/tune/pilot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 128, DOUBLES = 13 /* r, p, q, m */ };
static const double melt_time = 12.0, between_time = 5.0, bath_time = 0.1;
static const double astray = 1.0; /* energy per molecule */

struct fluid {
    struct ph_bench_system bench;
    long molecules, states;
    double *numbers; /* of all states, each DOUBLES arrays */
};

/* Copies the state of the system from (back) or to one of those kept. */
static void copy(const struct fluid *fluid, long state, bool back)
{
    const struct ph_system *system = fluid->bench.system;
    double *const arrays[DOUBLES] = {system->r[0], system->r[1], system->r[2], system->p[0], system->p[1],
                                     system->p[2], system->q[0], system->q[1], system->q[2], system->q[3],
                                     system->m[0], system->m[1], system->m[2]};
    const size_t n = system->n;
    double *const kept = fluid->numbers + (size_t)state * DOUBLES * n;
    for (size_t k = 0; k < DOUBLES; ++k)
        if (back)
            memcpy(arrays[k], kept + k * n, n * sizeof(double));
        else
            memcpy(kept + k * n, arrays[k], n * sizeof(double));
}

static enum ph_status prepare(const struct ph_workload *workload, uint64_t seed, struct fluid *fluid,
                              struct ph_error *err)
{
    struct ph_pilot *pilot = NULL;
    fluid->numbers = calloc((size_t)fluid->states * DOUBLES * (size_t)fluid->molecules, sizeof(double));
    if (!fluid->numbers)
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for %ld states.", fluid->states);
    enum ph_status status = ph_bench_system_make(workload, (size_t)fluid->molecules, &fluid->bench, err);
    if (status == PH_OK)
        status = ph_pilot_create(fluid->bench.system, &fluid->bench.interactions, true, &pilot, err);
    for (long k = 0; k < fluid->states && status == PH_OK; ++k) {
        const struct ph_degrees degrees = ph_degrees_count(fluid->bench.system, &fluid->bench.interactions);
        const struct ph_thermostat bath = {.kT = workload->temperature, /* reduced units */
                                           .relaxation_time = bath_time,
                                           .translation = degrees.translation,
                                           .rotation = degrees.rotation,
                                           .seed = seed + (uint64_t)k};
        double relaxed;
        status = ph_pilot_relax(pilot, INFINITY, k == 0 ? melt_time : between_time, &bath, &relaxed, err);
        copy(fluid, k, false);
    }
    ph_pilot_destroy(pilot);
    return status;
}

static double energy_per_molecule(const struct fluid *fluid, struct ph_dynamics *dynamics)
{
    const struct ph_system *system = fluid->bench.system;
    struct ph_energy energy;
    if (ph_dynamics_synchronise(dynamics, &energy, NULL) != PH_OK)
        return NAN;
    return (ph_energy_total(&energy) + ph_system_kinetic_translation(system) + ph_system_kinetic_rotation(system)) /
           (double)system->n;
}

/* The energies of a run; how many, 0 if it went astray */
static long follow(const struct fluid *fluid, struct ph_dynamics *dynamics, long steps, double sample[SAMPLES + 1])
{
    const long every = (steps + SAMPLES - 1) / SAMPLES;
    const double first = energy_per_molecule(fluid, dynamics);
    long n = 0;
    sample[n++] = 0.0;
    for (long step = every; step <= steps; step += every) {
        const bool moved = ph_dynamics_advance(dynamics, every, NULL) == PH_OK;
        sample[n] = moved ? energy_per_molecule(fluid, dynamics) - first : NAN;
        if (!(fabs(sample[n++]) <= astray)) /* true for NaN */
            return 0;
    }
    return n;
}

static void run(const struct fluid *fluid, long state, const struct ph_scheme *scheme, double rate, double time)
{
    const double step = ph_scheme_evaluations(scheme) / rate;
    const struct ph_dynamics_options options = {
        .scheme = scheme, .flow = ph_flow_find("exact"), .step = step, .compensated = true};
    struct ph_dynamics *dynamics = NULL;
    double sample[SAMPLES + 1];
    long n = 0;
    copy(fluid, state, true);
    ph_force_field_forget(fluid->bench.field);
    if (ph_dynamics_create(fluid->bench.system, fluid->bench.field, &options, &dynamics, NULL) == PH_OK)
        n = follow(fluid, dynamics, (long)ceil(time / step * (1.0 - 1e-9)), sample);
    ph_dynamics_destroy(dynamics);
    for (long k = 0; k < n; ++k)
        ph_fprintf(stdout, "%.9e ", sample[k]);
    puts(n > 0 ? "" : "inf");
}

/* The next number of a line that strtok has begun; NaN if there is none, or something else */
static double next_number(void)
{
    const char *word = strtok(NULL, " \n");
    char *end = NULL;
    const double value = word ? ph_strtod(word, &end) : NAN;
    return word && *end == '\0' ? value : NAN;
}

/* false if the line makes no sense */
static bool answer(const struct fluid *fluid, char *line)
{
    struct ph_scheme scheme = {.name = "searched", .summary = "", .reference = "", .kind = PH_SCHEME_RKN, .order = 2};
    char *end = NULL;
    const char *word = strtok(line, " \n");
    const double rate = word ? ph_strtod(word, &end) : NAN, time = next_number();
    scheme.letters = strtok(NULL, " \n");
    if (!scheme.letters || (strcmp(scheme.letters, "AB") != 0 && strcmp(scheme.letters, "BA") != 0))
        return false;
    int half = 0;
    for (double x = next_number(); !isnan(x) && half < PH_SCHEME_HALF_MAX; x = next_number())
        scheme.x[half++] = x;
    scheme.flows = 2 * half - 1;
    if (!(rate > 0.0 && time > 0.0 && half >= 2))
        return false;
    for (long k = 0; k < fluid->states; ++k)
        run(fluid, k, &scheme, rate, time);
    fflush(stdout);
    return true;
}

static int serve(const struct fluid *fluid)
{
    char line[4096];
    puts("ready");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin))
        if (!answer(fluid, line)) {
            fputs("scheme-fluid: a line is RATE TIME AB|BA x0 x1 ...\n", stderr);
            return 2;
        }
    return 0;
}

int main(int argc, char **argv)
{
    struct fluid fluid = {.numbers = NULL};
    struct ph_error err = {.text = ""};
    struct ph_workload workload = {.name = NULL};
    for (size_t k = 0; k < PH_WORKLOADS; ++k)
        if (strcmp(ph_workloads[k].name, "stockmayer-c6") == 0)
            workload = ph_workloads[k];
    if (argc == 5) {
        fluid.molecules = strtol(argv[1], NULL, 10);
        workload.cutoff = ph_strtod(argv[2], NULL);
        fluid.states = strtol(argv[3], NULL, 10);
    }
    if (fluid.molecules < 2 || fluid.states < 1 || !workload.name) {
        fputs("usage: scheme-fluid MOLECULES CUTOFF STATES SEED\n", stderr);
        return 2;
    }
    const enum ph_status status = prepare(&workload, strtoull(argv[4], NULL, 10), &fluid, &err);
    int result = (int)status;
    if (status == PH_OK)
        result = serve(&fluid);
    else
        fprintf(stderr, "scheme-fluid: %s\n", err.text);
    ph_bench_system_clear(&fluid.bench);
    free(fluid.numbers);
    return result;
}
