/* SPDX-License-Identifier: MIT */
#include "dynamics/schemes/composition.h"

#include <math.h>

int ph_composition_steps(const struct ph_scheme *composition) { return composition->flows / 2; }

double ph_composition_weight(const struct ph_scheme *composition, int k)
{
    return ph_scheme_flow_at(composition, 2 * k + 1).x;
}

bool ph_is_composition(const struct ph_scheme *scheme)
{
    const double rounding = 1e-15;
    if (!ph_scheme_kick_first(scheme) || !ph_scheme_is_plain(scheme))
        return false;
    const int steps = ph_composition_steps(scheme);
    for (int k = 0; k <= steps; ++k) { /* a kick is half of the step before it and half of the one after it */
        const double before = k > 0 ? ph_composition_weight(scheme, k - 1) : 0.0;
        const double after = k < steps ? ph_composition_weight(scheme, k) : 0.0;
        if (!(fabs(ph_scheme_flow_at(scheme, 2 * k).x - 0.5 * (before + after)) < rounding))
            return false;
    }
    return true;
}
