/* SPDX-License-Identifier: MIT */
#ifndef PH_INPUT_SCHEMA_VALUES_H
#define PH_INPUT_SCHEMA_VALUES_H

/* Single values of a schema: text to typed and ranged memory. */

#include "input/schema.h"

/* Stores one number, word or flag of a key at `place`, component `k` of vectors and pairs; false if the key does not
 * accept the text. `plain` says that it was written without quotes: quoted text is never a number. */
bool ph_value_store(const struct ph_key *key, const char *text, bool plain, size_t k, void *place);

/* Sets all components to the default, or to the value that marks an absent key */
void ph_value_default(const struct ph_key *key, void *place);

#endif
