/* SPDX-License-Identifier: MIT */
/* The library inside a program that has its own locale and its own HDF5 files: it leaves them alone, and they do not
 * change what it reads and writes. */
#include "folder.h"

#include "analysis/result.h"
#include "output/export/export.h"
#include "output/reader/reader.h"
#include "run/simulation/simulation.h"

#include <hdf5.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int begin(void **state)
{
    unsetenv("POLHODE_POTENTIALS");
    return enter_folder(state);
}

/* The whole file; freed by the next call with the same `which`. */
static const char *text_of(const char *name, int which)
{
    static char *texts[2];
    free(texts[which]);
    FILE *file = fopen(name, "r");
    assert_non_null(file);
    struct stat about;
    assert_int_equal(fstat(fileno(file), &about), 0);
    texts[which] = calloc(1, (size_t)about.st_size + 1);
    assert_non_null(texts[which]);
    assert_int_equal(fread(texts[which], 1, (size_t)about.st_size, file), about.st_size);
    fclose(file);
    return texts[which];
}

/* ---- HDF5 files of the host ---- */

/* A host that uses the library, then leaves a file of its own open at its end: HDF5 writes it then. */
static void leave_file_open(bool damaged)
{
    struct ph_reader reader;
    struct ph_error err;
    if (damaged)
        write_text("damaged.h5md", "\211HDF\r\n\032\n and nothing that HDF5 could read");
    ph_reader_open(damaged ? "damaged.h5md" : "none.h5md", &reader, &err);
    ph_reader_close(&reader);
    const hid_t file = H5Fcreate("host.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hsize_t extent = 2;
    const hid_t space = H5Screate_simple(1, &extent, NULL);
    const hid_t set = H5Dcreate2(file, "numbers", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, (double[]){1.5, 2.5});
    exit(0);
}

TEST(files_of_the_host_are_written_at_its_end)
{
    for (int damaged = 0; damaged < 2; ++damaged) {
        unlink("host.h5");
        const pid_t child = fork();
        if (child == 0)
            leave_file_open(damaged);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        const hid_t file = H5Fopen("host.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
        assert_true(file >= 0);
        const hid_t set = H5Dopen2(file, "numbers", H5P_DEFAULT);
        double numbers[2] = {0.0, 0.0};
        assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
        assert_true(numbers[0] == 1.5 && numbers[1] == 2.5);
        H5Dclose(set);
        H5Fclose(file);
    }
}

static herr_t told(hid_t stack, void *data)
{
    ++*(int *)data;
    return 0;
}

/* Two files of ours, closed in the order in which they were opened */
TEST(the_host_hears_of_its_own_errors)
{
    int failures = 0;
    H5E_auto2_t print;
    void *data;
    H5Eget_auto2(H5E_DEFAULT, &print, &data);
    H5Eset_auto2(H5E_DEFAULT, told, &failures);
    struct ph_reader one, two;
    struct ph_error err;
    assert_int_equal(ph_reader_open("none.h5md", &one, &err), PH_ERR_IO);
    assert_int_equal(ph_reader_open("none.h5md", &two, &err), PH_ERR_IO);
    ph_reader_close(&one);
    ph_reader_close(&two);
    assert_int_equal(failures, 0); /* ours are in err */
    assert_true(H5Fopen("none.h5", H5F_ACC_RDONLY, H5P_DEFAULT) < 0);
    assert_int_equal(failures, 1);
    H5Eset_auto2(H5E_DEFAULT, print, data);
}

/* ---- Language of the host ---- */

static const char *const input_text =
    "units: reduced\n"
    "system:\n"
    "  box: {kind: periodic, length: 4.25}\n"
    "  molecules: [{model: polar, count: 8}]\n"
    "  start: {kind: file, file: start.xyz, attitudes: random, temperature: 1.35, seed: 7}\n"
    "interactions: {cutoff: 2.1, electrostatics: {method: reaction-field}}\n"
    "dynamics: {scheme: verlet, step: 0.004, steps: 20}\n"
    "output: {frames_every: 5, series_every: 1, checkpoint_every: 5}\n";
static const char *const model_text = "name: polar\n"
                                      "source: made up\n"
                                      "units: reduced\n"
                                      "inertia: [0.5, 0.5, 0.0]\n"
                                      "sites:\n"
                                      "  - {name: A, mass: 1.5, dipole: [0.0, 0.0, 0.75],\n"
                                      "     lennard-jones: {epsilon: 0.9, sigma: 1.05}}\n";

static void write_input(void)
{
    write_text("input.yaml", input_text);
    write_text("polar.yaml", model_text);
    FILE *start = fopen("start.xyz", "w");
    assert_non_null(start);
    fputs("8\nLattice=\"4.25 0 0 0 4.25 0 0 0 4.25\" Properties=type:S:1:pos:R:3\n", start);
    for (int i = 0; i < 8; ++i)
        fprintf(start, "polar %d.5 %d.25 %d.125\n", 2 * (i & 1), i & 2, (i & 4) / 2);
    assert_int_equal(fclose(start), 0);
}

static void take_no_notice(const char *name, void *data) {}

/* A run, its exports, an analysis and messages, in files of a folder of their own */
static void use_library(const char *name)
{
    static struct ph_input input;
    struct ph_texts texts = {.n = 0};
    struct ph_error err = {.text = ""};
    struct ph_simulation *simulation = NULL;
    bool stopped;
    assert_true(mkdir(name, 0700) == 0 && chdir(name) == 0);
    const char *const sets[] = {"dynamics.step=0.0025"};
    if (ph_input_read_keeping(&texts, "../input.yaml", 1, sets, &input, &err) != PH_OK ||
        ph_simulation_create(&texts, &input, "run.h5md", &simulation, &err) != PH_OK ||
        ph_simulation_run(simulation, false, NULL, &stopped, &err) != PH_OK)
        fail_msg("%s", err.text);
    ph_simulation_destroy(simulation);
    ph_texts_free(&texts);
    if (ph_simulation_resume("run.h5md", 5, &simulation, &err) != PH_OK ||
        ph_simulation_run(simulation, false, NULL, &stopped, &err) != PH_OK)
        fail_msg("%s", err.text);
    ph_simulation_destroy(simulation);

    size_t n;
    for (size_t k = 0; k < ph_export_format_count; ++k) { /* run.csv and so on */
        const struct ph_export_format *format = &ph_export_formats[k];
        char exported[32];
        snprintf(exported, sizeof exported, "run.%s", format->name);
        FILE *out = fopen(exported, "w");
        const bool single = strcmp(format->name, "data") == 0; /* the others hold all frames */
        const struct ph_export_request request = {.file = "run.h5md",
                                                  .frames.stride = 1,
                                                  .one = single, /* the first */
                                                  .scale = 1.0,
                                                  .decimals = PH_EXPORT_DECIMALS};
        assert_int_equal(ph_export(format, &request, out, &n, &err), PH_OK);
        assert_true(single ? n == 1 : n > 1);
        assert_int_equal(fclose(out), 0);
    }

    struct ph_result result = {0};
    ph_result_value(&result, "size", 0.5, 0.25, "nm", "of it");
    ph_result_number(&result, "cutoff", 2.75, "nm");
    ph_result_note(&result, "%.2f", 0.75);
    double *column = ph_result_column(&result, ph_result_table(&result, 2, "rows", "table"), "x", "nm");
    assert_non_null(column);
    column[1] = 1.125;
    const struct ph_provenance provenance = {.kind = "made", .program = "p", .build = "b", .command = "c"};
    if (ph_result_write(&result, &provenance, "result.csv", false, take_no_notice, NULL, &err) != PH_OK)
        fail_msg("%s", err.text);
    ph_result_free(&result);

    const char *const wrong[] = {"system.box.length=-1.5"};
    assert_int_equal(ph_input_read("../input.yaml", 1, wrong, &input, &err), PH_ERR_INPUT);
    write_text("message.txt", err.text);
    assert_int_equal(chdir(".."), 0);
}

/* A comma for the point, made for this test; false without localedef */
static bool speak_german(void)
{
    if (system("mkdir locales && localedef -i de_DE -f UTF-8 locales/de_DE.UTF-8 > /dev/null 2>&1") != 0)
        return false;
    setenv("LOCPATH", "locales", 1);
    return setlocale(LC_ALL, "de_DE.UTF-8") && strcmp(localeconv()->decimal_point, ",") == 0;
}

TEST(what_is_read_and_written_does_not_depend_on_the_language)
{
    write_input();
    use_library("plain");
    if (!speak_german()) {
        print_message("skipped: localedef (Debian: locales) made no German locale\n");
        skip();
    }
    use_library("german");
    char text[16];
    snprintf(text, sizeof text, "%.1f", 0.5);
    assert_string_equal(text, "0,5"); /* the host's own numbers stay as it likes them */
    setlocale(LC_ALL, "C");
    static const char *const names[] = {"run.csv", "run.extxyz", "run.pdb", "run.gro", "result.csv", "message.txt"};
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        char one[64], other[64];
        snprintf(one, sizeof one, "plain/%s", names[k]);
        snprintf(other, sizeof other, "german/%s", names[k]);
        assert_non_null(strchr(text_of(one, 0), '.'));
        assert_string_equal(text_of(one, 0), text_of(other, 1));
    }
}

GROUP(begin, leave_folder)
