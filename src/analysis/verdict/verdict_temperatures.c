/* SPDX-License-Identifier: MIT */
/* Judges the temperatures of the parts of a system. In equilibrium all are the same, and the configurational
 * temperatures of positions and orientations equal the kinetic temperatures. */
#include "analysis/kinds/asked.h"
#include "analysis/kinds/temperature.h"
#include "analysis/verdict/verdict_parts.h"

#include <math.h>

/* ---- Equipartition ---- */

struct part {
    const char *name;
    const struct ph_series *series;
    size_t component;
    double mean;
};

/* Lists the parts with a temperature, and returns their number. Leaves out axes without a torque, whose temperature
 * never changes. */
static size_t parts_of(const struct ph_series *translation, const struct ph_series *axis, struct part parts[4])
{
    const struct part all[4] = {{"translation", translation, 0, 0.0},
                                {"axis 1", axis, 0, 0.0},
                                {"axis 2", axis, 1, 0.0},
                                {"axis 3", axis, 2, 0.0}};
    const double usual = translation->rows > 1 ? ph_series_mean(translation, 0, 1.0).deviation : 0.0;
    size_t n = 0;
    for (size_t k = 0; k < 4; ++k) {
        const struct ph_series *series = all[k].series;
        const size_t component = all[k].component;
        if (series->rows < 2 || component >= series->width || isnan(series->values[component]) ||
            ph_series_still(series, component, usual))
            continue;
        parts[n] = all[k];
        parts[n++].mean = ph_series_mean(series, component, 1.0).mean;
    }
    return n;
}

/* Parts that have no degree of freedom in common share energy equally, k/2 times the temperature each. Errors of their
 * differences take correlations into account. Energy is slow to be shared, and short records do not show how slow: a
 * difference matters from 5 % on. */
static void judge_parts(const struct ph_judged *run, size_t n, const struct part *parts)
{
    const struct part *one = NULL, *other = NULL;
    struct ph_mean worst = {0};
    const double tolerance = 0.05;
    double most = -1.0, scale = 0.0;
    for (size_t a = 0; a < n; ++a)
        scale = fmax(scale, parts[a].mean);
    for (size_t a = 0; a < n; ++a)
        for (size_t b = a + 1; b < n; ++b) {
            const struct ph_mean off =
                ph_series_difference(parts[a].series, parts[a].component, parts[b].series, parts[b].component);
            const double excess = fabs(off.mean) / fmax(ph_mean_chance(&off), tolerance * scale);
            if (excess <= most)
                continue;
            most = excess;
            one = &parts[a];
            other = &parts[b];
            worst = off;
        }
    if (!one)
        return;
    static const char *const words[] = {[PH_WELL] = "",
                                        [PH_UNCLEAR] = "; too short to compare them",
                                        [PH_WRONG] = ": not in equilibrium, or the step is too long"};
    /* No single temperature of a sixth of the degrees of freedom is ever that far off, however short the run */
    const bool gross = fabs(worst.mean) > fmax(0.1, 6.0 * sqrt(24.0 / run->degrees)) * scale;
    const bool brief = run->brief || !(ph_mean_chance(&worst) < 0.2 * scale) || (worst.rough && most > 1.0);
    const enum ph_finding state = gross ? PH_WRONG : brief ? PH_UNCLEAR : most > 1.0 ? PH_WRONG : PH_WELL;
    const char *unit = run->physical ? " K" : "";
    char off[64];
    ph_text_with_error(worst.mean, worst.error, off);
    ph_verdict_say(run->verdict, "equipartition", state, "%s %.4g%s, %s %.4g%s, difference %s%s%s", one->name,
                   one->mean, unit, other->name, other->mean, unit, off, unit, words[state]);
}

/* An axis without a torque keeps the temperature that it had when it was left alone, which scatters by sqrt(2/N). An
 * axis with another temperature was not in equilibrium then, and counts in the temperature of the whole. */
static void judge_axes(const struct ph_judged *run, const struct ph_series *axis, double shared, double usual)
{
    const double scatter = sqrt(2.0 / fmax(1.0, (double)ph_reader_molecules(run->reader))), matters = 0.1;
    const double expected = isfinite(run->conditions.temperature) ? run->conditions.temperature : shared;
    double worst = 0.0;
    size_t found = axis->width, still = 0;
    for (size_t k = 0; k < axis->width && axis->rows > 1 && expected > 0.0; ++k) {
        if (isnan(axis->values[k]) || !ph_series_still(axis, k, usual))
            continue;
        const double off = ph_series_mean(axis, k, 1.0).mean / expected - 1.0;
        ++still;
        if (found == axis->width || fabs(off) > fabs(worst)) {
            worst = off;
            found = k;
        }
    }
    if (still == 0)
        return;
    const bool much = fabs(worst) > matters, wrong = fabs(worst) > fmax(matters, 4.5 * scatter);
    const char *unit = run->physical ? " K" : "";
    ph_verdict_say(run->verdict, "axes",
                   wrong  ? PH_WRONG
                   : much ? PH_UNCLEAR
                          : PH_WELL,
                   "axis %zu keeps %.4g%s, no torque acts about it; expected %.4g%s%s", found + 1,
                   expected * (1.0 + worst), unit, expected, unit,
                   wrong ? ": not in equilibrium when it was left alone" : "")
        ->minor = true;
}

enum ph_status ph_check_equipartition(const struct ph_judged *run, struct ph_error *err)
{
    struct ph_series translation, axis = {.rows = 0};
    struct part parts[4];
    enum ph_status status = ph_judged_read(run, "temperature_translation", &translation, err);
    if (status == PH_OK)
        status = ph_judged_read(run, "temperature_axis", &axis, err);
    if (status == PH_OK) {
        const size_t n = parts_of(&translation, &axis, parts);
        const bool still = translation.rows < 2 || ph_series_still(&translation, 0, 0.0);
        judge_parts(run, n, parts);
        if (n > 0 && !still)
            judge_axes(run, &axis, parts[0].mean, ph_series_mean(&translation, 0, 1.0).deviation);
    }
    ph_series_free(&translation);
    ph_series_free(&axis);
    return status;
}

/* ---- The temperature of positions and orientations ---- */

/* A configurational temperature equals the temperature of the momenta, but for terms of 1/N at constant energy. A
 * difference of four errors may be chance once in a while, as errors are not known exactly: only a difference beyond
 * ph_mean_chance is wrong. */
static void judge_configurational(const struct ph_judged *run, const char *name, const struct ph_mean *temperature,
                                  const struct ph_mean *difference)
{
    const double most = fmax(0.03, 3.0 / fmax(1.0, (double)ph_reader_molecules(run->reader)));
    const double chance = ph_mean_chance(difference), off = fabs(difference->mean);
    const double matters = most * (temperature->mean - difference->mean);
    const bool brief = !isfinite(chance) || difference->rough;
    const bool wrong = off > fmax(chance, matters), doubtful = off > fmax(4.0 * difference->error, matters);
    const char *unit = run->physical ? " K" : "";
    char value[64], more[64];
    ph_text_with_error(temperature->mean, temperature->error, value);
    ph_text_with_error(difference->mean, difference->error, more);
    ph_verdict_say(run->verdict, "configuration",
                   brief      ? PH_UNCLEAR
                   : wrong    ? PH_WRONG
                   : doubtful ? PH_UNCLEAR
                              : PH_WELL,
                   "temperature of %s %s%s, %s%s above that of the momenta%s", name, value, unit, more, unit,
                   brief      ? "; too short to compare them"
                   : wrong    ? ": not in equilibrium, or the step is too long"
                   : doubtful ? "; a longer run tells whether that is chance"
                              : "")
        ->minor = brief;
}

enum ph_status ph_check_configurational(const struct ph_judged *run, struct ph_error *err)
{
    static const char *const kinetic[PH_CONFIGURATIONAL_KINDS] = {"temperature_translation", "temperature_rotation"};
    enum ph_status status = PH_OK;
    for (size_t k = 0; k < PH_CONFIGURATIONAL_KINDS && status == PH_OK; ++k) {
        struct ph_series series;
        struct ph_mean temperature = ph_mean_of(0, NULL), difference = temperature;
        status = ph_judged_read(run, kinetic[k], &series, err);
        if (status == PH_OK && series.rows > 0)
            status = ph_configurational_read(run->reader, &run->request, k, &series, &temperature, &difference, err);
        if (status == PH_OK && difference.n > 1)
            judge_configurational(run, ph_configurational_names[k], &temperature, &difference);
        ph_series_free(&series);
    }
    return status;
}
