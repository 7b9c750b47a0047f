/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_THREADS_H
#define PH_RUN_THREADS_H

#include "force/interactions.h"
#include "model/system.h"

/* The number of threads for steps of a system, whose interactions have all parameters of an Ewald sum. If the
 * environment has chosen a number (a valid OMP_NUM_THREADS), it is that. Else it is the number of processors, or fewer
 * where neither the pairs nor the mesh of a step have work for so many. Threads that find little work cost more time
 * than they save. */
int ph_threads_suitable(const struct ph_system *system, const struct ph_interactions *interactions);

#endif
