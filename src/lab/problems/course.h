/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_PROBLEMS_COURSE_H
#define PH_LAB_PROBLEMS_COURSE_H

/* A posed problem followed by a one-step integrator. */

#include "dynamics/integrators/motion.h"
#include "lab/problems/problem.h"

struct ph_course {
    struct ph_system *system; /* owned, as all of these */
    struct ph_force_field *field;
    struct ph_motion *motion;
};

/* Starts from the state of the problem, which is not changed; ph_course_clear accepts {0} and a course after a failure
 * here. */
enum ph_status ph_course_begin(const struct ph_posed *posed, const struct ph_integrator *integrator, double step,
                               struct ph_course *course, struct ph_error *err);
void ph_course_clear(struct ph_course *course);

/* Total energy of the state as it is */
enum ph_status ph_course_energy(struct ph_course *course, double *energy, struct ph_error *err);

/* Angular momentum in space of the first body */
void ph_course_momentum(const struct ph_course *course, double momentum[3]);

/* How far the orientation of the first body is from q: the norm of the difference of the matrices, 2 sin(angle/2) */
double ph_course_orientation_error(const struct ph_course *course, const double q[4]);
double ph_course_momentum_error(const struct ph_course *course, const double m[3]);

#endif
