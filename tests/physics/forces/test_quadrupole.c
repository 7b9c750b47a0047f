/* SPDX-License-Identifier: MIT */
/* Linear point quadrupoles with charges, dipoles and each other: published numbers, the Cartesian formula, forces,
 * torques and rates against differences, and the order that schemes have. */
#include "physics/form_checks.h"
#include "physics/multipoles.h"

static const struct ph_interactions endless = {.truncation = PH_TRUNCATE_NONE, .coulomb = 1.0};

/* A body with one site: a charge, a dipole and a quadrupole along its z axis */
struct multipole {
    double charge, dipole[3], q;
};

static struct ph_system *make_multipoles(const struct multipole m[2], const double d[3], const double q[2][4])
{
    const struct ph_angular none = {.kind = PH_ANGULAR_NONE}, form[2] = {quadrupole(m[0].q), quadrupole(m[1].q)};
    struct ph_system *system = make_pair(m[0].q == 0.0 ? &none : &form[0], m[1].q == 0.0 ? &none : &form[1], d, q);
    for (size_t i = 0; i < 2; ++i) {
        struct ph_site *site = &((struct ph_species *)system->species)[i].site[0];
        site->charge = m[i].charge;
        memcpy(site->dipole, m[i].dipole, sizeof site->dipole);
    }
    return system;
}

/* The rotation that turns z to u */
static void turn_to(const double u[3], double q[4])
{
    q[0] = 1.0 + u[2];
    q[1] = -u[1];
    q[2] = u[0];
    q[3] = 0.0;
}

/* Numbers of two programs that share nothing with this one. Catches a wrong factor or power of r. */
static void pairs_have_their_numbers(void **state)
{
    const double d[3] = {-1.3, -0.52, 0.91}; /* from the first to the second */
    double q[2][4];
    turn_to((const double[]){1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0}, q[0]);
    turn_to((const double[]){2.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0}, q[1]);
    static const struct {
        struct multipole of[2];
        double u;
    } pairs[] = {{{{.q = 1.0}, {.q = 1.0}}, 0.073983233288066}, {{{.charge = 1.0}, {.q = 1.0}}, -0.106509985186776}};
    for (size_t k = 0; k < 2; ++k) {
        struct ph_system *system = make_multipoles(pairs[k].of, d, (const double(*)[4])q);
        const struct ph_energy energy = evaluate_once(system, &endless);
        assert_close(energy.electric, pairs[k].u, 1e-15 / 0.07, pairs[k].u);
        assert_true(energy.radial == 0.0);
        ph_system_destroy(system);
    }
}

/* (q1 + m1.D + T1:DD/3)(q2 - m2.D + T2:DD/3) 1/r, where D is the gradient by d = r1 - r2 and T = (Q/2)(3 u u - 1) */
static double cartesian_energy(const struct ph_system *system)
{
    double d[3], m[2][3], t[2][3][3], charge[2], v[2][3] = {{0.0}}, a[2], along[2], b[5], r2 = 0.0;
    for (size_t i = 0; i < 2; ++i) {
        const struct ph_site *site = &system->species[i].site[0];
        const double q[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]};
        double u[3];
        ph_quat_rotate(q, site->dipole, m[i]);
        ph_quat_rotate(q, site->axis[2], u);
        const double strength = site->angular.kind == PH_ANGULAR_NONE ? 0.0 : site->angular.number[PH_QUADRUPOLE_Q];
        for (int x = 0; x < 3; ++x)
            for (int y = 0; y < 3; ++y)
                t[i][x][y] = 0.5 * strength * (3.0 * u[x] * u[y] - (x == y ? 1.0 : 0.0));
        charge[i] = site->charge;
    }
    for (int x = 0; x < 3; ++x) {
        d[x] = system->r[x][0] - system->r[x][1];
        r2 += d[x] * d[x];
    }
    b[0] = 1.0 / sqrt(r2);
    for (int l = 1; l < 5; ++l)
        b[l] = (2 * l - 1) * b[l - 1] / r2;
    double dipoles = 0.0, vv = 0.0, tt = 0.0, m1v2 = 0.0, m2v1 = 0.0;
    for (size_t i = 0; i < 2; ++i) {
        a[i] = along[i] = 0.0;
        for (int x = 0; x < 3; ++x) {
            for (int y = 0; y < 3; ++y)
                v[i][x] += t[i][x][y] * d[y];
            a[i] += m[i][x] * d[x];
            along[i] += v[i][x] * d[x];
        }
    }
    for (int x = 0; x < 3; ++x) {
        dipoles += m[0][x] * m[1][x];
        vv += v[0][x] * v[1][x];
        m1v2 += m[0][x] * v[1][x];
        m2v1 += m[1][x] * v[0][x];
        for (int y = 0; y < 3; ++y)
            tt += t[0][x][y] * t[1][x][y];
    }
    return charge[0] * charge[1] * b[0] + (charge[0] * a[1] - charge[1] * a[0]) * b[1] + dipoles * b[1] -
           a[0] * a[1] * b[2] + (charge[0] * along[1] + charge[1] * along[0]) * b[2] / 3.0 +
           (2.0 * m1v2 * b[2] - a[0] * along[1] * b[3]) / 3.0 - (2.0 * m2v1 * b[2] - a[1] * along[0] * b[3]) / 3.0 +
           (along[0] * along[1] * b[4] - 4.0 * vv * b[3] + 2.0 * tt * b[2]) / 9.0;
}

/* Each multipole with each, at random, in both orders. Catches a wrong sign, above all of a dipole with a quadrupole,
 * whose sign depends on the order, and a strength of the wrong site. */
static void every_pair_agrees_with_tensors(void **state)
{
    static const struct multipole kinds[] = {{.charge = -0.7},
                                             {.dipole = {0.3, -0.8, 0.5}},
                                             {.q = 1.3},
                                             {.q = -0.6},
                                             {.charge = 0.4, .dipole = {0.2, 0.1, -0.9}, .q = 0.8}};
    double worst = 0.0;
    for (size_t m = 0; m < 25; ++m)
        for (uint64_t trial = 0; trial < 4; ++trial) {
            const struct multipole pair[2] = {kinds[m / 5], kinds[m % 5]}, swapped[2] = {pair[1], pair[0]};
            double q[2][4], turned[2][4], d[3], back[3];
            for (size_t k = 0; k < 8; ++k)
                q[k / 4][k % 4] = turned[1 - k / 4][k % 4] = random_number(trial, 30 * m + k);
            for (size_t k = 0; k < 3; ++k)
                back[k] = -(d[k] = 1.0 + random_number(trial, 30 * m + 8 + k));
            struct ph_system *system = make_multipoles(pair, d, (const double(*)[4])q);
            struct ph_system *other = make_multipoles(swapped, back, (const double(*)[4])turned);
            const double u = evaluate_once(system, &endless).electric, want = cartesian_energy(system);
            const double exchanged = evaluate_once(other, &endless).electric;
            worst = fmax(worst, fmax(fabs(u - want), fabs(u - exchanged)));
            if (!(fabs(u - want) < 1e-13 * (1.0 + fabs(want)) && fabs(u - exchanged) < 1e-13 * (1.0 + fabs(want))))
                fail_msg("%zu and %zu: %.17g, %.17g in the other order, not %.17g", m / 5, m % 5, u, exchanged, want);
            for (int x = 0; x < 3; ++x) {
                assert_close(system->f[x][0], other->f[x][1], 1e-13, 1.0 + fabs(system->f[x][0]));
                assert_close(system->f[x][0], -system->f[x][1], 1e-13, 1.0 + fabs(system->f[x][0]));
                assert_close(system->t[x][0], other->t[x][1], 1e-13, 1.0 + fabs(system->t[x][0]));
                assert_close(system->t[x][1], other->t[x][0], 1e-13, 1.0 + fabs(system->t[x][1]));
            }
            ph_system_destroy(system);
            ph_system_destroy(other);
        }
    print_message("pairs: largest deviation %.1g\n", worst);
}

/* ---- Forces and rates ---- */

static const struct ph_interactions kinds_of_ends[] = {
    {.truncation = PH_TRUNCATE_NONE, .coulomb = 1.7},
    {.truncation = PH_TRUNCATE_CUT, .cutoff = 6.0, .coulomb = 1.7},
    {.truncation = PH_TRUNCATE_SWITCHED, .cutoff = 3.3, .switch_width = 1.6, .smoothness = 6, .coulomb = 1.7},
    {.truncation = PH_TRUNCATE_SWITCHED,
     .cutoff = 3.3,
     .switch_width = 1.6,
     .smoothness = 6,
     .electrostatics = PH_ELECTROSTATICS_REACTION_FIELD,
     .epsilon_rf = 5.0,
     .coulomb = 1.7},
};

/* Catches a torque at the dipole's field that belongs to the axis, or to the wrong molecule */
static void forces_are_gradients(void **state)
{
    double worst = 0.0;
    for (size_t e = 0; e < 4; ++e) {
        const struct ph_box box = make_box(e < 2 ? NULL : tilted_edges, 8.2);
        struct ph_system *system = make_multipole_mixture(2, &box, 1.6, 3 + e);
        struct ph_force_field *field = make_field(system, &kinds_of_ends[e]);
        worst = fmax(worst, check_gradients(system, field));
        put_away(field, system);
    }
    print_message("forces: largest deviation %.1g\n", worst);
}

static void rates_are_derivatives_of_forces(void **state)
{
    double worst = 0.0;
    for (size_t e = 0; e < 4; ++e) {
        const struct ph_box box = make_box(e < 2 ? NULL : cube_edges, 7.2);
        struct ph_system *system = make_multipole_mixture(2, &box, 1.6, 5 + e);
        struct ph_force_field *field = make_field(system, &kinds_of_ends[e]);
        worst = fmax(worst, check_rates(system, field));
        put_away(field, system);
    }
    print_message("rates: largest deviation %.1g\n", worst);
}

static void what_is_not_possible_is_refused(void **state)
{
    const struct ph_species species = make_2cljq(0.505, 1.0);
    const struct ph_box box = make_box(cube_edges, 8.0);
    struct ph_system *system;
    struct ph_force_field *field;
    assert_ok(ph_system_create(1, &species, (const size_t[]){2}, &box, &system, &err));
    struct ph_interactions in = {
        .truncation = PH_TRUNCATE_CUT, .cutoff = 3.0, .coulomb = 1.0, .epsilon_rf = (double)INFINITY};
    in.electrostatics = PH_ELECTROSTATICS_EWALD;
    assert_error(ph_force_field_create(system, &in, &field, &err), PH_ERR_INPUT, "site 2cljq.A has a point quadrupole");
    in.electrostatics = PH_ELECTROSTATICS_MESH;
    assert_error(ph_force_field_create(system, &in, &field, &err), PH_ERR_INPUT, "take reaction-field, or cutoff");
    in.electrostatics = PH_ELECTROSTATICS_CUTOFF;
    in.truncation = PH_TRUNCATE_SHIFTED;
    assert_error(ph_force_field_create(system, &in, &field, &err), PH_ERR_INPUT,
                 "the point quadrupole interaction of 2cljq.A cannot be shifted");
    ph_system_destroy(system);
}

/* ---- Dynamics ---- */

static void schemes_keep_their_order(void **state)
{
    const struct ph_box box = ph_box_open();
    struct ph_system *system = make_multipole_mixture(2, &box, 1.6, 3);
    ph_start_move(0.5, true, false, 3, system);
    const struct ph_interactions interactions = switched(4.0, 2.2, 6);
    struct ph_force_field *field = make_field(system, &interactions);
    check_orders(system, field);
    put_away(field, system);
}

static struct ph_system *make_moving_mixture(void)
{
    const struct ph_box box = make_box(cube_edges, 15.0);
    struct ph_system *system = make_multipole_mixture(50, &box, 1.6, 9);
    ph_start_move(0.5, true, false, 3, system);
    return system;
}

static void threads_change_no_bit(void **state)
{
    const struct ph_interactions interactions = switched(3.5, 0.8, 6);
    check_threads(make_moving_mixture, &interactions, 0.002, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_have_their_numbers),
        cmocka_unit_test(every_pair_agrees_with_tensors),
        cmocka_unit_test(forces_are_gradients),
        cmocka_unit_test(rates_are_derivatives_of_forces),
        cmocka_unit_test(what_is_not_possible_is_refused),
        cmocka_unit_test(schemes_keep_their_order),
        cmocka_unit_test(threads_change_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
