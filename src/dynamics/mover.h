/* SPDX-License-Identifier: MIT */
#ifndef PH_DYNAMICS_MOVER_H
#define PH_DYNAMICS_MOVER_H

/* Moves a system, by a splitting scheme (dynamics.h) or by a one-step integrator (motion.h): for runs, which need not
 * know which of the two it is. */

#include "dynamics/dynamics.h"
#include "dynamics/integrator.h"

struct ph_mover; /* opaque */

/* `integrator`, or NULL for the scheme and flow of the options. Integrators take step and pinned of the options; they
 * have no compensated sums. Neither system nor field is owned; both must outlive the mover. */
enum ph_status ph_mover_create(struct ph_system *system, struct ph_force_field *field,
                               const struct ph_integrator *integrator, const struct ph_dynamics_options *options,
                               struct ph_mover **out, struct ph_error *err);
void ph_mover_destroy(struct ph_mover *mover);

/* As those of ph_dynamics; integrators owe nothing after a step. */
enum ph_status ph_mover_advance(struct ph_mover *mover, long n, struct ph_error *err);
enum ph_status ph_mover_synchronise(struct ph_mover *mover, struct ph_energy *energy, struct ph_error *err);
void ph_mover_momenta_changed(struct ph_mover *mover);
bool ph_mover_owes(const struct ph_mover *mover);
void ph_mover_restore_owed(struct ph_mover *mover, bool owes);
double *const *ph_mover_residuals(struct ph_mover *mover);
struct ph_dynamics_counts ph_mover_counts(const struct ph_mover *mover);

#endif
