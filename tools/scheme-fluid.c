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
 * coefficients (dynamics/scheme.h: letters BA or AB), and is answered with a line of errors, one for each state (see
 * run/pilot.h: standard deviation of the energy per molecule; inf where the run went astray). Ends with its input. */
#include "base/plain.h"
#include "lab/bench/systems.h"
#include "run/observables.h"
#include "run/pilot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double melt_time = 12.0, between_time = 5.0, bath_time = 0.1, astray = 1.0;

/* Each state has a pilot of its own, so that their errors are told one by one; all move the same system. */
struct fluid {
    struct ph_bench_system bench;
    int states;
    struct ph_pilot *pilot[PH_PILOT_STATES];
};

static enum ph_status prepare(struct ph_workload workload, size_t molecules, int states, uint64_t seed,
                              struct fluid *fluid, struct ph_error *err)
{
    enum ph_status status = ph_bench_system_make(&workload, molecules, &fluid->bench, err);
    for (int k = 0; k < states && status == PH_OK; ++k) {
        status = ph_pilot_create(fluid->bench.system, &fluid->bench.interactions, true, &fluid->pilot[k], err);
        if (status != PH_OK)
            return status;
        fluid->states = k + 1;
        const struct ph_degrees degrees = ph_degrees_count(fluid->bench.system, &fluid->bench.interactions);
        const struct ph_thermostat bath = {.kT = workload.temperature, /* reduced units */
                                           .relaxation_time = bath_time,
                                           .translation = degrees.translation,
                                           .rotation = degrees.rotation,
                                           .seed = seed + (uint64_t)k};
        double relaxed;
        status = ph_pilot_relax(fluid->pilot[k], INFINITY, k == 0 ? melt_time : between_time, &bath, &relaxed, err);
        if (status == PH_OK)
            status = ph_pilot_keep(fluid->pilot[k], err);
    }
    return status;
}

static double error_of(struct ph_pilot *pilot, const struct ph_scheme *scheme, double rate, double time)
{
    const struct ph_dynamics_options options = {
        .scheme = scheme, .flow = ph_flow_find("exact"), .step = ph_scheme_evaluations(scheme) / rate};
    struct ph_pilot_run run;
    const enum ph_status status = ph_pilot_measure(pilot, 1, options, time, astray, &run, NULL);
    return status == PH_OK && !run.gave_up ? run.error : INFINITY;
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
    for (int k = 0; k < fluid->states; ++k)
        ph_fprintf(stdout, "%.6e ", error_of(fluid->pilot[k], &scheme, rate, time));
    puts("");
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
    struct fluid fluid = {.states = 0};
    struct ph_error err = {.text = ""};
    const long molecules = argc == 5 ? strtol(argv[1], NULL, 10) : 0,
               states = argc == 5 ? strtol(argv[3], NULL, 10) : 0;
    struct ph_workload workload = {.name = NULL};
    for (size_t k = 0; k < PH_WORKLOADS; ++k)
        if (strcmp(ph_workloads[k].name, "stockmayer-c6") == 0)
            workload = ph_workloads[k];
    if (molecules < 2 || states < 1 || states > PH_PILOT_STATES || !workload.name) {
        fprintf(stderr, "usage: scheme-fluid MOLECULES CUTOFF STATES SEED   (at most %d states)\n", PH_PILOT_STATES);
        return 2;
    }
    workload.cutoff = ph_strtod(argv[2], NULL);
    const enum ph_status status =
        prepare(workload, (size_t)molecules, (int)states, strtoull(argv[4], NULL, 10), &fluid, &err);
    int result = (int)status;
    if (status == PH_OK)
        result = serve(&fluid);
    else
        fprintf(stderr, "scheme-fluid: %s\n", err.text);
    for (int k = 0; k < fluid.states; ++k)
        ph_pilot_destroy(fluid.pilot[k]);
    ph_bench_system_clear(&fluid.bench);
    return result;
}
