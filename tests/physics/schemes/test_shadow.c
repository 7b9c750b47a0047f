/* SPDX-License-Identifier: MIT */
/* The shadow energy is constant in the fourth power of the step, where the energy is in the second. */
#include "physics/motion.h"

#include "dynamics/schemes/shadow.h"

struct errors {
    double energy, shadow;
};

/* Largest changes of both energies on the way */
static struct errors largest_errors(struct ph_system *system, struct ph_force_field *field, const double *start,
                                    struct ph_dynamics_options options, long n)
{
    enum { SAMPLES = 8 };
    put_state(start, system, field);
    struct ph_dynamics *dynamics = NULL;
    assert_ok(ph_dynamics_create(system, field, &options, &dynamics, &err));
    struct errors largest = {0.0, 0.0};
    double first = 0.0, first_shadow = 0.0;
    for (int k = 0; k <= SAMPLES; ++k) {
        struct ph_energy energy;
        double correction;
        synchronise(dynamics, &energy);
        double *before = take_state(system);
        assert_ok(ph_shadow_correction(&options, ph_dynamics_state(dynamics), &correction, &err));
        double *after = take_state(system);
        assert_memory_equal(before, after, NUMBERS * system->n * sizeof *before);
        free(before);
        free(after);
        const double total = total_energy(system, &energy), shadow = total + correction;
        if (k == 0) {
            first = total;
            first_shadow = shadow;
        }
        largest.energy = fmax(largest.energy, fabs(total - first));
        largest.shadow = fmax(largest.shadow, fabs(shadow - first_shadow));
        if (k < SAMPLES)
            advance(dynamics, n);
    }
    ph_dynamics_destroy(dynamics);
    return largest;
}

static void expect_fourth_order(const char *what, struct ph_system *system, struct ph_interactions in, double step)
{
    static const char *const tried[] = {"verlet", "verlet-position", "mclachlan2", "sbab2", "saba2"};
    struct ph_force_field *field = make_field(system, &in);
    double *start = take_state(system);
    for (size_t i = 0; i < sizeof tried / sizeof *tried; ++i) {
        struct ph_dynamics_options options = {.scheme = ph_scheme_find(tried[i]),
                                              .flow = ph_flow_find("exact"),
                                              .step = step,
                                              .compensated = true,
                                              .pinned = in.pinned};
        assert_true(ph_shadow_known(options.scheme, options.flow));
        const struct errors coarse = largest_errors(system, field, start, options, 10);
        options.step /= 2.0;
        const struct errors fine = largest_errors(system, field, start, options, 20);
        const double order = log2(coarse.energy / fine.energy), shadow_order = log2(coarse.shadow / fine.shadow);
        if (!(fabs(order - 2.0) < 0.2 && fabs(shadow_order - 4.0) < 0.2 && fine.shadow < 0.1 * fine.energy))
            fail_msg("%s, %s: energy of order %.2f (%.1e), shadow energy of order %.2f (%.1e)", what, tried[i], order,
                     fine.energy, shadow_order, fine.shadow);
    }
    free(start);
    put_away(field, system);
}

TEST(shadow_energy_is_constant_to_fourth_order)
{
    expect_fourth_order("atoms", make_mixture((const size_t[MOLECULES]){[ATOM] = 8}, 11), all_pairs, 0.004);
    expect_fourth_order("dipoles", make_mixture((const size_t[MOLECULES]){[POLAR] = 8}, 12), all_pairs, 0.008);
    expect_fourth_order("water", make_mixture((const size_t[MOLECULES]){[WATER] = 8}, 13), all_pairs, 0.004);
    expect_fourth_order("rods", make_mixture((const size_t[MOLECULES]){[ROD] = 8}, 14), all_pairs, 0.002);
    const struct ph_interactions in = switched(2.3, 0.5, 6);
    expect_fourth_order("fluid", make_fluid(108, 0.8, 4), in, 0.002);
    struct ph_interactions pinned = all_pairs;
    pinned.pinned = true;
    pinned.external.electric_field[2] = 0.7;
    expect_fourth_order("pinned in a field", make_mixture((const size_t[MOLECULES]){[POLAR] = 8}, 15), pinned, 0.008);
}

TEST(order_two_with_exact_rotation_only)
{
    assert_false(ph_shadow_known(ph_scheme_find("srkn6-11b"), ph_flow_find("exact")));
    assert_false(ph_shadow_known(ph_scheme_find("verlet"), ph_flow_find("mr2")));
    const struct ph_shadow_terms verlet = ph_shadow_terms(ph_scheme_find("verlet"));
    assert_close(verlet.alpha, 1.0 / 12.0, 1e-15, 1.0);
    assert_close(verlet.beta, -1.0 / 24.0, 1e-15, 1.0);
    assert_true(ph_shadow_of_places(ph_scheme_find("sbab2")) && ph_shadow_of_places(ph_scheme_find("saba2")));
    assert_false(ph_shadow_of_places(ph_scheme_find("verlet")) || ph_shadow_of_places(ph_scheme_find("bcss2-3")));
    const struct ph_shadow_terms fourth = ph_shadow_terms(ph_scheme_find("chin4a"));
    assert_close(fourth.alpha, 0.0, 1e-15, 1.0);
    assert_close(fourth.beta, 0.0, 1e-15, 1.0);
}
