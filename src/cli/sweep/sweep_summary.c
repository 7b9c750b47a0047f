/* SPDX-License-Identifier: MIT */
#include "cli/commands/watch.h"
#include "cli/sweep/sweep.h"

#include "lab/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STATE_COLUMNS = 4, NUMBERS = 13 };

static const struct ph_table_column state_columns[STATE_COLUMNS] = {
    {"state", "waiting, interrupted, finished or failed", true},
    {"verdict", "well, unclear, wrong; none without results", true},
    {"steps", "that were done", false},
    {"rows", "of the series, in the production", false},
};
static const struct ph_table_column number_columns[NUMBERS] = {
    {"energy", "total, or conserved; per molecule, as all energies", false},
    {"energy_rms", "about its mean", false},
    {"energy_rms_error", NULL, false},
    {"drift", "of the energy, per unit of time", false},
    {"drift_error", NULL, false},
    {"potential_energy", NULL, false},
    {"potential_energy_error", NULL, false},
    {"temperature_translation", NULL, false},
    {"temperature_translation_error", NULL, false},
    {"temperature_rotation", NULL, false},
    {"temperature_rotation_error", NULL, false},
    {"pressure", NULL, false},
    {"pressure_error", NULL, false},
};
/* As people see them */
static const struct ph_table_look number_looks[NUMBERS] = {
    {"energy", "%.8g"},    {"rms", "%.2e"}, {NULL, NULL},          {"drift", "%+.2e"}, {"+-", "%.0e"},
    {"potential", "%.6g"}, {"+-", "%.1g"},  {"T transl.", "%.5g"}, {"+-", "%.1g"},     {"T rot.", "%.5g"},
    {"+-", "%.1g"},        {"P", "%.5g"},   {"+-", "%.1g"},
};

/* *found is false for runs that have no rows; files that cannot be read have none either. */
static enum ph_status read_findings(const struct ph_sweep *sweep, size_t k, struct ph_findings *findings, bool *found,
                                    struct ph_error *err)
{
    const struct ph_run_course course = {sweep->runs[k].step, sweep->runs[k].end, false};
    char path[PATH_MAX];
    const enum ph_sweep_state state = sweep->runs[k].state;
    *found = false;
    if (state != PH_SWEEP_FINISHED && (state != PH_SWEEP_INTERRUPTED || !ph_sweep_is_mine(sweep, k)))
        return PH_OK; /* another process may be writing the files of its runs */
    const enum ph_status status =
        ph_cli_read_findings(ph_sweep_path(sweep, k, "run.h5md", path), &course, findings, err);
    *found = status == PH_OK && findings->summary.energy.rows > 0;
    return status == PH_ERR_MEMORY ? status : PH_OK;
}

/* A value that has a comma is put in quotes */
static void in_quotes(const char *value, char cell[PH_TABLE_WORD])
{
    const bool plain = !strpbrk(value, ",\"");
    size_t n = 0;
    if (!plain)
        cell[n++] = '"';
    for (; *value && n < PH_TABLE_WORD - 3; ++value) {
        if (*value == '"')
            cell[n++] = '"';
        cell[n++] = *value;
    }
    if (!plain)
        cell[n++] = '"';
    cell[n] = '\0';
}

static enum ph_status add_row(const struct ph_sweep *sweep, size_t k, const struct ph_findings *findings,
                              struct ph_table *table, struct ph_error *err)
{
    const struct ph_summary *s = findings ? &findings->summary : NULL;
    char path[PATH_MAX], cells[PH_SWEEP_KEYS_MAX][PH_TABLE_WORD];
    const char *words[PH_SWEEP_KEYS_MAX + 3] = {ph_sweep_name(sweep, k, path)};
    for (size_t c = 0; c < sweep->plan.n_keys; ++c) {
        in_quotes(ph_sweep_value(&sweep->plan, k, c), cells[c]);
        words[c + 1] = cells[c];
    }
    words[sweep->plan.n_keys + 1] = ph_sweep_state_names[sweep->runs[k].state];
    words[sweep->plan.n_keys + 2] = findings ? ph_state_names[findings->verdict.state] : "none";
    double numbers[2 + NUMBERS] = {(double)sweep->runs[k].step, s ? (double)s->energy.rows : 0.0};
    for (size_t c = 0; c < NUMBERS; ++c)
        numbers[2 + c] = NAN;
    if (s) {
        const struct ph_conservation *e = &s->energy;
        const struct ph_mean *means[] = {&s->potential, &s->temperature_translation, &s->temperature_rotation,
                                         &s->pressure};
        double *at = numbers + 2;
        *at++ = e->first + e->line.mean;
        *at++ = e->rms;
        *at++ = e->rms_error;
        *at++ = e->rows > 2 ? e->line.slope : NAN;
        *at++ = e->rows > 2 ? e->line.slope_error : NAN;
        for (size_t c = 0; c < sizeof means / sizeof *means; ++c) {
            *at++ = means[c]->mean;
            *at++ = means[c]->error;
        }
    }
    return ph_table_append(table, words, numbers, err);
}

static void say_run(struct ph_json *json, const struct ph_sweep *sweep, size_t k, const struct ph_findings *findings)
{
    const struct ph_sweep_run *run = &sweep->runs[k];
    char path[PATH_MAX], file[PATH_MAX];
    ph_json_begin_object(json, NULL);
    ph_json_string(json, "run", ph_sweep_name(sweep, k, path));
    ph_json_begin_object(json, "parameters");
    for (size_t c = 0; c < sweep->plan.n_keys; ++c)
        ph_json_string(json, sweep->plan.keys[c], ph_sweep_value(&sweep->plan, k, c));
    ph_json_end(json);
    ph_json_strings(json, "state", ph_sweep_state_names[run->state], "message", run->message[0] ? run->message : NULL);
    ph_json_integer(json, "last_step", (long)run->step);
    ph_json_integer(json, "planned_steps", (long)run->end);
    snprintf(file, sizeof file, "%.3900s/run.h5md", ph_sweep_name(sweep, k, path));
    ph_json_string(json, "file", file);
    if (findings)
        ph_cli_say_findings(json, findings, sweep->physical);
    ph_json_end(json);
}

/* Both forms, run by run */
static enum ph_status collect(const struct ph_sweep *sweep, struct ph_json *json, struct ph_table *table,
                              struct ph_error *err)
{
    enum ph_status status = PH_OK;
    ph_json_begin_object(json, NULL);
    ph_json_strings(json, "title", sweep->title, "input", sweep->texts.item[0].name, "units",
                    sweep->physical ? "md" : "reduced", "folder", sweep->folder);
    ph_json_begin_array(json, "keys");
    for (size_t k = 0; k < sweep->plan.n_keys; ++k)
        ph_json_string(json, NULL, sweep->plan.keys[k]);
    ph_json_end(json);
    ph_json_begin_array(json, "runs");
    for (size_t k = 0; k < sweep->plan.n_runs && status == PH_OK; ++k) {
        struct ph_findings findings;
        bool found;
        status = read_findings(sweep, k, &findings, &found, err);
        say_run(json, sweep, k, found ? &findings : NULL);
        if (status == PH_OK)
            status = add_row(sweep, k, found ? &findings : NULL, table, err);
    }
    ph_json_end(json);
    ph_json_end(json);
    return status;
}

/* run, the keys, state, numbers; keys by their last names where people read them */
static size_t make_columns(const struct ph_sweep *sweep, struct ph_table_column columns[PH_TABLE_COLUMNS],
                           struct ph_table_look looks[PH_TABLE_COLUMNS])
{
    _Static_assert(1 + PH_SWEEP_KEYS_MAX + STATE_COLUMNS + NUMBERS <= PH_TABLE_COLUMNS, "a column for each");
    const size_t n_keys = sweep->plan.n_keys;
    memset(looks, 0, PH_TABLE_COLUMNS * sizeof *looks);
    columns[0] = (struct ph_table_column){"run", "its folder", true};
    looks[0].head = "run";
    for (size_t k = 0; k < n_keys; ++k) {
        const char *dot = strrchr(sweep->plan.keys[k], '.');
        columns[1 + k] = (struct ph_table_column){sweep->plan.keys[k], NULL, true};
        looks[1 + k].head = dot ? dot + 1 : sweep->plan.keys[k];
    }
    memcpy(columns + 1 + n_keys, state_columns, sizeof state_columns);
    memcpy(columns + 1 + n_keys + STATE_COLUMNS, number_columns, sizeof number_columns);
    looks[1 + n_keys].head = "state";
    looks[2 + n_keys].head = "verdict";
    memcpy(looks + 1 + n_keys + STATE_COLUMNS, number_looks, sizeof number_looks);
    return 1 + n_keys + STATE_COLUMNS + NUMBERS;
}

enum ph_status ph_sweep_summarise(const struct ph_sweep *sweep, bool json_wanted, struct ph_error *err)
{
    enum { CSV, JSON, FILES };
    static const char *const names[FILES] = {"csv", "json"};
    struct ph_table_column columns[PH_TABLE_COLUMNS];
    struct ph_table_look looks[PH_TABLE_COLUMNS];
    struct ph_table table;
    ph_table_init(&table, "sweep", sweep->title, make_columns(sweep, columns, looks), columns);
    char *text[FILES] = {NULL, NULL}, path[PATH_MAX];
    size_t length[FILES];
    FILE *out[FILES];
    for (int k = 0; k < FILES; ++k)
        out[k] = open_memstream(&text[k], &length[k]);
    bool good = out[CSV] && out[JSON];
    struct ph_json json = {.out = out[JSON]};
    enum ph_status status = good ? collect(sweep, &json, &table, err) : PH_OK;
    good = good && ph_table_write_csv(&table, out[CSV]);
    for (int k = 0; k < FILES; ++k)
        good = (!out[k] || fclose(out[k]) == 0) && good;
    if (!good && status == PH_OK)
        status = ph_no_memory(err, "the summary");
    for (int k = 0; k < FILES && status == PH_OK; ++k) {
        snprintf(path, sizeof path, "%s/sweep.%s", sweep->folder, names[k]);
        status = ph_sweep_put_file(path, text[k], err);
    }
    if (status == PH_OK && json_wanted)
        fputs(text[JSON], stdout);
    else if (status == PH_OK)
        ph_table_write_text(&table, looks, stdout);
    free(text[CSV]);
    free(text[JSON]);
    ph_table_clear(&table);
    return status;
}
