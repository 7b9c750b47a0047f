/* SPDX-License-Identifier: MIT */
/* Warns of thermostats and barostats without noise where the motion of the molecules is not chaotic, and says how well
 * a stage can land.
 * nose-hoover, nose-poincare and andersen are deterministic.
 *
 * They sample the canonical ensemble if the motion is ergodic. For this, molecules must exchange energy. Molecules
 * without interactions, an ideal gas or independent rotors, exchange none: means and fluctuations then depend on the
 * start for ever. A free gas with nose-poincare and andersen had far too small a variance of its volume, and free
 * rotors with chains a temperature that was off. */

/* An axis without torque exchanges no energy either, in whatever fluid. Its chain and its momenta are a system of a few
 * variables, and swing about the mean. The mean is about right, fluctuations are not. */

/* Landing (landing.h) rests on the mean of the potential energy U in the second half of the stage, n steps. With f
 * degrees of freedom, half of a heat capacity of fk in U, and correlations over g steps, this mean is uncertain by
 * sqrt(f/2) kT sqrt(g/n), and the temperature at the energy that follows by
 *   dT/T = sqrt(g/(2 f n)).
 * The bath sets g: three times the response time t of kinetic energies, and 60 steps at least. 32 Stockmayer molecules
 * with t of 50 steps, cut into pieces of 400, 1000 and 2500 steps, gave 2.7, 1.9 and 1.3 % where this is 3.2, 2.0 and
 * 1.3 %. The kinetic energies of the same steps tell little more: with them it is 2.0, 1.4 and 0.9 %. */
#include "run/build/build.h"
#include "run/fluxes.h"

#include "base/vec3.h"
#include "run/observables.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool interacts(const struct ph_site *site)
{
    const bool radial = site->radial.kind != PH_RADIAL_NONE && site->radial.epsilon != 0.0;
    return radial || site->angular.kind != PH_ANGULAR_NONE || site->charge != 0.0 || !ph_vec3_is_zero(site->dipole);
}

/* Does any molecule act on another? */
static bool any_interacts(const struct ph_system *system, const struct ph_interactions *interactions)
{
    bool any = interactions->caller.force || interactions->n_overrides > 0;
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t a = 0; a < system->species[s].n_sites; ++a)
            any = any || interacts(&system->species[s].site[a]);
    return any && system->n > 1;
}

static void note_stage(const struct ph_input_stage *stage, const struct ph_system *system, bool coupled,
                       struct ph_build_notes *notes)
{
    const bool chains = strcmp(stage->thermostat.kind, "nose-hoover") == 0;
    const bool extended = strcmp(stage->thermostat.kind, "nose-poincare") == 0;
    const bool andersen = strcmp(stage->barostat.kind, "andersen") == 0;
    const char *kind = chains || extended ? stage->thermostat.kind : "andersen";
    if (!coupled && (chains || extended || andersen))
        ph_build_note(notes,
                      "Warning: %s has no noise, and the molecules do not act on each other: the motion is not "
                      "ergodic, so that means and fluctuations depend on the start. Take langevin or "
                      "velocity-rescaling, at constant pressure with cell-rescaling.\n",
                      kind);
    for (size_t s = 0; s < system->n_species && coupled && chains; ++s)
        if (ph_species_spins_freely(&system->species[s]))
            ph_build_note(notes,
                          "No torque acts on molecules of model %s about their axis: with nose-hoover the kinetic "
                          "energy of this rotation swings about its mean, and its fluctuations are not canonical.\n",
                          system->species[s].name);
}

static void note_landing(const struct ph_input *input, size_t k, const struct ph_system *system,
                         const struct ph_interactions *interactions, struct ph_build_notes *notes)
{
    const double told = 0.01, wanted = 0.005; /* the verdict calls 1.5 % wrong */
    const struct ph_input_stage *stage = &input->stages[k];
    const struct ph_input_bath *bath = &stage->thermostat;
    if (!stage->land || k + 1 == input->n_stages)
        return;
    const struct ph_degrees count = ph_degrees_count(system, interactions);
    const bool noise = strcmp(bath->kind, "langevin") == 0 || strcmp(bath->kind, "metropolis") == 0;
    const double time = noise ? 0.5 / bath->friction : bath->relaxation_time; /* response time of kinetic energies */
    const double correlated = 3.0 * fmax(20.0, time / stage->step), steps = 0.5 * (double)stage->steps;
    const double degrees = (double)(count.translation + count.rotation),
                 error = sqrt(correlated / (2.0 * degrees * steps));
    if (steps < correlated || !(error > told)) /* shorter ones are not meant to be in equilibrium */
        return;
    ph_build_note(notes,
                  "Stage '%s' lands on its temperature to about %.1f %% with %zu molecules and %" PRId64
                  " steps: one standard deviation. About %.0f steps make it %.1f %%.\n",
                  stage->name, 100.0 * error, system->n, stage->steps,
                  1000.0 * ceil(1e-3 * correlated / (degrees * wanted * wanted)), 100.0 * wanted);
}

void ph_build_note_physics(const struct ph_input *input, const struct ph_system *system,
                           const struct ph_interactions *interactions, struct ph_build_notes *notes)
{
    ph_build_note_implausible(input, system, interactions, notes);
    ph_build_note_electrostatics(input, system, interactions, notes);
    ph_build_note_tables(system, interactions, notes);
    ph_build_note_shapes(system, interactions, notes);
    const bool coupled = any_interacts(system, interactions);
    size_t said = strlen(notes->text);
    for (size_t k = 0; k < input->n_stages && strlen(notes->text) == said; ++k) /* once is enough */
        note_stage(&input->stages[k], system, coupled, notes);
    for (size_t k = 0; k < input->n_stages; ++k)
        note_landing(input, k, system, interactions, notes);
    const char *no_heat = ph_fluxes_no_heat(system, interactions);
    bool fluxes = false;
    for (size_t k = 0; k < input->n_stages; ++k)
        fluxes = fluxes || input->stages[k].fluxes_every > 0;
    if (fluxes && no_heat)
        ph_build_note(notes, "Fluxes are written without a heat flux. %s\n", no_heat);
    if (input->n_stages > 0 && input->stages[input->n_stages - 1].thermostat.shadow)
        ph_build_note(notes,
                      "Steps are accepted by the shadow energy, so rows have weights: take averages from 'polhode "
                      "analyze averages'. Plain means, and frames, have the error of a step of order 2.\n");
}
