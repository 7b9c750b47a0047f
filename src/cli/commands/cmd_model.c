/* SPDX-License-Identifier: MIT */
/* polhode model import: makes a model file from a file of GROMACS, ms2 or ls1 mardyn or a table of sites, and
 * describes the molecule. */
#include "cli/cli.h"

#include "base/rotation.h"
#include "base/vec3.h"
#include "formats/import.h"
#include "input/model_file.h"
#include "rigid/top.h"
#include "run/build/build.h"

#include <argp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct words {
    struct ph_import import;
    const char *verb, *out, *name;
    bool overwrite, json;
};

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "The model file; default: the name of FILE with the ending .yaml, here", 0},
    {"name", KEEP_WORD(name), "NAME", 0, "Name of the model; default: that of the model file", 0},
    {"molecule", KEEP_WORD(import.molecule), "NAME", 0,
     "Which molecule of several: [ moleculetype ] of GROMACS, <moleculetype> of ls1 mardyn, a number in LAMMPS data "
     "(1)",
     1},
    {"forcefield", KEEP_WORD(import.forcefield), "FILE", 0,
     "Topology with [ defaults ] and [ atomtypes ], read before; of LAMMPS: data, or a script with pair_coeff", 1},
    {"coordinates", KEEP_WORD(import.coordinates), "FILE", 0,
     "Where the atoms are: GRO (nm), PDB or XYZ (Angstrom). Needed for more than three that are not virtual", 1},
    {"units", KEEP_WORD(import.units), "UNITS", 0,
     "Of a table: md (nm, u, e, kJ/mol), the default, or reduced. Of an XML file without <refunits>: md, reduced, "
     "angstrom (Angstrom, u, K) or atomic (bohr, 1000 u, hartree). Of LAMMPS: real, metal or lj",
     1},
    {"overwrite", KEEP_FLAG(overwrite), NULL, 0, "Replace a file that is there", 2},
    {"json", KEEP_FLAG(json), NULL, 0, "What the molecule is, as JSON", 2},
    {0},
};

static error_t take_word(int key, char *arg, struct argp_state *state)
{
    struct words *words = state->input;
    switch (key) {
    case 'o': words->out = arg; return 0;
    case ARGP_KEY_ARG:
        if (!words->verb)
            words->verb = arg;
        else if (!words->import.file)
            words->import.file = arg;
        else
            argp_error(state, "one file at a time: '%s' or '%s'", words->import.file, arg);
        return 0;
    case ARGP_KEY_END:
        if (!words->verb || strcmp(words->verb, "import") != 0)
            argp_error(state, "'%s' is not accepted: polhode model import FILE", words->verb ? words->verb : "");
        if (!words->import.file)
            argp_error(state,
                       "a file is needed: FILE.itp, FILE.top, FILE.pm, FILE.xml, FILE.mol, FILE.data or a table");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* "some/spce.itp" is "spce" */
static void stem_of(const char *path, size_t size, char *stem)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
    snprintf(stem, size, "%.*s", (int)(dot && dot > base ? (size_t)(dot - base) : strlen(base)), base);
}

static enum ph_status check_words(const struct words *words, const char *out, const char *name, struct ph_error *err)
{
    if (strcmp(out, words->import.file) == 0)
        return ph_error_set(err, PH_ERR_INPUT, "%s: is also the input: give another name with -o.", out);
    if (strlen(name) >= PH_NAME)
        return ph_error_set(err, PH_ERR_INPUT,
                            "'%s' is too long for a name of a model, which has at most %d letters: "
                            "give one with --name.",
                            name, PH_NAME - 1);
    if (!words->overwrite && access(out, F_OK) == 0)
        return ph_error_set(err, PH_ERR_IO,
                            "%s: is there already. Give another name (-o), or allow it to be replaced (--overwrite).",
                            out);
    return PH_OK;
}

/* Pairs of sites that a model cannot have: as an input has them */
static void show_pairs(const struct ph_species *species, const struct ph_import_facts *facts, struct ph_json *json)
{
    ph_json_begin_array(json, "pairs");
    for (size_t k = 0; k < facts->n_pairs; ++k) {
        const struct ph_import_pair *pair = &facts->pair[k];
        const char *a = species->site[pair->site[0]].name, *b = species->site[pair->site[1]].name;
        if (k == 0)
            ph_json_say(json,
                        "\nIts force field has parameters of pairs instead of means for sites of this molecule. A "
                        "model has none: the input needs\n\n"
                        "interactions:\n  pairs:\n");
        ph_json_say(json, "    - {sites: [%s.%s, %s.%s], %s: {epsilon: %.10g, sigma: %.10g%s}}  # %s:%zu\n",
                    species->name, a, species->name, b, pair->soft ? "soft-sphere" : "lennard-jones", pair->epsilon,
                    pair->sigma, pair->soft ? ", exponent: 12" : "", pair->file, pair->line);
        ph_json_begin_object(json, NULL);
        ph_json_strings(json, "first", a, "second", b, "kind", pair->soft ? "soft-sphere" : "lennard-jones");
        ph_json_number(json, "sigma", pair->sigma);
        ph_json_number(json, "epsilon", pair->epsilon);
        ph_json_string(json, "file", pair->file);
        ph_json_integer(json, "line", (long)pair->line);
        ph_json_end(json);
    }
    ph_json_end(json);
}

/* x, or 0 if beside `size` it is no more than rounding; never -0 */
static double tidy(double x, double size) { return fabs(x) < 1e-12 * size ? 0.0 : x; }

static double largest(const double x[3]) { return fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2]))); }

/* The moments of a point quadrupole along the axes of its site that it depends on; returns how many: 0, 1 or 3 */
static size_t find_quadrupole(const struct ph_site *site, const double *axis[3], double moment[3])
{
    size_t which[3];
    double tensor[4];
    const size_t n = ph_angular_is_multipole(&site->angular) ? ph_angular_axes(&site->angular, which) : 0;
    ph_angular_tensor(&site->angular, tensor);
    for (size_t x = 0; x < n; ++x) {
        axis[x] = site->axis[which[x]];
        moment[x] = tensor[x] + tensor[3];
    }
    return n;
}

static void give_quadrupole(const struct ph_site *site, struct ph_json *json)
{
    const double *axis[3];
    double moment[3];
    const size_t n = find_quadrupole(site, axis, moment);
    if (n == 1) {
        ph_json_number(json, "quadrupole", moment[0]);
        ph_json_numbers(json, "axis", 3, axis[0]);
    } else if (n == 3) {
        ph_json_numbers(json, "quadrupole_moments", 3, moment);
        ph_json_numbers(json, "axis", 3, axis[2]);
        ph_json_numbers(json, "side", 3, axis[0]);
    }
}

static void show_quadrupole(const struct ph_site *site, bool md, struct ph_json *json)
{
    const double *axis[3];
    double moment[3];
    const size_t n = find_quadrupole(site, axis, moment);
    const double size = n == 3 ? largest(moment) : 0.0;
    for (size_t x = 0; x < n; ++x) {
        const double shown = tidy(moment[x], size);
        ph_json_say(json, "  %-12s %14.9f %14.9f %14.9f  quadrupole %.6g", "  along", tidy(axis[x][0], 1.0),
                    tidy(axis[x][1], 1.0), tidy(axis[x][2], 1.0), shown);
        ph_json_say(json, md ? " e nm^2 = %.5g D Angstrom\n" : "\n", 10.0 * ph_debye_of_e_nm * shown);
    }
}

static void show(const struct ph_species *file_frame, const struct ph_species *species,
                 const struct ph_import_facts *facts, const char *out, struct ph_json *json)
{
    static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const bool md = strcmp(facts->units, "md") == 0;
    const double *turn = file_frame->file_rotation, back[4] = {turn[0], -turn[1], -turn[2], -turn[3]};
    double dipole[3], axis[3][3];
    struct ph_top top;
    ph_species_dipole(species, dipole);
    const char *kind = "point";
    if (species->degrees > 0)
        kind = ph_top_init(species->inertia, &top, NULL) == PH_OK ? ph_top_kind_name(top.kind) : "body";
    for (int k = 0; k < 3; ++k)
        ph_quat_rotate(back, axes[k], axis[k]);
    const double charge = ph_species_charge(species), size = ph_vec3_norm(dipole);
    ph_json_begin_object(json, NULL);
    ph_json_strings(json, "file", out, "name", species->name);
    ph_json_number(json, "mass", species->mass);
    ph_json_number(json, "charge", charge);
    ph_json_numbers(json, "dipole", 3, dipole);
    ph_json_numbers(json, "inertia", 3, species->inertia);
    ph_json_matrix(json, "axes", (const double(*)[3])axis);
    ph_json_string(json, "kind", kind);
    ph_json_string(json, "combining",
                   facts->format == PH_IMPORT_TABLE ? NULL
                   : facts->geometric               ? "geometric"
                                                    : "lorentz-berthelot");
    ph_json_say(json, "model '%s' in %s\n\n", species->name, out);
    ph_json_say(json, "  mass               %.10g\n  charge             %.10g%s\n", species->mass, charge,
                charge != 0.0 ? "  (not neutral)" : "");
    ph_json_say(json, "  dipole             %.6g (%.6g, %.6g, %.6g)", size, tidy(dipole[0], size),
                tidy(dipole[1], size), tidy(dipole[2], size));
    if (md)
        ph_json_say(json, " e nm = %.5g D", ph_debye_of_e_nm * size);
    const double most = largest(species->inertia);
    ph_json_say(json, "\n  principal moments  %.6g, %.6g, %.6g: %s\n", tidy(species->inertia[0], most),
                tidy(species->inertia[1], most), tidy(species->inertia[2], most), kind);
    for (int k = 0; k < 3 && species->degrees > 0; ++k)
        ph_json_say(json, "  axis %c             (%.6g, %.6g, %.6g) in the frame of the file\n", "xyz"[k],
                    tidy(axis[k][0], 1.0), tidy(axis[k][1], 1.0), tidy(axis[k][2], 1.0));
    ph_json_say(json, "\n  %-12s %14s %14s %14s %12s %12s %12s %12s\n", "site", "x", "y", "z", "mass", "charge",
                "sigma", "epsilon");
    ph_json_begin_array(json, "sites");
    for (size_t a = 0; a < species->n_sites; ++a) {
        const struct ph_site *site = &species->site[a];
        const bool radial = site->radial.kind != PH_RADIAL_NONE;
        const double sigma = radial ? ph_radial_size(&site->radial) : ph_angular_size(&site->angular);
        const double epsilon = radial ? ph_radial_depth(&site->radial) : ph_angular_depth(&site->angular);
        ph_json_begin_object(json, NULL);
        ph_json_string(json, "name", site->name);
        ph_json_numbers(json, "position", 3, site->position);
        ph_json_number(json, "mass", site->mass);
        ph_json_number(json, "charge", site->charge);
        ph_json_numbers(json, "dipole", 3, site->dipole);
        give_quadrupole(site, json);
        ph_json_number(json, "sigma", sigma);
        ph_json_number(json, "epsilon", epsilon);
        ph_json_end(json);
        ph_json_say(json, "  %-12s %14.9f %14.9f %14.9f %12.8g %12.8g %12.8g %12.8g\n", site->name, site->position[0],
                    site->position[1], site->position[2], site->mass, site->charge, sigma, epsilon);
        if (!ph_vec3_is_zero(site->dipole))
            ph_json_say(json, "  %-12s %14.9f %14.9f %14.9f\n", "  its dipole", site->dipole[0], site->dipole[1],
                        site->dipole[2]);
        show_quadrupole(site, md, json);
    }
    ph_json_end(json);
    if (facts->geometric)
        ph_json_say(json, "\nIts force field takes geometric means: interactions.combining: geometric.\n");
    show_pairs(species, facts, json);
    ph_json_end(json);
    if (!isnan(facts->fit))
        ph_json_say(json, "\nDistances of the coordinates differ from those of the topology by up to %.3g nm.\n",
                    facts->fit);
    ph_json_say(json, "\nNext: system.molecules: [{model: %s%s, count: ...}] in an input.\n",
                strchr(out, '/') ? "" : "./", out);
}

static enum ph_status import(const struct words *words, struct ph_error *err)
{
    char stem[512], default_out[600], source[1000], description[128];
    stem_of(words->import.file, sizeof stem, stem);
    snprintf(default_out, sizeof default_out, "%s.yaml", stem);
    const char *out = words->out ? words->out : default_out;
    if (!words->name)
        stem_of(out, sizeof stem, stem);
    const char *name = words->name ? words->name : stem;
    enum ph_status status = check_words(words, out, name, err);
    struct ph_species *species = calloc(2, sizeof *species); /* as imported, and as the model file has it */
    struct ph_input_model *model = calloc(1, sizeof *model);
    struct ph_import_facts facts;
    if (status == PH_OK && (!species || !model))
        status = ph_no_memory(err, "a model");
    if (status == PH_OK)
        status = ph_import_model(&words->import, &species[0], &facts, err);
    if (status == PH_OK) {
        snprintf(species[0].name, sizeof species[0].name, "%.31s", name); /* check_words saw to its length */
        struct ph_error inner = {.text = ""};
        status = ph_species_complete(&species[0], NULL, facts.has_inertia ? facts.inertia : NULL, &inner);
        if (status != PH_OK)
            ph_error_set(err, status, "%s: %.700s", words->import.file, inner.text);
    }
    if (status == PH_OK) {
        snprintf(description, sizeof description, "%.31s, from %s", facts.molecule[0] ? facts.molecule : name,
                 ph_import_format_name(facts.format));
        snprintf(source, sizeof source, "%s%simported from %.400s", facts.reference, facts.reference[0] ? "; " : "",
                 words->import.file);
        status = ph_model_write(&species[0], &facts, description, source, out, err) ? PH_OK : PH_ERR_IO;
    }
    /* Shows the model as read back from the file */
    if (status == PH_OK) {
        status = ph_model_read(out, NULL, model, err);
        if (status == PH_OK)
            status = ph_build_species(model, &species[1], err);
        if (status == PH_OK)
            show(&species[0], &species[1], &facts, out, &(struct ph_json){.out = stdout, .text = !words->json});
        else
            remove(out);
    }
    free(model);
    free(species);
    return status;
}

int ph_cmd_model(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = take_word,
        .args_doc = "import FILE",
        .doc =
            "Makes a model file from a GROMACS topology (.itp, .top), a molecule template or data of LAMMPS (.mol, "
            ".data), a potential model of ms2 (.pm), a component of ls1 mardyn (.xml), or a table of sites. Prints "
            "mass, charge, dipole, principal moments and axes of the molecule.\vA topology gives charges, masses, "
            "sigma and epsilon "
            "of its atom types, virtual sites, and for up to three atoms their distances ([ settles ], [ constraints "
            "], [ bonds ] with [ angles ]). A table has one site per line: name mass charge x y z sigma epsilon, "
            "separated by spaces or commas. A first line with these words may give another order. Files of ms2 and ls1 "
            "mardyn give Lennard-Jones sites, charges, point dipoles and point quadrupoles.\n\n"
            "  polhode model import spce.itp --forcefield forcefield.itp\n"
            "  polhode model import water.mol --forcefield in.water\n"
            "  polhode model import methane.csv -o methane.yaml\n"
            "  polhode model import ethylene-oxide.pm\n"
            "  polhode model import components.xml --units angstrom --molecule CO",
    };
    struct words words = {.verb = NULL};
    if (ph_cli_parse(&argp, argc, argv, &words))
        return PH_ERR_INPUT;
    struct ph_error err;
    const enum ph_status status = import(&words, &err);
    return status == PH_OK ? PH_OK : ph_cli_fail(argv[0], &err);
}
