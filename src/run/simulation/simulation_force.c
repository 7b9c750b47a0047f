/* SPDX-License-Identifier: MIT */
/* A force of the program that uses the library */
#include "run/simulation/device_needs.h"
#include "run/simulation/simulation_parts.h"

/* Refuses methods that need more of a force than its value, in this stage or a later one. */
static enum ph_status check(const struct ph_simulation *simulation, struct ph_error *err)
{
    const struct ph_input *input = simulation->input;
    const enum ph_status status = ph_device_check_outside(input, "", "a force of the caller's", err);
    if (status != PH_OK)
        return status;
    for (size_t k = simulation->stage; k < input->n_stages; ++k)
        if (input->stages[k].barostat.kind[0])
            return ph_error_set(err, PH_ERR_INPUT,
                                "A barostat ('%s') needs the virial, which a force of the caller's does not have.",
                                input->stages[k].barostat.kind);
    return ph_simulation_check_derivatives(simulation, simulation->stage, "a force of the caller's", err);
}

static enum ph_status set(struct ph_simulation *simulation, const struct ph_caller_force *caller, struct ph_error *err)
{
    const struct ph_caller_force before = simulation->interactions.caller;
    simulation->interactions.caller = *caller;
    enum ph_status status =
        ph_force_field_set_caller(simulation->field, simulation->system, &simulation->interactions, err);
    if (status == PH_OK)
        status = ph_simulation_renew_mover(simulation, err);
    if (status != PH_OK) {
        simulation->interactions.caller = before;
        ph_force_field_set_caller(simulation->field, simulation->system, &simulation->interactions, NULL);
    }
    return status;
}

/* Sets the force and evaluates it at once, so that a failing force is refused and nothing changes. A resumed simulation
 * that gets its force again continues as if it had never stopped. */
enum ph_status ph_simulation_set_force(struct ph_simulation *simulation,
                                       bool (*force)(struct ph_force_call *call, void *data), void *data,
                                       bool keeps_momentum, struct ph_error *err)
{
    const struct ph_caller_force before = simulation->interactions.caller;
    const struct ph_caller_force caller = {force, data, keeps_momentum};
    const bool lacked = simulation->lacks_force;
    enum ph_status status = force ? check(simulation, err) : PH_OK;
    if (status == PH_OK && !lacked)
        status = ph_simulation_synchronise(simulation, err);
    if (status == PH_OK)
        status = set(simulation, &caller, err);
    if (status != PH_OK)
        return status;
    simulation->lacks_force = false;
    if (lacked && force)
        return PH_OK;
    if (lacked) /* a step that has begun ends without it */
        status = ph_simulation_synchronise(simulation, err);
    const bool had_diverged = simulation->diverged;
    ph_simulation_change(simulation);
    if (status == PH_OK)
        status = ph_simulation_synchronise(simulation, err);
    if (status != PH_OK && set(simulation, &before, NULL) == PH_OK &&
        ph_simulation_synchronise(simulation, NULL) == PH_OK)
        simulation->diverged = had_diverged;
    return status;
}
