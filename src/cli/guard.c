/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

/* What the handler needs: it may not do more than write and leave. */
static char message[512];
static char stack[65536]; /* of its own: recursion without end is one of the ways to crash */

static void leave(int signal)
{
    (void)signal;
    const ssize_t written = write(STDERR_FILENO, message, strlen(message));
    (void)written;
    _exit(PH_ERR_IO);
}

void ph_cli_guard(const char *command, const char *file)
{
    snprintf(message, sizeof message, "%s: %.300s: HDF5 crashed while reading it: the file is damaged.\n", command,
             file);
    const stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_handler = leave, .sa_flags = SA_ONSTACK};
    sigaltstack(&own, NULL);
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
    for (size_t k = 0; k < sizeof signals / sizeof *signals; ++k)
        sigaction(signals[k], &action, NULL);
}
