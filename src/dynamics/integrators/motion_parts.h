/* SPDX-License-Identifier: MIT */
#ifndef PH_DYNAMICS_INTEGRATORS_MOTION_PARTS_H
#define PH_DYNAMICS_INTEGRATORS_MOTION_PARTS_H

/* Shared by explicit and implicit one-step integrators; for motion.c and motion_implicit.c alone. */

#include "dynamics/integrators/motion.h"
#include "state/state.h"

struct ph_motion {
    struct ph_state *state;   /* owned */
    struct ph_system *system; /* not owned; of the state */
    struct ph_motion_options options;
    struct ph_top *top; /* owned; of each species that rotates */
    double *kept[3]; /* owned, for explicit methods: rows that `lead` passes to `close`; they migrate with molecules */
    struct ph_unknowns *unknowns; /* owned, for implicit methods; NULL for others */
    size_t failed;                /* the first body whose step failed */
    struct ph_motion_counts counts;
};

/* Orientation of molecule i, and the torque on it in its body frame; a linear rotor takes none about its axis */
void ph_motion_store_orientation(const double q[4], size_t i, struct ph_system *system);
void ph_motion_load_torque(const struct ph_motion *motion, size_t species, size_t i, double torque[3]);

/* A body of this species, whose w is 0 about the axis of a linear rotor; with its state at the beginning of a step */
struct ph_spin ph_motion_spin(const struct ph_motion *motion, size_t species);
void ph_motion_load(const struct ph_motion *motion, size_t species, size_t i, struct ph_spin *spin);

/* Calls the function for every body that rotates, of local molecules. False if it failed for some; the first of these
 * is then `failed`. */
typedef bool ph_motion_action(struct ph_motion *motion, size_t species, size_t i);
bool ph_motion_for_bodies(struct ph_motion *motion, ph_motion_action *action);
/* The error that no solution was found for the body that failed (ph_state_fail) */
enum ph_status ph_motion_no_body(const struct ph_motion *motion, struct ph_error *err);

#endif
