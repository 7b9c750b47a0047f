/* SPDX-License-Identifier: MIT */
#include "model/units.h"

#include <stddef.h>
#include <string.h>

static const struct ph_units all_units[] = {
    {.name = "reduced", .coulomb = 1.0, .boltzmann = 1.0},
    {.name = "md", .coulomb = 138.935457644382, .boltzmann = 0.00831446261815324},
};

const struct ph_units *ph_units_find(const char *name)
{
    for (size_t k = 0; k < sizeof all_units / sizeof *all_units; ++k)
        if (strcmp(all_units[k].name, name) == 0)
            return &all_units[k];
    return NULL;
}
