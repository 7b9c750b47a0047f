/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_LONGRANGE_MESH_MESH_ERROR_H
#define PH_FORCE_LONGRANGE_MESH_MESH_ERROR_H

/* The expected error of the forces of a sum on a mesh, without a configuration. mesh_error.c derives it. */

#include "force/longrange/fluid.h"
#include "force/longrange/split.h"

/* Points of the integrals: in the zone, and beyond it, where the split oscillates with k */
enum { PH_MESH_NODES = 16, PH_MESH_OUTSIDE = 48 };

/* Along one edge (or several with the same spacing): factors of g^2 (u_a u_b - ...)^2 in the sum of the mean square,
 * for (a, b) = (0, 0); (0, +-1) and (+-1, 0); (+-1, +-1). First index: place along the edge, second: across */
struct ph_mesh_aliases {
    double spacing, edges;
    double place[PH_MESH_NODES]; /* k/K */
    double k2[PH_MESH_NODES][PH_MESH_NODES], none[PH_MESH_NODES][PH_MESH_NODES], one[2][PH_MESH_NODES][PH_MESH_NODES],
        both[2][PH_MESH_NODES][PH_MESH_NODES];
    double self[2][PH_MESH_NODES][PH_MESH_NODES]; /* factors of g u_0 u_a in the force of a site on itself */
};

struct ph_mesh_zone {
    int n_different;
    struct ph_mesh_aliases along[3];
    double k2[PH_MESH_OUTSIDE], outside[PH_MESH_OUTSIDE]; /* of modes outside the grid: factors of g^2 */
};

/* The modes of a grid. Of a split with this cutoff rc, those beyond k rc = 50 are too weak to matter. */
void ph_mesh_zone_init(const struct ph_fluid *fluid, const struct ph_box *box, const int grid[3], double cutoff,
                       struct ph_mesh_zone *out);

/* A zone with a split: integrated over all but the place along an edge */
struct ph_mesh_modes {
    double outside, pairs;
    double none[3][PH_MESH_NODES], one[3][2][PH_MESH_NODES], both[3][2][PH_MESH_NODES];
    double sites, self[3][2][PH_MESH_NODES]; /* sites of a molecule; force of a site on itself */
};

void ph_mesh_modes_init(const struct ph_fluid *fluid, const struct ph_mesh_zone *zone, const struct ph_split *split,
                        struct ph_mesh_modes *out);

/* The mean square of the error of forces, with a window of order m, this width and shape */
double ph_mesh_error2(const struct ph_mesh_zone *zone, const struct ph_mesh_modes *modes, int m, int width,
                      double window);

#endif
