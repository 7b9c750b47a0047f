/* SPDX-License-Identifier: MIT */
#include "analysis/registry.h"

#include <string.h>

static const struct ph_analysis *const all[] = {
    &ph_analysis_energy,      &ph_analysis_temperature,        &ph_analysis_pressure,   &ph_analysis_rdf,
    &ph_analysis_orientation, &ph_analysis_structure_factor,   &ph_analysis_dielectric, &ph_analysis_msd,
    &ph_analysis_correlation, &ph_analysis_virial_coefficient,
};
enum { N = sizeof all / sizeof *all };

size_t ph_analysis_count(void) { return N; }

const struct ph_analysis *ph_analysis_at(size_t i) { return all[i]; }

const struct ph_analysis *ph_analysis_find(const char *name)
{
    for (size_t i = 0; i < N; ++i)
        if (strcmp(all[i]->name, name) == 0)
            return all[i];
    return NULL;
}

bool ph_analysis_takes(const struct ph_analysis *analysis, const char *option)
{
    const size_t length = strlen(option);
    for (const char *at = analysis->options; (at = strstr(at, option)); at += length)
        if ((at == analysis->options || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}
