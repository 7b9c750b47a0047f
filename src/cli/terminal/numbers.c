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

/* "A", "A:B", "A:B:C", each may be left out between colons */
enum ph_status ph_cli_parse_frames(const char *text, struct ph_frame_range *frames, bool *single, struct ph_error *err)
{
    int64_t numbers[3] = {0, 0, 1};
    bool given[3] = {false, false, false};
    int n = 0;
    const char *at = text;
    bool good = true;
    for (; good && n < 3; ++n) {
        char *end;
        errno = 0;
        const long number = strtol(at, &end, 10);
        given[n] = end != at;
        if (given[n])
            numbers[n] = number;
        good = errno == 0 && (*end == ':' || *end == '\0');
        at = end + 1;
        if (*end == '\0')
            break;
    }
    *single = n == 0;
    if (!good || n == 3 || numbers[2] < 1 || (*single && !given[0]))
        return ph_error_set(err, PH_ERR_INPUT,
                            "--frames %s: not accepted; give one frame, as 7 or -1, or A:B or A:B:C with C at least 1.",
                            text);
    *frames = (struct ph_frame_range){given[0], given[1], numbers[0], numbers[1], numbers[2]};
    if (*single) { /* [a, a + 1), where -1 + 1 means the end, not 0 */
        frames->has_end = numbers[0] != -1;
        frames->end = numbers[0] + 1;
    }
    return PH_OK;
}
