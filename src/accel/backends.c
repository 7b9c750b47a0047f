/* SPDX-License-Identifier: MIT */
#include "accel/backends.h"

#include <string.h>

static const char takes[] =
    "Takes rigid molecules of any sites, mixtures, all boxes and open space; all interactions and external fields but "
    "forces of a caller; all splitting schemes without force gradients, also nested, with the flow exact and "
    "compensated sums; all thermostats and barostats. Refuses all else. Frames and checkpoints are copied while steps "
    "go on, if there is memory for a second copy of the state. See docs/gpu.md.";

static const struct ph_backend_kind kinds[] = {
    {.name = "cpu", .summary = "this processor, all methods and models", .documentation = "The default."},
    {.name = "cuda", .summary = "a graphics processor of NVIDIA", .documentation = takes, .machine = &ph_machine_cuda},
    {.name = "emulated",
     .summary = "the same arithmetic as cuda on this processor, bit for bit; slow",
     .documentation = takes,
     .machine = &ph_machine_emulated},
};

size_t ph_backend_count(void) { return sizeof kinds / sizeof *kinds; }

const struct ph_backend_kind *ph_backend_at(size_t index) { return index < ph_backend_count() ? &kinds[index] : NULL; }

const struct ph_backend_kind *ph_backend_find(const char *name)
{
    for (size_t k = 0; k < ph_backend_count(); ++k)
        if (strcmp(kinds[k].name, name) == 0)
            return &kinds[k];
    return NULL;
}
