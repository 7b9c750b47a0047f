/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_CERTIFY_TRIAL_H
#define PH_LAB_CERTIFY_TRIAL_H

/* Small systems on which schemes are certified, with end states computed in multiple precision: no part of the engine
 * tests itself. */

#include "dynamics/dynamics.h"

enum { PH_TRIAL_MOST = 5, PH_MIDDLES = 8 }; /* molecules; times about which single steps are taken */

/* One molecule */
struct ph_trial_body {
    double r[3], p[3], q[4], m[3];
};

struct ph_trial_problem {
    const char *name;
    size_t n; /* molecules, of mass 1 */
    double inertia[3], dipole[3];
    struct ph_radial radial;
    double body_force[3]; /* acts at (0, 0, 1) in the body */
    double tether;
    bool pinned;
    double time;               /* of the end state; 0 if it is not known */
    double longest;            /* step; half of it is well within the radius of convergence of power series */
    double middle[PH_MIDDLES]; /* ascending */
    double rounding;           /* its effect on the end state, as seen with short steps of many schemes */
    struct ph_trial_body start[PH_TRIAL_MOST], end[PH_TRIAL_MOST];
};

/* Three dipolar soft spheres in open space, which collide; the same on springs, which bind them; an asymmetric heavy
 * top. */
extern const struct ph_trial_problem ph_trial_dipoles, ph_trial_springs, ph_trial_top;

/* A problem ready to be moved by a scheme */
struct ph_trial {
    const struct ph_trial_problem *problem;
    const struct ph_scheme *scheme;
    const struct ph_flow *flow;
    const struct ph_scheme *inner; /* NULL; set it after ph_trial_init for a nested scheme, with one substep */
    struct ph_system *system;      /* owned */
    struct ph_force_field *field;  /* owned */
};

/* At its start; ph_trial_clear accepts {0} */
enum ph_status ph_trial_init(const struct ph_trial_problem *problem, const struct ph_scheme *scheme,
                             const struct ph_flow *flow, struct ph_trial *trial, struct ph_error *err);
void ph_trial_clear(struct ph_trial *trial);

void ph_trial_put(const struct ph_trial_body bodies[], struct ph_trial *trial);
void ph_trial_take(const struct ph_trial *trial, struct ph_trial_body bodies[]);

int ph_trial_flows(const struct ph_trial *trial); /* of one step */

/* Dynamics of the trial with compensated sums; the caller destroys it. */
enum ph_status ph_trial_dynamics(struct ph_trial *trial, double step, struct ph_dynamics **out, struct ph_error *err);

/* n steps of its dynamics, synchronised at the end. If the step is so long that molecules overlap or coordinates
 * overflow, *broken is set, which is not an error; only lack of memory is. */
enum ph_status ph_trial_move(struct ph_dynamics *dynamics, long n, bool *broken, struct ph_error *err);

/* The same with new dynamics, steps of length h */
enum ph_status ph_trial_advance(struct ph_trial *trial, double h, long n, bool *broken, struct ph_error *err);

/* Distance of two states, square root of the sum of squares over all numbers; q and -q are the same. */
double ph_trial_distance(size_t n, const struct ph_trial_body a[], const struct ph_trial_body b[]);

#endif
