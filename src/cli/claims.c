/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "lab/certify/card.h"

#include <string.h>

/* "conserves a, b; symplectic, reversible" */
void ph_cli_print_claims(int indent, const struct ph_card_kind *kind, const void *claims)
{
    char text[512] = "";
    for (size_t k = 0; k < kind->n_properties; ++k) {
        if (!kind->property[k].key || !ph_card_claims(&kind->property[k], claims))
            continue;
        const size_t used = strlen(text);
        const char *before = k < kind->n_conserved ? "conserves " : "";
        if (used > 0)
            before = k >= kind->n_conserved && !strchr(text, ';') ? "; " : ", ";
        snprintf(text + used, sizeof text - used, "%s%s", before, kind->property[k].words);
    }
    ph_cli_print_wrapped(indent, text[0] ? text : "claims nothing");
}

void ph_cli_write_claims(struct ph_json *json, const struct ph_card_kind *kind, const void *claims)
{
    ph_json_begin_object(json, "claims");
    for (size_t k = 0; k < kind->n_properties; ++k)
        if (kind->property[k].key)
            ph_json_bool(json, kind->property[k].key, ph_card_claims(&kind->property[k], claims));
    ph_json_end(json);
}
