/* SPDX-License-Identifier: MIT */
#include "cli/watch.h"

#include "analysis/asked.h"
#include "analysis/conservation.h"
#include "base/clock.h"
#include "base/memory.h"
#include "run/stages.h"

#include <math.h>
#include <omp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { INTERRUPTED = 130 };

/* ---- Signals: the first ends the run after the step, the second ends the program ---- */

static volatile sig_atomic_t signalled;

static void on_signal(int number)
{
    signalled = 1;
    signal(number, SIG_DFL);
}

/* What a parent has chosen to ignore (nohup) stays ignored. A limit on the size of files is an error like a full disk.
 */
static void catch_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t k = 0; k < sizeof signals / sizeof *signals; ++k)
        if (signal(signals[k], on_signal) == SIG_IGN)
            signal(signals[k], SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

static bool stop(void *data)
{
    (void)data;
    return signalled != 0;
}

/* ---- Progress ---- */

struct watcher {
    bool terminal, quiet;
    bool density;          /* the box changes */
    double began, printed; /* seconds */
    size_t n_molecules;
    bool has_translation, has_rotation;
};

static void print_duration(FILE *out, double s)
{
    if (s < 99.5)
        fprintf(out, "%.0f s", s);
    else if (s < 99.5 * 60.0)
        fprintf(out, "%.0f min", s / 60.0);
    else
        fprintf(out, "%.1f h", s / 3600.0);
}

/* A line that is too long for the terminal would not be overwritten by the next one. */
static size_t columns(const struct watcher *w)
{
    struct winsize size;
    return w->terminal && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1u : SIZE_MAX;
}

static void print_progress(const struct ph_progress *p, const struct watcher *w)
{
    const double elapsed = ph_clock_wall() - w->began, done = (double)(p->step - p->first_step), speed = done / elapsed;
    char *line = NULL;
    size_t length;
    FILE *out = open_memstream(&line, &length);
    if (!out)
        return;
    fprintf(out, "step %lld of %lld (%.0f %%)", (long long)p->step, (long long)p->end,
            floor(100.0 * (double)p->step / (double)p->end));
    fprintf(out, ", ");
    print_duration(out, (double)(p->end - p->step) / speed);
    fprintf(out, " left, %.3g steps/s, time %.6g, T %.4g", speed, p->time,
            w->has_translation ? p->observables.temperature_translation : p->observables.temperature_rotation);
    if (w->has_translation && w->has_rotation)
        fprintf(out, "/%.4g", p->observables.temperature_rotation);
    if (w->density)
        fprintf(out, ", density %.5g", p->observables.density);
    if (p->stage)
        fprintf(out, ", stage '%s'", p->stage);
    else if (p->heated)
        fprintf(out, ", equilibrating");
    if (isfinite(p->energy_error) && (p->stage || !p->heated))
        fprintf(out, ", energy error %+.1e", p->energy_error);
    fclose(out);
    const size_t most = columns(w);
    if (line && length > most)
        line[most] = '\0';
    if (line)
        fprintf(stderr, w->terminal ? "\r\033[K%s" : "%s\n", line);
    fflush(stderr);
    free(line);
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
        fprintf(stderr, "%d threads\n", omp_get_max_threads());
    } else {
        ph_stage_describe(input, input->n_stages - 1, words);
        fprintf(stderr, "%s, %d threads\n", words, omp_get_max_threads());
    }
    if (step == end)
        fprintf(stderr, "All %lld steps are done; --steps N adds N more.\n", end);
    else if (step > 0)
        fprintf(stderr, "Goes on from step %lld to step %lld.\n", step, end);
}

/* Warnings, printed even with --quiet */
static void print_warnings(const char *command, const struct ph_simulation *simulation)
{
    fputs(ph_simulation_notes(simulation), stderr);
    char advice[PH_ADVICE];
    ph_methods_advice(ph_simulation_methods(simulation), ph_simulation_system(simulation),
                      ph_simulation_interactions(simulation), advice);
    if (advice[0])
        ph_cli_warn(command, "warning: %s", advice);
}

/* What follows a number of the summary */
struct unit_names {
    const char *energy, *rate, *temperature, *pressure;
};

static void print_asked(const struct ph_asked *asked)
{
    const char *label = "asked and obtained";
    for (size_t k = 0; k < asked->n; ++k) {
        char line[PH_ASKED_LINE];
        if (!asked->item[k].shown)
            continue;
        ph_asked_line(&asked->item[k], line);
        printf("%-22s%s\n", label, line);
        label = "";
    }
}

/* What the trajectory says: the numbers are those of 'polhode analyze energy'. */
static enum ph_status print_conservation(const struct ph_simulation *simulation, struct ph_error *err)
{
    static const struct unit_names md = {" kJ/mol", " kJ/mol per ps", " K", " kJ/mol/nm^3"},
                                   reduced = {"", " per unit of time", "", ""};
    struct ph_reader reader;
    struct ph_summary summary;
    struct ph_asked asked = {.n = 0};
    const unsigned long refusals = ph_refusals();
    enum ph_status status = ph_reader_open(ph_simulation_file(simulation), &reader, err);
    if (status == PH_OK)
        status = ph_summary_of(&reader, &summary, err);
    if (status == PH_OK)
        status = ph_asked_read(&reader, NULL, &asked, err);
    ph_reader_close(&reader);
    status = ph_status_since(refusals, status, ph_simulation_file(simulation), err);
    if (status != PH_OK || summary.energy.rows == 0)
        return status;
    const struct ph_conservation *c = &summary.energy;
    const struct ph_system *system = ph_simulation_system(simulation);
    const struct ph_degrees *degrees = ph_simulation_degrees(simulation);
    const bool physical = strcmp(ph_simulation_input(simulation)->units, "md") == 0;
    const struct unit_names *unit = physical ? &md : &reduced;
    const bool total = strcmp(c->name, "total_energy") == 0;
    printf("%s   %.10g%s in the first row of the production%s\n", total ? "energy per molecule" : "conserved energy   ",
           c->first, unit->energy, total ? "" : ", per molecule");
    printf("  its error           %.3e rms about its mean; from the first row %.3e at most, %+.3e at the end (%zu "
           "rows)\n",
           c->rms, c->largest, c->last, c->rows);
    if (c->rows > 2)
        printf("  its drift           %+.2e +- %.1e%s\n", c->line.slope, c->line.slope_error, unit->rate);
    printf("potential energy      %.6g%s per molecule, mean\n", summary.potential, unit->energy);
    if (degrees->translation > 0)
        printf("temperature           %.5g%s of translation, mean\n", summary.temperature_translation,
               unit->temperature);
    if (degrees->rotation > 0)
        printf("%s%.5g%s of rotation, mean\n",
               degrees->translation > 0 ? "                      " : "temperature           ",
               summary.temperature_rotation, unit->temperature);
    if (system->box.kind != PH_BOX_OPEN)
        printf("pressure              %.5g%s, mean\n", summary.pressure, unit->pressure);
    if (system->box.kind != PH_BOX_OPEN && physical)
        printf("                      %.5g bar\n", ph_series_bar * summary.pressure);
    print_asked(&asked);
    return PH_OK;
}

static enum ph_status print_end(const struct ph_simulation *simulation, const struct watcher *w, bool stopped,
                                struct ph_error *err)
{
    const char *file = ph_simulation_file(simulation);
    const double elapsed = ph_clock_wall() - w->began;
    const struct ph_dynamics_counts counts = ph_simulation_counts(simulation);
    const double evaluations = (double)(counts.evaluations + counts.gradients);
    const enum ph_status status = print_conservation(simulation, err);
    if (evaluations > 0.0) {
        printf("speed                 %.3g force evaluations/s, %.3g million molecule evaluations/s, ",
               evaluations / elapsed, 1e-6 * evaluations * (double)w->n_molecules / elapsed);
        print_duration(stdout, elapsed);
        putchar('\n');
    }
    printf("trajectory            %s\n", file);
    printf("checkpoint            %s.checkpoint\n", file);
    if (stopped)
        printf("\nInterrupted; to continue:\n  polhode resume %s\n", file);
    else
        printf("\nNext:\n  polhode report %s\n  polhode info %s\n  polhode export %s --format csv\n"
               "  polhode resume %s --steps N\n",
               file, file, file, file);
    return status;
}

error_t ph_cli_take_run(int key, char *arg, struct argp_state *state, struct ph_cli_run_words *words)
{
    char *end;
    switch (key) {
    case PH_CLI_KEY_QUIET: words->quiet = true; return 0;
    case PH_CLI_KEY_THREADS: {
        const long n = strtol(arg, &end, 10);
        if (end == arg || *end != '\0' || n < 1 || n > 1024)
            argp_error(state, "--threads %s: a number from 1 to 1024 is accepted", arg);
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

int ph_cli_run(const char *command, struct ph_simulation *simulation, const struct ph_cli_run_words *words)
{
    struct watcher w = {
        .terminal = isatty(STDERR_FILENO),
        .quiet = words->quiet,
        .began = ph_clock_wall(),
        .n_molecules = ph_simulation_system(simulation)->n,
        .has_translation = ph_simulation_degrees(simulation)->translation > 0,
        .has_rotation = ph_simulation_degrees(simulation)->rotation > 0,
        .density = has_barostat(ph_simulation_input(simulation)),
    };
    w.printed = w.began;
    const struct ph_watch watch = {.progress = progress, .stop = stop, .data = &w};
    if (!words->quiet)
        print_begin(simulation);
    print_warnings(command, simulation);
    catch_signals();
    bool stopped;
    struct ph_error err;
    enum ph_status status = ph_simulation_run(simulation, words->overwrite, &watch, &stopped, &err);
    if (w.terminal && !words->quiet)
        fputs("\r\033[K", stderr);
    if (status == PH_OK)
        status = print_end(simulation, &w, stopped, &err);
    if (status != PH_OK)
        return ph_cli_fail(command, &err);
    return stopped ? INTERRUPTED : PH_OK;
}
