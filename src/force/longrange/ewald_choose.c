/* SPDX-License-Identifier: MIT */
/* Chooses the parameters of an Ewald sum that the user has not given, from the tolerance. */
#include "base/library.h"
#include "base/vec3.h"
#include "force/longrange/ewald.h"
#include "force/longrange/fluid.h"
#include "force/longrange/mesh/mesh_choice.h"
#include "force/longrange/split.h"

#include <string.h>

static const double pi = 3.14159265358979323846;

/* Bessel: the largest that is chosen, beyond which the pairs are not good to 1e-12 (split.h); more waves do as well */
static const double largest_shape = 30.0;

/* Expected errors of direct sums, of pairs and of waves each, are at most this part of the tolerance. Errors found are
 * 0.5 to 1.2 times the expected errors. They are up to 2.6 times as large where many waves have the length at which the
 * sum ends. */
static const double reserve = 0.35;

/* A direct sum whose parameters are being chosen */
struct direct {
    const struct ph_fluid *fluid;
    const struct ph_interactions *interactions;
    double limit2; /* of mean squares of errors */
};

static struct direct direct_of(const struct ph_system *system, const struct ph_interactions *interactions,
                               struct ph_fluid *fluid)
{
    const double limit = reserve * interactions->ewald.tolerance;
    ph_fluid_init(&system->box, system->n_species, system->species, system->first, fluid);
    return (struct direct){fluid, interactions, limit * limit * ph_fluid_force2(fluid)};
}

static bool pairs_are_good(const struct direct *direct)
{
    const struct ph_split split = ph_split_of(direct->interactions);
    return !(ph_fluid_pairs_error2(direct->fluid, direct->interactions, &split) > direct->limit2);
}

static bool waves_are_good(const struct direct *direct, double k)
{
    const struct ph_split split = ph_split_of(direct->interactions);
    return !(ph_fluid_waves_error2(direct->fluid, &split, k) > direct->limit2);
}

static double expected_error(const struct direct *direct, double k)
{
    const struct ph_split split = ph_split_of(direct->interactions);
    const double force2 = ph_fluid_force2(direct->fluid);
    return force2 > 0.0 ? sqrt((ph_fluid_pairs_error2(direct->fluid, direct->interactions, &split) +
                                ph_fluid_waves_error2(direct->fluid, &split, k)) /
                               force2)
                        : 0.0;
}

/* The least k_max between low and high that is good, or high */
static double least_k(const struct direct *direct, double low, double high)
{
    for (int n = 0; n < 40; ++n) {
        const double k = 0.5 * (low + high);
        *(waves_are_good(direct, k) ? &high : &low) = k;
    }
    return high;
}

/* Gauss: the least screening for the pairs, then the waves that it needs; both errors fall like exp(-(a rc)^2) */
static void choose_gauss(const struct direct *direct, struct ph_ewald_choice *choice)
{
    const double rc = direct->interactions->cutoff;
    const bool chosen = choice->screening == 0.0;
    double low = 1.0, high = 12.0;
    for (int n = 0; n < 40 && chosen; ++n) {
        choice->screening = 0.5 * (low + high) / rc;
        *(pairs_are_good(direct) ? &high : &low) = choice->screening * rc;
    }
    if (chosen)
        choice->screening = high / rc;
    if (choice->k_max == 0.0)
        choice->k_max = least_k(direct, 0.5 / rc, 24.0 * choice->screening);
}

/* Bessel: where g is 0 for the first time, at k rc = sqrt(b^2 + z^2), z the first zero of the spherical Bessel function
 * of order m. Beyond, g is small and swings: with this k_max, a shape that meets a tolerance takes the fewest waves. */
static double first_zero(const struct ph_split *split)
{
    const double order = split->m + 0.5, root = ph_library_cbrt(order), z = order + 1.8557571 * root + 1.03315 / root;
    return sqrt(split->b * split->b + z * z) / split->rc;
}

static enum ph_status choose_bessel(const struct direct *direct, struct ph_ewald_choice *choice, struct ph_error *err)
{
    const double rc = direct->interactions->cutoff;
    if (!(choice->shape >= 0.0 && choice->shape <= 36.0))
        return ph_error_set(err, PH_ERR_INPUT, "interactions.electrostatics.shape is %g; it must lie between 0 and 36.",
                            choice->shape);
    const bool shape_given = choice->shape != 0.0;
    double low = 4.0, high = largest_shape;
    if (!shape_given)
        choice->shape = high;
    while (!shape_given && high > low && !pairs_are_good(direct))
        choice->shape = high -= 0.5; /* until the polynomials of pairs are accurate enough */
    for (int n = 0; n < 40 && !shape_given; ++n) {
        choice->shape = 0.5 * (low + high);
        const struct ph_split split = ph_split_of(direct->interactions);
        *(waves_are_good(direct, first_zero(&split)) ? &high : &low) = choice->shape;
    }
    if (choice->k_max != 0.0)
        return PH_OK;
    const struct ph_split split = ph_split_of(direct->interactions);
    choice->k_max = least_k(direct, 1.0 / rc, 3.0 * first_zero(&split));
    if (expected_error(direct, choice->k_max) > 0.8 * choice->tolerance || choice->tolerance < 1e-11)
        return ph_error_set(err, PH_ERR_INPUT,
                            "interactions.electrostatics.tolerance is %g, which split: bessel with shape %g does not "
                            "reach: take %s.",
                            choice->tolerance, choice->shape,
                            shape_given && choice->tolerance >= 1e-11 ? "a larger one" : "split: gauss");
    return PH_OK;
}

static enum ph_status choose_direct(const struct ph_system *system, struct ph_interactions *interactions,
                                    struct ph_error *err)
{
    struct ph_ewald_choice *choice = &interactions->ewald;
    const double(*inverse)[3] = system->box.inverse;
    struct ph_fluid fluid;
    const struct direct direct = direct_of(system, interactions, &fluid);
    if (choice->split == PH_SPLIT_GAUSS)
        choose_gauss(&direct, choice);
    else if (choose_bessel(&direct, choice, err) != PH_OK)
        return PH_ERR_INPUT;
    if (choice->expected_error == 0.0)
        choice->expected_error = expected_error(&direct, choice->k_max);
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

static struct ph_mesh_wish wish_of(const struct ph_system *system, const struct ph_interactions *interactions)
{
    const struct ph_ewald_choice *choice = &interactions->ewald;
    struct ph_mesh_wish wish = {.box = &system->box,
                                .n_species = system->n_species,
                                .species = system->species,
                                .first = system->first,
                                .tolerance = choice->tolerance,
                                .quadrupoles = choice->quadrupoles,
                                .smoothness = choice->smoothness,
                                .costs = ph_mesh_usual_costs,
                                .cutoff = interactions->cutoff,
                                .shape = choice->shape,
                                .window = choice->window,
                                .width = choice->width};
    memcpy(wish.grid, choice->grid, sizeof wish.grid);
    return wish;
}

static struct ph_mesh_plan plan_given(const struct ph_mesh_wish *wish)
{
    struct ph_mesh_plan given = {
        .cutoff = wish->cutoff, .shape = wish->shape, .window = wish->window, .width = wish->width};
    memcpy(given.grid, wish->grid, sizeof given.grid);
    return given;
}

static enum ph_status choose_mesh(const struct ph_system *system, struct ph_interactions *interactions,
                                  struct ph_error *err)
{
    struct ph_ewald_choice *choice = &interactions->ewald;
    const bool gauss = choice->split == PH_SPLIT_GAUSS;
    const bool mesh_given = choice->grid[0] != 0 && choice->width != 0 && choice->window != 0.0;
    if (gauss && !mesh_given)
        return ph_error_set(err, PH_ERR_INPUT,
                            "interactions.electrostatics.split: gauss goes with method: ewald, or with a mesh whose "
                            "grid, width and window are all given.");
    if (gauss) {
        struct ph_fluid fluid;
        const struct direct direct = direct_of(system, interactions, &fluid);
        choose_gauss(&direct, choice);
    }
    const struct ph_mesh_wish wish = wish_of(system, interactions);
    if (mesh_given && (gauss || (choice->shape != 0.0 && interactions->cutoff != 0.0))) { /* also for a resumed run */
        struct ph_mesh_plan given = plan_given(&wish);
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

static bool has_quadrupoles(const struct ph_system *system)
{
    double m[6];
    bool found = false;
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t a = 0; a < system->species[s].n_sites; ++a)
            found = found || ph_site_tensor(&system->species[s].site[a], m);
    return found;
}

enum ph_status ph_ewald_choose(const struct ph_system *system, struct ph_interactions *interactions,
                               struct ph_error *err)
{
    struct ph_ewald_choice *choice = &interactions->ewald;
    const bool mesh = interactions->electrostatics == PH_ELECTROSTATICS_MESH;
    const double least = mesh ? 3e-12 : 1e-15; /* of 1e-12 ions with dipoles get the sixfold */
    if (system->box.kind == PH_BOX_OPEN)
        return ph_error_set(err, PH_ERR_INPUT, "An Ewald sum needs a periodic box.");
    if (interactions->truncation == PH_TRUNCATE_NONE)
        return ph_error_set(err, PH_ERR_INPUT, "An Ewald sum needs interactions.cutoff, for its sum over pairs.");
    choice->quadrupoles = has_quadrupoles(system);
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
    const struct ph_ewald_choice asked = *choice;
    const enum ph_status status =
        mesh ? choose_mesh(system, interactions, err) : choose_direct(system, interactions, err);
    if (status == PH_OK)
        ph_ewald_note_chosen(&asked, choice);
    return status;
}

/* ---- Another box ---- */

void ph_ewald_note_chosen(const struct ph_ewald_choice *asked, struct ph_ewald_choice *complete)
{
    const bool was_chosen[] = {asked->screening == 0.0 && complete->screening != 0.0,
                               asked->shape == 0.0 && complete->shape != 0.0,
                               asked->k_max == 0.0 && complete->k_max != 0.0,
                               asked->grid[0] == 0 && complete->grid[0] != 0,
                               asked->width == 0 && complete->width != 0,
                               asked->window == 0.0 && complete->window != 0.0};
    for (int k = 0; k < 6; ++k) /* in the order of ph_ewald_chosen */
        complete->chosen |= was_chosen[k] ? 1 << k : 0;
}

/* Finds the shortest wave that a direct sum still has in all directions. Its reciprocal vectors are an ellipsoid n.(M
 * n) < 1. In another box it is an ellipsoid of k = (2 pi inverse) n, k.(A k) < 1 with A = edges^T M edges/(2 pi)^2. The
 * largest eigenvalue of A belongs to the shortest axis. Powers of A, which is positive, lead to it: twelve squares are
 * more than enough. */
static double shortest_k(const struct ph_box *box, const struct ph_ewald_choice *choice)
{
    double a[3][3] = {{0.0}}, largest = 1.0, power = 1.0;
    for (int x = 0; x < 3; ++x)
        for (int y = 0; y < 3; ++y)
            for (int e = 0; e < 3; ++e)
                for (int f = 0; f < 3; ++f)
                    a[x][y] += box->edge[e][x] * choice->waves[e][f] * box->edge[f][y] / (4.0 * pi * pi);
    for (int n = 0; n < 12; ++n) { /* A^(2^n) = largest^(2^n) a */
        const double trace = a[0][0] + a[1][1] + a[2][2];
        double square[3][3] = {{0.0}};
        largest *= ph_library_pow(trace, power);
        power *= 0.5;
        for (int x = 0; x < 3; ++x)
            for (int y = 0; y < 3; ++y)
                for (int z = 0; z < 3; ++z)
                    square[x][y] += a[x][z] / trace * (a[z][y] / trace);
        memcpy(a, square, sizeof a);
    }
    return 1.0 / sqrt(largest * ph_library_pow(a[0][0] + a[1][1] + a[2][2], power));
}

bool ph_ewald_is_rough(const struct ph_system *system, const struct ph_interactions *interactions)
{
    const struct ph_ewald_choice *choice = &interactions->ewald;
    const bool mesh = interactions->electrostatics == PH_ELECTROSTATICS_MESH;
    if (mesh && (choice->split == PH_SPLIT_GAUSS || choice->chosen == 0))
        return false;
    double error;
    if (mesh) {
        const struct ph_mesh_wish wish = wish_of(system, interactions);
        const struct ph_mesh_plan plan = plan_given(&wish);
        error = ph_mesh_expected_error(&wish, &plan);
    } else {
        struct ph_fluid fluid;
        const struct direct direct = direct_of(system, interactions, &fluid);
        error = expected_error(&direct, shortest_k(&system->box, choice));
    }
    return error > choice->tolerance && error > 1.25 * choice->expected_error;
}

enum ph_status ph_ewald_choose_again(const struct ph_system *system, struct ph_interactions *interactions,
                                     struct ph_error *err)
{
    struct ph_ewald_choice *choice = &interactions->ewald;
    const int chosen = choice->chosen;
    if (chosen & PH_CHOSE_SCREENING)
        choice->screening = 0.0;
    if (chosen & PH_CHOSE_SHAPE)
        choice->shape = 0.0;
    if (chosen & PH_CHOSE_K_MAX)
        choice->k_max = 0.0;
    if (chosen & PH_CHOSE_GRID)
        memset(choice->grid, 0, sizeof choice->grid);
    if (chosen & PH_CHOSE_WIDTH)
        choice->width = 0;
    if (chosen & PH_CHOSE_WINDOW)
        choice->window = 0.0;
    memset(choice->waves, 0, sizeof choice->waves);
    choice->expected_error = 0.0;
    return ph_ewald_choose(system, interactions, err);
}
