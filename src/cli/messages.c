/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

int ph_cli_fail(const char *command, const struct ph_error *err)
{
    fprintf(stderr, "%s: %s\n", command, err->text);
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

enum { LONGEST_NAME = 63 };

/* Number of letters to insert, delete or replace to turn one word into the other (Levenshtein); longer words are far
 * from everything. */
static size_t distance(const char *a, const char *b)
{
    const size_t n_a = strlen(a), n_b = strlen(b);
    if (n_a > LONGEST_NAME || n_b > LONGEST_NAME)
        return SIZE_MAX;
    size_t row[LONGEST_NAME + 1]; /* distances of a's first i letters to the first j of b */
    for (size_t j = 0; j <= n_b; ++j)
        row[j] = j;
    for (size_t i = 1; i <= n_a; ++i) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n_b; ++j) {
            size_t best = diagonal + (a[i - 1] != b[j - 1]);
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[n_b];
}

const char *ph_cli_nearest(const char *typed, size_t n, const char *(*name_at)(size_t))
{
    const char *nearest = NULL;
    size_t smallest = 2 + strlen(typed) / 3; /* beyond this it is another word, not a slip */
    for (size_t i = 0; i < n; ++i) {
        const size_t d = distance(typed, name_at(i));
        if (d < smallest) {
            smallest = d;
            nearest = name_at(i);
        }
    }
    return nearest;
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
