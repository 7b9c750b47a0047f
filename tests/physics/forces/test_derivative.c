/* SPDX-License-Identifier: MIT */
/* The derivative of forces and torques along a motion: against differences of forces that share no code with it, and
 * what must hold whatever the forces are. */
#include "physics/force_reference.h"
#include "physics/force_systems.h"
#include "physics/truncations.h"

#include <omp.h>

/* ---- Motions ---- */

/* A place, a direction of all molecules from there, and the rates along it */
struct motion {
    size_t n;
    double *r[3], *q[4]; /* where it begins */
    double *velocity[3], *omega[3], *force_rate[3], *torque_rate[3];
    double *block;
};

static struct motion make_motion(const struct ph_system *system, uint64_t seed)
{
    struct motion motion = {.n = system->n, .block = calloc(19 * system->n, sizeof(double))};
    double *next = motion.block;
    double **const sets[] = {motion.velocity, motion.omega, motion.force_rate, motion.torque_rate, motion.r};
    for (size_t k = 0; k < 15; ++k, next += system->n)
        sets[k / 3][k % 3] = next;
    for (size_t k = 0; k < 4; ++k, next += system->n)
        motion.q[k] = memcpy(next, system->q[k], system->n * sizeof(double));
    for (size_t k = 0; k < 3; ++k) {
        memcpy(motion.r[k], system->r[k], system->n * sizeof(double));
        for (size_t i = 0; i < system->n; ++i) {
            motion.velocity[k][i] = random_number(seed, 6 * i + k);
            motion.omega[k][i] = random_number(seed, 6 * i + k + 3);
        }
    }
    return motion;
}

/* The system as it is after a time s; omega is in space, so its turn comes from the left. */
static void move(const struct motion *motion, double s, struct ph_system *system)
{
    for (size_t i = 0; i < motion->n; ++i) {
        const double w[3] = {motion->omega[0][i], motion->omega[1][i], motion->omega[2][i]};
        const double size = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), over = sin(0.5 * s * size) / (size + 1e-300);
        const double turn[4] = {cos(0.5 * s * size), over * w[0], over * w[1], over * w[2]};
        double q[4] = {motion->q[0][i], motion->q[1][i], motion->q[2][i], motion->q[3][i]};
        ph_quat_multiply(turn, q, q);
        for (int k = 0; k < 4; ++k)
            system->q[k][i] = q[k];
        for (int k = 0; k < 3; ++k)
            system->r[k][i] = motion->r[k][i] + s * motion->velocity[k][i];
    }
}

static void find_rates(struct ph_force_field *field, const struct ph_system *system, struct motion *motion)
{
    assert_ok(ph_force_field_rates(
        field, system, NULL,
        &(struct ph_rates){motion->velocity, motion->omega, motion->force_rate, motion->torque_rate}, &err));
}

/* A field that has found the forces of the system and their rates along a motion */
static struct ph_force_field *begin_rates(struct ph_system *system, const struct ph_interactions *interactions,
                                          uint64_t seed, struct motion *motion)
{
    struct ph_force_field *field = make_field(system, interactions);
    evaluate(field, system);
    *motion = make_motion(system, seed);
    find_rates(field, system, motion);
    return field;
}

static void end_rates(struct ph_force_field *field, struct motion *motion, struct ph_system *system)
{
    free(motion->block);
    put_away(field, system);
}

/* ---- Differences ---- */

/* Six points, error of order h^6: this weight of the change from -kh to kh, k = 1, 2, 3. A force that stays the same
 * has no rate at all then, however few bits `real` has. */
static const double weights[4] = {0.0, 45.0 / 60, -9.0 / 60, 1.0 / 60};

/* Forces (first) and torques of all molecules at one place, by the plain sum, or by the field if there is one */
static void find_forces(struct ph_force_field *field, struct ph_system *system, const struct ph_interactions *in,
                        real (*forces)[6])
{
    if (field) {
        evaluate(field, system);
        for (size_t i = 0; i < system->n; ++i)
            for (int x = 0; x < 6; ++x)
                forces[i][x] = x < 3 ? system->f[x][i] : system->t[x - 3][i];
        return;
    }
    struct reference reference = reference_evaluate(system, in, NULL);
    for (size_t i = 0; i < system->n; ++i)
        for (int x = 0; x < 6; ++x)
            forces[i][x] = x < 3 ? reference.force[i][x] : reference.torque[i][x - 3];
    reference_free(&reference);
}

/* Largest deviation of the rates from differences, relative to the largest rate */
static double difference_of_rates(struct ph_force_field *field, struct ph_system *system,
                                  const struct ph_interactions *in, const struct motion *motion, double h)
{
    real(*before)[6] = calloc(system->n, sizeof *before), (*after)[6] = calloc(system->n, sizeof *after);
    real(*rates)[6] = calloc(system->n, sizeof *rates);
    for (int k = 1; k <= 3; ++k) {
        move(motion, -k * h, system);
        find_forces(field, system, in, before);
        move(motion, k * h, system);
        find_forces(field, system, in, after);
        for (size_t i = 0; i < system->n; ++i)
            for (int x = 0; x < 6; ++x)
                rates[i][x] += weights[k] * (after[i][x] - before[i][x]) / h;
    }
    move(motion, 0.0, system);
    double off[2] = {0.0}, largest[2] = {1e-9, 1e-9};
    for (size_t i = 0; i < system->n; ++i)
        for (int x = 0; x < 6; ++x) {
            const double got = x < 3 ? motion->force_rate[x][i] : motion->torque_rate[x - 3][i];
            const double difference = fabs((double)(got - rates[i][x]));
            off[x / 3] = difference > off[x / 3] || isnan(difference) ? difference : off[x / 3];
            largest[x / 3] = fmax(largest[x / 3], fabs((double)rates[i][x]));
        }
    free(before);
    free(after);
    free(rates);
    return fmax(off[0] / largest[0], off[1] / largest[1]);
}

/* ---- Kernels, truncations, boxes ---- */

static const struct {
    const char *name;
    struct ph_radial radial;
} radials[] = {
    {"Lennard-Jones", {PH_RADIAL_MIE, 1.0, 1.0, 12.0, 6.0}},
    {"Mie 14-7", {PH_RADIAL_MIE, 1.0, 1.0, 14.0, 7.0}},
    {"soft 12", {PH_RADIAL_SOFT_SPHERE, 1.0, 1.0, 12.0, 0}},
    {"soft 9.5", {PH_RADIAL_SOFT_SPHERE, 1.0, 1.0, 9.5, 0}},
    {"WCA", {PH_RADIAL_WCA, 1.0, 1.0, 12.0, 6.0}},
    {"Buckingham", {PH_RADIAL_BUCKINGHAM, 6e5, 0.09375, 0, 1.0}},
    {"Yukawa", {PH_RADIAL_YUKAWA, 1.0, 1.0, 2.0, 0}},
    {"Morse", {PH_RADIAL_MORSE, 1.0, 1.0, 6.0, 0}},
};
enum { RADIALS = sizeof radials / sizeof radials[0] };

enum { ENDLESS = 0, C6 = 6 };

static struct ph_interactions interactions_of(size_t truncation, size_t method)
{
    return (struct ph_interactions){
        .truncation = truncations[truncation].truncation,
        .smoothness = truncations[truncation].smoothness,
        .cutoff = truncations[truncation].truncation == PH_TRUNCATE_NONE ? 0.0 : 2.5,
        .switch_width = truncations[truncation].truncation == PH_TRUNCATE_SWITCHED ? 1.1 : 0.0,
        .electrostatics = methods[method].method,
        .epsilon_rf = methods[method].epsilon,
        .coulomb = 1.7,
    };
}

/* How far rates are off differences of the plain sum, or of the field's own forces, which are right then. Destroys the
 * system. */
static double check(struct ph_system *system, const struct ph_interactions *interactions, bool own, uint64_t seed,
                    double h, double tolerance, const char *what)
{
    struct motion motion;
    struct ph_force_field *field = begin_rates(system, interactions, seed, &motion);
    const double off = difference_of_rates(own ? field : NULL, system, interactions, &motion, h);
    if (!(off < tolerance))
        fail_msg("%s: rates are off by %.2g", what, off);
    end_rates(field, &motion, system);
    return off;
}

/* Every radial form with every truncation, electrostatics and box, in a mixture whose sites have charges, dipoles, both
 * and neither. Catches any wrong sign or factor in a kernel. */
TEST(every_kernel_agrees_with_differences_of_the_plain_sum)
{
    for (size_t k = 0; k < RADIALS; ++k)
        for (size_t t = 0; t < TRUNCATIONS; ++t) {
            double worst = 0.0;
            const bool one_loop = k >= 5; /* as Mie has: electric terms and boxes make no difference */
            for (size_t m = 0; m < (one_loop ? 1 : 3); ++m)
                for (size_t b = 0; b < (one_loop ? 2 : 4); ++b) {
                    if ((t == ENDLESS && boxes[b].shape) || (m > 0 && !takes_a_field(t)))
                        continue;
                    const struct ph_interactions interactions = interactions_of(t, m);
                    const struct ph_box box = make_box(boxes[b].shape, 5.7);
                    static const size_t counts[MOLECULES] = {1, 1, 1, 1, 1};
                    struct ph_system *system =
                        make_clear_system(counts, radials[k].radial, &box, &interactions, 1.1, 1.2e-2);
                    char what[128];
                    snprintf(what, sizeof what, "%s, %s, %s, %s", radials[k].name, truncations[t].name, methods[m].name,
                             boxes[b].name);
                    worst = fmax(worst, check(system, &interactions, false, 5, 1e-3, 3e-11, what));
                }
            print_message("%s, %s: largest deviation %.1g\n", radials[k].name, truncations[t].name, worst);
        }
}

/* One species alone takes paths of its own, and molecules with many neighbours those for pairs before the switch. */
TEST(every_molecule_alone_agrees_with_differences_of_the_plain_sum)
{
    static const size_t forms[] = {0, 1, 2, 3}; /* WCA jumps somewhere among so many */
    double worst = 0.0;
    for (int kind = 0; kind < MOLECULES; ++kind)
        for (size_t m = 0; m < 2; ++m) {
            struct ph_interactions interactions = interactions_of(C6, 2 * m);
            interactions.cutoff = 3.1;
            interactions.switch_width = 1.0;
            const struct ph_box box = make_box(boxes[1 + ((size_t)kind + m) % 3].shape, 6.9);
            size_t counts[MOLECULES] = {0};
            counts[kind] = PH_SANITIZED ? 40 : kind == CHIRAL ? 60 : 100;
            const struct ph_radial *radial = &radials[forms[((size_t)kind + m) % 4]].radial;
            struct ph_system *system = make_system(counts, *radial, &box, 1.0, 3);
            char what[128];
            snprintf(what, sizeof what, "molecule %d, %s", kind, methods[2 * m].name);
            worst = fmax(worst, check(system, &interactions, false, 5, 5e-4, 3e-10, what));
        }
    print_message("one species: largest deviation %.1g\n", worst);
}

/* Molecules that touch, whose WCA bends; and, further apart, that do not. */
TEST(wca_bends_up_to_its_end)
{
    const struct ph_box box = ph_box_open();
    const struct ph_radial wca = radials[4].radial;
    for (int touching = 0; touching < 2; ++touching) {
        struct ph_system *system = make_system((size_t[MOLECULES]){2, 0, 0, 0, 0}, wca, &box, 1.0, 1);
        const double end = 1.12246204830937298143 * system->species[0].site[0].radial.sigma;
        for (int x = 0; x < 3; ++x)
            system->r[x][1] = system->r[x][0];
        system->r[0][1] += touching ? end - 1e-2 : end + 1e-2;
        const struct ph_interactions interactions = interactions_of(ENDLESS, 0);
        struct motion motion;
        struct ph_force_field *field = begin_rates(system, &interactions, 1, &motion);
        const double rate = fabs(motion.force_rate[0][0]),
                     off = difference_of_rates(NULL, system, &interactions, &motion, 5e-4);
        assert_true(touching ? rate > 10.0 && off < 1e-10 : rate == 0.0);
        end_rates(field, &motion, system);
    }
}

/* Numbers of molecules around the sizes of vectors, chunks and tiles, in boxes and without lists; more neighbours
 * than a kernel takes at once. Against the field's own forces, whose sums are right (test_forces_reference.c). */
TEST(any_number_of_molecules_agrees_with_differences)
{
    static const size_t sizes[] = {1, 2, 3, 5, 9, 33, 65, 257, 300, 600};
    double worst = 0.0;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k)
        for (int way = 0; way < 3; ++way) { /* a box; open with a cutoff; all pairs */
            const struct ph_box box = make_box(way ? NULL : tilted_edges, fmax(5.8, cbrt((double)sizes[k] / 0.7)));
            struct ph_interactions interactions = interactions_of(way == 2 ? ENDLESS : C6, 0);
            if (sizes[k] >= 257 && way != 2) /* the widest list of a box reaches about all of it */
                interactions.cutoff =
                    0.49 * fmin(9.0, way ? 9.0 : fmin(box.width[0], fmin(box.width[1], box.width[2])));
            size_t counts[MOLECULES] = {0, sizes[k], 0, 0, 0};
            if (k % 2 && sizes[k] > 2) {
                counts[ATOM] = sizes[k] / 3;
                counts[WATER] = sizes[k] / 5;
                counts[POLAR] -= counts[ATOM] + counts[WATER];
            }
            char what[64];
            snprintf(what, sizeof what, "%zu molecules, way %d", sizes[k], way);
            struct ph_system *system = make_system(counts, lennard_jones, &box, 0.93, k);
            worst = fmax(worst, check(system, &interactions, true, k, 5e-4, 3e-10, what));
        }
    print_message("sizes: largest deviation %.1g\n", worst);
}

/* A molecule turns, and so do its images, which it meets across the box. */
TEST(long_molecules_that_meet_themselves_agree_with_differences)
{
    double worst = 0.0;
    for (size_t n = 1; n <= 2; ++n)
        for (size_t b = 1; b < 4; ++b) {
            struct ph_interactions interactions = interactions_of(C6, b - 1);
            const struct ph_box box = make_box(boxes[b].shape, 3.4);
            interactions.cutoff = 0.5 * fmin(box.width[0], fmin(box.width[1], box.width[2]));
            struct ph_system *system = make_long_system(n, radials[2].radial, &box, b);
            char what[64];
            snprintf(what, sizeof what, "%zu long molecules, %s", n, boxes[b].name);
            worst = fmax(worst, check(system, &interactions, false, 5, 3e-4, 1e-9, what));
        }
    print_message("own images: largest deviation %.1g\n", worst);
}

/* An Ewald sum, also with too few waves and a switch where the pairs are not negligible yet. Against the field's own
 * forces, which are right (test_ewald.c). */
TEST(ewald_sums_have_their_rates)
{
    double worst = 0.0;
    for (size_t t = 1; t < TRUNCATIONS; ++t)
        for (size_t k = 0; k < 6; ++k) {
            const size_t b = 1 + k % 3;
            struct ph_interactions interactions = interactions_of(t, 0);
            interactions.electrostatics = PH_ELECTROSTATICS_EWALD;
            interactions.ewald.tolerance = 1e-2;
            interactions.ewald.split = k < 3 ? PH_SPLIT_GAUSS : PH_SPLIT_BESSEL;
            interactions.ewald.shape = k < 3 ? 0.0 : 8.0;
            interactions.ewald.slab = t % 3 == 0;
            interactions.epsilon_rf = interactions.ewald.slab || (t + b) % 2 ? INFINITY : 4.5;
            const struct ph_box box = make_box(boxes[b].shape, 5.7);
            static const size_t counts[MOLECULES] = {1, 2, 1, 1, 1};
            struct ph_system *system = make_clear_system(counts, lennard_jones, &box, &interactions, 1.1, 8e-3);
            for (size_t s = 0; s < system->n_species; ++s)
                for (size_t a = 1; a < system->species[s].n_sites && !interactions.ewald.slab; ++a) /* all neutral */
                    system->species[s].site[0].charge =
                        (a == 1 ? 0.0 : system->species[s].site[0].charge) - system->species[s].site[a].charge;
            char what[128];
            snprintf(what, sizeof what, "%s, %s, split %zu", truncations[t].name, boxes[b].name, k / 3);
            worst = fmax(worst, check(system, &interactions, true, t, 5e-4, 1e-9, what));
        }
    print_message("Ewald sums: largest deviation %.1g\n", worst);
}

/* On a mesh, whose own energy counts, however coarse it is: forces are off by a hundredth and more */
TEST(sums_on_a_mesh_have_their_rates)
{
    static const size_t counts[][MOLECULES] = {{0, 0, 3, 0, 0}, {0, 6, 0, 0, 0}, {1, 2, 1, 1, 1}};
    double worst = 0.0;
    for (int smoothness = 4; smoothness <= 8; smoothness += 2)
        for (size_t c = 0; c < 3; ++c)
            for (size_t b = 1; b < 4; ++b) {
                struct ph_interactions interactions = interactions_of(C6, 0);
                interactions.electrostatics = PH_ELECTROSTATICS_MESH;
                interactions.epsilon_rf = INFINITY;
                interactions.ewald = (struct ph_ewald_choice){.split = PH_SPLIT_BESSEL,
                                                              .smoothness = smoothness,
                                                              .shape = 12.0,
                                                              .grid = {16, 14, 15},
                                                              .width = 8,
                                                              .window = 14.0,
                                                              .slab = b == 2};
                const struct ph_box box = make_box(boxes[b].shape, 5.7);
                struct ph_system *system = make_clear_system(counts[c], lennard_jones, &box, &interactions, 1.1, 8e-3);
                char what[128];
                snprintf(what, sizeof what, "smoothness %d, molecules %zu, %s", smoothness, c, boxes[b].name);
                worst = fmax(worst, check(system, &interactions, true, b, 5e-4, 1e-9, what));
            }
    print_message("sums on a mesh: largest deviation %.1g\n", worst);
}

/* ---- What must hold ---- */

/* Without fields, moving along changes no total force, and angular momentum stays balanced: the rate of
 * sum r x F + torque vanishes in open space. */
TEST(rates_of_total_force_and_torque_vanish)
{
    for (size_t t = 0; t < TRUNCATIONS; ++t)
        for (size_t b = 0; b < 4; ++b) {
            if (t == ENDLESS && boxes[b].shape)
                continue;
            const struct ph_box box = make_box(boxes[b].shape, 6.0);
            struct ph_system *system = make_system((size_t[MOLECULES]){9, 9, 9, 9, 9}, lennard_jones, &box, 0.9, t);
            const struct ph_interactions interactions = interactions_of(t, takes_a_field(t) ? t % 3 : 0);
            struct motion motion;
            struct ph_force_field *field = begin_rates(system, &interactions, t, &motion);
            for (int x = 0; x < 3; ++x) {
                const int y = (x + 1) % 3, z = (x + 2) % 3;
                double force = 0.0, force_size = 0.0, torque = 0.0, torque_size = 0.0;
                for (size_t i = 0; i < system->n; ++i) {
                    force += motion.force_rate[x][i];
                    force_size += fabs(motion.force_rate[x][i]);
                    const double terms[] = {
                        system->r[y][i] * motion.force_rate[z][i],
                        -system->r[z][i] * motion.force_rate[y][i],
                        motion.velocity[y][i] * system->f[z][i],
                        -motion.velocity[z][i] * system->f[y][i],
                        motion.torque_rate[x][i],
                    };
                    for (size_t k = 0; k < 5; ++k) {
                        torque += terms[k];
                        torque_size += fabs(terms[k]);
                    }
                }
                assert_close(force, 0.0, 1e-14, force_size);
                if (!boxes[b].shape)
                    assert_close(torque, 0.0, 1e-14, torque_size);
            }
            end_rates(field, &motion, system);
        }
}

/* <x, H y> of the rates along one motion and the directions of another; `size` is the sum of absolute values */
static double work(const struct motion *along, const struct motion *rates, double *size)
{
    double sum = 0.0;
    for (size_t k = 0; k < 3; ++k)
        for (size_t i = 0; i < along->n; ++i) {
            const double one = along->velocity[k][i] * rates->force_rate[k][i];
            const double other = along->omega[k][i] * rates->torque_rate[k][i];
            sum += one + other;
            *size += fabs(one) + fabs(other);
        }
    return sum;
}

/* Second derivatives of an energy are symmetric, but turns about fixed axes of space do not commute: turning with w and
 * then with v differs from the other order by a turn with w x v, so <x, H y> - <y, H x> = sum torque . (w_x x w_y). */
TEST(second_derivatives_are_symmetric)
{
    for (size_t t = 0; t < TRUNCATIONS; ++t)
        for (size_t m = 0; m < 3; ++m) {
            if (m > 0 && !takes_a_field(t))
                continue;
            const struct ph_box box = make_box(t == ENDLESS ? NULL : tilted_edges, 6.0);
            struct ph_system *system =
                make_system((size_t[MOLECULES]){9, 9, 9, 9, 9}, radials[t % RADIALS].radial, &box, 0.9, t);
            const struct ph_interactions interactions = interactions_of(t, m);
            struct ph_force_field *field = make_field(system, &interactions);
            evaluate(field, system);
            struct motion x = make_motion(system, 1), y = make_motion(system, 2);
            find_rates(field, system, &x);
            find_rates(field, system, &y);
            double size = 0.0, turned = 0.0;
            const double xhy = work(&x, &y, &size), yhx = work(&y, &x, &size);
            for (size_t i = 0; i < system->n; ++i)
                for (int a = 0; a < 3; ++a) {
                    const int b = (a + 1) % 3, c = (a + 2) % 3;
                    turned += system->t[a][i] * (x.omega[b][i] * y.omega[c][i] - x.omega[c][i] * y.omega[b][i]);
                }
            assert_true(fabs(turned) > 1e-6 * size);
            assert_close(xhy - yhx, turned, 1e-14, size);
            free(x.block);
            free(y.block);
            put_away(field, system);
        }
}

/* f . M^-1 f of the plain sum: squares of forces over masses, of torques in the body frame over moments. If asked, the
 * accelerations are those of the motion. */
static double squared_acceleration(struct ph_system *system, const struct ph_interactions *in, struct motion *motion)
{
    struct reference reference = reference_evaluate(system, in, NULL);
    double sum = 0.0;
    for (size_t i = 0; i < system->n; ++i) {
        const struct ph_species *species = &system->species[ph_system_species_of(system, i)];
        const double q[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]};
        const double back[4] = {q[0], -q[1], -q[2], -q[3]};
        double torque[3], turn[3] = {0.0};
        for (int k = 0; k < 3; ++k)
            torque[k] = (double)reference.torque[i][k];
        ph_quat_rotate(back, torque, torque);
        for (int k = 0; k < 3; ++k) {
            const double force = (double)reference.force[i][k], moment = species->inertia[k];
            turn[k] = moment > 0.0 ? torque[k] / moment : 0.0;
            sum += force * force / species->mass + torque[k] * turn[k];
            if (motion)
                motion->velocity[k][i] = force / species->mass;
        }
        ph_quat_rotate(q, turn, turn);
        for (int k = 0; k < 3 && motion; ++k)
            motion->omega[k][i] = turn[k];
    }
    reference_free(&reference);
    return sum;
}

/* What schemes with force gradients need: the gradient of f . M^-1 f is twice the rate of force and torque in space
 * along the accelerations. */
TEST(rates_along_accelerations_are_half_a_gradient)
{
    const struct ph_interactions interactions = interactions_of(C6, 2);
    const struct ph_box box = make_box(brick_edges, 5.7);
    struct ph_system *system =
        make_clear_system((size_t[MOLECULES]){1, 1, 1, 1, 1}, lennard_jones, &box, &interactions, 1.1, 1.2e-2);
    struct ph_force_field *field = make_field(system, &interactions);
    evaluate(field, system);
    struct motion kick = make_motion(system, 1);
    squared_acceleration(system, &interactions, &kick);
    find_rates(field, system, &kick);
    for (uint64_t seed = 2; seed < 6; ++seed) {
        struct motion probe = make_motion(system, seed);
        const double h = 1e-3;
        double slope = 0.0, size = 0.0;
        for (int k = 1; k <= 3; ++k) {
            move(&probe, -k * h, system);
            const double before = squared_acceleration(system, &interactions, NULL);
            move(&probe, k * h, system);
            slope += weights[k] / h * (squared_acceleration(system, &interactions, NULL) - before);
        }
        move(&probe, 0.0, system);
        const double twice = 2.0 * work(&probe, &kick, &size);
        assert_close(twice, slope, 1e-10, size);
        free(probe.block);
    }
    end_rates(field, &kick, system);
}

/* ---- Lists and threads ---- */

/* After molecules have moved within a list, rates are those of a new list. */
TEST(old_lists_give_the_same_rates)
{
    const struct ph_box box = make_box(tilted_edges, 8.0);
    struct ph_system *system = make_system((size_t[MOLECULES]){40, 40, 40, 40, 0}, lennard_jones, &box, 0.9, 2);
    const struct ph_interactions interactions = interactions_of(C6, 0);
    struct ph_force_field *field = make_field(system, &interactions);
    evaluate(field, system);
    struct motion motion = make_motion(system, 1);
    move(&motion, 0.05, system);
    evaluate(field, system);
    assert_int_equal(ph_force_field_counts(field).lists_made, 1);
    find_rates(field, system, &motion);
    struct ph_force_field *fresh = make_field(system, &interactions);
    evaluate(fresh, system);
    struct motion again = make_motion(system, 1);
    find_rates(fresh, system, &again);
    for (size_t i = 0; i < system->n; ++i)
        for (int x = 0; x < 3; ++x) {
            assert_close(motion.force_rate[x][i], again.force_rate[x][i], 1e-13, 1e3);
            assert_close(motion.torque_rate[x][i], again.torque_rate[x][i], 1e-13, 1e3);
        }
    free(motion.block);
    free(again.block);
    ph_force_field_destroy(field);
    put_away(fresh, system);
}

TEST(threads_do_not_change_a_bit)
{
    const int before = omp_get_max_threads();
    for (int open = 0; open < 2; ++open) {
        const struct ph_box box = make_box(open ? NULL : tilted_edges, 14.0);
        const size_t part = PH_SANITIZED ? 4 : 1;
        struct ph_system *system =
            make_system((size_t[MOLECULES]){300 / part, 500 / part, 300 / part, 200 / part, 100 / part}, lennard_jones,
                        &box, 0.9, 3);
        const struct ph_interactions interactions = interactions_of(open ? ENDLESS : C6, open ? 0 : 1);
        struct motion first = {0};
        for (int threads = 1; threads <= 3; ++threads) {
            omp_set_num_threads(threads);
            struct ph_force_field *field = make_field(system, &interactions);
            evaluate(field, system);
            for (int again = 0; again < 2; ++again) {
                struct motion now = make_motion(system, 1);
                find_rates(field, system, &now);
                if (!first.block) {
                    first = now;
                    continue;
                }
                assert_memory_equal(first.block, now.block, 12 * system->n * sizeof(double));
                free(now.block);
            }
            ph_force_field_destroy(field);
        }
        free(first.block);
        ph_system_destroy(system);
    }
    omp_set_num_threads(before);
}

/* ---- External fields ---- */

/* Each by itself, then all, with molecules that do not feel each other but by them */
TEST(external_fields_have_their_rates)
{
    for (int which = 0; which < 9; ++which) {
        struct ph_interactions in = interactions_of(1, 0);
        in.cutoff = 0.9;
        for (int k = 0; k < 3; ++k) {
            in.external.electric_field[k] = which == 0 || which == 5 ? random_number(1, (uint64_t)k) : 0.0;
            in.external.gravity[k] = which == 1 || which == 5 ? random_number(2, (uint64_t)k) : 0.0;
            in.external.body_force[k] = which == 2 || which == 5 ? random_number(3, (uint64_t)k) : 0.0;
            in.external.body_point[k] = random_number(4, (uint64_t)k);
        }
        in.external.tether = which == 3 || which == 5 ? 2.5 : 0.0;
        in.external.gravity_gradient = which == 4 || which == 5 ? 1.3 : 0.0;
        in.external.wall_repulsion = which == 6 || which == 5 ? 0.7 : 0.0;
        in.external.wall_core = which == 6 || which == 5 ? 0.4 : 0.0;
        in.external.wall_height = 2.1;
        in.external.valley_stiffness = which == 7 || which == 5 ? 0.8 : 0.0;
        in.external.valley_distance = 0.9;
        in.external.attraction = which == 8 || which == 5 ? 0.6 : 0.0;
        memcpy(in.external.attractor, (const double[3]){-1.2, 0.3, 1.6}, sizeof in.external.attractor);
        const struct ph_box box = make_box(tilted_edges, 8.0);
        struct ph_system *system = make_system((size_t[MOLECULES]){1, 1, 1, 1, 1}, lennard_jones, &box, 2.0, 1);
        struct ph_force_field *field = make_field(system, &in);
        for (size_t i = 0; i < system->n; ++i)
            system->r[i % 3][i] += 0.1;
        evaluate(field, system);
        struct motion motion = make_motion(system, 3);
        find_rates(field, system, &motion);
        const double off = difference_of_rates(field, system, &in, &motion, 4e-3);
        if (!(off < 1e-11))
            fail_msg("external field %d: rates are off by %.2g", which, off);
        double size = 0.0;
        work(&motion, &motion, &size);
        assert_true(which == 1 ? size == 0.0 : size > 0.1);
        end_rates(field, &motion, system);
    }
}

/* Paper: E. Celledoni, F. Fasso, N. Safstrom, A. Zanna, SIAM J. Sci. Comput. 30 (2008) 2084, eq. (44) and (45) */
TEST(a_satellite_has_its_energy_and_torque)
{
    struct ph_species species = make_molecule(POLAR, lennard_jones);
    const double inertia[3] = {1.7e4, 3.7e4, 5.4e4}, k = 3.986e14 / (1.5e5 * 1.5e5 * 1.5e5);
    memcpy(species.inertia, inertia, sizeof inertia);
    const struct ph_box box = ph_box_open();
    const size_t one = 1;
    struct ph_system *system;
    assert_int_equal(ph_system_create(1, &species, &one, &box, &system, NULL), PH_OK);
    struct ph_interactions interactions = interactions_of(ENDLESS, 0);
    interactions.external.gravity_gradient = k;
    struct ph_force_field *field = make_field(system, &interactions);
    for (int x = 0; x < 3; ++x)
        system->m[x][0] = inertia[x] * (x == 1 ? -15.0 : 15.0);
    const struct ph_energy energy = evaluate(field, system);
    assert_close(energy.field + ph_system_kinetic_rotation(system), 1.21595664e7, 1e-15, 1.2e7);

    ph_start_turn(1, system);
    evaluate(field, system);
    const double q[4] = {system->q[0][0], system->q[1][0], system->q[2][0], system->q[3][0]};
    const double back[4] = {q[0], -q[1], -q[2], -q[3]}, up[3] = {0.0, 0.0, 1.0};
    double e[3], torque[3] = {system->t[0][0], system->t[1][0], system->t[2][0]};
    ph_quat_rotate(back, up, e);
    ph_quat_rotate(back, torque, torque);
    for (int a = 0; a < 3; ++a) { /* 3 k e x I e in the body frame, and minus the slope of the energy in space */
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        assert_close(torque[a], 3.0 * k * e[b] * e[c] * (inertia[c] - inertia[b]), 1e-14, 3.0 * k * 5e4);
        struct motion turn = make_motion(system, 1);
        for (int x = 0; x < 3; ++x)
            turn.omega[x][0] = x == a;
        double slope = 0.0;
        for (int n = 1; n <= 3; ++n) {
            move(&turn, -1e-2 * n, system);
            const double before = evaluate(field, system).field;
            move(&turn, 1e-2 * n, system);
            slope += weights[n] / 1e-2 * (evaluate(field, system).field - before);
        }
        move(&turn, 0.0, system);
        evaluate(field, system);
        assert_close(system->t[a][0], -slope, 1e-11, 3.0 * k * 5e4);
        free(turn.block);
    }
    put_away(field, system);
}

/* ---- What is refused ---- */

TEST(rates_need_forces_first_and_finite_motion)
{
    const struct ph_box box = make_box(cube_edges, 6.0);
    struct ph_system *system = make_system((size_t[MOLECULES]){20, 0, 20, 0, 0}, lennard_jones, &box, 1.0, 1);
    const struct ph_interactions interactions = interactions_of(C6, 0);
    struct ph_force_field *field = make_field(system, &interactions);
    struct motion m = make_motion(system, 1);
    assert_error(ph_force_field_rates(field, system, NULL,
                                      &(struct ph_rates){m.velocity, m.omega, m.force_rate, m.torque_rate}, &err),
                 PH_ERR_NUMBERS, "evaluated before");
    evaluate(field, system);
    find_rates(field, system, &m);
    for (size_t i = 0; i < system->n; ++i)
        for (int x = 0; x < 3; ++x)
            m.velocity[x][i] = x == 1 && i == 7 ? INFINITY : 0.0;
    assert_error(ph_force_field_rates(field, system, NULL,
                                      &(struct ph_rates){m.velocity, m.omega, m.force_rate, m.torque_rate}, &err),
                 PH_ERR_NUMBERS, "molecule 7: velocity (0, inf, 0)");
    end_rates(field, &m, system);
}
