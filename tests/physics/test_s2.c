/* SPDX-License-Identifier: MIT */
/* Methods on products of spheres: order against end states that were computed with 25 digits, what they claim to
 * conserve, and that they say so when they cannot go on. */
#include "support.h"

#include "base/vec3.h"
#include "dynamics/dynamics.h"
#include "lab/s2.h"
#include "lab/s2_rotate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16 };

/* An end state of tests/data/s2_problems.csv */
struct end {
    size_t n;
    double time, energy;
    double q0[MOST][3], w0[MOST][3], q[MOST][3], w[MOST][3];
};

static struct end read_end(const char *name)
{
    static const struct {
        const char *name, *row;
    } rows[] = {{"spherical-pendulum", "spherical_pendulum_V=+mgl_k.q,"},
                {"double-spherical-pendulum", "double_pendulum,"},
                {"dipole-array", "dipole_array_4x4,"}};
    const char *row = NULL;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k)
        if (strcmp(rows[k].name, name) == 0)
            row = rows[k].row;
    assert_non_null(row);
    FILE *file = fopen(POLHODE_TEST_DATA "/s2_problems.csv", "r");
    assert_non_null(file);
    struct end end = {.n = 0};
    for (char line[1024]; fgets(line, sizeof line, file);) {
        if (strncmp(line, row, strlen(row)) != 0)
            continue;
        double number[15];
        char *at = line + strlen(row);
        for (int k = 0; k < 15; ++k) {
            number[k] = strtod(at, &at);
            ++at;
        }
        end.time = number[0];
        end.energy = number[14];
        memcpy(end.q0[end.n], number + 2, sizeof end.q0[0]);
        memcpy(end.w0[end.n], number + 5, sizeof end.w0[0]);
        memcpy(end.q[end.n], number + 8, sizeof end.q[0]);
        memcpy(end.w[end.n], number + 11, sizeof end.w[0]);
        ++end.n;
    }
    fclose(file);
    assert_true(end.n > 0);
    return end;
}

static double distance(size_t n, const double (*a)[3], const double (*b)[3])
{
    double sum = 0.0;
    for (size_t i = 0; i < n; ++i)
        for (int k = 0; k < 3; ++k)
            sum += (a[i][k] - b[i][k]) * (a[i][k] - b[i][k]);
    return sqrt(sum);
}

static struct ph_s2 *create(const char *problem)
{
    struct ph_s2 *s2;
    struct ph_error err = {.text = ""};
    if (ph_s2_create(ph_s2_problem_find(problem), &s2, &err) != PH_OK)
        fail_msg("%s: %s", problem, err.text);
    return s2;
}

static void advance(const struct ph_s2_method *method, double h, long n, struct ph_s2 *s2)
{
    struct ph_error err = {.text = ""};
    if (ph_s2_advance(method, h, n, s2, &err) != PH_OK)
        fail_msg("%s, %s: %s", method->name, s2->problem->name, err.text);
}

/* ---- Problems ---- */

static void problems_start_as_the_references_do(void **state)
{
    (void)state;
    for (size_t p = 0; p < ph_s2_problem_count(); ++p) {
        struct ph_s2 *s2 = create(ph_s2_problem_at(p)->name);
        const struct end end = read_end(s2->problem->name);
        assert_int_equal(s2->n, end.n);
        const double rounding = 1e-15 * sqrt((double)s2->n);
        assert_true(distance(end.n, (const double(*)[3])s2->q, end.q0) < rounding);
        assert_true(distance(end.n, (const double(*)[3])s2->w, end.w0) < rounding);
        double energy;
        struct ph_error err;
        assert_int_equal(ph_s2_energy(s2, &energy, &err), PH_OK);
        /* potentials of about 20 cancel in part */
        assert_close(energy, end.energy, 1e-14, s2->n == MOST ? end.energy : 40.0);
        ph_s2_destroy(s2);
    }
    assert_int_equal(ph_s2_problem_count(), 3);
    assert_null(ph_s2_problem_find("triple-pendulum"));
}

/* ---- Order ---- */

static void errors_at(const struct ph_s2_method *method, const struct end *end, const char *problem, long steps,
                      double *place, double *velocity)
{
    struct ph_s2 *s2 = create(problem);
    advance(method, end->time / (double)steps, steps, s2);
    *place = distance(end->n, (const double(*)[3])s2->q, end->q);
    *velocity = distance(end->n, (const double(*)[3])s2->w, end->w);
    ph_s2_destroy(s2);
}

/* Steps for which errors are small, but far from rounding; the needles turn by 12 a unit of time and diverge. */
static long coarse_steps(const struct ph_s2_method *method, const char *problem)
{
    const long steps = strcmp(problem, "dipole-array") == 0         ? 1024
                       : strcmp(problem, "spherical-pendulum") == 0 ? 128
                                                                    : 512;
    return method->order == 2 ? steps : steps / 2;
}

static void every_method_has_its_order_on_every_problem(void **state)
{
    (void)state;
    for (size_t p = 0; p < ph_s2_problem_count(); ++p) {
        const char *problem = ph_s2_problem_at(p)->name;
        const struct end end = read_end(problem);
        for (size_t k = 0; k < ph_s2_method_count(); ++k) {
            const struct ph_s2_method *method = ph_s2_method_at(k);
            const long steps = coarse_steps(method, problem);
            double coarse[2], fine[2];
            errors_at(method, &end, problem, steps, &coarse[0], &coarse[1]);
            errors_at(method, &end, problem, 2 * steps, &fine[0], &fine[1]);
            for (int c = 0; c < 2; ++c) {
                const double order = log2(coarse[c] / fine[c]);
                if (!(fabs(order - method->order) < 0.2))
                    fail_msg("%s, %s, %s: order %d claimed, %.2f measured (errors %.2e, %.2e)", problem, method->name,
                             c == 0 ? "places" : "velocities", method->order, order, coarse[c], fine[c]);
            }
        }
    }
}

/* ---- The engine's schemes ---- */

/* Follows the rotors of a problem with the engine's own dynamics. */
static void follow_rotors(struct ph_s2 *s2, const char *scheme, double h, long n)
{
    const struct ph_dynamics_options options = {
        .scheme = ph_scheme_find(scheme), .flow = ph_flow_find("exact"), .step = h, .pinned = true};
    struct ph_dynamics *dynamics;
    struct ph_error err = {.text = ""};
    ph_s2_put(s2->n, (const double(*)[3])s2->q, (const double(*)[3])s2->w, s2->posed.system);
    if (ph_dynamics_create(s2->posed.system, s2->field, &options, &dynamics, &err) != PH_OK ||
        ph_dynamics_advance(dynamics, n, &err) != PH_OK || ph_dynamics_synchronise(dynamics, NULL, &err) != PH_OK)
        fail_msg("%s: %s", scheme, err.text);
    ph_dynamics_destroy(dynamics);
    ph_s2_take(s2->posed.system, s2->q, s2->w);
}

static void the_engines_schemes_have_their_order_on_pinned_rotors(void **state)
{
    (void)state;
    static const char *const problems[] = {"spherical-pendulum", "dipole-array"};
    static const struct {
        const char *scheme;
        long steps[2];
    } runs[] = {{"verlet", {128, 1024}},
                {"srkn4-6b", {16, 128}},
                {"omelyan4-3f1gp", {32, 256}},
                {"srkn6-14a", {8, 64}},
                {"rkn8-19a", {4, 32}}};
    for (size_t p = 0; p < 2; ++p) {
        const struct end end = read_end(problems[p]);
        for (size_t k = 0; k < sizeof runs / sizeof *runs; ++k) {
            const int claimed = ph_scheme_find(runs[k].scheme)->order;
            double error[2];
            for (int fine = 0; fine < 2; ++fine) {
                struct ph_s2 *s2 = create(problems[p]);
                const long steps = runs[k].steps[p] << fine;
                follow_rotors(s2, runs[k].scheme, end.time / (double)steps, steps);
                error[fine] = hypot(distance(end.n, (const double(*)[3])s2->q, end.q),
                                    distance(end.n, (const double(*)[3])s2->w, end.w));
                ph_s2_destroy(s2);
            }
            const double order = log2(error[0] / error[1]);
            if (!(fabs(order - claimed) < 0.2))
                fail_msg("%s, %s: order %d claimed, %.2f measured (errors %.2e, %.2e)", problems[p], runs[k].scheme,
                         claimed, order, error[0], error[1]);
        }
    }
}

/* Without coupling the Lie-Newmark method is the Verlet scheme with exact rotation. */
static void newmark_on_spheres_is_verlet_of_linear_rotors(void **state)
{
    (void)state;
    static const char *const problems[] = {"spherical-pendulum", "dipole-array"};
    for (size_t p = 0; p < 2; ++p) {
        struct ph_s2 *lie = create(problems[p]), *engine = create(problems[p]);
        advance(&ph_s2_eln, 0.01, 20, lie);
        follow_rotors(engine, "verlet", 0.01, 20);
        assert_true(distance(lie->n, (const double(*)[3])lie->q, (const double(*)[3])engine->q) < 1e-13);
        assert_true(distance(lie->n, (const double(*)[3])lie->w, (const double(*)[3])engine->w) < 1e-12);
        ph_s2_destroy(lie);
        ph_s2_destroy(engine);
    }
}

/* ---- What is conserved ---- */

struct defects {
    double norm, tangent, momentum, back;
};

static struct defects measure(const struct ph_s2_method *method, const char *problem)
{
    const double h = 0.01;
    const long steps = 1000;
    struct ph_s2 *s2 = create(problem);
    const double *axis = s2->problem->axis;
    double before[3], after[3];
    struct defects found = {.norm = 0.0};
    ph_s2_momentum(s2, before);
    advance(method, h, steps, s2);
    ph_s2_momentum(s2, after);
    ph_s2_defects(s2, &found.norm, &found.tangent);
    found.momentum = fabs(ph_vec3_dot(axis, after) - ph_vec3_dot(axis, before));
    double q[MOST][3], w[MOST][3];
    memcpy(q, s2->q, s2->n * sizeof *q);
    memcpy(w, s2->w, s2->n * sizeof *w);
    advance(method, 4.0 * h, 10, s2);
    advance(method, -4.0 * h, 10, s2);
    found.back = hypot(distance(s2->n, (const double(*)[3])s2->q, (const double(*)[3])q),
                       distance(s2->n, (const double(*)[3])s2->w, (const double(*)[3])w));
    ph_s2_destroy(s2);
    return found;
}

/* What is claimed holds to rounding of a thousand steps, and what is not claimed does not. */
static void expect(const char *method, const char *problem, const char *what, bool claimed, double defect)
{
    const double rounding = 1e-12, least = 1e-10;
    if (claimed ? !(defect < rounding) : !(defect > least))
        fail_msg("%s, %s: %s %s, but it is off by %.2e", method, problem, what, claimed ? "claimed" : "not claimed",
                 defect);
}

static void every_method_conserves_what_it_claims_and_nothing_else(void **state)
{
    (void)state;
    for (size_t p = 0; p < ph_s2_problem_count(); ++p) {
        const struct ph_s2_problem *problem = ph_s2_problem_at(p);
        const bool coupled = problem->n_coupled > 0;
        for (size_t k = 0; k < ph_s2_method_count(); ++k) {
            const struct ph_s2_method *method = ph_s2_method_at(k);
            const struct ph_s2_claims *claims = &method->claims;
            const struct defects found = measure(method, problem->name);
            expect(method->name, problem->name, "|q| = 1", claims->norm, found.norm);
            expect(method->name, problem->name, "q.w = 0", claims->tangent, found.tangent);
            expect(method->name, problem->name, "reversible", claims->reversible, found.back);
            if (ph_vec3_norm(problem->axis) > 0.0)
                expect(method->name, problem->name, "momentum", coupled ? claims->momentum_coupled : claims->momentum,
                       found.momentum);
        }
    }
}

/* ---- Symplecticity ---- */

static const double disturbance = 1e-4, symplectic_step = 0.15;

/* Of state: q and p = M q' of all bodies */
struct phase {
    double q[MOST][3], p[MOST][3];
};

/* After one step from a start that is disturbed: directions turned by a, velocities with them and changed by b */
static struct phase disturbed(const struct ph_s2_method *method, const char *problem, size_t body, const double a[3],
                              const double b[3], bool moved)
{
    struct ph_s2 *s2 = create(problem);
    ph_s2_rotate(a, s2->q[body], s2->q[body]);
    ph_s2_rotate(a, s2->w[body], s2->w[body]);
    ph_vec3_add(1.0, b, s2->w[body]);
    ph_vec3_add(-ph_vec3_dot(b, s2->q[body]), s2->q[body], s2->w[body]);
    if (moved)
        advance(method, symplectic_step, 1, s2);
    struct phase phase = {.q = {{0.0}}};
    memcpy(phase.q, s2->q, s2->n * sizeof *s2->q);
    for (size_t i = 0; i < s2->n; ++i)
        for (size_t j = 0; j < s2->n; ++j) {
            double v[3];
            ph_vec3_cross(s2->w[j], s2->q[j], v);
            ph_vec3_add(s2->mass[i * s2->n + j], v, phase.p[i]);
        }
    ph_s2_destroy(s2);
    return phase;
}

/* Central difference along one of the six disturbances of one body */
static struct phase derivative(const struct ph_s2_method *method, const char *problem, size_t body, int direction,
                               bool moved)
{
    struct phase end[2], difference;
    for (int side = 0; side < 2; ++side) {
        double change[6] = {0.0};
        change[direction] = side == 0 ? disturbance : -disturbance;
        end[side] = disturbed(method, problem, body, change, change + 3, moved);
    }
    for (size_t i = 0; i < MOST; ++i)
        for (int k = 0; k < 3; ++k) {
            difference.q[i][k] = (end[0].q[i][k] - end[1].q[i][k]) / (2.0 * disturbance);
            difference.p[i][k] = (end[0].p[i][k] - end[1].p[i][k]) / (2.0 * disturbance);
        }
    return difference;
}

static double form(const struct phase *x, const struct phase *y)
{
    double sum = 0.0;
    for (size_t i = 0; i < MOST; ++i)
        sum += ph_vec3_dot(x->q[i], y->p[i]) - ph_vec3_dot(y->q[i], x->p[i]);
    return sum;
}

/* The largest change of the symplectic form in one step, over pairs of disturbances */
static double form_defect(const struct ph_s2_method *method, const char *problem, size_t n)
{
    struct phase before[12], after[12];
    double worst = 0.0;
    for (size_t d = 0; d < 6 * n; ++d) {
        before[d] = derivative(method, problem, d / 6, (int)(d % 6), false);
        after[d] = derivative(method, problem, d / 6, (int)(d % 6), true);
    }
    for (size_t x = 0; x < 6 * n; ++x)
        for (size_t y = 0; y < x; ++y)
            worst = fmax(worst, fabs(form(&after[x], &after[y]) - form(&before[x], &before[y])));
    return worst;
}

/* Differences leave about 5e-9; methods that are not symplectic change the form by more than 1e-4. */
static void methods_are_symplectic_where_they_claim_it(void **state)
{
    (void)state;
    for (size_t k = 0; k < ph_s2_method_count(); ++k) {
        const struct ph_s2_method *method = ph_s2_method_at(k);
        const double single = form_defect(method, "spherical-pendulum", 1),
                     coupled = form_defect(method, "double-spherical-pendulum", 2);
        if (method->claims.symplectic ? !(single < 1e-7) : !(single > 1e-5))
            fail_msg("%s, diagonal: form off by %.2e", method->name, single);
        if (method->claims.symplectic_coupled ? !(coupled < 1e-7) : !(coupled > 1e-5))
            fail_msg("%s, coupled: form off by %.2e", method->name, coupled);
    }
}

/* ---- Failures ---- */

static void steps_that_are_too_long_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *method, *problem;
        double step;
    } runs[] = {{"rattle-s2", "spherical-pendulum", 1.0},
                {"rattle-s2", "double-spherical-pendulum", 2.0},
                {"rkmkgl4", "spherical-pendulum", 10.0},
                {"eln-s2", "double-spherical-pendulum", 1e200}};
    for (size_t k = 0; k < sizeof runs / sizeof *runs; ++k) {
        struct ph_s2 *s2 = create(runs[k].problem);
        struct ph_error err = {.text = ""};
        if (ph_s2_advance(ph_s2_method_find(runs[k].method), runs[k].step, 3, s2, &err) != PH_ERR_NUMBERS)
            fail_msg("%s goes on with a step of %g", runs[k].method, runs[k].step);
        assert_true(strlen(err.text) > 20);
        ph_s2_destroy(s2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(problems_start_as_the_references_do),
        cmocka_unit_test(every_method_has_its_order_on_every_problem),
        cmocka_unit_test(the_engines_schemes_have_their_order_on_pinned_rotors),
        cmocka_unit_test(newmark_on_spheres_is_verlet_of_linear_rotors),
        cmocka_unit_test(every_method_conserves_what_it_claims_and_nothing_else),
        cmocka_unit_test(methods_are_symplectic_where_they_claim_it),
        cmocka_unit_test(steps_that_are_too_long_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
