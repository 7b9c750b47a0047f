/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_THREADS_H
#define PH_RUN_THREADS_H

#include "force/interactions.h"
#include "model/system.h"

/* The number of threads for steps of a system. If the environment has chosen one (OMP_NUM_THREADS), it is that. Else it
 * is the number of processors, or fewer where the work of a step is too little for so many: threads that find little
 * work cost more time than they save. */
int ph_threads_suitable(const struct ph_system *system, const struct ph_interactions *interactions);

#endif
