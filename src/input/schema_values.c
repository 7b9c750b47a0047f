/* SPDX-License-Identifier: MIT */
#include "input/schema_values.h"

#include "base/plain.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool parse_number(const char *text, double *number)
{
    if (strcmp(text, ".inf") == 0 || strcmp(text, "inf") == 0) {
        *number = INFINITY;
        return true;
    }
    if (text[0] == '\0' ||
        text[strspn(text, "+-.0123456789eE")] != '\0') /* strtod also knows hexadecimal, nan, spaces */
        return false;
    char *end;
    *number = ph_strtod(text, &end);
    return *end == '\0' && isfinite(*number);
}

static bool in_range(const struct ph_key *key, double x)
{
    if (key->low == 0.0 && key->high == 0.0)
        return isfinite(x);
    return (key->above ? x > key->low : x >= key->low) && x <= key->high;
}

static bool store_number(const struct ph_key *key, const char *text, size_t k, void *place)
{
    double number;
    if (!parse_number(text, &number) || !in_range(key, number))
        return false;
    ((double *)place)[k] = number;
    return true;
}

/* 20000 or 2e4: integers may be written as any number without a fraction. Up to 2^53 both are exact. */
static bool store_integer(const struct ph_key *key, const char *text, size_t k, void *place)
{
    double number;
    if (!parse_number(text, &number) || !in_range(key, number) || number != floor(number) || fabs(number) > 0x1p53)
        return false;
    ((int64_t *)place)[k] = (int64_t)number;
    return true;
}

static bool is_choice(const char *choices, const char *text)
{
    const size_t length = strlen(text);
    for (const char *word = choices; word; word = strchr(word, '|') ? strchr(word, '|') + 1 : NULL)
        if (length > 0 && strncmp(word, text, length) == 0 && (word[length] == '|' || word[length] == '\0'))
            return true;
    return false;
}

static bool store_text(const char *text, size_t size, char *place)
{
    if (text[0] == '\0' || strlen(text) >= size)
        return false;
    strcpy(place, text);
    return true;
}

/* 3 for a vector, 2 for a pair, 1 for scalars */
static size_t components(const struct ph_key *key)
{
    switch (key->type) {
    case PH_KEY_EDGES: return 9;
    case PH_KEY_VECTOR:
    case PH_KEY_COUNTS:
    case PH_KEY_LENGTHS: return 3;
    case PH_KEY_PAIR: return 2;
    default: return 1;
    }
}

bool ph_value_store(const struct ph_key *key, const char *text, bool plain, size_t k, void *place)
{
    switch (key->type) {
    case PH_KEY_NUMBER:
    case PH_KEY_VECTOR:
    case PH_KEY_LENGTHS:
    case PH_KEY_EDGES: return plain && store_number(key, text, k, place);
    case PH_KEY_INTEGER:
    case PH_KEY_COUNTS: return plain && store_integer(key, text, k, place);
    case PH_KEY_FLAG:
        if (!plain || (strcmp(text, "true") != 0 && strcmp(text, "false") != 0))
            return false;
        *(bool *)place = text[0] == 't';
        return true;
    case PH_KEY_CHOICE: return is_choice(key->choices, text) && store_text(text, key->size, place);
    case PH_KEY_TEXT:
    case PH_KEY_PAIR: return store_text(text, key->size, (char *)place + k * key->size);
    default: return false;
    }
}

void ph_value_default(const struct ph_key *key, void *place)
{
    const size_t n = components(key);
    for (size_t k = 0; k < n; ++k) {
        if (key->fallback) {
            const bool stored = ph_value_store(key, key->fallback, true, k, place);
            assert(stored && "the table's default must be acceptable to it");
            (void)stored;
            continue;
        }
        switch (key->type) {
        case PH_KEY_NUMBER:
        case PH_KEY_VECTOR:
        case PH_KEY_LENGTHS:
        case PH_KEY_EDGES: ((double *)place)[k] = NAN; break;
        case PH_KEY_INTEGER:
        case PH_KEY_COUNTS: ((int64_t *)place)[k] = PH_ABSENT; break;
        case PH_KEY_FLAG: *(bool *)place = false; break;
        case PH_KEY_MAP: *(int *)place = 0; break;
        default: ((char *)place)[k * key->size] = '\0'; break;
        }
    }
}

static void describe_range(const struct ph_key *key, const char *noun, char text[PH_PATH])
{
    if (key->low == 0.0 && key->high == 0.0)
        snprintf(text, PH_PATH, "%s", noun);
    else if (isinf(key->low) && !isinf(key->high))
        ph_snprintf(text, PH_PATH, "%s up to %.10g", noun, key->high);
    else if (isinf(key->high) || key->high >= 1e15)
        ph_snprintf(text, PH_PATH, "%s %s %.10g%s", noun, key->above ? "above" : "from", key->low,
                    key->above ? "" : " upwards");
    else
        ph_snprintf(text, PH_PATH, "%s %s %.10g %s %.10g", noun, key->above ? "above" : "from", key->low,
                    key->above ? "and up to" : "to", key->high);
}

void ph_schema_accepted(const struct ph_key *key, char text[PH_PATH])
{
    static const char *const nouns[] = {
        [PH_KEY_MAP] = "a map of keys",
        [PH_KEY_LIST] = "a list of maps",
        [PH_KEY_NUMBER] = "a number",
        [PH_KEY_INTEGER] = "a whole number",
        [PH_KEY_FLAG] = "true or false",
        [PH_KEY_TEXT] = "a text",
        [PH_KEY_CHOICE] = "one of ",
        [PH_KEY_VECTOR] = "three numbers [x, y, z], each",
        [PH_KEY_LENGTHS] = "a number, or three [x, y, z], each",
        [PH_KEY_COUNTS] = "a whole number, or three [a, b, c], each",
        [PH_KEY_EDGES] = "three vectors [[x, y, z], [x, y, z], [x, y, z]]",
        [PH_KEY_PAIR] = "two texts [a, b]",
        [PH_KEY_WORDS] = "a map of words to words {a: b, c: d}, each",
    };
    const char *noun = nouns[key->type];
    if (key->type == PH_KEY_CHOICE) {
        size_t used = (size_t)snprintf(text, PH_PATH, "%s", noun);
        for (const char *c = key->choices; *c != '\0' && used + 3 < PH_PATH; ++c) {
            if (*c == '|')
                text[used++] = ',';
            text[used++] = *c == '|' ? ' ' : *c;
        }
        text[used] = '\0';
    } else if (key->type == PH_KEY_TEXT || key->type == PH_KEY_PAIR || key->type == PH_KEY_WORDS) {
        snprintf(text, PH_PATH, "%s of at most %zu letters", noun, key->size - 1);
    } else {
        describe_range(key, noun, text);
        const size_t length = strlen(text);
        if (key->low == 0.0 && key->high == 0.0 && length > 6 && strcmp(text + length - 6, ", each") == 0)
            text[length - 6] = '\0';
    }
}
