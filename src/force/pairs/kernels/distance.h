/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_KERNELS_DISTANCE_H
#define PH_FORCE_PAIRS_KERNELS_DISTANCE_H

#include "base/lanes.h"
#include "potential/truncation.h"

/* Where 1/r is set to 0: beyond a cutoff, which is where most functions vanish by themselves; without one, at r > 1e18,
 * where there are only sites that fill up a block. NaN (positions that are NaN) stays NaN: 1/r is set before the root
 * is refined, or r^2 times 0 is added. */
PH_INLINE double ph_seen(enum ph_truncate truncate, double cut2, double r2, double inv_r)
{
    return r2 < (truncate == PH_CUT || truncate == PH_SHIFTED ? cut2 : 1e36) ? inv_r : 0.0;
}

/* Returns a guess of 1/r, which a step of third order refines. If PH_NARROW it is the hardware root in single
 * precision, which takes fewer instructions: error 1e-7, for r from 1e-19 to 1e19. */
PH_INLINE double ph_inverse_guess(double r2)
{
    return PH_NARROW ? (double)(1.0f / sqrtf((float)r2)) : ph_inverse_sqrt_guess(r2);
}

/* 1/r */
PH_INLINE double ph_inverse_distance(enum ph_truncate truncate, double cut2, double r2)
{
    return ph_inverse_sqrt_refine(r2, ph_seen(truncate, cut2, r2, ph_inverse_guess(r2)));
}

/* The same in a loop with so much else that the machine finds roots in double precision meanwhile, if PH_NARROW */
PH_INLINE double ph_inverse_distance_meanwhile(enum ph_truncate truncate, double cut2, double r2)
{
    if (!PH_NARROW)
        return ph_inverse_distance(truncate, cut2, r2);
    const double found = sqrt(1.0 / r2);
    return ph_fma(r2, 0.0, ph_seen(truncate, cut2, r2, found));
}

#endif
