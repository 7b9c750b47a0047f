/* SPDX-License-Identifier: MIT */
#include "analysis/verdict.h"

#include "analysis/asked.h"
#include "analysis/verdict_parts.h"
#include "base/plain.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const ph_state_names[] = {[PH_WELL] = "well", [PH_UNCLEAR] = "unclear", [PH_WRONG] = "wrong"};
const char *const ph_state_before[] = {[PH_WELL] = "", [PH_UNCLEAR] = "unclear: ", [PH_WRONG] = "NOT WELL: "};

/* ---- What was asked for ---- */

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

/* One check of a quantity and of those parts of it that disagree where it does not */
static void judge_asked(const struct ph_judged *run, const struct ph_asked *asked, const char *quantity)
{
    static const enum ph_state states[] = {
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
        const size_t used = strlen(check->text);
        snprintf(check->text + used, sizeof check->text - used,
                 "; at constant energy nothing holds it: equilibrate longer, or keep a thermostat");
    }
}

/* A run that no thermostat ever held was begun with a temperature. What that becomes is not the user's choice, but far
 * off it is not what was meant: by a tenth, and by six times what a single temperature scatters in equilibrium. */
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

/* ---- Equipartition ---- */

struct part {
    const char *name;
    const struct ph_series *series;
    size_t component;
    double mean;
};

/* Those that there are, of n; not where no torque acts, and a temperature stays as it was */
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
    const enum ph_state state = gross ? PH_WRONG : brief ? PH_UNCLEAR : most > 1.0 ? PH_WRONG : PH_WELL;
    const char *unit = run->physical ? " K" : "";
    char off[64];
    ph_text_with_error(worst.mean, worst.error, off);
    ph_verdict_say(run->verdict, "equipartition", state, "%s %.4g%s, %s %.4g%s, difference %s%s%s", one->name,
                   one->mean, unit, other->name, other->mean, unit, off, unit, words[state]);
}

static enum ph_status check_equipartition(const struct ph_judged *run, struct ph_error *err)
{
    struct ph_series translation, axis = {.rows = 0};
    struct part parts[4];
    enum ph_status status = ph_judged_read(run, "temperature_translation", &translation, err);
    if (status == PH_OK)
        status = ph_judged_read(run, "temperature_axis", &axis, err);
    if (status == PH_OK)
        judge_parts(run, parts_of(&translation, &axis, parts), parts);
    ph_series_free(&translation);
    ph_series_free(&axis);
    return status;
}

/* ---- The run as a whole ---- */

static void check_end(const struct ph_judged *run, const struct ph_course *course)
{
    const bool known = course && course->step >= 0 && course->end >= 0;
    double failed;
    char of[32] = "";
    if (known)
        snprintf(of, sizeof of, " of %" PRId64, course->end);
    if (ph_reader_number(run->reader, "failed_at_step", &failed) && failed >= 0.0)
        ph_verdict_say(run->verdict, "end", PH_WRONG,
                       "the numbers failed at step %.0f%s; what stands before may be as bad, begin with a shorter step",
                       failed, of);
    else if (known && course->step >= course->end)
        ph_verdict_say(run->verdict, "end", PH_WELL, "all %" PRId64 " steps are done", course->end);
    else if (known && run->reader->hash_step == course->step)
        ph_verdict_say(run->verdict, "end", PH_UNCLEAR, "interrupted at step %" PRId64 "%s; polhode resume goes on",
                       course->step, of);
    else if (known)
        ph_verdict_say(run->verdict, "end", PH_UNCLEAR,
                       "not reached: last checkpoint at step %" PRId64 "%s; the run goes on, or was killed",
                       course->step, of);
}

/* Adds "; also name, name" of further checks of a state */
static void also(const struct ph_verdict *verdict, const struct ph_check *first, enum ph_state state,
                 const char *before, char line[PH_VERDICT_LINE])
{
    int n = 0;
    for (size_t k = 0; k < verdict->n; ++k) {
        const struct ph_check *check = &verdict->check[k];
        if (check == first || check->state != state || (check->minor && state != PH_WRONG))
            continue;
        const size_t used = strlen(line);
        snprintf(line + used, PH_VERDICT_LINE - used, "%s%s", n++ == 0 ? before : ", ", check->name);
    }
}

static void conclude(const struct ph_reader *reader, struct ph_verdict *verdict)
{
    const struct ph_check *first = NULL;
    verdict->state = PH_WELL;
    for (size_t k = 0; k < verdict->n; ++k) {
        const struct ph_check *check = &verdict->check[k];
        if (check->state <= verdict->state || (check->minor && check->state == PH_UNCLEAR))
            continue;
        verdict->state = check->state;
        first = check;
    }
    snprintf(verdict->line, sizeof verdict->line, "all well");
    const bool nothing = verdict->n == 0 || (verdict->n == 1 && strcmp(verdict->check[0].name, "end") == 0);
    if (nothing && !first) {
        verdict->state = PH_UNCLEAR;
        snprintf(verdict->line, sizeof verdict->line, "%s",
                 reader->awaits_production ? "the production has not begun" : "the file has no series to judge by");
    }
    if (!first)
        return;
    snprintf(verdict->line, sizeof verdict->line, "%s: %s", first->name, first->text);
    also(verdict, first, verdict->state, "; also ", verdict->line);
    if (verdict->state == PH_WRONG)
        also(verdict, first, PH_UNCLEAR, "; unclear: ", verdict->line);
}

/* After the end, in the order in which they matter; but the length, which is never wrong, explains why others are
 * unclear */
static const struct {
    ph_check_function *check;
    bool thermal; /* only of a system that should be in equilibrium */
} checks[] = {
    {ph_check_length, true},     {ph_check_moves, false},   {ph_check_asked, true},  {ph_check_energy, false},
    {check_equipartition, true}, {ph_check_settling, true}, {ph_check_stages, true}, {ph_check_dipole, true},
};

/* Mean kinetic energy: total less potential */
static enum ph_status find_kinetic(struct ph_judged *run, struct ph_error *err)
{
    struct ph_series total;
    const enum ph_status status = ph_judged_read(run, "total_energy", &total, err);
    run->kinetic = NAN;
    if (status == PH_OK && total.rows > 0 && total.rows == run->potential.rows)
        run->kinetic = ph_series_difference(&total, 0, &run->potential, 0).mean;
    ph_series_free(&total);
    return status;
}

enum ph_status ph_verdict_read(const struct ph_reader *reader, const struct ph_course *course,
                               struct ph_verdict *verdict, struct ph_error *err)
{
    *verdict = (struct ph_verdict){.n = 0};
    const struct ph_conditions conditions = ph_conditions_of(reader, NULL);
    char *units = ph_reader_text(reader, "units");
    struct ph_judged run = {
        .reader = reader,
        .request = {.frames = {.stride = 1}},
        .conditions = conditions,
        .thermal = isfinite(conditions.temperature) || reader->periodic,
        .bath = conditions.ensemble[0] && strcmp(conditions.ensemble, "NVE") != 0,
        .degrees = conditions.degrees > 0.0 ? conditions.degrees : 3.0 * (double)ph_reader_molecules(reader),
        .physical = units && strcmp(units, "md") == 0,
        .verdict = verdict,
    };
    free(units);
    check_end(&run, course);
    enum ph_status status = ph_judged_read(&run, "potential_energy", &run.potential, err);
    if (status == PH_OK)
        status = ph_judged_read(&run, "temperature", &run.temperature, err);
    if (status == PH_OK)
        status = find_kinetic(&run, err);
    run.brief = status == PH_OK && ph_is_brief(&run);
    for (size_t k = 0; k < sizeof checks / sizeof *checks && status == PH_OK; ++k)
        if (run.thermal || !checks[k].thermal)
            status = checks[k].check(&run, err);
    ph_series_free(&run.potential);
    ph_series_free(&run.temperature);
    if (status == PH_ERR_INPUT) { /* a number that is not finite */
        ph_verdict_say(verdict, "numbers", PH_WRONG, "%s", err->text);
        status = PH_OK;
    }
    conclude(reader, verdict);
    return status;
}
