/* SPDX-License-Identifier: MIT */
#include "force/longrange/mesh/mesh_choice.h"

#include "base/lanes.h"
#include "base/vec3.h"
#include "force/longrange/mesh/bessel.h"
#include "force/longrange/mesh/mesh_error.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const double reserve = 0.8; /* expected errors are at most this part of the tolerance */

/* Measured on one AVX-512 core (Xeon, 2 MiB of second-level cache): dipoles; charges take less */
const struct ph_mesh_costs ph_mesh_usual_costs = {.pair = 8.0,
                                                  .spread_site = 190.0,
                                                  .spread_point = 0.17,
                                                  .gather_site = 230.0,
                                                  .gather_point = 0.21,
                                                  .transform = 0.5};

struct search {
    const struct ph_mesh_wish *wish;
    struct ph_fluid fluid;
    double force2, cutoff;
    struct ph_mesh_zone zone;
    double shape, window_per_width, step; /* initial values of the next search */
};

/* m of split and window */
static int order_of(const struct ph_mesh_wish *wish)
{
    const struct ph_ewald_choice choice = {.smoothness = wish->smoothness, .quadrupoles = wish->quadrupoles};
    return ph_split_order(&choice);
}

static struct ph_split split_with(const struct search *search, double shape)
{
    const int m = order_of(search->wish);
    return (struct ph_split){.kind = PH_SPLIT_BESSEL,
                             .rc = search->cutoff,
                             .b = shape,
                             .m = m,
                             .scale = 1.0 / ph_bessel_transform(m, shape * shape)};
}

/* The best shape and window for a grid and a width, in quarters: steps to better neighbours, then smaller steps.
 * Returns the relative error. */
static double tune(struct search *search, int width, double *shape, double *window)
{
    const struct ph_mesh_wish *wish = search->wish;
    const int m = order_of(wish);
    double at[2] = {wish->shape, wish->window}, best, step = search->step;
    const bool fixed[2] = {wish->shape > 0.0, wish->window > 0.0};
    if (!fixed[0])
        at[0] = ph_max(1.0, 0.25 * ph_round(4.0 * search->shape));
    if (!fixed[1])
        at[1] = ph_max(1.0, 0.25 * ph_round(4.0 * search->window_per_width * width));
    struct ph_mesh_modes here;
    const struct ph_split first = split_with(search, at[0]);
    ph_mesh_modes_init(&search->fluid, &search->zone, &first, &here);
    best = ph_mesh_error2(&search->zone, &here, m, width, at[1]);
    while (step >= 0.25) {
        bool better = false;
        for (int move = 0; move < 4; ++move) {
            const int which = move / 2; /* shape or window */
            double next[2] = {at[0], at[1]};
            next[which] += move % 2 ? step : -step;
            if (fixed[which] || next[which] < 1.0)
                continue;
            struct ph_mesh_modes there = here;
            if (which == 0) {
                const struct ph_split split = split_with(search, next[0]);
                ph_mesh_modes_init(&search->fluid, &search->zone, &split, &there);
            }
            const double error2 = ph_mesh_error2(&search->zone, &there, m, width, next[1]);
            if (error2 < best) {
                best = error2;
                here = there;
                memcpy(at, next, sizeof at);
                better = true;
            }
        }
        if (!better)
            step *= 0.5;
    }
    *shape = search->shape = at[0];
    *window = at[1];
    search->window_per_width = at[1] / width;
    search->step = 2.0; /* the next grid or width is not far */
    return sqrt(best / search->force2);
}

int ph_mesh_friendly_size(int n)
{
    static const int prime[] = {2, 3, 5, 7};
    for (int size = n < 2 ? 2 : n + n % 2;; size += 2) {
        int rest = size;
        for (int i = 0; i < 4; ++i)
            while (rest % prime[i] == 0)
                rest /= prime[i];
        if (rest == 1)
            return size;
    }
}

/* The coarsest friendly grid whose spacings along all edges are at most `spacing` */
static void grid_with(const struct ph_box *box, double spacing, int grid[3])
{
    for (int e = 0; e < 3; ++e)
        grid[e] =
            ph_mesh_friendly_size((int)ceil(ph_min(ph_vec3_norm(box->edge[e]) / spacing, 2.0 * PH_MESH_GRID_MAX)));
}

static double largest_spacing(const struct ph_box *box, const int grid[3])
{
    double largest = 0.0;
    for (int e = 0; e < 3; ++e)
        largest = ph_max(largest, ph_vec3_norm(box->edge[e]) / grid[e]);
    return largest;
}

static double pairs_cost(const struct search *search)
{
    const double n = search->fluid.n_sites, rc = search->cutoff;
    return search->wish->costs.pair * n * n / search->fluid.volume * 2.0 * pi / 3.0 * rc * rc * rc;
}

static void find_costs(const struct search *search, struct ph_mesh_plan *plan)
{
    const struct ph_mesh_costs *costs = &search->wish->costs;
    const double n = search->fluid.n_sites, w = plan->width,
                 points = (double)plan->grid[0] * plan->grid[1] * plan->grid[2];
    plan->pairs = pairs_cost(search);
    const double lanes = plan->width <= 8 ? 8.0 : (double)((plan->width + 3) / 4 * 4); /* as grid.c does it */
    plan->spread = n * (costs->spread_site + costs->spread_point * w * w * lanes);
    plan->gather = n * (costs->gather_site + costs->gather_point * w * w * lanes);
    plan->transform = costs->transform * points * ph_log(points) / ph_log(2.0);
}

static double cost_of(const struct ph_mesh_plan *plan)
{
    return plan->pairs + plan->spread + plan->gather + plan->transform;
}

/* Is this plan better than the best so far? Among plans that are accurate enough the cheapest is best. Without such a
 * plan the most accurate is best. */
static bool is_better(bool enough, const struct ph_mesh_plan *plan, bool found, const struct ph_mesh_plan *best)
{
    if (enough)
        return !found || cost_of(plan) < cost_of(best);
    return !found && plan->error < best->error;
}

/* On one grid, from the largest width on to smaller ones as long as they are accurate enough. A finer grid is of use
 * only with a width smaller than these, which becomes *widest. */
static bool search_widths(struct search *search, struct ph_mesh_plan plan, int *widest, bool found,
                          struct ph_mesh_plan *best)
{
    const struct ph_mesh_wish *wish = search->wish;
    const bool all_fixed = wish->grid[0] && wish->width && wish->shape > 0.0 && wish->window > 0.0;
    const double limit = wish->tolerance * (all_fixed ? 1.0 : reserve);
    const int narrowest = plan.width;
    int width = *widest;
    for (int e = 0; e < 3; ++e)
        width = plan.grid[e] < width ? plan.grid[e] : width;
    if (width >= narrowest)
        ph_mesh_zone_init(&search->fluid, wish->box, plan.grid, search->cutoff, &search->zone);
    for (bool enough = true; enough && width >= narrowest; --width) {
        plan.width = width;
        plan.error = tune(search, width, &plan.shape, &plan.window);
        find_costs(search, &plan);
        enough = plan.error <= limit;
        if (is_better(enough, &plan, found, best))
            *best = plan;
        if (enough) {
            found = true;
            *widest = width - 1;
        }
    }
    return found;
}

/* Searches from coarse grids to fine ones, as long as a grid costs less with the smallest width than the best plan. The
 * first grid has modes up to k rc = 0.8 log(1/tolerance), because no split does better than exp(-k rc). Gives the
 * cheapest plan with the cutoff of the search; or false, and the most accurate one. */
static bool search_grids(struct search *search, struct ph_mesh_plan *best)
{
    const struct ph_mesh_wish *wish = search->wish;
    const struct ph_box *box = wish->box;
    struct ph_mesh_plan plan = {.cutoff = search->cutoff, .width = wish->width ? wish->width : PH_MESH_WIDTH_MIN};
    int *grid = plan.grid, widest = wish->width ? wish->width : PH_MESH_WIDTH_MAX;
    bool found = false;
    *best = (struct ph_mesh_plan){.error = INFINITY};
    if (wish->grid[0])
        memcpy(grid, wish->grid, sizeof wish->grid);
    else
        grid_with(box, pi * search->cutoff / (-0.8 * ph_log(wish->tolerance)), grid);
    search->shape = 0.8 * pi * search->cutoff / largest_spacing(box, grid);
    search->window_per_width = 2.25;
    search->step = 4.0;
    do {
        find_costs(search, &plan); /* with the smallest width */
        if (found && (widest < plan.width || cost_of(&plan) >= cost_of(best)))
            return true;
        found = search_widths(search, plan, &widest, found, best);
        grid_with(box, largest_spacing(box, grid) * (1.0 - 1e-9), grid);
    } while (!wish->grid[0] && grid[0] <= PH_MESH_GRID_MAX && grid[1] <= PH_MESH_GRID_MAX &&
             grid[2] <= PH_MESH_GRID_MAX);
    return found;
}

static enum ph_status check_wish(const struct ph_mesh_wish *wish, const struct ph_fluid *fluid, struct ph_error *err)
{
    const struct ph_box *box = wish->box;
    if (box->kind == PH_BOX_OPEN)
        return ph_error_set(err, PH_ERR_INPUT, "A sum on a mesh needs a periodic box.");
    if (!(fluid->n > 0.0))
        return ph_error_set(err, PH_ERR_INPUT,
                            "A sum on a mesh needs charges, dipoles or quadrupoles: there are none.");
    if (!(wish->tolerance > 0.0 && wish->tolerance <= 0.1))
        return ph_error_set(err, PH_ERR_INPUT,
                            "The tolerance of a sum on a mesh is %g; it must be above 0, and at most 0.1.",
                            wish->tolerance);
    if (wish->width && (wish->width < PH_MESH_WIDTH_MIN || wish->width > PH_MESH_WIDTH_MAX))
        return ph_error_set(err, PH_ERR_INPUT, "The width of the window of a mesh is %d points; it must be %d to %d.",
                            wish->width, PH_MESH_WIDTH_MIN, PH_MESH_WIDTH_MAX);
    for (int e = 0; e < 3 && wish->grid[0]; ++e) {
        const int least = wish->width ? wish->width : PH_MESH_WIDTH_MIN;
        if (wish->grid[e] < least || wish->grid[e] > PH_MESH_GRID_MAX)
            return ph_error_set(err, PH_ERR_INPUT,
                                "A mesh of %d x %d x %d points: each number must be between %d, the width of the "
                                "window, and %d.",
                                wish->grid[0], wish->grid[1], wish->grid[2], least, PH_MESH_GRID_MAX);
    }
    return PH_OK;
}

enum ph_status ph_mesh_choose(const struct ph_mesh_wish *wish, struct ph_mesh_plan *out, struct ph_error *err)
{
    struct search search = {.wish = wish};
    ph_fluid_init(wish->box, wish->n_species, wish->species, wish->first, &search.fluid);
    const enum ph_status status = check_wish(wish, &search.fluid, err);
    if (status != PH_OK)
        return status;
    search.force2 = ph_fluid_force2(&search.fluid);
    const double *w = wish->box->width, most = 0.5 * ph_min(w[0], ph_min(w[1], w[2]));
    bool found = false;
    *out = (struct ph_mesh_plan){.error = INFINITY};
    search.cutoff = wish->cutoff > 0.0 ? wish->cutoff : ph_min(2.5 * search.fluid.a, most);
    do {
        struct ph_mesh_plan plan;
        const bool enough = search_grids(&search, &plan);
        if (is_better(enough, &plan, found, out))
            *out = plan;
        found = found || enough;
        search.cutoff *= 1.2;
    } while (wish->cutoff == 0.0 && search.cutoff <= most && !(found && pairs_cost(&search) > cost_of(out)));
    if (found)
        return PH_OK;
    return ph_error_set(
        err, PH_ERR_INPUT,
        "A sum on a mesh with the values given is good to %.1e, not the tolerance of %.1e: the best is cutoff %g, grid "
        "%d "
        "x %d x %d, width %d. Take a larger cutoff or a larger tolerance, or leave more of these to be chosen.",
        1.05 * out->error / reserve, wish->tolerance, out->cutoff, out->grid[0], out->grid[1], out->grid[2],
        out->width);
}

double ph_mesh_expected_error(const struct ph_mesh_wish *wish, const struct ph_mesh_plan *plan)
{
    struct search search = {.wish = wish, .cutoff = plan->cutoff};
    struct ph_mesh_modes modes;
    ph_fluid_init(wish->box, wish->n_species, wish->species, wish->first, &search.fluid);
    if (!(search.fluid.n > 0.0))
        return 0.0;
    ph_mesh_zone_init(&search.fluid, wish->box, plan->grid, plan->cutoff, &search.zone);
    const struct ph_split split = split_with(&search, plan->shape);
    ph_mesh_modes_init(&search.fluid, &search.zone, &split, &modes);
    return sqrt(ph_mesh_error2(&search.zone, &modes, order_of(wish), plan->width, plan->window) /
                ph_fluid_force2(&search.fluid));
}

void ph_mesh_expect_costs(const struct ph_mesh_wish *wish, struct ph_mesh_plan *plan)
{
    struct search search = {.wish = wish, .cutoff = plan->cutoff};
    ph_fluid_init(wish->box, wish->n_species, wish->species, wish->first, &search.fluid);
    find_costs(&search, plan);
}
