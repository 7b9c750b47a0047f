/* SPDX-License-Identifier: MIT */
#ifndef PH_BASE_SYSTEM_SHARED_OBJECT_H
#define PH_BASE_SYSTEM_SHARED_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

/* Compiles a C text with the system's compiler, and loads the result for the rest of the program. The environment
 * variable POLHODE_COMPILER names another compiler than cc, or is `none`. Files are in a folder of their own that only
 * this user can read, and are gone when this returns. No shell is involved.
 *
 * `options` ends with NULL, and comes before the options for a shared object. Returns NULL, and why in `text`, if there
 * is no compiler, if it fails, or if it runs for longer than `limit` seconds. Else the object for dlsym, and the
 * compiler's name.
 *
 * SIGINT, SIGTERM and SIGHUP stop the compiler, and come again when its files are gone: their handlers are others until
 * then. So no two threads may be here at once. SIGKILL leaves the files, and the compiler runs to its end: nothing
 * portable ties it to its parent. */
void *ph_shared_object_build(const char *code, const char *const options[], double limit, size_t size, char *text);

#endif
