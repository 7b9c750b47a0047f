/* SPDX-License-Identifier: MIT */
#ifndef PH_TESTS_COURSES_H
#define PH_TESTS_COURSES_H

/* Courses of one-step integrators that must not fail */

#include "support.h"

#include "lab/problems/course.h"

static inline struct ph_course begin(const struct ph_posed *posed, const struct ph_integrator *integrator, double step)
{
    struct ph_course course;
    struct ph_error err = {.text = ""};
    if (ph_course_begin(posed, integrator, step, &course, &err) != PH_OK)
        fail_msg("%s", err.text);
    return course;
}

static inline void go(struct ph_course *course, long n)
{
    struct ph_error err = {.text = ""};
    if (ph_motion_advance(course->motion, n, &err) != PH_OK)
        fail_msg("%s", err.text);
}

#endif
