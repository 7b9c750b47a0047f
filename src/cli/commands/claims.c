/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "lab/certify/card.h"

#include <string.h>

/* In words: "conserves a, b; symplectic, reversible" */
void ph_cli_say_claims(struct ph_json *json, int indent, const struct ph_card_kind *kind, const void *claims)
{
    char text[512] = "";
    ph_json_begin_object(json, "claims");
    for (size_t k = 0; k < kind->n_properties; ++k) {
        if (!kind->property[k].key)
            continue;
        const bool claimed = ph_card_claims(&kind->property[k], claims);
        ph_json_bool(json, kind->property[k].key, claimed);
        if (!claimed)
            continue;
        const size_t used = strlen(text);
        const char *before = k < kind->n_conserved ? "conserves " : "";
        if (used > 0)
            before = k >= kind->n_conserved && !strchr(text, ';') ? "; " : ", ";
        snprintf(text + used, sizeof text - used, "%s%s", before, kind->property[k].words);
    }
    ph_json_end(json);
    ph_cli_say_wrapped(json, indent, text[0] ? text : "claims nothing");
}
