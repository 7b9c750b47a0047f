/* SPDX-License-Identifier: MIT */
/* polhode run: a simulation from an input file. */
#include "cli/commands/load.h"
#include "cli/commands/watch.h"

#include <omp.h>
#include <stdlib.h>

struct words {
    struct ph_cli_words input;
    struct ph_cli_run_words run;
    const char *output;
};

static const struct argp_option options[] = {
    {"output", 'o', "FILE.h5md", 0, "Trajectory (default: output.file of the input, or its name with .h5md)", 1},
    {"overwrite", KEEP_FLAG(run.overwrite), NULL, 0, "Replace a trajectory that is there", 1},
    PH_CLI_OPTION_SET,
    PH_CLI_OPTION_BACKEND,
    PH_CLI_OPTIONS_RUN("as many as gain"),
    {0},
};

static error_t take_word(int key, char *arg, struct argp_state *state)
{
    struct words *words = state->input;
    if (key == 'o') {
        words->output = arg;
        return 0;
    }
    const error_t taken = ph_cli_take_run(key, arg, state, &words->run);
    return taken == ARGP_ERR_UNKNOWN ? ph_cli_take_input(key, arg, state, &words->input) : taken;
}

static enum ph_status load(const struct words *words, struct ph_simulation **simulation, struct ph_error *err)
{
    struct ph_texts texts = {.n = 0};
    struct ph_input *input = malloc(sizeof *input);
    if (!input)
        return ph_no_memory(err, "the input");
    enum ph_status status = ph_cli_read_input(&words->input, &texts, input, err);
    if (status == PH_OK && ph_cli_is_stdin(&words->input) && !words->output && input->output.file[0] == '\0')
        status = ph_error_set(err, PH_ERR_INPUT,
                              "%s: has no name that the trajectory could be called after. Give one with -o FILE.h5md, "
                              "or with output.file.",
                              input->file);
    if (status == PH_OK) {
        ph_cli_guard_start("polhode run", input);
        status = ph_simulation_create(&texts, input, words->output, simulation, err);
        ph_cli_unguard();
    }
    ph_texts_free(&texts);
    free(input);
    return status;
}

int ph_cmd_run(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        take_word,
        "INPUT.yaml|-",
        "Runs a simulation: the stages of the input, or its equilibration, if any, and production.\v"
        "The trajectory is an H5MD file. Other programs can read it, also during the run. Ctrl-C ends the run after "
        "the step with a checkpoint (exit status 130); 'polhode resume' continues from there, bit for bit.",
        NULL,
        NULL,
        NULL};
    struct words words = {.input.file = NULL};
    if (ph_cli_parse(&argp, argc, argv, &words))
        return PH_ERR_INPUT;
    if (words.run.threads > 0)
        omp_set_num_threads(words.run.threads);
    struct ph_error err;
    struct ph_simulation *simulation;
    if (load(&words, &simulation, &err) != PH_OK)
        return ph_cli_fail_input("polhode run", &words.input, &err);
    ph_cli_choose_threads(simulation, &words.run);
    const int status = ph_cli_run("polhode run", simulation, &words.run);
    ph_simulation_destroy(simulation);
    return status;
}
