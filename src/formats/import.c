/* SPDX-License-Identifier: MIT */
#include "formats/import.h"

#include "base/library.h"
#include "base/memory.h"
#include "formats/frame_text.h"
#include "formats/import_points.h"
#include "formats/topology.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool ends_with(const char *file, const char *ending)
{
    const size_t n = strlen(file), m = strlen(ending);
    return n > m && strcmp(file + n - m, ending) == 0;
}

static void set_radial(double epsilon, double sigma, struct ph_site *site)
{
    if (epsilon > 0.0 && sigma > 0.0)
        site->radial = (struct ph_radial){PH_RADIAL_MIE, epsilon, sigma, 12.0, 6.0};
}

/* --- topologies --- */

static const struct ph_topology_type *find_type(const struct ph_topology *topology, const char *name)
{
    for (size_t k = topology->n_types; k-- > 0;) /* the last definition counts */
        if (strcmp(topology->type[k].name, name) == 0)
            return &topology->type[k];
    return NULL;
}

static enum ph_status take_sites(const struct ph_topology *topology, struct ph_species *species, struct ph_error *err)
{
    species->n_sites = topology->n;
    for (size_t a = 0; a < topology->n; ++a) {
        const struct ph_topology_atom *atom = &topology->atom[a];
        const struct ph_topology_type *type = find_type(topology, atom->type);
        struct ph_site *site = &species->site[a];
        if (!type)
            return ph_error_set(err, PH_ERR_INPUT,
                                "%s:%zu: atom '%s' has the type '%s', which no [ atomtypes ] defines: %zu types were "
                                "read. Give the file that has it, often forcefield.itp: --forcefield FILE.itp.",
                                topology->file, atom->line, atom->name, atom->type, topology->n_types);
        *site = (struct ph_site){.charge = isnan(atom->charge) ? type->charge : atom->charge,
                                 .mass = isnan(atom->mass) ? type->mass : atom->mass};
        strcpy(site->name, atom->name);
        memcpy(site->position, atom->position, sizeof site->position);
        const bool powers = topology->rule == 1; /* C6, C12 */
        if (powers && type->v > 0.0 && type->w > 0.0)
            set_radial(type->v * type->v / (4.0 * type->w), ph_library_pow(type->w / type->v, 1.0 / 6.0), site);
        else if (powers ? type->v != 0.0 || type->w != 0.0 : type->v < 0.0 || type->w < 0.0)
            return ph_error_set(err, PH_ERR_INPUT,
                                "%s:%zu: type '%s' of atom '%s' has %s = %g and %s = %g: no Lennard-Jones sphere.",
                                type->origin.file, type->origin.line, atom->type, atom->name, powers ? "C6" : "sigma",
                                type->v, powers ? "C12" : "epsilon", type->w);
        else if (!powers)
            set_radial(type->w, type->v, site);
    }
    return PH_OK;
}

static enum ph_status import_topology(const struct ph_import *import, struct ph_topology *topology,
                                      struct ph_species *species, struct ph_import_facts *facts, struct ph_error *err)
{
    enum ph_status status = PH_OK;
    if (import->forcefield)
        status = ph_topology_read(import->forcefield, "", topology, err); /* no molecule of it is wanted */
    topology->found[0] = '\0';
    topology->n_found = 0;
    if (status == PH_OK)
        status = ph_topology_read(import->file, import->molecule, topology, err);
    if (status != PH_OK)
        return status;
    if (topology->n == 0 || (!import->molecule && topology->n_found > 1))
        return ph_error_set(err, PH_ERR_INPUT, "%s: %s%s%s. Molecules in it: %s%s", import->file,
                            topology->n_found == 0 ? "has no [ moleculetype ]"
                                                   : "has several molecules, or none with atoms",
                            import->molecule ? ", or not " : "", import->molecule ? import->molecule : "",
                            topology->n_found > 0 ? topology->found : "none",
                            topology->n_found > 0 ? ". Say which: --molecule NAME." : ".");
    if (topology->rule == 0 && topology->n_types > 0)
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s:%zu: [ atomtypes ] without [ defaults ], which says whether their parameters are sigma "
                            "and epsilon or C6 and C12. In GROMACS it is in the file forcefield.itp of the force "
                            "field: give --forcefield forcefield.itp.",
                            topology->type[0].origin.file, topology->type[0].origin.line);
    facts->geometric = topology->rule == 1 || topology->rule == 3;
    status = ph_topology_place(import->coordinates, topology, &facts->fit, err);
    if (status == PH_OK)
        status = take_sites(topology, species, err);
    if (status == PH_OK)
        status = ph_topology_pairs(topology, species, facts, err);
    strcpy(facts->molecule, topology->molecule);
    return status;
}

/* --- tables --- */

enum { NAME, MASS, CHARGE, X, Y, Z, SIGMA, EPSILON, N_COLUMNS };
static const char *const column_names[N_COLUMNS] = {"name", "mass", "charge", "x", "y", "z", "sigma", "epsilon"};

/* Column of each word of the first line; false if that is a site */
static bool read_columns(char *const *words, int n, int column[PH_TEXT_WORDS])
{
    double x;
    if (n < 2 || ph_text_number(words[1], &x))
        return false;
    for (int k = 0; k < n; ++k) {
        column[k] = -1;
        for (int c = 0; c < N_COLUMNS; ++c)
            if (strcmp(words[k], column_names[c]) == 0)
                column[k] = c;
    }
    return true;
}

static enum ph_status take_row(const char *file, size_t line, char *const *words, int n, const int *column,
                               struct ph_species *species, struct ph_error *err)
{
    double value[N_COLUMNS] = {0.0};
    const char *name = NULL;
    bool there[N_COLUMNS] = {false};
    for (int k = 0; k < n; ++k) {
        const int c = column[k];
        if (c < 0)
            return ph_error_set(err, PH_ERR_INPUT,
                                "%s:%zu: '%s' is in a column without a name that is known. Accepted: "
                                "name mass charge x y z sigma epsilon.",
                                file, line, words[k]);
        there[c] = true;
        if (c == NAME)
            name = words[k];
        else if (!ph_text_number(words[k], &value[c]))
            return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: %s is '%s'. Accepted: a number.", file, line,
                                column_names[c], words[k]);
    }
    if (!name || strlen(name) >= PH_NAME || !there[MASS] || !there[CHARGE] || !there[X] || !there[Y] || !there[Z] ||
        there[SIGMA] != there[EPSILON])
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s:%zu: a site needs name mass charge x y z, and perhaps sigma epsilon; found %d words.",
                            file, line, n);
    if (species->n_sites == PH_SITES_MAX)
        return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: a model has at most %d sites.", file, line, PH_SITES_MAX);
    struct ph_site *site = &species->site[species->n_sites++];
    *site = (struct ph_site){.position = {value[X], value[Y], value[Z]}, .mass = value[MASS], .charge = value[CHARGE]};
    strcpy(site->name, name);
    if (value[SIGMA] < 0.0 || value[EPSILON] < 0.0)
        return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: site '%s' has sigma = %g and epsilon = %g: 0 or more.", file,
                            line, name, value[SIGMA], value[EPSILON]);
    set_radial(value[EPSILON], value[SIGMA], site);
    return PH_OK;
}

static enum ph_status read_table(const char *file, struct ph_frame_text *text, struct ph_species *species,
                                 struct ph_error *err)
{
    int column[PH_TEXT_WORDS];
    for (int k = 0; k < PH_TEXT_WORDS; ++k)
        column[k] = k < N_COLUMNS ? k : -1;
    enum ph_status status = PH_OK;
    bool first = true;
    while (status == PH_OK && ph_text_next(text)) {
        char *words[PH_TEXT_WORDS];
        text->text[strcspn(text->text, "#")] = '\0';
        for (char *c = text->text; *c != '\0'; ++c)
            if (*c == ',' || *c == ';')
                *c = ' ';
        const int n = ph_text_split(text->text, words);
        if (n == 0)
            continue;
        if (!first || !read_columns(words, n, column))
            status = take_row(file, text->line, words, n, column, species, err);
        first = false;
    }
    status = ph_text_status(text, file, status, err);
    if (status == PH_OK && species->n_sites == 0)
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s: has no sites: one on each line, name mass charge x y z sigma epsilon; topologies of "
                            "GROMACS end in .itp or .top, files of ms2 in .pm, of ls1 mardyn in .xml.",
                            file);
    return status;
}

static enum ph_status import_table(const char *file, struct ph_species *species, struct ph_error *err)
{
    struct ph_frame_text *text;
    enum ph_status status = ph_text_open(file, &text, err);
    if (status == PH_OK)
        status = read_table(file, text, species, err);
    ph_text_close(text);
    return status;
}

static enum ph_status import_gromacs(const struct ph_import *import, struct ph_species *species,
                                     struct ph_import_facts *facts, struct ph_error *err)
{
    struct ph_topology *topology = ph_allocate(1, sizeof *topology);
    if (!topology)
        return ph_no_memory(err, "the contents of %s", import->file);
    const enum ph_status status = import_topology(import, topology, species, facts, err);
    free(topology->type);
    free(topology->pair);
    free(topology);
    return status;
}

static enum ph_status import_points(const struct ph_import *import, struct ph_species *species,
                                    struct ph_import_facts *facts, struct ph_error *err)
{
    struct ph_points *points = ph_allocate(1, sizeof *points);
    if (!points)
        return ph_no_memory(err, "the contents of %s", import->file);
    snprintf(points->file, sizeof points->file, "%.255s", import->file);
    enum ph_status status = facts->format == PH_IMPORT_MS2 ? ph_points_read_ms2(import, points, facts, err)
                                                           : ph_points_read_ls1(import, points, facts, err);
    if (status == PH_OK)
        status = ph_points_to_species(points, species, facts, err);
    free(points);
    return status;
}

static const struct {
    const char *name, *ending, *other_ending;
} formats[] = {[PH_IMPORT_TABLE] = {"a table", "", ""},
               [PH_IMPORT_GROMACS] = {"GROMACS", ".itp", ".top"},
               [PH_IMPORT_MS2] = {"ms2", ".pm", ".pm"},
               [PH_IMPORT_LS1] = {"ls1 mardyn", ".xml", ".xml"},
               [PH_IMPORT_LAMMPS] = {"LAMMPS", ".mol", ".data"}};

const char *ph_import_format_name(enum ph_import_format format) { return formats[format].name; }

static enum ph_status check_request(const struct ph_import *import, enum ph_import_format format, struct ph_error *err)
{
    const char *units = import->units;
    const bool fixed = format == PH_IMPORT_GROMACS || format == PH_IMPORT_MS2;
    if (units && fixed && strcmp(units, "md") != 0)
        return ph_error_set(err, PH_ERR_INPUT, "--units %s: files of %s have units of their own: leave it out.", units,
                            formats[format].name);
    if (units && format == PH_IMPORT_TABLE && strcmp(units, "md") != 0 && strcmp(units, "reduced") != 0)
        return ph_error_set(err, PH_ERR_INPUT, "--units %s: not accepted; md or reduced.", units);
    if ((format == PH_IMPORT_TABLE || format == PH_IMPORT_MS2) && import->molecule)
        return ph_error_set(err, PH_ERR_INPUT, "%s: --molecule %s: there is one molecule in %s.", import->file,
                            import->molecule, format == PH_IMPORT_MS2 ? "a file of ms2" : "a table");
    if (format != PH_IMPORT_GROMACS && ((import->forcefield && format != PH_IMPORT_LAMMPS) || import->coordinates))
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s: --coordinates belongs to files of GROMACS, and --forcefield to those and to LAMMPS.",
                            import->file);
    return PH_OK;
}

enum ph_status ph_import_model(const struct ph_import *import, struct ph_species *species,
                               struct ph_import_facts *facts, struct ph_error *err)
{
    *species = (struct ph_species){.n_sites = 0};
    *facts = (struct ph_import_facts){
        .units = import->units && strcmp(import->units, "reduced") == 0 ? "reduced" : "md", .fit = NAN};
    for (int k = PH_IMPORT_GROMACS; k <= PH_IMPORT_LAMMPS; ++k)
        if (ends_with(import->file, formats[k].ending) || ends_with(import->file, formats[k].other_ending))
            facts->format = (enum ph_import_format)k;
    const enum ph_status status = check_request(import, facts->format, err);
    if (status != PH_OK)
        return status;
    switch (facts->format) {
    case PH_IMPORT_TABLE: return import_table(import->file, species, err);
    case PH_IMPORT_LAMMPS: return ph_import_lammps(import, species, facts, err);
    case PH_IMPORT_GROMACS: return import_gromacs(import, species, facts, err);
    default: return import_points(import, species, facts, err);
    }
}
