/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_SIMULATION_SIMULATION_PARTS_H
#define PH_RUN_SIMULATION_SIMULATION_PARTS_H

/* Shared by the files of the simulation alone. */

#include "accel/backends.h"
#include "dynamics/mover.h"
#include "output/checkpoint/checkpoint.h"
#include "output/checkpoint/hash.h"
#include "output/trajectory/frame_writer.h"
#include "output/trajectory/trajectory.h"
#include "run/build/build.h"
#include "run/build/methods.h"
#include "run/build/overlap.h"
#include "run/fluxes.h"
#include "run/landing.h"
#include "run/observables.h"
#include "run/simulation/stages.h"

enum { PH_SETS_MAX = 64 };

/* Data of a step that a checkpoint keeps besides the state and the constants of a run */
enum { PH_SPEEDS = 4 };
struct ph_saved {
    int64_t step, observed_step;
    bool has_pending_flow;
    double energies[2], landing[2];
    struct ph_observables observables;
    double numbers[PH_MOVER_NUMBERS]; /* of the mover */
    struct ph_ewald_choice ewald;     /* last choice of parameters */
    double speed[PH_SPEEDS];          /* for reports: steps, seconds, evaluations, threads */
};

/* Output of a step whose state is being transferred from a backend. No other output may be written before it. */
struct ph_pending {
    bool frame, checkpoint;
    int64_t step;
    double time;
    struct ph_saved saved; /* for the checkpoint */
};

struct ph_simulation {
    struct ph_texts texts;   /* owned; of the input and its models */
    char *sets[PH_SETS_MAX]; /* owned; assignments of the command line */
    struct ph_input *input;  /* owned */
    struct ph_build_notes notes;
    struct ph_overlap overlap; /* of the start, after its minimisation; none known for a resumed run */
    const struct ph_units *units;
    struct ph_system *system;                                     /* owned */
    struct ph_interactions interactions;                          /* overrides owned */
    struct ph_force_field *field;                                 /* owned */
    struct ph_backend *backend;                                   /* owned; NULL: the processor */
    struct ph_methods methods;                                    /* of the last stage */
    size_t stage;                                                 /* the present stage */
    struct ph_mover *mover;                                       /* owned; of this stage */
    struct ph_degrees degrees;                                    /* in this stage */
    struct ph_landing landing;                                    /* likewise */
    enum { PH_NOT_LANDED, PH_LANDED, PH_TOO_FAR_TO_LAND } landed; /* at the end of the last stage */
    struct ph_state_counts counts;                                /* of earlier stages */

    char file[PH_PATH], checkpoint_file[2 * PH_PATH];
    char identity[PH_HASH_TEXT]; /* hash of texts, settings and start: a checkpoint goes with its own trajectory only */
    struct ph_trajectory *trajectory; /* owned; NULL when not running, and on all ranks except rank 0 */
    struct ph_frame_writer *writer;   /* owned; NULL unless this rank writes frames by blocks */
    struct ph_pending pending;

    bool in_parts; /* several ranks made the start, or read the checkpoint, and none had all molecules */
    bool resumed;
    bool lacks_force;  /* the run of the checkpoint had a force of the caller's, which has not been given yet */
    bool changed;      /* the caller changed the state after the last evaluation of forces and energies */
    bool synchronised; /* the state is at the end of a step, and forces and observables belong to it */
    bool diverged;     /* the run has diverged from its trajectory, which cannot be written any more */
    int64_t first_step, end, production;
    int64_t checkpoint_step;    /* of the last one written, -1 before */
    double began;               /* time of the first step of this process: seconds */
    double saved_at, save_cost; /* time of the last checkpoint, and its cost: seconds */
    struct ph_plumed_clock plumed;
    bool plumed_begun;                 /* PLUMED has got the first step of this process */
    double energy_start, energy_size;  /* when the stage began: conserved, and kinetic plus |potential|; NaN before */
    struct ph_observables observables; /* of observed_step */
    int64_t observed_step;
    struct ph_fluxes fluxes; /* of the last step that writes them */
};

static inline const struct ph_input_stage *ph_simulation_stage(const struct ph_simulation *simulation)
{
    return &simulation->input->stages[simulation->stage];
}

/* Creates the force field and the mover of the present stage. Evaluates nothing yet. */
enum ph_status ph_simulation_ready(struct ph_simulation *simulation, struct ph_error *err);
/* Removes the motion of the centre of mass if the next stage has fewer degrees of freedom because it conserves the
 * total momentum. The new number of degrees holds from then on. */
enum ph_status ph_simulation_stop_drift(struct ph_simulation *simulation, struct ph_error *err);
/* Begins the next stage with its own mover. No flow may be pending. Without memory the present stage stays. */
enum ph_status ph_simulation_next_stage(struct ph_simulation *simulation, struct ph_error *err);
/* simulation_run.c: begins a stage that could not begin before, because memory was missing; else does nothing. Until
 * then the state stays at the end of the stage before, and is neither moved nor saved, because a checkpoint derives the
 * stage from its step. */
enum ph_status ph_simulation_make_up(struct ph_simulation *simulation, struct ph_error *err);
/* Replaces the mover of the present stage by a new one in the same state, for another number of degrees of freedom. */
enum ph_status ph_simulation_renew_mover(struct ph_simulation *simulation, struct ph_error *err);
/* Computes the hash of texts, settings and state. */
enum ph_status ph_simulation_identify(struct ph_simulation *simulation, struct ph_error *err);
/* Fails if the ranks of a team do not have the same texts and settings. */
enum ph_status ph_simulation_same_input(const struct ph_simulation *simulation, struct ph_error *err);
/* Returns the columns of its time series. */
struct ph_column_choice ph_simulation_columns(const struct ph_simulation *simulation);
/* Returns true if the run writes fluxes, and if a heat flux is among them. */
bool ph_simulation_has_fluxes(const struct ph_simulation *simulation, bool *heat);
/* Computes energies and all other observables of the present state. `show`: also updates the system, on a team the
 * system of rank 0. */
enum ph_status ph_simulation_observe(struct ph_simulation *simulation, bool show, struct ph_error *err);
/* Computes fluxes of a state whose observables are known if this step writes them, which the rank with the trajectory
 * knows. Collective. */
enum ph_status ph_simulation_observe_fluxes(struct ph_simulation *simulation, struct ph_error *err);
/* Collects all molecules in the system where output needs it: on rank 0 if molecules are distributed, and not at all if
 * files are written block by block. */
enum ph_status ph_simulation_show(struct ph_simulation *simulation, struct ph_error *err);
enum ph_status ph_simulation_fetch(struct ph_simulation *simulation, struct ph_error *err);

/* simulation_checks.c: refuses methods of stages from `first` on, and outputs, that need derivatives of forces. `whose`
 * forces have none, as a message says it. */
enum ph_status ph_simulation_check_derivatives(const struct ph_simulation *simulation, size_t first, const char *whose,
                                               struct ph_error *err);
/* simulation_plumed.c: refuses methods that a bias of PLUMED does not go with. */
enum ph_status ph_simulation_check_plumed(const struct ph_simulation *simulation, struct ph_error *err);
/* Returns true if PLUMED acts at the end of this step. */
bool ph_simulation_plumed_acts(const struct ph_simulation *simulation, int64_t step);
/* Before a step: lets PLUMED act on the first state of this process. */
enum ph_status ph_simulation_plumed_begin(struct ph_simulation *simulation, struct ph_error *err);
/* After a step, before its energies: `saves` if a checkpoint follows. */
void ph_simulation_plumed_step(struct ph_simulation *simulation, bool saves);

/* Announces that the caller has changed the state, or the forces on it. Forces are evaluated later, so that more may
 * change. */
void ph_simulation_change(struct ph_simulation *simulation);
/* simulation_run.c: makes the simulation `synchronised`: completes a step that has begun. Fails if a force of the
 * caller's is missing. */
enum ph_status ph_simulation_synchronise(struct ph_simulation *simulation, struct ph_error *err);

#endif
