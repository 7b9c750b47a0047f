/* SPDX-License-Identifier: MIT */
/* Molecules of LAMMPS: from a template (the file of the command `molecule`), or from a data file.
 *
 * Template: a header with "N atoms", and the sections
 *   Coords   number x y z;   Types   number type;   Charges   number q;   Masses   number mass
 * Data: a molecule of the section Atoms, and the sections
 *   Masses   type mass;   Pair Coeffs   type epsilon sigma;   PairIJ Coeffs   type type epsilon sigma
 * The force field may be in another file, which is data, or a script with these commands:
 *   mass type m;   pair_style lj/cut...;   pair_coeff type type epsilon sigma;   pair_modify mix arithmetic
 * Other sections and commands are skipped. Sites are named by their types, as starts from LAMMPS data have them. */
#include "base/memory.h"
#include "formats/frame_text.h"
#include "formats/import.h"
#include "model/box.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TYPES = 64, PAIRS = TYPES };

/* What 1 is in nm, kJ/mol */
static const struct units {
    const char *name;
    double length, energy;
} systems[] = {{"real", 0.1, 4.184}, {"metal", 0.1, 96.48533212331}, {"lj", 1.0, 1.0}};
enum { N_SYSTEMS = sizeof systems / sizeof *systems };

struct atom_type {
    char name[PH_NAME];
    double mass, epsilon, sigma; /* NaN: not said */
};

struct pair {
    char type[2][PH_NAME];
    double epsilon, sigma;
    size_t line;
    char file[256];
};

struct reader {
    const struct units *units; /* NULL: not said yet */
    size_t n_types, n_pairs;
    struct atom_type type[TYPES];
    struct pair pair[PAIRS];
    bool arithmetic, template;
    double count; /* atoms of the header; -1: not said */
    struct {
        char type[PH_NAME];
        double position[3], charge, mass; /* NaN: not said */
    } atom[PH_SITES_MAX];
    size_t n; /* of a template */

    const char *file;
    struct ph_frame_text *text;
    char section[32];
    struct ph_error *err;
};

static enum ph_status wrong(const struct reader *reader, const char *expected)
{
    return ph_error_set(reader->err, PH_ERR_INPUT, "%s:%zu: expected %s.", reader->file, reader->text->line, expected);
}

static enum ph_status choose_units(struct reader *reader, const char *name, size_t length)
{
    for (size_t k = 0; k < N_SYSTEMS; ++k)
        if (strlen(systems[k].name) == length && strncmp(systems[k].name, name, length) == 0) {
            reader->units = &systems[k];
            return PH_OK;
        }
    return ph_error_set(reader->err, PH_ERR_INPUT, "%s: units %.*s are not known here. Accepted: real, metal, lj.",
                        reader->file, (int)length, name);
}

static struct atom_type *type_named(struct reader *reader, const char *name)
{
    for (size_t k = 0; k < reader->n_types; ++k)
        if (strcmp(reader->type[k].name, name) == 0)
            return &reader->type[k];
    if (reader->n_types == TYPES || strlen(name) >= PH_NAME)
        return NULL;
    struct atom_type *type = &reader->type[reader->n_types++];
    *type = (struct atom_type){.mass = NAN, .epsilon = NAN, .sigma = NAN};
    strcpy(type->name, name);
    return type;
}

static enum ph_status take_pair(struct reader *reader, const char *a, const char *b, const char *epsilon,
                                const char *sigma)
{
    double e, s;
    struct atom_type *type = strcmp(a, b) == 0 ? type_named(reader, a) : NULL;
    if (!ph_text_number(epsilon, &e) || !ph_text_number(sigma, &s) || e < 0.0 || s < 0.0 || strlen(a) >= PH_NAME ||
        strlen(b) >= PH_NAME || strpbrk(a, "*") || strpbrk(b, "*"))
        return wrong(reader, "two types without wildcards, and epsilon and sigma, 0 or more");
    if (!type && strcmp(a, b) == 0)
        return wrong(reader, "fewer types");
    if (type) {
        type->epsilon = e;
        type->sigma = s;
        return PH_OK;
    }
    if (reader->n_pairs == PAIRS)
        return wrong(reader, "fewer pairs of types");
    struct pair *pair = &reader->pair[reader->n_pairs++];
    *pair = (struct pair){.epsilon = e, .sigma = s, .line = reader->text->line};
    snprintf(pair->type[0], PH_NAME, "%s", a);
    snprintf(pair->type[1], PH_NAME, "%s", b);
    snprintf(pair->file, sizeof pair->file, "%.255s", reader->file);
    return PH_OK;
}

/* "lj/cut/coul/long" and others whose coefficients are epsilon and sigma */
static enum ph_status check_style(const struct reader *reader, const char *style)
{
    return strncmp(style, "lj/cut", 6) == 0 || strncmp(style, "lj/long", 7) == 0 || style[0] == '\0'
               ? PH_OK
               : wrong(reader, "a pair style lj/cut... or lj/long..., whose coefficients are epsilon and sigma");
}

/* A line of a template about one atom: its number from 1, in order */
static enum ph_status take_atom(struct reader *reader, char *const *words, int n)
{
    double index, x[3];
    const char what = reader->section[0]; /* Coords, Types, Charges, Masses */
    const int wanted = what == 'C' && reader->section[1] == 'o' ? 3 : 1;
    bool good = n > wanted && ph_text_number(words[0], &index) && index >= 1.0 && index <= PH_SITES_MAX &&
                index == floor(index);
    for (int k = 0; k < wanted && good && what != 'T'; ++k)
        good = ph_text_number(words[k + 1], &x[k]);
    if (!good || strlen(words[1]) >= PH_NAME)
        return wrong(reader, wanted == 3 ? "the number of an atom, from 1 to 32, and three coordinates"
                                         : "the number of an atom, from 1 to 32, and its type, charge or mass");
    const size_t a = (size_t)index - 1;
    if (wanted == 3) {
        memcpy(reader->atom[a].position, x, sizeof x);
        ++reader->n;
    } else if (what == 'T') {
        strcpy(reader->atom[a].type, words[1]);
    } else {
        *(what == 'C' ? &reader->atom[a].charge : &reader->atom[a].mass) = x[0];
    }
    return PH_OK;
}

static enum ph_status take_mass(struct reader *reader, const char *name, const char *number)
{
    struct atom_type *type = type_named(reader, name);
    if (!type || !ph_text_number(number, &type->mass) || type->mass < 0.0)
        return wrong(reader, "a type and its mass");
    return PH_OK;
}

static enum ph_status take_line(struct reader *reader, char *const *words, int n)
{
    const char *section = reader->section;
    const bool atoms = strcmp(section, "Coords") == 0 || strcmp(section, "Types") == 0 ||
                       strcmp(section, "Charges") == 0 || (reader->template && strcmp(section, "Masses") == 0);
    if (n == 2 && strcmp(words[1], "atoms") == 0 && section[0] == '\0')
        return ph_text_number(words[0], &reader->count) ? PH_OK : wrong(reader, "the number of atoms");
    if (atoms)
        return take_atom(reader, words, n);
    if (strcmp(section, "Masses") == 0)
        return n == 2 ? take_mass(reader, words[0], words[1]) : wrong(reader, "a type and its mass");
    if (strcmp(section, "Pair") == 0)
        return n > 2 ? take_pair(reader, words[0], words[0], words[1], words[2])
                     : wrong(reader, "a type, epsilon and sigma");
    if (strcmp(section, "PairIJ") == 0)
        return n > 3 ? take_pair(reader, words[0], words[1], words[2], words[3])
                     : wrong(reader, "two types, epsilon and sigma");
    return PH_OK;
}

/* A line that begins with a letter: a section, or a command of a script */
static enum ph_status take_word(struct reader *reader, char *const *words, int n, const char *comment)
{
    if (strcmp(words[0], "units") == 0 && n > 1)
        return reader->units ? PH_OK : choose_units(reader, words[1], strlen(words[1]));
    if (strcmp(words[0], "mass") == 0 && n > 2)
        return take_mass(reader, words[1], words[2]);
    if (strcmp(words[0], "pair_style") == 0 && n > 1)
        return check_style(reader, words[1]);
    if (strcmp(words[0], "pair_coeff") == 0)
        return n > 4 ? take_pair(reader, words[1], words[2], words[3], words[4])
                     : wrong(reader, "pair_coeff with two types, epsilon and sigma");
    if (strcmp(words[0], "pair_modify") == 0) {
        for (int k = 1; k + 1 < n; ++k)
            reader->arithmetic =
                reader->arithmetic || (strcmp(words[k], "mix") == 0 && strcmp(words[k + 1], "arithmetic") == 0);
        return PH_OK;
    }
    if (!isupper((unsigned char)words[0][0]))
        return PH_OK; /* another command */
    snprintf(reader->section, sizeof reader->section, "%.31s", words[0]);
    reader->template = reader->template || strcmp(words[0], "Coords") == 0;
    return strncmp(words[0], "Pair", 4) == 0 ? check_style(reader, comment) : PH_OK;
}

/* A row of a section may begin with a type that is a word. */
static bool is_row(const struct reader *reader, char *const *words, int n)
{
    double number;
    return reader->section[0] != '\0' && n > 1 && ph_text_number(words[1], &number);
}

/* Does a line of the file begin with this? Masses of a template may stand before its section Coords; a script has no
 * title. */
static bool has_line(struct ph_frame_text *text, const char *begin)
{
    bool found = false;
    while (ph_text_next(text))
        found = found || strncmp(text->text, begin, strlen(begin)) == 0;
    rewind(text->stream);
    text->line = 0;
    return found;
}

static enum ph_status read_lines(struct reader *reader, const char *file)
{
    enum ph_status status = ph_text_open(file, &reader->text, reader->err);
    if (status != PH_OK)
        return status;
    reader->file = file;
    reader->section[0] = '\0';
    reader->template = has_line(reader->text, "Coords");
    const bool script = has_line(reader->text, "pair_");
    const char *named;
    bool first = true;
    while (status == PH_OK && ph_text_next(reader->text)) {
        char *words[PH_TEXT_WORDS], comment[64] = "", *line = reader->text->text, *hash = strchr(line, '#');
        if (first && !reader->units && (named = strstr(line, "units = ")))
            status = choose_units(reader, named + 8, strcspn(named + 8, " ,\t"));
        if (first && !script)
            line[0] = '\0'; /* the title */
        first = false;
        if (hash && line[0] != '\0')
            ph_text_columns(hash + 1, 0, strlen(hash + 1), comment, sizeof comment);
        line[strcspn(line, "#")] = '\0';
        const int n = ph_text_split(line, words);
        if (status == PH_OK && n > 0)
            status = isalpha((unsigned char)words[0][0]) && !is_row(reader, words, n)
                         ? take_word(reader, words, n, comment)
                         : take_line(reader, words, n);
    }
    status = ph_text_status(reader->text, file, status, reader->err);
    ph_text_close(reader->text);
    return status;
}

/* The atoms of a molecule of a data file, made whole */
static enum ph_status take_molecule(const struct ph_import *import, const struct ph_frame *frame, struct reader *reader)
{
    double wanted = 1.0;
    if (import->molecule && !(ph_text_number(import->molecule, &wanted) && wanted >= 1.0 && wanted == floor(wanted)))
        return ph_error_set(reader->err, PH_ERR_INPUT, "--molecule %s: a molecule of LAMMPS data has a number, from 1.",
                            import->molecule);
    struct ph_box box = ph_box_open();
    enum ph_status status = PH_OK;
    size_t first = 0;
    if (frame->periodic)
        status = ph_box_init_periodic((const double(*)[3])frame->edge, &box, reader->err);
    for (size_t i = 0; i < frame->n && status == PH_OK; ++i) {
        if (frame->molecule && (double)frame->molecule[i] != wanted - 1.0)
            continue;
        if (reader->n == PH_SITES_MAX)
            return ph_error_set(reader->err, PH_ERR_INPUT,
                                "%s: molecule %g has more than %d atoms; a model has at most so many sites.%s",
                                import->file, wanted, PH_SITES_MAX,
                                frame->molecule ? "" : " The atom style has no molecules.");
        first = reader->n == 0 ? i : first;
        double *place = reader->atom[reader->n].position; /* relative to the first atom */
        for (int k = 0; k < 3; ++k)
            place[k] = frame->position[i][k] - frame->position[first][k];
        ph_box_minimum_image(&box, place);
        reader->atom[reader->n].charge = frame->charge ? frame->charge[i] : NAN;
        strcpy(reader->atom[reader->n++].type, frame->name[i]);
    }
    if (status == PH_OK && reader->n == 0)
        status = ph_error_set(reader->err, PH_ERR_INPUT, "%s: has no molecule %g.", import->file, wanted);
    return status;
}

static enum ph_status read_molecule(const struct ph_import *import, struct reader *reader)
{
    const struct ph_frame_request request = {.format = "lammps", .atom_style = "", .units = reader->units->name};
    struct ph_frame frame;
    enum ph_status status = ph_frame_read_text(import->file, &request, &frame, reader->err);
    if (status == PH_OK)
        status = take_molecule(import, &frame, reader);
    ph_frame_free(&frame);
    return status;
}

static enum ph_status take_site(const struct ph_import *import, const struct reader *reader, size_t a,
                                struct ph_site *site)
{
    const double mass = reader->atom[a].mass, charge = reader->atom[a].charge;
    const char *name = reader->atom[a].type;
    const struct atom_type *type = NULL;
    for (size_t k = 0; k < reader->n_types; ++k)
        if (strcmp(reader->type[k].name, name) == 0)
            type = &reader->type[k];
    const double of_type = type ? type->mass : NAN;
    if (name[0] == '\0' || (isnan(mass) && isnan(of_type)))
        return ph_error_set(reader->err, PH_ERR_INPUT,
                            "%s: atom %zu has no %s. Give the file that has it, data or a script of LAMMPS: "
                            "--forcefield FILE.",
                            import->file, a + 1, name[0] == '\0' ? "type" : "mass");
    if (!type || isnan(type->epsilon))
        return ph_error_set(reader->err, PH_ERR_INPUT,
                            "%s: type %s of atom %zu has no Pair Coeffs, and no pair_coeff. Give the file that has "
                            "them, data or a script of LAMMPS: --forcefield FILE.",
                            import->file, name, a + 1);
    *site = (struct ph_site){.mass = isnan(mass) ? of_type : mass, .charge = isnan(charge) ? 0.0 : charge};
    strcpy(site->name, name);
    for (int k = 0; k < 3; ++k)
        site->position[k] = reader->units->length * reader->atom[a].position[k];
    if (type->epsilon > 0.0 && type->sigma > 0.0)
        site->radial = (struct ph_radial){PH_RADIAL_MIE, reader->units->energy * type->epsilon,
                                          reader->units->length * type->sigma, 12.0, 6.0};
    return PH_OK;
}

static void take_pairs(const struct reader *reader, const struct ph_species *species, struct ph_import_facts *facts)
{
    for (size_t k = 0; k < reader->n_pairs; ++k) {
        const struct pair *pair = &reader->pair[k];
        struct ph_import_pair found = {.line = pair->line,
                                       .sigma = reader->units->length * pair->sigma,
                                       .epsilon = reader->units->energy * pair->epsilon};
        bool there[2] = {false, false};
        for (size_t a = species->n_sites; a-- > 0;)
            for (int side = 0; side < 2; ++side)
                if (strcmp(species->site[a].name, pair->type[side]) == 0) {
                    found.site[side] = a;
                    there[side] = true;
                }
        memcpy(found.file, pair->file, sizeof found.file);
        if (there[0] && there[1] && facts->n_pairs < PH_IMPORT_PAIRS)
            facts->pair[facts->n_pairs++] = found;
    }
}

enum ph_status ph_import_lammps(const struct ph_import *import, struct ph_species *species,
                                struct ph_import_facts *facts, struct ph_error *err)
{
    struct reader *reader = ph_allocate(1, sizeof *reader);
    if (!reader)
        return ph_no_memory(err, "the contents of %s", import->file);
    *reader = (struct reader){.err = err, .file = import->file, .count = -1.0};
    for (size_t a = 0; a < PH_SITES_MAX; ++a)
        reader->atom[a].charge = reader->atom[a].mass = NAN;
    enum ph_status status = PH_OK;
    if (import->units)
        status = choose_units(reader, import->units, strlen(import->units));
    if (status == PH_OK && import->forcefield)
        status = read_lines(reader, import->forcefield);
    if (status == PH_OK)
        status = read_lines(reader, import->file);
    if (status == PH_OK && !reader->units)
        status =
            ph_error_set(err, PH_ERR_INPUT, "%s: does not say its units: --units real, metal or lj.", import->file);
    if (status == PH_OK && reader->template && (double)reader->n != reader->count)
        status = ph_error_set(err, PH_ERR_INPUT, "%s: the header promises %g atoms, and Coords has %zu.", import->file,
                              fmax(reader->count, 0.0), reader->n);
    if (status == PH_OK && !reader->template)
        status = read_molecule(import, reader);
    species->n_sites = reader->n;
    for (size_t a = 0; a < reader->n && status == PH_OK; ++a)
        status = take_site(import, reader, a, &species->site[a]);
    if (status == PH_OK) {
        take_pairs(reader, species, facts);
        facts->geometric = !reader->arithmetic;
        facts->units = strcmp(reader->units->name, "lj") == 0 ? "reduced" : "md";
    }
    free(reader);
    return status;
}
