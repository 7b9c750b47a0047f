/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_STUDIES_FRAME_OUTPUT_H
#define PH_LAB_STUDIES_FRAME_OUTPUT_H

/* The files of a study. Every table is a file <table>.csv. The file <study>.h5 holds all tables and all texts of a page
 * on the study. README.md holds the claims of the paper and the measurements. */

#include "lab/studies/frame/study.h"

/* Before a study: makes the directory, or checks that it is empty. With `overwrite` it may hold files, and files of the
 * study will be replaced. */
enum ph_status ph_study_prepare(const char *directory, bool overwrite, struct ph_error *err);

enum ph_status ph_study_write(const struct ph_study_result *result, const char *directory, struct ph_error *err);

/* Reads the findings of an earlier run, without its tables. False if the directory has no whole file of the same
 * version (full or quick) and seed, with the same claims. */
bool ph_study_read(const struct ph_study *study, const struct ph_study_options *options, const char *directory,
                   struct ph_study_result *result);

/* One page on several studies, with an overview; false if writing failed. And the same as DIRECTORY/README.md. */
bool ph_study_write_index(size_t n, const struct ph_study_result *results, FILE *out);
enum ph_status ph_study_save_index(size_t n, const struct ph_study_result *results, const char *directory,
                                   struct ph_error *err);

/* The text of README.md; false if writing failed */
bool ph_study_write_report(const struct ph_study_result *result, FILE *out);

#endif
