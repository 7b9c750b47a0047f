/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_LONGRANGE_WAVE_SITES_H
#define PH_FORCE_LONGRANGE_WAVE_SITES_H

/* The sites that have a charge or a dipole, as a sum over reciprocal vectors takes them, one by one or on a mesh, and
 * what it gives: arrays of one number for each site, padded to a whole number of lanes. */

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct ph_wave_sites {
    size_t n;
    bool dipoles; /* there are any */
    double *charge, *r[3], *mu[3];
    double *field[3]; /* minus the gradient in mu: the electric field */
    double *pull[3];  /* minus the gradient in r, of the dipole alone; the charge adds charge times field */
    double *r_rate[3], *mu_rate[3], *field_rate[3], *pull_rate[3]; /* NULL until rates are wanted */
};

/* All zero before and after; clearing is safe after a failure. */
enum ph_status ph_wave_sites_init(size_t n, bool dipoles, struct ph_wave_sites *sites, struct ph_error *err);
void ph_wave_sites_clear(struct ph_wave_sites *sites);
enum ph_status ph_wave_sites_prepare_rates(struct ph_wave_sites *sites, struct ph_error *err);

#endif
