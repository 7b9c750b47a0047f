/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_SIMULATION_PARTS_H
#define PH_RUN_SIMULATION_PARTS_H

/* What the files of the simulation share; not for others. */

#include "dynamics/mover.h"
#include "dynamics/thermostat.h"
#include "output/checkpoint.h"
#include "output/hash.h"
#include "output/trajectory.h"
#include "run/simulation.h"

enum { PH_SETS_MAX = 64 };

struct ph_simulation {
    struct ph_texts texts;   /* owned; of the input and its models */
    char *sets[PH_SETS_MAX]; /* owned; assignments of the command line */
    struct ph_input *input;  /* owned */
    struct ph_build_notes notes;
    const struct ph_units *units;
    struct ph_system *system;            /* owned */
    struct ph_interactions interactions; /* overrides owned */
    struct ph_force_field *field;        /* owned */
    struct ph_methods methods;
    struct ph_mover *mover; /* owned */
    struct ph_degrees degrees;
    struct ph_thermostat thermostat;

    char file[PH_PATH], checkpoint_file[2 * PH_PATH];
    char identity[PH_HASH_TEXT]; /* hash of texts, settings and start: a checkpoint goes with its own trajectory only */
    struct ph_trajectory *trajectory; /* owned; NULL when not running */

    bool resumed;
    int64_t step, first_step, end, production;
    int64_t checkpoint_step;           /* of the last one written, -1 before */
    double began;                      /* when this process took its first step: seconds */
    double saved_at, save_cost;        /* when that was, and how long it took: seconds */
    double energy_start, energy_size;  /* where the production began: total, and kinetic plus |potential|; NaN before */
    struct ph_observables observables; /* of observed_step */
    int64_t observed_step;
};

/* ---- simulation.c ---- */
enum ph_status ph_simulation_ready(struct ph_simulation *simulation, struct ph_error *err);
/* Energies and all that follows, of the state as it stands */
enum ph_status ph_simulation_observe(struct ph_simulation *simulation, struct ph_error *err);

/* ---- simulation_files.c: the trajectory ---- */
enum ph_status ph_simulation_open(struct ph_simulation *simulation, bool overwrite, struct ph_error *err);

/* ---- simulation_checkpoint.c ---- */
enum ph_status ph_simulation_save(struct ph_simulation *simulation, struct ph_error *err);
enum ph_status ph_simulation_load(struct ph_simulation *simulation, const char *file, struct ph_error *err);

#endif
