/* SPDX-License-Identifier: MIT */
/* Backends as users meet them: runs, restarts, and what is refused. */
#include "program/support/running.h"

#include <sys/resource.h>

static const char fluid[] =
    "units: reduced\n"
    "system:\n"
    "  box: {kind: periodic, density: 0.8}\n"
    "  molecules: [{model: stockmayer, count: 256}]\n"
    "  start: {kind: fcc, jitter: 0.02, temperature: 1.3, seed: 5}\n"
    "interactions: {cutoff: 1.9, switch: {width: 0.5}, electrostatics: {method: reaction-field}}\n"
    "dynamics:\n"
    "  scheme: verlet\n"
    "  step: 0.004\n"
    "  steps: 60\n"
    "output: {frames_every: 20, series_every: 5, checkpoint_every: 7, author: nobody}\n";

static int prepare(void **state)
{
    empty_folder();
    write_text("fluid.yaml", fluid);
    return 0;
}

/* The word after these in the text */
static void word_after(const char *text, const char *before, char word[64])
{
    const char *found = strstr(text, before);
    assert_non_null(found);
    assert_int_equal(sscanf(found + strlen(before), "%63s", word), 1);
}

static void hash_of(const char *file, char hash[64])
{
    char line[256];
    snprintf(line, sizeof line, "info %s", file);
    word_after(run_program(line)->out, "state hash", hash);
}

/* Lists are made several times, and once from where they were, in the middle of their life. */
static void a_run_goes_on_bit_for_bit(void **state)
{
    char whole[64], parts[64], other[64];
    run_well("run fluid.yaml --backend emulated -o whole.h5md --quiet");
    run_well("run fluid.yaml --backend emulated -o parts.h5md --set dynamics.steps=33 --quiet");
    run_well("resume parts.h5md --steps 27 --quiet");
    hash_of("whole.h5md", whole);
    hash_of("parts.h5md", parts);
    assert_string_equal(whole, parts);
    run_well("run fluid.yaml --backend emulated -o other.h5md --set system.start.seed=6 --quiet");
    hash_of("other.h5md", other);
    assert_string_not_equal(whole, other);
}

/* Tethers pull to where molecules were at the beginning, not at the restart. */
static void tethers_keep_their_anchors(void **state)
{
    char whole[64], parts[64];
    run_well("run fluid.yaml --backend emulated -o whole.h5md --set interactions.external.tether=10 --quiet");
    run_well("run fluid.yaml --backend emulated -o parts.h5md --set interactions.external.tether=10 --set "
             "dynamics.steps=33 --quiet");
    run_well("resume parts.h5md --steps 27 --quiet");
    hash_of("whole.h5md", whole);
    hash_of("parts.h5md", parts);
    assert_string_equal(whole, parts);
}

/* Total energies of the first and the last row of the series */
static void read_ends(const char *file, double total[2])
{
    char line[256], row[4096];
    snprintf(line, sizeof line, "export %s --format csv -o rows.csv --overwrite", file);
    run_well(line);
    FILE *csv = fopen("rows.csv", "r");
    assert_non_null(csv);
    assert_non_null(fgets(row, sizeof row, csv));
    assert_int_equal(strncmp(row, "step,time,total_energy,", 23), 0);
    for (int k = 0; fgets(row, sizeof row, csv); k = 1)
        assert_int_equal(sscanf(row, "%*[^,],%*[^,],%lf", &total[k]), 1);
    fclose(csv);
}

/* Anchors at other places would be another energy, by 16 %. */
static void tethers_keep_their_anchors_elsewhere(void **state)
{
    static const char *const backends[] = {"cpu", "emulated"};
    for (int k = 0; k < 2; ++k) {
        char line[256];
        snprintf(line, sizeof line,
                 "run fluid.yaml --backend %s -o away.h5md --overwrite --set interactions.external.tether=10 --set "
                 "dynamics.steps=33 --quiet",
                 backends[k]);
        run_well(line);
        snprintf(line, sizeof line, "resume away.h5md --steps 27 --quiet --backend %s", backends[1 - k]);
        run_well(line);
        double total[2];
        read_ends("away.h5md", total);
        assert_close(total[1], total[0], 5e-3, fabs(total[0]));
    }
}

/* Stages follow each other, and a bath that acts on the host is felt. */
static void thermostats_act(void **state)
{
    static const char *const kinds[] = {"langevin", "velocity-rescaling", "nose-hoover"};
    for (size_t k = 0; k < 3; ++k) {
        char line[256], hash[2][64];
        for (int b = 0; b < 2; ++b) {
            snprintf(
                line, sizeof line,
                "run fluid.yaml --backend %s -o bath.h5md --overwrite --quiet --set dynamics.steps=10 --set "
                "dynamics.thermostat.kind=%s --set dynamics.thermostat.temperature=1.3 --set output.series_every=1",
                b ? "emulated" : "cpu", kinds[k]);
            run_well(line);
            run_well("export bath.h5md --format csv -o bath.csv --overwrite");
            hash_of("bath.h5md", hash[b]);
            FILE *file = fopen("bath.csv", "r");
            assert_non_null(file);
            char row[4096], last[4096] = "";
            while (fgets(row, sizeof row, file))
                strcpy(last, row);
            fclose(file);
            static char kept[4096];
            double one[3], two[3];
            if (b == 0) {
                strcpy(kept, last);
                continue;
            }
            assert_int_equal(sscanf(kept, "%lf,%lf,%lf", &one[0], &one[1], &one[2]), 3);
            assert_int_equal(sscanf(last, "%lf,%lf,%lf", &two[0], &two[1], &two[2]), 3);
            for (int c = 0; c < 3; ++c)
                assert_close(two[c], one[c], 1e-9, fabs(one[c]) + 1.0);
        }
        assert_string_not_equal(hash[0], hash[1]); /* another order of sums */
    }
}

static void what_a_backend_does_not_have_is_refused(void **state)
{
    static const struct {
        const char *set, *key; /* a setting, and words of the message */
    } cases[] = {
        {"dynamics.flow=sr2", "dynamics.flow is 'sr2'"},
        {"dynamics.scheme= --set dynamics.integrator=rattle", "dynamics.integrator is 'rattle'"},
        {"dynamics.nested.substeps=2", "dynamics.nested"},
        {"dynamics.thermostat.kind=metropolis --set dynamics.thermostat.temperature=1", "dynamics.thermostat.kind"},
        {"dynamics.barostat.kind=cell-rescaling --set dynamics.barostat.pressure=1 --set "
         "dynamics.thermostat.kind=langevin --set dynamics.thermostat.temperature=1",
         "dynamics.barostat.kind"},
        {"output.shadow_energy=true", "output.shadow_energy"},
        {"output.configurational_temperature=true", "output.configurational_temperature"},
        {"output.fluxes_every=2", "output.fluxes_every"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        char line[512];
        snprintf(line, sizeof line, "run fluid.yaml --backend emulated -o no.h5md --quiet --set %s", cases[k].set);
        const struct program *done = run_program(line);
        if (done->status != 2 || !strstr(done->err, cases[k].key) || !strstr(done->err, "emulated") ||
            !strstr(done->err, "ccepted"))
            fail_msg("%s: status %d: %s", cases[k].set, done->status, done->err);
        assert_false(is_file("no.h5md"));
    }
}

static void backends_are_listed_and_never_replaced(void **state)
{
    const struct program *done = run_well("list backends");
    assert_non_null(strstr(done->out, "emulated"));
    const char *cuda = strstr(done->out, "cuda  ");
    assert_non_null(cuda);
    const char *missing = strstr(cuda, "not available");
    if (missing) {
        done = run_program("run fluid.yaml --backend cuda -o no.h5md --quiet");
        assert_int_equal(done->status, 2);
        assert_non_null(strstr(done->err, "dynamics.backend is cuda"));
        assert_non_null(strstr(done->err, "emulated"));
        assert_false(is_file("no.h5md"));
    } else { /* the same bits on the device */
        char here[64], there[64];
        run_well("run fluid.yaml --backend emulated -o here.h5md --quiet");
        run_well("run fluid.yaml --backend cuda -o there.h5md --quiet");
        hash_of("here.h5md", here);
        hash_of("there.h5md", there);
        assert_string_equal(here, there);
    }
    done = run_program("run fluid.yaml --backend abacus -o no.h5md --quiet");
    assert_int_equal(done->status, 2);
    assert_non_null(strstr(done->err, "dynamics.backend"));
}

/* No bit depends on the device; one that is not there is never replaced by another. */
static void devices_are_chosen(void **state)
{
    static const struct {
        const char *line, *words[3];
    } cases[] = {
        {"run fluid.yaml --backend emulated -o no.h5md --device 2", {"--device is 2", "2 devices", "0 to 1"}},
        {"run fluid.yaml --backend cpu -o no.h5md --device 0",
         {"--device is 0", "dynamics.backend is cpu", "emulated"}},
        {"energy fluid.yaml --device 1", {"--device is 1", "dynamics.backend is cpu", "emulated"}},
        {"resume first.h5md --steps 1 --device 7", {"--device is 7", "2 devices", "0 to 1"}},
        {"run fluid.yaml --backend emulated -o no.h5md --device one",
         {"--device one", "a number from 0 on", "ccepted"}},
    };
    char first[64], second[64];
    run_well("run fluid.yaml --backend emulated -o first.h5md --quiet --set dynamics.steps=20");
    run_well("run fluid.yaml --backend emulated --device 1 -o second.h5md --quiet --set dynamics.steps=10");
    run_well("resume second.h5md --device 0 --steps 10 --quiet");
    hash_of("first.h5md", first);
    hash_of("second.h5md", second);
    assert_string_equal(first, second);
    run_well("energy fluid.yaml --backend emulated --device 1");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        const struct program *done = run_program(cases[k].line);
        for (int w = 0; w < 3; ++w)
            if (done->status != 2 || !strstr(done->err, cases[k].words[w]))
                fail_msg("%s: status %d: %s", cases[k].line, done->status, done->err);
        assert_false(is_file("no.h5md"));
    }
    const char *emulated = strstr(run_well("list backends --json")->out, "\"name\": \"emulated\"");
    assert_non_null(emulated);
    assert_true(json_number(emulated, "devices") == 2);
}

/* The last good checkpoint is kept, and a run may go on from it. */
static void numbers_that_fail_end_a_run_as_on_the_processor(void **state)
{
    const struct program *done =
        run_program("run fluid.yaml --backend emulated -o bad.h5md --quiet --set dynamics.step=0.1 --set "
                    "dynamics.energy_bound=1e9");
    assert_int_equal(done->status, 3);
    assert_non_null(strstr(done->err, "The last good checkpoint is that of step"));
    assert_true(strstr(done->err, "not finite") || strstr(done->err, "too far away"));
    run_well("resume bad.h5md --until 0 --quiet");
}

/* A frame or checkpoint that cannot be written, some steps after its own: the file holds all before it. */
static void full_disks_cost_nothing_that_was_written(void **state)
{
    struct stat about;
    struct rlimit old, limit;
    run_well("run fluid.yaml -o whole.h5md --backend emulated --quiet --set output.frames_every=2");
    assert_int_equal(stat("whole.h5md", &about), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    limit = old;
    limit.rlim_cur = (rlim_t)about.st_size / 2;
    signal(SIGXFSZ, SIG_IGN); /* here; the program has to look after itself */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    signal(SIGXFSZ, SIG_DFL);
    const struct program *done =
        run_program("run fluid.yaml -o full.h5md --backend emulated --quiet --set output.frames_every=2");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    if (done->status != 4 || !strstr(done->err, "full.h5md: cannot be written: File too large") ||
        !strstr(done->err, "The last good checkpoint is that of step "))
        fail_msg("%d: %s", done->status, done->err);
    run_well("resume full.h5md --quiet");
    assert_same_run("whole.h5md", "full.h5md", NULL);
}

/* Another trajectory, but the same physics; and the next checkpoint knows where the run is. */
static void a_run_goes_on_elsewhere(void **state)
{
    char whole[64], parts[64];
    run_well("run fluid.yaml --backend emulated -o whole.h5md --quiet");
    run_well("run fluid.yaml -o parts.h5md --set dynamics.steps=20 --quiet");
    const struct program *done = run_well("resume parts.h5md --steps 20 --backend emulated");
    assert_non_null(strstr(done->err, "continues with dynamics.backend: emulated, it was cpu so far"));
    done = run_well("resume parts.h5md --steps 20");
    assert_null(strstr(done->err, "continues with dynamics.backend"));
    hash_of("whole.h5md", whole);
    hash_of("parts.h5md", parts);
    assert_string_not_equal(whole, parts);
    done = run_well("resume parts.h5md --steps 1 --backend cpu --quiet");
    done = run_program("resume parts.h5md --steps 1 --backend abacus --quiet");
    assert_int_equal(done->status, 2);
    assert_non_null(strstr(done->err, "dynamics.backend is 'abacus'"));
}

static void energies_are_those_of_the_backend(void **state)
{
    char here[64], there[64];
    const struct program *done = run_program("energy fluid.yaml");
    word_after(done->out, "potential", here);
    done = run_well("energy fluid.yaml --backend emulated");
    word_after(done->out, "potential", there);
    assert_close(strtod(there, NULL), strtod(here, NULL), 1e-13, fabs(strtod(here, NULL)));
    char still[sizeof fluid];
    strcpy(still, fluid);
    *strstr(still, "dynamics:") = '\0';
    write_text("still.yaml", still);
    done = run_well("energy still.yaml --backend emulated");
    word_after(done->out, "potential", here);
    assert_string_equal(here, there);
    done = run_program("energy still.yaml --backend abacus");
    assert_int_equal(done->status, 2);
    assert_non_null(strstr(done->err, "dynamics.backend is 'abacus'. Accepted: cpu, cuda, emulated."));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_run_goes_on_bit_for_bit, prepare),
        cmocka_unit_test_setup(tethers_keep_their_anchors, prepare),
        cmocka_unit_test_setup(tethers_keep_their_anchors_elsewhere, prepare),
        cmocka_unit_test_setup(thermostats_act, prepare),
        cmocka_unit_test_setup(what_a_backend_does_not_have_is_refused, prepare),
        cmocka_unit_test_setup(backends_are_listed_and_never_replaced, prepare),
        cmocka_unit_test_setup(devices_are_chosen, prepare),
        cmocka_unit_test_setup(numbers_that_fail_end_a_run_as_on_the_processor, prepare),
        cmocka_unit_test_setup(full_disks_cost_nothing_that_was_written, prepare),
        cmocka_unit_test_setup(a_run_goes_on_elsewhere, prepare),
        cmocka_unit_test_setup(energies_are_those_of_the_backend, prepare),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
