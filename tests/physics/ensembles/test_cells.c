/* SPDX-License-Identifier: MIT */
/* Changes of the cell: molecules move with it, forces are those of the energy, the volume of an ideal gas has its exact
 * distribution however long the steps, ramps end where they should; the same bits for any number of threads and after
 * a restart. */
#include "physics/movers.h"

#include "force/longrange/ewald.h"
#include "output/checkpoint/hash.h"

#include <omp.h>

static const enum ph_cell_shape shapes[] = {PH_CELL_ISOTROPIC, PH_CELL_EDGES, PH_CELL_FULL};
static const char *const shape_names[] = {"isotropic", "edges", "full"};
/* first edge along x, second in the plane of x and y */
static const double triangular_edges[3][3] = {{1.2, 0, 0}, {0.3, 1.1, 0}, {-0.25, 0.35, 1.15}};

static void set_box(const double edge[3][3], struct ph_force_field *field, struct ph_system *system)
{
    struct ph_state *where = make_state(system, field);
    assert_ok(ph_cell_set_box(edge, where, &err));
    ph_state_destroy(where);
}

/* ---- A new box ---- */

TEST(centres_keep_their_fractional_coordinates)
{
    const struct ph_box box = make_box(tilted_edges, 6.0);
    const size_t counts[MOLECULES] = {[WATER] = 20};
    struct ph_system *system = make_system(counts, lennard_jones, &box, 1.0, 3);
    const struct ph_interactions in = switched(2.0, 0.4, 4);
    struct ph_force_field *field = make_field(system, &in);
    system->image[1][7] = -2;
    double before[3][20];
    for (int k = 0; k < 3; ++k)
        for (size_t i = 0; i < 20; ++i)
            before[k][i] = system->box.inverse[k][0] * system->r[0][i] + system->box.inverse[k][1] * system->r[1][i] +
                           system->box.inverse[k][2] * system->r[2][i];
    const struct ph_box wanted = make_box(triangular_edges, 5.5);
    set_box(wanted.edge, field, system);
    assert_memory_equal(&system->box, &wanted, sizeof wanted);
    for (int k = 0; k < 3; ++k)
        for (size_t i = 0; i < 20; ++i)
            assert_close(wanted.inverse[k][0] * system->r[0][i] + wanted.inverse[k][1] * system->r[1][i] +
                             wanted.inverse[k][2] * system->r[2][i],
                         before[k][i], 1e-14, 1.0);
    assert_int_equal(system->image[1][7], -2);
    /* energies are those of a field that was made for this box */
    const struct ph_energy one = evaluate(field, system), other = evaluate_once(system, &in);
    assert_close(ph_energy_total(&one), ph_energy_total(&other), 1e-13, ph_energy_total(&other));
    /* one that is too small changes nothing */
    const uint64_t hash = ph_state_hash(system);
    const struct ph_box small = make_box(cube_edges, 3.9);
    struct ph_state *where = make_state(system, field);
    assert_error(ph_cell_set_box(small.edge, where, &err), PH_ERR_INPUT, "");
    ph_state_destroy(where);
    assert_memory_equal(&system->box, &wanted, sizeof wanted);
    assert_true(ph_state_hash(system) == hash);
    const struct ph_energy same = evaluate(field, system);
    assert_close(ph_energy_total(&same), ph_energy_total(&one), 1e-13, ph_energy_total(&one));
    put_away(field, system);
}

/* Through small changes of the cell a pair list is kept, but never too long: energies are those of lists made anew. The
 * first cells shrink steadily, molecules not moving in them, later ones change at random, and molecules move. */
TEST(pair_lists_are_kept_while_they_hold)
{
    enum { CHANGES = 60 };
    const struct ph_interactions in = switched(2.0, 0.4, 4);
    const struct ph_box box = make_box(triangular_edges, 5.5);
    const size_t counts[MOLECULES] = {[POLAR] = 60, [ATOM] = 60};
    struct ph_system *system = make_system(counts, lennard_jones, &box, 1.0, 4);
    struct ph_force_field *field = make_field(system, &in);
    evaluate(field, system);
    for (uint64_t change = 0; change < CHANGES; ++change) {
        double edge[3][3];
        for (int k = 0; k < 3; ++k)
            for (int a = 0; a < 3; ++a) {
                edge[k][a] = (change < 20 ? 0.99 : 1.0) * system->box.edge[k][a];
                for (int b = 0; b < 3 && change >= 20; ++b)
                    edge[k][a] += 0.003 * random_number(change, (uint64_t)(3 * a + b)) * system->box.edge[k][b];
            }
        set_box((const double(*)[3])edge, field, system);
        for (size_t i = 0; i < system->n && change >= 20; ++i)
            for (int x = 0; x < 3; ++x)
                system->r[x][i] += 0.01 * random_number(change + CHANGES, 3 * i + (uint64_t)x);
        const struct ph_energy kept = evaluate(field, system);
        const struct ph_energy anew = evaluate_once(system, &in);
        assert_close(kept.radial, anew.radial, 1e-12, fabs(anew.radial) + 100.0);
        assert_close(kept.electric, anew.electric, 1e-12, fabs(anew.electric) + 100.0);
        for (int k = 0; k < 9; ++k)
            assert_close(kept.virial[k / 3][k % 3], anew.virial[k / 3][k % 3], 1e-12, 1000.0);
    }
    assert_in_range(ph_force_field_counts(field).lists_made, 4, 30);
    put_away(field, system);
}

/* ---- Forces on the cell: the virial is minus the derivative of the energy by each strain e_ab, with orientations as
 * they are; pairs, long-range correction and waves together ---- */

static double strained_energy(const struct ph_box *box, int a, int b, double e, struct ph_force_field *field,
                              struct ph_system *system)
{
    double edge[3][3];
    memcpy(edge, box->edge, sizeof edge);
    for (int k = 0; k < 3; ++k)
        edge[k][a] += e * box->edge[k][b];
    set_box((const double(*)[3])edge, field, system);
    const struct ph_energy energy = evaluate(field, system);
    return ph_energy_total(&energy);
}

static void expect_forces(const struct ph_interactions *in, const double (*shape)[3], double length)
{
    const struct ph_box box = make_box(shape, length);
    const size_t counts[MOLECULES] = {[POLAR] = 12, [CHIRAL] = 0, [ATOM] = 10};
    struct ph_system *system = make_system(counts, lennard_jones, &box, 1.0, 4);
    struct ph_force_field *field = make_field(system, in);
    const struct ph_energy energy = evaluate(field, system);
    double scale = 0.0;
    for (int k = 0; k < 9; ++k)
        scale = fmax(scale, fabs(energy.virial[k / 3][k % 3]));
    const double e = 1e-3; /* fourth order differences: rounding is amplified by 1/e */
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) {
            double u[4];
            const double at[4] = {-2.0 * e, -e, e, 2.0 * e};
            for (int k = 0; k < 4; ++k)
                u[k] = strained_energy(&box, a, b, at[k], field, system);
            const double slope = (u[0] - 8.0 * u[1] + 8.0 * u[2] - u[3]) / (12.0 * e);
            assert_close(energy.virial[b][a], -slope, 1e-6, scale);
        }
    put_away(field, system);
}

TEST(forces_on_the_cell_are_those_of_the_energy)
{
    struct ph_interactions in = switched(2.0, 1.0, PH_SMOOTH_ALL);
    expect_forces(&in, triangular_edges, 4.5);
    in.long_range_correction = true;
    expect_forces(&in, brick_edges, 4.6);
    in.electrostatics = PH_ELECTROSTATICS_EWALD;
    in.epsilon_rf = INFINITY;
    in.ewald.tolerance = 1e-4;
    expect_forces(&in, triangular_edges, 4.5);
    in.epsilon_rf = 3.0; /* the surface of the sample, whose energy depends on the volume alone */
    expect_forces(&in, triangular_edges, 4.5);
    in.electrostatics = PH_ELECTROSTATICS_MESH;
    in.ewald = (struct ph_ewald_choice){.tolerance = 1e-4, .split = PH_SPLIT_BESSEL, .smoothness = 6};
    expect_forces(&in, cube_edges, 4.6);
    in.epsilon_rf = INFINITY;
    expect_forces(&in, triangular_edges, 4.6);
    in.electrostatics = PH_ELECTROSTATICS_REACTION_FIELD;
    in.smoothness = 6;
    expect_forces(&in, triangular_edges, 4.5);
}

/* ---- Ideal gas: volumes have the gamma distribution of shape N + 1 and scale kT/P, whatever their shape ---- */

enum { MOLECULES_OF_GAS = 8 };
static const double kT = 1.3, pressure = 0.7;

static struct ph_system *make_gas(void)
{
    struct ph_species species = {.name = "nothing", .n_sites = 1, .site = {{.name = "A", .mass = 1.0}}};
    const size_t n = MOLECULES_OF_GAS;
    const struct ph_box box = make_box(cube_edges, cbrt((double)n * kT / pressure));
    const struct ph_start start = {.kind = PH_START_RANDOM, .seed = 2};
    struct ph_system *system = NULL;
    assert_ok(ph_species_complete(&species, NULL, NULL, &err));
    assert_ok(ph_system_create(1, &species, &n, &box, &system, &err));
    assert_ok(ph_start_place(&start, system, &err));
    return system;
}

/* tau is that of the ideal gas, whose compressibility is 1/P */
static struct ph_cell_options rescaling(enum ph_cell_shape shape, double tau, uint64_t seed)
{
    return (struct ph_cell_options){.kind = ph_cell_find("cell-rescaling"),
                                    .kT = kT,
                                    .pressure = pressure,
                                    .relaxation_time = tau,
                                    .compressibility = 1.0 / pressure,
                                    .shape = shape,
                                    .every = 1,
                                    .seed = seed};
}

/* The cumulative gamma distribution of an integer shape: 1 - exp(-x) sum x^k/k! */
static double gamma_distribution(int shape, double x)
{
    double sum = 0.0, term = 1.0;
    for (int k = 0; k < shape; ++k) {
        sum += term;
        term *= x / (k + 1);
    }
    return 1.0 - exp(-x) * sum;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Does a sample of independent numbers have the gamma distribution? Kolmogorov and Smirnov's distance; 1.95/sqrt(n) is
 * exceeded by one sample in a thousand. */
static void assert_gamma(const char *what, int shape, size_t n, double *x)
{
    qsort(x, n, sizeof *x, by_size);
    double largest = 0.0;
    for (size_t i = 0; i < n; ++i) {
        const double want = gamma_distribution(shape, x[i]);
        largest = fmax(largest, fmax((double)(i + 1) / (double)n - want, want - (double)i / (double)n));
    }
    if (!(largest * sqrt((double)n) < 1.95))
        fail_msg("%s: distance from the gamma distribution %g, of %zu", what, largest, n);
}

/* Shapes of an ideal gas wander off: from time to time the cell becomes a cube of the same volume, which volumes do not
 * notice. */
static void make_cube(struct ph_mover *mover, struct ph_force_field *field, struct ph_system *system)
{
    const struct ph_box cube = make_box(cube_edges, cbrt(system->box.volume));
    set_box(cube.edge, field, system);
    ph_mover_state_changed(mover);
}

static void expect_gamma(enum ph_cell_shape shape, double step, double acceptance)
{
    enum { EACH = 2400, APART = 10 };
    const struct ph_interactions in = {.truncation = PH_TRUNCATE_CUT, .cutoff = 0.05, .coulomb = 1.0};
    struct ph_system *system = make_gas();
    struct ph_force_field *field = make_field(system, &in);
    struct ph_mover_options options = plain_options("verlet", step);
    options.cell = rescaling(shape, 1.0, 11);
    struct ph_mover *mover = make_mover(system, field, &options);
    struct average volume = {.each = EACH}, square = {.each = EACH};
    static double samples[BLOCKS * EACH / APART];
    const double unit = kT / pressure, mean = MOLECULES_OF_GAS + 1.0;
    move(mover, 20);
    for (int k = 0; k < BLOCKS * EACH; ++k) {
        if (k % 10 == 0 && shape != PH_CELL_ISOTROPIC)
            make_cube(mover, field, system);
        move(mover, 1);
        const double x = system->box.volume / unit;
        add_sample(&volume, x);
        add_sample(&square, (x - mean) * (x - mean));
        if (k % APART == 0)
            samples[k / APART] = x;
    }
    assert_mean(shape_names[shape], &volume, mean, 4.0, 0.01);
    assert_mean(shape_names[shape], &square, mean, 4.0, 0.03); /* a gamma distribution has its mean as variance */
    assert_gamma(shape_names[shape], MOLECULES_OF_GAS + 1, BLOCKS * EACH / APART, samples);
    assert_close(ph_mover_cell_acceptance(mover), acceptance, 0.02, 1.0);
    ph_mover_destroy(mover);
    put_away(field, system);
}

TEST(volumes_of_an_ideal_gas_have_their_distribution)
{
    if (PH_SANITIZED)
        skip();
    /* Half the relaxation time: without Metropolis' rule the variance would be a third too large. */
    static const double acceptance[] = {0.843, 0.803, 0.741};
    for (int k = 0; k < 3; ++k)
        expect_gamma(shapes[k], 0.5, acceptance[k]);
}

/* ---- Drift: from a lattice under stress, changes go where the energy falls, on average over their noise by D dt times
 * the force, which is a difference of energies here. The virial is unsymmetric, because all dipoles are parallel. ----
 */

static const int coordinates[] = {1, 3, 6}, row[] = {0, 1, 2, 0, 0, 1}, column[] = {0, 1, 2, 1, 2, 2};

/* Edges of a cell strained by e along coordinate k of a shape, and coordinates of a cell from where it was */
static void strain_along(enum ph_cell_shape shape, int k, double e, const struct ph_box *box, double edge[3][3])
{
    memcpy(edge, box->edge, sizeof box->edge);
    for (int c = 0; c < 3; ++c)
        for (int a = 0; a < 3; ++a)
            if (shape == PH_CELL_FULL)
                edge[c][a] += a == row[k] ? (k < 3 ? expm1(e) : e) * box->edge[c][column[k]] : 0.0;
            else if (shape == PH_CELL_ISOTROPIC || c == k)
                edge[c][a] *= exp(shape == PH_CELL_ISOTROPIC ? e / 3.0 : e);
}

static void find_coordinates(enum ph_cell_shape shape, const struct ph_box *from, const struct ph_box *to, double y[6])
{
    for (int k = 0; k < coordinates[shape]; ++k) {
        double square[2] = {0.0}, factor = 0.0;
        for (int c = 0; c < 3; ++c) {
            square[0] += from->edge[k % 3][c] * from->edge[k % 3][c];
            square[1] += to->edge[k % 3][c] * to->edge[k % 3][c];
            factor += to->edge[c][row[k]] * from->inverse[c][column[k]];
        }
        y[k] = shape == PH_CELL_ISOTROPIC ? log(to->volume / from->volume)
               : shape == PH_CELL_EDGES   ? 0.5 * log(square[1] / square[0])
               : k < 3                    ? log(factor)
                                          : factor;
    }
}

static double energy_along(enum ph_cell_shape shape, int k, double e, const struct ph_box *box,
                           struct ph_force_field *field, struct ph_system *system)
{
    double edge[3][3];
    strain_along(shape, k, e, box, edge);
    set_box((const double(*)[3])edge, field, system);
    const struct ph_energy energy = evaluate(field, system);
    set_box(box->edge, field, system);
    return ph_energy_total(&energy) + pressure * system->box.volume * (k < 3 ? expm1(e) : 0.0);
}

static struct ph_system *make_stressed(const struct ph_interactions *in, struct ph_force_field **field)
{
    static const double sheared_edges[3][3] = {{1.05, 0, 0}, {0.1, 0.92, 0}, {-0.08, 0.09, 0.98}};
    struct ph_system *system = make_fluid(108, 1.0, 7);
    for (int x = 0; x < 3; ++x)
        system->species[0].site[0].dipole[x] *= 5.0;
    for (int c = 0; c < 4; ++c)
        for (size_t i = 0; i < system->n; ++i)
            system->q[c][i] = c == 0 ? 1.0 : 0.0;
    *field = make_field(system, in);
    const struct ph_box box = make_box(sheared_edges, system->box.edge[0][0]);
    set_box(box.edge, *field, system);
    return system;
}

TEST(changes_follow_the_forces)
{
    if (PH_SANITIZED)
        skip();
    enum { TRIED = 3000 };
    const struct ph_interactions in = switched(2.0, 0.8, 6);
    for (int shape = 0; shape < 3; ++shape) {
        struct ph_force_field *field;
        struct ph_system *system = make_stressed(&in, &field);
        const struct ph_box box = system->box;
        struct ph_cell_options cell = rescaling(shapes[shape], 1.0, 12);
        cell.compressibility = 0.4;
        const double dt = 0.01, d = kT * cell.compressibility * dt / (box.volume * (shape == 0 ? 1.0 : 3.0));
        const struct ph_energy energy = evaluate(field, system);
        struct ph_state *where = make_state(system, field);
        double *before = take_state(system), numbers[PH_CELL_NUMBERS] = {0.0}, sum[6] = {0.0}, y[6];
        for (int64_t step = 1; step <= TRIED; ++step) {
            bool changed;
            assert_ok(cell.kind->change(&cell, dt, step, &energy, where, numbers, &changed, &err));
            find_coordinates(shapes[shape], &box, &system->box, y);
            for (int k = 0; k < coordinates[shape]; ++k)
                sum[k] += y[k];
            set_box(box.edge, field, system);
            put_state(before, system, field);
        }
        assert_true(numbers[PH_CELL_ACCEPTED] == TRIED);
        for (int k = 0; k < coordinates[shape]; ++k) {
            const double e = 1e-4, measure = shape == 2 ? (k < 3 ? 110.0 - 2.0 * k : 0.0) : 108.0;
            const double above = energy_along(shapes[shape], k, e, &box, field, system);
            const double rise = above - energy_along(shapes[shape], k, -e, &box, field, system);
            const double want = d * (measure - 0.5 * rise / (e * kT)), error = sqrt(2.0 * d / TRIED);
            if (!(fabs(sum[k] / TRIED - want) < 4.0 * error) || !(fabs(want) > 5.0 * error))
                fail_msg("%s, coordinate %d: drift %g, should be %g +- %g", shape_names[shape], k, sum[k] / TRIED, want,
                         error);
        }
        free(before);
        ph_state_destroy(where);
        put_away(field, system);
    }
}

/* ---- Energy, rejections, errors ---- */

/* What cells do is not in the conserved quantity; a rejected change leaves the state as it was, bit for bit. */
TEST(conserved_energy_leaves_out_the_work_of_the_cell)
{
    const struct ph_interactions in = switched(2.0, 0.8, 6);
    for (int k = 0; k < 3; ++k) {
        struct ph_system *system = make_fluid(64, 0.6, 5);
        struct ph_force_field *field = make_field(system, &in);
        struct ph_mover_options options = plain_options("verlet", 0.0);
        options.cell = rescaling(shapes[k], 1.0, 13);
        options.cell.compressibility = 1.0;
        struct ph_cell_options *cell = &options.cell;
        struct ph_state *where = make_state(system, field);
        double numbers[PH_CELL_NUMBERS] = {0.0};
        const struct ph_energy begin = evaluate(field, system);
        const double before = ph_energy_total(&begin) + pressure * system->box.volume;
        for (int64_t step = 1; step <= 200; ++step) {
            const struct ph_energy energy = evaluate(field, system);
            const uint64_t hash = ph_state_hash(system);
            const double accepted = numbers[PH_CELL_ACCEPTED];
            bool changed;
            assert_ok(cell->kind->change(cell, 0.05, step, &energy, where, numbers, &changed, &err));
            assert_true(changed);
            assert_int_equal(ph_state_knows_forces(where), numbers[PH_CELL_ACCEPTED] > accepted);
            if (!ph_state_knows_forces(where))
                assert_true(ph_state_hash(system) == hash);
        }
        const struct ph_energy end = evaluate(field, system);
        assert_true(numbers[PH_CELL_TRIED] == 200.0);
        assert_in_range((int)numbers[PH_CELL_ACCEPTED], 20, 180); /* both happened */
        assert_close(ph_energy_total(&end) + pressure * system->box.volume - before, numbers[PH_CELL_WORK], 1e-11,
                     before);
        ph_state_destroy(where);
        put_away(field, system);
    }
}

/* Metropolis' rule for steps starts from the energy in the new cell: steps that are nearly exact are all accepted,
 * however much changes of the cell have changed the energy between them. */
TEST(steps_begin_with_the_energy_of_the_new_cell)
{
    const struct ph_interactions in = switched(2.0, 0.8, 6);
    struct ph_system *system = make_fluid(64, 0.6, 5);
    struct ph_force_field *field = make_field(system, &in);
    struct ph_mover_options options = plain_options("pefrl", 1e-3);
    options.bath = (struct ph_bath_options){.kind = ph_bath_find("metropolis"),
                                            .kT = kT,
                                            .friction = {1.0, 1.0},
                                            .translation = 3 * system->n,
                                            .rotation = 3 * system->n,
                                            .seed = 3};
    options.cell = rescaling(PH_CELL_ISOTROPIC, 0.02, 17);
    options.cell.compressibility = 0.1;
    struct ph_mover *mover = make_mover(system, field, &options);
    const struct ph_energy before = mover_energy(mover);
    double rough = 0.0; /* sum of what changes of the cell have done to the energy */
    for (int k = 0; k < 100; ++k) {
        const double work = ph_mover_save(mover).numbers[PH_BATH_NUMBERS + PH_CELL_WORK];
        move(mover, 1);
        rough += fabs(ph_mover_save(mover).numbers[PH_BATH_NUMBERS + PH_CELL_WORK] - work);
    }
    const struct ph_energy after = mover_energy(mover);
    assert_true(ph_mover_cell_acceptance(mover) > 0.3);
    assert_true(fabs(ph_energy_total(&after) - ph_energy_total(&before)) > 0.1 * kT && rough > 10.0 * kT);
    assert_true(ph_mover_acceptance(mover) > 0.985);
    ph_mover_destroy(mover);
    put_away(field, system);
}

TEST(a_cell_too_small_for_the_cutoff_ends_the_run)
{
    const struct ph_interactions in = {.truncation = PH_TRUNCATE_CUT, .cutoff = 1.0, .coulomb = 1.0};
    struct ph_system *system = make_gas();
    struct ph_force_field *field = make_field(system, &in);
    struct ph_mover_options options = plain_options("verlet", 0.1);
    options.cell = rescaling(PH_CELL_ISOTROPIC, 1.0, 14);
    options.cell.pressure *= 10.0;
    struct ph_mover *mover = make_mover(system, field, &options);
    assert_error(ph_mover_advance(mover, 1000, &err), PH_ERR_NUMBERS, "too small for the cutoff");
    for (int k = 0; k < 3; ++k)
        assert_true(system->box.width[k] >= 2.0); /* as it was before */
    ph_mover_destroy(mover);
    put_away(field, system);
}

TEST(what_a_changing_cell_cannot_have_is_said)
{
    const struct ph_box open = ph_box_open(), tilted = make_box(tilted_edges, 4.0);
    struct ph_system *system = make_gas();
    struct ph_interactions in = {.truncation = PH_TRUNCATE_CUT, .cutoff = 1.0, .coulomb = 1.0};
    for (int k = 0; k < 3; ++k)
        assert_null(ph_cell_refuses(shapes[k], system, &in));
    in.external.electric_field[2] = 1.0; /* turns molecules that have no charge, and fixes a direction */
    assert_null(ph_cell_refuses(PH_CELL_EDGES, system, &in));
    assert_non_null(strstr(ph_cell_refuses(PH_CELL_FULL, system, &in), "directions"));
    in.external.tether = 1.0;
    assert_non_null(strstr(ph_cell_refuses(PH_CELL_ISOTROPIC, system, &in), "pulls"));
    in.external = (struct ph_external_fields){.gravity = {0.0, 0.0, 1.0}};
    assert_non_null(strstr(ph_cell_refuses(PH_CELL_ISOTROPIC, system, &in), "pulls"));
    in.external = (struct ph_external_fields){.tether = 0.0};
    in.pinned = true;
    assert_non_null(strstr(ph_cell_refuses(PH_CELL_ISOTROPIC, system, &in), "pinned"));
    in.pinned = false;
    system->box = tilted;
    assert_null(ph_cell_refuses(PH_CELL_EDGES, system, &in));
    assert_non_null(strstr(ph_cell_refuses(PH_CELL_FULL, system, &in), "along x"));
    struct ph_force_field *field = make_field(system, &in);
    struct ph_mover_options options = plain_options("verlet", 0.1);
    options.cell = rescaling(PH_CELL_FULL, 1.0, 15);
    struct ph_mover *mover = make_mover(system, field, &options);
    assert_error(ph_mover_advance(mover, 1, &err), PH_ERR_INPUT, "along x");
    ph_mover_destroy(mover);
    ph_force_field_destroy(field);
    in.electrostatics = PH_ELECTROSTATICS_EWALD;
    in.ewald.slab = true;
    assert_non_null(strstr(ph_cell_refuses(PH_CELL_EDGES, system, &in), "slab"));
    system->box = open;
    assert_non_null(strstr(ph_cell_refuses(PH_CELL_ISOTROPIC, system, &in), "open"));
    ph_system_destroy(system);
}

/* ---- Ramp ---- */

TEST(a_ramp_ends_at_its_volume_by_equal_factors)
{
    const struct ph_interactions in = switched(2.0, 0.8, 6);
    struct ph_system *system = make_fluid(64, 0.4, 5);
    struct ph_force_field *field = make_field(system, &in);
    struct ph_mover_options options = plain_options("verlet", 0.002);
    options.first_step = 7;
    options.cell = (struct ph_cell_options){
        .kind = ph_cell_find("ramp"), .every = 4, .volume = 64 / 0.6, .first_step = 7, .steps = 42};
    struct ph_mover *mover = make_mover(system, field, &options);
    const double before = mover_conserved(mover, system), factor = pow(0.4 / 0.6, 0.1); /* ten changes */
    double volume = system->box.volume;
    for (int step = 1; step <= 42; ++step) {
        move(mover, 1);
        const double want = step % 4 == 0 ? factor * volume : volume;
        assert_close(system->box.volume, want, 1e-13, want);
        volume = system->box.volume;
    }
    assert_close(volume, 64 / 0.6, 1e-14, volume);
    /* work is energy that came from outside: verlet conserves the rest to its order */
    const struct ph_energy energy = mover_energy(mover);
    const double now = total_energy(system, &energy);
    assert_true(fabs(now - before) > 1.0);
    assert_close(ph_mover_conserved(mover, now), before, 0.05, 1.0);
    ph_mover_destroy(mover);
    put_away(field, system);
}

/* ---- Bits ---- */

/* 36 steps, in one piece or in two */
static uint64_t end_of(const char *scheme, enum ph_cell_shape shape, long first, bool in_pieces)
{
    const struct ph_interactions in = switched(2.0, 0.8, 6);
    struct ph_system *system = make_fluid(64, 0.6, 5);
    struct ph_force_field *field = make_field(system, &in);
    struct ph_mover_options options = plain_options(scheme, 0.005);
    options.dynamics.compensated = true;
    options.cell = rescaling(shape, 0.05, 16);
    options.cell.compressibility = 0.1;
    options.cell.every = 3;
    struct ph_mover *mover = make_mover(system, field, &options);
    move(mover, first);
    if (in_pieces) { /* everything is made anew; what is kept is what checkpoints keep */
        double numbers[PH_MOVER_NUMBERS], *residuals[PH_STATE_RESIDUAL_COLUMNS];
        const struct ph_mover_memory memory = ph_mover_save(mover);
        memcpy(numbers, memory.numbers, sizeof numbers);
        for (int k = 0; k < PH_STATE_RESIDUAL_COLUMNS; ++k) {
            residuals[k] = malloc(system->n * sizeof(double));
            memcpy(residuals[k], memory.residuals[k], system->n * sizeof(double));
        }
        ph_mover_destroy(mover);
        struct ph_force_field *other = make_field(system, &in);
        const struct ph_force_memory lists = ph_force_field_memory(field);
        assert_ok(ph_force_field_restore(other, system, &lists, &err));
        ph_force_field_destroy(field);
        field = other;
        mover = make_mover(system, field, &options);
        const struct ph_mover_memory restored = ph_mover_save(mover);
        memcpy(restored.numbers, numbers, sizeof numbers);
        for (int k = 0; k < PH_STATE_RESIDUAL_COLUMNS; ++k) {
            memcpy(restored.residuals[k], residuals[k], system->n * sizeof(double));
            free(residuals[k]);
        }
        ph_mover_restore(mover, memory.step, memory.has_pending_flow);
    }
    move(mover, 36 - first);
    const double *numbers = ph_mover_save(mover).numbers;
    const uint64_t hash = ph_hash_bytes(ph_state_hash(system), PH_MOVER_NUMBERS * sizeof(double), numbers);
    ph_mover_destroy(mover);
    put_away(field, system);
    return hash;
}

TEST(the_same_bits_for_all_threads_and_in_pieces)
{
    static const char *const schemes[] = {"pefrl", "verlet", "chin4a"}; /* drift first, kick first, with gradients */
    const int threads = omp_get_max_threads();
    for (int k = 0; k < 3; ++k) {
        omp_set_num_threads(1);
        const uint64_t one = end_of(schemes[k], shapes[k], 16, false);
        for (int n = 1; n <= 3; ++n) {
            omp_set_num_threads(n);
            assert_true(end_of(schemes[k], shapes[k], 16, false) == one);
            assert_true(end_of(schemes[k], shapes[k], 15, true) == one); /* after a change of the cell */
            assert_true(end_of(schemes[k], shapes[k], 16, true) == one);
        }
    }
    omp_set_num_threads(threads);
}

/* ---- Long ranges in a box that grows ---- */

static struct ph_interactions all_copies(enum ph_electrostatics method)
{
    struct ph_interactions in = switched(1.4, 0.4, 6);
    in.electrostatics = method;
    in.epsilon_rf = INFINITY;
    in.ewald = (struct ph_ewald_choice){.tolerance = 1e-5,
                                        .split = method == PH_ELECTROSTATICS_MESH ? PH_SPLIT_BESSEL : PH_SPLIT_GAUSS};
    return in;
}

static struct ph_system *make_polar_fluid(double edge)
{
    const struct ph_box box = make_box(cube_edges, edge);
    const size_t counts[MOLECULES] = {[POLAR] = 12};
    struct ph_system *system = make_system(counts, lennard_jones, &box, 0.95, 5);
    ph_start_move(0.5, true, false, 1, system);
    return system;
}

/* rms of what forces on and torques of two evaluations differ by, relative to that of the second */
static double off_by(const struct ph_system *system, double *const f[6])
{
    double off = 0.0, all = 0.0;
    for (int k = 0; k < 3; ++k)
        for (size_t i = 0; i < system->n; ++i) {
            off += pow(system->f[k][i] - f[k][i], 2.0) + pow(system->t[k][i] - f[3 + k][i], 2.0);
            all += pow(f[k][i], 2.0) + pow(f[3 + k][i], 2.0);
        }
    return sqrt(off / all);
}

/* Energy, pressure and forces at the end of a run equal those of a much finer sum for the box at the end. The conserved
 * quantity does not jump where a sum chooses its parameters again. */
static void expect_new_sum(const struct ph_interactions *in, const struct ph_mover_options *options,
                           struct ph_system *system, int steps, double growth)
{
    enum { N = 12 };
    const double volume = system->box.volume;
    struct ph_interactions complete = *in, fine = *in;
    assert_ok(ph_ewald_choose(system, &complete, &err));
    struct ph_force_field *field = make_field(system, &complete);
    struct ph_mover *mover = make_mover(system, field, options);
    struct ph_energy energy;
    double last = NAN, step = 0.0;
    for (int n = 0; n < steps; ++n) {
        move(mover, 1);
        assert_ok(ph_mover_synchronise(mover, &energy, &err));
        const double now = ph_mover_conserved(mover, total_energy(system, &energy));
        step = n > 0 ? fmax(step, fabs(now - last)) : 0.0;
        last = now;
    }
    fine.ewald = (struct ph_ewald_choice){.tolerance = 1e-8, .split = in->ewald.split};
    double *f[6];
    for (int k = 0; k < 6; ++k) {
        f[k] = calloc(N, sizeof *f[k]);
        memcpy(f[k], k < 3 ? system->f[k] : system->t[k - 3], N * sizeof *f[k]);
    }
    struct ph_force_field *fresh = make_field(system, &fine);
    const struct ph_energy want = evaluate(fresh, system);
    const double electric = energy.electric + energy.waves, wanted = want.electric + want.waves;
    double virial = 0.0, of = 0.0;
    for (int k = 0; k < 3; ++k) {
        virial += energy.virial[k][k] - want.virial[k][k];
        of += fabs(want.virial[k][k]);
    }
    const struct ph_ewald_choice *now = ph_force_field_ewald(field);
    print_message("volume %.3g to %.3g: electric energy %.8g, %.8g by a new sum; virial off by %.1e, forces by %.1e; "
                  "conserved jumps by %.1e\n",
                  volume, system->box.volume, electric, wanted, virial / of, off_by(system, f), step);
    assert_true(system->box.volume > growth * volume);
    assert_true(memcmp(now->grid, complete.ewald.grid, sizeof now->grid) != 0 ||
                memcmp(now->waves, complete.ewald.waves, sizeof now->waves) != 0);
    assert_close(electric, wanted, 1e-4, wanted);
    assert_true(fabs(virial) < 1e-4 * of && off_by(system, f) < 2e-5);
    assert_true(step < 2e-5);
    for (int k = 0; k < 6; ++k)
        free(f[k]);
    ph_force_field_destroy(fresh);
    ph_mover_destroy(mover);
    ph_force_field_destroy(field);
}

TEST(sums_choose_again_where_the_box_grows)
{
    enum { STEPS = 60 };
    for (int mesh = 0; mesh < 2; ++mesh) {
        const struct ph_interactions in = all_copies(mesh ? PH_ELECTROSTATICS_MESH : PH_ELECTROSTATICS_EWALD);
        struct ph_mover_options options = plain_options("verlet", 0.0005);
        struct ph_system *system = make_polar_fluid(3.0);
        options.cell = (struct ph_cell_options){
            .kind = ph_cell_find("ramp"), .every = 2, .volume = 4.0 * system->box.volume, .steps = STEPS};
        expect_new_sum(&in, &options, system, STEPS, 3.0);
        ph_system_destroy(system);
    }
}

/* With random changes of the cell, and with a piston, whose volume is a part of the motion */
TEST(sums_choose_again_under_barostats)
{
    enum { STEPS = 120 };
    const struct ph_interactions in = all_copies(PH_ELECTROSTATICS_EWALD);
    for (int piston = 0; piston < 2; ++piston) {
        struct ph_mover_options options = plain_options("verlet", 0.0005);
        struct ph_system *system = make_polar_fluid(3.0);
        if (piston)
            options.extended = (struct ph_extended_options){.composition = ph_scheme_find("verlet"),
                                                            .cell = true,
                                                            .kT = 0.5,
                                                            .degrees = 6 * 12,
                                                            .pressure = -2.0,
                                                            .cell_time = 0.03,
                                                            .compressibility = 0.1};
        else
            options.cell = (struct ph_cell_options){.kind = ph_cell_find("cell-rescaling"),
                                                    .kT = 1.0,
                                                    .pressure = -2.0,
                                                    .relaxation_time = 0.02,
                                                    .compressibility = 0.1,
                                                    .every = 2,
                                                    .seed = 3};
        expect_new_sum(&in, &options, system, STEPS, 1.2);
        ph_system_destroy(system);
    }
}
