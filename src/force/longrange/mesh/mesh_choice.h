/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_LONGRANGE_MESH_MESH_CHOICE_H
#define PH_FORCE_LONGRANGE_MESH_MESH_CHOICE_H

/* Finds all parameters of a sum on a mesh (cutoff, split, window, width, grid) from one tolerance. It models the error
 * of forces, without a configuration, and the time of an evaluation. It chooses the cheapest parameters that are
 * accurate enough; parameters fixed by the user are kept. */

#include "base/error.h"
#include "model/box.h"
#include "model/species.h"

enum { PH_MESH_WIDTH_MIN = 6, PH_MESH_WIDTH_MAX = 20, PH_MESH_GRID_MAX = 2048 };

/* Nanoseconds on one core */
struct ph_mesh_costs {
    double pair;                      /* a pair of sites within the cutoff */
    double spread_site, spread_point; /* a site, and each grid point of its window, with rows of 8, 12, 16, 20 */
    double gather_site, gather_point;
    double transform; /* there and back with all between: of a grid of n points, n log2(n) times this */
};
extern const struct ph_mesh_costs ph_mesh_usual_costs;

/* Values of 0 are to be chosen */
struct ph_mesh_wish {
    const struct ph_box *box;
    size_t n_species;
    const struct ph_species *species;
    const size_t *first; /* species s has first[s+1] - first[s] molecules */
    double tolerance;    /* rms error of the forces on molecules, relative to the rms of the electric forces on them */
    bool quadrupoles;    /* there are some */
    int smoothness;      /* of the energy of two dipoles, or of two quadrupoles, never chosen */
    struct ph_mesh_costs costs;
    double cutoff, shape, window;
    int width, grid[3]; /* the grid as a whole */
};

struct ph_mesh_plan {
    double cutoff, shape, window;
    int width, grid[3];
    double error;                            /* expected, relative as the tolerance */
    double pairs, spread, gather, transform; /* time in nanoseconds */
};

/* Fails if the fixed parameters cannot reach the tolerance, and reports the error that they reach. Also fails if a
 * fixed value is out of range, or if there is neither charge nor dipole. A chosen cutoff is at least 2.5 times the
 * distance of molecules, and at most half the width of the box. */
enum ph_status ph_mesh_choose(const struct ph_mesh_wish *wish, struct ph_mesh_plan *out, struct ph_error *err);

/* The relative error that is expected with the values of a plan, whose cutoff, shape, window, width and grid are set */
double ph_mesh_expected_error(const struct ph_mesh_wish *wish, const struct ph_mesh_plan *plan);

/* Sets the expected cost of a plan with a cutoff, a width and a grid. */
void ph_mesh_expect_costs(const struct ph_mesh_wish *wish, struct ph_mesh_plan *plan);

/* The smallest number from n on that is even and has no prime factors but 2, 3, 5 and 7 */
int ph_mesh_friendly_size(int n);

#endif
