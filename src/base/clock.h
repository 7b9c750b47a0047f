/* SPDX-License-Identifier: MIT */
#ifndef PH_BASE_CLOCK_H
#define PH_BASE_CLOCK_H

/* The clocks by which everything is timed, in seconds. Only differences have a meaning. */

double ph_clock_wall(void);   /* steady, even if the time of day is set */
double ph_clock_thread(void); /* time that processors have spent on this thread */

#endif
