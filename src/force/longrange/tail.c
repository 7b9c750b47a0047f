/* SPDX-License-Identifier: MIT */
/* Long-range correction: energy and virial that truncation leaves out of the radial terms of a homogeneous fluid; for
 * potentials that decay faster than r^-3. With g(r) = 1 beyond where truncation begins,
 *     U = 2 pi N_A N_B/V int (u - u_truncated) r^2 dr,    W_xx = -1/3 2 pi N_A N_B/V int (u' - u'_truncated) r^3 dr
 * summed over pairs of sites, where N_A N_B counts ordered pairs (the factor 2 pi holds the half). The part beyond the
 * cutoff is known for power laws. The part of other forms, and that in the shell of a switch, is taken by Gauss
 * quadrature. */

#include "base/library.h"
#include "force/term.h"

#include <stdlib.h>

static const double pi = 3.14159265358979323846;

/* int_R^infinity A (sigma/r)^n r^2 dr and of -n A sigma^n r^-n-1 r^3 dr = -n times the same */
static double power_tail(double a, double sigma, double n, double from)
{
    return a * ph_library_pow(sigma / from, n) * from * from * from / (n - 3.0);
}

/* Gauss-Legendre with 8 points on each of PARTS parts of 0 .. 1 */
enum { PARTS = 64, POINTS = 8 };

static double gauss(int part, int k, double *x)
{
    static const double node[] = {0.18343464249564980494, 0.52553240991632898582, 0.79666647741362673959,
                                  0.96028985649753623168};
    static const double weight[] = {0.36268378337836198297, 0.31370664587788728734, 0.22238103445337447054,
                                    0.10122853629037625915};
    *x = (part + 0.5 * (1.0 + (k < 4 ? -node[k] : node[k - 4]))) / PARTS;
    return 0.5 * weight[k % 4];
}

/* Any form that decays faster than r^-4: with r = R/x the energy is R^3 int_0^1 u(R/x) x^-4 dx, and the slope follows
 * by parts */
static void beyond_by_quadrature(const struct ph_radial *radial, double from, double *energy, double *slope)
{
    const double cube = from * from * from;
    double sum = 0.0;
    for (int part = 0; part < PARTS; ++part)
        for (int k = 0; k < POINTS; ++k) {
            double x;
            const double w = gauss(part, k, &x) / PARTS, x2 = x * x;
            sum += w * ph_radial_energy(radial, from / x) / (x2 * x2);
        }
    *energy = cube * sum;
    *slope = -cube * ph_radial_energy(radial, from) - 3.0 * *energy;
}

static void beyond(const struct ph_radial *radial, double from, double *energy, double *slope)
{
    const double n = radial->repulsive, m = radial->attractive;
    if (radial->kind == PH_RADIAL_SOFT_SPHERE) {
        *energy = power_tail(4.0 * radial->epsilon, radial->sigma, n, from);
        *slope = -n * *energy;
    } else if (radial->kind != PH_RADIAL_MIE) {
        beyond_by_quadrature(radial, from, energy, slope);
    } else {
        const double a = ph_mie_prefactor(n, m) * radial->epsilon;
        const double first = power_tail(a, radial->sigma, n, from), second = power_tail(a, radial->sigma, m, from);
        *energy = first - second;
        *slope = -n * first + m * second;
    }
}

static void in_shell(const struct ph_radial *radial, const struct ph_interactions *interactions, double *energy,
                     double *slope)
{
    const double width = interactions->switch_width, on = interactions->cutoff - width;
    const enum ph_switch_kind kind = ph_switch_kind_of(interactions);
    *energy = *slope = 0.0;
    for (int part = 0; part < PARTS; ++part)
        for (int k = 0; k < POINTS; ++k) {
            double x, s, ds;
            const double w = gauss(part, k, &x) * width / PARTS, r = on + x * width;
            ph_switch(kind, x, &s, &ds);
            const double u = ph_radial_energy(radial, r), du = ph_radial_derivative(radial, r);
            *energy += w * (1.0 - s) * u * r * r;
            *slope += w * ((1.0 - s) * du - ds / width * u) * r * r * r;
        }
}

/* ---- The term ---- */

/* Of two sites: factors of 2 pi count/V */
struct part {
    double count; /* ordered pairs of molecules */
    double energy, slope;
};

struct tail {
    double energy, virial; /* in the present box; each diagonal element of the virial */
    size_t n;
    struct part part[];
};

static enum ph_status add_part(const struct ph_interactions *interactions, const struct ph_radial *radial, double count,
                               struct tail *tail, struct ph_error *err)
{
    if (radial->kind == PH_RADIAL_NONE || ph_radial_end(radial) > 0.0)
        return PH_OK;
    const double slowest = ph_radial_decay(radial);
    if (isnan(slowest))
        return ph_error_set(err, PH_ERR_INPUT,
                            "interactions.long_range_correction is not possible with a %s: nothing is known of it "
                            "beyond the cutoff.",
                            ph_form_of(radial)->title);
    if (!(slowest > 3.0))
        return ph_error_set(err, PH_ERR_INPUT,
                            "The long-range correction of a potential that decays like r^-%g does not exist.", slowest);
    double energy, slope, shell = 0.0, shell_slope = 0.0;
    beyond(radial, interactions->cutoff, &energy, &slope);
    if (interactions->truncation == PH_TRUNCATE_SWITCHED)
        in_shell(radial, interactions, &shell, &shell_slope);
    tail->part[tail->n++] = (struct part){.count = count, .energy = energy + shell, .slope = slope + shell_slope};
    return PH_OK;
}

static enum ph_status find_parts(const struct ph_system *system, const struct ph_interactions *interactions,
                                 struct tail *tail, struct ph_error *err)
{
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t t = 0; t < system->n_species; ++t)
            for (size_t a = 0; a < system->species[s].n_sites; ++a)
                for (size_t b = 0; b < system->species[t].n_sites; ++b) {
                    struct ph_radial radial;
                    const double count = (double)(system->first[s + 1] - system->first[s]) *
                                         (double)(system->first[t + 1] - system->first[t]);
                    enum ph_status status =
                        ph_combine(interactions, &system->species[s], a, &system->species[t], b, &radial, err);
                    if (status == PH_OK)
                        status = add_part(interactions, &radial, count, tail, err);
                    if (status != PH_OK)
                        return status;
                }
    return PH_OK;
}

static enum ph_status box_changed(void *term, const struct ph_system *system, struct ph_error *err)
{
    (void)err;
    struct tail *tail = term;
    tail->energy = tail->virial = 0.0;
    for (size_t k = 0; k < tail->n; ++k) {
        const double factor = 2.0 * pi * tail->part[k].count / system->box.volume;
        tail->energy += factor * tail->part[k].energy;
        tail->virial -= factor * tail->part[k].slope / 3.0;
    }
    return PH_OK;
}

static enum ph_status create(const struct ph_term_setup *setup, void **out, struct ph_error *err)
{
    const struct ph_system *system = setup->system;
    const struct ph_interactions *interactions = setup->interactions;
    if (!interactions->long_range_correction)
        return PH_OK;
    if (system->box.kind == PH_BOX_OPEN ||
        (interactions->truncation != PH_TRUNCATE_CUT && interactions->truncation != PH_TRUNCATE_SWITCHED))
        return ph_error_set(err, PH_ERR_INPUT,
                            "interactions.long_range_correction needs a periodic box and a plain or switched cutoff.");
    size_t sites = 0;
    for (size_t s = 0; s < system->n_species; ++s)
        sites += system->species[s].n_sites;
    struct tail *tail = calloc(1, sizeof *tail + sites * sites * sizeof *tail->part);
    if (!tail)
        return ph_no_memory(err, "the long-range correction");
    const enum ph_status status = find_parts(system, interactions, tail, err);
    if (status != PH_OK) {
        free(tail);
        return status;
    }
    *out = tail;
    return box_changed(tail, system, err);
}

static enum ph_status evaluate(void *term, struct ph_system *system, struct ph_energy *energy, struct ph_error *err)
{
    (void)system, (void)err;
    const struct tail *tail = term;
    if (!energy)
        return PH_OK;
    energy->long_range += tail->energy;
    for (int x = 0; x < 3; ++x)
        energy->virial[x][x] += tail->virial;
    return PH_OK;
}

const struct ph_term_kind ph_term_tail = {
    .name = "long-range correction",
    .create = create,
    .destroy = free,
    .evaluate = evaluate,
    .box_changed = box_changed,
};
