/* SPDX-License-Identifier: MIT */
#ifndef PH_BASE_SYSTEM_INSTALLED_H
#define PH_BASE_SYSTEM_INSTALLED_H

#include <limits.h>
#include <stdbool.h>

/* The file of the running program; false if it cannot be found */
bool ph_own_program(char program[PATH_MAX]);
/* Finds a folder by its path relative to the folder of the running program, as "../share/polhode/potentials". An
 * installation may have been moved, or made with another prefix than configured, so its files are found relative to the
 * program. False if there is no such folder. */
bool ph_beside_program(const char *way, char folder[PATH_MAX]);
/* The same from the folder of the shared library, for other programs that use it */
bool ph_beside_library(const char *way, char folder[PATH_MAX]);

#endif
