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
