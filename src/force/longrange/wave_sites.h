/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_LONGRANGE_WAVE_SITES_H
#define PH_FORCE_LONGRANGE_WAVE_SITES_H

/* The sites that have a charge, a dipole or a quadrupole. They are the input of a sum over reciprocal vectors, one by
 * one or on a mesh, and hold its results. Arrays have one number for each site, padded to a whole number of lanes. If
 * several ranks share a system, each has the sites of its molecules. */

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A quadrupole acts as charges of density M:grad grad, where M is a third of T (potential/quadrupole_formulas.h): half
 * the sum of q x x, less its trace. */
enum { PH_WAVE_TENSOR = 6 };

struct ph_wave_sites {
    size_t n, room;            /* how many there are, and for how many there is memory */
    bool dipoles, quadrupoles; /* there are any; quadrupoles make room for dipoles too */
    double *charge, *r[3], *mu[3];
    double *m[PH_WAVE_TENSOR]; /* quadrupoles: M = T/3, xx xy xz yy yz zz; with the others of six NULL without them */
    uint32_t *number;          /* among the sites of all ranks, in ascending order */
    double *field[3];          /* minus the gradient in mu: the electric field */
    double *pull[3]; /* minus the gradient in r, but for the part of the charge, which is charge times field */
    double *gradient[PH_WAVE_TENSOR]; /* G, minus the gradient in M: dU = -sum of G dM over all nine places */
    double *m_rate[PH_WAVE_TENSOR], *gradient_rate[PH_WAVE_TENSOR];
    double *r_rate[3], *mu_rate[3], *field_rate[3], *pull_rate[3]; /* NULL until rates are wanted */
};

/* All zero before and after, but for `dipoles` and `quadrupoles` before; clearing is safe after a failure. */
void ph_wave_sites_clear(struct ph_wave_sites *sites);
/* Changes the number of sites to n; the contents of the arrays may be lost. Behind the last, up to a whole number of
 * lanes, there are sites without charge and dipole. */
enum ph_status ph_wave_sites_resize(size_t n, struct ph_wave_sites *sites, struct ph_error *err);
/* Memory for rates, as long as there is for sites */
enum ph_status ph_wave_sites_prepare_rates(struct ph_wave_sites *sites, struct ph_error *err);

#endif
