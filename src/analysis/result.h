/* SPDX-License-Identifier: MIT */
#ifndef PH_ANALYSIS_RESULT_H
#define PH_ANALYSIS_RESULT_H

/* The results of an analysis, in one form for all of them: values with their errors, tables of columns, and notes on
 * missing data and limits. Files, JSON and the table on the screen are all made of this.
 *
 * If memory is short, adding something sets `failed` and has no other effect: it is enough to check at the end. */

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum { PH_RESULT_NAME = 96, PH_RESULT_UNIT = 48, PH_RESULT_CAUTION = 320 };

/* One number. NaN where there is none: the error of exact values, the correlation time of values that are no
 * averages. */
struct ph_value {
    char name[PH_RESULT_NAME]; /* words joined by underscores */
    char unit[PH_RESULT_UNIT];
    const char *help; /* constant text */
    double value, error;
    double correlation_time; /* in the unit of time of the file */
    bool rough;              /* the error is a lower bound: the run is too short compared with the correlation time */
    char caution[PH_RESULT_CAUTION]; /* why neither value nor error can be defended; "": they can */
};

struct ph_column_data {
    char name[PH_RESULT_NAME]; /* the error of column x is x_error */
    char unit[PH_RESULT_UNIT];
    double *data; /* owned; one number for each row */
};

struct ph_result_table {
    char name[PH_RESULT_NAME];
    const char *help;
    size_t rows, n_columns, room;
    struct ph_column_data *columns; /* owned */
};

/* A setting of the user, or a value that was found in the file and used */
struct ph_result_parameter {
    char name[PH_RESULT_NAME];
    char unit[PH_RESULT_UNIT];
    char *text; /* owned; NULL: it is a number */
    double number;
};

struct ph_result {
    size_t n_values, n_tables, n_parameters, n_notes;
    struct ph_value *values;
    struct ph_result_table **tables; /* each stays where it is */
    struct ph_result_parameter *parameters;
    char **notes;
    bool failed; /* no memory */
};

void ph_result_free(struct ph_result *result); /* what it holds */

/* All texts but `help` are copied; unit NULL or "": none. The value may be changed until the next one is added. */
struct ph_value *ph_result_value(struct ph_result *result, const char *name, double value, double error,
                                 const char *unit, const char *help);
/* Adds a reason. */
void ph_value_caution(struct ph_value *value, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ph_result_number(struct ph_result *result, const char *name, double number, const char *unit);
void ph_result_text(struct ph_result *result, const char *name, const char *text);
void ph_result_note(struct ph_result *result, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* NULL if memory is short; every column of NULL is NULL. Columns are zero until filled. */
struct ph_result_table *ph_result_table(struct ph_result *result, size_t rows, const char *help, const char *name, ...)
    __attribute__((format(printf, 4, 5)));
double *ph_result_column(struct ph_result *result, struct ph_result_table *table, const char *name, const char *unit);

const struct ph_value *ph_result_find(const struct ph_result *result, const char *name); /* NULL: not there */

/* Origin of a result, for files */
struct ph_provenance {
    const char *kind; /* of analysis */
    const char *program, *build, *command;
    size_t n_files;
    const char *const *files;
};

/* Writes CSV if the name ends in .csv, else HDF5 (.h5, .hdf5). An existing file of that name is an error, unless it may
 * be overwritten. CSV holds one table: the first, further ones are in files NAME.table.csv beside it. docs/analysis.md
 * describes the form. Calls `written` with every name. */
enum ph_status ph_result_write(const struct ph_result *result, const struct ph_provenance *provenance, const char *name,
                               bool overwrite, void (*written)(const char *name, void *data), void *data,
                               struct ph_error *err);

#endif
