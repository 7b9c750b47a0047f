/* SPDX-License-Identifier: MIT */
#ifndef PH_ACCEL_MACHINES_DEVICE_CHOICE_H
#define PH_ACCEL_MACHINES_DEVICE_CHOICE_H

/* Which device all machines of this process open: the first, unless another was chosen before. No result depends on
 * it. */

#include "base/error.h"

#include <stdbool.h>

void ph_device_choose(int device); /* from 0 on; negative: none was chosen */

/* The device to be opened, of so many. PH_ERR_INPUT if the choice is none of these. */
enum ph_status ph_device_find(const char *backend, int devices, int *device, struct ph_error *err);

/* PH_ERR_INPUT if a device was chosen, for backends that have none */
enum ph_status ph_device_refuse(const char *backend, struct ph_error *err);

#endif
