/* SPDX-License-Identifier: MIT */
#include "force/longrange/mesh/mesh_error.h"

#include "base/lanes.h"
#include "base/vec3.h"
#include "force/longrange/mesh/bessel.h"

#include <math.h>
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

/* Gauss and Legendre, on [0, 1] */
enum { NODES = PH_MESH_NODES, OUTSIDE = PH_MESH_OUTSIDE };
static const double node[NODES / 2] = {0.0052995325041750307, 0.0277124884633837,  0.067184398806084122,
                                       0.1222977958224985,    0.19106187779867811, 0.27099161117138632,
                                       0.35919822461037054,   0.45249374508118129};
static const double weight[NODES / 2] = {0.013576229705877019, 0.031126761969323853, 0.047579255841246296,
                                         0.062314485627767015, 0.074797994408288382, 0.08457825969750131,
                                         0.091301707522461806, 0.094725305227534293};

static double node_at(int i) { return i < NODES / 2 ? node[i] : 1.0 - node[NODES - 1 - i]; }
static double weight_at(int i) { return weight[i < NODES / 2 ? i : NODES - 1 - i]; }

/* Mean of the product of what a site has at two waves, over its orientations; k2, l2 and kl are products of the waves
 */
static double own_force(const struct ph_fluid *fluid, double k2, double l2, double kl)
{
    return fluid->charge2 + fluid->dipole2 / 3.0 * kl + fluid->tensor2 / 15.0 * (3.0 * kl * kl - k2 * l2);
}

/* Up to k_end, or to where the zone ends */
static void aliases_init(const struct ph_fluid *fluid, double spacing, double across, double k_end,
                         struct ph_mesh_aliases *out)
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

void ph_mesh_zone_init(const struct ph_fluid *fluid, const struct ph_box *box, const int grid[3], double cutoff,
                       struct ph_mesh_zone *out)
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

void ph_mesh_modes_init(const struct ph_fluid *fluid, const struct ph_mesh_zone *zone, const struct ph_split *split,
                        struct ph_mesh_modes *out)
{
    memset(out, 0, sizeof *out);
    out->pairs = ph_fluid_polynomials_error2(fluid, split);
    out->sites = fluid->n_sites / fluid->n;
    for (int i = 0; i < OUTSIDE; ++i) {
        const double g = ph_split_wave(split, zone->k2[i], NULL);
        out->outside += g * g * zone->outside[i];
    }
    for (int d = 0; d < zone->n_different; ++d) {
        const struct ph_mesh_aliases *along = &zone->along[d];
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

double ph_mesh_error2(const struct ph_mesh_zone *zone, const struct ph_mesh_modes *modes, int m, int width,
                      double window)
{
    const struct off off = off_of_window(m, window);
    const double at_zero = ph_bessel_transform(m, window * window);
    double sum = modes->outside + modes->pairs;
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
            sum += none * none * modes->none[d][i];
            for (int s = 0; s < 2; ++s) {
                const double one = least * side[s], both = one * side[s], more = least * wrong[2 * s] / u[1];
                sum += (one * one + more * more) * modes->one[d][s][i] + both * both * modes->both[d][s][i];
                self += more * modes->self[d][s][i];
            }
        }
        sum += 0.5 * self * self * modes->sites * zone->along[d].edges;
    }
    return sum;
}
