/* SPDX-License-Identifier: MIT */
#include "input/radial_curves.h"

#include "base/plain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Tables ---- */

struct columns {
    const char *name;
    size_t n, room;
    double *r, *u, *force; /* owned */
    int *line;             /* owned */
    bool has_force;
};

static void free_columns(struct columns *columns)
{
    free(columns->r);
    free(columns->u);
    free(columns->force);
    free(columns->line);
}

static bool make_room(struct columns *c)
{
    if (c->n < c->room)
        return true;
    const size_t room = 2 * c->room + 256;
    double *r = realloc(c->r, room * sizeof *r);
    c->r = r ? r : c->r;
    double *u = realloc(c->u, room * sizeof *u);
    c->u = u ? u : c->u;
    double *force = realloc(c->force, room * sizeof *force);
    c->force = force ? force : c->force;
    int *line = realloc(c->line, room * sizeof *line);
    c->line = line ? line : c->line;
    if (!r || !u || !force || !line)
        return false;
    c->room = room;
    return true;
}

static bool is_space(char letter) { return letter == ' ' || letter == '\t' || letter == '\r' || letter == ','; }

/* Reads up to four numbers of a line without its comment; returns how many, or -1 at a word that is none. */
static int read_numbers(const char *line, size_t length, double number[4], char word[32])
{
    int n = 0;
    for (size_t k = 0; k < length;) {
        if (is_space(line[k])) {
            ++k;
            continue;
        }
        size_t end = k;
        while (end < length && !is_space(line[end]))
            ++end;
        char *rest;
        snprintf(word, 32, "%.*s", end - k < 31 ? (int)(end - k) : 31, line + k);
        const double value = ph_strtod(word, &rest);
        if (end - k >= 31 || *rest != '\0' || !isfinite(value) || word[strspn(word, "+-.0123456789eE")] != '\0')
            return -1;
        if (n < 4)
            number[n] = value;
        ++n;
        k = end;
    }
    return n;
}

static enum ph_status take_line(struct columns *c, int at, int n, const double number[4], const char *word,
                                struct ph_error *err)
{
    if (n < 0)
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s:%d: '%s' is not a number. Accepted: lines of r, u and, if wanted, the force -u'(r); "
                            "comments after '#', '@' or ';'.",
                            c->name, at, word);
    if (c->n == 0)
        c->has_force = n == 3;
    if (n != (c->has_force ? 3 : 2))
        return ph_error_set(err, PH_ERR_INPUT, "%s:%d: has %d column%s. Accepted: %s.", c->name, at, n,
                            n == 1 ? "" : "s",
                            c->n == 0      ? "two, r and u, or three, r, u and the force -u'(r)"
                            : c->has_force ? "three, as in the lines before"
                                           : "two, as in the lines before");
    if (!(number[0] > (c->n > 0 ? c->r[c->n - 1] : 0.0)))
        return c->n > 0 ? ph_error_set(err, PH_ERR_INPUT,
                                       "%s:%d: r is %.10g, not larger than %.10g in line %d: distances must grow.",
                                       c->name, at, number[0], c->r[c->n - 1], c->line[c->n - 1])
                        : ph_error_set(err, PH_ERR_INPUT, "%s:%d: r is %.10g. Accepted: a distance above 0.", c->name,
                                       at, number[0]);
    if (!make_room(c))
        return ph_no_memory(err, "the contents of %s", c->name);
    c->r[c->n] = number[0];
    c->u[c->n] = number[1];
    c->force[c->n] = n == 3 ? number[2] : 0.0;
    c->line[c->n++] = at;
    return PH_OK;
}

static enum ph_status read_columns(const char *text, struct columns *columns, struct ph_error *err)
{
    enum ph_status status = PH_OK;
    int at = 0;
    for (const char *line = text; *line && status == PH_OK;) {
        const size_t length = strcspn(line, "\n"), said = strcspn(line, "#@;\n");
        double number[4];
        char word[32];
        const int n = read_numbers(line, said, number, word);
        ++at;
        if (n != 0)
            status = take_line(columns, at, n, number, word, err);
        line += length + (line[length] == '\n');
    }
    if (status == PH_OK && columns->n < PH_TABLE_POINTS_MIN)
        return ph_error_set(err, PH_ERR_INPUT, "%s: has %zu points. Accepted: at least %d.", columns->name, columns->n,
                            PH_TABLE_POINTS_MIN);
    return status;
}

/* The third column must be the derivative of the second: a column with another sign or in other units is far off. It
 * may be rounded, and the ends of a spline are less good than its middle. */
static enum ph_status check_force(const struct columns *c, const struct ph_curve *curve, struct ph_error *err)
{
    const double close = 0.01;
    for (size_t k = 2; k + 2 < c->n && c->has_force; ++k) {
        const double want = -ph_curve_at(curve, c->r[k]).slope;
        const double steepest = fmax(fabs(c->u[k + 1] - c->u[k]) / (c->r[k + 1] - c->r[k]),
                                     fabs(c->u[k] - c->u[k - 1]) / (c->r[k] - c->r[k - 1]));
        if (!(fabs(c->force[k] - want) <= close * fmax(fabs(want), steepest) + 1e-6 * curve->depth / curve->size))
            return ph_error_set(err, PH_ERR_INPUT,
                                "%s:%d: the force is %.6g in the third column, but the energies of the second give "
                                "-u'(r) = %.6g. Correct one of them, or leave the third column out.",
                                c->name, c->line[k], c->force[k], want);
    }
    return PH_OK;
}

enum ph_status ph_input_table(const char *place, const char *key, const char *file, struct ph_texts *texts,
                              const struct ph_input_radial *radial, const struct ph_curve **curve, struct ph_error *err)
{
    const char *slash = strrchr(file, '/');
    const int folder = radial->table[0] == '/' || !slash ? 0 : (int)(slash - file) + 1;
    char path[PH_PATH], about[PH_PATH + 64];
    struct ph_texts *own = texts ? NULL : calloc(1, sizeof *own);
    const struct ph_text *text = NULL;
    struct ph_error inner = {.text = ""};
    *curve = NULL;
    if (!texts && !own)
        return ph_no_memory(err, "the table of %s", place);
    struct columns columns = {.name = path};
    enum ph_status status = PH_ERR_INPUT;
    if (snprintf(path, sizeof path, "%.*s%s", folder, file, radial->table) >= PH_PATH)
        status = ph_error_set(err, PH_ERR_INPUT, "%s: %s.table.file: the name is longer than %d letters.", place, key,
                              PH_PATH - 1);
    else if ((status = ph_texts_read_table(texts ? texts : own, path, &text, &inner)) != PH_OK)
        status = ph_error_set(err, status, "%s: %s.table.file: %.400s", place, key, inner.text);
    if (status == PH_OK)
        status = read_columns(text->text, &columns, err);
    if (status == PH_OK) {
        ph_snprintf(about, sizeof about, "%s, %zu points from %.6g to %.6g", path, columns.n, columns.r[0],
                    columns.r[columns.n - 1]);
        status = ph_curve_of_table(about, columns.n, columns.r, columns.u, curve, err);
    }
    if (status == PH_OK)
        status = check_force(&columns, *curve, err);
    free_columns(&columns);
    if (own)
        ph_texts_free(own);
    free(own);
    return status;
}

/* ---- Formulas ---- */

enum { ABOUT = PH_INPUT_FORMULA + PH_CURVE_CONSTANTS * (2 * PH_WORD + 4) };

static bool is_name(const char *text)
{
    return text[0] != '\0' && (text[0] < '0' || text[0] > '9') &&
           text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] == '\0';
}

static enum ph_status read_constants(const char *place, const char *key, const struct ph_input_radial *radial,
                                     struct ph_program_constant constants[PH_CURVE_CONSTANTS], struct ph_error *err)
{
    for (size_t k = 0; k < radial->n_constants; ++k) {
        const char *name = radial->constants[k][0], *text = radial->constants[k][1];
        char *rest;
        constants[k].value = ph_strtod(text, &rest);
        snprintf(constants[k].name, sizeof constants[k].name, "%s", name);
        if (!is_name(name) || ph_program_knows(name))
            return ph_error_set(err, PH_ERR_INPUT,
                                "%s: %s.formula.constants: '%s' cannot be the name of a constant. Accepted: letters, "
                                "digits and '_', not r and no function.",
                                place, key, name);
        if (*rest != '\0' || !isfinite(constants[k].value) || text[strspn(text, "+-.0123456789eE")] != '\0')
            return ph_error_set(err, PH_ERR_INPUT, "%s: %s.formula.constants.%s is '%s'. Accepted: a number.", place,
                                key, name, text);
    }
    return PH_OK;
}

enum ph_status ph_input_formula(const char *place, const char *key, const struct ph_input_radial *radial,
                                const struct ph_curve **curve, struct ph_error *err)
{
    struct ph_program_constant constants[PH_CURVE_CONSTANTS] = {{.name = ""}};
    struct ph_program program;
    struct ph_program_fault fault = {.text = ""};
    char about[ABOUT];
    *curve = NULL;
    const enum ph_status status = read_constants(place, key, radial, constants, err);
    if (status != PH_OK)
        return status;
    if (!ph_program_compile(radial->formula, radial->n_constants, constants, &program, &fault))
        return ph_error_set(err, PH_ERR_INPUT, "%s: %s.formula.u, column %zu: %s The formula is '%.300s'.", place, key,
                            fault.column, fault.text, radial->formula);
    snprintf(about, sizeof about, "u = %s", radial->formula);
    for (size_t k = 0; k < radial->n_constants; ++k) {
        const size_t used = strlen(about);
        if (!constants[k].used)
            return ph_error_set(err, PH_ERR_INPUT, "%s: %s.formula.constants.%s is not in u, '%.300s'.", place, key,
                                constants[k].name, radial->formula);
        ph_snprintf(about + used, sizeof about - used, ", %s %.10g", constants[k].name, constants[k].value);
    }
    return ph_curve_of_formula(about, &program, curve, err);
}
