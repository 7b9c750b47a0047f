/* SPDX-License-Identifier: MIT */
#include "folder.h"

#include "input/model_file.h"
#include "run/build/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INPUTS POLHODE_TEST_DATA "/../../inputs/"

static void write_file(const char *name, const char *text, char path[PH_PATH])
{
    snprintf(path, PH_PATH, "%s/%s", folder, name);
    write_text(path, text);
}

static enum ph_status read_text(const char *text, size_t n_sets, const char *const *sets, struct ph_input *input,
                                struct ph_error *err)
{
    char path[PH_PATH];
    write_file("input.yaml", text, path);
    return ph_input_read(path, n_sets, sets, input, err);
}

static const char good[] = "units: reduced\n"                          /* 1 */
                           "system:\n"                                 /* 2 */
                           "  box: {density: 0.8}\n"                   /* 3 */
                           "  molecules:\n"                            /* 4 */
                           "    - {model: stockmayer, count: 32}\n"    /* 5 */
                           "  start: {kind: fcc, temperature: 1.35}\n" /* 6 */
                           "interactions:\n"                           /* 7 */
                           "  cutoff: 1.5\n";                          /* 8 */

TEST(missing_keys_get_their_defaults)
{
    static struct ph_input input;
    assert_ok(read_text(good, 0, NULL, &input, &err));
    assert_string_equal(input.system.box.kind, "periodic");
    assert_string_equal(input.interactions.truncation, "switched");
    assert_string_equal(input.interactions.smoothness, "6");
    assert_string_equal(input.interactions.method, "mesh"); /* for dipoles in a periodic box */
    assert_string_equal(input.interactions.split, "bessel");
    assert_true(input.interactions.method_chosen);
    assert_string_equal(input.interactions.combining, "lorentz-berthelot");
    assert_string_equal(input.dynamics.flow, "exact");
    assert_close(input.interactions.switch_width, 0.225, 1e-15, 1.0);
    assert_true(input.system.start.rescale && !input.interactions.long_range_correction);
    assert_int_equal(input.system.start.seed, 1);
    assert_int_equal(input.output.frames_every, 100);
    assert_true(input.system.start.jitter == 0.0 && isnan(input.system.box.length[0]) &&
                isnan(input.system.start.spacing));
    assert_true(input.dynamics.line == 0 && input.dynamics.steps == PH_ABSENT);
    assert_true(input.interactions.external.electric_field[2] == 0.0 && input.interactions.n_pairs == 0);
    assert_int_equal(input.system.n_molecules, 1);
    assert_string_equal(input.system.molecules[0].model, "stockmayer");
    assert_int_equal(input.system.molecules[0].line, 5);
    assert_true(ph_input_given(&input, "system.box.density") && !ph_input_given(&input, "system.box.kind"));
    char place[PH_PLACE];
    ph_input_place(&input, "interactions.cutoff", place);
    assert_non_null(strstr(place, "input.yaml:8"));
}

TEST(every_kind_of_value_is_read)
{
    static struct ph_input input;
    static const char text[] =
        "title: \"many: things\"\nunits: md\n"
        "system:\n  box: {edges: [[3, 0, 0], [1, 3, 0], [0, 0.5, 4]]}\n"
        "  molecules: [{model: a/b.yaml, count: 1e3}, {model: x, count: 7}]\n"
        "  start: {kind: random, minimum_distance: .25, seed: 12345678901}\n"
        "interactions:\n  cutoff: 1\n  truncation: cut\n  long_range_correction: true\n"
        "  electrostatics: {method: reaction-field, permittivity: .inf}\n"
        "  pairs:\n    - {sites: [a.O, b.H], mie: {epsilon: 2, sigma: 0.3, repulsive: 14, attractive: 7}}\n"
        "    - {sites: [a.O, a.O], soft-sphere: {epsilon: 1, sigma: 1, exponent: 9}}\n    - {sites: [a.O, c.C]}\n"
        "  external: {electric_field: [0, 0, -1.5e2], tether: 3}\n"
        "dynamics: {step: 0.002, steps: 0, scheme: verlet}\noutput:\n";
    assert_ok(read_text(text, 0, NULL, &input, &err));
    assert_string_equal(input.title, "many: things");
    assert_int_equal(input.system.molecules[0].count, 1000);
    assert_int_equal(input.system.start.seed, 12345678901);
    assert_true(input.system.box.edges[3] == 1.0 && input.system.box.edges[8] == 4.0 &&
                input.system.box.edges[7] == 0.5);
    assert_true(input.interactions.long_range_correction && isinf(input.interactions.permittivity));
    assert_int_equal(input.interactions.n_pairs, 3);
    assert_string_equal(input.interactions.pairs[0].sites[1], "b.H");
    assert_string_equal(input.interactions.pairs[0].radial.kind, "mie");
    assert_true(input.interactions.pairs[0].radial.attractive == 7.0 &&
                input.interactions.pairs[1].radial.repulsive == 9.0);
    assert_string_equal(input.interactions.pairs[2].radial.kind, "");
    assert_true(input.interactions.external.electric_field[2] == -150.0 &&
                input.interactions.external.electric_field[0] == 0.0);
    assert_int_equal(input.dynamics.steps, 0);
    assert_true(input.output.line > 0); /* an empty map */
}

/* The good input with electrostatics and another cutoff, "" for none */
static void read_electrostatics(const char *cutoff, const char *electrostatics, struct ph_input *input)
{
    static char set[2][256]; /* outlives the input */
    static const char *const sets[] = {set[0], set[1]};
    struct ph_error err = {.text = ""};
    snprintf(set[0], sizeof set[0], "interactions.electrostatics=%s", electrostatics);
    snprintf(set[1], sizeof set[1], "interactions.cutoff=%s", cutoff);
    if (read_text(good, 2, sets, input, &err) != PH_OK)
        fail_msg("%s: %s", electrostatics, err.text);
}

/* What is not given is 0, to be chosen, but for what depends on the method. */
TEST(keys_of_an_ewald_sum_are_read_for_both_methods)
{
    static struct ph_input input;
    struct ph_interactions built;
    read_electrostatics("1.5", "{method: ewald}", &input);
    assert_string_equal(input.interactions.split, "gauss");
    assert_string_equal(input.interactions.geometry, "bulk");
    assert_true(input.interactions.ewald_tolerance == 0.0 && input.interactions.grid[2] == 0);

    read_electrostatics("1.5", "{method: mesh}", &input);
    assert_ok(ph_build_interactions(&input, 0, NULL, &built, &err));
    assert_true(built.electrostatics == PH_ELECTROSTATICS_MESH && built.ewald.split == PH_SPLIT_BESSEL);
    assert_true(built.ewald.smoothness == 6 && built.ewald.grid[0] == 0 && built.ewald.width == 0);
    assert_true(built.ewald.tolerance == 0.0 && built.ewald.shape == 0.0 && built.ewald.window == 0.0);
    assert_true(!built.ewald.slab && !built.ewald.remove_net_force && isinf(built.epsilon_rf));

    read_electrostatics("1.5",
                        "{method: mesh, tolerance: 3e-12, permittivity: 3, smoothness: 12, shape: 30, grid: [16, 32, "
                        "64], width: 14, window: 25.5, remove_net_force: true}",
                        &input);
    assert_ok(ph_build_interactions(&input, 0, NULL, &built, &err));
    assert_true(built.ewald.tolerance == 3e-12 && built.epsilon_rf == 3.0 && built.ewald.smoothness == 12);
    assert_true(built.ewald.shape == 30.0 && built.ewald.width == 14 && built.ewald.window == 25.5);
    assert_true(built.ewald.grid[0] == 16 && built.ewald.grid[1] == 32 && built.ewald.grid[2] == 64);
    assert_true(built.ewald.remove_net_force && built.cutoff == 1.5);

    read_electrostatics("1.5", "{method: mesh, split: gauss, screening: 4, grid: 48, geometry: slab}", &input);
    assert_ok(ph_build_interactions(&input, 0, NULL, &built, &err));
    assert_true(built.ewald.split == PH_SPLIT_GAUSS && built.ewald.screening == 4.0 && built.ewald.slab);
    assert_true(built.ewald.grid[0] == 48 && built.ewald.grid[1] == 48 && built.ewald.grid[2] == 48);
}

/* Charges and dipoles in a periodic box have their long range unless something else is stated; the notes say so, and
 * what a plain cutoff does. Others have neither the one nor the other. */
TEST(charges_and_dipoles_in_periodic_boxes_get_a_mesh)
{
    static const char ion[] = "name: ion\nsource: made up\nunits: reduced\n"
                              "sites: [{name: I, mass: 1, charge: 1, wca: {epsilon: 1, sigma: 1}}]\n";
    static const char mixed[] =
        "name: mixed\nsource: made up\nunits: reduced\ninertia: [1, 1, 1]\n"
        "sites: [{name: M, mass: 1, charge: -1, dipole: [0, 0, 1], wca: {epsilon: 1, sigma: 1}}]\n";
    static const struct {
        const char *sets[3], *method;
        const char *words[2], *not ; /* of the notes; "" for none */
    } cases[] = {
        {{"units=reduced"}, "mesh", {"Note: dipoles interact with all copies", "on a mesh"}, "Warning"},
        {{"interactions.electrostatics.method=mesh"}, "mesh", {"", ""}, "mesh"},
        {{"interactions.electrostatics.method=ewald"}, "ewald", {"", ""}, "ewald"},
        {{"interactions.electrostatics.method=reaction-field"}, "reaction-field", {"", ""}, "field"},
        {{"interactions.electrostatics.tolerance=1e-3"},
         "mesh",
         {"Note: dipoles", "reaction-field or cutoff"},
         "Warning"},
        {{"interactions.electrostatics.method=cutoff"}, "cutoff", {"Warning: dipoles", "permittivity"}, "site by site"},
        {{"system.molecules[0].model=lennard-jones"}, "cutoff", {"", ""}, "dipoles"},
        {{"system.molecules[0].model=lennard-jones", "interactions.electrostatics.method=cutoff"},
         "cutoff",
         {"", ""},
         "dipoles"},
        {{"system.box={kind: open}", "system.start.spacing=1.5"}, "cutoff", {"", ""}, "mesh"},
        {{"system.box={kind: open}", "system.start.spacing=1.5", "interactions.electrostatics.method=cutoff"},
         "cutoff",
         {"", ""},
         "dipoles"},
        {{"system.molecules[0].model=./ion.yaml"}, "mesh", {"Note: charges interact", ""}, "dipoles"},
        {{"system.molecules[0].model=./mixed.yaml"}, "mesh", {"Note: charges and dipoles", ""}, "net charge"},
        {{"system.molecules[0].model=./ion.yaml", "interactions.electrostatics.method=cutoff"},
         "cutoff",
         {"Warning: charges are cut off site by site", "net charge of 32, and nothing"},
         "dipoles"},
        {{"system.molecules[0].model=./ion.yaml", "interactions.electrostatics.method=cutoff",
          "interactions.truncation=force-shifted"},
         "cutoff",
         {"Warning: charges interact within", "approximate"},
         "site by site"},
        {{"system.molecules[0].model=./mixed.yaml", "interactions.electrostatics.method=reaction-field"},
         "reaction-field",
         {"Warning: the box has a net charge of -32, but a reaction field", "uniform background"},
         "dipoles"},
        {{"system.molecules=[{model: ./ion.yaml, count: 16}, {model: ./mixed.yaml, count: 16}]",
          "interactions.electrostatics.method=reaction-field"},
         "reaction-field",
         {"", ""},
         "net charge"},
    };
    char path_of_ion[PH_PATH], path_of_mixed[PH_PATH];
    write_file("ion.yaml", ion, path_of_ion);
    write_file("mixed.yaml", mixed, path_of_mixed);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        static struct ph_input input;
        struct ph_error err = {.text = ""};
        struct ph_system *system = NULL;
        struct ph_interactions interactions;
        struct ph_build_notes notes;
        size_t n = 0;
        while (n < 3 && cases[k].sets[n])
            ++n;
        if (read_text(good, n, cases[k].sets, &input, &err) != PH_OK ||
            ph_build_system(&input, &system, &interactions, &notes, &err) != PH_OK)
            fail_msg("case %zu: %s", k, err.text);
        assert_string_equal(input.interactions.method, cases[k].method);
        const bool quiet = cases[k].words[0][0] == '\0';
        if (!strstr(notes.text, cases[k].words[0]) || !strstr(notes.text, cases[k].words[1]) ||
            strstr(notes.text, cases[k].not ) || (quiet && notes.text[0]))
            fail_msg("case %zu: notes are '%s'", k, notes.text);
        ph_system_destroy(system);
        ph_interactions_free(&interactions);
    }
    unlink(path_of_ion);
    unlink(path_of_mixed);
}

/* If a mesh by default is refused, the message says why it is one. A model that does not exist is an error of its own.
 */
TEST(errors_of_a_default_mesh_name_the_alternatives)
{
    static const struct {
        const char *set, *words[2];
        bool by_default;
    } cases[] = {
        {"interactions.cutoff=", {"'interactions.cutoff' is missing", "stockmayer"}, true},
        {"interactions.electrostatics.split=gauss", {"split: gauss goes with", "grid"}, true},
        {"interactions.electrostatics={method: mesh, split: gauss}", {"split: gauss goes with", "grid"}, false},
        {"system.molecules[0].model=nothing", {"there is no model 'nothing'", "Known by name"}, false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        static struct ph_input input;
        struct ph_error err = {.text = ""};
        struct ph_system *system = NULL;
        struct ph_interactions interactions;
        if (read_text(good, 1, &cases[k].set, &input, &err) != PH_OK)
            fail_msg("case %zu: %s", k, err.text);
        assert_int_equal(ph_build_system(&input, &system, &interactions, NULL, &err), PH_ERR_INPUT);
        const bool said = strstr(err.text, "mesh by default") && strstr(err.text, "ewald, reaction-field, cutoff");
        if (!strstr(err.text, cases[k].words[0]) || !strstr(err.text, cases[k].words[1]) || said != cases[k].by_default)
            fail_msg("case %zu: '%s'", k, err.text);
    }
}

/* A mesh chooses the cutoff, but only of electric pairs. */
TEST(a_cutoff_is_chosen_where_nothing_else_ends_there)
{
    static struct ph_input input;
    struct ph_interactions built;
    struct ph_species species = {.name = "ion", .n_sites = 1};
    read_electrostatics("", "{method: mesh}", &input);
    assert_ok(ph_build_interactions(&input, 1, &species, &built, &err));
    assert_true(built.cutoff == 0.0 && built.truncation == PH_TRUNCATE_SWITCHED && built.switch_width == 0.0);
    species.site[0].radial.kind = PH_RADIAL_MIE;
    assert_error(ph_build_interactions(&input, 1, &species, &built, &err), PH_ERR_INPUT,
                 "'interactions.cutoff' is missing: the radial terms of ion");
}

/* A line in place of one of the good input, and words of its message */
struct wrong {
    int line;
    const char *text, *words[5];
};

static const struct wrong table[] = {
    {1, "units: imperial", {"input.yaml:1", "units", "'imperial'", "reduced, md"}},
    {1, "units: reducd", {"input.yaml:1", "Did you mean 'reduced'?"}},
    {1, "title: no units", {"input.yaml:1", "'units' is missing", "reduced, md"}},
    {1, "units: reduced\nunits: md", {"input.yaml:2", "'units' appears twice"}},
    {1, "units: reduced\ncolour: red", {"input.yaml:2", "unknown key 'colour'", "Accepted here: title, units, system"}},
    {1, "units: reduced\nintractions: {}", {"input.yaml:2", "Did you mean 'interactions'?"}},
    {1, "units: reduced\n[a, b]: 1", {"input.yaml:2", "not a word"}},
    {1, "units: reduced\nbroken: [1, 2", {"input.yaml:", "not valid YAML"}},
    {1, "- units", {"input.yaml:"}},
    {3,
     "  box: {densty: 0.8}",
     {"input.yaml:3", "system.box.densty", "Did you mean 'density'?", "kind, density, mass_density, length"}},
    {3, "  box: {density: -0.8}", {"input.yaml:3", "system.box.density", "'-0.8'", "a number above 0"}},
    {3, "  box: {density: 0}", {"input.yaml:3", "system.box.density", "'0'", "a number above 0"}},
    {3, "  box: {density: dense}", {"input.yaml:3", "system.box.density", "'dense'", "a number above 0"}},
    {3, "  box: {density: \"0.8\"}", {"input.yaml:3", "system.box.density", "a number above 0"}},
    {3, "  box: {density: 0x1p3}", {"input.yaml:3", "system.box.density"}},
    {3, "  box: {density: nan}", {"input.yaml:3", "system.box.density"}},
    {3, "  box: {density: .inf}", {"input.yaml:3", "system.box.density"}},
    {3, "  box: {density: [1, 2, 3]}", {"input.yaml:3", "system.box.density is [1, 2, 3]"}},
    {3, "  box: {density: }", {"input.yaml:3", "system.box.density", "nothing"}},
    {3, "  box: {density: 1, density: 2}", {"input.yaml:3", "'system.box.density' appears twice"}},
    {3,
     "  box: {density: 1, length: 2}",
     {"input.yaml:3", "system.box.length", "system.box.density", "one of density"}},
    {3, "  box: {length: [1, 2]}", {"input.yaml:3", "system.box.length", "three [x, y, z]"}},
    {3, "  box: {edges: [[1, 2, 3], [1, 2], [1, 2, 3]]}", {"input.yaml:3", "system.box.edges", "three vectors"}},
    {3, "  box: {kind: open, density: 1}", {"input.yaml:3", "system.box.density", "system.box.kind: open", "periodic"}},
    {3, "  box: {kind: periodik, density: 1}", {"input.yaml:3", "system.box.kind", "Did you mean 'periodic'?"}},
    {3, "  box: {}", {"input.yaml:3", "size of the periodic box is missing"}},
    {3, "  box: 5", {"input.yaml:3", "system.box", "'5'", "a map"}},
    {5, "    - {model: stockmayer}", {"input.yaml:5", "'system.molecules[0].count' is missing"}},
    {5, "    - {model: stockmayer, count: 0}", {"input.yaml:5", "system.molecules[0].count", "from 1"}},
    {5,
     "    - {model: stockmayer, count: 3.5}",
     {"input.yaml:5", "system.molecules[0].count", "'3.5'", "a whole number"}},
    {5, "    - {model: stockmayer, cuont: 3}", {"input.yaml:5", "system.molecules[0].cuont", "Did you mean 'count'?"}},
    {5, "    - stockmayer", {"input.yaml:5", "system.molecules[0]", "'stockmayer'", "a map"}},
    {5, "    []", {"input.yaml:5", "system.molecules", "0 items", "1 to 16"}},
    {6,
     "  start: {kind: fc}",
     {"input.yaml:6", "system.start.kind", "'fc'", "Did you mean 'fcc'?", "fcc, simple-cubic"}},
    {6, "  start: {temperature: 1}", {"input.yaml:6", "'system.start.kind' is missing"}},
    {6,
     "  start: {kind: random, jitter: 0.1}",
     {"input.yaml:6", "system.start.jitter", "system.start.kind: random", "fcc or simple-cubic"}},
    {6, "  start: {kind: fcc, spacing: 1}", {"input.yaml:6", "system.start.spacing", "open"}},
    {6, "  start: {kind: ice}", {"input.yaml:6", "'system.start.form' is missing"}},
    {6, "  start: {kind: ice, form: Ih}", {"input.yaml:6", "system.start.form", "units: reduced", "md"}},
    {6, "  start: {kind: fcc, form: Ih}", {"input.yaml:6", "system.start.form", "kind: fcc", "to be ice"}},
    {6, "  start: {kind: gaussian}", {"input.yaml:6", "'system.start.spread' is missing"}},
    {6, "  start: {kind: file}", {"input.yaml:6", "'system.start.file' is missing"}},
    {6, "  start: {kind: fcc, rescale: yes}", {"input.yaml:6", "system.start.rescale", "'yes'", "true or false"}},
    {6, "  start: {kind: fcc, temperature: -1}", {"input.yaml:6", "system.start.temperature", "'-1'", "from 0"}},
    {6, "  start: {kind: fcc, jitter: 2}", {"input.yaml:6", "system.start.jitter", "'2'", "from 0 to 1"}},
    {6, "  start: {kind: fcc, seed: -1}", {"input.yaml:6", "system.start.seed"}},
    {8, "  truncation: cut", {"input.yaml:8", "'interactions.cutoff' is missing"}},
    {8, "  cutoff: 1.5\n  truncation: none", {"input.yaml:8", "interactions.cutoff", "interactions.truncation: none"}},
    {8,
     "  cutoff: 1.5\n  switch: {width: 2}",
     {"input.yaml:9", "interactions.switch.width", "interactions.cutoff, 1.5"}},
    {8, "  cutoff: 1.5\n  switch: {smoothness: 3}", {"input.yaml:9", "interactions.switch.smoothness", "2, 4, 6, all"}},
    {8, "  cutoff: 1.5\n  truncation: cut\n  switch: {width: 1}", {"input.yaml:10", "interactions.switch", "switched"}},
    {8,
     "  cutoff: 1.5\n  electrostatics: {method: cutoff, permittivity: 2}",
     {"input.yaml:9", "permittivity", "reaction-field"}},
    {8,
     "  cutoff: 1.5\n  electrostatics: {k_max: 8}",
     {"input.yaml:9", "to be ewald", "mesh by default", "Accepted: mesh, ewald, reaction-field, cutoff"}},
    {8,
     "  cutoff: 1.5\n  electrostatics: {method: ewld}",
     {"input.yaml:9", "interactions.electrostatics.method", "cutoff"}},
    {8,
     "  cutoff: 1.5\n  electrostatics: {method: reaction-field, tolerance: 1e-4}",
     {"input.yaml:9", "electrostatics.tolerance", "method: reaction-field", "ewald or mesh"}},
    {8, "  cutoff: 1.5\n  electrostatics: {method: ewald, grid: 32}", {"input.yaml:9", "electrostatics.grid", "mesh"}},
    {8, "  cutoff: 1.5\n  electrostatics: {method: ewald, width: 8}", {"input.yaml:9", "electrostatics.width", "mesh"}},
    {8, "  cutoff: 1.5\n  electrostatics: {method: ewald, window: 9}", {"input.yaml:9", ".window", "to be mesh"}},
    {8,
     "  cutoff: 1.5\n  electrostatics: {method: ewald, remove_net_force: true}",
     {"input.yaml:9", "electrostatics.remove_net_force", "to be mesh"}},
    {8, "  cutoff: 1.5\n  electrostatics: {method: mesh, k_max: 8}", {"input.yaml:9", ".k_max", "to be ewald"}},
    {8,
     "  cutoff: 1.5\n  electrostatics: {method: mesh, screening: 3}",
     {"input.yaml:9", "electrostatics.screening", "split: bessel", "to be gauss"}},
    {8,
     "  cutoff: 1.5\n  electrostatics: {method: ewald, shape: 20}",
     {"input.yaml:9", "electrostatics.shape", "split: gauss", "to be bessel"}},
    {8,
     "  cutoff: 1.5\n  electrostatics: {method: cutoff, split: bessel}",
     {"input.yaml:9", ".split", "ewald or mesh"}},
    {8,
     "  cutoff: 1.5\n  electrostatics: {method: cutoff, geometry: slab}",
     {"input.yaml:9", ".geometry", "ewald or mesh"}},
    {8,
     "  cutoff: 1.5\n  electrostatics: {method: ewald, smoothness: 8}",
     {"input.yaml:9", "electrostatics.smoothness", "split: gauss", "It needs split: bessel, or method: mesh"}},
    {8,
     "  cutoff: 1.5\n  electrostatics: {method: mesh, smoothness: 14}",
     {"input.yaml:9", "electrostatics.smoothness is '14'", "a whole number from 2 to 12"}},
    {8,
     "  cutoff: 1.5\n  electrostatics: {method: mesh, tolerance: 1e-13}",
     {"input.yaml:9", "electrostatics.tolerance is 1e-13", "from 3e-12", "from 1e-15 with method: ewald"}},
    {8,
     "  cutoff: 1.5\n  electrostatics: {method: mesh, grid: [32, 32]}",
     {"input.yaml:9", "electrostatics.grid is [32, 32]", "a whole number, or three [a, b, c], each from 8 to 4096"}},
    {8,
     "  cutoff: 1.5\n  electrostatics: {method: mesh, grid: [32, 32, 9.5]}",
     {"input.yaml:9", "electrostatics.grid is [32, 32, 9.5]"}},
    {8,
     "  cutoff: 1.5\n  electrostatics: {method: mesh, grid: [32, 32, 10], width: 12}",
     {"input.yaml:9", "electrostatics.grid has 10 points along edge 3", "width, 12"}},
    {8,
     "  cutoff: 1.5\n  electrostatics: {method: ewald, geometry: slab, permittivity: 2}",
     {"input.yaml:9", "electrostatics.permittivity is 2", "slab", ".inf"}},
    {8, "  truncation: cut\n  electrostatics: {method: mesh}", {"input.yaml:8", "'interactions.cutoff' is missing"}},
    {8, "  cutoff: 1.5\n  pairs: [{sites: [a.A]}]", {"input.yaml:9", "interactions.pairs[0].sites", "two texts"}},
    {8,
     "  cutoff: 1.5\n  pairs: [{sites: [a, b], wca: {epsilon: 1}}]",
     {"input.yaml:9", "pairs[0].wca.sigma' is missing"}},
    {8,
     "  cutoff: 1.5\n  pairs: [{sites: [a, b], wca: {epsilon: 1, sigma: 1}, mie: {epsilon: 1, sigma: 1, repulsive: 9, "
     "attractive: 6}}]",
     {"input.yaml:9", "interactions.pairs[0]", "both mie and wca"}},
    {8,
     "  cutoff: 1.5\n  pairs: [{sites: [a, b], mie: {epsilon: 1, sigma: 1, repulsive: 6, attractive: 6}}]",
     {"input.yaml:9", "interactions.pairs[0].mie", "larger"}},
    {8, "  cutoff: 1.5\ndynamics: {step: 0.1}", {"input.yaml:9", "'dynamics.steps' is missing"}},
    {8, "  cutoff: 1.5\ndynamics: {step: 0, steps: 1}", {"input.yaml:9", "dynamics.step", "above 0"}},
    {8,
     "  cutoff: 1.5\noutput: {frames_evry: 3}",
     {"input.yaml:9", "output.frames_evry", "Did you mean 'frames_every'?"}},
    {8, "  cutoff: 1.5\n---\nunits: md", {"input.yaml:10", "second document"}},
};

/* The good input with one line replaced */
static void replace_line(int line, const char *text, char out[2048])
{
    char copy[sizeof good], *save;
    memcpy(copy, good, sizeof good);
    out[0] = '\0';
    int number = 1;
    for (char *word = strtok_r(copy, "\n", &save); word; word = strtok_r(NULL, "\n", &save), ++number) {
        strcat(out, number == line ? text : word);
        strcat(out, "\n");
    }
}

TEST(every_error_names_its_place_key_and_choices)
{
    for (size_t k = 0; k < sizeof table / sizeof *table; ++k) {
        static struct ph_input input;
        struct ph_error err = {.text = ""};
        char text[2048];
        replace_line(table[k].line, table[k].text, text);
        const enum ph_status status = read_text(text, 0, NULL, &input, &err);
        if (status != PH_ERR_INPUT)
            fail_msg("'%s' gives status %d: %s", table[k].text, status, err.text);
        for (size_t w = 0; w < 5 && table[k].words[w]; ++w)
            if (!strstr(err.text, table[k].words[w]))
                fail_msg("'%s' gives '%s', without '%s'", table[k].text, err.text, table[k].words[w]);
    }
    static struct ph_input input;
    struct ph_error err = {.text = ""};
    assert_int_equal(ph_input_read("/nowhere/at/all.yaml", 0, NULL, &input, &err), PH_ERR_IO);
    assert_int_equal(read_text("", 0, NULL, &input, &err), PH_ERR_INPUT);
    assert_int_equal(read_text("5\n", 0, NULL, &input, &err), PH_ERR_INPUT);
    assert_int_equal(read_text("system: &a {box: *a}\n", 0, NULL, &input, &err), PH_ERR_INPUT); /* contains itself */
}

TEST(assignments_go_through_the_same_checks)
{
    static struct ph_input input;
    struct ph_error err = {.text = ""};
    static const char *const sets[] = {"system.box.density=0.5",
                                       "system.molecules[0].count=108",
                                       "dynamics.step=0.01",
                                       "dynamics.steps=10",
                                       "system.start={kind: random, seed: 9}",
                                       "title=a b",
                                       "interactions={electrostatics: {method: cutoff}}"};
    if (read_text(good, 6, sets, &input, &err) != PH_OK)
        fail_msg("%s", err.text);
    assert_true(input.system.box.density == 0.5 && input.dynamics.step == 0.01 && input.dynamics.steps == 10);
    assert_int_equal(input.system.molecules[0].count, 108);
    assert_string_equal(input.system.start.kind, "random");
    assert_string_equal(input.title, "a b");
    assert_int_equal(read_text(good, 7, sets, &input, &err),
                     PH_ERR_INPUT); /* the last one removes a key that is needed */
    assert_non_null(strstr(err.text, "interactions.cutoff"));

    /* what is no comment stays, and an empty value removes */
    static const char *const titles[][2] = {
        {"title=run#1", "run#1"}, {"title=\"run #1\"", "run #1"}, {"title='# 1, #2 '", "# 1, #2 "}, {"title=", ""}};
    for (size_t k = 0; k < sizeof titles / sizeof *titles; ++k) {
        assert_int_equal(read_text(good, 1, &titles[k][0], &input, &err), PH_OK);
        assert_string_equal(input.title, titles[k][1]);
    }

    static const struct {
        const char *set, *words[3];
    } bad[] = {
        {"system.box.density=-1", {"--set system.box.density=-1", "system.box.density is '-1'", "above 0"}},
        {"system.box.densty=1", {"--set system.box.densty=1", "Did you mean 'density'?"}},
        {"system.box.density", {"--set system.box.density", "key.path=value"}},
        {"=3", {"--set =3", "key.path=value"}},
        {"units.kind=3", {"--set units.kind=3", "'units' is a value"}},
        {"system.molecules[1].count=3", {"--set system.molecules[1].count=3", "no list 'molecules'"}},
        {"system.molecules[x].count=3", {"no list 'molecules'"}},
        {"system.start.kind=[", {"--set system.start.kind=[", "not valid YAML"}},
        {"system.start.radius=3", {"--set system.start.radius=3", "system.start.radius", "fcc"}},
        {"new.thing=3", {"--set new.thing=3", "unknown key 'new'"}},
        {"title=run #1", {"--set title=run #1: ", "a comment", "quotes"}},
        {"title=\xc3\xa9t\xc3\xa9 \t#1", {"a comment"}},
        {"title=#1", {"a comment"}},
        {"title= # 1", {"a comment"}},
        {"title=\"run\" #1", {"a comment"}},
        {"system.start={kind: fcc} # or not", {"a comment"}},
        {"system.start=kind: fcc # or not", {"a comment"}},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        assert_int_equal(read_text(good, 1, &bad[k].set, &input, &err), PH_ERR_INPUT);
        for (size_t w = 0; w < 3 && bad[k].words[w]; ++w)
            if (!strstr(err.text, bad[k].words[w]))
                fail_msg("'%s' gives '%s', without '%s'", bad[k].set, err.text, bad[k].words[w]);
    }
}

static enum ph_status build_text(const char *text, struct ph_error *err)
{
    static struct ph_input input;
    struct ph_system *system;
    struct ph_interactions interactions;
    enum ph_status status = read_text(text, 0, NULL, &input, err);
    if (status == PH_OK)
        status = ph_build_system(&input, &system, &interactions, NULL, err);
    if (status == PH_OK) {
        ph_system_destroy(system);
        ph_interactions_free(&interactions);
    }
    return status;
}

/* A program may fill in the struct itself, where no schema has looked at it. */
TEST(words_that_stand_for_nothing_are_refused)
{
    static struct ph_input read, input;
    struct ph_error err = {.text = ""};
    struct ph_system *system;
    struct ph_interactions interactions;
    assert_int_equal(read_text(good, 0, NULL, &read, &err), PH_OK);
    const struct {
        char *word;
        const char *text[3];
    } words[] = {
        {input.interactions.truncation, {"interactions.truncation: 'swiched'", "'cut'", "'switched'"}},
        {input.interactions.smoothness, {"interactions.switch.smoothness: 'swiched'", "'2'", "'all'"}},
        {input.interactions.method, {"interactions.electrostatics.method: 'swiched'", "'cutoff'", "'ewald'"}},
        {input.interactions.split, {"interactions.electrostatics.split: 'swiched'", "'gauss'", "'bessel'"}},
        {input.interactions.geometry, {"interactions.electrostatics.geometry: 'swiched'", "'bulk'", "'slab'"}},
        {input.interactions.combining, {"interactions.combining: 'swiched'", "'lorentz-berthelot'", "'geometric'"}},
    };
    for (size_t k = 0; k < sizeof words / sizeof *words; ++k) {
        input = read;
        assert_int_equal(ph_build_system(&input, &system, &interactions, NULL, &err), PH_OK);
        ph_system_destroy(system);
        ph_interactions_free(&interactions);
        strcpy(words[k].word, "swiched");
        assert_int_equal(ph_build_system(&input, &system, &interactions, NULL, &err), PH_ERR_INPUT);
        for (int w = 0; w < 3; ++w)
            if (!strstr(err.text, words[k].text[w]))
                fail_msg("'%s' without '%s'", err.text, words[k].text[w]);
    }
    struct ph_radial radial;
    assert_int_equal(ph_build_radial(&(struct ph_input_radial){.kind = "bukingham"}, &radial, &err), PH_ERR_INPUT);
    assert_non_null(strstr(err.text, "'bukingham'"));
    assert_non_null(strstr(err.text, "'soft-sphere'"));
}

TEST(errors_of_models_and_pairs_name_their_place)
{
    static const struct wrong wrongs[] = {
        {5,
         "    - {model: stokmayer, count: 32}",
         {"input.yaml:5", "system.molecules[0].model", "Did you mean 'stockmayer'?", "soft-sphere, spc, spc-e, ssd",
          " tip4p, "}},
        {5, "    - {model: ./none.yaml, count: 32}", {"input.yaml:5", "system.molecules[0].model", "./none.yaml"}},
        {5, "    - {model: spc-e, count: 32}", {"input.yaml:5", "system.molecules[0].model", "md units", "reduced"}},
        {5,
         "    - {model: wca, count: 3}\n    - {model: wca, count: 3}",
         {"input.yaml:6", "molecules[1]", "listed before"}},
        {5, "    - {model: bad.yaml, count: 3}", {"bad.yaml:4", "sites[1]", "alike"}},
        {5, "    - {model: bad2.yaml, count: 3}", {"bad2.yaml", "Model 'bad2'", "Give the model the key inertia"}},
        {5, "    - {model: bad3.yaml, count: 3}", {"bad3.yaml:1", "'sites' is missing"}},
        {6,
         "  start: {kind: random, minimum_distance: 2}",
         {"input.yaml:6", "system.start", "of 32 molecules", "at least 2"}},
        {6, "  start: {kind: file, file: none.xyz}", {"none.xyz", "cannot be read"}},
        {8,
         "  cutoff: 1.5\n  pairs: [{sites: [stockmayer.B, stockmayer.A]}]",
         {"input.yaml:9", "interactions.pairs[0].sites", "'stockmayer.B'", "Did you mean 'stockmayer.A'?"}},
        {8,
         "  cutoff: 1.5\n  pairs: [{sites: [stockmayer.A, stockmayer.A], buckingham: {A: 10, rho: 0.1, C: 3}}]",
         {"input.yaml:9", "interactions.pairs[0].buckingham:", "no repulsive wall"}},
        {8,
         "  cutoff: 1.5\n  pairs: [{sites: [stockmayer.A, stockmayer.A], mie: {epsilon: 1, sigma: 1, repulsive: 6, "
         "attractive: 7}}]",
         {"input.yaml:9", "interactions.pairs[0].mie:", "6 must be larger"}},
        {8,
         "  cutoff: 1.5\n  pairs: [{sites: [stockmayer.A, stockmayer.A], yukawa: {epsilon: 1, sigma: 1, kapa: 2}}]",
         {"input.yaml:9", "interactions.pairs[0].yukawa.kapa", "Did you mean 'kappa'?", "epsilon, sigma, kappa"}},
        {8,
         "  cutoff: 1.5\n  pairs: [{sites: [stockmayer.A, stockmayer.A], yukawa: {epsilon: 1, sigma: 1, kappa: 0}}]",
         {"input.yaml:9", "interactions.pairs[0].yukawa.kappa is '0'", "a number above 0"}},
        {8,
         "  cutoff: 1.5\n  pairs: [{sites: [stockmayer.A, stockmayer.A], morse: {epsilon: 1, a: 3}}]",
         {"input.yaml:9", "interactions.pairs[0].morse.minimum"}},
        {8,
         "  cutoff: 1.5\n  pairs: [{sites: [stockmayer.A, stockmayer.A], morse: {epsilon: 1, minimum: 1, a: 3}, wca: "
         "{epsilon: 1, sigma: 1}}]",
         {"input.yaml:9", "interactions.pairs[0] has both wca and morse"}},
    };
    char path[PH_PATH];
    write_file("bad.yaml",
               "{name: bad, source: none at all, units: reduced, sites: [\n{name: A, mass: 1, position: [1, 0, 0],\n"
               "wca: {epsilon: 1, sigma: 1}},\n{name: A, mass: 1}]}\n",
               path);
    write_file("bad2.yaml",
               "name: bad2\nsource: none at all\nunits: reduced\nsites: [{name: A, mass: 1, dipole: [0, 0, 1]}]\n",
               path);
    write_file("bad3.yaml", "name: bad3\nsource: none at all\nunits: reduced\n", path);
    for (size_t k = 0; k < sizeof wrongs / sizeof *wrongs; ++k) {
        struct ph_error err = {.text = ""};
        char text[2048];
        replace_line(wrongs[k].line, wrongs[k].text, text);
        const enum ph_status status = build_text(text, &err);
        if (status != PH_ERR_INPUT && status != PH_ERR_IO)
            fail_msg("'%s' gives status %d", wrongs[k].text, status);
        for (size_t w = 0; w < 5 && wrongs[k].words[w]; ++w)
            if (!strstr(err.text, wrongs[k].words[w]))
                fail_msg("'%s' gives '%s', without '%s'", wrongs[k].text, err.text, wrongs[k].words[w]);
    }
}

TEST(shipped_inputs_build)
{
    static const struct {
        const char *file;
        size_t n;
        double kT; /* of translation and of rotation */
        enum ph_truncation truncation;
    } inputs[] = {
        {INPUTS "stockmayer.yaml", 4000, 1.35, PH_TRUNCATE_SWITCHED},
        {INPUTS "dipole-lattice.yaml", 125, 0.0, PH_TRUNCATE_NONE},
        {INPUTS "dipolar-soft-spheres.yaml", 500, 1.35, PH_TRUNCATE_SWITCHED},
        {INPUTS "dipole-cluster.yaml", 100, 0.0, PH_TRUNCATE_NONE},
        {INPUTS "lennard-jones.yaml", 500, 0.85, PH_TRUNCATE_CUT},
        {INPUTS "spc-e.yaml", 1000, 298 * 0.00831446261815324, PH_TRUNCATE_SWITCHED},
    };
    for (size_t k = 0; k < sizeof inputs / sizeof *inputs; ++k) {
        static struct ph_input input;
        struct ph_system *system = NULL;
        struct ph_interactions interactions;
        assert_ok(ph_input_read(inputs[k].file, 0, NULL, &input, &err));
        assert_ok(ph_build_system(&input, &system, &interactions, NULL, &err));
        assert_int_equal(system->n, inputs[k].n);
        assert_int_equal(interactions.truncation, inputs[k].truncation);
        const double translation = 2.0 * ph_system_kinetic_translation(system) / (3.0 * (double)system->n - 3.0);
        assert_close(translation, inputs[k].kT, 1e-13, 1.0);
        const size_t degrees = ph_system_degrees_rotation(system);
        if (degrees > 0)
            assert_close(2.0 * ph_system_kinetic_rotation(system) / (double)degrees, inputs[k].kT, 1e-13, 1.0);
        assert_true(interactions.coulomb == (strcmp(input.units, "md") == 0 ? 138.935457644382 : 1.0));
        assert_true(input.dynamics.steps > 0);
        ph_interactions_free(&interactions);
        ph_system_destroy(system);
    }
}

/* e^2 N_A / (4 pi eps0) in kJ/mol nm, and R, from the exact constants of the SI and eps0 of CODATA 2018 */
TEST(physical_constants_are_those_of_codata)
{
    const double e = 1.602176634e-19, avogadro = 6.02214076e23, k = 1.380649e-23, eps0 = 8.8541878128e-12;
    const struct ph_units *md = ph_units_find("md");
    assert_close(md->coulomb, e * e * avogadro / (4.0 * 3.14159265358979323846 * eps0) * 1e9 * 1e-3, 1e-12,
                 md->coulomb);
    assert_close(md->boltzmann, k * avogadro * 1e-3, 1e-14, md->boltzmann);
}

static int begin(void **state)
{
    unsetenv("POLHODE_POTENTIALS");
    return make_folder(state);
}

GROUP(begin, remove_folder)
