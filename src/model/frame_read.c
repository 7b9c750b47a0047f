/* SPDX-License-Identifier: MIT */
#include "model/start_file.h"

#include "base/plain.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 4096, WORDS_MAX = 64 };

/* Which word of a line is what; -1: not there */
struct columns {
    int name, position, orientation, velocity, angular_momentum, least;
    bool scalar_last; /* of orientations */
};
static const struct columns no_columns = {-1, -1, -1, -1, -1, 0, false};

void ph_frame_free(struct ph_frame *frame)
{
    free(frame->name);
    free(frame->position);
    free(frame->orientation);
    free(frame->lines);
    free(frame->image);
    free(frame->velocity);
    free(frame->angular_momentum);
    *frame = (struct ph_frame){.n = 0};
}

static int split(char *line, char *words[WORDS_MAX])
{
    int n = 0;
    for (char *save, *word = strtok_r(line, " \t\r\n", &save); word && n < WORDS_MAX;
         word = strtok_r(NULL, " \t\r\n", &save))
        words[n++] = word;
    return n;
}

static bool to_number(const char *word, double *number)
{
    char *end;
    *number = ph_strtod(word, &end);
    return end != word && *end == '\0' && isfinite(*number);
}

/* "species:S:1:pos:R:3:orientation:R:4": names, types and numbers of columns */
static bool parse_properties(const char *text, struct columns *columns)
{
    *columns = no_columns;
    char copy[LINE];
    const size_t length = strcspn(text, " \t\r\n\"");
    memcpy(copy, text, length);
    copy[length] = '\0';
    char *save, *word = strtok_r(copy, ":", &save);
    while (word) {
        const char *type = strtok_r(NULL, ":", &save), *count = strtok_r(NULL, ":", &save);
        const long n = count ? strtol(count, NULL, 10) : 0;
        if (!type || n < 1 || n > WORDS_MAX)
            return false;
        if ((strcmp(word, "species") == 0 || strcmp(word, "type") == 0) && n == 1)
            columns->name = columns->least;
        else if (strcmp(word, "pos") == 0 && n == 3)
            columns->position = columns->least;
        else if (strcmp(word, "orientation") == 0 && n == 4)
            columns->orientation = columns->least;
        else if (strcmp(word, "velo") == 0 && n == 3)
            columns->velocity = columns->least;
        else if (strcmp(word, "angular_momentum") == 0 && n == 3)
            columns->angular_momentum = columns->least;
        columns->least += (int)n;
        word = strtok_r(NULL, ":", &save);
    }
    return columns->position >= 0 && columns->least <= WORDS_MAX;
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

static enum ph_status parse_comment(char *line, double scale, struct ph_frame *frame, struct columns *columns,
                                    struct ph_error *err)
{
    const char *lattice = strstr(line, "Lattice="), *properties = strstr(line, "Properties=");
    *columns = no_columns;
    if (lattice) {
        const char *at = lattice + strlen("Lattice=");
        at += *at == '"';
        for (int k = 0; k < 9; ++k) {
            char *end;
            frame->edge[k / 3][k % 3] = scale * ph_strtod(at, &end);
            if (end == at)
                return ph_error_set(err, PH_ERR_INPUT, "%s:2: Lattice=\"...\" must have nine numbers.", frame->file);
            at = end;
        }
        frame->periodic = true;
    }
    if (properties && !parse_properties(properties + strlen("Properties="), columns))
        return ph_error_set(
            err, PH_ERR_INPUT,
            "%s:2: Properties must be name:type:count groups with pos:R:3 among them, and perhaps species:S:1, "
            "orientation:R:4, velo:R:3 and angular_momentum:R:3.",
            frame->file);
    const enum ph_status order =
        parse_choice(line, "orientation_order=", "wxyz", "xyzw", frame->file, &columns->scalar_last, err);
    const enum ph_status axes =
        parse_choice(line, "orientation_frame=", "principal", "model", frame->file, &frame->model_axes, err);
    if (order != PH_OK || axes != PH_OK)
        return PH_ERR_INPUT;
    if (lattice || properties)
        return PH_OK;
    char *words[WORDS_MAX];
    const int n = split(line, words);
    double number[4];
    if (n == 3 || n == 4) { /* NIST: perhaps a number of the configuration, and three edges */
        int numbers = 0;
        while (numbers < n && to_number(words[numbers], &number[numbers]))
            ++numbers;
        frame->periodic = numbers == n;
        for (int k = 0; k < 3 && frame->periodic; ++k)
            frame->edge[k][k] = scale * number[n - 3 + k];
    }
    return PH_OK;
}

/* Without Properties: "name x y z" or "index x y z [name]" */
static struct columns guess_columns(char *const *words, int n)
{
    double index;
    struct columns columns = no_columns;
    const bool indexed = n >= 1 && to_number(words[0], &index);
    columns.name = !indexed ? 0 : n > 4 ? 4 : -1;
    columns.position = 1;
    columns.least = 4;
    return columns;
}

/* `count` numbers from word `first` on, times a factor; nothing if there is no such column */
static bool take(char *const *words, int first, int count, double factor, double *out)
{
    bool good = true;
    for (int k = 0; k < count && good && first >= 0; ++k) {
        good = to_number(words[first + k], &out[k]);
        out[k] *= factor;
    }
    return good;
}

static enum ph_status parse_line(char *line, size_t i, double scale, struct columns columns, struct ph_frame *frame,
                                 struct ph_error *err)
{
    char *words[WORDS_MAX];
    const int n = split(line, words);
    if (columns.position < 0)
        columns = guess_columns(words, n);
    bool good = n >= columns.least && take(words, columns.position, 3, scale, frame->position[i]) &&
                (!frame->orientation || take(words, columns.orientation, 4, 1.0, frame->orientation[i])) &&
                (!frame->velocity || take(words, columns.velocity, 3, scale, frame->velocity[i])) &&
                (!frame->angular_momentum ||
                 take(words, columns.angular_momentum, 3, scale * scale, frame->angular_momentum[i]));
    if (good && columns.scalar_last && frame->orientation) {
        double *q = frame->orientation[i];
        const double w = q[3];
        memmove(q + 1, q, 3 * sizeof *q);
        q[0] = w;
    }
    if (good && columns.name >= 0)
        good = snprintf(frame->name[i], PH_NAME, "%s", words[columns.name]) < PH_NAME;
    if (!good)
        return ph_error_set(
            err, PH_ERR_INPUT,
            "%s:%zu: expected at least %d words with finite coordinates (and a name shorter than %d letters), "
            "found %d.",
            frame->file, i + 3, columns.least, PH_NAME, n);
    return PH_OK;
}

static enum ph_status read_stream(FILE *stream, double scale, struct ph_frame *frame, struct ph_error *err)
{
    char line[LINE];
    double count;
    char *words[WORDS_MAX];
    if (!fgets(line, sizeof line, stream) || split(line, words) < 1 || !to_number(words[0], &count) ||
        !(count >= 1.0) || count > 1e9 || count != floor(count))
        return ph_error_set(err, PH_ERR_INPUT, "%s:1: expected the number of lines that follow the second.",
                            frame->file);
    frame->n = (size_t)count;
    struct columns columns;
    if (!fgets(line, sizeof line, stream))
        return ph_error_set(err, PH_ERR_INPUT, "%s:2: the file ends.", frame->file);
    enum ph_status status = parse_comment(line, scale, frame, &columns, err);
    if (status != PH_OK)
        return status;
    frame->name = calloc(frame->n, sizeof *frame->name);
    frame->position = calloc(frame->n, sizeof *frame->position);
    if (columns.orientation >= 0)
        frame->orientation = calloc(frame->n, sizeof *frame->orientation);
    if (columns.velocity >= 0)
        frame->velocity = calloc(frame->n, sizeof *frame->velocity);
    if (columns.angular_momentum >= 0)
        frame->angular_momentum = calloc(frame->n, sizeof *frame->angular_momentum);
    if (!frame->name || !frame->position || (columns.orientation >= 0 && !frame->orientation) ||
        (columns.velocity >= 0 && !frame->velocity) || (columns.angular_momentum >= 0 && !frame->angular_momentum))
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for the %zu lines of %s.", frame->n, frame->file);
    for (size_t i = 0; i < frame->n; ++i) {
        if (!fgets(line, sizeof line, stream))
            return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: the file ends after %zu of %zu lines.", frame->file, i + 3,
                                i, frame->n);
        status = parse_line(line, i, scale, columns, frame, err);
        if (status != PH_OK)
            return status;
    }
    return PH_OK;
}

enum ph_status ph_frame_read(const char *file, double scale, struct ph_frame *frame, struct ph_error *err)
{
    *frame = (struct ph_frame){.needs = "the columns orientation:R:4, or one line for each of several sites"};
    snprintf(frame->file, sizeof frame->file, "%s", file);
    FILE *stream = fopen(file, "r");
    if (!stream)
        return ph_error_set(err, PH_ERR_IO, "%s: cannot be read: %s.", file, strerror(errno));
    const enum ph_status status = read_stream(stream, scale, frame, err);
    fclose(stream);
    if (status != PH_OK)
        ph_frame_free(frame);
    return status;
}
