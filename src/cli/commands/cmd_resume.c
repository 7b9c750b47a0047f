/* SPDX-License-Identifier: MIT */
/* polhode resume: continues a simulation from its checkpoint. */
#include "cli/commands/load.h"
#include "cli/commands/watch.h"

#include <errno.h>
#include <stdlib.h>

struct words {
    const char *file;
    int64_t steps;       /* more than planned */
    int64_t until;       /* -1: as planned */
    const char *backend; /* NULL: where it was */
    struct ph_cli_run_words run;
};

enum key { KEY_STEPS = 256, KEY_UNTIL };

static const struct argp_option options[] = {
    {"steps", KEY_STEPS, "N", 0, "N more steps than the run was meant to have, wherever it was interrupted", 1},
    {"until", KEY_UNTIL, "STEP", 0, "Up to this step of the run, whatever was planned", 1},
    {"backend", KEEP_WORD(backend), "NAME", 0, "Go on elsewhere, with another order of sums: cpu, cuda, emulated", 1},
    PH_CLI_OPTION_DEVICE,
    PH_CLI_OPTIONS_RUN("as many as gain"),
    {0},
};

static int64_t take_steps(const char *option, const char *arg, struct argp_state *state)
{
    char *end;
    errno = 0;
    const long long steps = strtoll(arg, &end, 10);
    if (end == arg || *end != '\0' || errno != 0 || steps < 0 || steps > (int64_t)1 << 53)
        argp_error(state, "%s %s: a number of steps, 0 or more, is accepted", option, arg);
    return steps;
}

static error_t take_word(int key, char *arg, struct argp_state *state)
{
    struct words *words = state->input;
    switch (key) {
    case KEY_STEPS: words->steps = take_steps("--steps", arg, state); return 0;
    case PH_CLI_KEY_DEVICE: ph_cli_take_device(arg, state); return 0;
    case KEY_UNTIL: words->until = take_steps("--until", arg, state); return 0;
    case ARGP_KEY_ARG:
        if (words->file)
            argp_error(state, "one trajectory is accepted, '%s' is the second", arg);
        words->file = arg;
        return 0;
    case ARGP_KEY_NO_ARGS: argp_error(state, "a trajectory is missing, for example stockmayer.h5md"); return 0;
    default: return ph_cli_take_run(key, arg, state, &words->run);
    }
}

static int resume(const struct words *words)
{
    struct ph_error err;
    if (words->steps > 0 && words->until >= 0) {
        ph_error_set(&err, PH_ERR_INPUT,
                     "--steps and --until exclude each other: the first counts from the planned end.");
        return ph_cli_fail("polhode resume", &err);
    }
    struct ph_simulation *simulation;
    ph_cli_guard("polhode resume", words->file);
    ph_cli_note_seal("polhode resume", words->file);
    if (ph_simulation_resume_on(words->backend, words->file, &simulation, &err) != PH_OK)
        return ph_cli_fail("polhode resume", &err);
    if (words->steps > 0)
        ph_simulation_lengthen(simulation, words->steps);
    if (words->until >= 0)
        ph_simulation_end_at(simulation, words->until);
    ph_cli_choose_threads(simulation, &words->run);
    const int status = ph_cli_run("polhode resume", simulation, &words->run);
    ph_simulation_destroy(simulation);
    return status;
}

int ph_cmd_resume(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        take_word,
        "FILE.h5md",
        "Continues an interrupted run, or makes a finished run longer, from the checkpoint beside its trajectory.\v"
        "The result has the same bits as one run without interruption, with any number of threads and processes. "
        "With another backend, the trajectory differs from there on.",
        NULL,
        NULL,
        NULL};
    struct words words = {.until = -1};
    if (ph_cli_parse(&argp, argc, argv, &words))
        return PH_ERR_INPUT;
    struct ph_error err;
    if (ph_cli_begin_run(&words.run, argc, argv, &err) != PH_OK)
        return ph_cli_fail("polhode resume", &err);
    return ph_cli_log_end(resume(&words));
}
