/* SPDX-License-Identifier: MIT */
/* A process can be killed in the middle of one write: pages before that instant are written, those after it are not.
 * Every write of a run that has more than one page, torn in turn, leaves a trajectory that goes on to the right end. */
#include "program/support/running.h"

#include "run/simulation/simulation.h"

#include <sys/syscall.h>

enum { PAGE_BYTES = 4096, TORN = 78 };

static long writes_left = -1; /* until the one that is torn; -1: none is */
static long writes_of_many_pages;

/* Instead of the C library's; only this program sees it. */
ssize_t pwrite(int descriptor, const void *bytes, size_t n, off_t offset)
{
    const size_t first_page = PAGE_BYTES - (size_t)(offset % PAGE_BYTES);
    if (n > first_page) {
        ++writes_of_many_pages;
        if (writes_left >= 0 && writes_left-- == 0) {
            syscall(SYS_pwrite64, descriptor, bytes, first_page, offset);
            _exit(TORN);
        }
    }
    return syscall(SYS_pwrite64, descriptor, bytes, n, offset);
}

/* Frames at every step: indices of more than one node, that are split now and then */
static const char text[] = "units: reduced\n"
                           "system:\n"
                           "  box: {kind: open}\n"
                           "  molecules: [{model: dipolar-soft-sphere, count: 4}]\n"
                           "  start: {kind: random, radius: 2.5, temperature: 1, seed: 3}\n"
                           "dynamics: {scheme: verlet, step: 0.005, steps: 150}\n"
                           "output: {frames_every: 1, series_every: 3, checkpoint_every: 35, author: nobody}\n";

static enum ph_status run_here(bool resume, const char *file, struct ph_error *err)
{
    static struct ph_input input;
    struct ph_texts texts = {.n = 0};
    struct ph_simulation *simulation = NULL;
    bool stopped;
    enum ph_status status;
    if (resume) {
        status = ph_simulation_resume(file, -1, &simulation, err);
    } else {
        status = ph_texts_add(&texts, "input.yaml", text, strlen(text), err);
        if (status == PH_OK)
            status = ph_input_read_keeping(&texts, "input.yaml", 0, NULL, &input, err);
        if (status == PH_OK)
            status = ph_simulation_create(&texts, &input, file, &simulation, err);
    }
    if (status == PH_OK)
        status = ph_simulation_run(simulation, true, NULL, &stopped, err);
    ph_simulation_destroy(simulation);
    return status;
}

/* In a process of its own, that ends with the write that is torn; false if there were fewer */
static bool run_torn(long which)
{
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct ph_error err;
        writes_left = which;
        _exit((int)run_here(false, "torn.h5md", &err));
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_true(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == TORN);
    return WEXITSTATUS(status) == TORN;
}

static void a_write_torn_between_pages_loses_nothing(void **state)
{
    struct ph_error err = {.text = ""};
    if (run_here(false, "whole.h5md", &err) != PH_OK)
        fail_msg("%s", err.text);
    const long n = writes_of_many_pages;
    long resumed = 0;
    for (long which = 0; run_torn(which); which += 1 + n / (PH_SANITIZED ? 20 : 50)) {
        if (is_file("torn.h5md.checkpoint") || is_file("torn.h5md.checkpoint.1")) {
            if (run_here(true, "torn.h5md", &err) != PH_OK)
                fail_msg("write %ld: %s", which, err.text);
            assert_same_run("whole.h5md", "torn.h5md", NULL);
            ++resumed;
        }
        unlink("torn.h5md.checkpoint");
        unlink("torn.h5md.checkpoint.1");
        unlink("torn.h5md");
    }
    print_message("%ld of %ld writes torn, and resumed from\n", resumed, n);
    assert_true(resumed > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_write_torn_between_pages_loses_nothing)};
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
