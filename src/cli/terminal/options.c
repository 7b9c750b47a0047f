/* SPDX-License-Identifier: MIT */
/* Additions to argp: the nearest name for a misspelt option, -h, and the tables of a command for its manual page and
 * for completion. */
#include "cli/cli.h"

#include "base/names.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

static const struct argp **wanted; /* set while ph_cli_tables runs a command for its tables alone */

const struct argp *ph_cli_tables(const struct ph_command *command)
{
    const struct argp *found = NULL;
    char name[] = "polhode";
    wanted = &found;
    command->run(1, (char *[]){name, NULL});
    wanted = NULL;
    return found;
}

bool ph_cli_is_option(const struct argp_option *option)
{
    return option->name || option->key || option->doc; /* a row of zeros ends the table */
}

static bool has_letter(const struct argp_option *option) { return option->key > 32 && option->key < 127; }

/* The option with this name, which may be shortened as long as it is clear, or letter; NULL: argp may know it */
static const struct argp_option *find_name(const struct argp *argp, const char *name, size_t length)
{
    const struct argp_option *found = NULL;
    for (const struct argp_option *option = argp->options; ph_cli_is_option(option); ++option)
        if (option->name && strncmp(option->name, name, length) == 0) {
            if (strlen(option->name) == length)
                return option;
            found = option;
        }
    return found;
}

static const struct argp_option *find_letter(const struct argp *argp, char letter)
{
    for (const struct argp_option *option = argp->options; ph_cli_is_option(option); ++option)
        if (has_letter(option) && option->key == letter)
            return option;
    return NULL;
}

static void fail(char *const *argv, const char *dashes, const char *name, size_t length, const char *nearest)
{
    struct ph_error err;
    ph_error_set(&err, PH_ERR_INPUT, "There is no option '%s%.*s'.%s%s%s '%s --help' shows all.", dashes, (int)length,
                 name, nearest ? " Did you mean '--" : "", nearest ? nearest : "", nearest ? "'?" : "", argv[0]);
    exit(ph_cli_fail(argv[0], &err));
}

static void unknown_name(const struct argp *argp, char *const *argv, const char *name, size_t length)
{
    enum { MOST = 64 };
    const char *names[MOST];
    char typed[64];
    size_t n = 0;
    for (const struct argp_option *option = argp->options; ph_cli_is_option(option) && n < MOST; ++option)
        if (option->name)
            names[n++] = option->name;
    snprintf(typed, sizeof typed, "%.*s", (int)length, name);
    fail(argv, "--", name, length, ph_name_nearest(typed, n, names));
}

/* Whether the word is -h or has an option that takes the next word as its value; ends the program if there is no such
 * option. */
enum meaning { WORD, TAKES_NEXT, HELP };

static enum meaning read_name(const struct argp *argp, char *const *argv, const char *name)
{
    static const char *const of_argp[] = {"help", "usage"};
    const size_t length = strcspn(name, "=");
    const struct argp_option *option = find_name(argp, name, length);
    if (option)
        return option->arg && name[length] == '\0' ? TAKES_NEXT : WORD;
    for (size_t k = 0; k < sizeof of_argp / sizeof *of_argp; ++k)
        if (strncmp(of_argp[k], name, length) == 0)
            return WORD;
    unknown_name(argp, argv, name, length);
    return WORD;
}

static enum meaning read_letters(const struct argp *argp, char *const *argv, const char *letters)
{
    const size_t length = strcspn(letters, "=");
    const struct argp_option *whole = length > 1 ? find_name(argp, letters, length) : NULL;
    if (whole && strlen(whole->name) == length) /* -overwrite would be -o verwrite */
        fail(argv, "-", letters, length, whole->name);
    for (; *letters; ++letters) {
        const struct argp_option *option = find_letter(argp, *letters);
        if (option && option->arg)
            return letters[1] == '\0' ? TAKES_NEXT : WORD;
        if (!option && *letters == 'h')
            return HELP;
    }
    return WORD;
}

static const struct argp *of_command; /* while its options are parsed */

static error_t keep(int key, char *arg, struct argp_state *state)
{
    const int kind = key & ~(PH_CLI_KEEPS_WORD - 1);
    if (kind != PH_CLI_KEEPS_WORD && kind != PH_CLI_KEEPS_FLAG)
        return of_command->parser ? of_command->parser(key, arg, state) : ARGP_ERR_UNKNOWN;
    void *field = (char *)state->input + (key - kind);
    if (kind == PH_CLI_KEEPS_WORD)
        *(const char **)field = arg;
    else
        *(bool *)field = true;
    return 0;
}

int ph_cli_parse(const struct argp *argp, int argc, char **argv, void *words)
{
    static char help[] = "--help";
    if (wanted) {
        *wanted = argp;
        return -1;
    }
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; ++i) {
        enum meaning meaning = WORD;
        if (argv[i][0] == '-' && argv[i][1] == '-')
            meaning = read_name(argp, argv, argv[i] + 2);
        else if (argv[i][0] == '-')
            meaning = read_letters(argp, argv, argv[i] + 1);
        if (meaning == HELP)
            argv[i] = help;
        if (meaning == TAKES_NEXT)
            ++i;
    }
    struct argp keeping = *argp;
    keeping.parser = keep;
    of_command = argp;
    return (int)argp_parse(&keeping, argc, argv, 0, NULL, words);
}

int ph_cli_take_file(int key, char *arg, struct argp_state *state, const char **file)
{
    if (key == ARGP_KEY_ARG && *file)
        argp_error(state, "one file at a time: '%s' or '%s'", *file, arg);
    if (key == ARGP_KEY_ARG)
        *file = arg;
    if (key == ARGP_KEY_END && !*file)
        argp_error(state, "an H5MD file is needed");
    return key == ARGP_KEY_ARG || key == ARGP_KEY_END ? 0 : ARGP_ERR_UNKNOWN;
}
