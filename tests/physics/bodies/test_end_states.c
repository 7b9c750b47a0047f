/* SPDX-License-Identifier: MIT */
/* Fine steps reach end states that were computed in multiple precision, with 25 digits. What is allowed is what
 * rounding makes of it: measured with schemes of several kinds, and said where it is more than usual. */
#include "physics/motion.h"
#include "physics/trials.h"

/* One of each kind, of high order; the flow is exact. */
static const struct {
    const char *name;
    double passes; /* per unit of time, for problems whose fastest motion takes about that */
} schemes[] = {{"srkn6-14a", 1400.0}, {"rkn8-19a", 760.0}, {"sofroniou10-35", 1050.0}, {"composed10-chin4a", 1250.0}};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

/* Distance from the end, of the scheme that is farthest; `rate`: how much faster than 1 the motion is */
static double worst_distance(const struct ph_trial_problem *problem, double rate)
{
    double worst = 0.0;
    for (size_t s = 0; s < SCHEMES; ++s) {
        const struct ph_scheme *scheme = ph_scheme_find(schemes[s].name);
        assert_non_null(scheme);
        struct ph_trial trial;
        struct ph_trial_body end[PH_TRIAL_MOST];
        bool broken;
        assert_ok(ph_trial_init(problem, scheme, ph_flow_find("exact"), &trial, &err));
        const long n = (long)ceil(problem->time * rate * schemes[s].passes / ph_scheme_evaluations(scheme));
        assert_ok(ph_trial_advance(&trial, problem->time / (double)n, n, &broken, &err));
        assert_false(broken);
        ph_trial_take(&trial, end);
        ph_trial_clear(&trial);
        const double distance = ph_trial_distance(problem->n, end, problem->end);
        worst = distance <= worst ? worst : distance;
    }
    return worst;
}

static void expect_reached(const struct ph_trial_problem *problem, double rate, double most)
{
    const double distance = worst_distance(problem, rate);
    if (!(distance < most))
        fail_msg("%s at %g: off by %.2e, allowed %.2e", problem->name, problem->time, distance, most);
}

TEST(clusters_of_dipoles_reach_their_end)
{
    static const struct {
        const char *name;
        double time, rate, most;
    } clusters[] = {{"p2a", 0.25, 1.0, 1e-12}, {"p2a", 1.0, 3.0, 1e-12},   {"p3a", 0.25, 1.0, 1e-12},
                    {"p3a", 1.0, 1.5, 1e-12},  {"p5a", 0.25, 10.0, 1e-12}, {"p5b", 0.25, 1.0, 1e-12}};
    for (size_t i = 0; i < sizeof clusters / sizeof *clusters; ++i) {
        const struct ph_trial_problem problem = read_cluster(clusters[i].name, clusters[i].time);
        expect_reached(&problem, clusters[i].rate, clusters[i].most);
    }
}

TEST(tops_reach_their_end)
{
    struct rigid_row rows[32];
    const size_t n = read_rigid_rows(32, rows);
    int tops = 0;
    for (size_t i = 0; i < n; ++i) {
        struct ph_trial_problem problem;
        if (!heavy_top(&rows[i], &problem))
            continue;
        const double rate = strstr(rows[i].name, "fast") ? 3.0 : 1.0;
        expect_reached(&problem, rate, 2.5e-14 * amplification(&rows[i])); /* 1e-12, and 1e-10 for the slow top */
        ++tops;
    }
    assert_int_equal(tops, 14);
}

/* ---- Systems that are no trials ---- */

/* Bodies in open space whose centres are pinned, and where they start */
struct pinned {
    struct ph_system *system;
    struct ph_force_field *field;
    double *start;
};

static struct pinned make_pinned(size_t n, const double inertia[3], const double dipole[3],
                                 const struct ph_interactions *interactions)
{
    struct ph_species species = {.name = "body", .n_sites = 1};
    species.site[0] = (struct ph_site){.name = "A", .mass = 1.0};
    memcpy(species.site[0].dipole, dipole, 3 * sizeof(double));
    struct pinned pinned = {.start = NULL};
    const struct ph_box box = ph_box_open();
    assert_ok(ph_species_complete(&species, NULL, inertia, &err));
    assert_ok(ph_system_create(1, &species, &n, &box, &pinned.system, &err));
    assert_ok(ph_force_field_create(pinned.system, interactions, &pinned.field, &err));
    return pinned;
}

static void move_pinned(const struct pinned *pinned, size_t scheme, double time, double rate)
{
    put_state(pinned->start, pinned->system, pinned->field);
    const struct ph_scheme *found = ph_scheme_find(schemes[scheme].name);
    const long n = (long)ceil(time * rate * schemes[scheme].passes / ph_scheme_evaluations(found));
    const struct ph_dynamics_options options = {
        .scheme = found, .flow = ph_flow_find("exact"), .step = time / (double)n, .compensated = true, .pinned = true};
    struct ph_dynamics *dynamics;
    assert_ok(ph_dynamics_create(pinned->system, pinned->field, &options, &dynamics, &err));
    advance(dynamics, n);
    synchronise(dynamics, NULL);
    ph_dynamics_destroy(dynamics);
}

static void clear_pinned(struct pinned *pinned)
{
    put_away(pinned->field, pinned->system);
    free(pinned->start);
}

/* U = 3/2 mu/r^3 e3.J e3, the gradient of gravity of a mass along e3 */
TEST(a_satellite_reaches_its_end)
{
    struct rigid_row rows[32];
    const size_t n = read_rigid_rows(32, rows);
    int satellites = 0;
    for (size_t i = 0; i < n; ++i) {
        double mu, distance;
        if (sscanf(rows[i].parameters, "mu=%lf;r=%lf", &mu, &distance) != 2)
            continue;
        struct ph_interactions in = all_pairs;
        in.pinned = true;
        in.external.gravity_gradient = mu / (distance * distance * distance);
        struct pinned pinned = make_pinned(1, rows[i].inertia, (const double[3]){0.0}, &in);
        for (int k = 0; k < 3; ++k)
            pinned.system->m[k][0] = rows[i].start.m[k];
        for (int k = 0; k < 4; ++k)
            pinned.system->q[k][0] = rows[i].start.q[k];
        pinned.start = take_state(pinned.system);
        for (size_t s = 0; s < SCHEMES; ++s) {
            move_pinned(&pinned, s, rows[i].time, 15.0); /* it turns with 26 rad per unit of time */
            const double sign = pinned.system->q[0][0] * rows[i].end.q[0] < 0.0 ? -1.0 : 1.0;
            for (int k = 0; k < 3; ++k)
                assert_close(pinned.system->m[k][0], rows[i].end.m[k], 1e-12, 1e6);
            for (int k = 0; k < 4; ++k)
                assert_close(pinned.system->q[k][0], sign * rows[i].end.q[k], 1e-12, 1.0);
        }
        clear_pinned(&pinned);
        ++satellites;
    }
    assert_int_equal(satellites, 1);
}

/* Rods whose direction is Q e3. A row of the table: direction and angular velocity in space, at the start and at the
 * end. */
struct rod {
    double q0[3], w0[3], q1[3], w1[3];
};

static size_t read_rods(const char *name, size_t most, struct rod rods[])
{
    char line[LINE], *field[FIELDS];
    size_t n = 0;
    FILE *file = open_data("s2_problems.csv");
    while (fgets(line, sizeof line, file)) {
        split_line(line, field);
        if (strcmp(field[0], name) != 0)
            continue;
        assert_true(n < most && strtod(field[1], NULL) == 1.0);
        read_numbers(&field[3], 3, rods[n].q0);
        read_numbers(&field[6], 3, rods[n].w0);
        read_numbers(&field[9], 3, rods[n].q1);
        read_numbers(&field[12], 3, rods[n++].w1);
    }
    fclose(file);
    return n;
}

/* The shortest turn of e3 into the direction, and the momentum in the body */
static void put_rod(const struct rod *rod, double inertia, size_t i, struct ph_system *system)
{
    double q[4] = {1.0 + rod->q0[2], -rod->q0[1], rod->q0[0], 0.0}, m[3];
    const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
    for (int k = 0; k < 4; ++k)
        system->q[k][i] = q[k] /= norm;
    ph_quat_rotate((const double[4]){q[0], -q[1], -q[2], -q[3]}, rod->w0, m);
    for (int k = 0; k < 3; ++k)
        system->m[k][i] = inertia * m[k];
}

static void expect_rod(const struct rod *rod, double inertia, size_t i, const struct ph_system *system, double most)
{
    const double q[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]};
    const double m[3] = {system->m[0][i] / inertia, system->m[1][i] / inertia, system->m[2][i] / inertia};
    double direction[3], w[3];
    ph_quat_rotate(q, (const double[3]){0.0, 0.0, 1.0}, direction);
    ph_quat_rotate(q, m, w);
    for (int k = 0; k < 3; ++k) {
        assert_close(direction[k], rod->q1[k], most, 1.0);
        assert_close(w[k], rod->w1[k], most, 10.0);
    }
}

/* m = 2, l = 2, g = 9.81: U = +- m g l e3.q, M = m l^2 */
TEST(a_spherical_pendulum_reaches_its_end)
{
    static const char *const names[] = {"spherical_pendulum_V=+mgl_k.q", "spherical_pendulum_V=-mgl_k.q"};
    const double inertia = 8.0;
    for (int sign = 0; sign < 2; ++sign) {
        struct rod rod;
        assert_int_equal(read_rods(names[sign], 1, &rod), 1);
        struct ph_interactions in = all_pairs;
        in.pinned = true;
        in.external.body_point[2] = 1.0;
        in.external.body_force[2] = sign == 0 ? -39.24 : 39.24;
        struct pinned pinned = make_pinned(1, (const double[3]){inertia, inertia, 0.0}, (const double[3]){0.0}, &in);
        assert_int_equal(pinned.system->species[0].degrees, 2);
        put_rod(&rod, inertia, 0, pinned.system);
        pinned.start = take_state(pinned.system);
        for (size_t s = 0; s < SCHEMES; ++s) {
            move_pinned(&pinned, s, 1.0, 4.0);
            expect_rod(&rod, inertia, 0, pinned.system, 1e-12);
            assert_close(pinned.system->m[2][0], 0.0, 1e-14, inertia);
        }
        clear_pinned(&pinned);
    }
}

/* Sixteen pinned rods with dipoles v = 0.1, on a grid of edge 1.2 l, in units with mu0/4pi = 1e-7 */
TEST(an_array_of_pinned_dipoles_reaches_its_end)
{
    enum { RODS = 16 };
    struct rod rods[RODS];
    assert_int_equal(read_rods("dipole_array_4x4", RODS, rods), RODS);
    const double length = 0.02, inertia = 0.05 * length * length / 12.0;
    struct ph_interactions in = all_pairs;
    in.pinned = true;
    in.coulomb = 1e-7;
    struct pinned pinned =
        make_pinned(RODS, (const double[3]){inertia, inertia, 0.0}, (const double[3]){0.0, 0.0, 0.1}, &in);
    for (size_t i = 0; i < RODS; ++i) {
        pinned.system->r[0][i] = 1.2 * length * (double)(i % 4);
        pinned.system->r[1][i] = 1.2 * length * (double)(i / 4);
        put_rod(&rods[i], inertia, i, pinned.system);
    }
    pinned.start = take_state(pinned.system);
    for (size_t s = 0; s < SCHEMES; ++s) {
        move_pinned(&pinned, s, 1.0, 8.0);
        for (size_t i = 0; i < RODS; ++i)
            expect_rod(&rods[i], inertia, i, pinned.system, 1e-12);
    }
    assert_memory_equal(pinned.system->r[0], pinned.start, RODS * sizeof(double));
    clear_pinned(&pinned);
}
