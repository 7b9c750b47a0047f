/* SPDX-License-Identifier: MIT */
#include "force/pairs/loops/derivative.h"

#include "base/array.h"
#include "base/threads.h"
#include "base/vec3.h"
#include "force/pairs/loops/copies.h"
#include "force/ranks/share.h"
#include "parallel/ranks.h"

#include <stdlib.h>

static void clear_tiles(struct ph_derivative *work)
{
    for (size_t d = 0; d < work->n_tiles; ++d) {
        free(work->tile[d].in);
        free(work->tile[d].out);
    }
    free(work->tile);
    work->tile = NULL;
    work->n_tiles = 0;
}

void ph_derivative_clear(struct ph_derivative *work)
{
    clear_tiles(work);
    free(work->moving);
    *work = (struct ph_derivative){.n_tiles = 0};
}

static enum ph_status reserve(const struct ph_pair_table *table, size_t n, const struct ph_tiles *tiles,
                              struct ph_derivative *work, struct ph_error *err)
{
    if (!work->moving && !(work->moving = ph_array_create(2 * table->record * n, sizeof(double))))
        return ph_no_memory(err, "the velocities of %zu molecules", n);
    if (tiles->n > work->n_tiles) {
        clear_tiles(work);
        if (!(work->tile = calloc(tiles->n, sizeof *work->tile)))
            return ph_no_memory(err, "tiles");
        work->n_tiles = tiles->n;
    }
    enum ph_status status = PH_OK;
    for (size_t k = 0; k < tiles->n_here && status == PH_OK; ++k)
        status = ph_derivative_reserve(table, &tiles->tile[tiles->here[k]], &work->tile[tiles->here[k]], err);
    return status;
}

/* Fields and their rates of molecule i. Vectors fixed in a body turn with it: arms and dipoles at the rate omega x. */
static void expand_one(const struct ph_layout *layout, const struct ph_system *system, size_t i, size_t record,
                       const double *sites, const struct ph_rates *rates, double *moving)
{
    const double turn[3] = {rates->omega[0][i], rates->omega[1][i], rates->omega[2][i]};
    const double *site = sites + i * record;
    double *rate = moving + i * 2 * record + layout->n_fields;
    memcpy(moving + i * 2 * record, site, layout->n_fields * sizeof(double));
    for (size_t k = 0; k < layout->n_sites; ++k) {
        double arm[3], r_rate[3], mu_rate[3] = {0.0};
        for (size_t x = 0; x < 3; ++x) {
            arm[x] = site[layout->position[k] + x] - system->r[x][i];
            r_rate[x] = rates->velocity[x][i];
        }
        ph_vec3_add_cross(turn, arm, r_rate);
        memcpy(rate + layout->position[k], r_rate, sizeof r_rate);
        if (!layout->has_dipole[k])
            continue;
        ph_vec3_add_cross(turn, site + layout->dipole[k], mu_rate);
        memcpy(rate + layout->dipole[k], mu_rate, sizeof mu_rate);
    }
    for (size_t k = 0; k < layout->n_sites; ++k)
        for (size_t x = 0; x < layout->n_axes[k]; ++x) {
            const size_t axis = layout->axis[k][x];
            double axis_rate[3] = {0.0};
            ph_vec3_add_cross(turn, site + axis, axis_rate);
            memcpy(rate + axis, axis_rate, sizeof axis_rate);
        }
}

/* Molecules begin .. end of a list, or of all where there is none */
static void expand_range(const struct ph_pair_table *table, const struct ph_system *system, const uint32_t *list,
                         size_t begin, size_t end, const double *sites, const struct ph_rates *rates, double *moving)
{
    for (size_t k = begin; k < end; ++k) {
        const size_t i = list ? list[k] : k;
        const struct ph_layout *layout = ph_layout_of(table, system, i);
        if (layout->n_fields > 0) /* else nothing in the molecule interacts */
            expand_one(layout, system, i, table->record, sites, rates, moving);
    }
}

static void expand(const struct ph_pair_table *table, const struct ph_system *system, const uint32_t *list, size_t n,
                   const double *sites, const struct ph_rates *rates, double *moving)
{
    if (n < PH_WORTH_THREADS) {
        expand_range(table, system, list, 0, n, sites, rates, moving);
        return;
    }
#pragma omp parallel for schedule(static)
    for (size_t from = 0; from < n; from += PH_TURN)
        expand_range(table, system, list, from, ph_turn_end(from, n), sites, rates, moving);
}

/* Expands all molecules, or ours and ghosts, whose motion comes from their owners. */
static void expand_all(const struct ph_pair_table *table, const struct ph_system *system, const double *sites,
                       const struct ph_tiles *tiles, const struct ph_rates *rates, double *moving)
{
    if (!tiles->share) {
        expand(table, system, NULL, system->n, sites, rates, moving);
        return;
    }
    const struct ph_owned *ours = &tiles->share->owners.own;
    double *const motion[] = {rates->velocity[0], rates->velocity[1], rates->velocity[2],
                              rates->omega[0],    rates->omega[1],    rates->omega[2]};
    ph_share_begin_ghosts(tiles->share, sizeof motion / sizeof *motion, motion);
    ph_share_finish_ghosts(tiles->share, sizeof motion / sizeof *motion, motion);
    expand(table, system, ours->molecule, ours->n, sites, rates, moving);
    expand(table, system, ours->ghost, ours->n_ghosts, sites, rates, moving);
}

/* Sums over the copies of molecule i: of forces on sites and fields at dipoles, and of their rates */
static void sum_copies(const struct ph_tiles *tiles, const struct ph_derivative *work, size_t n_fields, size_t i,
                       double sum[], double sum_rate[])
{
    ph_copies_sum(tiles, i, n_fields, sum);
    for (size_t f = 0; f < n_fields; ++f)
        sum_rate[f] = 0.0;
    for (size_t c = tiles->first[i]; c < tiles->first[i + 1]; ++c) {
        const size_t l = tiles->copy_local[c];
        const struct ph_derivative_tile *own = &work->tile[tiles->copy_tile[c]];
        for (size_t f = 0; f < n_fields; ++f)
            sum_rate[f] += own->out[f * own->field_step + l * own->out_step];
    }
}

/* torque = sum arm x F + mu x E, and so its rate: (omega x arm) x F + arm x F' + (omega x mu) x E + mu x E' */
static void collect(const struct ph_layout *layout, const struct ph_system *system, const double *site, size_t i,
                    const double sum[], const double sum_rate[], const struct ph_rates *rates)
{
    const double turn[3] = {rates->omega[0][i], rates->omega[1][i], rates->omega[2][i]};
    double force_rate[3] = {0.0}, torque_rate[3] = {0.0};
    for (size_t k = 0; k < layout->n_sites; ++k) {
        const size_t position = layout->position[k], dipole = layout->dipole[k];
        double arm[3], arm_rate[3] = {0.0}, mu[3], mu_rate[3] = {0.0};
        for (size_t x = 0; x < 3; ++x) {
            arm[x] = site[position + x] - system->r[x][i];
            mu[x] = site[dipole + x];
            force_rate[x] += sum_rate[position + x];
        }
        ph_vec3_add_cross(turn, arm, arm_rate);
        ph_vec3_add_cross(arm_rate, sum + position, torque_rate);
        ph_vec3_add_cross(arm, sum_rate + position, torque_rate);
        if (layout->has_dipole[k]) {
            ph_vec3_add_cross(turn, mu, mu_rate);
            ph_vec3_add_cross(mu_rate, sum + dipole, torque_rate);
            ph_vec3_add_cross(mu, sum_rate + dipole, torque_rate);
        }
        for (size_t a = 0; a < layout->n_axes[k]; ++a) {
            const size_t axis = layout->axis[k][a];
            double axis_rate[3] = {0.0};
            ph_vec3_add_cross(turn, site + axis, axis_rate);
            ph_vec3_add_cross(axis_rate, sum + axis, torque_rate);
            ph_vec3_add_cross(site + axis, sum_rate + axis, torque_rate);
        }
    }
    for (int x = 0; x < 3; ++x) {
        rates->force[x][i] += force_rate[x];
        rates->torque[x][i] += torque_rate[x];
    }
}

/* Collects rates of our molecules, or of all. */
static void collect_range(const struct ph_pair_table *table, const struct ph_system *system, const double *site,
                          const struct ph_tiles *tiles, const struct ph_derivative *work, size_t begin, size_t end,
                          const struct ph_rates *rates)
{
    const uint32_t *ours = tiles->share ? tiles->share->owners.molecule : NULL;
    for (size_t k = begin; k < end; ++k) {
        const size_t i = ours ? ours[k] : k;
        const struct ph_layout *layout = ph_layout_of(table, system, i);
        double sum[6 * PH_SITES_MAX], sum_rate[6 * PH_SITES_MAX];
        sum_copies(tiles, work, layout->n_fields, i, sum, sum_rate);
        collect(layout, system, site + i * table->record, i, sum, sum_rate, rates);
    }
}

static struct ph_share_sums rates_of(size_t d, void *data)
{
    const struct ph_derivative_tile *tile = &((const struct ph_derivative *)data)->tile[d];
    return (struct ph_share_sums){tile->out, tile->field_step, tile->out_step};
}

static void collect_all(const struct ph_pair_table *table, const struct ph_system *system, const double *site,
                        const struct ph_tiles *tiles, const struct ph_derivative *work, const struct ph_rates *rates)
{
    const size_t n = tiles->share ? tiles->share->owners.own.n : system->n;
    if (n < PH_WORTH_THREADS) {
        collect_range(table, system, site, tiles, work, 0, n, rates);
        return;
    }
#pragma omp parallel for schedule(static)
    for (size_t from = 0; from < n; from += PH_TURN)
        collect_range(table, system, site, tiles, work, from, ph_turn_end(from, n), rates);
}

enum ph_status ph_derivative_add(const struct ph_pair_table *table, const struct ph_system *system, const double *site,
                                 const struct ph_tiles *tiles, const struct ph_rates *rates, struct ph_derivative *work,
                                 struct ph_error *err)
{
    enum ph_status status = reserve(table, system->n, tiles, work, err);
    if (tiles->shared)
        status = ph_ranks_agree(status, err);
    if (status != PH_OK)
        return status;
    /* As in the force pass: each tile is done by one thread, and sums of copies are added in the order of tiles. */
    expand_all(table, system, site, tiles, rates, work->moving);
    if (tiles->n == 1) { /* a rank may have no tile */
        for (size_t k = 0; k < tiles->n_here; ++k)
            ph_derivative_loop(table, system, work->moving, tiles, &tiles->tile[tiles->here[k]],
                               &work->tile[tiles->here[k]]);
    } else {
#pragma omp parallel for schedule(dynamic)
        for (size_t k = 0; k < tiles->n_here; ++k)
            ph_derivative_loop(table, system, work->moving, tiles, &tiles->tile[tiles->here[k]],
                               &work->tile[tiles->here[k]]);
    }
    if (tiles->shared) {
        ph_share_begin_sums(tiles, table->n_fields, rates_of, work);
        ph_share_finish_sums(tiles, table->n_fields, rates_of, work);
    }
    collect_all(table, system, site, tiles, work, rates);
    return PH_OK;
}
