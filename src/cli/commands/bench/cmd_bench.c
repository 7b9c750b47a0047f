/* SPDX-License-Identifier: MIT */
/* polhode bench: speed on this machine. */
#include "cli/commands/bench/cmd_bench.h"

#include "parallel/ranks.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

static const char command[] = "polhode bench";

struct words {
    const char *name;  /* what to bench; NULL: list */
    const char *input; /* of the steps, of averages, and of backends */
    const char *backend, *device;
    const char *schemes; /* of accuracy, and of averages */
    struct ph_flows_words flows;
    struct ph_accuracy_words accuracy;
    struct ph_averages_words averages;
    bool json, scaling, threads;
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

/* ---- what each measures ---- */

static enum ph_status bench_flows(const struct words *words, struct ph_error *err)
{
    return ph_cli_bench_flows(&words->flows, words->json, err);
}

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
    {.name = "csv", .key = KEEP_WORD(flows.csv), .arg = "FILE", .doc = "Write a table for other programs to FILE"},
    {.name = "work-precision",
     .key = KEEP_FLAG(flows.work_precision),
     .doc = "Errors at t = 10 and cost, for twenty steps; prints CSV"},
    {.name = "body",
     .key = KEEP_WORD(flows.body),
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
    {.name = "thermostat",
     .key = KEEP_WORD(averages.thermostat),
     .arg = "NAME",
     .doc = "averages: langevin (default) or langevin-middle"},
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
    } rules[] = {{words->flows.csv, "--csv", "flows"},
                 {words->flows.work_precision, "--work-precision", "flows"},
                 {words->flows.body, "--body", "flows"},
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
                 {words->averages.thermostat, "--thermostat", "averages"},
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
