/* SPDX-License-Identifier: MIT */
/* With g(r) = 1 beyond where truncation begins,
 *     U = 2 pi N_A N_B/V int (u - u_truncated) r^2 dr,    W_xx = -1/3 2 pi N_A N_B/V int (u' - u'_truncated) r^3 dr
 * summed over pairs of sites, where N_A N_B counts ordered pairs (the factor 2 pi holds the half). The part beyond the
 * cutoff is a power law; the part in the shell of a switch is taken by Gauss quadrature. */
#include "force/longrange/tail.h"

#include "base/library.h"
#include "force/pairs/pair_table.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* int_R^infinity A (sigma/r)^n r^2 dr and of -n A sigma^n r^-n-1 r^3 dr = -n times the same */
static double power_tail(double a, double sigma, double n, double from)
{
    return a * ph_library_pow(sigma / from, n) * from * from * from / (n - 3.0);
}

static void beyond(const struct ph_radial *radial, double from, double *energy, double *slope)
{
    const double n = radial->repulsive, m = radial->attractive;
    if (radial->kind == PH_RADIAL_SOFT_SPHERE) {
        *energy = power_tail(4.0 * radial->epsilon, radial->sigma, n, from);
        *slope = -n * *energy;
    } else {
        const double a = n / (n - m) * ph_library_pow(n / m, m / (n - m)) * radial->epsilon;
        const double first = power_tail(a, radial->sigma, n, from), second = power_tail(a, radial->sigma, m, from);
        *energy = first - second;
        *slope = -n * first + m * second;
    }
}

/* Gauss-Legendre with 8 points on each of 64 parts of the shell */
static void in_shell(const struct ph_radial *radial, const struct ph_interactions *interactions, double *energy,
                     double *slope)
{
    static const double node[] = {0.18343464249564980494, 0.52553240991632898582, 0.79666647741362673959,
                                  0.96028985649753623168};
    static const double weight[] = {0.36268378337836198297, 0.31370664587788728734, 0.22238103445337447054,
                                    0.10122853629037625915};
    enum { PARTS = 64 };
    const double width = interactions->switch_width, on = interactions->cutoff - width;
    const enum ph_switch_kind kind = ph_switch_kind_of(interactions);
    *energy = *slope = 0.0;
    for (int part = 0; part < PARTS; ++part)
        for (int k = 0; k < 8; ++k) {
            const double x = (part + 0.5 * (1.0 + (k < 4 ? -node[k] : node[k - 4]))) / PARTS, r = on + x * width;
            const double w = 0.5 * weight[k % 4] * width / PARTS;
            double s, ds;
            ph_switch(kind, x, &s, &ds);
            const double u = ph_radial_energy(radial, r), du = ph_radial_derivative(radial, r);
            *energy += w * (1.0 - s) * u * r * r;
            *slope += w * ((1.0 - s) * du - ds / width * u) * r * r * r;
        }
}

enum ph_status ph_long_range(const struct ph_system *system, const struct ph_interactions *interactions, double *energy,
                             double *virial, struct ph_error *err)
{
    *energy = *virial = 0.0;
    if (!interactions->long_range_correction)
        return PH_OK;
    if (system->box.kind == PH_BOX_OPEN ||
        (interactions->truncation != PH_TRUNCATE_CUT && interactions->truncation != PH_TRUNCATE_SWITCHED))
        return ph_error_set(err, PH_ERR_INPUT,
                            "interactions.long_range_correction needs a periodic box and a plain or switched cutoff.");
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t t = 0; t < system->n_species; ++t)
            for (size_t a = 0; a < system->species[s].n_sites; ++a)
                for (size_t b = 0; b < system->species[t].n_sites; ++b) {
                    struct ph_radial radial;
                    const enum ph_status status =
                        ph_combine(interactions, &system->species[s], a, &system->species[t], b, &radial, err);
                    if (status != PH_OK)
                        return status;
                    if (radial.kind == PH_RADIAL_NONE || radial.kind == PH_RADIAL_WCA)
                        continue;
                    const double slowest = radial.kind == PH_RADIAL_MIE ? radial.attractive : radial.repulsive;
                    if (!(slowest > 3.0))
                        return ph_error_set(
                            err, PH_ERR_INPUT,
                            "The long-range correction of a potential that decays like r^-%g does not exist.", slowest);
                    double tail, slope, shell = 0.0, shell_slope = 0.0;
                    beyond(&radial, interactions->cutoff, &tail, &slope);
                    if (interactions->truncation == PH_TRUNCATE_SWITCHED)
                        in_shell(&radial, interactions, &shell, &shell_slope);
                    const double count = (double)(system->first[s + 1] - system->first[s]) *
                                         (double)(system->first[t + 1] - system->first[t]);
                    const double factor = 2.0 * pi * count / system->box.volume;
                    *energy += factor * (tail + shell);
                    *virial -= factor * (slope + shell_slope) / 3.0;
                }
    return PH_OK;
}
