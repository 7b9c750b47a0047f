/* SPDX-License-Identifier: MIT */
/* Linear rotors by one-step integrators: the free rotor against end states computed in multiple precision; pendulum and
 * magnetic needles to the order; no momentum about the axis, and what else is conserved. */
#include "physics/courses.h"
#include "physics/s2_ends.h"

#include "lab/sphere/s2.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect_order(const struct ph_integrator *integrator, const char *what, const double error[2])
{
    const double order = log2(error[0] / error[1]);
    if (!(fabs(order - integrator->order) < 0.2))
        fail_msg("%s, %s: order %d stated, %.2f measured (errors %.2e, %.2e)", integrator->name, what,
                 integrator->order, order, error[0], error[1]);
}

/* ---- The free rotor ---- */

/* Without torque a rotor turns about a fixed axis at a fixed rate, which methods made of exponentials get right. */
static bool turns_exactly(const struct ph_integrator *integrator)
{
    static const char *const names[] = {"eln-exp", "tln-exp", "liemid-ea", "mcg", "new3",
                                        "trap",    "imid",    "imidm",     "swc1"};
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k)
        if (strcmp(names[k], integrator->name) == 0)
            return true;
    return false;
}

struct row {
    double inertia[3], m0[3], time, m[3], q[4];
};

static struct ph_posed pose(const struct row *row)
{
    struct ph_species species = {.n_sites = 1, .site = {{.name = "A"}}};
    const struct ph_box box = ph_box_open();
    const double mass = 1.0;
    const size_t count = 1;
    struct ph_posed posed = {
        .interactions = {.truncation = PH_TRUNCATE_NONE, .coulomb = 1.0, .pinned = true},
    };
    strcpy(species.name, "rotor");
    assert_ok(ph_species_complete(&species, &mass, row->inertia, &err));
    assert_ok(ph_system_create(1, &species, &count, &box, &posed.system, &err));
    posed.system->q[0][0] = 1.0;
    for (int k = 0; k < 3; ++k) {
        posed.system->q[1 + k][0] = 0.0;
        posed.system->m[k][0] = row->m0[k];
    }
    return posed;
}

/* Errors of the orientation with n and 2 n steps; the momentum must not change at all. */
static void follow_free(const struct row *row, const struct ph_integrator *integrator, long n, double error[2])
{
    struct ph_posed posed = pose(row);
    for (int fine = 0; fine < 2; ++fine) {
        const long steps = n << fine;
        struct ph_course course = begin(&posed, integrator, row->time / (double)steps);
        go(&course, steps);
        assert_close(ph_course_momentum_error(&course, row->m), 0.0, 1e-14, 10.0);
        error[fine] = ph_course_orientation_error(&course, row->q);
        ph_course_clear(&course);
    }
    ph_posed_clear(&posed);
}

static bool read_row(FILE *file, struct row *row)
{
    char line[1024];
    double number[14];
    if (!fgets(line, sizeof line, file))
        return false;
    char *at = strchr(strchr(line, ',') + 1, ',') + 1; /* behind name and class */
    for (int k = 0; k < 14; ++k) {
        number[k] = strtod(at, &at);
        ++at;
    }
    memcpy(row->inertia, number, sizeof row->inertia);
    memcpy(row->m0, number + 3, sizeof row->m0);
    row->time = number[6];
    memcpy(row->m, number + 7, sizeof row->m);
    memcpy(row->q, number + 10, sizeof row->q);
    return true;
}

static void free_rotors_turn_as_they_must(void **state)
{
    FILE *file = fopen(POLHODE_TEST_DATA "/linear_rotor.csv", "r");
    assert_non_null(file);
    char head[256];
    assert_non_null(fgets(head, sizeof head, file));
    int rows = 0, used = 0;
    for (struct row row; read_row(file, &row); ++rows) {
        double square = 0.0, most = 0.0;
        for (int k = 0; k < 3; ++k) {
            square += row.m0[k] * row.m0[k];
            most = fmax(most, row.inertia[k]);
        }
        const double angle = sqrt(square) * row.time / most;
        if (angle < 0.01 || angle > 300.0) /* too little to see an error, or too long a way */
            continue;
        ++used;
        for (size_t i = 0; i < ph_integrator_count(); ++i) {
            const struct ph_integrator *integrator = ph_integrator_at(i);
            double error[2];
            if (integrator->not_linear)
                continue;
            follow_free(&row, integrator, 10 + lround(20.0 * angle), error);
            if (!turns_exactly(integrator))
                expect_order(integrator, "free rotor", error);
            else if (!(fmax(error[0], error[1]) < 1e-14 * (1.0 + angle)))
                fail_msg("%s: a free rotor is off by %.2e, %.2e", integrator->name, error[0], error[1]);
        }
    }
    fclose(file);
    assert_int_equal(rows, 30);
    assert_int_equal(used, 15);
}

/* ---- In a field, and with each other ---- */

static void expect_orders(const char *problem, long steps)
{
    const struct end end = read_end(problem);
    struct ph_s2 *s2;
    assert_int_equal(ph_s2_create(ph_s2_problem_find(problem), &s2, NULL), PH_OK);
    assert_int_equal(s2->n, end.n);
    for (size_t i = 0; i < ph_integrator_count(); ++i) {
        const struct ph_integrator *integrator = ph_integrator_at(i);
        double in_q[2], in_w[2], q[MOST][3], w[MOST][3];
        if (integrator->not_linear)
            continue;
        for (int fine = 0; fine < 2; ++fine) {
            struct ph_course course = begin(&s2->posed, integrator, 1.0 / (double)(steps << fine));
            go(&course, steps << fine);
            ph_s2_take(course.system, q, w);
            in_q[fine] = distance(end.n, (const double(*)[3])q, end.q);
            in_w[fine] = distance(end.n, (const double(*)[3])w, end.w);
            ph_course_clear(&course);
        }
        expect_order(integrator, problem, in_q);
        expect_order(integrator, problem, in_w);
    }
    ph_s2_destroy(s2);
}

static void a_pendulum_is_followed_to_the_order(void **state)
{
    expect_orders("spherical-pendulum", 256);
    expect_orders("spherical-pendulum-down", 256);
}

static void magnetic_needles_are_followed_to_the_order(void **state) { expect_orders("dipole-array", 1024); }

/* ---- What is conserved ---- */

/* Largest changes along the way of a pendulum, and the largest momentum about its axis */
struct changes {
    double energy, vertical, about;
};

static struct changes follow_pendulum(const struct ph_integrator *integrator)
{
    struct ph_s2 *s2;
    assert_int_equal(ph_s2_create(ph_s2_problem_find("spherical-pendulum"), &s2, NULL), PH_OK);
    struct ph_course course = begin(&s2->posed, integrator, 0.05);
    struct changes changes = {0.0, 0.0, 0.0};
    double start[3], now[3], before, energy;
    assert_int_equal(ph_course_energy(&course, &before, NULL), PH_OK);
    ph_course_momentum(&course, start);
    for (int i = 0; i < 100; ++i) {
        go(&course, 3);
        assert_int_equal(ph_course_energy(&course, &energy, NULL), PH_OK);
        ph_course_momentum(&course, now);
        changes.energy = fmax(changes.energy, fabs(energy - before));
        changes.vertical = fmax(changes.vertical, fabs(now[2] - start[2]));
        changes.about = fmax(changes.about, fabs(course.system->m[2][0]));
    }
    ph_course_clear(&course);
    ph_s2_destroy(s2);
    return changes;
}

/* Momenta and energies are of the order of 20. */
static void rotors_keep_what_the_integrator_claims(void **state)
{
    static const double rounding = 2e-13, seen = 1e-6;
    for (size_t i = 0; i < ph_integrator_count(); ++i) {
        const struct ph_integrator *integrator = ph_integrator_at(i);
        if (integrator->not_linear)
            continue;
        const struct changes changes = follow_pendulum(integrator);
        if (!(changes.about < 1e-14))
            fail_msg("%s: momentum %.2e about the axis", integrator->name, changes.about);
        if (integrator->claims.axis_momentum && !(changes.vertical < rounding))
            fail_msg("%s: the vertical momentum changes by %.2e", integrator->name, changes.vertical);
        /* tln-cay is akw where momentum and rate are parallel */
        const bool conserves = integrator->claims.top_energy || strcmp(integrator->name, "tln-cay") == 0;
        if (!(conserves ? changes.energy < rounding : changes.energy > seen))
            fail_msg("%s: the energy changes by %.2e", integrator->name, changes.energy);
    }
}

/* One step with torques at right angles to the axis, whatever they are: does the momentum stay so? */
static void methods_are_refused_for_what_they_do(void **state)
{
    int refused = 0;
    for (size_t i = 0; i < ph_integrator_count(); ++i) {
        const struct ph_integrator *integrator = ph_integrator_at(i);
        struct ph_spin spin = {.h = 0.3,
                               .w = {1.3, 1.3, 0.0},
                               .q = {1.0, 0.0, 0.0, 0.0},
                               .m = {0.7, -0.4, 0.0},
                               .torque = {0.5, 0.9, 0.0},
                               .push = {-0.6, 0.8, 0.0}};
        if (integrator->flow)
            continue;
        assert_true(!integrator->lead || integrator->lead(&spin));
        assert_true(integrator->close(&spin));
        const double about = fabs(spin.end_m[2]);
        if (!(integrator->not_linear ? about > 1e-3 : about < 1e-15))
            fail_msg("%s: momentum %.2e about the axis", integrator->name, about);
        refused += integrator->not_linear != NULL;
    }
    assert_int_equal(refused, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_rotors_turn_as_they_must),
        cmocka_unit_test(a_pendulum_is_followed_to_the_order),
        cmocka_unit_test(magnetic_needles_are_followed_to_the_order),
        cmocka_unit_test(rotors_keep_what_the_integrator_claims),
        cmocka_unit_test(methods_are_refused_for_what_they_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
