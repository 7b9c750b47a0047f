/* SPDX-License-Identifier: MIT */
#include "lab/studies/frame/study.h"

#include "base/clock.h"
#include "base/plain.h"
#include "base/room.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const struct ph_study *const studies[] = {
    &ph_study_free_body,       &ph_study_triangle,         &ph_study_dmv,       &ph_study_properties,
    &ph_study_heavy_top_weak,  &ph_study_heavy_top_strong, &ph_study_satellite, &ph_study_dipoles_100,
    &ph_study_dipoles_125,     &ph_study_dipoles_long,     &ph_study_rounding,  &ph_study_pendulum,
    &ph_study_double_pendulum, &ph_study_dipole_array,     &ph_study_book,      &ph_study_vilmart_properties,
    &ph_study_conjugate,       &ph_study_soft_wall,        &ph_study_attractor, &ph_study_attractor_accuracy,
    &ph_study_synopsis,
};

size_t ph_study_count(void) { return sizeof studies / sizeof studies[0]; }

const struct ph_study *ph_study_at(size_t index) { return index < ph_study_count() ? studies[index] : NULL; }

const struct ph_study *ph_study_find(const char *name)
{
    for (size_t i = 0; i < ph_study_count(); ++i)
        if (strcmp(studies[i]->name, name) == 0)
            return studies[i];
    return NULL;
}

const char *ph_finding_words(enum ph_finding_verdict verdict)
{
    switch (verdict) {
    case PH_FINDING_NONE: break;
    case PH_FINDING_HOLDS: return "holds";
    case PH_FINDING_PARTLY: return "holds in part";
    case PH_FINDING_FAILS: return "does not hold";
    }
    return "not judged";
}

enum ph_finding_verdict ph_finding(bool holds, bool in_part)
{
    return holds ? PH_FINDING_HOLDS : in_part ? PH_FINDING_PARTLY : PH_FINDING_FAILS;
}

enum ph_finding_verdict ph_finding_share(size_t good, size_t all) { return ph_finding(good == all, good > 0); }

void ph_study_result_clear(struct ph_study_result *result)
{
    for (size_t t = 0; t < result->n_tables; ++t)
        ph_table_clear(&result->table[t]);
    result->n_tables = 0;
}

enum ph_status ph_study_run(const struct ph_study *study, const struct ph_study_options *options,
                            struct ph_study_result *result, struct ph_error *err)
{
    memset(result, 0, sizeof *result);
    result->study = study;
    result->options = *options;
    for (const struct ph_study_table *t = study->tables; t < study->tables + PH_STUDY_TABLES && t->name; ++t)
        ph_table_init(&result->table[result->n_tables++], t->name, t->title, t->n_columns, t->columns);
    const double begun = ph_clock_wall();
    const enum ph_status status = study->run(options, result, err);
    result->seconds = ph_clock_wall() - begun;
    for (size_t c = 0; c < ph_study_claims(study) && status == PH_OK; ++c)
        assert(result->finding[c].verdict != PH_FINDING_NONE);
    return status;
}

size_t ph_study_claims(const struct ph_study *study)
{
    size_t n = 0;
    while (n < PH_STUDY_CLAIMS && study->claim[n].text)
        ++n;
    return n;
}

enum ph_finding_verdict ph_study_expected(const struct ph_study *study, bool quick, size_t claim)
{
    const enum ph_finding_verdict full = study->expected_full[claim];
    return !quick && full != PH_FINDING_NONE ? full : study->claim[claim].expected;
}

bool ph_study_unexpected(const struct ph_study_result *result, size_t claim)
{
    const enum ph_finding_verdict expected = ph_study_expected(result->study, result->options.quick, claim);
    return expected != PH_FINDING_NONE && result->finding[claim].verdict != expected;
}

/* Appends to the text, after a space if it is not empty */
static void append(char text[PH_STUDY_TEXT], const char *format, va_list arguments)
{
    const size_t used = strlen(text);
    if (used > 0 && used + 1 < PH_STUDY_TEXT) {
        text[used] = ' ';
        ph_vsnprintf(text + used + 1, PH_STUDY_TEXT - used - 1, format, arguments);
    } else if (used == 0) {
        ph_vsnprintf(text, PH_STUDY_TEXT, format, arguments);
    }
}

void ph_study_judge(struct ph_study_result *result, size_t claim, enum ph_finding_verdict verdict, const char *format,
                    ...)
{
    PH_ROOM(claim < PH_STUDY_CLAIMS);
    assert(result->study->claim[claim].text && result->finding[claim].verdict == PH_FINDING_NONE);
    result->finding[claim].verdict = verdict;
    va_list arguments;
    va_start(arguments, format);
    append(result->finding[claim].measured, format, arguments);
    va_end(arguments);
}

void ph_study_add(struct ph_study_result *result, size_t claim, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    append(result->finding[claim].measured, format, arguments);
    va_end(arguments);
}

void ph_study_note(struct ph_study_result *result, const char *format, ...)
{
    size_t n = 0;
    while (n < PH_STUDY_NOTES && result->note[n][0])
        ++n;
    PH_ROOM(n < PH_STUDY_NOTES);
    va_list arguments;
    va_start(arguments, format);
    append(result->note[n], format, arguments);
    va_end(arguments);
}

void ph_study_headline(struct ph_study_result *result, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    append(result->headline, format, arguments);
    va_end(arguments);
}

void ph_study_tell(const struct ph_study_result *result, double done)
{
    const struct ph_lab_progress *progress = &result->options.progress;
    if (progress->tell)
        progress->tell(done, progress->data);
}

static const struct ph_table_column survey_columns[] = {
    {"panel", "parameter that sets the panel apart", true},
    {"value", "its number", false},
    {"scheme", "splitting scheme", true},
    {"flow", "flow of the free rigid body", true},
    {"step", "step of time that was taken", false},
    {"evaluations", "force evaluations", false},
    {"seconds", "processor time of one run", false},
    {"error", "relative energy error, the largest of a run, mean over the runs", false},
    {"error_median", "the same, median over the runs", false},
    {"error_end", "relative energy error at the end, mean over the runs", false},
    {"runs", "starts", false},
    {"broken", "runs in which the numbers failed; they are left out of the means", false},
};

static enum ph_status add_survey(struct ph_study_result *result, const struct ph_survey *survey,
                                 const struct ph_survey_point *points, struct ph_error *err)
{
    PH_ROOM(result->n_tables < PH_STUDY_TABLES);
    struct ph_table *table = &result->table[result->n_tables++];
    ph_table_init(table, "errors", "energy errors and their cost", sizeof survey_columns / sizeof *survey_columns,
                  survey_columns);
    enum ph_status status = PH_OK;
    for (size_t i = 0; i < ph_survey_points(survey) && status == PH_OK; ++i) {
        const size_t line = i / survey->n_steps, method = line % survey->n_methods, panel = line / survey->n_methods;
        const struct ph_survey_point *point = &points[i];
        status = ph_table_append(table,
                                 (const char *const[]){survey->panels[panel].label, survey->methods[method].scheme,
                                                       survey->methods[method].flow},
                                 (const double[]){survey->panels[panel].value, point->step, point->evaluations,
                                                  point->seconds, point->largest, point->median, point->last,
                                                  (double)survey->n_starts, (double)point->broke},
                                 err);
    }
    return status;
}

enum ph_status ph_study_survey(const struct ph_survey *survey, struct ph_study_result *result,
                               struct ph_survey_point **points, struct ph_error *err)
{
    *points = calloc(ph_survey_points(survey), sizeof **points);
    if (!*points)
        return ph_no_memory(err, "%zu points", ph_survey_points(survey));
    const enum ph_status status = ph_survey_run(survey, &result->options.progress, *points, err);
    return status == PH_OK ? add_survey(result, survey, *points, err) : status;
}

void ph_study_judge_cost(struct ph_study_result *result, size_t claim, const struct ph_survey *survey,
                         const struct ph_survey_point *points)
{
    static const double same = 1.15;
    const double cost = ph_survey_cost(survey, points);
    ph_study_judge(result, claim, ph_finding(cost < same, false),
                   "Exact rotation takes %.3f times the processor time of mr2 (the same cost means below %.2f).", cost,
                   same);
}
