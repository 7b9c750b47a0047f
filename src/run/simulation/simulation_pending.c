/* SPDX-License-Identifier: MIT */
/* Frames and checkpoints of a run on a backend. The backend copies the state and transfers it during the next steps;
 * other data of the step are recorded at once. The output is written when the state has arrived, and before any other
 * output. So files get the same bytes in the same order as if each step had waited for its output. */
#include "base/clock.h"
#include "run/simulation/simulation_checkpoint.h"
#include "run/simulation/simulation_files.h"

bool ph_simulation_can_transfer(const struct ph_simulation *simulation)
{
    return ph_state_snaps(ph_mover_state(simulation->mover));
}

static bool is_pending(const struct ph_simulation *simulation)
{
    return simulation->pending.frame || simulation->pending.checkpoint;
}

enum ph_status ph_simulation_send_frame(struct ph_simulation *simulation, struct ph_error *err)
{
    const int64_t step = ph_mover_step(simulation->mover);
    const double time = ph_mover_time(simulation->mover);
    bool begun;
    enum ph_status status = ph_state_snap(ph_mover_state(simulation->mover), false, &begun, err);
    if (status == PH_OK && begun) {
        simulation->pending = (struct ph_pending){.frame = true, .step = step, .time = time};
        return PH_OK;
    }
    if (status == PH_OK)
        status = ph_simulation_fetch(simulation, err);
    return status == PH_OK ? ph_trajectory_append_frame(simulation->trajectory, step, time, simulation->system, err)
                           : status;
}

enum ph_status ph_simulation_send_checkpoint(struct ph_simulation *simulation, bool wait, struct ph_error *err)
{
    struct ph_pending *pending = &simulation->pending;
    const int64_t step = ph_mover_step(simulation->mover);
    const double began = ph_clock_wall();
    const bool later = ph_simulation_can_transfer(simulation);
    bool begun = false;
    enum ph_status status = PH_OK;
    if (!later || pending->step != step)
        status = ph_simulation_deliver(simulation, true, err);
    if (status == PH_OK && later)
        status = ph_state_snap(ph_mover_state(simulation->mover), true, &begun, err);
    if (status == PH_OK && begun)
        status = ph_mover_know_numbers(simulation->mover, err);
    if (status == PH_OK && later && !begun)
        status = ph_simulation_deliver(simulation, true, err);
    if (status != PH_OK || !begun)
        return status == PH_OK ? ph_simulation_save(simulation, err) : status;
    pending->checkpoint = true;
    pending->step = step;
    ph_simulation_note(simulation, &pending->saved);
    simulation->saved_at = ph_clock_wall();
    simulation->save_cost = simulation->saved_at - began;
    if (wait)
        status = ph_simulation_deliver(simulation, true, err);
    return status == PH_OK && wait ? ph_simulation_fetch(simulation, err) : status; /* from the transferred copy */
}

enum ph_status ph_simulation_deliver(struct ph_simulation *simulation, bool wait, struct ph_error *err)
{
    if (!is_pending(simulation))
        return PH_OK;
    const double began = ph_clock_wall();
    const struct ph_pending pending = simulation->pending;
    const struct ph_snapshot *state = NULL;
    enum ph_status status = ph_state_snapped(ph_mover_state(simulation->mover), wait, &state, err);
    if (status == PH_OK && !state)
        return PH_OK;
    simulation->pending = (struct ph_pending){.frame = false};
    if (status == PH_OK && pending.frame)
        status = ph_trajectory_append_frame(simulation->trajectory, pending.step, pending.time, &state->system, err);
    if (status != PH_OK || !pending.checkpoint)
        return status;
    status = ph_simulation_write_saved(simulation, &pending.saved, state, err);
    simulation->saved_at = ph_clock_wall();
    simulation->save_cost += simulation->saved_at - began;
    return status;
}
