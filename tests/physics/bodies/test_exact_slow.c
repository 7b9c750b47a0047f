/* SPDX-License-Identifier: MIT */
/* Millions of consecutive steps: rounding must not add up. */
#include "physics/bodies.h"

enum { BODIES = 8, SAMPLES = 30 };

static const double start[BODIES][3] = {{1.8, 0.4, -0.9}, {0.1, 0.2, 1.3},    {0.5, 0.5, 0.5}, {1.0, 0.01, 0.02},
                                        {0.3, -1.0, 0.2}, {-0.2, -0.1, -0.9}, {0.7, 0.8, 0.1}, {0.01, 1.0, 0.02}};

struct deviation {
    double energy, norm, space, attitude;
};

static struct deviation measure(const double inertia[3], double *const m[3], double *const q[4], int i)
{
    double energy = 0.0, energy0 = 0.0, square = 0.0, square0 = 0.0, length = 0.0, space[3], now[3], attitude[4];
    for (int k = 0; k < 3; ++k) {
        now[k] = m[k][i];
        energy += now[k] * now[k] / inertia[k];
        energy0 += start[i][k] * start[i][k] / inertia[k];
        square += now[k] * now[k];
        square0 += start[i][k] * start[i][k];
    }
    for (int k = 0; k < 4; ++k) {
        attitude[k] = q[k][i];
        length += attitude[k] * attitude[k];
    }
    ph_quat_rotate(attitude, now, space);
    return (struct deviation){.energy = energy / energy0 - 1.0,
                              .norm = square / square0 - 1.0,
                              .space = momentum_distance(space, start[i]) / sqrt(square0),
                              .attitude = length - 1.0};
}

/* |m| and |q| stay at rounding. The energy settles, within some ten million short steps or three million long ones,
 * where the rounding of the step, the same each time, balances. It is bounded, and for long steps the same in the first
 * half as after it, where a drift would be twice as large. Q m takes a random walk, 2^-53 sqrt(steps), which is 3e-13
 * after six million steps. A bias of one hundredth of a rounding per step would be 6e-12 then. */
static void check(double step, int steps, bool settles)
{
    const double inertia[3] = {0.345, 0.653, 1.0};
    const struct ph_top top = make_top(inertia[0], inertia[1], inertia[2]);
    double arrays[8][BODIES] = {{0.0}};
    double *const m[3] = {arrays[0], arrays[1], arrays[2]}, *const q[4] = {arrays[3], arrays[4], arrays[5], arrays[6]};
    for (int i = 0; i < BODIES; ++i) {
        for (int k = 0; k < 3; ++k)
            m[k][i] = start[i][k];
        q[0][i] = 1.0;
    }
    const struct ph_bodies bodies = {
        .n = BODIES, .m = {m[0], m[1], m[2]}, .q = {q[0], q[1], q[2], q[3]}, .norm = arrays[7]};
    ph_bodies_set_norm(bodies);
    const struct ph_flow *flow = ph_flow_find("exact");
    double early = 0.0, late = 0.0, space = 0.0;
    for (int sample = 0; sample < SAMPLES; ++sample) {
        for (int s = 0; s < steps / SAMPLES; ++s)
            ph_flow_advance(flow, &top, step, bodies);
        for (int i = 0; i < BODIES; ++i) {
            const struct deviation d = measure(inertia, m, q, i);
            assert_close(d.norm, 0.0, 8e-16, 1.0);
            assert_close(d.attitude, 0.0, 8e-16, 1.0);
            double *largest = sample < SAMPLES / 2 ? &early : &late;
            *largest = fmax(*largest, fabs(d.energy));
            space = fmax(space, d.space);
        }
    }
    print_message("h = %g: dH/H at most %.1e in the first half, %.1e after; Qm %.1e\n", step, early, late, space);
    assert_close(late, 0.0, 5e-13, 1.0);
    if (settles)
        assert_close(late, 0.0, 1.5, early + 2e-14);
    assert_close(space, 0.0, 1.14e-12, 1.0);
}

static void small_steps_do_not_drift(void **state) { check(0.0137, 5000000, false); }

static void large_steps_do_not_drift(void **state) { check(0.1, 6000000, true); }

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(small_steps_do_not_drift),
                                       cmocka_unit_test(large_steps_do_not_drift)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
