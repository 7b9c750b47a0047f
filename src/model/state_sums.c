/* SPDX-License-Identifier: MIT */
#include "model/state_sums.h"

#include "base/rotation.h"

static void add_molecule(const struct ph_system *system, const struct ph_species *species, const double mu_body[3],
                         size_t i, struct ph_state_sums *sums)
{
    const double q[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]};
    const double m[3] = {system->m[0][i], system->m[1][i], system->m[2][i]};
    double r[3], p[3], spin[3], mu[3];
    for (int k = 0; k < 3; ++k) {
        p[k] = system->p[k][i];
        r[k] = system->r[k][i];
        for (int e = 0; e < 3; ++e)
            r[k] += system->image[e][i] * system->box.edge[e][k];
    }
    ph_quat_rotate(q, m, spin);
    ph_quat_rotate(q, mu_body, mu);
    for (int k = 0; k < 3; ++k) {
        const int a = (k + 1) % 3, b = (k + 2) % 3;
        sums->momentum[k] += p[k];
        sums->angular_momentum[k] += r[a] * p[b] - r[b] * p[a] + spin[k];
        sums->dipole[k] += mu[k];
        sums->force[k] += system->f[k][i];
        if (species->inertia[k] > 0.0)
            sums->axis[k] += 0.5 * m[k] * m[k] / species->inertia[k];
        for (int l = 0; l < 3; ++l)
            sums->kinetic[k][l] += 0.5 * p[k] * p[l] / species->mass;
    }
}

void ph_state_sum(const struct ph_system *system, struct ph_state_sums *sums)
{
    *sums = (struct ph_state_sums){.kinetic = {{0.0}}};
    ph_state_sum_add(system, sums);
}

void ph_state_sum_add(const struct ph_system *system, struct ph_state_sums *sums)
{
    for (size_t s = 0; s < system->n_species; ++s) {
        double mu[3];
        ph_species_dipole(&system->species[s], mu);
        for (size_t i = system->first[s]; i < system->first[s + 1]; ++i)
            add_molecule(system, &system->species[s], mu, i, sums);
    }
}
