/* SPDX-License-Identifier: MIT */
#include "cli/commands/watch.h"

#include "cli/terminal/progress.h"

#include "accel/engine/engine.h"
#include "base/clock.h"
#include "base/memory.h"
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

/* ---- Signals: the first ends the run after the step, the second ends the program ---- */

static volatile sig_atomic_t signalled;

static void on_signal(int number)
{
    signalled = 1;
    signal(number, SIG_DFL);
}

/* Signals that the parent process ignores (nohup) stay ignored. */
void ph_cli_catch_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t k = 0; k < sizeof signals / sizeof *signals; ++k)
        if (signal(signals[k], on_signal) == SIG_IGN)
            signal(signals[k], SIG_IGN);
}

bool ph_cli_stop(void *data)
{
    (void)data;
    return signalled != 0;
}

/* ---- Progress ---- */

struct watcher {
    bool terminal, quiet;
    bool density;          /* the box changes */
    double began, printed; /* seconds */
    int64_t first_step;    /* of this process */
    bool has_translation, has_rotation;
};

void ph_cli_print_duration(FILE *out, double s)
{
    if (s < 99.5)
        fprintf(out, "%.0f s", s);
    else if (s < 99.5 * 60.0)
        fprintf(out, "%.0f min", s / 60.0);
    else if (s < 99.5 * 3600.0)
        fprintf(out, "%.1f h", s / 3600.0);
    else
        fprintf(out, "%.3g days", s / 86400.0);
}

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
static void print_progress(const struct ph_progress *p, const struct watcher *w)
{
    const size_t room = w->terminal ? ph_cli_columns() - 1 : SIZE_MAX;
    size_t used = 0;
    fputs(w->terminal ? "\r\033[K" : "", stderr);
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
        fprintf(stderr, "%s%s", used > 0 ? ", " : "", piece);
        used += length;
    }
    fputs(w->terminal ? "" : "\n", stderr);
    fflush(stderr);
}

static void progress(const struct ph_progress *p, void *data)
{
    struct watcher *w = data;
    if (w->quiet)
        return;
    const double now = ph_clock_wall(), pause = w->terminal ? 0.2 : 10.0;
    if (p->event)
        fprintf(stderr, "%s%s\n", w->terminal ? "\r\033[K" : "", p->event);
    if (now - w->printed < pause)
        return;
    w->printed = now;
    print_progress(p, w);
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

/* Units after the numbers of the summary */
struct unit_names {
    const char *energy, *rate, *temperature, *pressure;
};

static void say_mean(struct ph_json *json, const char *key, const struct ph_mean *mean)
{
    ph_json_begin_object(json, key);
    ph_json_number(json, "mean", mean->mean);
    ph_json_number(json, "error", mean->error);
    ph_json_end(json);
}

static void say_energy(struct ph_json *json, const struct ph_conservation *c, const struct unit_names *unit)
{
    const bool total = strcmp(c->name, "total_energy") == 0;
    ph_json_begin_object(json, c->name);
    ph_json_integer(json, "rows", (long)c->rows);
    ph_json_number(json, "first", c->first);
    ph_json_number(json, "mean", c->first + c->line.mean);
    ph_json_number(json, "rms", c->rms);
    ph_json_number(json, "rms_error", c->rms_error);
    ph_json_number(json, "largest_error", c->largest);
    ph_json_number(json, "last_error", c->last);
    ph_json_number(json, "drift", c->rows > 2 ? c->line.slope : NAN);
    ph_json_number(json, "drift_error", c->rows > 2 ? c->line.slope_error : NAN);
    ph_json_end(json);
    ph_json_say(json, "%s   %.10g%s in the first row of the production%s\n",
                total ? "energy per molecule" : "conserved energy   ", c->first, unit->energy,
                total ? "" : ", per molecule");
    ph_json_say(json,
                "  its error           %.3e rms about its mean; from the first row %.3e at most, %+.3e at the end (%zu "
                "rows)\n",
                c->rms, c->largest, c->last, c->rows);
    if (c->rows > 2)
        ph_json_say(json, "  its drift           %+.2e +- %.1e%s\n", c->line.slope, c->line.slope_error, unit->rate);
}

/* The numbers are the same as in 'polhode analyze energy'. Energies are per molecule. */
void ph_cli_say_findings(struct ph_json *json, const struct ph_findings *findings, bool physical)
{
    static const struct unit_names md = {" kJ/mol", " kJ/mol per ps", " K", " kJ/mol/nm^3"},
                                   reduced = {"", " per unit of time", "", ""};
    const struct unit_names *unit = physical ? &md : &reduced;
    const struct ph_summary *summary = &findings->summary;
    const struct ph_mean *translation = &summary->temperature_translation, *rotation = &summary->temperature_rotation;
    const bool moves = isfinite(translation->mean), turns = isfinite(rotation->mean); /* NaN: nothing does */
    if (summary->energy.rows == 0)
        return;
    say_energy(json, &summary->energy, unit);
    say_mean(json, "potential_energy", &summary->potential);
    ph_json_say(json, "potential energy      %.6g%s per molecule, mean\n", summary->potential.mean, unit->energy);
    if (moves) {
        say_mean(json, "temperature_translation", translation);
        ph_json_say(json, "temperature           %.5g%s of translation, mean\n", translation->mean, unit->temperature);
    }
    if (turns) {
        say_mean(json, "temperature_rotation", rotation);
        ph_json_say(json, "%s%.5g%s of rotation, mean\n", moves ? "                      " : "temperature           ",
                    rotation->mean, unit->temperature);
    }
    if (isfinite(summary->pressure.mean)) {
        say_mean(json, "pressure", &summary->pressure);
        ph_json_say(json, "pressure              %.5g%s, mean\n", summary->pressure.mean, unit->pressure);
        if (physical)
            ph_json_say(json, "                      %.5g bar\n", ph_series_bar * summary->pressure.mean);
    }
    ph_cli_say_asked(json, "asked and obtained", 22, &findings->asked);
    ph_cli_say_verdict(json, 22, false, false, &findings->verdict);
}

enum ph_status ph_cli_read_findings(const char *file, const struct ph_run_course *course, struct ph_findings *findings,
                                    struct ph_error *err)
{
    struct ph_reader reader;
    const unsigned long refusals = ph_refusals();
    findings->asked.n = 0;
    enum ph_status status = ph_reader_open(file, &reader, err);
    if (status == PH_OK)
        status = ph_summary_of(&reader, &findings->summary, err);
    if (status == PH_OK)
        status = ph_asked_read(&reader, NULL, &findings->asked, err);
    if (status == PH_OK)
        status = ph_verdict_read(&reader, course, &findings->verdict, err);
    ph_reader_close(&reader);
    return ph_status_since(refusals, status, file, err);
}

static void say_speed(struct ph_json *json, const struct ph_simulation *simulation, double elapsed)
{
    const struct ph_state_counts counts = ph_simulation_counts(simulation);
    const double evaluations = ph_simulation_evaluations(simulation) + (double)counts.gradients;
    const bool nested = counts.fast + counts.slow > 0;
    ph_json_number(json, "seconds", elapsed);
    ph_json_integer(json, "threads", omp_get_max_threads());
    ph_json_integer(json, "processes", (long)ph_ranks_count());
    ph_json_number(json, "force_evaluations", evaluations);
    if (nested) {
        ph_json_integer(json, "whole_evaluations", (long)counts.evaluations);
        ph_json_integer(json, "slow_evaluations", (long)counts.slow);
        ph_json_integer(json, "fast_evaluations", (long)counts.fast);
        ph_json_say(json,
                    "force evaluations     %zu of all forces, %zu of the slow, %zu of the fast ones: by their cost as "
                    "%.0f of all\n",
                    counts.evaluations, counts.slow, counts.fast, evaluations);
    }
    if (!(evaluations > 0.0))
        return;
    ph_json_say(json, "speed                 %.3g force evaluations/s, %.3g million molecule evaluations/s, ",
                evaluations / elapsed, 1e-6 * evaluations * (double)ph_simulation_system(simulation)->n / elapsed);
    if (json->text)
        ph_cli_print_duration(json->out, elapsed);
    ph_json_say(json, "\n");
}

/* Copies between host and backend: how much, and which part of the time steps waited for them */
static void say_transfers(struct ph_json *json, const struct ph_simulation *simulation, double elapsed)
{
    const struct ph_backend *backend = ph_simulation_backend(simulation);
    if (!backend)
        return;
    const struct ph_transfer_counts transfers = ph_engine_transfer_counts(backend);
    const struct {
        const char *name;
        const struct ph_traffic *traffic;
    } ways[] = {{"to", &transfers.to}, {"from", &transfers.from}, {"beside", &transfers.beside}};
    ph_json_begin_object(json, "transfers");
    for (size_t k = 0; k < 3; ++k) {
        ph_json_begin_object(json, ways[k].name);
        ph_json_integer(json, "copies", (long)ways[k].traffic->calls);
        ph_json_integer(json, "bytes", (long)ways[k].traffic->bytes);
        ph_json_number(json, "seconds", ways[k].traffic->seconds);
        ph_json_end(json);
    }
    ph_json_number(json, "waited", transfers.waited);
    ph_json_end(json);
    ph_json_say(json,
                "transfers             %.3g MB to and %.3g MB from the backend, %.2g %% of the time; %.3g MB beside "
                "steps\n",
                1e-6 * (double)transfers.to.bytes, 1e-6 * (double)transfers.from.bytes,
                100.0 * (transfers.to.seconds + transfers.from.seconds + transfers.waited) / elapsed,
                1e-6 * (double)transfers.beside.bytes);
}

/* Returns the option --overwrite for a command that writes run.csv or run.html, if the file exists from before a
 * resume */
static const char *leave_to_replace(const char *file, const char *ending)
{
    char *name = ph_cli_other_name(file, ending);
    const bool there = name && access(name, F_OK) == 0;
    free(name);
    return there ? " --overwrite" : "";
}

/* The summary, as text or as one JSON document */
static enum ph_status say_end(struct ph_json *json, const struct ph_simulation *simulation, const struct watcher *w,
                              bool stopped, struct ph_error *err)
{
    const struct ph_input *input = ph_simulation_input(simulation);
    const char *file = ph_simulation_file(simulation);
    char checkpoint[PH_PATH + 16];
    snprintf(checkpoint, sizeof checkpoint, "%s.checkpoint", file);
    ph_json_begin_object(json, NULL);
    ph_json_string(json, "state", stopped ? "interrupted" : "finished");
    ph_json_string(json, "title", input->title);
    ph_json_string(json, "units", input->units);
    ph_json_integer(json, "molecules", (long)ph_simulation_system(simulation)->n);
    ph_json_integer(json, "first_step", (long)w->first_step);
    ph_json_integer(json, "last_step", (long)ph_simulation_step(simulation));
    ph_json_integer(json, "planned_steps", (long)ph_simulation_end(simulation));
    ph_json_number(json, "time", ph_simulation_time(simulation));
    struct ph_findings findings;
    const struct ph_run_course course = {ph_simulation_step(simulation), ph_simulation_end(simulation), false};
    const enum ph_status status = ph_cli_read_findings(file, &course, &findings, err);
    if (status == PH_OK)
        ph_cli_say_findings(json, &findings, strcmp(input->units, "md") == 0);
    say_speed(json, simulation, ph_clock_wall() - w->began);
    say_transfers(json, simulation, ph_clock_wall() - w->began);
    ph_json_string(json, "file", file);
    ph_json_string(json, "checkpoint", checkpoint);
    ph_json_end(json);
    ph_json_say(json, "trajectory            %s\n", file);
    ph_json_say(json, "checkpoint            %s\n", checkpoint);
    char quoted[PH_CLI_QUOTED(PH_PATH)];
    ph_cli_quoted(file, sizeof quoted, quoted);
    if (stopped)
        ph_json_say(json, "\nInterrupted; to continue:\n  polhode resume %s\n", quoted);
    else
        ph_json_say(json,
                    "\nNext:\n  polhode report %s%s\n  polhode info %s\n  polhode export %s --format csv%s\n"
                    "  polhode resume %s --steps N\n",
                    quoted, leave_to_replace(file, "html"), quoted, quoted, leave_to_replace(file, "csv"), quoted);
    return status;
}

error_t ph_cli_take_run(int key, char *arg, struct argp_state *state, struct ph_cli_run_words *words)
{
    char *end;
    switch (key) {
    case PH_CLI_KEY_QUIET: words->quiet = true; return 0;
    case PH_CLI_KEY_JSON: words->json = true; return 0;
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
    w.printed = w.began;
    const struct ph_watch watch = {.progress = progress, .stop = ph_cli_stop, .data = &w};
    if (!words->quiet)
        print_begin(simulation);
    ph_cli_print_warnings(command, simulation, NULL);
    ph_cli_catch_signals();
    bool stopped;
    struct ph_error err;
    enum ph_status status = ph_simulation_run(simulation, words->overwrite, &watch, &stopped, &err);
    if (w.terminal && !words->quiet)
        fputs("\r\033[K", stderr);
    struct ph_json json = {.out = stdout, .text = !words->json};
    if (status == PH_OK && ph_ranks_is_first())
        status = say_end(&json, simulation, &w, stopped, &err);
    if (status != PH_OK)
        return ph_cli_fail(command, &err);
    return stopped ? PH_CLI_INTERRUPTED : PH_OK;
}
