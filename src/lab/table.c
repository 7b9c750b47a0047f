/* SPDX-License-Identifier: MIT */
#include "lab/table.h"

#include "base/plain.h"
#include "base/room.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void ph_table_init(struct ph_table *table, const char *name, const char *title, size_t n_columns,
                   const struct ph_table_column *columns)
{
    PH_ROOM(n_columns <= PH_TABLE_COLUMNS);
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

enum ph_status ph_table_append(struct ph_table *table, const char *const *words, const double *numbers,
                               struct ph_error *err)
{
    if (table->n_rows == table->room && !grow(table))
        return ph_no_memory(err, "row %zu of the table '%s'", table->n_rows + 1, table->name);
    for (size_t c = 0; c < table->n_columns; ++c) {
        if (table->column[c].words) {
            memset(table->word[c][table->n_rows], 0, PH_TABLE_WORD);
            snprintf(table->word[c][table->n_rows], PH_TABLE_WORD, "%s", *words++);
        } else {
            table->number[c][table->n_rows] = *numbers++;
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

/* Row 0 is the head */
static const char *cell_text(const struct ph_table *table, const struct ph_table_look *look, size_t c, size_t row,
                             char text[static PH_TABLE_WORD])
{
    if (row == 0)
        return look->head;
    if (table->column[c].words)
        return table->word[c][row - 1];
    const double number = table->number[c][row - 1];
    if (!isfinite(number))
        return "-";
    ph_snprintf(text, PH_TABLE_WORD, look->format ? look->format : "%.10g", number);
    return text;
}

void ph_table_write_text(const struct ph_table *table, const struct ph_table_look *looks, FILE *out)
{
    char text[PH_TABLE_WORD];
    int width[PH_TABLE_COLUMNS] = {0};
    size_t last = 0;
    for (size_t c = 0; c < table->n_columns; ++c)
        for (size_t row = 0; row <= table->n_rows && looks[c].head; ++row) {
            const int length = (int)strlen(cell_text(table, &looks[c], c, row, text));
            width[c] = length > width[c] ? length : width[c];
            last = c;
        }
    for (size_t row = 0; row <= table->n_rows; ++row)
        for (size_t c = 0; c <= last; ++c) {
            if (!looks[c].head)
                continue;
            const bool left = table->column[c].words;
            fprintf(out, "%*s", left ? (c == last ? 0 : -width[c]) : width[c],
                    cell_text(table, &looks[c], c, row, text));
            fputs(c == last ? "\n" : "  ", out);
        }
}
