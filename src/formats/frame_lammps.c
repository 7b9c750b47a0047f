/* SPDX-License-Identifier: MIT */
/* LAMMPS data files. The reader takes the box of the header, Atoms and Velocities, and skips other sections. Atoms
 * stand in any order: they are sorted by molecule and number. Their names are their types, "1", "2", or labels. It
 * ignores the images after the coordinates, because it makes molecules whole. The first line names the units ("units =
 * real", as write_data has it), unless the user gives them. */
#include "formats/frame_text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct atom {
    double number, molecule; /* molecule 0: none */
    bool moving;
    struct ph_frame_atom data;
};

struct file {
    double count;   /* of the header */
    int type;       /* word of the atom's type; the word before it, if any, is the molecule */
    int position;   /* word of x */
    bool molecules; /* the style has them */
    size_t n, n_moving;
    struct atom *atom; /* owned */
};

/* Style, word of the type, word of x; word 0 is the number */
static const struct style {
    const char *name;
    int type, position;
} styles[] = {{"atomic", 1, 2}, {"charge", 1, 3}, {"molecular", 2, 3}, {"full", 2, 4}};
enum { N_STYLES = sizeof styles / sizeof *styles };

/* Lengths in nm, times in ps */
static const struct units {
    const char *name;
    double length, time;
} systems[] = {{"real", 0.1, 1e-3}, {"metal", 0.1, 1.0}, {"nano", 1.0, 1e3}, {"lj", 0.0, 0.0}};
enum { N_SYSTEMS = sizeof systems / sizeof *systems };

static enum ph_status choose_units(const char *word, size_t length, size_t line, struct ph_frame *frame,
                                   struct ph_error *err)
{
    for (size_t k = 0; k < N_SYSTEMS; ++k)
        if (strlen(systems[k].name) == length && strncmp(systems[k].name, word, length) == 0) {
            frame->length = systems[k].length;
            frame->time = systems[k].time;
            return PH_OK;
        }
    return ph_error_set(err, PH_ERR_INPUT,
                        "%s:%zu: units = %.*s are not known. Accepted: real, metal, nano, lj; system.start.units "
                        "takes precedence.",
                        frame->file, line, (int)length, word);
}

/* The first line is a comment, which may name the units. */
static enum ph_status read_title(struct ph_frame_text *text, struct ph_frame *frame, struct ph_error *err)
{
    const char *asked = text->request->units, *found = strstr(text->text, "units = ");
    if (asked[0] != '\0')
        return choose_units(asked, strlen(asked), text->line, frame, err);
    if (!found)
        return choose_units("real", strlen("real"), text->line, frame, err);
    found += strlen("units = ");
    return choose_units(found, strcspn(found, " ,\t"), text->line, frame, err);
}

static bool numbers(char *const *words, int n, double *out)
{
    for (int k = 0; k < n; ++k)
        if (!ph_text_number(words[k], &out[k]))
            return false;
    return true;
}

/* Reads a line of the header: numbers, then their names */
static void read_header(char *const *words, int n, struct file *file, struct ph_frame *frame)
{
    static const char *const lows[] = {"xlo", "ylo", "zlo"}, *const vectors[] = {"avec", "bvec", "cvec"};
    double x[3];
    if (n == 2 && strcmp(words[1], "atoms") == 0 && numbers(words, 1, x))
        file->count = x[0];
    for (int k = 0; k < 3; ++k) {
        if (n == 4 && strcmp(words[2], lows[k]) == 0 && numbers(words, 2, x)) {
            frame->edge[k][k] = x[1] - x[0];
            frame->periodic = true;
        }
        if (n == 4 && strcmp(words[3], vectors[k]) == 0 && numbers(words, 3, x)) {
            memcpy(frame->edge[k], x, sizeof x);
            frame->periodic = true;
        }
    }
    if (n == 6 && strcmp(words[3], "xy") == 0 && numbers(words, 3, x)) {
        frame->edge[1][0] = x[0];
        frame->edge[2][0] = x[1];
        frame->edge[2][1] = x[2];
    }
}

/* By the number of words, without and with three images; of charge and molecular, which have equally many, the first
 * has a number with a point */
static const char *guess_style(char *const *words, int n)
{
    switch (n) {
    case 5:
    case 8: return "atomic";
    case 6:
    case 9: return strpbrk(words[2], ".eE") ? "charge" : "molecular";
    case 7:
    case 10: return "full";
    default: return "";
    }
}

static enum ph_status choose_style(const char *name, const struct ph_frame_text *text, struct file *file,
                                   const struct ph_frame *frame, struct ph_error *err)
{
    for (size_t k = 0; k < N_STYLES; ++k)
        if (strcmp(styles[k].name, name) == 0) {
            file->type = styles[k].type;
            file->position = styles[k].position;
            file->molecules = styles[k].type == 2;
            return PH_OK;
        }
    return ph_error_set(err, PH_ERR_INPUT,
                        "%s:%zu: atom style '%.40s' is not known. Accepted: atomic, charge, molecular, full; say which "
                        "by system.start.atom_style, or on the line 'Atoms # full'.",
                        frame->file, text->line, name);
}

static enum ph_status read_atom(const struct ph_frame_text *text, char *const *words, int n, struct file *file,
                                struct ph_frame *frame, struct ph_error *err)
{
    struct atom atom = {.data.line = text->line};
    bool good = n >= file->position + 3 && numbers(words, 1, &atom.number) &&
                numbers(words + file->position, 3, atom.data.position) && strlen(words[file->type]) < PH_NAME;
    if (good && file->molecules)
        good = numbers(words + 1, 1, &atom.molecule);
    atom.data.charged = file->position > file->type + 1;
    if (good && atom.data.charged)
        good = numbers(words + file->type + 1, 1, &atom.data.charge);
    if (!good)
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s:%zu: expected a number,%s type%s and three finite coordinates, found %d words.",
                            frame->file, text->line, file->molecules ? " molecule," : "",
                            file->position > file->type + 1 ? ", charge" : "", n);
    strcpy(atom.data.name, words[file->type]);
    file->atom = ph_text_grow(file->atom, file->n, sizeof *file->atom);
    if (!file->atom)
        return ph_no_memory(err, "the atoms of %s", frame->file);
    file->atom[file->n++] = atom;
    return PH_OK;
}

static int by_number(const void *a, const void *b)
{
    const double x = ((const struct atom *)a)->number, y = ((const struct atom *)b)->number;
    return (x > y) - (x < y);
}

/* Orders atoms by molecule; atoms without a molecule come last */
static int by_molecule(const void *a, const void *b)
{
    const struct atom *x = a, *y = b;
    const double i = x->molecule != 0.0 ? x->molecule : INFINITY, j = y->molecule != 0.0 ? y->molecule : INFINITY;
    return i != j ? (i > j) - (i < j) : by_number(a, b);
}

static enum ph_status read_velocity(const struct ph_frame_text *text, char *const *words, int n, struct file *file,
                                    const struct ph_frame *frame, struct ph_error *err)
{
    struct atom sought;
    if (file->n_moving == 0 && file->n > 0)
        qsort(file->atom, file->n, sizeof *file->atom, by_number);
    struct atom *atom = NULL;
    if (n >= 4 && numbers(words, 1, &sought.number) && file->n > 0)
        atom = bsearch(&sought, file->atom, file->n, sizeof *file->atom, by_number);
    if (!atom || !numbers(words + 1, 3, atom->data.velocity))
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s:%zu: expected the number of an atom of the section Atoms before, and three finite "
                            "velocities.",
                            frame->file, text->line);
    file->n_moving += !atom->moving;
    atom->moving = true;
    return PH_OK;
}

enum section { HEADER, OTHER, ATOMS, VELOCITIES };

/* The name of a section, perhaps with a comment: "Atoms # full" */
static enum ph_status enter(const char *name, const char *comment, const struct ph_frame_text *text,
                            enum section *section, struct file *file, struct ph_frame *frame, struct ph_error *err)
{
    *section = strcmp(name, "Atoms") == 0 ? ATOMS : strcmp(name, "Velocities") == 0 ? VELOCITIES : OTHER;
    const char *asked = text->request->atom_style;
    if (*section == ATOMS && (asked[0] != '\0' || comment[0] != '\0'))
        return choose_style(asked[0] != '\0' ? asked : comment, text, file, frame, err);
    return PH_OK;
}

static enum ph_status read_lines(struct ph_frame_text *text, struct file *file, struct ph_frame *frame,
                                 struct ph_error *err)
{
    enum section section = HEADER;
    enum ph_status status = PH_OK;
    while (status == PH_OK && ph_text_next(text)) {
        char *words[PH_TEXT_WORDS], style[64] = "", *hash = strchr(text->text, '#');
        if (hash)
            ph_text_columns(hash + 1, 0, strlen(hash + 1), style, sizeof style);
        if (hash)
            *hash = '\0';
        const int n = ph_text_split(text->text, words);
        if (n == 0)
            continue;
        if (isalpha((unsigned char)words[0][0]))
            status = enter(words[0], style, text, &section, file, frame, err);
        else if (section == HEADER)
            read_header(words, n, file, frame);
        else if (section == ATOMS && file->type == 0)
            status = choose_style(guess_style(words, n), text, file, frame, err);
        if (status == PH_OK && section == ATOMS && !isalpha((unsigned char)words[0][0]))
            status = read_atom(text, words, n, file, frame, err);
        if (status == PH_OK && section == VELOCITIES && !isalpha((unsigned char)words[0][0]))
            status = read_velocity(text, words, n, file, frame, err);
    }
    return status;
}

enum ph_status ph_frame_read_lammps(struct ph_frame_text *text, struct ph_frame *frame, struct ph_error *err)
{
    struct file file = {.count = -1.0};
    frame->needs = "the atoms of several sites";
    if (text->line > 0 || !ph_text_next(text))
        return PH_OK; /* a data file is one frame */
    enum ph_status status = read_title(text, frame, err);
    if (status == PH_OK)
        status = read_lines(text, &file, frame, err);
    if (status == PH_OK && !((double)file.n == file.count))
        status =
            ph_error_set(err, PH_ERR_INPUT,
                         file.count < 0.0 ? "%s:%zu: the header does not say how many atoms there are ('%g atoms')."
                                          : "%s:%zu: the file ends, and its header promises %g atoms.",
                         frame->file, text->line, fmax(file.count, 0.0));
    if (status == PH_OK && file.n_moving > 0 && file.n_moving < file.n)
        status = ph_error_set(err, PH_ERR_INPUT, "%s:%zu: the file ends with velocities of %zu of %zu atoms.",
                              frame->file, text->line, file.n_moving, file.n);
    if (status == PH_OK && file.n > 0)
        qsort(file.atom, file.n, sizeof *file.atom, by_molecule);
    size_t molecule = 0;
    for (size_t i = 0; i < file.n && status == PH_OK; ++i) {
        const struct atom *atom = &file.atom[i];
        molecule += i > 0 && (atom->molecule == 0.0 || atom->molecule != atom[-1].molecule);
        file.atom[i].data.molecule = molecule;
        status = ph_frame_add(&atom->data, frame, err);
    }
    if (file.n_moving == 0)
        ph_frame_no_velocities(frame);
    if (!file.molecules) {
        free(frame->molecule);
        frame->molecule = NULL;
    }
    free(file.atom);
    return status;
}
