/* SPDX-License-Identifier: MIT */
#include "analysis/verdict/verdict_parts.h"

#include "base/plain.h"

#include <math.h>
#include <stdarg.h>

const double ph_verdict_tolerance = 0.015;

struct ph_check *ph_verdict_say(struct ph_verdict *verdict, const char *name, enum ph_finding state, const char *format,
                                ...)
{
    struct ph_check *check = &verdict->check[verdict->n++];
    *check = (struct ph_check){.name = name, .state = state};
    va_list arguments;
    va_start(arguments, format);
    ph_vsnprintf(check->text, sizeof check->text, format, arguments);
    va_end(arguments);
    return check;
}

enum ph_status ph_judged_read(const struct ph_judged *run, const char *name, struct ph_series *series,
                              struct ph_error *err)
{
    const char *stage = run->request.stage;
    struct ph_result notes = {0};
    *series = (struct ph_series){.rows = 0};
    if (stage ? !ph_series_has(run->reader, name) : !ph_series_has_production(run->reader, name))
        return PH_OK;
    const enum ph_status status = ph_series_read(run->reader, &run->request, name, stage, series, &notes, err);
    ph_result_free(&notes);
    return status;
}

double ph_judged_length(const struct ph_series *series)
{
    return series->rows > 1 ? series->time[series->rows - 1] - series->time[0] : 0.0;
}

bool ph_judged_half(const struct ph_judged *run, const struct ph_reader_stage *stage, struct ph_judged *half,
                    struct ph_verdict *verdict)
{
    *half = (struct ph_judged){
        .reader = run->reader,
        .conditions = ph_conditions_of(run->reader, stage->name),
        .request = {.stage = stage->name, .frames = {.stride = 1}},
        .thermal = run->thermal,
        .degrees = stage->degrees[0] + stage->degrees[1],
        .physical = run->physical,
        .kinetic = NAN,
        .verdict = verdict,
    };
    *verdict = (struct ph_verdict){.n = 0};
    struct ph_series temperature;
    struct ph_error forgotten;
    const bool there = ph_judged_read(half, "temperature", &temperature, &forgotten) == PH_OK && temperature.rows > 1;
    half->request.frames.has_first = true;
    half->request.frames.first = (int64_t)temperature.rows / 2;
    ph_series_free(&temperature);
    return there;
}
