/* SPDX-License-Identifier: MIT */
#include "analysis/trajectory/conditions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double number_of(const struct ph_reader *reader, const char *name)
{
    double number;
    return ph_reader_number(reader, name, &number) && isfinite(number) ? number : NAN;
}

static struct ph_conditions of_production(const struct ph_reader *reader)
{
    struct ph_conditions conditions = {
        .temperature = number_of(reader, "asked_temperature"),
        .pressure = number_of(reader, "asked_pressure"),
        .degrees = number_of(reader, "degrees_of_translation") + number_of(reader, "degrees_of_rotation"),
        .one = true,
    };
    char *ensemble = ph_reader_text(reader, "ensemble");
    snprintf(conditions.ensemble, sizeof conditions.ensemble, "%.7s", ensemble ? ensemble : "");
    free(ensemble);
    return conditions;
}

struct ph_conditions ph_conditions_of(const struct ph_reader *reader, const char *stage)
{
    struct ph_conditions conditions = {.temperature = NAN, .pressure = NAN, .degrees = NAN};
    for (size_t k = 0; k < reader->n_stages && stage; ++k) {
        const struct ph_reader_stage *found = &reader->stages[k];
        if (strcmp(stage, found->name) != 0 || !found->ensemble)
            continue;
        snprintf(conditions.ensemble, sizeof conditions.ensemble, "%.7s", found->ensemble);
        conditions.temperature = found->temperature;
        conditions.pressure = found->pressure;
        conditions.degrees = found->degrees[0] + found->degrees[1];
        conditions.one = true;
        return conditions;
    }
    const bool production = !stage || strcmp(stage, "production") == 0;
    return production && !reader->awaits_production ? of_production(reader) : conditions;
}
