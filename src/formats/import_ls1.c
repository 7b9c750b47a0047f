/* SPDX-License-Identifier: MIT */
/* Components of ls1 mardyn (.xml): <moleculetype> with <site type="LJ126|Charge|Dipole|Quadrupole">.
 *
 *   <site type="LJ126" name="O"> <coords> <x/> <y/> <z/> </coords> <mass/> <sigma/> <epsilon/> </site>
 *   <site type="Charge"> ... <charge/>
 *   <site type="Dipole"> ... <dipolemoment> <x/> <y/> <z/>, or <theta/> <phi/> in degrees; <abs/> </dipolemoment>
 *   <momentsofinertia> <Ixx/> <Iyy/> <Izz/> </momentsofinertia>
 *
 * Older files have <coord>, and <orientation> with <dipole> or <quadrupole>. Numbers are multiples of reference units.
 * A whole input (<mardyn>) has them in <refunits>, and may <include> the components of another file. Electric units
 * follow: 4 pi eps0 = 1. Reference: C. Niethammer et al., J. Chem. Theory Comput. 10 (2014) 4455; Site.h of its source.
 */
#include "base/vec3.h"
#include "formats/frame_text.h"
#include "formats/import_points.h"
#include "formats/xml.h"
#include "model/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Reference units that --units names: length in nm, mass in u, energy in kJ/mol; CODATA 2018 */
static const struct reference {
    const char *name;
    double length, mass, energy;
} references[] = {{"md", 1.0, 1.0, 1.0},
                  {"reduced", 1.0, 1.0, 1.0},
                  {"angstrom", 0.1, 1.0, 0.00831446261815324},
                  {"atomic", 0.0529177210903, 1000.0, 2625.4996394799}};
enum { REFERENCES = sizeof references / sizeof *references };

/* The units of <refunits> */
struct named_unit {
    const char *name;
    double size;
};
static const struct named_unit lengths[] = {{"nm", 1.0},  {"Angstrom", 0.1}, {"A", 0.1}, {"pm", 1e-3},
                                            {"fm", 1e-6}, {"m", 1e9},        {NULL, 0.0}};
static const struct named_unit masses[] = {{"u", 1.0}, {"g", 6.02214076208e23}, {"kg", 6.02214076208e26}, {NULL, 0.0}};
static const struct named_unit energies[] = {
    {"kJ/mol", 1.0}, {"K", 0.00831446261815324}, {"eV", 96.485332123}, {"J", 6.02214076e20}, {NULL, 0.0}};

static enum ph_status refuse(const char *file, const struct ph_xml_node *node, const char *what, struct ph_error *err)
{
    return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: <%.40s>: %s.", file, node->line, node->name, what);
}

/* --- numbers --- */

static enum ph_status read_number(const char *file, const struct ph_xml_node *node, double *number,
                                  struct ph_error *err)
{
    const char *unit = ph_xml_attribute(node, "unit");
    if (unit && strcmp(unit, "reduced") != 0)
        return refuse(file, node, "has a unit of its own. Accepted: unit=\"reduced\", or none", err);
    if (!ph_text_number(node->text, number))
        return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: <%.40s> is '%.40s'. Accepted: a number.", file, node->line,
                            node->name, node->text);
    return PH_OK;
}

/* The child's number. `fallback` is for a child that is not there; NaN: there must be one. */
static enum ph_status child_number(const char *file, const struct ph_xml_node *node, const char *name, double fallback,
                                   double *number, struct ph_error *err)
{
    const struct ph_xml_node *child = ph_xml_child(node, name);
    *number = fallback;
    if (child)
        return read_number(file, child, number, err);
    if (isnan(fallback))
        return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: <%.40s> has no <%s>.", file, node->line, node->name, name);
    return PH_OK;
}

static enum ph_status read_xyz(const char *file, const struct ph_xml_node *node, double x[3], struct ph_error *err)
{
    static const char *const names[] = {"x", "y", "z"};
    enum ph_status status = PH_OK;
    for (int k = 0; k < 3 && status == PH_OK; ++k)
        status = child_number(file, node, names[k], NAN, &x[k], err);
    return status;
}

/* --- sites --- */

/* Direction by two angles or three components; `size` is the length of the components */
static enum ph_status read_axis(const char *file, const struct ph_xml_node *node, double axis[3], double *size,
                                struct ph_error *err)
{
    double theta, phi;
    if (ph_xml_child(node, "theta") || ph_xml_child(node, "phi")) {
        enum ph_status status = child_number(file, node, "theta", NAN, &theta, err);
        if (status == PH_OK)
            status = child_number(file, node, "phi", NAN, &phi, err);
        if (status == PH_OK)
            ph_point_axis(theta, phi, axis);
        *size = NAN;
        return status;
    }
    const enum ph_status status = read_xyz(file, node, axis, err);
    if (status != PH_OK)
        return status;
    *size = ph_vec3_norm(axis);
    if (!(*size > 0.0 && isfinite(*size)))
        return refuse(file, node, "the direction is zero", err);
    for (int k = 0; k < 3; ++k)
        axis[k] /= *size;
    return PH_OK;
}

static enum ph_status read_moment(const char *file, const struct ph_xml_node *site, const char *name,
                                  const char *old_name, struct ph_point *point, struct ph_error *err)
{
    const struct ph_xml_node *moment = ph_xml_child(site, name), *old = ph_xml_child(site, "orientation");
    double size;
    if (!moment && old) { /* the direction and the strength beside each other */
        const enum ph_status status = read_axis(file, old, point->axis, &size, err);
        return status == PH_OK ? child_number(file, site, old_name, NAN, &point->strength, err) : status;
    }
    if (!moment)
        return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: the %s site has no <%s>.", file, site->line,
                            ph_point_kind_name(point->kind), name);
    const struct ph_xml_node *inner = ph_xml_child(moment, "orientation");
    const enum ph_status status = read_axis(file, inner ? inner : moment, point->axis, &size, err);
    return status == PH_OK ? child_number(file, moment, "abs", size, &point->strength, err) : status;
}

static enum ph_status read_strength(const char *file, const struct ph_xml_node *node, struct ph_point *point,
                                    struct ph_error *err)
{
    switch (point->kind) {
    case PH_POINT_CHARGE: return child_number(file, node, "charge", NAN, &point->strength, err);
    case PH_POINT_DIPOLE: return read_moment(file, node, "dipolemoment", "dipole", point, err);
    case PH_POINT_QUADRUPOLE: return read_moment(file, node, "quadrupolemoment", "quadrupole", point, err);
    default: break;
    }
    const enum ph_status status = child_number(file, node, "epsilon", NAN, &point->strength, err);
    return status == PH_OK ? child_number(file, node, "sigma", NAN, &point->sigma, err) : status;
}

static enum ph_status read_site(const char *file, const struct ph_xml_node *node, struct ph_points *points,
                                struct ph_error *err)
{
    static const char *const types[PH_POINT_KINDS] = {"LJ126", "Charge", "Dipole", "Quadrupole"};
    const char *type = ph_xml_attribute(node, "type"), *name = ph_xml_attribute(node, "name");
    int kind = 0;
    while (kind < PH_POINT_KINDS && strcmp(type ? type : "", types[kind]) != 0)
        ++kind;
    if (kind == PH_POINT_KINDS)
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s:%zu: <site> has the type '%.40s'. Accepted: LJ126, Charge, Dipole, Quadrupole.", file,
                            node->line, type ? type : "");
    const struct ph_xml_node *coords = ph_xml_child(node, "coords");
    if (!coords)
        coords = ph_xml_child(node, "coord");
    if (!coords)
        return refuse(file, node, "has no <coords>", err);
    struct ph_point *point = ph_points_add((enum ph_point_kind)kind, node->line, points, err);
    if (!point)
        return PH_ERR_INPUT;
    if (name && strlen(name) < PH_NAME - 8)
        strcpy(point->name, name);
    enum ph_status status = read_xyz(file, coords, point->position, err);
    if (status == PH_OK)
        status = child_number(file, node, "mass", 0.0, &point->mass, err);
    return status == PH_OK ? read_strength(file, node, point, err) : status;
}

static enum ph_status read_molecule(const char *file, const struct ph_xml_node *molecule, struct ph_points *points,
                                    struct ph_error *err)
{
    static const char *const names[] = {"Ixx", "Iyy", "Izz"};
    enum ph_status status = PH_OK;
    for (const struct ph_xml_node *node = molecule->child; node && status == PH_OK; node = node->next)
        if (strcmp(node->name, "site") == 0)
            status = read_site(file, node, points, err);
    const struct ph_xml_node *moments = ph_xml_child(molecule, "momentsofinertia");
    points->has_inertia = moments != NULL;
    points->centred = true; /* ls1 mardyn takes the frame of the file as it is */
    for (int k = 0; k < 3 && moments && status == PH_OK; ++k)
        status = child_number(file, moments, names[k], 0.0, &points->inertia[k], err);
    return status;
}

/* --- units --- */

static enum ph_status read_reference(const char *file, const struct ph_xml_node *node, const char *name,
                                     const struct named_unit *units, double *size, struct ph_error *err)
{
    const struct ph_xml_node *child = ph_xml_child(node, name);
    if (!child)
        return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: <refunits> has no <%s>.", file, node->line, name);
    const char *unit = ph_xml_attribute(child, "unit");
    if (!ph_text_number(child->text, size) || !(*size > 0.0))
        return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: <%s> is '%.40s'. Accepted: a number above 0.", file,
                            child->line, name, child->text);
    char accepted[64] = "";
    for (const struct named_unit *u = units; u->name; ++u) {
        if (unit && strcmp(unit, u->name) == 0) {
            *size *= u->size;
            return PH_OK;
        }
        snprintf(accepted + strlen(accepted), sizeof accepted - strlen(accepted), " %s", u->name);
    }
    return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: <%s> has the unit '%.40s'. Accepted:%s.", file, child->line, name,
                        unit ? unit : "", accepted);
}

static enum ph_status find_units(const struct ph_import *import, const struct ph_xml *xml, struct ph_points *points,
                                 struct ph_import_facts *facts, struct ph_error *err)
{
    const struct ph_xml_node *refunits = ph_xml_child(&xml->node[0], "refunits");
    struct reference unit = {NULL, 1.0, 1.0, 1.0};
    enum ph_status status = PH_OK;
    if (refunits && import->units)
        return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: the file has <refunits>: leave out --units %s.", import->file,
                            refunits->line, import->units);
    if (refunits) {
        status = read_reference(import->file, refunits, "length", lengths, &unit.length, err);
        if (status == PH_OK)
            status = read_reference(import->file, refunits, "mass", masses, &unit.mass, err);
        if (status == PH_OK)
            status = read_reference(import->file, refunits, "energy", energies, &unit.energy, err);
    }
    for (size_t k = 0; k < REFERENCES && import->units; ++k)
        if (strcmp(import->units, references[k].name) == 0)
            unit = references[k];
    if (!refunits && !unit.name)
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s: does not say its units, because it has no <refunits>%s%s. Accepted: --units angstrom "
                            "(Angstrom, u, K: files of MolMod), atomic (bohr, 1000 u, hartree: many examples of ls1 "
                            "mardyn), md (nm, u, kJ/mol) or reduced; or the input of ls1 mardyn that includes it.",
                            import->file, import->units ? "; not accepted: --units " : "",
                            import->units ? import->units : "");
    facts->units = import->units && strcmp(import->units, "reduced") == 0 ? "reduced" : "md";
    const double coulomb = ph_units_find(facts->units)->coulomb, charge = sqrt(unit.energy * unit.length / coulomb);
    points->unit = (struct ph_point_units){.length = unit.length,
                                           .energy = unit.energy,
                                           .mass = unit.mass,
                                           .charge = charge,
                                           .dipole = charge * unit.length,
                                           .quadrupole = charge * unit.length * unit.length};
    return status;
}

/* --- the molecule among several --- */

struct search {
    const char *wanted; /* NULL: there is one */
    const struct ph_xml_node *found;
    size_t count;
    char names[512];
};

static void look_at(const struct ph_xml_node *molecule, struct search *search)
{
    const char *name = ph_xml_attribute(molecule, "name"), *id = ph_xml_attribute(molecule, "id");
    const size_t used = strlen(search->names);
    snprintf(search->names + used, sizeof search->names - used, "%s%.40s", used ? ", " : "",
             name ? name : (id ? id : "?"));
    ++search->count;
    if (!search->found &&
        (!search->wanted || (name && strcmp(name, search->wanted) == 0) || (id && strcmp(id, search->wanted) == 0)))
        search->found = molecule;
}

/* Nodes are in the order of the file, children behind their parents: a loop sees the whole tree. */
static void find_molecules(const struct ph_xml *xml, struct search *search)
{
    for (size_t k = 0; k < xml->n_nodes; ++k)
        if (strcmp(xml->node[k].name, "moleculetype") == 0)
            look_at(&xml->node[k], search);
}

static const struct ph_xml_node *find_include(const struct ph_xml *xml)
{
    for (size_t k = 0; k < xml->n_nodes; ++k) {
        const struct ph_xml_node *node = &xml->node[k];
        if (strcmp(node->name, "include") == 0 && node->parent && strcmp(node->parent->name, "components") == 0)
            return node;
    }
    return NULL;
}

static enum ph_status choose(const char *file, const struct search *search, struct ph_error *err)
{
    if (search->found && (search->wanted || search->count == 1))
        return PH_OK;
    if (search->count == 0)
        return ph_error_set(err, PH_ERR_INPUT, "%s: has no <moleculetype>: it is no component of ls1 mardyn.", file);
    return ph_error_set(err, PH_ERR_INPUT, "%s: has %zu molecules%s%s: %s. Say which: --molecule NAME.", file,
                        search->count, search->wanted ? ", none named " : "", search->wanted ? search->wanted : "",
                        search->names);
}

static enum ph_status read_found(const struct search *search, const char *file, struct ph_points *points,
                                 struct ph_import_facts *facts, struct ph_error *err)
{
    const char *name = ph_xml_attribute(search->found, "name");
    snprintf(points->file, sizeof points->file, "%.255s", file);
    snprintf(facts->molecule, sizeof facts->molecule, "%.31s", name ? name : "");
    return read_molecule(points->file, search->found, points, err);
}

/* The components of a file beside the input */
static enum ph_status read_included(const char *input, const struct ph_xml_node *include, struct search *search,
                                    struct ph_points *points, struct ph_import_facts *facts, struct ph_error *err)
{
    char file[512];
    const char *slash = strrchr(input, '/');
    const int folder = slash && include->text[0] != '/' ? (int)(slash - input) + 1 : 0;
    if (snprintf(file, sizeof file, "%.*s%s", folder, input, include->text) >= (int)sizeof file)
        return refuse(input, include, "the name of the file is too long", err);
    struct ph_xml xml;
    struct ph_error inner = {.text = ""};
    enum ph_status status = ph_xml_read(file, &xml, &inner);
    if (status != PH_OK)
        ph_error_set(err, status, "%s:%zu: <include>: %.700s", input, include->line, inner.text);
    if (status == PH_OK) {
        find_molecules(&xml, search);
        status = choose(file, search, err);
    }
    if (status == PH_OK)
        status = read_found(search, file, points, facts, err);
    ph_xml_free(&xml);
    return status;
}

enum ph_status ph_points_read_ls1(const struct ph_import *import, struct ph_points *points,
                                  struct ph_import_facts *facts, struct ph_error *err)
{
    struct ph_xml xml;
    struct search search = {.wanted = import->molecule};
    enum ph_status status = ph_xml_read(import->file, &xml, err);
    if (status == PH_OK)
        status = find_units(import, &xml, points, facts, err);
    if (status == PH_OK) {
        find_molecules(&xml, &search);
        const struct ph_xml_node *include = search.count == 0 ? find_include(&xml) : NULL;
        if (include) {
            status = read_included(import->file, include, &search, points, facts, err);
        } else {
            status = choose(import->file, &search, err);
            if (status == PH_OK)
                status = read_found(&search, import->file, points, facts, err);
        }
    }
    ph_xml_free(&xml);
    return status;
}
