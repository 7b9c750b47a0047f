/* SPDX-License-Identifier: MIT */
#include "run/simulation/stages.h"

#include "base/plain.h"
#include "dynamics/baths/metropolis.h"
#include "dynamics/schemes/composition.h"
#include "dynamics/schemes/shadow.h"
#include "input/stages.h"
#include "run/simulation/device_needs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int64_t ph_stage_first(const struct ph_input *input, size_t k)
{
    int64_t first = 0;
    for (size_t j = 0; j < k; ++j)
        first += input->stages[j].steps;
    return first;
}

/* Returns the time after which stage k begins. */
static double first_time(const struct ph_input *input, size_t k)
{
    double time = 0.0;
    for (size_t j = 0; j < k; ++j)
        time += (double)input->stages[j].steps * input->stages[j].step;
    return time;
}

size_t ph_stage_after(const struct ph_input *input, int64_t step)
{
    size_t k = 0;
    while (k + 1 < input->n_stages && ph_stage_first(input, k + 1) <= step)
        ++k;
    return k;
}

/* ---- Words ---- */

static bool presses(const struct ph_input_stage *stage)
{
    return stage->barostat.kind[0] && strcmp(stage->barostat.kind, "ramp") != 0;
}

const char *ph_stage_ensemble(const struct ph_input_stage *stage)
{
    if (presses(stage))
        return stage->thermostat.kind[0] ? "NPT" : "NPH";
    return stage->thermostat.kind[0] ? "NVT" : "NVE";
}

double ph_stage_asked_temperature(const struct ph_input *input, size_t k)
{
    const struct ph_input_stage *stage = &input->stages[k];
    if (!stage->thermostat.kind[0] && k > 0)
        --stage;
    return stage->thermostat.kind[0] ? stage->thermostat.temperature : NAN;
}

double ph_stage_asked_pressure(const struct ph_input *input, size_t k)
{
    return presses(&input->stages[k]) ? input->stages[k].barostat.pressure : NAN;
}

void ph_stage_describe(const struct ph_input *input, size_t k, char words[PH_STAGE_WORDS])
{
    const struct ph_input_stage *stage = &input->stages[k];
    struct ph_methods methods;
    char method[PH_METHOD_WORDS] = "";
    if (ph_methods_find_stage(input, k, &methods, NULL) == PH_OK)
        ph_methods_describe(&methods, false, method);
    const bool physical = strcmp(input->units, "md") == 0;
    const double bar = physical ? 16.6053906717384685 : 1.0; /* in a kJ/mol/nm^3 */
    size_t used = (size_t)snprintf(words, PH_STAGE_WORDS, "%s", ph_stage_ensemble(stage));
    if (stage->thermostat.kind[0])
        used += (size_t)ph_snprintf(words + used, PH_STAGE_WORDS - used, ", %s at temperature %g%s",
                                    stage->thermostat.kind, stage->thermostat.temperature, physical ? " K" : "");
    char substeps[64] = "";
    if (stage->thermostat.substeps > 1)
        snprintf(substeps, sizeof substeps, " in %lld steps of the scheme", (long long)stage->thermostat.substeps);
    if (presses(stage))
        used +=
            (size_t)ph_snprintf(words + used, PH_STAGE_WORDS - used, ", %s (%s) at pressure %g%s", stage->barostat.kind,
                                stage->barostat.shape, bar * stage->barostat.pressure, physical ? " bar" : "");
    else if (stage->barostat.kind[0])
        used += (size_t)ph_snprintf(words + used, PH_STAGE_WORDS - used, ", %s to density %g%s", stage->barostat.kind,
                                    stage->barostat.density, physical ? " per nm^3" : "");
    ph_snprintf(words + used, PH_STAGE_WORDS - used, ", %s, step %g%s%s", method, stage->step, physical ? " ps" : "",
                substeps);
}

/* ---- Options of movers ---- */

static struct ph_bath_options bath_options(const struct ph_input_bath *bath, double boltzmann,
                                           const struct ph_degrees *degrees)
{
    return (struct ph_bath_options){
        .kind = ph_bath_find(bath->kind),
        .kT = boltzmann * bath->temperature,
        .friction = {bath->friction, bath->rotation_friction},
        .relaxation_time = bath->relaxation_time,
        .chain = (int)bath->chain,
        .translation = degrees->translation,
        .rotation = degrees->rotation,
        .seed = (uint64_t)bath->seed,
        .substeps = (int)bath->substeps,
        .shadow = bath->shadow,
    };
}

static enum ph_cell_shape shape_of(const struct ph_input_cell *cell)
{
    if (strcmp(cell->shape, "full") == 0)
        return PH_CELL_FULL;
    return strcmp(cell->shape, "edges") == 0 ? PH_CELL_EDGES : PH_CELL_ISOTROPIC;
}

static struct ph_cell_options cell_options(const struct ph_input *input, size_t k, double boltzmann,
                                           const struct ph_degrees *degrees, const struct ph_system *system)
{
    const struct ph_input_stage *stage = &input->stages[k];
    const struct ph_input_cell *cell = &stage->barostat;
    const double kT = boltzmann * stage->thermostat.temperature;
    return (struct ph_cell_options){
        .kind = ph_cell_find(cell->kind),
        .kT = kT,
        .pressure = cell->pressure,
        .centres = (double)degrees->translation / 3.0,
        .relaxation_time = cell->relaxation_time,
        .compressibility = isnan(cell->compressibility) ? 0.0 : cell->compressibility,
        .shape = shape_of(cell),
        .every = cell->every,
        .volume = (double)system->n / cell->density,
        .first_step = ph_stage_first(input, k),
        .steps = stage->steps,
        .seed = (uint64_t)cell->seed,
    };
}

/* Returns the options of an extended Hamiltonian. Without a compressibility it uses an estimate for a liquid at the
 * temperature of the thermostat. At constant enthalpy it returns 0, and the estimate uses the temperature at the start
 * of the stage; masses follow from it. */
static struct ph_extended_options extended_options(const struct ph_input_stage *stage, double boltzmann,
                                                   const struct ph_degrees *degrees, const struct ph_system *system,
                                                   const struct ph_methods *methods)
{
    if (!ph_input_is_extended(stage))
        return (struct ph_extended_options){.composition = NULL};
    const bool thermostat = stage->thermostat.kind[0] != '\0', cell = stage->barostat.kind[0] != '\0';
    const double kT = thermostat ? boltzmann * stage->thermostat.temperature : INFINITY;
    return (struct ph_extended_options){
        .composition = methods->scheme,
        .thermostat = thermostat,
        .cell = cell,
        .kT = kT,
        .degrees = degrees->translation + degrees->rotation,
        .thermostat_time = stage->thermostat.relaxation_time,
        .pressure = stage->barostat.pressure,
        .cell_time = stage->barostat.relaxation_time,
        .compressibility = stage->barostat.compressibility > 0.0
                               ? stage->barostat.compressibility
                               : PH_CELL_LIQUID * system->box.volume / ((double)system->n * kT),
    };
}

struct ph_degrees ph_stage_degrees(const struct ph_input *input, size_t k, const struct ph_system *system,
                                   const struct ph_interactions *interactions)
{
    struct ph_degrees degrees = ph_degrees_count(system, interactions);
    const struct ph_input_bath *bath = &input->stages[k].thermostat;
    const struct ph_bath_kind *kind = ph_bath_find(bath->kind);
    if (kind && !kind->keeps_momentum && bath->friction > 0.0 && ph_momentum_conserved(system, interactions))
        degrees.translation = 3 * system->n;
    return degrees;
}

enum ph_status ph_stage_options(const struct ph_input *input, size_t k, const struct ph_system *system,
                                const struct ph_interactions *interactions, struct ph_mover_options *options,
                                struct ph_error *err)
{
    const struct ph_input_stage *stage = &input->stages[k];
    const double boltzmann = ph_units_find(input->units)->boltzmann;
    const struct ph_degrees degrees = ph_stage_degrees(input, k, system, interactions);
    struct ph_methods methods;
    const enum ph_status status = ph_methods_find_stage(input, k, &methods, err);
    if (status != PH_OK)
        return status;
    *options = (struct ph_mover_options){
        .integrator = methods.integrator,
        .dynamics = {.scheme = methods.scheme,
                     .flow = methods.flow,
                     .step = stage->step / (double)stage->thermostat.substeps,
                     .compensated = input->dynamics.compensated && !methods.integrator,
                     .pinned = interactions->pinned,
                     .inner = methods.inner,
                     .substeps = methods.substeps},
        .bath = bath_options(&stage->thermostat, boltzmann, &degrees),
        .cell = cell_options(input, k, boltzmann, &degrees, system),
        .extended = extended_options(stage, boltzmann, &degrees, system, &methods),
        .first_step = ph_stage_first(input, k),
        .first_time = first_time(input, k),
    };
    /* Refuses a start at rest if the input says so; other cases fail when the stage begins. */
    if (options->extended.cell && !(options->extended.compressibility > 0.0) && k == 0 &&
        ph_input_given(input, "system.start.temperature") && input->system.start.temperature == 0.0)
        return ph_refuse_stage(
            input, k, "barostat.compressibility", err,
            "is missing, and nothing moves that would have a temperature from which to estimate it.");
    return PH_OK;
}

/* ---- Compatible choices ---- */

static enum ph_status check_shadow(const struct ph_input *input, size_t k, const struct ph_methods *methods,
                                   struct ph_error *err)
{
    if (!input->output.shadow_energy ||
        (methods->scheme && !methods->inner && ph_shadow_known(methods->scheme, methods->flow)))
        return PH_OK;
    char place[PH_PLACE];
    ph_input_place(input, "output.shadow_energy", place);
    if (methods->inner)
        return ph_error_set(err, PH_ERR_INPUT, "%s: output.shadow_energy does not go with dynamics.nested.", place);
    return ph_error_set(err, PH_ERR_INPUT,
                        "%s: output.shadow_energy is known for schemes of order 2 with the flow 'exact'; %s has "
                        "'%s' of order %d with '%s'.",
                        place, input->staged ? input->stages[k].name : "this run",
                        methods->scheme ? methods->scheme->name : "a method",
                        methods->scheme ? methods->scheme->order : 0, methods->flow ? methods->flow->name : "none");
}

/* Checks the scheme of an extended Hamiltonian. It has more than two parts, so it needs schemes for arbitrary symmetric
 * steps. */
static enum ph_status check_composition(const struct ph_input *input, size_t k, const struct ph_methods *methods,
                                        struct ph_error *err)
{
    if (!ph_input_is_extended(&input->stages[k]) || (methods->scheme && ph_is_composition(methods->scheme)))
        return PH_OK;
    char names[PH_ERROR_TEXT / 4] = "";
    for (size_t n = 0; n < ph_scheme_count(); ++n) {
        const size_t used = strlen(names);
        if (ph_is_composition(ph_scheme_at(n)))
            snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? ", " : "", ph_scheme_at(n)->name);
    }
    return ph_refuse_stage(
        input, k, "scheme", err,
        "is '%s': nose-poincare and andersen need one that composes arbitrary symmetric steps. Accepted: %s.",
        methods->scheme ? methods->scheme->name : methods->integrator->name, names);
}

/* Checks nested schemes, whose flows are drifts and kicks. Methods that take whole symmetric steps work with them. */
static enum ph_status check_nested(const struct ph_input *input, size_t k, const struct ph_methods *methods,
                                   struct ph_error *err)
{
    const char *objection = NULL, *what = "";
    if (input->dynamics.nested.line == 0)
        return PH_OK;
    if (methods->integrator) {
        objection = "is no splitting scheme";
        what = methods->integrator->name;
    } else if (ph_input_is_extended(&input->stages[k])) {
        objection = "is an extended Hamiltonian, which has more parts than two";
        what = input->stages[k].thermostat.kind[0] ? input->stages[k].thermostat.kind : input->stages[k].barostat.kind;
    } else if (!ph_scheme_is_plain(methods->scheme) || !ph_scheme_is_plain(methods->inner)) {
        const struct ph_scheme *scheme = ph_scheme_is_plain(methods->scheme) ? methods->inner : methods->scheme;
        objection = ph_scheme_is_displaced(scheme) ? "has displaced forces, which are not known of parts of the forces"
                                                   : "has force gradients, which are not known of parts of the forces";
        what = scheme->name;
    }
    char place[PH_PLACE];
    ph_input_line_place(input, input->dynamics.nested.line, place);
    return objection ? ph_error_set(err, PH_ERR_INPUT,
                                    "%s: dynamics.nested does not go with '%s' in %s: it %s. Accepted: schemes without "
                                    "gradients or displaced forces, at constant energy, with langevin, metropolis, "
                                    "velocity-rescaling or "
                                    "nose-hoover, with cell-rescaling or ramp.",
                                    place, what, input->staged ? input->stages[k].name : "this run", objection)
                     : PH_OK;
}

static enum ph_status check_bath(const struct ph_input *input, size_t k, const struct ph_methods *methods,
                                 struct ph_error *err)
{
    const char *kind = input->stages[k].thermostat.kind;
    if (strcmp(kind, "langevin-middle") == 0 &&
        (!methods->scheme || methods->inner || !ph_scheme_drift_in_the_middle(methods->scheme)))
        return ph_refuse_stage(
            input, k, "thermostat.kind", err,
            "is langevin-middle, which acts in the middle of a drift. Accepted: verlet, bcss2-3 and other "
            "schemes that begin with a kick and have a drift in the middle, not nested.");
    if (strcmp(kind, "langevin-middle") == 0 && (input->stages[k].barostat.kind[0] || input->output.shadow_energy))
        return ph_refuse_stage(input, k, "thermostat.kind", err, "is langevin-middle, which does not go with %s.",
                               input->stages[k].barostat.kind[0] ? "a barostat" : "output.shadow_energy");
    if (strcmp(kind, "metropolis") != 0)
        return PH_OK;
    const char *objection = ph_metropolis_objection(methods->flow, methods->integrator);
    if (objection)
        return ph_refuse_stage(input, k, "thermostat.kind", err,
                               "is metropolis: steps cannot be accepted or rejected, since the %s '%s' %s.",
                               methods->integrator ? "integrator" : "flow",
                               methods->integrator ? methods->integrator->name : methods->flow->name, objection);
    if (!input->stages[k].thermostat.shadow)
        return PH_OK;
    if (!methods->scheme || methods->inner || !ph_shadow_known(methods->scheme, methods->flow) ||
        !ph_shadow_of_places(methods->scheme))
        return ph_refuse_stage(
            input, k, "thermostat.shadow", err,
            "needs a scheme whose shadow energy depends on momenta as the energy does. Accepted: the schemes "
            "sbab2 and saba2 with the flow 'exact', not nested.");
    return input->stages[k].barostat.kind[0]
               ? ph_refuse_stage(input, k, "thermostat.shadow", err, "does not go with a barostat.")
               : PH_OK;
}

/* Checks that degrees of freedom exchange their energy, because one thermostat for the whole system needs this. */
static enum ph_status check_exchange(const struct ph_input *input, size_t k, const struct ph_system *system,
                                     struct ph_error *err)
{
    if (strcmp(input->stages[k].thermostat.kind, "nose-poincare") != 0)
        return PH_OK;
    for (size_t s = 0; s < system->n_species; ++s)
        if (ph_species_spins_freely(&system->species[s]))
            return ph_refuse_stage(
                input, k, "thermostat.kind", err,
                "is nose-poincare, one thermostat for all momenta, but no torque acts on molecules of model "
                "%s about their axis: this rotation would keep the temperature that it has, and all others "
                "would be off. Take langevin or velocity-rescaling.",
                system->species[s].name);
    return PH_OK;
}

static enum ph_status check_cell(const struct ph_input *input, size_t k, const struct ph_system *system,
                                 const struct ph_interactions *interactions, struct ph_error *err)
{
    const struct ph_input_cell *cell = &input->stages[k].barostat;
    if (!cell->kind[0])
        return PH_OK;
    const char *objection = ph_cell_refuses(shape_of(cell), system, interactions);
    return objection ? ph_refuse_stage(input, k, "barostat", err, "is not possible here: %s", objection) : PH_OK;
}

enum ph_status ph_stages_check(const struct ph_input *input, const struct ph_system *system,
                               const struct ph_interactions *interactions, struct ph_error *err)
{
    enum ph_status status = PH_OK;
    for (size_t k = 0; k < input->n_stages && status == PH_OK; ++k) {
        struct ph_methods methods;
        struct ph_error inner = {.text = ""};
        status = ph_methods_find_stage(input, k, &methods, err);
        if (status == PH_OK)
            status = check_bath(input, k, &methods, err);
        if (status == PH_OK)
            status = check_shadow(input, k, &methods, err);
        if (status == PH_OK)
            status = check_nested(input, k, &methods, err);
        if (status == PH_OK)
            status = ph_device_check(input, k, &methods, err);
        if (status == PH_OK)
            status = check_composition(input, k, &methods, err);
        if (status == PH_OK)
            status = check_exchange(input, k, system, err);
        if (status == PH_OK)
            status = check_cell(input, k, system, interactions, err);
        if (status == PH_OK && ph_methods_check(&methods, system, interactions, &inner) != PH_OK)
            status = ph_input_error(input, &inner, err);
    }
    return status;
}
