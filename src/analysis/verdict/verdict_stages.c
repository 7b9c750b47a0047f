/* SPDX-License-Identifier: MIT */
/* Judges the stages before the production, and the pressure that the production should have from them.
 *
 * Stages. The second half of each is judged as the production is: by its acceptance, and by its target temperature and
 * pressure. The first half is there to settle. A stage whose result later stages replace, as the temperature of a
 * warm-up before a thermostat, does no harm: its faults are reported, but do not change the verdict. The last stage
 * that moves the volume is another matter if the production keeps the volume: the production then has the density that
 * this stage left. */

/* Pressure. A production at constant volume after a stage at constant pressure P should have that pressure, up to the
 * fluctuation of the volume, which it keeps from one instant. With the isothermal compressibility K, volumes scatter by
 * s = sqrt(kT V K) and the pressure of a fixed volume by 1/(V K) of that:
 *   sqrt(kT/(V K)) = kT/s.
 * The stage's own volumes give s, if it is long enough. A pressure that is off by more than that allows was not
 * reached. If the stage is too short, the density that it should have reached is unknown. */
#include "analysis/kinds/asked.h"
#include "analysis/verdict/verdict_parts.h"
#include "base/plain.h"
#include "model/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Adds "; name: check: text" */
static void add(struct ph_check *all, const char *name, const struct ph_check *one)
{
    const size_t used = strlen(all->text);
    snprintf(all->text + used, sizeof all->text - used, "%s%.60s: %s: %s", used > 0 ? "; " : "", name, one->name,
             one->text);
}

/* Returns the last stage with a target pressure, if the production has the volume that it left; else NULL */
static const struct ph_reader_stage *find_last_pressed(const struct ph_judged *run)
{
    const struct ph_reader *reader = run->reader;
    const struct ph_reader_stage *found = NULL;
    for (size_t k = 0; k < reader->n_stages; ++k) {
        const struct ph_reader_stage *stage = &reader->stages[k];
        if (stage->ensemble && isfinite(stage->pressure))
            found = k + 1 < reader->n_stages ? stage : NULL;
        else if (strstr(stage->about, ", ramp to density"))
            found = NULL;
    }
    return found;
}

static enum ph_status judge_stages(const struct ph_judged *run, const struct ph_reader_stage *kept,
                                   struct ph_error *err)
{
    static ph_check_function *const functions[] = {ph_check_moves, ph_check_asked};
    struct ph_check wrong = {.state = PH_WELL}, harmless = {.state = PH_WELL};
    enum ph_status status = PH_OK;
    size_t judged = 0;
    for (size_t k = 0; k + 1 < run->reader->n_stages && status == PH_OK; ++k) {
        const struct ph_reader_stage *stage = &run->reader->stages[k];
        struct ph_judged half;
        struct ph_verdict verdict;
        if (!stage->ensemble || !ph_judged_half(run, stage, &half, &verdict))
            continue;
        for (size_t f = 0; f < sizeof functions / sizeof *functions && status == PH_OK; ++f)
            status = functions[f](&half, err);
        judged += verdict.n > 0;
        for (size_t c = 0; c < verdict.n; ++c)
            if (verdict.check[c].state == PH_WRONG)
                add(stage == kept ? &wrong : &harmless, stage->name, &verdict.check[c]);
    }
    if (status != PH_OK || judged == 0)
        return status;
    if (wrong.text[0])
        ph_verdict_say(run->verdict, "stages", PH_WRONG, "%s", wrong.text);
    else if (harmless.text[0])
        ph_verdict_say(run->verdict, "stages", PH_UNCLEAR, "%s", harmless.text)->minor = true;
    else
        ph_verdict_say(run->verdict, "stages", PH_WELL, "no stage disagrees with what it was asked for");
    return PH_OK;
}

/* ---- The pressure that the production should have ---- */

/* Finds, from the volumes of a stage, how far the pressure of one volume is off by chance, and how many volumes are
 * independent */
static enum ph_status find_scatter(const struct ph_judged *half, double boltzmann, double *scatter, double *numbers,
                                   struct ph_error *err)
{
    struct ph_series volume, temperature = {.rows = 0};
    enum ph_status status = ph_judged_read(half, "volume", &volume, err);
    if (status == PH_OK)
        status = ph_judged_read(half, "temperature", &temperature, err);
    const struct ph_mean volumes = ph_series_mean(&volume, 0, 1.0);
    *scatter = boltzmann * ph_series_mean(&temperature, 0, 1.0).mean / volumes.deviation;
    *numbers = volumes.n > 0 ? ph_independent(&volumes) : 0.0;
    ph_series_free(&volume);
    ph_series_free(&temperature);
    return status;
}

static enum ph_status judge_pressure(const struct ph_judged *run, const struct ph_reader_stage *stage,
                                     struct ph_error *err)
{
    struct ph_judged half;
    struct ph_verdict forgotten;
    struct ph_mean pressure;
    double ideal, scatter = NAN, numbers = 0.0;
    const double boltzmann = ph_units_find(run->physical ? "md" : "reduced")->boltzmann;
    if (!ph_judged_half(run, stage, &half, &forgotten))
        return PH_OK;
    enum ph_status status = ph_asked_pressure(run->reader, &run->request, boltzmann, &pressure, &ideal, err);
    if (status == PH_OK)
        status = find_scatter(&half, boltzmann, &scatter, &numbers, err);
    if (status != PH_OK || pressure.n == 0)
        return status;
    const double unit = run->physical ? ph_series_bar : 1.0, off = fabs(pressure.mean - stage->pressure);
    const double chance = ph_mean_chance(&pressure),
                 matters = ph_verdict_tolerance * fmax(fabs(stage->pressure), ideal);
    const bool enough = numbers >= PH_INDEPENDENT;
    const double kept = enough ? 4.0 * scatter * (1.0 + sqrt(8.0 / numbers)) : INFINITY;
    const enum ph_finding state = !isfinite(chance)              ? PH_UNCLEAR
                                  : off <= fmax(chance, matters) ? PH_WELL
                                  : off <= chance + kept         ? PH_UNCLEAR
                                                                 : PH_WRONG;
    char obtained[64], words[160] = "";
    ph_text_with_error(unit * pressure.mean, unit * pressure.error, obtained);
    if (!isfinite(chance))
        snprintf(words, sizeof words, "; too short to compare them");
    else if (state == PH_WRONG)
        snprintf(words, sizeof words, ": the stage did not reach it, or its volume was not kept");
    else if (state == PH_UNCLEAR && enough)
        ph_snprintf(words, sizeof words, "; a volume kept from one instant has pressures that scatter by %.2g",
                    unit * scatter);
    else if (state == PH_UNCLEAR)
        ph_snprintf(words, sizeof words, ", which was too short to reach it: about %.1g independent volumes", numbers);
    ph_verdict_say(run->verdict, "pressure", state, "%s%s, asked %.6g in stage '%.60s'%s", obtained,
                   run->physical ? " bar" : "", unit * stage->pressure, stage->name, words)
        ->minor = !isfinite(chance) || enough; /* the length tells, or it is the nature of the ensemble */
    return PH_OK;
}

enum ph_status ph_check_stages(const struct ph_judged *run, struct ph_error *err)
{
    if (run->reader->awaits_production)
        return PH_OK;
    const struct ph_reader_stage *kept = find_last_pressed(run);
    const enum ph_status status = judge_stages(run, kept, err);
    return status == PH_OK && kept ? judge_pressure(run, kept, err) : status;
}
