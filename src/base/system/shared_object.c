/* SPDX-License-Identifier: MIT */
#include "base/system/shared_object.h"

#include "base/plain.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
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

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- The compiler ---- */

enum outcome { ENDED_WELL, FAILED, NOT_FOUND, TOO_SLOW };

/* In silence, and in a process group of its own, which can be stopped as a whole */
static bool start(char *const arguments[], pid_t *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    if (posix_spawnattr_init(&attributes) != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return false;
    }
    const bool started = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) == 0 &&
                         posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) == 0 &&
                         posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) == 0 &&
                         posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP) == 0 &&
                         posix_spawnattr_setpgroup(&attributes, 0) == 0 &&
                         posix_spawnp(child, arguments[0], &actions, &attributes, arguments, environ) == 0;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return started;
}

/* Waits for the child until some time. Returns 0 if it still runs then; else as waitpid */
static pid_t wait_until(double end, pid_t child, int *status)
{
    const struct timespec pause = {0, 5000000};
    pid_t ended;
    while ((ended = waitpid(child, status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
        if (seconds() > end)
            return 0;
        nanosleep(&pause, NULL);
    }
    return ended;
}

/* A compiler that is asked to end removes its own files. */
static void stop(pid_t child)
{
    int status;
    kill(-child, SIGTERM);
    if (wait_until(seconds() + 2.0, child, &status) != 0)
        return;
    kill(-child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
}

static enum outcome run(char *const arguments[], double limit)
{
    pid_t child;
    int status = 0;
    if (!start(arguments, &child))
        return NOT_FOUND;
    const pid_t ended = wait_until(seconds() + limit, child, &status);
    if (ended == 0) {
        stop(child);
        return TOO_SLOW;
    }
    if (ended < 0) /* a host that ignores SIGCHLD never learns the status: what there is to load tells */
        return ENDED_WELL;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) /* as some systems say that there is no file */
        return NOT_FOUND;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? ENDED_WELL : FAILED;
}

/* The object with its own start-up code, which must not change how this program rounds: that of -ffast-math does */
static void *load(const char *object)
{
    fenv_t arithmetic;
    fegetenv(&arithmetic);
    void *handle = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    fesetenv(&arithmetic);
    return handle;
}

static void *build_in(const char *folder, const char *compiler, const char *code, const char *const options[],
                      double limit, size_t size, char *text)
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
    void *handle = NULL;
    const enum outcome outcome = run((char *const *)arguments, limit);
    unlink(source);
    switch (outcome) {
    case FAILED: snprintf(text, size, "the compiler %s fails", compiler); break;
    case NOT_FOUND: snprintf(text, size, "there is no compiler %s", compiler); break;
    case TOO_SLOW: ph_snprintf(text, size, "the compiler %s took longer than %.3g s", compiler, limit); break;
    case ENDED_WELL:
        handle = load(object);
        snprintf(text, size, handle ? "%s" : "what the compiler %s makes cannot be loaded", compiler);
    }
    unlink(object);
    return handle;
}

void *ph_shared_object_build(const char *code, const char *const options[], double limit, size_t size, char *text)
{
    const char *chosen = getenv("POLHODE_COMPILER"), *compiler = chosen && *chosen ? chosen : "cc";
    const char *place = getenv("TMPDIR");
    char folder[PATH_MAX / 2];
    if (strcmp(compiler, "none") == 0) {
        snprintf(text, size, "POLHODE_COMPILER is none");
        return NULL;
    }
    if (snprintf(folder, sizeof folder, "%s/polhode-XXXXXX", place && *place ? place : "/tmp") >= (int)sizeof folder) {
        snprintf(text, size, "the name of TMPDIR is too long");
        return NULL;
    }
    void *handle = NULL;
    if (mkdtemp(folder)) { /* with mode 0700 */
        handle = build_in(folder, compiler, code, options, limit, size, text);
        rmdir(folder);
    } else
        snprintf(text, size, "no folder can be made in %s", place && *place ? place : "/tmp");
    return handle;
}
