/* SPDX-License-Identifier: MIT */
/* Heat baths, barostats, steps that may be rejected and two time scales on backends, through `emulated`, against the
 * processor; and the bits that every machine gives. */
#include "support.h"

#include "accel/backends.h"
#include "dynamics/mover.h"
#include "force/force_field.h"
#include "force/longrange/ewald.h"
#include "model/system.h"
#include "output/checkpoint/hash.h"

#include <omp.h>
#include <string.h>

/* ---- A system that needs no library: the same bits wherever it is made ---- */

/* Numbers in [-1/2, 1/2), by a multiplicative generator */
static double number(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-53 - 0.5;
}

enum { KINDS = 3, SIDE = 7 };

/* Atoms, rods with a dipole and asymmetric bodies with one */
static void make_species(struct ph_species species[KINDS])
{
    static const double mass[KINDS] = {1.3, 0.8, 1.0}, inertia[KINDS][3] = {{0}, {0.1, 0.1, 0.0}, {0.05, 0.1, 0.14}};
    for (int s = 0; s < KINDS; ++s) {
        species[s] = (struct ph_species){.name = "test", .n_sites = 1};
        species[s].site[0] = (struct ph_site){.name = "A", .radial = {PH_RADIAL_MIE, 1.0, 1.0, 12.0, 6.0}};
        species[s].site[0].dipole[2] = s > 0 ? 0.8 : 0.0;
        species[s].site[0].dipole[0] = s > 1 ? 0.4 : 0.0;
        assert_ok(ph_species_complete(&species[s], &mass[s], s > 0 ? inertia[s] : NULL, &err));
    }
}

/* Molecules somewhat off a cubic lattice that fills a box: of the last kind alone, or of all */
static struct ph_system *make_system(bool mixture)
{
    const double spacing = 1.15, edge = SIDE * spacing;
    const double edges[3][3] = {{edge, 0, 0}, {0, edge, 0}, {0, 0, edge}};
    const size_t all = SIDE * SIDE * SIDE, of_each[KINDS] = {100, 120, all - 220};
    struct ph_species species[KINDS];
    struct ph_box box;
    struct ph_system *system;
    make_species(species);
    assert_ok(ph_box_init_periodic(edges, &box, &err));
    assert_ok(ph_system_create(mixture ? KINDS : 1, mixture ? species : &species[KINDS - 1], mixture ? of_each : &all,
                               &box, &system, &err));
    uint64_t state = 17;
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t i = system->first[s]; i < system->first[s + 1]; ++i) {
            const size_t place[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
            const double *inertia = system->species[s].inertia;
            double norm = 0.0, q[4];
            for (int k = 0; k < 3; ++k) {
                system->r[k][i] = spacing * ((double)place[k] + 0.15 * number(&state));
                system->p[k][i] = number(&state);
                system->m[k][i] = inertia[k] > 0.0 ? 2.0 * sqrt(inertia[k]) * number(&state) : 0.0;
            }
            for (int k = 0; k < 4; ++k) {
                q[k] = number(&state);
                norm += q[k] * q[k];
            }
            for (int k = 0; k < 4 && system->species[s].degrees > 0; ++k)
                system->q[k][i] = q[k] / sqrt(norm);
        }
    return system;
}

static const struct ph_interactions plain = {.truncation = PH_TRUNCATE_SWITCHED,
                                             .switch_width = 0.4,
                                             .smoothness = 6,
                                             .cutoff = 1.6,
                                             .electrostatics = PH_ELECTROSTATICS_REACTION_FIELD,
                                             .epsilon_rf = INFINITY,
                                             .coulomb = 1.0};

/* ---- Courses ---- */

static const char *const baths[] = {"langevin", "velocity-rescaling", "nose-hoover"};
enum { BATHS = sizeof baths / sizeof *baths };
static const double kT = 1.4, step = 0.004;

struct course {
    struct ph_system *system;
    struct ph_force_field *field;
    struct ph_backend *backend; /* NULL: the processor */
    struct ph_mover *mover;
};

/* `machine` NULL: the processor */
static struct course begin_on(const struct ph_machine *machine, bool mixture, int bath, double friction)
{
    struct course course = {.system = make_system(mixture)};
    struct ph_error err = {.text = ""};
    if (ph_force_field_create(course.system, &plain, &course.field, &err) != PH_OK)
        fail_msg("%s", err.text);
    if (machine && ph_engine_create(machine, "emulated", course.system, &plain, true, &course.backend, &err) != PH_OK)
        fail_msg("%s", err.text);
    const struct ph_mover_options options = {.dynamics = {.scheme = ph_scheme_find("verlet"),
                                                          .flow = ph_flow_find("exact"),
                                                          .step = step,
                                                          .compensated = true,
                                                          .backend = course.backend},
                                             .bath = {.kind = ph_bath_find(baths[bath]),
                                                      .kT = kT,
                                                      .friction = {friction, 0.7 * friction},
                                                      .relaxation_time = 0.3,
                                                      .chain = 3,
                                                      .translation = 3 * course.system->n - 3,
                                                      .rotation = ph_system_degrees_rotation(course.system),
                                                      .seed = 11}};
    if (ph_mover_create(course.system, course.field, &options, &course.mover, &err) != PH_OK)
        fail_msg("%s", err.text);
    return course;
}

static struct course begin(bool mixture, int bath, double friction, bool there)
{
    return begin_on(there ? &ph_machine_emulated : NULL, mixture, bath, friction);
}

static void finish(struct course *course)
{
    ph_mover_destroy(course->mover);
    if (course->backend)
        course->backend->destroy(course->backend);
    ph_force_field_destroy(course->field);
    ph_system_destroy(course->system);
}

static void advance(struct course *course, long steps) { assert_ok(ph_mover_advance(course->mover, steps, &err)); }

/* The system is the present state then. */
static double conserved(struct course *course)
{
    struct ph_energy energy;
    assert_ok(ph_mover_synchronise(course->mover, &energy, &err));
    assert_ok(ph_state_show(ph_mover_state(course->mover), PH_STATE_PLACES | PH_STATE_MOMENTA | PH_STATE_FORCES, &err));
    return ph_mover_conserved(course->mover, ph_energy_total(&energy) + ph_system_kinetic_translation(course->system) +
                                                 ph_system_kinetic_rotation(course->system));
}

/* ---- Against the processor ---- */

static void compare(const struct ph_system *got, const struct ph_system *want, const char *bath)
{
    for (size_t i = 0; i < got->n; ++i)
        for (int k = 0; k < 3; ++k) {
            const double dp = got->p[k][i] - want->p[k][i], dm = got->m[k][i] - want->m[k][i];
            if (!(fabs(dp) < 1e-10 && fabs(dm) < 1e-10))
                fail_msg("%s, molecule %zu, axis %d: p %.15g, not %.15g; m %.15g, not %.15g", bath, i, k, got->p[k][i],
                         want->p[k][i], got->m[k][i], want->m[k][i]);
        }
}

/* The same momenta and the same heat after some steps, of one species and of several: the same noise for each molecule,
 * with its mass and moments of inertia. Molecules have changed places on the host meanwhile, so that numbers matter. */
TEST(baths_are_those_of_the_processor)
{
    for (int bath = 0; bath < BATHS; ++bath)
        for (int mixture = 0; mixture < 2; ++mixture) {
            struct course course[2];
            double first[2], last[2];
            for (int k = 0; k < 2; ++k) {
                course[k] = begin(mixture, bath, 5.0, k);
                ph_system_exchange(course[k].system, course[k].system->n - 1, course[k].system->n - 40);
                first[k] = conserved(&course[k]);
                advance(&course[k], 12);
                last[k] = conserved(&course[k]);
            }
            compare(course[1].system, course[0].system, baths[bath]);
            assert_close(first[1], first[0], 1e-13, 1000.0);
            assert_close(last[1], last[0], 1e-11, 1000.0);
            finish(&course[0]);
            finish(&course[1]);
        }
}

/* Each bath changes the energy of the system by far more than what is called conserved. */
TEST(what_is_conserved_is_so)
{
    for (int bath = 0; bath < BATHS; ++bath) {
        double drift[2] = {0.0};
        for (int there = 0; there < 2; ++there) {
            struct course course = begin(true, bath, 5.0, there);
            const double first = conserved(&course);
            const double kinetic = ph_system_kinetic_translation(course.system);
            for (int k = 0; k < 10; ++k) {
                advance(&course, 10);
                drift[there] = fmax(drift[there], fabs(conserved(&course) - first));
            }
            assert_true(ph_system_kinetic_translation(course.system) > 1.5 * kinetic);
            finish(&course);
        }
        if (!(drift[1] < 1.2 * drift[0] && drift[1] > 0.8 * drift[0]))
            fail_msg("%s: conserved within %g, on the processor %g", baths[bath], drift[1], drift[0]);
    }
}

/* With friction that forgets everything in a step, the mean and the variance of kinetic energies of many steps are
 * those of the canonical distribution in each group; within five standard deviations. */
TEST(noise_is_canonical)
{
    if (PH_SANITIZED)
        skip();
    enum { STEPS = 100 };
    struct course course = begin(true, 0, 40.0 / step, true);
    double sum[PH_BATH_GROUPS] = {0.0}, square[PH_BATH_GROUPS] = {0.0};
    for (int k = 0; k < STEPS; ++k) {
        struct ph_state_sums sums;
        advance(&course, 1);
        assert_ok(course.backend->observe(course.backend, &sums, &err));
        const double translation = sums.kinetic[0][0] + sums.kinetic[1][1] + sums.kinetic[2][2];
        const double kinetic[PH_BATH_GROUPS] = {translation, sums.axis[0], sums.axis[1], sums.axis[2]};
        for (int g = 0; g < PH_BATH_GROUPS; ++g) {
            sum[g] += kinetic[g];
            square[g] += kinetic[g] * kinetic[g];
        }
    }
    for (int g = 0; g < PH_BATH_GROUPS; ++g) {
        const double half_degrees = 0.5 * (double)ph_bath_degrees(course.system, g), mean = sum[g] / STEPS;
        const double variance = square[g] / STEPS - mean * mean;
        assert_true(fabs(mean - half_degrees * kT) < 5.0 * kT * sqrt(half_degrees / STEPS));
        assert_true(fabs(variance / (half_degrees * kT * kT) - 1.0) < 5.0 * sqrt(2.0 / STEPS));
    }
    finish(&course);
}

/* ---- Rows of a series ---- */

/* Sums of a state that was not read are those of the state when it is; with images and forces of all molecules. */
TEST(sums_are_those_of_the_state)
{
    for (int mixture = 0; mixture < 2; ++mixture) {
        struct course course = begin(mixture, 0, 5.0, true);
        struct ph_energy energy;
        struct ph_state_sums got, want;
        course.system->r[0][17] += 2.0 * course.system->box.edge[0][0]; /* the same place, seen from elsewhere */
        advance(&course, 30);
        assert_ok(ph_mover_synchronise(course.mover, &energy, &err));
        assert_ok(ph_state_observe(ph_mover_state(course.mover), &got, &err));
        (void)conserved(&course);
        ph_state_sum(course.system, &want);
        assert_true(course.system->image[0][17] != 0);
        const double *const a = got.kinetic[0], *const b = want.kinetic[0];
        for (int k = 0; k < PH_STATE_SUMS; ++k)
            assert_close(a[k], b[k], 1e-12, 1000.0);
        assert_true(fabs(want.axis[2]) > 1.0 && fabs(want.dipole[0]) > 0.1 && fabs(want.angular_momentum[1]) > 1.0);
        finish(&course);
    }
}

static size_t bytes_read;

static enum ph_status count_bytes(void *here, const void *there, size_t bytes, struct ph_error *err)
{
    bytes_read += bytes;
    return ph_machine_emulated.copy_from(here, there, bytes, err);
}

/* A step of any bath reads nothing from the machine, and a row what does not grow with the molecules. */
TEST(steps_and_rows_leave_the_state_where_it_is)
{
    struct ph_machine machine = ph_machine_emulated;
    machine.copy_from = count_bytes;
    for (int bath = 0; bath < BATHS; ++bath) {
        struct course course = begin_on(&machine, true, bath, 5.0);
        struct ph_energy energy;
        struct ph_state_sums sums;
        bytes_read = 0;
        advance(&course, 20);
        assert_int_equal(bytes_read, 0);
        assert_ok(ph_mover_synchronise(course.mover, &energy, &err));
        assert_ok(ph_state_observe(ph_mover_state(course.mover), &sums, &err));
        assert_int_equal(bytes_read, (PH_ALL_ENERGIES * PH_ENERGY_PARTS + PH_BATH_NUMBERS) * sizeof(double));
        finish(&course);
    }
}

/* ---- Bits ---- */

static void fetch(const struct course *course)
{
    assert_ok(ph_state_show(ph_mover_state(course->mover), PH_STATE_ALL, &err));
    assert_ok(ph_mover_know_numbers(course->mover, &err));
}

/* What checkpoints keep goes over to another backend, which goes on. */
static void hand_over(const struct course *from, const struct course *to)
{
    const struct course course = *to;
    fetch(from);
    const struct ph_mover_memory old = ph_mover_save(from->mover), new = ph_mover_save(course.mover);
    const struct ph_force_memory lists = from->backend->memory(from->backend);
    assert_ok(course.backend->restore(course.backend, &lists, &err));
    const size_t n = course.system->n;
    for (int k = 0; k < 4; ++k)
        memcpy(course.system->q[k], from->system->q[k], n * sizeof(double));
    for (int k = 0; k < 3; ++k) {
        memcpy(course.system->r[k], from->system->r[k], n * sizeof(double));
        memcpy(course.system->p[k], from->system->p[k], n * sizeof(double));
        memcpy(course.system->m[k], from->system->m[k], n * sizeof(double));
        memcpy(course.system->image[k], from->system->image[k], n * sizeof(int32_t));
    }
    for (int k = 0; k < PH_STATE_RESIDUAL_COLUMNS && old.residuals; ++k)
        memcpy(new.residuals[k], old.residuals[k], n * sizeof(double));
    memcpy(new.numbers, old.numbers, PH_MOVER_NUMBERS * sizeof(double));
    ph_mover_restore(course.mover, old.step, old.has_pending_flow);
}

static struct course resume(const struct course *from, int bath)
{
    const struct course course = begin(true, bath, 5.0, true);
    hand_over(from, &course);
    return course;
}

TEST(resuming_is_exact)
{
    for (int bath = 0; bath < BATHS; ++bath) {
        struct course whole = begin(true, bath, 5.0, true), first = begin(true, bath, 5.0, true);
        advance(&whole, 40);
        advance(&first, 17);
        struct course second = resume(&first, bath);
        advance(&second, 23);
        const double want = conserved(&whole), got = conserved(&second);
        if (ph_state_hash(second.system) != ph_state_hash(whole.system) || got != want)
            fail_msg("%s: conserved %.17g, in one piece %.17g", baths[bath], got, want);
        finish(&whole);
        finish(&first);
        finish(&second);
    }
}

static int acts, waits; /* tasks of baths, and how often somebody waited for all tasks */

static enum ph_status count_run(enum ph_task task, uint32_t count, double x, double y, const struct ph_accel_view *view,
                                struct ph_error *err)
{
    acts += task == PH_TASK_NOISE || task == PH_TASK_KINETIC || task == PH_TASK_FACTORS || task == PH_TASK_SCALE;
    return ph_machine_emulated.run(task, count, x, y, view, err);
}

static enum ph_status count_wait(struct ph_error *err)
{
    ++waits;
    return ph_machine_emulated.wait(err);
}

static enum ph_status set_mark(void **mark, struct ph_error *err)
{
    *mark = &waits; /* there is one, so that steps need not wait for all tasks */
    return PH_OK;
}

/* The half step after a step and the one before the next are done together, and no call waits for them. Reading momenta
 * in between changes no bits. */
TEST(half_steps_are_done_together)
{
    static const int tasks[BATHS] = {1, 3, 3}, left[BATHS] = {0, 1, 0}; /* the last after-half is pending */
    struct ph_machine machine = ph_machine_emulated;
    machine.run = count_run;
    machine.wait = count_wait;
    machine.mark = set_mark;
    for (int bath = 0; bath < BATHS; ++bath) {
        struct course at_once = begin_on(&machine, true, bath, 5.0), watched = begin(true, bath, 5.0, true);
        acts = waits = 0;
        advance(&at_once, 30);
        assert_int_equal(acts, tasks[bath] * (30 - left[bath]));
        struct ph_engine_counts lists;
        assert_ok(ph_engine_count(at_once.backend, &lists, &err));
        assert_true(waits <= 4 * (int)lists.lists_made + 1); /* for lists */
        for (int k = 0; k < 30; ++k) {
            advance(&watched, 1);
            fetch(&watched);
        }
        const double want = conserved(&at_once), got = conserved(&watched);
        if (ph_state_hash(watched.system) != ph_state_hash(at_once.system) || got != want)
            fail_msg("%s: conserved %.17g, not watched %.17g", baths[bath], got, want);
        finish(&at_once);
        finish(&watched);
    }
}

/* A second stage has a mover of its own, whose heat begins at nothing. */
TEST(heat_of_a_stage_is_its_own)
{
    struct course course = begin(true, 0, 5.0, true);
    advance(&course, 10);
    (void)conserved(&course);
    assert_true(fabs(ph_mover_save(course.mover).numbers[PH_BATH_HEAT]) > 1.0);
    const struct ph_mover_options options = {
        .dynamics = {.scheme = ph_scheme_find("verlet"),
                     .flow = ph_flow_find("exact"),
                     .step = step,
                     .backend = course.backend},
        .bath = {
            .kind = ph_bath_find("langevin"), .kT = kT, .friction = {1e-9, 1e-9}, .translation = 3, .rotation = 3}};
    ph_mover_destroy(course.mover);
    assert_ok(ph_mover_create(course.system, course.field, &options, &course.mover, &err));
    advance(&course, 1);
    (void)conserved(&course);
    assert_true(fabs(ph_mover_save(course.mover).numbers[PH_BATH_HEAT]) < 0.1);
    finish(&course);
}

/* Recorded once: every compiler, architecture and device has to give these. If arithmetic is changed on purpose, they
 * change; then the new ones have to come out on a device too. */
TEST(bits_are_those_of_every_machine)
{
    static const uint64_t recorded[BATHS] = {UINT64_C(0xb0c294abb5d4b182), UINT64_C(0x6d9412220b9cf13d),
                                             UINT64_C(0x435bde556a771add)};
    const int threads = omp_get_max_threads();
    for (int bath = 0; bath < BATHS; ++bath)
        for (int k = 1; k <= 2; ++k) {
            omp_set_num_threads(k);
            struct course course = begin(true, bath, 5.0, true);
            advance(&course, 300);
            fetch(&course);
            const uint64_t hash = ph_state_hash(course.system);
            if (hash != recorded[bath])
                fail_msg("%s: %016llx, not %016llx", baths[bath], (unsigned long long)hash,
                         (unsigned long long)recorded[bath]);
            finish(&course);
        }
    omp_set_num_threads(threads);
}

/* ---- Methods that change the box, return to a state, displace molecules or evaluate parts of the forces ---- */

enum method { ISOTROPIC, FULL, MESH_EDGES, EXTENDED, REJECTED, DISPLACED, NEAR, RECIPROCAL, METHODS };
static const char *const methods[METHODS] = {"isotropic",  "full",      "mesh, edges", "extended",
                                             "metropolis", "displaced", "near pairs",  "reciprocal"};

static struct ph_interactions interactions_of(enum method method)
{
    struct ph_interactions interactions = plain;
    if (method == MESH_EDGES || method == RECIPROCAL) {
        interactions.electrostatics = PH_ELECTROSTATICS_MESH;
        interactions.long_range_correction = true;
        interactions.ewald = (struct ph_ewald_choice){.tolerance = 1e-4, .split = PH_SPLIT_BESSEL, .smoothness = 4};
    }
    if (method == NEAR)
        interactions.fast = (struct ph_fast_part){PH_FAST_NEAR, 1.3, 0.4};
    if (method == RECIPROCAL)
        interactions.fast = (struct ph_fast_part){.kind = PH_FAST_BUT_WAVES};
    return interactions;
}

static struct ph_mover_options options_of(enum method method, const struct course *course)
{
    const bool cell = method <= MESH_EDGES;
    struct ph_mover_options options = {
        .dynamics = {.scheme = ph_scheme_find(method == DISPLACED ? "chin4a-displaced" : "verlet"),
                     .flow = ph_flow_find("exact"),
                     .step = method == REJECTED ? 5.0 * step : step,
                     .compensated = method != REJECTED,
                     .inner = method >= NEAR ? ph_scheme_find("verlet") : NULL,
                     .substeps = 2,
                     .backend = course->backend}};
    if (cell || method == REJECTED)
        options.bath = (struct ph_bath_options){.kind = ph_bath_find(cell ? "langevin" : "metropolis"),
                                                .kT = kT,
                                                .friction = {5.0, 3.0},
                                                .translation = 3 * course->system->n,
                                                .rotation = ph_system_degrees_rotation(course->system),
                                                .seed = 11,
                                                .substeps = method == REJECTED ? 3 : 1};
    if (cell)
        options.cell = (struct ph_cell_options){.kind = ph_cell_find("cell-rescaling"),
                                                .kT = kT,
                                                .pressure = 2.0,
                                                .relaxation_time = 0.02,
                                                .shape = method == ISOTROPIC ? PH_CELL_ISOTROPIC
                                                         : method == FULL    ? PH_CELL_FULL
                                                                             : PH_CELL_EDGES,
                                                .every = 2,
                                                .seed = 7};
    if (method == EXTENDED)
        options.extended = (struct ph_extended_options){.composition = options.dynamics.scheme,
                                                        .thermostat = true,
                                                        .cell = true,
                                                        .kT = kT,
                                                        .degrees = 3 * course->system->n,
                                                        .thermostat_time = 0.1,
                                                        .pressure = 2.0,
                                                        .cell_time = 0.1,
                                                        .compressibility = 0.1};
    return options;
}

static struct course begin_method(enum method method, bool mixture, bool there)
{
    struct ph_interactions interactions = interactions_of(method);
    struct course course = {.system = make_system(mixture)};
    if (ph_is_ewald(&interactions))
        assert_ok(ph_ewald_choose(course.system, &interactions, &err));
    assert_ok(ph_force_field_create(course.system, &interactions, &course.field, &err));
    if (there)
        assert_ok(ph_engine_create(&ph_machine_emulated, "emulated", course.system, &interactions, true,
                                   &course.backend, &err));
    const struct ph_mover_options options = options_of(method, &course);
    assert_ok(ph_mover_create(course.system, course.field, &options, &course.mover, &err));
    return course;
}

/* Centres may lie in another copy of the box. */
static void compare_places(const struct ph_system *got, const struct ph_system *want, const char *method)
{
    for (int k = 0; k < 9; ++k)
        assert_close(got->box.edge[k / 3][k % 3], want->box.edge[k / 3][k % 3], 1e-13, 8.0);
    for (size_t i = 0; i < got->n; ++i)
        for (int k = 0; k < 3; ++k) {
            double d = got->r[k][i] - want->r[k][i];
            for (int e = 0; e < 3; ++e)
                d += (got->image[e][i] - want->image[e][i]) * want->box.edge[e][k];
            if (!(fabs(d) < 1e-11))
                fail_msg("%s, molecule %zu, axis %d: r %.15g, not %.15g", method, i, k, got->r[k][i], want->r[k][i]);
        }
}

static double number_of(const struct course *course, int k) { return ph_mover_save(course->mover).numbers[k]; }

/* After some steps the state of the processor comes out, to rounding. Each method has done what it is for: cells have
 * changed, and steps and cells have been accepted and rejected. */
TEST(methods_are_those_of_the_processor)
{
    for (enum method method = 0; method < METHODS; ++method)
        for (int mixture = 0; mixture < 2; ++mixture) {
            struct course course[2];
            double last[2];
            for (int k = 0; k < 2; ++k) {
                course[k] = begin_method(method, mixture, k);
                advance(&course[k], 14);
                last[k] = conserved(&course[k]);
            }
            compare(course[1].system, course[0].system, methods[method]);
            compare_places(course[1].system, course[0].system, methods[method]);
            assert_close(last[1], last[0], 1e-11, 1000.0);
            const double accepted = ph_mover_acceptance(course[1].mover);
            assert_true((method == REJECTED) == (accepted > 0.0 && accepted < 1.0));
            for (int k = PH_BATH_NUMBERS; k < PH_MOVER_NUMBERS; ++k)
                if (!(fabs(number_of(&course[1], k) - number_of(&course[0], k)) < 1e-8))
                    fail_msg("%s: number %d is %.15g, not %.15g", methods[method], k, number_of(&course[1], k),
                             number_of(&course[0], k));
            assert_true((method <= EXTENDED) == (course[1].system->box.edge[0][0] != SIDE * 1.15));
            finish(&course[0]);
            finish(&course[1]);
        }
}

/* The same bits for any number of threads, and in two pieces: with the box, lists and numbers of a checkpoint. Cells
 * and meshes are not recorded, because the host finds their numbers with its own library. */
TEST(methods_have_bits_of_their_own)
{
    static const uint64_t recorded[METHODS] = {[EXTENDED] = UINT64_C(0x181981f303dd4ca4),
                                               [REJECTED] = UINT64_C(0x0063cb3ba7144a02),
                                               [DISPLACED] = UINT64_C(0x1dc008803eed9cc2),
                                               [NEAR] = UINT64_C(0x9d95394ca9742d9f)};
    const int threads = omp_get_max_threads();
    for (enum method method = 0; method < METHODS; ++method) {
        omp_set_num_threads(3);
        struct course whole = begin_method(method, true, true), first = begin_method(method, true, true);
        advance(&first, 9);
        omp_set_num_threads(1);
        advance(&whole, 16);
        struct course second = begin_method(method, true, true);
        second.system->box = first.system->box;
        assert_ok(ph_force_field_box_changed(second.field, second.system, &err));
        hand_over(&first, &second);
        advance(&second, 7);
        const double want = conserved(&whole), got = conserved(&second);
        const uint64_t hash = ph_state_hash(whole.system);
        if (ph_state_hash(second.system) != hash || got != want)
            fail_msg("%s: conserved %.17g, in one piece %.17g", methods[method], got, want);
        if (recorded[method] != 0 && hash != recorded[method])
            fail_msg("%s: %016llx, not %016llx", methods[method], (unsigned long long)hash,
                     (unsigned long long)recorded[method]);
        finish(&whole);
        finish(&first);
        finish(&second);
    }
    omp_set_num_threads(threads);
}
