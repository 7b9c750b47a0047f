/* SPDX-License-Identifier: MIT */
/* docs/studies.md lists exactly the studies, figures and claims that the program knows, in its order and its words.
 * What was measured is not compared, but verdicts are those expected: a page of an older program, or one on which a
 * claim came out otherwise, fails here. It is made anew by `polhode study --all`. */
#include "program/support/program.h"

#include "lab/studies/frame/study.h"

#include <ctype.h>

static char *page;

static int read_page(void **state)
{
    enum { MOST = 1 << 20 };
    FILE *file = fopen(POLHODE_TEST_DATA "/../../docs/studies.md", "r");
    page = calloc(1, MOST);
    if (!file || !page)
        return -1;
    const size_t length = fread(page, 1, MOST - 1, file);
    fclose(file);
    return length > 0 && length < MOST - 1 ? 0 : -1;
}

static int free_page(void **state)
{
    free(page);
    return 0;
}

/* The next line that begins with `mark`, from *at on, within the page; *at is set behind it. NULL if there is none. */
static const char *next_line(const char **at, const char *mark)
{
    for (const char *line = *at; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (strncmp(line, mark, strlen(mark)) == 0) {
            *at = strchr(line, '\n') ? strchr(line, '\n') + 1 : line + strlen(line);
            return line;
        }
    return NULL;
}

static void assert_begins(const char *line, const char *expected)
{
    if (!line || strncmp(line, expected, strlen(expected)) != 0)
        fail_msg(
            "docs/studies.md is not of this program (make it anew with 'polhode study --all'). Expected:\n%s\nnot:\n"
            "%.*s",
            expected, line ? (int)strcspn(line, "\n") : 8, line ? line : "(no line)");
}

/* As in the cells of the page's tables */
static void escape(const char *text, char *out)
{
    for (; *text; ++text) {
        if (*text == '|')
            *out++ = '\\';
        *out++ = *text;
    }
    *out = '\0';
}

TEST(it_was_made_from_the_full_versions)
{
    const char *at = page;
    assert_begins(next_line(&at, "This page"), "This page was made by `polhode study --all`, polhode ");
    assert_null(strstr(page, "--quick`, polhode"));
    assert_null(strstr(page, "(!) |"));
}

TEST(the_overview_lists_all_studies)
{
    const char *at = page;
    char expected[512];
    for (size_t i = 0; i < ph_study_count(); ++i) {
        const struct ph_study *study = ph_study_at(i);
        snprintf(expected, sizeof expected, "| [`%s`](#%s) | %.*s, %s | ", study->name, study->name,
                 (int)strcspn(study->reference, ","), study->reference, study->figure);
        assert_begins(next_line(&at, "| [`"), expected);
    }
    assert_null(next_line(&at, "| [`"));
}

TEST(every_figure_is_said_to_be_in_its_file)
{
    const char *at = strstr(page, "| paper | figure or table |");
    assert_non_null(at);
    next_line(&at, "|---");
    for (size_t i = 0; i < ph_study_count(); ++i) {
        const struct ph_study *study = ph_study_at(i);
        assert_non_null(study->shows[0].name);
        for (size_t f = 0; f < PH_STUDY_FIGURES && study->shows[f].name; ++f) {
            char expected[512];
            snprintf(expected, sizeof expected, "| %.*s | %s | [`%s`](#%s) | `%s` | ",
                     (int)strcspn(study->reference, ","), study->reference, study->shows[f].name, study->name,
                     study->name, study->shows[f].file);
            assert_begins(at, expected);
            next_line(&at, "");
        }
    }
    assert_true(*at == '\n'); /* no row is left */
}

/* One row for each claim, with its verdict */
static void check_claims(const struct ph_study *study, const char **at)
{
    assert_non_null(next_line(at, "| the paper | | measured |"));
    next_line(at, "|---");
    for (size_t c = 0; c < ph_study_claims(study); ++c) {
        char claim[PH_STUDY_TEXT], expected[PH_STUDY_TEXT + 64];
        const enum ph_finding_verdict verdict = ph_study_expected(study, false, c);
        escape(study->claim[c].text, claim);
        snprintf(expected, sizeof expected, "| %s | %s%s", claim,
                 verdict == PH_FINDING_NONE ? "" : ph_finding_words(verdict), verdict == PH_FINDING_NONE ? "" : " | ");
        assert_begins(*at, expected);
        next_line(at, "");
    }
    assert_true(**at == '\n' || **at == '\0'); /* no row is left */
}

TEST(every_claim_is_there_in_its_words)
{
    const char *at = page;
    assert_begins(next_line(&at, "## "), "## Figures and tables\n");
    for (size_t i = 0; i < ph_study_count(); ++i) {
        const struct ph_study *study = ph_study_at(i);
        char expected[2048];
        snprintf(expected, sizeof expected, "## %s\n", study->name);
        assert_begins(next_line(&at, "## "), expected);
        snprintf(expected, sizeof expected, "\n%s: %s of %s.\n\n%s", study->title, study->figure, study->reference,
                 study->setup);
        if (strncmp(at, expected, strlen(expected)) != 0)
            fail_msg("docs/studies.md, %s: title or set-up are not those of the program:\n%s", study->name, expected);
        check_claims(study, &at);
    }
    assert_null(next_line(&at, "## "));
}

/* The other way round: figures that a study names in `figure` are among those it shows. */
TEST(all_figures_of_a_study_have_a_file)
{
    for (size_t i = 0; i < ph_study_count(); ++i) {
        const struct ph_study *study = ph_study_at(i);
        for (const char *digit = study->figure; *digit; ++digit) {
            if (!isdigit((unsigned char)*digit) ||
                (digit > study->figure && (isdigit((unsigned char)digit[-1]) || digit[-1] == '.')))
                continue;
            char number[16];
            snprintf(number, sizeof number, " %.*s", (int)strspn(digit, "0123456789."), digit);
            bool found = false;
            for (size_t f = 0; f < PH_STUDY_FIGURES && study->shows[f].name; ++f)
                found = found || strstr(study->shows[f].name, number);
            if (!found)
                fail_msg("%s: %s, but no file for%s", study->name, study->figure, number);
        }
    }
}

GROUP(read_page, free_page)
