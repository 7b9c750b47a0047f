/* SPDX-License-Identifier: MIT */
#include "force/longrange/surface.h"

#include "base/vec3.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

struct ph_surface ph_surface_of(const struct ph_box *box, const struct ph_interactions *interactions, double charge)
{
    const double eps = interactions->epsilon_rf, all = 2.0 * pi * interactions->coulomb / box->volume;
    struct ph_surface surface = {.slab = interactions->ewald.slab, .charge = charge};
    if (!surface.slab) {
        surface.factor = isinf(eps) ? 0.0 : all / (2.0 * eps + 1.0);
        return surface;
    }
    surface.factor = all;
    surface.height = box->width[2];
    ph_vec3_cross(box->edge[0], box->edge[1], surface.normal);
    const double area = ph_vec3_norm(surface.normal);
    for (int x = 0; x < 3; ++x)
        surface.normal[x] /= area;
    return surface;
}

void ph_surface_add(const struct ph_surface *surface, double q, const double r[3], const double arm[3],
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

double ph_surface_energy(const struct ph_surface *surface, const struct ph_moments *moments, double virial[3][3])
{
    const double f = surface->factor, q = surface->charge, *n = surface->normal, *m = moments->first;
    const double up = ph_vec3_dot(m, n), l = surface->height;
    const double energy =
        surface->slab ? f * (up * up - q * (moments->second + q * l * l / 12.0)) : f * ph_vec3_dot(m, m);
    for (int x = 0; x < 3; ++x)
        for (int y = 0; y < 3; ++y)
            virial[x][y] = (x == y ? energy : 0.0) - 2.0 * (surface->slab ? energy * n[x] * n[y] : f * m[x] * m[y]);
    return energy;
}

void ph_surface_add_field(const struct ph_surface *surface, const double first[3], const double r[3], double field[3])
{
    const double f = -2.0 * surface->factor, *n = surface->normal;
    if (surface->slab)
        ph_vec3_add(f * (ph_vec3_dot(first, n) - surface->charge * ph_vec3_dot(r, n)), n, field);
    else
        ph_vec3_add(f, first, field);
}

void ph_surface_add_pull(const struct ph_surface *surface, const double mu[3], double pull[3])
{
    if (surface->slab)
        ph_vec3_add(2.0 * surface->factor * surface->charge * ph_vec3_dot(mu, surface->normal), surface->normal, pull);
}
