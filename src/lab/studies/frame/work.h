/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_STUDIES_FRAME_WORK_H
#define PH_LAB_STUDIES_FRAME_WORK_H

/* Work and precision of flows, as tables of studies. */

#include "lab/bench/flows.h"
#include "lab/studies/frame/study.h"

/* The second table of a study: bodies, flows, steps, errors, cost */
enum { PH_STUDY_WORK_COLUMNS = 8 };
extern const struct ph_table_column ph_study_work_columns[PH_STUDY_WORK_COLUMNS];

/* n_steps points for each flow, measured and added to the second table; of the study's work, this is the part from
 * `begin` to `end`, between 0 and 1. */
struct ph_study_part {
    double begin, end;
};
enum ph_status ph_study_measure_work(size_t n_flows, const struct ph_flow *const flows[], enum ph_work_body body,
                                     int n_steps, struct ph_study_part part, struct ph_work_point *points,
                                     struct ph_study_result *result, struct ph_error *err);

#endif
