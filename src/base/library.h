/* SPDX-License-Identifier: MIT */
#ifndef PH_BASE_LIBRARY_H
#define PH_BASE_LIBRARY_H

/* Functions of the C library for constants that enter the dynamics. The library glibc has versions of exp, log, pow,
 * sin, cos and functions built on them for machines with and without a fused multiply-add. It chooses one when the
 * program starts, so last digits may differ. In long double there is one version of each, with digits to spare: rounded
 * to double, its result is nearly always the same on another architecture, too. They are slow; loops have their own
 * functions in base/lanes.h. Devices have no long double, and none of these. */

#include <math.h>

static inline double ph_library_exp(double x) { return (double)expl((long double)x); }
static inline double ph_library_log(double x) { return (double)logl((long double)x); }
static inline double ph_library_pow(double x, double y) { return (double)powl((long double)x, (long double)y); }
static inline double ph_library_cbrt(double x) { return (double)cbrtl((long double)x); }
static inline double ph_library_cos(double x) { return (double)cosl((long double)x); }
static inline double ph_library_erf(double x) { return (double)erfl((long double)x); }

#endif
