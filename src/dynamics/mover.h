/* SPDX-License-Identifier: MIT */
#ifndef PH_DYNAMICS_MOVER_H
#define PH_DYNAMICS_MOVER_H

/* Moves a system through a stage of a run and keeps the time: by a splitting scheme (dynamics.h), a one-step integrator
 * (motion.h) or an extended Hamiltonian (extended.h), each a table of operations in mover.c, so that runs need not know
 * which it is. Steps may have a heat bath on both sides (bath.h), and changes of the cell between them (cell.h). */

#include "dynamics/baths/bath.h"
#include "dynamics/cells/cell.h"
#include "dynamics/cells/extended.h"
#include "dynamics/dynamics.h"
#include "dynamics/integrators/integrator.h"

struct ph_mover; /* opaque */

struct ph_mover_options {
    const struct ph_integrator *integrator; /* NULL: scheme and flow of `dynamics` */
    struct ph_dynamics_options dynamics;    /* of these integrators take step, pinned and apart; no residuals */
    struct ph_bath_options bath;            /* kind NULL: none */
    struct ph_cell_options cell;            /* kind NULL: the box stays as it is */
    struct ph_extended_options extended;    /* composition NULL: none; else instead of integrator, bath and cell */
    int64_t first_step;                     /* where the stage begins, */
    double first_time;                      /* and when */
};

/* Neither system nor field is owned; both must outlive the mover. Time and step are those where the stage begins. */
enum ph_status ph_mover_create(struct ph_system *system, struct ph_force_field *field,
                               const struct ph_mover_options *options, struct ph_mover **out, struct ph_error *err);
void ph_mover_destroy(struct ph_mover *mover);

/* n steps. With a bath or a cell no flow is pending afterwards. Else as ph_dynamics_advance. */
enum ph_status ph_mover_advance(struct ph_mover *mover, long n, struct ph_error *err);
/* The state that it moves: who looks at molecules, or changes them, does so there. */
struct ph_state *ph_mover_state(const struct ph_mover *mover);
/* As ph_dynamics_synchronise; also knows numbers. */
enum ph_status ph_mover_synchronise(struct ph_mover *mover, struct ph_energy *energy, struct ph_error *err);
/* What a bath has given and remembers, of the state as it is, with a flow pending or not: for ph_mover_save */
enum ph_status ph_mover_know_numbers(struct ph_mover *mover, struct ph_error *err);
/* Positions, momenta or more were changed from outside. No flow may be pending. */
void ph_mover_state_changed(struct ph_mover *mover);
/* Momenta alone were */
void ph_mover_momenta_changed(struct ph_mover *mover);

/* Number and time of the end of the last step */
int64_t ph_mover_step(const struct ph_mover *mover);
double ph_mover_time(const struct ph_mover *mover);

/* What the equations of motion conserve, up to a constant, from the total energy of the system as it is: the heat and
 * work that came from outside are taken off, energies of what is outside are added. */
double ph_mover_conserved(const struct ph_mover *mover, double total);
/* Parts of the steps, and of the changes of the cell, that were accepted since the stage began; NaN if none was tried
 */
double ph_mover_acceptance(const struct ph_mover *mover);
double ph_mover_cell_acceptance(const struct ph_mover *mover);

/* What a checkpoint keeps besides the system and the lists of the force field. The mover owns the arrays, NULL if it
 * has none: to restore, read into them, then call ph_mover_restore. */
enum { PH_MOVER_NUMBERS = 64 };
struct ph_mover_memory {
    int64_t step;
    bool owes;
    double *const *residuals; /* PH_STATE_RESIDUAL_COLUMNS arrays of n */
    double *numbers;          /* PH_MOVER_NUMBERS: of bath, cell and more */
};
struct ph_mover_memory ph_mover_save(struct ph_mover *mover);
void ph_mover_restore(struct ph_mover *mover, int64_t step, bool owes);

struct ph_state_counts ph_mover_counts(const struct ph_mover *mover);

#endif
