/* SPDX-License-Identifier: MIT */
#ifndef PH_CLI_COMMANDS_WATCH_H
#define PH_CLI_COMMANDS_WATCH_H

/* Functions of `run` and `resume`: the progress line, signals, and the summary (summary.c). */

#include "cli/cli.h"
#include "cli/terminal/log.h"

#include "analysis/kinds/asked.h"
#include "analysis/kinds/conservation.h"
#include "analysis/verdict/verdict.h"
#include "run/simulation/simulation.h"

#include <argp.h>

struct ph_cli_run_words {
    bool quiet, json, overwrite;
    int threads;      /* 0: the user has not chosen */
    double max_hours; /* 0: no limit */
    const char *log;  /* NULL: none */
};

enum { PH_CLI_KEY_THREADS = 1100, PH_CLI_KEY_JSON, PH_CLI_KEY_HOURS, PH_CLI_KEY_LOG, PH_CLI_KEY_QUIET = 'q' };
/* `threads`: where nobody has chosen */
#define PH_CLI_OPTIONS_RUN(threads)                                                                                    \
    {"threads", PH_CLI_KEY_THREADS, "N", 0, "Number of threads (default: OMP_NUM_THREADS, or " threads ")", 2},        \
        {"max-hours",                                                                                                  \
         PH_CLI_KEY_HOURS,                                                                                             \
         "H",                                                                                                          \
         0,                                                                                                            \
         "Stop after H hours with a checkpoint, as after Ctrl-C (exit status 130)",                                    \
         2},                                                                                                           \
        {"log", PH_CLI_KEY_LOG, "FILE", 0, "Append messages and progress to this file, too", 2},                       \
        {"json", PH_CLI_KEY_JSON, NULL, 0, "Print the summary as one JSON document", 2},                               \
    {                                                                                                                  \
        "quiet", PH_CLI_KEY_QUIET, NULL, 0, "Print the summary and warnings alone", 2                                  \
    }

/* For argp parsers: takes these options; ARGP_ERR_UNKNOWN for other keys */
error_t ph_cli_take_run(int key, char *arg, struct argp_state *state, struct ph_cli_run_words *words);

/* Does what they ask before anything is read: threads, the limit on time, the log. Commands end with ph_cli_log_end. */
enum ph_status ph_cli_begin_run(const struct ph_cli_run_words *words, int argc, char *const *argv,
                                struct ph_error *err);

/* Lets a run use as many threads as suit its system, unless the user has chosen, or it computes elsewhere */
void ph_cli_choose_threads(const struct ph_simulation *simulation, const struct ph_cli_run_words *words);

/* Runs to the end, or until a signal or the end of --max-hours. Prints a description, the progress and a summary.
 * Returns the exit status. */
int ph_cli_run(const char *command, struct ph_simulation *simulation, const struct ph_cli_run_words *words);

/* Parts of it, for sweeps. The first signal asks the run to end after the step, the second ends the program.
 * ph_cli_stop is the `stop` of a ph_watch: true after a signal, or when the time of --max-hours is over. */
enum { PH_CLI_INTERRUPTED = 130 };
void ph_cli_catch_signals(void);
bool ph_cli_stop(void *data);
bool ph_cli_time_is_over(void);
/* Lines that were printed; begins empty. When it is full, further lines are printed each time. */
struct ph_cli_said {
    char lines[8192];
};
/* Notes on the start and advice, to stderr; printed even with --quiet. Lines that were said are not repeated; said may
 * be NULL. */
void ph_cli_print_warnings(const char *command, const struct ph_simulation *simulation, struct ph_cli_said *said);
/* Where the forecast is more than the disk has */
void ph_cli_warn_of_disk(const char *command, const struct ph_forecast *forecast);
/* Results of the production run from the trajectory, and the verdict on them */
struct ph_findings {
    struct ph_summary summary;
    struct ph_asked asked;
    struct ph_verdict verdict;
};
enum ph_status ph_cli_read_findings(const char *file, const struct ph_run_course *course, struct ph_findings *findings,
                                    struct ph_error *err);
void ph_cli_say_findings(struct ph_json *json, const struct ph_findings *findings, bool physical);
/* Prints the summary of a run that began in this process at a step and a time (ph_clock_wall), and copies it to the
 * log. `stopped`: why it ended early, or NULL. */
enum ph_status ph_cli_print_summary(const struct ph_simulation *simulation, int64_t first_step, double began,
                                    bool as_json, const char *stopped, struct ph_error *err);

#endif
