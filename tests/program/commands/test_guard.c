/* SPDX-License-Identifier: MIT */
/* What commands that read files say when they crash. */
#include "support.h"

#include "cli/cli.h"

#include <hdf5.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned *volatile nowhere = (unsigned *)8; /* not NULL, which HDF5 looks for */

static void in_our_code(void) { *nowhere = 1; }

static void in_hdf5(void) { H5get_libversion(nowhere, nowhere, nowhere); }

static herr_t callback(unsigned n, const H5E_error2_t *record, void *data)
{
    in_our_code();
    return 0;
}

/* HDF5 calls us, and we are at fault. */
static void in_our_code_called_by_hdf5(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    H5Fopen("/nonexistent/file.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, callback, NULL);
}

static void by_abort(void) { abort(); }

static int recursion(volatile int depth)
{
    volatile char room[1000];
    room[depth % 1000] = 1;
    return depth < 0 ? 0 : recursion(depth + 1) + room[0];
}

static void by_recursion(void) { recursion(0); }

/* Crashes under the guard, in a process of its own. */
static void guarded(void (*how)(void), int errors)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
    for (size_t k = 0; k < sizeof signals / sizeof *signals; ++k)
        signal(signals[k], SIG_DFL); /* CMocka has its own */
    setrlimit(RLIMIT_CORE, &(struct rlimit){.rlim_cur = 0});
    dup2(errors, STDERR_FILENO);
    ph_cli_guard("polhode info", "gas.h5md");
    how();
    _exit(0);
}

/* The result is as of waitpid. */
static int crash(void (*how)(void), char text[1024])
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0)
        guarded(how, ends[1]);
    close(ends[1]);
    size_t used = 0;
    for (ssize_t n; used < 1023 && (n = read(ends[0], text + used, 1023 - used)) > 0;)
        used += (size_t)n;
    text[used] = '\0';
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

TEST(a_crash_of_hdf5_is_damage_of_the_file)
{
    char text[1024];
    const int status = crash(in_hdf5, text);
    assert_string_equal(text, "polhode info: gas.h5md: HDF5 crashed while reading it: the file is damaged.\n");
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == PH_ERR_IO);
}

TEST(any_other_crash_is_ours)
{
    static const struct {
        void (*how)(void);
        int signal_number;
    } cases[] = {
        {in_our_code, SIGSEGV}, {in_our_code_called_by_hdf5, SIGSEGV}, {by_abort, SIGABRT}, {by_recursion, SIGSEGV}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        char text[1024];
        const int status = crash(cases[k].how, text);
        if (strstr(text, "damaged") || !strstr(text, "polhode info: gas.h5md: The program crashed"))
            fail_msg("case %zu: '%s'", k, text);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == cases[k].signal_number);
    }
}

/* What ends a process that a debugger watches: the last signal before its end */
static siginfo_t last_signal(void (*how)(void))
{
    siginfo_t last = {.si_signo = 0};
    int ends[2], status = 0;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        guarded(how, ends[1]);
    }
    while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
        ptrace(PTRACE_GETSIGINFO, child, NULL, &last);
        ptrace(PTRACE_CONT, child, NULL, (void *)(intptr_t)WSTOPSIG(status));
    }
    close(ends[0]);
    close(ends[1]);
    assert_true(WIFSIGNALED(status));
    return last;
}

/* So that a core or a debugger shows what happened, and not that the guard has sent a signal */
TEST(a_crash_keeps_its_cause)
{
    const siginfo_t fault = last_signal(in_our_code), sent = last_signal(by_abort);
    if (fault.si_signo == 0)
        skip(); /* processes may not be watched here */
    assert_int_equal(fault.si_signo, SIGSEGV);
    assert_int_equal(fault.si_code, SEGV_MAPERR);
    assert_ptr_equal(fault.si_addr, nowhere);
    assert_int_equal(sent.si_signo, SIGABRT);
    assert_int_equal(sent.si_code, SI_TKILL);
}
