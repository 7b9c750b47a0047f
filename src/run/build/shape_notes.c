/* SPDX-License-Identifier: MIT */
/* A note on ellipsoids. A switch in the distance of centres that begins before two of them touch end to end weakens
 * their repulsion there. It stays a smooth potential, so this is no error. */
#include "run/build/build.h"

void ph_build_note_shapes(const struct ph_system *system, const struct ph_interactions *interactions,
                          struct ph_build_notes *notes)
{
    const char *model = "", *name = "";
    double longest = 0.0;
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t a = 0; a < system->species[s].n_sites; ++a) {
            const struct ph_site *site = &system->species[s].site[a];
            const bool meets = system->first[s + 1] > system->first[s] + 1;
            if (!meets || !ph_angular_half_axes(&site->angular) || ph_angular_length(&site->angular) <= longest)
                continue;
            longest = ph_angular_length(&site->angular);
            model = system->species[s].name;
            name = site->name;
        }
    const double begins = interactions->cutoff - interactions->switch_width;
    if (interactions->truncation == PH_TRUNCATE_SWITCHED && begins < longest)
        ph_build_note(notes,
                      "Warning: the switch begins at %g (interactions.cutoff %g less switch.width %g), but two sites "
                      "%s.%s touch end to end at %g already, so it weakens their repulsion. Take a cutoff of %g or "
                      "more, or a narrower switch.\n",
                      begins, interactions->cutoff, interactions->switch_width, model, name, longest,
                      longest + interactions->switch_width);
}
