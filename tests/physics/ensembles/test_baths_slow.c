/* SPDX-License-Identifier: MIT */
/* The bias of kinetic temperatures with Langevin's bath has the order of the scheme, too.
 *
 * It is small, for a reason: in a steady state the bath gives as much as it takes, and if all momenta have one friction
 * that means that the sum of all kinetic energies is right but for what the errors of steps add on average, which is of
 * order h^(2p). So the biases of temperatures cancel each other to order h^p, and there is none at all where energy
 * does not flow from one kind of momenta to another, as in a harmonic solid. Here it flows between the axes of
 * asymmetric tops, and between rotation and translation of pairs of molecules that repel each other off their centres.
 *
 * Schemes are symmetric, so what spoils an order costs two, which is seen where slopes have errors of 0.3; that of axis
 * 1 has half of it. The rotors have the lowest and the highest order, the pairs the two lower ones; energies of rotors
 * are in test_baths.c with all three. */
#include "physics/baths.h"

static const char *const names[] = {"<U>", "T of translation", "T of axis 1", "T of axis 2", "T of axis 3"};

/* The weighted sum of the biases of temperatures against the largest of them */
static void assert_balanced(const struct averages *bias)
{
    double t[PH_BATH_GROUPS], error[PH_BATH_GROUPS];
    for (int group = 0; group < PH_BATH_GROUPS; ++group)
        t[group] = mean(bias, BIAS_T + group, &error[group]);
    const double sum = t[1] + t[2] + t[3], uncertain = hypot(error[1], hypot(error[2], error[3]));
    if (!(fabs(sum) < 0.25 * fabs(t[1]) + 3.0 * uncertain))
        fail_msg("biases of temperatures do not cancel: %g, %g, %g", t[1], t[2], t[3]);
}

TEST(temperatures_of_all_axes_have_a_bias_of_the_order_of_the_scheme)
{
    const struct rotors rotors = {.n = 64, .inertia = {0.2, 0.9, 1.0}, .field = 8.0, .tether = 8.0};
    static const struct {
        const char *scheme, *better;
        int order;
        double step[2], time; /* for frequencies up to 6.5 */
    } cases[] = {{"verlet", "pefrl", 2, {0.12, 0.06}, 1600.0}, {"yoshida6", "rkn6-7a", 6, {0.16, 0.08}, 2500.0}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        struct averages bias[2];
        for (int s = 0; s < 2; ++s) {
            const struct pair_of_runs runs = {.scheme = cases[c].scheme,
                                              .better = cases[c].better,
                                              .step = cases[c].step[s],
                                              .time = cases[c].time,
                                              .friction = 1.0,
                                              .every = 2,
                                              .observe = observe_rotors,
                                              .data = &rotors};
            struct heated pair[2] = {make_rotors(&rotors), make_rotors(&rotors)};
            bias[s] = measure_bias(&runs, pair);
            assert_balanced(&bias[s]);
        }
        assert_slope(cases[c].scheme, names[0], BIAS_ENERGY, cases[c].order, bias, cases[c].step, 0.05);
        for (int k = BIAS_T + 1; k < BIASES; ++k)
            assert_slope(cases[c].scheme, names[k], k, cases[c].order, bias, cases[c].step, 0.35);
    }
}

/* Pairs of molecules whose centres and orientations are held, far from other pairs; sites that repel each other are off
 * the centres. */
static struct heated make_pairs(size_t n)
{
    const struct ph_site site = {
        .name = "A", .position = {0.4, -0.2, 0.3}, .radial = {PH_RADIAL_SOFT_SPHERE, 1.0, 1.0, 4.0, 0.0}};
    const struct ph_box box = ph_box_open();
    const struct ph_start start = {.kind = PH_START_SIMPLE_CUBIC, .seed = 1, .spacing = 1.0};
    const struct ph_interactions interactions = {.cutoff = 6.0,
                                                 .skin = 6.0, /* one list is enough */
                                                 .truncation = PH_TRUNCATE_SWITCHED,
                                                 .switch_width = 1.0,
                                                 .smoothness = 6,
                                                 .coulomb = 1.0,
                                                 .external = {.valley_stiffness = 3.0, .tether = 40.0}};
    struct heated heated = {.system = make_bodies(&site, (const double[3]){0.2, 0.9, 1.0}, n, &box, &start)};
    for (size_t i = 0; i < n; ++i) {
        heated.system->r[0][i] = 20.0 * (double)(i / 2) + 1.4 * (double)(i % 2);
        heated.system->r[1][i] = heated.system->r[2][i] = 0.0;
    }
    heated.field = make_field(heated.system, &interactions);
    return heated;
}

static void observe_pairs(const void *data, struct heated *heated, double x[BIASES])
{
    const struct ph_energy energy = energy_of(heated);
    x[BIAS_ENERGY] = ph_energy_total(&energy) / (double)heated->system->n;
    temperatures(heated->system, x + BIAS_T);
}

/* That of translation is too small for a slope: it stays below a fifth of the bias of the energy, which has one. */
TEST(temperature_of_translation_has_no_larger_bias)
{
    static const struct {
        const char *scheme, *better;
        int order;
        double time;
    } cases[] = {{"verlet", "pefrl", 2, 100.0}, {"yoshida4", "rkn6-7a", 4, 250.0}};
    static const double step[] = {0.06, 0.03};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        struct averages bias[2];
        for (int s = 0; s < 2; ++s) {
            const struct pair_of_runs runs = {.scheme = cases[c].scheme,
                                              .better = cases[c].better,
                                              .step = step[s],
                                              .time = cases[c].time,
                                              .friction = 2.0,
                                              .every = 4,
                                              .observe = observe_pairs};
            struct heated pair[2] = {make_pairs(32), make_pairs(32)};
            bias[s] = measure_bias(&runs, pair);
            double error[2];
            const double energy = mean(&bias[s], BIAS_ENERGY, &error[0]), t = mean(&bias[s], BIAS_T, &error[1]);
            print_message("%s, step %g: %s %9.2e +- %.1e, <U> %9.2e\n", cases[c].scheme, step[s], names[BIAS_T], t,
                          error[1], energy);
            assert_true(fabs(t) + 2.0 * error[1] < 0.2 * fabs(energy));
        }
        assert_slope(cases[c].scheme, names[0], BIAS_ENERGY, cases[c].order, bias, step, 0.15);
    }
}
