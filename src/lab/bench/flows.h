/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_BENCH_FLOWS_H
#define PH_LAB_BENCH_FLOWS_H

/* The cost of flows on this machine, and the accuracy that it buys. */

#include "base/error.h"
#include "rigid/flow.h"

/* Speed on 4096 water-like molecules with thermal momenta, rms |omega| h = 0.1 */
enum { PH_BENCH_BODIES = 4096, PH_BENCH_THREAD_COUNTS = 3 };
extern const double ph_bench_inertia[3]; /* 1, 1.88, 2.88 */

struct ph_flow_timing {
    const struct ph_flow *flow;
    /* per body and step, best of all, by number of threads; NaN: the threads never ran together */
    double ns[PH_BENCH_THREAD_COUNTS];
};

/* Times the flows in turn, again and again for about the time given, with each of the numbers of threads. */
enum ph_status ph_time_flows(size_t n_flows, const struct ph_flow *const flows[], int n_threads, const int threads[],
                             double seconds, struct ph_flow_timing timings[], struct ph_error *err);

int ph_bench_max_threads(void);

/* Work and precision at t = 10 */
enum ph_work_body {
    PH_WORK_ASYMMETRIC, /* I = (0.6, 0.8, 1), m = (1.8, 0.4, -0.9): Hairer, Vilmart 2006, figure 1 */
    PH_WORK_FLAT,       /* I = (0.345, 0.653, 1), the same m */
    PH_WORK_RANDOM,     /* 100 bodies I1 < I2 < I3 = 1, I1 + I2 >= 1, m in the first octant, |m| = 1: Celledoni, Fasso,
                         * Safstrom, Zanna 2008, figure 1 */
    PH_WORK_BODIES
};
const char *ph_work_body_name(size_t body); /* "asymmetric", "flat", "random" */

struct ph_work_point {
    const struct ph_flow *flow;
    double step;
    int n_steps;
    double error_m, error_q; /* |m - m*| / |m|, |q -+ q*|; random bodies: 10^-(mean number of digits) */
    double ns_per_body_step; /* one thread */
    double cost_total_ns;    /* the whole way to t, one body */
};

enum { PH_WORK_STEPS = 20 }; /* as in the papers */

/* n_steps points for each flow, flow by flow, with steps of time from the longest to the shortest. `progress` (or NULL)
 * gets the number of finished flows, the number of all flows, and `data`. */
enum ph_status ph_measure_work(size_t n_flows, const struct ph_flow *const flows[], enum ph_work_body body, int n_steps,
                               void (*progress)(size_t done, size_t n_flows, void *data), void *data,
                               struct ph_work_point points[], struct ph_error *err);

#endif
