/* SPDX-License-Identifier: MIT */
#include "lab/stopwatch.h"

#include "base/clock.h"

#include <math.h>

#ifdef _OPENMP
#include <omp.h>
void ph_stopwatch_use_threads(int threads) { omp_set_num_threads(threads); }
#else
void ph_stopwatch_use_threads(int threads) { (void)threads; }
#endif

static const double together = 0.9;

/* Sums over all threads of the team. Each thread reads its own clock. The clock of the process learns of the other
 * threads only at the ticks of the scheduler, too late for a millisecond. */
static double processor_time(void)
{
    double sum = 0.0;
#pragma omp parallel reduction(+ : sum)
    sum += ph_clock_thread();
    return sum;
}

struct ph_stopwatch ph_stopwatch_start(int threads)
{
    const double processor = processor_time();
    return (struct ph_stopwatch){.threads = threads, .processor = processor, .wall = ph_clock_wall()};
}

static double read_watch(const struct ph_stopwatch *watch, double share)
{
    const double wall = ph_clock_wall() - watch->wall, processor = processor_time() - watch->processor;
    if (watch->threads == 1)
        return processor;
    return processor >= share * watch->threads * wall ? wall : HUGE_VAL;
}

double ph_stopwatch_read(const struct ph_stopwatch *watch) { return read_watch(watch, together); }

double ph_stopwatch_read_any(const struct ph_stopwatch *watch) { return read_watch(watch, 0.0); }
