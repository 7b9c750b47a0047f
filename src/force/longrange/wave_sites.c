/* SPDX-License-Identifier: MIT */
#include "force/longrange/wave_sites.h"

#include "base/array.h"

#include <stdlib.h>

static bool reserve(size_t n_arrays, double **const arrays[], size_t n)
{
    bool enough = true;
    for (size_t a = 0; a < n_arrays; ++a)
        enough = enough && (*arrays[a] || (*arrays[a] = ph_array_create(ph_padded(n), sizeof(double))));
    return enough;
}

enum ph_status ph_wave_sites_init(size_t n, bool dipoles, struct ph_wave_sites *sites, struct ph_error *err)
{
    sites->n = n;
    sites->dipoles = dipoles;
    bool enough = reserve(1, (double **[]){&sites->charge}, n);
    for (int k = 0; k < 3; ++k)
        enough = enough && reserve(4, (double **[]){&sites->r[k], &sites->mu[k], &sites->field[k], &sites->pull[k]}, n);
    return enough ? PH_OK : ph_error_set(err, PH_ERR_MEMORY, "No memory for the Ewald sum of %zu sites.", n);
}

enum ph_status ph_wave_sites_prepare_rates(struct ph_wave_sites *sites, struct ph_error *err)
{
    bool enough = true;
    for (int k = 0; k < 3; ++k)
        enough = enough && reserve(4,
                                   (double **[]){&sites->r_rate[k], &sites->mu_rate[k], &sites->field_rate[k],
                                                 &sites->pull_rate[k]},
                                   sites->n);
    return enough
               ? PH_OK
               : ph_error_set(err, PH_ERR_MEMORY, "No memory for the rates of the Ewald sum of %zu sites.", sites->n);
}

void ph_wave_sites_clear(struct ph_wave_sites *sites)
{
    free(sites->charge);
    for (int k = 0; k < 3; ++k) {
        double *const owned[] = {sites->r[k],      sites->mu[k],      sites->field[k],      sites->pull[k],
                                 sites->r_rate[k], sites->mu_rate[k], sites->field_rate[k], sites->pull_rate[k]};
        for (size_t a = 0; a < sizeof owned / sizeof *owned; ++a)
            free(owned[a]);
    }
    *sites = (struct ph_wave_sites){.n = 0};
}
