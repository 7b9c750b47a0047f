/* SPDX-License-Identifier: MIT */
#ifndef PH_ANALYSIS_TRAJECTORY_CONDITIONS_H
#define PH_ANALYSIS_TRAJECTORY_CONDITIONS_H

/* Under which conditions a stage was run: what the file says of its ensemble and of what was asked for. A file without
 * stages, and one that says nothing of theirs, has those of its production. */

#include "output/reader/reader.h"

struct ph_conditions {
    char ensemble[8];             /* NVE, NVT, NPT or NPH; "" not said, or several stages */
    double temperature, pressure; /* asked for; NaN without */
    double degrees;               /* of freedom; NaN: not said */
    bool one;                     /* one stage: the production or one that the file describes, and not several */
};

/* Of a stage as --stage names it; NULL: of the production. Before that has begun there is nothing of it, and what
 * stands for it are several stages. */
struct ph_conditions ph_conditions_of(const struct ph_reader *reader, const char *stage);

#endif
