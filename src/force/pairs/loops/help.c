/* SPDX-License-Identifier: MIT */
#include "force/pairs/loops/help.h"

#include "force/pairs/loops/results.h"

#include <assert.h>
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Couples that the owner takes at a time; the fewest that another thread takes, and how many must be left for that: the
 * owner is busy while the other thread computes these. */
enum { OWN = 2, FEWEST = 3, MOST = 24, LEFT = 4 * FEWEST };
enum { PARTS = 64 };          /* of a tile that others compute, at most */
enum { LOG = (1 << 20) / 8 }; /* numbers in the logs of a thread */
enum { PATIENCE = 200 };      /* how often a thread looks for a tile that is not open yet */
enum { SPINS = 2000 };        /* how often the owner looks before it gives its core away */

/* The couples of a tile that nobody has taken are from .. end-1. Both and the number of parts are one word. */
enum { BITS = 24 };
static const uint64_t mask = (UINT64_C(1) << BITS) - 1;
static uint64_t word_of(uint64_t from, uint64_t end, uint64_t parts) { return parts << 2 * BITS | end << BITS | from; }
static uint64_t from_of(uint64_t word) { return word & mask; }
static uint64_t end_of(uint64_t word) { return word >> BITS & mask; }
static uint64_t parts_of(uint64_t word) { return word >> 2 * BITS; }
static uint64_t left_of(uint64_t word) { return end_of(word) - from_of(word); }

/* Couples that another thread computes: its log, once it is done in this round */
struct part {
    const double *log, *log_end;
    atomic_uint_least64_t done;
};

/* Of a tile, in cache lines of its own */
struct shared_tile {
    _Alignas(128) atomic_uint_least64_t word;
    atomic_uint_least64_t open; /* the round in which its owner has begun */
    struct part part[PARTS];
};

/* Of a thread: memory for its logs, made by itself, so that it is near */
struct helper {
    _Alignas(128) double *log;
    size_t used;
};

struct ph_help {
    size_t n_tiles, n_helpers;
    uint64_t round;           /* never comes back to an old one */
    struct shared_tile *tile; /* owned */
    struct helper *helper;    /* owned */
};

void ph_help_destroy(struct ph_help *help)
{
    if (!help)
        return;
    for (size_t k = 0; k < help->n_helpers; ++k)
        free(help->helper[k].log);
    free(help->helper);
    free(help->tile);
    free(help);
}

static void *zeroed(size_t n, size_t size)
{
    void *memory = aligned_alloc(128, n * size);
    return memory ? memset(memory, 0, n * size) : NULL;
}

static struct ph_help *create(size_t n_tiles, size_t threads)
{
    struct ph_help *help = calloc(1, sizeof *help);
    if (!help)
        return NULL;
    help->tile = zeroed(n_tiles, sizeof *help->tile);
    help->helper = zeroed(threads, sizeof *help->helper);
    help->n_tiles = n_tiles;
    help->n_helpers = help->helper ? threads : 0;
    if (help->tile && help->helper)
        return help;
    ph_help_destroy(help);
    return NULL;
}

struct ph_help *ph_help_begin(struct ph_help **help, size_t n_tiles, size_t threads)
{
    if (threads < 2)
        return NULL;
    if (*help && ((*help)->n_tiles < n_tiles || (*help)->n_helpers < threads)) {
        ph_help_destroy(*help);
        *help = NULL;
    }
    if (!*help && !(*help = create(n_tiles, threads)))
        return NULL;
    ++(*help)->round;
    for (size_t k = 0; k < (*help)->n_helpers; ++k)
        (*help)->helper[k].used = 0;
    return *help;
}

/* A moment for the other thread of a core */
static void pause_briefly(void)
{
#if defined __x86_64__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

/* ---- Owners ---- */

bool ph_help_open(struct ph_help *help, size_t tile, size_t n_couples)
{
    struct shared_tile *shared = &help->tile[tile];
    const bool opens = n_couples >= LEFT && n_couples <= mask;
    atomic_store_explicit(&shared->word, opens ? word_of(0, n_couples, 0) : 0, memory_order_release);
    atomic_store_explicit(&shared->open, help->round, memory_order_release);
    return opens;
}

bool ph_help_take(struct ph_help *help, size_t tile, size_t *begin, size_t *end)
{
    struct shared_tile *shared = &help->tile[tile];
    uint64_t word = atomic_load_explicit(&shared->word, memory_order_relaxed), next;
    do {
        const uint64_t from = from_of(word), left = left_of(word), n = left < OWN ? left : OWN;
        if (n == 0)
            return false;
        *begin = from;
        *end = from + n;
        next = word_of(from + n, end_of(word), parts_of(word));
    } while (
        !atomic_compare_exchange_weak_explicit(&shared->word, &word, next, memory_order_acq_rel, memory_order_relaxed));
    return true;
}

void ph_help_add_logs(struct ph_help *help, size_t d, struct ph_tile *tile, struct ph_gathered *g)
{
    struct shared_tile *shared = &help->tile[d];
    for (uint64_t k = parts_of(atomic_load_explicit(&shared->word, memory_order_acquire)); k-- > 0;) {
        struct part *part = &shared->part[k];
        for (int spin = 0; atomic_load_explicit(&part->done, memory_order_acquire) != help->round;)
            if (spin < SPINS) {
                ++spin;
                pause_briefly();
            } else
                sched_yield();
        ph_log_add(part->log, part->log_end, tile, g);
    }
}

/* ---- Threads without a tile ---- */

/* The tile with most couples left, or SIZE_MAX. Says whether the owners of some have not begun. */
static size_t most_left(const struct ph_help *help, const struct ph_tiles *tiles, uint64_t *word, bool *waits)
{
    size_t found = SIZE_MAX;
    uint64_t most = LEFT - 1;
    *waits = false;
    for (size_t k = 0; k < tiles->n_here; ++k) {
        struct shared_tile *shared = &help->tile[tiles->here[k]];
        const bool open = atomic_load_explicit(&shared->open, memory_order_acquire) == help->round;
        const uint64_t now = open ? atomic_load_explicit(&shared->word, memory_order_relaxed) : 0;
        *waits = *waits || !open;
        if (left_of(now) > most && parts_of(now) < PARTS) {
            most = left_of(now);
            found = tiles->here[k];
            *word = now;
        }
    }
    return found;
}

static double *log_of(struct helper *helper)
{
    if (!helper->log)
        helper->log = aligned_alloc(128, LOG * sizeof(double));
    return helper->log;
}

bool ph_help_find(struct ph_help *help, const struct ph_tiles *tiles, ph_log_room *room, const void *data,
                  struct ph_help_work *work)
{
    const size_t thread = (size_t)omp_get_thread_num();
    if (thread >= help->n_helpers || !log_of(&help->helper[thread]))
        return false;
    struct helper *helper = &help->helper[thread];
    for (int look = 0; look < PATIENCE;) {
        uint64_t word = 0;
        bool waits;
        const size_t d = most_left(help, tiles, &word, &waits);
        if (d == SIZE_MAX) {
            if (!waits)
                return false;
            for (int k = 0; k < 8; ++k)
                pause_briefly();
            ++look;
            continue;
        }
        const uint64_t quarter = left_of(word) / 4;
        uint64_t n = quarter < FEWEST ? FEWEST : quarter > MOST ? MOST : quarter;
        size_t needed = 0;
        for (uint64_t c = end_of(word) - n; c < end_of(word); ++c)
            needed += room(data, &tiles->tile[d], c);
        while (n > FEWEST && helper->used + needed > LOG)
            needed -= room(data, &tiles->tile[d], end_of(word) - n--);
        if (helper->used + needed > LOG)
            return false;
        const uint64_t next = word_of(from_of(word), end_of(word) - n, parts_of(word) + 1);
        if (!atomic_compare_exchange_strong_explicit(&help->tile[d].word, &word, next, memory_order_acq_rel,
                                                     memory_order_relaxed))
            continue;
        *work = (struct ph_help_work){.tile = d,
                                      .begin = end_of(next),
                                      .end = end_of(next) + n,
                                      .part = parts_of(word),
                                      .log.at = helper->log + helper->used};
        return true;
    }
    return false;
}

void ph_help_done(struct ph_help *help, const struct ph_help_work *work)
{
    struct helper *helper = &help->helper[omp_get_thread_num()];
    struct part *part = &help->tile[work->tile].part[work->part];
    assert(work->log.at <= helper->log + LOG);
    part->log = helper->log + helper->used;
    part->log_end = work->log.at;
    helper->used = (size_t)(work->log.at - helper->log);
    atomic_store_explicit(&part->done, help->round, memory_order_release);
}
