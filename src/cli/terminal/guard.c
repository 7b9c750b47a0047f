/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* dl_iterate_phdr, gettid */
#include "base/memory.h"
#include "cli/cli.h"

#include <execinfo.h>
#include <hdf5.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { N_FRAMES = 64 };

/* Data of the handler, which may only look at the stack, write and exit. */
static char damaged[512], faulty[512], lacking[512];
static char stack[1 << 16]; /* a stack of its own, since endless recursion is one way to crash */

/* Earlier actions of these signals */
static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
enum { SIGNALS = sizeof signals / sizeof *signals };
static struct sigaction before[SIGNALS];
static bool guards;

/* Addresses of code in memory: of HDF5's library, and of this program */
struct range {
    uintptr_t address; /* somewhere in it */
    uintptr_t begin, end;
};
static struct range hdf5, own;

static bool is_in(const struct range *range, uintptr_t address)
{
    return range->begin <= address && address < range->end;
}

static int measure(struct dl_phdr_info *object, size_t size, void *data)
{
    (void)size;
    struct range *range = data;
    struct range found = {.address = range->address, .begin = UINTPTR_MAX};
    for (int k = 0; k < object->dlpi_phnum; ++k)
        if (object->dlpi_phdr[k].p_type == PT_LOAD) {
            const uintptr_t begin = object->dlpi_addr + object->dlpi_phdr[k].p_vaddr;
            const uintptr_t end = begin + object->dlpi_phdr[k].p_memsz;
            found.begin = begin < found.begin ? begin : found.begin;
            found.end = end > found.end ? end : found.end;
        }
    if (!is_in(&found, range->address))
        return 0;
    *range = found;
    return 1;
}

void ph_cli_crash_again(int signal_number, siginfo_t *info)
{
    if (info->si_code <= 0 && syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), signal_number, info) != 0)
        raise(signal_number);
}

/* Decides whether HDF5 crashed, by the innermost frame in HDF5 or in this program; frames above may be of the C
 * library. Frame 0 is the handler itself. */
static void leave(int signal_number, siginfo_t *info, void *context)
{
    (void)context;
    void *frames[N_FRAMES];
    const int n = backtrace(frames, N_FRAMES);
    bool theirs = false;
    for (int k = 1; k < n; ++k) {
        theirs = is_in(&hdf5, (uintptr_t)frames[k]);
        if (theirs || is_in(&own, (uintptr_t)frames[k]))
            break;
    }
    const bool lacks = theirs && ph_memory_is_short(); /* HDF5 crashes at some places where it has none */
    const char *message = lacks ? lacking : theirs ? damaged : faulty;
    const ssize_t written = write(STDERR_FILENO, message, strlen(message));
    (void)written;
    const struct sigaction *next = NULL;
    for (size_t k = 0; k < SIGNALS; ++k)
        if (signals[k] == signal_number)
            next = &before[k];
    if (theirs && next->sa_handler == SIG_DFL)
        _exit(lacks ? PH_ERR_MEMORY : PH_ERR_IO);
    sigaction(signal_number, next, NULL); /* one of several ranks ends the other ranks; else it crashes */
    ph_cli_crash_again(signal_number, info);
}

void ph_cli_guard(const char *command, const char *file)
{
    snprintf(damaged, sizeof damaged, "%s: %.300s: HDF5 crashed while reading it: the file is damaged.\n", command,
             file);
    snprintf(faulty, sizeof faulty,
             "%s: %.300s: The program crashed while working on it. The fault is the program's: please report it.\n",
             command, file);
    snprintf(lacking, sizeof lacking, "%s: %.300s: HDF5 crashed while reading it, for want of memory.\n", command,
             file);
    void *frame;
    backtrace(&frame, 1); /* loads its library now rather than in the handler */
    hdf5.address = (uintptr_t)H5open;
    own.address = (uintptr_t)leave;
    dl_iterate_phdr(measure, &hdf5);
    dl_iterate_phdr(measure, &own);
    const stack_t elsewhere = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_sigaction = leave,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | (int)SA_RESETHAND | SA_NODEFER};
    sigaltstack(&elsewhere, NULL);
    for (size_t k = 0; k < SIGNALS; ++k)
        sigaction(signals[k], &action, &before[k]);
    guards = true;
}

void ph_cli_unguard(void)
{
    for (size_t k = 0; k < SIGNALS && guards; ++k)
        sigaction(signals[k], &before[k], NULL);
    guards = false;
}
