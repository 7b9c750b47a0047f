/* SPDX-License-Identifier: MIT */
/* What one-step integrators are made of: turns and their derivatives, equations for one body, mixing,
 * and a state without forces. */
#include "support.h"

#include "dynamics/integrators/mixing.h"
#include "dynamics/integrators/spin.h"
#include "parallel/team.h"

#include <float.h>
#include <stdlib.h>

static const double vectors[][3] = {{0.3, -0.2, 0.5},  {1.5, 0.7, -1.1},   {0.01, 0.02, -0.005},
                                    {0.19, 0.0, 0.05}, {1e-9, -2e-9, 0.0}, {0.0, 0.0, 0.0}};
enum { VECTORS = sizeof vectors / sizeof vectors[0] };
static const double x[3] = {0.4, -1.2, 0.7};

/* x turned by the series of exp(hat(v)), which needs none of the closed forms */
static void turn_by_series(const double v[3], double out[3])
{
    double term[3] = {x[0], x[1], x[2]};
    for (int k = 0; k < 3; ++k)
        out[k] = x[k];
    for (int n = 1; n < 40; ++n) {
        ph_vec3_cross(v, term, term);
        for (int k = 0; k < 3; ++k) {
            term[k] /= n;
            out[k] += term[k];
        }
    }
}

TEST(turns_are_those_of_the_exponential_series)
{
    for (int i = 0; i < VECTORS; ++i) {
        double turn[4], got[3], want[3], back[3];
        ph_turn_exp(vectors[i], turn);
        ph_quat_rotate(turn, x, got);
        turn_by_series(vectors[i], want);
        ph_turn_back(turn, got, back);
        for (int k = 0; k < 3; ++k) {
            assert_close(got[k], want[k], 4.0 * DBL_EPSILON, 2.0);
            assert_close(back[k], x[k], 4.0 * DBL_EPSILON, 2.0);
        }
    }
}

/* (1 - hat(v)/2) cay(v) x = (1 + hat(v)/2) x; and two halves of a turn make it */
TEST(cayleys_map_is_its_quotient_and_halves_make_a_whole)
{
    for (int i = 0; i < VECTORS; ++i) {
        const double *v = vectors[i];
        double turn[4], half[4], whole[4], y[3], left[3], right[3];
        ph_turn_cay(v, turn);
        ph_quat_rotate(turn, x, y);
        ph_vec3_cross(v, y, left);
        ph_vec3_cross(v, x, right);
        for (int k = 0; k < 3; ++k)
            assert_close(y[k] - 0.5 * left[k], x[k] + 0.5 * right[k], 8.0 * DBL_EPSILON, 3.0);
        ph_turn_half(turn, half);
        ph_quat_multiply(half, half, whole);
        for (int k = 0; k < 4; ++k)
            assert_close(whole[k], turn[k], 4.0 * DBL_EPSILON, 1.0);
    }
}

/* exp(v + h d) = exp(h dexp_v d + ...) exp(v), by differences; the inverse takes it back, on both sides of where the
 * formulas change to series */
TEST(dexp_is_the_derivative_of_the_exponential)
{
    for (int i = 0; i < VECTORS; ++i) {
        const double *v = vectors[i], h = 1e-5;
        double derivative[3], back[3], plus[4], minus[4], turn[4];
        ph_turn_dexp(v, x, derivative);
        ph_turn_dexp_inverse(v, derivative, back);
        double forth[3], to[3];
        for (int k = 0; k < 3; ++k) {
            forth[k] = v[k] + h * x[k];
            to[k] = v[k] - h * x[k];
        }
        ph_turn_exp(forth, plus);
        ph_turn_exp(to, minus);
        const double inverse[4] = {minus[0], -minus[1], -minus[2], -minus[3]};
        ph_quat_multiply(plus, inverse, turn); /* a turn by 2 h dexp */
        for (int k = 0; k < 3; ++k) {
            assert_close(back[k], x[k], 1e-13, 2.0);
            assert_close(turn[1 + k] / h, derivative[k], 1e-9, 2.0);
        }
    }
}

TEST(solutions_of_equations_for_one_body_solve_them)
{
    const double w[3] = {1.6, 0.9, 0.55}, b[3] = {0.7, -0.8, 0.4}, c = 0.3;
    for (int lag = 0; lag < 2; ++lag) {
        double z[3], cross[3];
        assert_true(ph_spin_solve_euler(w, c, lag, b, z));
        const double rate[3] = {w[0] * z[0], w[1] * z[1], w[2] * z[2]};
        ph_vec3_cross(z, rate, cross);
        for (int k = 0; k < 3; ++k)
            assert_close(b[k] + c * cross[k] - lag * c * c * ph_vec3_dot(z, rate) * rate[k], z[k], 4.0 * DBL_EPSILON,
                         1.0);
    }
    const struct ph_spin_turned e = {
        .c = c, .shift = {0.2, 0.1, -0.4}, .b = {0.7, -0.8, 0.4}, .half = {0.1, 0.2, 0.3}, .d = {-0.2, 0.3, 0.1}};
    double z[3], v[3], turn[4], whole[3], half[3];
    assert_true(ph_spin_solve_turned(w, &e, z));
    for (int k = 0; k < 3; ++k)
        v[k] = c * w[k] * (z[k] + e.shift[k]);
    ph_turn_exp(v, turn);
    ph_turn_back(turn, e.b, whole);
    for (int k = 0; k < 3; ++k)
        v[k] *= 0.5;
    ph_turn_exp(v, turn);
    ph_turn_back(turn, e.half, half);
    for (int k = 0; k < 3; ++k)
        assert_close(whole[k] + half[k] + e.d[k], z[k], 4.0 * DBL_EPSILON, 1.0);
    assert_false(ph_spin_solve_euler(w, NAN, 0.0, b, z));
}

/* x = a x + b, where x <- a x + b runs away; four unknowns are known after five differences */
TEST(mixing_converges_where_repetition_does_not)
{
    enum { N = 4 };
    static const double a[N] = {-3.0, 0.5, 1.7, -0.9}, b[N] = {1.0, -2.0, 0.3, 0.7};
    const struct ph_species species = {.name = "atom", .mass = 1.0};
    const struct ph_box open = {.kind = PH_BOX_OPEN};
    struct ph_system *system; /* of which a molecule is an unknown */
    struct ph_state *where;
    assert_ok(ph_system_create(1, &species, &(size_t){N}, &open, &system, &err));
    assert_ok(ph_state_create(system, NULL, &(struct ph_state_options){.flow = NULL}, &where, &err));
    struct ph_mixing *mixing = ph_mixing_create(1, N);
    assert_non_null(mixing);
    for (int again = 0; again < 2; ++again) {
        double u[N] = {0.0}, g[N];
        int needed = 0;
        for (double off = 1.0; off > 1e-13 && needed < 30; ++needed) {
            off = 0.0;
            for (int k = 0; k < N; ++k) {
                g[k] = a[k] * u[k] + b[k];
                off = fmax(off, fabs(g[k] - u[k]));
            }
            if (off > 1e-13)
                ph_mixing_next(mixing, where, &(double *){g}, &(double *){u});
        }
        assert_true(needed <= 8);
        for (int k = 0; k < N; ++k)
            assert_close(u[k], b[k] / (1.0 - a[k]), 1e-12, 1.0);
        ph_mixing_reset(mixing);
    }
    ph_mixing_destroy(mixing);
    ph_mixing_destroy(NULL);
    ph_state_destroy(where);
    ph_system_destroy(system);
}

/* On several ranks, too, which then have nothing to divide the molecules by. */
TEST(a_state_without_forces_holds_all_molecules)
{
    (void)state;
    static const struct ph_team two = {.rank = 1, .size = 2};
    const struct ph_species species = {.name = "atom", .mass = 2.0};
    const struct ph_box open = {.kind = PH_BOX_OPEN};
    struct ph_error err = {.text = ""};
    struct ph_system *system;
    struct ph_state *where;
    assert_int_equal(ph_system_create(1, &species, &(size_t){1}, &open, &system, &err), PH_OK);
    system->p[0][0] = 3.0;
    ph_team_join(&two);
    assert_int_equal(ph_state_create(system, NULL, &(struct ph_state_options){.flow = NULL}, &where, &err), PH_OK);
    assert_int_equal(ph_state_drift(where, 4.0, &err), PH_OK);
    ph_state_destroy(where);
    ph_team_join(&ph_team_alone);
    assert_true(system->r[0][0] == 6.0);
    ph_system_destroy(system);
}
