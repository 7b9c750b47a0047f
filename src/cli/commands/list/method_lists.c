/* SPDX-License-Identifier: MIT */
#include "cli/commands/list/method_lists.h"

#include <string.h>

enum { NAME = 64 };

/* Cuts the next name off *text, which is NULL after the last. */
static enum ph_status next_name(const char *option, const char *whole, const char **text, size_t n, char name[NAME],
                                struct ph_error *err)
{
    const size_t length = strcspn(*text, ",");
    if (length == 0 || length >= NAME || n == PH_CLI_METHODS_MAX)
        return ph_error_set(err, PH_ERR_INPUT, "%s: up to %d names separated by commas are accepted, not '%.200s'.",
                            option, PH_CLI_METHODS_MAX, whole);
    memcpy(name, *text, length);
    name[length] = '\0';
    *text = (*text)[length] == ',' ? *text + length + 1 : NULL;
    return PH_OK;
}

static const char *scheme_name(size_t i) { return ph_scheme_at(i)->name; }
static const char *flow_name(size_t i) { return ph_flow_at(i)->name; }

enum ph_status ph_cli_parse_schemes(const char *option, const char *text,
                                    const struct ph_scheme *schemes[PH_CLI_METHODS_MAX], size_t *n,
                                    struct ph_error *err)
{
    *n = 0;
    for (const char *rest = text; rest;) {
        char name[NAME];
        const enum ph_status status = next_name(option, text, &rest, *n, name, err);
        if (status != PH_OK)
            return status;
        if (!(schemes[(*n)++] = ph_scheme_find(name)))
            return ph_cli_unknown_name("scheme", name, ph_scheme_count(), scheme_name, err);
    }
    return PH_OK;
}

enum ph_status ph_cli_parse_flows(const char *option, const char *text, const struct ph_flow *flows[PH_CLI_METHODS_MAX],
                                  size_t *n, struct ph_error *err)
{
    *n = 0;
    for (const char *rest = text; rest;) {
        char name[NAME];
        const enum ph_status status = next_name(option, text, &rest, *n, name, err);
        if (status != PH_OK)
            return status;
        if (!(flows[(*n)++] = ph_flow_find(name)))
            return ph_cli_unknown_name("flow", name, ph_flow_count(), flow_name, err);
    }
    return PH_OK;
}
