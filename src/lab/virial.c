/* SPDX-License-Identifier: MIT */
#include "lab/virial.h"

#include <math.h>
#include <stdlib.h>

void ph_virial_free(struct ph_virial_result *result)
{
    free(result->r);
    free(result->f);
    free(result->f_error);
    *result = (struct ph_virial_result){.n = 0};
}

struct ph_virial_lengths ph_virial_lengths(const struct ph_virial_task *task)
{
    const struct ph_interactions *interactions = task->interactions;
    const struct ph_species *species[2] = {&task->system->species[task->a], &task->system->species[task->b]};
    struct ph_virial_lengths l = {.endless = interactions->truncation == PH_TRUNCATE_NONE};
    for (int k = 0; k < 2; ++k) {
        l.reach += species[k]->extent;
        for (size_t a = 0; a < species[k]->n_sites; ++a)
            l.sigma = fmax(l.sigma, fmax(ph_radial_size(&species[k]->site[a].radial),
                                         ph_angular_length(&species[k]->site[a].angular)));
    }
    for (size_t k = 0; k < interactions->n_overrides; ++k)
        l.sigma = fmax(l.sigma, fmax(ph_radial_size(&interactions->overrides[k].radial),
                                     ph_angular_length(&interactions->overrides[k].angular)));
    l.sigma = l.sigma > 0.0 ? l.sigma : fmax(l.reach, 1.0);
    l.cutoff = l.endless ? INFINITY : interactions->cutoff;
    l.switch_on = interactions->truncation == PH_TRUNCATE_SWITCHED ? l.cutoff - interactions->switch_width : INFINITY;
    return l;
}

/* Overlaps so close that the energy is not finite count as forbidden. */
double ph_virial_mayer(const struct ph_virial_task *task, struct ph_two_molecules *two, double r)
{
    static const double forbidden = 1000.0; /* kT */
    const double displacement[3] = {0.0, 0.0, r};
    double radial, electric;
    ph_two_molecules_energy(two, displacement, &radial, &electric);
    if (!(radial <= forbidden * task->kT) || !(fabs(electric) < 1e100))
        return -1.0;
    return expm1(-(radial + electric) / task->kT);
}
