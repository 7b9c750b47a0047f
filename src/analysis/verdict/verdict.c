/* SPDX-License-Identifier: MIT */
#include "analysis/verdict/verdict.h"

#include "analysis/verdict/verdict_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const ph_state_names[] = {[PH_WELL] = "well", [PH_UNCLEAR] = "unclear", [PH_WRONG] = "wrong"};
const char *const ph_state_before[] = {[PH_WELL] = "", [PH_UNCLEAR] = "unclear: ", [PH_WRONG] = "NOT WELL: "};

/* ---- The run as a whole ---- */

static void check_end(const struct ph_judged *run, const struct ph_run_course *course)
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
    else if (known && course->runs)
        ph_verdict_say(run->verdict, "end", PH_WELL, "the run is in progress: last checkpoint at step %" PRId64 "%s",
                       course->step, of);
    else if (known && run->reader->hash_step == course->step)
        ph_verdict_say(run->verdict, "end", PH_UNCLEAR,
                       "interrupted at step %" PRId64 "%s; polhode resume continues it", course->step, of);
    else if (known)
        ph_verdict_say(run->verdict, "end", PH_UNCLEAR,
                       "not reached: last checkpoint at step %" PRId64
                       "%s; the run was killed, or another machine runs it",
                       course->step, of);
}

/* Adds "; also name, name" of further checks of a state */
static void also(const struct ph_verdict *verdict, const struct ph_check *first, enum ph_finding state,
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

/* The checks after the check of the end, most important first. The length comes before them, though it is never wrong,
 * because it explains why other checks are unclear. */
static const struct {
    ph_check_function *check;
    bool thermal; /* only of a system that should be in equilibrium */
} checks[] = {
    {ph_check_length, true},          {ph_check_moves, false},        {ph_check_asked, true},
    {ph_check_energy, false},         {ph_check_equipartition, true}, {ph_check_settling, true},
    {ph_check_configurational, true}, {ph_check_stages, true},        {ph_check_phases, true},
    {ph_check_dipole, true},
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

enum ph_status ph_verdict_read(const struct ph_reader *reader, const struct ph_run_course *course,
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
