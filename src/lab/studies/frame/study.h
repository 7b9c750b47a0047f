/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_STUDIES_FRAME_STUDY_H
#define PH_LAB_STUDIES_FRAME_STUDY_H

/* Experiments of the literature, repeated: the claims of a paper, and the measurements here.
 *
 * A study is one constant object with the claims in the paper's words; its function measures, fills tables and judges
 * every claim by numbers. Lists, the command, the texts and the tests read this one object. Adding a study is adding an
 * object in a file beside this one and a line to the registry. */

#include "lab/studies/frame/survey.h"
#include "lab/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PH_STUDY_CLAIMS = 6, PH_STUDY_TABLES = 3, PH_STUDY_NOTES = 4, PH_STUDY_FIGURES = 4, PH_STUDY_TEXT = 2048 };

struct ph_study_options {
    bool quick; /* a reduced version, in seconds */
    uint64_t seed;
    struct ph_lab_progress progress;
};

/* The verdict on a claim. If the numbers confirm only a part of it, it holds in part. */
enum ph_finding_verdict { PH_FINDING_NONE, PH_FINDING_HOLDS, PH_FINDING_PARTLY, PH_FINDING_FAILS };
struct ph_study_finding {
    enum ph_finding_verdict verdict;
    char measured[PH_STUDY_TEXT]; /* sentences with numbers; the reason, if the claim is not confirmed */
};
const char *ph_finding_words(enum ph_finding_verdict verdict);

struct ph_study;

/* Zero before a run; cleared after. */
struct ph_study_result {
    const struct ph_study *study;
    struct ph_study_options options;
    char headline[PH_STUDY_TEXT]; /* the result in one sentence with numbers: the title of the plot */
    double line;                  /* a level of the error to be marked in the plot, with its name; 0: none */
    char line_label[PH_SURVEY_LABEL];
    struct ph_study_finding finding[PH_STUDY_CLAIMS];
    char note[PH_STUDY_NOTES][PH_STUDY_TEXT]; /* choices that were made, and other remarks; "" from the end on */
    size_t n_tables;
    struct ph_table table[PH_STUDY_TABLES]; /* owned */
    double seconds;                         /* wall clock */
    bool kept;                              /* of an earlier run, maybe of another version */
};
void ph_study_result_clear(struct ph_study_result *result);

/* Where a figure or table of the paper is found among the files of the study */
struct ph_study_figure {
    const char *name; /* "Figure 14" */
    const char *file; /* "satellite.svg" */
    const char *what; /* its contents and their places */
};

struct ph_study {
    const char *name;
    const char *title;
    const char *figure;    /* "Figures 14 and 15 of ..." */
    const char *reference; /* the paper */
    const char *setup;     /* a paragraph on the computation */
    const char *quick;     /* parts that the reduced version leaves out */
    const char *plot;      /* how the plotting script draws it: a name that tools/plot-study knows */
    struct ph_study_figure shows[PH_STUDY_FIGURES]; /* all figures and tables named above; name NULL from the end on */
    struct ph_study_claim {
        enum ph_finding_verdict expected; /* NONE if it depends on the machine, as for claims about time */
        const char *text;                 /* in the paper's words, as far as they go */
    } claim[PH_STUDY_CLAIMS];             /* text NULL from the end on */
    /* The verdict of the full version, if the reduced version has another */
    enum ph_finding_verdict expected_full[PH_STUDY_CLAIMS];
    struct ph_study_table {
        const char *name, *title;
        size_t n_columns;
        const struct ph_table_column *columns;
    } tables[PH_STUDY_TABLES]; /* of the result, without rows when `run` begins; name NULL from the end on */
    enum ph_status (*run)(const struct ph_study_options *options, struct ph_study_result *result, struct ph_error *err);
};

#define PH_STUDY_TABLE(name, title, columns)                                                                           \
    {                                                                                                                  \
        name, title, sizeof columns / sizeof *columns, columns                                                         \
    }

/* Measures, and judges all claims; the caller clears the result, also after a failure. */
enum ph_status ph_study_run(const struct ph_study *study, const struct ph_study_options *options,
                            struct ph_study_result *result, struct ph_error *err);

size_t ph_study_claims(const struct ph_study *study); /* how many */

/* The expected verdict of a version; NONE: any */
enum ph_finding_verdict ph_study_expected(const struct ph_study *study, bool quick, size_t claim);
/* Whether the verdict on a claim is another */
bool ph_study_unexpected(const struct ph_study_result *result, size_t claim);

/* The registry, in the order of the documentation; ph_study_find returns NULL for an unknown name. */
size_t ph_study_count(void);
const struct ph_study *ph_study_at(size_t index);
const struct ph_study *ph_study_find(const char *name);

/* ---- For studies ----
 *
 * Constant texts at the top of a study hold the sentences. The functions measure and hand in the numbers. */

enum ph_finding_verdict ph_finding(bool holds, bool in_part);      /* fails if both are false */
enum ph_finding_verdict ph_finding_share(size_t good, size_t all); /* in part: some of them */

void ph_study_judge(struct ph_study_result *result, size_t claim, enum ph_finding_verdict verdict, const char *format,
                    ...) __attribute__((format(printf, 4, 5)));
/* Adds a sentence to the measurements of a claim. */
void ph_study_add(struct ph_study_result *result, size_t claim, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void ph_study_note(struct ph_study_result *result, const char *format, ...) __attribute__((format(printf, 2, 3)));

void ph_study_headline(struct ph_study_result *result, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Reports how much is done, from 0 to 1, if there is a listener. */
void ph_study_tell(const struct ph_study_result *result, double done);

/* Runs a survey and adds it to the tables, one row for each point; the caller frees the points. */
enum ph_status ph_study_survey(const struct ph_survey *survey, struct ph_study_result *result,
                               struct ph_survey_point **points, struct ph_error *err);

/* Judges the claim that exact rotation costs no more than mr2, by the time ratio of ph_survey_cost. */
void ph_study_judge_cost(struct ph_study_result *result, size_t claim, const struct ph_survey *survey,
                         const struct ph_survey_point *points);

/* free_body.c, triangle.c */
extern const struct ph_study ph_study_free_body, ph_study_triangle;
/* dmv.c, properties.c */
extern const struct ph_study ph_study_dmv, ph_study_properties;
/* pendulum.c, double_pendulum.c, dipole_array.c */
extern const struct ph_study ph_study_pendulum, ph_study_double_pendulum, ph_study_dipole_array;
/* conjugate.c, soft_wall.c, attractor.c, attractor_accuracy.c, book.c,
 * properties.c, synopsis.c */
extern const struct ph_study ph_study_conjugate, ph_study_soft_wall, ph_study_attractor, ph_study_attractor_accuracy,
    ph_study_book, ph_study_vilmart_properties, ph_study_synopsis;
/* heavy_top.c, satellite.c, cloud.c, lattice.c, rounding.c */
extern const struct ph_study ph_study_heavy_top_weak, ph_study_heavy_top_strong, ph_study_satellite;
extern const struct ph_study ph_study_dipoles_100, ph_study_dipoles_125, ph_study_dipoles_long, ph_study_rounding;

#endif
