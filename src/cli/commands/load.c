/* SPDX-License-Identifier: MIT */
#include "cli/commands/load.h"

#include "accel/machines/device_choice.h"
#include "output/checkpoint/hash.h"
#include "parallel/ranks.h"
#include "run/build/overlap.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ph_cli_take_device(const char *arg, struct argp_state *state)
{
    char *end;
    errno = 0;
    const long device = strtol(arg, &end, 10);
    if (end == arg || *end != '\0' || errno != 0 || device < 0 || device > INT_MAX)
        argp_error(state, "--device %s: a number from 0 on is accepted", arg);
    ph_device_choose((int)device);
}

error_t ph_cli_take_input(int key, char *arg, struct argp_state *state, struct ph_cli_words *words)
{
    switch (key) {
    case PH_CLI_KEY_BACKEND:
        snprintf(words->backend, sizeof words->backend, "dynamics.backend=%s", arg);
        arg = words->backend;
        /* fall through */
    case PH_CLI_KEY_SET:
        if (words->n_sets == PH_CLI_SETS_MAX)
            argp_error(state, "--set is accepted %d times", PH_CLI_SETS_MAX);
        else
            words->sets[words->n_sets++] = arg;
        return 0;
    case PH_CLI_KEY_DEVICE: ph_cli_take_device(arg, state); return 0;
    case ARGP_KEY_ARG:
        if (words->file)
            argp_error(state, "one input file is accepted, '%s' is the second", arg);
        words->file = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "an input file is missing, for example inputs/stockmayer.yaml, or '-' for standard input");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const char name_of_stdin[] = "standard input"; /* in messages, and where the file records its input */

bool ph_cli_is_stdin(const struct ph_cli_words *words) { return strcmp(words->file, "-") == 0; }

/* Rank 0 has the standard input; the other ranks get the text from it. */
static enum ph_status read_stdin(struct ph_texts *texts, struct ph_error *err)
{
    const bool first = ph_ranks_is_first();
    enum ph_status status = first ? ph_texts_add_stream(texts, name_of_stdin, stdin, err) : PH_OK;
    status = ph_ranks_agree(status, err);
    if (status != PH_OK || ph_ranks_count() == 1)
        return status;
    size_t length = first ? texts->item[0].length : 0;
    ph_ranks_broadcast(sizeof length, &length);
    char *text = malloc(length + 1);
    status = ph_ranks_agree(text ? PH_OK : ph_no_memory(err, "the input"), err);
    if (status == PH_OK) {
        if (first)
            memcpy(text, texts->item[0].text, length);
        ph_ranks_broadcast(length, text);
    }
    if (status == PH_OK && !first)
        status = ph_texts_add(texts, name_of_stdin, text, length, err);
    free(text);
    return status;
}

enum ph_status ph_cli_read_input(const struct ph_cli_words *words, struct ph_texts *texts, struct ph_input *input,
                                 struct ph_error *err)
{
    const bool is_stdin = ph_cli_is_stdin(words);
    const enum ph_status status = is_stdin ? read_stdin(texts, err) : PH_OK;
    if (status != PH_OK)
        return status;
    return ph_input_read_keeping(texts, is_stdin ? name_of_stdin : words->file, words->n_sets, words->sets, input, err);
}

void ph_cli_guard_start(const char *command, const struct ph_input *input)
{
    char path[2 * PH_PATH];
    if (input->system.start.file[0] && ph_input_relative(input, input->system.start.file, path) && ph_h5md_is(path))
        ph_cli_guard(command, path);
}

int ph_cli_fail_input(const char *command, const struct ph_cli_words *words, const struct ph_error *err)
{
    const char *file = ph_cli_is_stdin(words) ? name_of_stdin : words->file;
    if (err->status != PH_ERR_INPUT || words->n_sets == 0 || strncmp(err->text, file, strlen(file)) != 0)
        return ph_cli_fail(command, err);
    fprintf(stderr, "%s: %s (This is the input with", command, err->text);
    for (size_t k = 0; k < words->n_sets; ++k)
        fprintf(stderr, "%s--set %s", k > 0 ? ", " : " ", words->sets[k]);
    fputs(".)\n", stderr);
    return (int)err->status;
}

/* Evaluates the start, and gathers forces and molecules on every rank */
static enum ph_status evaluate(struct ph_cli_loaded *loaded, struct ph_error *err)
{
    const int parts = PH_STATE_PLACES | PH_STATE_MOMENTA | PH_STATE_FORCES;
    enum ph_status status = ph_force_field_create(loaded->system, &loaded->interactions, &loaded->field, err);
    if (status == PH_OK)
        status = ph_state_create(loaded->system, loaded->field, &(struct ph_state_options){.flow = NULL},
                                 &loaded->state, err);
    status = ph_ranks_agree(status, err);
    if (status == PH_OK && ph_ranks_count() > 1)
        status = ph_ranks_same(ph_state_hash(loaded->system), err);
    if (status == PH_OK)
        status = ph_state_forces(loaded->state, PH_FORCES_ALL, &loaded->energy, err);
    return status == PH_OK ? ph_state_show(loaded->state, parts, err) : status;
}

enum ph_status ph_cli_load(const struct ph_cli_words *words, struct ph_cli_loaded *loaded, struct ph_error *err)
{
    *loaded = (struct ph_cli_loaded){.input = malloc(sizeof *loaded->input)};
    if (!loaded->input)
        return ph_no_memory(err, "the input");
    enum ph_status status = ph_cli_read_input(words, &loaded->texts, loaded->input, err);
    if (status != PH_OK)
        return status;
    loaded->units = ph_units_find(loaded->input->units);
    ph_cli_guard_start("polhode", loaded->input);
    status = ph_build_system(loaded->input, &loaded->system, &loaded->interactions, &loaded->notes, err);
    ph_cli_unguard();
    if (status != PH_OK)
        return status;
    struct ph_overlap overlap;
    struct ph_error inner = {.status = PH_OK};
    status = ph_ranks_agree(ph_overlap_find(loaded->system, &loaded->interactions, &overlap, &inner), &inner);
    if (status == PH_OK)
        status = evaluate(loaded, &inner);
    if (status != PH_OK) {
        ph_overlap_blame(&overlap, &inner);
        return ph_input_error(loaded->input, &inner, err);
    }
    if (!(loaded->input->system.start.minimise.steps > 0)) /* which would end it */
        ph_overlap_note(&overlap, &loaded->notes);
    return PH_OK;
}

void ph_cli_print_notes(const struct ph_cli_loaded *loaded)
{
    fputs(loaded->notes.text, stderr);
    if (loaded->input->system.start.minimise.steps > 0)
        fputs("This is the start before its minimisation (system.start.minimise).\n", stderr);
}

void ph_cli_unload(struct ph_cli_loaded *loaded)
{
    ph_state_destroy(loaded->state);
    ph_force_field_destroy(loaded->field);
    ph_interactions_free(&loaded->interactions);
    ph_system_destroy(loaded->system);
    ph_texts_free(&loaded->texts);
    free(loaded->input);
    *loaded = (struct ph_cli_loaded){0};
}
