/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_BENCH_CEILING_H
#define PH_LAB_BENCH_CEILING_H

/* The highest speed that this machine and compiler reach, to compare force evaluations with. One molecule interacts
 * with a row of molecules in the first-level cache: forces and fields on both partners, no cutoff, no list, nothing to
 * gather. */

#include <stddef.h>

enum ph_ceiling {
    PH_CEILING_LENNARD_JONES,
    PH_CEILING_LENNARD_JONES_DIPOLE,
    PH_CEILING_CHARGE, /* with reaction field */
    PH_CEILING_LENNARD_JONES_CHARGE,
    PH_CEILINGS
};
const char *ph_ceiling_name(enum ph_ceiling ceiling);

/* Seconds per pair: the mean over a fraction of a millisecond, the best of one, two and four vectors in flight. Call
 * it with one thread in use. */
double ph_ceiling_seconds(enum ph_ceiling ceiling);

/* The same for moving data. Seconds to gather one record of `n_fields` fields into as many rows, and to add one back,
 * with records and rows in the first-level cache. Seconds for a byte read or written in order in the second-level
 * cache. */
double ph_ceiling_gather(size_t n_fields);
double ph_ceiling_scatter(size_t n_fields);
double ph_ceiling_byte(void);

#endif
