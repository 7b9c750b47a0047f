/* SPDX-License-Identifier: MIT */
#include "base/names.h"

#include <stdint.h>
#include <string.h>

enum { LONGEST_NAME = 63 };

size_t ph_name_distance(const char *a, const char *b)
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

const char *ph_name_nearest(const char *typed, size_t n, const char *const *names)
{
    const char *nearest = NULL;
    size_t smallest = 2 + strlen(typed) / 3; /* more edits than this: another word, not a typing error */
    for (size_t i = 0; i < n; ++i) {
        const size_t d = ph_name_distance(typed, names[i]);
        if (d < smallest) {
            smallest = d;
            nearest = names[i];
        }
    }
    return nearest;
}

bool ph_name_among(const char *value, const char *values)
{
    const size_t length = strlen(value);
    for (const char *word = values; word; word = strchr(word, '|') ? strchr(word, '|') + 1 : NULL)
        if (strncmp(word, value, length) == 0 && (word[length] == '|' || word[length] == '\0'))
            return true;
    return false;
}

bool ph_name_ends(const char *file, const char *endings)
{
    const char *dot = strrchr(file, '.'), *slash = strrchr(file, '/');
    return dot && dot[1] && (!slash || dot > slash) && ph_name_among(dot + 1, endings);
}
