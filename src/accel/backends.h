/* SPDX-License-Identifier: MIT */
#ifndef PH_ACCEL_BACKENDS_H
#define PH_ACCEL_BACKENDS_H

/* Where a run may take place, as dynamics.backend names it. */

#include "accel/engine/engine.h"

struct ph_backend_kind {
    const char *name;
    const char *summary;
    const char *documentation;
    const struct ph_machine *machine; /* NULL: the processor itself, without a backend */
};

size_t ph_backend_count(void);
const struct ph_backend_kind *ph_backend_at(size_t index);
const struct ph_backend_kind *ph_backend_find(const char *name); /* NULL: there is none */

#endif
