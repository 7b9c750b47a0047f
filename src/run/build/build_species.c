/* SPDX-License-Identifier: MIT */
/* Molecules from model files. */
#include "base/vec3.h"
#include "run/build/build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Axes of the angular form of site a, in the frame of the file */
static enum ph_status build_axes(const struct ph_input_model *model, size_t a, double axis[3][3], struct ph_error *err)
{
    static const double x[3] = {1.0, 0.0, 0.0}, y[3] = {0.0, 1.0, 0.0}, z[3] = {0.0, 0.0, 1.0};
    const struct ph_input_site *site = &model->sites[a];
    const bool turned = !isnan(site->axis[0]), sided = !isnan(site->side[0]);
    size_t which[3];
    struct ph_site with = {.angular.kind = site->angular.kind, .pair_axes = site->pair_axes};
    memcpy(with.angular.number, site->angular.number[with.angular.kind], sizeof with.angular.number);
    if ((turned || sided) && with.angular.kind == PH_ANGULAR_NONE && with.pair_axes == 0)
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s:%d: sites[%zu] has axis or side, which turn an angular form, but no such form.",
                            model->file, site->line, a);
    memcpy(axis[2], turned ? site->axis : z, sizeof z);
    memcpy(axis[0], sided ? site->side : turned && fabs(site->axis[0]) > fabs(site->axis[1]) ? y : x, sizeof x);
    const double length = ph_vec3_norm(axis[2]);
    for (int k = 0; k < 3 && length > 0.0; ++k)
        axis[2][k] /= length;
    ph_vec3_add(-ph_vec3_dot(axis[0], axis[2]), axis[2], axis[0]);
    const double across = ph_vec3_norm(axis[0]);
    for (int k = 0; k < 3 && across > 0.0; ++k)
        axis[0][k] /= across;
    ph_vec3_cross(axis[2], axis[0], axis[1]);
    if (!(length > 0.0) || !(across > 1e-9 * (sided ? ph_vec3_norm(site->side) : 1.0)))
        return ph_error_set(err, PH_ERR_INPUT, "%s:%d: sites[%zu]: axis and side must not be zero or parallel.",
                            model->file, site->line, a);
    const size_t n = ph_site_axes(&with, which);
    if (turned && !sided && n > 0 && (n > 1 || which[0] != 2))
        return ph_error_set(
            err, PH_ERR_INPUT,
            "%s:%d: sites[%zu] has axis, but no side: its angular form is not symmetric about z, so the "
            "direction of x is needed.",
            model->file, site->line, a);
    return PH_OK;
}

enum ph_status ph_build_species(const struct ph_input_model *model, struct ph_species *species, struct ph_error *err)
{
    *species = (struct ph_species){.n_sites = model->n_sites};
    snprintf(species->name, sizeof species->name, "%s", model->name);
    for (size_t a = 0; a < model->n_sites; ++a) {
        const struct ph_input_site *from = &model->sites[a];
        struct ph_site *to = &species->site[a];
        snprintf(to->name, sizeof to->name, "%s", from->name);
        memcpy(to->position, from->position, sizeof to->position);
        memcpy(to->dipole, from->dipole, sizeof to->dipole);
        to->mass = from->mass;
        to->charge = from->charge;
        const enum ph_status radial = ph_build_radial(&from->radial, &to->radial, err);
        if (radial != PH_OK)
            return radial;
        to->pair_axes = from->pair_axes;
        to->angular.kind = from->angular.kind;
        memcpy(to->angular.number, from->angular.number[from->angular.kind], sizeof to->angular.number);
        const enum ph_status axes = build_axes(model, a, to->axis, err);
        if (axes != PH_OK)
            return axes;
    }
    struct ph_error inner = {.text = ""};
    const enum ph_status status = ph_species_complete(species, isnan(model->mass) ? NULL : &model->mass,
                                                      isnan(model->inertia[0]) ? NULL : model->inertia, &inner);
    if (status != PH_OK)
        return ph_error_set(err, status, "%s: %.700s", model->file, inner.text);
    return PH_OK;
}
