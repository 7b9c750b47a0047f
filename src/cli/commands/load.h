/* SPDX-License-Identifier: MIT */
#ifndef PH_CLI_COMMANDS_LOAD_H
#define PH_CLI_COMMANDS_LOAD_H

/* Reads and builds the input of commands that take an input file: "INPUT.yaml [--set key=value]...". '-' instead of a
 * file is standard input. */

#include "cli/cli.h"

#include "force/force_field.h"
#include "input/input.h"
#include "model/units.h"
#include "run/build/build.h"
#include "state/state.h"

#include <argp.h>

enum { PH_CLI_SETS_MAX = 64, PH_CLI_KEY_SET = 1024, PH_CLI_KEY_BACKEND, PH_CLI_KEY_DEVICE };

/* As typed */
struct ph_cli_words {
    const char *file;
    size_t n_sets;
    const char *sets[PH_CLI_SETS_MAX];
    char backend[64]; /* --backend, as an assignment to its key */
};

#define PH_CLI_OPTION_SET                                                                                              \
    {                                                                                                                  \
        "set", PH_CLI_KEY_SET, "KEY=VALUE", 0, "Another value of a key of the input, as interactions.cutoff=3", 1      \
    }

#define PH_CLI_OPTION_BACKEND                                                                                          \
    {                                                                                                                  \
        "backend", PH_CLI_KEY_BACKEND, "NAME", 0, "The same as --set dynamics.backend=NAME: cpu, cuda, emulated", 1    \
    }

#define PH_CLI_OPTION_DEVICE                                                                                           \
    {                                                                                                                  \
        "device", PH_CLI_KEY_DEVICE, "N", 0, "The device of the backend, from 0 on (0)", 1                             \
    }

/* Takes the value of --device: ends with a message if that is no number */
void ph_cli_take_device(const char *arg, struct argp_state *state);

/* For argp parsers: takes the file, --set, --backend and --device; ARGP_ERR_UNKNOWN for other keys */
error_t ph_cli_take_input(int key, char *arg, struct argp_state *state, struct ph_cli_words *words);

/* Reads the input and keeps its texts, which must outlive it */
enum ph_status ph_cli_read_input(const struct ph_cli_words *words, struct ph_texts *texts, struct ph_input *input,
                                 struct ph_error *err);
/* Guards the reading of the start file of an input, if that is H5MD, until ph_cli_unguard. */
void ph_cli_guard_start(const char *command, const struct ph_input *input);
bool ph_cli_is_stdin(const struct ph_cli_words *words);

/* As ph_cli_fail, for failures of an input: also prints the values of --set where the message blames the file */
int ph_cli_fail_input(const char *command, const struct ph_cli_words *words, const struct ph_error *err);

struct ph_cli_loaded {
    struct ph_texts texts;
    struct ph_input *input;
    const struct ph_units *units;
    struct ph_system *system;
    struct ph_interactions interactions;
    struct ph_force_field *field;
    struct ph_state *state; /* several ranks divide the molecules to evaluate them; then the system holds all of them */
    struct ph_energy energy; /* of the start; forces are in the system */
    struct ph_build_notes notes;
};

/* Reads, builds, and evaluates once. Free with ph_cli_unload, also after a failure. */
enum ph_status ph_cli_load(const struct ph_cli_words *words, struct ph_cli_loaded *loaded, struct ph_error *err);
/* Prints notes on the start file and on charges and dipoles, to stderr */
void ph_cli_print_notes(const struct ph_cli_loaded *loaded);
void ph_cli_unload(struct ph_cli_loaded *loaded);

#endif
