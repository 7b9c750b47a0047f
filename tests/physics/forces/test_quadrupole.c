/* SPDX-License-Identifier: MIT */
/* Point quadrupoles with charges, dipoles and each other: published numbers, the Cartesian formula, forces,
 * torques and rates against differences, and the order that schemes have. */
#include "physics/form_checks.h"
#include "physics/multipoles.h"

static const struct ph_interactions endless = {.truncation = PH_TRUNCATE_NONE, .coulomb = 1.0};

/* A body with one site: a charge, a dipole and a quadrupole along its z axis, or one with other moments */
struct multipole {
    double charge, dipole[3], q, moments[3];
};

static struct ph_angular form_of(const struct multipole *m)
{
    const double *t = m->moments;
    return m->q == 0.0 && ph_vec3_is_zero(t) ? (struct ph_angular){.kind = PH_ANGULAR_NONE}
           : m->q == 0.0                     ? quadrupole_of(t[0], t[1], t[2])
                                             : quadrupole(m->q);
}

static struct ph_system *make_multipoles(const struct multipole m[2], const double d[3], const double q[2][4])
{
    const struct ph_angular form[2] = {form_of(&m[0]), form_of(&m[1])};
    struct ph_system *system = make_pair(&form[0], &form[1], d, q);
    for (size_t i = 0; i < 2; ++i) {
        struct ph_site *site = &((struct ph_species *)system->species)[i].site[0];
        site->charge = m[i].charge;
        memcpy(site->dipole, m[i].dipole, sizeof site->dipole);
    }
    return system;
}

/* Numbers of two programs that share nothing with this one. Catches a wrong factor or power of r. */
TEST(pairs_have_their_numbers)
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

/* (q1 + m1.D + T1:DD/3)(q2 - m2.D + T2:DD/3) 1/r, where D is the gradient by d = r1 - r2 and T = (Q/2)(3 u u - 1), or
 * the sum of its moments times u u along the axes */
static double cartesian_energy(const struct ph_system *system)
{
    double d[3], m[2][3], t[2][3][3], charge[2], v[2][3] = {{0.0}}, a[2], along[2], b[5], r2 = 0.0;
    for (size_t i = 0; i < 2; ++i) {
        const struct ph_site *site = &system->species[i].site[0];
        const double q[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]};
        double u[3][3];
        ph_quat_rotate(q, site->dipole, m[i]);
        for (int k = 0; k < 3; ++k)
            ph_quat_rotate(q, site->axis[k], u[k]);
        const bool is_there = site->angular.kind != PH_ANGULAR_NONE;
        const double strength = is_there ? site->angular.number[PH_QUADRUPOLE_Q] : 0.0;
        for (int x = 0; x < 3; ++x)
            for (int y = 0; y < 3; ++y) {
                t[i][x][y] = 0.5 * strength * (3.0 * u[2][x] * u[2][y] - (x == y ? 1.0 : 0.0));
                for (int k = 0; k < 3 && is_there; ++k)
                    t[i][x][y] += site->angular.number[PH_QUADRUPOLE_MOMENTS + k] * u[k][x] * u[k][y];
            }
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
TEST(every_pair_agrees_with_tensors)
{
    static const struct multipole kinds[] = {{.charge = -0.7},
                                             {.dipole = {0.3, -0.8, 0.5}},
                                             {.q = 1.3},
                                             {.q = -0.6},
                                             {.moments = {0.9, -0.7, -0.2}},
                                             {.moments = {-0.6, 1.2, -0.6}}, /* linear, along y */
                                             {.charge = 0.4, .dipole = {0.2, 0.1, -0.9}, .q = 0.8}};
    double worst = 0.0;
    enum { KINDS = sizeof kinds / sizeof *kinds };
    for (size_t m = 0; m < KINDS * KINDS; ++m)
        for (uint64_t trial = 0; trial < 4; ++trial) {
            const struct multipole pair[2] = {kinds[m / KINDS], kinds[m % KINDS]}, swapped[2] = {pair[1], pair[0]};
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
                fail_msg("%zu and %zu: %.17g, %.17g in the other order, not %.17g", m / KINDS, m % KINDS, u, exchanged,
                         want);
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

/* Moments that are next to those of a linear quadrupole, on both sides of it: their mean has its energies and forces,
 * to rounding, for these are linear in the moments. Catches a wrong number of axes, and a term of one path alone. */
TEST(three_axes_are_one_in_the_middle)
{
    const double off[3] = {0.3, 0.0, -0.3};
    for (uint64_t trial = 0; trial < 4; ++trial) {
        double q[2][4], d[3], u[3], force[3][6];
        for (size_t k = 0; k < 8; ++k)
            q[k / 4][k % 4] = random_number(trial, k);
        for (size_t k = 0; k < 3; ++k)
            d[k] = 1.0 + random_number(trial, 8 + k);
        for (int k = 0; k < 3; ++k) {
            const struct multipole pair[2] = {{.moments = {-0.4 + off[k], -0.4 - off[k], 0.8}},
                                              {.charge = 0.4, .dipole = {0.2, 0.1, -0.9}, .q = 0.8}};
            struct ph_system *system = make_multipoles(pair, d, (const double(*)[4])q);
            u[k] = evaluate_once(system, &endless).electric;
            for (int x = 0; x < 6; ++x)
                force[k][x] = x < 3 ? system->f[x][0] : system->t[x - 3][0];
            ph_system_destroy(system);
        }
        assert_close(0.5 * (u[0] + u[2]), u[1], 1e-14, 1.0 + fabs(u[1]));
        assert_true(fabs(u[0] - u[2]) > 1e-3);
        for (int x = 0; x < 6; ++x)
            assert_close(0.5 * (force[0][x] + force[2][x]), force[1][x], 1e-13, 1.0 + fabs(force[1][x]));
    }
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
TEST(forces_are_gradients)
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

TEST(rates_are_derivatives_of_forces)
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

TEST(what_is_not_possible_is_refused)
{
    const struct ph_species species = make_2cljq(0.505, 1.0);
    const struct ph_box box = make_box(cube_edges, 8.0);
    struct ph_system *system;
    struct ph_force_field *field;
    assert_ok(ph_system_create(1, &species, (const size_t[]){2}, &box, &system, &err));
    struct ph_interactions in = {
        .truncation = PH_TRUNCATE_CUT, .cutoff = 3.0, .coulomb = 1.0, .epsilon_rf = (double)INFINITY};
    in.electrostatics = PH_ELECTROSTATICS_CUTOFF;
    in.truncation = PH_TRUNCATE_SHIFTED;
    assert_error(ph_force_field_create(system, &in, &field, &err), PH_ERR_INPUT,
                 "the point quadrupole interaction of 2cljq.A cannot be shifted");
    ph_system_destroy(system);
    char why[160];
    const struct ph_angular uneven = quadrupole_of(1.0, 2.0, -2.0), wrong = quadrupole_of(1.001, 1.0, -2.006);
    struct ph_angular both = quadrupole_of(1.0, 2.0, -3.0);
    assert_true(ph_angular_possible(&both, sizeof why, why));
    both.number[PH_QUADRUPOLE_Q] = 1.0;
    assert_false(ph_angular_possible(&both, sizeof why, why));
    assert_string_equal(why, "Q and moments are both given: take one of them.");
    assert_false(ph_angular_possible(&uneven, sizeof why, why));
    assert_string_equal(why, "moments are [1, 2, -2], with the sum 1; it must be 0, to 0.002 of the largest.");
    assert_false(ph_angular_possible(&wrong, sizeof why, why));
    assert_string_equal(why,
                        "moments are [1.001, 1, -2.006], with the sum -0.005; it must be 0, to 0.002 of the largest.");
}

/* Moments of three digits, as papers have them. Catches a trace that is left, and one taken off in the wrong parts. */
TEST(rounded_moments_lose_their_trace)
{
    char why[160];
    const struct ph_angular rounded = quadrupole_of(-1.333, -1.333, 2.667),
                            exact = quadrupole_of(-4.0 / 3.0, -4.0 / 3.0, 8.0 / 3.0);
    const struct ph_angular other = quadrupole_of(0.334, 0.335, -0.670);
    double s[4], t[4];
    assert_true(ph_angular_possible(&rounded, sizeof why, why));
    ph_angular_tensor(&rounded, s);
    ph_angular_tensor(&exact, t);
    for (int k = 0; k < 4; ++k)
        assert_true(fabs(s[k] - t[k]) < 4e-15);
    assert_true(ph_angular_possible(&other, sizeof why, why));
    ph_angular_tensor(&other, s);
    const double want[4] = {0.334 + 0.001 / 3.0, 0.335 + 0.001 / 3.0, -0.67 + 0.001 / 3.0, 0.0};
    for (int k = 0; k < 4; ++k)
        assert_true(fabs(s[k] - want[k]) < 4e-15);
}

/* ---- Dynamics ---- */

TEST(schemes_keep_their_order)
{
    const struct ph_box box = make_box(cube_edges, 8.4);
    struct ph_system *system = make_multipole_mixture(10, &box, 1.6, 3);
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

TEST(threads_change_no_bit)
{
    const struct ph_interactions interactions = switched(3.5, 0.8, 6);
    check_threads(make_moving_mixture, &interactions, 0.002, 5);
}
