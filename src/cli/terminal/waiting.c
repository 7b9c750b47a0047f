/* SPDX-License-Identifier: MIT */
/* How threads wait for each other, and the stacks that they need.
 *
 * Between the loops of a step, threads wait for the slowest. By default gcc's and clang's OpenMP libraries let them
 * spin for milliseconds. This is the worst choice on a machine with other work. A thread that spins holds the processor
 * that the thread it waits for needs, and two threads are many times slower than one. Threads that sleep at once make
 * way, but on a quiet machine every wait costs some microseconds more, and many where processors are virtual. So here
 * they spin for up to some 100 microseconds, several times what waking up takes, and then sleep. */

/* The libraries read their environment when they are loaded, before any code of the program runs. So a program that was
 * started without such a choice sets these variables, and executes itself once more. Nothing else of it changes:
 * process, arguments, open files. */
#include "base/installed.h"
#include "cli/cli.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

/* gcc's library counts looks at the flag that it waits for. On x86-64 there is a pause between looks, of some 10 to 140
 * cycles by processor; elsewhere there is none. clang's counts milliseconds. */
static const struct {
    const char *name, *value;
} waits[] = {
#ifdef __x86_64__
    {"GOMP_SPINCOUNT", "2000"},
#else
    {"GOMP_SPINCOUNT", "20000"},
#endif
    {"KMP_BLOCKTIME", "0"},
};

/* If the user has set one of these, the program sets none. */
static const char *const choices[] = {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME", "KMP_LIBRARY"};

/* Threads have kernels on their stacks, as large as the limit on stacks was when the program began. */
enum { STACK = 8 << 20, STACK_LEAST = 1 << 20 };

static bool grow_stack(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= STACK_LEAST)
        return false;
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = limit.rlim_max < STACK ? limit.rlim_max : STACK;
    return limit.rlim_cur > before && setrlimit(RLIMIT_STACK, &limit) == 0;
}

/* Begins the program once more where that makes a difference. */
static void wait_politely(char **argv)
{
    bool chosen = false;
    for (size_t k = 0; k < sizeof choices / sizeof *choices; ++k)
        chosen = chosen || getenv(choices[k]);
    if (!grow_stack() && chosen)
        return;
    const char *loaded = getenv("LD_PRELOAD");
    if (loaded && strstr(loaded, "vgpreload")) /* Valgrind would lose sight of the program */
        return;
    char program[PATH_MAX];
    if (getauxval(AT_BASE) == 0 || !ph_own_program(program)) /* 0: the loader was started, with us as its argument */
        return;
    for (size_t k = 0; k < sizeof waits / sizeof *waits && !chosen; ++k)
        if (setenv(waits[k].name, waits[k].value, 0) != 0)
            return;
    ph_cli_release_processors();
    execv(program, argv); /* where that fails, threads spin */
}

bool ph_cli_prepare_threads(char **argv, int *status)
{
    wait_politely(argv);
    /* CUDA's runtime would load a kernel at its first launch, which takes memory of the device. Beside other runs none
     * may be left then. A launch without memory fails for all runs of a batch, whereas an allocation without memory
     * makes one run wait. So all kernels are loaded at the start, unless the user has said when. The driver reads this
     * when it is first called. */
    setenv("CUDA_MODULE_LOADING", "EAGER", 0);
    struct rlimit limit;
    *status = PH_ERR_INPUT;
    if (omp_get_max_threads() > PH_CLI_THREADS_MOST) {
        ph_cli_warn("polhode", "OMP_NUM_THREADS is %d: a number from 1 to %d is accepted.", omp_get_max_threads(),
                    PH_CLI_THREADS_MOST);
        return false;
    }
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < STACK_LEAST) {
        ph_cli_warn("polhode", "Stacks are limited to %llu KB (ulimit -Hs): at least %d are needed.",
                    (unsigned long long)limit.rlim_cur >> 10, STACK_LEAST >> 10);
        return false;
    }
    return true;
}
