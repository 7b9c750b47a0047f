/* SPDX-License-Identifier: MIT */
#include "base/room.h"
#include "cli/cli.h"
#include "lab/table.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

static void write_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (const char *c = text; *c; ++c) {
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if ((unsigned char)*c < 0x20)
            fprintf(out, "\\u%04x", (unsigned)*c);
        else
            fputc(*c, out);
    }
    fputc('"', out);
}

static void write_number(FILE *out, double value)
{
    if (isfinite(value))
        fprintf(out, "%.17g", value);
    else
        fputs("null", out);
}

/* Comma, new line, indentation and key: all that comes before a value. */
static void before_value(struct ph_json *json, const char *key)
{
    if (json->depth > 0) {
        const int level = json->depth - 1;
        assert(json->array[level] == (key == NULL));
        fputs(json->filled[level] ? ",\n" : "\n", json->out);
        json->filled[level] = true;
        fprintf(json->out, "%*s", 2 * json->depth, "");
    }
    if (key) {
        write_string(json->out, key);
        fputs(": ", json->out);
    }
}

void ph_json_say(struct ph_json *json, const char *format, ...)
{
    if (!json->text)
        return;
    char some[1024], *text = some;
    va_list words, again;
    va_start(words, format);
    va_copy(again, words);
    const int length = vsnprintf(some, sizeof some, format, words);
    if (length >= (int)sizeof some && (text = malloc((size_t)length + 1)))
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(words);
    ph_cli_print(json->out, text ? text : some);
    if (text != some)
        free(text);
}

static void begin(struct ph_json *json, const char *key, bool array)
{
    if (json->text)
        return;
    before_value(json, key);
    PH_ROOM(json->depth < PH_JSON_DEPTH);
    fputc(array ? '[' : '{', json->out);
    json->array[json->depth] = array;
    json->filled[json->depth] = false;
    ++json->depth;
}

void ph_json_begin_object(struct ph_json *json, const char *key) { begin(json, key, false); }

void ph_json_begin_array(struct ph_json *json, const char *key) { begin(json, key, true); }

void ph_json_end(struct ph_json *json)
{
    if (json->text)
        return;
    PH_ROOM(json->depth > 0);
    const int level = --json->depth;
    if (json->filled[level])
        fprintf(json->out, "\n%*s", 2 * level, "");
    fputc(json->array[level] ? ']' : '}', json->out);
    if (level == 0)
        fputc('\n', json->out);
}

void ph_json_string(struct ph_json *json, const char *key, const char *text)
{
    if (json->text)
        return;
    before_value(json, key);
    if (text)
        write_string(json->out, text);
    else
        fputs("null", json->out);
}

void ph_json_write_strings(struct ph_json *json, size_t n, const char *const texts[])
{
    for (size_t k = 0; k + 1 < n; k += 2)
        ph_json_string(json, texts[k], texts[k + 1]);
}

void ph_json_bool(struct ph_json *json, const char *key, bool value)
{
    if (json->text)
        return;
    before_value(json, key);
    fputs(value ? "true" : "false", json->out);
}

void ph_json_integer(struct ph_json *json, const char *key, long value)
{
    if (json->text)
        return;
    before_value(json, key);
    fprintf(json->out, "%ld", value);
}

void ph_json_number(struct ph_json *json, const char *key, double value)
{
    if (json->text)
        return;
    before_value(json, key);
    write_number(json->out, value);
}

void ph_json_numbers(struct ph_json *json, const char *key, size_t n, const double *values)
{
    if (json->text)
        return;
    before_value(json, key);
    fputc('[', json->out);
    for (size_t i = 0; i < n; ++i) {
        if (i > 0)
            fputs(", ", json->out);
        write_number(json->out, values[i]);
    }
    fputc(']', json->out);
}

void ph_json_table(struct ph_json *json, const char *key, const struct ph_table *table,
                   const struct ph_table_look *looks)
{
    if (json->text && looks)
        ph_table_write_text(table, looks, json->out);
    ph_json_begin_array(json, key);
    for (size_t row = 0; row < table->n_rows; ++row) {
        ph_json_begin_object(json, NULL);
        for (size_t c = 0; c < table->n_columns; ++c)
            if (table->column[c].words)
                ph_json_string(json, table->column[c].name, table->word[c][row]);
            else
                ph_json_number(json, table->column[c].name, table->number[c][row]);
        ph_json_end(json);
    }
    ph_json_end(json);
}

void ph_json_matrix(struct ph_json *json, const char *key, const double matrix[3][3])
{
    ph_json_begin_array(json, key);
    for (int a = 0; a < 3; ++a)
        ph_json_numbers(json, NULL, 3, matrix[a]);
    ph_json_end(json);
}
