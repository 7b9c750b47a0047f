/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_TABLE_H
#define PH_LAB_TABLE_H

/* A table of numbers and words, for output of commands and for files that other programs read. */

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { PH_TABLE_COLUMNS = 25, PH_TABLE_WORD = 48 };

struct ph_table_column {
    const char *name; /* as in the header of CSV files, and of the data set in HDF5 files */
    const char *help;
    bool words; /* else numbers */
};

struct ph_table {
    const char *name; /* of the file and of the group */
    const char *title;
    size_t n_columns, n_rows;
    struct ph_table_column column[PH_TABLE_COLUMNS];
    size_t room;                                   /* rows that fit into the memory */
    double *number[PH_TABLE_COLUMNS];              /* owned, NULL for words */
    char (*word[PH_TABLE_COLUMNS])[PH_TABLE_WORD]; /* owned, NULL for numbers */
};

/* Starts with no rows; `name`, `title` and the texts of columns are not copied. */
void ph_table_init(struct ph_table *table, const char *name, const char *title, size_t n_columns,
                   const struct ph_table_column *columns);
void ph_table_clear(struct ph_table *table);
/* Adds a row: the values of its columns of words, and of its columns of numbers, each in the order of the columns */
enum ph_status ph_table_append(struct ph_table *table, const char *const *words, const double *numbers,
                               struct ph_error *err);

/* Header, then rows; numbers with 17 digits, nan and inf where they are. False if writing failed. */
bool ph_table_write_csv(const struct ph_table *table, FILE *out);

/* For people: columns as wide as they need to be. A number that is not finite is a dash. */
struct ph_table_look {
    const char *head;   /* NULL: the column is left out */
    const char *format; /* of numbers, "%.2f"; NULL: ten digits at most */
};
void ph_table_write_text(const struct ph_table *table, const struct ph_table_look *looks, FILE *out);

#endif
