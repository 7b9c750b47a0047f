/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_space(const char *text)
{
    while (isspace((unsigned char)*text))
        ++text;
    return text;
}

/* "a number" or "3 numbers separated by commas" */
static const char *wanted(size_t n, size_t size, char *text)
{
    if (n == 1)
        snprintf(text, size, "one number");
    else
        snprintf(text, size, "%zu numbers separated by commas", n);
    return text;
}

enum ph_status ph_cli_parse_numbers(const char *option, const char *text, size_t n, double *numbers,
                                    struct ph_error *err)
{
    char want[64];
    const char *rest = text;
    size_t given = 0;
    for (;;) {
        const char *next_comma = strchr(rest, ',');
        const int length = (int)(next_comma ? (size_t)(next_comma - rest) : strlen(rest));
        char *end;
        const double number = strtod(rest, &end);
        const char *after = skip_space(end);
        if (end == rest || after != rest + length || !isfinite(number))
            return ph_error_set(err, PH_ERR_INPUT, "%s %s: '%.*s' is not a finite number; accepted: %s.", option, text,
                                length, rest, wanted(n, sizeof want, want));
        if (given < n)
            numbers[given] = number;
        ++given;
        if (!next_comma)
            break;
        rest = next_comma + 1;
    }
    if (given != n)
        return ph_error_set(err, PH_ERR_INPUT, "%s %s: %zu number%s given; accepted: %s.", option, text, given,
                            given == 1 ? "" : "s", wanted(n, sizeof want, want));
    return PH_OK;
}

enum ph_status ph_cli_parse_integer(const char *option, const char *text, long smallest, long *number,
                                    struct ph_error *err)
{
    char *end;
    errno = 0;
    const long value = strtol(text, &end, 10);
    if (end == text || *skip_space(end) || errno == ERANGE || value < smallest)
        return ph_error_set(err, PH_ERR_INPUT, "%s %s: not accepted; give a whole number, at least %ld.", option, text,
                            smallest);
    *number = value;
    return PH_OK;
}
