/* SPDX-License-Identifier: MIT */
/* Compares the target temperature and pressure with the means of the run (asked.h) */
#include "analysis/kinds/asked.h"
#include "analysis/verdict/verdict_parts.h"
#include "base/plain.h"
#include "model/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ", 3.1 % too low"; of a pressure, which may be zero, in its unit */
static void say_difference(const struct ph_asked_item *item, bool relative, char text[64])
{
    const double off = item->obtained - item->asked;
    const char *way = off > 0.0 ? "high" : "low";
    text[0] = '\0';
    if (item->verdict == PH_TOO_SHORT)
        snprintf(text, 64, "; too short to compare them");
    else if (item->verdict == PH_DISAGREES && relative)
        ph_snprintf(text, 64, ": %.3g %% too %s", 100.0 * fabs(off / item->asked), way);
    else if (item->verdict == PH_DISAGREES)
        ph_snprintf(text, 64, ": %.3g%s%s too %s", fabs(off), item->unit[0] ? " " : "", item->unit, way);
}

/* Returns the relative uncertainty of the temperature that the stage before leaves to a run at constant energy. It is
 * the error of that stage's mean potential energy, over a heat capacity of one Boltzmann constant for each degree of
 * freedom (run/landing.h). NaN: not known */
static double landing_error(const struct ph_judged *run)
{
    const size_t n = run->reader->n_stages;
    struct ph_judged half;
    struct ph_verdict verdict;
    struct ph_series potential;
    struct ph_error forgotten;
    const double boltzmann = ph_units_find(run->physical ? "md" : "reduced")->boltzmann;
    if (n < 2 || run->request.stage || !ph_judged_half(run, &run->reader->stages[n - 2], &half, &verdict))
        return NAN;
    const bool read = ph_judged_read(&half, "potential_energy", &potential, &forgotten) == PH_OK;
    const double error = read ? ph_series_mean(&potential, 0, 1.0).error : NAN;
    ph_series_free(&potential);
    return error / (half.degrees * boltzmann * run->conditions.temperature);
}

/* Makes one check of a quantity and of its parts that disagree where the whole does not */
static void judge_asked(const struct ph_judged *run, const struct ph_asked *asked, const char *quantity)
{
    static const enum ph_finding states[] = {
        [PH_AGREES] = PH_WELL, [PH_DISAGREES] = PH_WRONG, [PH_TOO_SHORT] = PH_UNCLEAR};
    const bool relative = strcmp(quantity, "temperature") == 0;
    struct ph_check *check = NULL;
    bool wrong = false;
    for (size_t k = 0; k < asked->n; ++k) {
        const struct ph_asked_item *item = &asked->item[k];
        if (strncmp(item->name, quantity, strlen(quantity)) != 0 || !item->shown || (check && run->brief))
            continue;
        char obtained[64], difference[64];
        const char *space = item->unit[0] ? " " : "";
        ph_text_with_error(item->obtained, item->error, obtained);
        say_difference(item, relative, difference);
        wrong = wrong || states[item->verdict] == PH_WRONG;
        if (!check) {
            check = ph_verdict_say(run->verdict, quantity, states[item->verdict], "%s%s%s, asked %.6g%s%s%s", obtained,
                                   space, item->unit, item->asked, space, item->unit, difference);
            continue;
        }
        const size_t used = strlen(check->text);
        snprintf(check->text + used, sizeof check->text - used, "; %s %s%s%s%s", item->name + strlen(quantity) + 1,
                 obtained, space, item->unit, difference);
        check->state = wrong ? PH_WRONG : check->state;
    }
    if (wrong && strcmp(run->conditions.ensemble, "NVE") == 0) {
        const double error = landing_error(run);
        size_t used = strlen(check->text);
        used += (size_t)snprintf(check->text + used, sizeof check->text - used,
                                 "; at constant energy nothing holds it: equilibrate longer, or keep a thermostat");
        if (relative && isfinite(error) && used < sizeof check->text)
            ph_snprintf(check->text + used, sizeof check->text - used, " (the stage before can land to about %.1f %%)",
                        100.0 * error);
    }
}

/* Judges a run without any thermostat by its start temperature. The user does not choose the temperature that the run
 * reaches, but a large difference is unintended. It is large if it exceeds a tenth, and six times the scatter of a
 * single temperature in equilibrium. */
static void judge_start(const struct ph_judged *run)
{
    double begun;
    if (!ph_reader_number(run->reader, "start_temperature", &begun) || !(begun > 0.0) || run->temperature.rows == 0)
        return;
    const struct ph_mean mean = ph_series_mean(&run->temperature, 0, 1.0);
    const double off = mean.mean / begun - 1.0;
    const bool wrong = fabs(off) > fmax(0.1, 6.0 * sqrt(2.0 / run->degrees));
    const char *unit = run->physical ? " K" : "";
    char obtained[64], words[128] = "";
    ph_text_with_error(mean.mean, mean.error, obtained);
    if (wrong)
        ph_snprintf(words, sizeof words, ": %.3g %% too %s; nothing held it: equilibrate with a thermostat",
                    100.0 * fabs(off), off > 0.0 ? "high" : "low");
    ph_verdict_say(run->verdict, "temperature", wrong ? PH_WRONG : PH_WELL, "%s%s, begun with %.6g%s%s", obtained, unit,
                   begun, unit, words);
}

enum ph_status ph_check_asked(const struct ph_judged *run, struct ph_error *err)
{
    struct ph_asked asked;
    const enum ph_status status = ph_asked_read(run->reader, &run->request, &asked, err);
    if (status == PH_OK) {
        judge_asked(run, &asked, "temperature");
        if (isnan(run->conditions.temperature) && !run->request.stage)
            judge_start(run);
        judge_asked(run, &asked, "pressure");
    }
    return status;
}
