/* SPDX-License-Identifier: MIT */
#ifndef PH_TESTS_STUDIES_H
#define PH_TESTS_STUDIES_H

/* Runs the quick version of a study and reads its table of errors. */

#include "support.h"

#include "lab/studies/frame/study.h"

#include <stdlib.h>
#include <string.h>

static inline void assert_between(double x, double low, double high)
{
    if (!(x >= low && x <= high))
        fail_msg("%.17g is not between %g and %g", x, low, high);
}

static inline struct ph_study_result *run_study(const char *name)
{
    const struct ph_study_options options = {.quick = true, .seed = 1};
    struct ph_study_result *result = malloc(sizeof *result);
    struct ph_error err = {.text = ""};
    assert_non_null(result);
    if (ph_study_run(ph_study_find(name), &options, result, &err) != PH_OK)
        fail_msg("%s: %s", name, err.text);
    assert_true(strlen(result->headline) > 20);
    return result;
}

static inline void end_study(struct ph_study_result *result)
{
    ph_study_result_clear(result);
    free(result);
}

static inline void assert_verdicts(const struct ph_study_result *result, size_t n,
                                   const enum ph_finding_verdict *verdicts)
{
    for (size_t c = 0; c < n; ++c)
        if (result->finding[c].verdict != verdicts[c])
            fail_msg("\"%s\": %s expected, not '%s': %s", result->study->claim[c].text, ph_finding_words(verdicts[c]),
                     ph_finding_words(result->finding[c].verdict), result->finding[c].measured);
}

/* Columns of the table of a survey */
enum { PANEL, VALUE, SCHEME, FLOW, STEP, EVALUATIONS, SECONDS, ERROR };

/* The row of step `k`, from the longest */
static inline size_t row_of(const struct ph_study_result *result, const char *panel, const char *scheme,
                            const char *flow, size_t k)
{
    const struct ph_table *table = &result->table[0];
    for (size_t row = 0; row < table->n_rows; ++row)
        if (strcmp(table->word[PANEL][row], panel) == 0 && strcmp(table->word[SCHEME][row], scheme) == 0 &&
            strcmp(table->word[FLOW][row], flow) == 0 && k-- == 0)
            return row;
    fail_msg("no row %s %s %s", panel, scheme, flow);
    return 0;
}

static inline double error_at(const struct ph_study_result *result, const char *panel, const char *scheme,
                              const char *flow, size_t k)
{
    return result->table[0].number[ERROR][row_of(result, panel, scheme, flow, k)];
}

static inline size_t count_steps(const struct ph_study_result *result, const char *panel, const char *scheme,
                                 const char *flow)
{
    const struct ph_table *table = &result->table[0];
    size_t n = 0;
    for (size_t row = 0; row < table->n_rows; ++row)
        n += strcmp(table->word[PANEL][row], panel) == 0 && strcmp(table->word[SCHEME][row], scheme) == 0 &&
             strcmp(table->word[FLOW][row], flow) == 0;
    return n;
}

/* d log error / d log step between the two finest steps whose errors are above the floor */
static inline double slope(const struct ph_study_result *result, const char *panel, const char *scheme,
                           const char *flow, double floor)
{
    const struct ph_table *table = &result->table[0];
    for (size_t k = count_steps(result, panel, scheme, flow); k-- > 1;) {
        const size_t fine = row_of(result, panel, scheme, flow, k), coarse = row_of(result, panel, scheme, flow, k - 1);
        if (table->number[ERROR][fine] > floor)
            return log(table->number[ERROR][coarse] / table->number[ERROR][fine]) /
                   log(table->number[STEP][coarse] / table->number[STEP][fine]);
    }
    return NAN;
}

#endif
