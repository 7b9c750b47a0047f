/* SPDX-License-Identifier: MIT */
/* Backends: the bodies of kernels, through `emulated`, against the processor; and the bits that every machine gives. */
#include "physics/backends.h"

#include <omp.h>

/* ---- Systems that need no library: the same bits wherever they are made ---- */

enum body { ATOM, LINEAR, SPHERE, ASYMMETRIC, BODIES };

static struct ph_species make_species(enum body body, double dipole, double inertia_scale)
{
    static const double inertia[BODIES][3] = {{0}, {1.0, 1.0, 0.0}, {1.0, 1.0, 1.0}, {0.5, 1.0, 1.4}};
    struct ph_species species = {.n_sites = 1, .name = "test"};
    species.site[0] = (struct ph_site){.name = "A", .mass = 1.0, .radial = {PH_RADIAL_MIE, 1.0, 1.0, 12.0, 6.0}};
    species.site[0].dipole[2] = dipole;
    if (body == ASYMMETRIC)
        species.site[0].dipole[0] = 0.4 * dipole;
    double scaled[3];
    for (int k = 0; k < 3; ++k)
        scaled[k] = inertia_scale * inertia[body][k];
    assert_ok(ph_species_complete(&species, NULL, body == ATOM ? NULL : scaled, &err));
    return species;
}

/* side^3 molecules, somewhat off a cubic lattice, in a periodic box of this edge, or in open space for 0 */
static struct ph_system *make_system(const struct ph_species *species, size_t side, double spacing, double edge)
{
    const size_t count = side * side * side;
    struct ph_box box = ph_box_open();
    struct ph_system *system;
    const double edges[3][3] = {{edge, 0, 0}, {0, edge, 0}, {0, 0, edge}};
    if (edge > 0.0)
        assert_ok(ph_box_init_periodic(edges, &box, &err));
    assert_ok(ph_system_create(1, species, &count, &box, &system, &err));
    uint64_t state = 17;
    for (size_t i = 0; i < count; ++i) {
        const size_t place[3] = {i % side, i / side % side, i / side / side};
        for (int k = 0; k < 3; ++k) {
            system->r[k][i] = spacing * ((double)place[k] + 0.15 * number(&state));
            system->p[k][i] = number(&state);
            system->m[k][i] = species->inertia[k] > 0.0 ? 2.0 * sqrt(species->inertia[k]) * number(&state) : 0.0;
        }
        turn_anyhow(species, i, &state, system);
    }
    return system;
}

static const struct ph_interactions plain = {.truncation = PH_TRUNCATE_CUT,
                                             .cutoff = 1.6,
                                             .electrostatics = PH_ELECTROSTATICS_REACTION_FIELD,
                                             .epsilon_rf = 20.0,
                                             .coulomb = 1.0};

/* ---- Forces ---- */

TEST(forces_are_those_of_the_processor)
{
    static const enum ph_truncation truncations[] = {PH_TRUNCATE_NONE, PH_TRUNCATE_CUT, PH_TRUNCATE_SHIFTED,
                                                     PH_TRUNCATE_FORCE_SHIFTED, PH_TRUNCATE_SWITCHED};
    for (int dipole = 0; dipole < 2; ++dipole)
        for (size_t t = 0; t < sizeof truncations / sizeof *truncations; ++t)
            for (int field = 0; field < (dipole && t > 0 ? 2 : 1); ++field)
                for (int lists = 0; lists < (t > 0 ? 2 : 1); ++lists) {
                    struct ph_interactions interactions = plain;
                    interactions.truncation = truncations[t];
                    interactions.electrostatics = field ? PH_ELECTROSTATICS_REACTION_FIELD : PH_ELECTROSTATICS_CUTOFF;
                    interactions.cutoff = lists ? 1.6 : 2.4; /* the box has three cells, or not */
                    interactions.switch_width = 0.5;
                    interactions.smoothness = 6;
                    interactions.long_range_correction = truncations[t] == PH_TRUNCATE_SWITCHED;
                    const struct ph_species species = make_species(dipole ? ASYMMETRIC : ATOM, 1.3 * dipole, 0.1);
                    compare_forces(make_system(&species, 5, 1.1, t > 0 ? 5.5 : 0.0), &interactions);
                }
}

TEST(all_smoothnesses_and_soft_spheres_are_those_of_the_processor)
{
    static const int smoothness[] = {2, 4, 6, PH_SMOOTH_ALL};
    for (int soft = 0; soft < 2; ++soft)
        for (size_t s = 0; s < 4; ++s) {
            struct ph_species species = make_species(SPHERE, 1.3, 0.1);
            if (soft)
                species.site[0].radial = (struct ph_radial){PH_RADIAL_SOFT_SPHERE, 1.0, 1.0, 12.0, 0.0};
            struct ph_interactions interactions = plain;
            interactions.truncation = PH_TRUNCATE_SWITCHED;
            interactions.switch_width = 0.7;
            interactions.smoothness = smoothness[s];
            interactions.electrostatics = PH_ELECTROSTATICS_CUTOFF;
            compare_forces(make_system(&species, 5, 1.1, 5.5), &interactions);
        }
}

/* Far more partners than the mean density leaves room for, and most cells empty */
TEST(lists_make_room_for_a_drop_in_a_large_box)
{
    const struct ph_species species = make_species(SPHERE, 1.0, 0.1);
    struct ph_system *system = make_system(&species, 6, 1.05, 60.0);
    struct ph_interactions interactions = plain;
    interactions.cutoff = 4.0;
    compare_forces(system, &interactions);
}

/* ---- Dynamics ---- */

static double total(const struct course *course, const struct ph_energy *energy)
{
    return ph_energy_total(energy) + ph_system_kinetic_translation(course->system) +
           ph_system_kinetic_rotation(course->system);
}

/* Linear, spherical and asymmetric bodies, by the same steps here and there */
TEST(trajectories_are_those_of_the_processor)
{
    for (enum body body = LINEAR; body < BODIES; ++body) {
        const struct ph_species species = make_species(body, 1.0, 0.05);
        struct course course[2];
        struct ph_energy first[2], last[2];
        for (int k = 0; k < 2; ++k) {
            course[k] = begin(make_system(&species, 5, 1.1, 5.5), &plain, "suzuki4", 0.004, k);
            advance(&course[k], 0, &first[k]);
            advance(&course[k], 20, &last[k]);
        }
        assert_close(total(&course[1], &first[1]), total(&course[0], &first[0]), 1e-13, 1000.0);
        assert_close(total(&course[1], &last[1]), total(&course[0], &last[0]), 1e-11, 1000.0);
        assert_true(fabs(course[0].system->p[0][7] - 0.1) > 0.0);
        for (size_t i = 0; i < course[0].system->n; ++i)
            for (int k = 0; k < 3; ++k) {
                assert_close(course[1].system->p[k][i], course[0].system->p[k][i], 1e-10, 1.0);
                assert_close(course[1].system->m[k][i], course[0].system->m[k][i], 1e-10, 1.0);
                assert_close(course[1].system->r[k][i] + 5.5 * course[1].system->image[k][i],
                             course[0].system->r[k][i] + 5.5 * course[0].system->image[k][i], 1e-10, 1.0);
            }
        finish(&course[0]);
        finish(&course[1]);
    }
}

/* Eight dipoles in open space */
TEST(schemes_have_their_orders)
{
    static const struct {
        const char *name;
        double step;
        int order;
    } schemes[] = {{"verlet", 0.002, 2}, {"suzuki4", 0.008, 4}, {"mclachlan6-ss9", 0.02, 6}};
    struct ph_interactions interactions = plain;
    interactions.truncation = PH_TRUNCATE_NONE;
    interactions.electrostatics = PH_ELECTROSTATICS_CUTOFF;
    const struct ph_species species = make_species(ASYMMETRIC, 1.0, 0.3);
    struct course exact = begin(make_system(&species, 2, 1.2, 0.0), &interactions, "srkn6-14a", 0.2 / 128.0, false);
    advance(&exact, 128, NULL);
    for (size_t s = 0; s < sizeof schemes / sizeof *schemes; ++s) {
        double error[2];
        for (int k = 0; k < 2; ++k) {
            const double step = schemes[s].step / (k + 1);
            struct course course =
                begin(make_system(&species, 2, 1.2, 0.0), &interactions, schemes[s].name, step, true);
            advance(&course, (long)rint(0.2 / step), NULL);
            error[k] = distance(course.system, exact.system);
            finish(&course);
        }
        const double slope = log2(error[0] / error[1]);
        if (!(fabs(slope - schemes[s].order) < 0.2))
            fail_msg("%s: order %.3f (errors %.3g, %.3g)", schemes[s].name, slope, error[0], error[1]);
    }
    finish(&exact);
}

/* ---- Bits ---- */

/* Recorded once: every compiler, architecture and device has to give these. If arithmetic is changed on purpose, they
 * change; then the new ones have to come out on a device too. */
TEST(bits_are_those_of_every_machine)
{
    const int threads = omp_get_max_threads();
    const struct ph_species ball = make_species(SPHERE, 1.7, 0.1), top = make_species(ASYMMETRIC, 1.0, 0.01);
    struct ph_interactions smooth = plain;
    smooth.truncation = PH_TRUNCATE_SWITCHED;
    smooth.switch_width = 0.5;
    smooth.smoothness = 6;
    smooth.epsilon_rf = INFINITY;
    for (int k = 1; k <= 2; ++k) {
        omp_set_num_threads(k);
        struct course listed = begin(make_system(&ball, 9, 1.1, 9.9), &plain, "verlet", 0.003, true);
        assert_int_equal(hash_after(&listed, 50), UINT64_C(0x61116fbadcc6c0a8));
        finish(&listed);
    }
    omp_set_num_threads(threads);
    struct course fluid = begin(make_system(&ball, 5, 1.1, 5.5), &smooth, "verlet", 0.003, true);
    assert_int_equal(hash_after(&fluid, 1000), UINT64_C(0x7f61c1b57e2867fa));
    finish(&fluid);
    struct course spinning = begin(make_system(&top, 4, 1.4, 5.6), &plain, "suzuki4", 0.02, true);
    /* steps beyond the power series of the flow */
    assert_int_equal(hash_after(&spinning, 100), UINT64_C(0xeffbb29c6c490402));
    finish(&spinning);
}

/* ---- Slots of few molecules are one task ---- */

static long slots_made, scans;

static enum ph_status run_one_by_one(enum ph_task task, uint32_t count, double x, double y,
                                     const struct ph_accel_view *view, struct ph_error *err)
{
    static const enum ph_task turn[] = {PH_TASK_WRAP, PH_TASK_COUNT, PH_TASK_SCAN,
                                        PH_TASK_FILL, PH_TASK_SORT,  PH_TASK_ARRANGE};
    scans += task == PH_TASK_SCAN;
    if (task != PH_TASK_SLOTS)
        return ph_machine_emulated.run(task, count, x, y, view, err);
    ++slots_made;
    for (size_t k = x != 0.0 ? 0 : 1; k < sizeof turn / sizeof *turn; ++k)
        ph_machine_emulated.run(turn[k], turn[k] == PH_TASK_SCAN ? count : view->n, 0.0, 0.0, view, err);
    return PH_OK;
}

/* Those of many are not: a block of a device would be alone with them. */
TEST(slots_are_the_same_in_one_task_and_one_by_one)
{
    struct ph_machine machine = ph_machine_emulated;
    machine.run = run_one_by_one;
    machine_of_tests = &machine;
    slots_made = scans = 0;
    const struct ph_species ball = make_species(SPHERE, 1.7, 0.1);
    struct course listed = begin(make_system(&ball, 9, 1.1, 9.9), &plain, "verlet", 0.003, true);
    assert_int_equal(hash_after(&listed, 50), UINT64_C(0x61116fbadcc6c0a8)); /* as above */
    finish(&listed);
    assert_true(slots_made > 1 && scans == 0);
    slots_made = 0;
    compare_forces(make_system(&ball, 17, 1.1, 18.7), &plain);
    assert_true(slots_made == 0 && scans > 0);
    machine_of_tests = &ph_machine_emulated;
}

TEST(a_state_that_is_not_finite_is_an_error)
{
    const struct ph_species species = make_species(SPHERE, 1.0, 0.1);
    struct course course = begin(make_system(&species, 5, 1.1, 5.5), &plain, "verlet", 0.003, true);
    course.system->p[1][17] = NAN;
    struct ph_error err = {.text = ""};
    enum ph_status status = ph_dynamics_advance(course.dynamics, 3, &err);
    if (status == PH_OK)
        status = ph_dynamics_synchronise(course.dynamics, NULL, &err);
    if (status == PH_OK)
        status = ph_state_show(ph_dynamics_state(course.dynamics), PH_STATE_PLACES | PH_STATE_MOMENTA, &err);
    assert_int_equal(status, PH_ERR_NUMBERS);
    assert_non_null(strstr(err.text, "not finite"));
    finish(&course);
}

/* ---- A machine that fails ---- */

static long allocations_left, tasks_left;

static enum ph_status failure_of_memory = PH_ERR_MEMORY; /* how allocations fail */

static void take_one_allocation(enum ph_status *status, struct ph_error *err)
{
    if (*status != PH_OK || allocations_left-- > 0)
        return;
    *status = failure_of_memory;
    if (failure_of_memory != PH_ERR_MEMORY)
        ph_error_set(err, failure_of_memory, "The graphics processor failed at taking memory: lost.");
}

static void *allocate_some(size_t bytes, enum ph_status *status, struct ph_error *err)
{
    take_one_allocation(status, err);
    return ph_machine_emulated.allocate(bytes, status, err);
}

static struct ph_signals *allocate_some_signals(enum ph_status *status, struct ph_error *err)
{
    take_one_allocation(status, err);
    return ph_machine_emulated.allocate_signals(status, err);
}

static enum ph_status run_some(enum ph_task task, uint32_t count, double x, double y, const struct ph_accel_view *view,
                               struct ph_error *err)
{
    if (tasks_left-- > 0)
        return ph_machine_emulated.run(task, count, x, y, view, err);
    return ph_error_set(err, PH_ERR_IO, "The graphics processor failed at a kernel: lost.");
}

static struct ph_machine failing_machine(void)
{
    struct ph_machine machine = ph_machine_emulated;
    machine.allocate = allocate_some;
    machine.allocate_signals = allocate_some_signals;
    machine.run = run_some;
    return machine;
}

/* Wherever memory ends, that is told, and nothing is lost (under a sanitizer). A device that fails there lacks no
 * memory. */
TEST(memory_of_a_machine_that_ends_is_told)
{
    static const enum ph_status failures[] = {PH_ERR_MEMORY, PH_ERR_IO};
    static const char *const texts[] = {"memory of dynamics.backend: broken does not suffice for 125 molecules",
                                        "failed at taking memory: lost"};
    const struct ph_machine machine = failing_machine();
    const struct ph_species species = make_species(SPHERE, 1.0, 0.1);
    struct ph_system *system = make_system(&species, 5, 1.1, 5.5);
    for (int k = 0; k < 2; ++k) {
        struct ph_backend *backend = NULL;
        struct ph_error err = {.text = ""};
        long room = 0;
        failure_of_memory = failures[k];
        for (; !backend && room < 1000; ++room) {
            allocations_left = room;
            const enum ph_status status = ph_engine_create(&machine, "broken", system, &plain, true, &backend, &err);
            if (status == PH_OK)
                break;
            assert_int_equal(status, failures[k]);
            assert_non_null(strstr(err.text, texts[k]));
            assert_null(backend);
        }
        assert_true(room > 30 && room < 100); /* state, lists, sums */
        backend->destroy(backend);
    }
    failure_of_memory = PH_ERR_MEMORY;
    ph_system_destroy(system);
}

/* Lists that need more room than there is memory, in the midst of a run */
TEST(lists_without_memory_are_told)
{
    const struct ph_machine machine = failing_machine();
    const struct ph_species species = make_species(SPHERE, 1.0, 0.1);
    struct ph_system *system = make_system(&species, 9, 1.1, 40.0); /* a drop: more partners than the mean */
    struct ph_interactions wide = plain;
    wide.cutoff = 3.0;
    struct ph_backend *backend;
    allocations_left = tasks_left = 1000;
    assert_ok(ph_engine_create(&machine, "broken", system, &wide, true, &backend, &err));
    assert_ok(backend->write(backend, PH_STATE_ALL, system, NULL, &err));
    allocations_left = 0;
    for (int k = 0; k < 2; ++k) {
        assert_error(backend->evaluate(backend, NULL, &err), PH_ERR_MEMORY, "pair lists of 729 molecules");
    }
    failure_of_memory = PH_ERR_IO;
    assert_error(backend->evaluate(backend, NULL, &err), PH_ERR_IO, "failed at taking memory: lost");
    failure_of_memory = PH_ERR_MEMORY;
    allocations_left = 1;
    assert_ok(backend->evaluate(backend, NULL, &err));
    backend->destroy(backend);
    ph_system_destroy(system);
}

/* The same where there was a list before, until molecules came together: whoever asks again is told again, and has
 * forces when there is memory. (Forces of a list that is no longer there would end the program.) */
TEST(lists_that_find_no_memory_later_are_told)
{
    const struct ph_machine machine = failing_machine();
    const struct ph_species species = make_species(ATOM, 0.0, 1.0);
    struct ph_system *system = make_system(&species, 9, 3.0, 27.0);
    struct ph_interactions wide = plain;
    wide.cutoff = 4.0;
    for (size_t i = 0; i < system->n; ++i)
        for (int k = 0; k < 3; ++k)
            system->p[k][i] = 12.0 - system->r[k][i]; /* all meet after a time of 1 */
    struct ph_backend *backend;
    allocations_left = tasks_left = 1000;
    assert_ok(ph_engine_create(&machine, "broken", system, &wide, true, &backend, &err));
    assert_ok(backend->write(backend, PH_STATE_ALL, system, NULL, &err));
    assert_ok(backend->evaluate(backend, NULL, &err));
    allocations_left = 0;
    assert_ok(backend->drift(backend, 0.6, &err));
    for (int k = 0; k < 3; ++k) {
        assert_error(backend->evaluate(backend, NULL, &err), PH_ERR_MEMORY, "pair lists of 729 molecules");
    }
    allocations_left = 1;
    assert_ok(backend->evaluate(backend, NULL, &err));
    backend->destroy(backend);
    ph_system_destroy(system);
}

/* Wherever the device is lost, the run ends with that status and message, and again if somebody asks once more. */
TEST(a_machine_that_is_lost_ends_a_run)
{
    const struct ph_machine machine = failing_machine();
    const struct ph_species species = make_species(SPHERE, 1.0, 0.1);
    long room = 0;
    for (bool done = false; !done; ++room) {
        struct ph_system *system = make_system(&species, 5, 1.1, 5.5);
        struct ph_force_field *field;
        struct ph_dynamics *dynamics;
        struct ph_backend *backend;
        struct ph_energy energy;
        struct ph_error err = {.text = ""};
        allocations_left = 1000;
        tasks_left = room;
        assert_int_equal(ph_engine_create(&machine, "broken", system, &plain, true, &backend, &err), PH_OK);
        assert_int_equal(ph_force_field_create(system, &plain, &field, &err), PH_OK);
        const struct ph_dynamics_options options = {.scheme = ph_scheme_find("verlet"),
                                                    .flow = ph_flow_find("exact"),
                                                    .step = 0.003,
                                                    .compensated = true,
                                                    .backend = backend};
        assert_int_equal(ph_dynamics_create(system, field, &options, &dynamics, &err), PH_OK);
        enum ph_status status = ph_dynamics_advance(dynamics, 3, &err);
        if (status == PH_OK)
            status = ph_dynamics_synchronise(dynamics, &energy, &err);
        if (status == PH_OK)
            status =
                ph_state_show(ph_dynamics_state(dynamics), PH_STATE_PLACES | PH_STATE_MOMENTA | PH_STATE_FORCES, &err);
        done = status == PH_OK;
        if (!done) {
            assert_int_equal(status, PH_ERR_IO);
            assert_non_null(strstr(err.text, "failed at a kernel: lost"));
            assert_int_equal(ph_dynamics_advance(dynamics, 1, &err), PH_ERR_IO);
        }
        ph_dynamics_destroy(dynamics);
        ph_force_field_destroy(field);
        backend->destroy(backend);
        ph_system_destroy(system);
    }
    assert_true(room > 9 && room < 60); /* a list, three steps, a sum */
}

/* ---- A machine whose marks are something, as those of a device are ---- */

static int a_mark;

static enum ph_status set_mark(void **mark, struct ph_error *err)
{
    *mark = &a_mark;
    return PH_OK;
}

static enum ph_status wait_for_mark(void *mark, struct ph_error *err)
{
    return mark ? PH_OK : ph_error_set(err, PH_ERR_IO, "There is no mark.");
}

/* Forces twice before anything moves, and after */
TEST(forces_wait_for_marks_that_are_set_alone)
{
    struct ph_machine machine = ph_machine_emulated;
    machine.mark = set_mark;
    machine.wait_for_mark = wait_for_mark;
    const struct ph_species species = make_species(SPHERE, 1.0, 0.1);
    struct ph_system *system = make_system(&species, 5, 1.1, 5.5);
    struct ph_backend *backend;
    assert_ok(ph_engine_create(&machine, "marking", system, &plain, true, &backend, &err));
    assert_ok(backend->write(backend, PH_STATE_ALL, system, NULL, &err));
    for (int k = 0; k < 3; ++k) {
        if (k == 2)
            assert_ok(backend->drift(backend, 0.001, &err));
        assert_ok(backend->evaluate(backend, NULL, &err));
    }
    backend->destroy(backend);
    ph_system_destroy(system);
}

/* ---- Forces while the list is outdated ---- */

static long times_outdated;

static enum ph_status run_watched(enum ph_task task, uint32_t count, double x, double y,
                                  const struct ph_accel_view *view, struct ph_error *err)
{
    const bool watched = task == PH_TASK_EXTERNAL && *view->outdated;
    const double before = view->f[0][1];
    const enum ph_status status = ph_machine_emulated.run(task, count, x, y, view, err);
    times_outdated += watched;
    if (watched)
        assert_true(view->f[0][1] == before);
    return status;
}

TEST(forces_of_fields_are_left_out_with_those_of_pairs)
{
    struct ph_machine machine = ph_machine_emulated;
    machine.run = run_watched;
    const struct ph_species species = make_species(SPHERE, 1.0, 0.1);
    struct ph_system *system = make_system(&species, 5, 1.1, 5.5);
    struct ph_interactions tethered = plain;
    tethered.external.tether = 5.0;
    struct ph_backend *backend;
    assert_ok(ph_engine_create(&machine, "watched", system, &tethered, true, &backend, &err));
    assert_ok(backend->write(backend, PH_STATE_ALL, system, NULL, &err));
    times_outdated = 0;
    for (int k = 0; k < 40; ++k) {
        assert_ok(backend->evaluate(backend, NULL, &err));
        assert_ok(backend->drift(backend, 0.01, &err));
    }
    assert_true(times_outdated > 0);
    backend->destroy(backend);
    ph_system_destroy(system);
}
