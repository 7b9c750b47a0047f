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
 * A signal that ends the program meanwhile leaves the files, and the compiler ends by itself: handlers belong to the
 * program, not to the library. */
void *ph_shared_object_build(const char *code, const char *const options[], double limit, size_t size, char *text);

#endif
