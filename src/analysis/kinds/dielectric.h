/* SPDX-License-Identifier: MIT */
#ifndef PH_ANALYSIS_KINDS_DIELECTRIC_H
#define PH_ANALYSIS_KINDS_DIELECTRIC_H

/* How many independent values a record of the total dipole M has: `analyze dielectric` and the verdict agree on it.
 *
 * M^2 alone does not show that M has hardly moved, so the slowest of M^2 and the three components counts. 30
 * independent values of three components leave <M^2>, and with it the dielectric constant, uncertain by 15 %. */

#include "analysis/trajectory/series.h"

enum { PH_DIPOLE_ENOUGH = 30 };

struct ph_dipole_record {
    struct ph_mean square; /* M^2 */
    double inefficiency;   /* of the slowest */
    double independent;    /* rows over that */
    bool rough;            /* its correlation time was not found */
};

/* Returns the record of a series of three components; n of `square` is 0 without memory or rows */
struct ph_dipole_record ph_dipole_record_of(const struct ph_series *dipole);

#endif
