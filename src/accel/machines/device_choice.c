/* SPDX-License-Identifier: MIT */
#include "accel/machines/device_choice.h"

static int chosen = -1;

void ph_device_choose(int device) { chosen = device; }

enum ph_status ph_device_find(const char *backend, int devices, int *device, struct ph_error *err)
{
    *device = chosen >= 0 ? chosen : 0;
    if (*device < devices)
        return PH_OK;
    if (devices == 1)
        return ph_error_set(err, PH_ERR_INPUT,
                            "--device is %d, but dynamics.backend: %s has 1 device here. Accepted: 0.", *device,
                            backend);
    return ph_error_set(err, PH_ERR_INPUT,
                        "--device is %d, but dynamics.backend: %s has %d devices here. Accepted: 0 to %d.", *device,
                        backend, devices, devices - 1);
}

enum ph_status ph_device_refuse(const char *backend, struct ph_error *err)
{
    if (chosen < 0)
        return PH_OK;
    return ph_error_set(err, PH_ERR_INPUT,
                        "--device is %d, but dynamics.backend is %s, which has no devices. Accepted: --device with "
                        "cuda or emulated, or none.",
                        chosen, backend);
}
