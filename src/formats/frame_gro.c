/* SPDX-License-Identifier: MIT */
/* GROMACS's GRO: a title, a number of atoms, a line for each, a line with the box. Lengths in nm, velocities in nm/ps.
 *   "%5d%-5s%5s%5d%8.3f%8.3f%8.3f%8.4f%8.4f%8.4f": residue number and name, atom name and number, x, v
 * Files with more digits have wider columns. The width is the distance of two decimal points, and is 5 more than the
 * number of decimals. A residue is a molecule, or several that follow each other. */
#include "base/library.h"
#include "formats/frame_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 20, WIDTH_MIN = 6, WIDTH_MAX = 30 };

/* Width of the columns of numbers; 0 if there are none */
static size_t column_width(const char *line)
{
    const char *first = strlen(line) > NUMBERS ? strchr(line + NUMBERS, '.') : NULL;
    const char *second = first ? strchr(first + 1, '.') : NULL;
    const size_t width = second ? (size_t)(second - first) : 0;
    return width >= WIDTH_MIN && width <= WIDTH_MAX ? width : 0;
}

/* Three numbers from a column on; false if they are not there */
static bool three(const char *line, size_t first, size_t width, double out[3])
{
    char word[WIDTH_MAX + 2];
    for (size_t k = 0; k < 3; ++k) {
        ph_text_columns(line, first + k * width, width, word, sizeof word);
        if (!ph_text_number(word, &out[k]))
            return false;
    }
    return true;
}

static enum ph_status read_atom(const struct ph_frame_text *text, char key[16], bool *moving, struct ph_frame *frame,
                                struct ph_error *err)
{
    const char *line = text->text;
    const size_t width = column_width(line);
    struct ph_frame_atom atom = {.line = text->line};
    char now[16];
    ph_text_columns(line, 0, 10, now, sizeof now);
    ph_text_columns(line, 5, 5, atom.residue, sizeof atom.residue);
    ph_text_columns(line, 10, 5, atom.name, sizeof atom.name);
    if (width == 0 || atom.name[0] == '\0' || !three(line, NUMBERS, width, atom.position))
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s:%zu: expected residue number and name, atom name and number in columns of 5, and three "
                            "coordinates in columns of equal width from column 21 on.",
                            frame->file, text->line);
    *moving = *moving && three(line, NUMBERS + 3 * width, width, atom.velocity);
    frame->rounding = fmax(frame->rounding, 0.5 * ph_library_pow(10.0, 5.0 - (double)width));
    const bool same = frame->n > 0 && strcmp(key, now) == 0;
    atom.molecule = frame->n == 0 ? 0 : frame->molecule[frame->n - 1] + !same;
    strcpy(key, now);
    return ph_frame_add(&atom, frame, err);
}

/* "v1x v2y v3z", and for a tilted box "v1y v1z v2x v2z v3x v3y" */
static bool read_box(char *line, struct ph_frame *frame)
{
    static const int place[9] = {0, 4, 8, 1, 2, 3, 5, 6, 7};
    char *words[PH_TEXT_WORDS];
    const int n = ph_text_split(line, words);
    double number[9] = {0.0};
    if (n != 3 && n != 9)
        return false;
    for (int k = 0; k < n; ++k)
        if (!ph_text_number(words[k], &number[k]))
            return false;
    for (int k = 0; k < 9; ++k)
        (&frame->edge[0][0])[place[k]] = number[k];
    frame->periodic = number[0] != 0.0 || number[1] != 0.0 || number[2] != 0.0;
    return true;
}

enum ph_status ph_frame_read_gro(struct ph_frame_text *text, struct ph_frame *frame, struct ph_error *err)
{
    double count;
    char *words[PH_TEXT_WORDS], key[16] = "";
    frame->needs = "the atoms of several sites";
    frame->length = frame->time = 1.0;
    const bool first = text->line == 0;
    if (!ph_text_next(text)) /* the title */
        return PH_OK;
    const bool blank = text->text[strspn(text->text, " \t")] == '\0';
    if (!ph_text_next(text)) {
        if (!first && blank)
            return PH_OK;
        return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: the file ends where the number of atoms should be.",
                            frame->file, text->line + 1);
    }
    if (ph_text_split(text->text, words) < 1 || !ph_text_number(words[0], &count) || !(count >= 1.0) || count > 1e9 ||
        count != floor(count))
        return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: expected the number of atoms.", frame->file, text->line);
    bool moving = true;
    for (size_t i = 0; i < (size_t)count; ++i) {
        if (!ph_text_next(text))
            return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: the file ends after %zu of %zu atoms.", frame->file,
                                text->line + 1, i, (size_t)count);
        const enum ph_status status = read_atom(text, key, &moving, frame, err);
        if (status != PH_OK)
            return status;
    }
    if (!ph_text_next(text) || !read_box(text->text, frame))
        return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: expected the box after the last atom: three numbers, or nine.",
                            frame->file, text->line);
    if (!moving)
        ph_frame_no_velocities(frame);
    return PH_OK;
}
