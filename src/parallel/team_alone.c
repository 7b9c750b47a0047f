/* SPDX-License-Identifier: MIT */
/* A team of one rank: sends nothing and never waits. */
#include "parallel/team.h"

#include <stdlib.h>
#include <string.h>

static unsigned any(unsigned bits) { return bits; }

static void gather(size_t unit, const size_t *n, void *all) { (void)unit, (void)n, (void)all; }

static void sum(size_t n, uint32_t *numbers) { (void)n, (void)numbers; }

static void sum_wide(size_t n, int64_t *numbers) { (void)n, (void)numbers; }

static void largest(size_t n, double *numbers) { (void)n, (void)numbers; }

static void trade(size_t unit, const void *out, void *in) { memcpy(in, out, unit); }

static void broadcast(size_t rank, size_t bytes, void *data) { (void)rank, (void)bytes, (void)data; }

static void begin_exchange(size_t unit, size_t n_out, const struct ph_parcel *out, size_t n_in,
                           const struct ph_parcel *in)
{
    (void)unit, (void)n_out, (void)out, (void)n_in, (void)in;
}

static void *shared_buffer(const void *who, size_t bytes)
{
    (void)who, (void)bytes;
    return NULL;
}

static void begin_loan(size_t unit, size_t n_out, const struct ph_parcel *out, size_t n_in, struct ph_parcel *in)
{
    begin_exchange(unit, n_out, out, n_in, in);
}

static void push_exchange(void) {}

static void finish_exchange(void) {}

static size_t end(bool failed, bool *alone)
{
    *alone = false;
    return failed ? 0 : 1;
}

static void leave(void) {}

const struct ph_team ph_team_alone = {
    .rank = 0,
    .size = 1,
    .any = any,
    .gather = gather,
    .sum = sum,
    .sum_wide = sum_wide,
    .largest = largest,
    .trade = trade,
    .broadcast = broadcast,
    .begin_exchange = begin_exchange,
    .shared_buffer = shared_buffer,
    .begin_loan = begin_loan,
    .push_exchange = push_exchange,
    .finish_exchange = finish_exchange,
    .end = end,
    .leave = leave,
    .abort = exit,
};
