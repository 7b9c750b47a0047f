/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_FREE_ENERGY_RUNS_H
#define PH_LAB_FREE_ENERGY_RUNS_H

/* The runs of a difference of free energies, and the energies of their frames with the values of all of them */

#include "analysis/analysis.h"

enum { PH_FREE_RUNS = 32 };

struct ph_free_run {
    const char *file;
    double value; /* of the key */
    double kT;
    size_t n;        /* frames */
    double *energy;  /* owned; [runs][n]: with the value of each run */
    double *first;   /* owned; dU/dx of each frame */
    double *second;  /* owned; likewise */
    int sides;       /* of the differences: 0 both, -1 below, 1 above */
    double pressure; /* of a barostat; NaN without */
    char ensemble[8];
};

struct ph_free_study {
    const struct ph_analysis_request *request;
    size_t n;
    struct ph_free_run run[PH_FREE_RUNS]; /* by value */
    bool thermal;                         /* x is 1/kT */
    bool physical;
    double roughness; /* largest difference of dU/dx with h and 2h, over its size */
};

/* Finds value and temperature of each run, and sorts them. The request has files and key. */
enum ph_status ph_free_study_look(struct ph_free_study *study, struct ph_result *result, struct ph_error *err);
/* Evaluates all frames. */
enum ph_status ph_free_study_evaluate(struct ph_free_study *study, struct ph_error *err);
void ph_free_study_clear(struct ph_free_study *study);

#endif
