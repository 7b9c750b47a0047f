/* SPDX-License-Identifier: MIT */
#ifndef PH_BASE_THREADS_H
#define PH_BASE_THREADS_H

#include <stddef.h>

/* Loops over fewer molecules than this are not worth a parallel region. Even a team of one thread (`omp parallel if`)
 * makes a system call at its end, which takes longer than the loop. So small systems use plain loops, and larger ones
 * are shared among threads in turns of PH_TURN molecules. Results do not depend on either. */
enum { PH_WORTH_THREADS = 256, PH_TURN = 64 };
/* The same where a molecule takes less than two nanoseconds */
enum { PH_WORTH_COPIES = 2048 };

/* Where the turn that begins at `from` ends, of a loop up to `end` */
static inline size_t ph_turn_end(size_t from, size_t end) { return end - from < PH_TURN ? end : from + PH_TURN; }

#endif
