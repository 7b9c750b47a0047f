/* SPDX-License-Identifier: MIT */
/* The processes that a launcher (mpirun, srun) starts together.
 *
 * The program starts MPI only under a launcher, and only for commands that compute with several processes. Without a
 * launcher it does not use MPI. All ranks do the same and would print the same, so only rank 0 prints. A rank that
 * crashes, or that fails while the other ranks continue, prints the reason and ends all ranks. */
#define _GNU_SOURCE /* memfd_create, on_exit */
#include "cli/cli.h"
#include "cli/commands/watch.h"

#include "parallel/team.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Environment variables with the rank and the number of ranks: of Open MPI; of MPICH and its relatives, and of Slurm
 * with pmi2; of Slurm with pmix */
static const struct {
    const char *rank, *size;
} launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"PMI_RANK", "PMI_SIZE"},
    {"PMIX_RANK", "SLURM_STEP_NUM_TASKS"},
};

/* True if the environment shows a launcher, unless it has started one process alone; *n is 0 if the number is
 * unknown */
static bool was_launched(long *rank, long *n)
{
    for (size_t k = 0; k < sizeof launchers / sizeof *launchers; ++k) {
        const char *number = getenv(launchers[k].rank), *size = getenv(launchers[k].size);
        if (!number)
            continue;
        *rank = strtol(number, NULL, 10);
        *n = size ? strtol(size, NULL, 10) : 0;
        return *n != 1;
    }
    return false;
}

#ifdef POLHODE_MPI

/* Standard error, and the file that keeps the messages instead; rank 0 has neither */
static int errors = -1;
static atomic_int kept = -1;

/* Prints the kept messages once, also if several threads crash. Calls only functions that are safe in a signal
 * handler. */
static void speak_up(void)
{
    char text[4096];
    ssize_t n, written = 0;
    const int messages = atomic_exchange(&kept, -1);
    if (messages < 0)
        return;
    lseek(messages, 0, SEEK_SET);
    while (written >= 0 && (n = read(messages, text, sizeof text)) > 0)
        written = write(errors, text, (size_t)n);
    dup2(errors, STDERR_FILENO);
    close(messages);
}

/* Signals of crashes, and their earlier actions (the default or MPI's), which follow after the kept messages are
 * printed */
static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
enum { CRASHES = sizeof crashes / sizeof *crashes };
static struct sigaction before[CRASHES];
static char stack[1 << 16]; /* of the handler, since a stack that is full is one way to crash */

static void on_crash(int number, siginfo_t *info, void *context)
{
    (void)context;
    speak_up();
    for (size_t k = 0; k < CRASHES; ++k)
        if (crashes[k] == number)
            sigaction(number, &before[k], NULL);
    ph_cli_crash_again(number, info);
}

/* The sanitizers end a process without a signal; they are in some builds. */
extern void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void keep_quiet(void)
{
    const stack_t elsewhere = {.ss_sp = stack, .ss_size = sizeof stack};
    const struct sigaction action = {.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigaltstack(&elsewhere, NULL);
    for (size_t k = 0; k < CRASHES; ++k)
        sigaction(crashes[k], &action, &before[k]);
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(speak_up);
    fflush(stdout);
    fflush(stderr);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    errors = dup(STDERR_FILENO);
    const int messages = memfd_create("messages", MFD_CLOEXEC);
    dup2(nowhere, STDOUT_FILENO);
    dup2(messages, STDERR_FILENO);
    kept = messages;
    close(nowhere);
}

/* At every exit, also from inside argp's --help. Rank 0 and the first rank that failed exit with their status, other
 * ranks with PH_OK. */
static void end(int status, void *unused)
{
    (void)unused;
    const struct ph_team *team = ph_team();
    bool alone;
    fflush(stdout);
    fflush(stderr);
    const bool failed = status != PH_OK && status != PH_CLI_INTERRUPTED;
    const bool first = team->end(failed, &alone) == team->rank; /* that failed */
    if (first && team->rank > 0)
        speak_up();
    if (alone)
        team->abort(status);
    team->leave();
    if (team->rank > 0)
        _exit(first ? status : PH_OK);
}

/* n: how many the launcher has started, 0 if it does not say */
static bool join(long n, int *status)
{
    const struct ph_team *team;
    struct ph_error err;
    if (ph_team_mpi(&team, &err) != PH_OK) {
        *status = ph_cli_fail("polhode", &err);
        team->abort(*status);
        return false;
    }
    if (n > 0 && team->size != (size_t)n) {
        ph_cli_warn("polhode",
                    "The launcher has started %ld processes, but MPI knows of %zu: it belongs to another MPI than the "
                    "one that the program was built with.",
                    n, team->size);
        *status = PH_ERR_INPUT;
        team->leave();
        return false;
    }
    ph_team_join(team);
    on_exit(end, NULL);
    if (team->rank > 0)
        keep_quiet();
    return true;
}

#endif

bool ph_cli_join(const struct ph_command *command, int *status)
{
    long rank, n;
    if (!was_launched(&rank, &n))
        return true;
#ifdef POLHODE_MPI
    if (command && command->team)
        return join(n, status);
#endif
    *status = PH_OK;
    if (rank > 0) /* rank 0 does the work of commands with one process */
        return false;
    if (!command || !command->threads)
        return true;
    ph_cli_warn("polhode",
                command->team ? "%s was started as one of several processes, but the program was built without MPI."
                              : "%s computes in one process: start it without mpirun.",
                command->name);
    *status = PH_ERR_INPUT;
    return false;
}
