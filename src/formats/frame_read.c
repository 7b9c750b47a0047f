/* SPDX-License-Identifier: MIT */
/* The formats of start files that are text, and which frame of a file is meant. */
#include "base/memory.h"
#include "base/names.h"
#include "formats/frame_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct format {
    const char *name, *endings, *description;
    enum ph_status (*read)(struct ph_frame_text *text, struct ph_frame *frame, struct ph_error *err);
};

static const struct format formats[] = {
    {"xyz", ".xyz|.extxyz", "plain or extended XYZ, one line per atom or per molecule", ph_frame_read_xyz},
    {"pdb", ".pdb|.ent", "Protein Data Bank, lengths in Angstrom", ph_frame_read_pdb},
    {"gro", ".gro", "GROMACS, lengths in nm", ph_frame_read_gro},
    {"lammps", ".data|.lmp|.lammps", "LAMMPS data, atom styles atomic, charge, molecular, full", ph_frame_read_lammps},
};
enum { N_FORMATS = sizeof formats / sizeof *formats };

/* "xyz (.xyz, .extxyz): description; pdb ..." */
static void list_formats(size_t size, char *list)
{
    size_t used = 0;
    list[0] = '\0';
    for (size_t k = 0; k < N_FORMATS && used < size; ++k) {
        used += (size_t)snprintf(list + used, size - used, "%s%s (", k > 0 ? "; " : "", formats[k].name);
        for (const char *c = formats[k].endings; *c != '\0' && used + 2 < size; ++c)
            used += (size_t)snprintf(list + used, size - used, "%.*s", *c == '|' ? 2 : 1, *c == '|' ? ", " : c);
        if (used < size)
            used += (size_t)snprintf(list + used, size - used, "): %s", formats[k].description);
    }
}

/* By the ending; "data.water" is LAMMPS's custom. Any file that begins with a whole number can be XYZ. */
static const struct format *guess(const char *file, FILE *stream)
{
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file, *dot = strrchr(base, '.');
    for (size_t k = 0; k < N_FORMATS && dot; ++k) {
        char ending[16];
        size_t n = 0;
        for (; dot[n] != '\0' && n + 1 < sizeof ending; ++n)
            ending[n] = (char)(dot[n] >= 'A' && dot[n] <= 'Z' ? dot[n] - 'A' + 'a' : dot[n]);
        ending[n] = '\0';
        if (dot[n] == '\0' && ph_name_among(ending, formats[k].endings))
            return &formats[k];
    }
    if (strncasecmp(base, "data.", 5) == 0)
        return &formats[N_FORMATS - 1];
    struct ph_frame_text text = {.stream = stream};
    char *words[PH_TEXT_WORDS];
    double count;
    const bool number = ph_text_next(&text) && ph_text_split(text.text, words) > 0 && ph_text_number(words[0], &count);
    rewind(stream);
    return number ? &formats[0] : NULL;
}

static const struct format *choose(const char *file, const char *name, FILE *stream, struct ph_error *err)
{
    for (size_t k = 0; k < N_FORMATS; ++k)
        if (strcmp(name, formats[k].name) == 0)
            return &formats[k];
    const struct format *format = guess(file, stream);
    if (format)
        return format;
    char list[PH_ERROR_TEXT / 2];
    list_formats(sizeof list, list);
    ph_error_set(err, PH_ERR_INPUT,
                 "%s: the format is unknown. Known: h5md (by its content); %s. If it is one of these under another "
                 "ending, say which: system.start.format.",
                 file, list);
    return NULL;
}

static struct ph_frame empty(const char *file, const struct format *format)
{
    struct ph_frame frame = {.format = format->name,
                             .needs = "the columns orientation:R:4, or one line for each of several sites"};
    snprintf(frame.file, sizeof frame.file, "%s", file);
    return frame;
}

/* Frames one after the other, up to number `last`; keeps the last one. `count`: how many there were */
static enum ph_status read_frames(const char *file, const struct format *format, size_t last,
                                  struct ph_frame_text *text, struct ph_frame *frame, size_t *count,
                                  struct ph_error *err)
{
    *frame = empty(file, format);
    for (*count = 0; *count <= last; ++*count) {
        struct ph_frame next = empty(file, format);
        const enum ph_status status = format->read(text, &next, err);
        if (status != PH_OK || next.n == 0) {
            ph_frame_free(&next);
            return status;
        }
        ph_frame_free(frame);
        *frame = next;
    }
    return PH_OK;
}

static enum ph_status read_stream(const char *file, const struct ph_frame_request *request, FILE *stream,
                                  struct ph_frame *frame, struct ph_error *err)
{
    const struct format *format = choose(file, request->format, stream, err);
    if (!format)
        return PH_ERR_INPUT;
    struct ph_frame_text *text = ph_allocate(1, sizeof *text);
    if (!text)
        return ph_no_memory(err, "the contents of %s", file);
    *text = (struct ph_frame_text){.stream = stream, .request = request};
    const int64_t asked = request->frame;
    size_t count;
    enum ph_status status = read_frames(file, format, asked < 0 ? SIZE_MAX : (size_t)asked, text, frame, &count, err);
    if (status == PH_OK && asked < -1 && count >= (size_t)-asked) { /* now that it is known how many there are */
        ph_frame_free(frame);
        rewind(stream);
        *text = (struct ph_frame_text){.stream = stream, .request = request};
        status = read_frames(file, format, count - (size_t)-asked, text, frame, &count, err);
    } else if (status == PH_OK && (asked < 0 ? count < (size_t)-asked : count <= (size_t)asked) && count > 0) {
        status = ph_error_set(err, PH_ERR_INPUT,
                              "%s: system.start.frame is %lld, but there are %zu frames. Accepted: 0 to %zu, or "
                              "backwards -1 to -%zu.",
                              file, (long long)asked, count, count - 1, count);
    } else if (status == PH_OK && count == 0) {
        status = ph_error_set(err, PH_ERR_INPUT, "%s:%zu: the file ends, and there were no atoms in it (format %s).",
                              file, text->line, format->name);
    }
    status = ph_text_status(text, file, status, err);
    free(text);
    return status;
}

enum ph_status ph_frame_read_text(const char *file, const struct ph_frame_request *request, struct ph_frame *frame,
                                  struct ph_error *err)
{
    *frame = (struct ph_frame){.n = 0};
    FILE *stream = fopen(file, "r");
    if (!stream)
        return ph_error_set(err, PH_ERR_IO, "%s: cannot be read: %s.", file, strerror(errno));
    const enum ph_status status = read_stream(file, request, stream, frame, err);
    fclose(stream);
    if (status != PH_OK)
        ph_frame_free(frame);
    return status;
}

enum ph_status ph_frame_read(const char *file, double scale, struct ph_frame *frame, struct ph_error *err)
{
    const struct ph_frame_request request = {.format = "xyz", .atom_style = "", .units = ""};
    const enum ph_status status = ph_frame_read_text(file, &request, frame, err);
    if (status == PH_OK)
        ph_frame_scale(scale, 1.0, frame);
    return status;
}
