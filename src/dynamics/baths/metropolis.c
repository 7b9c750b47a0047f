/* SPDX-License-Identifier: MIT */
#include "dynamics/baths/metropolis.h"

#include "base/library.h"
#include "base/random.h"

const char *ph_metropolis_objection(const struct ph_flow *flow, const struct ph_integrator *integrator)
{
    const bool reversible = integrator ? integrator->claims.reversible : flow->claims.reversible;
    const bool volume = integrator ? integrator->claims.symplectic : flow->claims.poisson || flow->claims.symplectic;
    if (!reversible)
        return "is not reversible";
    return volume ? NULL : "does not keep the volume of phase space";
}

/* Returns an exact sum: the same for any distribution of molecules */
static double kinetic(struct ph_state *state)
{
    double of[PH_BATH_GROUPS], sum = 0.0;
    ph_state_kinetic(state, of);
    for (int group = 0; group < PH_BATH_GROUPS; ++group)
        sum += of[group];
    return sum;
}

void ph_metropolis_begin(struct ph_kept *kept, struct ph_state *state, double numbers[PH_METROPOLIS_NUMBERS])
{
    ph_kept_begin(kept, state);
    numbers[PH_METROPOLIS_BEFORE] = numbers[PH_METROPOLIS_POTENTIAL] + kinetic(state);
}

bool ph_metropolis_decide(struct ph_kept *kept, const struct ph_bath_options *bath, uint64_t step, double potential,
                          struct ph_state *state, double numbers[PH_METROPOLIS_NUMBERS])
{
    struct ph_random random = ph_random_stream(bath->seed, PH_RANDOM_METROPOLIS, step);
    const double error = potential + kinetic(state) - numbers[PH_METROPOLIS_BEFORE];
    const bool accepted = ph_library_log(ph_random_uniform(&random)) < -error / bath->kT; /* false for NaN */
    numbers[PH_METROPOLIS_TRIED] += 1.0;
    if (accepted) {
        numbers[PH_METROPOLIS_ACCEPTED] += 1.0;
        numbers[PH_METROPOLIS_POTENTIAL] = potential;
    } else {
        ph_kept_bring_back(kept, true, state);
    }
    return accepted;
}
