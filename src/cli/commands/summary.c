/* SPDX-License-Identifier: MIT */
/* The summary at the end of a run. */
#include "cli/commands/watch.h"
#include "cli/terminal/progress.h"

#include "accel/engine/engine.h"
#include "base/clock.h"
#include "base/memory.h"
#include "parallel/ranks.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
static enum ph_status say_end(struct ph_json *json, const struct ph_simulation *simulation, int64_t first_step,
                              double began, const char *stopped, struct ph_error *err)
{
    const struct ph_input *input = ph_simulation_input(simulation);
    const char *file = ph_simulation_file(simulation);
    char checkpoint[PH_PATH + 16];
    snprintf(checkpoint, sizeof checkpoint, "%s.checkpoint", file);
    ph_json_begin_object(json, NULL);
    ph_json_strings(json, "state", stopped ? "interrupted" : "finished", "title", input->title, "units", input->units);
    ph_json_integer(json, "molecules", (long)ph_simulation_system(simulation)->n);
    ph_json_integer(json, "first_step", (long)first_step);
    ph_json_integer(json, "last_step", (long)ph_simulation_step(simulation));
    ph_json_integer(json, "planned_steps", (long)ph_simulation_end(simulation));
    ph_json_number(json, "time", ph_simulation_time(simulation));
    struct ph_findings findings;
    const struct ph_run_course course = {ph_simulation_step(simulation), ph_simulation_end(simulation), false};
    const enum ph_status status = ph_cli_read_findings(file, &course, &findings, err);
    if (status == PH_OK)
        ph_cli_say_findings(json, &findings, strcmp(input->units, "md") == 0);
    say_speed(json, simulation, ph_clock_wall() - began);
    say_transfers(json, simulation, ph_clock_wall() - began);
    ph_json_strings(json, "file", file, "checkpoint", checkpoint);
    ph_json_end(json);
    ph_json_say(json, "trajectory            %s\n", file);
    ph_json_say(json, "checkpoint            %s\n", checkpoint);
    char quoted[PH_CLI_QUOTED(PH_PATH)];
    ph_cli_quoted(file, sizeof quoted, quoted);
    if (stopped)
        ph_json_say(json, "\n%s; to continue:\n  polhode resume %s\n", stopped, quoted);
    else
        ph_json_say(json,
                    "\nNext:\n  polhode report %s%s\n  polhode info %s\n  polhode export %s --format csv%s\n"
                    "  polhode resume %s --steps N\n",
                    quoted, leave_to_replace(file, "html"), quoted, quoted, leave_to_replace(file, "csv"), quoted);
    return status;
}

enum ph_status ph_cli_print_summary(const struct ph_simulation *simulation, int64_t first_step, double began,
                                    bool as_json, const char *stopped, struct ph_error *err)
{
    char *text = NULL;
    size_t length;
    FILE *copy = ph_cli_log() ? open_memstream(&text, &length) : NULL;
    struct ph_json json = {.out = copy ? copy : stdout, .text = !as_json};
    const enum ph_status status = say_end(&json, simulation, first_step, began, stopped, err);
    if (copy && fclose(copy) == 0) {
        fputs(text, stdout);
        ph_cli_log_text(text);
    }
    free(text);
    return status;
}
