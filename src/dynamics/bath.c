/* SPDX-License-Identifier: MIT */
#include "dynamics/bath.h"

#include "dynamics/bath_kinds.h"

#include <string.h>

static const struct ph_bath_kind *const kinds[] = {&ph_bath_langevin, &ph_bath_metropolis, &ph_bath_rescaling,
                                                   &ph_bath_chains};

size_t ph_bath_count(void) { return sizeof kinds / sizeof *kinds; }

const struct ph_bath_kind *ph_bath_at(size_t k) { return kinds[k]; }

const struct ph_bath_kind *ph_bath_find(const char *name)
{
    for (size_t k = 0; k < ph_bath_count(); ++k)
        if (strcmp(kinds[k]->name, name) == 0)
            return kinds[k];
    return NULL;
}
