/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_STOPWATCH_H
#define PH_LAB_STOPWATCH_H

/* Timing on machines that do other things at the same time. One thread is timed by its own processor clock, which
 * stands still while other threads run. Several threads are timed by the wall clock, and a time counts only if they ran
 * together. */

struct ph_stopwatch {
    int threads;
    double wall, processor; /* at the start */
};

/* The number of threads that parallel loops use from now on */
void ph_stopwatch_use_threads(int threads);

/* `threads` is the number in use */
struct ph_stopwatch ph_stopwatch_start(int threads);
/* Seconds since then; infinite if the threads did not run together for nine tenths of the time */
double ph_stopwatch_read(const struct ph_stopwatch *watch);
/* The same without that condition */
double ph_stopwatch_read_any(const struct ph_stopwatch *watch);

#endif
