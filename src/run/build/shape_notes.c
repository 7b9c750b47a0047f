/* SPDX-License-Identifier: MIT */
/* Notes on sites with axes. Ellipsoids: a switch in the distance of centres that begins before two of them touch end to
 * end weakens their repulsion there. It stays a smooth potential, so this is no error. */
#include "run/build/build.h"

#include "base/vec3.h"

/* The sticky form has the dipole along z, between the hydrogens. Another direction is another molecule. */
static void note_sticky(const struct ph_species *species, const struct ph_site *site, struct ph_build_notes *notes)
{
    const double *z = site->axis[2], *mu = site->dipole, nearly = 0.999;
    if (site->angular.kind == PH_ANGULAR_STICKY && !ph_vec3_is_zero(mu) &&
        ph_vec3_dot(mu, z) < nearly * ph_vec3_norm(mu))
        ph_build_note(notes,
                      "Is this meant? The dipole of site %s.%s does not point along the z axis of its sticky form, "
                      "towards the hydrogens: see the keys dipole and axis of the site.\n",
                      species->name, site->name);
}

void ph_build_note_shapes(const struct ph_system *system, const struct ph_interactions *interactions,
                          struct ph_build_notes *notes)
{
    const char *model = "", *name = "";
    double longest = 0.0;
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t a = 0; a < system->species[s].n_sites; ++a) {
            const struct ph_site *site = &system->species[s].site[a];
            note_sticky(&system->species[s], site, notes);
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
