/* SPDX-License-Identifier: MIT */
#ifndef PH_BASE_ROOM_H
#define PH_BASE_ROOM_H

/* Guards an array of fixed length, which a mistake of ours could overrun: the program ends before it writes beyond the
 * end. Release builds leave out `assert`, but not this. */

#ifdef NDEBUG
#include <stdlib.h>
#define PH_ROOM(fits) ((fits) ? (void)0 : abort())
#else
#include <assert.h>
#define PH_ROOM(fits) assert(fits)
#endif

#endif
