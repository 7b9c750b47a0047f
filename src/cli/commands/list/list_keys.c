/* SPDX-License-Identifier: MIT */
/* polhode list keys: everything that may stand in input and model files, from the tables that read them. */
#include "cli/cli.h"
#include "input/model_file.h"

static const struct ph_schema *const schemas[] = {&ph_input_schema, &ph_model_schema};
enum { N_SCHEMAS = sizeof schemas / sizeof schemas[0] };

void ph_cli_say_keys(struct ph_json *json)
{
    ph_json_begin_array(json, "keys");
    for (size_t s = 0; s < N_SCHEMAS; ++s) {
        ph_json_say(json, "%skeys of %s files\n", s > 0 ? "\n" : "", schemas[s]->what);
        for (size_t k = 0; k < schemas[s]->n; ++k) {
            const struct ph_key *key = &schemas[s]->key[k];
            const bool group = key->type == PH_KEY_MAP || key->type == PH_KEY_LIST;
            char accepted[PH_PATH];
            ph_schema_accepted(key, accepted);
            ph_json_begin_object(json, NULL);
            ph_json_string(json, "file", schemas[s]->what);
            ph_json_string(json, "key", key->path);
            ph_json_bool(json, "group", group);
            ph_json_string(json, "accepted", accepted);
            ph_json_string(json, "default", key->fallback);
            ph_json_bool(json, "required", key->required);
            ph_json_string(json, "help", key->help);
            ph_json_end(json);
            ph_json_say(json, "\n  %s%s\n      %s\n", key->path, key->required ? "  (needed)" : "", key->help);
            if (!group)
                ph_json_say(json, "      %s%s%s\n", accepted, key->fallback ? "; default " : "",
                            key->fallback ? key->fallback : "");
        }
    }
    ph_json_end(json);
}
