/* SPDX-License-Identifier: MIT */
/* polhode energy and polhode check, with the shipped inputs, a published configuration, and inputs that are wrong. */
#include "program/support/program.h"

#define INPUTS POLHODE_TEST_DATA "/../../inputs/"

/* Writes an input of this text, and returns its name, which lives until the next call. */
static const char *input_of(const char *text)
{
    static char name[64];
    snprintf(name, sizeof name, "%s/polhode-input-XXXXXX",
             getenv("TMPDIR") && strlen(getenv("TMPDIR")) < 32 ? getenv("TMPDIR") : "/tmp");
    const int file = mkstemp(name);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
    return name;
}

/* Runs "COMMAND FILE MORE" on such an input */
static const struct program *run_input(const char *command, const char *text, const char *more)
{
    char line[2048];
    const char *name = input_of(text);
    snprintf(line, sizeof line, "%s %s %s", command, name, more);
    const struct program *p = run_program(line);
    unlink(name);
    return p;
}

static void assert_done(const struct program *p)
{
    if (p->status != 0 || p->err[0])
        fail_msg("status %d, '%s'", p->status, p->err);
}

static const char nist[] = "title: NIST 4\n"
                           "units: reduced\n"
                           "system:\n"
                           "  box: {kind: periodic, length: 8}\n"
                           "  molecules:\n"
                           "    - {model: lennard-jones, count: 30}\n"
                           "  start: {kind: file, file: " POLHODE_TEST_DATA "/lj_sample_config_periodic4.xyz}\n"
                           "interactions: {cutoff: 3, truncation: cut, long_range_correction: true}\n";

/* Energies from NIST; and the parts add up. */
TEST(the_nist_configuration_has_its_energies)
{
    const struct program *p = run_input("energy", nist, "--json");
    assert_done(p);
    assert_json_string(p->out, "title", "NIST 4");
    assert_true(json_number(p->out, "molecules") == 30);
    assert_close(json_number(p->out, "energy.radial"), -16.790321304625856, 1e-14, 17.0);
    assert_close(json_number(p->out, "energy.long_range"), -0.5451660014945704, 1e-14, 1.0);
    assert_true(json_number(p->out, "energy.electric") == 0.0 && json_number(p->out, "energy.field") == 0.0);
    const double potential = json_number(p->out, "energy.potential");
    assert_close(potential, -16.790321304625856 - 0.5451660014945704, 1e-14, 17.0);
    assert_close(json_number(p->out, "energy.potential_per_molecule"), potential / 30.0, 1e-15, 1.0);
    p = run_input("energy", nist, "--json --set interactions.long_range_correction=false");
    assert_done(p);
    assert_close(3.0 * 512.0 * json_number(p->out, "pressure.virial"), -46.249, 5e-4, 1.0);
    p = run_input("energy", nist, "--json --set interactions.long_range_correction=false --set interactions.cutoff=4");
    assert_done(p);
    assert_close(json_number(p->out, "energy.potential"), -17.060, 5e-4, 1.0);
}

static double sum_of_forces(const char *document, const char *key, size_t n, double sum[3])
{
    const char *at = document;
    double size = 0.0;
    for (size_t i = 0; i < n; ++i) {
        double v[3];
        at = json_at(at, key);
        json_numbers(at - strlen(key) - 4, key, 3, v);
        for (int k = 0; k < 3; ++k) {
            sum[k] += v[k];
            size += fabs(v[k]);
        }
    }
    return size;
}

TEST(forces_are_listed_and_add_to_nothing)
{
    const struct program *p = run_program("energy " INPUTS "dipole-lattice.yaml --forces --json");
    assert_done(p);
    double force[3] = {0.0}, torque[3] = {0.0};
    const double size = sum_of_forces(p->out, "force", 125, force);
    assert_true(size > 1.0);
    for (int k = 0; k < 3; ++k)
        assert_close(force[k], 0.0, 1e-14, size);
    assert_true(sum_of_forces(p->out, "torque", 125, torque) > 1.0);
    /* open space has neither volume nor pressure */
    assert_true(strncmp(json_at(p->out, "volume"), "null", 4) == 0);
    assert_true(strncmp(json_at(p->out, "pressure.total"), "null", 4) == 0);
    p = run_program("energy " INPUTS "dipole-lattice.yaml --json");
    assert_null(strstr(p->out, "torque"));
    p = run_program("energy " INPUTS "dipole-lattice.yaml --forces");
    assert_done(p);
    assert_non_null(strstr(p->out, "torque x"));
    assert_non_null(strstr(p->out, "\n     124 dipolar-soft-sphere"));
}

/* Kinetic energies of 3 n - 3 and 3 n degrees of freedom, the ideal part of the pressure, the density */
TEST(moving_systems_have_temperature_and_pressure)
{
    const struct program *p = run_program("energy " INPUTS "spc-e.yaml --json");
    assert_done(p);
    const double kT = 0.00831446261815324 * 298.0, volume = json_number(p->out, "volume");
    assert_close(volume, 1000.0 / 33.37, 1e-14, volume);
    assert_close(json_number(p->out, "energy.kinetic_translation"), 1.5 * 999.0 * kT, 1e-12, 1e4);
    assert_close(json_number(p->out, "energy.kinetic_rotation"), 1500.0 * kT, 1e-12, 1e4);
    assert_close(json_number(p->out, "temperature.translation"), 298.0, 1e-12, 298.0);
    assert_close(json_number(p->out, "temperature.rotation"), 298.0, 1e-12, 298.0);
    assert_close(json_number(p->out, "pressure.kinetic"), 999.0 * kT / volume, 1e-12, 1e2);
    assert_close(json_number(p->out, "pressure.total"),
                 json_number(p->out, "pressure.virial") + json_number(p->out, "pressure.kinetic"), 1e-14, 100.0);
    assert_close(json_number(p->out, "closest.distance"), 0.1 * cbrt(1000.0 / 33.37), 1e-12, 1.0);
    double mu[3];
    json_numbers(p->out, "dipole", 3, mu);
    assert_close(json_number(p->out, "dipole_norm"), sqrt(mu[0] * mu[0] + mu[1] * mu[1] + mu[2] * mu[2]), 1e-14, 10.0);
}

TEST(every_shipped_input_passes_the_check)
{
    static const struct {
        const char *line, *words[4];
    } cases[] = {
        {"check " INPUTS "lennard-jones.yaml --gradients", {"point", "cutoff: 3, cut", "Lennard-Jones", "virial"}},
        {"check " INPUTS "spc-e.yaml",
         {"asymmetric top", "0.9, radial terms switched", "inf, which vanishes", "charges"}},
        {"check " INPUTS "dipole-cluster.yaml --gradients", {"open space", "all pairs", "exponent 12", "torque"}},
        {"check " INPUTS "dipole-lattice.yaml --gradients", {"372 of translation", "2.88", "dipoles", "torque"}},
        {"check " INPUTS "stockmayer.yaml", {"spherical top", "6 continuous", "volume 5000", "flow exact"}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        const struct program *p = run_program(cases[k].line);
        assert_done(p);
        for (int w = 0; w < 4; ++w)
            if (!strstr(p->out, cases[k].words[w]))
                fail_msg("polhode %s: '%s' expected in\n%s", cases[k].line, cases[k].words[w], p->out);
        assert_null(strstr(p->out, "FAILED"));
    }
}

/* Two sites along (3, 4, 0) and a third at right angles, in a plane that is turned by 36.9 degrees from x and y */
TEST(axes_that_the_program_chose_are_told)
{
    static const char model[] = "name: turned\nsource: made up\nunits: reduced\nsites:\n"
                                "  - {name: A, position: [3, 4, 0], mass: 1}\n"
                                "  - {name: B, position: [-3, -4, 0], mass: 1}\n"
                                "  - {name: C, position: [0.8, -0.6, 0], mass: 1}\n"
                                "  - {name: D, position: [-0.8, 0.6, 0], mass: 1}\n";
    char name[64], input[512];
    snprintf(name, sizeof name, "%s", input_of(model));
    snprintf(input, sizeof input,
             "units: reduced\nsystem:\n  box: {kind: open}\n  molecules: [{model: %s, count: 1}]\n"
             "  start: {kind: gaussian, spread: 1}\n",
             name);
    const struct program *p = run_input("check", input, "");
    unlink(name);
    assert_done(p);
    if (!strstr(p->out, "axes of 'turned'") || !strstr(p->out, "(0.8, -0.6, ") || !strstr(p->out, "(0.6, 0.8, "))
        fail_msg("%s", p->out);
    p = run_program("check " INPUTS "spc-e.yaml");
    assert_null(strstr(p->out, "axes of"));
}

/* NIST's configuration of water with everything left to the program has the energy of an Ewald sum, not that of charges
 * cut site by site, which have to be asked for and are warned about. */
TEST(water_without_a_method_is_water)
{
    static const char water[] =
        "units: md\n"
        "system:\n"
        "  molecules: [{model: spc-e, count: 100}]\n"
        "  start: {kind: file, scale: 0.1, file: " POLHODE_TEST_DATA "/spce_sample_config_periodic1.xyz}\n"
        "interactions: {cutoff: 0.9}\n";
    static const struct {
        const char *more;
        double least, most; /* kJ/mol per molecule */
        const char *told;
    } cases[] = {
        {"--json", -40.6, -40.4, "Note: charges interact with all copies of the box, by sums on a mesh"},
        {"--json --set interactions.electrostatics.method=ewald", -40.6, -40.4, NULL},
        {"--json --set interactions.electrostatics.method=reaction-field", -40.6, -40.0, NULL},
        {"--json --set interactions.electrostatics.method=cutoff", -INFINITY, -55.0,
         "Warning: charges are cut off site by site"},
    };
    double energy[4];
    for (size_t k = 0; k < 4; ++k) {
        const struct program *p = run_input("energy", water, cases[k].more);
        assert_int_equal(p->status, 0);
        energy[k] = json_number(p->out, "energy.potential_per_molecule");
        if (!(energy[k] > cases[k].least && energy[k] < cases[k].most))
            fail_msg("%s: %g kJ/mol per molecule", cases[k].more, energy[k]);
        if (cases[k].told ? !strstr(p->err, cases[k].told) : strstr(p->err, "harges") != NULL)
            fail_msg("%s: '%s'", cases[k].more, p->err);
    }
    assert_close(energy[0], energy[1], 1e-5, 40.0);
    const struct program *p = run_input("check", water, "");
    assert_non_null(strstr(p->out, "electrostatics: Ewald sum on a mesh (by default) to 1e-06"));
    p = run_input("check", water, "--set interactions.electrostatics.method=mesh");
    assert_non_null(strstr(p->out, "electrostatics: Ewald sum on a mesh to 1e-06"));
    p = run_input("check", water, "--set interactions.electrostatics.method=cutoff");
    assert_non_null(strstr(p->out, "electric pairs: charges, nothing beyond the cutoff"));
}

static const char mixture[] = "units: md\n"
                              "system:\n"
                              "  box: {kind: periodic, length: [2.0, 2.1, 2.2]}\n"
                              "  molecules:\n"
                              "    - {model: spc-e, count: 60}\n"
                              "    - {model: tip5p, count: 20}\n"
                              "  start: {kind: random, minimum_distance: 0.3, seed: 7, temperature: 300}\n"
                              "interactions:\n"
                              "  cutoff: 0.9\n"
                              "  truncation: cut\n"
                              "  electrostatics: {method: reaction-field, permittivity: 60}\n";

/* Where the energy jumps at the cutoff steps must not cross it; external fields count. */
TEST(gradients_are_right_for_every_truncation)
{
    static const char *const more[] = {
        "--gradients",
        "--gradients --set interactions.truncation=shifted",
        "--gradients --set interactions.truncation=force-shifted",
        "--gradients --set interactions.truncation=switched",
        "--gradients --set interactions.truncation=switched --set interactions.switch.smoothness=2",
        "--gradients --set interactions.external.electric_field=[1,-2,3] --set interactions.external.gravity=[0,0,-5]",
        "--gradients --set interactions.external.tether=100",
    };
    for (size_t k = 0; k < sizeof more / sizeof more[0]; k += PH_SANITIZED ? 3 : 1) {
        const struct program *p = run_input("check", mixture, more[k]);
        if (p->status != 0 || p->err[0])
            fail_msg("%s: status %d, '%s', '%s'", more[k], p->status, p->err, p->out);
        assert_non_null(strstr(p->out, "  virial"));
        assert_non_null(strstr(p->out, "spc-e.O, tip5p.O"));
    }
    const struct program *p = run_input("check", mixture, "--gradients --set interactions.cutoff=1.0");
    assert_done(p);
    assert_non_null(strstr(p->out, "virial   not checked: the cutoff, 1, is half the width of the box, 2"));
}

static void assert_fails(const struct program *p, int status, const char *one, const char *two)
{
    if (p->status != status || p->out[0] || !strstr(p->err, one) || !strstr(p->err, two))
        fail_msg("status %d and '%s', '%s' expected, got %d and '%s' (stdout '%s')", status, one, two, p->status,
                 p->err, p->out);
}

TEST(wrong_inputs_are_refused)
{
    static const char *const commands[] = {"energy", "check"};
    for (int c = 0; c < 2; ++c) {
        char name[32], line[1024];
        snprintf(name, sizeof name, "polhode %s: ", commands[c]);
        assert_usage_error(commands[c], name, "input file is missing", "stockmayer.yaml");
        snprintf(line, sizeof line, "%s " INPUTS "spc-e.yaml " INPUTS "stockmayer.yaml", commands[c]);
        assert_usage_error(line, name, "one input file", "stockmayer.yaml");
        snprintf(line, sizeof line, "%s --set", commands[c]);
        assert_usage_error(line, name, "--set", "argument");
        snprintf(line, sizeof line, "%s /nowhere/at-all.yaml", commands[c]);
        assert_fails(run_program(line), 4, "/nowhere/at-all.yaml", "No such file");
        snprintf(line, sizeof line, "%s " INPUTS "lennard-jones.yaml --set interactions.cutof=3", commands[c]);
        assert_usage_error(line, name, "interactions.cutof", "cutoff");
        snprintf(line, sizeof line, "%s " INPUTS "lennard-jones.yaml --set interactions.cutoff=4.4", commands[c]);
        assert_usage_error(line, name, "interactions.cutoff is 4.4", "8.637");
        snprintf(line, sizeof line, "%s " INPUTS "lennard-jones.yaml --set interactions.cutoff=-1", commands[c]);
        assert_usage_error(line, name, "interactions.cutoff", "-1");
    }
    assert_usage_error("check " INPUTS "stockmayer.yaml --set dynamics.flow=exakt", "polhode check: ", "dynamics.flow",
                       "Did you mean 'exact'?");
    assert_usage_error("energy " INPUTS "stockmayer.yaml --gradients", "polhode energy: ", "--gradients", "no option");
}

/* A file with two particles at the same place: status 3, both named; with charges alone too, whose energy there is a
 * large number and not infinite (base/lanes.h). */
TEST(overlaps_are_a_failure_of_the_numbers)
{
    char frame[64], ion[64], text[1024];
    snprintf(ion, sizeof ion, "%s",
             input_of("name: ion\nsource: none\nunits: reduced\nmass: 1\n"
                      "sites: [{name: Q, position: [0, 0, 0], charge: 1}]\n"));
    const char *const models[][2] = {
        {"lennard-jones", "cutoff"}, {ion, "cutoff"}, {ion, "reaction-field"}, {ion, "mesh"}};
    for (size_t k = 0; k < sizeof models / sizeof *models; ++k) {
        const char *name = k == 0 ? "lennard-jones" : "ion";
        snprintf(text, sizeof text,
                 "3\nLattice=\"9 0 0 0 9 0 0 0 9\" Properties=species:S:1:pos:R:3\n%s 1 1 1\n%s 4 4 4\n%s 1 1 1\n",
                 name, name, name);
        snprintf(frame, sizeof frame, "%s", input_of(text));
        snprintf(text, sizeof text,
                 "units: reduced\nsystem:\n  box: {kind: periodic, length: 9}\n"
                 "  molecules: [{model: %s, count: 3}]\n  start: {kind: file, file: %s}\n"
                 "interactions: {cutoff: 3, truncation: cut, electrostatics: {method: %s}}\n",
                 models[k][0], frame, models[k][1]);
        const struct program *p = run_input("energy", text, "");
        unlink(frame);
        assert_fails(p, 3, "molecule 0", "is 2");
    }
    unlink(ion);
}

/* Energies belong to the start that the input describes. If a run would begin elsewhere, a note says so. */
TEST(a_start_that_will_be_minimised_is_shown_as_it_is)
{
    char plain[PROGRAM_TEXT];
    const struct program *p = run_input("energy", nist, "");
    assert_done(p);
    strcpy(plain, strchr(p->out, '\n'));
    p = run_input("energy", nist, "--set system.start.minimise.steps=5");
    assert_int_equal(p->status, 0);
    assert_non_null(strstr(p->err, "before its minimisation (system.start.minimise)"));
    assert_string_equal(strchr(p->out, '\n'), plain);
    p = run_input("energy", nist, "--set system.start.minimise.force=5");
    assert_fails(p, 2, "system.start.minimise.steps", "missing");
}

TEST(results_that_cannot_be_written_are_a_failure)
{
    const int full_disk = open("/dev/full", O_WRONLY);
    if (full_disk < 0)
        skip();
    static const char *const lines[] = {"energy " INPUTS "dipole-cluster.yaml --forces --json",
                                        "check " INPUTS "dipole-cluster.yaml"};
    for (size_t i = 0; i < 2; ++i) {
        const struct program *p = run_program_to(full_disk, lines[i]);
        assert_int_equal(p->status, 4);
        assert_non_null(strstr(p->err, "could not be written"));
    }
    close(full_disk);
}
