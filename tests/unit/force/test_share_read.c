/* SPDX-License-Identifier: MIT */
/* Molecules that a process reads from others: if some are lost on the way, that is an error, and earlier values do not
 * stand in for them. */
#include "support.h"

#include "force/ranks/share.h"
#include "parallel/team.h"

#include <string.h>

enum { N = 6, OURS = 2 };

/* The other of two processes, which has four molecules, sends so many, with these numbers. */
static uint32_t sent, numbers[N];

static unsigned any(unsigned bits) { return bits; }
static void broadcast(size_t rank, size_t bytes, void *data) {}
static void trade(size_t unit, const void *out, void *in)
{
    assert_int_equal(unit, sizeof sent);
    memcpy(in, out, unit);
    memcpy((char *)in + unit, &sent, unit);
}
static void begin_exchange(size_t unit, size_t n_out, const struct ph_parcel *out, size_t n_in,
                           const struct ph_parcel *in)
{
    assert_int_equal(n_out, 0);
    for (size_t k = 0; k < n_in; ++k)
        for (size_t m = 0; m < in[k].n; ++m) { /* a row, then number and images */
            double record[3] = {10.0 * numbers[m]};
            memcpy(&record[1], &numbers[m], sizeof numbers[m]);
            assert_int_equal(unit, sizeof record);
            memcpy((char *)in[k].data + m * unit, record, unit);
        }
}
static void finish_exchange(void) {}

static const struct ph_team two = {.rank = 0,
                                   .size = 2,
                                   .any = any,
                                   .broadcast = broadcast,
                                   .trade = trade,
                                   .begin_exchange = begin_exchange,
                                   .finish_exchange = finish_exchange};

static void keep(const struct ph_columns_block *block, void *data)
{
    assert_int_equal(block->end - block->begin, N);
    memcpy(data, block->row, N * sizeof(double));
}

static enum ph_status read_with(uint32_t n, const uint32_t *which, double found[N], struct ph_error *err)
{
    uint32_t ours[OURS] = {0, 3};
    double row[N] = {0.0, 0.0, 0.0, 30.0}, *const rows[] = {row};
    const struct ph_share share = {.owners = {.n_molecules = N, .ours = ours, .own = {.n = OURS, .molecule = ours}}};
    sent = n;
    memcpy(numbers, which, n * sizeof *which);
    ph_team_join(&two);
    const enum ph_status status = ph_share_read(&share, &(struct ph_column_set){.n = 1, .row = rows},
                                                &(struct ph_readers){.end = N}, keep, found, err);
    ph_team_join(&ph_team_alone);
    return status;
}

TEST(all_that_come_are_read)
{
    double found[N] = {-1.0};
    assert_ok(read_with(4, (const uint32_t[]){1, 2, 4, 5}, found, &err));
    for (int k = 0; k < N; ++k)
        assert_true(found[k] == 10.0 * k);
}

TEST(molecules_that_are_lost_are_an_error)
{
    static const struct {
        uint32_t n, number[5];
        const char *said;
    } cases[] = {{3, {1, 2, 4}, "of the 6 from number 0 on, 5 came"},
                 {5, {1, 2, 3, 4, 5}, "of the 6 from number 0 on, 7 came"},
                 {4, {1, 2, 4, 4}, "of the 6 from number 0 on, 5 came"},
                 {4, {1, 2, 4, 3}, "of the 6 from number 0 on, 5 came"},
                 {4, {1, 2, 4, 4000000}, "of the 6 from number 0 on, 5 came"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        struct ph_error err = {.text = ""};
        double found[N] = {-1.0};
        assert_int_equal(read_with(cases[k].n, cases[k].number, found, &err), PH_ERR_NUMBERS);
        assert_non_null(strstr(err.text, cases[k].said));
        assert_true(found[0] == -1.0); /* nobody was shown anything */
    }
}
