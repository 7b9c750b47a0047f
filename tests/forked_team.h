/* SPDX-License-Identifier: MIT */
#ifndef PH_TESTS_FORKED_TEAM_H
#define PH_TESTS_FORKED_TEAM_H

/* A team of simulated ranks: processes that this program forks, which exchange data in memory that they share. Any
 * number of ranks runs on any number of cores, without MPI. Every rank writes into its own room, all ranks meet at a
 * barrier, then each reads what it needs. */

#include "parallel/team.h"

#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Bytes that one rank wrote for all ranks, and for single ranks */
struct forked_traffic {
    size_t to_all, to_some;
};

struct forked_shared {
    pthread_barrier_t barrier;
};

static struct {
    struct forked_shared *shared;
    char *room; /* of rank p from p * bytes_each on; pages that no rank uses take no memory */
    size_t bytes_each;
    struct ph_team team;
    struct forked_traffic traffic;
} forked;

static char *forked_room(size_t rank) { return forked.room + rank * forked.bytes_each; }

static void forked_meet(void) { pthread_barrier_wait(&forked.shared->barrier); }

/* Shows data to all ranks. They must meet again after they have read them. */
static void forked_show(size_t bytes, const void *data)
{
    if (bytes > forked.bytes_each) {
        fprintf(stderr, "forked_team.h: %zu bytes do not fit into %zu.\n", bytes, forked.bytes_each);
        abort();
    }
    memcpy(forked_room(forked.team.rank), data, bytes);
    forked.traffic.to_all += bytes;
    forked_meet();
}

static unsigned forked_any(unsigned bits)
{
    forked_show(sizeof bits, &bits);
    for (size_t p = 0; p < forked.team.size; ++p) {
        unsigned of;
        memcpy(&of, forked_room(p), sizeof of);
        bits |= of;
    }
    forked_meet();
    return bits;
}

static void forked_gather(size_t unit, const size_t *n, void *all)
{
    char *at = all;
    for (size_t p = 0; p < forked.team.rank; ++p)
        at += n[p] * unit;
    forked_show(n[forked.team.rank] * unit, at);
    at = all;
    for (size_t p = 0; p < forked.team.size; at += n[p++] * unit)
        if (p != forked.team.rank)
            memcpy(at, forked_room(p), n[p] * unit);
    forked_meet();
}

#define FORKED_REDUCE(name, type, combined)                                                                            \
    static void name(size_t n, type *numbers)                                                                          \
    {                                                                                                                  \
        forked_show(n * sizeof *numbers, numbers);                                                                     \
        for (size_t p = 0; p < forked.team.size; ++p) {                                                                \
            const type *of = (const type *)(const void *)forked_room(p);                                               \
            for (size_t k = 0; k < n && p != forked.team.rank; ++k)                                                    \
                numbers[k] = combined;                                                                                 \
        }                                                                                                              \
        forked_meet();                                                                                                 \
    }
FORKED_REDUCE(forked_sum, uint32_t, numbers[k] + of[k])
FORKED_REDUCE(forked_sum_wide, int64_t, numbers[k] + of[k])
FORKED_REDUCE(forked_largest, double, of[k] > numbers[k] ? of[k] : numbers[k])

static void forked_trade(size_t unit, const void *out, void *in)
{
    forked_show(unit * forked.team.size, out);
    for (size_t p = 0; p < forked.team.size; ++p)
        memcpy((char *)in + p * unit, forked_room(p) + forked.team.rank * unit, unit);
    forked_meet();
}

static void forked_broadcast(size_t rank, size_t bytes, void *data)
{
    forked_show(rank == forked.team.rank ? bytes : 0, data);
    memcpy(data, forked_room(rank), bytes);
    forked_meet();
}

/* A room begins with `size` offsets of messages, one for each receiving rank. */
static void forked_begin_exchange(size_t unit, size_t n_out, const struct ph_parcel *out, size_t n_in,
                                  const struct ph_parcel *in)
{
    size_t *offset = (size_t *)(void *)forked_room(forked.team.rank), next = forked.team.size * sizeof *offset;
    for (size_t k = 0; k < n_out; ++k) {
        if (next + out[k].n * unit > forked.bytes_each)
            abort();
        offset[out[k].rank] = next;
        memcpy(forked_room(forked.team.rank) + next, out[k].data, out[k].n * unit);
        next += out[k].n * unit;
        forked.traffic.to_some += out[k].n * unit;
    }
    forked_meet();
    for (size_t k = 0; k < n_in; ++k) {
        const size_t *from = (const size_t *)(const void *)forked_room(in[k].rank);
        memcpy(in[k].data, forked_room(in[k].rank) + from[forked.team.rank], in[k].n * unit);
    }
    forked_meet();
}

static void forked_finish_exchange(void) {}

static void *forked_shared_buffer(const void *who, size_t bytes)
{
    (void)who;
    (void)bytes;
    return NULL;
}

static void *forked_map(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* Waits for all ranks. If one fails, the others would wait at the barrier for ever: they are ended. */
static bool forked_wait(size_t size, pid_t *child)
{
    size_t left = 0;
    for (size_t p = 0; p < size; ++p)
        left += child[p] > 0;
    bool good = left == size;
    for (; left > 0; --left) {
        int status = 0;
        for (size_t p = 0; p < size && !good; ++p)
            if (child[p] > 0)
                kill(child[p], SIGKILL);
        const pid_t ended = waitpid(-1, &status, 0);
        for (size_t p = 0; p < size; ++p)
            child[p] = child[p] == ended ? 0 : child[p];
        good = good && status == 0;
    }
    return good;
}

/* Runs work(result, data) on so many ranks, each with one thread. It may use ph_team(), and fills the result of its
 * rank, of so many bytes. bytes_each: the largest message of a rank. Returns the results of all ranks, which the caller
 * unmaps; NULL if a rank failed. Call it before any parallel region, because threads do not survive a fork. */
static void *forked_run(size_t size, size_t bytes_each, size_t result, int (*work)(void *result, void *data),
                        void *data)
{
    pthread_barrierattr_t shared;
    forked.bytes_each = bytes_each;
    forked.shared = forked_map(sizeof *forked.shared);
    forked.room = forked_map(size * bytes_each);
    char *results = forked_map(size * result);
    pid_t *child = malloc(size * sizeof *child);
    if (!forked.shared || !forked.room || !results || !child)
        return NULL;
    pthread_barrierattr_init(&shared);
    pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&forked.shared->barrier, &shared, (unsigned)size);
    forked.team = (struct ph_team){.size = size,
                                   .any = forked_any,
                                   .gather = forked_gather,
                                   .sum = forked_sum,
                                   .sum_wide = forked_sum_wide,
                                   .largest = forked_largest,
                                   .trade = forked_trade,
                                   .broadcast = forked_broadcast,
                                   .begin_exchange = forked_begin_exchange,
                                   .finish_exchange = forked_finish_exchange,
                                   .push_exchange = forked_finish_exchange,
                                   .shared_buffer = forked_shared_buffer};
    fflush(NULL);
    for (size_t p = 0; p < size; ++p)
        if ((child[p] = fork()) == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            forked.team.rank = p;
            ph_team_join(&forked.team);
            omp_set_num_threads(1);
            _exit(work(results + p * result, data));
        }
    const bool good = forked_wait(size, child);
    free(child);
    munmap(forked.room, size * bytes_each);
    munmap(forked.shared, sizeof *forked.shared);
    return good ? results : NULL;
}

#endif
