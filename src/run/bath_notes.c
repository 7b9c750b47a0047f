/* SPDX-License-Identifier: MIT */
/* Warns of thermostats and barostats without noise where the motion of the molecules is not chaotic.
 *
 * nose-hoover, nose-poincare and andersen are deterministic. They sample the canonical ensemble if the motion is
 * ergodic, for which molecules must exchange energy. Those that do not interact, an ideal gas or independent rotors,
 * exchange none: means and fluctuations then depend on the start for ever. A free gas with nose-poincare and andersen
 * had far too small a variance of its volume, and free rotors with chains a temperature that was off.
 *
 * An axis on which no torque acts exchanges no energy either, in whatever fluid: its chain and its momenta are a system
 * of a few variables, and swing about the mean. The mean is about right, fluctuations are not. */
#include "run/build.h"

#include "base/vec3.h"

#include <string.h>

static bool interacts(const struct ph_site *site)
{
    const bool radial = site->radial.kind != PH_RADIAL_NONE && site->radial.epsilon != 0.0;
    return radial || site->charge != 0.0 || !ph_vec3_is_zero(site->dipole);
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

void ph_build_note_physics(const struct ph_input *input, const struct ph_system *system,
                           const struct ph_interactions *interactions, struct ph_build_notes *notes)
{
    ph_build_note_electrostatics(input, system, interactions, notes);
    const bool coupled = any_interacts(system, interactions);
    size_t said = strlen(notes->text);
    for (size_t k = 0; k < input->n_stages && strlen(notes->text) == said; ++k) /* once is enough */
        note_stage(&input->stages[k], system, coupled, notes);
}
