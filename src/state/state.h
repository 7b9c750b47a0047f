/* SPDX-License-Identifier: MIT */
#ifndef PH_STATE_STATE_H
#define PH_STATE_STATE_H

/* Hides from the code above where the molecules of a run are. A state has one of three kinds:
 *   local   this process has all molecules;
 *   ranks   several processes share them, and each moves its own (force/owned.h);
 *   device  a backend has them (backend.h), and the system of this process is a copy.
 *
 * Schemes, integrators, thermostats and barostats are written once, with the operations below. They contain no word of
 * ranks or devices. */

/* Columns are arrays with one number per molecule: r, q, p, m, f, t of the system, and those that callers attach. Local
 * molecules are those that this process moves. An evaluation of forces may migrate molecules to other ranks, with all
 * of their columns. PH_STATE_PLACES are positions and orientations.
 *
 * Functions that return a status are collective: all ranks call them in the same order. So are those marked
 * "collective". ph_state_fail is the exception: a rank may call it alone. */

#include "base/numerics/exact.h"
#include "force/force_field.h"
#include "rigid/flow.h"
#include "state/backend.h"
#include "state/each.h"

struct ph_state; /* opaque */

struct ph_state_options {
    const struct ph_flow *flow; /* free rotation, for ph_state_drift; may be NULL without drifts */
    bool pinned;                /* centres do not move */
    bool compensated;           /* r, p and m are summed with compensation: rounding errors are kept as residuals */
    bool gradients;             /* ph_state_kick also uses rates of forces, */
    bool displaced;             /* or forces at displaced places */
    struct ph_backend *backend; /* not owned; NULL: none. It has the exact flow, and no gradients */
};

/* Creates a state and evaluates nothing. System and field are not owned and must outlive it. The field may be NULL if
 * forces are never needed. Several ranks divide the molecules, and store only their own and ghosts. Without a field
 * each has all. */
enum ph_status ph_state_create(struct ph_system *system, struct ph_force_field *field,
                               const struct ph_state_options *options, struct ph_state **out, struct ph_error *err);
void ph_state_destroy(struct ph_state *state);
struct ph_system *ph_state_system(const struct ph_state *state);
struct ph_force_field *ph_state_field(const struct ph_state *state);

/* Operations that a run may need besides drift, kick, and those of baths and barostats */
enum ph_state_need {
    PH_NEEDS_RANKS = 1,       /* several processes */
    PH_NEEDS_INTEGRATORS = 2, /* loops over molecules in each step */
    PH_NEEDS_FLOWS = 4,       /* free rotation by other flows than the exact one */
    PH_NEEDS_RATES = 8,       /* ph_state_rates: force gradients, too */
    PH_NEEDS_FLUX = 16,       /* ph_state_flux */
    PH_NEEDS_OUTSIDE = 32     /* forces that code outside the program computes */
};
/* Returns the bits of those that a state of kind device does not have. */
unsigned ph_state_device_lacks(void);

/* ---- Loops over local molecules ---- */

/* Apply work or terms to all local molecules (ph_each, ph_each_sum). After changing columns, call ph_state_touch. A
 * device first copies its molecules to this process. If that fails, the next function that returns a status returns the
 * error. */
void ph_state_each(struct ph_state *state, ph_range_work *work, void *data);
void ph_state_total(struct ph_state *state, ph_range_terms *terms, void *data, size_t n, struct ph_exact *sums);

/* Reduce sums, and largest values, of local molecules to those of all molecules. Collective. */
void ph_state_add_up(struct ph_state *state, size_t n, struct ph_exact *sums);
void ph_state_largest(struct ph_state *state, size_t n, double *values);
/* Finds which molecule has the largest value of all ranks. `ours` is the largest local value with its molecule, and
 * becomes that of all ranks: the lowest number if several are equal. Collective. */
struct ph_largest {
    double value;
    uint64_t number;
};
void ph_state_find_largest(struct ph_state *state, double largest, struct ph_largest *ours);
/* Returns PH_OK if the status is PH_OK on all ranks, else status and message of the first rank that failed. */
enum ph_status ph_state_agree(struct ph_state *state, enum ph_status status, struct ph_error *err);
/* Reports a failure that this process found in a local molecule. With one process, returns it. With several, returns
 * PH_OK, and the next evaluation returns the failure on all ranks. */
enum ph_status ph_state_fail(struct ph_state *state, const struct ph_error *failure, struct ph_error *err);
/* True if a neighbour-list build failed on several ranks. Ownership is then undefined, and the run must end. */
bool ph_state_is_lost(const struct ph_state *state);

/* Marks parts (PH_STATE_...) as changed by a loop of the caller, and keeps residuals. New places make forces unknown.
 */
void ph_state_touch(struct ph_state *state, int parts);
/* The same for parts whose values were replaced (drawn, rescaled, restored): also sets their residuals to zero. */
void ph_state_changed(struct ph_state *state, int parts);

/* Attaches columns: they migrate with the molecules until they are detached, in reverse order. At most so many at
 * once. */
enum { PH_STATE_ATTACHED = 116 };
void ph_state_attach(struct ph_state *state, size_t n, double *const *columns);
void ph_state_detach(struct ph_state *state, size_t n);

/* ---- Forces ---- */

/* Evaluates the forces and torques of a part, unless they are known. With `energy` it always evaluates, and the part is
 * PH_FORCES_ALL. */
enum ph_status ph_state_forces(struct ph_state *state, enum ph_force_part part, struct ph_energy *energy,
                               struct ph_error *err);
bool ph_state_knows_forces(const struct ph_state *state); /* all forces of the present places */
/* Computes the rates of forces and torques along a motion (ph_force_field_rates). The state must be that of the last
 * evaluation. */
enum ph_status ph_state_rates(struct ph_state *state, const struct ph_rates *rates, struct ph_error *err);
/* Computes how pairs carry energy along a motion (ph_force_field_flux); likewise. */
enum ph_status ph_state_flux(struct ph_state *state, const struct ph_rates *motion, struct ph_pair_flux *out,
                             struct ph_error *err);
/* Computes a result from columns of all molecules: rank 0 calls add(block, data) for all blocks, ordered by molecule
 * number. Then the `bytes` at `found` are broadcast from rank 0. */
enum ph_status ph_state_find(struct ph_state *state, const struct ph_column_set *columns, ph_columns_reader *add,
                             void *data, size_t bytes, void *found, struct ph_error *err);

/* Numbers of evaluations: of all forces, of force gradients, of the fast and of the slow part */
struct ph_state_counts {
    size_t evaluations, gradients;
    size_t fast, slow;
};
struct ph_state_counts ph_state_counts(const struct ph_state *state);
void ph_state_counts_add(const struct ph_state_counts *more, struct ph_state_counts *counts);
/* Returns the cost of these evaluations in units of one evaluation of all forces, without gradients. */
double ph_state_equivalent(const struct ph_state_counts *counts, const struct ph_force_field *field);

/* ---- Operations on all molecules ---- */

/* Free flight and free rotation for a time t */
enum ph_status ph_state_drift(struct ph_state *state, double t, struct ph_error *err);
/* Adds b f + 2 c f' to p, f' the rate of the forces of a part along the accelerations, and likewise torques to m.
 * Evaluates forces and rates unless they are known.
 *
 * With `displaced` and c not 0 it adds b times the forces at places displaced by 2 c/b times the accelerations instead.
 * It evaluates them, restores places, and keeps the forces there. The part is PH_FORCES_ALL. If pair lists are made at
 * displaced places, centres are wrapped into the box as then, otherwise places get their bits back. */
enum ph_status ph_state_kick(struct ph_state *state, enum ph_force_part part, double b, double c, struct ph_error *err);
/* A kick, then a drift for a time t, with the bits of both, in one pass over the molecules where that is possible */
enum ph_status ph_state_kick_and_drift(struct ph_state *state, enum ph_force_part part, double b, double c, double t,
                                       struct ph_error *err);

/* Scales the momenta of each group by a factor that follows from their kinetic energy and the numbers of a thermostat.
 */
enum ph_status ph_state_scale(struct ph_state *state, const struct ph_scaling *scaling, double numbers[PH_BATH_NUMBERS],
                              struct ph_error *err);
/* Applies friction and noise to all momenta, and counts the heat in the numbers of the thermostat. */
enum ph_status ph_state_apply_noise(struct ph_state *state, const struct ph_noise *noise,
                                    double numbers[PH_BATH_NUMBERS], struct ph_error *err);
/* Updates the numbers of a thermostat (PH_BATH_... in scaling.h). Call it before you read them: the two functions above
 * change them on the device, or keep the heat of local molecules on each rank. */
enum ph_status ph_state_know_numbers(struct ph_state *state, double numbers[PH_BATH_NUMBERS], struct ph_error *err);
/* Returns the kinetic energies of all groups. Collective. */
void ph_state_kinetic(struct ph_state *state, double kinetic[PH_BATH_GROUPS]);
/* Scales the momenta of all groups by these factors. */
void ph_state_scale_by(struct ph_state *state, const double factor[PH_BATH_GROUPS]);
/* Moves all centres by a linear map, and sets the box. The force field knows the box already. Residuals become zero. */
void ph_state_set_box(struct ph_state *state, const double map[3][3], const struct ph_box *box);

/* ---- Reading ---- */

/* Sums over all molecules, with the forces evaluated last */
enum ph_status ph_state_observe(struct ph_state *state, struct ph_state_sums *sums, struct ph_error *err);
/* Gathers these parts of all molecules in the system, on every rank, ordered by molecule number. Valid until the next
 * operation above. PH_STATE_ALL also gathers residuals and the memory of the force field. */
enum ph_status ph_state_show(struct ph_state *state, int parts, struct ph_error *err);
/* The same on rank 0 only: places, momenta and forces, or PH_STATE_ALL. On other ranks the system is invalid. */
enum ph_status ph_state_show_first(struct ph_state *state, bool all, struct ph_error *err);
/* Copies these parts of the local molecules to this process. Does nothing unless a device has them. */
enum ph_status ph_state_bring(struct ph_state *state, int parts, struct ph_error *err);
/* Passes blocks of columns to the readers (force/owned.h), in the order of the molecules' numbers. */
enum ph_status ph_state_read(struct ph_state *state, const struct ph_column_set *columns,
                             const struct ph_readers *readers, ph_columns_reader *block, void *data,
                             struct ph_error *err);

/* Starts an asynchronous copy of the state from a device: places, momenta and forces, or PH_STATE_ALL. *begun is false
 * if there is no device, or no memory for the copy. The second returns the copy, or NULL if it has not arrived.
 * ph_state_snaps returns true if the kind of the state has such copies. */
bool ph_state_snaps(const struct ph_state *state);
enum ph_status ph_state_snap(struct ph_state *state, bool whole, bool *begun, struct ph_error *err);
enum ph_status ph_state_snapped(struct ph_state *state, bool wait, const struct ph_snapshot **snapshot,
                                struct ph_error *err);

/* ---- Starts and checkpoints ---- */

/* Residuals of compensated sums to r, p and m, as columns; NULL if sums are not compensated */
enum { PH_STATE_RESIDUAL_COLUMNS = 9 };
double *const *ph_state_residuals(const struct ph_state *state);
/* Returns what fixes the order of force sums besides positions, so that a restart is exact. */
struct ph_force_memory ph_state_memory(const struct ph_state *state);

/* Returns true if each process writes, and later holds, only some of the molecules of such a state. Then there are
 * several ranks, and a cutoff. */
bool ph_state_in_parts(const struct ph_interactions *interactions);
/* Fills a state whose molecules were only reserved (ph_system_reserve). Calls `write` once, on every process, for the
 * molecules begin .. end-1: a range of base/ranges.h in parts, and otherwise all. They have their numbers already, at
 * the places of these numbers. `write` sets all columns, residuals too, and may set *memory, whose arrays must last
 * until ph_state_write returns. Then lists are made again as they were. */
typedef enum ph_status ph_state_writer(struct ph_state *state, size_t begin, size_t end, struct ph_force_memory *memory,
                                       void *data, struct ph_error *err);
enum ph_status ph_state_write(struct ph_state *state, ph_state_writer *write, void *data, struct ph_error *err);
/* Call after reading thermostat numbers from a checkpoint: marks all for transfer to the device. */
void ph_state_restored(struct ph_state *state);

/* ---- Pairs ---- */

/* Visits every pair of molecules within the cutoff (counted between any of their sites), and some pairs beyond it, each
 * on one rank. visit gets their places and the vector from the centre of the second to the centre of the first, for
 * each image within reach. Needs a cutoff, and an evaluation before. */
void ph_state_visit_pairs(const struct ph_state *state,
                          void (*visit)(size_t i, size_t j, const double d[3], void *context), void *context);
/* Counts the pairs in the lists of all ranks, for ph_state_equivalent. Collective. */
void ph_state_count_pairs(struct ph_state *state);

#endif
