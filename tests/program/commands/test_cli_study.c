/* SPDX-License-Identifier: MIT */
#include "program/support/program.h"

#include "folder.h"

#include <hdf5.h>
#include <math.h>
#include <sys/stat.h>

static const char *path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/out/%s", folder, name);
    return path;
}

static bool exists(const char *name) { return access(path_of(name), R_OK) == 0; }

/* Runs the study that is the quickest into folder/out */
static const struct program *run_study(const char *options)
{
    char line[256];
    snprintf(line, sizeof line, "study dipoles-100 --quick -o %s/out %s", folder, options);
    return run_program(line);
}

TEST(names_are_listed_and_unknown_ones_suggest)
{
    const struct program *p = run_well("study");
    assert_string_equal(p->err, "");
    const char *const names[] = {"heavy-top-1e-6", "heavy-top-1e-3", "satellite",
                                 "dipoles-100",    "dipoles-125",    "dipoles-long"};
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k)
        assert_non_null(strstr(p->out, names[k]));
    assert_non_null(strstr(p->out, "polhode study NAME --quick"));
    p = run_program("list studies --json");
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k)
        assert_non_null(strstr(p->out, names[k]));
    p = run_program("list problems --json");
    assert_true(json_number(strstr(p->out, "\"satellite\""), "energy") == 1.21595664e7);
    p = run_program("list problems");
    assert_non_null(strstr(p->out, "perturbed-body"));
    assert_usage_error("study satelite", "polhode study", "satelite", "'satellite'");
    assert_usage_error("study satellite --all", "polhode study", "--all", "'satellite'");
    assert_usage_error("study satellite --seed x", "polhode study", "--seed", "x");
    assert_usage_error("study satellite --keep --overwrite", "polhode study", "--keep", "--overwrite");
    p = run_well("study --help");
    assert_non_null(strstr(p->out, "--quick"));
    assert_non_null(strstr(p->out, "lists the studies"));
}

/* The header, and as many numbers or words in every row */
static void read_csv(const char *name, size_t n_columns, size_t *rows)
{
    FILE *file = fopen(path_of(name), "r");
    assert_non_null(file);
    char line[1024];
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "panel,value,scheme,flow,step,evaluations,seconds,error,error_median,error_end,runs,"
                              "broken\n");
    for (*rows = 0; fgets(line, sizeof line, file); ++*rows) {
        size_t columns = 0;
        for (char *word = strtok(line, ",\n"); word; word = strtok(NULL, ",\n"), ++columns) {
            char *end;
            const double number = strtod(word, &end);
            const bool words = columns == 0 || columns == 2 || columns == 3;
            assert_true(words || (*end == '\0' && isfinite(number) && number >= 0.0));
        }
        assert_int_equal(columns, n_columns);
    }
    fclose(file);
}

static void check_h5(const char *name, size_t rows)
{
    const hid_t file = H5Fopen(path_of(name), H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    const hid_t set = H5Dopen2(file, "errors/error", H5P_DEFAULT);
    assert_true(set >= 0);
    const hid_t space = H5Dget_space(set);
    assert_int_equal(H5Sget_simple_extent_npoints(space), rows);
    assert_true(H5Aexists(file, "headline") > 0);
    H5Sclose(space);
    H5Dclose(set);
    H5Fclose(file);
}

TEST(a_study_writes_data_and_a_text_with_verdicts)
{
    const struct program *p = run_study("--no-plot");
    assert_int_equal(p->status, 0);
    assert_non_null(strstr(p->out, "holds"));
    assert_non_null(strstr(p->out, "README.md"));
    size_t rows;
    read_csv("errors.csv", 12, &rows);
    assert_int_equal(rows, 6 * 7);
    check_h5("dipoles-100.h5", rows);
    char text[1 << 14] = "";
    FILE *file = fopen(path_of("README.md"), "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_non_null(strstr(text, "Figure 16 of "));
    assert_non_null(strstr(text, "**holds.**"));
    assert_non_null(strstr(text, "| srkn4-6b, exact |"));
    assert_non_null(strstr(text, "This is the quick version"));
    assert_false(exists("dipoles-100.svg"));
}

TEST(results_are_not_overwritten_unless_asked)
{
    char line[512];
    snprintf(line, sizeof line, "study satellite -o %s/out", folder);
    assert_usage_error(line, "polhode study", "not empty", "--overwrite");
    assert_false(exists("satellite.h5"));
    assert_true(exists("errors.csv"));
    snprintf(line, sizeof line, "study satellite -o %s", path_of("README.md"));
    assert_usage_error(line, "polhode study", "README.md", "not a directory");
    snprintf(line, sizeof line, "study satellite -o %s/no/such", folder);
    const struct program *p = run_program(line);
    assert_int_equal(p->status, 4);
    assert_non_null(strstr(p->err, "/no/such"));
}

/* What is finished is not repeated, unless it was another version: then it is. */
TEST(finished_studies_are_kept_if_asked)
{
    struct stat before, after;
    assert_int_equal(stat(path_of("dipoles-100.h5"), &before), 0);
    const struct program *p = run_study("--keep --no-plot");
    assert_int_equal(p->status, 0);
    assert_non_null(strstr(p->out, "holds: With 80 force evaluations"));
    assert_int_equal(stat(path_of("dipoles-100.h5"), &after), 0);
    assert_true(before.st_mtim.tv_sec == after.st_mtim.tv_sec && before.st_mtim.tv_nsec == after.st_mtim.tv_nsec);
    if (PH_SANITIZED) /* the same study once more */
        return;
    p = run_study("--keep --no-plot --seed 3");
    assert_int_equal(p->status, 0);
    assert_int_equal(stat(path_of("dipoles-100.h5"), &after), 0);
    assert_false(before.st_mtim.tv_sec == after.st_mtim.tv_sec && before.st_mtim.tv_nsec == after.st_mtim.tv_nsec);
}

/* Without script or Python the data are there, and the user is told. */
TEST(a_missing_plot_costs_nothing_else)
{
    if (PH_SANITIZED)
        skip();
    setenv("POLHODE_PLOT_STUDY", "/no/such/script", 1);
    const struct program *p = run_study("--overwrite --seed 2");
    assert_int_equal(p->status, 0);
    assert_non_null(strstr(p->err, "/no/such/script"));
    assert_non_null(strstr(p->err, "POLHODE_PLOT_STUDY"));
    unsetenv("POLHODE_PLOT_STUDY");
    setenv("POLHODE_PYTHON", "/bin/false", 1);
    p = run_study("--overwrite");
    unsetenv("POLHODE_PYTHON");
    assert_int_equal(p->status, 0);
    assert_non_null(strstr(p->err, "all data are written"));
    assert_non_null(strstr(p->err, "plot-study"));
    size_t rows;
    read_csv("errors.csv", 12, &rows);
    assert_int_equal(rows, 6 * 7);
}

TEST(plots_are_drawn_where_there_is_matplotlib)
{
    if (PH_SANITIZED || system("/usr/bin/python3 -c 'import matplotlib, h5py' 2>/dev/null") != 0)
        skip();
    const struct program *p = run_study("--overwrite");
    assert_int_equal(p->status, 0);
    assert_null(strstr(p->err, "polhode")); /* no complaint; progress is shown where it takes long */
    const char *const plots[] = {"dipoles-100.svg", "dipoles-100.png", "dipoles-100-time.svg", "dipoles-100-time.png",
                                 "dipoles-100.html"};
    for (size_t k = 0; k < sizeof plots / sizeof *plots; ++k) {
        struct stat about;
        assert_int_equal(stat(path_of(plots[k]), &about), 0);
        assert_true(about.st_size > 10000);
    }
}

GROUP(make_folder, remove_folder)
