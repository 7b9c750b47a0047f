/* SPDX-License-Identifier: MIT */
#include "cli/commands/analysis_print.h"

#include "lab/analyses.h"

#include <math.h>
#include <string.h>

/* ---- Results ---- */

/* "1.2340 +- 0.0056": as many digits as the error justifies */
static void print_number(char text[64], double value, double error)
{
    if (!isfinite(error) || !(error > 0.0)) {
        snprintf(text, 64, "%.10g", value);
        return;
    }
    const double size = fmax(fabs(value), error);
    const int places = 1 - (int)floor(log10(error));
    if (size >= 1e7 || size < 1e-3 || places > 8) {
        const int digits = (int)floor(log10(size)) + places;
        snprintf(text, 64, "%.*e +- %.1e", digits < 0 ? 0 : (digits > 16 ? 16 : digits), value, error);
    } else {
        snprintf(text, 64, "%.*f +- %.*f", places > 0 ? places : 0, value, places > 0 ? places : 0, error);
    }
}

static void say_parameters(struct ph_json *json, const struct ph_result *result)
{
    ph_json_begin_object(json, "parameters");
    for (size_t k = 0; k < result->n_parameters; ++k) {
        const struct ph_result_parameter *parameter = &result->parameters[k];
        ph_json_say(json, "%s%s ", k > 0 ? "; " : "", parameter->name);
        if (parameter->text) {
            ph_json_string(json, parameter->name, parameter->text);
            ph_json_say(json, "%s", parameter->text);
        } else {
            ph_json_number(json, parameter->name, parameter->number);
            ph_json_say(json, "%.6g%s%s", parameter->number, parameter->unit[0] ? " " : "", parameter->unit);
        }
    }
    ph_json_end(json);
    if (result->n_parameters > 0)
        ph_json_say(json, "\n");
}

static void say_values(struct ph_json *json, const struct ph_result *result)
{
    bool times = false, rough = false;
    int longest = 4;
    for (size_t k = 0; k < result->n_values; ++k) {
        const int length = (int)strlen(result->values[k].name);
        longest = length > longest ? length : longest;
        times = times || isfinite(result->values[k].correlation_time);
        rough = rough || result->values[k].rough;
    }
    if (result->n_values > 0)
        ph_json_say(json, "\n%-*s  %-28s %-16s%s\n", longest, "", "value +- error", "unit",
                    times ? " correlation time" : "");
    ph_json_begin_object(json, "values");
    for (size_t k = 0; k < result->n_values; ++k) {
        const struct ph_value *value = &result->values[k];
        char number[64], time[32] = "";
        ph_json_begin_object(json, value->name);
        ph_json_number(json, "value", value->value);
        ph_json_number(json, "error", value->error);
        ph_json_number(json, "correlation_time", value->correlation_time);
        ph_json_bool(json, "error_is_lower_bound", value->rough);
        ph_json_strings(json, "caution", value->caution[0] ? value->caution : NULL, "unit",
                        value->unit[0] ? value->unit : NULL, "description", value->help);
        ph_json_end(json);
        print_number(number, value->value, value->error);
        if (isfinite(value->correlation_time))
            snprintf(time, sizeof time, "%.3g", value->correlation_time);
        ph_json_say(json, "%-*s  %-27s%s %-16s %-*s%s\n", longest, value->name, number, value->rough ? "*" : " ",
                    value->unit, times ? 11 : 0, time, value->help);
    }
    ph_json_end(json);
    for (size_t k = 0; k < result->n_values; ++k)
        if (result->values[k].caution[0])
            ph_json_say(json, "%s CANNOT BE DEFENDED: %s\n", result->values[k].name, result->values[k].caution);
    if (rough)
        ph_json_say(json, "* the run is short compared with the correlation time: the error may be too small\n");
}

/* As text the names of its columns, and all of it if it is short */
static void say_table(struct ph_json *json, const struct ph_result_table *table, bool whole)
{
    enum { FEW = 12 };
    ph_json_begin_object(json, table->name);
    ph_json_string(json, "description", table->help);
    ph_json_begin_object(json, "columns");
    ph_json_say(json, "table %s: %zu rows of", table->name, table->rows);
    for (size_t c = 0; c < table->n_columns; ++c) {
        ph_json_numbers(json, table->columns[c].name, table->rows, table->columns[c].data);
        ph_json_say(json, "%s %s", c > 0 ? "," : "", table->columns[c].name);
    }
    ph_json_end(json);
    ph_json_begin_object(json, "units");
    for (size_t c = 0; c < table->n_columns; ++c)
        ph_json_string(json, table->columns[c].name, table->columns[c].unit[0] ? table->columns[c].unit : NULL);
    ph_json_end(json);
    ph_json_end(json);
    ph_json_say(json, "\n");
    for (size_t r = 0; r < table->rows && table->rows <= FEW && whole; ++r) {
        for (size_t c = 0; c < table->n_columns; ++c)
            ph_json_say(json, " %12.5g", table->columns[c].data[r]);
        ph_json_say(json, "\n");
    }
}

void ph_cli_say_result(struct ph_json *json, const struct ph_provenance *provenance, const struct ph_result *result)
{
    ph_json_begin_object(json, NULL);
    ph_json_strings(json, "analysis", provenance->kind, "program", provenance->program, "command", provenance->command);
    ph_json_begin_array(json, "files");
    for (size_t k = 0; k < provenance->n_files; ++k)
        ph_json_string(json, NULL, provenance->files[k]);
    ph_json_end(json);
    ph_json_say(json, "%s of %s", provenance->kind, provenance->files[0]);
    if (provenance->n_files > 1)
        ph_json_say(json, " and %zu more", provenance->n_files - 1);
    ph_json_say(json, "\n");
    say_parameters(json, result);
    say_values(json, result);
    if (result->n_tables > 0)
        ph_json_say(json, "\n");
    ph_json_begin_object(json, "tables");
    for (size_t t = 0; t < result->n_tables; ++t)
        say_table(json, result->tables[t], result->n_tables == 1);
    ph_json_end(json);
    ph_json_begin_array(json, "notes");
    for (size_t k = 0; k < result->n_notes; ++k) {
        ph_json_string(json, NULL, result->notes[k]);
        ph_json_say(json, "note: %s\n", result->notes[k]);
    }
    ph_json_end(json);
    ph_json_end(json);
}

/* ---- The list ---- */

static void say_labelled(struct ph_json *json, const char *label, const char *text)
{
    char line[1024];
    snprintf(line, sizeof line, "%s %s", label, text);
    ph_cli_say_wrapped(json, 4, line);
}

void ph_cli_say_analyses(struct ph_json *json)
{
    ph_json_say(json, "analyses: what 'polhode analyze' finds out from trajectories\n");
    ph_json_begin_array(json, "analyses");
    for (size_t i = 0; i < ph_analysis_count(); ++i) {
        const struct ph_analysis *analysis = ph_analysis_at(i);
        char options[256] = "";
        ph_json_begin_object(json, NULL);
        ph_json_strings(json, "name", analysis->name, "summary", analysis->summary, "documentation",
                        analysis->documentation, "needs", analysis->needs, "options", analysis->options);
        ph_json_bool(json, "several_files", analysis->several);
        ph_json_bool(json, "input_file", analysis->input);
        ph_json_end(json);
        ph_json_say(json, "\n  %s  %s\n", analysis->name, analysis->summary);
        ph_cli_say_wrapped(json, 4, analysis->documentation);
        say_labelled(json, "needs:", analysis->needs);
        for (const char *at = analysis->options; *at; at += strspn(at, " ")) {
            const int length = (int)strcspn(at, " ");
            const size_t used = strlen(options);
            snprintf(options + used, sizeof options - used, "%s--%.*s", used > 0 ? " " : "", length, at);
            at += length;
        }
        say_labelled(json, "options:", options);
    }
    ph_json_end(json);
}
