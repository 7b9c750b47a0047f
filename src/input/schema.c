/* SPDX-License-Identifier: MIT */
#include "input/schema.h"

#include "base/names.h"
#include "base/plain.h"
#include "input/other_programs.h"
#include "input/schema_values.h"
#include "input/yaml.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    const struct ph_schema *schema;
    struct ph_yaml *yaml;
    int *lines;
    struct ph_error *err;
};

/* A map while it is read: its path in the table ("system.molecules[]"), the same with numbers for messages, and the
 * struct that offsets refer to */
struct scope {
    const char *path, *shown;
    unsigned char *base;
};

enum { CHILDREN_MAX = 64 };

size_t ph_schema_index(const struct ph_schema *schema, const char *path)
{
    for (size_t k = 0; k < schema->n; ++k)
        if (strcmp(schema->key[k].path, path) == 0)
            return k;
    assert(false && "a path that the table does not have");
    return 0;
}

/* The rest of a key's path below a map; NULL if it is not below it */
static const char *below(const struct ph_key *key, const char *path)
{
    const size_t length = strlen(path);
    if (length == 0)
        return key->path;
    return strncmp(key->path, path, length) == 0 && key->path[length] == '.' ? key->path + length + 1 : NULL;
}

/* The name of a key directly in a map, else NULL */
static const char *child_name(const struct ph_key *key, const char *path)
{
    const char *rest = below(key, path);
    return rest && !strchr(rest, '.') ? rest : NULL;
}

/* Defaults of all keys that live in the same struct as this map */
static void set_defaults(const struct ph_schema *schema, const char *path, unsigned char *base)
{
    for (size_t k = 0; k < schema->n; ++k) {
        const struct ph_key *key = &schema->key[k];
        const char *rest = below(key, path);
        if (!rest || strstr(rest, "[]"))
            continue;
        if (key->type == PH_KEY_LIST || key->type == PH_KEY_WORDS)
            *(size_t *)(void *)(base + key->count) = 0;
        else
            ph_value_default(key, base + key->offset);
    }
}

static yaml_node_t *node_at(struct reader *reader, int index)
{
    return yaml_document_get_node(&reader->yaml->document, index);
}

static void join(const char *path, const char *name, char out[PH_PATH])
{
    snprintf(out, PH_PATH, "%s%s%s", path, path[0] ? "." : "", name);
}

/* Writes a sentence on the meaning of this name in another program, or at another place; else on the nearest of n
 * names. `text` has `room` characters. */
static void explain(struct reader *reader, const char *name, size_t n, const char *const *names, size_t room,
                    char *text)
{
    const char *peer = ph_peer_key(name), *nearest = ph_name_nearest(name, n, names);
    text[0] = '\0';
    if (nearest && ph_name_distance(name, nearest) <= 1) {
        snprintf(text, room, " Did you mean '%s'?", nearest);
        return;
    }
    for (size_t k = 0; k < reader->schema->n; ++k) { /* the key of this name, but in another map */
        const char *path = reader->schema->key[k].path, *dot = strrchr(path, '.');
        const size_t used = strlen(text);
        if (strcmp(dot ? dot + 1 : path, name) == 0 && !strstr(path, "[]") && used < room)
            snprintf(text + used, room - used, "%s%s", used > 0 ? ", " : " It belongs elsewhere: ", path);
    }
    const size_t used = strlen(text);
    if (used > 0 && used < room)
        snprintf(text + used, room - used, ".");
    else if (peer && strcmp(reader->schema->what, "input") == 0)
        snprintf(text, room, " %s", peer);
    else if (nearest)
        snprintf(text, room, " Did you mean '%s'?", nearest);
}

/* Writes "a, b, c", the keys directly in the map of this path; returns how many they are. */
static size_t list_keys(const struct reader *reader, const char *path, const char *names[CHILDREN_MAX], size_t room,
                        char *list)
{
    size_t n = 0;
    list[0] = '\0';
    for (size_t k = 0; k < reader->schema->n; ++k) {
        const char *child = child_name(&reader->schema->key[k], path);
        if (!child || n == CHILDREN_MAX)
            continue;
        const size_t used = strlen(list);
        snprintf(list + used, room - used, "%s%s", n > 0 ? ", " : "", child);
        names[n++] = child;
    }
    return n;
}

static enum ph_status unknown_key(struct reader *reader, const struct scope *scope, const yaml_node_t *node,
                                  const char *name)
{
    const char *names[CHILDREN_MAX];
    char list[PH_ERROR_TEXT / 2], place[PH_PLACE];
    const size_t n = list_keys(reader, scope->path, names, sizeof list, list);
    char meant[PH_PATH];
    explain(reader, name, n, names, sizeof meant, meant);
    ph_yaml_place(reader->yaml, node, place);
    return ph_error_set(reader->err, PH_ERR_INPUT, "%s: unknown key '%s%s%s'.%s Accepted here: %s.", place,
                        scope->shown, scope->shown[0] ? "." : "", name, meant, list);
}

/* "[4, 4, -4]" for a message; the contents of nested lists and maps are left out. */
static void show_list(struct reader *reader, const yaml_node_t *node, char text[PH_PATH])
{
    enum { MOST = 100 };
    size_t used = (size_t)snprintf(text, PH_PATH, "[");
    for (const yaml_node_item_t *item = node->data.sequence.items.start; item < node->data.sequence.items.top; ++item) {
        const yaml_node_t *child = node_at(reader, *item);
        if (used > MOST) {
            used += (size_t)snprintf(text + used, PH_PATH - used, ", ...");
            break;
        }
        used += (size_t)snprintf(text + used, PH_PATH - used, "%s%.30s", used > 1 ? ", " : "",
                                 child->type == YAML_SCALAR_NODE     ? ph_yaml_text(child)
                                 : child->type == YAML_SEQUENCE_NODE ? "[...]"
                                                                     : "{...}");
    }
    snprintf(text + used, PH_PATH - used, "]");
}

/* Where a map was given as a word: ", as {kind: langevin}", if its first key is a choice; else its keys */
static void find_form(struct reader *reader, const struct ph_key *map, const char *word, char form[PH_PATH])
{
    const struct ph_key *first = map + 1;
    if (!map->path || first == reader->schema->key + reader->schema->n || !child_name(first, map->path))
        return;
    if (first->type != PH_KEY_CHOICE) {
        const char *names[CHILDREN_MAX];
        const int used = snprintf(form, PH_PATH, ": ");
        list_keys(reader, map->path, names, PH_PATH - (size_t)used, form + used);
        return;
    }
    const char *example = ph_name_among(word, first->choices) ? word : first->choices;
    snprintf(form, PH_PATH, ", as {%s: %.*s}", child_name(first, map->path), (int)strcspn(example, "|"), example);
}

/* Of a number that is too large: ", at most 1e+15". Ranges are described without such limits. */
static void find_limit(const struct ph_key *key, const char *word, char limit[PH_PATH])
{
    const double most = key->type == PH_KEY_INTEGER && !(key->high < 0x1p53) ? 0x1p53 : key->high;
    if ((key->type == PH_KEY_INTEGER || key->type == PH_KEY_NUMBER) && most >= 1e15 && ph_strtod(word, NULL) > most)
        ph_snprintf(limit, PH_PATH, ", at most %.*g", key->type == PH_KEY_INTEGER ? 16 : 10, most);
}

static enum ph_status bad_value(struct reader *reader, const struct ph_key *key, const yaml_node_t *node,
                                const char *shown)
{
    char place[PH_PLACE], accepted[PH_PATH], found[PH_PATH];
    ph_yaml_place(reader->yaml, node, place);
    ph_schema_accepted(key, accepted);
    if (node->type == YAML_SCALAR_NODE && node->data.scalar.length == 0)
        snprintf(found, sizeof found, "nothing");
    else if (node->type == YAML_SCALAR_NODE)
        snprintf(found, sizeof found, "'%.80s'", ph_yaml_text(node));
    else if (node->type == YAML_SEQUENCE_NODE)
        show_list(reader, node, found);
    else
        snprintf(found, sizeof found, "a map");
    const char *nearest = NULL, *peer = NULL;
    char words[PH_PATH], form[PH_PATH] = "";
    if (node->type == YAML_SCALAR_NODE)
        peer = ph_peer_value(shown, ph_yaml_text(node));
    if (key->type == PH_KEY_CHOICE && node->type == YAML_SCALAR_NODE) {
        const char *names[CHILDREN_MAX];
        size_t n = 0;
        snprintf(words, sizeof words, "%s", key->choices);
        for (char *save, *word = strtok_r(words, "|", &save); word && n < CHILDREN_MAX;
             word = strtok_r(NULL, "|", &save))
            names[n++] = word;
        nearest = peer ? NULL : ph_name_nearest(ph_yaml_text(node), n, names);
    }
    if (key->type == PH_KEY_MAP && node->type == YAML_SCALAR_NODE)
        find_form(reader, key, ph_yaml_text(node), form);
    if (node->type == YAML_SCALAR_NODE)
        find_limit(key, ph_yaml_text(node), form);
    return ph_error_set(reader->err, PH_ERR_INPUT, "%s: %s is %s.%s%s%s%s%s Accepted: %s%s.", place, shown, found,
                        peer ? " " : "", peer ? peer : "", nearest ? " Did you mean '" : "", nearest ? nearest : "",
                        nearest ? "'?" : "", accepted, form);
}

static bool store_scalar(const struct ph_key *key, const yaml_node_t *node, size_t k, void *place)
{
    return node->type == YAML_SCALAR_NODE && strlen(ph_yaml_text(node)) == node->data.scalar.length &&
           ph_value_store(key, ph_yaml_text(node), node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE, k, place);
}

/* Exactly n scalars in a list, stored as components `first` and following */
static bool store_list(struct reader *reader, const struct ph_key *key, const yaml_node_t *node, size_t n, size_t first,
                       void *place)
{
    if (node->type != YAML_SEQUENCE_NODE)
        return false;
    const yaml_node_item_t *item = node->data.sequence.items.start;
    if ((size_t)(node->data.sequence.items.top - item) != n)
        return false;
    for (size_t k = 0; k < n; ++k)
        if (!store_scalar(key, node_at(reader, item[k]), first + k, place))
            return false;
    return true;
}

static bool store_value(struct reader *reader, const struct ph_key *key, const yaml_node_t *node, void *place)
{
    switch (key->type) {
    case PH_KEY_LENGTHS:
    case PH_KEY_COUNTS:
        if (node->type == YAML_SCALAR_NODE)
            return store_scalar(key, node, 0, place) && store_scalar(key, node, 1, place) &&
                   store_scalar(key, node, 2, place);
        return store_list(reader, key, node, 3, 0, place);
    case PH_KEY_VECTOR: return store_list(reader, key, node, 3, 0, place);
    case PH_KEY_PAIR: return store_list(reader, key, node, 2, 0, place);
    case PH_KEY_EDGES:
        if (node->type != YAML_SEQUENCE_NODE || node->data.sequence.items.top - node->data.sequence.items.start != 3)
            return false;
        for (size_t k = 0; k < 3; ++k)
            if (!store_list(reader, key, node_at(reader, node->data.sequence.items.start[k]), 3, 3 * k, place))
                return false;
        return true;
    default: return store_scalar(key, node, 0, place);
    }
}

static enum ph_status read_map(struct reader *reader, const yaml_node_t *node, const struct scope *scope);

static enum ph_status read_list(struct reader *reader, const struct ph_key *key, const yaml_node_t *node,
                                const struct scope *scope, const char *shown)
{
    if (node->type != YAML_SEQUENCE_NODE)
        return bad_value(reader, key, node, shown);
    const yaml_node_item_t *item = node->data.sequence.items.start;
    const size_t n = (size_t)(node->data.sequence.items.top - item);
    char place[PH_PLACE], path[PH_PATH], item_shown[PH_PATH];
    ph_yaml_place(reader->yaml, node, place);
    if (n > key->capacity || (n == 0 && key->required))
        return ph_error_set(reader->err, PH_ERR_INPUT, "%s: %s has %zu items. Accepted: %d to %zu.", place, shown, n,
                            key->required ? 1 : 0, key->capacity);
    snprintf(path, sizeof path, "%s[]", key->path);
    for (size_t i = 0; i < n; ++i) {
        snprintf(item_shown, sizeof item_shown, "%.200s[%zu]", shown, i);
        const yaml_node_t *child = node_at(reader, item[i]);
        const struct scope inner = {path, item_shown, scope->base + key->offset + i * key->size};
        set_defaults(reader->schema, path, inner.base);
        *(int *)(void *)(inner.base + key->line) = ph_yaml_line(child);
        if (child->type != YAML_MAPPING_NODE)
            return bad_value(reader, &(struct ph_key){.type = PH_KEY_MAP}, child, item_shown);
        const enum ph_status status = read_map(reader, child, &inner);
        if (status != PH_OK)
            return status;
    }
    *(size_t *)(void *)(scope->base + key->count) = n;
    return PH_OK;
}

static bool store_word(const yaml_node_t *node, size_t size, char *place)
{
    const bool good = node->type == YAML_SCALAR_NODE && node->data.scalar.length > 0 &&
                      node->data.scalar.length < size && strlen(ph_yaml_text(node)) == node->data.scalar.length;
    if (good)
        strcpy(place, ph_yaml_text(node));
    return good;
}

/* {OW: O, HW1: H}: any words */
static enum ph_status read_words(struct reader *reader, const struct ph_key *key, const yaml_node_t *node,
                                 const struct scope *scope, const char *shown)
{
    size_t *n = (size_t *)(void *)(scope->base + key->count);
    char *words = (char *)scope->base + key->offset;
    *n = 0;
    if (node->type != YAML_MAPPING_NODE ||
        (size_t)(node->data.mapping.pairs.top - node->data.mapping.pairs.start) > key->capacity)
        return bad_value(reader, key, node, shown);
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; ++pair) {
        char *from = words + 2 * *n * key->size;
        const yaml_node_t *name = node_at(reader, pair->key), *value = node_at(reader, pair->value);
        if (!store_word(name, key->size, from))
            return bad_value(reader, key, name, shown);
        if (!store_word(value, key->size, from + key->size))
            return bad_value(reader, key, value, shown);
        for (size_t k = 0; k < *n; ++k)
            if (strcmp(words + 2 * k * key->size, from) == 0) {
                char place[PH_PLACE];
                ph_yaml_place(reader->yaml, name, place);
                return ph_error_set(reader->err, PH_ERR_INPUT, "%s: %s has '%s' twice.", place, shown, from);
            }
        ++*n;
    }
    return PH_OK;
}

static enum ph_status read_value(struct reader *reader, const struct ph_key *key, const yaml_node_t *node,
                                 const struct scope *scope, const char *shown)
{
    if (reader->lines)
        reader->lines[key - reader->schema->key] = ph_yaml_line(node);
    if (key->type == PH_KEY_LIST)
        return read_list(reader, key, node, scope, shown);
    if (key->type == PH_KEY_WORDS)
        return read_words(reader, key, node, scope, shown);
    if (key->type == PH_KEY_MAP) {
        const bool empty = node->type == YAML_SCALAR_NODE && node->data.scalar.length == 0;
        if (key->stands && node->type == YAML_SCALAR_NODE && strpbrk(ph_yaml_text(node), "./")) { /* a file's name */
            *(int *)(void *)(scope->base + key->offset) = ph_yaml_line(node);
            return read_value(reader, &reader->schema->key[ph_schema_index(reader->schema, key->stands)], node, scope,
                              shown);
        }
        if (node->type != YAML_MAPPING_NODE && !empty)
            return bad_value(reader, key, node, shown);
        *(int *)(void *)(scope->base + key->offset) = ph_yaml_line(node);
        return read_map(reader, node, &(struct scope){key->path, shown, scope->base});
    }
    if (!store_value(reader, key, node, scope->base + key->offset))
        return bad_value(reader, key, node, shown);
    return PH_OK;
}

static enum ph_status check_required(struct reader *reader, const yaml_node_t *node, const struct scope *scope,
                                     const bool *seen)
{
    for (size_t k = 0; k < reader->schema->n; ++k) {
        const struct ph_key *key = &reader->schema->key[k];
        const char *name = child_name(key, scope->path);
        if (!name || !key->required || seen[k])
            continue;
        char place[PH_PLACE], accepted[PH_PATH];
        ph_yaml_place(reader->yaml, node, place);
        ph_schema_accepted(key, accepted);
        return ph_error_set(reader->err, PH_ERR_INPUT, "%s: the key '%s%s%s' is missing (%s). Accepted: %s.", place,
                            scope->shown, scope->shown[0] ? "." : "", name, key->help, accepted);
    }
    return PH_OK;
}

static enum ph_status read_pair(struct reader *reader, const yaml_node_pair_t *pair, const struct scope *scope,
                                bool *seen)
{
    const yaml_node_t *name = node_at(reader, pair->key);
    char place[PH_PLACE], path[PH_PATH], shown[PH_PATH];
    ph_yaml_place(reader->yaml, name, place);
    if (name->type != YAML_SCALAR_NODE)
        return ph_error_set(reader->err, PH_ERR_INPUT, "%s: a key of '%s' is not a word.", place, scope->shown);
    join(scope->path, ph_yaml_text(name), path);
    join(scope->shown, ph_yaml_text(name), shown);
    for (size_t k = 0; k < reader->schema->n; ++k) {
        const struct ph_key *key = &reader->schema->key[k];
        if (!child_name(key, scope->path) || strcmp(key->path, path) != 0)
            continue;
        if (seen[k])
            return ph_error_set(reader->err, PH_ERR_INPUT, "%s: the key '%s' appears twice.", place, shown);
        seen[k] = true;
        return read_value(reader, key, node_at(reader, pair->value), scope, shown);
    }
    return unknown_key(reader, scope, name, ph_yaml_text(name));
}

static enum ph_status read_map(struct reader *reader, const yaml_node_t *node, const struct scope *scope)
{
    bool *seen = calloc(reader->schema->n, sizeof *seen);
    if (!seen)
        return ph_no_memory(reader->err, "the contents of %s", reader->yaml->file);
    enum ph_status status = PH_OK;
    if (node->type == YAML_MAPPING_NODE)
        for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
             pair < node->data.mapping.pairs.top && status == PH_OK; ++pair)
            status = read_pair(reader, pair, scope, seen);
    if (status == PH_OK)
        status = check_required(reader, node, scope, seen);
    free(seen);
    return status;
}

enum ph_status ph_schema_read(const struct ph_schema *schema, struct ph_yaml *yaml, void *out, int *lines,
                              struct ph_error *err)
{
    struct reader reader = {.schema = schema, .yaml = yaml, .lines = lines, .err = err};
    if (lines)
        memset(lines, 0, schema->n * sizeof *lines);
    set_defaults(schema, "", out);
    return read_map(&reader, yaml_document_get_root_node(&yaml->document), &(struct scope){"", "", out});
}
