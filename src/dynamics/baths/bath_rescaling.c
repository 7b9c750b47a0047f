/* SPDX-License-Identifier: MIT */
#include "dynamics/baths/bath_kinds.h"
#include "dynamics/baths/thermostat.h"

static enum ph_status after(const struct ph_bath_options *bath, double h, uint64_t step, struct ph_state *state,
                            double numbers[PH_BATH_NUMBERS], struct ph_error *err)
{
    const struct ph_thermostat thermostat = {
        .kT = bath->kT, .relaxation_time = bath->relaxation_time, .seed = bath->seed};
    const struct ph_scaling scaling = ph_thermostat_draw(&thermostat, bath->degrees, h, step);
    return ph_state_scale(state, &scaling, numbers, err);
}

const struct ph_bath_kind ph_bath_rescaling = {
    .name = "velocity-rescaling",
    .summary = "all momenta of translation, and all about each body axis, times one random number each",
    .reference = "Bussi, Donadio, Parrinello, J. Chem. Phys. 126 (2007) 014101",
    .documentation = "After each step all momenta of translation are multiplied by one random number, and those about "
                     "each body axis by three more, such that each kinetic energy relaxes to that of the canonical "
                     "ensemble like exp(-t/tau), tau the relaxation time, with the fluctuations of the ensemble. It "
                     "disturbs the motion of single molecules less than noise on each of them and keeps a total "
                     "momentum of zero. The energy less the heat given is conserved.",
    .keeps_momentum = true,
    .after = after,
};
