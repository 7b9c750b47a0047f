/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_VERSION_H
#define PH_RUN_VERSION_H

/* Description of the build, for files and messages; the version itself, ph_version, is in polhode.h */

#include "polhode.h"

const char *ph_build_description(void); /* compiler, flags and architecture */

#endif
