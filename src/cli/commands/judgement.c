/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include "analysis/kinds/asked.h"
#include "analysis/verdict/verdict.h"

void ph_cli_say_asked(struct ph_json *json, const char *label, int width, const struct ph_asked *asked)
{
    if (asked->n == 0)
        return;
    ph_json_begin_array(json, "asked_and_obtained");
    for (size_t k = 0; k < asked->n; ++k) {
        const struct ph_asked_item *item = &asked->item[k];
        char line[PH_ASKED_LINE];
        ph_asked_line(item, line);
        ph_json_begin_object(json, NULL);
        ph_json_string(json, "quantity", item->name);
        ph_json_number(json, "asked", item->asked);
        ph_json_number(json, "obtained", item->obtained);
        ph_json_number(json, "error", item->error);
        ph_json_strings(json, "unit", item->unit[0] ? item->unit : NULL, "verdict", ph_agreement_names[item->verdict]);
        ph_json_bool(json, "shown", item->shown);
        ph_json_string(json, "text", line);
        ph_json_end(json);
        if (item->shown)
            ph_json_say(json, "%-*s%s\n", width, label, line);
        label = item->shown ? "" : label;
    }
    ph_json_end(json);
}

void ph_cli_say_verdict(struct ph_json *json, int width, bool listed, bool all, const struct ph_verdict *verdict)
{
    ph_json_begin_object(json, "verdict");
    ph_json_strings(json, "state", ph_state_names[verdict->state], "line", verdict->line);
    ph_json_say(json, "%-*s%s%s\n", width, "verdict", ph_state_before[verdict->state], verdict->line);
    ph_json_begin_array(json, "checks");
    for (size_t k = 0; k < verdict->n; ++k) {
        const struct ph_check *check = &verdict->check[k];
        ph_json_begin_object(json, NULL);
        ph_json_strings(json, "name", check->name, "state", ph_state_names[check->state], "text", check->text);
        ph_json_end(json);
        if (listed && (all || check->state != PH_WELL))
            ph_json_say(json, "  %-*s%s%s\n", width - 2, check->name, ph_state_before[check->state], check->text);
    }
    ph_json_end(json);
    ph_json_end(json);
}
