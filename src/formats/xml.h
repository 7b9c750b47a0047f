/* SPDX-License-Identifier: MIT */
#ifndef PH_FORMATS_XML_H
#define PH_FORMATS_XML_H

/* A strict reader of small XML files: elements, attributes, text, comments. It refuses document types, CDATA sections
 * and entities other than the five of XML itself. Sizes and depths are limited. */

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum { PH_XML_SIZE = 1 << 22, PH_XML_NODES = 1 << 16, PH_XML_DEPTH = 32, PH_XML_ATTRIBUTES = 8 };

/* Texts are in the document's memory. */
struct ph_xml_node {
    const char *name;
    char *text;     /* between the tags, without blanks around; "" if there is none */
    char *text_end; /* of the parser */
    size_t line;
    const struct ph_xml_node *parent, *child, *next; /* NULL: none */
    struct ph_xml_node *last_child;
    size_t n_attributes;
    struct {
        const char *name, *value;
    } attribute[PH_XML_ATTRIBUTES];
};

struct ph_xml {
    const char *file; /* not owned */
    char *text;       /* owned */
    size_t n_nodes, room;
    struct ph_xml_node *node; /* owned; node[0] is the root */
};

/* PH_ERR_IO, PH_ERR_MEMORY, PH_ERR_INPUT with file and line. ph_xml_free is safe in any case. */
enum ph_status ph_xml_read(const char *file, struct ph_xml *xml, struct ph_error *err);
void ph_xml_free(struct ph_xml *xml);

/* The first child of this name; NULL if there is none or the node is NULL */
const struct ph_xml_node *ph_xml_child(const struct ph_xml_node *node, const char *name);
/* NULL if there is none */
const char *ph_xml_attribute(const struct ph_xml_node *node, const char *name);

#endif
