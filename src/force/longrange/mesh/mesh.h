/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_LONGRANGE_MESH_MESH_H
#define PH_FORCE_LONGRANGE_MESH_MESH_H

/* The sum over reciprocal vectors of waves.h on a grid, at a cost that grows as N log N. Sites are spread to the grid
 * by a window (window.h) as a density rho, its Fourier transform takes the place of S(k), and
 *   U = 1/2 sum over k of a(k) D(k) |rho(k)|^2,   a(k) = (4 pi/V) C g(k^2)/k^2. */

/* D = product over the edges of T(n)^2/(sum over j of T(n + j M)^2)^2, T the transform of the window. It makes the
 * error of the grid smallest in the mean over the places of sites between its points (R. W. Hockney, J. W. Eastwood,
 * Computer Simulation Using Particles (1988), ch. 8, for one axis after the other). Waves near the corners of the
 * grid with T < 2^-52, which wide windows have, are left out: the density has nothing but rounding there. */

/* The potential on the grid is the derivative of U by rho. Field and pull at a site are the exact derivatives of
 * this U by its dipole and position, through derivatives of the window (T. Darden, D. York, L. Pedersen, J. Chem.
 * Phys. 98 (1993) 10089; U. Essmann et al., J. Chem. Phys. 103 (1995) 8577; dipoles: A. Toukmaji et al., J. Chem.
 * Phys. 113 (2000) 10913). Momentum is not conserved exactly: the forces on all sites add up to something of the
 * size of their errors. */

/* Every point of the grid, every Fourier transform of a plane or of the lines across, and every sum belongs to one
 * thread of one rank (slabs.h). So the bits are the same for any number of threads and ranks. A rank sends its sites to
 * the ranks whose planes their windows reach. These add them in the order of their numbers, and the rank where a window
 * begins returns the fields. */

#include "force/energy.h"
#include "force/interactions.h"
#include "force/longrange/mesh/window.h"
#include "force/longrange/wave_sites.h"
#include "model/box.h"

struct ph_mesh; /* opaque */

/* Creates a mesh from complete choices. The sites of this rank outlive it, and may change with each evaluation. */
enum ph_status ph_mesh_create(const struct ph_box *box, const struct ph_interactions *interactions,
                              struct ph_wave_sites *sites, struct ph_mesh **out, struct ph_error *err);
void ph_mesh_destroy(struct ph_mesh *mesh);
/* The same grid in another box */
void ph_mesh_set_box(const struct ph_box *box, struct ph_mesh *mesh);

/* Takes the present sites before an evaluation. `status` says whether this rank had memory for them; all ranks return
 * the same status. Every rank must call this, and the functions below. */
enum ph_status ph_mesh_take_sites(struct ph_mesh *mesh, enum ph_status status, struct ph_error *err);
/* Fields and pulls of all sites; energy and virial as ph_waves_energy, unless virial is NULL */
double ph_mesh_evaluate(struct ph_mesh *mesh, double virial[3][3]);

/* As ph_waves_prepare_rates and ph_waves_rates, for data of the mesh only */
enum ph_status ph_mesh_prepare_rates(struct ph_mesh *mesh, struct ph_error *err);
void ph_mesh_rates(struct ph_mesh *mesh);

/* Tables of a mesh, valid as long as the mesh exists. They hold points along the edges, waves along a row (half of the
 * points and one), the window, and matrices from space to points and of reciprocal vectors. Factors a D and factors of
 * the virial are [y][x][z] */
struct ph_mesh_parts {
    const struct ph_window *window;
    int points[3], waves;
    const double (*to_points)[3], (*dual)[3];
    const double *factor, *slope;
};
struct ph_mesh_parts ph_mesh_parts(const struct ph_mesh *mesh);

/* Since the mesh was made, for reports */
struct ph_mesh_times ph_mesh_times(const struct ph_mesh *mesh);

#endif
