/* SPDX-License-Identifier: MIT */
#ifndef PH_ANALYSIS_REGISTRY_H
#define PH_ANALYSIS_REGISTRY_H

/* Within analyses: each object is defined in the file of its name. */

#include "analysis/analysis.h"

extern const struct ph_analysis ph_analysis_energy;
extern const struct ph_analysis ph_analysis_temperature;
extern const struct ph_analysis ph_analysis_pressure;
extern const struct ph_analysis ph_analysis_fluctuations;
extern const struct ph_analysis ph_analysis_rdf;
extern const struct ph_analysis ph_analysis_orientation;
extern const struct ph_analysis ph_analysis_structure_factor;
extern const struct ph_analysis ph_analysis_dielectric;
extern const struct ph_analysis ph_analysis_msd;
extern const struct ph_analysis ph_analysis_correlation;
extern const struct ph_analysis ph_analysis_profile;
extern const struct ph_analysis ph_analysis_tetrahedral;
extern const struct ph_analysis ph_analysis_hydrogen_bonds;
extern const struct ph_analysis ph_analysis_surface_tension;
extern const struct ph_analysis ph_analysis_transport;

#endif
