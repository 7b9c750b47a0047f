/* SPDX-License-Identifier: MIT */
#ifndef PH_INPUT_PLACE_H
#define PH_INPUT_PLACE_H

/* Room for a file name or the path of a key, and for "file:line" or "--set key=value" in messages */
enum { PH_PATH = 256, PH_PLACE = PH_PATH + 64 };

#endif
