/* SPDX-License-Identifier: MIT */
#include "analysis/result.h"

#include "base/plain.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Adds one element at the end of an array. Without memory returns NULL and leaves the array unchanged. */
static void *grow(void **array, size_t n, size_t size)
{
    void *larger = realloc(*array, (n + 1) * size);
    if (!larger)
        return NULL;
    *array = larger;
    char *last = (char *)larger + n * size;
    memset(last, 0, size);
    return last;
}

static void set_unit(char to[PH_RESULT_UNIT], const char *unit)
{
    snprintf(to, PH_RESULT_UNIT, "%s", unit ? unit : "");
}

void ph_result_free(struct ph_result *result)
{
    for (size_t t = 0; t < result->n_tables; ++t) {
        struct ph_result_table *table = result->tables[t];
        for (size_t c = 0; table && c < table->n_columns; ++c)
            free(table->columns[c].data);
        if (table)
            free(table->columns);
        free(table);
    }
    for (size_t k = 0; k < result->n_parameters; ++k)
        free(result->parameters[k].text);
    for (size_t k = 0; k < result->n_notes; ++k)
        free(result->notes[k]);
    free(result->values);
    free(result->tables);
    free(result->parameters);
    free(result->notes);
    *result = (struct ph_result){0};
}

struct ph_value *ph_result_value(struct ph_result *result, const char *name, double value, double error,
                                 const char *unit, const char *help)
{
    static struct ph_value nowhere; /* stands in where there is no memory */
    struct ph_value *added = grow((void **)&result->values, result->n_values, sizeof *added);
    if (!added) {
        result->failed = true;
        return &nowhere;
    }
    ++result->n_values;
    snprintf(added->name, sizeof added->name, "%s", name);
    set_unit(added->unit, unit);
    added->help = help;
    added->value = value;
    added->error = error;
    added->correlation_time = NAN;
    return added;
}

void ph_value_caution(struct ph_value *value, const char *format, ...)
{
    const size_t used = strlen(value->caution);
    va_list arguments;
    va_start(arguments, format);
    if (used > 0)
        snprintf(value->caution + used, sizeof value->caution - used, "; ");
    ph_vsnprintf(value->caution + strlen(value->caution), sizeof value->caution - strlen(value->caution), format,
                 arguments);
    va_end(arguments);
}

/* Adds a parameter, or replaces the one of the same name. */
static struct ph_result_parameter *add_parameter(struct ph_result *result, const char *name)
{
    for (size_t k = 0; k < result->n_parameters; ++k)
        if (strcmp(result->parameters[k].name, name) == 0) {
            free(result->parameters[k].text);
            result->parameters[k].text = NULL;
            return &result->parameters[k];
        }
    struct ph_result_parameter *added = grow((void **)&result->parameters, result->n_parameters, sizeof *added);
    if (added) {
        ++result->n_parameters;
        snprintf(added->name, sizeof added->name, "%s", name);
    }
    result->failed = result->failed || !added;
    return added;
}

void ph_result_number(struct ph_result *result, const char *name, double number, const char *unit)
{
    struct ph_result_parameter *added = add_parameter(result, name);
    if (!added)
        return;
    added->number = number;
    set_unit(added->unit, unit);
}

void ph_result_text(struct ph_result *result, const char *name, const char *text)
{
    struct ph_result_parameter *added = add_parameter(result, name);
    if (!added)
        return;
    added->number = NAN;
    added->text = strdup(text);
    result->failed = result->failed || !added->text;
}

void ph_result_note(struct ph_result *result, const char *format, ...)
{
    char text[PH_ERROR_TEXT];
    va_list arguments;
    va_start(arguments, format);
    ph_vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (size_t k = 0; k < result->n_notes; ++k)
        if (strcmp(result->notes[k], text) == 0)
            return;
    char *copy = strdup(text), **added = copy ? grow((void **)&result->notes, result->n_notes, sizeof *added) : NULL;
    if (added) {
        *added = copy;
        ++result->n_notes;
        return;
    }
    free(copy);
    result->failed = true;
}

struct ph_result_table *ph_result_table(struct ph_result *result, size_t rows, const char *help, const char *name, ...)
{
    struct ph_result_table *table = calloc(1, sizeof *table);
    struct ph_result_table **added = table ? grow((void **)&result->tables, result->n_tables, sizeof *added) : NULL;
    if (!added) {
        free(table);
        result->failed = true;
        return NULL;
    }
    *added = table;
    ++result->n_tables;
    va_list arguments;
    va_start(arguments, name);
    ph_vsnprintf(table->name, sizeof table->name, name, arguments);
    va_end(arguments);
    for (char *c = table->name; *c; ++c) /* it becomes a name in files */
        if (*c == '/' || *c == ' ')
            *c = '_';
    table->rows = rows;
    table->help = help;
    return table;
}

double *ph_result_column(struct ph_result *result, struct ph_result_table *table, const char *name, const char *unit)
{
    double *data = table ? calloc(table->rows + 1, sizeof *data) : NULL;
    struct ph_column_data *added = data ? grow((void **)&table->columns, table->n_columns, sizeof *added) : NULL;
    if (!added) {
        free(data);
        result->failed = true;
        return NULL;
    }
    ++table->n_columns;
    snprintf(added->name, sizeof added->name, "%s", name);
    set_unit(added->unit, unit);
    added->data = data;
    return data;
}

const struct ph_value *ph_result_find(const struct ph_result *result, const char *name)
{
    for (size_t k = 0; k < result->n_values; ++k)
        if (strcmp(result->values[k].name, name) == 0)
            return &result->values[k];
    return NULL;
}
