/* SPDX-License-Identifier: MIT */
#ifndef PH_DYNAMICS_DYNAMICS_H
#define PH_DYNAMICS_DYNAMICS_H

/* Moves a system: the one loop that composes free flow and kick as a scheme says, at constant energy.
 *
 * Nested schemes have two time scales, H = T + V_fast + V_slow, with the parts of the force field. The outer scheme
 * composes kicks by slow forces and, in place of free flow, whole steps of an inner scheme for T + V_fast. A flow of
 * length t is `substeps` inner steps of length t/substeps. The result is symmetric and symplectic. Its order is the
 * lower of the orders of both schemes (M. Tuckerman, B. J. Berne, G. J. Martyna, J. Chem. Phys. 97 (1992) 1990, with
 * any schemes). */

#include "dynamics/schemes/scheme.h"
#include "state/state.h"

struct ph_dynamics_options {
    const struct ph_scheme *scheme;
    const struct ph_flow *flow;
    double step;                   /* h, of any sign */
    bool compensated;              /* carry along the rounding errors of additions to r, p and m */
    bool pinned;                   /* centres do not move */
    const struct ph_scheme *inner; /* NULL: not nested. The field must have a fast part; both are plain */
    int substeps;                  /* inner steps for a drift, at least 1 */
    struct ph_backend *backend;    /* as of struct ph_state_options: no force gradients, the flow exact */
};

struct ph_dynamics; /* opaque */

/* Neither system nor field is owned; both must outlive the dynamics. Evaluates nothing yet. */
enum ph_status ph_dynamics_create(struct ph_system *system, struct ph_force_field *field,
                                  const struct ph_dynamics_options *options, struct ph_dynamics **out,
                                  struct ph_error *err);
void ph_dynamics_destroy(struct ph_dynamics *dynamics);
struct ph_state *ph_dynamics_state(const struct ph_dynamics *dynamics); /* that it moves */

/* n steps. The last outermost flow of the last step is left pending: it is joined with the first of the next step, or
 * done by ph_dynamics_synchronise. On failure the state is that where the numbers failed. */
enum ph_status ph_dynamics_advance(struct ph_dynamics *dynamics, long n, struct ph_error *err);

/* One step as above, whose central flow is a drift that is done in two halves with `middle` between them: symmetric, if
 * `middle` is. For schemes with ph_scheme_drift_in_the_middle, not nested. */
typedef enum ph_status ph_dynamics_middle(void *data, struct ph_error *err);
enum ph_status ph_dynamics_advance_about(struct ph_dynamics *dynamics, ph_dynamics_middle *middle, void *data,
                                         struct ph_error *err);

/* Does the pending flow: the state is then that at the end of the last step. With `energy`, also evaluates energies,
 * forces and torques there. */
enum ph_status ph_dynamics_synchronise(struct ph_dynamics *dynamics, struct ph_energy *energy, struct ph_error *err);

/* The state was changed from outside (ph_state_changed). No flow may be pending. */
void ph_dynamics_reset(struct ph_dynamics *dynamics);

/* Save and restore, for checkpoints, whether the outermost flow is pending. */
bool ph_dynamics_has_pending_flow(const struct ph_dynamics *dynamics);
void ph_dynamics_restore_pending_flow(struct ph_dynamics *dynamics, bool has_pending_flow);

#endif
