/* SPDX-License-Identifier: MIT */
#include "run/tune/tune_start.h"

#include "base/plain.h"
#include "model/start.h"
#include "run/build/build.h"
#include "run/build/overlap.h"
#include "run/minimise.h"
#include "run/observables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* In time scales of the system: the most relaxation, between kept states, and a pilot run */
static const double relax_scales = 200.0, between_scales = 30.0, run_scales = 240.0;

/* Together the states have about a thousand molecules at least: fewer are not representative. */
static size_t states_wanted(size_t n)
{
    if (n >= 2000)
        return 1;
    const size_t wanted = (999 + n) / n;
    return wanted < 2 ? 2 : wanted > 8 ? 8 : wanted;
}

void ph_tune_start_clear(struct ph_tune_start *start)
{
    ph_pilot_destroy(start->pilot);
    ph_interactions_free(&start->interactions);
    ph_system_destroy(start->system);
    *start = (struct ph_tune_start){.system = NULL};
}

/* And says where molecules overlap all the same */
static enum ph_status minimise(const struct ph_input *input, struct ph_tune_start *start, struct ph_overlap *overlap,
                               struct ph_build_notes *notes, struct ph_error *err)
{
    struct ph_force_field *field;
    enum ph_status status = ph_force_field_create(start->system, &start->interactions, &field, err);
    if (status == PH_OK)
        status = ph_minimise_start(input, start->system, field, notes, err);
    ph_force_field_destroy(field);
    if (status == PH_OK)
        status = ph_overlap_find(start->system, &start->interactions, overlap, err);
    if (status == PH_OK)
        ph_overlap_note(overlap, notes);
    return status;
}

/* The last stage with a thermostat; NULL without any */
static const struct ph_input_stage *heated_stage(const struct ph_input *input)
{
    for (size_t k = input->n_stages; k-- > 0;)
        if (input->stages[k].thermostat.kind[0])
            return &input->stages[k];
    return NULL;
}

/* With a thermostat, as `polhode run` would, but not for longer than the pilot runs need. With several stages, the last
 * thermostat sets the temperature. Boxes do not change. */
static enum ph_status equilibrate(const struct ph_input *input, const struct ph_input_stage *stage,
                                  struct ph_tune_start *start, struct ph_tune_report *report, struct ph_error *err)
{
    const double asked = (double)stage->steps * stage->step, kelvin = stage->thermostat.temperature;
    const struct ph_degrees degrees = ph_degrees_count(start->system, &start->interactions);
    const struct ph_thermostat bath = {
        .kT = ph_units_find(input->units)->boltzmann * kelvin,
        .relaxation_time = stage->thermostat.relaxation_time,
        .translation = degrees.translation,
        .rotation = degrees.rotation,
        .seed = (uint64_t)stage->thermostat.seed,
    };
    if (!(ph_system_kinetic_translation(start->system) + ph_system_kinetic_rotation(start->system) > 0.0))
        ph_start_move(bath.kT, true, start->interactions.pinned, (uint64_t)input->system.start.seed, start->system);
    double relaxed;
    const enum ph_status status = ph_pilot_relax(start->pilot, relax_scales, asked, &bath, &relaxed, err);
    ph_snprintf(report->preparation, sizeof report->preparation,
                "Equilibrated with a thermostat of temperature %g for a time of %.4g%s.", kelvin, relaxed,
                relaxed < 0.999 * asked ? " (less than the input asks for: enough for pilot runs)" : "");
    return status;
}

static enum ph_status relax(const struct ph_input *input, struct ph_tune_start *start, struct ph_tune_report *report,
                            struct ph_error *err)
{
    if (heated_stage(input))
        return equilibrate(input, heated_stage(input), start, report, err);
    if (strcmp(input->system.start.kind, "file") == 0) {
        snprintf(report->preparation, sizeof report->preparation, "Begins with the state of the start file.");
        return PH_OK;
    }
    double relaxed;
    const enum ph_status status = ph_pilot_relax(start->pilot, relax_scales, INFINITY, NULL, &relaxed, err);
    if (relaxed > 0.0)
        ph_snprintf(report->preparation, sizeof report->preparation,
                    "Moved for a time of %.4g at constant energy, as in a run without equilibration.", relaxed);
    else
        snprintf(report->preparation, sizeof report->preparation, "Begins with the start of the input.");
    return status;
}

static void describe_state(const struct ph_input *input, struct ph_tune_start *start, struct ph_tune_report *report)
{
    const struct ph_system *system = start->system;
    const struct ph_degrees degrees = ph_degrees_count(system, &start->interactions);
    const double translation = ph_system_kinetic_translation(system), rotation = ph_system_kinetic_rotation(system);
    const double boltzmann = ph_units_find(input->units)->boltzmann;
    start->kinetic = (translation + rotation) / (double)system->n;
    report->temperature_translation =
        degrees.translation > 0 ? 2.0 * translation / ((double)degrees.translation * boltzmann) : NAN;
    report->temperature_rotation = degrees.rotation > 0 ? 2.0 * rotation / ((double)degrees.rotation * boltzmann) : NAN;
}

/* Where nothing moves, or no force acts, the state has no time scale: it is then taken from the input's step. */
static enum ph_status find_scale(const struct ph_input *input, struct ph_tune_start *start,
                                 struct ph_tune_report *report, struct ph_error *err)
{
    const enum ph_status status = ph_pilot_time_scale(start->pilot, &report->scale, err);
    if (status != PH_OK || (report->scale > 0.0 && isfinite(report->scale)))
        return status;
    report->scale = 10.0 * input->dynamics.step;
    return input->dynamics.line > 0 ? PH_OK
                                    : ph_error_set(err, PH_ERR_INPUT,
                                                   "%s: the start has no time scale: nothing moves, or no force acts. "
                                                   "Give a temperature, or a dynamics.step to begin with.",
                                                   input->file);
}

/* For nested schemes, also where the input does not ask for any: near pairs, if they are few of all. Without a cutoff
 * systems are small, or all pairs are cheap. */
static bool allow_nesting(const struct ph_system *system, struct ph_interactions *interactions)
{
    const double radius = ph_build_near_radius(system->n_species, system->species), few = 0.7; /* of the cutoff */
    if (interactions->fast.kind == PH_FAST_NONE && interactions->truncation != PH_TRUNCATE_NONE && radius > 0.0 &&
        radius < few * interactions->cutoff) {
        interactions->fast = (struct ph_fast_part){PH_FAST_NEAR, radius, 0.5 * radius};
        return true;
    }
    return false;
}

enum ph_status ph_tune_prepare(const struct ph_input *input, const struct ph_tune_options *options,
                               struct ph_tune_start *start, struct ph_tune_report *report, struct ph_error *err)
{
    *start = (struct ph_tune_start){.system = NULL};
    enum ph_status status = ph_build_system(input, &start->system, &start->interactions, &report->notes, err);
    if (status != PH_OK)
        return status;
    struct ph_error inner = {.text = ""};
    const bool compensated = input->dynamics.line == 0 || input->dynamics.integrator[0] || input->dynamics.compensated;
    struct ph_overlap overlap = {.pairs = 0};
    status = minimise(input, start, &overlap, &report->notes, &inner);
    const bool allowed = status == PH_OK && allow_nesting(start->system, &start->interactions);
    if (status == PH_OK)
        status = ph_pilot_create(start->system, &start->interactions, compensated, &start->pilot, &inner);
    if (status == PH_ERR_INPUT && allowed) { /* a pair may reach further than the fast part */
        start->interactions.fast.kind = PH_FAST_NONE;
        status = ph_pilot_create(start->system, &start->interactions, compensated, &start->pilot, &inner);
    }
    if (status == PH_OK)
        status = relax(input, start, report, &inner);
    if (status == PH_OK)
        status = find_scale(input, start, report, &inner);
    ph_overlap_blame(&overlap, &inner);
    if (status != PH_OK)
        return ph_error_set(err, status, "%s%s%.800s", status == PH_ERR_INPUT ? "" : input->file,
                            status == PH_ERR_INPUT ? "" : ": ", inner.text);
    describe_state(input, start, report);
    report->molecules = start->system->n;
    report->production = input->dynamics.line > 0 ? (double)input->dynamics.steps * input->dynamics.step : NAN;
    report->time = options->time > 0.0 ? options->time : run_scales * report->scale;
    for (size_t k = 0; k < states_wanted(start->system->n) && status == PH_OK; ++k) {
        double relaxed = 1.0;
        if (k > 0)
            status = ph_pilot_relax(start->pilot, between_scales, INFINITY, NULL, &relaxed, err);
        if (!(relaxed > 0.0))
            break; /* nothing moves yet: there is but one state */
        if (status == PH_OK)
            status = ph_pilot_keep(start->pilot, err);
    }
    report->states = ph_pilot_states(start->pilot);
    return status;
}
