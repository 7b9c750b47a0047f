/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_LEAVE_OUT_H
#define PH_FORCE_LEAVE_OUT_H

#include "force/force_field.h"

/* For measurements, on a field that has been evaluated: from now on, and for neighbours until lists are made anew,
 * evaluations leave a part out. The time that an evaluation saves is the time of this part. Forces are 0. */
enum ph_leave_out {
    PH_LEAVE_OUT_KERNELS,    /* pairs are gathered and scattered, but not computed */
    PH_LEAVE_OUT_NEIGHBOURS, /* lists are empty: only the work around them remains */
};
void ph_force_field_leave_out(struct ph_force_field *field, enum ph_leave_out what);

#endif
