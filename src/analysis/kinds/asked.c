/* SPDX-License-Identifier: MIT */
#include "analysis/kinds/asked.h"

#include "analysis/trajectory/conditions.h"
#include "analysis/trajectory/series.h"
#include "base/plain.h"
#include "model/units.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const ph_agreement_names[] = {
    [PH_AGREES] = "agrees", [PH_DISAGREES] = "disagrees", [PH_TOO_SHORT] = "too-short"};

enum { TEMPERATURE, TRANSLATION, ROTATION, AXIS_1, AXIS_2, AXIS_3, PRESSURE };

static const struct part {
    const char *name, *series;
    size_t component;
    int whole; /* the quantity that it is a part of; itself: none */
} parts[PH_ASKED_MOST] = {
    [TEMPERATURE] = {"temperature", "temperature", 0, TEMPERATURE},
    [TRANSLATION] = {"temperature of translation", "temperature_translation", 0, TEMPERATURE},
    [ROTATION] = {"temperature of rotation", "temperature_rotation", 0, TEMPERATURE},
    [AXIS_1] = {"temperature about axis 1", "temperature_axis", 0, ROTATION},
    [AXIS_2] = {"temperature about axis 2", "temperature_axis", 1, ROTATION},
    [AXIS_3] = {"temperature about axis 3", "temperature_axis", 2, ROTATION},
    [PRESSURE] = {"pressure", "pressure", 0, PRESSURE},
};

/* `scatter`: of a single number in equilibrium, relative to the scale; NaN: not known */
static enum ph_agreement judge(double asked, double scale, double scatter, bool part, const struct ph_mean *mean)
{
    const double tolerance = part ? 0.03 : 0.015, most = 0.1;
    const double chance = ph_mean_chance(mean), off = fabs(mean->mean - asked);
    if (!isfinite(chance))
        return off > fmax(6.0 * scatter, most) * scale && isfinite(scatter) ? PH_DISAGREES : PH_TOO_SHORT;
    if (part && mean->rough) /* parts are slow to share, which a short record does not show */
        return PH_TOO_SHORT;
    if (off > fmax(chance, tolerance * scale))
        return PH_DISAGREES;
    return chance > most * scale ? PH_TOO_SHORT : PH_AGREES;
}

/* Finds the mean of a column over the requested rows; n = 0 if there are no rows, or if no torque acts, so that the
 * mean says nothing */
static enum ph_status mean_of(const struct ph_reader *reader, const struct ph_analysis_request *request,
                              const char *name, size_t component, double usual, struct ph_mean *mean,
                              struct ph_error *err)
{
    struct ph_series series;
    struct ph_result notes = {0};
    *mean = ph_mean_of(0, NULL);
    if (request->stage ? !ph_series_has(reader, name) : !ph_series_has_production(reader, name))
        return PH_OK;
    const enum ph_status status = ph_series_read(reader, request, name, request->stage, &series, &notes, err);
    if (status == PH_OK && component < series.width && !ph_series_still(&series, component, usual))
        *mean = ph_series_mean(&series, component, 1.0);
    if (!isfinite(mean->mean))
        mean->n = 0;
    ph_series_free(&series);
    ph_result_free(&notes);
    return status;
}

/* Pressure of the ideal gas at this density and temperature; 0 if not known */
static enum ph_status ideal_pressure(const struct ph_reader *reader, const struct ph_analysis_request *request,
                                     double boltzmann, double *pressure, struct ph_error *err)
{
    struct ph_mean density, temperature;
    enum ph_status status = mean_of(reader, request, "density", 0, 0.0, &density, err);
    if (status == PH_OK)
        status = mean_of(reader, request, "temperature", 0, 0.0, &temperature, err);
    *pressure =
        status == PH_OK && density.n > 0 && temperature.n > 0 ? density.mean * boltzmann * temperature.mean : 0.0;
    return status;
}

enum ph_status ph_asked_pressure(const struct ph_reader *reader, const struct ph_analysis_request *request,
                                 double boltzmann, struct ph_mean *pressure, double *ideal, struct ph_error *err)
{
    const enum ph_status status = mean_of(reader, request, parts[PRESSURE].series, 0, 0.0, pressure, err);
    return status == PH_OK ? ideal_pressure(reader, request, boltzmann, ideal, err) : status;
}

enum ph_status ph_asked_read(const struct ph_reader *reader, const struct ph_analysis_request *request,
                             struct ph_asked *asked, struct ph_error *err)
{
    static const struct ph_analysis_request production = {.frames = {.stride = 1}};
    request = request ? request : &production;
    *asked = (struct ph_asked){.n = 0};
    char *name = ph_reader_text(reader, "units");
    const struct ph_units *units = name ? ph_units_find(name) : NULL;
    free(name);
    const struct ph_conditions conditions = ph_conditions_of(reader, request->stage);
    const bool warm = isfinite(conditions.temperature), pressed = isfinite(conditions.pressure);
    double ideal = 0.0, usual = 0.0;
    if (!units || !(warm || pressed))
        return PH_OK;
    const bool physical = strcmp(units->name, "md") == 0;
    enum ph_status status = pressed ? ideal_pressure(reader, request, units->boltzmann, &ideal, err) : PH_OK;
    enum ph_agreement verdict[PH_ASKED_MOST] = {PH_AGREES};
    for (int k = 0; k < PH_ASKED_MOST && status == PH_OK; ++k) {
        struct ph_mean mean;
        if (k == PRESSURE ? !pressed : !warm)
            continue;
        status = mean_of(reader, request, parts[k].series, parts[k].component, usual, &mean, err);
        if (status != PH_OK || mean.n == 0)
            continue;
        if (k == TRANSLATION)
            usual = mean.deviation;
        const double want = k == PRESSURE ? conditions.pressure : conditions.temperature;
        const double unit = k == PRESSURE && physical ? ph_series_bar : 1.0;
        verdict[k] = judge(want, fmax(fabs(want), k == PRESSURE ? ideal : 0.0),
                           k == TEMPERATURE ? sqrt(2.0 / conditions.degrees) : NAN, parts[k].whole != k, &mean);
        asked->item[asked->n++] = (struct ph_asked_item){
            .name = parts[k].name,
            .unit = !physical ? "" : (k == PRESSURE ? "bar" : "K"),
            .asked = unit * want,
            .obtained = unit * mean.mean,
            .error = unit * mean.error,
            .verdict = verdict[k],
            .shown = parts[k].whole == k || (verdict[k] == PH_DISAGREES && verdict[parts[k].whole] != PH_DISAGREES),
        };
    }
    return status;
}

void ph_text_with_error(double value, double error, char text[64])
{
    if (!isfinite(error) || !(error > 1e-12 * fabs(value))) {
        ph_snprintf(text, 64, "%.6g", value);
        return;
    }
    int places = -(int)floor(log10(error));
    places += error * pow(10.0, places) < 1.95; /* a second digit of errors that begin with 1 */
    places = places < 0 ? 0 : (places > 12 ? 12 : places);
    ph_snprintf(text, 64, "%.*f(%.0f)", places, value, error * pow(10.0, places));
}

void ph_asked_line(const struct ph_asked_item *item, char line[PH_ASKED_LINE])
{
    char obtained[64];
    const char *space = item->unit[0] ? " " : "";
    const double off = item->obtained - item->asked;
    const bool relative = strncmp(item->name, "temperature", 11) == 0;
    ph_text_with_error(item->obtained, item->error, obtained);
    const int used = ph_snprintf(line, PH_ASKED_LINE, "%s: asked %.6g%s%s, obtained %s%s%s", item->name, item->asked,
                                 space, item->unit, obtained, space, item->unit);
    char *end = line + used;
    const size_t room = used > 0 && used < PH_ASKED_LINE ? (size_t)(PH_ASKED_LINE - used) : 0;
    if (item->verdict == PH_DISAGREES && relative)
        ph_snprintf(end, room, ": DISAGREES, %.1f %% too %s", 100.0 * fabs(off / item->asked),
                    off > 0.0 ? "high" : "low");
    else if (item->verdict == PH_DISAGREES)
        ph_snprintf(end, room, ": DISAGREES, %.3g%s%s too %s", fabs(off), space, item->unit,
                    off > 0.0 ? "high" : "low");
    else if (item->verdict == PH_TOO_SHORT)
        ph_snprintf(end, room, "; the run is too short to compare them");
}

enum ph_status ph_asked_note(const struct ph_reader *reader, const struct ph_analysis_request *request,
                             const char *quantity, struct ph_result *result, struct ph_error *err)
{
    struct ph_asked asked;
    const enum ph_status status = ph_asked_read(reader, request, &asked, err);
    for (size_t k = 0; k < asked.n && status == PH_OK; ++k) {
        const struct ph_asked_item *item = &asked.item[k];
        char line[PH_ASKED_LINE], name[PH_RESULT_NAME];
        if (strncmp(item->name, quantity, strlen(quantity)) != 0)
            continue;
        snprintf(name, sizeof name, "asked_%s", quantity);
        if (strcmp(item->name, quantity) == 0)
            ph_result_number(result, name, item->asked, item->unit);
        ph_asked_line(item, line);
        if (item->shown && item->verdict == PH_DISAGREES)
            ph_result_note(result, "%c%s.", toupper((unsigned char)line[0]), line + 1);
    }
    return status;
}
