/* SPDX-License-Identifier: MIT */
/* Arrays of fixed length: a program that would write beyond their end is ended first, in release builds too. */
#include "support.h"

#include "lab/certify/card.h"
#include "lab/table.h"
#include "output/checkpoint/checkpoint.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* What lies behind the object may be overwritten unnoticed, so there is room for that. */
enum { BEHIND = 1 << 16 };

static void fill_card(size_t n)
{
    struct ph_card *card = calloc(1, sizeof *card + BEHIND);
    ph_card_begin(card, &ph_scheme_cards, "", "", 4, NULL);
    for (size_t k = 0; k < n; ++k)
        ph_card_add_order(card, (struct ph_card_order){.quantity = "", .where = ""});
    free(card);
}

static void fill_table(size_t n)
{
    struct ph_table *table = calloc(1, sizeof *table + BEHIND);
    const struct ph_table_column columns[2 * PH_TABLE_COLUMNS] = {{.name = ""}};
    ph_table_init(table, "", "", n, columns);
    free(table);
}

static void fill_checkpoint(size_t n)
{
    struct ph_checkpoint *checkpoint = calloc(1, sizeof *checkpoint + BEHIND);
    static char names[2 * PH_CHECKPOINT_ARRAYS][PH_CHECKPOINT_NAME];
    for (size_t k = 0; k < n; ++k) {
        snprintf(names[k], sizeof names[k], "%zu", k);
        ph_checkpoint_add_text(checkpoint, names[k], "");
    }
    free(checkpoint);
}

/* How a process ends that puts so many things into an array */
static int end_of(void (*fill)(size_t n), size_t n)
{
    int status;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        if (!freopen("/dev/null", "w", stderr)) /* the words of assert */
            _exit(1);
        signal(SIGABRT, SIG_DFL);
        fill(n);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

TEST(nothing_is_written_beyond_the_end)
{
    static const struct {
        void (*fill)(size_t n);
        size_t most;
    } arrays[] = {{fill_card, PH_CARD_ORDERS}, {fill_table, PH_TABLE_COLUMNS}, {fill_checkpoint, PH_CHECKPOINT_ARRAYS}};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k) {
        const int full = end_of(arrays[k].fill, arrays[k].most), more = end_of(arrays[k].fill, arrays[k].most + 1);
        assert_true(WIFEXITED(full) && WEXITSTATUS(full) == 0);
        assert_true(WIFSIGNALED(more) && WTERMSIG(more) == SIGABRT);
    }
}
