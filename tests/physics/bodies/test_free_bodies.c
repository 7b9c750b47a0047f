/* SPDX-License-Identifier: MIT */
/* What studies of the free body stand on: how bodies are drawn, the reference, and maps over the inertia triangle. */
#include "support.h"

#include "lab/problems/flow_states.h"
#include "lab/problems/free_bodies.h"
#include "lab/studies/dmv_fixed_point.h"
#include "lab/studies/inertia_triangle.h"

#include <omp.h>

TEST(bodies_are_drawn_from_the_triangle_and_the_octant)
{
    enum { BODIES = 4000 };
    double mean_x = 0.0, mean_m = 0.0;
    for (uint64_t i = 0; i < BODIES; ++i) {
        double inertia[3], m[3], square = 0.0;
        ph_free_draw_inertia(1, i, inertia);
        ph_free_draw_momentum(1, i, m);
        assert_true(inertia[0] <= inertia[1] && inertia[1] < 1.0 && inertia[2] == 1.0);
        assert_true(inertia[0] + inertia[1] >= 1.0);
        for (int k = 0; k < 3; ++k) {
            assert_true(m[k] >= 0.0);
            square += m[k] * m[k];
        }
        assert_close(square, 1.0, 1e-14, 1.0);
        mean_x += inertia[0] / BODIES;
        mean_m += m[2] / BODIES;
    }
    /* means of a uniform triangle with corners (0, 1), (1, 1), (1/2, 1/2), and of |z| on the sphere; five deviations */
    assert_close(mean_x, 0.5, 5.0 * 0.2041 / sqrt(BODIES), 1.0);
    assert_close(mean_m, 0.5, 5.0 * 0.2887 / sqrt(BODIES), 1.0);
}

TEST(errors_are_those_of_the_method)
{
    const double inertia[3] = {0.5, 0.8, 1.0}, m[2][3] = {{0.6, 0.0, 0.8}, {0.48, 0.64, 0.6}};
    struct ph_top top;
    double q[2][4], checked, error[2], half[2], single;
    assert_ok(ph_top_init(inertia, &top, &err));
    assert_ok(ph_free_reference(&top, 2, m, 10.0, q, &checked, &err));
    assert_true(checked < 1e-14);
    const struct ph_flow *sr2 = ph_flow_find("sr2");
    const struct ph_free_course course = {&top, 2, m, 10.0, (const double(*)[4])q};
    assert_ok(ph_free_errors(sr2, &course, 200, error, &err));
    assert_ok(ph_free_errors(sr2, &course, 400, half, &err));
    for (int i = 0; i < 2; ++i)
        assert_close(log2(error[i] / half[i]), 2.0, 0.1, 1.0);
    assert_ok(ph_free_error_checked(ph_flow_find("exact"), &top, m[1], 5.0, &single, &err));
    assert_true(single < 1e-14);
    assert_ok(ph_free_error_checked(ph_flow_find("mr2"), &top, m[1], 5.0, &single, &err));
    assert_true(single > 1e-2 && single <= 2.0);
    assert_close(ph_free_digits(1e-5), 5.0, 1e-12, 1.0);
    assert_true(ph_free_digits(1.5) == 0.0 && ph_free_digits(0.0) == 17.0);
}

/* Where the fixed-point iteration converges, it ends where Newton's does; with long steps of thin bodies it does not.
 */
TEST(fixed_point_and_newton_find_the_same_step)
{
    static const char *const names[] = {"dmv2", "dmv6", "dmv8", "dmv10", "dmv14"};
    static const double inertia[3] = {0.5, 0.8, 1.0}, start[3] = {0.48, 0.64, 0.6}, one[4] = {1.0, 0.0, 0.0, 0.0};
    struct ph_top top, thin;
    assert_ok(ph_top_init(inertia, &top, &err));
    assert_ok(ph_top_init((const double[3]){0.05, 0.98, 1.0}, &thin, &err));
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        const struct ph_flow *flow = ph_flow_find(names[k]);
        struct ph_bodies bodies;
        double m[3] = {start[0], start[1], start[2]}, end[3], q[4];
        assert_ok(ph_states_create(1, &bodies, &err));
        ph_states_put(bodies, 0, start, one);
        ph_bodies_set_norm(bodies);
        ph_flow_advance(flow, &top, 0.3, bodies);
        ph_states_take(bodies, 0, end, q);
        ph_states_destroy(&bodies);
        assert_true(ph_dmv_fixed_point(&top, flow->order, 0.3, m));
        for (int i = 0; i < 3; ++i)
            assert_close(m[i], end[i], 2e-14, 1.0);
        assert_true(fabs(m[0] - start[0]) > 1e-3);
    }
    double m[3] = {start[0], start[1], start[2]};
    assert_false(ph_dmv_fixed_point(&thin, 2, 0.3, m)); /* h |omega| is 3: the equation has no solution */
    assert_true(m[0] == start[0]);
}

TEST(maps_do_not_depend_on_the_number_of_threads)
{
    enum { COLUMNS = 8, ROWS = 4 };
    struct ph_triangle_point one[COLUMNS * ROWS], three[COLUMNS * ROWS];
    const struct ph_lab_progress quiet = {.tell = NULL};
    const size_t n = ph_triangle_grid(COLUMNS, ROWS, one);
    assert_int_equal(ph_triangle_grid(COLUMNS, ROWS, three), n);
    assert_int_equal(n, 16);
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    assert_ok(ph_triangle_measure(1, &quiet, n, one, &err));
    omp_set_num_threads(3);
    assert_ok(ph_triangle_measure(1, &quiet, n, three, &err));
    omp_set_num_threads(threads);
    for (size_t i = 0; i < n; ++i)
        for (int s = 0; s < PH_TRIANGLE_STEPS; ++s)
            for (int k = 0; k < PH_TRIANGLE_METHODS; ++k)
                assert_true(one[i].digits[s][k] == three[i].digits[s][k] &&
                            one[i].failed[s][k] == three[i].failed[s][k]);
}
