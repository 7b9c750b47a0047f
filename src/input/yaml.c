/* SPDX-License-Identifier: MIT */
#include "input/yaml.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Nodes set from outside have no line: their mark has this column and the number of the assignment as line. */
static const size_t set_column = SIZE_MAX;

/* The character of a text at a line and column, which count from 0 and characters of UTF-8; '\0' if there is none */
static char character_at(const char *text, size_t length, size_t line, size_t column)
{
    const char *end = text + length;
    for (; text && line > 0; --line) {
        text = memchr(text, '\n', (size_t)(end - text));
        text = text ? text + 1 : NULL;
    }
    for (; text && text < end; ++text)
        if ((*text & 0xc0) != 0x80 && column-- == 0)
            return *text;
    return '\0';
}

/* Is a line, from `at` on, a key with a value right after its colon, "steps:20"? Returns how long the key is; else 0 */
static size_t key_without_blank(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '-'))
        ++at;
    const char *key = at;
    while (at < end && (isalnum((unsigned char)*at) || *at == '_'))
        ++at;
    return at > key && at + 1 < end && *at == ':' && !strchr(" \r\n", at[1]) ? (size_t)(at - key) : 0;
}

/* YAML takes "steps:20" as a text that may go on, and finds fault with a later line. Looks for such a line from the one
 * where it found fault backwards, as far as lines that are empty; 0: there is none. Lines count from 1. */
static size_t line_without_blank(const char *text, size_t length, size_t line)
{
    const char *begin[2] = {NULL, NULL}, *end = text + length; /* of this line, and of the one before that has words */
    size_t number[2] = {0, 0};
    for (size_t k = 1; text && text < end && k <= line; ++k) {
        if (text[strspn(text, " \r")] != '\n') {
            begin[1] = begin[0];
            number[1] = number[0];
            begin[0] = text;
            number[0] = k;
        }
        text = memchr(text, '\n', (size_t)(end - text));
        text = text ? text + 1 : NULL;
    }
    for (int k = 0; k < 2; ++k)
        if (begin[k] && key_without_blank(begin[k], end) > 0)
            return number[k];
    return 0;
}

static enum ph_status parse_error(const char *place, const yaml_parser_t *parser, const char *text, size_t length,
                                  bool with_line, struct ph_error *err)
{
    if (parser->error == YAML_MEMORY_ERROR || parser->error == YAML_NO_ERROR) /* libyaml does not always say */
        return ph_no_memory(err, "the contents of %s", place);
    char line[32] = "";
    if (with_line)
        snprintf(line, sizeof line, ":%zu", parser->problem_mark.line + 1);
    if (character_at(text, length, parser->problem_mark.line, parser->problem_mark.column) == '\t')
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s%s: a tab in column %zu: YAML indents with spaces. Put spaces in place of tabs.", place,
                            line, parser->problem_mark.column + 1);
    const size_t without = with_line ? line_without_blank(text, length, parser->problem_mark.line + 1) : 0;
    if (without > 0)
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s:%zu: a blank is missing after the colon of a key: 'key: value', not 'key:value'.",
                            place, without);
    return ph_error_set(err, PH_ERR_INPUT, "%s%s: not valid YAML: %s%s%s (column %zu).", place, line,
                        parser->context ? parser->context : "", parser->context ? ", " : "",
                        parser->problem ? parser->problem : "unknown problem", parser->problem_mark.column + 1);
}

/* libyaml takes a time that grows with the square of the depth of brackets. */
enum { BRACKETS = 1000 };

static enum ph_status check_brackets(const char *place, const char *text, size_t length, struct ph_error *err)
{
    int depth = 0;
    for (size_t k = 0; k < length && depth <= BRACKETS; ++k)
        if (text[k] == '[' || text[k] == '{')
            ++depth;
        else if ((text[k] == ']' || text[k] == '}') && depth > 0)
            --depth;
    return depth <= BRACKETS
               ? PH_OK
               : ph_error_set(err, PH_ERR_INPUT, "%s: more than %d brackets within each other.", place, BRACKETS);
}

/* Reads one document that is a map, with nothing after it */
static enum ph_status parse(const struct ph_text *text, struct ph_yaml *yaml, struct ph_error *err)
{
    const char *file = text->name;
    yaml_parser_t parser;
    if (check_brackets(file, text->text, text->length, err) != PH_OK)
        return PH_ERR_INPUT;
    if (!yaml_parser_initialize(&parser))
        return ph_no_memory(err, "the contents of %s", file);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text->text, text->length);
    enum ph_status status = PH_OK;
    if (!yaml_parser_load(&parser, &yaml->document)) {
        status = parse_error(file, &parser, text->text, text->length, true, err);
    } else {
        yaml->loaded = true;
        yaml_document_t second;
        const yaml_node_t *root = yaml_document_get_root_node(&yaml->document);
        if (!root)
            status = ph_error_set(err, PH_ERR_INPUT, "%s: the file is empty.", file);
        else if (root->type != YAML_MAPPING_NODE)
            status = ph_error_set(err, PH_ERR_INPUT, "%s:%d: expected 'key: value' pairs.", file, ph_yaml_line(root));
        else if (!yaml_parser_load(&parser, &second))
            status = parse_error(file, &parser, text->text, text->length, true, err);
        else {
            const yaml_node_t *more = yaml_document_get_root_node(&second);
            if (more)
                status = ph_error_set(err, PH_ERR_INPUT, "%s:%d: a second document begins; there must be one.", file,
                                      ph_yaml_line(more));
            yaml_document_delete(&second);
        }
    }
    yaml_parser_delete(&parser);
    return status;
}

enum ph_status ph_yaml_load(const char *file, struct ph_texts *texts, struct ph_yaml *yaml, struct ph_error *err)
{
    memset(yaml, 0, sizeof *yaml);
    struct ph_texts own = {.n = 0};
    const struct ph_text *text;
    enum ph_status status = ph_texts_read(texts ? texts : &own, file, &text, err);
    if (status == PH_OK) {
        strcpy(yaml->file, text->name);
        status = parse(text, yaml, err);
    }
    ph_texts_free(&own);
    if (status != PH_OK)
        ph_yaml_free(yaml);
    return status;
}

void ph_yaml_free(struct ph_yaml *yaml)
{
    if (yaml->loaded)
        yaml_document_delete(&yaml->document);
    yaml->loaded = false;
}

int ph_yaml_line(const yaml_node_t *node)
{
    return node->start_mark.column == set_column ? -(int)node->start_mark.line : (int)node->start_mark.line + 1;
}

void ph_yaml_place(const struct ph_yaml *yaml, const yaml_node_t *node, char text[PH_PLACE])
{
    const int line = ph_yaml_line(node);
    if (line > 0)
        snprintf(text, PH_PLACE, "%s:%d", yaml->file, line);
    else
        snprintf(text, PH_PLACE, "--set %s", yaml->sets[-line - 1]);
}

enum { DEEPEST = 8 };

/* True if nodes are nested deeper than DEEPEST; they may contain themselves. */
static bool is_deep(yaml_document_t *document, int index, int depth)
{
    const yaml_node_t *node = yaml_document_get_node(document, index);
    bool deep = depth > DEEPEST;
    if (!deep && node->type == YAML_SEQUENCE_NODE)
        for (const yaml_node_item_t *item = node->data.sequence.items.start;
             item < node->data.sequence.items.top && !deep; ++item)
            deep = is_deep(document, *item, depth + 1);
    if (!deep && node->type == YAML_MAPPING_NODE)
        for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
             pair < node->data.mapping.pairs.top && !deep; ++pair)
            deep = is_deep(document, pair->key, depth + 1) || is_deep(document, pair->value, depth + 1);
    return deep;
}

/* Copies a node of another document, marked as set by assignment `number`; 0 without memory */
static int copy_node(yaml_document_t *from, int index, yaml_document_t *to, size_t number)
{
    const yaml_node_t *node = yaml_document_get_node(from, index);
    int copy = 0;
    if (node->type == YAML_SCALAR_NODE) {
        copy = yaml_document_add_scalar(to, NULL, node->data.scalar.value, (int)node->data.scalar.length,
                                        node->data.scalar.style);
    } else if (node->type == YAML_SEQUENCE_NODE) {
        copy = yaml_document_add_sequence(to, NULL, YAML_FLOW_SEQUENCE_STYLE);
        for (const yaml_node_item_t *item = node->data.sequence.items.start;
             copy && item < node->data.sequence.items.top; ++item) {
            const int child = copy_node(from, *item, to, number);
            if (!child || !yaml_document_append_sequence_item(to, copy, child))
                return 0;
        }
    } else if (node->type == YAML_MAPPING_NODE) {
        copy = yaml_document_add_mapping(to, NULL, YAML_FLOW_MAPPING_STYLE);
        for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start; copy && pair < node->data.mapping.pairs.top;
             ++pair) {
            const int key = copy_node(from, pair->key, to, number);
            const int value = copy_node(from, pair->value, to, number);
            if (!key || !value || !yaml_document_append_mapping_pair(to, copy, key, value))
                return 0;
        }
    }
    if (copy)
        yaml_document_get_node(to, copy)->start_mark = (yaml_mark_t){.line = number, .column = set_column};
    return copy;
}

/* True if YAML drops the end of a value as a comment. The comment begins after a node of the value, or is the whole
 * value. */
static bool has_comment(const yaml_document_t *document, const char *value)
{
    const size_t length = strlen(value);
    const yaml_node_t *node = document->nodes.start;
    yaml_mark_t mark = {.line = 0};
    do {
        if (node < document->nodes.top)
            mark = node->end_mark;
        char next = character_at(value, length, mark.line, mark.column);
        while (next == ' ' || next == '\t')
            next = character_at(value, length, mark.line, ++mark.column);
        if (next == '#')
            return true;
    } while (++node < document->nodes.top);
    return false;
}

/* The value of an assignment as a node of the document: 0 with an error set; *index 0 if the value is empty */
static enum ph_status parse_value(struct ph_yaml *yaml, const char *set, const char *value, size_t number, int *index,
                                  struct ph_error *err)
{
    char place[PH_PLACE];
    snprintf(place, sizeof place, "--set %s", set);
    *index = 0;
    yaml_parser_t parser;
    yaml_document_t document;
    if (check_brackets(place, value, strlen(value), err) != PH_OK)
        return PH_ERR_INPUT;
    if (!yaml_parser_initialize(&parser))
        return ph_no_memory(err, "the contents of %s", place);
    yaml_parser_set_input_string(&parser, (const unsigned char *)value, strlen(value));
    enum ph_status status = PH_OK;
    if (!yaml_parser_load(&parser, &document)) {
        status = parse_error(place, &parser, value, strlen(value), false, err);
    } else {
        if (has_comment(&document, value)) {
            status = ph_error_set(err, PH_ERR_INPUT,
                                  "%s: YAML takes what follows the '#' for a comment. Put the value into quotes, such "
                                  "as --set 'title=\"run #1\"'.",
                                  place);
        } else if (yaml_document_get_root_node(&document)) {
            if (is_deep(&document, 1, 0))
                status = ph_error_set(err, PH_ERR_INPUT, "%s: the value is too deeply nested.", place);
            else if (!(*index = copy_node(&document, 1, &yaml->document, number)))
                status = ph_no_memory(err, "the contents of %s", place);
        }
        yaml_document_delete(&document);
    }
    yaml_parser_delete(&parser);
    return status;
}

static yaml_node_pair_t *find_pair(struct ph_yaml *yaml, int map, const char *key)
{
    const yaml_node_t *node = yaml_document_get_node(&yaml->document, map);
    for (yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; ++pair) {
        const yaml_node_t *name = yaml_document_get_node(&yaml->document, pair->key);
        if (name->type == YAML_SCALAR_NODE && strcmp(ph_yaml_text(name), key) == 0)
            return pair;
    }
    return NULL;
}

static void remove_pair(struct ph_yaml *yaml, int map, yaml_node_pair_t *pair)
{
    yaml_node_t *node = yaml_document_get_node(&yaml->document, map);
    memmove(pair, pair + 1, (size_t)(node->data.mapping.pairs.top - (pair + 1)) * sizeof *pair);
    --node->data.mapping.pairs.top;
}

static bool append_pair(struct ph_yaml *yaml, int map, const char *key, int value, size_t number)
{
    const int name = yaml_document_add_scalar(&yaml->document, NULL, (const unsigned char *)key, (int)strlen(key),
                                              YAML_PLAIN_SCALAR_STYLE);
    if (!name || !yaml_document_append_mapping_pair(&yaml->document, map, name, value))
        return false;
    yaml_document_get_node(&yaml->document, name)->start_mark = (yaml_mark_t){.line = number, .column = set_column};
    return true;
}

/* Splits "molecules[2]" into its name and 2; -1 without brackets, -2 if the brackets hold no number */
static long split_index(char *word)
{
    char *bracket = strchr(word, '[');
    if (!bracket)
        return -1;
    char *end;
    *bracket = '\0';
    const long item = strtol(bracket + 1, &end, 10);
    return end != bracket + 1 && strcmp(end, "]") == 0 && item >= 0 ? item : -2;
}

static enum ph_status set_one(struct ph_yaml *yaml, const char *set, size_t number, struct ph_error *err)
{
    const char *equals = strchr(set, '=');
    char path[PH_PATH];
    if (!equals || equals == set || (size_t)(equals - set) >= sizeof path)
        return ph_error_set(err, PH_ERR_INPUT, "--set %s: expected key.path=value.", set);
    memcpy(path, set, (size_t)(equals - set));
    path[equals - set] = '\0';
    int value;
    const enum ph_status status = parse_value(yaml, set, equals + 1, number, &value, err);
    if (status != PH_OK)
        return status;

    int map = 1; /* the root */
    for (char *word = path, *next; word; word = next) {
        next = strchr(word, '.');
        if (next)
            *next++ = '\0';
        const long item = split_index(word);
        yaml_node_pair_t *pair = find_pair(yaml, map, word);
        if (item == -1 && !next) { /* the end of the path: the value goes here */
            if (pair && value)
                pair->value = value;
            else if (pair)
                remove_pair(yaml, map, pair);
            else if (value && !append_pair(yaml, map, word, value, number))
                return ph_no_memory(err, "--set %s", set);
            return PH_OK;
        }
        int child = pair ? pair->value : 0;
        if (item != -1) {
            yaml_node_t *list = child ? yaml_document_get_node(&yaml->document, child) : NULL;
            if (item < 0 || (!next && !value) || !list || list->type != YAML_SEQUENCE_NODE ||
                item >= list->data.sequence.items.top - list->data.sequence.items.start)
                return ph_error_set(err, PH_ERR_INPUT,
                                    "--set %s: the input has no list '%s' with an item of that number "
                                    "(they count from 0), or no value for it.",
                                    set, word);
            if (!next) {
                list->data.sequence.items.start[item] = value;
                return PH_OK;
            }
            child = list->data.sequence.items.start[item];
        } else if (!child) {
            child = yaml_document_add_mapping(&yaml->document, NULL, YAML_BLOCK_MAPPING_STYLE);
            if (!child || !append_pair(yaml, map, word, child, number))
                return ph_no_memory(err, "--set %s", set);
            yaml_document_get_node(&yaml->document, child)->start_mark =
                (yaml_mark_t){.line = number, .column = set_column};
        }
        if (yaml_document_get_node(&yaml->document, child)->type != YAML_MAPPING_NODE)
            return ph_error_set(err, PH_ERR_INPUT, "--set %s: '%s' is a value in %s and has no keys of its own.", set,
                                word, yaml->file);
        map = child;
    }
    return PH_OK;
}

enum ph_status ph_yaml_set(struct ph_yaml *yaml, size_t n_sets, const char *const *sets, struct ph_error *err)
{
    yaml->n_sets = n_sets;
    yaml->sets = sets;
    for (size_t k = 0; k < n_sets; ++k) {
        const enum ph_status status = set_one(yaml, sets[k], k + 1, err);
        if (status != PH_OK)
            return status;
    }
    return PH_OK;
}
