/* SPDX-License-Identifier: MIT */
/* What an Ewald sum is not told it chooses, from the tolerance. */
#include "base/library.h"
#include "base/vec3.h"
#include "force/longrange/ewald.h"
#include "force/longrange/mesh_choice.h"
#include "force/longrange/split.h"

static const double pi = 3.14159265358979323846, root_pi = 1.77245385090551602730;

/* Bessel: the largest that is chosen, beyond which the pairs are not good to 1e-12 (split.h); more waves do as well */
static const double largest_shape = 30.0;

/* x = a r from which on the force between screened charges is less than a part y of that between bare ones, erfc(x) +
 * 2 x exp(-x^2)/sqrt(pi): bisection, once per run */
static double far_enough(double y)
{
    double low = 0.0, high = 10.0;
    for (int k = 0; k < 60; ++k) {
        const double x = 0.5 * (low + high);
        if (ph_library_erfc(x) + 2.0 * x * ph_library_exp(-x * x) / root_pi > y)
            low = x;
        else
            high = x;
    }
    return high;
}

static void settle_gauss(double rc, struct ph_ewald_choice *choice)
{
    const double x = far_enough(choice->tolerance);
    if (choice->screening == 0.0)
        choice->screening = x / rc;
    if (choice->k_max == 0.0)
        choice->k_max = 2.0 * choice->screening * x;
}

/* Charges and dipoles of a system, as if evenly spread */
struct spread {
    double distance; /* of neighbours */
    bool charges, dipoles;
};

static struct spread spread_of(const struct ph_system *system)
{
    double n = 0.0;
    struct spread spread = {.charges = false};
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t a = 0; a < system->species[s].n_sites; ++a) {
            const struct ph_site *site = &system->species[s].site[a];
            const bool charge = site->charge != 0.0, dipole = !ph_vec3_is_zero(site->dipole);
            n += charge || dipole ? (double)(system->first[s + 1] - system->first[s]) : 0.0;
            spread.charges = spread.charges || charge;
            spread.dipoles = spread.dipoles || dipole;
        }
    spread.distance = ph_library_cbrt(system->box.volume / fmax(n, 1.0));
    return spread;
}

/* Bessel: the relative error of forces without the waves from k on. If sites were anywhere, rho in a volume, these had
 * the mean squares
 *
 *   8 rho q^4/rc times the integral of g^2,   and for dipoles   8/9 rho mu^4/rc^5 times that of g^2 t^4,   t > k rc,
 *
 * which is compared with that of the forces themselves, say (2.5 q^2/d^2)^2 and (10 mu^2/d^4)^2 for rho = 1/d^3: those
 * of disordered ions and dipoles are 1.6 times that. Beyond k the integrands fall like t^-14 and faster. */
static double error_of_waves(const struct ph_split *split, double k, struct spread spread)
{
    const double step = 0.1, x = spread.distance / split->rc;
    double charges = 0.0, dipoles = 0.0;
    for (int n = 0; n < 300; ++n) {
        const double t = k * split->rc + (n + 0.5) * step, k2 = t * t / (split->rc * split->rc);
        const double g = ph_split_wave(split, k2, NULL);
        charges += step * g * g;
        dipoles += step * (g * t * t) * (g * t * t);
    }
    return fmax(spread.charges ? sqrt(8.0 * x * charges) / 2.5 : 0.0,
                spread.dipoles ? sqrt(8.0 / 9.0 * x * dipoles) * x * x / 10.0 : 0.0);
}

/* Bessel: where g is 0 for the first time, at k rc = sqrt(b^2 + z^2), z the first zero of the spherical Bessel function
 * of order m. Beyond, g is small and swings: with this k_max, a shape that meets a tolerance takes the fewest waves. */
static double first_zero(const struct ph_split *split)
{
    const double order = split->m + 0.5, root = ph_library_cbrt(order), z = order + 1.8557571 * root + 1.03315 / root;
    return sqrt(split->b * split->b + z * z) / split->rc;
}

static enum ph_status settle_bessel(const struct ph_system *system, struct ph_interactions *interactions,
                                    struct ph_error *err)
{
    struct ph_ewald_choice *choice = &interactions->ewald;
    const struct spread spread = spread_of(system);
    const double rc = interactions->cutoff;
    if (!(choice->shape >= 0.0 && choice->shape <= 36.0))
        return ph_error_set(err, PH_ERR_INPUT, "interactions.electrostatics.shape is %g; it must lie between 0 and 36.",
                            choice->shape);
    const bool shape_given = choice->shape != 0.0;
    double low = 4.0, high = largest_shape;
    for (int n = 0; n < 40 && !shape_given; ++n) {
        choice->shape = 0.5 * (low + high);
        const struct ph_split split = ph_split_of(interactions);
        *(error_of_waves(&split, first_zero(&split), spread) > choice->tolerance ? &low : &high) = choice->shape;
    }
    if (choice->k_max != 0.0)
        return PH_OK;
    const struct ph_split split = ph_split_of(interactions);
    low = 1.0 / rc;
    high = 3.0 * first_zero(&split);
    for (int n = 0; n < 40; ++n) {
        const double k = 0.5 * (low + high);
        *(error_of_waves(&split, k, spread) > choice->tolerance ? &low : &high) = k;
    }
    choice->k_max = high;
    if (error_of_waves(&split, high, spread) > choice->tolerance || choice->tolerance < 1e-11)
        return ph_error_set(err, PH_ERR_INPUT,
                            "interactions.electrostatics.tolerance is %g, which split: bessel with shape %g does not "
                            "reach: take %s.",
                            choice->tolerance, choice->shape,
                            shape_given && choice->tolerance >= 1e-11 ? "a larger one" : "split: gauss");
    return PH_OK;
}

static enum ph_status settle_direct(const struct ph_system *system, struct ph_interactions *interactions,
                                    struct ph_error *err)
{
    struct ph_ewald_choice *choice = &interactions->ewald;
    const double(*inverse)[3] = system->box.inverse;
    if (choice->split == PH_SPLIT_GAUSS)
        settle_gauss(interactions->cutoff, choice);
    else if (settle_bessel(system, interactions, err) != PH_OK)
        return PH_ERR_INPUT;
    if (choice->waves[0][0] != 0.0) /* as in another box */
        return PH_OK;
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
            choice->waves[a][b] = 4.0 * pi * pi * ph_vec3_dot(inverse[a], inverse[b]) / (choice->k_max * choice->k_max);
    return PH_OK;
}

static void keep_costs(const struct ph_mesh_plan *plan, struct ph_ewald_choice *choice)
{
    choice->pairs_cost = plan->pairs;
    choice->spread_cost = plan->spread;
    choice->gather_cost = plan->gather;
    choice->transform_cost = plan->transform;
}

static enum ph_status settle_mesh(const struct ph_system *system, struct ph_interactions *interactions,
                                  struct ph_error *err)
{
    struct ph_ewald_choice *choice = &interactions->ewald;
    const bool gauss = choice->split == PH_SPLIT_GAUSS;
    const bool mesh_given = choice->grid[0] != 0 && choice->width != 0 && choice->window != 0.0;
    if (gauss && !mesh_given)
        return ph_error_set(err, PH_ERR_INPUT,
                            "interactions.electrostatics.split: gauss goes with method: ewald, or with a mesh whose "
                            "grid, width and window are all given.");
    if (gauss)
        settle_gauss(interactions->cutoff, choice);
    struct ph_mesh_wish wish = {.box = &system->box,
                                .n_species = system->n_species,
                                .species = system->species,
                                .first = system->first,
                                .tolerance = choice->tolerance,
                                .smoothness = choice->smoothness,
                                .costs = ph_mesh_usual_costs,
                                .cutoff = interactions->cutoff,
                                .shape = choice->shape,
                                .window = choice->window,
                                .width = choice->width};
    for (int e = 0; e < 3; ++e)
        wish.grid[e] = choice->grid[e];
    if (mesh_given && (gauss || (choice->shape != 0.0 && interactions->cutoff != 0.0))) { /* also when a run goes on */
        struct ph_mesh_plan given = {
            .cutoff = wish.cutoff, .shape = wish.shape, .window = wish.window, .width = wish.width};
        memcpy(given.grid, wish.grid, sizeof given.grid);
        if (choice->expected_error == 0.0 && !gauss)
            choice->expected_error = ph_mesh_expected_error(&wish, &given);
        ph_mesh_expect_costs(&wish, &given);
        keep_costs(&given, choice);
        return PH_OK;
    }
    struct ph_mesh_plan plan;
    const enum ph_status status = ph_mesh_choose(&wish, &plan, err);
    if (status != PH_OK)
        return status;
    if (interactions->cutoff == 0.0) { /* there are no radial terms that a switch would act on */
        interactions->cutoff = plan.cutoff;
        interactions->switch_width = 0.15 * plan.cutoff;
    }
    choice->shape = plan.shape;
    choice->window = plan.window;
    choice->width = plan.width;
    for (int e = 0; e < 3; ++e)
        choice->grid[e] = plan.grid[e];
    choice->expected_error = plan.error;
    keep_costs(&plan, choice);
    return PH_OK;
}

enum ph_status ph_ewald_settle(const struct ph_system *system, struct ph_interactions *interactions,
                               struct ph_error *err)
{
    struct ph_ewald_choice *choice = &interactions->ewald;
    const bool mesh = interactions->electrostatics == PH_ELECTROSTATICS_MESH;
    const double least = mesh ? 3e-12 : 1e-15; /* of 1e-12 ions with dipoles get the sixfold */
    if (system->box.kind == PH_BOX_OPEN)
        return ph_error_set(err, PH_ERR_INPUT, "An Ewald sum needs a periodic box.");
    if (interactions->truncation == PH_TRUNCATE_NONE)
        return ph_error_set(err, PH_ERR_INPUT, "An Ewald sum needs interactions.cutoff, for its sum over pairs.");
    if (choice->tolerance == 0.0)
        choice->tolerance = 1e-6;
    if (!(choice->tolerance >= least && choice->tolerance <= 1e-2))
        return ph_error_set(err, PH_ERR_INPUT,
                            "interactions.electrostatics.tolerance is %g; it must lie between %g and 0.01.",
                            choice->tolerance, least);
    if (choice->smoothness == 0)
        choice->smoothness = 6;
    if (choice->smoothness < 2 || choice->smoothness > 12)
        return ph_error_set(err, PH_ERR_INPUT,
                            "interactions.electrostatics.smoothness is %d; it must lie between 2 and 12.",
                            choice->smoothness);
    return mesh ? settle_mesh(system, interactions, err) : settle_direct(system, interactions, err);
}
