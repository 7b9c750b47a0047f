/* SPDX-License-Identifier: MIT */
#ifndef PH_TESTS_RUNNING_H
#define PH_TESTS_RUNNING_H

/* Runs in a folder of their own, that can be watched and ended while they go on. */

#include "folder.h"
#include "h5_compare.h"
#include "program/support/program.h"

#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>

static inline void empty_folder(void)
{
    DIR *here = opendir(".");
    assert_non_null(here);
    for (struct dirent *entry; (entry = readdir(here));)
        if (entry->d_name[0] != '.')
            unlink(entry->d_name);
    closedir(here);
}

static inline size_t count_files(void)
{
    size_t n = 0;
    DIR *here = opendir(".");
    assert_non_null(here);
    for (struct dirent *entry; (entry = readdir(here));)
        n += entry->d_name[0] != '.';
    closedir(here);
    return n;
}

static inline bool is_file(const char *name) { return access(name, F_OK) == 0; }

static inline void pause_for(double seconds)
{
    const struct timespec time = {.tv_sec = (time_t)seconds, .tv_nsec = (long)(1e9 * (seconds - floor(seconds)))};
    nanosleep(&time, NULL);
}

/* Begins a program with stdout and stderr in files out and err of the folder, or stderr in `terminal` if not negative.
 */
static inline pid_t begin_program(const char *line, int terminal)
{
    char words[1024];
    snprintf(words, sizeof words, "%s", line);
    char *argv[PROGRAM_ARGUMENTS] = {(char *)"polhode"};
    int n = 1;
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
        argv[n++] = word;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "out", O_CREAT | O_TRUNC | O_WRONLY, 0600);
    if (terminal >= 0)
        posix_spawn_file_actions_adddup2(&actions, terminal, STDERR_FILENO);
    else
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "err", O_CREAT | O_TRUNC | O_WRONLY, 0600);
    pid_t pid;
    assert_int_equal(posix_spawn(&pid, POLHODE_PROGRAM, &actions, NULL, argv, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    return pid;
}

static inline int end_program(pid_t pid, int signal_number)
{
    int status;
    if (signal_number)
        kill(pid, signal_number);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Waits until a file is there. */
static inline void wait_for_file(const char *name)
{
    for (int k = 0; k < 60000 && !is_file(name); ++k) /* ten minutes: only a program that hangs takes so long */
        pause_for(0.01);
    assert_true(is_file(name));
}

static inline void expect(const char *line, int status, const char *one, const char *two)
{
    const struct program *p = run_program(line);
    const char *text = status == 0 ? p->out : p->err;
    if (p->status != status || !strstr(text, one) || !strstr(text, two))
        fail_msg("polhode %s: status %d with '%s' and '%s' expected, got %d: '%s' '%s'", line, status, one, two,
                 p->status, p->out, p->err);
}

static inline void assert_same_run(const char *one, const char *two, const char *const *skipped)
{
    size_t n;
    const char *difference = h5_difference(one, two, skipped, &n);
    if (difference[0])
        fail_msg("%s", difference);
    assert_true(n > 100);
}

#endif
