/* SPDX-License-Identifier: MIT */
/* The loop that composes flows and kicks, for molecules of every kind. Bits depend neither on threads nor on the pieces
 * of a run. Steps lead back to the start. Counts and conserved quantities are right. */
#include "physics/motion.h"

#include "lab/power_law.h"

#include <omp.h>

/* One scheme of each sort: kick first and drift first, with and without gradients or displaced forces, also in the
 * outermost kick */
static const char *const sorts[] = {"verlet",         "verlet-position",  "srkn6-11b",
                                    "srkn6-14a",      "chin4a",           "chin4b",
                                    "omelyan4-2f2gv", "chin4b-displaced", "omelyan4-2f2gv-displaced"};
enum { SORTS = sizeof sorts / sizeof *sorts };

static bool same_bits(size_t n, const double *a, const double *b)
{
    return memcmp(a, b, NUMBERS * n * sizeof(double)) == 0;
}

/* ---- Bits ---- */

/* The end of a run with so many threads, from one and the same start */
static double *end_with_threads(struct ph_system *system, struct ph_force_field *field, const double *start,
                                const char *scheme, double step, long n, int threads)
{
    const int before = omp_get_max_threads();
    omp_set_num_threads(threads);
    put_state(start, system, field);
    run(system, field, scheme, "exact", step, n);
    omp_set_num_threads(before);
    return take_state(system);
}

static void expect_same_for_all_threads(struct ph_system *system, const struct ph_interactions *in, double step,
                                        size_t lists)
{
    struct ph_force_field *field = make_field(system, in);
    double *start = take_state(system);
    for (size_t s = 0; s < SORTS; ++s) {
        double *one = end_with_threads(system, field, start, sorts[s], step, 6, 1);
        assert_true(state_distance(system->n, one, start) > 1e-3);
        for (int threads = 2; threads <= 3; ++threads) {
            double *several = end_with_threads(system, field, start, sorts[s], step, 6, threads);
            if (!same_bits(system->n, one, several))
                fail_msg("%s: %d threads end elsewhere, by %.2e", sorts[s], threads,
                         state_distance(system->n, one, several));
            free(several);
        }
        free(one);
    }
    assert_true(ph_force_field_counts(field).lists_made >= lists);
    free(start);
    put_away(field, system);
}

TEST(threads_do_not_change_a_bit_in_a_box)
{
    const struct ph_interactions in = switched(2.2, 0.4, 6);
    expect_same_for_all_threads(make_fluid(864, 0.8, 1), &in, 0.02, 3 * SORTS + 1); /* lists are made on the way too */
}

TEST(threads_do_not_change_a_bit_in_open_space)
{
    expect_same_for_all_threads(make_mixture((const size_t[MOLECULES]){200, 200, 60, 70, 30}, 2), &all_pairs, 0.002, 1);
}

/* Pending flows are carried over: a run in pieces is the run at once. */
TEST(pieces_make_the_same_run_bit_for_bit)
{
    struct ph_system *system = make_fluid(108, 0.8, 3);
    const struct ph_interactions in = switched(2.3, 0.5, 6);
    struct ph_force_field *field = make_field(system, &in);
    double *start = take_state(system);
    for (size_t s = 0; s < SORTS; ++s)
        for (int flow = 0; flow < 2; ++flow) {
            const char *name = flow ? "mr2" : "exact";
            put_state(start, system, field);
            run(system, field, sorts[s], name, 0.01, 12);
            double *at_once = take_state(system);
            put_state(start, system, field);
            struct ph_dynamics *dynamics = make_dynamics(system, field, sorts[s], name, 0.01);
            static const long pieces[] = {1, 0, 3, 2, 6};
            assert_false(ph_dynamics_has_pending_flow(dynamics));
            for (size_t k = 0; k < sizeof pieces / sizeof *pieces; ++k) {
                advance(dynamics, pieces[k]);
                assert_true(ph_dynamics_has_pending_flow(dynamics));
            }
            synchronise(dynamics, NULL);
            assert_false(ph_dynamics_has_pending_flow(dynamics));
            double *in_pieces = take_state(system);
            if (!same_bits(system->n, at_once, in_pieces))
                fail_msg("%s, %s: off by %.2e", sorts[s], name, state_distance(system->n, at_once, in_pieces));
            /* nothing more is pending, and an energy does not move anything */
            struct ph_energy energy;
            synchronise(dynamics, &energy);
            double *again = take_state(system);
            assert_true(same_bits(system->n, in_pieces, again));
            ph_dynamics_destroy(dynamics);
            free(at_once);
            free(in_pieces);
            free(again);
        }
    free(start);
    put_away(field, system);
}

/* Doing pending flows in between changes the rounding, and nothing else. */
TEST(synchronising_changes_rounding_only)
{
    struct ph_system *system = make_fluid(108, 0.8, 4);
    const struct ph_interactions in = switched(2.3, 0.5, 6);
    struct ph_force_field *field = make_field(system, &in);
    double *start = take_state(system);
    for (size_t s = 0; s < SORTS; ++s) {
        put_state(start, system, field);
        run(system, field, sorts[s], "exact", 0.005, 10);
        double *at_once = take_state(system);
        put_state(start, system, field);
        struct ph_dynamics *dynamics = make_dynamics(system, field, sorts[s], "exact", 0.005);
        struct ph_energy energy;
        for (int k = 0; k < 10; ++k) {
            advance(dynamics, 1);
            synchronise(dynamics, k % 2 ? &energy : NULL);
        }
        ph_dynamics_destroy(dynamics);
        double *paid = take_state(system);
        assert_close(state_distance(system->n, at_once, paid), 0.0, 1e-13, 1.0);
        free(at_once);
        free(paid);
    }
    free(start);
    put_away(field, system);
}

static void expect_same_forces(struct ph_system *system, const struct ph_interactions *in)
{
    struct ph_force_field *field = make_field(system, in);
    evaluate(field, system);
    const size_t n = system->n;
    double *kept = malloc(6 * n * sizeof *kept);
    for (size_t k = 0; k < 6; ++k)
        memcpy(kept + k * n, k < 3 ? system->f[k] : system->t[k - 3], n * sizeof *kept);
    assert_ok(ph_force_field_evaluate(field, system, PH_FORCES_ALL, NULL, NULL, &err));
    for (size_t k = 0; k < 6; ++k)
        assert_memory_equal(kept + k * n, k < 3 ? system->f[k] : system->t[k - 3], n * sizeof *kept);
    free(kept);
    put_away(field, system);
}

TEST(forces_with_and_without_energy_have_the_same_bits)
{
    const struct ph_interactions in = switched(2.2, 0.4, 2);
    expect_same_forces(make_fluid(864, 0.8, 5), &in);
    expect_same_forces(make_mixture((const size_t[MOLECULES]){9, 8, 7, 6, 5}, 5), &all_pairs);
}

/* ---- There and back ---- */

TEST(steps_back_undo_steps_forth)
{
    struct ph_system *system = make_mixture((const size_t[MOLECULES]){3, 3, 2, 2, 2}, 6);
    struct ph_force_field *field = make_field(system, &all_pairs);
    double *start = take_state(system);
    for (size_t i = 0; i < ph_scheme_count(); ++i) {
        const char *name = ph_scheme_at(i)->name;
        put_state(start, system, field);
        run(system, field, name, "exact", 0.01, 5);
        double *away = take_state(system);
        run(system, field, name, "exact", -0.01, 5);
        double *back = take_state(system);
        assert_true(state_distance(system->n, start, away) > 1e-2);
        if (!(state_distance(system->n, start, back) < (ph_scheme_is_displaced(ph_scheme_at(i)) ? 8e-14 : 2e-14)))
            fail_msg("%s: back to %.2e", name, state_distance(system->n, start, back));
        free(away);
        free(back);
    }
    free(start);
    put_away(field, system);
}

/* ---- Counts ---- */

TEST(a_step_evaluates_what_the_scheme_says)
{
    struct ph_system *system = make_mixture((const size_t[MOLECULES]){1, 2, 1, 1, 1}, 7);
    struct ph_force_field *field = make_field(system, &all_pairs);
    double *start = take_state(system);
    for (size_t i = 0; i < ph_scheme_count(); ++i) {
        const struct ph_scheme *scheme = ph_scheme_at(i);
        const size_t forces = (size_t)ph_scheme_evaluations(scheme), gradients = (size_t)ph_scheme_gradients(scheme);
        const size_t first = ph_scheme_kick_first(scheme),
                     first_gradient = ph_scheme_kick_first(scheme) && scheme->c[0] != 0.0;
        /* The first kick after a synchronised state evaluates displaced forces again. */
        const bool again = ph_scheme_is_displaced(scheme) && first_gradient;
        put_state(start, system, field);
        struct ph_dynamics *dynamics = make_dynamics(system, field, scheme->name, "exact", 1e-3);
        assert_int_equal(ph_state_counts(ph_dynamics_state(dynamics)).evaluations, 0);
        advance(dynamics, 5);
        assert_int_equal(ph_state_counts(ph_dynamics_state(dynamics)).evaluations,
                         5 * forces); /* the last kick is pending */
        assert_int_equal(ph_state_counts(ph_dynamics_state(dynamics)).gradients, 5 * gradients);
        struct ph_energy energy;
        for (int k = 0; k < 5; ++k) { /* with the kick first, energies come with the forces of the pending kick */
            synchronise(dynamics, &energy);
            advance(dynamics, 1);
        }
        synchronise(dynamics, NULL);
        assert_int_equal(ph_state_counts(ph_dynamics_state(dynamics)).evaluations,
                         10 * forces + (ph_scheme_kick_first(scheme) ? first : 5) + (again ? 6 : 0));
        assert_int_equal(ph_state_counts(ph_dynamics_state(dynamics)).gradients,
                         10 * gradients + (again ? 0 : first_gradient));
        ph_dynamics_destroy(dynamics);
    }
    free(start);
    put_away(field, system);
}

/* ---- Conserved ---- */

/* Total momentum and angular momentum, and the size of what they are made of */
static void momenta(const struct ph_system *system, double total[6], double size[2])
{
    memset(total, 0, 6 * sizeof *total);
    memset(size, 0, 2 * sizeof *size);
    for (size_t i = 0; i < system->n; ++i) {
        const double q[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]};
        const double m[3] = {system->m[0][i], system->m[1][i], system->m[2][i]};
        double spin[3];
        ph_quat_rotate(q, m, spin);
        for (int k = 0; k < 3; ++k) {
            const int a = (k + 1) % 3, b = (k + 2) % 3;
            const double orbital = system->r[a][i] * system->p[b][i] - system->r[b][i] * system->p[a][i];
            total[k] += system->p[k][i];
            total[3 + k] += orbital + spin[k];
            size[0] += fabs(system->p[k][i]);
            size[1] += fabs(orbital) + fabs(spin[k]);
        }
    }
}

TEST(momenta_are_conserved_in_open_space)
{
    struct ph_system *system = make_mixture((const size_t[MOLECULES]){4, 4, 3, 3, 2}, 8);
    struct ph_force_field *field = make_field(system, &all_pairs);
    double *start = take_state(system), before[6], after[6], size[2];
    momenta(system, before, size);
    for (size_t i = 0; i < ph_scheme_count(); ++i) {
        put_state(start, system, field);
        run(system, field, ph_scheme_at(i)->name, "exact", 0.02, 8);
        momenta(system, after, size);
        /* Displaced forces do not act along the lines between centres: L is kept to the order. */
        const bool displaced = ph_scheme_is_displaced(ph_scheme_at(i));
        for (int k = 0; k < 6; ++k) {
            if (!(fabs(after[k] - before[k]) <= (displaced && k >= 3 ? 1e-7 : 1e-14) * size[k / 3]))
                fail_msg("%s: %s changes by %.2e of %.2e", ph_scheme_at(i)->name, k < 3 ? "P" : "L",
                         after[k] - before[k], size[k / 3]);
        }
    }
    free(start);
    put_away(field, system);
}

TEST(momentum_is_conserved_in_a_box)
{
    struct ph_system *system = make_fluid(256, 0.8, 9);
    const struct ph_interactions in = switched(2.2, 0.4, 6);
    struct ph_force_field *field = make_field(system, &in);
    double *start = take_state(system), before[6], after[6], size[2];
    momenta(system, before, size);
    for (size_t s = 0; s < SORTS; ++s) {
        put_state(start, system, field);
        run(system, field, sorts[s], "exact", 0.01, 20);
        momenta(system, after, size);
        for (int k = 0; k < 3; ++k)
            assert_close(after[k], before[k], 1e-14, size[0]);
    }
    free(start);
    put_away(field, system);
}

/* ---- Energy ---- */

/* Largest change of the energy at fixed times */
static double energy_error(struct ph_system *system, struct ph_force_field *field, const double *start,
                           const struct ph_scheme *scheme, double time, long n, bool pinned)
{
    enum { SAMPLES = 4 };
    const struct ph_dynamics_options options = {.scheme = scheme,
                                                .flow = ph_flow_find("exact"),
                                                .step = time / (double)(SAMPLES * n),
                                                .compensated = true,
                                                .pinned = pinned};
    struct ph_dynamics *dynamics;
    put_state(start, system, field);
    assert_ok(ph_dynamics_create(system, field, &options, &dynamics, &err));
    struct ph_energy energy;
    synchronise(dynamics, &energy);
    const double first = total_energy(system, &energy);
    double largest = 0.0;
    for (int k = 0; k < SAMPLES; ++k) {
        advance(dynamics, n);
        synchronise(dynamics, &energy);
        largest = fmax(largest, fabs(total_energy(system, &energy) - first));
    }
    ph_dynamics_destroy(dynamics);
    return largest;
}

/* Energy errors ~ h^p for short steps: from twice as many steps to twice as many until errors are small, and then in
 * smaller pieces down to what the order can show above rounding */
static struct ph_order energy_order(struct ph_system *system, struct ph_force_field *field, const double *start,
                                    const struct ph_scheme *scheme, double time, bool pinned)
{
    const double small = scheme->order == 2 ? 1e-4 : scheme->order == 4 ? 1e-7 : 1e-9, rounding = 5e-14;
    long n = 1;
    while (!(energy_error(system, field, start, scheme, time, n, pinned) < small) && n < 512)
        n *= 2;
    struct ph_errors errors = {.n = 0};
    for (; errors.n < 9; n += 1 + n / 8) {
        const int i = errors.n++;
        errors.step[i] = time / (double)n;
        errors.error[i] = energy_error(system, field, start, scheme, time, n, pinned);
        errors.rounding[i] = rounding;
        errors.most_rounding[i] = 10.0 * rounding;
    }
    return ph_order_of_errors(&errors, 0.0, 1.0);
}

static void expect_energy_order(const char *what, struct ph_system *system, struct ph_interactions in, double time)
{
    static const char *const tried[] = {"verlet", "pefrl", "chin4a", "rkn6-7a", "omelyan6-5f3gp"};
    struct ph_force_field *field = make_field(system, &in);
    double *start = take_state(system);
    for (size_t i = 0; i < sizeof tried / sizeof *tried; ++i) {
        const struct ph_scheme *scheme = ph_scheme_find(tried[i]);
        const struct ph_order got = energy_order(system, field, start, scheme, time, in.pinned);
        if (!(fabs(got.order - scheme->order) < 0.2))
            fail_msg("%s, %s: order %d expected, %.2f seen%s, error %.2e at step %.2g", what, scheme->name,
                     scheme->order, got.order, got.resolved ? "" : " (not settled)", got.error, got.turn);
    }
    free(start);
    put_away(field, system);
}

TEST(molecules_of_every_kind_conserve_energy)
{
    expect_energy_order("atoms", make_mixture((const size_t[MOLECULES]){[ATOM] = 8}, 11), all_pairs, 1.0);
    expect_energy_order("dipoles", make_mixture((const size_t[MOLECULES]){[POLAR] = 8}, 12), all_pairs, 0.6);
    expect_energy_order("water", make_mixture((const size_t[MOLECULES]){[WATER] = 8}, 13), all_pairs, 0.6);
    expect_energy_order("rods", make_mixture((const size_t[MOLECULES]){[ROD] = 8}, 14), all_pairs, 0.3);
    expect_energy_order("all", make_mixture((const size_t[MOLECULES]){3, 3, 3, 3, 3}, 15), all_pairs, 0.3);
}

TEST(pinned_molecules_conserve_energy_and_stay)
{
    struct ph_interactions in = all_pairs;
    in.pinned = true;
    struct ph_system *system = make_mixture((const size_t[MOLECULES]){1, 4, 2, 3, 2}, 16);
    for (int k = 0; k < 3; ++k)
        memset(system->p[k], 0, system->n * sizeof(double));
    expect_energy_order("pinned", system, in, 0.5);
    system = make_mixture((const size_t[MOLECULES]){1, 4, 2, 3, 2}, 16);
    struct ph_force_field *field = make_field(system, &in);
    double *start = take_state(system);
    energy_error(system, field, start, ph_scheme_find("chin4a"), 0.1, 5, true);
    double *end = take_state(system);
    assert_memory_equal(start, end, 6 * system->n * sizeof *start); /* r and p */
    assert_true(state_distance(system->n, start, end) > 1e-2);
    free(start);
    free(end);
    put_away(field, system);
}

TEST(fields_conserve_energy)
{
    struct ph_interactions in = all_pairs;
    in.external.electric_field[0] = 0.7;
    in.external.electric_field[2] = -1.1;
    in.external.gravity[1] = -0.8;
    in.external.tether = 3.0;
    in.external.gravity_gradient = 0.4;
    expect_energy_order("fields", make_mixture((const size_t[MOLECULES]){2, 2, 2, 2, 2}, 17), in, 0.3);
}
