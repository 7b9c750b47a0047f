/* SPDX-License-Identifier: MIT */
#include "lab/problems/course.h"

#include <math.h>

void ph_course_clear(struct ph_course *course)
{
    ph_motion_destroy(course->motion);
    ph_force_field_destroy(course->field);
    ph_system_destroy(course->system);
    *course = (struct ph_course){.system = NULL};
}

enum ph_status ph_course_begin(const struct ph_posed *posed, const struct ph_integrator *integrator, double step,
                               struct ph_course *course, struct ph_error *err)
{
    *course = (struct ph_course){.system = NULL};
    const struct ph_motion_options options = {
        .integrator = integrator, .step = step, .pinned = posed->interactions.pinned};
    enum ph_status status = ph_posed_copy_system(posed->system, &course->system, err);
    if (status == PH_OK)
        status = ph_force_field_create(course->system, &posed->interactions, &course->field, err);
    if (status == PH_OK)
        status = ph_motion_create(course->system, course->field, &options, &course->motion, err);
    return status;
}

enum ph_status ph_course_energy(struct ph_course *course, double *energy, struct ph_error *err)
{
    struct ph_energy potential = {.radial = 0.0};
    const enum ph_status status = ph_motion_know_forces(course->motion, &potential, err);
    *energy = ph_energy_total(&potential) + ph_system_kinetic_translation(course->system) +
              ph_system_kinetic_rotation(course->system);
    return status;
}

static void orientation(const struct ph_course *course, double q[4])
{
    for (int k = 0; k < 4; ++k)
        q[k] = course->system->q[k][0];
}

void ph_course_momentum(const struct ph_course *course, double momentum[3])
{
    double q[4];
    const double m[3] = {course->system->m[0][0], course->system->m[1][0], course->system->m[2][0]};
    orientation(course, q);
    ph_quat_rotate(q, m, momentum);
}

double ph_course_orientation_error(const struct ph_course *course, const double q[4])
{
    double now[4], turn[4];
    const double back[4] = {q[0], -q[1], -q[2], -q[3]};
    orientation(course, now);
    ph_quat_multiply(back, now, turn);
    return 2.0 * sqrt(turn[1] * turn[1] + turn[2] * turn[2] + turn[3] * turn[3]);
}

double ph_course_momentum_error(const struct ph_course *course, const double m[3])
{
    double off[3];
    for (int k = 0; k < 3; ++k)
        off[k] = course->system->m[k][0] - m[k];
    return ph_vec3_norm(off);
}
