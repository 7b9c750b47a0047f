/* SPDX-License-Identifier: MIT */
#include "formats/frame_text.h"

#include "base/memory.h"
#include "base/plain.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum ph_status ph_text_open(const char *file, struct ph_frame_text **text, struct ph_error *err)
{
    *text = NULL;
    FILE *stream = fopen(file, "r");
    if (!stream)
        return ph_error_set(err, PH_ERR_IO, "%s: cannot be read: %s.", file, strerror(errno));
    *text = ph_allocate(1, sizeof **text);
    if (!*text) {
        fclose(stream);
        return ph_no_memory(err, "the contents of %s", file);
    }
    (*text)->stream = stream;
    return PH_OK;
}

void ph_text_close(struct ph_frame_text *text)
{
    if (text)
        fclose(text->stream);
    free(text);
}

bool ph_text_next(struct ph_frame_text *text)
{
    size_t n = 0, words = 0;
    bool blank = true;
    int c = text->too_long ? EOF : getc(text->stream);
    if (c == EOF)
        return false;
    ++text->line;
    for (; c != EOF && c != '\n'; c = getc(text->stream)) {
        const bool space = c == ' ' || c == '\t' || c == '\r';
        words += blank && !space;
        blank = space;
        if (n + 1 == PH_TEXT_LINE || words > PH_TEXT_WORDS) {
            text->text[n] = '\0';
            text->too_long = true;
            return false;
        }
        text->text[n++] = (char)(c == '\0' ? ' ' : c);
    }
    while (n > 0 && text->text[n - 1] == '\r')
        --n;
    text->text[n] = '\0';
    return true;
}

enum ph_status ph_text_status(const struct ph_frame_text *text, const char *file, enum ph_status status,
                              struct ph_error *err)
{
    if (!text->too_long)
        return status;
    return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: the line has more than %d characters, or more than %d words.", file,
                        text->line, PH_TEXT_LINE - 1, PH_TEXT_WORDS);
}

int ph_text_split(char *line, char *words[PH_TEXT_WORDS])
{
    int n = 0;
    for (char *save, *word = strtok_r(line, " \t\r\n", &save); word && n < PH_TEXT_WORDS;
         word = strtok_r(NULL, " \t\r\n", &save))
        words[n++] = word;
    return n;
}

bool ph_text_number(const char *word, double *number)
{
    char *end;
    *number = ph_strtod(word, &end);
    return end != word && *end == '\0' && isfinite(*number);
}

void ph_text_columns(const char *line, size_t first, size_t width, char *out, size_t size)
{
    const size_t length = strlen(line), end = first + width < length ? first + width : length;
    size_t n = 0;
    while (first < end && line[first] == ' ')
        ++first;
    for (; first < end && n + 1 < size; ++first)
        out[n++] = line[first];
    while (n > 0 && out[n - 1] == ' ')
        --n;
    out[n] = '\0';
}

void *ph_text_grow(void *memory, size_t n, size_t size)
{
    if (n & (n - 1))
        return memory;
    void *larger = ph_reallocate(memory, n > 0 ? 2 * n : 1, size);
    if (!larger)
        free(memory);
    return larger;
}

enum ph_status ph_frame_add(const struct ph_frame_atom *atom, struct ph_frame *frame, struct ph_error *err)
{
    const size_t n = frame->n;
    frame->name = ph_text_grow(frame->name, n, sizeof *frame->name);
    frame->residue = ph_text_grow(frame->residue, n, sizeof *frame->residue);
    frame->molecule = ph_text_grow(frame->molecule, n, sizeof *frame->molecule);
    frame->line_number = ph_text_grow(frame->line_number, n, sizeof *frame->line_number);
    frame->position = ph_text_grow(frame->position, n, sizeof *frame->position);
    frame->velocity = ph_text_grow(frame->velocity, n, sizeof *frame->velocity);
    if (!frame->name || !frame->residue || !frame->molecule || !frame->line_number || !frame->position ||
        !frame->velocity)
        return ph_no_memory(err, "the atoms of %s", frame->file);
    if (atom->charged) {
        frame->charge = ph_text_grow(frame->charge, n, sizeof *frame->charge);
        if (!frame->charge)
            return ph_no_memory(err, "the atoms of %s", frame->file);
        frame->charge[n] = atom->charge;
    }
    memcpy(frame->name[n], atom->name, sizeof atom->name);
    memcpy(frame->residue[n], atom->residue, sizeof atom->residue);
    memcpy(frame->position[n], atom->position, sizeof atom->position);
    memcpy(frame->velocity[n], atom->velocity, sizeof atom->velocity);
    frame->molecule[n] = atom->molecule;
    frame->line_number[n] = atom->line;
    ++frame->n;
    return PH_OK;
}

void ph_frame_no_velocities(struct ph_frame *frame)
{
    free(frame->velocity);
    frame->velocity = NULL;
}

void ph_frame_free(struct ph_frame *frame)
{
    free(frame->name);
    free(frame->residue);
    free(frame->molecule);
    free(frame->line_number);
    free(frame->position);
    free(frame->orientation);
    free(frame->lines);
    free(frame->image);
    free(frame->velocity);
    free(frame->charge);
    free(frame->angular_momentum);
    *frame = (struct ph_frame){.n = 0};
}

void ph_frame_scale(double length, double time, struct ph_frame *frame)
{
    for (int k = 0; k < 9; ++k)
        frame->edge[k / 3][k % 3] *= length;
    frame->rounding *= length;
    for (size_t i = 0; i < frame->n; ++i)
        for (int k = 0; k < 3; ++k) {
            frame->position[i][k] *= length;
            if (frame->velocity)
                frame->velocity[i][k] *= length / time;
            if (frame->angular_momentum)
                frame->angular_momentum[i][k] *= length * length / time;
        }
}
