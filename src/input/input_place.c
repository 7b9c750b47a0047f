/* SPDX-License-Identifier: MIT */
/* Where the keys of an input were written, for messages. */
#include "input/input.h"

#include <stdio.h>
#include <string.h>

bool ph_input_given(const struct ph_input *input, const char *path)
{
    return input->lines[ph_schema_index(&ph_input_schema, path)] != 0;
}

void ph_input_line_place(const struct ph_input *input, int line, char text[PH_PLACE])
{
    if (line < 0)
        snprintf(text, PH_PLACE, "--set %s", input->sets[-line - 1]);
    else if (line > 0)
        snprintf(text, PH_PLACE, "%s:%d", input->file, line);
    else
        snprintf(text, PH_PLACE, "%s", input->file);
}

void ph_input_place(const struct ph_input *input, const char *path, char text[PH_PLACE])
{
    ph_input_line_place(input, input->lines[ph_schema_index(&ph_input_schema, path)], text);
}

const char *ph_input_why_mesh(const struct ph_input *input)
{
    return input->interactions.method_chosen
               ? " (The method is mesh by default, since charges or dipoles are in a periodic box and "
                 "interactions.electrostatics.method is not stated. Accepted: mesh, ewald, reaction-field, cutoff.)"
               : "";
}

enum ph_status ph_input_error(const struct ph_input *input, const struct ph_error *inner, struct ph_error *err)
{
    char place[PH_PLACE];
    const char *key = "interactions"; /* messages without a key come from the force field */
    ph_input_line_place(input, 0, place);
    for (size_t k = 0; k < ph_input_schema.n; ++k) {
        const char *path = ph_input_schema.key[k].path;
        const size_t length = strlen(path);
        if (strncmp(inner->text, path, length) != 0 || inner->text[length] != ' ')
            continue;
        ph_input_line_place(input, input->lines[k], place);
        key = path;
    }
    const bool of_plumed = strncmp(inner->text, "interactions.plumed", strlen("interactions.plumed")) == 0;
    const bool of_field =
        inner->status == PH_ERR_INPUT && !of_plumed && strncmp(key, "interactions", strlen("interactions")) == 0;
    return ph_error_set(err, inner->status, "%s: %.800s%s", place, inner->text,
                        of_field ? ph_input_why_mesh(input) : "");
}

bool ph_input_relative(const struct ph_input *input, const char *name, char path[PH_PATH])
{
    const char *slash = strrchr(input->file, '/');
    const int directory = name[0] == '/' || !slash ? 0 : (int)(slash - input->file) + 1;
    return snprintf(path, PH_PATH, "%.*s%s", directory, input->file, name) < PH_PATH;
}
