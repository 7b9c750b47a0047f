/* SPDX-License-Identifier: MIT */
#include "dynamics/momenta.h"

#include "dynamics/bath.h"

enum ph_status ph_momenta_kinetic(const struct ph_momenta *momenta, double kinetic[PH_BATH_GROUPS],
                                  struct ph_error *err)
{
    if (momenta->backend)
        return momenta->backend->kinetic(momenta->backend, kinetic, err);
    for (int group = 0; group < PH_BATH_GROUPS; ++group)
        kinetic[group] = ph_bath_kinetic(momenta->system, group);
    return PH_OK;
}

enum ph_status ph_momenta_scale(const struct ph_momenta *momenta, const double factor[PH_BATH_GROUPS],
                                struct ph_error *err)
{
    if (momenta->backend)
        return momenta->backend->scale(momenta->backend, factor, err);
    for (int group = 0; group < PH_BATH_GROUPS; ++group)
        if (factor[group] != 1.0)
            ph_bath_scale(factor[group], group, momenta->system);
    return PH_OK;
}
