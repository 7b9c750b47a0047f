/* SPDX-License-Identifier: MIT */
#include "model/species.h"

#include "base/numerics/matrix.h"
#include "base/vec3.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Masses within this distance of a line, relative to the molecule's size, are on it: typed coordinates have fewer
 * digits. */
static const double collinear = 1e-6;
/* Relative differences that are only rounding */
static const double rounding = 64.0 * DBL_EPSILON;
/* A given total and the sum of typed values */
static const double agree = 1e-6;

static enum ph_status check_sites(const struct ph_species *species, struct ph_error *err)
{
    if (species->n_sites < 1 || species->n_sites > PH_SITES_MAX)
        return ph_error_set(err, PH_ERR_INPUT, "Model '%s' has %zu sites: there must be 1 to %d.", species->name,
                            species->n_sites, PH_SITES_MAX);
    for (size_t a = 0; a < species->n_sites; ++a) {
        const struct ph_site *site = &species->site[a];
        if (!isfinite(ph_vec3_dot(site->position, site->position)) ||
            !isfinite(ph_vec3_dot(site->dipole, site->dipole)) || !isfinite(site->charge) || !isfinite(site->mass) ||
            site->mass < 0.0)
            return ph_error_set(err, PH_ERR_INPUT,
                                "Site %zu ('%s') of model '%s' has a position, charge, dipole or mass that is not "
                                "finite, or a negative mass.",
                                a + 1, site->name, species->name);
    }
    return PH_OK;
}

static enum ph_status find_mass(struct ph_species *species, const double *given, double *of_sites, struct ph_error *err)
{
    *of_sites = 0.0;
    for (size_t a = 0; a < species->n_sites; ++a)
        *of_sites += species->site[a].mass;
    species->mass = given ? *given : *of_sites;
    if (!(species->mass > 0.0) || !isfinite(species->mass))
        return ph_error_set(err, PH_ERR_INPUT,
                            "Model '%s' has mass %g: give its sites masses, or the molecule a mass above 0.",
                            species->name, species->mass);
    if (given && *of_sites > 0.0 && fabs(*of_sites - *given) > agree * *given)
        return ph_error_set(err, PH_ERR_INPUT,
                            "Model '%s' is given mass %.10g, but the masses of its sites add to %.10g.", species->name,
                            *given, *of_sites);
    return PH_OK;
}

/* To the principal frame: site positions and dipoles become axis * (old - centre), axis one row per body axis. */
static void turn(struct ph_species *species, const double axis[3][3])
{
    for (size_t a = 0; a < species->n_sites; ++a) {
        struct ph_site *site = &species->site[a];
        double position[3], dipole[3], of_form[3][3];
        for (int k = 0; k < 3; ++k) {
            position[k] = ph_vec3_dot(axis[k], site->position);
            dipole[k] = ph_vec3_dot(axis[k], site->dipole);
            for (int x = 0; x < 3; ++x)
                of_form[x][k] = ph_vec3_dot(axis[k], site->axis[x]);
        }
        memcpy(site->axis, of_form, sizeof of_form);
        memcpy(site->position, position, sizeof position);
        memcpy(site->dipole, dipole, sizeof dipole);
    }
    ph_quat_from_matrix(axis, species->file_rotation);
}

/* Fills the rows of the smallest rotation that takes the unit vector u to its nearest body axis k, u[k] > 0.
 * The rotation is 1 + K + K K / (1 + u[k]), K = hat(u x e_k). */
static void align(const double u[3], int k, double axis[3][3])
{
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const double f = 1.0 / (1.0 + u[k]);
    axis[i][i] = 1.0 - f * u[i] * u[i];
    axis[j][j] = 1.0 - f * u[j] * u[j];
    axis[i][j] = axis[j][i] = -f * u[i] * u[j];
    axis[k][k] = u[k];
    axis[k][i] = u[i];
    axis[i][k] = -u[i];
    axis[k][j] = u[j];
    axis[j][k] = -u[j];
}

size_t ph_site_axes(const struct ph_site *site, size_t axis[3])
{
    size_t n = ph_angular_axes(&site->angular, axis);
    if (site->pair_axes > 0 && (n == 0 || (n == 1 && (axis[0] != 2 || site->pair_axes == 3)))) {
        n = n == 0 ? site->pair_axes : 3;
        for (size_t x = 0; x < 3; ++x)
            axis[x] = n == 1 ? 2 : x;
    }
    return n;
}

/* Whether the angular form of a site would turn the molecule about body axis k: unless that is its only axis */
static bool turns_line(const struct ph_site *site, int k)
{
    size_t which[3] = {0};
    const size_t n = ph_site_axes(site, which);
    const double *axis = site->axis[which[0]];
    return n > 1 || (n == 1 && hypot(axis[(k + 1) % 3], axis[(k + 2) % 3]) > collinear);
}

/* Puts the axis of a form, which is that of the molecule up to rounding, on axis k. */
static void straighten(struct ph_site *site, int k)
{
    size_t which[3];
    if (ph_site_axes(site, which) != 1)
        return;
    double *along = site->axis[which[0]];
    along[(k + 1) % 3] = along[(k + 2) % 3] = 0.0;
    along[k] = copysign(1.0, along[k]);
}

static enum ph_status make_linear(struct ph_species *species, const double direction[3], double size,
                                  struct ph_error *err)
{
    int k = 0;
    for (int j = 1; j < 3; ++j)
        if (fabs(direction[j]) > fabs(direction[k]))
            k = j;
    const double length = copysign(ph_vec3_norm(direction), direction[k]);
    const double u[3] = {direction[0] / length, direction[1] / length, direction[2] / length};
    double axis[3][3];
    align(u, k, axis);
    turn(species, axis);
    double moment = 0.0;
    for (size_t a = 0; a < species->n_sites; ++a) {
        struct ph_site *site = &species->site[a];
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        if (hypot(site->position[i], site->position[j]) > collinear * size ||
            hypot(site->dipole[i], site->dipole[j]) > collinear * ph_vec3_norm(site->dipole) || turns_line(site, k))
            return ph_error_set(
                err, PH_ERR_INPUT,
                "Model '%s': all mass lies on a line, but the position, dipole or axis of site %zu ('%s') "
                "does not: it would turn the molecule about an axis without inertia.",
                species->name, a + 1, site->name);
        site->position[i] = site->position[j] = 0.0;
        site->dipole[i] = site->dipole[j] = 0.0;
        straighten(site, k);
        moment += site->mass * site->position[k] * site->position[k];
    }
    for (int j = 0; j < 3; ++j)
        species->inertia[j] = j == k ? 0.0 : moment;
    return PH_OK;
}

/* Computes principal moments from sites in the principal frame. For a planar molecule with normal k, second[k] = sum of
 * m x_k^2 is exactly zero. The moment about the normal is then the sum of the other two, bit for bit. */
static void moments(struct ph_species *species, double size)
{
    double second[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3; ++k) {
        double farthest = 0.0;
        for (size_t a = 0; a < species->n_sites; ++a)
            if (species->site[a].mass > 0.0)
                farthest = fmax(farthest, fabs(species->site[a].position[k]));
        const bool plane = farthest <= rounding * size;
        for (size_t a = 0; a < species->n_sites; ++a) {
            double *x = &species->site[a].position[k];
            if (plane && fabs(*x) <= rounding * size)
                *x = 0.0;
            second[k] += species->site[a].mass * *x * *x;
        }
    }
    /* Equal up to rounding is equal: symmetric and spherical tops are recognised by equality. */
    for (int k = 0; k < 3; ++k) {
        const int j = (k + 1) % 3;
        if (fabs(second[k] - second[j]) <= rounding * (second[k] + second[j]))
            second[k] = second[j] = 0.5 * (second[k] + second[j]);
    }
    if (fabs(second[0] - second[1]) <= rounding * second[0] && fabs(second[1] - second[2]) <= rounding * second[1])
        second[1] = second[2] = second[0];
    for (int k = 0; k < 3; ++k)
        species->inertia[k] = second[(k + 1) % 3] + second[(k + 2) % 3];
}

static enum ph_status from_masses(struct ph_species *species, double mass, struct ph_error *err)
{
    double centre[3] = {0.0, 0.0, 0.0}, size = 0.0;
    for (size_t a = 0; a < species->n_sites; ++a)
        for (int k = 0; k < 3; ++k)
            centre[k] += species->site[a].mass / mass * species->site[a].position[k];
    size_t farthest = 0;
    for (size_t a = 0; a < species->n_sites; ++a) {
        struct ph_site *site = &species->site[a];
        for (int k = 0; k < 3; ++k)
            site->position[k] -= centre[k];
        if (site->mass > 0.0 && ph_vec3_norm(site->position) > size) {
            size = ph_vec3_norm(site->position);
            farthest = a;
        }
    }
    memcpy(species->file_centre, centre, sizeof centre);
    if (size <= rounding * ph_vec3_norm(centre))
        size = 0.0; /* all mass in one place */
    if (size == 0.0) {
        for (size_t a = 0; a < species->n_sites; ++a) {
            const struct ph_site *site = &species->site[a];
            size_t which[3];
            if (ph_vec3_norm(site->dipole) > 0.0 || ph_site_axes(site, which) > 0 ||
                ph_vec3_norm(site->position) > rounding * ph_vec3_norm(centre))
                return ph_error_set(err, PH_ERR_INPUT,
                                    "Model '%s' has all its mass in one place, so nothing can turn site %zu ('%s') "
                                    "with its position, dipole or axes. Give the model the key inertia: [I1, I2, I3].",
                                    species->name, a + 1, site->name);
            memset(species->site[a].position, 0, sizeof site->position);
        }
        return PH_OK;
    }

    const double direction[3] = {species->site[farthest].position[0] / size, species->site[farthest].position[1] / size,
                                 species->site[farthest].position[2] / size};
    double off_axis = 0.0, tensor[3][3] = {{0.0}};
    for (size_t a = 0; a < species->n_sites; ++a) {
        const struct ph_site *site = &species->site[a];
        const double *x = site->position;
        if (site->mass > 0.0) {
            const double along = ph_vec3_dot(x, direction);
            const double rest[3] = {x[0] - along * direction[0], x[1] - along * direction[1],
                                    x[2] - along * direction[2]};
            off_axis = fmax(off_axis, ph_vec3_norm(rest));
        }
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                tensor[i][j] += site->mass * ((i == j ? ph_vec3_dot(x, x) : 0.0) - x[i] * x[j]);
    }
    if (off_axis <= collinear * size)
        return make_linear(species, direction, size, err);

    double value[3], columns[3][3], axis[3][3];
    ph_symmetric_eigen(3, &tensor[0][0], value, &columns[0][0]);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            axis[i][j] = columns[j][i];
    turn(species, axis);
    moments(species, size);
    return PH_OK;
}

static enum ph_status from_given(struct ph_species *species, double mass_of_sites, const double inertia[3],
                                 struct ph_error *err)
{
    double centre[3] = {0.0, 0.0, 0.0}, size = 0.0;
    int zeros = 0, axis = -1;
    for (int k = 0; k < 3; ++k) {
        const double others = inertia[(k + 1) % 3] + inertia[(k + 2) % 3];
        if (!isfinite(inertia[k]) || inertia[k] < 0.0 || inertia[k] - others > agree * others)
            return ph_error_set(err, PH_ERR_INPUT,
                                "Model '%s': inertia is [%g, %g, %g]. Accepted: moments of a body, none negative or "
                                "larger than the sum of the other two. The sum of the other two of %g is %g.",
                                species->name, inertia[0], inertia[1], inertia[2], inertia[k], others);
        if (inertia[k] == 0.0) {
            ++zeros;
            axis = k;
        }
        species->inertia[k] = inertia[k];
    }
    if (zeros == 1 && inertia[(axis + 1) % 3] != inertia[(axis + 2) % 3])
        return ph_error_set(err, PH_ERR_INPUT,
                            "Model '%s' has moments of inertia %g, %g, %g: one is zero, which makes it a linear rotor, "
                            "so the other two must be equal.",
                            species->name, inertia[0], inertia[1], inertia[2]);
    for (size_t a = 0; a < species->n_sites; ++a) {
        size = fmax(size, ph_vec3_norm(species->site[a].position));
        for (int k = 0; k < 3 && mass_of_sites > 0.0; ++k)
            centre[k] += species->site[a].mass / mass_of_sites * species->site[a].position[k];
    }
    if (ph_vec3_norm(centre) > agree * size)
        return ph_error_set(err, PH_ERR_INPUT,
                            "Model '%s' gives its inertia, so its origin must be the centre of mass; the masses of its "
                            "sites have theirs at (%g, %g, %g).",
                            species->name, centre[0], centre[1], centre[2]);
    for (size_t a = 0; a < species->n_sites && zeros > 0; ++a) {
        const double *x = species->site[a].position, *mu = species->site[a].dipole;
        const int i = (axis + 1) % 3, j = (axis + 2) % 3;
        size_t which[3];
        const bool turned =
            zeros == 1
                ? hypot(x[i], x[j]) > 0.0 || hypot(mu[i], mu[j]) > 0.0 || turns_line(&species->site[a], axis)
                : ph_vec3_norm(x) + ph_vec3_norm(mu) > 0.0 || ph_site_axes(&species->site[a], which) > 0;
        if (turned)
            return ph_error_set(
                err, PH_ERR_INPUT,
                "Model '%s': the position, dipole or axis of site %zu ('%s') would turn the molecule about "
                "an axis whose moment of inertia is zero.",
                species->name, a + 1, species->site[a].name);
        if (zeros == 1)
            straighten(&species->site[a], axis);
    }
    return PH_OK;
}

enum ph_status ph_species_complete(struct ph_species *species, const double *mass, const double *inertia,
                                   struct ph_error *err)
{
    species->file_rotation[0] = 1.0;
    for (int k = 0; k < 3; ++k)
        species->file_rotation[k + 1] = species->file_centre[k] = species->inertia[k] = 0.0;
    double of_sites = 0.0;
    enum ph_status status = check_sites(species, err);
    if (status == PH_OK)
        status = find_mass(species, mass, &of_sites, err);
    if (status != PH_OK)
        return status;
    if (!inertia && of_sites == 0.0) { /* the mass sits at a point */
        if (species->n_sites > 1)
            return ph_error_set(err, PH_ERR_INPUT,
                                "Model '%s' has %zu sites without masses: give them masses, or the molecule "
                                "its inertia.",
                                species->name, species->n_sites);
        species->site[0].mass = of_sites = species->mass;
    }
    status = inertia ? from_given(species, of_sites, inertia, err) : from_masses(species, of_sites, err);
    if (status != PH_OK)
        return status;
    species->extent = 0.0;
    for (size_t a = 0; a < species->n_sites; ++a)
        species->extent = fmax(species->extent, ph_vec3_norm(species->site[a].position));
    const int zeros = (species->inertia[0] == 0.0) + (species->inertia[1] == 0.0) + (species->inertia[2] == 0.0);
    species->degrees = zeros == 0 ? 3 : (zeros == 1 ? 2 : 0);
    return PH_OK;
}

double ph_site_size(const struct ph_site *site)
{
    return fmax(ph_radial_size(&site->radial), ph_angular_size(&site->angular));
}

double ph_site_length(const struct ph_site *site)
{
    return fmax(ph_radial_size(&site->radial), ph_angular_length(&site->angular));
}

double ph_site_depth(const struct ph_site *site)
{
    return fmax(ph_radial_depth(&site->radial), ph_angular_depth(&site->angular));
}

bool ph_site_tensor(const struct ph_site *site, double m[6])
{
    size_t axis[3];
    double t[4];
    const size_t n = ph_angular_is_multipole(&site->angular) ? ph_angular_axes(&site->angular, axis) : 0;
    ph_angular_tensor(&site->angular, t);
    for (int a = 0, s = 0; a < 3; ++a)
        for (int b = a; b < 3; ++b, ++s) {
            m[s] = a == b && n > 0 ? t[3] / 3.0 : 0.0;
            for (size_t x = 0; x < n; ++x)
                m[s] += t[x] / 3.0 * site->axis[axis[x]][a] * site->axis[axis[x]][b];
        }
    return n > 0;
}

double ph_tensor_product(const double a[6], const double b[6])
{
    return a[0] * b[0] + a[3] * b[3] + a[5] * b[5] + 2.0 * (a[1] * b[1] + a[2] * b[2] + a[4] * b[4]);
}

bool ph_site_has_form(const struct ph_site *site)
{
    return site->radial.kind != PH_RADIAL_NONE ||
           (site->angular.kind != PH_ANGULAR_NONE && !ph_angular_is_multipole(&site->angular));
}

double ph_species_charge(const struct ph_species *species)
{
    double sum = 0.0, all = 0.0;
    for (size_t a = 0; a < species->n_sites; ++a) {
        sum += species->site[a].charge;
        all += fabs(species->site[a].charge);
    }
    return fabs(sum) > 1e-9 * all ? sum : 0.0;
}

void ph_species_dipole(const struct ph_species *species, double dipole[3])
{
    for (int k = 0; k < 3; ++k) {
        dipole[k] = 0.0;
        for (size_t a = 0; a < species->n_sites; ++a)
            dipole[k] += species->site[a].charge * species->site[a].position[k] + species->site[a].dipole[k];
    }
}

double ph_species_gyration(const struct ph_species *species)
{
    const double *moment = species->inertia;
    return sqrt(fmax(moment[0], fmax(moment[1], moment[2])) / species->mass);
}

/* Are a and b parallel, or one of them zero? a becomes a direction of both. */
static bool join(const double b[3], double scale, double a[3])
{
    double normal[3];
    const double near = 1e-9;
    if (!(ph_vec3_norm(b) > near * scale))
        return true;
    if (ph_vec3_is_zero(a))
        memcpy(a, b, 3 * sizeof(double));
    ph_vec3_cross(a, b, normal);
    return ph_vec3_norm(normal) <= near * ph_vec3_norm(a) * ph_vec3_norm(b);
}

bool ph_species_spins_freely(const struct ph_species *species)
{
    const double *inertia = species->inertia, near = 1e-9;
    double along[3] = {0.0}; /* where sites and dipoles are */
    bool line = inertia[0] > 0.0 && inertia[1] > 0.0 && inertia[2] > 0.0;
    for (size_t a = 0; a < species->n_sites && line; ++a) {
        const struct ph_site *site = &species->site[a];
        size_t which[3];
        const size_t n_axes = ph_site_axes(site, which);
        if (ph_site_has_form(site) || n_axes > 0 || site->charge != 0.0 || !ph_vec3_is_zero(site->dipole))
            line = join(site->position, species->extent, along) && join(site->dipole, 0.0, along) && n_axes < 2;
        if (n_axes == 1 && line)
            line = join(site->axis[which[0]], 0.0, along);
    }
    if (line && ph_vec3_is_zero(along))
        return true;                      /* no torque at all */
    for (int k = 0; k < 3 && line; ++k) { /* the moment about it is principal, and the two others are equal */
        const int l = (k + 1) % 3;
        const bool equal = fabs(inertia[k] - inertia[l]) <= near * inertia[k];
        const bool in_plane = fabs(along[k]) + fabs(along[l]) > near * ph_vec3_norm(along);
        if (equal && (!in_plane || fabs(inertia[k] - inertia[(k + 2) % 3]) <= near * inertia[k]))
            return true;
    }
    return false;
}

bool ph_species_single_site(const struct ph_species *species)
{
    return species->n_sites == 1 && species->extent == 0.0;
}
