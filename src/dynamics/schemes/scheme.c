/* SPDX-License-Identifier: MIT */
/* The registry of schemes.
 *
 * A name consists of the authors and the order, then, after a hyphen, a label that distinguishes their schemes of this
 * order: the number of force evaluations and their letter (srkn6-14a, rkn8-17b), or their own label (mclachlan4-sb3a4;
 * omelyan4-3f1gp: three evaluations, one gradient, position first). s and srkn are schemes of Blanes and Moan, polhode
 * our own: their letter is a where a step begins with a drift (A), b with a kick (B). Schemes with a well-known name
 * keep it (verlet, pefrl, aba864). composed8-chin4a is the composition of order 8 of steps of chin4a.
 * chin4a-displaced has the coefficients of chin4a, and displaced forces in place of gradients. */

/* Where A and B may be exchanged and both forms are of use, the plain name is the form of the authors, and the other
 * has a suffix for its first flow: -position for a drift, -kick for a kick. Compositions of Verlet steps are plain with
 * the kick first (its forces are known at the end of a step, where energies are wanted), except sofroniou10-35, which
 * was found better with the drift first. */

#include "dynamics/schemes/scheme_tables.h"

#include <string.h>

size_t ph_scheme_count(void)
{
    return ph_schemes_prk_count + ph_schemes_rkn_count + ph_schemes_gradient_count + ph_schemes_displaced_count;
}

const struct ph_scheme *ph_scheme_at(size_t index)
{
    if (index < ph_schemes_prk_count)
        return &ph_schemes_prk[index];
    index -= ph_schemes_prk_count;
    if (index < ph_schemes_rkn_count)
        return &ph_schemes_rkn[index];
    index -= ph_schemes_rkn_count;
    if (index < ph_schemes_gradient_count)
        return &ph_schemes_gradient[index];
    index -= ph_schemes_gradient_count;
    return index < ph_schemes_displaced_count ? &ph_schemes_displaced[index] : NULL;
}

const struct ph_scheme *ph_scheme_find(const char *name)
{
    for (size_t i = 0; i < ph_scheme_count(); ++i)
        if (strcmp(ph_scheme_at(i)->name, name) == 0)
            return ph_scheme_at(i);
    return NULL;
}

struct ph_scheme_flow ph_scheme_flow_at(const struct ph_scheme *scheme, int k)
{
    const int folded = k < scheme->flows - 1 - k ? k : scheme->flows - 1 - k;
    const enum ph_flow_kind kind = (enum ph_flow_kind)scheme->letters[(size_t)folded % strlen(scheme->letters)];
    return (struct ph_scheme_flow){
        .kind = kind, .x = scheme->x[folded], .c = kind == PH_FLOW_KICK ? scheme->c[folded] : 0.0};
}

bool ph_scheme_kick_first(const struct ph_scheme *scheme) { return scheme->letters[0] == PH_FLOW_KICK; }

bool ph_scheme_drift_in_the_middle(const struct ph_scheme *scheme)
{
    return ph_scheme_kick_first(scheme) && ph_scheme_flow_at(scheme, scheme->flows / 2).kind == PH_FLOW_DRIFT;
}

/* Kicks of a step with a gradient, in a long run */
static int kicks_with_gradient(const struct ph_scheme *scheme)
{
    int gradients = 0;
    for (int k = ph_scheme_kick_first(scheme) ? 1 : 0; k < scheme->flows; ++k)
        gradients += ph_scheme_flow_at(scheme, k).c != 0.0;
    return gradients;
}

bool ph_scheme_is_displaced(const struct ph_scheme *scheme) { return scheme->kind == PH_SCHEME_DISPLACED; }

bool ph_scheme_is_plain(const struct ph_scheme *scheme) { return kicks_with_gradient(scheme) == 0; }

int ph_scheme_evaluations(const struct ph_scheme *scheme)
{
    return scheme->flows / 2 + (ph_scheme_is_displaced(scheme) ? kicks_with_gradient(scheme) : 0);
}

int ph_scheme_gradients(const struct ph_scheme *scheme)
{
    return ph_scheme_is_displaced(scheme) ? 0 : kicks_with_gradient(scheme);
}

int ph_scheme_fast_evaluations(const struct ph_scheme *outer, const struct ph_scheme *inner, int substeps)
{
    const int kicks = ph_scheme_evaluations(outer), drifts = ph_scheme_kick_first(outer) ? kicks : kicks + 1;
    return drifts * substeps * ph_scheme_evaluations(inner) + (ph_scheme_kick_first(inner) ? 0 : kicks);
}

const char *ph_scheme_kind_name(enum ph_scheme_kind kind)
{
    switch (kind) {
    case PH_SCHEME_PRK: return "PRK";
    case PH_SCHEME_RKN: return "RKN";
    case PH_SCHEME_GRADIENT: return "gradient";
    case PH_SCHEME_DISPLACED: return "displaced";
    }
    return "unknown";
}
