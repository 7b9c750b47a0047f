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
#include "run/landing.h"
#include "run/observables.h"
#include "run/simulation/stages.h"

enum { PH_SETS_MAX = 64 };

/* What a checkpoint keeps of a step besides the state, and what does not change during a run */
enum { PH_SPEEDS = 4 };
struct ph_saved {
    int64_t step, observed_step;
    bool owes;
    double energies[2], landing[2];
    struct ph_observables observables;
    double numbers[PH_MOVER_NUMBERS]; /* of the mover */
    struct ph_ewald_choice ewald;     /* as it was chosen last */
    double speed[PH_SPEEDS];          /* for reports: steps, seconds, evaluations, threads */
};

/* Output of a step whose state is on its way from a backend. Nothing else is written before it. */
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
    struct ph_overlap overlap; /* of the start, after its minimisation; none known of a resumed run */
    const struct ph_units *units;
    struct ph_system *system;                                     /* owned */
    struct ph_interactions interactions;                          /* overrides owned */
    struct ph_force_field *field;                                 /* owned */
    struct ph_backend *backend;                                   /* owned; NULL: the processor */
    struct ph_methods methods;                                    /* of the last stage */
    size_t stage;                                                 /* the one that goes on */
    struct ph_mover *mover;                                       /* owned; of this stage */
    struct ph_degrees degrees;                                    /* in this stage */
    struct ph_landing landing;                                    /* likewise */
    enum { PH_NOT_LANDED, PH_LANDED, PH_TOO_FAR_TO_LAND } landed; /* at the end of the stage before */
    struct ph_state_counts counts;                                /* of stages before */

    char file[PH_PATH], checkpoint_file[2 * PH_PATH];
    char identity[PH_HASH_TEXT]; /* hash of texts, settings and start: a checkpoint goes with its own trajectory only */
    struct ph_trajectory *trajectory; /* owned; NULL when not running, and in all processes of a team but the first */
    struct ph_frame_writer *writer;   /* owned; NULL unless frames are written by blocks, and this process does so */
    struct ph_pending pending;

    bool in_parts; /* the start was made, or the checkpoint read, by several processes, none of which had all of it */
    bool resumed;
    bool lacks_force; /* the checkpoint is of a run with a force of the caller's, which was not given yet */
    bool changed;     /* the state was changed from outside since forces and energies were evaluated */
    bool settled;     /* the state is that at the end of a step, and forces and observables are of this state */
    bool apart;       /* the run differs from that of a trajectory, which cannot be written any more */
    int64_t first_step, end, production;
    int64_t checkpoint_step;           /* of the last one written, -1 before */
    double began;                      /* when this process took its first step: seconds */
    double saved_at, save_cost;        /* when that was, and how long it took: seconds */
    double energy_start, energy_size;  /* where the stage began: conserved, and kinetic plus |potential|; NaN before */
    struct ph_observables observables; /* of observed_step */
    int64_t observed_step;
};

/* Force field, and the mover of the present stage. Evaluates nothing yet. */
enum ph_status ph_simulation_ready(struct ph_simulation *simulation, struct ph_error *err);
/* Takes these away again, and the system. */
void ph_simulation_take_apart(struct ph_simulation *simulation);
/* Where the next stage has fewer degrees of freedom, since the total momentum is conserved from then on, the motion of
 * the whole ends, and these degrees hold. */
enum ph_status ph_simulation_stop_drift(struct ph_simulation *simulation, struct ph_error *err);
/* The next stage begins: a mover for it. No flow may be pending. Without memory the present one stays. */
enum ph_status ph_simulation_next_stage(struct ph_simulation *simulation, struct ph_error *err);
/* simulation_run.c: begins a stage that could not begin, for want of memory; else nothing. The state is that in which
 * the one before ended, and is neither moved nor saved until then: a checkpoint has the stage that follows from its
 * step. */
enum ph_status ph_simulation_make_up(struct ph_simulation *simulation, struct ph_error *err);
/* The mover of the present stage anew, where that one is, for another number of degrees of freedom */
enum ph_status ph_simulation_renew_mover(struct ph_simulation *simulation, struct ph_error *err);
/* The hash of texts, settings and state */
enum ph_status ph_simulation_identify(struct ph_simulation *simulation, struct ph_error *err);
/* Fails if the processes of a team do not have the same texts and settings. */
enum ph_status ph_simulation_same_input(const struct ph_simulation *simulation, struct ph_error *err);
/* Which columns its series has */
struct ph_column_choice ph_simulation_columns(const struct ph_simulation *simulation);
/* Of several processes each may have its own molecules alone: the system is whole for the first then, which writes,
 * after it was observed or saved, and for all where that is asked for. */
bool ph_simulation_scattered(const struct ph_simulation *simulation);
/* Whether each has them already, and they stay there when a stage ends and the next begins */
bool ph_simulation_parted(const struct ph_simulation *simulation);
/* Energies and all other observables of the present state, which the system becomes if `state` is asked for, too; of a
 * team, that of the first process */
enum ph_status ph_simulation_observe(struct ph_simulation *simulation, bool show, struct ph_error *err);
/* The system becomes that of all molecules, where it is needed for output: in the first process where processes have
 * their own, and not at all where files are written block by block. */
enum ph_status ph_simulation_show(struct ph_simulation *simulation, struct ph_error *err);
enum ph_status ph_simulation_fetch(struct ph_simulation *simulation, struct ph_error *err);

/* The state, or what acts on it, was changed from outside. Forces are evaluated when needed, so that more may change.
 */
void ph_simulation_change(struct ph_simulation *simulation);
/* simulation_run.c: makes it `settled`, completing a step that has been begun. Fails where a force of the
 * caller's is lacking, as ph_simulation_has_force says. */
enum ph_status ph_simulation_settle(struct ph_simulation *simulation, struct ph_error *err);
enum ph_status ph_simulation_has_force(const struct ph_simulation *simulation, struct ph_error *err);

#endif
