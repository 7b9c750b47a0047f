/* SPDX-License-Identifier: MIT */
#include "cli/commands/watch.h"

#include "cli/terminal/progress.h"

#include "base/clock.h"
#include "parallel/ranks.h"
#include "run/simulation/stages.h"
#include "run/threads.h"

#include <math.h>
#include <omp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Signals: the first ends the run after the step, the second ends the program; the limit on time ---- */

static volatile sig_atomic_t signalled;

static void on_signal(int number)
{
    signalled = 1;
    signal(number, SIG_DFL);
}

/* Signals that the parent process ignores (nohup) stay ignored. Batch systems send SIGTERM, or SIGUSR1 or SIGUSR2 if
 * the user says so. */
void ph_cli_catch_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
    for (size_t k = 0; k < sizeof signals / sizeof *signals; ++k)
        if (signal(signals[k], on_signal) == SIG_IGN)
            signal(signals[k], SIG_IGN);
}

static double deadline = INFINITY; /* of ph_clock_wall */

bool ph_cli_time_is_over(void) { return deadline < INFINITY && ph_clock_wall() >= deadline; }

bool ph_cli_stop(void *data)
{
    (void)data;
    return signalled != 0 || ph_cli_time_is_over();
}

/* ---- Progress ---- */

struct watcher {
    bool terminal, quiet;
    bool density;          /* the box changes */
    double began, printed; /* seconds */
    double logged;         /* likewise; last line of the log while the terminal has a line that changes */
    int64_t first_step;    /* of this process */
    bool has_translation, has_rotation;
};

/* Pieces of the progress line, the most important first */
enum { ENERGY, DONE, LEFT, TEMPERATURE, DENSITY, STAGE, STEP, SPEED, TIME, PIECES };

/* One of them; none where it does not apply */
static void print_piece(int piece, const struct ph_progress *p, const struct watcher *w, FILE *out)
{
    const double speed = (double)(p->step - p->first_step) / (ph_clock_wall() - w->began);
    switch (piece) {
    case ENERGY:
        if (isfinite(p->energy_error) && (p->stage || !p->heated))
            fprintf(out, "energy error %+.1e", p->energy_error);
        break;
    case DONE: fprintf(out, "%.0f %%", floor(100.0 * (double)p->step / (double)p->end)); break;
    case LEFT:
        ph_cli_print_duration(out, (double)(p->end - p->step) / speed);
        fprintf(out, " left");
        break;
    case TEMPERATURE:
        fprintf(out, "T %s%.4g", w->has_translation && w->has_rotation ? "transl. " : "",
                w->has_translation ? p->observables.temperature_translation : p->observables.temperature_rotation);
        if (w->has_translation && w->has_rotation)
            fprintf(out, ", rot. %.4g", p->observables.temperature_rotation);
        break;
    case DENSITY:
        if (w->density)
            fprintf(out, "density %.5g", p->observables.density);
        break;
    case STAGE:
        if (p->stage)
            fprintf(out, "stage '%s'", p->stage);
        else if (p->heated)
            fprintf(out, "equilibrating");
        break;
    case STEP: fprintf(out, "step %lld of %lld", (long long)p->step, (long long)p->end); break;
    case SPEED: fprintf(out, "%.3g steps/s", speed); break;
    case TIME: fprintf(out, "time %.6g", p->time); break;
    default: break;
    }
}

/* One line, of as many pieces as the terminal has room for: a longer one would not be overwritten by the next. Without
 * a terminal all of them. Letters of more than one byte count as more than one column, which is on the safe side. */
static void print_progress(const struct ph_progress *p, const struct watcher *w, FILE *to, bool terminal)
{
    const size_t room = terminal ? ph_cli_columns() - 1 : SIZE_MAX;
    size_t used = 0;
    fputs(terminal ? "\r\033[K" : "", to);
    for (int k = 0; k < PIECES; ++k) {
        char piece[128] = "";
        FILE *out = fmemopen(piece, sizeof piece, "w");
        if (!out)
            break;
        print_piece(k, p, w, out);
        fclose(out);
        const size_t length = strlen(piece) + (used > 0 ? 2 : 0);
        if (!piece[0] || used + length > room)
            continue;
        fprintf(to, "%s%s", used > 0 ? ", " : "", piece);
        used += length;
    }
    fputs(terminal ? "" : "\n", to);
    fflush(to);
}

static void progress(const struct ph_progress *p, void *data)
{
    struct watcher *w = data;
    if (w->quiet)
        return;
    const double now = ph_clock_wall(), pause = w->terminal ? 0.2 : 10.0;
    if (p->event) {
        fputs(w->terminal ? "\r\033[K" : "", ph_cli_screen());
        fprintf(stderr, "%s\n", p->event);
    }
    if (w->terminal && ph_cli_log() && now - w->logged >= 60.0) {
        w->logged = now;
        print_progress(p, w, ph_cli_log(), false);
    }
    if (now - w->printed < pause)
        return;
    w->printed = now;
    if (w->terminal)
        print_progress(p, w, ph_cli_screen(), true);
    else
        print_progress(p, w, stderr, false);
}

/* ---- Before and after ---- */

static void print_threads(void)
{
    if (ph_ranks_count() > 1)
        fprintf(stderr, "%zu processes with ", ph_ranks_count());
    const int threads = omp_get_max_threads();
    fprintf(stderr, "%d thread%s%s\n", threads, threads == 1 ? "" : "s", ph_ranks_count() > 1 ? " each" : "");
}

static void print_begin(const struct ph_simulation *simulation)
{
    const struct ph_input *input = ph_simulation_input(simulation);
    const struct ph_system *system = ph_simulation_system(simulation);
    const struct ph_degrees *degrees = ph_simulation_degrees(simulation);
    const long long step = (long long)ph_simulation_step(simulation), end = (long long)ph_simulation_end(simulation);
    if (input->title[0])
        fprintf(stderr, "%s\n", input->title);
    fprintf(stderr, "%zu molecule%s, %zu degrees of freedom of translation, %zu of rotation (", system->n,
            system->n == 1 ? "" : "s", degrees->translation, degrees->rotation);
    for (size_t s = 0; s < system->n_species; ++s)
        fprintf(stderr, "%s%s: %d each", s > 0 ? ", " : "", system->species[s].name,
                (input->interactions.pinned ? 0 : 3) + system->species[s].degrees);
    fprintf(stderr, "%s)\n", degrees->translation == 3 * system->n - 3 ? "; total momentum is conserved" : "");
    char words[PH_STAGE_WORDS];
    if (input->staged) {
        for (size_t k = ph_stage_after(input, step); k < input->n_stages; ++k) {
            ph_stage_describe(input, k, words);
            fprintf(stderr, "stage '%s', %lld steps: %s\n", input->stages[k].name, (long long)input->stages[k].steps,
                    words);
        }
    } else {
        ph_stage_describe(input, input->n_stages - 1, words);
        fprintf(stderr, "%s, ", words);
    }
    print_threads();
    if (step == end)
        fprintf(stderr, "All %lld steps are done; --steps N adds N more.\n", end);
    else if (step > 0)
        fprintf(stderr, "Continues from step %lld to step %lld.\n", step, end);
}

void ph_cli_warn_of_disk(const char *command, const struct ph_forecast *forecast)
{
    char bytes[PH_CLI_BYTES], free[PH_CLI_BYTES];
    if (forecast->free < 0.0 || forecast->bytes <= forecast->free)
        return;
    ph_cli_warn(
        command,
        "warning: the disk will be full before the run ends: the trajectory takes %s%s, and %s are free. Write "
        "frames less often (output.frames_every), with fewer digits (output.precision: single), or to another "
        "disk (-o). A run that stops so keeps its last checkpoint: 'polhode resume' continues it once there is room.",
        forecast->packed ? "up to " : "about ", ph_cli_bytes(forecast->bytes, bytes),
        ph_cli_bytes(forecast->free, free));
}

static bool is_new(const char *line, size_t length, struct ph_cli_said *said)
{
    if (!said)
        return true;
    for (const char *known = said->lines; *known; known += strcspn(known, "\n") + 1)
        if (strncmp(known, line, length) == 0 && known[length] == '\n')
            return false;
    const size_t used = strlen(said->lines);
    if (used + length + 2 <= sizeof said->lines)
        snprintf(said->lines + used, sizeof said->lines - used, "%.*s\n", (int)length, line);
    return true;
}

void ph_cli_print_warnings(const char *command, const struct ph_simulation *simulation, struct ph_cli_said *said)
{
    for (const char *line = ph_simulation_notes(simulation); *line;) {
        const size_t length = strcspn(line, "\n");
        if (is_new(line, length, said))
            fprintf(stderr, "%.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
    char advice[PH_ADVICE];
    ph_methods_advice(ph_simulation_methods(simulation), ph_simulation_system(simulation),
                      ph_simulation_interactions(simulation), advice);
    if (advice[0] && is_new(advice, strlen(advice), said))
        ph_cli_warn(command, "warning: %s", advice);
    struct ph_forecast forecast;
    struct ph_error forgotten;
    if (ph_simulation_forecast(simulation, &forecast, &forgotten) == PH_OK)
        ph_cli_warn_of_disk(command, &forecast);
}

error_t ph_cli_take_run(int key, char *arg, struct argp_state *state, struct ph_cli_run_words *words)
{
    char *end;
    switch (key) {
    case PH_CLI_KEY_QUIET: words->quiet = true; return 0;
    case PH_CLI_KEY_JSON: words->json = true; return 0;
    case PH_CLI_KEY_LOG: words->log = arg; return 0;
    case PH_CLI_KEY_HOURS: {
        struct ph_error err;
        if (ph_cli_parse_numbers("--max-hours", arg, 1, &words->max_hours, &err) != PH_OK || !(words->max_hours > 0.0))
            argp_error(state, "--max-hours %s: a number of hours above 0 is accepted, as 23.5", arg);
        return 0;
    }
    case PH_CLI_KEY_THREADS: {
        const long n = strtol(arg, &end, 10);
        if (end == arg || *end != '\0' || n < 1 || n > PH_CLI_THREADS_MOST)
            argp_error(state, "--threads %s: a number from 1 to %d is accepted", arg, PH_CLI_THREADS_MOST);
        words->threads = (int)n;
        return 0;
    }
    default: return ARGP_ERR_UNKNOWN;
    }
}

enum ph_status ph_cli_begin_run(const struct ph_cli_run_words *words, int argc, char *const *argv, struct ph_error *err)
{
    if (words->max_hours > 0.0)
        deadline = ph_clock_wall() + 3600.0 * words->max_hours;
    if (words->threads > 0)
        omp_set_num_threads(words->threads);
    return ph_cli_log_begin(words->log, argc, argv, err);
}

static bool has_barostat(const struct ph_input *input)
{
    bool has = false;
    for (size_t k = 0; k < input->n_stages; ++k)
        has = has || input->stages[k].barostat.kind[0];
    return has;
}

void ph_cli_choose_threads(const struct ph_simulation *simulation, const struct ph_cli_run_words *words)
{
    if (words->threads == 0 && !ph_simulation_backend(simulation))
        omp_set_num_threads(
            ph_threads_suitable(ph_simulation_system(simulation), ph_simulation_interactions(simulation)));
}

int ph_cli_run(const char *command, struct ph_simulation *simulation, const struct ph_cli_run_words *words)
{
    struct watcher w = {
        .terminal = isatty(STDERR_FILENO),
        .quiet = words->quiet || !ph_ranks_is_first(),
        .began = ph_clock_wall(),
        .first_step = ph_simulation_step(simulation),
        .has_translation = ph_simulation_degrees(simulation)->translation > 0,
        .has_rotation = ph_simulation_degrees(simulation)->rotation > 0,
        .density = has_barostat(ph_simulation_input(simulation)),
    };
    w.printed = w.logged = w.began;
    const struct ph_watch watch = {.progress = progress, .stop = ph_cli_stop, .data = &w};
    if (!words->quiet)
        print_begin(simulation);
    ph_cli_print_warnings(command, simulation, NULL);
    ph_cli_catch_signals();
    bool stopped;
    struct ph_error err;
    enum ph_status status = ph_simulation_run(simulation, words->overwrite, &watch, &stopped, &err);
    if (w.terminal && !words->quiet)
        fputs("\r\033[K", ph_cli_screen());
    if (status == PH_OK && ph_ranks_is_first())
        status = ph_cli_print_summary(simulation, w.first_step, w.began, words->json,
                                      !stopped                ? NULL
                                      : ph_cli_time_is_over() ? "The time of --max-hours is over"
                                                              : "Interrupted",
                                      &err);
    if (status != PH_OK)
        return ph_cli_fail(command, &err);
    return stopped ? PH_CLI_INTERRUPTED : PH_OK;
}
