/* SPDX-License-Identifier: MIT */
/* README.md of a study: all sentences about results come from the numbers measured. */
#include "lab/studies/frame/output.h"

#include "base/plain.h"

#include <string.h>

static void write_claims(const struct ph_study_result *result, FILE *out)
{
    const struct ph_study *study = result->study;
    fputs("\n## Claims of the paper, and measurements\n", out);
    for (size_t c = 0; c < ph_study_claims(study); ++c) {
        const struct ph_study_finding *finding = &result->finding[c];
        fprintf(out, "\n%zu. > %s\n\n   **%s.** %s\n", c + 1, study->claim[c].text, ph_finding_words(finding->verdict),
                finding->measured);
    }
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* Writes the plot that every study has, then further plots that it names */
static void write_plots(const struct ph_study *study, FILE *out)
{
    char plain[128];
    snprintf(plain, sizeof plain, "%s.svg", study->name);
    fprintf(out, "\n![%s](%s)\n", study->title, plain);
    for (size_t f = 0; f < PH_STUDY_FIGURES && study->shows[f].name; ++f)
        if (ends_with(study->shows[f].file, ".svg") && strcmp(study->shows[f].file, plain) != 0)
            fprintf(out, "\n![%s](%s)\n", study->shows[f].name, study->shows[f].file);
}

static size_t column(const struct ph_table *table, const char *name)
{
    size_t c = 0;
    while (c + 1 < table->n_columns && strcmp(table->column[c].name, name) != 0)
        ++c;
    return c;
}

/* The row that begins another line of the table: panel, scheme or flow differ */
static size_t next_line(const struct ph_table *table, size_t row)
{
    const size_t columns[] = {column(table, "panel"), column(table, "scheme"), column(table, "flow")};
    size_t next = row + 1;
    for (; next < table->n_rows; ++next)
        for (size_t k = 0; k < sizeof columns / sizeof *columns; ++k)
            if (strcmp(table->word[columns[k]][next], table->word[columns[k]][row]) != 0)
                return next;
    return next;
}

/* One table for each panel: methods down, evaluations across */
static void write_survey(const struct ph_table *table, FILE *out)
{
    const size_t panel = column(table, "panel"), scheme = column(table, "scheme"), flow = column(table, "flow");
    const double *evaluations = table->number[column(table, "evaluations")],
                 *error = table->number[column(table, "error")];
    const double *broken = table->number[column(table, "broken")];
    for (size_t row = 0; row < table->n_rows;) {
        const size_t end = next_line(table, row);
        if (row == 0 || strcmp(table->word[panel][row], table->word[panel][row - 1]) != 0) {
            fprintf(out, "\n%s, mean relative energy error against force evaluations (about):\n\n| method |",
                    table->word[panel][row]);
            for (size_t k = row; k < end; ++k)
                ph_fprintf(out, " %.0f |", evaluations[k]);
            fputs("\n|---|", out);
            for (size_t k = row; k < end; ++k)
                fputs("---|", out);
            fputc('\n', out);
        }
        fprintf(out, "| %s, %s |", table->word[scheme][row], table->word[flow][row]);
        for (; row < end; ++row)
            ph_fprintf(out, " %.1e%s |", error[row], broken[row] > 0.0 ? "*" : "");
        fputc('\n', out);
    }
    for (size_t row = 0; row < table->n_rows; ++row)
        if (broken[row] > 0.0) {
            fputs("\n`*` Some runs broke off and are left out.\n", out);
            break;
        }
}

static void write_plain(const struct ph_table *table, FILE *out)
{
    fputs("\n|", out);
    for (size_t c = 0; c < table->n_columns; ++c)
        fprintf(out, " %s |", table->column[c].name);
    fputs("\n|", out);
    for (size_t c = 0; c < table->n_columns; ++c)
        fputs("---|", out);
    fputc('\n', out);
    for (size_t row = 0; row < table->n_rows; ++row) {
        fputc('|', out);
        for (size_t c = 0; c < table->n_columns; ++c)
            if (table->column[c].words)
                fprintf(out, " %s |", table->word[c][row]);
            else
                ph_fprintf(out, " %.3g |", table->number[c][row]);
        fputc('\n', out);
    }
}

static void write_files(const struct ph_study_result *result, FILE *out)
{
    const struct ph_study *study = result->study;
    fputs("\n## Files\n", out);
    for (size_t f = 0; f < PH_STUDY_FIGURES && study->shows[f].name; ++f)
        fprintf(out, "%s- %s: `%s`%s%s\n", f > 0 ? "" : "\n", study->shows[f].name, study->shows[f].file,
                study->shows[f].what[0] ? ", " : "", study->shows[f].what);
    fprintf(out, "\n`%s.h5` holds all tables, one data set for each column; each table is also a CSV file.\n",
            study->name);
    for (size_t t = 0; t < result->n_tables; ++t) {
        const struct ph_table *table = &result->table[t];
        fprintf(out, "\n`%s.csv`: %s, %zu rows. Columns:", table->name, table->title, table->n_rows);
        for (size_t c = 0; c < table->n_columns; ++c)
            fprintf(out, "%s `%s`%s%s", c > 0 ? ";" : "", table->column[c].name, table->column[c].help[0] ? " " : "",
                    table->column[c].help);
        fputs(".\n", out);
    }
    ph_fprintf(out,
               "\nMade by `polhode study %s%s --seed %llu`, polhode %s, in %.1f s. Times are those of the machine it "
               "ran on; all other numbers depend on the seed alone.\n",
               study->name, result->options.quick ? " --quick" : "", (unsigned long long)result->options.seed,
               ph_version(), result->seconds);
}

bool ph_study_write_report(const struct ph_study_result *result, FILE *out)
{
    const struct ph_study *study = result->study;
    fprintf(out, "# %s\n\n%s of %s.\n\n%s\n", study->title, study->figure, study->reference, study->setup);
    if (result->options.quick)
        fprintf(out, "\nThis is the quick version: %s\n", study->quick);
    fprintf(out, "\n%s.\n", result->headline);
    write_plots(study, out);
    write_claims(result, out);
    if (result->note[0][0])
        fputs("\n## What was chosen, and what else is worth knowing\n", out);
    for (size_t n = 0; n < PH_STUDY_NOTES && result->note[n][0]; ++n)
        fprintf(out, "\n- %s\n", result->note[n]);
    fputs("\n## Numbers\n", out);
    if (strcmp(study->plot, "survey") == 0)
        write_survey(&result->table[0], out);
    else
        write_plain(&result->table[0], out);
    write_files(result, out);
    return !ferror(out);
}
