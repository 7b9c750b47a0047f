/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_LONGRANGE_SURFACE_H
#define PH_FORCE_LONGRANGE_SURFACE_H

/* The wave k = 0, which an Ewald sum leaves out. It depends on the shape of the whole sample and on its surroundings.
 * With M = sum of (q r + mu) and Q = sum of q of all sites of the box, V its volume, C the unit of energy:
 *   sphere in a continuum:  U = f |M|^2,  f = 2 pi C/((2 eps + 1) V), nothing in a conductor; Q = 0
 *   slab:                   U = f [(M.n)^2 - Q S - Q^2 L^2/12],  f = 2 pi C/V,
 * with n perpendicular to the first two edges, L the distance of the faces of the box along n, z = r.n, and S = sum
 * of (q z^2 + 2 z mu.n + 2 n.M n), M as in wave_sites.h. */

/* The latter removes the effect of the copies along n. A layer of charge sigma at a distance z has the potential -2
 * pi sigma |z| by itself. With its copies and a background of the opposite charge it has -2 pi sigma (|z| - z^2/L -
 * L/6). The difference, summed over the pairs of sites, is U. (With it no background is left: a slab with a net
 * charge has the energy of its charges, but for an infinite constant.) The remaining effect of the copies falls off
 * as exp(-2 pi h/a). */

/* Here h is their distance, L less the thickness of the slab, and a the longest period. Only layers count, so the
 * third edge may be tilted. S. W. de Leeuw et al., Proc. R. Soc. London A 373 (1980) 27; I.-C. Yeh, M. L. Berkowitz,
 * J. Chem. Phys. 111 (1999) 3155; with Q: V. Ballenegger, A. Arnold, J. J. Cerda, J. Chem. Phys. 131 (2009) 094107. */

/* A quadrupole has no moment M of its own. Its part of S is the part of charges close together, but for their trace,
 * which with Q would be an energy of the volume alone. A sphere with Q has no such part, because its mean over
 * directions is the trace.
 *
 * With P = 1 for the sphere and n n^T for the slab the field at r is E = -2 f P (M - Q r). The force on a dipole is
 * (mu.grad) E = 2 f Q P mu. Both are linear in M, r and mu: with rates of these they are rates of the field and of the
 * force. A strain that moves sites as it moves points of the box makes the virial U - 2 f (P M)(P M)^T or, of a slab, U
 * (1 - 2 n n^T). Like the virial of waves, it is corrected for rigid molecules in ewald.c. */

#include "base/vec3.h"
#include "force/interactions.h"
#include "model/box.h"

#include <math.h>

struct ph_surface {
    double factor; /* f; 0: there is nothing to add */
    bool slab;
    double normal[3], height; /* slab: n, L */
    double charge;            /* Q */
};

/* Of the whole box */
struct ph_moments {
    double
        first[3];  /* M, from the centres of molecules for the sphere (they are neutral), from the origin for a slab */
    double second; /* S, slab */
};

struct ph_surface ph_surface_of(const struct ph_box *box, const struct ph_interactions *interactions, double charge);

double ph_surface_energy(const struct ph_surface *surface, const struct ph_moments *moments, double virial[3][3]);

/* Returns the true place of a site of a slab. The site is at r in the box, and its molecule has crossed the box `image`
 * times along the third edge. A slab is not periodic there, so it continues beyond the faces. With ions, or with a net
 * charge, this matters; neutral molecules of a neutral slab may be taken anywhere. The result is not a number further
 * than half a height beyond a face, because the layers above would be copies of the layers below. */
PH_INLINE void ph_surface_place(const struct ph_surface *surface, const double r[3], int image, double at[3])
{
    const double l = surface->height, *n = surface->normal, z = ph_vec3_dot(r, n) + image * l;
    const double lift = z > -0.5 * l && z < 1.5 * l ? image * l : (double)NAN;
    for (int x = 0; x < 3; ++x)
        at[x] = r[x] + lift * n[x];
}

/* Adds a site; `arm` is its distance r from the centre of its molecule */
PH_INLINE void ph_surface_add(const struct ph_surface *surface, double q, const double r[3], const double arm[3],
                              const double mu[3], struct ph_moments *moments)
{
    const double *from = surface->slab ? r : arm, *n = surface->normal;
    for (int x = 0; x < 3; ++x)
        moments->first[x] += q * from[x] + mu[x];
    if (surface->slab) {
        const double z = ph_vec3_dot(r, n);
        moments->second += z * (q * z + 2.0 * ph_vec3_dot(mu, n));
    }
}

/* A quadrupole of that site, and what it feels */
PH_INLINE void ph_surface_add_tensor(const struct ph_surface *surface, const double m[6], struct ph_moments *moments)
{
    const double *n = surface->normal;
    if (surface->slab)
        moments->second += 2.0 * (n[0] * (m[0] * n[0] + 2.0 * (m[1] * n[1] + m[2] * n[2])) +
                                  n[1] * (m[3] * n[1] + 2.0 * m[4] * n[2]) + m[5] * n[2] * n[2]);
}

PH_INLINE void ph_surface_add_gradient(const struct ph_surface *surface, double gradient[6])
{
    const double *n = surface->normal, f = 2.0 * surface->factor * surface->charge;
    for (int a = 0, s = 0; a < 3 && surface->slab; ++a)
        for (int b = a; b < 3; ++b, ++s)
            gradient[s] += f * n[a] * n[b];
}

/* Adds to them: the field at r, and the force on a dipole at rest or the rate of either */
PH_INLINE void ph_surface_add_field(const struct ph_surface *surface, const double first[3], const double r[3],
                                    double field[3])
{
    const double f = -2.0 * surface->factor, *n = surface->normal;
    if (surface->slab)
        ph_vec3_add(f * (ph_vec3_dot(first, n) - surface->charge * ph_vec3_dot(r, n)), n, field);
    else
        ph_vec3_add(f, first, field);
}

PH_INLINE void ph_surface_add_pull(const struct ph_surface *surface, const double mu[3], double pull[3])
{
    if (surface->slab)
        ph_vec3_add(2.0 * surface->factor * surface->charge * ph_vec3_dot(mu, surface->normal), surface->normal, pull);
}

#endif
