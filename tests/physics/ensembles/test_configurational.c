/* SPDX-License-Identifier: MIT */
/* The configurational temperature: Laplacians against known ones and finite differences; in a bath, that of the bath.
 */
#include "physics/force_systems.h"

#include "analysis/statistics/blocks.h"
#include "dynamics/mover.h"
#include "run/configurational.h"
#include "run/observables.h"

#include <omp.h>

static struct ph_configurational observe(struct ph_force_field *field, struct ph_system *system, bool pinned,
                                         int64_t step)
{
    struct ph_configurational out;
    struct ph_state *where = make_state(system, field);
    assert_ok(ph_configurational_observe(where, pinned, 5, step, &out, &err));
    ph_state_destroy(where);
    return out;
}

/* Estimates are right in the mean: within 4 standard errors of `want`, and these are below `sharp` of its scale. */
struct draws {
    double sum, squares;
    int n;
};

static void add_draw(double x, struct draws *draws)
{
    draws->sum += x;
    draws->squares += x * x;
    ++draws->n;
}

static void assert_mean(const char *what, const struct draws *draws, double want, double sharp, double scale)
{
    const double n = draws->n, mean = draws->sum / n;
    const double error = sqrt((draws->squares / n - mean * mean) / n);
    if (!(fabs(mean - want) <= 4.0 * error + 1e-9 * scale) || !(error < sharp * scale))
        fail_msg("%s: %g +- %g, should be %g; scale %g", what, mean, error, want, scale);
}

/* k/2 |r - anchor|^2 has the Laplacian 3 k, whatever the signs. */
TEST(tethers_have_a_constant_laplacian)
{
    const struct ph_box open = ph_box_open();
    const struct ph_interactions in = {.truncation = PH_TRUNCATE_NONE, .coulomb = 0.0, .external = {.tether = 2.5}};
    const struct ph_radial none = {.kind = PH_RADIAL_NONE};
    struct ph_system *system = make_system((const size_t[MOLECULES]){[ATOM] = 7, [ROD] = 4}, none, &open, 1.0, 1);
    struct ph_force_field *field = make_field(system, &in);
    for (size_t i = 0; i < system->n; ++i)
        system->r[1][i] += 0.1 * (double)(i + 1);
    evaluate(field, system);
    for (int64_t step = 0; step < 10; ++step) {
        const struct ph_configurational now = observe(field, system, false, step);
        assert_close(now.laplacian_translation, 3.0 * 2.5 * 11.0, 1e-14, 100.0);
        assert_close(now.squared_force, 2.5 * 2.5 * 0.01 * 506.0, 1e-12, 100.0); /* 1 + 4 + ... + 121 = 506 */
        assert_true(now.squared_torque == 0.0 && now.laplacian_rotation == 0.0);
    }
    const struct ph_configurational pinned = observe(field, system, true, 0);
    assert_true(pinned.squared_force == 0.0 && pinned.laplacian_translation == 0.0);
    put_away(field, system);
}

/* -mu.E is a spherical harmonic of degree 1: its Laplacian on the sphere, and on the rotations, is 2 mu.E. */
TEST(dipoles_in_a_field_have_that_of_the_sphere)
{
    const struct ph_box open = ph_box_open();
    const struct ph_interactions in = {
        .truncation = PH_TRUNCATE_NONE, .coulomb = 0.0, .external = {.electric_field = {0.4, -0.7, 1.3}}};
    const struct ph_radial none = {.kind = PH_RADIAL_NONE};
    struct ph_system *system =
        make_system((const size_t[MOLECULES]){[POLAR] = 5, [ROD] = 5, [CHIRAL] = 5}, none, &open, 1.0, 1);
    struct ph_force_field *field = make_field(system, &in);
    evaluate(field, system);
    double want = 0.0, square = 0.0;
    for (size_t i = 0; i < system->n; ++i) {
        const double q[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]};
        double body[3], mu[3], torque[3];
        ph_species_dipole(&system->species[ph_system_species_of(system, i)], body);
        ph_quat_rotate(q, body, mu);
        ph_vec3_cross(mu, in.external.electric_field, torque);
        want += 2.0 * ph_vec3_dot(mu, in.external.electric_field);
        square += ph_vec3_dot(torque, torque);
    }
    struct draws rotation = {.n = 0};
    for (int64_t step = 0; step < 4000; ++step) {
        const struct ph_configurational now = observe(field, system, false, step);
        add_draw(now.laplacian_rotation, &rotation);
        assert_close(now.squared_torque, square, 1e-13, square);
        assert_true(now.laplacian_translation == 0.0);
    }
    assert_mean("rotation", &rotation, want, 0.01, 20.0);
    put_away(field, system);
}

/* The sum of X_a X_a U by differences of forces and torques when a molecule is moved along, or turned about, axis a;
 * and of their sizes */
static void find_laplacians(struct ph_force_field *field, struct ph_system *system, double laplacian[2], double size[2])
{
    const double h = 1e-5;
    laplacian[0] = laplacian[1] = size[0] = size[1] = 0.0;
    for (size_t i = 0; i < system->n; ++i)
        for (int k = 0; k < 6; ++k) {
            double second = 0.0;
            for (int sign = -1; sign <= 1; sign += 2) {
                const int a = k % 3;
                const double r = system->r[a][i];
                const double q[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]};
                double vector[3] = {0.0}, turn[4];
                vector[a] = k < 3 ? 0.0 : sign * h;
                ph_turn_exp(vector, turn);
                ph_quat_multiply(turn, q, turn);
                for (int c = 0; c < 4; ++c)
                    system->q[c][i] = turn[c];
                if (k < 3)
                    system->r[a][i] = r + sign * h;
                evaluate(field, system);
                second -= sign * (k < 3 ? system->f[a][i] : system->t[a][i]) / (2.0 * h);
                system->r[a][i] = r;
                for (int c = 0; c < 4; ++c)
                    system->q[c][i] = q[c];
            }
            laplacian[k / 3] += second;
            size[k / 3] += fabs(second);
        }
    evaluate(field, system);
}

TEST(every_kind_of_molecule_has_its_laplacian)
{
    const struct ph_box open = ph_box_open();
    const struct ph_interactions in = {
        .truncation = PH_TRUNCATE_NONE, .coulomb = 1.0, .external = {.electric_field = {0.1, 0.2, -0.3}}};
    const size_t counts[MOLECULES] = {[ATOM] = 2, [POLAR] = 3, [WATER] = 2, [ROD] = 3, [CHIRAL] = 2};
    struct ph_system *system = make_system(counts, lennard_jones, &open, 1.0, 2);
    struct ph_force_field *field = make_field(system, &in);
    double want[2], size[2];
    find_laplacians(field, system, want, size);
    struct draws translation = {.n = 0}, rotation = {.n = 0}, alone = {.n = 0};
    for (int64_t step = 0; step < 20000; ++step) {
        const struct ph_configurational now = observe(field, system, false, step);
        add_draw(now.laplacian_translation, &translation);
        add_draw(now.laplacian_rotation, &rotation);
        add_draw(observe(field, system, true, step).laplacian_rotation, &alone);
    }
    assert_mean("translation", &translation, want[0], 0.01, size[0]);
    assert_mean("rotation", &rotation, want[1], 0.05, size[1]);
    assert_mean("rotation with centres at rest", &alone, want[1], 0.01, size[1]);
    put_away(field, system);
}

/* ---- In a bath ---- */

static const struct ph_interactions of_fluid = {
    .truncation = PH_TRUNCATE_SWITCHED,
    .cutoff = 2.5,
    .switch_width = 0.5,
    .smoothness = 6,
    .electrostatics = PH_ELECTROSTATICS_REACTION_FIELD,
    .epsilon_rf = INFINITY,
    .coulomb = 1.0,
};

/* On a lattice that melts, density 0.8 */
static struct ph_system *make_stockmayer(size_t n)
{
    struct ph_species species = {.name = "stockmayer", .n_sites = 1};
    species.site[0] = site_at("A", 1.0, 0.0, lennard_jones, 1.0, 1.0, 0, 0, 0);
    set_dipole(&species.site[0], 0.0, 0.0, sqrt(2.0));
    const struct ph_box box = make_box(cube_edges, cbrt((double)n / 0.8));
    const struct ph_start start = {.kind = PH_START_FCC, .seed = 1};
    struct ph_system *system = NULL;
    assert_ok(ph_species_complete(&species, NULL, (const double[]){0.1, 0.1, 0.1}, &err));
    assert_ok(ph_system_create(1, &species, &n, &box, &system, &err));
    assert_ok(ph_start_place(&start, system, &err));
    ph_start_turn(1, system);
    return system;
}

/* Mean of a over mean of b, and its error to first order */
static struct ph_mean ratio(size_t n, const double *a, const double *b)
{
    double *x = malloc(n * sizeof *x);
    const double mean_b = ph_mean_of(n, b).mean, value = ph_mean_of(n, a).mean / mean_b;
    for (size_t k = 0; k < n; ++k)
        x[k] = value + (a[k] - value * b[k]) / mean_b;
    const struct ph_mean mean = ph_mean_of(n, x);
    free(x);
    return mean;
}

TEST(a_fluid_has_the_temperature_of_its_bath)
{
    enum { N = 108, ROWS = 2500, EVERY = 6, BEFORE = 1500 };
    const double kT = 1.35;
    struct ph_system *system = make_stockmayer(N);
    struct ph_force_field *field = make_field(system, &of_fluid);
    const struct ph_mover_options options = {.dynamics = {.scheme = ph_scheme_find("verlet"),
                                                          .flow = ph_flow_find("exact"),
                                                          .step = 0.003,
                                                          .compensated = true},
                                             .bath = {.kind = ph_bath_find("velocity-rescaling"),
                                                      .kT = kT,
                                                      .relaxation_time = 0.15,
                                                      .translation = 3 * N - 3,
                                                      .rotation = 3 * N,
                                                      .seed = 4}};
    struct ph_mover *mover;
    ph_start_move(kT, true, false, 2, system);
    assert_ok(ph_mover_create(system, field, &options, &mover, &err));
    assert_ok(ph_mover_advance(mover, BEFORE, &err));
    static double sums[4][ROWS], kinetic[2][ROWS];
    const struct ph_degrees degrees = ph_degrees_count(system, &of_fluid);
    for (size_t row = 0; row < ROWS; ++row) {
        struct ph_energy energy;
        struct ph_observables now;
        assert_ok(ph_mover_advance(mover, EVERY, &err));
        assert_ok(ph_mover_synchronise(mover, &energy, &err));
        ph_observe(system, &degrees, &energy, 1.0, &now);
        now.configurational = observe(field, system, false, ph_mover_step(mover));
        sums[0][row] = now.configurational.squared_force;
        sums[1][row] = now.configurational.laplacian_translation;
        sums[2][row] = now.configurational.squared_torque;
        sums[3][row] = now.configurational.laplacian_rotation;
        kinetic[0][row] = now.temperature_translation;
        kinetic[1][row] = now.temperature_rotation;
    }
    for (int k = 0; k < 2; ++k) {
        const struct ph_mean own = ratio(ROWS, sums[2 * k], sums[2 * k + 1]), other = ph_mean_of(ROWS, kinetic[k]);
        print_message("%s: configurational %.4f +- %.4f, kinetic %.4f +- %.4f, bath %g\n",
                      k ? "rotation" : "translation", own.mean, own.error, other.mean, other.error, kT);
        if (!(fabs(own.mean - kT) < 3.0 * own.error) || !(own.error < 0.02 * kT) || !(other.error < 0.02 * kT) ||
            !(fabs(own.mean - other.mean) < 3.0 * hypot(own.error, other.error)))
            fail_msg("configurational %g +- %g, kinetic %g +- %g", own.mean, own.error, other.mean, other.error);
    }
    ph_mover_destroy(mover);
    put_away(field, system);
}

TEST(the_number_of_threads_changes_nothing)
{
    const int threads = omp_get_max_threads();
    struct ph_configurational first = {.squared_force = 0.0};
    for (int t = 1; t <= 3; ++t) {
        omp_set_num_threads(t);
        struct ph_system *system = make_stockmayer(864);
        struct ph_force_field *field = make_field(system, &of_fluid);
        evaluate(field, system);
        const struct ph_configurational now = observe(field, system, false, 3);
        first = t == 1 ? now : first;
        assert_memory_equal(&now, &first, sizeof now);
        put_away(field, system);
    }
    omp_set_num_threads(threads);
}

/* Where forces jump, what the Laplacian has there would be missing. */
TEST(forces_that_jump_are_refused)
{
    struct ph_system *system = make_stockmayer(108);
    struct ph_interactions in = of_fluid;
    assert_ok(ph_configurational_check(system, &in, &err));
    in.truncation = PH_TRUNCATE_SHIFTED;
    assert_error(ph_configurational_check(system, &in, &err), PH_ERR_INPUT, "output.configurational_temperature ");
    ph_system_destroy(system);
}
