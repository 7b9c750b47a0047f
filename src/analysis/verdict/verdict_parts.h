/* SPDX-License-Identifier: MIT */
#ifndef PH_ANALYSIS_VERDICT_VERDICT_PARTS_H
#define PH_ANALYSIS_VERDICT_VERDICT_PARTS_H

/* Declarations that the files of the verdict share */

#include "analysis/trajectory/conditions.h"
#include "analysis/trajectory/series.h"
#include "analysis/verdict/verdict.h"

/* A run that is judged: the rows of its production, or of another stage */
struct ph_judged {
    const struct ph_reader *reader;
    struct ph_analysis_request request; /* which rows; no stage: the production */
    struct ph_conditions conditions;
    bool thermal;                 /* it should be in equilibrium */
    bool bath;                    /* a bath or a cell exchanges energy with it */
    bool physical;                /* units: md */
    double degrees;               /* of freedom, of all molecules; 3 of each if the file does not say */
    double kinetic;               /* mean of the kinetic energy; NaN: not known */
    struct ph_series potential;   /* energy */
    struct ph_series temperature; /* neither needs to have rows */
    bool brief;                   /* too short for its correlation times: nothing subtle can be said */
    struct ph_verdict *verdict;
};

/* How many independent numbers a record is as long as; 0 if it is too short to tell. Fewer than PH_INDEPENDENT tell
 * nothing of a mean. */
enum { PH_INDEPENDENT = 10 };
double ph_independent(const struct ph_mean *mean);

/* Differences matter from 1.5 % on */
extern const double ph_verdict_tolerance;

/* Adds a check, whose text is a printf */
struct ph_check *ph_verdict_say(struct ph_verdict *verdict, const char *name, enum ph_finding state, const char *format,
                                ...) __attribute__((format(printf, 4, 5)));

/* The rows to be judged; none if the file has none. To be freed in any case. */
enum ph_status ph_judged_read(const struct ph_judged *run, const char *name, struct ph_series *series,
                              struct ph_error *err);

/* The second half of a stage as a run of its own, whose checks go to another verdict; false if it has hardly a row */
bool ph_judged_half(const struct ph_judged *run, const struct ph_reader_stage *stage, struct ph_judged *half,
                    struct ph_verdict *verdict);

/* The last row of a series that holds the part of all proposals that were accepted, NaN without; and how many rows */
enum ph_status ph_judged_accepted(const struct ph_judged *run, const char *name, double *accepted, size_t *rows,
                                  struct ph_error *err);

/* From the first row to the last */
double ph_judged_length(const struct ph_series *series);

/* Checks: one or more each */
typedef enum ph_status ph_check_function(const struct ph_judged *run, struct ph_error *err);
ph_check_function ph_check_moves;  /* acceptance of steps and cells */
ph_check_function ph_check_energy; /* drift, and error */
ph_check_function ph_check_asked;  /* temperature, pressure */
ph_check_function ph_check_stages; /* stages before the production, and the pressure that it should have from them */
ph_check_function ph_check_length, ph_check_settling, ph_check_dipole;
ph_check_function ph_check_equipartition; /* and axes without a torque */
ph_check_function ph_check_configurational;
ph_check_function ph_check_phases;
bool ph_is_brief(const struct ph_judged *run);

#endif
