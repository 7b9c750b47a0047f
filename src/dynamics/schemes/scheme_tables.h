/* SPDX-License-Identifier: MIT */
#ifndef PH_DYNAMICS_SCHEMES_SCHEME_TABLES_H
#define PH_DYNAMICS_SCHEMES_SCHEME_TABLES_H

/* The coefficients, one table per kind; for the registry in scheme.c alone. */

#include "dynamics/schemes/scheme.h"

extern const struct ph_scheme ph_schemes_prk[], ph_schemes_rkn[], ph_schemes_gradient[], ph_schemes_displaced[];
extern const size_t ph_schemes_prk_count, ph_schemes_rkn_count, ph_schemes_gradient_count;
extern const size_t ph_schemes_displaced_count;

#endif
