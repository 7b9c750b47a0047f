/* SPDX-License-Identifier: MIT */
#include "force/sites.h"

#include "base/array.h"
#include "base/rotation.h"
#include "base/threads.h"
#include "base/vec3.h"

#include <stdlib.h>

enum ph_status ph_sites_init(const struct ph_system *system, const struct ph_interactions *interactions,
                             struct ph_sites *sites, struct ph_error *err)
{
    const enum ph_status status = ph_pair_table_init(system, interactions, &sites->table, err);
    if (status != PH_OK)
        return status;
    const size_t padded = (system->n + PH_LANES) / PH_LANES * PH_LANES;
    if (!(sites->place = ph_array_create(padded * sites->table.record, sizeof(double))))
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for the sites of %zu molecules.", system->n);
    return PH_OK;
}

void ph_sites_clear(struct ph_sites *sites)
{
    ph_pair_table_clear(&sites->table);
    free(sites->place);
    sites->place = NULL;
}

/* Of molecules begin .. end of species s */
static void place_range(const struct ph_system *system, size_t s, size_t begin, size_t end, struct ph_sites *sites)
{
    const struct ph_layout *layout = &sites->table.layout[s];
    const struct ph_species *species = &system->species[s];
    for (size_t k = 0; k < layout->n_sites; ++k) {
        const struct ph_site *site = &species->site[layout->site[k]];
        double *position = sites->place + layout->position[k], *dipole = sites->place + layout->dipole[k];
        const size_t record = sites->table.record;
        const bool has_dipole = layout->has_dipole[k];
        const bool at_centre = ph_vec3_is_zero(site->position);
        for (size_t i = begin; i < end; ++i) {
            const double q[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]};
            double arm[3] = {0.0};
            if (!at_centre)
                ph_quat_rotate(q, site->position, arm);
            for (int x = 0; x < 3; ++x)
                position[i * record + (size_t)x] = system->r[x][i] + arm[x];
            if (has_dipole)
                ph_quat_rotate(q, site->dipole, dipole + i * record);
        }
    }
}

void ph_sites_place(const struct ph_system *system, struct ph_sites *sites)
{
    for (size_t s = 0; s < system->n_species; ++s) {
        const size_t first = system->first[s], end = system->first[s + 1];
        if (end - first < PH_WORTH_THREADS) {
            place_range(system, s, first, end, sites);
            continue;
        }
#pragma omp parallel for schedule(dynamic)
        for (size_t from = first; from < end; from += PH_TURN)
            place_range(system, s, from, ph_turn_end(from, end), sites);
    }
}
