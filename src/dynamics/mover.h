/* SPDX-License-Identifier: MIT */
#ifndef PH_DYNAMICS_MOVER_H
#define PH_DYNAMICS_MOVER_H

/* Moves a system through a stage of a run and keeps the time. It uses a splitting scheme (dynamics.h), a one-step
 * integrator (motion.h) or an extended Hamiltonian (extended.h). Each is a table of operations in mover.c, so that runs
 * need not know the difference. Steps may have a heat bath on both sides (bath.h), and changes of the cell between them
 * (cell.h). */

#include "dynamics/baths/bath.h"
#include "dynamics/cells/cell.h"
#include "dynamics/cells/extended.h"
#include "dynamics/dynamics.h"
#include "dynamics/integrators/integrator.h"

struct ph_mover; /* opaque */

struct ph_mover_options {
    const struct ph_integrator *integrator; /* NULL: scheme and flow of `dynamics` */
    struct ph_dynamics_options dynamics;    /* integrators use only step and pinned; no residuals */
    struct ph_bath_options bath;            /* kind NULL: none */
    struct ph_cell_options cell;            /* kind NULL: the box stays as it is */
    struct ph_extended_options extended;    /* composition NULL: none; else instead of integrator, bath and cell */
    int64_t first_step;                     /* step at the start of the stage */
    double first_time;                      /* time at the start of the stage */
};

/* Creates a mover whose time and step are first_time and first_step. Neither system nor field is owned; both must
 * outlive the mover. */
enum ph_status ph_mover_create(struct ph_system *system, struct ph_force_field *field,
                               const struct ph_mover_options *options, struct ph_mover **out, struct ph_error *err);
void ph_mover_destroy(struct ph_mover *mover);

/* Takes n steps. With a bath at the ends of steps or a cell no flow is pending afterwards; otherwise as
 * ph_dynamics_advance. */
enum ph_status ph_mover_advance(struct ph_mover *mover, long n, struct ph_error *err);
/* Returns the state that the mover moves. Read or change molecules through it. */
struct ph_state *ph_mover_state(const struct ph_mover *mover);
/* As ph_dynamics_synchronise; also updates the numbers. With a bath in the middle of steps places are those of the end
 * of the step, while momenta stay those before its last kick. */
enum ph_status ph_mover_synchronise(struct ph_mover *mover, struct ph_energy *energy, struct ph_error *err);
/* As ph_mover_synchronise, and applies a kick that is still pending: at the end of a stage. */
enum ph_status ph_mover_complete(struct ph_mover *mover, struct ph_energy *energy, struct ph_error *err);
/* Would ph_mover_synchronise apply a pending flow now? */
bool ph_mover_is_between(const struct ph_mover *mover);
/* Updates the numbers of the bath (heat and memory) for the present state, with a flow pending or not: for
 * ph_mover_save */
enum ph_status ph_mover_know_numbers(struct ph_mover *mover, struct ph_error *err);
/* Announces that the caller has changed positions, momenta or more. No flow may be pending. */
void ph_mover_state_changed(struct ph_mover *mover);
/* Announces that the caller has changed momenta only. */
void ph_mover_momenta_changed(struct ph_mover *mover);

/* Return number and time of the end of the last step. */
int64_t ph_mover_step(const struct ph_mover *mover);
double ph_mover_time(const struct ph_mover *mover);

/* Returns the quantity that the equations of motion conserve, up to a constant, from the total energy of the present
 * system. Subtracts heat and work from outside and adds energies of the surroundings. */
double ph_mover_conserved(const struct ph_mover *mover, double total);
/* Return the fractions of steps, and of changes of the cell, that were accepted since the stage began; NaN if none was
 * tried */
double ph_mover_acceptance(const struct ph_mover *mover);
double ph_mover_cell_acceptance(const struct ph_mover *mover);

/* Data for a checkpoint besides the system and the lists of the force field. The mover owns the arrays, NULL if it has
 * none. To restore, read into them, then call ph_mover_restore. */
enum { PH_MOVER_NUMBERS = 64 };
struct ph_mover_memory {
    int64_t step;
    bool has_pending_flow;
    double *const *residuals; /* PH_STATE_RESIDUAL_COLUMNS arrays of n */
    double *numbers;          /* PH_MOVER_NUMBERS: of bath, cell and more */
};
struct ph_mover_memory ph_mover_save(struct ph_mover *mover);
void ph_mover_restore(struct ph_mover *mover, int64_t step, bool has_pending_flow);

struct ph_state_counts ph_mover_counts(const struct ph_mover *mover);

#endif
