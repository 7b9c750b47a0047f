/* SPDX-License-Identifier: MIT */
#include "force/sites.h"

#include "base/array.h"
#include "base/rotation.h"
#include "base/threads.h"
#include "base/vec3.h"

#include <stdlib.h>
#include <string.h>

enum ph_status ph_sites_init(const struct ph_system *system, const struct ph_interactions *interactions,
                             struct ph_sites *sites, struct ph_error *err)
{
    const enum ph_status status = ph_pair_table_init(system, interactions, &sites->table, err);
    if (status != PH_OK)
        return status;
    const size_t padded = (system->n + PH_LANES) / PH_LANES * PH_LANES;
    if (!(sites->place = ph_array_create(padded * sites->table.record, sizeof(double))))
        return ph_no_memory(err, "the sites of %zu molecules", system->n);
    return PH_OK;
}

void ph_sites_clear(struct ph_sites *sites)
{
    ph_pair_table_clear(&sites->table);
    free(sites->place);
    sites->place = NULL;
}

/* Of molecules begin .. end of species s, or of these of a list */
static void place_range(const struct ph_system *system, size_t s, const uint32_t *list, size_t begin, size_t end,
                        const struct ph_sites *sites)
{
    const struct ph_layout *layout = &sites->table.layout[s];
    const struct ph_species *species = &system->species[s];
    for (size_t k = 0; k < layout->n_sites; ++k) {
        const struct ph_site *site = &species->site[layout->site[k]];
        double *position = sites->place + layout->position[k], *dipole = sites->place + layout->dipole[k];
        const size_t record = sites->table.record;
        const bool has_dipole = layout->has_dipole[k];
        const bool at_centre = ph_vec3_is_zero(site->position);
        for (size_t number = begin; number < end; ++number) {
            const size_t i = list ? list[number] : number;
            const double q[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]};
            double arm[3] = {0.0};
            if (!at_centre)
                ph_quat_rotate(q, site->position, arm);
            for (int x = 0; x < 3; ++x)
                position[i * record + (size_t)x] = system->r[x][i] + arm[x];
            if (has_dipole)
                ph_quat_rotate(q, site->dipole, dipole + i * record);
            for (size_t x = 0; x < layout->n_axes[k]; ++x)
                ph_quat_rotate(q, site->axis[layout->body_axis[k][x]], sites->place + layout->axis[k][x] + i * record);
        }
    }
}

void ph_sites_place_range(const struct ph_system *system, size_t s, size_t begin, size_t end,
                          const struct ph_sites *sites)
{
    place_range(system, s, NULL, begin, end, sites);
}

static void begin_range(struct ph_system *system, size_t s, size_t begin, size_t end, const struct ph_sites *sites,
                        ph_sites_look *look, void *data)
{
    place_range(system, s, NULL, begin, end, sites);
    if (look)
        look(data, begin, end);
    for (int x = 0; x < 3 && !sites->old_forces; ++x) {
        memset(system->f[x] + begin, 0, (end - begin) * sizeof(double));
        memset(system->t[x] + begin, 0, (end - begin) * sizeof(double));
    }
}

void ph_sites_place(struct ph_system *system, struct ph_sites *sites, ph_sites_look *look, void *data)
{
    for (size_t s = 0; s < system->n_species; ++s) {
        const struct ph_places at = ph_own_places(sites->own, system->first, s);
        if (at.end - at.begin < PH_WORTH_THREADS) {
            begin_range(system, s, at.begin, at.end, sites, look, data);
            continue;
        }
#pragma omp parallel for schedule(static)
        for (size_t from = at.begin; from < at.end; from += PH_TURN)
            begin_range(system, s, from, ph_turn_end(from, at.end), sites, look, data);
    }
}

/* They are of mixed species, if there are several. */
void ph_sites_place_ghosts(const struct ph_system *system, const struct ph_sites *sites)
{
    const struct ph_owned *own = sites->own;
    const size_t turn = system->n_species == 1 ? PH_TURN : 1;
#pragma omp for schedule(static)
    for (size_t k = 0; k < own->n_ghosts; k += turn) {
        const size_t s = turn > 1 ? 0 : ph_system_species_of(system, own->ghost[k]);
        place_range(system, s, own->ghost, k, turn > 1 ? ph_turn_end(k, own->n_ghosts) : k + 1, sites);
    }
}
