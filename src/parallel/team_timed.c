/* SPDX-License-Identifier: MIT */
/* A team whose operations are timed. The time of a process in them is spent on sending, receiving and waiting for other
 * ranks. */
#include "base/clock.h"
#include "parallel/ranks.h"
#include "parallel/team.h"

static const struct ph_team *inner;
static struct ph_team timed;
static double spent;

#define TIMED(call)                                                                                                    \
    do {                                                                                                               \
        const double began = ph_clock_wall();                                                                          \
        call;                                                                                                          \
        spent += ph_clock_wall() - began;                                                                              \
    } while (0)

static unsigned any(unsigned bits)
{
    unsigned all;
    TIMED(all = inner->any(bits));
    return all;
}

static void gather(size_t unit, const size_t *n, void *all) { TIMED(inner->gather(unit, n, all)); }

static void sum(size_t n, uint32_t *numbers) { TIMED(inner->sum(n, numbers)); }

static void sum_wide(size_t n, int64_t *numbers) { TIMED(inner->sum_wide(n, numbers)); }

static void largest(size_t n, double *numbers) { TIMED(inner->largest(n, numbers)); }

static void trade(size_t unit, const void *out, void *in) { TIMED(inner->trade(unit, out, in)); }

static void broadcast(size_t rank, size_t bytes, void *data) { TIMED(inner->broadcast(rank, bytes, data)); }

static void begin_exchange(size_t unit, size_t n_out, const struct ph_parcel *out, size_t n_in,
                           const struct ph_parcel *in)
{
    TIMED(inner->begin_exchange(unit, n_out, out, n_in, in));
}

static void *shared_buffer(const void *who, size_t bytes)
{
    void *memory;
    TIMED(memory = inner->shared_buffer(who, bytes));
    return memory;
}

static void begin_loan(size_t unit, size_t n_out, const struct ph_parcel *out, size_t n_in, struct ph_parcel *in)
{
    TIMED(inner->begin_loan(unit, n_out, out, n_in, in));
}

static void finish_exchange(void) { TIMED(inner->finish_exchange()); }

double ph_ranks_seconds(void)
{
    if (!inner) {
        inner = ph_team();
        timed = *inner;
        timed.any = any;
        timed.gather = gather;
        timed.sum = sum;
        timed.sum_wide = sum_wide;
        timed.largest = largest;
        timed.trade = trade;
        timed.broadcast = broadcast;
        timed.begin_exchange = begin_exchange;
        timed.shared_buffer = shared_buffer;
        timed.begin_loan = begin_loan;
        timed.finish_exchange = finish_exchange;
        ph_team_join(&timed);
    }
    return spent;
}
