/* SPDX-License-Identifier: MIT */
#include "base/plain.h"
#include "formats/frame_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Number of the word in a line for each quantity; -1: not there */
struct columns {
    int name, position, orientation, velocity, angular_momentum, least;
    bool scalar_last; /* of orientations */
};
static const struct columns no_columns = {-1, -1, -1, -1, -1, 0, false};

/* "species:S:1:pos:R:3:orientation:R:4": names, types and numbers of columns */
static bool parse_properties(const char *text, struct columns *columns)
{
    *columns = no_columns;
    char copy[PH_TEXT_LINE];
    const size_t length = strcspn(text, " \t\r\n\"");
    memcpy(copy, text, length);
    copy[length] = '\0';
    char *save, *word = strtok_r(copy, ":", &save);
    while (word) {
        const char *type = strtok_r(NULL, ":", &save), *count = strtok_r(NULL, ":", &save);
        const long n = count ? strtol(count, NULL, 10) : 0;
        if (!type || n < 1 || n > PH_TEXT_WORDS)
            return false;
        const bool named = strcmp(word, "name") == 0; /* of a site, whose element is its species */
        if (n == 1 && (named || (columns->name < 0 && (strcmp(word, "species") == 0 || strcmp(word, "type") == 0))))
            columns->name = columns->least;
        int *place = strcmp(word, "pos") == 0 && n == 3                ? &columns->position
                     : strcmp(word, "orientation") == 0 && n == 4      ? &columns->orientation
                     : strcmp(word, "velo") == 0 && n == 3             ? &columns->velocity
                     : strcmp(word, "angular_momentum") == 0 && n == 3 ? &columns->angular_momentum
                                                                       : NULL;
        if (place && *place >= 0)
            return false;
        if (place)
            *place = columns->least;
        columns->least += (int)n;
        word = strtok_r(NULL, ":", &save);
    }
    return columns->position >= 0 && columns->least <= PH_TEXT_WORDS;
}

/* "key=word" somewhere in the line: is it the second of two? The first if there is none. */
static enum ph_status parse_choice(const char *line, const char *key, const char *first, const char *second,
                                   const char *file, bool *is_second, struct ph_error *err)
{
    const char *at = strstr(line, key);
    const char *word = at ? at + strlen(key) : first;
    const size_t length = strcspn(word, " \t\r\n");
    *is_second = length == strlen(second) && strncmp(word, second, length) == 0;
    if (*is_second || (length == strlen(first) && strncmp(word, first, length) == 0))
        return PH_OK;
    return ph_error_set(err, PH_ERR_INPUT, "%s:2: %s%.*s is not one of %s, %s.", file, key, (int)length, word, first,
                        second);
}

static enum ph_status parse_comment(struct ph_frame_text *text, struct ph_frame *frame, struct columns *columns,
                                    struct ph_error *err)
{
    char *line = text->text;
    const char *lattice = strstr(line, "Lattice="), *properties = strstr(line, "Properties=");
    *columns = no_columns;
    if (lattice) {
        const char *at = lattice + strlen("Lattice=");
        at += *at == '"';
        for (int k = 0; k < 9; ++k) {
            char *end;
            frame->edge[k / 3][k % 3] = ph_strtod(at, &end);
            if (end == at || !isfinite(frame->edge[k / 3][k % 3]))
                return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: Lattice=\"...\" must have nine numbers.", frame->file,
                                    text->line);
            at = end;
        }
        frame->periodic = true;
    }
    if (properties && !parse_properties(properties + strlen("Properties="), columns))
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s:%zu: Properties must be name:type:count groups with pos:R:3 among them, and perhaps "
                            "species:S:1, orientation:R:4, velo:R:3 and angular_momentum:R:3, each once.",
                            frame->file, text->line);
    const enum ph_status order =
        parse_choice(line, "orientation_order=", "wxyz", "xyzw", frame->file, &columns->scalar_last, err);
    const enum ph_status axes =
        parse_choice(line, "orientation_frame=", "principal", "model", frame->file, &frame->model_axes, err);
    bool angstrom = false;
    const enum ph_status unit = parse_choice(line, "length_unit=", "nm", "angstrom", frame->file, &angstrom, err);
    if (order != PH_OK || axes != PH_OK || unit != PH_OK)
        return PH_ERR_INPUT;
    frame->length = angstrom ? 0.1 : 0.0;
    if (lattice || properties)
        return PH_OK;
    char *words[PH_TEXT_WORDS];
    const int n = ph_text_split(line, words);
    double number[4];
    if (n == 3 || n == 4) { /* NIST: perhaps a number of the configuration, and three edges */
        int numbers = 0;
        while (numbers < n && ph_text_number(words[numbers], &number[numbers]))
            ++numbers;
        frame->periodic = numbers == n;
        for (int k = 0; k < 3 && frame->periodic; ++k)
            frame->edge[k][k] = number[n - 3 + k];
    }
    return PH_OK;
}

/* Without Properties: "name x y z" or "index x y z [name]" */
static struct columns guess_columns(char *const *words, int n)
{
    double index;
    struct columns columns = no_columns;
    const bool indexed = n >= 1 && ph_text_number(words[0], &index);
    columns.name = !indexed ? 0 : n > 4 ? 4 : -1;
    columns.position = 1;
    columns.least = 4;
    return columns;
}

/* `count` numbers from word `first` on; nothing if there is no such column */
static bool take(char *const *words, int first, int count, double *out)
{
    bool good = true;
    for (int k = 0; k < count && good && first >= 0; ++k)
        good = ph_text_number(words[first + k], &out[k]);
    return good;
}

/* Room for the next line, in the columns that there are */
static bool make_room(const struct columns *columns, struct ph_frame *frame)
{
    const size_t n = frame->n;
    frame->name = ph_text_grow(frame->name, n, sizeof *frame->name);
    frame->line_number = ph_text_grow(frame->line_number, n, sizeof *frame->line_number);
    frame->position = ph_text_grow(frame->position, n, sizeof *frame->position);
    bool good = frame->name && frame->line_number && frame->position;
    if (columns->orientation >= 0)
        good = (frame->orientation = ph_text_grow(frame->orientation, n, sizeof *frame->orientation)) && good;
    if (columns->velocity >= 0)
        good = (frame->velocity = ph_text_grow(frame->velocity, n, sizeof *frame->velocity)) && good;
    if (columns->angular_momentum >= 0)
        good = (frame->angular_momentum = ph_text_grow(frame->angular_momentum, n, sizeof *frame->angular_momentum)) &&
               good;
    return good;
}

static enum ph_status parse_line(struct ph_frame_text *text, struct columns columns, struct ph_frame *frame,
                                 struct ph_error *err)
{
    char *words[PH_TEXT_WORDS];
    const int n = ph_text_split(text->text, words);
    const size_t i = frame->n;
    if (!make_room(&columns, frame))
        return ph_no_memory(err, "the lines of %s", frame->file);
    frame->name[i][0] = '\0';
    frame->line_number[i] = text->line;
    if (columns.position < 0)
        columns = guess_columns(words, n);
    bool good = n >= columns.least && take(words, columns.position, 3, frame->position[i]) &&
                (!frame->orientation || take(words, columns.orientation, 4, frame->orientation[i])) &&
                (!frame->velocity || take(words, columns.velocity, 3, frame->velocity[i])) &&
                (!frame->angular_momentum || take(words, columns.angular_momentum, 3, frame->angular_momentum[i]));
    if (good && columns.scalar_last && frame->orientation) {
        double *q = frame->orientation[i];
        const double w = q[3];
        memmove(q + 1, q, 3 * sizeof *q);
        q[0] = w;
    }
    if (good && columns.name >= 0)
        good = snprintf(frame->name[i], PH_NAME, "%s", words[columns.name]) < PH_NAME;
    if (!good)
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s:%zu: expected at least %d words with finite coordinates (and a name shorter than %d "
                            "letters), found %d.",
                            frame->file, text->line, columns.least, PH_NAME, n);
    ++frame->n;
    return PH_OK;
}

/* Reads the next frame. Only blank lines may follow the last one. */
enum ph_status ph_frame_read_xyz(struct ph_frame_text *text, struct ph_frame *frame, struct ph_error *err)
{
    double count;
    char *words[PH_TEXT_WORDS];
    int n = 0;
    const bool first = text->line == 0;
    while (n == 0) {
        if (!ph_text_next(text) && (!first || text->line > 0))
            return PH_OK;
        n = ph_text_split(text->text, words);
        if (n == 0 && first)
            break;
    }
    if (n < 1 || !ph_text_number(words[0], &count) || !(count >= 1.0) || count > 1e9 || count != floor(count))
        return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: expected the number of lines that follow the second.",
                            frame->file, text->line > 0 ? text->line : 1);
    struct columns columns;
    if (!ph_text_next(text))
        return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: the file ends.", frame->file, text->line + 1);
    enum ph_status status = parse_comment(text, frame, &columns, err);
    const size_t before = text->line;
    for (size_t i = 0; i < (size_t)count && status == PH_OK; ++i) {
        if (!ph_text_next(text))
            return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: the file ends after %zu of %zu lines.", frame->file,
                                before + i + 1, i, (size_t)count);
        status = parse_line(text, columns, frame, err);
    }
    return status;
}
