/* SPDX-License-Identifier: MIT */
/* How interactions end: the smoothness that is claimed is measured, from both sides, on the energy and on the force. */
#include "physics/force_systems.h"

#include "potential/electric.h"

#include <float.h>
#include <omp.h>

/* Two molecules on the x axis, the second turned so that no angular factor vanishes */
struct pair {
    struct ph_system *system;
    struct ph_force_field *field;
};

struct pair_value {
    double energy, force; /* the force on the first, along x */
};

enum kind { RADIAL, CHARGES, CHARGE_DIPOLE, DIPOLES, KINDS };

static struct pair make_pair(enum kind kind, const struct ph_interactions *interactions)
{
    struct ph_species species[2];
    for (int i = 0; i < 2; ++i) {
        species[i] = make_molecule(POLAR, lennard_jones);
        if (kind != RADIAL)
            species[i].site[0].radial.kind = PH_RADIAL_NONE;
        const bool dipole = kind == DIPOLES || (kind == CHARGE_DIPOLE && i == 1);
        const bool charge = kind == CHARGES || (kind == CHARGE_DIPOLE && i == 0);
        species[i].site[0].charge = charge ? 1.0 - 1.7 * i : 0.0;
        set_dipole(&species[i].site[0], dipole ? 0.9 : 0.0, dipole ? 0.3 - 0.2 * i : 0.0, 0.0);
        snprintf(species[i].name, sizeof species[i].name, "m%d", i);
    }
    struct pair pair;
    const struct ph_box box = ph_box_open();
    assert_int_equal(ph_system_create(2, species, (size_t[]){1, 1}, &box, &pair.system, NULL), PH_OK);
    pair.field = make_field(pair.system, interactions);
    return pair;
}

static void free_pair(struct pair pair) { put_away(pair.field, pair.system); }

static struct pair_value pair_at(struct pair pair, double r)
{
    pair.system->r[0][0] = r;
    const struct ph_energy energy = evaluate(pair.field, pair.system);
    return (struct pair_value){ph_energy_total(&energy), pair.system->f[0][0]};
}

static const double cutoff = 2.5, width = 1.0;

static struct ph_interactions switched(int smoothness)
{
    return (struct ph_interactions){.truncation = PH_TRUNCATE_SWITCHED,
                                    .cutoff = cutoff,
                                    .switch_width = width,
                                    .smoothness = smoothness,
                                    .coulomb = 1.0,
                                    .skin = 1.0};
}

/* What the switch takes away at a distance x from an end, 0 the inner and 1 the outer one: beyond the end it is
 * nothing, before it a power of x. */
static struct pair_value taken_at(struct pair ended, struct pair endless, int end, double x)
{
    const struct pair_value a = pair_at(ended, end == 0 ? cutoff - width + x : cutoff - x);
    if (end == 1)
        return a;
    const struct pair_value b = pair_at(endless, cutoff - width + x);
    return (struct pair_value){a.energy - b.energy, a.force - b.force};
}

/* Nothing at all beyond the outer end; inside the inner one another kernel may have rounded it. */
static void expect_nothing_beyond(struct pair ended, struct pair endless, int end)
{
    const double x = -1e-9, rounding = end == 0 ? 4.0 * DBL_EPSILON : 0.0;
    const struct pair_value whole = pair_at(endless, end == 0 ? cutoff - width + x : cutoff - x);
    const struct pair_value beyond = taken_at(ended, endless, end, x);
    assert_true(fabs(beyond.energy) <= rounding * fabs(whole.energy));
    assert_true(fabs(beyond.force) <= rounding * fabs(whole.force));
}

/* The power p and the factor c of y ~ c x^p as x goes to 0, from y at x, 2x and 4x */
static void power_law(const double y[3], double x, double *power, double *factor)
{
    *power = 2.0 * log2(y[1] / y[0]) - log2(y[2] / y[1]);
    const double p = rint(*power);
    *factor = 2.0 * y[0] / pow(x, p) - y[1] / pow(2.0 * x, p);
}

/* u = S h and S = 1 - binomial(2k+1, k) x^(k+1) + ...: derivatives up to the k-th are continuous and the next one
 * jumps, by (k+1)! times the factor. Catches a polynomial of another degree, and a coefficient that is wrong in one
 * digit. */
static void switches_have_the_smoothness_they_claim(void **state)
{
    static const double binomial[] = {[2] = 10.0, [4] = 126.0, [6] = 1716.0};
    for (int kind = 0; kind < KINDS; ++kind)
        for (int k = 2; k <= 6; k += 2) {
            const struct ph_interactions interactions = switched(k), none = {.coulomb = 1.0};
            const struct pair ended = make_pair((enum kind)kind, &interactions),
                              endless = make_pair((enum kind)kind, &none);
            for (int end = 0; end < 2; ++end) {
                const double x = 0.01, at = end == 0 ? cutoff - width : cutoff;
                double energy[3], force[3], power, factor;
                for (int j = 0; j < 3; ++j) {
                    const struct pair_value taken = taken_at(ended, endless, end, ldexp(x, j));
                    energy[j] = fabs(taken.energy);
                    force[j] = fabs(taken.force);
                }
                const double u = fabs(pair_at(endless, at).energy);
                power_law(energy, x, &power, &factor);
                if (!(fabs(power - (k + 1)) < 0.03) || !(fabs(factor / (u * binomial[k]) - 1.0) < 0.05))
                    fail_msg("kind %d, C%d, end %d: energy like %.4g x^%.3f, not %.4g x^%d", kind, k, end, factor,
                             power, u * binomial[k], k + 1);
                power_law(force, x, &power, &factor);
                if (!(fabs(power - k) < 0.03) || !(fabs(factor / (u * (k + 1) * binomial[k]) - 1.0) < 0.05))
                    fail_msg("kind %d, C%d, end %d: force like %.4g x^%.3f, not %.4g x^%d", kind, k, end, factor, power,
                             u * (k + 1) * binomial[k], k);
                expect_nothing_beyond(ended, endless, end);
            }
            free_pair(ended);
            free_pair(endless);
        }
}

/* exp(-1/x) is flatter than every power: the measured power grows as x goes to 0, past any polynomial's. */
static void the_smoothest_switch_is_flatter_than_every_power(void **state)
{
    for (int kind = 0; kind < KINDS; ++kind) {
        const struct ph_interactions interactions = switched(PH_SMOOTH_ALL), none = {.coulomb = 1.0};
        const struct pair ended = make_pair((enum kind)kind, &interactions),
                          endless = make_pair((enum kind)kind, &none);
        for (int end = 0; end < 2; ++end) {
            double before = 0.0;
            for (double x = 0.16; x > 0.03; x *= 0.5) {
                const double power =
                    log2(taken_at(ended, endless, end, 2.0 * x).energy / taken_at(ended, endless, end, x).energy);
                assert_close(power, 0.5 / x / log(2.0), 0.25, 0.5 / x / log(2.0));
                assert_true(power > 1.6 * before);
                before = power;
            }
            assert_true(before > 15.0);
            expect_nothing_beyond(ended, endless, end);
        }
        free_pair(ended);
        free_pair(endless);
    }
}

/* B0 and 8 derivatives vanish at the cutoff, and those of B0 - 1/r are continuous where the field begins to end; the
 * next ones are not: B0 to B4 are as they should be at both ends, and B4, with four derivatives taken, departs from
 * there like x^5. Catches a coefficient that is wrong in one digit. */
static void smooth_reaction_fields_end_with_eight_derivatives(void **state)
{
    static const double ratios[] = {0.0, 0.3, 0.5}, starts[] = {0.8, 1.2, 1.5};
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
            const double rc = 1.7, on = starts[k], x = 2e-3; /* of r^2, over the edge */
            const struct ph_smooth_field f = ph_smooth_field(ratios[i], rc, on);
            for (int end = 0; end < 2; ++end) {
                const double r = end ? rc : on, inv = 1.0 / r,
                             b[] = {inv, inv * inv * inv, 3.0 * pow(inv, 5.0), 15.0 * pow(inv, 7.0),
                                    105.0 * pow(inv, 9.0)};
                const struct ph_smooth at = ph_smooth(&f, r * r, inv);
                assert_close(at.b0, end ? 0.0 : b[0] + f.rf * r * r - f.zero, 1e-15, b[0]);
                assert_close(at.b1, end ? 0.0 : b[1] - 2.0 * f.rf, 2e-14, b[1]);
                assert_close(at.b2, end ? 0.0 : b[2], 2e-13, b[2]);
                assert_close(at.b3, end ? 0.0 : b[3], 2e-12, b[3]);
                assert_close(at.b4, end ? 0.0 : b[4], 2e-11, b[4]);
                double bend[3], power, factor;
                for (int j = 0; j < 3; ++j) {
                    const double part = ldexp(x * f.edge, j), s = sqrt(end ? rc * rc - part : on * on + part);
                    const double bare = 105.0 * pow(s, -9.0);
                    bend[j] = fabs(ph_smooth(&f, s * s, 1.0 / s).b4 - (end ? 0.0 : bare));
                }
                power_law(bend, x, &power, &factor);
                if (!(fabs(power - 5.0) < 0.1))
                    fail_msg("ratio %g, from %g, end %d: the fourth derivative departs like x^%.3f", ratios[i], on, end,
                             power);
            }
        }
}

/* What continuum is meant: a narrow edge is the reaction field of a sphere of this radius. */
static void narrow_edges_are_sharp_reaction_fields(void **state)
{
    static const double ratios[] = {0.0, 0.3, 0.5};
    for (int i = 0; i < 3; ++i) {
        const struct ph_smooth_field f = ph_smooth_field(ratios[i], 1.7, 1.7 - 1e-4);
        assert_close(f.rf, ratios[i] / (1.7 * 1.7 * 1.7), 1e-4, 1.0);
        assert_close(f.zero, (1.0 + ratios[i]) / 1.7, 1e-4, 1.0);
    }
}

/* The smoothness of the switch is one of the radial terms: it changes nothing between charges and dipoles, which end by
 * themselves, with nothing beyond. */
static void reaction_fields_are_not_switched(void **state)
{
    for (int kind = CHARGES; kind < KINDS; ++kind) {
        struct ph_interactions two = switched(2), six = switched(6);
        two.electrostatics = six.electrostatics = PH_ELECTROSTATICS_REACTION_FIELD;
        two.epsilon_rf = six.epsilon_rf = 4.0;
        const struct pair one = make_pair((enum kind)kind, &two), other = make_pair((enum kind)kind, &six);
        for (double r = 0.9; r < 3.0; r += 0.099) {
            const struct pair_value a = pair_at(one, r), b = pair_at(other, r);
            assert_true(a.energy == b.energy && a.force == b.force);
            assert_true((a.energy != 0.0) == (r < cutoff));
        }
        free_pair(one);
        free_pair(other);
    }
}

/* Cut: the energy jumps by h(rc). Shifted: it is continuous, the force jumps. Force-shifted: both continuous, and the
 * energy ends like x^2. */
static void cut_and_shifted_interactions_end_as_they_say(void **state)
{
    static const enum ph_truncation truncations[] = {PH_TRUNCATE_CUT, PH_TRUNCATE_SHIFTED, PH_TRUNCATE_FORCE_SHIFTED};
    for (int kind = 0; kind < KINDS; ++kind)
        for (int t = 0; t < 3; ++t) {
            const struct ph_interactions interactions = {.truncation = truncations[t],
                                                         .cutoff = cutoff,
                                                         .coulomb = 1.0},
                                         none = {.coulomb = 1.0};
            const struct pair ended = make_pair((enum kind)kind, &interactions),
                              endless = make_pair((enum kind)kind, &none);
            const double x = 1e-3;
            double energy[3], power, factor;
            for (int j = 0; j < 3; ++j)
                energy[j] = fabs(pair_at(ended, cutoff - ldexp(x, j)).energy);
            power_law(energy, x, &power, &factor);
            const struct pair_value end = pair_at(endless, cutoff);
            assert_close(power, t, 0.02, 1.0);
            if (t == 0)
                assert_close(factor, fabs(end.energy), 1e-4, fabs(end.energy));
            if (t == 1 && kind != CHARGE_DIPOLE && kind != DIPOLES) /* their force has a part across the line, too */
                assert_close(factor, fabs(end.force), 1e-3, fabs(end.force));
            assert_true(pair_at(ended, cutoff + 1e-9).energy == 0.0);
            free_pair(ended);
            free_pair(endless);
        }
}

/* Exactly at the cutoff there is nothing: with a cutoff of half the box, lattice sites there would be seen twice. */
static void nothing_acts_at_the_cutoff_itself(void **state)
{
    for (int kind = 0; kind < KINDS; ++kind)
        for (double rc = 1.5; rc < 4.0; rc += 0.09375) {
            const struct ph_interactions interactions = {.truncation = PH_TRUNCATE_CUT, .cutoff = rc, .coulomb = 1.0};
            const struct pair pair = make_pair((enum kind)kind, &interactions);
            const struct pair_value at = pair_at(pair, rc), below = pair_at(pair, rc * (1.0 - 1e-14));
            if (at.energy != 0.0 || at.force != 0.0 || below.energy == 0.0 || below.force == 0.0)
                fail_msg("kind %d: energy %g at the cutoff %g, %g just below", kind, at.energy, rc, below.energy);
            free_pair(pair);
        }
}

/* ---- Long range ---- */

/* Of u - u_truncated, by Simpson's rule in 1/r beyond the cutoff and in r within the shell */
static void integrate_tail(double n, double m, const struct ph_interactions *in, double *energy, double *virial)
{
    const double factor = n / (n - m) * pow(n / m, m / (n - m)), rc = in->cutoff;
    enum { PARTS = 2000 };
    *energy = *virial = 0.0;
    for (int i = 1; i <= PARTS; ++i) { /* t = 1/r, dr = dt/t^2 */
        const double t = i / (rc * PARTS), weight = (i == PARTS ? 1.0 : i % 2 ? 4.0 : 2.0) / (3.0 * rc * PARTS);
        const double u = factor * (pow(t, n) - pow(t, m)), slope = -factor * t * (n * pow(t, n) - m * pow(t, m));
        *energy += weight * u / pow(t, 4);
        *virial -= weight * slope / pow(t, 5) / 3.0;
    }
    for (int i = 0; i <= PARTS && in->truncation == PH_TRUNCATE_SWITCHED; ++i) {
        const double x = (double)i / PARTS, r = rc - in->switch_width * (1.0 - x), t = 1.0 / r;
        const double weight = (i == 0 || i == PARTS ? 1.0 : i % 2 ? 4.0 : 2.0) * in->switch_width / (3.0 * PARTS);
        const double u = factor * (pow(t, n) - pow(t, m)), slope = -factor * t * (n * pow(t, n) - m * pow(t, m));
        const double s = 1.0 - x * x * x * (10.0 - 15.0 * x + 6.0 * x * x),
                     ds = -30.0 * x * x * (1 - x) * (1 - x) / in->switch_width;
        *energy += weight * (1.0 - s) * u * r * r;
        *virial -= weight * ((1.0 - s) * slope - ds * u) * r * r * r / 3.0;
    }
}

/* With a switch the tail of the virial is that of the energy, W_xx = U: integration by parts, nothing is left at the
 * ends. A plain cut leaves the pressure of the step, 2 pi N^2/V rc^3 u(rc)/3. Catches a tail of the wrong sign, pairs
 * counted twice, the shell forgotten. */
static void the_tail_is_the_integral_of_what_was_cut(void **state)
{
    static const double exponents[][2] = {{12.0, 6.0}, {14.0, 7.0}, {9.0, 6.0}};
    const double pi = 3.14159265358979323846;
    for (size_t k = 0; k < 3; ++k)
        for (int smooth = 0; smooth < 2; ++smooth) {
            const struct ph_radial mie = {PH_RADIAL_MIE, 1.0, 1.0, exponents[k][0], exponents[k][1]};
            const struct ph_box box = make_box(tilted_edges, 8.0);
            struct ph_system *system = make_system((size_t[MOLECULES]){11, 0, 7, 0, 0}, mie, &box, 1.0, 1);
            struct ph_interactions interactions = {.truncation = smooth ? PH_TRUNCATE_SWITCHED : PH_TRUNCATE_CUT,
                                                   .cutoff = 2.7,
                                                   .switch_width = 0.8,
                                                   .smoothness = 2,
                                                   .coulomb = 1.0};
            system->species[0].site[0].radial.sigma = system->species[1].site[0].radial.sigma = 1.0;
            system->species[0].site[0].radial.epsilon = 0.5;
            system->species[1].site[0].radial.epsilon = 2.0; /* 1 between them */
            const struct ph_energy without = evaluate_once(system, &interactions);
            interactions.long_range_correction = true;
            const struct ph_energy with = evaluate_once(system, &interactions);
            double energy, virial;
            integrate_tail(exponents[k][0], exponents[k][1], &interactions, &energy, &virial);
            const double pairs = 2.0 * pi / box.volume * (11.0 * 11.0 * 0.5 + 2.0 * 11.0 * 7.0 + 7.0 * 7.0 * 2.0);
            assert_close(with.long_range, pairs * energy, 1e-10, pairs * energy);
            for (int x = 0; x < 3; ++x)
                for (int y = 0; y < 3; ++y)
                    assert_close(with.virial[x][y] - without.virial[x][y], x == y ? pairs * virial : 0.0, 1e-10,
                                 pairs * virial);
            if (smooth)
                assert_close(virial, energy, 1e-9, energy);
            assert_true(without.long_range == 0.0 && with.radial == without.radial);
            ph_system_destroy(system);
        }
}

/* A few molecules, many times: threads would only wait for each other. What they could break is tested in
 * test_forces_reference.c. */
int main(void)
{
    omp_set_num_threads(1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(switches_have_the_smoothness_they_claim),
        cmocka_unit_test(the_smoothest_switch_is_flatter_than_every_power),
        cmocka_unit_test(smooth_reaction_fields_end_with_eight_derivatives),
        cmocka_unit_test(narrow_edges_are_sharp_reaction_fields),
        cmocka_unit_test(reaction_fields_are_not_switched),
        cmocka_unit_test(cut_and_shifted_interactions_end_as_they_say),
        cmocka_unit_test(nothing_acts_at_the_cutoff_itself),
        cmocka_unit_test(the_tail_is_the_integral_of_what_was_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
