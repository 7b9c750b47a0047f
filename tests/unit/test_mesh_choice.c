/* SPDX-License-Identifier: MIT */
#include "support.h"

#include "force/longrange/mesh_choice.h"

#include <string.h>

/* Fluids whose forces were computed both on a mesh and by direct sums. Configurations came from simulations:
 * Stockmayer mu*^2 = 3, rho* 0.8, T* 1.37, cubic and in a long box; SPC/E water at 298 K and 1 g/cm^3, in a cube and in
 * a tilted box; molten NaCl at 1170 K; Stockmayer molecules with a fifth of ions of charge 3, at rho* 0.7. */
enum { STOCKMAYER, LONG, WATER, TILTED, SALT, MIXTURE, FLUIDS };

struct fluid {
    struct ph_box box;
    struct ph_species species[3];
    size_t n_species, first[4];
    double cutoff;
};

static void set_box(struct fluid *fluid, double xx, double yx, double yy, double zx, double zy, double zz)
{
    const double edge[3][3] = {{xx, 0.0, 0.0}, {yx, yy, 0.0}, {zx, zy, zz}};
    assert_int_equal(ph_box_init_periodic(edge, &fluid->box, NULL), PH_OK);
}

static struct ph_species *add_species(struct fluid *fluid, size_t count)
{
    const size_t s = fluid->n_species++;
    fluid->first[s + 1] = fluid->first[s] + count;
    return &fluid->species[s];
}

static void add_site(struct ph_species *species, double x, double z, double charge, double dipole)
{
    struct ph_site *site = &species->site[species->n_sites++];
    *site = (struct ph_site){.position = {x, 0.0, z}, .charge = charge, .dipole = {0.0, 0.0, dipole}};
    species->extent = fmax(species->extent, hypot(x, z));
}

static struct fluid fluid_of(int kind)
{
    const double mu = sqrt(3.0);
    struct fluid fluid = {.cutoff = kind == WATER || kind == TILTED || kind == SALT ? 0.9 : 3.5};
    if (kind == STOCKMAYER) {
        set_box(&fluid, 8.549879733383484, 0.0, 8.549879733383484, 0.0, 0.0, 8.549879733383484);
        add_site(add_species(&fluid, 500), 0.0, 0.0, 0.0, mu);
    } else if (kind == LONG) {
        set_box(&fluid, 7.2, 0.0, 7.2, 0.0, 0.0, 19.29);
        add_site(add_species(&fluid, 800), 0.0, 0.0, 0.0, mu);
    } else if (kind == WATER || kind == TILTED) {
        if (kind == WATER)
            set_box(&fluid, 2.1742658155081336, 0.0, 2.1742658155081336, 0.0, 0.0, 2.1742658155081336);
        else
            set_box(&fluid, 2.3, 0.7, 2.2, -0.5, 0.6, 2.0314);
        struct ph_species *water = add_species(&fluid, 343);
        add_site(water, 0.0, -0.0064610, -0.8476, 0.0);
        add_site(water, 0.0816490, 0.0512749, 0.4238, 0.0);
        add_site(water, -0.0816490, 0.0512749, 0.4238, 0.0);
    } else if (kind == SALT) {
        set_box(&fluid, 2.574638358948346, 0.0, 2.574638358948346, 0.0, 0.0, 2.574638358948346);
        add_site(add_species(&fluid, 256), 0.0, 0.0, 1.0, 0.0);
        add_site(add_species(&fluid, 256), 0.0, 0.0, -1.0, 0.0);
    } else {
        set_box(&fluid, 8.939035350965677, 0.0, 8.939035350965677, 0.0, 0.0, 8.939035350965677);
        add_site(add_species(&fluid, 400), 0.0, 0.0, 0.0, mu);
        add_site(add_species(&fluid, 50), 0.0, 0.0, 3.0, 0.0);
        add_site(add_species(&fluid, 50), 0.0, 0.0, -3.0, 0.0);
    }
    return fluid;
}

static struct ph_mesh_wish wish_for(const struct fluid *fluid, double tolerance)
{
    return (struct ph_mesh_wish){.box = &fluid->box,
                                 .n_species = fluid->n_species,
                                 .species = fluid->species,
                                 .first = fluid->first,
                                 .tolerance = tolerance,
                                 .smoothness = 6,
                                 .costs = ph_mesh_usual_costs,
                                 .cutoff = fluid->cutoff};
}

static struct ph_mesh_plan chosen(const struct ph_mesh_wish *wish)
{
    struct ph_mesh_plan plan;
    struct ph_error err;
    if (ph_mesh_choose(wish, &plan, &err) != PH_OK)
        fail_msg("%s", err.text);
    return plan;
}

static double cost_of(const struct ph_mesh_plan *plan)
{
    return plan->pairs + plan->spread + plan->gather + plan->transform;
}

static double points_of(const struct ph_mesh_plan *plan)
{
    return (double)plan->grid[0] * plan->grid[1] * plan->grid[2];
}

/* rms error of the forces on molecules, relative to their rms, with smoothness 6 */
static const struct {
    int fluid;
    struct ph_mesh_plan plan;
    double found;
} measured[] = {
    {STOCKMAYER, {.shape = 16.0, .width = 20, .window = 44.0, .grid = {32, 32, 32}}, 7.22e-09},
    {STOCKMAYER, {.shape = 16.0, .width = 6, .window = 12.0, .grid = {40, 40, 40}}, 5.05e-03},
    {STOCKMAYER, {.shape = 16.0, .width = 8, .window = 18.0, .grid = {40, 40, 40}}, 3.14e-05},
    {STOCKMAYER, {.shape = 20.0, .width = 10, .window = 21.0, .grid = {40, 40, 40}}, 3.77e-07},
    {STOCKMAYER, {.shape = 20.0, .width = 12, .window = 27.0, .grid = {40, 40, 40}}, 2.42e-09},
    {STOCKMAYER, {.shape = 20.0, .width = 14, .window = 31.5, .grid = {48, 48, 48}}, 4.13e-11},
    {STOCKMAYER, {.shape = 13.00, .width = 9, .window = 16.00, .grid = {20, 20, 20}}, 4.17e-06},
    {STOCKMAYER, {.shape = 21.25, .width = 12, .window = 24.25, .grid = {28, 28, 28}}, 7.19e-09},
    {STOCKMAYER, {.shape = 25.50, .width = 14, .window = 28.75, .grid = {32, 32, 32}}, 1.06e-10},
    {LONG, {.shape = 16.0, .width = 20, .window = 44.0, .grid = {32, 32, 86}}, 1.73e-09},
    {LONG, {.shape = 16.0, .width = 6, .window = 12.0, .grid = {40, 40, 108}}, 9.15e-03},
    {LONG, {.shape = 16.0, .width = 8, .window = 18.0, .grid = {40, 40, 108}}, 4.59e-05},
    {LONG, {.shape = 20.0, .width = 10, .window = 21.0, .grid = {40, 40, 108}}, 4.89e-07},
    {LONG, {.shape = 20.0, .width = 12, .window = 27.0, .grid = {40, 40, 108}}, 3.21e-09},
    {LONG, {.shape = 20.0, .width = 14, .window = 31.5, .grid = {48, 48, 130}}, 3.76e-11},
    {LONG, {.shape = 12.00, .width = 9, .window = 15.50, .grid = {16, 16, 42}}, 6.78e-06},
    {LONG, {.shape = 20.75, .width = 12, .window = 24.00, .grid = {24, 24, 60}}, 8.77e-09},
    {LONG, {.shape = 25.50, .width = 14, .window = 28.75, .grid = {28, 28, 72}}, 9.48e-11},
    {WATER, {.shape = 16.0, .width = 20, .window = 44.0, .grid = {32, 32, 32}}, 3.07e-09},
    {WATER, {.shape = 16.0, .width = 6, .window = 12.0, .grid = {40, 40, 40}}, 8.99e-04},
    {WATER, {.shape = 16.0, .width = 8, .window = 18.0, .grid = {40, 40, 40}}, 5.08e-06},
    {WATER, {.shape = 20.0, .width = 10, .window = 21.0, .grid = {40, 40, 40}}, 6.53e-08},
    {WATER, {.shape = 20.0, .width = 12, .window = 27.0, .grid = {40, 40, 40}}, 4.11e-10},
    {WATER, {.shape = 20.0, .width = 14, .window = 31.5, .grid = {48, 48, 48}}, 5.38e-12},
    {WATER, {.shape = 13.25, .width = 9, .window = 15.75, .grid = {20, 20, 20}}, 2.28e-06},
    {WATER, {.shape = 16.75, .width = 11, .window = 26.00, .grid = {36, 36, 36}}, 3.76e-09},
    {WATER, {.shape = 21.75, .width = 13, .window = 30.25, .grid = {40, 40, 40}}, 3.60e-11},
    {TILTED, {.shape = 16.0, .width = 20, .window = 44.0, .grid = {34, 34, 32}}, 2.89e-09},
    {TILTED, {.shape = 16.0, .width = 6, .window = 12.0, .grid = {42, 42, 40}}, 9.96e-04},
    {TILTED, {.shape = 16.0, .width = 8, .window = 18.0, .grid = {42, 42, 40}}, 5.72e-06},
    {TILTED, {.shape = 20.0, .width = 10, .window = 21.0, .grid = {42, 42, 40}}, 6.71e-08},
    {TILTED, {.shape = 20.0, .width = 12, .window = 27.0, .grid = {42, 42, 40}}, 4.57e-10},
    {TILTED, {.shape = 20.0, .width = 14, .window = 31.5, .grid = {50, 50, 48}}, 6.16e-12},
    {TILTED, {.shape = 12.50, .width = 9, .window = 15.25, .grid = {20, 20, 20}}, 3.78e-06},
    {TILTED, {.shape = 16.00, .width = 11, .window = 26.00, .grid = {36, 36, 36}}, 5.15e-09},
    {TILTED, {.shape = 21.25, .width = 13, .window = 30.25, .grid = {40, 40, 40}}, 5.38e-11},
    {SALT, {.shape = 16.0, .width = 20, .window = 44.0, .grid = {32, 32, 32}}, 7.44e-09},
    {SALT, {.shape = 16.0, .width = 6, .window = 12.0, .grid = {40, 40, 40}}, 1.06e-03},
    {SALT, {.shape = 16.0, .width = 8, .window = 18.0, .grid = {40, 40, 40}}, 1.05e-05},
    {SALT, {.shape = 20.0, .width = 10, .window = 21.0, .grid = {40, 40, 40}}, 1.10e-07},
    {SALT, {.shape = 20.0, .width = 12, .window = 27.0, .grid = {40, 40, 40}}, 1.11e-09},
    {SALT, {.shape = 20.0, .width = 14, .window = 31.5, .grid = {48, 48, 48}}, 1.56e-11},
    {SALT, {.shape = 10.25, .width = 9, .window = 17.25, .grid = {24, 24, 24}}, 2.49e-06},
    {SALT, {.shape = 19.50, .width = 12, .window = 24.00, .grid = {30, 30, 30}}, 7.06e-09},
    {SALT, {.shape = 25.00, .width = 14, .window = 28.50, .grid = {36, 36, 36}}, 5.88e-11},
    {MIXTURE, {.shape = 16.0, .width = 20, .window = 44.0, .grid = {32, 32, 32}}, 7.81e-09},
    {MIXTURE, {.shape = 16.0, .width = 6, .window = 12.0, .grid = {40, 40, 40}}, 5.87e-03},
    {MIXTURE, {.shape = 16.0, .width = 8, .window = 18.0, .grid = {40, 40, 40}}, 3.53e-05},
    {MIXTURE, {.shape = 20.0, .width = 10, .window = 21.0, .grid = {40, 40, 40}}, 4.34e-07},
    {MIXTURE, {.shape = 20.0, .width = 12, .window = 27.0, .grid = {40, 40, 40}}, 2.72e-09},
    {MIXTURE, {.shape = 20.0, .width = 14, .window = 31.5, .grid = {48, 48, 48}}, 5.27e-11},
    {MIXTURE, {.shape = 12.25, .width = 9, .window = 15.75, .grid = {20, 20, 20}}, 5.90e-06},
    {MIXTURE, {.shape = 20.75, .width = 12, .window = 24.00, .grid = {28, 28, 28}}, 1.08e-08},
    {MIXTURE, {.shape = 26.00, .width = 14, .window = 28.75, .grid = {36, 36, 36}}, 8.86e-11},
};
enum { MEASURED = sizeof measured / sizeof measured[0] };

/* From 1e-2 to 1e-11 the error expected is that of direct sums, up to a factor that is well below that of one more
 * point of width (4 to 10). */
static void expected_errors_are_those_of_direct_sums(void **state)
{
    (void)state;
    double logs = 0.0;
    for (int i = 0; i < MEASURED; ++i) {
        const struct fluid fluid = fluid_of(measured[i].fluid);
        const struct ph_mesh_wish wish = wish_for(&fluid, 1e-6);
        struct ph_mesh_plan plan = measured[i].plan;
        plan.cutoff = fluid.cutoff;
        const double ratio = ph_mesh_expected_error(&wish, &plan) / measured[i].found;
        logs += log(ratio) / MEASURED;
        if (!(ratio > 0.5 && ratio < 2.8))
            fail_msg("fluid %d, width %d, grid %d: expected %.2f times what was found", measured[i].fluid, plan.width,
                     plan.grid[0], ratio);
    }
    assert_true(exp(logs) > 0.9 && exp(logs) < 1.6); /* on the average, rather too careful */
}

static void tighter_tolerances_take_more(void **state)
{
    (void)state;
    for (int kind = 0; kind < FLUIDS; ++kind) {
        const struct fluid fluid = fluid_of(kind);
        struct ph_mesh_plan before = {0};
        for (double tolerance = 1e-4; tolerance > 0.9e-10; tolerance *= 1e-2) {
            const struct ph_mesh_wish wish = wish_for(&fluid, tolerance);
            const struct ph_mesh_plan plan = chosen(&wish);
            assert_true(plan.error <= tolerance && plan.error > tolerance / 10.0);
            assert_close(ph_mesh_expected_error(&wish, &plan), plan.error, 1e-9, plan.error);
            assert_true(plan.width > before.width || points_of(&plan) > points_of(&before));
            assert_true(cost_of(&plan) > cost_of(&before));
            assert_true(plan.cutoff == fluid.cutoff);
            for (int e = 0; e < 3; ++e) {
                assert_int_equal(plan.grid[e], ph_mesh_friendly_size(plan.grid[e]));
                assert_true(plan.grid[e] >= plan.width);
            }
            before = plan;
        }
    }
}

/* Spacings follow the edges: those of a long box are alike, and of a tilted one as well. */
static void spacings_are_nearly_alike(void **state)
{
    (void)state;
    for (int kind = 0; kind < FLUIDS; ++kind) {
        const struct fluid fluid = fluid_of(kind);
        const struct ph_mesh_wish wish = wish_for(&fluid, 1e-8);
        const struct ph_mesh_plan plan = chosen(&wish);
        double most = 0.0, least = INFINITY;
        for (int e = 0; e < 3; ++e) {
            const double *edge = fluid.box.edge[e];
            const double spacing = sqrt(edge[0] * edge[0] + edge[1] * edge[1] + edge[2] * edge[2]) / plan.grid[e];
            most = fmax(most, spacing);
            least = fmin(least, spacing);
        }
        assert_true(most < 1.2 * least);
    }
}

/* No neighbour in shape or window is better, and one point less in width is not enough on this grid. */
static void choices_are_the_best(void **state)
{
    (void)state;
    for (int kind = 0; kind < FLUIDS; ++kind) {
        const struct fluid fluid = fluid_of(kind);
        struct ph_mesh_wish wish = wish_for(&fluid, 1e-7);
        struct ph_mesh_plan plan = chosen(&wish), other;
        for (int move = 0; move < 4; ++move) {
            other = plan;
            *(move < 2 ? &other.shape : &other.window) += move % 2 ? 0.5 : -0.5;
            assert_true(ph_mesh_expected_error(&wish, &other) >= plan.error);
        }
        memcpy(wish.grid, plan.grid, sizeof wish.grid);
        wish.width = plan.width - 1;
        assert_int_equal(ph_mesh_choose(&wish, &other, NULL), PH_ERR_INPUT);
        assert_true(other.error > plan.error && other.width == plan.width - 1);
        wish.width = 0;
        other = chosen(&wish);
        assert_memory_equal(other.grid, plan.grid, sizeof plan.grid);
        assert_int_equal(other.width, plan.width);
    }
}

/* With a dear transform the grid is coarser and the window wider, and the other way round. */
static void costs_decide_between_grid_and_width(void **state)
{
    (void)state;
    const struct fluid fluid = fluid_of(STOCKMAYER);
    struct ph_mesh_wish wish = wish_for(&fluid, 1e-6);
    wish.costs.transform *= 30.0;
    const struct ph_mesh_plan coarse = chosen(&wish);
    wish.costs.transform /= 1000.0;
    const struct ph_mesh_plan fine = chosen(&wish);
    assert_true(coarse.width > fine.width);
    assert_true(coarse.grid[0] < fine.grid[0]);
}

static void what_is_fixed_is_kept(void **state)
{
    (void)state;
    const struct fluid fluid = fluid_of(WATER);
    const struct ph_mesh_wish plain = wish_for(&fluid, 1e-6);
    struct ph_mesh_wish wish = plain;
    wish.width = 13;
    struct ph_mesh_plan plan = chosen(&wish);
    assert_int_equal(plan.width, 13);
    wish = plain;
    wish.shape = 13.125;
    plan = chosen(&wish);
    assert_true(plan.shape == 13.125 && plan.error <= 1e-6);
    wish = plain;
    wish.window = 21.0625;
    plan = chosen(&wish);
    assert_true(plan.window == 21.0625 && plan.error <= 1e-6);
    wish = plain;
    wish.grid[0] = 33, wish.grid[1] = 34, wish.grid[2] = 37;
    plan = chosen(&wish);
    assert_memory_equal(plan.grid, wish.grid, sizeof plan.grid);
    assert_true(plan.error <= 1e-6);
    wish.shape = 14.0, wish.window = 23.0, wish.width = 11;
    plan = chosen(&wish);
    assert_true(plan.shape == 14.0 && plan.window == 23.0 && plan.width == 11);
}

/* Less than half the box, and cheaper than fixed ones */
static void a_cutoff_is_chosen_too(void **state)
{
    (void)state;
    struct fluid fluid = {.n_species = 0}; /* 4096 dipoles */
    set_box(&fluid, 17.24, 0.0, 17.24, 0.0, 0.0, 17.24);
    add_site(add_species(&fluid, 4096), 0.0, 0.0, 0.0, 1.0);
    const struct ph_mesh_wish wish = wish_for(&fluid, 1e-6);
    const struct ph_mesh_plan plan = chosen(&wish);
    assert_true(plan.cutoff > 2.0 && plan.cutoff < 8.62 && plan.error <= 1e-6);
    for (int i = -1; i <= 1; i += 2) {
        struct ph_mesh_wish near = wish;
        near.cutoff = plan.cutoff + 1.2 * i;
        const struct ph_mesh_plan other = chosen(&near);
        assert_true(other.cutoff == near.cutoff && cost_of(&other) > cost_of(&plan));
    }
}

/* The error is one of densities: a box of twice the length with twice the molecules and points has the same. */
static void errors_do_not_depend_on_the_size_of_the_box(void **state)
{
    (void)state;
    struct fluid small = fluid_of(MIXTURE), large = small;
    set_box(&large, 8.939035350965677, 0.0, 8.939035350965677, 0.0, 0.0, 2.0 * 8.939035350965677);
    for (int s = 0; s < 4; ++s)
        large.first[s] *= 2;
    const struct ph_mesh_wish one = wish_for(&small, 1e-6), two = wish_for(&large, 1e-6);
    struct ph_mesh_plan plan = {.cutoff = 3.5, .shape = 15.0, .window = 21.0, .width = 10, .grid = {32, 32, 32}};
    const double error = ph_mesh_expected_error(&one, &plan);
    plan.grid[2] = 64;
    assert_close(ph_mesh_expected_error(&two, &plan), error, 1e-12, error);
}

/* Two charges near each other are a dipole, alone or beside a charge of the same molecule. */
static void charges_side_by_side_are_a_dipole(void **state)
{
    (void)state;
    for (int beside = 0; beside < 2; ++beside)
        for (int turned = 0; turned < 2; ++turned) {
            struct fluid point = {.cutoff = 3.5}, apart = {.cutoff = 3.5};
            struct fluid *const both[2] = {&point, &apart};
            for (int i = 0; i < 2; ++i) {
                set_box(both[i], 9.0, 0.0, 9.0, 0.0, 0.0, 9.0);
                struct ph_species *species = add_species(both[i], 500);
                const double d = 1e-3, sign = turned ? -1.0 : 1.0;
                if (beside)
                    add_site(species, 0.1, -0.3, 2.0, 0.0);
                if (i == 0)
                    add_site(species, 0.0, 0.3, 0.0, sign * 1.5);
                if (i == 1) {
                    add_site(species, 0.0, 0.3 + 0.5 * d, sign * 1.5 / d, 0.0);
                    add_site(species, 0.0, 0.3 - 0.5 * d, -sign * 1.5 / d, 0.0);
                }
            }
            const struct ph_mesh_wish one = wish_for(&point, 1e-6), two = wish_for(&apart, 1e-6);
            const struct ph_mesh_plan plan = {
                .cutoff = 3.5, .shape = 15.0, .window = 21.0, .width = 10, .grid = {20, 20, 20}};
            const double error = ph_mesh_expected_error(&one, &plan);
            assert_close(ph_mesh_expected_error(&two, &plan), error, 1e-4, error);
        }
}

static void friendly_sizes_are_even_with_small_factors(void **state)
{
    (void)state;
    static const int pairs[][2] = {{-3, 2},  {1, 2},   {11, 12},  {13, 14},   {22, 24},   {33, 36},    {34, 36},
                                   {43, 48}, {65, 70}, {99, 100}, {121, 126}, {211, 216}, {2047, 2048}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; ++i) {
        assert_int_equal(ph_mesh_friendly_size(pairs[i][0]), pairs[i][1]);
        assert_int_equal(ph_mesh_friendly_size(pairs[i][1]), pairs[i][1]);
    }
}

static void refuse(const struct ph_mesh_wish *wish, const char *text)
{
    struct ph_mesh_plan plan;
    struct ph_error err = {0};
    assert_int_equal(ph_mesh_choose(wish, &plan, &err), PH_ERR_INPUT);
    if (!strstr(err.text, text))
        fail_msg("\"%s\" is not in: %s", text, err.text);
}

static void what_cannot_be_reached_is_said(void **state)
{
    (void)state;
    struct fluid fluid = fluid_of(STOCKMAYER);
    const struct ph_mesh_wish plain = wish_for(&fluid, 1e-9);
    struct ph_mesh_wish wish = plain;
    wish.width = 7;
    refuse(&wish, "not the tolerance of 1.0e-09");
    wish = plain;
    wish.grid[0] = wish.grid[1] = wish.grid[2] = 16;
    refuse(&wish, "grid 16 x 16 x 16");
    wish.grid[1] = 5;
    refuse(&wish, "16 x 5 x 16");
    wish = plain;
    wish.width = 5;
    refuse(&wish, "is 5 points; it must be 6 to 20");
    wish = plain;
    wish.tolerance = 0.0;
    refuse(&wish, "tolerance");
    wish = plain;
    fluid.species[0].site[0].dipole[2] = 0.0;
    refuse(&wish, "there are none");
    fluid = fluid_of(STOCKMAYER);
    fluid.box = ph_box_open();
    refuse(&wish, "periodic");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expected_errors_are_those_of_direct_sums),
        cmocka_unit_test(tighter_tolerances_take_more),
        cmocka_unit_test(spacings_are_nearly_alike),
        cmocka_unit_test(choices_are_the_best),
        cmocka_unit_test(costs_decide_between_grid_and_width),
        cmocka_unit_test(what_is_fixed_is_kept),
        cmocka_unit_test(a_cutoff_is_chosen_too),
        cmocka_unit_test(errors_do_not_depend_on_the_size_of_the_box),
        cmocka_unit_test(charges_side_by_side_are_a_dipole),
        cmocka_unit_test(friendly_sizes_are_even_with_small_factors),
        cmocka_unit_test(what_cannot_be_reached_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
