/* SPDX-License-Identifier: MIT */
/* The processors that the program was started on, before an OpenMP library bound its first thread.
 *
 * With OMP_PROC_BIND, OMP_PLACES or GOMP_CPU_AFFINITY, gcc's library binds the first thread to one place while it is
 * loaded. Every program that this thread starts inherits the place, and all its threads would share one core. So the
 * processors are read before constructors of shared libraries run, and come back before another program starts. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "cli/cli.h"

#include <sched.h>
#include <string.h>

enum { PROCESSORS_MOST = 8192 }; /* as many as Linux can have */

static cpu_set_t started_on[PROCESSORS_MOST / CPU_SETSIZE];
static bool known;

static void read_processors(void) { known = sched_getaffinity(0, sizeof started_on, started_on) == 0; }

/* Functions of this section of a program run before all constructors. A shared library cannot have one. Here libc is
 * not ready yet: there is no environment and no output. */
__attribute__((section(".preinit_array"), used)) static void (*before_libraries)(void) = read_processors;

void ph_cli_release_processors(void)
{
    cpu_set_t now[PROCESSORS_MOST / CPU_SETSIZE];
    if (known && sched_getaffinity(0, sizeof now, now) == 0 && memcmp(now, started_on, sizeof now) != 0)
        sched_setaffinity(0, sizeof started_on, started_on); /* where that fails, it stays bound */
}
