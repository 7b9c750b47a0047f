/* SPDX-License-Identifier: MIT */
#ifndef PH_ANALYSIS_VERDICT_PARTS_H
#define PH_ANALYSIS_VERDICT_PARTS_H

/* What the files of the verdict share */

#include "analysis/conditions.h"
#include "analysis/series.h"
#include "analysis/verdict.h"

/* A run that is judged: the rows of its production */
struct ph_judged {
    const struct ph_reader *reader;
    struct ph_conditions conditions;
    bool thermal;  /* it should be in equilibrium */
    bool physical; /* units: md */
    struct ph_verdict *verdict;
};

/* Bounds of all checks: differences count from four errors on, and from 1.5 % on */
enum { PH_VERDICT_ERRORS = 4 };
enum { PH_VERDICT_FEWEST = 10, PH_VERDICT_ROWS = 30 }; /* independent numbers, and rows, that are needed to say so */
extern const double ph_verdict_tolerance;

/* Error of a mean times PH_VERDICT_ERRORS, twice that if it is rough; infinite of too few independent numbers */
double ph_verdict_chance(const struct ph_mean *mean);

/* Adds a check, whose text is a printf */
struct ph_check *ph_verdict_say(struct ph_verdict *verdict, const char *name, enum ph_state state, const char *format,
                                ...) __attribute__((format(printf, 4, 5)));

/* Rows of the production; none if the file has none. To be freed in any case. */
enum ph_status ph_judged_read(const struct ph_judged *run, const char *name, struct ph_series *series,
                              struct ph_error *err);

typedef enum ph_status ph_check_function(const struct ph_judged *run, struct ph_error *err);

#endif
