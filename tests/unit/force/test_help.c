/* SPDX-License-Identifier: MIT */
/* Threads that help with a tile change no bit of its sums: results come in the order of couples, each of them once. */
#include "support.h"

#include "force/pairs/loops/help.h"
#include "force/pairs/loops/results.h"

#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { COUPLES = 300, LOCALS = 40, FIELDS = 6, NEIGHBOURS = 7 };

static const struct ph_site_pair pair = {.position_i = 0, .dipole_i = 3, .position_j = 0, .dipole_j = 3};
static uint16_t list[COUPLES][NEIGHBOURS];

/* Numbers whose sum depends on their order */
static double term(size_t couple, size_t k)
{
    return ldexp(1.0 + 0.37 * (double)(couple * 31 + k), (int)(couple % 50));
}

/* What a pair loop does with the results of a couple */
static void do_couple(size_t c, struct ph_tile *tile, struct ph_gathered *g)
{
    double force[3], field[3];
    for (size_t x = 0; x < 3; ++x) {
        force[x] = term(c, x);
        field[x] = -term(c, x + 3);
    }
    for (size_t f = 0; f < FIELDS; ++f)
        for (size_t k = 0; k < NEIGHBOURS; ++k)
            g->out[f][k] = term(c, 6 + f * NEIGHBOURS + k) / 3.0;
    if (tile->log) {
        ph_log_site(tile->log, &pair, force, field, c % LOCALS);
        ph_log_rows(tile->log, FIELDS, list[c], NEIGHBOURS, g);
    } else {
        ph_results_add_site(&pair, force, field, tile, c % LOCALS);
        ph_results_add_rows(tile, FIELDS, list[c], NEIGHBOURS, g);
    }
}

static size_t room(const void *data, const struct ph_tile *tile, size_t couple)
{
    (void)data, (void)tile, (void)couple;
    return PH_LOG_SITE + PH_LOG_ENTRY + FIELDS * NEIGHBOURS;
}

static void help_others(struct ph_help *help, const struct ph_tiles *tiles, atomic_int *done, atomic_int *begun)
{
    struct ph_gathered g;
    struct ph_help_work work;
    while (ph_help_find(help, tiles, room, NULL, &work)) {
        atomic_fetch_add(begun, 1);
        struct ph_tile tile = tiles->tile[work.tile];
        tile.log = &work.log;
        for (size_t c = work.begin; c < work.end; ++c) {
            atomic_fetch_add(&done[c], 1);
            do_couple(c, &tile, &g);
        }
        ph_help_done(help, &work);
    }
}

/* Does all couples; where `begun` is not NULL, waits until another thread has begun with some. */
static void do_own(struct ph_help *help, struct ph_tile *tile, atomic_int *done, const atomic_int *begun)
{
    struct ph_gathered g;
    assert_true(ph_help_open(help, 0, COUPLES));
    while (begun && atomic_load(begun) == 0)
        ;
    for (size_t begin, end; ph_help_take(help, 0, &begin, &end);)
        for (size_t c = begin; c < end; ++c) {
            atomic_fetch_add(&done[c], 1);
            do_couple(c, tile, &g);
        }
    ph_help_add_logs(help, 0, tile, &g);
}

TEST(help_changes_no_bit)
{
    enum { ROUNDS = 30, THREADS = 4 };
    static double alone[LOCALS * FIELDS], out[LOCALS * FIELDS];
    struct ph_tile tile = {
        .n_local = LOCALS, .n_couples = COUPLES, .index_bytes = 2, .field_step = 1, .local_step = FIELDS, .out = alone};
    uint32_t here = 0;
    const struct ph_tiles tiles = {.n = 1, .tile = &tile, .n_here = 1, .here = &here};
    struct ph_help *kept = NULL;
    struct ph_gathered g;
    for (size_t c = 0; c < COUPLES; ++c)
        for (size_t k = 0; k < NEIGHBOURS; ++k)
            list[c][k] = (uint16_t)((c * 7 + k * 3) % LOCALS);
    for (size_t c = 0; c < COUPLES; ++c)
        do_couple(c, &tile, &g);
    tile.out = out;
    for (int round = 0; round < ROUNDS; ++round) {
        atomic_int done[COUPLES] = {0}, begun = 0;
        struct ph_help *help = ph_help_begin(&kept, 1, THREADS);
        assert_non_null(help);
        memset(out, 0, sizeof out);
#pragma omp parallel num_threads(THREADS)
        {
            if (omp_get_thread_num() == 0)
                do_own(help, &tile, done, omp_get_num_threads() > 1 && round == 0 ? &begun : NULL);
            else
                while (round == 0 && atomic_load(&begun) == 0) /* it looks only for a while */
                    help_others(help, &tiles, done, &begun);
            if (omp_get_thread_num() > 0)
                help_others(help, &tiles, done, &begun);
        }
        for (size_t c = 0; c < COUPLES; ++c)
            assert_int_equal(done[c], 1);
        assert_memory_equal(out, alone, sizeof out);
    }
    ph_help_destroy(kept);
}

/* A thread alone has nobody to help it, and few couples are not worth it. */
TEST(little_work_is_not_shared)
{
    struct ph_help *kept = NULL;
    assert_null(ph_help_begin(&kept, 3, 1));
    struct ph_help *help = ph_help_begin(&kept, 3, 2);
    assert_non_null(help);
    assert_false(ph_help_open(help, 2, 3));
    ph_help_destroy(kept);
}
