/* SPDX-License-Identifier: MIT */
/* Start files of other programs: the same four waters, two of them broken by a tilted box, in every format. */
#include "support.h"

#include "base/rotation.h"
#include "force/force_field.h"
#include "formats/start_file.h"
#include "run/build/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DATA POLHODE_TEST_DATA "/"
#define REST "interactions: {cutoff: 0.57, electrostatics: {method: reaction-field}}\n"

static char folder[64];

static const char *beside(const char *name)
{
    static char path[4][256];
    static int turn;
    char *out = path[turn++ % 4];
    snprintf(out, 256, "%s/%s", folder, name);
    return out;
}

static void write_text(const char *name, const char *text)
{
    FILE *file = fopen(beside(name), "w");
    fputs(text, file);
    fclose(file);
}

struct built {
    struct ph_system *system;
    double energy;
    struct ph_build_notes notes;
};

/* From an input with these molecules and `start`, with the energy of what was built */
static enum ph_status build(const char *units, const char *molecules, const char *start, struct built *built,
                            struct ph_error *err)
{
    static struct ph_input input;
    struct ph_interactions interactions;
    FILE *file = fopen(beside("input.yaml"), "w");
    fprintf(file, "units: %s\nsystem:\n  molecules: [%s]\n  start: %s\n%s", units, molecules, start, REST);
    fclose(file);
    *built = (struct built){.system = NULL};
    *err = (struct ph_error){.text = ""};
    enum ph_status status = ph_input_read(beside("input.yaml"), 0, NULL, &input, err);
    if (status == PH_OK)
        status = ph_build_system(&input, &built->system, &interactions, &built->notes, err);
    if (status != PH_OK)
        return status;
    struct ph_force_field *field;
    struct ph_energy energy;
    if (ph_force_field_create(built->system, &interactions, &field, err) != PH_OK ||
        ph_force_field_evaluate(field, built->system, PH_FORCES_ALL, NULL, &energy, err) != PH_OK)
        fail_msg("%s", err->text);
    built->energy = ph_energy_total(&energy);
    ph_force_field_destroy(field);
    ph_interactions_free(&interactions);
    return PH_OK;
}

static struct built good(const char *units, const char *molecules, const char *start)
{
    struct built built;
    struct ph_error err;
    if (build(units, molecules, start, &built, &err) != PH_OK)
        fail_msg("%s: %s", start, err.text);
    return built;
}

/* Largest differences of centres (to the nearest image), orientations, momenta and angular momenta */
static void differences(const struct ph_system *a, const struct ph_system *b, double off[4])
{
    memset(off, 0, 4 * sizeof *off);
    assert_int_equal(a->n, b->n);
    for (size_t i = 0; i < a->n; ++i) {
        double d[3] = {a->r[0][i] - b->r[0][i], a->r[1][i] - b->r[1][i], a->r[2][i] - b->r[2][i]}, same = 0.0;
        ph_box_minimum_image(&a->box, d);
        for (int k = 0; k < 4; ++k)
            same += a->q[k][i] * b->q[k][i];
        for (int k = 0; k < 4; ++k) /* q and -q are one orientation */
            off[1] = fmax(off[1], fabs(a->q[k][i] - copysign(1.0, same) * b->q[k][i]));
        for (int k = 0; k < 3; ++k) {
            off[0] = fmax(off[0], fabs(d[k]));
            off[2] = fmax(off[2], fabs(a->p[k][i] - b->p[k][i]));
            off[3] = fmax(off[3], fabs(a->m[k][i] - b->m[k][i]));
        }
    }
}

#define WATER "{model: spc-e, count: 4}"
#define TYPES "names: {1: O, 2: H}"

static void formats_give_the_same_start_to_their_digits(void **state)
{
    struct built ours = good("md", WATER, DATA "four_waters.xyz");
    static const struct {
        const char *start;
        double length, momentum; /* what the digits of the file allow; momentum 0: the file has none */
    } table[] = {
        {DATA "four_waters_digits.gro", 2e-9, 4e-8},
        {DATA "four_waters.gro", 1e-3, 3e-3},
        {DATA "four_waters.pdb", 2e-4, 0.0},
        {"{file: " DATA "four_waters.data, " TYPES "}", 1e-12, 1e-10},
        {"{file: " DATA "four_waters.data, " TYPES ", atom_style: full, units: real}", 1e-12, 1e-10},
        {"{file: " DATA "four_waters_atoms.xyz, length_unit: angstrom}", 1e-10, 1e-8},
        {"{file: " DATA "four_waters_atoms.xyz, scale: 0.1, names: {O: O, H: H}}", 1e-10, 1e-8},
    };
    for (size_t t = 0; t < sizeof table / sizeof *table; ++t) {
        struct built other = good("md", WATER, table[t].start);
        const double length = table[t].length;
        double off[4];
        differences(ours.system, other.system, off);
        if (!(off[0] < length && off[1] < 20.0 * length))
            fail_msg("%s: centres off by %g, orientations by %g", table[t].start, off[0], off[1]);
        if (length > 1e-5) /* it did read what is rounded */
            assert_true(off[0] > 1e-3 * length && off[1] > 1e-3 * length);
        for (int k = 0; k < 9; ++k)
            assert_close(other.system->box.edge[k / 3][k % 3], ours.system->box.edge[k / 3][k % 3], 10.0 * length, 1.0);
        assert_close(other.energy, ours.energy, 3e4 * length, 1.0);
        assert_true(other.notes.momenta_from_file == (table[t].momentum > 0.0));
        if (table[t].momentum > 0.0 && !(off[2] < table[t].momentum && off[3] < table[t].momentum))
            fail_msg("%s: momenta off by %g, angular momenta by %g", table[t].start, off[2], off[3]);
        assert_int_equal(other.notes.n_fitted, 4);
        assert_true(other.notes.fit_rms < length);
        ph_system_destroy(other.system);
    }
    assert_true(fabs(ours.energy) > 0.1 && ours.notes.momenta_from_file);
    ph_system_destroy(ours.system);
}

/* One line per molecule of several sites: momenta need angular momenta, and are drawn without them. */
static void velocities_of_molecules_need_angular_momenta(void **state)
{
    write_text("molecules.xyz", "2\nLattice=\"1.2 0 0 0 1.2 0 0 0 1.2\" Properties=species:S:1:pos:R:3:orientation:R:4:"
                                "velo:R:3\nspc-e 0.3 0.3 0.3 1 0 0 0 0.1 0.2 0.3\nspc-e 0.8 0.8 0.8 1 0 0 0 0 0 0\n");
    struct built built = good("md", "{model: spc-e, count: 2}", "molecules.xyz");
    assert_false(built.notes.momenta_from_file);
    assert_non_null(strstr(built.notes.text, "no angular momenta"));
    ph_system_destroy(built.system);
}

static void lines_that_are_too_long_are_refused(void **state)
{
    static const char begin[] = "2\nLattice=\"9 0 0 0 9 0 0 0 9\" Properties=species:S:1:pos:R:3\nA 1 1 1";
    for (int words = 0; words < 2; ++words)
        for (int too_long = 0; too_long < 2; ++too_long) {
            FILE *file = fopen(beside("long.xyz"), "w");
            fputs(begin, file);
            for (int k = 0; k < (words ? 1020 : 65528) + too_long; ++k)
                fputs(words ? " 1" : "x", file);
            fputs("\nA 5 5 5\n", file);
            fclose(file);
            struct built built;
            struct ph_error err;
            const enum ph_status status =
                build("reduced", "{model: lennard-jones, count: 2}", "long.xyz", &built, &err);
            ph_system_destroy(built.system);
            if (too_long && !strstr(err.text, "long.xyz:3: the line has more than 65535 characters"))
                fail_msg("%d: %s", words, err.text);
            if (!too_long && words)
                assert_int_equal(status, PH_OK);
            if (!too_long && !words) /* 1xxx... is no number */
                assert_non_null(strstr(err.text, "long.xyz:3: expected at least 4 words"));
        }
    struct built built;
    struct ph_error err;
    assert_int_equal(build("md", WATER, "{file: /dev/zero, format: gro}", &built, &err), PH_ERR_INPUT);
    assert_non_null(strstr(err.text, "/dev/zero:1: the line has more than"));
}

static const char *const tip4p_gro = "Two waters with a site M\n  8\n"
                                     "    1SOL     OW    1   0.300   0.300   0.300\n"
                                     "    1SOL    HW1    2   0.376   0.300   0.359\n"
                                     "    1SOL    HW2    3   0.224   0.300   0.359\n"
                                     "    1SOL     MW    4   0.300   0.300   0.315\n"
                                     "    2SOL     OW    5   0.600   0.300   0.300\n"
                                     "    2SOL    HW1    6   0.676   0.300   0.359\n"
                                     "    2SOL    HW2    7   0.524   0.300   0.359\n"
                                     "    2SOL     MW    8   0.600   0.300   0.315\n"
                                     "   1.2 1.2 1.2\n";

/* Sites without mass may be there or not; names that are known need no explanation, others do. */
static void names_of_atoms_find_their_sites(void **state)
{
    char text[1024], *line;
    strcpy(text, tip4p_gro);
    write_text("all.gro", text);
    while ((line = strstr(text, "    1SOL     MW")) || (line = strstr(text, "    2SOL     MW")))
        memmove(line, strchr(line, '\n') + 1, strlen(strchr(line, '\n') + 1) + 1);
    memcpy(strstr(text, "  8\n"), "  6\n", 4);
    write_text("massive.gro", text);
    struct built all = good("md", "{model: tip4p, count: 2}", "all.gro");
    struct built massive = good("md", "{model: tip4p, count: 2}", "massive.gro");
    double off[4];
    differences(all.system, massive.system, off);
    assert_true(off[0] < 1e-3 && off[1] < 1e-2);
    ph_system_destroy(massive.system);
    /* a site that the model does not have can be left out, and another geometry be accepted */
    struct built spce = good("md", "{model: spc-e, count: 2}", "{file: all.gro, names: {MW: '-'}, tolerance: 0.1}");
    differences(all.system, spce.system, off);
    assert_true(off[0] < 5e-3 && off[1] < 1e-2);
    assert_true(spce.notes.fit_rms > 1e-3 && strstr(spce.notes.text, "from the rigid model"));
    ph_system_destroy(spce.system);
    for (char *at = text; (at = strstr(at, "   OW")); ++at)
        memcpy(at, "  Xyz", 5);
    write_text("other.gro", text);
    massive = good("md", "{model: tip4p, count: 2}", "{file: other.gro, names: {Xyz: O}}");
    differences(all.system, massive.system, off);
    assert_true(off[0] < 1e-3 && off[1] < 1e-2);
    ph_system_destroy(massive.system);
    ph_system_destroy(all.system);
}

/* Two kinds of molecules one after the other in the file, in the system by kind; and by residues where names do not
 * tell them apart */
static void mixtures_are_sorted_by_names(void **state)
{
    write_text("salt.gro", "water, ion, water\n7\n"
                           "    1SOL     OW    1   0.300   0.300   0.300\n"
                           "    1SOL    HW1    2   0.376   0.300   0.359\n"
                           "    1SOL    HW2    3   0.224   0.300   0.359\n"
                           "    2NA      NA    4   0.900   0.900   0.900\n"
                           "    3WAT     OW    5   0.600   0.300   0.300\n"
                           "    3WAT    HW2    7   0.524   0.300   0.359\n"
                           "    3WAT    HW1    6   0.676   0.300   0.359\n"
                           "   1.2 1.2 1.2\n");
    write_text("ion.yaml", "name: ion\nsource: test\nunits: md\nsites: [{name: Na, mass: 23, charge: 1}]\n");
    struct built built =
        good("md", "{model: ./ion.yaml, count: 1}, {model: tip4p, count: 2}", "{file: salt.gro, names: {NA: Na}}");
    assert_close(built.system->r[0][0], 0.9, 1e-15, 1.0);
    assert_true(fabs(built.system->r[0][1] - 0.3) < 1e-3 && fabs(built.system->r[0][2] - 0.6) < 1e-3);
    ph_system_destroy(built.system);
    /* tip4p without M and tip3p have the same atoms */
    static const char *const both = "{model: tip4p, count: 1}, {model: tip3p, count: 1}, {model: ./ion.yaml, count: 1}";
    built = good("md", both, "{file: salt.gro, names: {NA: Na, SOL: tip3p, WAT: tip4p}}");
    assert_true(fabs(built.system->r[0][0] - 0.6) < 1e-3 && fabs(built.system->r[0][1] - 0.3) < 1e-3);
    ph_system_destroy(built.system);
    built = good("md", both, "{file: salt.gro, names: {NA: Na}}");
    assert_true(fabs(built.system->r[0][0] - 0.3) < 1e-3 && fabs(built.system->r[0][1] - 0.6) < 1e-3);
    ph_system_destroy(built.system);
}

/* Hydrogens of methane numbered the other way round, with a velocity each: a rotation cannot lead there, and the
 * molecule spins as its atoms do, whichever way they are numbered. */
static void sites_that_are_alike_may_be_numbered_otherwise(void **state)
{
    static const double at[4][3] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    FILE *file = fopen(beside("methane.yaml"), "w");
    fprintf(file, "name: methane\nsource: test\nunits: md\nsites:\n  - {name: C, mass: 12, charge: -0.4}\n");
    for (int h = 0; h < 4; ++h)
        fprintf(file, "  - {name: H%d, position: [%g, %g, %g], mass: 1, charge: 0.1}\n", h + 1, 0.06 * at[h][0],
                0.06 * at[h][1], 0.06 * at[h][2]);
    fclose(file);
    static const int orders[2][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}};
    double spin[2][3], energy[2];
    for (int o = 0; o < 2; ++o) {
        file = fopen(beside("methane.gro"), "w");
        fprintf(file, "methane\n5\n    1CH4      C    1   0.500   0.500   0.500  0.0000  0.0000  0.0000\n");
        for (int h = 0; h < 4; ++h) {
            const double *x = at[orders[o][h]]; /* turning with (1, 2, 3) */
            fprintf(file, "    1CH4     H%d%5d%8.3f%8.3f%8.3f%8.4f%8.4f%8.4f\n", h + 1, h + 2, 0.5 + 0.06 * x[0],
                    0.5 + 0.06 * x[1], 0.5 + 0.06 * x[2], 0.06 * (2 * x[2] - 3 * x[1]), 0.06 * (3 * x[0] - x[2]),
                    0.06 * (x[1] - 2 * x[0]));
        }
        fprintf(file, "   2 2 2\n");
        fclose(file);
        struct built built = good("md", "{model: ./methane.yaml, count: 1}", "methane.gro");
        assert_true(built.notes.fit_rms < 1e-12 && built.notes.momenta_from_file);
        const double q[4] = {built.system->q[0][0], built.system->q[1][0], built.system->q[2][0],
                             built.system->q[3][0]};
        const double m[3] = {built.system->m[0][0], built.system->m[1][0], built.system->m[2][0]};
        ph_quat_rotate(q, m, spin[o]);
        for (int k = 0; k < 3; ++k) /* 8 x^2 of four hydrogens, times the angular velocity */
            assert_close(spin[o][k], 8 * 0.06 * 0.06 * (k + 1), 1e-9, 1.0);
        energy[o] = built.energy;
        ph_system_destroy(built.system);
    }
    assert_close(energy[0], energy[1], 1e-9, 1.0);
}

/* Styles of LAMMPS: told, from the comment, by the columns; charge and atomic have no molecules. Types that two sites
 * share take them in turn. */
static void lammps_styles_are_found(void **state)
{
    static const struct {
        const char *name, *comment;
        char format[40];
    } styles[] = {
        {"atomic", "", "%d %d %g %g %g\n"},
        {"atomic", " # atomic", "%d %d %g %g %g 0 0 1\n"},
        {"charge", "", "%d %d 0.5 %g %g %g\n"},
        {"charge", "", "%d %d 0.5 %g %g %g 0 0 0\n"},
        {"charge", " # charge", "%d %d 1 %g %g %g\n"},
        {"molecular", "", "%d 7 %d %g %g %g\n"},
        {"molecular", "", "%d 7 %d %g %g %g 0 0 0\n"},
        {"full", "", "%d 7 %d -1 %g %g %g\n"},
    };
    write_text("named.yaml", "name: named\nsource: test\nunits: md\nsites:\n"
                             "  - {name: O, position: [0, 0, 0], mass: 16, charge: -0.8}\n"
                             "  - {name: H1, position: [0.08, 0, 0.06], mass: 1, charge: 0.4}\n"
                             "  - {name: H2, position: [-0.08, 0, 0.06], mass: 1, charge: 0.4}\n");
    for (size_t s = 0; s < sizeof styles / sizeof *styles; ++s) {
        FILE *file = fopen(beside("data.one"), "w");
        fprintf(file, "title\n\n3 atoms\n-6 6 xlo xhi\n-6 7 ylo yhi\n-6 8 zlo zhi\n\nAtoms%s\n\n", styles[s].comment);
        fprintf(file, styles[s].format, 2, 2, 1.8, 1.0, 1.6);
        fprintf(file, styles[s].format, 1, 1, 1.0, 1.0, 1.0);
        fprintf(file, styles[s].format, 3, 2, 0.2, 1.0, 1.6);
        fclose(file);
        for (int told = 0; told < 2; ++told) {
            char start[128];
            snprintf(start, sizeof start, "{file: data.one, names: {1: O, 2: H1}%s%s}", told ? ", atom_style: " : "",
                     told ? styles[s].name : "");
            struct built built = good("md", "{model: ./named.yaml, count: 1}", start);
            assert_close(built.system->q[0][0] * built.system->q[0][0], 1.0, 1e-12, 1.0);
            assert_close(built.system->r[0][0], 0.1, 1e-12, 1.0);
            assert_close(built.system->box.edge[2][2], 1.4, 1e-14, 1.0);
            ph_system_destroy(built.system);
        }
    }
}

static void reduced_units_take_numbers_as_they_are(void **state)
{
    write_text("three.gro", "three\n2\n    1LJ      LJ    1   1.000   2.000   3.000\n"
                            "    2LJ      LJ    2   4.000   2.000   3.000\n   5 5 5\n");
    write_text("three.pdb", "CRYST1    5.000    5.000    5.000  90.00  90.00  90.00 P 1           1\n"
                            "ATOM      1  X   LJ      1       1.000   2.000   3.000\n"
                            "ATOM      2  X   LJ      1       4.000   2.000   3.000\n");
    for (int pdb = 0; pdb < 2; ++pdb) {
        struct built built = good("reduced", "{model: lennard-jones, count: 2}", pdb ? "three.pdb" : "three.gro");
        assert_true(built.system->r[2][0] == 3.0 && built.system->r[0][1] == 4.0 &&
                    built.system->box.edge[0][0] == 5.0);
        ph_system_destroy(built.system);
    }
}

/* CRYST1 of 1 by 1 by 1, or of zeros, says that there is no box; any other is one, if perhaps an impossible one. */
static void pdb_may_say_that_it_has_no_box(void **state)
{
    static const struct {
        double edge, others;
        bool box;
    } table[] = {{0.0, 0.0, false}, {1.0, 1.0, false}, {0.0, 5.0, true}, {2.0, 2.0, true}, {5.0, 5.0, true}};
    for (size_t t = 0; t < sizeof table / sizeof *table; ++t) {
        char text[512];
        snprintf(text, sizeof text,
                 "CRYST1%9.3f%9.3f%9.3f  90.00  90.00  90.00 P 1           1\n"
                 "ATOM      1  X   LJ      1       1.000   2.000   3.000\n"
                 "ATOM      2  X   LJ      1       4.000   2.000   3.000\n",
                 table[t].edge, table[t].others, table[t].others);
        write_text("box.pdb", text);
        struct built built;
        struct ph_error err;
        const enum ph_status status = build("reduced", "{model: lennard-jones, count: 2}", "box.pdb", &built, &err);
        if ((strstr(err.text, "box.pdb has no box") == NULL) != table[t].box ||
            (status == PH_OK) != (table[t].edge > 1.0))
            fail_msg("%g by %g: %s", table[t].edge, table[t].others, err.text);
        ph_system_destroy(built.system);
        if (table[t].box)
            continue;
        built = good("reduced", "{model: lennard-jones, count: 2}", "box.pdb\n  box: {kind: open}");
        assert_true(built.system->box.kind == PH_BOX_OPEN && built.system->r[0][1] == 4.0);
        ph_system_destroy(built.system);
    }
}

/* Which frame of several */
static void frames_are_counted_from_both_ends(void **state)
{
    char text[2048] = "";
    for (int t = 0; t < 3; ++t)
        sprintf(text + strlen(text),
                "MODEL %d\nCRYST1    5.000    5.000    5.000  90.00  90.00  90.00 P 1           1\n"
                "ATOM      1  X   LJ      1       %d.000   2.000   3.000\nENDMDL\n",
                t, t);
    write_text("all.pdb", text);
    static const struct {
        const char *start;
        double x;
    } table[] = {{"all.pdb", 2.0},
                 {"{file: all.pdb, frame: 0}", 0.0},
                 {"{file: all.pdb, frame: 1}", 1.0},
                 {"{file: all.pdb, frame: -3}", 0.0},
                 {"{file: all.pdb, frame: -2}", 1.0}};
    for (size_t t = 0; t < sizeof table / sizeof *table; ++t) {
        struct built built = good("reduced", "{model: lennard-jones, count: 1}", table[t].start);
        assert_true(built.system->r[0][0] == table[t].x);
        ph_system_destroy(built.system);
    }
    struct built built;
    for (int k = 0; k < 2; ++k) {
        assert_error(build("reduced", "{model: lennard-jones, count: 1}",
                           k ? "{file: all.pdb, frame: 3}" : "{file: all.pdb, frame: -4}", &built, &err),
                     PH_ERR_INPUT, "there are 3 frames. Accepted: 0 to 2");
    }
}

static void mistakes_are_named(void **state)
{
    write_text("all.gro", tip4p_gro);
    write_text("odd.foo", "something\nelse\n");
    write_text("empty.pdb", "REMARK\nEND\n");
    write_text("short.gro", "t\n3\n    1SOL     OW    1   0.300   0.300   0.300\n");
    write_text("nan.gro", "t\n1\n    1SOL     OW    1   0.300   0.3x0   0.300\n 1 1 1\n");
    write_text("few.data", "t\n\n3 atoms\n0 5 xlo xhi\n0 5 ylo yhi\n0 5 zlo zhi\n\nAtoms # full\n\n1 1 1 0 1 1 1\n");
    write_text("style.data", "t\n\n1 atoms\n\nAtoms # ellipsoid\n\n1 1 1 0 1 1 1\n");
    write_text("units.data", "LAMMPS, units = electron\n\n1 atoms\n\nAtoms\n\n1 1 1 0 1 1 1\n");
    write_text("still.data", "t\n\n2 atoms\n\nAtoms # full\n\n1 1 1 0 1 1 1\n2 2 1 0 2 2 2\n\nVelocities\n\n2 0 0 0\n");
    static const struct {
        const char *molecules, *start;
        const char *words[4];
    } table[] = {
        {WATER, "odd.foo", {"odd.foo: the format is unknown", "pdb (.pdb, .ent)", "lammps (.data", "start.format"}},
        {WATER, "empty.pdb", {"empty.pdb:2: the file ends", "no atoms"}},
        {WATER, "short.gro", {"short.gro:4: the file ends after 1 of 3 atoms"}},
        {WATER, "nan.gro", {"nan.gro:3: expected residue number"}},
        {WATER, "few.data", {"few.data:10: the file ends", "promises 3 atoms"}},
        {WATER, "style.data", {"style.data:5: atom style 'ellipsoid'", "atomic, charge, molecular, full"}},
        {WATER, "units.data", {"units.data:1: units = electron", "real, metal, nano, lj"}},
        {WATER, "still.data", {"still.data:12", "velocities of 1 of 2 atoms"}},
        {WATER,
         "all.gro",
         {"all.gro:6: atom 'MW' (residue 'SOL') is no site of the models", "spc-e: O, H, H",
          "system.start.names: {MW: "}},
        {WATER,
         "{file: all.gro, names: {OW: O1}}",
         {"all.gro:3: atom 'OW'", "is to be 'O1', which is no site", "Did you mean 'O'?"}},
        {"{model: tip4p, count: 3}", "all.gro", {"has 2 molecules of 'tip4p'", "system.molecules[0].count is 3"}},
        {"{model: spc-e, count: 2}",
         "{file: all.gro, names: {MW: '-'}}",
         {"all.gro:3: the sites of molecule 1 differ from the rigid 'spc-e' by 0.00", "system.start.tolerance"}},
        {WATER, DATA "four_waters_atoms.xyz", {"ten times as far", "system.start.length_unit is angstrom"}},
        {WATER, "{file: " DATA "four_waters.gro, length_unit: angstrom}", {"a tenth as far", "length_unit is nm"}},
        {WATER, "{file: " DATA "four_waters.gro, length_unit: nm, scale: 2}", {"does not go with system.start.scale"}},
        {WATER, "{file: " DATA "four_waters.gro, names: [O]}", {"system.start.names is [O]", "a map of words"}},
        {WATER, "{file: " DATA "four_waters.gro, names: {O: [H]}}", {"system.start.names is [H]"}},
        {WATER, "fcc", {"system.start is 'fcc'", "a map of keys"}},
    };
    for (size_t t = 0; t < sizeof table / sizeof *table; ++t) {
        struct built built;
        struct ph_error err;
        if (build("md", table[t].molecules, table[t].start, &built, &err) != PH_ERR_INPUT)
            fail_msg("%s is not refused: %s", table[t].start, err.text);
        for (int w = 0; w < 4 && table[t].words[w]; ++w)
            if (!strstr(err.text, table[t].words[w]))
                fail_msg("%s: '%s' does not have '%s'", table[t].start, err.text, table[t].words[w]);
    }
}

/* Keys of another kind of start may stay, and are named; those that a file would need nowhere else are refused. */
static void keys_that_do_not_apply_are_ignored_with_a_remark(void **state)
{
    struct built plain = good("md", WATER, DATA "four_waters.xyz");
    struct built built = good("md", WATER,
                              "{kind: file, file: " DATA
                              "four_waters.xyz, jitter: 0.1, minimum_distance: 1, attitudes: random, seed: 3}");
    double off[4];
    differences(plain.system, built.system, off);
    assert_true(off[0] == 0.0 && off[2] == 0.0 && off[3] == 0.0);
    assert_non_null(strstr(built.notes.text, "Ignored: system.start.jitter, system.start.minimum_distance, "
                                             "system.start.attitudes; the molecules are where the file has them."));
    assert_non_null(strstr(built.notes.text, "Ignored: system.start.seed"));
    assert_null(strstr(plain.notes.text, "Ignored"));
    ph_system_destroy(built.system);
    built = good("md", WATER, "{file: " DATA "four_waters.gro, temperature: 300, seed: 3}");
    assert_false(built.notes.momenta_from_file);
    assert_non_null(strstr(built.notes.text, "Momenta are drawn at system.start.temperature"));
    assert_null(strstr(built.notes.text, "Ignored"));
    ph_system_destroy(built.system);
    ph_system_destroy(plain.system);
}

/* Any beginning of a file, and any single byte in it changed, is read or refused with a sentence. */
static void broken_files_are_read_or_refused(void **state)
{
    static const char *const names[] = {"four_waters.gro", "four_waters.pdb", "four_waters.data",
                                        "four_waters_atoms.xyz", "four_waters.xyz"};
    static const char bytes[] = {'\n', ' ', '9', '-', 'e', '.', '#', '\0', (char)0xff};
    static struct ph_species species; /* any molecule of three sites will do */
    species = (struct ph_species){.name = "w", .n_sites = 3, .site = {{.name = "O"}, {.name = "H"}, {.name = "H"}}};
    for (int a = 0; a < 3; ++a)
        species.site[a].mass = 1.0;
    size_t refused = 0, total = 0;
    for (size_t f = 0; f < sizeof names / sizeof *names; ++f) {
        char path[256], text[8192], changed[8192];
        snprintf(path, sizeof path, DATA "%s", names[f]);
        FILE *file = fopen(path, "r");
        const size_t size = fread(text, 1, sizeof text, file);
        fclose(file);
        assert_true(size > 500 && size < sizeof text);
        for (size_t at = 0; at < 2 * size; at += 3) {
            const size_t n = at < size ? at : size;
            memcpy(changed, text, n);
            if (at >= size)
                changed[at - size] = bytes[at / 3 % sizeof bytes];
            unlink(beside(names[f])); /* replacing a file would wait for the disk */
            file = fopen(beside(names[f]), "w");
            fwrite(changed, 1, n, file);
            fclose(file);
            struct ph_frame frame;
            struct ph_error err = {.text = ""};
            const struct ph_frame_request request = {.format = "", .frame = -1, .atom_style = "", .units = ""};
            const struct ph_frame_name types[] = {{"1", "O"}, {"2", "H"}};
            enum ph_status status = ph_frame_read_text(beside(names[f]), &request, &frame, &err);
            if (status == PH_OK)
                status = ph_frame_match(2, types, 1, &species, &(size_t){4}, &frame, &err);
            assert_true(status == PH_OK || err.text[0] != '\0');
            ph_frame_free(&frame);
            refused += status != PH_OK;
            ++total;
        }
    }
    assert_true(refused > total / 4 && refused < total);
}

int main(void)
{
    strcpy(folder, "/tmp/polhode-formats-XXXXXX");
    if (!mkdtemp(folder))
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_give_the_same_start_to_their_digits),
        cmocka_unit_test(velocities_of_molecules_need_angular_momenta),
        cmocka_unit_test(lines_that_are_too_long_are_refused),
        cmocka_unit_test(names_of_atoms_find_their_sites),
        cmocka_unit_test(mixtures_are_sorted_by_names),
        cmocka_unit_test(sites_that_are_alike_may_be_numbered_otherwise),
        cmocka_unit_test(lammps_styles_are_found),
        cmocka_unit_test(reduced_units_take_numbers_as_they_are),
        cmocka_unit_test(pdb_may_say_that_it_has_no_box),
        cmocka_unit_test(frames_are_counted_from_both_ends),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(keys_that_do_not_apply_are_ignored_with_a_remark),
        cmocka_unit_test(broken_files_are_read_or_refused),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return failed + (system(command) != 0);
}
