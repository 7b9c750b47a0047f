/* SPDX-License-Identifier: MIT */
#define PH_FORM_SLOPES_TEXT
#include "accel/functions/form_slopes.h"
