/* SPDX-License-Identifier: MIT */
#include "force/longrange/split.h"

#include "base/lanes.h"
#include "force/longrange/bessel.h"

struct ph_split ph_split_of(const struct ph_interactions *interactions)
{
    const struct ph_ewald_choice *choice = &interactions->ewald;
    struct ph_split split = {.kind = choice->split, .a = choice->screening, .rc = interactions->cutoff};
    if (split.kind == PH_SPLIT_BESSEL) {
        split.b = choice->shape;
        split.m = choice->smoothness + 2;
        split.scale = 1.0 / ph_bessel_transform(split.m, split.b * split.b);
    }
    return split;
}

double ph_split_wave(const struct ph_split *split, double k2, double *slope)
{
    if (split->kind == PH_SPLIT_GAUSS) {
        const double quarter = 0.25 / (split->a * split->a), g = ph_exp(-k2 * quarter);
        if (slope)
            *slope = -quarter * g;
        return g;
    }
    const double rc2 = split->rc * split->rc, w = split->b * split->b - k2 * rc2;
    if (slope)
        *slope = -0.5 * rc2 * ph_bessel_transform(split->m + 1, w) * split->scale;
    return ph_bessel_transform(split->m, w) * split->scale;
}
