/* SPDX-License-Identifier: MIT */
#include "base/system/shared_object.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { OPTIONS_MOST = 32 };

/* A new file with this text; false if that fails */
static bool write_file(const char *path, const char *text)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    size_t left = strlen(text);
    while (file >= 0 && left > 0) {
        const ssize_t n = write(file, text, left);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        text += n;
        left -= (size_t)n;
    }
    return file >= 0 && close(file) == 0 && left == 0;
}

/* Runs a compiler in silence, and returns whether it succeeded; `found`: whether it could be started */
static bool run(char *const arguments[], bool *found)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = 0;
    *found = false;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    const bool silent = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) == 0 &&
                        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) == 0 &&
                        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) == 0;
    *found = silent && posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    pid_t ended = -1;
    while (*found && (ended = waitpid(child, &status, 0)) < 0 && errno == EINTR)
        continue;
    if (ended >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == 127) /* as some systems say that there is no file */
        *found = false;
    return *found && ended >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void *build_in(const char *folder, const char *compiler, const char *code, const char *const options[],
                      size_t size, char *text)
{
    char source[PATH_MAX], object[PATH_MAX];
    const char *arguments[OPTIONS_MOST + 8] = {compiler};
    size_t n = 1;
    while (*options && n < OPTIONS_MOST)
        arguments[n++] = *options++;
    const char *const last[] = {"-shared", "-fPIC", "-o", object, source, "-lm", NULL};
    memcpy(arguments + n, last, sizeof last);
    if (snprintf(source, sizeof source, "%s/code.c", folder) >= PATH_MAX ||
        snprintf(object, sizeof object, "%s/code.so", folder) >= PATH_MAX || !write_file(source, code)) {
        snprintf(text, size, "no file can be written in %s", folder);
        return NULL;
    }
    bool found;
    void *handle = NULL;
    if (!run((char *const *)arguments, &found))
        snprintf(text, size, found ? "the compiler %s fails" : "there is no compiler %s", compiler);
    else if (!(handle = dlopen(object, RTLD_NOW | RTLD_LOCAL)))
        snprintf(text, size, "what the compiler %s makes cannot be loaded", compiler);
    else
        snprintf(text, size, "%s", compiler);
    unlink(object);
    unlink(source);
    return handle;
}

void *ph_shared_object_build(const char *code, const char *const options[], size_t size, char *text)
{
    const char *chosen = getenv("POLHODE_COMPILER"), *compiler = chosen && *chosen ? chosen : "cc";
    const char *place = getenv("TMPDIR");
    char folder[PATH_MAX / 2];
    if (strcmp(compiler, "none") == 0) {
        snprintf(text, size, "POLHODE_COMPILER is none");
        return NULL;
    }
    if (snprintf(folder, sizeof folder, "%s/polhode-XXXXXX", place && *place ? place : "/tmp") >= (int)sizeof folder ||
        !mkdtemp(folder)) { /* with mode 0700 */
        snprintf(text, size, "no folder can be made in %s", place && *place ? place : "/tmp");
        return NULL;
    }
    void *handle = build_in(folder, compiler, code, options, size, text);
    rmdir(folder);
    return handle;
}
