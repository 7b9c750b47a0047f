/* SPDX-License-Identifier: MIT */
/* Ranks that are late at random, by the profiling interface of MPI: loaded before its library (LD_PRELOAD). A rank
 * sleeps before or after some calls: often and long where MPI begins and ends and where windows do, seldom and briefly
 * at calls of every step. Threads of MPI itself sleep when a message of the launcher wakes them. $DELAY_RANKS is the
 * longest delay in microseconds; $DELAY_SEED chooses where and how long.
 *
 * With $LATE_THREADS a thread of MPI that polls is runnable, as if it got no core, before it does what it was woken for
 * the first time: for so many microseconds, or until the program has waited for it several times before it begins.
 *
 * With $CRASH_RANK that rank has a fault at address 8 when it ends MPI. A handler from before the program's own prints
 * its arguments. */
#define _GNU_SOURCE /* RTLD_NEXT, gettid */
#include <dlfcn.h>
#include <errno.h>
#include <mpi.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

/* Once in so many calls, and up to the longest delay divided by this */
enum { OFTEN = 2, SELDOM = 16, BESIDE = 4 };

static _Atomic uint64_t state;
static atomic_int waits;  /* of the program itself, by nanosleep, */
static atomic_bool begun; /* before its processes begin to work together */
static unsigned *volatile nowhere = (unsigned *)8;

static uint64_t next(void)
{
    uint64_t z = atomic_fetch_add(&state, UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static uint64_t number(const char *name)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : 0;
}

static void nap(uint64_t once_in)
{
    static _Atomic uint64_t longest;
    if (longest == 0)
        longest = number("DELAY_RANKS") + 1;
    if (next() % once_in == 0) {
        const uint64_t microseconds = next() % longest / once_in;
        const struct timespec time = {.tv_sec = (time_t)(microseconds / 1000000),
                                      .tv_nsec = (long)(microseconds % 1000000 * 1000)};
        clock_nanosleep(CLOCK_REALTIME, 0, &time, NULL);
    }
}

#define DELAYED(once_in, name, words, call)                                                                            \
    int MPI_##name words                                                                                               \
    {                                                                                                                  \
        begun = true;                                                                                                  \
        nap(once_in);                                                                                                  \
        const int result = PMPI_##name call;                                                                           \
        nap(once_in);                                                                                                  \
        return result;                                                                                                 \
    }

DELAYED(OFTEN, Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *out), (comm, color, key, out))
DELAYED(OFTEN, Win_allocate_shared,
        (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *memory, MPI_Win *window),
        (size, unit, info, comm, memory, window))
DELAYED(OFTEN, Win_unlock_all, (MPI_Win window), (window))
DELAYED(OFTEN, Win_free, (MPI_Win * window), (window))
DELAYED(OFTEN, Iallreduce,
        (const void *own, void *all, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request),
        (own, all, n, type, op, comm, request))
DELAYED(SELDOM, Barrier, (MPI_Comm comm), (comm))
DELAYED(SELDOM, Allreduce, (const void *own, void *all, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
        (own, all, n, type, op, comm))
DELAYED(SELDOM, Alltoall,
        (const void *own, int n, MPI_Datatype type, void *all, int n_each, MPI_Datatype type_each, MPI_Comm comm),
        (own, n, type, all, n_each, type_each, comm))
DELAYED(SELDOM, Bcast, (void *data, int n, MPI_Datatype type, int from, MPI_Comm comm), (data, n, type, from, comm))
DELAYED(SELDOM, Waitall, (int n, MPI_Request requests[], MPI_Status statuses[]), (n, requests, statuses))

/* ---- Threads of MPI ---- */

static void nap_beside(void)
{
    if (gettid() != getpid())
        nap(BESIDE);
}

int epoll_wait(int file, struct epoll_event *events, int most, int timeout)
{
    static int (*_Atomic next_one)(int, struct epoll_event *, int, int);
    if (!next_one)
        next_one = (int (*)(int, struct epoll_event *, int, int))dlsym(RTLD_NEXT, "epoll_wait");
    const int n = next_one(file, events, most, timeout);
    nap_beside();
    return n;
}

/* Runnable, and does nothing; once in a process */
static void be_late(void)
{
    enum { ENOUGH = 20 };
    static atomic_flag late = ATOMIC_FLAG_INIT;
    if (gettid() == getpid() || atomic_flag_test_and_set(&late))
        return;
    const double end = PMPI_Wtime() + 1e-6 * (double)number("LATE_THREADS");
    while (PMPI_Wtime() < end && waits < ENOUGH)
        sched_yield();
}

int nanosleep(const struct timespec *time, struct timespec *left)
{
    waits += gettid() == getpid() && !begun;
    const int failure = clock_nanosleep(CLOCK_REALTIME, 0, time, left);
    errno = failure;
    return failure ? -1 : 0;
}

int poll(struct pollfd *files, nfds_t n_files, int timeout)
{
    static int (*_Atomic next_one)(struct pollfd *, nfds_t, int);
    if (!next_one)
        next_one = (int (*)(struct pollfd *, nfds_t, int))dlsym(RTLD_NEXT, "poll");
    const int n = next_one(files, n_files, timeout);
    be_late();
    nap_beside();
    return n;
}

/* ---- Begin and end ---- */

static void tell(int signal_number, siginfo_t *info, void *context)
{
    (void)context;
    fprintf(stderr, "signal %d, code %d, address %p\n", signal_number, info->si_code, info->si_addr);
}

static int crashes(void)
{
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return getenv("CRASH_RANK") && (uint64_t)rank == number("CRASH_RANK");
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int rank;
    const struct sigaction action = {.sa_sigaction = tell, .sa_flags = SA_SIGINFO | (int)SA_RESETHAND};
    atomic_store(&state, number("DELAY_SEED"));
    const int result = PMPI_Init_thread(argc, argv, required, provided);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    atomic_store(&state, number("DELAY_SEED") + ((uint64_t)rank + 1) * UINT64_C(0xd1342543de82ef95));
    if (crashes())
        sigaction(SIGSEGV, &action, NULL);
    nap(OFTEN);
    return result;
}

int MPI_Finalize(void)
{
    if (crashes())
        *nowhere = 1;
    nap(OFTEN);
    return PMPI_Finalize();
}
