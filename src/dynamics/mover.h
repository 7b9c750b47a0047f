/* SPDX-License-Identifier: MIT */
#ifndef PH_DYNAMICS_MOVER_H
#define PH_DYNAMICS_MOVER_H

/* Moves a system and keeps the time: by a splitting scheme (dynamics.h) or by a one-step integrator (motion.h), each a
 * table of operations in mover.c, so that runs need not know which it is. */

#include "dynamics/dynamics.h"
#include "dynamics/integrator.h"
#include "dynamics/thermostat.h"

struct ph_mover; /* opaque */

/* `integrator`, or NULL for the scheme and flow of the options. Integrators take step and pinned of the options; they
 * have no compensated sums. Neither system nor field is owned; both must outlive the mover. Time and step are 0. */
enum ph_status ph_mover_create(struct ph_system *system, struct ph_force_field *field,
                               const struct ph_integrator *integrator, const struct ph_dynamics_options *options,
                               struct ph_mover **out, struct ph_error *err);
void ph_mover_destroy(struct ph_mover *mover);

/* n steps, each followed by the thermostat, if not NULL; no flow is pending after a thermostat. Else as
 * ph_dynamics_advance. */
enum ph_status ph_mover_advance(struct ph_mover *mover, long n, const struct ph_thermostat *thermostat,
                                struct ph_error *err);
/* As ph_dynamics_synchronise */
enum ph_status ph_mover_synchronise(struct ph_mover *mover, struct ph_energy *energy, struct ph_error *err);
/* Positions, momenta or more were changed from outside. No flow may be pending. */
void ph_mover_state_changed(struct ph_mover *mover);

/* Number and time of the end of the last step */
int64_t ph_mover_step(const struct ph_mover *mover);
double ph_mover_time(const struct ph_mover *mover);

/* What a checkpoint keeps besides the system and the lists of the force field. The mover owns the arrays, NULL if it
 * has none: to restore, read into them, then call ph_mover_restore. */
struct ph_mover_memory {
    int64_t step;
    bool owes;
    double *const *residuals; /* PH_DYNAMICS_RESIDUALS arrays of n */
};
struct ph_mover_memory ph_mover_save(struct ph_mover *mover);
void ph_mover_restore(struct ph_mover *mover, int64_t step, bool owes);

struct ph_dynamics_counts ph_mover_counts(const struct ph_mover *mover);

#endif
