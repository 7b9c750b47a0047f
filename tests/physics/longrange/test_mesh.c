/* SPDX-License-Identifier: MIT */
/* The Ewald sum on a mesh against direct sums with another split, and what must hold however coarse the mesh is: forces
 * are derivatives of its energy, the same for any number of threads. */
#include "physics/force_systems.h"
#include "physics/motion.h"
#include "physics/nist_water.h"

#include "run/gradients.h"

#include <omp.h>

static const struct ph_radial none = {.kind = PH_RADIAL_NONE};

static double electric(const struct ph_energy *energy) { return energy->electric + energy->waves; }

/* ---- Interactions ---- */

/* How fine a mesh is, for cubes with an edge of four cutoffs */
struct level {
    int grid, width;
    double window, shape;
};
static const struct level coarse = {24, 8, 14.0, 12.0}, six = {32, 10, 18.0, 16.0}, eight = {48, 12, 24.0, 24.0},
                          ten = {48, 14, 28.0, 26.0}, eleven = {64, 16, 32.0, 30.0};

static struct ph_interactions mesh(double cutoff, const struct level *level, int smoothness)
{
    return (struct ph_interactions){.truncation = PH_TRUNCATE_CUT,
                                    .cutoff = cutoff,
                                    .electrostatics = PH_ELECTROSTATICS_MESH,
                                    .epsilon_rf = INFINITY,
                                    .ewald = {.split = PH_SPLIT_BESSEL,
                                              .smoothness = smoothness,
                                              .shape = level->shape,
                                              .grid = {level->grid, level->grid, level->grid},
                                              .width = level->width,
                                              .window = level->window},
                                    .coulomb = 1.7};
}

/* As many points along each edge as its length asks for, even numbers */
static void fit_grid(const struct ph_box *box, double points_per_length, struct ph_interactions *interactions)
{
    for (int e = 0; e < 3; ++e) {
        const double *edge = box->edge[e], length = sqrt(edge[0] * edge[0] + edge[1] * edge[1] + edge[2] * edge[2]);
        interactions->ewald.grid[e] = 2 * (int)ceil(0.5 * points_per_length * length - 1e-9);
    }
}

/* The same by a direct sum with Gauss' split, to rounding */
static struct ph_interactions direct(const struct ph_system *system, const struct ph_interactions *of)
{
    struct ph_interactions in = *of;
    const double *width = system->box.width;
    in.electrostatics = PH_ELECTROSTATICS_EWALD;
    in.ewald = (struct ph_ewald_choice){.tolerance = 1e-14, .slab = of->ewald.slab};
    in.cutoff = fmax(of->cutoff, 0.499 * fmin(width[0], fmin(width[1], width[2])));
    return in;
}

/* ---- Systems ---- */

static struct ph_system *neutral(const size_t counts[MOLECULES], const struct ph_box *box, uint64_t seed)
{
    struct ph_system *system = make_system(counts, none, box, 1.1, seed);
    for (size_t s = 0; s < system->n_species; ++s) {
        struct ph_species *species = &system->species[s];
        species->site[0].charge -= ph_species_charge(species);
    }
    return system;
}

/* Atoms with charges 1 and -1 */
static struct ph_system *ions(size_t positive, size_t negative, const struct ph_box *box, uint64_t seed)
{
    struct ph_species species[2];
    for (int s = 0; s < 2; ++s) {
        species[s] = make_molecule(ATOM, none);
        species[s].site[0].charge = s == 0 ? 1.0 : -1.0;
    }
    struct ph_system *system;
    const struct ph_start start = {.kind = PH_START_RANDOM, .seed = seed, .minimum_distance = 1.1};
    assert_ok(ph_system_create(2, species, (size_t[]){positive, negative}, box, &system, &err));
    assert_ok(ph_start_place(&start, system, &err));
    return system;
}

static const double long_edges[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 4}};

enum { MOST = 600 };
struct result {
    struct ph_energy energy;
    double force[6][MOST]; /* and torque */
};

static void take(const struct ph_system *system, struct result *out)
{
    assert_true(system->n <= MOST);
    memset(out->force, 0, sizeof out->force);
    for (int x = 0; x < 6; ++x)
        memcpy(out->force[x], x < 3 ? system->f[x] : system->t[x - 3], system->n * sizeof(double));
}

static void find(struct ph_system *system, const struct ph_interactions *interactions, struct result *out)
{
    memset(out, 0, sizeof *out);
    out->energy = evaluate_once(system, interactions);
    take(system, out);
}

/* ---- Against direct sums ---- */

/* Relative to the root mean squares of forces and torques, the energy, and the largest of the virial */
struct errors {
    double force, torque, energy, virial;
};

static double relative(const double (*got)[MOST], const double (*want)[MOST])
{
    double off = 0.0, size = 0.0;
    for (int k = 0; k < 3 * MOST; ++k) {
        const double w = want[k / MOST][k % MOST], d = got[k / MOST][k % MOST] - w;
        off += d * d;
        size += w * w;
    }
    return size > 0.0 ? sqrt(off / size) : 0.0;
}

static struct errors compare(const struct result *got, const struct result *want)
{
    struct errors errors = {.force = relative(got->force, want->force),
                            .torque = relative(got->force + 3, want->force + 3),
                            .energy = fabs(electric(&got->energy) / electric(&want->energy) - 1.0)};
    double size = 0.0;
    for (int k = 0; k < 9; ++k) {
        const double w = want->energy.virial[k / 3][k % 3];
        errors.virial = fmax(errors.virial, fabs(got->energy.virial[k / 3][k % 3] - w));
        size = fmax(size, fabs(w));
    }
    errors.virial /= size;
    return errors;
}

static struct errors errors_of(struct ph_system *system, const struct ph_interactions *interactions)
{
    static struct result got, want;
    const struct ph_interactions reference = direct(system, interactions);
    find(system, interactions, &got);
    find(system, &reference, &want);
    return compare(&got, &want);
}

struct trial {
    const char *name;
    size_t counts[MOLECULES]; /* none: ions */
    const double (*shape)[3];
    const struct level *level;
    int smoothness;
    double permittivity;
    bool slab, charged;
    double most; /* relative error of forces, which is not less than a thirtieth of it */
};

static struct ph_system *system_of(const struct trial *trial, const struct ph_box *box, uint64_t seed)
{
    size_t n = 0;
    for (int k = 0; k < MOLECULES; ++k)
        n += trial->counts[k];
    if (n == 0)
        return ions(24, trial->charged ? 20 : 24, box, seed);
    struct ph_system *system = neutral(trial->counts, box, seed);
    if (trial->charged)
        system->species[0].site[0].charge += 0.6;
    return system;
}

static void the_mesh_is_the_direct_sum(void **state)
{
    static const struct trial trials[] = {
        {"ions, 1e-6", {0}, cube_edges, &six, 6, INFINITY, false, false, 3e-6},
        {"ions, 1e-8", {0}, cube_edges, &eight, 6, INFINITY, false, false, 2e-8},
        {"ions, 1e-10", {0}, cube_edges, &ten, 6, INFINITY, false, false, 4e-10},
        {"ions, 1e-11", {0}, cube_edges, &eleven, 6, INFINITY, false, false, 1e-11},
        {"dipoles, 1e-6", {0, 48}, cube_edges, &six, 6, INFINITY, false, false, 1e-4},
        {"dipoles, 1e-8", {0, 48}, cube_edges, &eight, 6, INFINITY, false, false, 4e-7},
        {"dipoles, 1e-10", {0, 48}, cube_edges, &ten, 6, INFINITY, false, false, 4e-8},
        {"dipoles, 1e-11", {0, 48}, cube_edges, &eleven, 6, INFINITY, false, false, 1e-10},
        {"waters", {0, 0, 40}, cube_edges, &ten, 6, INFINITY, false, false, 1e-8},
        {"charges on arms and dipoles", {0, 0, 0, 0, 40}, cube_edges, &ten, 6, INFINITY, false, false, 2e-8},
        {"rods and dipoles", {0, 20, 0, 20}, cube_edges, &ten, 6, INFINITY, false, false, 4e-8},
        {"tilted", {0, 10, 10, 10, 10}, tilted_edges, &ten, 6, INFINITY, false, false, 5e-8},
        {"brick", {0, 10, 10, 10, 10}, brick_edges, &ten, 6, INFINITY, false, false, 3e-8},
        {"long", {0, 30, 30, 30, 30}, long_edges, &ten, 6, INFINITY, false, false, 3e-8},
        {"in a continuum", {0, 10, 10, 10, 10}, cube_edges, &ten, 6, 3.0, false, false, 1e-8},
        {"in vacuum, tilted", {0, 10, 10, 10, 10}, tilted_edges, &ten, 6, 1.0, false, false, 4e-8},
        {"slab", {0, 10, 10, 10, 10}, cube_edges, &ten, 6, INFINITY, true, false, 4e-8},
        {"slab with a charge", {0, 10, 10, 10, 10}, brick_edges, &ten, 6, INFINITY, true, true, 4e-8},
        {"net charge of ions", {0}, cube_edges, &ten, 6, INFINITY, false, true, 4e-10},
        {"net charge", {0, 10, 10, 10, 10}, tilted_edges, &ten, 6, INFINITY, false, true, 3e-8},
        {"smoothness 4", {0, 10, 10, 10, 10}, cube_edges, &ten, 4, INFINITY, false, false, 2e-9},
        {"smoothness 8", {0, 10, 10, 10, 10}, cube_edges, &ten, 8, INFINITY, false, false, 5e-7},
    };
    for (size_t k = 0; k < sizeof trials / sizeof *trials; ++k) {
        if (PH_SANITIZED && k < 8 && k % 4 != 2) /* one accuracy */
            continue;
        const struct trial *trial = &trials[k];
        const struct ph_box box = make_box(trial->shape, 7.0);
        struct ph_system *system = system_of(trial, &box, 3 + k);
        struct ph_interactions interactions = mesh(1.75, trial->level, trial->smoothness);
        fit_grid(&box, trial->level->grid / 7.0, &interactions);
        interactions.epsilon_rf = trial->permittivity;
        interactions.ewald.slab = trial->slab;
        const struct errors errors = errors_of(system, &interactions);
        interactions.ewald.width -= 2;
        const struct errors narrower = errors_of(system, &interactions);
        print_message("%s: force %.2g (narrower window %.2g), torque %.2g, energy %.2g, virial %.2g\n", trial->name,
                      errors.force, narrower.force, errors.torque, errors.energy, errors.virial);
        assert_true(errors.force < trial->most && errors.force > 0.03 * trial->most);
        assert_true(errors.torque < trial->most && errors.energy < trial->most && errors.virial < 2.0 * trial->most);
        assert_true(narrower.force > 10.0 * errors.force);
        ph_system_destroy(system);
    }
}

/* A window so wide that its transform has zeros near the corners of the grid: waves there are rounding, which the
 * inverse of that transform would make larger than the error of the mesh. */
static void corners_of_the_grid_make_no_noise(void **state)
{
    static const struct level wide = {.shape = 25.0, .width = 20, .window = 29.0, .grid = 48};
    static const size_t dipoles[MOLECULES] = {0, 48};
    const struct ph_box box = make_box(cube_edges, 7.0);
    struct ph_system *system = neutral(dipoles, &box, 3);
    const struct ph_interactions interactions = mesh(1.75, &wide, 6);
    const struct errors errors = errors_of(system, &interactions);
    print_message("force %.2g, torque %.2g, energy %.2g, virial %.2g\n", errors.force, errors.torque, errors.energy,
                  errors.virial);
    assert_true(errors.force < 4e-9 && errors.torque < 1e-9 && errors.energy < 1e-9 && errors.virial < 2e-8);
    ph_system_destroy(system);
}

/* ---- Derivatives of the energy of the mesh ---- */

static const struct {
    const char *name;
    const double (*shape)[3];
} boxes[] = {{"cube", cube_edges}, {"brick", brick_edges}, {"tilted", tilted_edges}, {"long", long_edges}};

/* A mesh so coarse that forces are wrong by a hundredth and more: they are derivatives of its energy all the same. */
static void forces_of_a_coarse_mesh_are_its_gradients(void **state)
{
    for (size_t b = 0; b < 4; ++b)
        for (int kind = 0; kind < 4; ++kind) {
            if (PH_SANITIZED && kind != (int)b)
                continue;
            const struct ph_box box = make_box(boxes[b].shape, 7.0);
            struct ph_system *system = kind == 0   ? ions(8, 8, &box, b)
                                       : kind == 1 ? neutral((size_t[MOLECULES]){0, 16}, &box, b)
                                                   : neutral((size_t[MOLECULES]){0, 4, 4, 4, 4}, &box, b);
            struct ph_interactions interactions = mesh(1.75, &coarse, 4 + 2 * (int)(b % 3));
            interactions.truncation = PH_TRUNCATE_SWITCHED;
            interactions.switch_width = 0.5;
            interactions.smoothness = 6;
            interactions.ewald.grid[1] += 3; /* odd, too */
            interactions.ewald.grid[2] = b == 3 ? 51 : 14;
            interactions.ewald.slab = kind == 3 && b < 3;
            interactions.epsilon_rf = kind == 2 ? 3.0 : INFINITY;
            if (interactions.ewald.slab)
                system->species[1].site[0].charge += 0.3;
            const struct errors errors = errors_of(system, &interactions);
            struct ph_gradients gradients;
            assert_ok(ph_check_gradients(system, &interactions, 3, &gradients, &err));
            print_message("%s, %d: forces off by %.2g; force %.2g, torque %.2g, virial %.2g\n", boxes[b].name, kind,
                          errors.force, gradients.force.deviation, gradients.torque.deviation,
                          gradients.virial.deviation);
            assert_true(errors.force > 3e-3 && errors.virial > 1e-5);
            assert_true(gradients.virial.checked && gradients.virial.scale > 1e-3);
            assert_true(gradients.force.deviation < 1e-8 && gradients.torque.deviation < 1e-8 &&
                        gradients.virial.deviation < 1e-8);
            ph_system_destroy(system);
        }
}

/* ---- Threads ---- */

struct rates {
    double *velocity[3], *omega[3], *force[3], *torque[3];
    double *block;
};

static struct rates make_rates(const struct ph_system *system)
{
    struct rates rates = {.block = calloc(12 * system->n, sizeof(double))};
    double **const sets[] = {rates.velocity, rates.omega, rates.force, rates.torque};
    assert_non_null(rates.block);
    for (size_t k = 0; k < 12; ++k)
        sets[k / 3][k % 3] = rates.block + k * system->n;
    for (size_t k = 0; k < 6 * system->n; ++k)
        rates.block[k] = random_number(5, k);
    return rates;
}

static void find_rates(struct ph_force_field *field, const struct ph_system *system, const struct rates *rates)
{
    assert_ok(ph_force_field_rates(
        field, system, NULL, &(struct ph_rates){rates->velocity, rates->omega, rates->force, rates->torque}, &err));
}

/* Some hundred sites in many turns and planes, fields made for as many threads as evaluate them and for other numbers;
 * also with hardly more planes than threads. Forces alone are those that come with the energy. */
static void threads_do_not_change_a_bit(void **state)
{
    static struct result first, result;
    const int before = omp_get_max_threads();
    static const int counts[] = {1, 2, 3, 5};
    for (int kind = 0; kind < 2; ++kind) {
        const struct ph_box box = make_box(kind == 0 ? tilted_edges : cube_edges, 14.0);
        struct ph_system *system =
            kind == 0 ? neutral((size_t[MOLECULES]){0, 90, 90, 90, 90}, &box, 2) : ions(200, 200, &box, 2);
        struct ph_interactions interactions = mesh(2.5, &coarse, 6);
        interactions.ewald.grid[0] = kind == 0 ? 8 : 21;
        struct rates rates = make_rates(system);
        double *forces_rates = malloc(6 * system->n * sizeof *forces_rates);
        for (int k = 0; k < 8; ++k) {
            omp_set_num_threads(counts[k % 4]);
            struct ph_force_field *field = make_field(system, &interactions);
            if (k >= 4)
                omp_set_num_threads(counts[(k + 3) % 4]); /* more than there were, or fewer */
            memset(&result, 0, sizeof result);
            assert_ok(ph_force_field_evaluate(field, system, PH_FORCES_ALL, NULL, NULL, &err));
            take(system, &result);
            if (k > 0)
                assert_memory_equal(result.force, first.force, sizeof first.force);
            result.energy = evaluate(field, system);
            take(system, &result);
            find_rates(field, system, &rates);
            if (k == 0) {
                first = result;
                memcpy(forces_rates, rates.force[0], 6 * system->n * sizeof *forces_rates);
            }
            assert_memory_equal(&result, &first, sizeof first);
            assert_memory_equal(forces_rates, rates.force[0], 6 * system->n * sizeof *forces_rates);
            ph_force_field_destroy(field);
        }
        omp_set_num_threads(before);
        free(forces_rates);
        free(rates.block);
        ph_system_destroy(system);
    }
}

/* ---- Another box ---- */

static void strain(struct ph_system *system)
{
    static const double by[3][3] = {{1.02, 0.01, -0.005}, {0.0, 0.99, 0.01}, {0.015, 0.0, 1.01}};
    double edge[3][3] = {{0.0}};
    for (int e = 0; e < 3; ++e)
        for (int k = 0; k < 9; ++k)
            edge[e][k / 3] += by[k / 3][k % 3] * system->box.edge[e][k % 3];
    assert_ok(ph_box_init_periodic((const double(*)[3])edge, &system->box, &err));
    for (size_t i = 0; i < system->n; ++i) {
        const double r[3] = {system->r[0][i], system->r[1][i], system->r[2][i]};
        for (int k = 0; k < 3; ++k)
            system->r[k][i] = by[k][0] * r[0] + by[k][1] * r[1] + by[k][2] * r[2];
    }
}

static void a_field_that_is_told_of_a_new_box_is_like_a_new_field(void **state)
{
    static struct result before, told, made;
    for (int kind = 0; kind < 3; ++kind) {
        const struct ph_box box = make_box(kind == 1 ? tilted_edges : cube_edges, 7.0);
        struct ph_system *system = neutral((size_t[MOLECULES]){0, 10, 10, 10, 10}, &box, 2);
        struct ph_interactions interactions = mesh(1.75, &coarse, 6);
        interactions.ewald.slab = kind == 2;
        if (kind > 0)
            system->species[1].site[0].charge += 0.3;
        else
            interactions.epsilon_rf = 3.0;
        struct ph_force_field *field = make_field(system, &interactions);
        memset(&told, 0, sizeof told);
        before.energy = evaluate(field, system);
        strain(system);
        assert_ok(ph_force_field_box_changed(field, system, &err));
        told.energy = evaluate(field, system);
        take(system, &told);
        struct rates rates = make_rates(system), others = make_rates(system);
        find_rates(field, system, &rates);
        ph_force_field_destroy(field);
        find(system, &interactions, &made);
        assert_memory_equal(&told, &made, sizeof told);
        field = make_field(system, &interactions);
        evaluate(field, system);
        find_rates(field, system, &others);
        assert_memory_equal(rates.block, others.block, 12 * system->n * sizeof(double));
        assert_true(fabs(told.energy.waves - before.energy.waves) > 1e-3);
        ph_force_field_destroy(field);
        free(rates.block);
        free(others.block);
        ph_system_destroy(system);
    }
}

/* ---- Where the mesh lies ---- */

/* Energy with all molecules moved by these parts of the edges */
static double moved(struct ph_system *system, const struct ph_interactions *interactions, const double by[3])
{
    double *kept[3];
    for (int k = 0; k < 3; ++k) {
        kept[k] = malloc(system->n * sizeof(double));
        memcpy(kept[k], system->r[k], system->n * sizeof(double));
        for (size_t i = 0; i < system->n; ++i)
            for (int e = 0; e < 3; ++e)
                system->r[k][i] += by[e] * system->box.edge[e][k];
    }
    const struct ph_energy energy = evaluate_once(system, interactions);
    for (int k = 0; k < 3; ++k) {
        memcpy(system->r[k], kept[k], system->n * sizeof(double));
        free(kept[k]);
    }
    return electric(&energy);
}

/* Moving everything by an edge or a spacing of the mesh changes nothing; by a part of a spacing, no more than the error
 * of the mesh. */
static void the_mesh_may_lie_anywhere(void **state)
{
    const struct ph_box box = make_box(tilted_edges, 7.0);
    struct ph_system *system = neutral((size_t[MOLECULES]){0, 10, 10, 10, 10}, &box, 2);
    struct ph_interactions interactions = mesh(1.75, &six, 6);
    fit_grid(&box, six.grid / 7.0, &interactions);
    interactions.ewald.grid[1] += 1; /* odd */
    const struct ph_interactions best = direct(system, &interactions);
    static const double nowhere[3] = {0.0};
    const double right = moved(system, &best, nowhere), here = moved(system, &interactions, nowhere);
    const double size = 100.0; /* of the parts: what molecules do to themselves */
    print_message("energy %.17g, off by %.2g on the mesh\n", right, here - right);
    for (int e = 0; e < 3; ++e) {
        double by[3] = {0.0};
        by[e] = e == 1 ? -2.0 : 1.0;
        assert_close(moved(system, &interactions, by), here, 1e-13, size);
        by[e] = 1.0 / interactions.ewald.grid[e];
        const double spacing = moved(system, &interactions, by);
        by[e] = 0.37 / interactions.ewald.grid[e];
        const double part = moved(system, &interactions, by);
        print_message("along edge %d: a spacing %.2g, a part of it %.2g\n", e, spacing - here, part - here);
        assert_close(spacing, here, 1e-13, size);
        assert_true(fabs(part - here) > 1e-8 && fabs(part - here) < 1e-4);
        assert_close(moved(system, &best, by), right, 1e-13, size);
    }
    assert_true(fabs(here - right) > 1e-8 && fabs(here - right) < 1e-4);
    ph_system_destroy(system);
}

/* ---- Net force ---- */

static double total(const struct ph_system *system, double *const force[3])
{
    double sum[3] = {0.0}, size = 0.0;
    for (size_t i = 0; i < system->n; ++i)
        for (int x = 0; x < 3; ++x) {
            sum[x] += force[x][i];
            size += force[x][i] * force[x][i];
        }
    return sqrt((sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]) / size);
}

/* Of the size of the errors of forces; taken off where asked, from each molecule by its mass */
static void the_net_force_is_removed_where_asked(void **state)
{
    static struct result with, without;
    const struct ph_box box = make_box(cube_edges, 7.0);
    struct ph_system *system = neutral((size_t[MOLECULES]){0, 10, 10, 10, 10}, &box, 2);
    static const struct level *const levels[] = {&coarse, &six, &eight};
    for (int k = 0; k < 3; ++k) {
        struct ph_interactions interactions = mesh(1.75, levels[k], 6);
        const struct errors errors = errors_of(system, &interactions);
        struct ph_force_field *field = make_field(system, &interactions);
        with.energy = evaluate(field, system);
        take(system, &with);
        struct rates rates = make_rates(system);
        find_rates(field, system, &rates);
        const double net = total(system, system->f), net_rate = total(system, rates.force);
        print_message("net force %.2g, rate %.2g, error of forces %.2g\n", net, net_rate, errors.force);
        assert_true(net < 5.0 * errors.force && net > 0.02 * errors.force && net_rate > 0.02 * errors.force);
        ph_force_field_destroy(field);
        interactions.ewald.remove_net_force = true;
        field = make_field(system, &interactions);
        without.energy = evaluate(field, system);
        take(system, &without);
        find_rates(field, system, &rates);
        assert_true(total(system, system->f) < 1e-13 && total(system, rates.force) < 1e-13);
        assert_memory_equal(&with.energy, &without.energy, sizeof with.energy);
        assert_memory_equal(with.force[3], without.force[3], 3 * sizeof with.force[3]);
        double acceleration = 0.0;
        for (size_t i = 0; i < system->n; ++i) {
            const double mass = system->species[ph_system_species_of(system, i)].mass;
            const double off = (without.force[0][i] - with.force[0][i]) / mass;
            if (i > 0)
                assert_close(off, acceleration, 1e-13, 100.0);
            acceleration = off;
        }
        free(rates.block);
        ph_force_field_destroy(field);
    }
    ph_system_destroy(system);
}

/* ---- Published numbers ---- */

static void water_has_the_energy_of_the_direct_sum(void **state)
{
    struct ph_system *system = nist_water();
    struct ph_interactions interactions = mesh(1.0, &eleven, 6);
    for (int e = 0; e < 3; ++e)
        interactions.ewald.grid[e] = 36; /* the box has an edge of two cutoffs */
    interactions.coulomb = 138.935457644382;
    interactions.long_range_correction = true;
    const struct errors errors = errors_of(system, &interactions);
    const struct ph_energy energy = evaluate_once(system, &interactions);
    print_message("force %.2g, torque %.2g, energy %.2g, virial %.2g; %.12g kJ/mol\n", errors.force, errors.torque,
                  errors.energy, errors.virial, ph_energy_total(&energy));
    assert_true(errors.force < 1e-9 && errors.torque < 1e-9 && errors.energy < 1e-9 && errors.virial < 1e-9);
    /* NIST's numbers are for a sum that is good to 1e-5 or so */
    assert_close(ph_energy_total(&energy) / 0.00831446261815324, -4.88604e5, 5.0, 1.0);
    ph_system_destroy(system);
}

/* ---- Numbers that are none ---- */

/* Also where no pair is near enough to notice: the arms of a molecule whose quaternion is huge end anywhere. */
static void places_that_are_no_numbers_are_errors(void **state)
{
    const struct ph_box box = make_box(cube_edges, 7.0);
    static const double bad[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300, 1e60, 1e30};
    for (size_t n = 1; n <= 40; n += 39)
        for (int k = 0; k < 28; ++k) {
            struct ph_system *system = neutral((size_t[MOLECULES]){0, n, n}, &box, 2); /* the second half waters */
            const struct ph_interactions interactions = mesh(1.75, &coarse, 6);
            struct ph_force_field *field = make_field(system, &interactions);
            struct ph_energy energy;
            struct ph_error err = {.text = ""};
            if (k % 2) /* lists are made */
                evaluate(field, system);
            if (k < 14)
                system->r[k % 3][n] = bad[k % 7];
            else
                system->q[k % 4][n] = bad[k % 7];
            const enum ph_status status =
                ph_force_field_evaluate(field, system, PH_FORCES_ALL, NULL, k % 3 ? &energy : NULL, &err);
            if (status != PH_ERR_NUMBERS)
                fail_msg("%s %g: status %d", k < 14 ? "position" : "quaternion", bad[k % 7], (int)status);
            put_away(field, system);
        }
}

/* ---- Order of schemes ---- */

static const double time_span = 0.1;

struct course {
    struct ph_system *system;
    struct ph_force_field *field;
    double *start, *end;
};

static double *end_of(const struct course *course, const char *scheme, long steps)
{
    put_state(course->start, course->system, course->field);
    run(course->system, course->field, scheme, "exact", time_span / (double)steps, steps);
    return take_state(course->system);
}

static double error_of(const struct course *course, const char *scheme, long steps)
{
    double *end = end_of(course, scheme, steps);
    const double error = state_distance(course->system->n, end, course->end);
    free(end);
    return error;
}

/* A polar melt on a coarse mesh, whose molecules cross its planes all the time, with attraction switched off as
 * smoothly as this */
static struct course make_course(int smoothness, int of_switch, double switch_width)
{
    struct course course = {.system = make_fluid(108, 0.8, 21)};
    struct ph_interactions interactions = mesh(2.3, &coarse, smoothness);
    interactions.truncation = PH_TRUNCATE_SWITCHED;
    interactions.switch_width = switch_width;
    interactions.smoothness = of_switch;
    interactions.coulomb = 1.0;
    course.field = make_field(course.system, &interactions);
    run(course.system, course.field, "verlet", "exact", 0.005, 100); /* off the lattice */
    course.start = take_state(course.system);
    course.end = end_of(&course, "rkn8-19a", 100);
    return course;
}

static void free_course(struct course *course)
{
    free(course->start);
    free(course->end);
    put_away(course->field, course->system);
}

/* Between three lengths of the step; errors, from the second on, come out */
static void assert_order(const struct course *course, const char *scheme, const long steps[3], double low, double high,
                         double errors[3])
{
    for (int k = 0; k < 3; ++k)
        errors[k] = error_of(course, scheme, steps[k]);
    for (int k = 0; k < 2; ++k) {
        const double order = log(errors[k] / errors[k + 1]) / log((double)steps[k + 1] / (double)steps[k]);
        print_message("%s, %ld to %ld steps: order %.2f, errors %.2g, %.2g\n", scheme, steps[k], steps[k + 1], order,
                      errors[k], errors[k + 1]);
        assert_true(order > low && order < high);
    }
}

/* Six derivatives for order six down to errors of 1e-13, more for order eight; with two the order is lost. */
static void schemes_have_their_order_on_a_mesh(void **state)
{
    if (PH_SANITIZED)
        skip();
    double fine[3], rough[3], errors[3];
    struct course course = make_course(6, 6, 0.5);
    assert_order(&course, "srkn6-11b", (long[]){22, 36, 58}, 5.8, 6.2, fine);
    assert_true(fine[0] < 3e-11 && fine[2] > 1e-14);
    free_course(&course);
    course = make_course(10, PH_SMOOTH_ALL, 1.4);
    assert_order(&course, "rkn8-19a", (long[]){14, 20, 28}, 7.8, 8.2, errors);
    assert_true(errors[0] < 1e-10 && errors[2] > 3e-14);
    free_course(&course);
    course = make_course(2, 6, 0.5);
    assert_order(&course, "srkn6-11b", (long[]){22, 36, 58}, 2.5, 5.0, rough);
    assert_true(rough[2] > 5.0 * fine[2]);
    free_course(&course);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mesh_is_the_direct_sum),
        cmocka_unit_test(corners_of_the_grid_make_no_noise),
        cmocka_unit_test(forces_of_a_coarse_mesh_are_its_gradients),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(a_field_that_is_told_of_a_new_box_is_like_a_new_field),
        cmocka_unit_test(the_mesh_may_lie_anywhere),
        cmocka_unit_test(the_net_force_is_removed_where_asked),
        cmocka_unit_test(water_has_the_energy_of_the_direct_sum),
        cmocka_unit_test(schemes_have_their_order_on_a_mesh),
        cmocka_unit_test(places_that_are_no_numbers_are_errors),
    };
    /* The largest team first: clang's library loses memory when it makes room for a larger one later. */
    int team = 0;
#pragma omp parallel num_threads(5) reduction(+ : team)
    team += 1;
    return team == 0 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
