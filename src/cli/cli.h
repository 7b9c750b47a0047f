/* SPDX-License-Identifier: MIT */
#ifndef PH_CLI_CLI_H
#define PH_CLI_CLI_H

/* Functions that several commands use. Each command is a function `int ph_cmd_<name>(int argc, char **argv)` with
 * argv[0] = "polhode <name>". It writes results to stdout and returns an enum ph_status as exit status. main.c flushes
 * stdout and reports a failure to write. Commands parse with ph_cli_parse, that is argp, which does --help and exits by
 * itself. */

#include "base/error.h"
#include "output/export/export.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

int ph_cmd_analyze(int argc, char **argv);
int ph_cmd_bench(int argc, char **argv);
int ph_cmd_certify(int argc, char **argv);
int ph_cmd_check(int argc, char **argv);
int ph_cmd_energy(int argc, char **argv);
int ph_cmd_export(int argc, char **argv);
int ph_cmd_flow(int argc, char **argv);
int ph_cmd_info(int argc, char **argv);
int ph_cmd_list(int argc, char **argv);
int ph_cmd_model(int argc, char **argv);
int ph_cmd_report(int argc, char **argv);
int ph_cmd_resume(int argc, char **argv);
int ph_cmd_run(int argc, char **argv);
int ph_cmd_study(int argc, char **argv);
int ph_cmd_sweep(int argc, char **argv);
int ph_cmd_tune(int argc, char **argv);
int ph_cmd_version(int argc, char **argv);

/* options.c: as argp_parse, with the nearest name for misspelt options. A command returns at once if this is not 0:
 * then only its tables are wanted. Options with one of these keys never reach the parser of the command: their value
 * (const char *) is kept in a field of its struct words, or the field (bool) becomes true. */
#define KEEP_WORD(field) PH_CLI_KEEP(field, const char *, PH_CLI_KEEPS_WORD)
#define KEEP_FLAG(field) PH_CLI_KEEP(field, bool, PH_CLI_KEEPS_FLAG)
#define PH_CLI_KEEP(field, type, kind)                                                                                 \
    (_Generic(&((struct words *)NULL)->field, type * : kind) + (int)offsetof(struct words, field))
enum { PH_CLI_KEEPS_WORD = 1 << 16, PH_CLI_KEEPS_FLAG = 1 << 17 };
struct argp;
struct argp_option;
int ph_cli_parse(const struct argp *argp, int argc, char **argv, void *words);
/* For argp parsers of commands that need one H5MD file: takes its name; ARGP_ERR_UNKNOWN for options */
struct argp_state;
int ph_cli_take_file(int key, char *arg, struct argp_state *state, const char **file);

struct ph_command {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv);
    bool threads; /* whether it computes with several */
    bool team;    /* whether it computes with several processes */
};
const struct argp *ph_cli_tables(const struct ph_command *command); /* its argument of ph_cli_parse */
bool ph_cli_is_option(const struct argp_option *option);            /* false for the end of a table */

/* waiting.c: threads that wait for each other make way for other work, unless the environment says otherwise, and have
 * stacks that are large enough. Must come first, because the program may begin anew with another environment. False: it
 * has nothing to do but to end with *status. */
bool ph_cli_prepare_threads(char **argv, int *status);
enum { PH_CLI_THREADS_MOST = 1024 };

/* processors.c: lets this thread run on all processors that the program was started on, if an OpenMP library has bound
 * it to fewer. To be called before another program is started, which would inherit the bound. */
void ph_cli_release_processors(void);

/* spinning.c: from now on a thread of its own watches how busy the processors are. While they are busy, OpenMP threads
 * that wait sleep instead of spinning. For gcc's OpenMP library. */
void ph_cli_watch_processors(void);

/* processes.c: joins the other ranks that mpirun or a similar launcher has started. False: this process must end with
 * *status. After joining, only rank 0 prints. */
bool ph_cli_join(const struct ph_command *command, int *status);

/* print.c: prints a text that may come from a foreign file, with '?' for control characters other than newline and
 * tab. */
void ph_cli_print(FILE *out, const char *text);
/* messages.c: to stderr, "polhode flow: text" with a newline at the end */
int ph_cli_fail(const char *command, const struct ph_error *err); /* returns err->status */
void ph_cli_warn(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "80.3 TB" */
enum { PH_CLI_BYTES = 32 };
char *ph_cli_bytes(double bytes, char text[PH_CLI_BYTES]);

/* run.h5md becomes run.csv, with the ending "csv"; the caller frees it. NULL: no memory */
char *ph_cli_other_name(const char *file, const char *ending);

/* A name as a shell takes it, for commands to be copied: quoted if need be */
char *ph_cli_quoted(const char *name, size_t room, char *text); /* `room` is at least PH_CLI_QUOTED(length of name) */
#define PH_CLI_QUOTED(length) (4 * (length) + 5)

/* guard.c: from here on a crash inside HDF5 is reported as damage of this file, with PH_ERR_IO: all versions of HDF5
 * crash on some damaged files. Any other crash is reported as a fault of the program, and ends it as a crash.
 * ph_cli_unguard restores the earlier actions on crashes. */
void ph_cli_guard(const char *command, const char *file);
void ph_cli_unguard(void);
/* messages.c: says on stderr that a trajectory has no seal, if that is so and it can be read */
void ph_cli_note_seal(const char *command, const char *file);

/* The last call of a handler of crashes, which has put back the earlier action: that is taken next. A fault happens
 * again when the handler returns, so that a core, a debugger or the earlier handler finds the true place and address. A
 * signal that abort or kill has sent is sent again, with all that came with it. */
void ph_cli_crash_again(int signal_number, siginfo_t *info);

/* The name (of n, by index) that a user who typed `typed` most likely meant; NULL if none is near. */
const char *ph_cli_nearest(const char *typed, size_t n, const char *(*name_at)(size_t));

/* PH_ERR_INPUT: "There is no <kind> named 'typed'. Did you mean 'nearest'? Accepted: a, b, c." */
enum ph_status ph_cli_unknown_name(const char *kind, const char *typed, size_t n, const char *(*name_at)(size_t),
                                   struct ph_error *err);

/* numbers.c: the value of an option, e.g. "--inertia"; the whole text must be a value. */
enum ph_status ph_cli_parse_numbers(const char *option, const char *text, size_t n, double *numbers,
                                    struct ph_error *err); /* n finite numbers, separated by commas */
enum ph_status ph_cli_parse_integer(const char *option, const char *text, long smallest, long *number,
                                    struct ph_error *err);

/* Of --frames: "A", "A:B", "A:B:C" as in Python; each may be left out between colons */
enum ph_status ph_cli_parse_frames(const char *text, struct ph_frame_range *frames, bool *single, struct ph_error *err);

/* json.c: writes the results of a command as one JSON document or as text, from one description. A description is a
 * sequence of named values and of lines for people (ph_json_say). JSON shows only the values, text only the lines.
 * Start with {.out = stdout}, or {.out = stdout, .text = true}; `key` is NULL for the document and inside arrays.
 * Doubles have 17 digits; NaN and infinities, which JSON does not know, become null. */
enum { PH_JSON_DEPTH = 16 };
struct ph_json {
    FILE *out;
    bool text; /* not JSON */
    int depth;
    bool array[PH_JSON_DEPTH], filled[PH_JSON_DEPTH];
};
void ph_json_say(struct ph_json *json, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ph_json_begin_object(struct ph_json *json, const char *key);
void ph_json_begin_array(struct ph_json *json, const char *key);
void ph_json_end(struct ph_json *json); /* of the innermost open object or array */
void ph_json_string(struct ph_json *json, const char *key, const char *text); /* text NULL: null */
/* Keys and their texts, in turn */
#define ph_json_strings(json, ...)                                                                                     \
    ph_json_write_strings(json, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), (const char *[]){__VA_ARGS__})
void ph_json_write_strings(struct ph_json *json, size_t n, const char *const texts[]);
void ph_json_bool(struct ph_json *json, const char *key, bool value);
void ph_json_integer(struct ph_json *json, const char *key, long value);
void ph_json_number(struct ph_json *json, const char *key, double value);
void ph_json_numbers(struct ph_json *json, const char *key, size_t n, const double *values); /* an array on one line */
void ph_json_matrix(struct ph_json *json, const char *key, const double matrix[3][3]);       /* rows */

/* messages.c: text at an indentation, broken at spaces; not in JSON */
void ph_cli_say_wrapped(struct ph_json *json, int indent, const char *text);

/* A table with the looks of its columns; looks NULL: not for people. In JSON an array with one object for each row, by
 * the names of the columns. */
struct ph_table;
struct ph_table_look;
void ph_json_table(struct ph_json *json, const char *key, const struct ph_table *table,
                   const struct ph_table_look *looks);

/* claims.c: prints the claims of a method, by the properties of its kind */
struct ph_card_kind;
void ph_cli_say_claims(struct ph_json *json, int indent, const struct ph_card_kind *kind, const void *claims);

/* judgement.c: prints the values that the input asked for and the values obtained; lines begin with the label, in this
 * width */
struct ph_asked;
void ph_cli_say_asked(struct ph_json *json, const char *label, int width, const struct ph_asked *asked);
/* Prints the verdict on a run: its line, and in text the checks if `listed`: `all`, or only checks that are not well */
struct ph_verdict;
void ph_cli_say_verdict(struct ph_json *json, int width, bool listed, bool all, const struct ph_verdict *verdict);

/* list_integrators.c */
void ph_cli_say_integrators(struct ph_json *json);

/* analysis_print.c: prints all kinds of analysis */
void ph_cli_say_analyses(struct ph_json *json);

/* list_keys.c: the keys of input and model files */
void ph_cli_say_keys(struct ph_json *json);

#endif
