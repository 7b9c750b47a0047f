/* SPDX-License-Identifier: MIT */
/* The term of all pairs of sites: pair lists, tiles, and the results of the pair loops, summed to forces and
 * torques. */

#include "force/pairs/pairs_inside.h"

#include "base/threads.h"
#include "base/vec3.h"
#include "force/pairs/loops/pair_loop.h"
#include "force/pairs/loops/shared_loop.h"
#include "parallel/ranks.h"
#include "parallel/spent.h"

#include <assert.h>
#include <omp.h>
#include <stdlib.h>

/* ---- Set-up ---- */

static void destroy(void *term)
{
    struct ph_pairs *pairs = term;
    ph_tiles_clear(&pairs->tiles);
    ph_derivative_clear(&pairs->derivative);
    ph_help_destroy(pairs->help);
    free(pairs);
}

/* Skins that balance making lists, thinning them out and pairs beyond the cutoff; near the best over a wide range. */
double ph_pairs_skin(const struct ph_interactions *interactions)
{
    return interactions->skin > 0.0 ? interactions->skin : 0.13 * interactions->cutoff;
}

size_t ph_pairs_tiles(const struct ph_system *system, const struct ph_interactions *interactions)
{
    return ph_tiles_count(system->n, interactions->truncation == PH_TRUNCATE_NONE);
}

static bool are_in_centres(const struct ph_system *system, const struct ph_pair_table *table)
{
    bool in_centres = true;
    for (size_t s = 0; s < system->n_species; ++s) {
        const struct ph_layout *layout = &table->layout[s];
        in_centres = in_centres && layout->n_sites == 1 && layout->n_axes[0] == 0 &&
                     layout->has_dipole[0] == table->layout[0].has_dipole[0] &&
                     ph_vec3_is_zero(system->species[s].site[layout->site[0]].position);
    }
    return in_centres;
}

static enum ph_status create(const struct ph_term_setup *setup, void **out, struct ph_error *err)
{
    const struct ph_system *system = setup->system;
    struct ph_pairs *pairs = calloc(1, sizeof *pairs);
    if (!pairs)
        return ph_no_memory(err, "the pairs of molecules");
    pairs->sites = setup->sites;
    pairs->interactions = *setup->interactions;
    pairs->interactions.overrides = NULL;
    pairs->interactions.n_overrides = 0;
    const struct ph_interactions *interactions = &pairs->interactions;
    pairs->all_pairs = interactions->truncation == PH_TRUNCATE_NONE;
    pairs->in_centres = !pairs->all_pairs && are_in_centres(system, &pairs->sites->table);
    double extent = 0.0;
    for (size_t s = 0; s < system->n_species; ++s)
        extent = fmax(extent, system->species[s].extent);
    pairs->reach = interactions->cutoff + 2.0 * extent;
    if (interactions->truncation == PH_TRUNCATE_SWITCHED)
        pairs->inside = interactions->cutoff - interactions->switch_width - 2.0 * extent;
    pairs->skin = ph_pairs_skin(interactions);
    pairs->near_skin = 0.2 * pairs->skin;
    pairs->tiles.shared = ph_ranks_count() > 1;
    *out = pairs;
    return PH_OK;
}

/* ---- Lists ---- */

static void forget(void *term) { ((struct ph_pairs *)term)->stale = true; }

static enum ph_status box_changed(void *term, const struct ph_system *system, struct ph_error *err)
{
    struct ph_pairs *pairs = term;
    if (pairs->tiles.n > 0 && !pairs->all_pairs)
        ph_tiles_set_box(&system->box, &pairs->tiles);
    return ph_pairs_check_cutoff(system, &pairs->interactions, err);
}

void ph_pairs_draw(void *term, void *from)
{
    struct ph_pairs *near = term, *all = from;
    if (all->all_pairs)
        return;
    assert(near->skin == all->skin && near->reach <= all->reach);
    near->of = all;
    all->drawn = near;
    all->tiles.n_fields_drawn = near->sites->table.n_fields;
}

size_t ph_pairs_lists_made(const void *term) { return ((const struct ph_pairs *)term)->lists_made; }

static void count(const void *term, struct ph_force_counts *counts)
{
    const struct ph_pairs *pairs = term;
    counts->lists_made = pairs->lists_made;
    counts->lists_thinned = pairs->lists_thinned;
    for (size_t k = 0; k < pairs->tiles.n_here; ++k)
        counts->molecule_pairs += pairs->tiles.tile[pairs->tiles.here[k]].pairs;
    counts->site_pairs = counts->molecule_pairs * pairs->sites->table.of[0].n; /* exact for one species */
}

void ph_pairs_visit_listed(const void *term, const struct ph_system *system,
                           void (*visit)(size_t i, size_t j, const double d[3], void *context), void *context)
{
    const struct ph_tiles *tiles = &((const struct ph_pairs *)term)->tiles;
    if (tiles->share)
        ph_share_withdraw(tiles->share);
    ph_tiles_visit(system, tiles, visit, context);
}

void ph_pairs_leave_out_neighbours(void *term)
{
    struct ph_pairs *pairs = term;
    for (size_t k = 0; k < pairs->tiles.n_here; ++k)
        pairs->tiles.tile[pairs->tiles.here[k]].n_couples = 0;
}

/* ---- Forces ---- */

/* Adds the energies of all tiles, in their order. */
static void add_energies(const struct ph_tiles *tiles, struct ph_energy *energy)
{
    const double(*of_tiles)[PH_SHARE_OF_TILE] = tiles->shared ? ph_share_spread_tiles(tiles) : NULL;
    for (size_t d = 0; d < tiles->n; ++d) {
        const struct ph_tile *tile = &tiles->tile[d];
        const double *virial = of_tiles ? of_tiles[d] : tile->virial[0];
        energy->radial += of_tiles ? of_tiles[d][9] : tile->energy_radial;
        energy->electric += of_tiles ? of_tiles[d][10] : tile->energy_electric;
        for (int x = 0; x < 3; ++x)
            for (int y = 0; y < 3; ++y)
                energy->virial[x][y] += virial[3 * x + y];
    }
}

struct loop {
    const struct ph_pairs *pairs;
    const struct ph_system *system;
    bool energy;
    struct ph_help *help; /* NULL: each thread works alone */
};

static void do_tile(const void *data, const struct ph_tiles *tiles, struct ph_tile *tile)
{
    const struct loop *loop = data;
    const struct ph_sites *sites = loop->pairs->sites;
    ph_pair_loop(&sites->table, loop->system, sites->place, tiles, loop->energy, loop->help, tile);
}

/* Each tile is done by one thread; the sums of a molecule's copies are added in the order of the tiles. */
static enum ph_status evaluate(void *term, struct ph_system *system, struct ph_energy *energy, struct ph_error *err)
{
    (void)err;
    struct ph_pairs *pairs = term;
    struct ph_tiles *tiles = &pairs->tiles;
    struct loop loop = {.pairs = pairs, .system = system, .energy = energy != NULL};
    const struct ph_collected which = ph_pairs_to_collect(pairs, system->n);
    bool finite = true;
    if (tiles->shared)
        ph_shared_loop(pairs->sites, system, energy != NULL, tiles);
    if (tiles->n == 1 && !tiles->shared) {
        do_tile(&loop, tiles, &tiles->tile[0]);
        finite = ph_pairs_collect(pairs, system, which, 0, which.n);
    } else {
        ++tiles->round;
        if (!tiles->shared && !energy && tiles->thinned_at[0])
            loop.help = ph_help_begin(&pairs->help, tiles->n, (size_t)omp_get_max_threads());
#pragma omp parallel reduction(&& : finite)
        {
            if (!tiles->shared)
                ph_tiles_each(tiles, do_tile, &loop);
            if (loop.help)
                ph_pair_loop_help(&pairs->sites->table, system, tiles, loop.help);
            ph_spent_meet(PH_SPENT_PAIRS);
#pragma omp master
            ph_spent_begin(PH_SPENT_SUMS);
#pragma omp for schedule(static) nowait
            for (size_t from = 0; from < which.n; from += PH_TURN)
                finite = ph_pairs_collect(pairs, system, which, from, ph_turn_end(from, which.n)) && finite;
        }
    }
    if (tiles->shared && !pairs->sites->state) { /* near pairs where all pairs have no lists, see force_field.c */
        double *const forces[] = {system->f[0], system->f[1], system->f[2], system->t[0], system->t[1], system->t[2]};
        ph_share_collect(ph_pairs_owners(pairs),
                         &(struct ph_column_set){.n = sizeof forces / sizeof *forces, .row = forces});
    }
    pairs->saw_finite = finite && (!tiles->shared || pairs->sites->state);
    if (energy)
        add_energies(tiles, energy);
    return PH_OK;
}

static bool saw_finite(const void *term) { return ((const struct ph_pairs *)term)->saw_finite; }

static enum ph_status add_rates(void *term, const struct ph_system *system, const struct ph_rates *rates,
                                struct ph_error *err)
{
    struct ph_pairs *pairs = term;
    return ph_derivative_add(&pairs->sites->table, system, pairs->sites->place, &pairs->tiles, rates,
                             &pairs->derivative, err);
}

enum ph_status ph_pairs_flux(void *term, const struct ph_system *system, const struct ph_rates *motion,
                             struct ph_pair_flux *out, struct ph_error *err)
{
    const struct ph_pairs *pairs = term;
    return ph_flux_of_pairs(&pairs->sites->table, system, pairs->sites->place, &pairs->tiles, pairs->reach, motion, out,
                            err);
}

const struct ph_term_kind ph_term_pairs = {
    .name = "pairs",
    .create = create,
    .destroy = destroy,
    .evaluate = evaluate,
    .rates = add_rates,
    .box_changed = box_changed,
    .prepare = ph_pairs_update_list,
    .explain = ph_pairs_explain,
    .forget = forget,
    .remember = ph_pairs_remember,
    .restore = ph_pairs_restore,
    .count = count,
    .saw_finite = saw_finite,
};
