/* SPDX-License-Identifier: MIT */
/* How threads wait for each other, and the stacks that they need.
 *
 * Between the loops of a step, threads wait for the slowest. By default gcc's and clang's OpenMP libraries let them
 * spin for milliseconds. This is the best choice on a free machine, and the worst on a machine with other work. A
 * thread that spins holds the processor that the thread it waits for needs, and two threads are many times slower than
 * one. With gcc's library the program watches the machine (spinning.c). With clang's, threads sleep at once.
 *
 * The libraries read their environment, and the limit on stacks, before any code of the program runs. To change them
 * the program executes itself once more. Nothing else of it changes: process, arguments, open files, processors. */
#include "base/system/installed.h"
#include "cli/cli.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

/* The compiler decides which library it is. */
#ifdef __clang__
enum { SLEEPS_AT_ONCE = true };
#else
enum { SLEEPS_AT_ONCE = false };
#endif

/* If the user has set one of these, the program leaves waiting alone. */
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

static bool is_chosen(void)
{
    for (size_t k = 0; k < sizeof choices / sizeof *choices; ++k)
        if (getenv(choices[k]))
            return true;
    return false;
}

static bool is_in_valgrind(void)
{
    const char *loaded = getenv("LD_PRELOAD");
    return loaded && strstr(loaded, "vgpreload");
}

/* Executes the program once more. Returns where that is not possible: threads spin, and stacks are as small as before.
 */
static void begin_anew(char **argv, bool sleeps)
{
    char program[PATH_MAX];
    if (getauxval(AT_BASE) == 0 || !ph_own_program(program)) /* 0: the loader was started, with us as its argument */
        return;
    if (sleeps && setenv("KMP_BLOCKTIME", "0", 0) != 0)
        return;
    ph_cli_release_processors();
    execv(program, argv);
}

static void wait_politely(char **argv)
{
    const bool chosen = is_chosen(), grown = grow_stack();
    if (is_in_valgrind()) /* Valgrind would lose sight of the program, and its threads run one after the other */
        return;
    if (grown || (SLEEPS_AT_ONCE && !chosen))
        begin_anew(argv, SLEEPS_AT_ONCE && !chosen);
    if (!SLEEPS_AT_ONCE && !chosen)
        ph_cli_watch_processors();
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
