/* SPDX-License-Identifier: MIT */
#include "support.h"

#include "base/strand.h"

#include <signal.h>
#include <string.h>

/* Each writes its letter, pauses, and writes the next; what it has on its stack stays. */
struct writer {
    char letter;
    int times;
    char *text;
};

static void write_letters(void *data)
{
    const struct writer *writer = data;
    char word[2] = {writer->letter, '\0'};
    for (int k = 0; k < writer->times; ++k) {
        if (k > 0)
            ph_strand_pause();
        strcat(writer->text, word);
        ++word[0];
    }
}

static struct ph_strand *make(void (*function)(void *data), void *data)
{
    struct ph_strand *strand;
    struct ph_error err = {.text = ""};
    if (ph_strand_create(function, data, &strand, &err) != PH_OK)
        fail_msg("%s", err.text);
    return strand;
}

static void strands_take_turns_and_go_on_where_they_paused(void **state)
{
    char text[32] = "";
    struct writer writers[] = {{'a', 3, text}, {'k', 1, text}, {'t', 2, text}};
    struct ph_strand *strands[3];
    for (int k = 0; k < 3; ++k)
        strands[k] = make(write_letters, &writers[k]);
    assert_string_equal(text, "");
    assert_true(ph_strand_resume(strands[0]));
    assert_false(ph_strand_resume(strands[1]));
    assert_true(ph_strand_resume(strands[2]));
    assert_true(ph_strand_resume(strands[0]));
    assert_false(ph_strand_resume(strands[2]));
    assert_false(ph_strand_resume(strands[0]));
    assert_string_equal(text, "aktbuc");
    for (int k = 0; k < 3; ++k)
        ph_strand_destroy(strands[k]);
}

/* A stack of megabytes is there, and belongs to one strand alone. */
static int fill_stack(int depth, int value)
{
    volatile char block[4096];
    memset((char *)block, value, sizeof block);
    const int below = depth > 0 ? fill_stack(depth - 1, value) : 0;
    if (depth == 100)
        ph_strand_pause();
    int same = 0;
    for (size_t k = 0; k < sizeof block; ++k)
        same += block[k] == value;
    return below + (same == (int)sizeof block);
}

static void go_deep(void *data)
{
    int *value = data;
    *value = fill_stack(400, *value);
}

static void every_strand_has_a_stack_of_its_own(void **state)
{
    enum { MANY = 20 };
    int values[MANY];
    struct ph_strand *strands[MANY];
    for (int k = 0; k < MANY; ++k) {
        values[k] = k;
        strands[k] = make(go_deep, &values[k]);
        assert_true(ph_strand_resume(strands[k]));
    }
    for (int k = 0; k < MANY; ++k) {
        assert_false(ph_strand_resume(strands[k]));
        assert_int_equal(values[k], 401);
        ph_strand_destroy(strands[k]);
    }
    ph_strand_destroy(make(go_deep, values)); /* never begun */
    ph_strand_destroy(NULL);
}

static void block_signal(void *data)
{
    sigset_t set;
    (void)data;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    ph_strand_pause();
}

/* Whether a switch asks the system for masks or not: who changes that of a strand changes that of its thread. */
static void strands_have_the_signals_of_their_thread(void **state)
{
    sigset_t before, now;
    sigprocmask(SIG_BLOCK, NULL, &before);
    struct ph_strand *strand = make(block_signal, NULL);
    assert_true(ph_strand_resume(strand));
    sigprocmask(SIG_SETMASK, &before, &now);
    assert_true(sigismember(&now, SIGUSR1) && !sigismember(&before, SIGUSR1));
    assert_false(ph_strand_resume(strand));
    sigprocmask(SIG_SETMASK, NULL, &now);
    assert_false(sigismember(&now, SIGUSR1));
    ph_strand_destroy(strand);
}

/* The same where return addresses have a stack of their own */
static int switch_by_contexts(void **state)
{
    ph_strands_by_context = true;
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strands_take_turns_and_go_on_where_they_paused),
        cmocka_unit_test(every_strand_has_a_stack_of_its_own),
        cmocka_unit_test(strands_have_the_signals_of_their_thread),
        cmocka_unit_test_setup(strands_take_turns_and_go_on_where_they_paused, switch_by_contexts),
        cmocka_unit_test_setup(every_strand_has_a_stack_of_its_own, switch_by_contexts),
        cmocka_unit_test_setup(strands_have_the_signals_of_their_thread, switch_by_contexts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
