/* SPDX-License-Identifier: MIT */
#ifndef PH_DYNAMICS_INTEGRATORS_MOTION_PARTS_H
#define PH_DYNAMICS_INTEGRATORS_MOTION_PARTS_H

/* What explicit and implicit one-step integrators share; for motion.c and motion_implicit.c alone. */

#include "dynamics/dynamics.h"
#include "dynamics/integrators/integrator.h"
#include "force/force_field.h"
#include "model/system.h"

struct ph_motion {
    struct ph_system *system;     /* not owned */
    struct ph_force_field *field; /* not owned */
    struct ph_motion_options options;
    struct ph_dynamics *dynamics; /* owned: knows where molecules are */
    struct ph_top *top;           /* owned; of each species that rotates */
    double *kept[3]; /* owned, for explicit methods: rows of what `lead` passes to `close`, which go with molecules */
    struct ph_unknowns *unknowns; /* owned, for implicit methods; NULL for others */
    bool forces_known;            /* of these positions */
    size_t failed;                /* the first body for which something failed */
    struct ph_motion_counts counts;
};

enum ph_status ph_motion_know_forces(struct ph_motion *motion, struct ph_energy *energy, struct ph_error *err);

/* Orientation of molecule i, and the torque on it in its body frame; a linear rotor takes none about its axis */
void ph_motion_store_attitude(const double q[4], size_t i, struct ph_system *system);
void ph_motion_load_torque(const struct ph_motion *motion, size_t species, size_t i, double torque[3]);

/* A body of this species, whose w is 0 about the axis of a linear rotor; with its state at the beginning of a step */
struct ph_spin ph_motion_spin(const struct ph_motion *motion, size_t species);
void ph_motion_load(const struct ph_motion *motion, size_t species, size_t i, struct ph_spin *spin);

/* Calls the function for every body that rotates, of those that this process has (`own`, NULL for all). False if it
 * failed for some; the first of these is then `failed`. */
typedef bool ph_motion_action(struct ph_motion *motion, size_t species, size_t i);
bool ph_motion_for_bodies(struct ph_motion *motion, const struct ph_owned *own, ph_motion_action *action);

/* The error that no solution was found for the body that failed. If others have their own bodies, who know nothing of
 * it, this process goes on with them until all are told, by the next evaluation. */
enum ph_status ph_motion_no_body(const struct ph_motion *motion, const struct ph_owned *own, struct ph_error *err);

#endif
