/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include "base/names.h"
#include "base/plain.h"
#include "output/reader/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int ph_cli_fail(const char *command, const struct ph_error *err)
{
    fprintf(stderr, "%s: ", command);
    ph_cli_print(stderr, err->text);
    fputc('\n', stderr);
    return (int)err->status;
}

void ph_cli_warn(const char *command, const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "%s: ", command);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

void ph_cli_note_seal(const char *command, const char *file)
{
    struct ph_reader reader;
    struct ph_error forgotten;
    if (ph_reader_open_file(file, &reader, &forgotten) == PH_OK && reader.unsealed)
        ph_cli_warn(command, "note: %s %s", file, ph_h5md_unsealed);
    ph_reader_close(&reader);
}

char *ph_cli_bytes(double bytes, char text[PH_CLI_BYTES])
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    int unit = 0;
    for (; bytes >= 1000.0 && unit < 4; ++unit)
        bytes /= 1000.0;
    ph_snprintf(text, PH_CLI_BYTES, "%.3g %s", bytes, units[unit]);
    return text;
}

char *ph_cli_other_name(const char *file, const char *ending)
{
    const char *dot = strrchr(file, '.'), *slash = strrchr(file, '/');
    const size_t stem = dot && (!slash || dot > slash + 1) && dot > file ? (size_t)(dot - file) : strlen(file);
    char *name = malloc(stem + strlen(ending) + 2);
    if (name)
        sprintf(name, "%.*s.%s", (int)stem, file, ending);
    return name;
}

char *ph_cli_quoted(const char *name, size_t room, char *text)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+,:=@%/";
    const char *before = name[0] == '-' ? "./" : ""; /* not an option */
    if (name[0] && name[strspn(name, safe)] == '\0') {
        snprintf(text, room, "%s%s", before, name);
        return text;
    }
    size_t used = (size_t)snprintf(text, room, "'%s", before);
    for (; *name && used < room; ++name) {
        const char letter[] = {*name, '\0'};
        used += (size_t)snprintf(text + used, room - used, "%s", *name == '\'' ? "'\\''" : letter);
    }
    if (used < room)
        snprintf(text + used, room - used, "'");
    return text;
}

const char *ph_cli_nearest(const char *typed, size_t n, const char *(*name_at)(size_t))
{
    enum { MOST = 256 };
    const char *names[MOST];
    n = n < MOST ? n : MOST;
    for (size_t i = 0; i < n; ++i)
        names[i] = name_at(i);
    return ph_name_nearest(typed, n, names);
}

enum ph_status ph_cli_unknown_name(const char *kind, const char *typed, size_t n, const char *(*name_at)(size_t),
                                   struct ph_error *err)
{
    char names[PH_ERROR_TEXT / 2] = "";
    for (size_t i = 0; i < n; ++i) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "", name_at(i));
    }
    const char *nearest = ph_cli_nearest(typed, n, name_at);
    return ph_error_set(err, PH_ERR_INPUT, "There is no %s named '%s'.%s%s%s Accepted: %s.", kind, typed,
                        nearest ? " Did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "", names);
}

void ph_cli_say_wrapped(struct ph_json *json, int indent, const char *text)
{
    enum { WIDTH = 110 };
    int column = 0;
    while (*text) {
        const int length = (int)strcspn(text, " "), before = column == 0 ? indent : 1;
        if (column > 0 && column + before + length > WIDTH) {
            ph_json_say(json, "\n");
            column = 0;
            continue;
        }
        ph_json_say(json, "%*s%.*s", before, "", length, text);
        column += before + length;
        text += length;
        text += strspn(text, " ");
    }
    ph_json_say(json, "\n");
}
