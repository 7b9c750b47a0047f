/* SPDX-License-Identifier: MIT */
#ifndef PH_DYNAMICS_MOTION_PARTS_H
#define PH_DYNAMICS_MOTION_PARTS_H

/* What explicit and implicit one-step integrators share; for motion.c and motion_implicit.c alone. */

#include "dynamics/dynamics.h"
#include "dynamics/integrator.h"
#include "dynamics/mixing.h"
#include "force/force_field.h"
#include "model/system.h"

struct ph_motion {
    struct ph_system *system;     /* not owned */
    struct ph_force_field *field; /* not owned */
    struct ph_motion_options options;
    struct ph_dynamics *dynamics; /* owned: knows where molecules are */
    struct ph_top *top;           /* owned; of each species that rotates */
    struct ph_spin *spin;         /* owned; one for each molecule; a linear rotor has w = 0 about its axis */
    /* Owned, for implicit methods: centres and momenta at the beginning, and the unknowns */
    double *r[3], *p[3];
    int32_t *image[3];
    struct ph_mixing *mixing;
    double *guess, *found; /* 6 n: forces and torques, in units in which momenta are of order one */
    bool forces_known;     /* of these positions */
    size_t failed;         /* the first body for which something failed */
    struct ph_motion_counts counts;
};

enum ph_status ph_motion_know_forces(struct ph_motion *motion, struct ph_energy *energy, struct ph_error *err);

/* Orientation of molecule i, and the torque on it in its body frame; a linear rotor takes none about its axis */
void ph_motion_store_attitude(const double q[4], size_t i, struct ph_system *system);
void ph_motion_load_torque(const struct ph_motion *motion, size_t i, double torque[3]);

/* The state of body i at the beginning of a step, into its ph_spin */
bool ph_motion_load(struct ph_motion *motion, size_t i);

/* Calls the function for every body that rotates. False if it failed for some; the first of these is then `failed`. */
bool ph_motion_for_bodies(struct ph_motion *motion, bool (*action)(struct ph_motion *motion, size_t i));

/* The error that no solution was found for the body that failed */
enum ph_status ph_motion_no_body(const struct ph_motion *motion, struct ph_error *err);

#endif
