/* SPDX-License-Identifier: MIT */
#include "lab/studies/frame/work.h"

const struct ph_table_column ph_study_work_columns[PH_STUDY_WORK_COLUMNS] = {
    {"panel", "kind of bodies", true},
    {"flow", "flow of the free rigid body", true},
    {"step", "of time", false},
    {"steps", "to t = 10", false},
    {"error_m", "of the angular momentum, relative; random bodies: 10 to the mean number of digits", false},
    {"error_q", "of the orientation, likewise", false},
    {"ns", "processor time of a step of one body", false},
    {"cost", "processor time of the whole way, microseconds", false},
};

struct listener {
    const struct ph_study_result *result;
    struct ph_study_part part;
};

static void tell(size_t done, size_t n_flows, void *data)
{
    const struct listener *l = data;
    ph_study_tell(l->result, l->part.begin + (l->part.end - l->part.begin) * (double)done / (double)n_flows);
}

enum ph_status ph_study_measure_work(size_t n_flows, const struct ph_flow *const flows[], enum ph_work_body body,
                                     int n_steps, struct ph_study_part part, struct ph_work_point *points,
                                     struct ph_study_result *result, struct ph_error *err)
{
    struct listener listener = {.result = result, .part = part};
    enum ph_status status = ph_measure_work(n_flows, flows, body, n_steps, tell, &listener, points, err);
    for (size_t i = 0; i < n_flows * (size_t)n_steps && status == PH_OK; ++i) {
        const struct ph_work_point *point = &points[i];
        status = ph_table_append(&result->table[1], (const char *const[]){ph_work_body_name(body), point->flow->name},
                                 (const double[]){point->step, point->n_steps, point->error_m, point->error_q,
                                                  point->ns_per_body_step, 1e-3 * point->cost_total_ns},
                                 err);
    }
    return status;
}
