/* SPDX-License-Identifier: MIT */
#include "support.h"

#include "base/system/coroutine.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

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
            ph_coroutine_pause();
        strcat(writer->text, word);
        ++word[0];
    }
}

static struct ph_coroutine *make(void (*function)(void *data), void *data)
{
    struct ph_coroutine *coroutine;
    assert_ok(ph_coroutine_create(function, data, &coroutine, &err));
    return coroutine;
}

static void coroutines_take_turns_and_go_on_where_they_paused(void **state)
{
    char text[32] = "";
    struct writer writers[] = {{'a', 3, text}, {'k', 1, text}, {'t', 2, text}};
    struct ph_coroutine *coroutines[3];
    for (int k = 0; k < 3; ++k)
        coroutines[k] = make(write_letters, &writers[k]);
    assert_string_equal(text, "");
    assert_true(ph_coroutine_resume(coroutines[0]));
    assert_false(ph_coroutine_resume(coroutines[1]));
    assert_true(ph_coroutine_resume(coroutines[2]));
    assert_true(ph_coroutine_resume(coroutines[0]));
    assert_false(ph_coroutine_resume(coroutines[2]));
    assert_false(ph_coroutine_resume(coroutines[0]));
    assert_string_equal(text, "aktbuc");
    for (int k = 0; k < 3; ++k)
        ph_coroutine_destroy(coroutines[k]);
}

/* A stack of megabytes is there, and belongs to one coroutine alone. */
static int fill_stack(int depth, int value)
{
    volatile char block[4096];
    memset((char *)block, value, sizeof block);
    const int below = depth > 0 ? fill_stack(depth - 1, value) : 0;
    if (depth == 100)
        ph_coroutine_pause();
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

static void every_coroutine_has_a_stack_of_its_own(void **state)
{
    enum { MANY = 20 };
    int values[MANY];
    struct ph_coroutine *coroutines[MANY];
    for (int k = 0; k < MANY; ++k) {
        values[k] = k;
        coroutines[k] = make(go_deep, &values[k]);
        assert_true(ph_coroutine_resume(coroutines[k]));
    }
    for (int k = 0; k < MANY; ++k) {
        assert_false(ph_coroutine_resume(coroutines[k]));
        assert_int_equal(values[k], 401);
        ph_coroutine_destroy(coroutines[k]);
    }
    ph_coroutine_destroy(make(go_deep, values)); /* never begun */
    ph_coroutine_destroy(NULL);
}

static void block_signal(void *data)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    ph_coroutine_pause();
}

/* A coroutine that changes its signal mask changes the mask of its thread, whether a switch asks the system for masks
 * or not. */
static void coroutines_have_the_signals_of_their_thread(void **state)
{
    sigset_t before, now;
    sigprocmask(SIG_BLOCK, NULL, &before);
    struct ph_coroutine *coroutine = make(block_signal, NULL);
    assert_true(ph_coroutine_resume(coroutine));
    sigprocmask(SIG_SETMASK, &before, &now);
    assert_true(sigismember(&now, SIGUSR1) && !sigismember(&before, SIGUSR1));
    assert_false(ph_coroutine_resume(coroutine));
    sigprocmask(SIG_SETMASK, NULL, &now);
    assert_false(sigismember(&now, SIGUSR1));
    ph_coroutine_destroy(coroutine);
}

/* ---- Stacks without a guard page ---- */

static bool no_guards;
static int stacks; /* that are not given back */

int __real_mprotect(void *address, size_t bytes, int protection);
int __wrap_mprotect(void *address, size_t bytes, int protection);
int __wrap_mprotect(void *address, size_t bytes, int protection)
{
    if (!no_guards)
        return __real_mprotect(address, bytes, protection);
    ++stacks;
    errno = ENOMEM; /* as where the system allows no more mappings */
    return -1;
}

int __real_munmap(void *address, size_t bytes);
int __wrap_munmap(void *address, size_t bytes);
int __wrap_munmap(void *address, size_t bytes)
{
    stacks -= no_guards;
    return __real_munmap(address, bytes);
}

/* Without it, a stack that is too small would overwrite what lies below it. */
static void a_stack_without_a_guard_is_an_error(void **state)
{
    char text[2] = "";
    struct writer writer = {'a', 1, text};
    struct ph_coroutine *coroutine = make(write_letters, &writer);
    ph_coroutine_destroy(coroutine);
    struct ph_error err = {.text = ""};
    no_guards = true;
    assert_int_equal(ph_coroutine_create(write_letters, &writer, &coroutine, &err), PH_ERR_MEMORY);
    no_guards = false;
    assert_null(coroutine);
    assert_int_equal(stacks, 0);
}

/* The same where return addresses have a stack of their own */
static int switch_by_contexts(void **state)
{
    ph_coroutines_by_context = true;
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coroutines_take_turns_and_go_on_where_they_paused),
        cmocka_unit_test(every_coroutine_has_a_stack_of_its_own),
        cmocka_unit_test(coroutines_have_the_signals_of_their_thread),
        cmocka_unit_test(a_stack_without_a_guard_is_an_error),
        cmocka_unit_test_setup(coroutines_take_turns_and_go_on_where_they_paused, switch_by_contexts),
        cmocka_unit_test_setup(every_coroutine_has_a_stack_of_its_own, switch_by_contexts),
        cmocka_unit_test_setup(coroutines_have_the_signals_of_their_thread, switch_by_contexts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
