/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_KERNELS_DISTANCE_H
#define PH_FORCE_PAIRS_KERNELS_DISTANCE_H

#include "base/lanes.h"
#include "potential/truncation.h"

/* 1/r. Beyond a cutoff it is set to 0, which is where most functions vanish by themselves; without one, at r > 1e18,
 * where there are only sites that fill up a block. NaN (positions that are NaN) stays NaN: it is set
 * before the root is refined, or r^2 times 0 is added. If PH_NARROW the root that is refined is that of the machine in
 * single precision, which takes a third of the time: error 1e-7 before the step of third order, for r from 1e-19 on. */
PH_INLINE double ph_inverse_distance(enum ph_truncate truncate, double cut2, double r2)
{
    const bool ends = truncate == PH_CUT || truncate == PH_SHIFTED, in = r2 < (ends ? cut2 : 1e36);
    const double guess = PH_NARROW ? (double)(1.0f / sqrtf((float)r2)) : ph_inverse_sqrt_guess(r2);
    return ph_inverse_sqrt_refine(r2, in ? guess : 0.0);
}

#endif
