/* SPDX-License-Identifier: MIT */
#include "lab/table.h"

#include "base/plain.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void ph_table_init(struct ph_table *table, const char *name, const char *title, size_t n_columns,
                   const struct ph_table_column *columns)
{
    assert(n_columns <= PH_TABLE_COLUMNS);
    *table = (struct ph_table){.name = name, .title = title, .n_columns = n_columns};
    memcpy(table->column, columns, n_columns * sizeof *columns);
}

void ph_table_clear(struct ph_table *table)
{
    for (size_t c = 0; c < table->n_columns; ++c) {
        free(table->number[c]);
        free(table->word[c]);
    }
    *table = (struct ph_table){.name = NULL};
}

static bool grow(struct ph_table *table)
{
    const size_t room = table->room > 0 ? 2 * table->room : 64;
    for (size_t c = 0; c < table->n_columns; ++c) {
        const bool words = table->column[c].words;
        void *old = words ? (void *)table->word[c] : (void *)table->number[c];
        void *new = realloc(old, room * (words ? sizeof *table->word[c] : sizeof *table->number[c]));
        if (!new)
            return false;
        if (words)
            table->word[c] = new;
        else
            table->number[c] = new;
    }
    table->room = room;
    return true;
}

enum ph_status ph_table_append(struct ph_table *table, const struct ph_cell *cells, struct ph_error *err)
{
    if (table->n_rows == table->room && !grow(table))
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for row %zu of the table '%s'.", table->n_rows + 1,
                            table->name);
    for (size_t c = 0; c < table->n_columns; ++c) {
        if (table->column[c].words) {
            memset(table->word[c][table->n_rows], 0, PH_TABLE_WORD);
            snprintf(table->word[c][table->n_rows], PH_TABLE_WORD, "%s", cells[c].word);
        } else {
            table->number[c][table->n_rows] = cells[c].number;
        }
    }
    ++table->n_rows;
    return PH_OK;
}

bool ph_table_write_csv(const struct ph_table *table, FILE *out)
{
    for (size_t c = 0; c < table->n_columns; ++c)
        fprintf(out, "%s%s", c > 0 ? "," : "", table->column[c].name);
    fputc('\n', out);
    for (size_t row = 0; row < table->n_rows; ++row) {
        for (size_t c = 0; c < table->n_columns; ++c) {
            if (c > 0)
                fputc(',', out);
            if (table->column[c].words)
                fputs(table->word[c][row], out);
            else
                ph_fprintf(out, "%.17g", table->number[c][row]);
        }
        fputc('\n', out);
    }
    return !ferror(out);
}
