/* SPDX-License-Identifier: MIT */
/* Messages of the pair term to the user: why a cutoff is not possible, and why a force is not finite. */

#include "base/rotation.h"
#include "force/pairs/angular_pairs.h"
#include "force/pairs/pairs_inside.h"
#include "potential/curves/curve.h"

#include <math.h>

enum ph_status ph_pairs_check_cutoff(const struct ph_system *system, const struct ph_interactions *interactions,
                                     struct ph_error *err)
{
    const bool open = system->box.kind == PH_BOX_OPEN;
    if (interactions->truncation == PH_TRUNCATE_NONE) {
        if (open && interactions->electrostatics == PH_ELECTROSTATICS_REACTION_FIELD)
            return ph_error_set(err, PH_ERR_INPUT, "A reaction field needs interactions.cutoff: it begins there.");
        if (open)
            return PH_OK;
        return ph_error_set(err, PH_ERR_INPUT,
                            "A periodic box needs interactions.cutoff: without one there are infinitely many pairs.");
    }
    if (!(interactions->cutoff > 0.0))
        return ph_error_set(err, PH_ERR_INPUT, "interactions.cutoff is %g; it must be positive.", interactions->cutoff);
    if (interactions->truncation == PH_TRUNCATE_SWITCHED &&
        !(interactions->switch_width > 0.0 && interactions->switch_width <= interactions->cutoff))
        return ph_error_set(err, PH_ERR_INPUT,
                            "interactions.switch.width is %g; it must lie between 0 and the cutoff, %g.",
                            interactions->switch_width, interactions->cutoff);
    if (ph_field_is_smooth(interactions) && interactions->smoothness > PH_SMOOTH_DIPOLES)
        return ph_error_set(err, PH_ERR_INPUT,
                            "A reaction field ends by a polynomial, which has no more than %d continuous derivatives "
                            "for two dipoles: interactions.switch.smoothness must be 2, 4 or 6.",
                            PH_SMOOTH_DIPOLES);
    for (int k = 0; k < 3 && !open; ++k)
        if (interactions->cutoff > 0.5 * system->box.width[k])
            return ph_error_set(
                err, PH_ERR_INPUT,
                "interactions.cutoff is %g, more than half the distance %g between two faces of the box: a molecule "
                "would see two images of another. Take a smaller cutoff or a larger box.",
                interactions->cutoff, system->box.width[k]);
    return PH_OK;
}

/* Returns place k of the molecules whose present positions are known. */
static size_t known_at(const struct ph_share *share, size_t k)
{
    if (!share)
        return k;
    return k < share->owners.own.n ? share->owners.own.molecule[k] : share->owners.own.ghost[k - share->owners.own.n];
}

/* The name and the place in space, relative to the centre, of the site of molecule i that has this field */
static const char *site_with(const struct ph_pairs *pairs, const struct ph_system *system, size_t i, size_t field,
                             double arm[3])
{
    const size_t s = ph_system_species_of(system, i);
    const struct ph_layout *layout = &pairs->sites->table.layout[s];
    size_t k = 0;
    while (k + 1 < layout->n_sites && layout->position[k] != field)
        ++k;
    const struct ph_site *site = &system->species[s].site[layout->site[k]];
    const double q[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]};
    ph_quat_rotate(q, site->position, arm);
    return site->name;
}

/* Fields of molecule i about a centre at `at` */
static void fields_of(const struct ph_pairs *pairs, const struct ph_system *system, size_t i, const double at[3],
                      double fields[PH_FIELDS_MAX])
{
    const size_t s = ph_system_species_of(system, i);
    const struct ph_layout *layout = &pairs->sites->table.layout[s];
    const double q[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]};
    for (size_t k = 0; k < layout->n_sites; ++k) {
        const struct ph_site *site = &system->species[s].site[layout->site[k]];
        ph_quat_rotate(q, site->position, &fields[layout->position[k]]);
        for (size_t x = 0; x < 3; ++x)
            fields[layout->position[k] + x] += at[x];
        for (size_t m = 0; m < layout->n_axes[k]; ++m)
            ph_quat_rotate(q, site->axis[layout->body_axis[k][m]], &fields[layout->axis[k][m]]);
    }
}

/* The energy of an angular form, infinite within its wall; apart: from the centre of j to that of i */
static double energy_at_angle(const struct ph_pairs *pairs, const struct ph_system *system,
                              const struct ph_site_pair *pair, size_t i, size_t j, const double apart[3])
{
    static const double origin[3] = {0.0};
    double of_i[PH_FIELDS_MAX], of_j[PH_FIELDS_MAX];
    fields_of(pairs, system, i, apart, of_i);
    fields_of(pairs, system, j, origin, of_j);
    return ph_angular_pair_energy(pair, of_i, of_j);
}

/* The formula of two sites at a distance, if its value there is not a number; else NULL. `at_angle` is the energy of
 * their angular form. */
static const struct ph_curve *formula_without_value(const struct ph_site_pair *pair, double r, double at_angle)
{
    if (pair->angular.kind == PH_ANGULAR_FORMULA && isnan(at_angle))
        return pair->angular.curve;
    const struct ph_formula *radial = &pair->term.formula;
    const bool seen = pair->radial == PH_KERNEL_IN_LOOP && radial->kind == PH_RADIAL_FORMULA && r < radial->reach &&
                      r >= radial->curve->first;
    return seen && isnan(ph_curve_at(radial->curve, r).value) ? radial->curve : NULL;
}

/* Reports two sites of these molecules that are within the wall of their form. */
static enum ph_status explain_wall(const struct ph_pairs *pairs, const struct ph_system *system, size_t i, size_t j,
                                   const double apart[3], struct ph_error *err)
{
    const struct ph_pair_table *table = &pairs->sites->table;
    const size_t s = ph_system_species_of(system, i), t = ph_system_species_of(system, j);
    const struct ph_site_pairs *all = &table->of[s * table->n_species + t];
    for (size_t k = 0; k < all->n; ++k) {
        const struct ph_site_pair *pair = &all->pair[k];
        double a[3], b[3], d[3];
        const bool angular = pair->angular.kind != PH_ANGULAR_NONE && !pair->angular.electric;
        const double at_angle = angular ? energy_at_angle(pairs, system, pair, i, j, apart) : 0.0;
        const char *one = site_with(pairs, system, i, pair->position_i, a);
        const char *other = site_with(pairs, system, j, pair->position_j, b);
        for (int x = 0; x < 3; ++x)
            d[x] = apart[x] + a[x] - b[x];
        const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        const struct ph_curve *formula = formula_without_value(pair, sqrt(r2), at_angle);
        if (formula)
            return ph_error_set(err, PH_ERR_NUMBERS,
                                "The formula of the sites %s and %s of molecules %u and %u is not a number at r = %g, "
                                "as they are turned: %.300s. Take one that has a value at all distances up to the "
                                "cutoff and in all orientations.",
                                one, other, system->id[i], system->id[j], sqrt(r2), formula->about);
        if (angular && !isfinite(at_angle))
            return ph_error_set(err, PH_ERR_NUMBERS,
                                "Molecules %u and %u overlap: their sites %s and %s are so deep in each other that the "
                                "%s interaction is infinite. Take a shorter step, or a start whose molecules are "
                                "further apart.",
                                system->id[i], system->id[j], one, other, ph_angular_forms[pair->angular.kind].title);
        if (pair->radial != PH_KERNEL_IN_LOOP || !(1.0 / r2 > pair->term.formula.wall))
            continue;
        if (pair->term.formula.kind == PH_RADIAL_TABLE)
            return ph_error_set(
                err, PH_ERR_NUMBERS,
                "Molecules %u and %u overlap: their sites %s and %s are %g apart, nearer than the first "
                "point of their table, at %g. Take a shorter step, a start whose molecules are "
                "further apart, or a table that begins at a shorter distance.",
                system->id[i], system->id[j], one, other, sqrt(r2), 1.0 / sqrt(pair->term.formula.wall));
        return ph_error_set(err, PH_ERR_NUMBERS,
                            "Molecules %u and %u overlap: their sites %s and %s are %g apart. Their radial "
                            "interaction has its maximum at %g, and attracts without bound at smaller distances. "
                            "Take a shorter step, or a start whose molecules are further apart.",
                            system->id[i], system->id[j], one, other, sqrt(r2), 1.0 / sqrt(pair->term.formula.wall));
    }
    return PH_OK;
}

/* Why the force on molecule i is not finite: some position or orientation is not finite, or two molecules overlap. */
enum ph_status ph_pairs_explain(const void *term, const struct ph_system *system, size_t i, struct ph_error *err)
{
    const struct ph_share *share = ((const struct ph_pairs *)term)->tiles.share;
    const size_t n = share ? share->owners.own.n + share->owners.own.n_ghosts : system->n;
    for (size_t k = 0; k < n; ++k) {
        const size_t j = known_at(share, k);
        if (!isfinite(system->r[0][j] + system->r[1][j] + system->r[2][j]))
            return ph_error_set(err, PH_ERR_NUMBERS, "The position of molecule %u is not finite: (%g, %g, %g).",
                                system->id[j], system->r[0][j], system->r[1][j], system->r[2][j]);
        if (!isfinite(system->q[0][j] + system->q[1][j] + system->q[2][j] + system->q[3][j]))
            return ph_error_set(err, PH_ERR_NUMBERS, "The orientation of molecule %u is not finite: (%g, %g, %g, %g).",
                                system->id[j], system->q[0][j], system->q[1][j], system->q[2][j], system->q[3][j]);
    }
    size_t nearest = i;
    double smallest = INFINITY;
    for (size_t k = 0; k < n; ++k) {
        const size_t j = known_at(share, k);
        double d[3] = {system->r[0][i] - system->r[0][j], system->r[1][i] - system->r[1][j],
                       system->r[2][i] - system->r[2][j]};
        ph_box_minimum_image(&system->box, d);
        const double distance = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        if (j != i && explain_wall(term, system, i, j, d, err) != PH_OK)
            return PH_ERR_NUMBERS;
        if (j != i && distance < smallest) {
            smallest = distance;
            nearest = j;
        }
    }
    if (nearest == i)
        return ph_error_set(err, PH_ERR_NUMBERS, "The force on molecule %u at (%g, %g, %g) is not finite.",
                            system->id[i], system->r[0][i], system->r[1][i], system->r[2][i]);
    return ph_error_set(
        err, PH_ERR_NUMBERS,
        "The force on molecule %u at (%g, %g, %g) is not finite; the nearest molecule is %u, at a distance of %g: "
        "they overlap.",
        system->id[i], system->r[0][i], system->r[1][i], system->r[2][i], system->id[nearest], smallest);
}
