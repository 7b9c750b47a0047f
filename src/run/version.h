/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_VERSION_H
#define PH_RUN_VERSION_H

/* What this program is, for files and messages */

const char *ph_version(void);           /* as "0.1.0 (a1b2c3d)" with the revision it was built from, if known */
const char *ph_build_description(void); /* compiler, flags and architecture */

#endif
