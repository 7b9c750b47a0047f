/* SPDX-License-Identifier: MIT */
/* One page on many studies: the claims of each paper, and the measurements. */
#include "lab/studies/frame/output.h"

#include "base/plain.h"

#include <string.h>

/* Text within a table's cell: no line breaks, and bars would end it */
static void write_cell(const char *text, FILE *out)
{
    for (; *text; ++text)
        if (*text == '|')
            fputs("\\|", out);
        else
            fputc(*text == '\n' ? ' ' : *text, out);
}

static void write_study(const struct ph_study_result *result, FILE *out)
{
    const struct ph_study *study = result->study;
    fprintf(out, "\n## %s\n\n%s: %s of %s.\n\n%s", study->name, study->title, study->figure, study->reference,
            study->setup);
    if (result->options.quick && strncmp(study->quick, "Nothing", strlen("Nothing")) != 0)
        fprintf(out, " Quick version: %s", study->quick);
    ph_fprintf(out, " It took %.*f s.\n\n**%s.**\n\n| the paper | | measured |\n|---|---|---|\n",
               result->seconds < 10.0 ? 1 : 0, result->seconds, result->headline);
    for (size_t c = 0; c < ph_study_claims(study); ++c) {
        const struct ph_study_finding *finding = &result->finding[c];
        fputs("| ", out);
        write_cell(study->claim[c].text, out);
        fprintf(out, " | %s%s | ", ph_finding_words(finding->verdict), ph_study_unexpected(result, c) ? " (!)" : "");
        write_cell(finding->measured, out);
        fputs(" |\n", out);
    }
}

static void write_overview(size_t n, const struct ph_study_result *results, FILE *out)
{
    fputs("\n| study | of | claims that hold | in part | not |\n|---|---|---|---|---|\n", out);
    for (size_t i = 0; i < n; ++i) {
        const struct ph_study *study = results[i].study;
        int count[PH_FINDING_FAILS + 1] = {0};
        for (size_t c = 0; c < ph_study_claims(study); ++c)
            ++count[results[i].finding[c].verdict];
        const int author = (int)strcspn(study->reference, ",");
        fprintf(out, "| [`%s`](#%s) | %.*s, %s | %d | %d | %d |\n", study->name, study->name, author, study->reference,
                study->figure, count[PH_FINDING_HOLDS], count[PH_FINDING_PARTLY], count[PH_FINDING_FAILS]);
    }
}

/* Every figure and table of the papers that is repeated, and where to find it */
static void write_coverage(size_t n, const struct ph_study_result *results, FILE *out)
{
    fputs("\n## Figures and tables\n\nFiles are in the directory of the study.\n\n"
          "| paper | figure or table | study | file | |\n|---|---|---|---|---|\n",
          out);
    for (size_t i = 0; i < n; ++i) {
        const struct ph_study *study = results[i].study;
        const int author = (int)strcspn(study->reference, ",");
        for (size_t f = 0; f < PH_STUDY_FIGURES && study->shows[f].name; ++f) {
            fprintf(out, "| %.*s | %s | [`%s`](#%s) | `%s` | ", author, study->reference, study->shows[f].name,
                    study->name, study->name, study->shows[f].file);
            write_cell(study->shows[f].what, out);
            fputs(" |\n", out);
        }
    }
}

bool ph_study_write_index(size_t n, const struct ph_study_result *results, FILE *out)
{
    bool kept = false;
    for (size_t i = 0; i < n; ++i)
        kept = kept || results[i].kept;
    fprintf(
        out,
        "# Experiments of the literature, repeated\n\n"
        "Look up here the claims of papers on methods for rigid bodies, and the measurements of this program. Every "
        "study is an object in `src/lab/studies/*.c` with the claims in the papers' words. Its function measures and "
        "judges them by numbers.\n\n"
        "| command | does |\n|---|---|\n"
        "| `polhode study NAME` | writes data (CSV, HDF5), plots and a text |\n"
        "| `polhode study --all` | the same for all studies, in an hour of one processor |\n"
        "| `polhode study --all --quick` | reduced versions, in a minute or two |\n\n"
        "This page was made by `polhode study --all%s`, polhode %s%s%s. Times are wall-clock times of a machine that "
        "also did other work. A (!) marks verdicts that differ from the usual ones.\n",
        n > 0 && results[0].options.quick ? " --quick" : "", ph_version(),
        n > 0 && results[0].options.quick ? ": reduced versions" : ": full versions, nothing is left out",
        kept ? "; some results are from earlier versions of the program (--keep)" : "");
    write_overview(n, results, out);
    write_coverage(n, results, out);
    for (size_t i = 0; i < n; ++i)
        write_study(&results[i], out);
    return !ferror(out);
}
