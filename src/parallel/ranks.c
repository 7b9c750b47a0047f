/* SPDX-License-Identifier: MIT */
#include "parallel/ranks.h"

#include "base/ranges.h"
#include "parallel/team.h"

#include <string.h>

size_t ph_ranks_count(void) { return ph_team()->size; }

bool ph_ranks_is_first(void) { return ph_team()->rank == 0; }

enum ph_status ph_ranks_agree(enum ph_status status, struct ph_error *err) { return ph_team_agree(status, err); }

enum ph_status ph_ranks_same(uint64_t number, struct ph_error *err) { return ph_team_same(number, err); }

unsigned ph_ranks_any(unsigned bits) { return ph_team()->any(bits); }

void ph_ranks_broadcast(size_t bytes, void *data) { ph_team()->broadcast(0, bytes, data); }

void ph_ranks_sum(size_t n, int64_t *numbers) { ph_team()->sum_wide(n, numbers); }

void ph_ranks_add_up(size_t n, struct ph_exact *sums)
{
    ph_team()->sum_wide(n * PH_EXACT_NUMBERS, (int64_t *)sums);
    for (size_t k = 0; k < n; ++k)
        ph_exact_carry(&sums[k]);
}

void ph_ranks_largest(size_t n, double *values) { ph_team()->largest(n, values); }

void ph_ranks_range(size_t n, size_t *begin, size_t *end)
{
    ph_range_of(n, ph_team()->rank, ph_team()->size, begin, end);
}

/* Adds up the bits of the values as integers. */
void ph_ranks_merge(size_t n, double *values) { ph_team()->sum_wide(n, (int64_t *)(void *)values); }

void ph_ranks_complete(size_t n, size_t begin, size_t end, double *values)
{
    memset(values, 0, begin * sizeof *values);
    memset(values + end, 0, (n - end) * sizeof *values);
    ph_ranks_merge(n, values);
}

void ph_ranks_in_turn(size_t bytes, void *value, void (*work)(void *value, void *data), void *data)
{
    const struct ph_team *team = ph_team();
    for (size_t p = 0; p < team->size; ++p) {
        if (p == team->rank)
            work(value, data);
        team->broadcast(p, bytes, value);
    }
}
