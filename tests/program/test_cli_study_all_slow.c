/* SPDX-License-Identifier: MIT */
/* All studies in their quick versions: every claim comes out as it does as a rule, and a page says so. */
#include "program.h"

#include "lab/studies/study.h"

#include <stdbool.h>

static char directory[] = "/tmp/polhode-studies-XXXXXX";

static int make_directory(void **state)
{
    (void)state;
    return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
    (void)state;
    char line[128];
    snprintf(line, sizeof line, "rm -r %s", directory);
    return system(line);
}

static char *read_page(void)
{
    enum { MOST = 1 << 20 };
    char path[256], *page = calloc(1, MOST);
    snprintf(path, sizeof path, "%s/README.md", directory);
    FILE *file = fopen(path, "r");
    assert_non_null(page);
    assert_non_null(file);
    assert_true(fread(page, 1, MOST - 1, file) > 1000);
    fclose(file);
    return page;
}

static void all_claims_come_out_as_usual(void **state)
{
    (void)state;
    char line[256];
    const bool plots = system("/usr/bin/python3 -c 'import matplotlib, h5py' 2>/dev/null") == 0;
    snprintf(line, sizeof line, "study --all --quick -o %s%s", directory, plots ? "" : " --no-plot");
    const struct program *p = run_program(line);
    if (p->status != 0)
        fail_msg("status %d:\n%s\n%s", p->status, p->out, p->err);
    char *page = read_page();
    for (size_t i = 0; i < ph_study_count(); ++i) {
        const struct ph_study *study = ph_study_at(i);
        assert_non_null(strstr(p->out, study->name));
        snprintf(line, sizeof line, "\n## %s\n", study->name);
        assert_non_null(strstr(page, line));
        const char *const endings[] = {"h5", "svg", "png"};
        for (size_t k = 0; k < (plots ? 3 : 1); ++k) {
            char path[512];
            snprintf(path, sizeof path, "%s/%s/%s.%s", directory, study->name, study->name, endings[k]);
            if (access(path, R_OK) != 0)
                fail_msg("%s is missing: %s", path, p->err);
        }
        for (size_t f = 0; f < PH_STUDY_FIGURES && study->shows[f].name && plots; ++f) {
            char path[512];
            snprintf(path, sizeof path, "%s/%s/%s", directory, study->name, study->shows[f].file);
            if (access(path, R_OK) != 0)
                fail_msg("%s should be in %s, which is missing", study->shows[f].name, path);
        }
    }
    assert_null(strstr(page, "(!) |"));
    free(page);
}

/* What is expected is said for most claims: all but those about time. */
static void most_claims_have_an_expected_verdict(void **state)
{
    (void)state;
    size_t claims = 0, expected = 0;
    for (size_t i = 0; i < ph_study_count(); ++i)
        for (size_t c = 0; c < ph_study_at(i)->n_claims; ++c) {
            ++claims;
            expected += ph_study_at(i)->expected[c] != PH_FINDING_NONE;
        }
    assert_true(4 * expected > 3 * claims);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_claims_come_out_as_usual),
        cmocka_unit_test(most_claims_have_an_expected_verdict),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
