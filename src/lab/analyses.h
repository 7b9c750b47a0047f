/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_ANALYSES_H
#define PH_LAB_ANALYSES_H

/* All kinds of analysis: of trajectories, and of the potentials of input files */

#include "analysis/analysis.h"

extern const struct ph_analysis ph_analysis_virial_coefficient;
extern const struct ph_analysis ph_analysis_averages;
extern const struct ph_analysis ph_analysis_chemical_potential;
extern const struct ph_analysis ph_analysis_free_energy;

size_t ph_analysis_count(void);
const struct ph_analysis *ph_analysis_at(size_t i);
const struct ph_analysis *ph_analysis_find(const char *name); /* NULL: unknown */
/* Runs one. PH_ERR_MEMORY if any allocation failed on the way: other errors may then be its consequence. */
enum ph_status ph_analysis_run(const struct ph_analysis *analysis, const struct ph_analysis_request *request,
                               struct ph_result *result, struct ph_error *err);

bool ph_analysis_takes(const struct ph_analysis *analysis, const char *option);

/* Functions that analyses call for models and potentials */
extern const struct ph_analysis_help ph_analysis_help;

#endif
