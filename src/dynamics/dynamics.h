/* SPDX-License-Identifier: MIT */
#ifndef PH_DYNAMICS_DYNAMICS_H
#define PH_DYNAMICS_DYNAMICS_H

/* Moves a system: the one loop that composes free flow and kick as a scheme says, at constant energy.
 *
 * Nested schemes have two time scales, H = T + V_fast + V_slow, the parts those of the force field: a scheme composes
 * kicks by slow forces and, in place of free flow, whole steps of an inner scheme for T + V_fast. A flow of length t is
 * `substeps` inner steps of length t/substeps. All is symmetric and symplectic; of the order of the outer scheme if the
 * inner one has it too, else of that of the inner one (M. Tuckerman, B. J. Berne, G. J. Martyna, J. Chem. Phys. 97
 * (1992) 1990, with any schemes). */

#include "dynamics/backend.h"
#include "dynamics/schemes/scheme.h"
#include "force/force_field.h"
#include "model/system.h"
#include "rigid/flow.h"

#include <stdbool.h>
#include <stddef.h>

struct ph_dynamics_options {
    const struct ph_scheme *scheme; /* NULL: somebody else moves molecules, and this knows where they are */
    const struct ph_flow *flow;
    double step;                   /* h, of any sign */
    bool compensated;              /* carry along what rounding takes from r, p and m when something is added to them */
    bool pinned;                   /* centres do not move */
    const struct ph_scheme *inner; /* NULL: not nested. The field must have a fast part; no gradients in either */
    int substeps;                  /* inner steps for a drift, at least 1 */
    struct ph_backend *backend;    /* NULL: the processor; not owned. Neither nested nor gradients; the flow is exact */
    bool owned; /* of several processes each moves its own molecules, where it can (if the field has parts):
                 * who looks at the system has to synchronise first */
    bool apart; /* and it needs no places for those of others (force/owned.h), where it can (as above): nobody
                 * evaluates all forces beside this */
};

struct ph_dynamics; /* opaque */

/* Neither system nor field is owned; both must outlive the dynamics. Evaluates nothing yet. */
enum ph_status ph_dynamics_create(struct ph_system *system, struct ph_force_field *field,
                                  const struct ph_dynamics_options *options, struct ph_dynamics **out,
                                  struct ph_error *err);
void ph_dynamics_destroy(struct ph_dynamics *dynamics);

/* n steps. The last outermost flow of the last step is left pending: it is joined with the first of the next step, or
 * done by ph_dynamics_synchronise. On failure the state is that where the numbers failed. With a backend the system is
 * that of the last synchronisation, or of ph_dynamics_fetch. */
enum ph_status ph_dynamics_advance(struct ph_dynamics *dynamics, long n, struct ph_error *err);

/* Does the pending flow: positions and momenta are then those at the end of the last step. With `energy`, also
 * evaluates energies, forces and torques there. */
enum ph_status ph_dynamics_synchronise(struct ph_dynamics *dynamics, struct ph_energy *energy, struct ph_error *err);

/* As above for somebody who looks at energies and sums alone (unless NULL): with a backend the system is as old as
 * before. */
enum ph_status ph_dynamics_observe(struct ph_dynamics *dynamics, struct ph_energy *energy, struct ph_state_sums *sums,
                                   struct ph_error *err);

/* Does the pending flow for somebody who looks at momenta alone, and may change them: where a backend has them, if
 * there is one, the system is as old as before; and those of molecules in *own, which this process has, NULL for all.
 */
enum ph_status ph_dynamics_synchronise_momenta(struct ph_dynamics *dynamics, const struct ph_owned **own,
                                               struct ph_error *err);

/* As ph_dynamics_synchronise for somebody who changes places and momenta, and may evaluate what follows: those of
 * molecules that this process has, if *state are all rows of their state, for ph_force_field_evaluate_owned; NULL: of
 * all. Then ph_dynamics_reset or ph_dynamics_moved. */
enum ph_status ph_dynamics_synchronise_places(struct ph_dynamics *dynamics, const struct ph_rows **state,
                                              struct ph_energy *energy, struct ph_error *err);

/* For somebody else who moves molecules, while no flow is pending: those that this process has, NULL for all, of whose
 * state he changes these parts (PH_STATE_...); and forces on these, unless they are known, or with energies of all */
const struct ph_owned *ph_dynamics_take(struct ph_dynamics *dynamics, int parts);
enum ph_status ph_dynamics_evaluate(struct ph_dynamics *dynamics, struct ph_energy *energy, struct ph_error *err);

/* Rows more that go with molecules when these change owners, for somebody who keeps something of each until he drops
 * them, last first; of all of them at most PH_DYNAMICS_CARRIED */
enum { PH_DYNAMICS_CARRIED = 116 };
void ph_dynamics_carry(struct ph_dynamics *dynamics, size_t n, double *const *rows);
void ph_dynamics_drop(struct ph_dynamics *dynamics, size_t n);

/* With a backend, or where processes move their own molecules: makes the system the state as it is, with a flow pending
 * or not, and residuals and the memory of the field with it. */
enum ph_status ph_dynamics_fetch(struct ph_dynamics *dynamics, struct ph_error *err);

/* With a backend that can (*begun): begins to copy the state as it is, with a flow pending or not, while steps go on;
 * `whole`: with all that ph_dynamics_fetch brings, else places, momenta and forces. See ph_backend.snap. */
enum ph_status ph_dynamics_snap(struct ph_dynamics *dynamics, bool whole, bool *begun, struct ph_error *err);

/* The same two for somebody who only reads, in the first process: where molecules are apart, the system of the others
 * is none, and what was evaluated last are the forces. */
enum ph_status ph_dynamics_synchronise_first(struct ph_dynamics *dynamics, struct ph_error *err);
bool ph_dynamics_apart(const struct ph_dynamics *dynamics); /* they are, not before there are owners */
/* All rows of the state, for who evaluates something more of own molecules after an energy; NULL: all are here then */
const struct ph_rows *ph_dynamics_state(const struct ph_dynamics *dynamics);
enum ph_status ph_dynamics_fetch_first(struct ph_dynamics *dynamics, struct ph_error *err);

/* One flow by itself, for a time t: for movers that have more than the two. No flow may be pending. A kick is by the
 * forces last evaluated unless centres moved since by a drift of this function. */
enum ph_status ph_dynamics_flow(struct ph_dynamics *dynamics, enum ph_flow_kind kind, double t, struct ph_error *err);

/* The state was changed from outside: forces and residuals are discarded. No flow may be pending. */
void ph_dynamics_reset(struct ph_dynamics *dynamics);
/* As above, but that forces in the system are those of the new state */
void ph_dynamics_moved(struct ph_dynamics *dynamics);
/* As above for momenta alone, whose residuals are discarded; forces stay known. */
void ph_dynamics_momenta_changed(struct ph_dynamics *dynamics);

/* What a checkpoint keeps besides the system and the lists of the force field: whether the outermost flow is pending,
 * and the residuals of compensated sums, PH_DYNAMICS_RESIDUALS arrays of n (NULL if not compensated). */
enum { PH_DYNAMICS_RESIDUALS = 9 }; /* of r, p, m */
bool ph_dynamics_owes(const struct ph_dynamics *dynamics);
double *const *ph_dynamics_residuals(struct ph_dynamics *dynamics);
void ph_dynamics_restore_owed(struct ph_dynamics *dynamics, bool owes);

/* Counts since creation: evaluations of all forces, passes for gradients; of parts of the forces, if nested */
struct ph_dynamics_counts {
    size_t evaluations, gradients;
    size_t fast, slow;
};
struct ph_dynamics_counts ph_dynamics_counts(const struct ph_dynamics *dynamics);
void ph_dynamics_counts_add(const struct ph_dynamics_counts *more, struct ph_dynamics_counts *counts);
/* Evaluations of all forces, and of parts by what they cost in those of all */
double ph_dynamics_equivalent(const struct ph_dynamics_counts *counts, const struct ph_force_field *field);

#endif
