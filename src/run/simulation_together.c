/* SPDX-License-Identifier: MIT */
/* Files that all processes of a team write together: the first makes room, all write their shares, and if each could,
 * the first makes them count. All know after each of these whether any failed, so that none waits for another. */
#include "parallel/team.h"
#include "run/simulation_files.h"

enum ph_status ph_simulation_write_frame(struct ph_simulation *simulation, enum ph_status status, struct ph_error *err)
{
    const struct ph_team *team = ph_team();
    struct ph_trajectory *trajectory = simulation->trajectory; /* of the first process */
    const int64_t step = ph_mover_step(simulation->mover);
    status = ph_team_agree(status, err);
    if (status != PH_OK || !team->any(trajectory && ph_trajectory_wants_frame(trajectory, step)))
        return status;
    status = ph_mover_synchronise(simulation->mover, NULL, err); /* for all */
    if (status != PH_OK)
        return status;
    size_t n;
    uint64_t *places = ph_frame_writer_places(simulation->writer, &n);
    if (trajectory)
        status = ph_trajectory_reserve_frame(trajectory, step, ph_mover_time(simulation->mover), simulation->system,
                                             places, err);
    status = ph_team_agree(status, err);
    if (status == PH_OK) {
        team->broadcast(0, n * sizeof *places, places);
        status = ph_frame_writer_write(simulation->writer, team->rank, team->size, simulation->system, err);
        status = ph_team_agree(status, err);
    }
    if (trajectory && status == PH_OK)
        status = ph_trajectory_commit(trajectory, err);
    else if (trajectory)
        ph_trajectory_give_up(trajectory, status, err);
    return ph_team_agree(status, err);
}

enum ph_status ph_simulation_write_checkpoint(const struct ph_simulation *simulation,
                                              const struct ph_checkpoint *checkpoint, struct ph_error *err)
{
    const struct ph_team *team = ph_team();
    const char *file = simulation->checkpoint_file;
    uint64_t places[PH_CHECKPOINT_ARRAYS];
    enum ph_status status = team->rank == 0 ? ph_checkpoint_begin(file, checkpoint, places, err) : PH_OK;
    status = ph_team_agree(status, err);
    if (status != PH_OK)
        return status;
    team->broadcast(0, checkpoint->n * sizeof *places, places);
    status = ph_checkpoint_write_share(file, checkpoint, places, team->rank, team->size, err);
    status = ph_team_agree(status, err);
    if (team->rank == 0) {
        const enum ph_status ended = ph_checkpoint_end(file, status == PH_OK, err);
        status = status != PH_OK ? status : ended;
    }
    return ph_team_agree(status, err);
}
