/* SPDX-License-Identifier: MIT */
#ifndef PH_BASE_NAMES_H
#define PH_BASE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* Number of letters to insert, delete or replace to turn one word into the other (Levenshtein); SIZE_MAX for words
 * longer than 63 letters */
size_t ph_name_distance(const char *a, const char *b);

/* Returns the name nearest to `typed`, one of n, or NULL if none is near. */
const char *ph_name_nearest(const char *typed, size_t n, const char *const *names);

/* Is `value` one of `values`, which are separated by |? */
bool ph_name_among(const char *value, const char *values);

/* Is the ending of the file's name, after its last dot, one of `endings`? */
bool ph_name_ends(const char *file, const char *endings);

#endif
