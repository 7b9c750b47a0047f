/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_VERSION_H
#define PH_RUN_VERSION_H

/* What this program is, for files and messages; the version itself, ph_version, is in polhode.h */

#include "polhode.h"

const char *ph_build_description(void); /* compiler, flags and architecture */

#endif
