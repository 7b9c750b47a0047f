/* SPDX-License-Identifier: MIT */
#ifndef PH_TESTS_COURSES_H
#define PH_TESTS_COURSES_H

/* Courses of one-step integrators that must not fail */

#include "support.h"

#include "lab/problems/course.h"

static inline struct ph_course begin(const struct ph_posed *posed, const struct ph_integrator *integrator, double step)
{
    struct ph_course course;
    assert_ok(ph_course_begin(posed, integrator, step, &course, &err));
    return course;
}

static inline void go(struct ph_course *course, long n) { assert_ok(ph_motion_advance(course->motion, n, &err)); }

#endif
