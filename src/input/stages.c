/* SPDX-License-Identifier: MIT */
#include "input/stages.h"

#include "base/names.h"
#include "base/plain.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool is(const char *a, const char *b) { return strcmp(a, b) == 0; }

bool ph_input_is_extended(const struct ph_input_stage *stage)
{
    return is(stage->thermostat.kind, "nose-poincare") || is(stage->barostat.kind, "andersen");
}

void ph_input_stage_key(const struct ph_input *input, size_t k, const char *part, char key[PH_PATH],
                        char place[PH_PLACE])
{
    const struct ph_input_stage *stage = &input->stages[k];
    int line = stage->line;
    if (strncmp(part, "thermostat", 10) == 0 && stage->thermostat.line != 0)
        line = stage->thermostat.line;
    else if (strncmp(part, "barostat", 8) == 0 && stage->barostat.line != 0)
        line = stage->barostat.line;
    if (input->staged)
        snprintf(key, PH_PATH, "stages[%zu].%s", k, part);
    else
        snprintf(key, PH_PATH, "dynamics.%s%s", k + 1 < input->n_stages ? "equilibrate." : "",
                 part); /* only the last is not the equilibration */
    ph_input_line_place(input, line, place);
}

enum ph_status ph_refuse_stage(const struct ph_input *input, size_t k, const char *part, struct ph_error *err,
                               const char *format, ...)
{
    char key[PH_PATH], place[PH_PLACE], text[PH_ERROR_TEXT / 2];
    va_list arguments;
    va_start(arguments, format);
    ph_vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    ph_input_stage_key(input, k, part, key, place);
    return ph_error_set(err, PH_ERR_INPUT, "%s: %.100s %s", place, key, text);
}

/* ---- Stages of dynamics ---- */

static void copy_methods(const struct ph_input *input, struct ph_input_stage *stage)
{
    stage->line = input->dynamics.line;
    strcpy(stage->scheme, input->dynamics.scheme);
    strcpy(stage->flow, input->dynamics.flow);
    strcpy(stage->integrator, input->dynamics.integrator);
    stage->step = input->dynamics.step;
    stage->frames_every = input->output.frames_every;
    stage->series_every = input->output.series_every;
    stage->fluxes_every = input->output.fluxes_every;
}

static enum ph_status make_stages(struct ph_input *input, struct ph_error *err)
{
    const struct {
        const char *key;
        bool there;
    } needed[] = {{"dynamics.step", !isnan(input->dynamics.step)}, {"dynamics.steps", input->dynamics.steps >= 0}};
    for (size_t k = 0; k < sizeof needed / sizeof *needed; ++k)
        if (!needed[k].there) {
            char place[PH_PLACE], accepted[PH_PATH];
            const struct ph_key *key = &ph_input_schema.key[ph_schema_index(&ph_input_schema, needed[k].key)];
            ph_input_line_place(input, input->dynamics.line, place);
            ph_schema_accepted(key, accepted);
            return ph_error_set(err, PH_ERR_INPUT, "%s: the key '%s' is missing (%s). Accepted: %s.", place,
                                needed[k].key, key->help, accepted);
        }
    struct ph_input_stage *stage = input->stages;
    if (input->dynamics.equilibrate.steps > 0 && !(input->dynamics.equilibrate.temperature > 0.0)) {
        char place[PH_PLACE];
        ph_input_line_place(input, input->dynamics.equilibrate_line, place);
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s: dynamics.equilibrate needs a temperature: give dynamics.equilibrate.temperature, or "
                            "system.start.temperature.",
                            place);
    }
    if (input->dynamics.equilibrate.steps > 0) {
        *stage = (struct ph_input_stage){.name = "equilibration"};
        copy_methods(input, stage);
        stage->line = input->dynamics.equilibrate_line;
        stage->steps = input->dynamics.equilibrate.steps;
        stage->land =
            input->dynamics.equilibrate.land && !input->dynamics.thermostat.line && !input->dynamics.barostat.line;
        stage->thermostat = (struct ph_input_bath){
            .line = input->dynamics.equilibrate_line,
            .kind = "velocity-rescaling",
            .temperature = input->dynamics.equilibrate.temperature,
            .friction = NAN,
            .rotation_friction = NAN,
            .relaxation_time = input->dynamics.equilibrate.relaxation_time,
            .chain = PH_ABSENT,
            .substeps = PH_ABSENT,
            .seed = input->dynamics.equilibrate.seed,
        };
        ++stage;
    }
    *stage = (struct ph_input_stage){.name = "production"};
    copy_methods(input, stage);
    stage->steps = input->dynamics.steps;
    stage->thermostat = input->dynamics.thermostat;
    stage->barostat = input->dynamics.barostat;
    input->n_stages = (size_t)(stage - input->stages) + 1;
    return PH_OK;
}

/* ---- Stages of the input ---- */

/* Refuses keys of dynamics that do not go with stages: each stage says this for itself */
static enum ph_status check_alone(const struct ph_input *input, struct ph_error *err)
{
    static const char *const others[] = {"dynamics.steps", "dynamics.equilibrate", "dynamics.thermostat",
                                         "dynamics.barostat"};
    for (size_t k = 0; k < sizeof others / sizeof *others; ++k)
        if (ph_input_given(input, others[k])) {
            char place[PH_PLACE];
            ph_input_place(input, others[k], place);
            return ph_error_set(err, PH_ERR_INPUT,
                                "%s: %s does not go with stages, each of which says this for itself.", place,
                                others[k]);
        }
    return PH_OK;
}

static enum ph_status check_name(const struct ph_input *input, size_t k, struct ph_error *err)
{
    const char *name = input->stages[k].name;
    if (name[0] == '\0' || name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")])
        return ph_refuse_stage(input, k, "name", err, "must be letters, digits, - and _.");
    if (is(name, "all"))
        return ph_refuse_stage(input, k, "name", err, "is 'all', which analyses take for all stages.");
    for (size_t j = 0; j < k; ++j)
        if (is(name, input->stages[j].name))
            return ph_refuse_stage(input, k, "name", err, "is that of a stage before: each needs its own.");
    return PH_OK;
}

static enum ph_status complete(struct ph_input *input, size_t k, struct ph_error *err)
{
    struct ph_input_stage *stage = &input->stages[k];
    const bool integrator = stage->integrator[0] != '\0', scheme = stage->scheme[0] || stage->flow[0];
    if (integrator && scheme)
        return ph_refuse_stage(input, k, "integrator", err, "does not go with a scheme or a flow.");
    if (!integrator && !scheme)
        strcpy(stage->integrator, input->dynamics.integrator);
    if (!stage->scheme[0] && !stage->integrator[0])
        strcpy(stage->scheme, input->dynamics.scheme);
    if (!stage->flow[0])
        strcpy(stage->flow, input->dynamics.flow);
    if (isnan(stage->step))
        stage->step = input->dynamics.step;
    if (isnan(stage->step))
        return ph_refuse_stage(input, k, "step", err, "is missing (length of one time step), and so is dynamics.step.");
    if (stage->frames_every == PH_ABSENT)
        stage->frames_every = input->output.frames_every;
    if (stage->series_every == PH_ABSENT)
        stage->series_every = input->output.series_every;
    if (stage->fluxes_every == PH_ABSENT)
        stage->fluxes_every = input->output.fluxes_every;
    return check_name(input, k, err);
}

/* Copies the settings of the last stage, the production, into input->dynamics. */
static void show_last(struct ph_input *input)
{
    const struct ph_input_stage *last = &input->stages[input->n_stages - 1];
    if (input->dynamics.line == 0)
        input->dynamics.line = last->line;
    strcpy(input->dynamics.scheme, last->scheme);
    strcpy(input->dynamics.flow, last->flow);
    strcpy(input->dynamics.integrator, last->integrator);
    input->dynamics.step = last->step;
    input->dynamics.steps = last->steps;
}

/* ---- Thermostat and barostat ---- */

/* A key that one kind or another has */
struct part {
    const char *name, *kinds;
    bool given;
};

static enum ph_status check_parts(const struct ph_input *input, size_t k, const char *kind, size_t n,
                                  const struct part *parts, struct ph_error *err)
{
    for (size_t p = 0; p < n; ++p)
        if (parts[p].given && !ph_name_among(kind, parts[p].kinds)) {
            char text[PH_PATH];
            snprintf(text, sizeof text, "does not go with kind: %s. It is for %s.", kind, parts[p].kinds);
            return ph_refuse_stage(input, k, parts[p].name, err, "%s", text);
        }
    return PH_OK;
}

static enum ph_status finish_bath(struct ph_input *input, size_t k, double *temperature, struct ph_error *err)
{
    struct ph_input_stage *stage = &input->stages[k];
    struct ph_input_bath *bath = &stage->thermostat;
    const bool substeps_given = bath->kind[0] && bath->substeps != PH_ABSENT;
    if (!substeps_given)
        bath->substeps = 1;
    if (!bath->kind[0]) {
        if (stage->land)
            return ph_refuse_stage(input, k, "land", err,
                                   "needs a thermostat in this stage, whose temperature is meant.");
        return PH_OK;
    }
    const char *noisy = "langevin|langevin-middle|metropolis";
    const char *followers = "velocity-rescaling|nose-hoover|nose-poincare";
    const struct part parts[] = {
        {"thermostat.friction", noisy, !isnan(bath->friction)},
        {"thermostat.rotation_friction", noisy, !isnan(bath->rotation_friction)},
        {"thermostat.relaxation_time", followers, !isnan(bath->relaxation_time)},
        {"thermostat.chain", "nose-hoover", bath->chain != PH_ABSENT},
        {"thermostat.substeps", "metropolis", substeps_given},
        {"thermostat.shadow", "metropolis", bath->shadow},
    };
    const enum ph_status status = check_parts(input, k, bath->kind, sizeof parts / sizeof *parts, parts, err);
    if (status != PH_OK)
        return status;
    if (isnan(bath->temperature))
        bath->temperature = *temperature;
    if (!(bath->temperature > 0.0))
        return ph_refuse_stage(input, k, "thermostat.temperature", err,
                               "is missing, and so is system.start.temperature.");
    *temperature = bath->temperature;
    if (isnan(bath->friction))
        bath->friction = 0.01 / stage->step;
    if (isnan(bath->rotation_friction))
        bath->rotation_friction = bath->friction;
    if (isnan(bath->relaxation_time))
        bath->relaxation_time = 50.0 * stage->step;
    if (!(bath->relaxation_time > 0.0) && strncmp(bath->kind, "nose", 4) == 0)
        return ph_refuse_stage(input, k, "thermostat.relaxation_time", err, "is 0: this thermostat needs one above 0.");
    if (bath->relaxation_time < stage->step && strcmp(bath->kind, "nose-hoover") == 0)
        return ph_refuse_stage(
            input, k, "thermostat.relaxation_time", err,
            "is %g, shorter than the step of %g: nose-hoover accepts times from one step upwards; "
            "50 steps are usual.", /* chains take 50 substeps in this time, as many as they have to */
            bath->relaxation_time, stage->step);
    if (bath->chain == PH_ABSENT)
        bath->chain = 3;
    if (bath->shadow)
        input->output.shadow_energy = true; /* the weights of rows */
    return PH_OK;
}

static enum ph_status finish_cell(struct ph_input *input, size_t k, struct ph_error *err)
{
    struct ph_input_stage *stage = &input->stages[k];
    struct ph_input_cell *cell = &stage->barostat;
    if (!cell->kind[0])
        return PH_OK;
    const double per_bar = 0.0602214076; /* kJ/mol/nm^3 */
    const char *pressed = "cell-rescaling|andersen";
    const struct part parts[] = {
        {"barostat.pressure", pressed, !isnan(cell->pressure)},
        {"barostat.pressure_bar", pressed, !isnan(cell->pressure_bar)},
        {"barostat.relaxation_time", pressed, !isnan(cell->relaxation_time)},
        {"barostat.shape", "cell-rescaling", !is(cell->shape, "isotropic")},
        {"barostat.compressibility", pressed, !isnan(cell->compressibility)},
        {"barostat.every", "cell-rescaling|ramp", cell->every != PH_ABSENT},
        {"barostat.density", "ramp", !isnan(cell->density)},
    };
    const enum ph_status status = check_parts(input, k, cell->kind, sizeof parts / sizeof *parts, parts, err);
    if (status != PH_OK)
        return status;
    if (is(input->system.box.kind, "open"))
        return ph_refuse_stage(input, k, "barostat", err,
                               "does not go with system.box.kind: open, which has no volume.");
    if (!isnan(cell->pressure) && !isnan(cell->pressure_bar))
        return ph_refuse_stage(input, k, "barostat.pressure_bar", err, "does not go with pressure: give one of them.");
    if (!isnan(cell->pressure_bar)) {
        if (!is(input->units, "md"))
            return ph_refuse_stage(input, k, "barostat.pressure_bar", err,
                                   "does not go with units: reduced. Give pressure.");
        cell->pressure = per_bar * cell->pressure_bar;
    }
    if (isnan(cell->pressure) && ph_name_among(cell->kind, pressed))
        return ph_refuse_stage(input, k, "barostat.pressure", err, "is missing (or pressure_bar, in md units).");
    if (isnan(cell->density) && is(cell->kind, "ramp"))
        return ph_refuse_stage(input, k, "barostat.density", err, "is missing: where the ramp leads to.");
    if (isnan(cell->relaxation_time))
        cell->relaxation_time = 500.0 * stage->step;
    if (cell->every == PH_ABSENT)
        cell->every = is(cell->kind, "ramp") && stage->steps > 0 && stage->steps < 10 ? stage->steps : 10;
    if (is(cell->kind, "ramp") && stage->steps > 0 && cell->every > stage->steps)
        return ph_refuse_stage(input, k, "barostat.every", err,
                               "is more than the steps of the stage: the ramp would not begin.");
    return PH_OK;
}

/* Kinds that need one another, or do not go together */
static enum ph_status check_pair(const struct ph_input *input, size_t k, struct ph_error *err)
{
    const struct ph_input_stage *stage = &input->stages[k];
    const char *bath = stage->thermostat.kind, *cell = stage->barostat.kind;
    const bool extended = ph_input_is_extended(stage);
    if (is(cell, "cell-rescaling") && !bath[0])
        return ph_refuse_stage(input, k, "barostat.kind", err,
                               "is cell-rescaling, which needs a thermostat: it is random itself.");
    if (is(cell, "andersen") && bath[0] && !is(bath, "nose-poincare"))
        return ph_refuse_stage(
            input, k, "barostat.kind", err,
            "is andersen, which goes with thermostat.kind: nose-poincare (constant temperature and pressure), "
            "or without any (constant enthalpy).");
    if (is(bath, "nose-poincare") && cell[0] && !is(cell, "andersen"))
        return ph_refuse_stage(input, k, "thermostat.kind", err,
                               "is nose-poincare, which goes with barostat.kind: andersen alone.");
    if (stage->integrator[0] && (bath[0] || cell[0]) && !is(bath, "velocity-rescaling"))
        return ph_refuse_stage(input, k, "thermostat.kind", err,
                               "needs a scheme: with an integrator only velocity-rescaling goes, and no barostat.");
    if (stage->integrator[0] && cell[0])
        return ph_refuse_stage(input, k, "barostat.kind", err, "needs a scheme, not an integrator.");
    if (stage->land && (extended || cell[0]))
        return ph_refuse_stage(input, k, "land", err, "is for stages at constant volume, and not for nose-poincare.");
    if (stage->land && k + 1 == input->n_stages)
        return ph_refuse_stage(input, k, "land", err,
                               "is for stages before others: it prepares the one that comes next.");
    if (input->interactions.pinned && (cell[0] || extended))
        return ph_refuse_stage(input, k, cell[0] ? "barostat" : "thermostat.kind", err,
                               "does not go with interactions.external.pinned: centres could not move with the box.");
    return PH_OK;
}

enum ph_status ph_input_finish_stages(struct ph_input *input, struct ph_error *err)
{
    input->staged = input->n_stages > 0;
    if (!input->staged && input->dynamics.line == 0)
        return PH_OK; /* nothing moves */
    enum ph_status status = input->staged ? check_alone(input, err) : make_stages(input, err);
    for (size_t k = 0; k < input->n_stages && status == PH_OK && input->staged; ++k)
        status = complete(input, k, err);
    double temperature = input->system.start.temperature;
    for (size_t k = 0; k < input->n_stages && status == PH_OK; ++k) {
        status = finish_bath(input, k, &temperature, err);
        if (status == PH_OK)
            status = finish_cell(input, k, err);
        if (status == PH_OK)
            status = check_pair(input, k, err);
    }
    if (status == PH_OK)
        show_last(input);
    return status;
}
