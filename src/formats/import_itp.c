/* SPDX-License-Identifier: MIT */
/* GROMACS topologies: import.h lists the sections that are read. */
#include "base/memory.h"
#include "formats/frame_text.h"
#include "formats/topology.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 12, NESTED = 16, LIBRARY_PATH = 512 };

struct reader {
    const char *molecule; /* wanted; NULL: any */
    struct ph_topology *topology;
    struct ph_error *err;
    char section[PH_NAME];
    bool inside; /* of the molecule that is wanted */
    int depth;
};

/* One file that is being read */
struct source {
    const char *file;
    struct ph_frame_text text;
    bool skip[NESTED]; /* by #ifdef and the like, from the outermost */
    size_t nested;
};

static enum ph_status wrong(const struct reader *reader, const struct source *source, const char *needed)
{
    return ph_error_set(reader->err, PH_ERR_INPUT, "%s:%zu: [ %s ] needs %s.", source->file, source->text.line,
                        reader->section, needed);
}

/* The index of an atom of the molecule from its number */
static bool atom_index(const struct reader *reader, const char *word, size_t *index)
{
    double x;
    if (!ph_text_number(word, &x) || !(x >= 1.0 && x <= (double)reader->topology->n) || x != floor(x))
        return false;
    *index = (size_t)x - 1;
    return true;
}

static struct ph_topology_origin here(const struct source *source)
{
    struct ph_topology_origin origin = {.line = source->text.line};
    snprintf(origin.file, sizeof origin.file, "%s", source->file);
    return origin;
}

/* name ... mass charge ptype V W: the words between the name and the mass differ */
static enum ph_status take_type(struct reader *reader, const struct source *source, char *const *words, int n)
{
    struct ph_topology *topology = reader->topology;
    struct ph_topology_type type = {.origin = here(source)};
    int p = 3;
    while (p + 2 < n && !(strlen(words[p]) == 1 && strchr("ASVDasvd", words[p][0])))
        ++p;
    if (p + 2 >= n || strlen(words[0]) >= PH_NAME || !ph_text_number(words[p - 2], &type.mass) ||
        !ph_text_number(words[p - 1], &type.charge) || !ph_text_number(words[p + 1], &type.v) ||
        !ph_text_number(words[p + 2], &type.w))
        return wrong(reader, source, "name, mass, charge, a particle type A, S, V or D, and two parameters");
    strcpy(type.name, words[0]);
    topology->type = ph_text_grow(topology->type, topology->n_types, sizeof *topology->type);
    if (!topology->type) {
        topology->n_types = 0;
        return ph_no_memory(reader->err, "the atom types of %s", source->file);
    }
    topology->type[topology->n_types++] = type;
    return PH_OK;
}

static enum ph_status take_pair(struct reader *reader, const struct source *source, char *const *words, int n)
{
    struct ph_topology *topology = reader->topology;
    struct ph_topology_pair pair = {.origin = here(source)};
    double function;
    if (n < 5 || strlen(words[0]) >= PH_NAME || strlen(words[1]) >= PH_NAME || !ph_text_number(words[2], &function) ||
        function != 1.0 || !ph_text_number(words[3], &pair.v) || !ph_text_number(words[4], &pair.w))
        return wrong(reader, source, "two types, funct 1 (Lennard-Jones) and two parameters");
    strcpy(pair.type[0], words[0]);
    strcpy(pair.type[1], words[1]);
    topology->pair = ph_text_grow(topology->pair, topology->n_pairs, sizeof *topology->pair);
    if (!topology->pair) {
        topology->n_pairs = 0;
        return ph_no_memory(reader->err, "the pairs of types of %s", source->file);
    }
    topology->pair[topology->n_pairs++] = pair;
    return PH_OK;
}

static enum ph_status take_defaults(struct reader *reader, const struct source *source, char *const *words, int n)
{
    double function, rule;
    if (n < 2 || !ph_text_number(words[0], &function) || !ph_text_number(words[1], &rule) || function != 1.0 ||
        !(rule == 1.0 || rule == 2.0 || rule == 3.0))
        return wrong(reader, source, "nbfunc 1 (Lennard-Jones) and comb-rule 1, 2 or 3");
    reader->topology->rule = (int)rule;
    return PH_OK;
}

static enum ph_status take_molecule(struct reader *reader, const struct source *source, char *const *words, int n)
{
    struct ph_topology *topology = reader->topology;
    if (n < 1 || strlen(words[0]) >= PH_NAME)
        return wrong(reader, source, "a name shorter than 32 letters");
    const size_t used = strlen(topology->found);
    snprintf(topology->found + used, sizeof topology->found - used, "%s%s", used > 0 ? ", " : "", words[0]);
    ++topology->n_found;
    reader->inside = topology->n == 0 && (!reader->molecule || strcmp(reader->molecule, words[0]) == 0);
    if (reader->inside) {
        snprintf(topology->file, sizeof topology->file, "%s", source->file);
        topology->line = source->text.line;
        strcpy(topology->molecule, words[0]);
    }
    return PH_OK;
}

static enum ph_status take_atom(struct reader *reader, const struct source *source, char *const *words, int n)
{
    struct ph_topology *topology = reader->topology;
    struct ph_topology_atom atom = {.charge = NAN, .mass = NAN, .line = source->text.line};
    double index;
    if (topology->n == PH_SITES_MAX)
        return ph_error_set(reader->err, PH_ERR_INPUT,
                            "%s:%zu: molecule '%s' has more than %d atoms; a model has at most so many sites.",
                            source->file, source->text.line, topology->molecule, PH_SITES_MAX);
    if (n < 6 || !ph_text_number(words[0], &index) || index != (double)topology->n + 1.0 ||
        strlen(words[1]) >= PH_NAME || strlen(words[4]) >= PH_NAME ||
        (n > 6 && !ph_text_number(words[6], &atom.charge)) || (n > 7 && !ph_text_number(words[7], &atom.mass)))
        return wrong(reader, source,
                     "number (from 1), type, residue number, residue, name, charge group, and perhaps charge and mass");
    strcpy(atom.type, words[1]);
    strcpy(atom.name, words[4]);
    topology->atom[topology->n++] = atom;
    return PH_OK;
}

static void join(struct ph_topology *topology, size_t i, size_t j, double distance)
{
    topology->distance[i][j] = topology->distance[j][i] = distance;
}

static enum ph_status take_settle(struct reader *reader, const struct source *source, char *const *words, int n)
{
    size_t i;
    double oh, hh;
    if (n < 4 || !atom_index(reader, words[0], &i) || i + 2 >= reader->topology->n || !ph_text_number(words[2], &oh) ||
        !ph_text_number(words[3], &hh) || !(oh > 0.0 && hh > 0.0))
        return wrong(reader, source, "an atom with two that follow, funct, and two distances above 0");
    join(reader->topology, i, i + 1, oh);
    join(reader->topology, i, i + 2, oh);
    join(reader->topology, i + 1, i + 2, hh);
    return PH_OK;
}

/* Ignores a bond without a length: its length stands in the bond types, which are not read */
static enum ph_status take_bond(struct reader *reader, const struct source *source, char *const *words, int n)
{
    size_t i, j;
    double length;
    if (n < 2 || !atom_index(reader, words[0], &i) || !atom_index(reader, words[1], &j) || i == j)
        return wrong(reader, source, "two atoms of the molecule");
    if (n > 3 && ph_text_number(words[3], &length) && length > 0.0)
        join(reader->topology, i, j, length);
    return PH_OK;
}

static enum ph_status take_angle(struct reader *reader, const struct source *source, char *const *words, int n)
{
    struct ph_topology *topology = reader->topology;
    size_t atom[3];
    double degrees;
    for (int k = 0; k < 3; ++k)
        if (n < 3 || !atom_index(reader, words[k], &atom[k]))
            return wrong(reader, source, "three atoms of the molecule");
    const size_t most = sizeof topology->angle / sizeof *topology->angle;
    if (n > 4 && ph_text_number(words[4], &degrees) && degrees > 0.0 && degrees <= 180.0 && topology->n_angles < most) {
        memcpy(topology->angle[topology->n_angles].atom, atom, sizeof atom);
        topology->angle[topology->n_angles++].degrees = degrees;
    }
    return PH_OK;
}

/* `n_from` atoms after the site, a function, its weights */
static enum ph_status take_virtual(struct reader *reader, const struct source *source, char *const *words, int n,
                                   int n_from)
{
    struct ph_topology *topology = reader->topology;
    struct ph_topology_virtual virtual_site = {.n_from = (size_t)n_from, .line = source->text.line};
    double function = 0.0;
    bool good = n > n_from + 2 && atom_index(reader, words[0], &virtual_site.site) &&
                ph_text_number(words[n_from + 1], &function) && topology->n_virtual < PH_SITES_MAX;
    for (int k = 0; k < n_from && good; ++k)
        good = atom_index(reader, words[1 + k], &virtual_site.from[k]) && virtual_site.from[k] != virtual_site.site;
    const int weights = n_from == 2 ? 1 : function == 4.0 ? 3 : 2;
    good = good && (function == 1.0 || (function == 4.0 && n_from == 3)) && n >= n_from + 2 + weights;
    for (int k = 0; k < weights && good; ++k)
        good = ph_text_number(words[n_from + 2 + k], &virtual_site.weight[k]);
    if (!good)
        return wrong(reader, source,
                     n_from == 2 ? "a site, two atoms, funct 1 and a weight"
                                 : "a site, three atoms, funct 1 and two weights, or funct 4 and three");
    topology->virtual_site[topology->n_virtual++] = virtual_site;
    return PH_OK;
}

static enum ph_status take_line(struct reader *reader, const struct source *source, char *const *words, int n)
{
    const char *section = reader->section;
    if (strcmp(section, "atomtypes") == 0)
        return take_type(reader, source, words, n);
    if (strcmp(section, "nonbond_params") == 0)
        return take_pair(reader, source, words, n);
    if (strcmp(section, "defaults") == 0)
        return take_defaults(reader, source, words, n);
    if (strcmp(section, "moleculetype") == 0)
        return take_molecule(reader, source, words, n);
    if (!reader->inside)
        return PH_OK;
    if (strcmp(section, "atoms") == 0)
        return take_atom(reader, source, words, n);
    if (strcmp(section, "settles") == 0)
        return take_settle(reader, source, words, n);
    if (strcmp(section, "bonds") == 0 || strcmp(section, "constraints") == 0)
        return take_bond(reader, source, words, n);
    if (strcmp(section, "angles") == 0)
        return take_angle(reader, source, words, n);
    if (strcmp(section, "virtual_sites2") == 0 || strcmp(section, "dummies2") == 0)
        return take_virtual(reader, source, words, n, 2);
    if (strcmp(section, "virtual_sites3") == 0 || strcmp(section, "dummies3") == 0)
        return take_virtual(reader, source, words, n, 3);
    if (strncmp(section, "virtual_sites", 13) == 0 || strncmp(section, "dummies", 7) == 0)
        return ph_error_set(reader->err, PH_ERR_INPUT,
                            "%s:%zu: [ %s ] is not read. Accepted: virtual_sites2 and virtual_sites3; or give a file "
                            "with coordinates and leave this section out.",
                            source->file, source->text.line, section);
    return PH_OK; /* exclusions, pairs, dihedrals and the like: molecules are rigid */
}

static bool is_defined(const struct reader *reader, const char *name)
{
    for (size_t k = 0; k < reader->topology->n_defined; ++k)
        if (strcmp(reader->topology->defined[k], name) == 0)
            return true;
    return false;
}

static bool is_skipping(const struct source *source)
{
    for (size_t k = 0; k < source->nested; ++k)
        if (source->skip[k])
            return true;
    return false;
}

static enum ph_status read_file(struct reader *reader, const char *file);

/* Beside the file that includes it, or in GROMACS's library */
static enum ph_status include(struct reader *reader, const struct source *source, const char *word)
{
    const size_t length = strlen(word);
    const char *slash = strrchr(source->file, '/'), *library = getenv("GMXLIB");
    char name[LIBRARY_PATH], path[2 * LIBRARY_PATH];
    if (length < 3 || length >= sizeof name)
        return ph_error_set(reader->err, PH_ERR_INPUT, "%s:%zu: #include needs a file in quotes.", source->file,
                            source->text.line);
    snprintf(name, sizeof name, "%.*s", (int)(length - 2), word + 1);
    const char *const folders[] = {source->file, library, "/usr/share/gromacs/top"};
    for (int k = 0; k < 3; ++k) {
        if (!folders[k])
            continue;
        if (k == 0)
            snprintf(path, sizeof path, "%.*s%s", slash && name[0] != '/' ? (int)(slash - source->file) + 1 : 0,
                     source->file, name);
        else
            snprintf(path, sizeof path, "%.400s/%s", folders[k], name);
        FILE *there = fopen(path, "r");
        if (!there)
            continue;
        fclose(there);
        return read_file(reader, path);
    }
    return ph_error_set(reader->err, PH_ERR_INPUT,
                        "%s:%zu: there is no file '%s', beside this one, in the folder GMXLIB of the environment, or "
                        "in /usr/share/gromacs/top.",
                        source->file, source->text.line, name);
}

/* A line of the preprocessor */
static enum ph_status direct(struct reader *reader, struct source *source, char *const *words, int n)
{
    const bool conditional = strcmp(words[0], "#ifdef") == 0 || strcmp(words[0], "#ifndef") == 0;
    if (conditional && n > 1 && source->nested < NESTED) {
        source->skip[source->nested++] = is_defined(reader, words[1]) == (strcmp(words[0], "#ifndef") == 0);
        return PH_OK;
    }
    if (strcmp(words[0], "#else") == 0 && source->nested > 0) {
        source->skip[source->nested - 1] = !source->skip[source->nested - 1];
        return PH_OK;
    }
    if (strcmp(words[0], "#endif") == 0 && source->nested > 0) {
        --source->nested;
        return PH_OK;
    }
    if (is_skipping(source))
        return PH_OK;
    if (strcmp(words[0], "#define") == 0 && n > 1) {
        struct ph_topology *topology = reader->topology;
        if (topology->n_defined == PH_TOPOLOGY_DEFINES || strlen(words[1]) >= PH_NAME)
            return ph_error_set(reader->err, PH_ERR_INPUT, "%s:%zu: #define of a long name, or after %d others.",
                                source->file, source->text.line, PH_TOPOLOGY_DEFINES);
        strcpy(topology->defined[topology->n_defined++], words[1]);
        return PH_OK;
    }
    if (strcmp(words[0], "#include") == 0 && n > 1)
        return include(reader, source, words[1]);
    return ph_error_set(reader->err, PH_ERR_INPUT,
                        "%s:%zu: '%.40s' is not understood here. Accepted: #include, #define, #ifdef, #ifndef, #else, "
                        "#endif, in pairs.",
                        source->file, source->text.line, words[0]);
}

static enum ph_status read_lines(struct reader *reader, struct source *source)
{
    enum ph_status status = PH_OK;
    while (status == PH_OK && ph_text_next(&source->text)) {
        char *words[PH_TEXT_WORDS], *line = source->text.text;
        line[strcspn(line, ";")] = '\0';
        if (line[strspn(line, " \t")] == '[') {
            if (is_skipping(source))
                continue;
            const char *name = line + strspn(line, " \t[");
            snprintf(reader->section, sizeof reader->section, "%.*s", (int)strcspn(name, " \t]"), name);
            continue;
        }
        const int n = ph_text_split(line, words);
        if (n > 0 && words[0][0] == '#')
            status = direct(reader, source, words, n);
        else if (n > 0 && !is_skipping(source))
            status = take_line(reader, source, words, n);
    }
    return ph_text_status(&source->text, source->file, status, reader->err);
}

static enum ph_status read_file(struct reader *reader, const char *file)
{
    struct source *source = ph_allocate(1, sizeof *source);
    FILE *stream = source ? fopen(file, "r") : NULL;
    enum ph_status status = PH_OK;
    if (!source)
        status = ph_no_memory(reader->err, "the contents of %s", file);
    else if (!stream)
        status = ph_error_set(reader->err, PH_ERR_IO, "%s: cannot be read: %s.", file, strerror(errno));
    else if (reader->depth == DEPTH)
        status = ph_error_set(reader->err, PH_ERR_INPUT, "%s: more than %d files include each other.", file, DEPTH);
    if (status == PH_OK) {
        source->file = file;
        source->text.stream = stream;
        ++reader->depth;
        status = read_lines(reader, source);
        --reader->depth;
    }
    if (stream)
        fclose(stream);
    free(source);
    return status;
}

enum ph_status ph_topology_read(const char *file, const char *molecule, struct ph_topology *topology,
                                struct ph_error *err)
{
    struct reader *reader = ph_allocate(1, sizeof *reader);
    if (!reader)
        return ph_no_memory(err, "the contents of %s", file);
    *reader = (struct reader){.molecule = molecule, .topology = topology, .err = err};
    const enum ph_status status = read_file(reader, file);
    free(reader);
    return status;
}
