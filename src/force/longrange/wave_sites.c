/* SPDX-License-Identifier: MIT */
#include "force/longrange/wave_sites.h"

#include "base/array.h"

#include <stdlib.h>

static bool reserve(size_t n_arrays, double **const arrays[], size_t n)
{
    bool enough = true;
    for (size_t a = 0; a < n_arrays; ++a)
        enough = enough && (*arrays[a] || (*arrays[a] = ph_array_create(n, sizeof(double))));
    return enough;
}

static bool reserve_rates(struct ph_wave_sites *sites)
{
    bool enough = true;
    for (int k = 0; k < 3; ++k)
        enough = enough && reserve(4,
                                   (double **[]){&sites->r_rate[k], &sites->mu_rate[k], &sites->field_rate[k],
                                                 &sites->pull_rate[k]},
                                   sites->room);
    for (int k = 0; k < PH_WAVE_TENSOR && sites->quadrupoles; ++k)
        enough = enough && reserve(2, (double **[]){&sites->m_rate[k], &sites->gradient_rate[k]}, sites->room);
    return enough;
}

/* The first time as many as there are; later they come and go, a few at a time. */
static bool grow(size_t n, struct ph_wave_sites *sites)
{
    const bool rates = sites->r_rate[0] != NULL, dipoles = sites->dipoles, quadrupoles = sites->quadrupoles;
    const bool again = sites->charge != NULL;
    ph_wave_sites_clear(sites);
    sites->dipoles = dipoles;
    sites->quadrupoles = quadrupoles;
    sites->room = ph_padded(again ? n + n / 8 : n);
    bool enough = reserve(1, (double **[]){&sites->charge}, sites->room) &&
                  (sites->number = ph_array_create(sites->room, sizeof *sites->number)) != NULL;
    for (int k = 0; k < 3; ++k)
        enough = enough &&
                 reserve(4, (double **[]){&sites->r[k], &sites->mu[k], &sites->field[k], &sites->pull[k]}, sites->room);
    for (int k = 0; k < PH_WAVE_TENSOR && quadrupoles; ++k)
        enough = enough && reserve(2, (double **[]){&sites->m[k], &sites->gradient[k]}, sites->room);
    return enough && (!rates || reserve_rates(sites));
}

enum ph_status ph_wave_sites_resize(size_t n, struct ph_wave_sites *sites, struct ph_error *err)
{
    if ((n > sites->room || !sites->charge) && !grow(n, sites)) {
        ph_wave_sites_clear(sites);
        return ph_no_memory(err, "the Ewald sum of %zu sites", n);
    }
    sites->n = n;
    for (size_t j = n; j < ph_padded(n); ++j) {
        sites->charge[j] = 0.0;
        for (int k = 0; k < 3; ++k) {
            sites->r[k][j] = sites->mu[k][j] = 0.0;
            if (sites->r_rate[k])
                sites->r_rate[k][j] = sites->mu_rate[k][j] = 0.0;
        }
        for (int k = 0; k < PH_WAVE_TENSOR && sites->quadrupoles; ++k) {
            sites->m[k][j] = 0.0;
            if (sites->m_rate[k])
                sites->m_rate[k][j] = 0.0;
        }
    }
    return PH_OK;
}

enum ph_status ph_wave_sites_prepare_rates(struct ph_wave_sites *sites, struct ph_error *err)
{
    return reserve_rates(sites) ? PH_OK : ph_no_memory(err, "the rates of the Ewald sum of %zu sites", sites->n);
}

void ph_wave_sites_clear(struct ph_wave_sites *sites)
{
    free(sites->charge);
    free(sites->number);
    for (int k = 0; k < 3; ++k) {
        double *const owned[] = {sites->r[k],      sites->mu[k],      sites->field[k],      sites->pull[k],
                                 sites->r_rate[k], sites->mu_rate[k], sites->field_rate[k], sites->pull_rate[k]};
        for (size_t a = 0; a < sizeof owned / sizeof *owned; ++a)
            free(owned[a]);
    }
    for (int k = 0; k < PH_WAVE_TENSOR; ++k) {
        double *const owned[] = {sites->m[k], sites->gradient[k], sites->m_rate[k], sites->gradient_rate[k]};
        for (size_t a = 0; a < sizeof owned / sizeof *owned; ++a)
            free(owned[a]);
    }
    *sites = (struct ph_wave_sites){.n = 0};
}
