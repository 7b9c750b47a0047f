/* SPDX-License-Identifier: MIT */
#include "cli/load.h"

#include "run/build.h"

#include <stdio.h>
#include <stdlib.h>

error_t ph_cli_take_input(int key, char *arg, struct argp_state *state, struct ph_cli_words *words)
{
    switch (key) {
    case PH_CLI_KEY_SET:
        if (words->n_sets == PH_CLI_SETS_MAX)
            argp_error(state, "--set is accepted %d times", PH_CLI_SETS_MAX);
        else
            words->sets[words->n_sets++] = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (words->file)
            argp_error(state, "one input file is accepted, '%s' is the second", arg);
        words->file = arg;
        return 0;
    case ARGP_KEY_NO_ARGS: argp_error(state, "an input file is missing, for example inputs/stockmayer.yaml"); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

enum ph_status ph_cli_load(const struct ph_cli_words *words, struct ph_cli_loaded *loaded, struct ph_error *err)
{
    *loaded = (struct ph_cli_loaded){.input = malloc(sizeof *loaded->input)};
    if (!loaded->input)
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for the input.");
    enum ph_status status = ph_input_read(words->file, words->n_sets, words->sets, loaded->input, err);
    if (status != PH_OK)
        return status;
    loaded->units = ph_units_find(loaded->input->units);
    struct ph_build_notes notes;
    status = ph_build_system(loaded->input, &loaded->system, &loaded->interactions, &notes, err);
    if (status != PH_OK)
        return status;
    fputs(notes.text, stderr); /* how a start file was read */
    if (loaded->input->system.start.minimise.steps > 0)
        fputs("This is the start before its minimisation (system.start.minimise).\n", stderr);
    struct ph_error inner = {.status = PH_OK};
    if (ph_force_field_create(loaded->system, &loaded->interactions, &loaded->field, &inner) != PH_OK ||
        ph_force_field_evaluate(loaded->field, loaded->system, &loaded->energy, &inner) != PH_OK)
        return ph_input_error(loaded->input, &inner, err);
    return PH_OK;
}

void ph_cli_unload(struct ph_cli_loaded *loaded)
{
    ph_force_field_destroy(loaded->field);
    ph_interactions_free(&loaded->interactions);
    ph_system_destroy(loaded->system);
    free(loaded->input);
    *loaded = (struct ph_cli_loaded){0};
}
