/* SPDX-License-Identifier: MIT */
/* A bias of PLUMED in a run: the clock that its term of the force field reads, and what it does not go with */
#include "run/simulation/device_needs.h"
#include "run/simulation/simulation_parts.h"

static bool is_biased(const struct ph_simulation *simulation)
{
    return simulation->interactions.plumed.file[0] != '\0';
}

enum ph_status ph_simulation_check_plumed(const struct ph_simulation *simulation, struct ph_error *err)
{
    const struct ph_input *input = simulation->input;
    const double step = simulation->interactions.plumed.step;
    if (!is_biased(simulation))
        return PH_OK;
    const enum ph_status status = ph_device_check_outside(input, "interactions.plumed: ", "PLUMED", err);
    if (status != PH_OK)
        return status;
    for (size_t k = 0; k < input->n_stages; ++k)
        if (input->stages[k].step < step || input->stages[k].step > step)
            return ph_error_set(err, PH_ERR_INPUT,
                                "interactions.plumed: stages have the steps %g and %g, but the clock of PLUMED has "
                                "only one: give all stages the same step.",
                                input->stages[k].step, step);
    return ph_simulation_check_derivatives(simulation, 0, "a bias of PLUMED (interactions.plumed)", err);
}

bool ph_simulation_plumed_acts(const struct ph_simulation *simulation, int64_t step)
{
    return is_biased(simulation) && step % simulation->input->interactions.plumed.every == 0;
}

/* PLUMED counts the first state it gets as the start, or as the place where the run before ended: it adds no hill
 * there. So it gets this state whatever its step, or the next hill would be lost. A start and a checkpoint are
 * complete, so that evaluating forces changes nothing else. */
enum ph_status ph_simulation_plumed_begin(struct ph_simulation *simulation, struct ph_error *err)
{
    const int64_t step = ph_mover_step(simulation->mover);
    simulation->plumed.step = step;
    if (simulation->plumed_begun || !is_biased(simulation))
        return PH_OK;
    struct ph_energy energy;
    simulation->plumed_begun = simulation->plumed.ends = true;
    return ph_mover_synchronise(simulation->mover, &energy, err);
}

void ph_simulation_plumed_step(struct ph_simulation *simulation, bool saves)
{
    simulation->plumed.step = ph_mover_step(simulation->mover);
    simulation->plumed.ends = ph_simulation_plumed_acts(simulation, simulation->plumed.step);
    simulation->plumed.saves = saves;
    simulation->plumed_begun = true;
}
