/* SPDX-License-Identifier: MIT */
#ifndef PH_MODEL_SPECIES_H
#define PH_MODEL_SPECIES_H

/* The model of a molecule: sites fixed in the body frame, mass and principal moments. Constant after set-up.
 *
 * The body frame has its origin at the centre of mass and the principal axes as axes. A model file may use any frame:
 * `file_rotation` (unit quaternion, file axes to body axes) and `file_centre` lead back to it. */

#include "base/error.h"
#include "potential/angular.h"
#include "potential/forms.h"

#include <stdbool.h>
#include <stddef.h>

enum { PH_NAME = 32, PH_SITES_MAX = 16 };

struct ph_site {
    char name[PH_NAME];
    double position[3]; /* body frame */
    double mass;
    double charge;
    double dipole[3]; /* body frame */
    struct ph_radial radial;
    struct ph_angular angular;
    double axis[3][3]; /* of the angular form, x, y, z: body frame */
    size_t pair_axes;  /* how many of these formulas of interactions.pairs take: 0, 1 (z) or 3 */
};

struct ph_species {
    char name[PH_NAME]; /* of the model, as in the input file */
    double mass;
    double inertia[3]; /* principal, about the body axes; all zero for a point particle; one zero for a linear rotor */
    size_t n_sites;
    struct ph_site site[PH_SITES_MAX];
    double file_rotation[4], file_centre[3];
    double extent; /* largest distance of a site from the centre */
    int degrees;   /* of freedom in rotation: 3, 2 (linear) or 0 (point) */
};

/* Completes a species whose name and sites are filled in, with positions and dipoles in the frame of the model file.
 * Computes mass, centre and principal moments, and rotates the sites into the body frame. The body axes stay as near to
 * the file's axes as they can: a file that already uses principal axes is not rotated at all.
 *
 * `mass` may be NULL: the sum of the sites' masses. `inertia` may be NULL: from the sites' masses. Given moments are
 * about the axes and the origin of the file, which then is the body frame. */

/* Collinear masses make a linear rotor: the moment about its axis is exactly zero, the other two are equal, its sites
 * lie on the axis. All mass in one place makes a point particle. Neither can have sites or dipoles that would turn it
 * about an axis without inertia: that is an error, as are masses and moments that are impossible. */
enum ph_status ph_species_complete(struct ph_species *species, const double *mass, const double *inertia,
                                   struct ph_error *err);

/* Finds which of its axes a site has, for its angular form and for pairs, and returns their number: 0, 1 or 3. */
size_t ph_site_axes(const struct ph_site *site, size_t axis[3]);

/* The shortest distance at which two such sites touch, and an energy, by their radial and angular forms; 0: none */
double ph_site_size(const struct ph_site *site);
double ph_site_length(const struct ph_site *site); /* the longest distance at which two of them touch */
double ph_site_depth(const struct ph_site *site);

/* Returns true, and M of its point quadrupole in the body frame, xx xy xz yy yz zz, if the site has one: half the sum
 * of q x x, less its trace. Otherwise M is 0. */
bool ph_site_tensor(const struct ph_site *site, double m[6]);
double ph_tensor_product(const double a[6], const double b[6]); /* a:b */

/* True if the site has a radial form or a shape; multipoles are neither */
bool ph_site_has_form(const struct ph_site *site);

/* Returns the charge of the whole molecule: 0 if it is no more than rounding of the sites' charges */
double ph_species_charge(const struct ph_species *species);

/* Dipole moment of the whole molecule about its centre, body frame: charges and point dipoles */
void ph_species_dipole(const struct ph_species *species, double dipole[3]);

/* A length of the molecule, by which rotations can be compared with displacements: the radius of gyration about the
 * axis of its largest moment, sqrt(I/m); 0 for points */
double ph_species_gyration(const struct ph_species *species);

/* True if the molecule keeps its angular momentum about some axis for ever, because no torque acts about it. This is
 * the axis of a symmetric top, or any axis of a spherical one, if all sites lie on it with their dipoles along it. */
bool ph_species_spins_freely(const struct ph_species *species);

/* A site at the centre and nothing else: positions of sites are positions of molecules. */
bool ph_species_single_site(const struct ph_species *species);

#endif
