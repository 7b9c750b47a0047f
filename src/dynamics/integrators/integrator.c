/* SPDX-License-Identifier: MIT */
#include "dynamics/integrators/integrator.h"

#include <string.h>

static const struct ph_integrator *const integrators[] = {
    &ph_integrator_rattle,  &ph_integrator_vlv,     &ph_integrator_midpoint, &ph_integrator_eln_cay,
    &ph_integrator_eln_exp, &ph_integrator_tln_cay, &ph_integrator_tln_exp,  &ph_integrator_liemid_ea,
    &ph_integrator_prk,     &ph_integrator_mcg,     &ph_integrator_new3,     &ph_integrator_trap,
    &ph_integrator_imid,    &ph_integrator_trapm,   &ph_integrator_imidm,    &ph_integrator_swc1,
    &ph_integrator_akw,     &ph_integrator_bbtrap,  &ph_integrator_bbtrapwd,
};

size_t ph_integrator_count(void) { return sizeof integrators / sizeof integrators[0]; }

const struct ph_integrator *ph_integrator_at(size_t index)
{
    return index < ph_integrator_count() ? integrators[index] : NULL;
}

const struct ph_integrator *ph_integrator_find(const char *name)
{
    for (size_t i = 0; i < ph_integrator_count(); ++i)
        if (strcmp(integrators[i]->name, name) == 0)
            return integrators[i];
    return NULL;
}
