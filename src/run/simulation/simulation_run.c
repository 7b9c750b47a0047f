/* SPDX-License-Identifier: MIT */
#include "run/simulation/simulation.h"

#include "base/clock.h"
#include "base/plain.h"
#include "parallel/ranks.h"
#include "run/simulation/simulation_checkpoint.h"
#include "run/simulation/simulation_checks.h"
#include "run/simulation/simulation_files.h"
#include "run/simulation/simulation_parts.h"

#include <math.h>
#include <stdio.h>

/* ---- One step with its output and checks ---- */

static void begin_stage(struct ph_simulation *simulation)
{
    const struct ph_observables *o = &simulation->observables;
    simulation->energy_start = o->conserved;
    simulation->energy_size = ph_energy_size(o);
}

static double deviation(const struct ph_simulation *simulation)
{
    return (simulation->observables.conserved - simulation->energy_start) / (double)simulation->system->n;
}

/* Returns the last step of the present stage; the last stage may last longer than the input says. */
static int64_t stage_end(const struct ph_simulation *simulation)
{
    const size_t k = simulation->stage;
    return k + 1 < simulation->input->n_stages ? ph_stage_first(simulation->input, k + 1) : INT64_MAX;
}

/* Computes energies and all other observables at the end of this step of `stage`; the next stage may have begun.
 * `state`: also updates the system. */
static enum ph_status observe(struct ph_simulation *simulation, const struct ph_input_stage *stage, bool state,
                              struct ph_error *err)
{
    const double before = simulation->observables.conserved;
    const int64_t step_before = simulation->observed_step;
    const enum ph_status status = ph_simulation_observe(simulation, state, err);
    if (status != PH_OK)
        return status;
    const bool ends = stage != ph_simulation_stage(simulation);
    simulation->observed_step = ph_mover_step(simulation->mover);
    if (ends)
        begin_stage(simulation);
    if (stage->thermostat.kind[0])
        return ph_simulation_check_heat(simulation, stage, ends, err);
    return ends ? PH_OK : ph_simulation_check_energy(simulation, before, step_before, err);
}

/* Writes the rows of this step if this rank has the trajectory, in a team rank 0. All ranks may write frames. `state`:
 * the system holds the present state; otherwise a frame begins a transfer. */
static enum ph_status write_rows(struct ph_simulation *simulation, bool state, struct ph_error *err)
{
    struct ph_trajectory *trajectory = simulation->trajectory;
    if (!trajectory)
        return ph_simulation_by_blocks(simulation) ? ph_simulation_write_frame(simulation, PH_OK, err) : PH_OK;
    const int64_t step = ph_mover_step(simulation->mover);
    const double time = ph_mover_time(simulation->mover);
    enum ph_status status = ph_simulation_deliver(simulation, true, err);
    if (status == PH_OK && step == simulation->production)
        status = ph_trajectory_mark_production(trajectory, step, err);
    if (status == PH_OK && ph_trajectory_wants_series(trajectory, step)) {
        double row[PH_OBSERVABLE_NUMBERS];
        const struct ph_column *columns[PH_COLUMNS_MAX];
        const struct ph_column_choice choice = ph_simulation_columns(simulation);
        const size_t n = ph_columns(simulation->system, &simulation->interactions, &choice, columns);
        ph_observables_row(&simulation->observables, n, columns, row);
        status = ph_trajectory_append_series(trajectory, step, time, row, err);
    }
    if (status == PH_OK && ph_trajectory_wants_fluxes(trajectory, step)) {
        double row[PH_FLUX_NUMBERS]; /* the columns are the members in their order */
        memcpy(row, &simulation->fluxes, sizeof row);
        status = ph_trajectory_append_fluxes(trajectory, step, time, row, err);
    }
    if (ph_simulation_by_blocks(simulation))
        return ph_simulation_write_frame(simulation, status, err);
    if (status != PH_OK || !ph_trajectory_wants_frame(trajectory, step))
        return status;
    return state ? ph_trajectory_append_frame(trajectory, step, time, simulation->system, err)
                 : ph_simulation_send_frame(simulation, err);
}

/* The step number alone decides whether a step is synchronised. */
static bool is_observed(const struct ph_simulation *simulation, int64_t step)
{
    const struct ph_trajectory *trajectory = simulation->trajectory;
    return trajectory && (ph_trajectory_wants_series(trajectory, step) ||
                          ph_trajectory_wants_fluxes(trajectory, step) || ph_trajectory_wants_frame(trajectory, step));
}

static bool is_heated(const struct ph_simulation *simulation)
{
    return ph_simulation_stage(simulation)->thermostat.kind[0] != '\0';
}

/* Completes the last step of a stage, so that momenta can be changed. */
static enum ph_status complete_step(struct ph_simulation *simulation, struct ph_energy *energy, struct ph_error *err)
{
    const enum ph_status status = ph_mover_complete(simulation->mover, energy, err);
    return status == PH_OK ? ph_state_bring(ph_mover_state(simulation->mover),
                                            PH_STATE_PLACES | PH_STATE_MOMENTA | PH_STATE_FORCES, err)
                           : status;
}

/* Samples the potential energy for landing, and lands after the last step. */
static enum ph_status land(struct ph_simulation *simulation, struct ph_error *err)
{
    const int64_t first = ph_stage_first(simulation->input, simulation->stage), end = stage_end(simulation);
    const int64_t step = ph_mover_step(simulation->mover);
    if (step == end)
        simulation->landed = PH_NOT_LANDED;
    if (!ph_simulation_stage(simulation)->land || end == INT64_MAX || !ph_landing_wants(first, end, step))
        return PH_OK;
    struct ph_energy energy;
    enum ph_status status =
        step < end ? ph_mover_synchronise(simulation->mover, &energy, err) : complete_step(simulation, &energy, err);
    if (status != PH_OK)
        return status;
    const double potential = ph_energy_total(&energy);
    const double kT = simulation->units->boltzmann * ph_simulation_stage(simulation)->thermostat.temperature;
    ph_landing_add(&simulation->landing, potential);
    if (step < end)
        return PH_OK;
    status = ph_simulation_stop_drift(simulation, err); /* before scaling, so that the rest has the right energy */
    if (status != PH_OK)
        return status;
    const bool landed =
        ph_landing_apply(&simulation->landing, kT, &simulation->degrees, potential, ph_mover_state(simulation->mover));
    simulation->landed = landed ? PH_LANDED : PH_TOO_FAR_TO_LAND;
    ph_mover_momenta_changed(simulation->mover);
    return PH_OK;
}

static bool checkpoint_follows(const struct ph_simulation *simulation, int64_t step)
{
    const int64_t every = simulation->input->output.checkpoint_every;
    return every != PH_ABSENT && every > 0 && step % every == 0;
}

/* Returns the number of steps until the next check of the watch. With many runs side by side, the host serves each run
 * only for a moment, and the data of a run have left the caches when its next turn comes. So a run with
 * watch->steps_per_check takes several steps in one turn, unless these steps, at `seconds` each, would make the user
 * wait. */
static int64_t steps_at_once(const struct ph_simulation *simulation, const struct ph_watch *watch, double seconds)
{
    const double patience = 0.2;
    if (!watch || seconds * (double)watch->steps_per_check > patience)
        return 1;
    const int64_t most =
        ph_simulation_can_transfer(simulation) && !ph_simulation_stage(simulation)->land ? watch->steps_per_check : 1;
    const int64_t step = ph_mover_step(simulation->mover), end = stage_end(simulation);
    int64_t n = 1;
    while (n < most && step + n < simulation->end && step + n < end && !is_observed(simulation, step + n) &&
           !checkpoint_follows(simulation, step + n))
        ++n;
    return n;
}

static enum ph_status change_stage(struct ph_simulation *simulation, struct ph_error *err)
{
    const enum ph_status status = complete_step(simulation, NULL, err);
    return status == PH_OK ? ph_simulation_next_stage(simulation, err) : status;
}

enum ph_status ph_simulation_make_up(struct ph_simulation *simulation, struct ph_error *err)
{
    const struct ph_input_stage *stage = ph_simulation_stage(simulation);
    if (ph_mover_step(simulation->mover) != stage_end(simulation))
        return PH_OK;
    const enum ph_status status = change_stage(simulation, err);
    return status == PH_OK ? observe(simulation, stage, true, err) : status;
}

/* Takes n steps, then begins the next stage if one ends, before anything is observed. With several steps, no output is
 * due before the last. */
static enum ph_status take_steps(struct ph_simulation *simulation, int64_t n, struct ph_error *err)
{
    enum ph_status status = ph_simulation_make_up(simulation, err);
    const struct ph_input_stage *stage = ph_simulation_stage(simulation);
    if (status == PH_OK)
        status = ph_simulation_plumed_begin(simulation, err);
    for (int64_t k = 0; k < n && status == PH_OK; ++k)
        status = ph_mover_advance(simulation->mover, 1, err);
    const int64_t step = ph_mover_step(simulation->mover);
    if (status == PH_OK)
        ph_simulation_plumed_step(simulation, checkpoint_follows(simulation, step) || step == simulation->end);
    const bool ends = status == PH_OK && ph_mover_step(simulation->mover) == stage_end(simulation);
    if (status == PH_OK)
        status = land(simulation, err);
    if (status == PH_OK && ends)
        status = change_stage(simulation, err);
    const bool observed =
        status == PH_OK && ph_ranks_any(is_observed(simulation, step) || ph_simulation_plumed_acts(simulation, step));
    if (status == PH_OK && (ends || observed)) {
        const struct ph_trajectory *trajectory = simulation->trajectory;
        const bool frame =
            ph_ranks_any(trajectory && ph_trajectory_wants_frame(trajectory, ph_mover_step(simulation->mover)));
        const bool state = ends || (frame && !ph_simulation_can_transfer(simulation));
        status = observe(simulation, stage, state, err);
        if (status == PH_OK) {
            status = write_rows(simulation, state, err);
            status = ph_ranks_agree(status, err);
        }
    }
    return status;
}

/* The start was observed before there was a trajectory that asks for fluxes. Their pass over pairs may give molecules
 * to other ranks, so what rank 0 has shown must be shown again. */
static enum ph_status first_rows(struct ph_simulation *simulation, struct ph_error *err)
{
    begin_stage(simulation);
    enum ph_status status = ph_simulation_observe_fluxes(simulation, err);
    bool heat;
    if (status == PH_OK && ph_simulation_has_fluxes(simulation, &heat))
        status = ph_simulation_show(simulation, err);
    if (status == PH_OK)
        status = write_rows(simulation, true, err);
    return ph_ranks_agree(status, err);
}

/* Checkpoints are due by steps if the input says so, else by time, and never take more than a small part of it. No
 * output depends on them. The first ones come after 1, 2, 4, ... seconds. They commit the first rows and contain the
 * speed, for readers of a run that has just begun. */
static bool checkpoint_due(const struct ph_simulation *simulation)
{
    const int64_t every = simulation->input->output.checkpoint_every;
    if (every != PH_ABSENT)
        return checkpoint_follows(simulation, ph_mover_step(simulation->mover));
    const double first = 1.0, seconds = 60.0, part = 0.01, now = ph_clock_wall();
    const double pause = fmin(seconds, fmax(first, 0.5 * (now - simulation->began)));
    return now - simulation->saved_at > fmax(pause, simulation->save_cost / part);
}

enum { PH_EVENT = PH_STAGE_WORDS + PH_WORD + 512 };

/* Events to report after a step */
enum { NOTHING = 0, STAGE_BEGINS = 1, CHOSEN_AGAIN = 2 };

/* Returns true if long-range parameters were chosen again for the present box since the last call. */
static bool is_chosen_again(struct ph_simulation *simulation)
{
    struct ph_ewald_choice *known = &simulation->interactions.ewald;
    const struct ph_ewald_choice *now = ph_force_field_ewald(simulation->field);
    if (!now || (memcmp(now->grid, known->grid, sizeof now->grid) == 0 &&
                 memcmp(now->waves, known->waves, sizeof now->waves) == 0))
        return false;
    *known = *now;
    return true;
}

static void describe_choice(const struct ph_simulation *simulation, size_t room, char *event)
{
    const struct ph_interactions *in = &simulation->interactions;
    const struct ph_ewald_choice *choice = &in->ewald;
    const int used =
        ph_snprintf(event, room, "Long ranges were chosen again for a volume of %g: ", simulation->system->box.volume);
    if (used < 0 || (size_t)used >= room)
        return;
    if (in->electrostatics == PH_ELECTROSTATICS_MESH)
        ph_snprintf(event + used, room - (size_t)used, "mesh of %d x %d x %d points, %d points wide.", choice->grid[0],
                    choice->grid[1], choice->grid[2], choice->width);
    else
        ph_snprintf(event + used, room - (size_t)used, "reciprocal vectors up to k = %g.", choice->k_max);
}

static void describe_stage(const struct ph_simulation *simulation, char event[PH_EVENT])
{
    static const char *const landing[] = {
        [PH_NOT_LANDED] = "",
        [PH_LANDED] = " Momenta were scaled to the energy whose mean temperature is that of the thermostat.",
        [PH_TOO_FAR_TO_LAND] = (" Momenta were not scaled: the last state was too far from equilibrium at the "
                                "temperature of the thermostat."),
    };
    char words[PH_STAGE_WORDS];
    size_t used = (size_t)snprintf(event, PH_EVENT, "Production begins.");
    if (simulation->input->staged) {
        ph_stage_describe(simulation->input, simulation->stage, words);
        used =
            (size_t)snprintf(event, PH_EVENT, "Stage '%s' begins: %s.", ph_simulation_stage(simulation)->name, words);
    }
    snprintf(event + used, PH_EVENT - used, "%s", landing[simulation->landed]);
}

static void report(const struct ph_simulation *simulation, const struct ph_watch *watch, int events)
{
    if (!watch || !watch->progress)
        return;
    char event[PH_EVENT] = "";
    if (events & STAGE_BEGINS)
        describe_stage(simulation, event);
    const size_t used = strlen(event), space = used > 0 ? 1 : 0;
    if (events & CHOSEN_AGAIN) {
        memcpy(event + used, " ", space);
        describe_choice(simulation, PH_EVENT - used - space, event + used + space);
    }
    const struct ph_progress progress = {
        .step = ph_mover_step(simulation->mover),
        .first_step = simulation->first_step,
        .end = simulation->end,
        .production = simulation->production,
        .time = ph_mover_time(simulation->mover),
        .energy_error = deviation(simulation),
        .observables = simulation->observables,
        .observed_step = simulation->observed_step,
        .stage = simulation->input->staged ? ph_simulation_stage(simulation)->name : NULL,
        .heated = ph_mover_step(simulation->mover) < simulation->production && is_heated(simulation),
        .event = events ? event : NULL,
    };
    watch->progress(&progress, watch->data);
}

static enum ph_status loop(struct ph_simulation *simulation, const struct ph_watch *watch, bool *stopped,
                           struct ph_error *err)
{
    enum ph_status status = simulation->resumed ? PH_OK : first_rows(simulation, err);
    if (status == PH_OK && !simulation->resumed) /* so that a checkpoint exists whenever the process may be killed */
        status = ph_simulation_save(simulation, err);
    enum { SAVE = 1, STOP = 2 };                         /* requests that any rank may make */
    double looked = ph_clock_wall(), seconds = INFINITY; /* last check; seconds per step since then, unknown at first */
    while (status == PH_OK && ph_mover_step(simulation->mover) < simulation->end && !*stopped) {
        const size_t stage = simulation->stage;
        const int64_t n = steps_at_once(simulation, watch, seconds);
        status = take_steps(simulation, n, err);
        const double now = ph_clock_wall();
        seconds = (now - looked) / (double)n;
        looked = now;
        if (status != PH_OK)
            break;
        const bool last = ph_mover_step(simulation->mover) == simulation->end;
        const bool stop = !last && watch && watch->stop && watch->stop(watch->data);
        const unsigned asked = ph_ranks_any((checkpoint_due(simulation) ? SAVE : 0) | (stop ? STOP : 0));
        *stopped = asked & STOP;
        if (asked & SAVE) /* after the last step the system must hold the final state */
            status = ph_simulation_send_checkpoint(simulation, last || *stopped, err);
        if (status == PH_OK)
            status = ph_simulation_deliver(simulation, false, err);
        const bool begins = stage < simulation->stage, chosen = is_chosen_again(simulation);
        const int events = (begins ? STAGE_BEGINS : NOTHING) | (chosen ? CHOSEN_AGAIN : NOTHING);
        if (status == PH_OK)
            report(simulation, watch, events);
    }
    return status;
}

/* Writes all pending output after the last step, even after a failure. */
static enum ph_status deliver_rest(struct ph_simulation *simulation, enum ph_status status, struct ph_error *err)
{
    struct ph_error second;
    const enum ph_status delivered = ph_simulation_deliver(simulation, true, status == PH_OK ? err : &second);
    return status == PH_OK ? delivered : status;
}

static enum ph_status has_force(const struct ph_simulation *simulation, struct ph_error *err)
{
    return simulation->lacks_force
               ? ph_error_set(
                     err, PH_ERR_INPUT,
                     "A force of the program that made it acted on this run, and no file can hold that: only "
                     "a program that gives it again (ph_simulation_set_force; in Python add_force) can continue it.")
               : PH_OK;
}

/* Opens files. In a team rank 0 creates them, if all ranks begin with the same state. */
static enum ph_status open_files(struct ph_simulation *simulation, bool overwrite, struct ph_error *err)
{
    const bool whole = simulation->resumed && !simulation->in_parts; /* a start was compared before */
    enum ph_status status = ph_simulation_compare(simulation, whole, err);
    if (status != PH_OK)
        return status;
    if (ph_ranks_is_first())
        status = ph_simulation_open(simulation, overwrite, err);
    status = ph_ranks_agree(status, err);
    if (status != PH_OK)
        return status;
    status = ph_simulation_open_writer(simulation, err);
    return ph_ranks_agree(status, err);
}

enum ph_status ph_simulation_run(struct ph_simulation *simulation, bool overwrite, const struct ph_watch *watch,
                                 bool *stopped, struct ph_error *err)
{
    *stopped = false;
    struct ph_error inner = {.text = ""};
    err = err ? err : &inner;
    enum ph_status status = has_force(simulation, err);
    if (status == PH_OK)
        status = open_files(simulation, overwrite, err);
    if (status != PH_OK)
        return status;
    simulation->began = ph_clock_wall();
    status = deliver_rest(simulation, loop(simulation, watch, stopped, err), err);
    if (status == PH_OK && simulation->checkpoint_step != ph_mover_step(simulation->mover))
        status = ph_simulation_save(simulation, err);
    const bool failed = status != PH_OK;
    if (status == PH_ERR_NUMBERS && simulation->trajectory)
        ph_trajectory_note_failure(simulation->trajectory, ph_mover_step(simulation->mover), NULL);
    if (failed)
        ph_simulation_explain(simulation, err);
    /* Hashes the state as saved, then computes the final energies, which the file need not contain. */
    uint64_t hash;
    if (!failed)
        status = ph_simulation_hash(simulation, &hash, err);
    if (status == PH_OK && simulation->trajectory)
        status = ph_trajectory_note_hash(simulation->trajectory, ph_mover_step(simulation->mover), hash, err);
    const enum ph_status closed = ph_trajectory_close(simulation->trajectory, status == PH_OK ? err : NULL);
    simulation->trajectory = NULL;
    ph_frame_writer_close(simulation->writer);
    simulation->writer = NULL;
    if (failed)
        return status;
    status = ph_ranks_agree(status == PH_OK ? closed : status, err);
    if (status == PH_OK && simulation->observed_step != ph_mover_step(simulation->mover))
        status = observe(simulation, ph_simulation_stage(simulation), true, err);
    if (status == PH_OK)
        ph_state_count_pairs(ph_mover_state(simulation->mover)); /* for reports */
    return status;
}

/* ---- Steps without files ---- */

void ph_simulation_change(struct ph_simulation *simulation)
{
    simulation->changed = true;
    simulation->synchronised = false;
    simulation->diverged = simulation->diverged || simulation->resumed || ph_mover_step(simulation->mover) > 0;
}

enum ph_status ph_simulation_synchronise(struct ph_simulation *simulation, struct ph_error *err)
{
    if (simulation->synchronised)
        return PH_OK;
    const enum ph_status force = has_force(simulation, err);
    if (force != PH_OK)
        return force;
    if (simulation->changed) {
        ph_force_field_forget(simulation->field);
        ph_mover_state_changed(simulation->mover);
    }
    simulation->diverged = simulation->diverged || ph_mover_is_between(simulation->mover);
    const enum ph_status status = ph_simulation_observe(simulation, true, err);
    if (status != PH_OK)
        return status;
    simulation->observed_step = ph_mover_step(simulation->mover);
    if (simulation->changed && !is_heated(simulation))
        begin_stage(simulation);
    const enum ph_status identified = simulation->changed ? ph_simulation_identify(simulation, err) : PH_OK;
    simulation->changed = false;
    simulation->synchronised = identified == PH_OK;
    return identified;
}

enum ph_status ph_simulation_advance(struct ph_simulation *simulation, int64_t n, struct ph_error *err)
{
    return ph_simulation_advance_until(simulation, n, NULL, NULL, err);
}

enum ph_status ph_simulation_advance_until(struct ph_simulation *simulation, int64_t n, bool (*stop)(void *data),
                                           void *data, struct ph_error *err)
{
    struct ph_error inner = {.text = ""};
    err = err ? err : &inner;
    if (n < 0)
        return ph_error_set(err, PH_ERR_INPUT, "%lld steps: 0 or more are accepted.", (long long)n);
    enum ph_status status = ph_simulation_synchronise(simulation, err);
    if (status != PH_OK || n == 0)
        return status;
    if (isnan(simulation->energy_start))
        begin_stage(simulation);
    simulation->diverged = true;
    simulation->synchronised = false;
    bool stopped = false;
    for (int64_t k = 0; k < n && status == PH_OK && !stopped; ++k) {
        status = take_steps(simulation, 1, err);
        stopped = status == PH_OK && stop && stop(data);
    }
    if (status == PH_OK && simulation->observed_step != ph_mover_step(simulation->mover))
        status = observe(simulation, ph_simulation_stage(simulation), true, err);
    simulation->synchronised = status == PH_OK;
    if (status != PH_OK)
        ph_simulation_explain(simulation, err);
    return status;
}
