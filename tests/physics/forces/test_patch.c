/* SPDX-License-Identifier: MIT */
/* Patches (potential/patch_formulas.h): known numbers, the second virial coefficient of the wells that they are near
 * to, forces and rates against differences, the order that schemes have with each switch, and threads. */
#include "physics/form_checks.h"

#include "potential/truncation.h"
#include "run/build/methods.h"

static const double degree = 0.017453292519943295769;
static const struct ph_interactions endless = {.truncation = PH_TRUNCATE_NONE, .coulomb = 1.0};

static struct ph_angular patch_of(double epsilon, double on, double end, double inner, double outer, int smoothness)
{
    return (struct ph_angular){PH_ANGULAR_PATCH, {epsilon, on, end, inner, outer, smoothness}};
}

/* Axis z of the site at an angle from z in the plane of x and z */
static struct ph_site patch_at(const char *name, const struct ph_angular *patch, double angle)
{
    const double c = cos(degree * angle), s = sin(degree * angle);
    struct ph_site site = {.angular = *patch, .axis = {{c, 0, -s}, {0, 1, 0}, {s, 0, c}}};
    snprintf(site.name, sizeof site.name, "%s", name);
    return site;
}

static struct ph_species make_one(const char *name, const struct ph_angular *patch, double mass)
{
    struct ph_species species = {.n_sites = 1, .site = {patch_at("P", patch, 0.0)}};
    species.site[0].mass = mass;
    snprintf(species.name, sizeof species.name, "%s", name);
    assert_ok(ph_species_complete(&species, NULL, (const double[]){0.1, 0.1, 0.1}, &err));
    return species;
}

/* Two molecules r apart along x, with their axes at these angles from the line between them, and turned about it */
static double energy_at(const struct ph_species *one, const struct ph_species *other, double r, double angle,
                        double other_angle, double turn)
{
    const struct ph_species species[] = {*one, *other};
    const struct ph_box box = ph_box_open();
    struct ph_system *system;
    assert_ok(ph_system_create(2, species, (const size_t[]){1, 1}, &box, &system, &err));
    system->r[0][1] = r;
    for (size_t i = 0; i < 2; ++i) { /* about y from z, then about x */
        const double y = 0.5 * degree * (i == 0 ? 90.0 - angle : other_angle - 90.0), x = i == 0 ? 0.0 : 0.5 * turn;
        const double about_x[4] = {cos(x), sin(x), 0.0, 0.0};
        double q[4] = {cos(y), 0.0, sin(y), 0.0};
        ph_quat_multiply(about_x, q, q);
        for (int k = 0; k < 4; ++k)
            system->q[k][i] = q[k];
    }
    const double u = evaluate_once(system, &endless).radial;
    ph_system_destroy(system);
    return u;
}

/* Where all switches are 1, 1/2 or 0, and between by the polynomials of truncations. Catches a wrong sign of n for the
 * second site, angles in place of cosines, and a range that is taken from the first site alone. */
TEST(pairs_have_their_numbers)
{
    static const int smoothnesses[] = {1, 2, 4, 6};
    for (size_t m = 0; m < 4; ++m) {
        const struct ph_angular wide = patch_of(1.7, 1.1, 1.5, 20.0, 50.0, smoothnesses[m]);
        const struct ph_angular narrow = patch_of(1.7, 1.1, 1.5, 0.0, 30.0, smoothnesses[m]);
        const struct ph_species one = make_one("one", &wide, 1.0), other = make_one("other", &narrow, 1.0);
        const double half = acos(0.5 * (cos(20.0 * degree) + cos(50.0 * degree))) / degree; /* where f is 1/2 */
        const double other_half = acos(0.5 * (1.0 + cos(30.0 * degree))) / degree;
        const struct {
            double r, angle, other, u;
        } known[] = {{1.05, 0.0, 0.0, -1.7},
                     {1.05, 19.9, 0.0, -1.7},
                     {1.3, 0.0, 0.0, -0.85},
                     {1.05, half, 0.0, -0.85},
                     {1.05, 0.0, other_half, -0.85},
                     {1.3, half, other_half, -0.2125},
                     {1.3, -half, other_half, -0.2125},
                     {1.05, 50.1, 0.0, 0.0},
                     {1.05, 0.0, 30.1, 0.0},
                     {1.05, 180.0, 0.0, 0.0},
                     {1.05, 0.0, 180.0, 0.0},
                     {1.51, 0.0, 0.0, 0.0}};
        for (size_t k = 0; k < sizeof known / sizeof *known; ++k)
            for (int turn = 0; turn < 3; ++turn) {
                const double u =
                    energy_at(&one, &other, known[k].r, known[k].angle, known[k].other, 0.9 * (double)turn);
                if (!(fabs(u - known[k].u) < 1e-14))
                    fail_msg("%d derivatives, %zu: %.17g, not %g", smoothnesses[m], k, u, known[k].u);
            }
        if (m == 0)
            continue;
        const enum ph_switch_kind kind = m == 1 ? PH_SWITCH_C2 : m == 2 ? PH_SWITCH_C4 : PH_SWITCH_C6;
        double s, f, g, slope;
        ph_switch(kind, (1.22 - 1.1) / 0.4, &s, &slope);
        ph_switch(kind, (cos(20.0 * degree) - cos(41.0 * degree)) / (cos(20.0 * degree) - cos(50.0 * degree)), &f,
                  &slope);
        ph_switch(kind, (1.0 - cos(12.0 * degree)) / (1.0 - cos(30.0 * degree)), &g, &slope);
        assert_close(energy_at(&one, &other, 1.22, 41.0, 12.0, 0.3), -1.7 * s * f * g, 1e-14, 1.0);
    }
}

/* ---- The second virial coefficient ---- */

/* Of hard spheres of diameter 1 with square wells to `range` where both axes are within `angle`: Kern and Frenkel,
 * equation (5). It is known in closed form. */
static double square_wells(double range, double angle, double beta)
{
    const double covered = 0.5 * (1.0 - cos(degree * angle));
    return 2.0 / 3.0 * 3.14159265358979323846 * (1.0 - covered * covered * (range * range * range - 1.0) * expm1(beta));
}

/* Of hard spheres with a patch of depth 1: the mean of exp(-beta u) - 1 over distances and cosines, which are uniform.
 * By Gauss and Legendre between all places where a switch begins or ends. */
static double smooth_wells(const struct ph_angular *patch, double beta)
{
    enum { POINTS = 8 };
    static const double node[POINTS / 2] = {0.18343464249564980494, 0.52553240991632898582, 0.79666647741362673959,
                                            0.96028985649753623168};
    static const double weight[POINTS / 2] = {0.36268378337836198297, 0.31370664587788728734, 0.22238103445337447054,
                                              0.10122853629037625915};
    const double *number = patch->number;
    const double r[3] = {1.0, number[PH_PATCH_ON], number[PH_PATCH_END]};
    const double c[3] = {1.0, cos(degree * number[PH_PATCH_INNER]), cos(degree * number[PH_PATCH_OUTER])};
    const struct ph_species species = make_one("one", patch, 1.0);
    double sum = 0.0;
    for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 2; ++b)
            for (int p = 0; p < 2; ++p)
                for (int k = 0; k < POINTS * POINTS * POINTS; ++k) {
                    const int at[3] = {k % POINTS, k / POINTS % POINTS, k / POINTS / POINTS};
                    const double *from[3] = {r + a, c + b, c + p};
                    double x[3], w = 1.0;
                    for (int d = 0; d < 3; ++d) {
                        const double z = (at[d] % 2 ? -1.0 : 1.0) * node[at[d] / 2];
                        x[d] = 0.5 * (from[d][0] + from[d][1] + z * (from[d][1] - from[d][0]));
                        w *= 0.5 * weight[at[d] / 2] * fabs(from[d][1] - from[d][0]);
                    }
                    if (w == 0.0)
                        continue;
                    const double u = energy_at(&species, &species, x[0], acos(x[1]) / degree, acos(x[2]) / degree, 0.4);
                    sum += 0.25 * w * x[0] * x[0] * expm1(-beta * u);
                }
    return 2.0 * 3.14159265358979323846 * (1.0 / 3.0 - sum);
}

/* A smooth patch attracts more than a square well within it, and less than one around it. Where its ends are steep, it
 * is a square well. Catches a patch of another size, and switches of one site alone. */
TEST(virial_coefficients_are_near_those_of_square_wells)
{
    const double beta = 1.0 / 0.6;
    const struct ph_angular smooth = patch_of(1.0, 1.05, 1.3, 20.0, 40.0, 6);
    const double u = smooth_wells(&smooth, beta);
    assert_true(u < square_wells(1.05, 20.0, beta) && u > square_wells(1.3, 40.0, beta));
    const struct ph_angular steep = patch_of(1.0, 1.1199, 1.1201, 33.99, 34.01, 6);
    const double close = smooth_wells(&steep, beta), want = square_wells(1.12, 34.0, beta);
    print_message("second virial coefficient: %.6f, of square wells %.6f\n", close, want);
    assert_close(close, want, 1e-4, want);
}

/* ---- Forces, schemes, threads ---- */

/* Spheres with two patches of unlike width, and others with one */
static struct ph_system *make_patchy(int smoothness, bool steep, size_t each, const struct ph_box *box, uint64_t seed)
{
    const struct ph_angular wide =
        steep ? patch_of(6.0, 1.1, 1.9, 20.0, 90.0, smoothness) : patch_of(3.0, 0.6, 3.0, 0.0, 180.0, smoothness);
    const struct ph_angular narrow =
        steep ? patch_of(9.0, 1.2, 2.0, 0.0, 70.0, smoothness) : patch_of(4.0, 0.5, 2.8, 0.0, 150.0, smoothness);
    struct ph_species species[2] = {{.name = "two", .n_sites = 3}, {.name = "one", .n_sites = 2}};
    for (int s = 0; s < 2; ++s)
        species[s].site[0] = (struct ph_site){.name = "C", .mass = 1.0, .radial = lennard_jones};
    species[0].site[1] = patch_at("P", &wide, 0.0);
    species[0].site[2] = patch_at("Q", &narrow, 120.0);
    species[1].site[1] = patch_at("R", &narrow, 0.0);
    assert_ok(ph_species_complete(&species[0], NULL, (const double[]){0.1, 0.15, 0.2}, &err));
    assert_ok(ph_species_complete(&species[1], NULL, (const double[]){0.1, 0.1, 0.0}, &err));
    struct ph_system *system;
    assert_ok(ph_system_create(2, species, (const size_t[]){each, each}, box, &system, &err));
    const struct ph_start start = {
        .kind = PH_START_RANDOM, .seed = seed, .minimum_distance = 1.0, .radius = 1.15 * cbrt(2.0 * (double)each)};
    assert_ok(ph_start_place(&start, system, &err));
    ph_start_turn(seed, system);
    return system;
}

TEST(forces_and_rates_are_derivatives)
{
    for (int smoothness = 4; smoothness <= 6; smoothness += 2) {
        const struct ph_box box = make_box(smoothness == 4 ? NULL : tilted_edges, 8.2);
        const struct ph_interactions interactions =
            smoothness == 4 ? endless : switched(3.4, 1.0, 6); /* which does not touch patches */
        struct ph_system *system = make_patchy(smoothness, true, 6, &box, 3);
        struct ph_force_field *field = make_field(system, &interactions);
        const double forces = check_gradients(system, field);
        const double rates = smoothness > 4 ? check_rates(system, field) : 0.0;
        print_message("%d derivatives: forces %.1g, rates %.1g\n", smoothness, forces, rates);
        put_away(field, system);
    }
}

TEST(schemes_have_their_order)
{
    const struct ph_box box = make_box(cube_edges, 7.0);
    const struct ph_interactions interactions = switched(3.4, 1.8, 6);
    struct ph_system *system = make_patchy(6, false, 30, &box, 3);
    ph_start_move(0.5, true, false, 3, system);
    struct ph_force_field *field = make_field(system, &interactions);
    check_orders(system, field);
    put_away(field, system);
}

static struct ph_system *make_moving(void)
{
    const struct ph_box box = make_box(cube_edges, 10.0);
    struct ph_system *system = make_patchy(6, true, 200, &box, 9);
    ph_start_move(0.5, true, false, 3, system);
    return system;
}

TEST(threads_change_no_bit)
{
    const struct ph_interactions interactions = switched(2.5, 0.5, 6);
    check_threads(make_moving, &interactions, 0.001, 3);
}

TEST(impossible_numbers_are_refused)
{
    static const struct {
        struct ph_angular form;
        const char *why;
    } bad[] = {{{PH_ANGULAR_PATCH, {1.0, 1.1, 1.1, 10.0, 20.0, 6}}, "plateau is 1.1, not below range, 1.1."},
               {{PH_ANGULAR_PATCH, {1.0, 1.1, 1.2, 30.0, 20.0, 6}}, "inner is 30, not below outer, 20."},
               {{PH_ANGULAR_PATCH, {1.0, 1.1, 1.2, 10.0, 20.0, 3}}, "smoothness is 3; it must be 1, 2, 4 or 6."}};
    char why[128];
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        assert_false(ph_angular_possible(&bad[k].form, sizeof why, why));
        assert_string_equal(why, bad[k].why);
    }
    const struct ph_box box = ph_box_open();
    struct ph_system *system = make_patchy(4, true, 1, &box, 3);
    struct ph_force_field *field;
    const struct ph_interactions near = {.truncation = PH_TRUNCATE_CUT, .cutoff = 1.8, .coulomb = 1.0};
    assert_error(ph_force_field_create(system, &near, &field, &err), PH_ERR_INPUT, "the patch interaction of two.P");
    assert_int_equal(ph_smoothness(system, &endless), 4);
    ph_system_destroy(system);
}
