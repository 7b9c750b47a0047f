/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_PROBLEMS_FLOW_REFERENCE_H
#define PH_LAB_PROBLEMS_FLOW_REFERENCE_H

/* The free rigid body by Taylor series in long double: a reference that shares no formula and no code with the flows it
 * tests. Good to about 1e-18 per radian turned where long double has 64 bits or more. */

struct ph_reference_body {
    long double m[3]; /* angular momentum, body frame */
    long double q[4]; /* orientation, scalar first, body to space */
};

/* Advances the body by time t (any sign). A moment of zero means a linear rotor, which has no angular velocity about
 * its axis. */
void ph_reference_advance(const double inertia[3], long double t, struct ph_reference_body *body);

/* The body at each of n times, all of one sign and farther and farther from zero. One series serves all the times
 * within its reach: many times cost little more than the last alone. */
void ph_reference_follow(const double inertia[3], const struct ph_reference_body *start, int n, const long double t[],
                         struct ph_reference_body bodies[]);

#endif
