/* SPDX-License-Identifier: MIT */
#ifndef PH_STATE_NOISE_H
#define PH_STATE_NOISE_H

/* Friction and noise on momenta, see bath_langevin.c: shared by the processor and other backends. */

#include "base/lanes.h"
#include "model/species.h"

#include <math.h>

/* Momenta of translation and of rotation become keep x + sqrt(spread inertia) xi, xi normal numbers of seed, index and
 * the number of the molecule. */
struct ph_noise {
    uint64_t seed, index;
    double keep[2], spread[2];
};

/* The same for the six momenta of each molecule of a species: x <- keep x + width xi */
struct ph_noise_kind {
    double keep[6], width[6];
    double half_inverse[6]; /* of mass and moments of inertia; 0 where there is none */
};

static inline struct ph_noise_kind ph_noise_kind_of(const struct ph_noise *noise, double mass, const double inertia[3])
{
    struct ph_noise_kind kind;
    for (int k = 0; k < 6; ++k) {
        const double inert = k < 3 ? mass : inertia[k - 3];
        kind.keep[k] = noise->keep[k / 3];
        kind.width[k] = sqrt(noise->spread[k / 3] * inert);
        kind.half_inverse[k] = inert > 0.0 ? 0.5 / inert : 0.0;
    }
    return kind;
}

/* Applies noise to one of the six momenta of a molecule; adds the gain to the heat. */
PH_INLINE void ph_noise_mix(double keep, double width, double half_inverse, double xi, double *x, double *heat)
{
    const double mixed = ph_fma(keep, *x, width * xi);
    *heat += half_inverse * (mixed - *x) * (mixed + *x);
    *x = mixed;
}

#endif
