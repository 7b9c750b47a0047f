/* SPDX-License-Identifier: MIT */
#ifndef PH_TESTS_PROGRAM_H
#define PH_TESTS_PROGRAM_H

/* Runs the built program as a user does, and keeps what it said. */

#include "support.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { PROGRAM_TEXT = 1 << 16, PROGRAM_ARGUMENTS = 32 };

struct program {
    int status; /* exit status, or 128 + signal */
    char out[PROGRAM_TEXT], err[PROGRAM_TEXT];
};

static inline void read_back(FILE *file, char text[PROGRAM_TEXT])
{
    rewind(file);
    text[fread(text, 1, PROGRAM_TEXT - 1, file)] = '\0';
    fclose(file);
}

/* `line` is split at spaces; stdout goes to the descriptor `out_to` if that is not negative, and is not kept then. The
 * result lives until the next call. */
static inline const struct program *run_program_to(int out_to, const char *line)
{
    static struct program result;
    char words[4096];
    assert_true(strlen(line) < sizeof words);
    strcpy(words, line);
    char *argv[PROGRAM_ARGUMENTS] = {(char *)"polhode"};
    int n = 1;
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
        assert_true(n < PROGRAM_ARGUMENTS - 1);
        argv[n++] = word;
    }

    FILE *out = tmpfile(), *err = tmpfile();
    assert_non_null(out);
    assert_non_null(err);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out_to >= 0 ? out_to : fileno(out), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(err), STDERR_FILENO);
    pid_t pid;
    assert_int_equal(posix_spawn(&pid, POLHODE_PROGRAM, &actions, NULL, argv, environ), 0);
    posix_spawn_file_actions_destroy(&actions);

    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    read_back(out, result.out);
    read_back(err, result.err);
    return &result;
}

static inline const struct program *run_program(const char *line) { return run_program_to(-1, line); }

/* The same for a program that must end well */
static inline const struct program *run_well(const char *line)
{
    const struct program *p = run_program(line);
    if (p->status != 0)
        fail_msg("polhode %s: status %d: %s", line, p->status, p->err);
    return p;
}

/* Status 2, nothing on stdout, and a sentence on stderr that begins with the command and has both words. */
static inline void assert_usage_error(const char *line, const char *command, const char *one, const char *two)
{
    const struct program *p = run_program(line);
    const size_t length = strlen(p->err);
    if (p->status != 2 || p->out[0] || strncmp(p->err, command, strlen(command)) != 0 || !strstr(p->err, one) ||
        !strstr(p->err, two) || length == 0 || p->err[length - 1] != '\n')
        fail_msg("polhode %s: status 2 and '%s: ...%s...%s...' expected, got %d and '%s' (stdout '%s')", line, command,
                 one, two, p->status, p->err, p->out);
}

/* Just enough of a JSON reader: the text of the value at a path of keys like "end.momentum" */
static inline const char *json_at(const char *document, const char *path)
{
    const char *at = document;
    char keys[256];
    snprintf(keys, sizeof keys, "%s", path);
    for (char *key = strtok(keys, "."); key; key = strtok(NULL, ".")) {
        char quoted[80];
        snprintf(quoted, sizeof quoted, "\"%s\": ", key);
        at = strstr(at, quoted);
        if (!at)
            fail_msg("no key %s of %s in %s", key, path, document);
        at += strlen(quoted);
    }
    return at;
}

static inline double json_number(const char *document, const char *path)
{
    const char *text = json_at(document, path);
    char *end;
    const double value = strtod(text, &end);
    if (end == text)
        fail_msg("%s is not a number: %.20s", path, text);
    return value;
}

static inline void json_numbers(const char *document, const char *path, size_t n, double *values)
{
    const char *text = json_at(document, path);
    for (size_t i = 0; i < n; ++i) {
        assert_int_equal(*text, i == 0 ? '[' : ',');
        char *end;
        values[i] = strtod(text + 1, &end);
        text = end;
    }
    assert_int_equal(*text, ']');
}

static inline void assert_json_string(const char *document, const char *path, const char *want)
{
    const char *text = json_at(document, path);
    const size_t length = strlen(want);
    if (text[0] != '"' || strncmp(text + 1, want, length) != 0 || text[1 + length] != '"')
        fail_msg("%s is not \"%s\" but %.40s", path, want, text);
}

#endif
