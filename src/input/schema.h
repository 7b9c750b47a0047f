/* SPDX-License-Identifier: MIT */
#ifndef PH_INPUT_SCHEMA_H
#define PH_INPUT_SCHEMA_H

/* The keys that a file may contain, as one table: reading, checking, defaults and the documentation of keys all use it.
 *
 * A table lists every key with its full path, a map before its keys and a list before the keys of its items. Paths of
 * items continue with "[]": "system.molecules[].count". Values go into a plain struct; offsets are from its beginning,
 * or for keys of list items from the beginning of the item. An absent value without a default is left as NaN, "",
 * false, or PH_ABSENT for integers. */

#include "base/error.h"
#include "input/place.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ph_yaml;

#define PH_ABSENT INT64_MIN

enum ph_key_type {
    PH_KEY_MAP,  /* struct; int at `offset`: line where it begins, 0 if absent */
    PH_KEY_LIST, /* of maps: items at `offset`, each `size` bytes, at most `capacity`; size_t at `count`: how many; int
                  * at `line` of an item: where it begins */
    PH_KEY_NUMBER,  /* double */
    PH_KEY_INTEGER, /* int64_t */
    PH_KEY_FLAG,    /* bool */
    PH_KEY_TEXT,    /* char[size] */
    PH_KEY_CHOICE,  /* char[size]: one of `choices` */
    PH_KEY_VECTOR,  /* double[3] */
    PH_KEY_LENGTHS, /* double[3], of one number or three */
    PH_KEY_COUNTS,  /* int64_t[3], of one whole number or three */
    PH_KEY_EDGES,   /* double[9], of three vectors */
    PH_KEY_PAIR,    /* char[2][size]: two texts */
    PH_KEY_WORDS, /* a map of words to words of any names: char[2][size] at `offset`, at most `capacity` of them; size_t
                   * at `count`: how many */
};

struct ph_key {
    const char *path;
    enum ph_key_type type;
    size_t offset;
    size_t size, count, capacity, line;
    /* Numbers, each component of vectors, and integers lie in low .. high; `above` leaves out low itself. Both zero:
     * any finite number. An infinite `high` lets the user write .inf. */
    double low, high;
    bool above;
    bool required;      /* wherever its map is present */
    const char *stands; /* of a map: the name of a file in its place is the value of this key; NULL: it must be a map */
    const char *fallback; /* the default, as one would write it; NULL: none */
    const char *choices;  /* "a|b|c" */
    const char *help;     /* one line for the user, with the unit or the meaning of a missing value */
};

struct ph_schema {
    const char *what; /* "input" or "model": for messages */
    size_t n;
    const struct ph_key *key;
};

/* Reads the document into `out`, which the table's offsets describe. lines[k], if not NULL, is where key k of the table
 * was last seen (ph_yaml_line; 0: nowhere). Errors are PH_ERR_INPUT and name place, key, value and the accepted
 * values. */
enum ph_status ph_schema_read(const struct ph_schema *schema, struct ph_yaml *yaml, void *out, int *lines,
                              struct ph_error *err);

/* Number of the key with this path in the table; the table must have it. */
size_t ph_schema_index(const struct ph_schema *schema, const char *path);

/* Describes the values that a key accepts: "a number above 0", "one of fcc, random" */
void ph_schema_accepted(const struct ph_key *key, char text[PH_PATH]);

#endif
