/* SPDX-License-Identifier: MIT */
#include "force/longrange/mesh/mesh_choice.h"

#include "base/lanes.h"
#include "base/vec3.h"
#include "force/longrange/fluid.h"
#include "force/longrange/mesh/bessel.h"
#include "force/longrange/split.h"

#include <string.h>

/* The error of forces. */

/* A molecule has the charge density rho(k) = sum over its sites of (q - i mu.k) exp(-i k.r). Let B(k) be the mean of
 * |rho(k)|^2 over orientations, summed over all molecules. Let s(k) B(k) be the mean of |sum of rho(k)|^2, with s = 1
 * for uncorrelated molecules. */

/* The sum on the mesh takes, for each mode k of the grid and its aliases k_a = k + a K (K = 2 pi/h along one edge, with
 * spacing h; k_0 = k),
 *   G u_a u_b rho(k_a)* rho(k_b),   u_a u_b = U0^2 Ua Ub/(sum over c of Uc^2)^2,   G = 4 pi g(k^2)/(k^2 V),
 * instead of G |rho(k)|^2 alone, U the transform of the window. */

/* Terms differ in their phases, so squares of forces add up. Averaged over the N molecules, the mean square of the
 * error of the force is
 *   1/N sum over k and pairs (a, b) of G^2 (u_a u_b - [a = b = 0])^2 k_a^2 B(k_a) B(k_b) s(k_b)
 *   + 1/N sum over modes outside the grid of G^2 k^2 B(k)^2 s(k). */

/* Only a, b = 0 and +-1 along one edge matter. Sums are integrals: over the component of k along the edge, and over the
 * square of the component across it. In a tilted box spacings are measured along the edges, where the zone of the grid
 * ends. The model leaves out the force of a site on itself, by its place between grid points, except for the part from
 * the polynomials of the window (below). In a fluid the surrounding molecules screen this force, and even in a gas it
 * is no larger than the rest.
 * fluid.h defines B, s and the forces that errors are compared with. */

/* With A = 0.35 and X = 6 errors found against direct sums, from 1e-3 to 1e-11, are 0.4 to 1.7 times the expected
 * errors. This holds for fluids of charges, of dipoles, of both and of water (tests/unit/force/test_mesh_choice.c). In
 * a gas of dipoles with 0.05 molecules per sigma^3 they are a tenth. Relative errors of torques are smaller than
 * relative errors of forces, or about the same. Without s this is the error of V. Ballenegger, J. J. Cerda, C. Holm, J.
 * Chem. Theory Comput. 8 (2012) 936, and for dipoles of J. J. Cerda, V. Ballenegger, O. Lenz, C. Holm, J. Chem. Phys.
 * 129 (2008) 234104. */

static const double pi = 3.14159265358979323846;
static const double widest_split = 50.0; /* largest k rc of modes that matter */
static const double reserve = 0.8;       /* expected errors are at most this part of the tolerance */

/* Measured on one AVX-512 core (Xeon, 2 MiB of second-level cache): dipoles; charges take less */
const struct ph_mesh_costs ph_mesh_usual_costs = {.pair = 8.0,
                                                  .spread_site = 190.0,
                                                  .spread_point = 0.17,
                                                  .gather_site = 230.0,
                                                  .gather_point = 0.21,
                                                  .transform = 0.5};

/* ---- Integrals over modes ---- */

/* Gauss and Legendre, on [0, 1] */
enum { NODES = 16, OUTSIDE = 48 }; /* g is a wave beyond k rc = shape */
static const double node[NODES / 2] = {0.0052995325041750307, 0.0277124884633837,  0.067184398806084122,
                                       0.1222977958224985,    0.19106187779867811, 0.27099161117138632,
                                       0.35919822461037054,   0.45249374508118129};
static const double weight[NODES / 2] = {0.013576229705877019, 0.031126761969323853, 0.047579255841246296,
                                         0.062314485627767015, 0.074797994408288382, 0.08457825969750131,
                                         0.091301707522461806, 0.094725305227534293};

static double node_at(int i) { return i < NODES / 2 ? node[i] : 1.0 - node[NODES - 1 - i]; }
static double weight_at(int i) { return weight[i < NODES / 2 ? i : NODES - 1 - i]; }

/* Along one edge (or several with the same spacing): factors of g^2 (u_a u_b - ...)^2 in the sum of the mean square,
 * for (a, b) = (0, 0); (0, +-1) and (+-1, 0); (+-1, +-1). First index: place along the edge, second: across */
struct aliases {
    double spacing, edges;
    double place[NODES]; /* k/K */
    double k2[NODES][NODES], none[NODES][NODES], one[2][NODES][NODES], both[2][NODES][NODES];
    double self[2][NODES][NODES]; /* factors of g u_0 u_a in the force of a site on itself */
};

struct zone {
    int n_different;
    struct aliases along[3];
    double k2[OUTSIDE], outside[OUTSIDE]; /* of modes outside the grid: factors of g^2 */
};

/* Mean of the product of what a site has at two waves, over its orientations; k2, l2 and kl are products of the waves
 */
static double own_force(const struct ph_fluid *fluid, double k2, double l2, double kl)
{
    return fluid->charge2 + fluid->dipole2 / 3.0 * kl + fluid->tensor2 / 15.0 * (3.0 * kl * kl - k2 * l2);
}

/* Up to k_end, or to where the zone ends */
static void aliases_init(const struct ph_fluid *fluid, double spacing, double across, double k_end, struct aliases *out)
{
    /* k along the edge in [0, K/2], taken twice; the square across by a disk of the same area */
    const double period = 2.0 * pi / spacing, end = ph_min(0.5 * period, k_end),
                 across2 = ph_min(4.0 * pi / (across * across), k_end * k_end);
    out->spacing = spacing;
    out->edges = 1.0;
    for (int i = 0; i < NODES; ++i) {
        const double k_along = end * node_at(i);
        out->place[i] = k_along / period;
        for (int j = 0; j < NODES; ++j) {
            const double t = node_at(j), p2 = across2 * t * t,
                         measure = 2.0 * end * weight_at(i) * 2.0 * pi * across2 * t * weight_at(j);
            const double k2 = k_along * k_along + p2, b = ph_fluid_density(fluid, k2),
                         bs = b * ph_fluid_correlation(fluid, k2), factor = measure * ph_fluid_modes(fluid, k2);
            out->k2[i][j] = k2;
            out->none[i][j] = factor * k2 * b * bs;
            for (int side = 0; side < 2; ++side) {
                const double shifted = k_along + (side ? period : -period), ka2 = shifted * shifted + p2,
                             ba = ph_fluid_density(fluid, ka2), bas = ba * ph_fluid_correlation(fluid, ka2);
                out->one[side][i][j] = factor * (ka2 * ba * bs + k2 * b * bas);
                out->both[side][i][j] = factor * ka2 * ba * bas;
                out->self[side][i][j] = measure / (2.0 * pi * pi * k2) * period *
                                        own_force(fluid, k2, ka2, k_along * shifted + p2) / fluid->n_sites;
            }
        }
    }
}

static void zone_init(const struct ph_fluid *fluid, const struct ph_box *box, const int grid[3], double cutoff,
                      struct zone *out)
{
    double spacing[3], face[3], nearest = INFINITY;
    out->n_different = 0;
    for (int e = 0; e < 3; ++e) {
        const double edge = ph_vec3_norm(box->edge[e]);
        spacing[e] = edge / grid[e];
        face[e] = pi * (grid[e] - 1) / edge; /* half a mode before the first that is left out, number grid/2 */
        nearest = ph_min(nearest, face[e]);
    }
    for (int e = 0; e < 3; ++e) {
        int same = 0;
        while (same < out->n_different && fabs(out->along[same].spacing / spacing[e] - 1.0) > 0.01)
            ++same;
        if (same < out->n_different)
            out->along[same].edges += 1.0;
        else
            aliases_init(fluid, spacing[e], sqrt(spacing[(e + 1) % 3] * spacing[(e + 2) % 3]), widest_split / cutoff,
                         &out->along[out->n_different++]);
    }
    /* Of a sphere of radius k, the caps beyond the faces of the zone, two to an edge; up to twice the nearest face */
    for (int i = 0; i < OUTSIDE; ++i) {
        const double k = nearest * (1.0 + (i + 0.5) / OUTSIDE), b = ph_fluid_density(fluid, k * k);
        double part = 0.0;
        for (int e = 0; e < 3; ++e)
            part += ph_max(0.0, 1.0 - face[e] / k);
        out->k2[i] = k * k;
        out->outside[i] = nearest / OUTSIDE * 4.0 * pi * k * k * ph_min(part, 1.0) * ph_fluid_modes(fluid, k * k) * k *
                          k * b * b * ph_fluid_correlation(fluid, k * k);
    }
}

/* The polynomials of the window (window.h) have one degree for all shapes too. Their error is the next of Chebyshev's
 * polynomials, of degree 2 (22 + 1) in the distance, with the window's ends. So the transform T, 1 at k = 0, is off
 * near t = 47, the more the larger the shape b is. The error is 10^(-11.3 + 0.22 x - 0.0045 x^2 - 0.175 (m - 8)) with x
 * = b - 46 (found to a factor of 2 for m = 4 to 12 and b = 36 to 56). Beyond the grid T is small, so there this makes
 * aliases. Rounding does as much for all t, once. */
struct off {
    double most, rounding;
};

static struct off off_of_window(int m, double window)
{
    const double x = ph_min(window - 46.0, 20.0);
    return (struct off){ph_exp(2.302585092994046 * (-11.3 + (0.22 - 0.0045 * x) * x - 0.175 * (m - 8))), 0x1p-53};
}

static double off_at(const struct off *off, double t)
{
    const double x = (fabs(t) - 47.0) / 6.5;
    return off->most * ph_exp(-ph_min(x * x, 100.0)) + off->rounding;
}

/* A zone with a split: integrated over all but the place along an edge */
struct content {
    double outside, pairs;
    double none[3][NODES], one[3][2][NODES], both[3][2][NODES];
    double sites, self[3][2][NODES]; /* sites of a molecule; force of a site on itself */
};

static void content_of(const struct ph_fluid *fluid, const struct zone *zone, const struct ph_split *split,
                       struct content *out)
{
    memset(out, 0, sizeof *out);
    out->pairs = ph_fluid_polynomials_error2(fluid, split);
    out->sites = fluid->n_sites / fluid->n;
    for (int i = 0; i < OUTSIDE; ++i) {
        const double g = ph_split_wave(split, zone->k2[i], NULL);
        out->outside += g * g * zone->outside[i];
    }
    for (int d = 0; d < zone->n_different; ++d) {
        const struct aliases *along = &zone->along[d];
        for (int i = 0; i < NODES; ++i)
            for (int j = 0; j < NODES; ++j) {
                const double g = ph_split_wave(split, along->k2[i][j], NULL), g2 = g * g * along->edges;
                out->none[d][i] += g2 * along->none[i][j];
                for (int side = 0; side < 2; ++side) {
                    out->one[d][side][i] += g2 * along->one[side][i][j];
                    out->both[d][side][i] += g2 * along->both[side][i][j];
                    out->self[d][side][i] += g * along->self[side][i][j];
                }
            }
    }
}

/* Mean square of the error of forces */
static double error2_of(const struct zone *zone, const struct content *content, int m, int width, double window)
{
    const struct off off = off_of_window(m, window);
    const double at_zero = ph_bessel_transform(m, window * window);
    double sum = content->outside + content->pairs;
    for (int d = 0; d < zone->n_different; ++d) {
        double self = 0.0; /* its phase, for all modes, follows from the place of the site between grid points */
        for (int i = 0; i < NODES; ++i) {
            double u[3], wrong[3];
            for (int shift = -1; shift <= 1; ++shift) {
                const double t = pi * width * (zone->along[d].place[i] + shift);
                u[shift + 1] = ph_bessel_transform(m, window * window - t * t);
                wrong[shift + 1] = off_at(&off, t) * at_zero;
            }
            const double side[2] = {u[0] / u[1], u[2] / u[1]}, all = 1.0 + side[0] * side[0] + side[1] * side[1],
                         least = 1.0 / (all * all), none = least - 1.0;
            sum += none * none * content->none[d][i];
            for (int s = 0; s < 2; ++s) {
                const double one = least * side[s], both = one * side[s], more = least * wrong[2 * s] / u[1];
                sum += (one * one + more * more) * content->one[d][s][i] + both * both * content->both[d][s][i];
                self += more * content->self[d][s][i];
            }
        }
        sum += 0.5 * self * self * content->sites * zone->along[d].edges;
    }
    return sum;
}

/* ---- Choice ---- */

struct search {
    const struct ph_mesh_wish *wish;
    struct ph_fluid fluid;
    double force2, cutoff;
    struct zone zone;
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
    struct content here;
    const struct ph_split first = split_with(search, at[0]);
    content_of(&search->fluid, &search->zone, &first, &here);
    best = error2_of(&search->zone, &here, m, width, at[1]);
    while (step >= 0.25) {
        bool better = false;
        for (int move = 0; move < 4; ++move) {
            const int which = move / 2; /* shape or window */
            double next[2] = {at[0], at[1]};
            next[which] += move % 2 ? step : -step;
            if (fixed[which] || next[which] < 1.0)
                continue;
            struct content there = here;
            if (which == 0) {
                const struct ph_split split = split_with(search, next[0]);
                content_of(&search->fluid, &search->zone, &split, &there);
            }
            const double error2 = error2_of(&search->zone, &there, m, width, next[1]);
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
        zone_init(&search->fluid, wish->box, plan.grid, search->cutoff, &search->zone);
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
    struct content content;
    ph_fluid_init(wish->box, wish->n_species, wish->species, wish->first, &search.fluid);
    if (!(search.fluid.n > 0.0))
        return 0.0;
    zone_init(&search.fluid, wish->box, plan->grid, plan->cutoff, &search.zone);
    const struct ph_split split = split_with(&search, plan->shape);
    content_of(&search.fluid, &search.zone, &split, &content);
    return sqrt(error2_of(&search.zone, &content, order_of(wish), plan->width, plan->window) /
                ph_fluid_force2(&search.fluid));
}

void ph_mesh_expect_costs(const struct ph_mesh_wish *wish, struct ph_mesh_plan *plan)
{
    struct search search = {.wish = wish, .cutoff = plan->cutoff};
    ph_fluid_init(wish->box, wish->n_species, wish->species, wish->first, &search.fluid);
    find_costs(&search, plan);
}
