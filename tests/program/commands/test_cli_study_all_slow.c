/* SPDX-License-Identifier: MIT */
/* All studies in their quick versions, run once: every claim comes out as it does as a rule, and a page says so. Then
 * their tables are read back: what papers claim of free and perturbed bodies, of lattices of dipoles, of one-step
 * integrators and of methods on spheres, and what does not come out. Claims about time are not tested: a busy machine
 * can spoil them. Each kind of figure is rendered once (plot_each_kind.py). */
#include "program/support/program.h"

#include "folder.h"

#include "physics/studies.h"

#include "lab/studies/frame/output.h"

#include <float.h>

/* ---- The command ---- */

static char *read_page(void)
{
    enum { MOST = 1 << 20 };
    char path[256], *page = calloc(1, MOST);
    snprintf(path, sizeof path, "%s/README.md", folder);
    FILE *file = fopen(path, "r");
    assert_non_null(page);
    assert_non_null(file);
    assert_true(fread(page, 1, MOST - 1, file) > 1000);
    fclose(file);
    return page;
}

TEST(all_claims_come_out_as_usual)
{
    char line[256];
    const bool plots = system("/usr/bin/python3 -c 'import matplotlib, h5py' 2>/dev/null") == 0;
    setenv("POLHODE_PLOT_STUDY", POLHODE_TEST_DATA "/../program/support/plot_each_kind.py", 1);
    snprintf(line, sizeof line, "study --all --quick -o %s%s", folder, plots ? "" : " --no-plot");
    const struct program *p = run_program(line);
    unsetenv("POLHODE_PLOT_STUDY");
    if (p->status != 0)
        fail_msg("status %d:\n%s\n%s", p->status, p->out, p->err);
    char *page = read_page();
    for (size_t i = 0; i < ph_study_count(); ++i) {
        const struct ph_study *study = ph_study_at(i);
        assert_non_null(strstr(p->out, study->name));
        snprintf(line, sizeof line, "\n## %s\n", study->name);
        assert_non_null(strstr(page, line));
        const char *const endings[] = {"h5", "svg", "png", "html"};
        for (size_t k = 0; k < (plots ? 4 : 1); ++k) {
            char path[512];
            snprintf(path, sizeof path, "%s/%s/%s.%s", folder, study->name, study->name, endings[k]);
            if (access(path, R_OK) != 0)
                fail_msg("%s is missing: %s", path, p->err);
        }
        for (size_t f = 0; f < PH_STUDY_FIGURES && study->shows[f].name && plots; ++f) {
            char path[512];
            snprintf(path, sizeof path, "%s/%s/%s", folder, study->name, study->shows[f].file);
            if (access(path, R_OK) != 0)
                fail_msg("%s should be in %s, which is missing", study->shows[f].name, path);
        }
    }
    assert_null(strstr(page, "(!) |"));
    free(page);
}

/* All claims but those about time have an expected verdict. */
TEST(most_claims_have_an_expected_verdict)
{
    size_t claims = 0, expected = 0;
    for (size_t i = 0; i < ph_study_count(); ++i)
        for (size_t c = 0; c < ph_study_claims(ph_study_at(i)); ++c) {
            ++claims;
            expected += ph_study_at(i)->claim[c].expected != PH_FINDING_NONE;
        }
    assert_true(4 * expected > 3 * claims);
}

/* ---- What was written ---- */

/* Fills words and numbers of every column of a CSV file. A column holds words if one of its cells is no number. */
static void read_table(const char *study, const char *name, struct ph_table *table)
{
    enum { ROWS = 4096 };
    static char header[PH_STUDY_TABLES][1024];
    static size_t next;
    char path[256], line[1024], *names = header[next++ % PH_STUDY_TABLES];
    snprintf(path, sizeof path, "%s/%s/%s.csv", folder, study, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(names, sizeof header[0], file));
    memset(table, 0, sizeof *table);
    for (char *word = strtok(names, ",\n"); word; word = strtok(NULL, ",\n")) {
        assert_true(table->n_columns < PH_TABLE_COLUMNS);
        table->number[table->n_columns] = calloc(ROWS, sizeof *table->number[0]);
        table->word[table->n_columns] = calloc(ROWS, sizeof *table->word[0]);
        table->column[table->n_columns++].name = word;
    }
    for (; fgets(line, sizeof line, file); ++table->n_rows) {
        size_t c = 0;
        assert_true(table->n_rows < ROWS);
        for (char *rest = line, *word; (word = strsep(&rest, ",\n")) && rest; ++c) {
            char *end;
            assert_true(c < table->n_columns);
            table->number[c][table->n_rows] = strtod(word, &end);
            table->column[c].words = table->column[c].words || end == word || *end != '\0';
            snprintf(table->word[c][table->n_rows], PH_TABLE_WORD, "%s", word);
        }
        assert_int_equal(c, table->n_columns);
    }
    fclose(file);
}

/* The findings of a study, and one of its tables */
static struct ph_study_result *read_study(const char *name, const char *table)
{
    const struct ph_study_options options = {.quick = true, .seed = 1};
    struct ph_study_result *result = malloc(sizeof *result);
    char path[256];
    assert_non_null(result);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_true(ph_study_read(ph_study_find(name), &options, path, result));
    assert_true(strlen(result->headline) > 20);
    read_table(name, table, &result->table[0]);
    result->n_tables = 1;
    return result;
}

/* ---- The free body: Celledoni et al., Hairer and Vilmart ---- */

/* Digits of a flow at a step, from the table of the triangle: mean, or of the corner of thin bodies */
static double digits(const struct ph_study_result *result, const char *flow, double step, bool corner)
{
    const struct ph_table *table = &result->table[0];
    for (size_t row = 0; row < table->n_rows; ++row)
        if (strcmp(table->word[0][row], flow) == 0 && table->number[1][row] == step)
            return table->number[corner ? 5 : 2][row];
    fail_msg("no row of %s", flow);
    return NAN;
}

TEST(exact_methods_are_accurate_for_all_inertias)
{
    struct ph_study_result *result = read_study("inertia-triangle", "digits");
    static const char *const exact[] = {"exact-rotation", "exact-kosenko"};
    for (int k = 0; k < 2; ++k) {
        assert_between(digits(result, exact[k], 0.4, false), 14.0, 15.5);
        assert_between(digits(result, exact[k], 0.04, false), 13.3, 14.5);
    }
    /* ten times shorter steps: as many digits more as the order says, less what ends in rounding */
    assert_between(digits(result, "dmv6", 0.04, false) - digits(result, "dmv6", 0.4, false), 5.8, 7.2);
    assert_between(digits(result, "dmv10", 0.4, false), 8.0, 9.2);
    assert_between(digits(result, "dmv10", 0.4, true), 5.0, 7.0);
    assert_between(digits(result, "exact-rotation-g6", 0.4, false), 8.5, 9.7);
    assert_between(digits(result, "exact-kosenko-g10", 0.4, true), 3.0, 5.5);
    const enum ph_finding_verdict expected[] = {PH_FINDING_HOLDS, PH_FINDING_HOLDS, PH_FINDING_PARTLY};
    assert_verdicts(result, 3, expected);
    assert_int_equal(result->finding[4].verdict, PH_FINDING_HOLDS);
    assert_int_equal(result->finding[5].verdict, PH_FINDING_HOLDS);
    end_study(result);
}

TEST(random_bodies_are_followed_as_in_the_paper)
{
    struct ph_study_result *result = read_study("free-body", "single");
    const struct ph_table *single = &result->table[0];
    assert_int_equal(single->n_rows, 2);
    for (size_t row = 0; row < 2; ++row)
        assert_between(single->number[1][row], 5e-17, 2e-15);
    read_table("free-body", "runs", &result->table[1]);
    result->n_tables = 2;
    assert_int_equal(result->table[1].n_rows, 200);
    assert_int_equal(result->finding[1].verdict, PH_FINDING_PARTLY); /* dmv converges always */
    assert_non_null(strstr(result->finding[1].measured, "in parts, and converge for 100, 100 and 100"));
    assert_int_equal(result->finding[3].verdict, PH_FINDING_HOLDS); /* rounding */
    end_study(result);
}

TEST(preprocessed_moser_veselov_shows_its_orders)
{
    struct ph_study_result *result = read_study("dmv-work", "orders");
    const struct ph_table *orders = &result->table[0];
    for (size_t row = 0; row < orders->n_rows; ++row)
        for (int column = 3; column <= 4; ++column)
            if (!isnan(orders->number[column][row]) && orders->number[2][row] <= 6.0)
                assert_close(orders->number[column][row], orders->number[2][row], 0.2, 1.0);
    assert_int_equal(result->finding[0].verdict, PH_FINDING_HOLDS);
    assert_int_equal(result->finding[1].verdict, PH_FINDING_HOLDS);
    assert_int_equal(result->finding[3].verdict, PH_FINDING_HOLDS);
    end_study(result);
}

TEST(flows_have_the_properties_of_the_table)
{
    struct ph_study_result *result = read_study("free-body-properties", "properties");
    for (size_t c = 0; c < ph_study_claims(result->study); ++c)
        if (result->finding[c].verdict != PH_FINDING_HOLDS)
            fail_msg("\"%s\": %s", result->study->claim[c].text, result->finding[c].measured);
    assert_true(result->table[0].n_rows >= 15);
    end_study(result);
}

/* ---- Perturbed bodies and lattices of dipoles ---- */

static const char *const panels[] = {"eps^2", "eps", "1", "1/eps", "1/eps^2"};
static const char *const schemes[] = {"verlet", "s4-6", "srkn4-6b", "s6-10", "srkn6-14a"};
enum { PANELS = 5, SCHEMES = 5, STEPS = 5 };

/* The paper: only with the exact free body are errors below epsilon for all steps. It holds but for the longest step,
 * in which the body turns by many radians. And the exact one is never much worse than mr2, but better by far where the
 * kinetic energy is not small. */
static void check_heavy_top(const char *name, double epsilon)
{
    struct ph_study_result *result = read_study(name, "errors");
    for (size_t s = 0; s < SCHEMES; ++s)
        for (size_t p = 0; p < PANELS; ++p)
            for (size_t k = 0; k < STEPS; ++k) {
                const double exact = error_at(result, panels[p], schemes[s], "exact", k);
                const double split = error_at(result, panels[p], schemes[s], "mr2", k);
                assert_true(exact < (k == 0 ? 10.0 : 1.0) * epsilon);
                assert_true(exact < 1.2 * split);
                if (p >= 2)
                    assert_true(exact < 0.1 * split);
            }
    for (size_t s = 0; s < SCHEMES; ++s) {
        assert_true(error_at(result, "1/eps^2", schemes[s], "mr2", STEPS - 1) > 0.1);
        assert_between(slope(result, "1", schemes[s], "mr2", 0.0), 1.7, 2.3);
    }
    assert_between(slope(result, "1", "verlet", "exact", 0.0), 1.9, 2.1);
    assert_between(slope(result, "1", "s4-6", "exact", 0.0), 3.8, 4.4);
    /* with many evaluations the higher order wins */
    for (size_t s = 1; s < SCHEMES; ++s)
        assert_true(error_at(result, "1", schemes[s], "exact", STEPS - 1) <
                    0.01 * error_at(result, "1", "verlet", "exact", STEPS - 1));
    assert_verdicts(result, 3, (enum ph_finding_verdict[]){PH_FINDING_HOLDS, PH_FINDING_PARTLY, PH_FINDING_HOLDS});
    assert_non_null(strstr(result->finding[1].measured, "0 of 5 with mr2"));
    end_study(result);
}

TEST(exact_rotation_keeps_perturbed_bodies_below_the_perturbation)
{
    check_heavy_top("heavy-top-1e-6", 1e-6);
    check_heavy_top("heavy-top-1e-3", 1e-3);
}

TEST(exact_rotation_matters_for_dipoles_of_small_energy_only)
{
    struct ph_study_result *result = read_study("dipoles-125", "errors");
    const double gain = error_at(result, "H0 = 1", "s6-10", "mr2", 3) / error_at(result, "H0 = 1", "s6-10", "exact", 3);
    assert_true(gain > 100.0);
    for (size_t k = 0; k < 4; ++k) {
        const double exact = error_at(result, "H0 = 85", "srkn4-6b", "exact", k);
        assert_close(error_at(result, "H0 = 85", "srkn4-6b", "mr2", k), exact, 0.05, exact);
    }
    assert_between(slope(result, "H0 = 1", "verlet", "mr2", 0.0), 1.95, 2.05);
    assert_between(slope(result, "H0 = 1", "s6-10", "exact", 0.0), 5.5, 6.5);
    assert_verdicts(result, 2, (enum ph_finding_verdict[]){PH_FINDING_HOLDS, PH_FINDING_HOLDS});
    end_study(result);
}

TEST(the_longer_run_shows_orders_four_and_six)
{
    struct ph_study_result *result = read_study("dipoles-long", "errors");
    assert_between(slope(result, "H0 = 1", "srkn4-6b", "exact", 1e-12), 3.8, 4.5);
    assert_between(slope(result, "H0 = 1", "srkn6-14a", "exact", 1e-12), 5.0, 6.5);
    assert_between(slope(result, "H0 = 1", "srkn6-14a", "mr2", 0.0), 1.9, 2.1);
    assert_verdicts(result, 1, (enum ph_finding_verdict[]){PH_FINDING_HOLDS});
    end_study(result);
}

/* ---- One-step integrators ---- */

/* The number in a column of the row of a method, and of a step if that is not 0 */
static double number_in(const struct ph_table *table, const char *method, double step, const char *column)
{
    size_t c = 0;
    while (c < table->n_columns && strcmp(table->column[c].name, column) != 0)
        ++c;
    assert_true(c < table->n_columns && !table->column[c].words);
    for (size_t row = 0; row < table->n_rows; ++row)
        if (strcmp(table->word[0][row], method) == 0 && (step == 0.0 || table->number[1][row] == step))
            return table->number[c][row];
    fail_msg("no row %s with step %g", method, step);
    return NAN;
}

/* Slopes of the energy per unit of time with h = 0.125, computed before in multiple precision over [0, 10000]; the
 * reduced time of the quick version changes them by up to a tenth. */
TEST(energies_drift_as_the_thesis_says)
{
    static const struct {
        const char *name;
        double slope;
    } known[] = {{"eln-cay", -1.06e-6}, {"tln-cay", -1.59e-6}, {"prk", -1.70e-6},
                 {"mcg", 5.69e-7},      {"new3", 5.69e-7},     {"liemid-ea", 1.42e-7}};
    struct ph_study_result *result = read_study("energy-drift", "drift");
    const struct ph_table *table = &result->table[0];
    for (size_t k = 0; k < sizeof known / sizeof *known; ++k) {
        const double slope = number_in(table, known[k].name, 0.125, "slope");
        const double shorter = number_in(table, known[k].name, 0.0625, "slope");
        assert_between(slope / known[k].slope, 0.9, 1.1);
        assert_between(log2(slope / shorter), 1.9, 2.1);
        assert_between(number_in(table, known[k].name, 0.125, "slope_second") /
                           number_in(table, known[k].name, 0.125, "slope_first"),
                       0.9, 1.1);
        assert_true(fabs(slope) > 5.0 * number_in(table, known[k].name, 0.125, "deviation"));
    }
    static const char *const symplectic[] = {"vlv", "rattle"};
    for (size_t k = 0; k < 2; ++k) {
        assert_between(number_in(table, symplectic[k], 0.125, "slope"), -1e-8, 1e-8);
        assert_true(number_in(table, symplectic[k], 0.125, "highest") > 1e-4); /* errors there are, but no drift */
    }
    assert_verdicts(result, 6,
                    (enum ph_finding_verdict[]){PH_FINDING_HOLDS, PH_FINDING_HOLDS, PH_FINDING_HOLDS, PH_FINDING_HOLDS,
                                                PH_FINDING_HOLDS, PH_FINDING_PARTLY});
    end_study(result);
}

TEST(a_body_before_a_soft_wall_does_as_the_paper_says_but_for_symplecticity)
{
    static const struct {
        const char *name;
        double low, high;
    } known[] = {{"trap", 0.991, 1.006},  {"imid", 0.999, 1.007}, {"trapm", 0.988, 1.006},
                 {"imidm", 0.997, 1.005}, {"akw", 0.973, 1.037},  {"swc1", 0.997, 1.062}};
    struct ph_study_result *result = read_study("soft-wall", "ranges");
    const struct ph_table *table = &result->table[0];
    for (size_t k = 0; k < sizeof known / sizeof *known; ++k) {
        /* ranges of a longer run, which the paper's own methods fill soon, the others later */
        assert_between(number_in(table, known[k].name, 0.0, "lowest"), known[k].low - 1e-3,
                       k < 4 ? known[k].low + 1e-3 : 1.0);
        assert_between(number_in(table, known[k].name, 0.0, "highest"), k < 4 ? known[k].high - 1e-3 : 1.0,
                       known[k].high + 1e-3);
    }
    assert_between(number_in(table, "imidm", 0.0, "drift"), -9.0e-7, -6.5e-7);
    assert_between(number_in(table, "trapm", 0.0, "drift"), -9.0e-7, -6.5e-7);
    assert_verdicts(result, 5,
                    (enum ph_finding_verdict[]){PH_FINDING_HOLDS, PH_FINDING_HOLDS, PH_FINDING_HOLDS, PH_FINDING_HOLDS,
                                                PH_FINDING_FAILS});
    end_study(result);
}

TEST(midpoint_and_trapezoidal_rules_converge_as_the_paper_says)
{
    struct ph_study_result *result = read_study("conjugate-pairs", "errors");
    assert_verdicts(result, 6,
                    (enum ph_finding_verdict[]){PH_FINDING_HOLDS, PH_FINDING_PARTLY, PH_FINDING_HOLDS, PH_FINDING_HOLDS,
                                                PH_FINDING_HOLDS, PH_FINDING_HOLDS});
    end_study(result);
}

/* The speeds depend on the machine and are not judged here. */
TEST(seven_methods_are_as_accurate_as_the_thesis_says_but_for_two_claims)
{
    struct ph_study_result *result = read_study("attractor-accuracy", "errors");
    assert_verdicts(result, 3, (enum ph_finding_verdict[]){PH_FINDING_HOLDS, PH_FINDING_PARTLY, PH_FINDING_FAILS});
    end_study(result);
    result = read_study("book", "axes");
    assert_verdicts(result, 3, (enum ph_finding_verdict[]){PH_FINDING_HOLDS, PH_FINDING_HOLDS, PH_FINDING_HOLDS});
    end_study(result);
}

/* ---- Spheres: what Ortolan's thesis claims of pendulums and magnetic needles ---- */

static double summary(const struct ph_study_result *result, const char *method, const char *column)
{
    return number_in(&result->table[0], method, 0.0, column);
}

static void check_orders(const struct ph_study_result *result)
{
    static const struct {
        const char *method;
        double order;
    } all[] = {{"eln-s2", 2.0}, {"rkmk4", 4.0}, {"rkmkgl4", 4.0}, {"rattle-s2", 2.0}};
    for (size_t k = 0; k < 4; ++k) {
        assert_between(summary(result, all[k].method, "order_q"), all[k].order - 0.2, all[k].order + 0.2);
        assert_between(summary(result, all[k].method, "order_w"), all[k].order - 0.2, all[k].order + 0.2);
    }
}

/* Runge-Kutta-Munthe-Kaas methods drift in energy and leave the tangent bundle; Lie-Newmark and RATTLE do not. */
TEST(a_pendulum_drifts_with_munthe_kaas_methods_only)
{
    struct ph_study_result *result = read_study("spherical-pendulum", "summary");
    check_orders(result);
    assert_between(summary(result, "rkmk4", "energy_slope"), -6.6e-9, -6.3e-9);
    assert_between(summary(result, "rkmkgl4", "energy_slope"), -8.9e-11, -8.6e-11);
    assert_true(fabs(summary(result, "eln-s2", "energy_slope")) * 200.0 <
                0.02 * summary(result, "eln-s2", "energy_error"));
    assert_true(summary(result, "rkmk4", "tangent") > 1e-8 && summary(result, "rkmkgl4", "tangent") > 1e-10);
    assert_true(summary(result, "eln-s2", "tangent") < 1e-13 && summary(result, "rattle-s2", "tangent") < 1e-14);
    assert_between(summary(result, "rattle-s2", "energy_error") / summary(result, "eln-s2", "energy_error"), 1.5, 2.1);
    /* the claim that Lie group methods keep |q| = 1 better than RATTLE holds in its first half only */
    assert_verdicts(result, 5,
                    (enum ph_finding_verdict[]){PH_FINDING_HOLDS, PH_FINDING_HOLDS, PH_FINDING_PARTLY, PH_FINDING_HOLDS,
                                                PH_FINDING_HOLDS});
    end_study(result);
}

TEST(coupled_pendulums_keep_their_momentum_with_rattle_only)
{
    struct ph_study_result *result = read_study("double-pendulum", "summary");
    check_orders(result);
    assert_true(summary(result, "rattle-s2", "momentum") < 1e-11);
    assert_true(summary(result, "eln-s2", "momentum") > 1e-3);
    assert_true(summary(result, "rkmkgl4", "momentum") > 1e-7);
    assert_true(summary(result, "eln-s2", "tangent") < 1e-12);
    /* no drift of rkmkgl4 is seen beside its fluctuations */
    assert_verdicts(result, 5,
                    (enum ph_finding_verdict[]){PH_FINDING_PARTLY, PH_FINDING_HOLDS, PH_FINDING_HOLDS, PH_FINDING_HOLDS,
                                                PH_FINDING_HOLDS});
    end_study(result);
}

TEST(needles_are_followed_best_by_the_engine)
{
    struct ph_study_result *result = read_study("dipole-array", "summary");
    check_orders(result);
    assert_between(summary(result, "srkn4-6b", "order_w"), 3.8, 4.2);
    assert_between(summary(result, "srkn6-14a", "order_w"), 5.8, 6.2);
    assert_true(summary(result, "srkn4-6b", "energy_error") < 1e-2 * summary(result, "rkmkgl4", "energy_error"));
    /* the rounding of 20 000 steps with |w| up to 18, and what is lost beside it */
    assert_true(summary(result, "eln-s2", "tangent") < 2e4 * 18.0 * DBL_EPSILON);
    assert_true(summary(result, "rkmkgl4", "tangent") > 1e-6);
    assert_verdicts(result, 5,
                    (enum ph_finding_verdict[]){PH_FINDING_HOLDS, PH_FINDING_HOLDS, PH_FINDING_PARTLY, PH_FINDING_HOLDS,
                                                PH_FINDING_HOLDS});
    end_study(result);
}

GROUP(make_folder, remove_folder)
