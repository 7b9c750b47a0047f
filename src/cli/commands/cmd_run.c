/* SPDX-License-Identifier: MIT */
/* polhode run: a simulation from an input file. */
#include "cli/commands/load.h"
#include "cli/commands/watch.h"

#include "output/checkpoint/checkpoint.h"
#include "parallel/ranks.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct words {
    struct ph_cli_words input;
    struct ph_cli_run_words run;
    const char *output;
    bool or_resume;
};

static const struct argp_option options[] = {
    {"output", 'o', "FILE.h5md", 0, "Trajectory (default: output.file of the input, or its name with .h5md)", 1},
    {"overwrite", KEEP_FLAG(run.overwrite), NULL, 0, "Replace a trajectory that is there", 1},
    {"or-resume", KEEP_FLAG(or_resume), NULL, 0,
     "Continue the run if it has a checkpoint and the same input, else begin it: one command for requeued jobs", 1},
    PH_CLI_OPTION_SET,
    PH_CLI_OPTION_BACKEND,
    PH_CLI_OPTION_DEVICE,
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

/* ---- --or-resume ---- */

/* Rank 0 looks, so that all ranks decide alike. */
static bool has_checkpoint(const char *file)
{
    char name[PH_PATH + 16], older[PH_PATH + 20];
    bool found = false;
    if (ph_ranks_is_first() && ph_checkpoint_name(file, sizeof name, name)) {
        snprintf(older, sizeof older, "%s.1", name);
        found = access(name, F_OK) == 0 || access(older, F_OK) == 0;
    }
    ph_ranks_broadcast(sizeof found, &found);
    return found;
}

static enum ph_status another(const char *file, const char *what, const char *name, struct ph_error *err)
{
    return ph_error_set(err, PH_ERR_INPUT,
                        "%s: its run was begun with another %s%s, so --or-resume does not continue it. Give another "
                        "name (-o), or continue it as it was: polhode resume %s",
                        file, what, name, file);
}

/* Compares the input that a run was begun with, its models and values of --set, with those of now. Reads models into
 * `texts`. */
static enum ph_status same_input(const char *file, const struct ph_input *was, struct ph_texts *texts,
                                 const struct ph_input *is, struct ph_error *err)
{
    const struct ph_text *now = &texts->item[0];
    struct ph_error unread;
    for (size_t k = 0; k < was->texts->n; ++k) {
        const struct ph_text *then = &was->texts->item[k];
        if ((k > 0 && ph_texts_read(texts, then->name, &now, &unread) != PH_OK) || strcmp(then->text, now->text) != 0)
            return another(file, "text of ", then->name, err);
    }
    bool same = was->n_sets == is->n_sets;
    for (size_t k = 0; k < is->n_sets && same; ++k)
        same = strcmp(was->sets[k], is->sets[k]) == 0;
    return same ? PH_OK : another(file, "value of --set or --backend", "", err);
}

static enum ph_status resume(const char *file, struct ph_texts *texts, const struct ph_input *input,
                             struct ph_simulation **simulation, struct ph_error *err)
{
    ph_cli_guard("polhode run", file);
    ph_cli_note_seal("polhode run", file);
    enum ph_status status = ph_simulation_resume_on(NULL, file, simulation, err);
    ph_cli_unguard();
    if (status == PH_OK)
        status = ph_ranks_agree(same_input(file, ph_simulation_input(*simulation), texts, input, err), err);
    return status;
}

/* ---- The command ---- */

static enum ph_status begin(const struct words *words, struct ph_texts *texts, const struct ph_input *input,
                            struct ph_simulation **simulation, struct ph_error *err)
{
    ph_cli_guard_start("polhode run", input);
    const enum ph_status status = ph_simulation_create(texts, input, words->output, simulation, err);
    ph_cli_unguard();
    return status;
}

static enum ph_status load(const struct words *words, struct ph_simulation **simulation, struct ph_error *err)
{
    struct ph_texts texts = {.n = 0};
    char file[PH_PATH];
    struct ph_input *input = malloc(sizeof *input);
    if (!input)
        return ph_no_memory(err, "the input");
    enum ph_status status = ph_cli_read_input(&words->input, &texts, input, err);
    if (status == PH_OK && ph_cli_is_stdin(&words->input) && !words->output && input->output.file[0] == '\0')
        status = ph_error_set(err, PH_ERR_INPUT,
                              "%s: has no name that the trajectory could be called after. Give one with -o FILE.h5md, "
                              "or with output.file.",
                              input->file);
    if (status == PH_OK && words->or_resume)
        status = ph_simulation_name(input, words->output, file, err);
    if (status == PH_OK && words->or_resume && has_checkpoint(file))
        status = resume(file, &texts, input, simulation, err);
    else if (status == PH_OK)
        status = begin(words, &texts, input, simulation, err);
    ph_texts_free(&texts);
    free(input);
    return status;
}

static int run(const struct words *words)
{
    struct ph_error err;
    struct ph_simulation *simulation = NULL;
    if (load(words, &simulation, &err) != PH_OK) {
        ph_simulation_destroy(simulation);
        return ph_cli_fail_input("polhode run", &words->input, &err);
    }
    ph_cli_choose_threads(simulation, &words->run);
    const int status = ph_cli_run("polhode run", simulation, &words->run);
    ph_simulation_destroy(simulation);
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
        "the step with a checkpoint (exit status 130); 'polhode resume' continues from there, bit for bit. So do the "
        "signals of batch systems and --max-hours. With --or-resume the same command continues the run.",
        NULL,
        NULL,
        NULL};
    struct words words = {.input.file = NULL};
    if (ph_cli_parse(&argp, argc, argv, &words))
        return PH_ERR_INPUT;
    struct ph_error err;
    if (ph_cli_begin_run(&words.run, argc, argv, &err) != PH_OK)
        return ph_cli_fail("polhode run", &err);
    return ph_cli_log_end(run(&words));
}
