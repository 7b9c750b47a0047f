/* SPDX-License-Identifier: MIT */
#include "run/simulation/simulation_parts.h"

#include "accel/engine/batch.h"
#include "accel/machines/device_choice.h"
#include "dynamics/schemes/shadow.h"
#include "model/start.h"
#include "parallel/ranks.h"
#include "run/simulation/simulation.h"
#include "run/simulation/simulation_files.h"
#include "run/simulation/start_parts.h"

#include <math.h>
#include <string.h>

/* Creates a mover for stage k on this rank. */
static enum ph_status create_mover(const struct ph_simulation *simulation, size_t k, struct ph_mover **out,
                                   struct ph_error *err)
{
    struct ph_mover_options options;
    enum ph_status status =
        ph_stage_options(simulation->input, k, simulation->system, &simulation->interactions, &options, err);
    if (status != PH_OK)
        return status;
    options.dynamics.backend = simulation->backend;
    struct ph_error inner = {.text = ""};
    status = ph_mover_create(simulation->system, simulation->field, &options, out, &inner);
    return status == PH_OK ? PH_OK : ph_input_error(simulation->input, &inner, err);
}

static void begin_with(struct ph_simulation *simulation, size_t k, struct ph_mover *mover)
{
    simulation->mover = mover;
    simulation->stage = k;
    simulation->degrees = ph_stage_degrees(simulation->input, k, simulation->system, &simulation->interactions);
}

/* Replaces the mover by a new one for stage k; the caller destroys the old one. If some rank lacks memory, no rank gets
 * the new mover, and stage and old mover stay, which know step and time. */
static enum ph_status replace_mover(struct ph_simulation *simulation, size_t k, struct ph_error *err)
{
    struct ph_mover *mover = NULL;
    const enum ph_status created = create_mover(simulation, k, &mover, err), status = ph_ranks_agree(created, err);
    if (status == PH_OK)
        begin_with(simulation, k, mover);
    else if (created == PH_OK)
        ph_mover_destroy(mover);
    return status;
}

enum ph_status ph_simulation_ready(struct ph_simulation *simulation, struct ph_error *err)
{
    const struct ph_input *input = simulation->input;
    enum ph_status status = ph_stages_check(input, simulation->system, &simulation->interactions, err);
    if (status != PH_OK)
        return status;
    struct ph_error inner = {.text = ""};
    status = ph_simulation_check_plumed(simulation, &inner);
    simulation->interactions.plumed.clock = &simulation->plumed;
    if (status == PH_OK && input->output.configurational_temperature)
        status = ph_configurational_check(simulation->system, &simulation->interactions, &inner);
    bool heat;
    if (status == PH_OK && ph_simulation_has_fluxes(simulation, &heat) && simulation->system->box.kind == PH_BOX_OPEN)
        status = ph_error_set(&inner, PH_ERR_INPUT,
                              "output.fluxes_every needs a periodic box: fluxes are per volume. Accepted: 0.");
    if (status == PH_OK)
        status = ph_force_field_create(simulation->system, &simulation->interactions, &simulation->field, &inner);
    const struct ph_backend_kind *kind = ph_backend_find(input->dynamics.backend);
    if (status == PH_OK && kind && !kind->machine)
        status = ph_device_refuse(kind->name, &inner);
    if (status == PH_OK && kind && kind->machine)
        status = ph_engine_create(ph_batch_machine(kind->machine), kind->name, simulation->system,
                                  &simulation->interactions, input->dynamics.compensated, &simulation->backend, &inner);
    if (status != PH_OK)
        return ph_input_error(input, &inner, err);
    struct ph_mover *mover = NULL;
    status = create_mover(simulation, simulation->stage, &mover, err);
    if (status == PH_OK)
        begin_with(simulation, simulation->stage, mover);
    return status;
}

/* Collects the whole present state on each rank, with a flow pending or not, and updates the numbers of the mover. */
enum ph_status ph_simulation_fetch(struct ph_simulation *simulation, struct ph_error *err)
{
    const enum ph_status status = ph_state_show(ph_mover_state(simulation->mover), PH_STATE_ALL, err);
    return status == PH_OK ? ph_mover_know_numbers(simulation->mover, err) : status;
}

/* Returns the next stage with steps, or the last stage. */
static size_t next_stage(const struct ph_simulation *simulation)
{
    size_t k = simulation->stage + 1;
    while (k + 1 < simulation->input->n_stages && simulation->input->stages[k].steps == 0)
        ++k;
    return k;
}

/* A bath that acts on each molecule separately leaves a motion of the centre of mass. It is no heat if the total
 * momentum is conserved from now on. */
enum ph_status ph_simulation_stop_drift(struct ph_simulation *simulation, struct ph_error *err)
{
    const struct ph_degrees degrees =
        ph_stage_degrees(simulation->input, next_stage(simulation), simulation->system, &simulation->interactions);
    if (!(degrees.translation < simulation->degrees.translation))
        return PH_OK;
    simulation->degrees = degrees;
    return ph_start_parts_stop_drift(ph_mover_state(simulation->mover), err);
}

enum ph_status ph_simulation_next_stage(struct ph_simulation *simulation, struct ph_error *err)
{
    const struct ph_state_counts counts = ph_mover_counts(simulation->mover);
    struct ph_mover *before = simulation->mover;
    enum ph_status status = ph_state_bring(ph_mover_state(before), PH_STATE_ALL, err); /* for the next mover */
    if (status == PH_OK)
        status = ph_mover_know_numbers(before, err);
    if (status == PH_OK)
        status = ph_simulation_stop_drift(simulation, err);
    if (status != PH_OK)
        return status;
    status = replace_mover(simulation, next_stage(simulation), err);
    if (status != PH_OK)
        return status;
    simulation->landing = (struct ph_landing){.samples = 0.0};
    ph_mover_destroy(before);
    ph_state_counts_add(&counts, &simulation->counts);
    return PH_OK;
}

struct residuals {
    double *const *from, *const *to;
};

static void copy_residuals(struct ph_range range, void *data)
{
    const struct residuals *residuals = data;
    for (int k = 0; k < PH_STATE_RESIDUAL_COLUMNS; ++k)
        memcpy(residuals->to[k] + range.begin, residuals->from[k] + range.begin,
               (range.end - range.begin) * sizeof(double));
}

enum ph_status ph_simulation_renew_mover(struct ph_simulation *simulation, struct ph_error *err)
{
    struct ph_mover *before = simulation->mover;
    enum ph_status status = ph_state_bring(ph_mover_state(before), PH_STATE_ALL, err);
    if (status == PH_OK)
        status = ph_mover_know_numbers(before, err);
    const struct ph_mover_memory memory = ph_mover_save(before);
    if (status == PH_OK)
        status = replace_mover(simulation, simulation->stage, err);
    if (status != PH_OK)
        return status;
    const struct ph_mover_memory fresh = ph_mover_save(simulation->mover);
    memcpy(fresh.numbers, memory.numbers, PH_MOVER_NUMBERS * sizeof(double));
    if (memory.residuals && fresh.residuals)
        ph_state_each(ph_mover_state(before), copy_residuals, &(struct residuals){memory.residuals, fresh.residuals});
    ph_mover_restore(simulation->mover, memory.step, memory.has_pending_flow);
    const struct ph_state_counts counts = ph_mover_counts(before);
    ph_state_counts_add(&counts, &simulation->counts);
    ph_mover_destroy(before);
    return PH_OK;
}

/* Runs with a production at constant energy keep the columns they always had. */
struct ph_column_choice ph_simulation_columns(const struct ph_simulation *simulation)
{
    const struct ph_input *input = simulation->input;
    struct ph_column_choice choice = {.shadow = input->output.shadow_energy,
                                      .configurational = input->output.configurational_temperature};
    for (size_t k = input->staged ? 0 : input->n_stages - 1; k < input->n_stages; ++k) {
        const struct ph_input_stage *stage = &input->stages[k];
        choice.conserved = choice.conserved || stage->thermostat.kind[0] || stage->barostat.kind[0];
        choice.volume = choice.volume || stage->barostat.kind[0];
        choice.acceptance = choice.acceptance || strcmp(stage->thermostat.kind, "metropolis") == 0;
        choice.conserved = choice.conserved || simulation->interactions.plumed.file[0];
        choice.cell_acceptance = choice.cell_acceptance || strcmp(stage->barostat.kind, "cell-rescaling") == 0;
    }
    choice.mass = choice.volume && strcmp(input->units, "md") == 0;
    return choice;
}

/* Adds observables of the ensemble of the present stage. */
static void observe_ensemble(const struct ph_simulation *simulation, struct ph_observables *observables)
{
    const struct ph_system *system = simulation->system;
    const struct ph_input_cell *cell = &simulation->input->stages[simulation->stage].barostat;
    double mass = 0.0;
    for (size_t s = 0; s < system->n_species; ++s)
        mass += (double)(system->first[s + 1] - system->first[s]) * system->species[s].mass;
    observables->conserved = ph_mover_conserved(simulation->mover, observables->total) - simulation->plumed.work;
    observables->volume = system->box.volume;
    observables->density = (double)system->n / system->box.volume;
    observables->mass_density = ph_kilograms_per_cubic_metre * mass / system->box.volume;
    observables->enthalpy = observables->total + (isnan(cell->pressure) ? 0.0 : cell->pressure * system->box.volume);
    observables->acceptance = ph_mover_acceptance(simulation->mover);
    observables->cell_acceptance = ph_mover_cell_acceptance(simulation->mover);
}

/* Computes optional observables of a state whose forces were just evaluated. */
static enum ph_status observe_more(struct ph_simulation *simulation, struct ph_observables *observables,
                                   struct ph_error *err)
{
    const struct ph_input *input = simulation->input;
    struct ph_state *state = ph_mover_state(simulation->mover);
    enum ph_status status = PH_OK;
    if (input->output.configurational_temperature)
        status = ph_configurational_observe(state, simulation->interactions.pinned, (uint64_t)input->system.start.seed,
                                            ph_mover_step(simulation->mover), &observables->configurational, err);
    if (status != PH_OK || !input->output.shadow_energy)
        return status;
    struct ph_mover_options options;
    double correction = 0.0;
    status = ph_stage_options(simulation->input, simulation->stage, simulation->system, &simulation->interactions,
                              &options, err);
    if (status == PH_OK)
        status = ph_shadow_correction(&options.dynamics, state, &correction, err);
    if (status == PH_OK)
        observables->shadow = observables->total + correction;
    return status;
}

bool ph_simulation_has_fluxes(const struct ph_simulation *simulation, bool *heat)
{
    const struct ph_input *input = simulation->input;
    bool any = false;
    for (size_t k = input->staged ? 0 : input->n_stages - 1; k < input->n_stages; ++k)
        any = any || input->stages[k].fluxes_every > 0;
    *heat = any && !ph_fluxes_no_heat(simulation->system, &simulation->interactions);
    return any;
}

enum ph_status ph_simulation_observe_fluxes(struct ph_simulation *simulation, struct ph_error *err)
{
    const struct ph_trajectory *trajectory = simulation->trajectory;
    bool heat;
    if (!ph_simulation_has_fluxes(simulation, &heat) ||
        !ph_ranks_any(trajectory && ph_trajectory_wants_fluxes(trajectory, ph_mover_step(simulation->mover))))
        return PH_OK;
    return ph_fluxes_observe(ph_mover_state(simulation->mover),
                             (const double(*)[3])simulation->observables.pressure_tensor, heat, &simulation->fluxes,
                             err);
}

enum ph_status ph_simulation_show(struct ph_simulation *simulation, struct ph_error *err)
{
    return ph_simulation_by_blocks(simulation) ? PH_OK
                                               : ph_state_show_first(ph_mover_state(simulation->mover), false, err);
}

enum ph_status ph_simulation_observe(struct ph_simulation *simulation, bool show, struct ph_error *err)
{
    struct ph_energy energy;
    struct ph_state_sums sums;
    enum ph_status status = ph_mover_synchronise(simulation->mover, &energy, err);
    if (status == PH_OK)
        status = ph_state_observe(ph_mover_state(simulation->mover), &sums, err);
    if (status != PH_OK)
        return status;
    struct ph_observables *observables = &simulation->observables;
    ph_observe_sums(&sums, &simulation->system->box, &simulation->degrees, &energy, simulation->units->boltzmann,
                    observables);
    observe_ensemble(simulation, observables);
    status = observe_more(simulation, observables, err);
    if (status == PH_OK)
        status = ph_simulation_observe_fluxes(simulation, err);
    return status == PH_OK && show ? ph_simulation_show(simulation, err) : status;
}

static uint64_t hash_input(const struct ph_simulation *simulation, uint64_t hash)
{
    for (size_t k = 0; k < simulation->texts.n; ++k)
        hash = ph_hash_bytes(hash, simulation->texts.item[k].length, simulation->texts.item[k].text);
    for (size_t k = 0; k < simulation->input->n_sets; ++k)
        hash = ph_hash_bytes(hash, strlen(simulation->sets[k]), simulation->sets[k]);
    return hash;
}

enum ph_status ph_simulation_same_input(const struct ph_simulation *simulation, struct ph_error *err)
{
    return ph_ranks_same(hash_input(simulation, ph_hash_begin()), err);
}

/* Runs of one identity are the same, bit for bit. With a force of the caller's this holds only as far as the program
 * can know. */
enum ph_status ph_simulation_identify(struct ph_simulation *simulation, struct ph_error *err)
{
    const bool pushed = simulation->interactions.caller.force != NULL;
    uint64_t hash;
    const enum ph_status status = ph_simulation_hash(simulation, &hash, err);
    hash = pushed ? ph_hash_bytes(hash, sizeof pushed, &pushed) : hash;
    ph_hash_text(hash_input(simulation, hash), simulation->identity);
    return status;
}

struct ph_state_counts ph_simulation_counts(const struct ph_simulation *simulation)
{
    struct ph_state_counts counts = ph_mover_counts(simulation->mover);
    ph_state_counts_add(&simulation->counts, &counts);
    return counts;
}

double ph_simulation_evaluations(const struct ph_simulation *simulation)
{
    const struct ph_state_counts counts = ph_simulation_counts(simulation);
    return ph_state_equivalent(&counts, simulation->field);
}
