/* SPDX-License-Identifier: MIT */
#include "formats/xml.h"

#include "base/memory.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The text is cut into pieces in place: names, values and texts get their end where a delimiter was. */
struct parser {
    struct ph_xml *xml;
    char *at;
    size_t line;
    struct ph_error *err;
};

static enum ph_status refuse(struct parser *p, const char *what)
{
    return ph_error_set(p->err, PH_ERR_INPUT, "%s:%zu: %s.", p->xml->file, p->line, what);
}

static bool begins(const struct parser *p, const char *word) { return strncmp(p->at, word, strlen(word)) == 0; }

static void skip_blanks(struct parser *p)
{
    for (; *p->at != '\0' && strchr(" \t\r\n", *p->at); ++p->at)
        p->line += *p->at == '\n';
}

/* Goes behind the next `end`; false if there is none */
static bool skip_past(struct parser *p, const char *end)
{
    for (; *p->at != '\0'; ++p->at) {
        p->line += *p->at == '\n';
        if (begins(p, end)) {
            p->at += strlen(end);
            return true;
        }
    }
    return false;
}

static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.' || c == ':'; }

/* The letters of a name at the parser's place; the caller ends it once it has looked at the delimiter */
static size_t name_length(const struct parser *p)
{
    size_t n = 0;
    while (is_name(p->at[n]))
        ++n;
    return n > 0 && (isalpha((unsigned char)p->at[0]) || p->at[0] == '_') ? n : 0;
}

/* Replaces the five entities of XML in place */
static enum ph_status decode(struct parser *p, char *text)
{
    static const struct {
        const char *name;
        char letter;
    } entities[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
    char *out = text;
    for (const char *in = text; *in != '\0';) {
        if (*in != '&') {
            *out++ = *in++;
            continue;
        }
        size_t k = 0, n = 0;
        for (; k < 5; ++k) {
            n = strlen(entities[k].name);
            if (strncmp(in, entities[k].name, n) == 0)
                break;
        }
        if (k == 5)
            return refuse(p, "the entity after '&' is not accepted, only &lt; &gt; &amp; &quot; &apos;");
        *out++ = entities[k].letter;
        in += n;
    }
    *out = '\0';
    return PH_OK;
}

static enum ph_status read_attribute(struct parser *p, struct ph_xml_node *node)
{
    const size_t n = name_length(p);
    char *name = p->at;
    if (n == 0)
        return refuse(p, "a tag has neither an attribute nor '>' here");
    p->at += n;
    skip_blanks(p);
    if (*p->at != '=')
        return refuse(p, "an attribute has no '=' and value");
    ++p->at;
    skip_blanks(p);
    const char quote = *p->at;
    if (quote != '"' && quote != '\'')
        return refuse(p, "the value of an attribute is not in quotes");
    char *value = ++p->at;
    for (; *p->at != '\0' && *p->at != quote && *p->at != '<'; ++p->at)
        p->line += *p->at == '\n';
    if (*p->at != quote)
        return refuse(p, "the value of an attribute has no end");
    *p->at++ = '\0';
    name[n] = '\0';
    if (ph_xml_attribute(node, name))
        return refuse(p, "an attribute is there twice");
    if (node->n_attributes == PH_XML_ATTRIBUTES)
        return refuse(p, "a tag has too many attributes");
    node->attribute[node->n_attributes].name = name;
    node->attribute[node->n_attributes++].value = value;
    return decode(p, value);
}

static char nothing[] = "";

/* "<name attributes>" or "<name attributes/>"; `closed`: the second */
static enum ph_status read_tag(struct parser *p, struct ph_xml_node *parent, struct ph_xml_node **out, bool *closed)
{
    struct ph_xml *xml = p->xml;
    ++p->at; /* '<' */
    const size_t n = name_length(p);
    if (n == 0 || xml->n_nodes == xml->room)
        return refuse(p, "'<' is not followed by the name of an element");
    struct ph_xml_node *node = &xml->node[xml->n_nodes++];
    *node = (struct ph_xml_node){.name = p->at, .text = nothing, .line = p->line, .parent = parent};
    char *end = p->at + n;
    p->at = end;
    skip_blanks(p);
    enum ph_status status = PH_OK;
    while (status == PH_OK && *p->at != '>' && *p->at != '/') {
        status = *p->at == '\0' ? refuse(p, "the file ends in a tag") : read_attribute(p, node);
        skip_blanks(p);
    }
    if (status != PH_OK)
        return status;
    *closed = *p->at == '/';
    if (*closed && p->at[1] != '>')
        return refuse(p, "'/' in a tag is not followed by '>'");
    p->at += *closed ? 2 : 1;
    *end = '\0';
    if (parent && parent->last_child)
        parent->last_child->next = node;
    else if (parent)
        parent->child = node;
    if (parent)
        parent->last_child = node;
    *out = node;
    return PH_OK;
}

/* Text up to the next '<'. Its end is kept for finish_texts: the '<' is still needed. */
static enum ph_status read_text(struct parser *p, struct ph_xml_node *node)
{
    skip_blanks(p);
    char *begin = p->at;
    while (*p->at != '\0' && *p->at != '<') {
        p->line += *p->at == '\n';
        ++p->at;
    }
    if (p->at == begin)
        return PH_OK;
    if (!node)
        return refuse(p, "there is text outside of the root element");
    if (node->text_end)
        return refuse(p, "the text of an element is in several pieces");
    node->text = begin;
    node->text_end = p->at;
    while (strchr(" \t\r\n", node->text_end[-1]))
        --node->text_end;
    return PH_OK;
}

static enum ph_status finish_texts(struct parser *p)
{
    enum ph_status status = PH_OK;
    for (size_t k = 0; k < p->xml->n_nodes && status == PH_OK; ++k) {
        struct ph_xml_node *node = &p->xml->node[k];
        if (!node->text_end)
            continue;
        *node->text_end = '\0';
        p->line = node->line;
        status = decode(p, node->text);
    }
    return status;
}

static enum ph_status read_closing(struct parser *p, struct ph_xml_node **open, size_t *depth)
{
    p->at += 2;
    const size_t n = name_length(p);
    const char *name = p->at;
    p->at += n;
    skip_blanks(p);
    if (*p->at != '>')
        return refuse(p, "a closing tag has no '>'");
    if (*depth == 0 || strlen(open[*depth - 1]->name) != n || strncmp(open[*depth - 1]->name, name, n) != 0)
        return ph_error_set(p->err, PH_ERR_INPUT, "%s:%zu: '</%.*s>' closes %s%.40s%s.", p->xml->file, p->line,
                            (int)(n < 40 ? n : 40), name, *depth ? "'<" : "nothing",
                            *depth ? open[*depth - 1]->name : "", *depth ? ">'" : "");
    ++p->at;
    --*depth;
    return PH_OK;
}

/* What begins with '<' */
static enum ph_status read_markup(struct parser *p, struct ph_xml_node **open, size_t *depth)
{
    if (begins(p, "<!--")) {
        p->at += 4;
        return skip_past(p, "-->") ? PH_OK : refuse(p, "a comment has no end");
    }
    if (begins(p, "<?"))
        return skip_past(p, "?>") ? PH_OK : refuse(p, "'<?' has no end");
    if (begins(p, "<!"))
        return refuse(p, "'<!' begins a document type or a CDATA section: neither is accepted");
    if (begins(p, "</"))
        return read_closing(p, open, depth);
    if (*depth == 0 && p->xml->n_nodes > 0)
        return refuse(p, "there is a second root element");
    if (*depth == PH_XML_DEPTH)
        return refuse(p, "elements are too deep in each other");
    struct ph_xml_node *node = NULL;
    bool closed = false;
    const enum ph_status status = read_tag(p, *depth ? open[*depth - 1] : NULL, &node, &closed);
    if (status == PH_OK && !closed)
        open[(*depth)++] = node;
    return status;
}

static enum ph_status parse(struct parser *p)
{
    struct ph_xml_node *open[PH_XML_DEPTH];
    size_t depth = 0;
    enum ph_status status = PH_OK;
    if (begins(p, "\xef\xbb\xbf")) /* the mark of UTF-8 */
        p->at += 3;
    while (status == PH_OK) {
        status = read_text(p, depth ? open[depth - 1] : NULL);
        if (status != PH_OK || *p->at == '\0')
            break;
        status = read_markup(p, open, &depth);
    }
    if (status == PH_OK && depth > 0)
        return ph_error_set(p->err, PH_ERR_INPUT, "%s:%zu: the file ends, and '<%.40s>' of line %zu is open.",
                            p->xml->file, p->line, open[depth - 1]->name, open[depth - 1]->line);
    if (status == PH_OK && p->xml->n_nodes == 0)
        return refuse(p, "the file has no element");
    return status == PH_OK ? finish_texts(p) : status;
}

static enum ph_status read_file(const char *file, struct ph_xml *xml, struct ph_error *err)
{
    FILE *stream = fopen(file, "rb");
    if (!stream)
        return ph_error_set(err, PH_ERR_IO, "%s: cannot be read: %s.", file, strerror(errno));
    size_t n = 0, room = 0;
    enum ph_status status = PH_OK;
    while (status == PH_OK && n <= PH_XML_SIZE) {
        if (room - n < 2) {
            room = room ? 2 * room : 1 << 12;
            char *larger = ph_reallocate(xml->text, room, 1);
            if (!larger) {
                status = ph_no_memory(err, "the contents of %s", file);
                break;
            }
            xml->text = larger;
        }
        const size_t got = fread(xml->text + n, 1, room - n - 1, stream);
        n += got;
        if (got == 0)
            break;
    }
    const bool failed = ferror(stream) != 0;
    fclose(stream);
    if (status != PH_OK)
        return status;
    if (failed)
        return ph_error_set(err, PH_ERR_IO, "%s: cannot be read.", file);
    if (n > PH_XML_SIZE)
        return ph_error_set(err, PH_ERR_INPUT, "%s: has more than %d bytes, too many for molecules.", file,
                            PH_XML_SIZE);
    xml->text[n] = '\0';
    if (strlen(xml->text) != n)
        return ph_error_set(err, PH_ERR_INPUT, "%s: has a byte 0: it is not an XML file.", file);
    return PH_OK;
}

enum ph_status ph_xml_read(const char *file, struct ph_xml *xml, struct ph_error *err)
{
    *xml = (struct ph_xml){.file = file};
    const enum ph_status status = read_file(file, xml, err);
    if (status != PH_OK)
        return status;
    for (const char *c = xml->text; *c != '\0'; ++c)
        xml->room += *c == '<' && (isalpha((unsigned char)c[1]) || c[1] == '_');
    if (xml->room > PH_XML_NODES)
        return ph_error_set(err, PH_ERR_INPUT, "%s: has more than %d elements, too many for molecules.", file,
                            PH_XML_NODES);
    xml->node = ph_allocate(xml->room + 1, sizeof *xml->node);
    if (!xml->node)
        return ph_no_memory(err, "the contents of %s", file);
    struct parser parser = {.xml = xml, .at = xml->text, .line = 1, .err = err};
    return parse(&parser);
}

void ph_xml_free(struct ph_xml *xml)
{
    free(xml->text);
    free(xml->node);
    *xml = (struct ph_xml){.text = NULL};
}

const struct ph_xml_node *ph_xml_child(const struct ph_xml_node *node, const char *name)
{
    const struct ph_xml_node *child = node ? node->child : NULL;
    while (child && strcmp(child->name, name) != 0)
        child = child->next;
    return child;
}

const char *ph_xml_attribute(const struct ph_xml_node *node, const char *name)
{
    for (size_t k = 0; k < node->n_attributes; ++k)
        if (strcmp(node->attribute[k].name, name) == 0)
            return node->attribute[k].value;
    return NULL;
}
