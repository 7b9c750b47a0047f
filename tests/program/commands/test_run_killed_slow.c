/* SPDX-License-Identifier: MIT */
/* Runs that are killed at any instant leave files that can be read, and go on to the end that they would have had. */
#include "program/support/running.h"

#include <sys/resource.h>

static const char open_space[] = "units: reduced\n"
                                 "system:\n"
                                 "  box: {kind: open}\n"
                                 "  molecules: [{model: dipolar-soft-sphere, count: 6}]\n"
                                 "  start: {kind: random, radius: 2.5, temperature: 1, seed: 3}\n"
                                 "dynamics: {scheme: verlet, step: 0.005, steps: 1200, equilibrate: {steps: 50}}\n"
                                 "output: {frames_every: 8, series_every: 3, checkpoint_every: 35, author: nobody}\n";

static const char fluid[] = "units: reduced\n"
                            "system:\n"
                            "  box: {density: 0.5}\n"
                            "  molecules: [{model: stockmayer, count: 32}]\n"
                            "  start: {kind: fcc, temperature: 1.5, seed: 3}\n"
                            "interactions: {cutoff: 1.9, electrostatics: {method: cutoff}}\n"
                            "dynamics: {scheme: verlet, step: 0.005, steps: 300, equilibrate: {steps: 50}}\n"
                            "output: {frames_every: 8, series_every: 3, checkpoint_every: 35, author: nobody}\n";

/* Processor time of all programs that have ended, in seconds */
static double seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* Waits until a program has used so much processor time, or has ended: a busy machine changes nothing. */
static void let_run(pid_t pid, double limit)
{
    siginfo_t ended = {.si_pid = 0};
    clockid_t clock;
    struct timespec used = {.tv_sec = 0};
    while (ended.si_pid == 0 && (double)used.tv_sec + 1e-9 * (double)used.tv_nsec < limit) {
        pause_for(1e-4);
        assert_int_equal(waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT), 0);
        if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0)
            break;
    }
}

static double draw(void) /* from 0 to 1; the same sequence in every run of this test */
{
    static uint64_t x = 42;
    x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(x >> 11) * 0x1p-53;
}

struct tally {
    int runs, killed, resumed, begun_again;
    double window; /* within which a run is killed, in seconds of its own: shorter if too many end, longer if too few
                      have begun */
};

/* Killed up to three times; whatever is left after that must end as the whole run did. */
static void kill_and_resume(const char *input, const char *whole, struct tally *tally)
{
    char line[128];
    empty_folder();
    write_text("input.yaml", input);
    snprintf(line, sizeof line, "run input.yaml --threads 1 -q -o run.h5md");
    for (int times = 0; times < 3; ++times) {
        const pid_t pid = begin_program(line, -1);
        let_run(pid, draw() * tally->window);
        const int status = end_program(pid, SIGKILL);
        if (status == 0) {
            tally->window *= times == 0 ? 0.8 : 1.0;
            break;
        }
        assert_int_equal(status, 128 + SIGKILL);
        ++tally->killed;
        size_t n;
        if (is_file("run.h5md") && h5_difference("run.h5md", "run.h5md", NULL, &n)[0]) /* reads all there is */
            fail_msg("%s", h5_difference("run.h5md", "run.h5md", NULL, &n));
        const bool begun = is_file("run.h5md.checkpoint") || is_file("run.h5md.checkpoint.1");
        snprintf(line, sizeof line,
                 begun ? "resume run.h5md --threads 1 -q" : "run input.yaml --threads 1 -q --overwrite -o run.h5md");
        tally->resumed += begun;
        tally->begun_again += !begun;
        tally->window *= begun ? 1.0 : 1.2;
    }
    ++tally->runs;
    run_well(is_file("run.h5md.checkpoint") || is_file("run.h5md.checkpoint.1")
                 ? "resume run.h5md --threads 1 -q"
                 : "run input.yaml --threads 1 -q --overwrite -o run.h5md");
    assert_same_run(whole, "run.h5md", NULL);
}

static void kill_many(const char *input, int kills)
{
    char whole[96];
    snprintf(whole, sizeof whole, "%s-whole.h5md", folder);
    write_text("input.yaml", input);
    char line[256];
    snprintf(line, sizeof line, "run input.yaml --threads 1 -q --overwrite -o %s", whole);
    const double began = seconds();
    expect(line, 0, "rms", "whole.h5md");
    struct tally tally = {.window = seconds() - began};
    while (tally.killed < kills && tally.runs < 3 * kills)
        kill_and_resume(input, whole, &tally);
    print_message("%d runs killed %d times: resumed %d times, begun again %d times\n", tally.runs, tally.killed,
                  tally.resumed, tally.begun_again);
    assert_true(tally.killed >= kills && tally.resumed > tally.killed / 2);
    unlink(whole);
    char checkpoint[128];
    snprintf(checkpoint, sizeof checkpoint, "%s.checkpoint", whole);
    unlink(checkpoint);
    strcat(checkpoint, ".1");
    unlink(checkpoint);
}

static void runs_in_open_space_survive_being_killed(void **state) { kill_many(open_space, 15); }

static void runs_of_a_fluid_survive_being_killed(void **state) { kill_many(fluid, 15); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_in_open_space_survive_being_killed),
        cmocka_unit_test(runs_of_a_fluid_survive_being_killed),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
