/* SPDX-License-Identifier: MIT */
#ifndef PH_INPUT_YAML_H
#define PH_INPUT_YAML_H

/* One YAML document in memory, with the place where every value was written, and with values set from outside. */

#include "base/error.h"
#include "input/place.h"
#include "input/texts.h"

#include <stdbool.h>
#include <stddef.h>
#include <yaml.h>

struct ph_yaml {
    char file[PH_PATH];       /* as it appears in messages */
    yaml_document_t document; /* owned */
    bool loaded;
    size_t n_sets;
    const char *const *sets; /* not owned: assignments "key.path=value" that were applied */
};

/* Reads the file, through `texts` unless NULL. PH_ERR_IO if it cannot be read, PH_ERR_INPUT if it is not one YAML
 * document that is a map. */
enum ph_status ph_yaml_load(const char *file, struct ph_texts *texts, struct ph_yaml *yaml, struct ph_error *err);
void ph_yaml_free(struct ph_yaml *yaml); /* accepts a struct that is all zero */

/* Applies "system.box.density=0.7" and the like to the document, before it is checked against a schema. Maps on the way
 * are made if missing; "molecules[0].count" means the first item of a list; the value is YAML; an empty value removes
 * the key. `sets` must live as long as the document. */
enum ph_status ph_yaml_set(struct ph_yaml *yaml, size_t n_sets, const char *const *sets, struct ph_error *err);

/* Where a node was written: "file:12" or "--set a.b=c" */
void ph_yaml_place(const struct ph_yaml *yaml, const yaml_node_t *node, char text[PH_PLACE]);
/* Line of a node, counted from 1; minus the number of the assignment, counted from 1, that set it */
int ph_yaml_line(const yaml_node_t *node);

static inline const char *ph_yaml_text(const yaml_node_t *scalar) { return (const char *)scalar->data.scalar.value; }

#endif
