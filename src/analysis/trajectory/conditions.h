/* SPDX-License-Identifier: MIT */
#ifndef PH_ANALYSIS_TRAJECTORY_CONDITIONS_H
#define PH_ANALYSIS_TRAJECTORY_CONDITIONS_H

/* The conditions of a stage as the file states them: ensemble, target temperature and target pressure. A file without
 * stages, or without their conditions, only has the conditions of its production. */

#include "output/reader/reader.h"

struct ph_conditions {
    char ensemble[8];             /* NVE, NVT, NPT or NPH; "" not said, or several stages */
    double temperature, pressure; /* targets; NaN without */
    double degrees;               /* of freedom; NaN: not said */
    bool one;                     /* one stage, the production or a stage that the file describes, and not several */
};

/* Returns the conditions of a stage as --stage names it; NULL: of the production. Before the production has begun its
 * conditions are unknown, because several stages stand for it. */
struct ph_conditions ph_conditions_of(const struct ph_reader *reader, const char *stage);

#endif
