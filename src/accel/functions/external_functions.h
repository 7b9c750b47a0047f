/* SPDX-License-Identifier: MIT */
#ifndef PH_ACCEL_FUNCTIONS_EXTERNAL_FUNCTIONS_H
#define PH_ACCEL_FUNCTIONS_EXTERNAL_FUNCTIONS_H

/* External fields, for one molecule: text of both machines, see accel/functions/device_functions.h, which comes first.
 */

#include "accel/functions/device_functions.h"
#include "force/external/external_force.h"

/* Adds all fields to the pair forces on molecule i. */
PH_INLINE void external_body(bool energy, const struct ph_accel_view *v, uint32_t i)
{
    const struct ph_external_view *external = &v->external;
    const uint32_t s = v->sites.n_kinds > 0 ? v->sites.species[i] : 0, acts = external->acts[s];
    struct ph_external_body body;
    double force[3] = {0.0, 0.0, 0.0}, torque[3] = {0.0, 0.0, 0.0}, sum = 0.0, all = 0.0;
    body.fields = &external->fields;
    body.species = &external->species[s];
    for (int k = 0; k < 4; ++k) {
        body.q[k] = v->q[k][i];
        body.attractor[k] = external->attractor[k];
    }
    for (int k = 0; k < 3; ++k) {
        body.r[k] = v->r[k][i];
        for (int e = 0; e < 3; ++e)
            body.r[k] += v->image[e][i] * v->edges[e][k];
        body.anchor[k] = external->anchor[k] ? external->anchor[k][i] : 0.0;
    }
    uint32_t bit = 1;
#define PH_ADD_EXTERNAL(name)                                                                                          \
    if (acts & bit)                                                                                                    \
        sum += ph_external_add_##name(&body, force, torque);                                                           \
    bit *= 2;
    PH_EXTERNALS(PH_ADD_EXTERNAL)
#undef PH_ADD_EXTERNAL
    for (int k = 0; k < 3; ++k) {
        v->f[k][i] += force[k];
        v->t[k][i] += torque[k];
        all += v->f[k][i] + v->t[k][i];
    }
    if (energy)
        v->energy[(size_t)PH_FIELD_ENERGY * v->n + i] = sum;
    if (!(fabs(all) < INFINITY))
        raise_to(UINT32_MAX - i, &v->signals->first_bad);
}

#endif
