/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_STUDIES_FRAME_OUTPUT_H
#define PH_LAB_STUDIES_FRAME_OUTPUT_H

/* The files of a study: every table as <table>.csv, all of them in <study>.h5 with all that a page on the study says,
 * and README.md, which says what the paper claims and what was measured. */

#include "lab/studies/frame/study.h"

/* Before a study: makes the directory, or checks that it is empty; with `overwrite` it may hold files, and those of the
 * study will be replaced. */
enum ph_status ph_study_prepare(const char *directory, bool overwrite, struct ph_error *err);

enum ph_status ph_study_write(const struct ph_study_result *result, const char *directory, struct ph_error *err);

/* What an earlier run found, without its tables; false if there is no whole file of the same version (full or quick)
 * and seed, with the same claims, in the directory. */
bool ph_study_read(const struct ph_study *study, const struct ph_study_options *options, const char *directory,
                   struct ph_study_result *result);

/* One page on several studies, with an overview; false if writing failed. And the same as DIRECTORY/README.md. */
bool ph_study_write_index(size_t n, const struct ph_study_result *results, FILE *out);
enum ph_status ph_study_save_index(size_t n, const struct ph_study_result *results, const char *directory,
                                   struct ph_error *err);

/* The text of README.md; false if writing failed */
bool ph_study_write_report(const struct ph_study_result *result, FILE *out);

#endif
