/* SPDX-License-Identifier: MIT */
/* Radial interactions as inputs and models write them: one form, with its exponents. */
#include "input/input.h"

#include <string.h>

static bool equal(const char *a, const char *b) { return strcmp(a, b) == 0; }

enum ph_status ph_input_radial_finish(const char *place, const char *key, struct ph_input_radial *radial,
                                      struct ph_error *err)
{
    const struct {
        const char *kind;
        int line;
    } forms[] = {{"lennard-jones", radial->lennard_jones},
                 {"mie", radial->mie},
                 {"soft-sphere", radial->soft_sphere},
                 {"wca", radial->wca}};
    radial->kind[0] = '\0';
    for (size_t k = 0; k < sizeof forms / sizeof *forms; ++k) {
        if (forms[k].line == 0)
            continue;
        if (radial->kind[0] != '\0')
            return ph_error_set(err, PH_ERR_INPUT, "%s: %s has both %s and %s: one form is possible.", place, key,
                                radial->kind, forms[k].kind);
        strcpy(radial->kind, forms[k].kind);
    }
    if (equal(radial->kind, "lennard-jones") || equal(radial->kind, "wca")) {
        radial->repulsive = 12.0;
        radial->attractive = 6.0;
    } else if (equal(radial->kind, "mie") && !(radial->repulsive > radial->attractive)) {
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s: %s.mie: the repulsive exponent %g must be larger than the attractive one, %g.", place,
                            key, radial->repulsive, radial->attractive);
    }
    return PH_OK;
}
