/* SPDX-License-Identifier: MIT */
/* Notes for the user on the treatment of charges and dipoles: that the program chose it, or how it changes the physics.
 */

/* Charges cut or switched off site by site. The cutoff sphere of a site cuts through molecules, so it holds a random
 * net charge. This charge is of order sqrt(4 pi rc^2 n d) charges, n the density of sites and d their distance in a
 * molecule. Its energy with the site, C q Q/rc, has nothing to do with the interaction of neutral molecules, and is
 * larger. Runs of SPC/E at 300 K came to -741 and -830 kJ/mol per molecule instead of -47. Shifted to zero at the
 * cutoff, 1/r - 1/rc, each sphere has the opposite charge on its surface: energies are about right then, not more. */

/* Dipoles cut off. The interaction falls off as 1/r^3, as fast as the volume within r grows. So the dipoles beyond the
 * cutoff never become negligible as a whole, and they make a polar fluid a dielectric.
 *
 * A reaction field stands for surroundings that answer to the dipole moment within the cutoff; it does not know a net
 * charge. */
#include "run/build/build.h"

#include "base/vec3.h"

static void note_cutoff(const struct ph_interactions *interactions, bool charges, bool dipoles,
                        struct ph_build_notes *notes)
{
    const bool shifted =
        interactions->truncation == PH_TRUNCATE_SHIFTED || interactions->truncation == PH_TRUNCATE_FORCE_SHIFTED;
    const char *remedy = "Take interactions.electrostatics.method: mesh, ewald or reaction-field.";
    if (charges && !shifted)
        ph_build_note(notes,
                      "Warning: charges are cut off site by site (interactions.electrostatics.method: cutoff). What "
                      "lies within the cutoff of a site is not neutral, so energies, pressures and structure have no "
                      "physical meaning: water came to -741 kJ/mol per molecule instead of -47. %s\n",
                      remedy);
    else if (charges)
        ph_build_note(notes,
                      "Warning: charges interact within the cutoff only (interactions.electrostatics.method: cutoff). "
                      "Shifted to zero there, energies and structure are approximate by an unknown amount, and the "
                      "permittivity is not that of the fluid. %s\n",
                      remedy);
    if (dipoles)
        ph_build_note(notes,
                      "Warning: dipoles interact within the cutoff only (interactions.electrostatics.method: cutoff). "
                      "The permittivity and the order of dipoles at long range are not those of the fluid, and "
                      "energies lack what lies beyond. %s\n",
                      remedy);
}

void ph_build_note_electrostatics(const struct ph_input *input, const struct ph_system *system,
                                  const struct ph_interactions *interactions, struct ph_build_notes *notes)
{
    bool charges = false, dipoles = false;
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t a = 0; a < system->species[s].n_sites; ++a) {
            charges = charges || system->species[s].site[a].charge != 0.0;
            dipoles = dipoles || !ph_vec3_is_zero(system->species[s].site[a].dipole);
        }
    const bool cutoff = interactions->electrostatics == PH_ELECTROSTATICS_CUTOFF && system->box.kind != PH_BOX_OPEN;
    const bool reaction_field = interactions->electrostatics == PH_ELECTROSTATICS_REACTION_FIELD;
    const double charge = ph_system_charge(system);
    if (input->interactions.method_chosen)
        ph_build_note(notes,
                      "Note: %s interact with all copies of the box, by sums on a mesh, since nothing else is stated; "
                      "choose by interactions.electrostatics.method: mesh, ewald, reaction-field or cutoff.\n",
                      charges && dipoles ? "charges and dipoles"
                      : charges          ? "charges"
                                         : "dipoles");
    if (cutoff)
        note_cutoff(interactions, charges, dipoles, notes);
    if (charge != 0.0 && (cutoff || reaction_field))
        ph_build_note(
            notes,
            "Warning: the box has a net charge of %g, %s. Take interactions.electrostatics.method: mesh, which adds a "
            "uniform background.\n",
            charge,
            cutoff ? "and nothing neutralises it"
                   : "but a reaction field stands for neutral surroundings: energies, pressures and forces depend on "
                     "the cutoff");
}
