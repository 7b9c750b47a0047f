/* SPDX-License-Identifier: MIT */
/* One-step integrators: they have their order against end states computed in multiple precision, conserve to rounding
 * the quantities that they claim and no others, and fail loudly. */
#include "physics/courses.h"
#include "physics/motion.h"
#include "physics/trials.h"

#include <omp.h>

static struct ph_posed pose(const char *name)
{
    struct ph_posed posed;
    const struct ph_problem *problem = ph_problem_find(name);
    assert_non_null(problem);
    assert_ok(ph_problem_pose(problem, 0, NULL, 1, 0, &posed, &err));
    return posed;
}

static double energy_of(struct ph_course *course)
{
    double energy;
    assert_ok(ph_course_energy(course, &energy, &err));
    return energy;
}

/* ---- Order ---- */

/* Problems, the row of the table with their end, and steps short enough for the error to be a power of them */
static const struct {
    const char *problem, *row;
    double time;
    long steps;
} ends[] = {
    {"free-body", "krysl_free_5.1", 100.0, 2000},   {"slow-top", "krysl_slow_top_5.2", 20.0, 6000},
    {"fast-top", "krysl_fast_top_5.3", 1.0, 400},   {"soft-wall", "krysl_wall_printed", 10.0, 400},
    {"attractor", "ortolan_test", 5.0, 100},        {"satellite", "satellite_001", 1.0, 1000},
    {"heavy-book", "heavy_top_000_U=Q33", 1.0, 40}, {"heavy-book", "heavy_top_000_U=Q33", 10.0, 400},
};

static const struct rigid_row *find_row(const char *name, double time)
{
    static struct rigid_row rows[32];
    const size_t n = read_rigid_rows(32, rows);
    for (size_t i = 0; i < n; ++i)
        if (strcmp(rows[i].name, name) == 0 && rows[i].time == time)
            return &rows[i];
    fail_msg("no row %s at %g", name, time);
    return NULL;
}

static void expect_order(const struct ph_integrator *integrator, double coarse, double fine, const char *what)
{
    const double order = log2(coarse / fine);
    if (!(fabs(order - integrator->order) < 0.2))
        fail_msg("%s, %s: order %d stated, %.2f measured (errors %.2e, %.2e)", integrator->name, what,
                 integrator->order, order, coarse, fine);
}

TEST(every_integrator_has_its_order_in_orientation_and_momentum)
{
    for (size_t e = 0; e < sizeof ends / sizeof *ends; ++e) {
        const struct rigid_row *row = find_row(ends[e].row, ends[e].time);
        struct ph_posed posed = pose(ends[e].problem);
        for (int k = 0; k < 3; ++k) {
            assert_close(posed.system->m[k][0], row->start.m[k], 1e-15, 1.0);
            assert_close(posed.system->species[0].inertia[k], row->inertia[k], 1e-15, 1.0);
        }
        for (int k = 0; k < 4; ++k)
            assert_close(posed.system->q[k][0], row->start.q[k], 1e-15, 1.0);
        double potential, kinetic;
        assert_int_equal(ph_posed_energy(&posed, &potential, &kinetic, NULL), PH_OK);
        assert_close(potential + kinetic, row->energy, 1e-15, 10.0 * row->energy);
        for (size_t i = 0; i < ph_integrator_count(); ++i) {
            const struct ph_integrator *integrator = ph_integrator_at(i);
            double m[2], q[2];
            for (int fine = 0; fine < 2; ++fine) {
                /* its errors have odd powers of the step too, and the first of them is large */
                const long longer = strcmp(integrator->name, "bbtrapwd") == 0 ? 8 : 1;
                const long n = (longer * ends[e].steps) << fine;
                struct ph_course course = begin(&posed, integrator, ends[e].time / (double)n);
                go(&course, n);
                m[fine] = ph_course_momentum_error(&course, row->end.m);
                q[fine] = ph_course_orientation_error(&course, row->end.q);
                ph_course_clear(&course);
            }
            expect_order(integrator, m[0], m[1], ends[e].row);
            expect_order(integrator, q[0], q[1], ends[e].row);
        }
        ph_posed_clear(&posed);
    }
}

/* One body from `start` over `time`, with a force at the tip of its third axis: errors in m and q at the end */
static void reach(const struct ph_trial_problem *problem, const struct ph_integrator *integrator, long n, double *in_m,
                  double *in_q)
{
    struct ph_trial trial;
    struct ph_motion *motion;
    assert_ok(ph_trial_init(problem, NULL, NULL, &trial, &err));
    const struct ph_motion_options options = {
        .integrator = integrator, .step = problem->time / (double)n, .pinned = true};
    assert_ok(ph_motion_create(trial.system, trial.field, &options, &motion, &err));
    assert_ok(ph_motion_advance(motion, n, &err));
    const struct ph_course course = {.system = trial.system};
    *in_m = ph_course_momentum_error(&course, problem->end[0].m);
    *in_q = ph_course_orientation_error(&course, problem->end[0].q);
    ph_motion_destroy(motion);
    ph_trial_clear(&trial);
}

static void expect_orders(const struct ph_trial_problem *problem, long steps)
{
    for (size_t i = 0; i < ph_integrator_count(); ++i) {
        const struct ph_integrator *integrator = ph_integrator_at(i);
        const long n = integrator->claims.reversible ? steps : 8 * steps; /* as above */
        double m[2], q[2];
        for (int fine = 0; fine < 2; ++fine)
            reach(problem, integrator, n << fine, &m[fine], &q[fine]);
        expect_order(integrator, m[0], m[1], problem->name);
        expect_order(integrator, q[0], q[1], problem->name);
    }
}

/* The heavy tops of the table with fields from weak to strong */
TEST(heavy_tops_are_reached_to_the_order)
{
    struct rigid_row rows[32];
    const size_t n = read_rigid_rows(32, rows);
    int tops = 0;
    for (size_t i = 0; i < n; ++i) {
        struct ph_trial_problem problem;
        if (!strstr(rows[i].name, "heavy_top_001") || !heavy_top(&rows[i], &problem))
            continue;
        expect_orders(&problem, rows[i].time > 1.0 ? 400 : 50);
        ++tops;
    }
    assert_int_equal(tops, 8);
}

/* Free bodies of the table: some drawn at random at t = 1, and one of Hairer and Vilmart at t = 10 (the moments of the
 * other are those of no body) */
TEST(free_bodies_are_reached_to_the_order)
{
    char line[LINE], *field[FIELDS];
    int bodies = 0;
    FILE *file = open_data("free_body.csv");
    while (fgets(line, sizeof line, file)) {
        split_line(line, field);
        struct ph_trial_problem problem = {.name = field[0], .n = 1, .pinned = true, .time = strtod(field[8], NULL)};
        const bool drawn = strcmp(field[1], "random") == 0 && problem.time == 1.0;
        if (!drawn && !(strcmp(field[1], "hairer_vilmart_asym") == 0 && problem.time == 10.0))
            continue;
        read_numbers(&field[2], 3, problem.inertia);
        read_numbers(&field[5], 3, problem.start[0].m);
        problem.start[0].q[0] = 1.0;
        read_numbers(&field[9], 3, problem.end[0].m);
        read_numbers(&field[12], 4, problem.end[0].q);
        expect_orders(&problem, drawn ? 400 : 1000);
        ++bodies;
    }
    fclose(file);
    assert_int_equal(bodies, 6);
}

TEST(every_problem_can_be_posed)
{
    for (size_t i = 0; i < ph_problem_count(); ++i) {
        struct ph_posed posed = pose(ph_problem_at(i)->name);
        double potential, kinetic;
        assert_int_equal(ph_posed_energy(&posed, &potential, &kinetic, NULL), PH_OK);
        assert_true(isfinite(potential) && kinetic >= 0.0);
        ph_posed_clear(&posed);
    }
}

/* Translation and rotation together: three dipolar soft spheres that collide */
TEST(every_integrator_moves_many_molecules_to_its_order)
{
    const struct ph_trial_problem problem = read_cluster("p3a", 1.0);
    for (size_t i = 0; i < ph_integrator_count(); ++i) {
        const struct ph_integrator *integrator = ph_integrator_at(i);
        double error[2];
        for (int fine = 0; fine < 2; ++fine) {
            const long n = 400L << fine;
            struct ph_trial trial;
            struct ph_trial_body end[PH_TRIAL_MOST];
            struct ph_motion *motion;
            assert_ok(ph_trial_init(&problem, NULL, NULL, &trial, &err));
            const struct ph_motion_options options = {.integrator = integrator, .step = 1.0 / (double)n};
            assert_ok(ph_motion_create(trial.system, trial.field, &options, &motion, &err));
            assert_ok(ph_motion_advance(motion, n, &err));
            ph_trial_take(&trial, end);
            error[fine] = ph_trial_distance(problem.n, end, problem.end);
            ph_motion_destroy(motion);
            ph_trial_clear(&trial);
        }
        expect_order(integrator, error[0], error[1], "dipoles");
    }
}

/* ---- What is conserved ---- */

/* Changes up to `little` are rounding; what is not conserved changes by more than `much`. */
static void expect_kept(const struct ph_integrator *integrator, const char *what, bool claimed, double change,
                        double little, double much)
{
    if (!(claimed ? change <= little : change >= much))
        fail_msg("%s: %s %s, but changes by %.2e", integrator->name, what,
                 claimed ? "is said to be conserved" : "is not said to be conserved", change);
}

/* Largest changes along a course, of the energy and of the angular momentum in space (of its component along e3) */
struct changes {
    double energy, momentum, along;
};

static struct changes follow(const char *problem, const struct ph_integrator *integrator, double step, int samples)
{
    struct ph_posed posed = pose(problem);
    struct ph_course course = begin(&posed, integrator, step);
    struct changes changes = {0.0, 0.0, 0.0};
    double start[3], now[3];
    const double energy = energy_of(&course);
    ph_course_momentum(&course, start);
    for (int i = 0; i < samples; ++i) {
        go(&course, 7);
        ph_course_momentum(&course, now);
        changes.energy = fmax(changes.energy, fabs(energy_of(&course) - energy));
        for (int k = 0; k < 3; ++k)
            changes.momentum = fmax(changes.momentum, fabs(now[k] - start[k]));
        changes.along = fmax(changes.along, fabs(now[2] - start[2]));
    }
    ph_course_clear(&course);
    ph_posed_clear(&posed);
    return changes;
}

TEST(every_integrator_conserves_what_it_claims_and_no_more)
{
    for (size_t i = 0; i < ph_integrator_count(); ++i) {
        const struct ph_integrator *integrator = ph_integrator_at(i);
        const struct changes body = follow("free-body", integrator, 0.25, 60);
        expect_kept(integrator, "energy of a free body", integrator->claims.free_energy, body.energy, 3e-14, 1e-6);
        expect_kept(integrator, "angular momentum of a free body", integrator->claims.free_momentum, body.momentum,
                    3e-14, 1e-6);
        const struct changes top = follow("heavy-book", integrator, 0.05, 60);
        expect_kept(integrator, "energy of a heavy top", integrator->claims.top_energy, top.energy, 3e-14, 1e-6);
        if (strcmp(integrator->name, "akw") == 0) /* for a heavy top, not in general; see below */
            expect_kept(integrator, "vertical angular momentum of a heavy top", true, top.along, 3e-14, 0.0);
        const struct changes wall = follow("soft-wall", integrator, 0.1, 60);
        expect_kept(integrator, "angular momentum along an axis", integrator->claims.axis_momentum, wall.along, 5e-14,
                    1e-6);
        assert_true(wall.momentum > 0.1);
    }
}

/* Back with the opposite step, and back with reversed momenta */
TEST(reversible_integrators_find_back_and_others_do_not)
{
    enum { STEPS = 50 };
    struct ph_posed posed = pose("soft-wall");
    for (size_t i = 0; i < ph_integrator_count(); ++i) {
        const struct ph_integrator *integrator = ph_integrator_at(i);
        for (int momenta = 0; momenta < 2; ++momenta) {
            struct ph_course forth = begin(&posed, integrator, 0.1);
            go(&forth, STEPS);
            const double sign = momenta ? -1.0 : 1.0;
            for (int k = 0; k < 3; ++k)
                forth.system->m[k][0] *= sign;
            const struct ph_posed there = {.system = forth.system, .interactions = posed.interactions};
            struct ph_course back = begin(&there, integrator, momenta ? 0.1 : -0.1);
            go(&back, STEPS);
            const double m[3] = {sign * 2.0, sign * 2.0, sign * 2.0}, q[4] = {1.0, 0.0, 0.0, 0.0};
            const double off = ph_course_momentum_error(&back, m) + ph_course_orientation_error(&back, q);
            expect_kept(integrator, "the start", integrator->claims.reversible, off, 1e-12, 1e-6);
            ph_course_clear(&back);
            ph_course_clear(&forth);
        }
    }
    ph_posed_clear(&posed);
}

/* ---- Methods that are others in disguise ---- */

static void expect_same_as_verlet_with(const char *name, const char *flow)
{
    struct ph_posed posed = pose("attractor");
    struct ph_course course = begin(&posed, ph_integrator_find(name), 0.1);
    struct ph_force_field *field = make_field(posed.system, &posed.interactions);
    const struct ph_dynamics_options options = {
        .scheme = ph_scheme_find("verlet"), .flow = ph_flow_find(flow), .step = 0.1, .pinned = true};
    struct ph_dynamics *dynamics;
    assert_int_equal(ph_dynamics_create(posed.system, field, &options, &dynamics, NULL), PH_OK);
    go(&course, 100);
    advance(dynamics, 100);
    synchronise(dynamics, NULL);
    const double m[3] = {posed.system->m[0][0], posed.system->m[1][0], posed.system->m[2][0]};
    const double q[4] = {posed.system->q[0][0], posed.system->q[1][0], posed.system->q[2][0], posed.system->q[3][0]};
    assert_close(ph_course_momentum_error(&course, m), 0.0, 1e-12, 1.0);
    assert_close(ph_course_orientation_error(&course, q), 0.0, 1e-12, 1.0);
    ph_dynamics_destroy(dynamics);
    ph_force_field_destroy(field);
    ph_course_clear(&course);
    ph_posed_clear(&posed);
}

TEST(prk_and_rattle_are_splittings)
{
    assert_true(ph_scheme_kick_first(ph_scheme_find("verlet")));
    expect_same_as_verlet_with("prk", "imr2");
    expect_same_as_verlet_with("rattle", "dmv2");
}

/* ---- Many molecules ---- */

static double *move_fluid(const char *name, int threads, double step, long n, size_t molecules)
{
    struct ph_system *system = make_fluid(molecules, 0.7, 5);
    const struct ph_interactions in = switched(2.5, 0.5, 6);
    struct ph_force_field *field = make_field(system, &in);
    struct ph_error err = {.text = ""};
    struct ph_motion *motion;
    const struct ph_motion_options options = {.integrator = ph_integrator_find(name), .step = step};
    const int before = omp_get_max_threads();
    omp_set_num_threads(threads);
    if (ph_motion_create(system, field, &options, &motion, &err) != PH_OK ||
        ph_motion_advance(motion, n, &err) != PH_OK)
        fail_msg("%s: %s", name, err.text);
    omp_set_num_threads(before);
    double *end = take_state(system);
    ph_motion_destroy(motion);
    put_away(field, system);
    return end;
}

TEST(results_do_not_depend_on_threads)
{
    static const char *const names[] = {"rattle", "vlv", "new3", "trap", "swc1"};
    enum { N = 864 };
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        double *one = move_fluid(names[i], 1, 0.002, 2, N), *two = move_fluid(names[i], 2, 0.002, 2, N);
        assert_memory_equal(one, two, NUMBERS * N * sizeof(double));
        free(one);
        free(two);
    }
}

/* Molecules leave the box and come in on the other side, also in the middle of implicit steps. */
TEST(integrators_agree_in_a_periodic_box)
{
    enum { N = 108 };
    double *verlet = move_fluid("rattle", 1, 0.0005, 400, N);
    static const char *const names[] = {"vlv", "new3", "akw", "imidm"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        double *other = move_fluid(names[i], 1, 0.0005, 400, N);
        const double off = state_distance(N, verlet, other);
        if (!(off < 1e-3 && off > 1e-9))
            fail_msg("%s differs from rattle by %.2e", names[i], off);
        free(other);
    }
    free(verlet);
}

/* ---- Failures ---- */

/* Before an attractive wall, with a step of 0.5, the torque is soon too steep. */
TEST(steps_without_a_solution_fail_loudly)
{
    const struct ph_setting described = {"sign", -1.0};
    struct ph_posed posed;
    assert_int_equal(ph_problem_pose(ph_problem_find("soft-wall"), 1, &described, 1, 0, &posed, NULL), PH_OK);
    for (size_t i = 0; i < ph_integrator_count(); ++i) {
        const struct ph_integrator *integrator = ph_integrator_at(i);
        if (!integrator->implicit && !integrator->flow) /* these hardly solve anything, and throw the body around */
            continue;
        struct ph_course course = begin(&posed, integrator, 0.5);
        struct ph_error err = {.text = ""};
        if (ph_motion_advance(course.motion, 200, &err) != PH_ERR_NUMBERS)
            fail_msg("%s goes on", integrator->name);
        assert_true(strstr(err.text, integrator->name) || strstr(err.text, "finite"));
        ph_course_clear(&course);
    }
    ph_posed_clear(&posed);
}

TEST(linear_rotors_are_refused_with_a_reason)
{
    struct ph_system *system = make_mixture((size_t[MOLECULES]){1, 1, 1, 1, 1}, 3);
    struct ph_force_field *field = make_field(system, &all_pairs);
    int refused = 0;
    for (size_t i = 0; i < ph_integrator_count(); ++i) {
        struct ph_motion *motion;
        struct ph_error err = {.text = ""};
        const struct ph_motion_options options = {.integrator = ph_integrator_at(i), .step = 0.001};
        const enum ph_status status = ph_motion_create(system, field, &options, &motion, &err);
        const char *reason = ph_integrator_at(i)->not_linear;
        assert_int_equal(status, reason ? PH_ERR_INPUT : PH_OK);
        assert_true(!reason || (strstr(err.text, "linear rotors") && strstr(err.text, reason)));
        refused += reason != NULL;
        ph_motion_destroy(motion);
    }
    assert_int_equal(refused, 3); /* test_linear_rotors.c has the others */
    put_away(field, system);
}
