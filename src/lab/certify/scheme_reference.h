/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_CERTIFY_SCHEME_REFERENCE_H
#define PH_LAB_CERTIFY_SCHEME_REFERENCE_H

/* The motion of a trial as a power series in time, in long double. Shares no code with forces, flows and schemes. */

#include "lab/certify/trial.h"

struct ph_taylor; /* opaque */

/* The motion through `middle`, the state at time 0. Not for tethers. */
enum ph_status ph_taylor_create(const struct ph_trial_problem *problem, const struct ph_trial_body middle[],
                                struct ph_taylor **out, struct ph_error *err);
void ph_taylor_destroy(struct ph_taylor *series);

/* The state at time t, rounded to double */
void ph_taylor_at(const struct ph_taylor *series, double t, struct ph_trial_body out[]);

/* The largest of the last terms of all numbers of the state at time t: about the error of the series, if it is small */
double ph_taylor_tail(const struct ph_taylor *series, double t);

#endif
