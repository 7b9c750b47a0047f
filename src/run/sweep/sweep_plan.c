/* SPDX-License-Identifier: MIT */
#include "run/sweep/sweep_plan.h"

#include "base/memory.h"
#include "input/texts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An axis: rows of values, one for each of its keys, side by side */
struct axis {
    size_t n_keys, n_values, room;
    char keys[PH_SWEEP_KEYS_MAX][PH_PATH];
    char **values; /* owned, and each of them */
};

static void free_axis(struct axis *axis)
{
    for (size_t k = 0; k < axis->n_values; ++k)
        free(axis->values[k]);
    free(axis->values);
    *axis = (struct axis){0};
}

static enum ph_status no_memory(struct ph_error *err) { return ph_no_memory(err, "the runs of a sweep"); }

static enum ph_status add_value(struct axis *axis, const char *text, size_t length, struct ph_error *err)
{
    if (axis->n_values == axis->room) {
        const size_t room = 2 * axis->room + 16;
        char **values = ph_reallocate(axis->values, room, sizeof *values);
        if (!values)
            return no_memory(err);
        axis->values = values;
        axis->room = room;
    }
    char *copy = strndup(text, length);
    if (!copy)
        return no_memory(err);
    axis->values[axis->n_values++] = copy;
    return PH_OK;
}

/* Without the spaces at both ends */
static const char *trim(const char *text, size_t *length)
{
    while (*length > 0 && strchr(" \t\r", text[*length - 1]))
        --*length;
    for (; *length > 0 && strchr(" \t", *text); --*length)
        ++text;
    return text;
}

static enum ph_status add_key(struct axis *axis, const char *place, const char *text, size_t length,
                              struct ph_error *err)
{
    text = trim(text, &length);
    if (axis->n_keys == PH_SWEEP_KEYS_MAX)
        return ph_error_set(err, PH_ERR_INPUT, "%s: more than %d keys.", place, PH_SWEEP_KEYS_MAX);
    if (length == 0 || length >= PH_PATH || memchr(text, '=', length) || memchr(text, ' ', length))
        return ph_error_set(err, PH_ERR_INPUT, "%s: '%.*s' is not a key of an input, as dynamics.step.", place,
                            length < 60 ? (int)length : 60, text);
    snprintf(axis->keys[axis->n_keys++], PH_PATH, "%.*s", (int)length, text);
    return PH_OK;
}

/* Every run that there is, with every row of the axis */
static enum ph_status multiply(struct ph_sweep_plan *plan, const char *place, const struct axis *axis,
                               struct ph_error *err)
{
    const size_t rows = axis->n_values / axis->n_keys, n = plan->n_runs * rows;
    if (plan->n_keys + axis->n_keys > PH_SWEEP_KEYS_MAX)
        return ph_error_set(err, PH_ERR_INPUT, "%s: more than %d keys.", place, PH_SWEEP_KEYS_MAX);
    if (rows > PH_SWEEP_RUNS_MAX || n > PH_SWEEP_RUNS_MAX)
        return ph_error_set(err, PH_ERR_INPUT, "%s: more than %d runs.", place, PH_SWEEP_RUNS_MAX);
    for (size_t a = 0; a < axis->n_keys; ++a)
        for (size_t k = 0; k < plan->n_keys + a; ++k)
            if (strcmp(axis->keys[a], k < plan->n_keys ? plan->keys[k] : axis->keys[k - plan->n_keys]) == 0)
                return ph_error_set(err, PH_ERR_INPUT, "%s: %s is varied twice.", place, axis->keys[a]);
    struct ph_sweep_plan made = {.n_keys = plan->n_keys + axis->n_keys, .n_runs = n};
    made.values = ph_allocate(n, sizeof *made.values);
    bool good = made.values != NULL;
    memcpy(made.keys, plan->keys, sizeof made.keys);
    for (size_t a = 0; a < axis->n_keys; ++a)
        strcpy(made.keys[plan->n_keys + a], axis->keys[a]);
    for (size_t run = 0; run < n && good; ++run)
        for (size_t k = 0; k < made.n_keys && good; ++k) {
            const size_t a = k - plan->n_keys;
            const char *value =
                k < plan->n_keys ? ph_sweep_value(plan, run / rows, k) : axis->values[run % rows * axis->n_keys + a];
            char *set = made.values[run][k] = malloc(strlen(made.keys[k]) + strlen(value) + 2);
            good = set != NULL;
            if (good)
                sprintf(set, "%s=%s", made.keys[k], value);
        }
    if (!good) {
        ph_sweep_free(&made);
        return no_memory(err);
    }
    ph_sweep_free(plan);
    *plan = made;
    return PH_OK;
}

enum ph_status ph_sweep_begin(struct ph_sweep_plan *plan, struct ph_error *err)
{
    *plan = (struct ph_sweep_plan){.n_runs = 1, .values = ph_allocate(1, sizeof *plan->values)};
    return plan->values ? PH_OK : no_memory(err);
}

void ph_sweep_free(struct ph_sweep_plan *plan)
{
    for (size_t run = 0; run < plan->n_runs && plan->values; ++run)
        for (size_t k = 0; k < plan->n_keys; ++k)
            free(plan->values[run][k]);
    free(plan->values);
    *plan = (struct ph_sweep_plan){0};
}

const char *ph_sweep_value(const struct ph_sweep_plan *plan, size_t run, size_t key)
{
    return plan->values[run][key] + strlen(plan->keys[key]) + 1;
}

/* ---- --vary ---- */

/* Up to the next comma that is not inside brackets or quotes */
static size_t value_length(const char *text)
{
    int depth = 0;
    char quote = '\0';
    size_t n = 0;
    for (; text[n] && (depth > 0 || quote || text[n] != ','); ++n) {
        if (quote)
            quote = text[n] == quote ? '\0' : quote;
        else if (text[n] == '"' || text[n] == '\'')
            quote = text[n];
        else
            depth += (strchr("[{", text[n]) != NULL) - (depth > 0 && strchr("]}", text[n]) != NULL);
    }
    return n;
}

/* "1..4": 1, 2, 3, 4; anything else is one value */
static enum ph_status add_values(struct axis *axis, const char *place, const char *text, size_t length,
                                 struct ph_error *err)
{
    char *end, *rest, number[32];
    text = trim(text, &length);
    if (length == 0)
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s: a value is empty; give a key and its values, as dynamics.step=0.001,0.002.", place);
    errno = 0;
    const long long first = strtoll(text, &end, 10);
    const bool begins = end != text && strncmp(end, "..", 2) == 0;
    const long long last = begins ? strtoll(end + 2, &rest, 10) : 0;
    if (!begins || rest == end + 2 || rest != text + length || errno != 0)
        return add_value(axis, text, length, err);
    if (last < first || last - first >= PH_SWEEP_RUNS_MAX)
        return ph_error_set(err, PH_ERR_INPUT, "%s: the range %.*s is empty or too long.", place, (int)length, text);
    enum ph_status status = PH_OK;
    for (long long k = first; k <= last && status == PH_OK; ++k)
        status = add_value(axis, number, (size_t)snprintf(number, sizeof number, "%lld", k), err);
    return status;
}

enum ph_status ph_sweep_vary(struct ph_sweep_plan *plan, const char *text, struct ph_error *err)
{
    struct axis axis = {0};
    char place[PH_PATH + 16];
    snprintf(place, sizeof place, "--vary %.200s", text);
    const char *equals = strchr(text, '=');
    if (!equals)
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s: not accepted; give a key and its values, as dynamics.step=0.001,0.002.", place);
    enum ph_status status = add_key(&axis, place, text, (size_t)(equals - text), err);
    const char *at = equals;
    do {
        const size_t n = value_length(++at);
        if (status == PH_OK)
            status = add_values(&axis, place, at, n, err);
        at += n;
    } while (*at == ',' && status == PH_OK);
    if (status == PH_OK)
        status = multiply(plan, place, &axis, err);
    free_axis(&axis);
    return status;
}

/* ---- --table ---- */

/* One cell of a line; quotes around it are taken off, two quotes in it are one. Returns where the next one begins, NULL
 * after the last; `open` if that ends inside quotes. */
static const char *next_cell(const char *at, const char *end, char cell[PH_PATH], bool *open)
{
    size_t n = 0;
    bool quoted = false;
    while (at < end && (*at == ' ' || *at == '\t'))
        ++at;
    for (; at < end && (quoted || *at != ','); ++at) {
        if (*at == '"' && quoted && at + 1 < end && at[1] == '"')
            ++at;
        else if (*at == '"') {
            quoted = !quoted;
            continue;
        }
        if (n < PH_PATH - 1)
            cell[n++] = *at;
    }
    cell[n] = '\0';
    *open = quoted;
    return at < end ? at + 1 : NULL;
}

static enum ph_status take_line(struct axis *axis, const char *place, bool keys, const char *line, size_t length,
                                struct ph_error *err)
{
    size_t n = 0;
    enum ph_status status = PH_OK;
    for (const char *at = line; at && status == PH_OK; ++n) {
        char cell[PH_PATH];
        bool open;
        at = next_cell(at, line + length, cell, &open);
        if (open)
            return ph_error_set(err, PH_ERR_INPUT,
                                "%s: a quote (\") is not closed in this line; a quote within a value is written twice.",
                                place);
        size_t used = strlen(cell);
        const char *text = trim(cell, &used);
        if (keys)
            status = add_key(axis, place, text, used, err);
        else if (n < axis->n_keys)
            status = add_value(axis, text, used, err);
    }
    if (status == PH_OK && !keys && n != axis->n_keys)
        return ph_error_set(err, PH_ERR_INPUT, "%s: %zu value%s, but the first line has %zu key%s.", place, n,
                            n == 1 ? "" : "s", axis->n_keys, axis->n_keys == 1 ? "" : "s");
    return status;
}

enum ph_status ph_sweep_table(struct ph_sweep_plan *plan, const char *file, struct ph_error *err)
{
    struct ph_texts texts = {.n = 0};
    struct axis axis = {0};
    const struct ph_text *text;
    char place[PH_PATH + 32];
    enum ph_status status = ph_texts_read(&texts, file, &text, err);
    int number = 0;
    for (const char *line = status == PH_OK ? text->text : ""; *line && status == PH_OK;) {
        const char *end = strchr(line, '\n');
        size_t length = end ? (size_t)(end - line) : strlen(line);
        snprintf(place, sizeof place, "%s:%d", file, ++number);
        const char *next = line + length + (end != NULL), *begin = trim(line, &length);
        if (length > 0)
            status = take_line(&axis, place, axis.n_keys == 0, begin, length, err);
        line = next;
    }
    if (status == PH_OK && axis.n_values == 0)
        status = ph_error_set(err, PH_ERR_INPUT, "%s: a line of keys and a line for each run are needed.", file);
    if (status == PH_OK)
        status = multiply(plan, file, &axis, err);
    free_axis(&axis);
    ph_texts_free(&texts);
    return status;
}
