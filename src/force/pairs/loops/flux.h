/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_LOOPS_FLUX_H
#define PH_FORCE_PAIRS_LOOPS_FLUX_H

/* How pairs of molecules carry energy and momentum. A pass of its own over the pair lists, which takes the interaction
 * of each pair by itself, because forces that are summed over neighbours no longer say which neighbour did the work. */

#include "force/pairs/lists/tile.h"
#include "force/pairs/pair_table.h"

struct ph_rates; /* force/energy.h */

/* Sums over all pairs i, j, with r = r_i - r_j of centres, f the force on i, t_i and t_j the torques, u the energy:
 *   current   1/2 (v_i + v_j) u  +  1/2 r [(v_i + v_j).f + w_i.t_i - w_j.t_j]
 *   virial    r f^T
 *   energy    u
 * src/run/fluxes.c derives the current. */
struct ph_pair_flux {
    double current[3], virial[3][3], energy;
};

/* `site` and `tiles` come from the last force pass; `reach` is the distance of centres beyond which molecules do not
 * interact. Each tile is done by one thread, and sums of tiles are added in their order: results do not depend on
 * threads or ranks. A rank knows the motion of its own molecules. */
enum ph_status ph_flux_of_pairs(const struct ph_pair_table *table, const struct ph_system *system, const double *site,
                                const struct ph_tiles *tiles, double reach, const struct ph_rates *motion,
                                struct ph_pair_flux *out, struct ph_error *err);

#endif
