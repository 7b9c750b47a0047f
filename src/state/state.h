/* SPDX-License-Identifier: MIT */
#ifndef PH_STATE_STATE_H
#define PH_STATE_STATE_H

/* Where the molecules of a run are: the one place that knows. There are three kinds:
 *
 *   local   this process has all molecules;
 *   ranks   several processes share them, each moves its own (force/owned.h);
 *   device  a backend has them (backend.h), and the system is a copy.
 *
 * Schemes, integrators, baths and cells are written once, with the operations below, and know nothing of it.
 *
 * Columns are those of the system: system->r, p, q, m, f, t, and what was attached. Local molecules are those that this
 * process moves. They are at places that ph_state_each gives, until forces are evaluated: after that other processes
 * may have some of them, with all of their columns.
 *
 * All processes call functions that return a status, and those that say so, in the same order. */

#include "base/exact.h"
#include "force/force_field.h"
#include "rigid/flow.h"
#include "state/backend.h"
#include "state/each.h"

struct ph_state; /* opaque */

struct ph_state_options {
    const struct ph_flow *flow; /* free rotation, for ph_state_drift; NULL: nobody drifts */
    bool pinned;                /* centres do not move */
    bool compensated;           /* carry along what rounding takes from r, p and m when something is added to them */
    bool gradients;             /* ph_state_kick is asked for rates of forces */
    bool nested;                /* forces are asked for in parts */
    struct ph_backend *backend; /* NULL: none; not owned. Has the exact flow, all forces at once, and no gradients */
    bool shared;                /* of several processes each moves its own molecules, where it can */
    bool
        apart; /* and has no places for those of others (force/owned.h), where it can: nobody evaluates forces on all */
};

/* Neither system nor field is owned; both must outlive the state. The field may be NULL if nobody asks for forces.
 * Evaluates nothing yet. */
enum ph_status ph_state_create(struct ph_system *system, struct ph_force_field *field,
                               const struct ph_state_options *options, struct ph_state **out, struct ph_error *err);
void ph_state_destroy(struct ph_state *state);
struct ph_system *ph_state_system(const struct ph_state *state);
struct ph_force_field *ph_state_field(const struct ph_state *state);

/* ---- Local molecules ---- */

/* As ph_each and ph_each_sum, of local molecules. The caller who changes columns says which (ph_state_touch). */
void ph_state_each(struct ph_state *state, ph_range_work *work, void *data);
void ph_state_total(struct ph_state *state, ph_range_terms *terms, void *data, size_t n, struct ph_exact *sums);

/* Sums, and the largest of numbers, of local molecules become those of all molecules. All processes call these. */
void ph_state_add_up(struct ph_state *state, size_t n, struct ph_exact *sums);
void ph_state_largest(struct ph_state *state, size_t n, double *values);
/* After that: which molecule has it. `ours` as of ph_owned_first */
void ph_state_find_largest(struct ph_state *state, double largest, struct ph_largest *ours);
/* PH_OK if all processes have that; else all get status and message of the first that has not. */
enum ph_status ph_state_agree(struct ph_state *state, enum ph_status status, struct ph_error *err);
/* Something failed while this process moved its molecules. A process alone gets the failure back; of several, each goes
 * on with PH_OK, and all get it with the next forces. */
enum ph_status ph_state_fail(struct ph_state *state, const struct ph_error *failure, struct ph_error *err);
/* After a failure: lists could not be made, and no process knows its molecules any more. */
bool ph_state_is_lost(const struct ph_state *state);

/* Columns that go with molecules when other processes get these, until they are detached, last first; at most
 * PH_STATE_ATTACHED in all */
enum { PH_STATE_ATTACHED = 116 };
void ph_state_attach(struct ph_state *state, size_t n, double *const *columns);
void ph_state_detach(struct ph_state *state, size_t n);

/* ---- Forces ---- */

/* Forces and torques of a part, and energies of all forces unless NULL. Known ones are not evaluated again. Energies
 * are always. */
enum ph_status ph_state_forces(struct ph_state *state, enum ph_force_part part, struct ph_energy *energy,
                               struct ph_error *err);
bool ph_state_knows_forces(const struct ph_state *state); /* all of them, of places as they are */
/* How forces and torques change along a motion (ph_force_field_rates), at places where forces were evaluated */
enum ph_status ph_state_rates(struct ph_state *state, const struct ph_rates *rates, struct ph_error *err);
/* What is found from columns of all molecules, block by block in the order of their numbers: add(block, data) is called
 * where they come together, then all processes get the `bytes` at `found`. */
enum ph_status ph_state_find(struct ph_state *state, const struct ph_rows *columns, ph_rows_reader *add, void *data,
                             size_t bytes, void *found, struct ph_error *err);

/* Evaluations of all forces, passes for gradients, evaluations of parts of the forces; without those refused
 * (ph_force_field_refused) */
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

/* For baths: momenta of all groups times factors that follow from their kinetic energies and the numbers of the bath;
 * friction and noise. Both change the numbers where the molecules are. The third brings them here. */
enum ph_status ph_state_scale(struct ph_state *state, const struct ph_scaling *scaling, double numbers[PH_BATH_NUMBERS],
                              struct ph_error *err);
enum ph_status ph_state_shake(struct ph_state *state, const struct ph_noise *noise, double numbers[PH_BATH_NUMBERS],
                              struct ph_error *err);
enum ph_status ph_state_know_numbers(struct ph_state *state, double numbers[PH_BATH_NUMBERS], struct ph_error *err);
/* Columns, residuals and numbers were read from a checkpoint: they count. */
void ph_state_restored(struct ph_state *state);
/* Kinetic energies of all groups. All processes call this. Not of a device */
void ph_state_kinetic(struct ph_state *state, double kinetic[PH_BATH_GROUPS]);
/* Momenta of all groups times these numbers */
void ph_state_scale_by(struct ph_state *state, const double factor[PH_BATH_GROUPS]);

/* The caller changes these parts (PH_STATE_...) of local molecules, between flows of its own. Forces of other places
 * are unknown. */
void ph_state_touch(struct ph_state *state, int parts);
/* These parts are others now, and do not follow from what was before: also residuals are discarded. */
void ph_state_changed(struct ph_state *state, int parts);

/* ---- Those who look ---- */

/* Sums over the state as it is, with the forces last evaluated */
enum ph_status ph_state_observe(struct ph_state *state, struct ph_state_sums *sums, struct ph_error *err);
/* The system becomes that of all molecules, in each process, in the order of their numbers: these parts. It stays so
 * until an operation above is called. PH_STATE_ALL: with residuals, and the memory of forces. */
enum ph_status ph_state_show(struct ph_state *state, int parts, struct ph_error *err);
/* The same for the first process alone, and for a reader: places, momenta and forces, or `all` */
enum ph_status ph_state_show_first(struct ph_state *state, bool all, struct ph_error *err);
/* No process has all molecules, once forces were evaluated: a reader reads blocks. */
bool ph_state_is_apart(const struct ph_state *state);
/* Blocks of columns, in the order of the molecules' numbers, to those who read (force/owned.h) */
enum ph_status ph_state_read(struct ph_state *state, const struct ph_rows *columns, const struct ph_readers *readers,
                             ph_rows_reader *block, void *data, struct ph_error *err);

/* If *begun: a copy of the state is on its way while molecules go on; `whole`: as PH_STATE_ALL, else places, momenta
 * and forces. See ph_backend.snap. The copy is there when *snapshot is not NULL. */
enum ph_status ph_state_snap(struct ph_state *state, bool whole, bool *begun, struct ph_error *err);
enum ph_status ph_state_snapped(struct ph_state *state, bool wait, const struct ph_snapshot **snapshot,
                                struct ph_error *err);

/* What a checkpoint keeps besides the system: residuals of compensated sums, PH_STATE_RESIDUAL_COLUMNS (NULL if not
 * compensated), and the memory of forces */
enum { PH_STATE_RESIDUAL_COLUMNS = 9 }; /* of r, p, m */
double *const *ph_state_residuals(const struct ph_state *state);
struct ph_force_memory ph_state_memory(const struct ph_state *state);
/* Restores the memory, before forces are evaluated. */
enum ph_status ph_state_restore(struct ph_state *state, const struct ph_force_memory *memory, struct ph_error *err);

#endif
