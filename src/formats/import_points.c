/* SPDX-License-Identifier: MIT */
#include "formats/import_points.h"

#include "base/vec3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const kind_names[PH_POINT_KINDS] = {"Lennard-Jones", "charge", "dipole", "quadrupole"};
static const char *const short_names[PH_POINT_KINDS] = {"LJ", "e", "d", "q"};

const char *ph_point_kind_name(enum ph_point_kind kind) { return kind_names[kind]; }

struct ph_point *ph_points_add(enum ph_point_kind kind, size_t line, struct ph_points *points, struct ph_error *err)
{
    if (points->n == PH_POINTS_MAX) {
        ph_error_set(err, PH_ERR_INPUT, "%s:%zu: the molecule has more than %d sites.", points->file, line,
                     PH_POINTS_MAX);
        return NULL;
    }
    struct ph_point *point = &points->point[points->n++];
    *point = (struct ph_point){.kind = kind, .line = line};
    return point;
}

void ph_point_axis(double theta, double phi, double axis[3])
{
    const double degree = 0.017453292519943295769;
    const double out = sin(degree * theta);
    axis[0] = out * cos(degree * phi);
    axis[1] = out * sin(degree * phi);
    axis[2] = cos(degree * theta);
    for (int k = 0; k < 3; ++k)
        if (fabs(axis[k]) < 1e-15) /* the rounding of cos(90 degrees) */
            axis[k] = 0.0;
}

/* --- sites --- */

static bool has_room(const struct ph_site *site, const struct ph_point *point)
{
    switch (point->kind) {
    case PH_POINT_LENNARD_JONES: return site->radial.kind == PH_RADIAL_NONE;
    case PH_POINT_CHARGE: return site->charge == 0.0;
    case PH_POINT_DIPOLE: return ph_vec3_is_zero(site->dipole);
    case PH_POINT_QUADRUPOLE: return site->angular.kind == PH_ANGULAR_NONE;
    default: return true;
    }
}

/* The site at exactly this place that has no interaction of this kind yet; a new one if there is none; NULL without
 * room */
static struct ph_site *find_site(const struct ph_point *point, const double position[3], struct ph_species *species)
{
    for (size_t a = 0; a < species->n_sites; ++a) {
        struct ph_site *site = &species->site[a];
        if (site->position[0] == position[0] && site->position[1] == position[1] && site->position[2] == position[2] &&
            has_room(site, point))
            return site;
    }
    if (species->n_sites == PH_SITES_MAX)
        return NULL;
    struct ph_site *site = &species->site[species->n_sites++];
    *site = (struct ph_site){.mass = 0.0};
    memcpy(site->position, position, sizeof site->position);
    snprintf(site->name, sizeof site->name, "%s", point->name[0] ? point->name : short_names[point->kind]);
    return site;
}

/* A linear quadrupole about `axis`, whose other axes may be any two across it */
static void set_quadrupole(double moment, const double axis[3], struct ph_site *site)
{
    if (moment == 0.0)
        return;
    const double x[3] = {1.0, 0.0, 0.0}, y[3] = {0.0, 1.0, 0.0};
    site->angular = (struct ph_angular){.kind = PH_ANGULAR_QUADRUPOLE, .number = {[PH_QUADRUPOLE_Q] = moment}};
    memcpy(site->axis[2], axis, sizeof site->axis[2]);
    ph_vec3_cross(fabs(axis[0]) > fabs(axis[1]) ? y : x, axis, site->axis[1]);
    const double length = ph_vec3_norm(site->axis[1]);
    for (int k = 0; k < 3; ++k)
        site->axis[1][k] /= length;
    ph_vec3_cross(site->axis[1], axis, site->axis[0]);
}

static enum ph_status take_point(const struct ph_points *points, const struct ph_point *point,
                                 struct ph_species *species, struct ph_error *err)
{
    const struct ph_point_units *unit = &points->unit;
    const char *name = point->name[0] ? point->name : short_names[point->kind];
    double position[3];
    if (point->mass < 0.0)
        return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: site '%s' has mass = %g. Accepted: 0 or more.", points->file,
                            point->line, name, point->mass);
    if (point->kind == PH_POINT_LENNARD_JONES && !(point->sigma >= 0.0 && point->strength >= 0.0))
        return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: site '%s' has sigma = %g and epsilon = %g: 0 or more.",
                            points->file, point->line, name, point->sigma, point->strength);
    for (int k = 0; k < 3; ++k)
        position[k] = unit->length * point->position[k];
    struct ph_site *site = find_site(point, position, species);
    if (!site)
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s:%zu: site '%s' is one too many: a model has at most %d sites at different places.",
                            points->file, point->line, name, PH_SITES_MAX);
    site->mass += unit->mass * point->mass;
    if (point->kind == PH_POINT_CHARGE)
        site->charge = unit->charge * point->strength;
    else if (point->kind == PH_POINT_DIPOLE)
        ph_vec3_add(unit->dipole * point->strength, point->axis, site->dipole);
    else if (point->kind == PH_POINT_QUADRUPOLE)
        set_quadrupole(unit->quadrupole * point->strength, point->axis, site);
    else if (point->kind == PH_POINT_LENNARD_JONES && point->strength > 0.0 && point->sigma > 0.0)
        site->radial =
            (struct ph_radial){PH_RADIAL_MIE, unit->energy * point->strength, unit->length * point->sigma, 12.0, 6.0};
    return PH_OK;
}

/* --- names: sites of one name are alike --- */

static bool alike(const struct ph_site *a, const struct ph_site *b)
{
    return a->mass == b->mass && a->charge == b->charge && a->radial.kind == b->radial.kind &&
           a->radial.epsilon == b->radial.epsilon && a->radial.sigma == b->radial.sigma &&
           ph_angular_alike(&a->angular, &b->angular);
}

/* The name is free, or that of a site which is alike. */
static bool fits(const struct ph_species *species, size_t a, const char *name)
{
    for (size_t b = 0; b < a; ++b)
        if (strcmp(species->site[b].name, name) == 0 && !alike(&species->site[a], &species->site[b]))
            return false;
    return true;
}

static void name_sites(struct ph_species *species)
{
    for (size_t a = 1; a < species->n_sites; ++a) {
        struct ph_site *site = &species->site[a];
        char name[PH_NAME];
        memcpy(name, site->name, sizeof name);
        for (size_t k = 2; !fits(species, a, name); ++k)
            snprintf(name, sizeof name, "%.20s-%zu", site->name, k);
        memcpy(site->name, name, sizeof name);
    }
}

/* --- moments of inertia --- */

/* Moments and products of inertia of the sites' masses about their centre */
static void inertia_of_masses(const struct ph_species *species, double centre[3], double tensor[3][3])
{
    double mass = 0.0, sum[3] = {0.0};
    for (size_t a = 0; a < species->n_sites; ++a) {
        mass += species->site[a].mass;
        for (int k = 0; k < 3; ++k)
            sum[k] += species->site[a].mass * species->site[a].position[k];
    }
    for (int k = 0; k < 3; ++k)
        centre[k] = mass > 0.0 ? sum[k] / mass : 0.0;
    memset(tensor, 0, 9 * sizeof(double));
    for (size_t a = 0; a < species->n_sites; ++a) {
        const struct ph_site *site = &species->site[a];
        double r[3];
        for (int k = 0; k < 3; ++k)
            r[k] = site->position[k] - centre[k];
        const double square = ph_vec3_dot(r, r);
        for (int k = 0; k < 3; ++k)
            for (int l = 0; l < 3; ++l)
                tensor[k][l] += site->mass * ((k == l ? square : 0.0) - r[k] * r[l]);
    }
}

/* Files print moments with few digits. Where these are the moments of the masses, the masses serve, so that a planar
 * molecule stays planar. */
static void take_inertia(const struct ph_points *points, struct ph_species *species, struct ph_import_facts *facts)
{
    const double rounding = 1e-4, unit = points->unit.mass * points->unit.length * points->unit.length;
    double centre[3], tensor[3][3], largest = 0.0;
    inertia_of_masses(species, centre, tensor);
    for (int k = 0; k < 3; ++k) {
        facts->inertia[k] = unit * points->inertia[k];
        largest = fmax(largest, fmax(facts->inertia[k], tensor[k][k]));
    }
    bool same = true;
    for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l)
            same = same && fabs(tensor[k][l] - (k == l ? facts->inertia[k] : 0.0)) <= rounding * largest;
    facts->has_inertia = !same;
    if (!same && !points->centred)
        for (size_t a = 0; a < species->n_sites; ++a)
            for (int k = 0; k < 3; ++k)
                species->site[a].position[k] -= centre[k];
}

enum ph_status ph_points_to_species(const struct ph_points *points, struct ph_species *species,
                                    struct ph_import_facts *facts, struct ph_error *err)
{
    enum ph_status status = PH_OK;
    for (size_t k = 0; k < points->n && status == PH_OK; ++k)
        status = take_point(points, &points->point[k], species, err);
    if (status == PH_OK && points->n == 0)
        status = ph_error_set(err, PH_ERR_INPUT, "%s: the molecule has no sites.", points->file);
    if (status != PH_OK)
        return status;
    name_sites(species);
    if (points->has_inertia)
        take_inertia(points, species, facts);
    return PH_OK;
}
