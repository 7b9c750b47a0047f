/* SPDX-License-Identifier: MIT */
#ifndef PH_BASE_LIBRARY_H
#define PH_BASE_LIBRARY_H

/* Functions of the C library for constants that enter the dynamics. Of exp, log, pow, sin, cos and what is made of
 * them, glibc has versions for machines with a fused multiply-add and for those without, and takes the one that fits
 * when the program starts: last digits may differ. In long double there is one of each, with digits to spare: rounded
 * to double, it is nearly always the same on another architecture, too. They are slow; loops have their own functions
 * in base/lanes.h. */

#include "base/lanes.h"

PH_INLINE double ph_library_exp(double x) { return (double)expl((long double)x); }
PH_INLINE double ph_library_log(double x) { return (double)logl((long double)x); }
PH_INLINE double ph_library_pow(double x, double y) { return (double)powl((long double)x, (long double)y); }
PH_INLINE double ph_library_cbrt(double x) { return (double)cbrtl((long double)x); }
PH_INLINE double ph_library_erf(double x) { return (double)erfl((long double)x); }
PH_INLINE double ph_library_erfc(double x) { return (double)erfcl((long double)x); }

#endif
