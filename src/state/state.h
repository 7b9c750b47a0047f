/* SPDX-License-Identifier: MIT */
#ifndef PH_STATE_STATE_H
#define PH_STATE_STATE_H

/* Where the molecules of a run are: the one place that knows. A state has one of three kinds:
 *
 *   local   this process has all molecules;
 *   ranks   several processes share them, and each moves its own (force/owned.h);
 *   device  a backend has them (backend.h), and the system of this process is a copy.
 *
 * Schemes, integrators, thermostats and barostats are written once, with the operations below. They contain no word of
 * ranks or devices.
 *
 * Columns are those of the system (r, q, p, m, f, t) and those that were attached. Local molecules are those that this
 * process moves. An evaluation of forces may migrate molecules to other ranks, with all of their columns.
 *
 * All ranks call functions that return a status in the same order, and also those marked "collective". */

#include "base/exact.h"
#include "force/force_field.h"
#include "rigid/flow.h"
#include "state/backend.h"
#include "state/each.h"

struct ph_state; /* opaque */

struct ph_state_options {
    const struct ph_flow *flow; /* free rotation, for ph_state_drift; may be NULL without drifts */
    bool pinned;                /* centres do not move */
    bool compensated;           /* sums to r, p and m carry their rounding errors along */
    bool gradients;             /* ph_state_kick also uses rates of forces */
    bool nested;                /* kicks are by parts of the forces */
    struct ph_backend *backend; /* not owned; NULL: none. A backend has the exact flow, no gradients, no parts */
    bool shared;                /* of several ranks each moves its own molecules, where the force field allows it */
    bool apart;                 /* and stores no others but ghosts (force/owned.h): nothing evaluates forces on all */
};

/* Creates a state and evaluates nothing. System and field are not owned and must outlive it. The field may be NULL if
 * forces are never needed. */
enum ph_status ph_state_create(struct ph_system *system, struct ph_force_field *field,
                               const struct ph_state_options *options, struct ph_state **out, struct ph_error *err);
void ph_state_destroy(struct ph_state *state);
struct ph_system *ph_state_system(const struct ph_state *state);
struct ph_force_field *ph_state_field(const struct ph_state *state);

/* ---- Loops over local molecules ---- */

/* Call ph_each and ph_each_sum for local molecules. A caller that changes columns of the state calls ph_state_touch. A
 * device copies its molecules here first; its errors surface at the next function that returns a status. */
void ph_state_each(struct ph_state *state, ph_range_work *work, void *data);
void ph_state_total(struct ph_state *state, ph_range_terms *terms, void *data, size_t n, struct ph_exact *sums);

/* Reduce sums, and largest values, of local molecules to those of all molecules. Collective. */
void ph_state_add_up(struct ph_state *state, size_t n, struct ph_exact *sums);
void ph_state_largest(struct ph_state *state, size_t n, double *values);
/* Finds the molecule that has the largest value; `ours` as of ph_owned_first. Collective. */
void ph_state_find_largest(struct ph_state *state, double largest, struct ph_largest *ours);
/* Returns PH_OK if all ranks have that, else the status and message of the first that has not. */
enum ph_status ph_state_agree(struct ph_state *state, enum ph_status status, struct ph_error *err);
/* Reports a failure of local molecules. One process alone returns it at once. Of several, each goes on with PH_OK, and
 * the next evaluation returns the failure on all ranks. */
enum ph_status ph_state_fail(struct ph_state *state, const struct ph_error *failure, struct ph_error *err);
/* True if a list build failed on several ranks: ownership is undefined, and the run cannot go on. */
bool ph_state_is_lost(const struct ph_state *state);

/* Marks these parts (PH_STATE_...) of local molecules as changed by a loop of the caller. New places make forces
 * unknown. */
void ph_state_touch(struct ph_state *state, int parts);
/* Marks these parts as replaced from outside: also discards the residuals of compensated sums. */
void ph_state_changed(struct ph_state *state, int parts);

/* Attaches columns that migrate with molecules, until the caller detaches them, last first; at most PH_STATE_ATTACHED.
 */
enum { PH_STATE_ATTACHED = 116 };
void ph_state_attach(struct ph_state *state, size_t n, double *const *columns);
void ph_state_detach(struct ph_state *state, size_t n);

/* ---- Forces ---- */

/* Makes forces and torques of a part known. Evaluates them unless they are; always, if `energy` is not NULL. */
enum ph_status ph_state_forces(struct ph_state *state, enum ph_force_part part, struct ph_energy *energy,
                               struct ph_error *err);
bool ph_state_knows_forces(const struct ph_state *state); /* all forces of the present places */
/* Finds how forces and torques change along a motion (ph_force_field_rates), where forces were evaluated. */
enum ph_status ph_state_rates(struct ph_state *state, const struct ph_rates *rates, struct ph_error *err);
/* Passes columns of all molecules to add(block, data), block by block in the order of their numbers, on rank 0. Then
 * broadcasts the `bytes` at `found`. */
enum ph_status ph_state_find(struct ph_state *state, const struct ph_column_set *columns, ph_columns_reader *add,
                             void *data, size_t bytes, void *found, struct ph_error *err);

/* Evaluations of all forces, of their gradients, and of parts */
struct ph_state_counts {
    size_t evaluations, gradients;
    size_t fast, slow;
};
struct ph_state_counts ph_state_counts(const struct ph_state *state);
void ph_state_counts_add(const struct ph_state_counts *more, struct ph_state_counts *counts);
/* Evaluations of all forces, and of parts by what they cost in those of all */
double ph_state_equivalent(const struct ph_state_counts *counts, const struct ph_force_field *field);

/* ---- What moves all molecules ---- */

/* Free flight and free rotation for a time t */
enum ph_status ph_state_drift(struct ph_state *state, double t, struct ph_error *err);
/* p += b f + c g by forces of a part, g twice their rate along the accelerations, and the same for m */
enum ph_status ph_state_kick(struct ph_state *state, enum ph_force_part part, double b, double c, struct ph_error *err);

/* Scales the momenta of each group by a factor that follows from their kinetic energy and the numbers of a thermostat.
 */
enum ph_status ph_state_scale(struct ph_state *state, const struct ph_scaling *scaling, double numbers[PH_BATH_NUMBERS],
                              struct ph_error *err);
/* Applies friction and noise to all momenta, and counts the heat in the numbers of the thermostat. */
enum ph_status ph_state_apply_noise(struct ph_state *state, const struct ph_noise *noise,
                                    double numbers[PH_BATH_NUMBERS], struct ph_error *err);
/* Fetches the numbers of the thermostat, which both functions above change where the molecules are. */
enum ph_status ph_state_know_numbers(struct ph_state *state, double numbers[PH_BATH_NUMBERS], struct ph_error *err);
/* Returns the kinetic energies of all groups. Collective. */
void ph_state_kinetic(struct ph_state *state, double kinetic[PH_BATH_GROUPS]);
/* Scales the momenta of all groups by these factors. */
void ph_state_scale_by(struct ph_state *state, const double factor[PH_BATH_GROUPS]);

/* ---- Reading ---- */

/* Sums over all molecules, with the forces evaluated last */
enum ph_status ph_state_observe(struct ph_state *state, struct ph_state_sums *sums, struct ph_error *err);
/* Makes the system that of all molecules, on every rank, in the order of their numbers: these parts. It stays so until
 * one of the operations above. PH_STATE_ALL includes residuals and the memory of the force field. */
enum ph_status ph_state_show(struct ph_state *state, int parts, struct ph_error *err);
/* The same on rank 0 alone, for readers: places, momenta and forces, or `all`. On other ranks the system is invalid. */
enum ph_status ph_state_show_first(struct ph_state *state, bool all, struct ph_error *err);
/* True if no rank stores all molecules, which holds after the first evaluation: ph_state_read reads them. */
bool ph_state_is_distributed(const struct ph_state *state);
/* Passes blocks of columns to the readers (force/owned.h), in the order of the molecules' numbers. */
enum ph_status ph_state_read(struct ph_state *state, const struct ph_column_set *columns,
                             const struct ph_readers *readers, ph_columns_reader *block, void *data,
                             struct ph_error *err);

/* Begins to copy the state of a device while steps go on, unless *begun stays false: places, momenta and forces, or the
 * whole of PH_STATE_ALL. The second returns the copy, or NULL if it has not arrived. See ph_backend.snap. */
enum ph_status ph_state_snap(struct ph_state *state, bool whole, bool *begun, struct ph_error *err);
enum ph_status ph_state_snapped(struct ph_state *state, bool wait, const struct ph_snapshot **snapshot,
                                struct ph_error *err);

/* ---- Checkpoints ---- */

/* Residuals of compensated sums to r, p and m, as columns; NULL if sums are not compensated */
enum { PH_STATE_RESIDUAL_COLUMNS = 9 };
double *const *ph_state_residuals(const struct ph_state *state);
/* What the order of sums of forces depends on, beside places */
struct ph_force_memory ph_state_memory(const struct ph_state *state);
enum ph_status ph_state_restore(struct ph_state *state, const struct ph_force_memory *memory, struct ph_error *err);
/* Columns, residuals and numbers of a thermostat were read from a checkpoint: a device gets them anew. */
void ph_state_restored(struct ph_state *state);

#endif
