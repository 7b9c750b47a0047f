/* SPDX-License-Identifier: MIT */
#ifndef PH_OUTPUT_TRAJECTORY_TRAJECTORY_H
#define PH_OUTPUT_TRAJECTORY_TRAJECTORY_H

/* Writes a run into one H5MD file (version 1.1): frames, a dense time series, and a description of the run.
 *
 * If every species has one site, at its centre, the molecules themselves are the particles of particles/trajectory.
 * Otherwise the particles are the sites of all molecules, in the order of the system and of the models, and the
 * molecules are in rigid_bodies/<species>. Elements that are always written together share their step and time by hard
 * links. Programs that know no cadence, MDAnalysis among them, need velocity and force as often as position. */

/* A frame counts when it is committed. A process that is killed, or a disk that is full, leaves a file that any HDF5
 * program reads, with everything committed before (see output/hdf5/store.h). The file can be read while it is written.
 *
 * A run writes frame and series of a step, then its checkpoint, so that a trajectory always has the rows that a
 * checkpoint refers to:
 *     ph_trajectory_append_series, ph_trajectory_append_frame, ph_trajectory_sync, ph_checkpoint_write */

#include "model/system.h"

#include <stdbool.h>
#include <stdint.h>

enum ph_trajectory_element {
    PH_TRAJECTORY_POSITION, /* as in the system: wrapping is up to the caller */
    PH_TRAJECTORY_IMAGE,
    PH_TRAJECTORY_VELOCITY,
    PH_TRAJECTORY_ORIENTATION,      /* this and the following of molecules that rotate */
    PH_TRAJECTORY_ANGULAR_MOMENTUM, /* body frame */
    PH_TRAJECTORY_DIPOLE,           /* space frame; of molecules that have one */
    PH_TRAJECTORY_FORCE,            /* of molecules */
    PH_TRAJECTORY_TORQUE,           /* space frame */
    PH_TRAJECTORY_ELEMENTS
};
extern const char *const ph_trajectory_element_names[PH_TRAJECTORY_ELEMENTS]; /* as in the file */

/* A column of the time series: one number (width 1), a vector (3) or a tensor (9, row by row) */
struct ph_trajectory_column {
    const char *name; /* letters, digits and underscores */
    int width;
    const char *unit; /* as "kJ mol-1"; NULL without */
};

/* How often something is written after a step, until the next cadence begins: every so many steps counted from
 * from_step, so that a stage of 1000 steps that writes every 100 writes its last state. The step that ends a stage, the
 * first of the next, belongs to the stage that ended: the cadence of a step is the last one with from_step < step, and
 * the first one for step 0. */
struct ph_trajectory_cadence {
    int64_t from_step;                     /* 0 for the first */
    int64_t every[PH_TRAJECTORY_ELEMENTS]; /* steps; 0 never */
    int64_t series_every, fluxes_every;    /* 0: no series, no fluxes */
};

/* A part of the run, written to parameters/stages/ as arrays of the same names */
struct ph_trajectory_stage {
    const char *name;
    const char *about; /* its ensemble and method, in one line */
    int64_t first_step;
    double step;                                         /* its length */
    const char *ensemble;                                /* NVE, NVT, NPT or NPH */
    double temperature, pressure;                        /* target values; NaN without */
    int64_t degrees_of_translation, degrees_of_rotation; /* that share the kinetic energy */
};

/* Constant during a run, and the same when it is resumed. An element is in the file if any cadence writes it; positions
 * are in it always. */
struct ph_trajectory_plan {
    bool physical;   /* units are nm, ps, u, e, kJ/mol; otherwise the file names no units */
    bool single;     /* numbers of frames have 32 bits, not 64; box, steps, times and series have 64 in any case */
    int compression; /* of frames, by deflate: 0 none, 1 fast .. 9 small */
    size_t n_cadences;
    const struct ph_trajectory_cadence *cadences; /* one at least, in the order of their steps */
    size_t n_columns;
    const struct ph_trajectory_column *columns;
    size_t n_flux_columns; /* of fluxes, a second series with a cadence of its own, in the group `fluxes` */
    const struct ph_trajectory_column *flux_columns;
    size_t n_stages; /* 0: the file says nothing of stages */
    const struct ph_trajectory_stage *stages;
};

/* The description of the run in the file. Each entry is a data set parameters/<name>; a name with slashes makes groups,
 * as "models/spc-e". Texts may be of any length and are stored verbatim. Names that `polhode info` and resuming know:
 * title, input (text of the input file), input_file, models/<name> and tables/<number> (texts), scheme, flow, step
 * (number), seed. */
enum ph_about_kind { PH_ABOUT_TEXT, PH_ABOUT_INTEGER, PH_ABOUT_NUMBER, PH_ABOUT_NUMBERS };

struct ph_about_entry {
    const char *name;
    enum ph_about_kind kind;
    const char *text;
    int64_t integer;
    double number;
    const double *numbers; /* n of them */
    size_t n;
};

struct ph_about {
    const char *author;  /* NULL: not said */
    const char *version; /* of the program, with the revision it was built from */
    size_t n;
    const struct ph_about_entry *entries;
};

struct ph_trajectory; /* opaque */

/* Molecules with a site elsewhere, or with several: particles are sites. */
bool ph_trajectory_has_bodies(const struct ph_system *system);
size_t ph_trajectory_particles(const struct ph_system *system); /* how many */

/* Creates a new file. An existing file is an error, unless it may be overwritten: then the new file, made as
 * <file>.new, replaces it once it holds everything before the first frame. System, plan and about are copied where
 * needed. */
enum ph_status ph_trajectory_create(const char *file, bool overwrite, const struct ph_system *system,
                                    const struct ph_trajectory_plan *plan, const struct ph_about *about,
                                    struct ph_trajectory **out, struct ph_error *err);

/* Continues a file after `step`, the step of a checkpoint. Cuts off rows of later steps, and rows that a killed process
 * left unfinished. It is an error if the file is not of this system and plan, or does not reach the step. */
enum ph_status ph_trajectory_resume(const char *file, int64_t step, const struct ph_system *system,
                                    const struct ph_trajectory_plan *plan, struct ph_trajectory **out,
                                    struct ph_error *err);

/* Return true if there is output at this step, which depends on the plan and the step alone. */
bool ph_trajectory_wants(const struct ph_trajectory *trajectory, enum ph_trajectory_element element, int64_t step);
bool ph_trajectory_wants_frame(const struct ph_trajectory *trajectory, int64_t step); /* any element */
bool ph_trajectory_wants_series(const struct ph_trajectory *trajectory, int64_t step);
bool ph_trajectory_wants_fluxes(const struct ph_trajectory *trajectory, int64_t step);

/* Whether rows of a part of frames have checksums */
bool ph_trajectory_has_checksums(const struct ph_trajectory *trajectory, size_t part);

/* Writes the elements that the plan wants at this step, unless that is before the last one written; commits them, and
 * the series. */
enum ph_status ph_trajectory_append_frame(struct ph_trajectory *trajectory, int64_t step, double time,
                                          const struct ph_system *system, struct ph_error *err);
/* The same where several processes write one frame; without compression. The first makes room and says where each part
 * belongs (as many places as its ph_frame_writer has). Then each process writes its share with a writer of its own. If
 * all succeed the first commits. Otherwise it gives up, and the file stays as last committed. It is byte for byte the
 * file that one process writes. */
enum ph_status ph_trajectory_reserve_frame(struct ph_trajectory *trajectory, int64_t step, double time,
                                           const struct ph_system *system, uint64_t *places, struct ph_error *err);
void ph_trajectory_give_up(struct ph_trajectory *trajectory, enum ph_status status, const struct ph_error *why);
/* A row of the series: the values of all columns one after the other. Kept in memory until something is committed. */
enum ph_status ph_trajectory_append_series(struct ph_trajectory *trajectory, int64_t step, double time,
                                           const double *values, struct ph_error *err);
enum ph_status ph_trajectory_append_fluxes(struct ph_trajectory *trajectory, int64_t step, double time,
                                           const double *values, struct ph_error *err);

/* parameters/production_begins_at_step, -1 before: frames and series from this step on are of the production. */
enum ph_status ph_trajectory_mark_production(struct ph_trajectory *trajectory, int64_t step, struct ph_error *err);
int64_t ph_trajectory_production(const struct ph_trajectory *trajectory);
/* parameters/state_hash and state_hash_at_step: ph_state_hash of the last state, to compare runs */
enum ph_status ph_trajectory_note_hash(struct ph_trajectory *trajectory, int64_t step, uint64_t hash,
                                       struct ph_error *err);
/* Sets parameters/failed_at_step, the step where the numbers failed; -1 in a file without a failure */
enum ph_status ph_trajectory_note_failure(struct ph_trajectory *trajectory, int64_t step, struct ph_error *err);

enum ph_status ph_trajectory_commit(struct ph_trajectory *trajectory, struct ph_error *err); /* for other processes */
enum ph_status ph_trajectory_sync(struct ph_trajectory *trajectory, struct ph_error *err);   /* also for power cuts */

/* Commits and frees, also if it fails; after an earlier failure the file stays as last committed. NULL is accepted. */
enum ph_status ph_trajectory_close(struct ph_trajectory *trajectory, struct ph_error *err);

/* A text of parameters/<name>; the caller frees it. PH_ERR_INPUT if the file has none. */
enum ph_status ph_trajectory_read_text(const char *file, const char *name, char **text, struct ph_error *err);

#endif
