/* SPDX-License-Identifier: MIT */
#include "accel/engine/external_table.h"

#include "accel/functions/transfer.h"
#include "base/rotation.h"
#include "force/external/external.h"

#include <stdlib.h>

/* Which fields act on molecules of a species: one bit each, in the order of ph_external_at */
static uint32_t acting(const struct ph_external_fields *fields, const struct ph_species *species)
{
    uint32_t acts = 0;
    for (size_t k = 0; k < ph_external_count(); ++k) {
        const struct ph_external_kind *kind = ph_external_at(k);
        if (ph_external_present(kind, fields) && (species->degrees > 0 || !kind->turns_only))
            acts |= UINT32_C(1) << k;
    }
    return acts;
}

/* Sets the anchors of tethers: the present unwrapped positions of molecules */
static enum ph_status place_anchors(const struct ph_machine *machine, const struct ph_system *system,
                                    struct ph_external_view *external, struct ph_error *err)
{
    enum ph_status status = PH_OK;
    for (int k = 0; k < 3 && status == PH_OK; ++k) {
        double *anchor = malloc(system->n * sizeof *anchor);
        if (!anchor)
            return PH_ERR_MEMORY;
        for (size_t i = 0; i < system->n; ++i) {
            anchor[i] = system->r[k][i];
            for (int e = 0; e < 3; ++e)
                anchor[i] += system->image[e][i] * system->box.edge[e][k];
        }
        external->anchor[k] = ph_copy_there(machine, anchor, system->n * sizeof *anchor, &status, err);
        free(anchor);
    }
    return status;
}

enum ph_status ph_external_table_make(const struct ph_machine *machine, const char *name,
                                      const struct ph_system *system, const struct ph_interactions *interactions,
                                      struct ph_external_view *external, struct ph_error *err)
{
    const size_t n = system->n_species;
    uint32_t *acts = calloc(n, sizeof *acts);
    enum ph_status status = acts ? PH_OK : PH_ERR_MEMORY;
    external->fields = interactions->external;
    ph_turn_exp(external->fields.attractor, external->attractor);
    for (size_t s = 0; s < n && status == PH_OK; ++s) {
        acts[s] = acting(&external->fields, &system->species[s]);
        external->present = external->present || acts[s] != 0;
    }
    if (external->present) {
        external->acts = ph_copy_there(machine, acts, n * sizeof *acts, &status, err);
        external->species = ph_copy_there(machine, system->species, n * sizeof *system->species, &status, err);
        if (status == PH_OK && external->fields.tether != 0.0)
            status = place_anchors(machine, system, external, err);
    }
    free(acts);
    return status != PH_ERR_MEMORY
               ? status
               : ph_error_set(
                     err, PH_ERR_MEMORY,
                     "The memory of dynamics.backend: %s does not suffice for external fields on %zu molecules.", name,
                     system->n);
}

void ph_external_table_release(const struct ph_machine *machine, struct ph_external_view *external)
{
    machine->release(external->acts);
    machine->release(external->species);
    for (int k = 0; k < 3; ++k)
        machine->release(external->anchor[k]);
    *external = (struct ph_external_view){.present = false};
}
