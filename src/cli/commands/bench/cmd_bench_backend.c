/* SPDX-License-Identifier: MIT */
/* polhode bench backend: whole steps on a graphics processor, and their parts. */
#include "accel/machines/device_choice.h"
#include "cli/commands/bench/cmd_bench.h"
#include "lab/bench/backend.h"
#include "lab/table.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* Of each system; and about half as long for its parts */
static double seconds_on(const struct ph_machine *machine) { return machine == &ph_machine_emulated ? 0.4 : 2.0; }

static const struct ph_table_column columns[] = {
    {"part", "of a step", true},
    {"launches", "in a step", false},
    {"us", "of a step", false},
    {"share", "of the time of all", false},
};
static const struct ph_table_look looks[] = {
    {"part of a step", NULL}, {"launches", "%.2f"}, {"us", "%.1f"}, {"share", "%.3f"}};
enum { COLUMNS = sizeof columns / sizeof *columns };

static enum ph_status list_parts(const struct ph_backend_timing *t, struct ph_table *table, struct ph_error *err)
{
    enum ph_status status = PH_OK;
    const double steps = (double)t->part_steps;
    double sum = 0.0, launches = 0.0;
    for (int part = 0; part < PH_TIMED_PARTS && status == PH_OK; ++part) {
        const double seconds = t->timed.part[part].seconds, count = (double)t->timed.part[part].launches;
        if (count > 0.0)
            status =
                ph_table_append(table, (const char *const[]){ph_timed_name((enum ph_timed_part)part)},
                                (const double[]){count / steps, 1e6 * seconds / steps, seconds / t->part_seconds}, err);
        sum += seconds;
        launches += count;
    }
    const double rest = t->part_seconds - sum;
    if (status == PH_OK)
        status = ph_table_append(table, (const char *const[]){"between these"},
                                 (const double[]){0.0, 1e6 * rest / steps, rest / t->part_seconds}, err);
    if (status == PH_OK)
        status = ph_table_append(table, (const char *const[]){"all"},
                                 (const double[]){launches / steps, 1e6 * t->part_seconds / steps, 1.0}, err);
    return status;
}

static enum ph_status say(struct ph_json *json, const char *name, const struct ph_backend_timing *t,
                          struct ph_error *err)
{
    const double rate = (double)t->steps / t->seconds, evaluations = (double)t->evaluations / t->seconds;
    struct ph_table table;
    ph_table_init(&table, "parts", "parts of a step", COLUMNS, columns);
    const enum ph_status status = list_parts(t, &table, err);
    ph_json_begin_object(json, NULL);
    ph_json_string(json, "name", name);
    ph_json_integer(json, "molecules", (long)t->n);
    ph_json_number(json, "step", t->step);
    ph_json_integer(json, "steps", t->steps);
    ph_json_number(json, "seconds", t->seconds);
    ph_json_number(json, "steps_per_second", rate);
    ph_json_number(json, "evaluations_per_second", evaluations);
    ph_json_number(json, "pairs", t->pairs);
    ph_json_bool(json, "pairs_estimated", t->estimated);
    ph_json_number(json, "pairs_per_second", t->pairs * evaluations);
    ph_json_number(json, "ns_per_day", t->ns_per_day);
    ph_json_integer(json, "lists_made", (long)t->lists_made);
    ph_json_number(json, "part_steps", (double)t->part_steps);
    ph_json_say(json, "\n%s: %zu molecules, %ld steps of %g in %.2f s\n", name, t->n, t->steps, t->step, t->seconds);
    ph_json_say(json, "%.4g steps/s, %.4g us a step, %.4g thousand million pairs/s (%.4g pairs of sites%s)", rate,
                1e6 / rate, 1e-9 * t->pairs * evaluations, t->pairs, t->estimated ? ", estimated" : "");
    if (isfinite(t->ns_per_day))
        ph_json_say(json, ", %.4g ns/day", t->ns_per_day);
    if (t->lists_made > 0)
        ph_json_say(json, ", a list in %.1f steps", (double)t->steps / (double)t->lists_made);
    ph_json_say(json, "\n\n");
    if (status == PH_OK)
        ph_json_table(json, "parts", &table, looks);
    ph_json_end(json);
    ph_table_clear(&table);
    return status;
}

static enum ph_status bench(struct ph_json *json, const struct ph_backend_kind *kind, struct ph_texts *texts,
                            const char *name, struct ph_error *err)
{
    struct ph_backend_timing timing;
    const enum ph_status status = ph_bench_backend(kind, texts, name, seconds_on(kind->machine), &timing, err);
    return status == PH_OK ? say(json, name, &timing, err) : status;
}

static enum ph_status bench_own(struct ph_json *json, const struct ph_backend_kind *kind, struct ph_error *err)
{
    enum ph_status status = PH_OK;
    for (size_t k = 0; k < PH_BACKEND_SYSTEMS && status == PH_OK; ++k) {
        const struct ph_backend_system *system = &ph_backend_systems[k];
        struct ph_texts texts = {.n = 0};
        if ((kind->machine == &ph_machine_emulated) != system->small)
            continue;
        status = ph_texts_add(&texts, system->name, system->text, strlen(system->text), err);
        if (status == PH_OK)
            status = bench(json, kind, &texts, system->name, err);
        ph_texts_free(&texts);
    }
    return status;
}

static enum ph_status find(const char *backend, const char *device, const struct ph_backend_kind **kind,
                           struct ph_error *err)
{
    long number = -1;
    enum ph_status status = device ? ph_cli_parse_integer("--device", device, 0, &number, err) : PH_OK;
    if (status != PH_OK)
        return status;
    ph_device_choose(number > INT_MAX ? INT_MAX : (int)number);
    *kind = ph_backend_find(backend ? backend : "cuda");
    if (!*kind || !(*kind)->machine)
        return ph_error_set(err, PH_ERR_INPUT, "--backend is '%.60s'. Accepted here: cuda, emulated.", backend);
    return (*kind)->machine->open(err);
}

enum ph_status ph_cli_bench_backend(const char *backend, const char *device, const char *input, bool json,
                                    struct ph_error *err)
{
    const struct ph_backend_kind *kind = NULL;
    enum ph_status status = find(backend, device, &kind, err);
    if (status != PH_OK)
        return status;
    struct ph_machine_facts facts;
    struct ph_json out = {.out = stdout, .text = !json};
    kind->machine->look(&facts);
    ph_json_begin_object(&out, NULL);
    ph_json_string(&out, "bench", "backend");
    ph_json_string(&out, "backend", kind->name);
    ph_json_string(&out, "device", facts.device);
    ph_json_say(&out, "%s: %s\n", kind->name, facts.device);
    ph_json_begin_array(&out, "systems");
    if (input) {
        struct ph_texts texts = {.n = 0};
        status = bench(&out, kind, &texts, input, err);
        ph_texts_free(&texts);
    } else {
        status = bench_own(&out, kind, err);
    }
    ph_json_end(&out);
    ph_json_say(&out, "\nWhole steps are timed first, then their parts, one task after another. Pairs are pairs of "
                      "sites within the cutoff,\neach counted once.\n");
    ph_json_end(&out);
    return status;
}
