/* SPDX-License-Identifier: MIT */
#include "run/simulation_parts.h"

#include "dynamics/shadow.h"

#include <string.h>

static struct ph_dynamics_options dynamics_options(const struct ph_simulation *simulation)
{
    return (struct ph_dynamics_options){
        .scheme = simulation->methods.scheme,
        .flow = simulation->methods.flow,
        .step = simulation->input->dynamics.step,
        .compensated = simulation->input->dynamics.compensated,
        .pinned = simulation->interactions.pinned,
    };
}

/* Numbers that follow from input and system; forces of the start. */
enum ph_status ph_simulation_ready(struct ph_simulation *simulation, struct ph_error *err)
{
    const struct ph_input *input = simulation->input;
    simulation->degrees = ph_degrees_count(simulation->system, &simulation->interactions);
    simulation->thermostat = (struct ph_thermostat){
        .kT = simulation->units->boltzmann * input->dynamics.equilibrate.temperature,
        .relaxation_time = input->dynamics.equilibrate.relaxation_time,
        .translation = simulation->degrees.translation,
        .rotation = simulation->degrees.rotation,
        .seed = (uint64_t)input->dynamics.equilibrate.seed,
    };
    const struct ph_mover_options options = {.integrator = simulation->methods.integrator,
                                             .dynamics = dynamics_options(simulation)};
    struct ph_error inner = {.text = ""};
    enum ph_status status =
        ph_methods_check(&simulation->methods, simulation->system, &simulation->interactions, &inner);
    if (status == PH_OK)
        status = ph_force_field_create(simulation->system, &simulation->interactions, &simulation->field, &inner);
    if (status == PH_OK)
        status = ph_mover_create(simulation->system, simulation->field, &options, &simulation->mover, &inner);
    return status == PH_OK ? PH_OK : ph_input_error(input, &inner, err);
}

enum ph_status ph_simulation_observe(struct ph_simulation *simulation, struct ph_error *err)
{
    struct ph_energy energy;
    enum ph_status status = ph_mover_synchronise(simulation->mover, &energy, err);
    if (status != PH_OK)
        return status;
    struct ph_observables *observables = &simulation->observables;
    ph_observe(simulation->system, &simulation->degrees, &energy, simulation->units->boltzmann, observables);
    if (!simulation->input->output.shadow_energy)
        return PH_OK;
    const struct ph_dynamics_options options = dynamics_options(simulation);
    double correction;
    status = ph_shadow_correction(&options, simulation->field, simulation->system, &correction, err);
    if (status == PH_OK)
        observables->shadow = observables->total + correction;
    return status;
}

/* Runs of one identity are the same, bit for bit. */
void ph_simulation_identify(struct ph_simulation *simulation)
{
    uint64_t hash = ph_state_hash(simulation->system);
    for (size_t k = 0; k < simulation->texts.n; ++k)
        hash = ph_hash_bytes(hash, simulation->texts.item[k].length, simulation->texts.item[k].text);
    for (size_t k = 0; k < simulation->input->n_sets; ++k)
        hash = ph_hash_bytes(hash, strlen(simulation->sets[k]), simulation->sets[k]);
    ph_hash_text(hash, simulation->identity);
}
