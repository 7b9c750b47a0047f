/* SPDX-License-Identifier: MIT */
#ifndef PH_ANALYSIS_KINDS_TEMPERATURE_H
#define PH_ANALYSIS_KINDS_TEMPERATURE_H

/* Temperatures of positions and orientations, from mean squared forces and torques over mean second derivatives of the
 * energy (output.configurational_temperature) */

#include "analysis/trajectory/series.h"

enum { PH_CONFIGURATIONAL_KINDS = 2 };
extern const char *const ph_configurational_names[PH_CONFIGURATIONAL_KINDS]; /* positions, orientations */

/* Computes, from the rows of a request, a configurational temperature and its difference from the kinetic temperature,
 * whose series is `kinetic`. A mean has n = 0 if the file lacks the data. */
enum ph_status ph_configurational_read(const struct ph_reader *reader, const struct ph_analysis_request *request,
                                       size_t kind, const struct ph_series *kinetic, struct ph_mean *temperature,
                                       struct ph_mean *difference, struct ph_error *err);

#endif
