/* SPDX-License-Identifier: MIT */
/* Loaded before a rank: where it would give its core to another rank, it sleeps. MPI looks for messages in a loop that
 * yields, and on a machine with fewer cores than ranks these loops take a third of the time of a test. Each look that
 * follows at once sleeps twice as long as the one before. */
#include <sched.h>
#include <time.h>

enum { SHORTEST = 20000, LONGEST = 200000 }; /* nanoseconds */

static long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
}

int sched_yield(void)
{
    static _Thread_local long woke, nap;
    nap = now() - woke >= SHORTEST ? SHORTEST : nap < LONGEST ? 2 * nap : nap;
    nanosleep(&(struct timespec){.tv_nsec = nap}, NULL);
    woke = now();
    return 0;
}
