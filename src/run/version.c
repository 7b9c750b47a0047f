/* SPDX-License-Identifier: MIT */
#include "run/version.h"

#include <revision.h> /* made by the build: POLHODE_VERSION */

const char *ph_version(void) { return POLHODE_VERSION; }

#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

const char *ph_build_description(void) { return COMPILER ", " POLHODE_FLAGS; }
