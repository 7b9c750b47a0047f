/* SPDX-License-Identifier: MIT */
#include "force/longrange/fluid.h"

#include "base/lanes.h"
#include "base/library.h"
#include "base/vec3.h"
#include "force/longrange/mesh/bessel.h"
#include "force/longrange/quadrupole_sites.h"
#include "force/pairs/pair_table.h"
#include "potential/electric.h"
#include "potential/truncation.h"

static const double pi = 3.14159265358979323846;
static const double force_factor = 0.35, force_wave = 6.0; /* A, X */
static const double coupling = 8.0, coupling_wave = 3.0;   /* instead of T */
static const double screening_ends = 5.0;                  /* c(x) = 1/(1 + (x/5)^8) */

/* ---- Charge density of molecules ---- */

/* Two sites of a molecule at a distance r from each other: with x = k r and n from one to the other,
 * 2 Re <rho_1* rho_2> = 2 {q1 q2 j0(x) + k (q2 mu1.n - q1 mu2.n) j1(x) + k^2 [mu1.mu2 j1(x)/x - mu1.n mu2.n j2(x)]} */
static double two_sites(const struct ph_site *one, const struct ph_site *two, double k)
{
    const double d[3] = {two->position[0] - one->position[0], two->position[1] - one->position[1],
                         two->position[2] - one->position[2]};
    const double r = ph_vec3_norm(d), x = k * r, along1 = r > 0.0 ? ph_vec3_dot(one->dipole, d) / r : 0.0,
                 along2 = r > 0.0 ? ph_vec3_dot(two->dipole, d) / r : 0.0;
    double sine, cosine;
    ph_sincos(x, &sine, &cosine);
    const double x2 = x * x, j0 = x < 0.01 ? 1.0 - x2 / 6.0 : sine / x,
                 j1_x = x < 0.01 ? (1.0 - x2 / 10.0) / 3.0 : (j0 - cosine) / x2, j2 = 3.0 * j1_x - j0;
    return 2.0 * (one->charge * two->charge * j0 + k * x * (two->charge * along1 - one->charge * along2) * j1_x +
                  k * k * (ph_vec3_dot(one->dipole, two->dipole) * j1_x - along1 * along2 * j2));
}

/* The part of quadrupoles in this: their energy in a potential j0(k r), whose B(n) are k^2n jn(x)/x^n */
static double with_quadrupoles(const struct ph_site *one, const struct ph_site *two, double k)
{
    const double d[3] = {two->position[0] - one->position[0], two->position[1] - one->position[1],
                         two->position[2] - one->position[2]};
    const double k2 = k * k, w = -k2 * ph_vec3_dot(d, d), k4 = k2 * k2;
    const double b[3] = {k4 * ph_bessel_transform(2, w), k4 * k2 * ph_bessel_transform(3, w),
                         k4 * k4 * ph_bessel_transform(4, w)};
    return 2.0 * ph_quadrupoles_energy(one, two, d, b);
}

static bool is_electric(const struct ph_site *site)
{
    return site->charge != 0.0 || !ph_vec3_is_zero(site->dipole) || ph_angular_is_multipole(&site->angular);
}

/* B(k). B is a smooth function of k^2, so it is interpolated linearly in k^2 between the entries of the table. Beyond
 * the table, waves are much shorter than molecules, and sites add up as if each was alone (also sites that lie in one
 * place). */
double ph_fluid_density(const struct ph_fluid *fluid, double k2)
{
    const double place = sqrt(k2) / fluid->step,
                 own = fluid->charge2 + fluid->dipole2 * k2 / 3.0 + fluid->tensor2 * k2 * k2 * (2.0 / 15.0);
    if (!(place < PH_FLUID_TABLE - 1))
        return own;
    const int i = (int)place;
    const double t = (place * place - (double)i * i) / (2 * i + 1);
    return ph_max(own + fluid->between[i] + t * (fluid->between[i + 1] - fluid->between[i]), 0.0);
}

double ph_fluid_correlation(const struct ph_fluid *fluid, double k2)
{
    const double x = fluid->a * fluid->a * k2 / (screening_ends * screening_ends), x4 = x * x * x * x;
    return 1.0 / (1.0 + fluid->screening * ph_fluid_density(fluid, k2) / (k2 * (1.0 + x4)));
}

/* Errors are relative to forces, so that charges may have any unit: the power of two that is next to the largest of
 * them, whose squares do not overflow */
static double unit_of_charges(size_t n_species, const struct ph_species *species)
{
    double largest = 0.0;
    int exponent = 0;
    for (size_t s = 0; s < n_species; ++s)
        for (size_t i = 0; i < species[s].n_sites; ++i) {
            largest = ph_max(largest, fabs(species[s].site[i].charge));
            for (int x = 0; x < 3; ++x)
                largest = ph_max(largest, fabs(species[s].site[i].dipole[x]));
            for (size_t x = 0; x < PH_ANGULAR_NUMBERS && ph_angular_is_multipole(&species[s].site[i].angular); ++x)
                largest = ph_max(largest, fabs(species[s].site[i].angular.number[x]));
        }
    frexp(largest, &exponent);
    return ldexp(1.0, -exponent);
}

static struct ph_site site_in(const struct ph_site *site, double unit)
{
    struct ph_site scaled = *site;
    scaled.charge *= unit;
    for (int x = 0; x < 3; ++x)
        scaled.dipole[x] *= unit;
    for (size_t x = 0; x < PH_ANGULAR_NUMBERS && ph_angular_is_multipole(&site->angular); ++x)
        scaled.angular.number[x] *= unit; /* all of them are moments */
    return scaled;
}

static void add_species(const struct ph_species *species, double n, double unit, struct ph_fluid *fluid)
{
    for (size_t i = 0; i < species->n_sites; ++i) {
        const struct ph_site one = site_in(&species->site[i], unit);
        double m1[6], m2[6];
        const bool quadrupole = ph_site_tensor(&one, m1);
        if (!is_electric(&one))
            continue;
        fluid->n_sites += n;
        fluid->charge2 += n * one.charge * one.charge;
        fluid->dipole2 += n * ph_vec3_dot(one.dipole, one.dipole);
        fluid->tensor2 += n * ph_tensor_product(m1, m1);
        for (size_t j = i + 1; j < species->n_sites; ++j) {
            const struct ph_site two = site_in(&species->site[j], unit);
            const bool quadrupoles = ph_site_tensor(&two, m2) || quadrupole;
            for (int k = 0; k < PH_FLUID_TABLE && is_electric(&two); ++k)
                fluid->between[k] += n * (two_sites(&one, &two, k * fluid->step) +
                                          (quadrupoles ? with_quadrupoles(&one, &two, k * fluid->step) : 0.0));
        }
    }
}

void ph_fluid_init(const struct ph_box *box, size_t n_species, const struct ph_species *species, const size_t *first,
                   struct ph_fluid *fluid)
{
    *fluid = (struct ph_fluid){.volume = box->volume};
    double extent = 0.0;
    const double unit = unit_of_charges(n_species, species);
    for (size_t s = 0; s < n_species; ++s)
        extent = ph_max(extent, species[s].extent);
    fluid->step = extent > 0.0 ? 0.05 / extent : 1.0;
    for (size_t s = 0; s < n_species; ++s) {
        const double n = (double)(first[s + 1] - first[s]), before = fluid->n_sites;
        add_species(&species[s], n, unit, fluid);
        if (fluid->n_sites > before)
            fluid->n += n;
    }
    if (!(fluid->n > 0.0))
        return;
    fluid->a = ph_library_cbrt(fluid->volume / fluid->n);
    const double k = coupling_wave / fluid->a;
    fluid->screening = coupling * k * k / ph_fluid_density(fluid, k * k);
}

double ph_fluid_force2(const struct ph_fluid *fluid)
{
    if (!(fluid->n > 0.0))
        return 0.0;
    const double k = force_wave / fluid->a, each = ph_fluid_density(fluid, k * k) / fluid->n, a2 = fluid->a * fluid->a;
    return force_factor * each * each / (a2 * a2);
}

double ph_fluid_modes(const struct ph_fluid *fluid, double k2)
{
    return 2.0 / (pi * k2 * k2 * fluid->volume * fluid->n);
}

/* ---- Errors ---- */

/* The polynomials of pairs (ph_split_pairs) have one degree for all shapes, and their error grows with the shape b.
 * For B(1) and the following it is 10^(-12.34 + 0.235 x - 0.0035 x^2) of the value at r = 0, with x = b + m - 42 (to
 * 15 % for m = 4 to 10 and b = 30 to 45). Values at r = 0 are nearly the values of a Gaussian with a^2 = (b + m)/(2
 * rc^2), B(n) = 2^(n+1) a^(2n+1)/(sqrt(pi) (2n+1)). */

/* The same for quadrupoles, but for a factor: of the derivatives of B2 to B4, which make the most of it */
static double quadrupole_polynomials2(const struct ph_fluid *fluid, double a2, double b3, double rc)
{
    const double b4 = 14.0 / 9.0 * a2 * b3, b5 = 18.0 / 11.0 * a2 * b4, t2 = 2.0 / 15.0 * fluid->tensor2;
    const double rc2 = rc * rc, r9 = 4.0 * pi * rc * rc2 * rc2 * rc2 * rc2, r11 = r9 * rc2, r13 = r11 * rc2;
    return (2.0 * fluid->charge2 * t2 * b3 * b3 * r9 / 9.0 + 2.0 * fluid->dipole2 / 3.0 * t2 * b4 * b4 * r11 / 11.0 +
            t2 * t2 * b5 * b5 * r13 / 13.0) /
           16.0;
}

/* The error swings with r, so that it adds up over all pairs within the cutoff as if it had random signs. This
 * function returns its mean square, averaged over orientations. With a quarter of B(3), which makes the most of it
 * for dipoles, errors found in fluids of charges, dipoles and both are 0.4 to 1.8 times that. */
double ph_fluid_polynomials_error2(const struct ph_fluid *fluid, const struct ph_split *split)
{
    const double c2 = fluid->charge2, d2 = fluid->dipole2, rc2 = split->rc * split->rc, root_pi = sqrt(pi);
    const double x = ph_min(split->b + split->m - 42.0, 30.0), a2 = 0.5 * (split->b + split->m) / rc2;
    const double part = ph_exp(2.302585092994046 * (-12.34 + (0.235 - 0.0035 * x) * x));
    const double b1 = 4.0 * a2 * sqrt(a2) / (3.0 * root_pi), b2 = 1.2 * a2 * b1, b3 = 10.0 / 7.0 * a2 * b2;
    const double r3 = 4.0 * pi * split->rc * rc2, r5 = r3 * rc2, r7 = r5 * rc2, r9 = r7 * rc2; /* 4 pi rc^n */
    return 0.5 * part * part / (fluid->n * fluid->volume) *
           (quadrupole_polynomials2(fluid, a2, b3, split->rc) + c2 * c2 * b1 * b1 * r5 / 5.0 +
            2.0 * c2 * d2 * (b1 * b1 * r3 / 3.0 + b2 * b2 * r7 / 21.0) +
            d2 * d2 * (b2 * b2 * r5 / 3.0 + b3 * b3 * r9 / 81.0 / 16.0));
}

/* Parts that the truncation takes off pairs of Gauss' split at a distance r: of B(n), u = (1 - S) B(n), and w = -u'/r,
 * with the switch S */
struct lacking {
    double u1, w0, w1, u2, w2, u3, w3, u4, w4;
};

static struct lacking lacking_at(double a, double r, double s, double slope)
{
    const double inv_r = 1.0 / r, off = 1.0 - s, pull = slope * inv_r;
    const struct ph_screen screen = ph_screen(a, r, inv_r);
    const struct ph_screened b = ph_screened(a, screen, inv_r * inv_r);
    const double b5 = (9.0 * b.b4 + ph_library_pow(2.0 * a * a, 4.0) * screen.g) * (inv_r * inv_r);
    return (struct lacking){.u1 = off * b.b1,
                            .w0 = off * b.b1 + pull * screen.b0,
                            .w1 = off * b.b2 + pull * b.b1,
                            .u2 = off * b.b2,
                            .w2 = off * b.b3 + pull * b.b2,
                            .u3 = off * b.b3,
                            .w3 = off * b.b4 + pull * b.b3,
                            .u4 = off * b.b4,
                            .w4 = off * b5 + pull * b.b4};
}

/* The part of quadrupoles in the next: in full with a charge, along the distance alone with dipoles and quadrupoles,
 * where this is nearly all. With z along the distance, M_zz, M_xz and M_xy have mean squares 2/15, 1/10 and 1/10 of
 * M:M, and two multipoles have energies that are sums over like components. */
static double lacking_quadrupoles2(const struct ph_fluid *fluid, const struct lacking *l, double r)
{
    const double x = r * r, t2 = fluid->tensor2, r3 = r * x;
    const double charge = x * (4.0 / 3.0 * l->u2 * l->u2 + x / 7.5 * l->w2 * (x * l->w2 - 4.0 * l->u2));
    const double mu1 = 2.0 * (x * l->w2 - l->u2), mu0 = x * (3.0 * l->u3 - x * l->w3) + mu1;
    const double m2 = -4.0 * r * l->w2, m1 = 4.0 * r3 * l->w3 - 8.0 * r * l->u3 + m2;
    const double m0 = r3 * (4.0 * l->u4 - x * l->w4) + m1 - 0.25 * m2;
    const double dipole = (mu0 * mu0 * (2.0 / 15.0) + mu1 * mu1 * 0.2) / 3.0;
    const double quadrupole = m0 * m0 * (4.0 / 225.0) + (m1 * m1 + m2 * m2) * 0.02;
    return t2 * (2.0 * fluid->charge2 * charge + 2.0 * fluid->dipole2 * dipole + t2 * quadrupole);
}

/* Mean square of the force between two sites at a distance r, averaged over orientations, times 4 pi r^2 */
static double lacking_force2(const struct ph_fluid *fluid, const struct lacking *l, double r)
{
    const double c2 = fluid->charge2, d2 = fluid->dipole2, x = r * r;
    const double charges = l->w0 * l->w0 * x, mixed = l->u1 * l->u1 + l->w1 * x * (l->w1 * x - 2.0 * l->u1) / 3.0;
    const double dipoles = x / 9.0 *
                           (3.0 * l->w1 * l->w1 + 8.0 * l->u2 * l->u2 + 4.0 * l->w1 * l->u2 +
                            l->w2 * x * (l->w2 * x - 2.0 * l->w1 - 4.0 * l->u2));
    return 4.0 * pi * x *
           (c2 * c2 * charges + 2.0 * c2 * d2 * mixed + d2 * d2 * dipoles + lacking_quadrupoles2(fluid, l, r));
}

/* As if sites beyond were anywhere: J. Kolafa, J. W. Perram, Mol. Simul. 9 (1992) 351, for dipoles Z. Wang, C. Holm,
 * J. Chem. Phys. 115 (2001) 6351 */
static double cut_error2(const struct ph_fluid *fluid, const struct ph_interactions *interactions, double a)
{
    enum { STEPS = 40 };
    const double rc = interactions->cutoff, end = sqrt(rc * rc + 15.0 / (a * a)); /* exp(-2 (a r)^2) is e^-30 of it */
    const bool switched = interactions->truncation == PH_TRUNCATE_SWITCHED;
    const double width = switched ? interactions->switch_width : 0.0;
    double sum = 0.0;
    for (int n = 0; n < STEPS; ++n) {
        const double beyond = rc + (n + 0.5) / STEPS * (end - rc), x = (n + 0.5) / STEPS, r = rc - width + x * width;
        const struct lacking all = lacking_at(a, beyond, 0.0, 0.0);
        sum += (end - rc) / STEPS * lacking_force2(fluid, &all, beyond);
        if (!switched)
            continue;
        double s, slope;
        ph_switch(ph_switch_kind_of(interactions), x, &s, &slope);
        const struct lacking some = lacking_at(a, r, s, slope / width);
        sum += width / STEPS * lacking_force2(fluid, &some, r);
    }
    return sum / (fluid->n * fluid->volume);
}

double ph_fluid_pairs_error2(const struct ph_fluid *fluid, const struct ph_interactions *interactions,
                             const struct ph_split *split)
{
    if (!(fluid->n > 0.0))
        return 0.0;
    return split->kind == PH_SPLIT_GAUSS ? cut_error2(fluid, interactions, split->a)
                                         : ph_fluid_polynomials_error2(fluid, split);
}

/* Of modes outside a grid there is the same sum in mesh_error.c. Bessel: beyond k the integrand falls like k^-14 and
 * faster. */
double ph_fluid_waves_error2(const struct ph_fluid *fluid, const struct ph_split *split, double k)
{
    enum { STEPS = 200 };
    if (!(fluid->n > 0.0))
        return 0.0;
    const double end = split->kind == PH_SPLIT_GAUSS ? sqrt(k * k + 60.0 * split->a * split->a) : k + 30.0 / split->rc;
    const double step = (end - k) / STEPS;
    double sum = 0.0;
    for (int n = 0; n < STEPS; ++n) {
        const double here = k + (n + 0.5) * step, k2 = here * here, g = ph_split_wave(split, k2, NULL),
                     b = ph_fluid_density(fluid, k2);
        sum += step * 4.0 * pi * k2 * ph_fluid_modes(fluid, k2) * k2 * b * b * ph_fluid_correlation(fluid, k2) * g * g;
    }
    return sum;
}
