/* SPDX-License-Identifier: MIT */
/* A team whose operations are timed. The time of a process in them is spent on sending, receiving and waiting for other
 * ranks. */
#include "base/clock.h"
#include "parallel/ranks.h"
#include "parallel/team.h"

static const struct ph_team *inner;
static struct ph_team timed;
static double spent;

static unsigned any(unsigned bits)
{
    const double began = ph_clock_wall();
    const unsigned all = inner->any(bits);
    spent += ph_clock_wall() - began;
    return all;
}

static void gather(size_t unit, const size_t *n, void *all)
{
    const double began = ph_clock_wall();
    inner->gather(unit, n, all);
    spent += ph_clock_wall() - began;
}

static void sum(size_t n, uint32_t *numbers)
{
    const double began = ph_clock_wall();
    inner->sum(n, numbers);
    spent += ph_clock_wall() - began;
}

static void sum_wide(size_t n, int64_t *numbers)
{
    const double began = ph_clock_wall();
    inner->sum_wide(n, numbers);
    spent += ph_clock_wall() - began;
}

static void largest(size_t n, double *numbers)
{
    const double began = ph_clock_wall();
    inner->largest(n, numbers);
    spent += ph_clock_wall() - began;
}

static void trade(size_t unit, const void *out, void *in)
{
    const double began = ph_clock_wall();
    inner->trade(unit, out, in);
    spent += ph_clock_wall() - began;
}

static void broadcast(size_t rank, size_t bytes, void *data)
{
    const double began = ph_clock_wall();
    inner->broadcast(rank, bytes, data);
    spent += ph_clock_wall() - began;
}

static void begin_exchange(size_t unit, size_t n_out, const struct ph_parcel *out, size_t n_in,
                           const struct ph_parcel *in)
{
    const double began = ph_clock_wall();
    inner->begin_exchange(unit, n_out, out, n_in, in);
    spent += ph_clock_wall() - began;
}

static void *shared_buffer(const void *who, size_t bytes)
{
    const double began = ph_clock_wall();
    void *memory = inner->shared_buffer(who, bytes);
    spent += ph_clock_wall() - began;
    return memory;
}

static void begin_loan(size_t unit, size_t n_out, const struct ph_parcel *out, size_t n_in, struct ph_parcel *in)
{
    const double began = ph_clock_wall();
    inner->begin_loan(unit, n_out, out, n_in, in);
    spent += ph_clock_wall() - began;
}

static void finish_exchange(void)
{
    const double began = ph_clock_wall();
    inner->finish_exchange();
    spent += ph_clock_wall() - began;
}

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
