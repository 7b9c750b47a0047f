/* SPDX-License-Identifier: MIT */
/* The shared library through its public header alone, as other programs use it. */
#include "folder.h"

#include "polhode.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 27, ROOM = 4 * N };

static const char rules[] = "units: md\n"
                            "interactions: {cutoff: 0.55, switch: {width: 0.15}, electrostatics: {method: "
                            "reaction-field}}\n"
                            "dynamics: {scheme: srkn6-11b, step: 0.001, steps: 12}\n"
                            "output: {file: water.h5md, frames_every: 5, series_every: 1, checkpoint_every: 0}\n";

/* Water on a lattice in a box, on both sides of its walls, all turned and moving in different ways */
struct start {
    double edges[9], position[3 * N], quaternion[4 * N], momentum[3 * N], angular_momentum[3 * N];
    size_t count;
    const char *model;
    struct ph_arrays arrays;
};

static void make_start(struct start *start)
{
    const double spacing = 0.4;
    *start = (struct start){
        .edges = {3 * spacing, 0, 0, 0, 3 * spacing, 0, 0, 0, 3 * spacing}, .count = N, .model = "spc-e"};
    for (int i = 0; i < N; ++i) {
        const int cell[3] = {i % 3, i / 3 % 3, i / 9};
        const double q[4] = {cos(i), sin(i) * 0.6, 0.0, sin(i) * 0.8};
        for (int k = 0; k < 3; ++k) {
            start->position[3 * i + k] = spacing * (cell[k] - 1 + 0.02 * sin(7 * i + k));
            start->momentum[3 * i + k] = 5.0 * cos(5 * i + 2 * k);
            start->angular_momentum[3 * i + k] = 0.1 * sin(3 * i + k);
        }
        memcpy(start->quaternion + 4 * i, q, sizeof q);
    }
    start->arrays = (struct ph_arrays){.n_species = 1,
                                       .models = &start->model,
                                       .counts = &start->count,
                                       .edges = start->edges,
                                       .positions = start->position,
                                       .quaternions = start->quaternion,
                                       .momenta = start->momentum,
                                       .angular_momenta = start->angular_momentum};
}

static struct ph_simulation *make(struct start *start)
{
    struct ph_simulation *simulation = NULL;
    make_start(start);
    assert_ok(ph_simulation_from_arrays(rules, 0, NULL, &start->arrays, &simulation, &err));
    return simulation;
}

/* Positions, momenta, quaternions, angular momenta, one after the other */
struct state {
    double numbers[4][ROOM];
};

static struct state look(struct ph_simulation *simulation)
{
    static const enum ph_array parts[] = {PH_ARRAY_UNWRAPPED, PH_ARRAY_MOMENTUM, PH_ARRAY_QUATERNION,
                                          PH_ARRAY_ANGULAR_MOMENTUM};
    struct state state = {{{0}}};
    for (int k = 0; k < 4; ++k)
        assert_ok(ph_simulation_read(simulation, parts[k], state.numbers[k], &err));
    return state;
}

static void same_bits(struct state a, struct state b) { assert_memory_equal(&a, &b, sizeof a); }

static void arrays_are_read_as_they_were_given(void **unused)
{
    struct start start;
    struct ph_simulation *simulation = make(&start);
    const struct state state = look(simulation);
    for (int k = 0; k < 3 * N; ++k)
        assert_close(state.numbers[0][k], start.position[k], 4e-16, 1.0);
    assert_memory_equal(state.numbers[1], start.momentum, sizeof start.momentum);
    for (int k = 0; k < 4 * N; ++k)
        assert_close(state.numbers[2][k], start.quaternion[k], 4e-16, 1.0);
    assert_memory_equal(state.numbers[3], start.angular_momentum, sizeof start.angular_momentum);
    double inside[3 * N], edges[9];
    assert_ok(ph_simulation_read(simulation, PH_ARRAY_POSITION, inside, &err));
    for (int k = 0; k < 3 * N; ++k)
        assert_true(inside[k] >= 0.0 && inside[k] < start.edges[0]);
    assert_true(ph_simulation_box(simulation, edges));
    assert_memory_equal(edges, start.edges, sizeof edges);
    assert_int_equal(ph_simulation_molecules(simulation), N);
    assert_int_equal(ph_simulation_species(simulation), 1);
    assert_int_equal(ph_simulation_species_of(simulation, N - 1), 0);
    const struct ph_species_facts facts = ph_simulation_species_facts(simulation, 0);
    assert_string_equal(facts.name, "spc-e");
    assert_int_equal(facts.count, N);
    struct ph_energies energies;
    assert_ok(ph_simulation_energies(simulation, &energies, &err));
    double translation = 0.0, rotation = 0.0;
    for (int k = 0; k < 3 * N; ++k) {
        translation += 0.5 * start.momentum[k] * start.momentum[k] / facts.mass;
        rotation += 0.5 * start.angular_momentum[k] * start.angular_momentum[k] / facts.inertia[k % 3];
    }
    assert_close(energies.kinetic_translation, translation, 1e-14, translation);
    assert_close(energies.kinetic_rotation, rotation, 1e-14, rotation);
    assert_close(energies.total, energies.potential + translation + rotation, 1e-14, fabs(energies.potential));
    assert_close(energies.radial + energies.electric + energies.long_range + energies.external, energies.potential,
                 1e-14, fabs(energies.radial));
    const double trace = energies.virial[0] + energies.virial[4] + energies.virial[8], volume = pow(edges[0], 3);
    assert_close(energies.pressure, (2.0 * translation + trace) / (3.0 * volume), 1e-13, energies.pressure);
    assert_true(ph_simulation_step(simulation) == 0 && ph_simulation_end(simulation) == 12);
    assert_true(ph_simulation_time(simulation) == 0.0);
    ph_simulation_destroy(simulation);
}

static void a_file_and_its_text_give_the_same(void **unused)
{
    static const char text[] = "units: reduced\n"
                               "system:\n"
                               "  box: {kind: open}\n"
                               "  molecules: [{model: stockmayer, count: 13}, {model: lennard-jones, count: 4}]\n"
                               "  start: {kind: fcc, spacing: 1.2, temperature: 1, seed: 3}\n"
                               "dynamics: {step: 0.01, steps: 5}\n";
    FILE *file = fopen("input.yaml", "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    const char *const sets[] = {"system.start.temperature=2", "dynamics.step=0.002"};
    struct ph_simulation *one = NULL, *two = NULL;
    assert_ok(ph_simulation_from_file("input.yaml", 2, sets, &one, &err));
    assert_ok(ph_simulation_from_text(text, 2, sets, &two, &err));
    assert_int_equal(ph_simulation_molecules(one), 17);
    assert_int_equal(ph_simulation_species_of(one, 12), 0);
    assert_int_equal(ph_simulation_species_of(one, 13), 1);
    double edges[9];
    assert_false(ph_simulation_box(one, edges));
    assert_ok(ph_simulation_advance(one, 3, &err));
    assert_ok(ph_simulation_advance(two, 3, &err));
    assert_close(ph_simulation_time(one), 0.006, 1e-15, 1.0);
    same_bits(look(one), look(two));
    struct ph_energies energies;
    assert_ok(ph_simulation_energies(one, &energies, &err));
    assert_close(energies.temperature, 2.0, 0.2, 2.0);
    assert_true(isnan(energies.pressure));
    ph_simulation_destroy(one);
    ph_simulation_destroy(two);
}

/* Also shows that the library evaluates the state that was written. */
static void forces_are_gradients_of_the_energy(void **unused)
{
    struct start start;
    struct ph_simulation *simulation = make(&start);
    double force[3 * N];
    assert_ok(ph_simulation_read(simulation, PH_ARRAY_FORCE, force, &err));
    for (int k = 3; k < 9; ++k) {
        const double h = 1e-5, x = start.position[k];
        struct ph_energies energies[2];
        for (int side = 0; side < 2; ++side) {
            start.position[k] = side ? x + h : x - h;
            assert_ok(ph_simulation_write(simulation, PH_ARRAY_POSITION, start.position, &err));
            assert_ok(ph_simulation_energies(simulation, &energies[side], &err));
        }
        start.position[k] = x;
        assert_close(force[k], -(energies[1].potential - energies[0].potential) / (2.0 * h), 1e-5, 1e3);
    }
    ph_simulation_destroy(simulation);
}

/* An Ewald sum, the correction beyond the cutoff and an external field: no term is left out of the four. */
static void terms_add_up_to_the_potential_energy(void **unused)
{
    static const char *const sets[] = {"interactions.electrostatics.method=ewald",
                                       "interactions.long_range_correction=true",
                                       "interactions.external.electric_field=[0, 0, 30]"};
    struct start start;
    struct ph_energies energies;
    make_start(&start);
    struct ph_simulation *simulation;
    assert_ok(ph_simulation_from_arrays(rules, 3, sets, &start.arrays, &simulation, &err));
    assert_ok(ph_simulation_energies(simulation, &energies, &err));
    const double terms[] = {energies.radial, energies.electric, energies.long_range, energies.external};
    double sum = 0.0;
    for (int k = 0; k < 4; ++k) {
        assert_true(fabs(terms[k]) > 1e-3);
        sum += terms[k];
    }
    assert_close(sum, energies.potential, 1e-13, fabs(energies.electric));
    ph_simulation_destroy(simulation);
}

static void energy_is_conserved_and_motion_runs_backwards(void **unused)
{
    struct start start;
    struct ph_simulation *simulation = make(&start);
    const struct state before = look(simulation);
    struct ph_energies first, last;
    assert_ok(ph_simulation_energies(simulation, &first, &err));
    assert_ok(ph_simulation_advance(simulation, 40, &err));
    assert_ok(ph_simulation_energies(simulation, &last, &err));
    assert_close(last.total, first.total, 1e-6, first.kinetic_translation + fabs(first.potential));
    struct state state = look(simulation);
    double moved = 0.0;
    for (int k = 0; k < 3 * N; ++k) {
        moved = fmax(moved, fabs(state.numbers[0][k] - before.numbers[0][k]));
        state.numbers[1][k] *= -1.0;
        state.numbers[3][k] *= -1.0;
    }
    assert_true(moved > 0.005);
    assert_ok(ph_simulation_write(simulation, PH_ARRAY_MOMENTUM, state.numbers[1], &err));
    assert_ok(ph_simulation_write(simulation, PH_ARRAY_ANGULAR_MOMENTUM, state.numbers[3], &err));
    assert_ok(ph_simulation_advance(simulation, 40, &err));
    state = look(simulation);
    for (int k = 0; k < 3 * N; ++k)
        assert_close(state.numbers[0][k], before.numbers[0][k], 1e-10, 1.0);
    ph_simulation_destroy(simulation);
}

static void a_saved_simulation_goes_on_bit_for_bit(void **unused)
{
    struct start start;
    struct ph_simulation *simulation = make(&start), *resumed = NULL;
    assert_ok(ph_simulation_advance(simulation, 4, &err));
    assert_ok(ph_simulation_write(simulation, PH_ARRAY_MOMENTUM, start.momentum, &err));
    assert_ok(ph_simulation_save_as(simulation, "saved", &err));
    assert_ok(ph_simulation_resume("saved", -1, &resumed, &err));
    assert_int_equal(ph_simulation_step(resumed), 4);
    same_bits(look(simulation), look(resumed));
    assert_ok(ph_simulation_advance(simulation, 30, &err));
    assert_ok(ph_simulation_advance(resumed, 30, &err));
    same_bits(look(simulation), look(resumed));
    assert_error(ph_simulation_finish(resumed, false, NULL, NULL, &err), PH_ERR_INPUT, "resume it");
    ph_simulation_destroy(simulation);
    ph_simulation_destroy(resumed);
}

static bool after_seven(void *steps) { return ++*(int *)steps == 7; }

/* A run with files, the same interrupted, and that it cannot begin in the middle */
static void runs_have_trajectories_and_are_resumed(void **unused)
{
    struct start start;
    struct ph_simulation *simulation = make(&start), *resumed = NULL;
    assert_ok(ph_simulation_finish(simulation, false, NULL, NULL, &err));
    assert_int_equal(ph_simulation_step(simulation), 12);
    assert_int_equal(access("water.h5md", R_OK), 0);
    const struct state whole = look(simulation);
    assert_error(ph_simulation_save_as(simulation, "water.h5md", &err), PH_ERR_INPUT, "would be its checkpoint");
    ph_simulation_destroy(simulation);

    simulation = make(&start);
    assert_error(ph_simulation_finish(simulation, false, NULL, NULL, &err), PH_ERR_IO, "is there already");
    ph_simulation_destroy(simulation);
    simulation = make(&start);
    int steps = 0;
    assert_ok(ph_simulation_finish(simulation, true, after_seven, &steps, &err));
    assert_int_equal(ph_simulation_step(simulation), 7);
    assert_error(ph_simulation_finish(simulation, true, NULL, NULL, &err), PH_ERR_INPUT, "resume it");
    ph_simulation_destroy(simulation);
    assert_ok(ph_simulation_resume("water.h5md", -1, &resumed, &err));
    assert_ok(ph_simulation_finish(resumed, false, NULL, NULL, &err));
    assert_int_equal(ph_simulation_step(resumed), 12);
    same_bits(look(resumed), whole);
    ph_simulation_destroy(resumed);

    simulation = make(&start);
    assert_ok(ph_simulation_advance(simulation, 1, &err));
    assert_error(ph_simulation_finish(simulation, true, NULL, NULL, &err), PH_ERR_INPUT, "Make it anew");
    ph_simulation_destroy(simulation);
    simulation = make(&start); /* before the first step a change is a part of the start */
    assert_ok(ph_simulation_write(simulation, PH_ARRAY_MOMENTUM, start.angular_momentum, &err));
    assert_ok(ph_simulation_finish(simulation, true, NULL, NULL, &err));
    ph_simulation_destroy(simulation);
}

static void what_cannot_be_is_refused(void **unused)
{
    struct start start;
    struct ph_simulation *simulation = make(&start), *none = simulation;
    double wrong[ROOM];
    memcpy(wrong, start.quaternion, sizeof start.quaternion);
    wrong[4 * 5] += 0.01;
    assert_error(ph_simulation_write(simulation, PH_ARRAY_QUATERNION, wrong, &err), PH_ERR_INPUT,
                 "molecule 5 has length");
    memcpy(wrong, start.position, sizeof start.position);
    wrong[3 * 6 + 1] = NAN;
    assert_error(ph_simulation_write(simulation, PH_ARRAY_POSITION, wrong, &err), PH_ERR_INPUT,
                 "molecule 6 is not finite");
    assert_error(ph_simulation_write(simulation, PH_ARRAY_FORCE, start.position, &err), PH_ERR_INPUT, "can be written");
    assert_error(ph_simulation_advance(simulation, -1, &err), PH_ERR_INPUT, "-1 steps");
    const struct state state = look(simulation); /* and nothing was changed */
    assert_memory_equal(state.numbers[1], start.momentum, sizeof start.momentum);
    assert_close(state.numbers[2][20], start.quaternion[20], 4e-16, 1.0);
    start.model = "no-such-model";
    assert_error(ph_simulation_from_arrays(rules, 0, NULL, &start.arrays, &none, &err), PH_ERR_INPUT, "no-such-model");
    assert_null(none);
    start.model = "spc-e";
    memcpy(start.position + 3, start.position, 3 * sizeof *start.position);
    memcpy(start.quaternion + 4, start.quaternion, 4 * sizeof *start.quaternion);
    assert_error(ph_simulation_from_arrays(rules, 0, NULL, &start.arrays, &none, &err), PH_ERR_NUMBERS, "input: ");
    make_start(&start);
    start.arrays.positions = NULL;
    assert_int_equal(ph_simulation_from_arrays(rules, 0, NULL, &start.arrays, &none, NULL), PH_ERR_INPUT);
    assert_error(ph_simulation_from_text("units: md\nsystem: {start: {kind: given}}\n", 0, NULL, &none, &err),
                 PH_ERR_INPUT, "input:2");
    assert_error(ph_simulation_from_file("nowhere.yaml", 0, NULL, &none, &err), PH_ERR_IO, "nowhere.yaml");
    assert_error(ph_simulation_resume("nowhere", -1, &none, &err), PH_ERR_IO, "nowhere");
    ph_simulation_destroy(simulation);
    ph_simulation_destroy(NULL);

    make_start(&start);
    const char *const sets[] = {"dynamics.step=0.1"};
    assert_ok(ph_simulation_from_arrays(rules, 1, sets, &start.arrays, &simulation, &err));
    assert_error(ph_simulation_advance(simulation, 500, &err), PH_ERR_NUMBERS, "Step ");
    ph_simulation_destroy(simulation);
}

static void point_particles_do_not_turn(void **unused)
{
    const char *const models[] = {"lennard-jones"};
    const size_t counts[] = {2};
    const double positions[6] = {0, 0, 0, 1.5, 0, 0}, spins[6] = {0, 0, 0, 0, 0, 0.5},
                 turned[8] = {0, 1, 0, 0, 0, 0, 1, 0};
    struct ph_arrays arrays = {.n_species = 1, .models = models, .counts = counts, .positions = positions};
    struct ph_simulation *simulation = NULL;
    static const char text[] = "units: reduced\ndynamics: {step: 0.01, steps: 1}\n";
    arrays.angular_momenta = spins;
    assert_error(ph_simulation_from_arrays(text, 0, NULL, &arrays, &simulation, &err), PH_ERR_INPUT, "no inertia");
    arrays.angular_momenta = NULL;
    arrays.quaternions = turned;
    assert_ok(ph_simulation_from_arrays(text, 0, NULL, &arrays, &simulation, &err));
    double quaternion[8], force[6];
    assert_ok(ph_simulation_read(simulation, PH_ARRAY_QUATERNION, quaternion, &err));
    assert_ok(ph_simulation_read(simulation, PH_ARRAY_FORCE, force, &err));
    assert_true(quaternion[0] == 1.0 && quaternion[1] == 0.0 && quaternion[4] == 1.0);
    const double s6 = pow(1.5, -6);
    assert_close(force[0], -24.0 * (2.0 * s6 * s6 - s6) / 1.5, 1e-13, force[0]);
    ph_simulation_destroy(simulation);
}

struct worker {
    struct ph_simulation *simulation;
    enum ph_status status;
};

static void *work(void *data)
{
    struct worker *worker = data;
    for (int k = 0; k < 5 && worker->status == PH_OK; ++k)
        worker->status = ph_simulation_advance(worker->simulation, 10, NULL);
    return NULL;
}

static void simulations_of_two_threads_do_not_know_each_other(void **unused)
{
    struct start start;
    struct worker worker[3];
    for (int w = 0; w < 3; ++w)
        worker[w] = (struct worker){make(&start), PH_OK};
    assert_ok(
        ph_simulation_write(worker[1].simulation, PH_ARRAY_MOMENTUM, start.angular_momentum, &err)); /* another one */
    pthread_t thread[2];
    for (int w = 0; w < 2; ++w)
        assert_int_equal(pthread_create(&thread[w], NULL, work, &worker[w]), 0);
    for (int w = 0; w < 2; ++w)
        assert_int_equal(pthread_join(thread[w], NULL), 0);
    work(&worker[2]); /* alone */
    for (int w = 0; w < 3; ++w)
        assert_int_equal(worker[w].status, PH_OK);
    const struct state beside = look(worker[0].simulation), alone = look(worker[2].simulation);
    same_bits(beside, alone);
    for (int w = 0; w < 3; ++w)
        ph_simulation_destroy(worker[w].simulation);
}

/* ---- Views ---- */

static struct ph_view view_of(struct ph_simulation *simulation, enum ph_array which)
{
    struct ph_view view = {NULL, 0, 0, 0, 0};
    assert_ok(ph_simulation_view(simulation, which, &view, &err));
    return view;
}

static void same_numbers(struct ph_simulation *simulation, enum ph_array which, struct ph_view view)
{
    double copy[ROOM];
    assert_ok(ph_simulation_read(simulation, which, copy, &err));
    for (size_t i = 0; i < view.molecules; ++i)
        for (size_t k = 0; k < view.numbers; ++k)
            assert_true(view.data[i * view.row + k * view.column] == copy[i * view.numbers + k]);
}

/* Also through steps that are accepted or not, which put states back */
static void views_are_the_present_state(void **unused)
{
    static const char *const sets[] = {"dynamics.thermostat={kind: metropolis, temperature: 300, seed: 1}",
                                       "dynamics.step=0.004"};
    struct start start;
    make_start(&start);
    for (size_t n_sets = 0; n_sets <= 2; n_sets += 2) {
        struct ph_simulation *simulation = NULL;
        assert_ok(ph_simulation_from_arrays(rules, n_sets, sets, &start.arrays, &simulation, &err));
        struct ph_view view[PH_ARRAY_TORQUE + 1];
        for (int which = 0; which <= PH_ARRAY_TORQUE; ++which)
            if (which != PH_ARRAY_UNWRAPPED) {
                view[which] = view_of(simulation, (enum ph_array)which);
                assert_int_equal(view[which].molecules, N);
                assert_int_equal(view[which].numbers, which == PH_ARRAY_QUATERNION ? 4 : 3);
            }
        const double x = view[PH_ARRAY_POSITION].data[0];
        for (int pass = 0; pass < 2; ++pass) {
            for (int which = 0; which <= PH_ARRAY_TORQUE; ++which)
                if (which != PH_ARRAY_UNWRAPPED)
                    same_numbers(simulation, (enum ph_array)which, view[which]);
            assert_ok(ph_simulation_advance(simulation, 20, &err));
        }
        assert_true(view[PH_ARRAY_POSITION].data[0] != x);
        assert_true(view_of(simulation, PH_ARRAY_FORCE).data == view[PH_ARRAY_FORCE].data);
        assert_error(ph_simulation_view(simulation, PH_ARRAY_UNWRAPPED, view, &err), PH_ERR_INPUT,
                     "ph_simulation_read");
        ph_simulation_destroy(simulation);
    }
}

static void what_is_written_through_views_counts(void **unused)
{
    struct start start;
    struct ph_simulation *simulation = make(&start), *other = make(&start);
    /* the same as by copies, bit for bit */
    assert_ok(ph_simulation_advance(simulation, 3, &err));
    assert_ok(ph_simulation_advance(other, 3, &err));
    struct state state = look(other);
    for (int k = 0; k < 3 * N; ++k)
        state.numbers[1][k] *= 0.5;
    assert_ok(ph_simulation_write(other, PH_ARRAY_MOMENTUM, state.numbers[1], &err));
    struct ph_view view = view_of(simulation, PH_ARRAY_MOMENTUM);
    for (size_t i = 0; i < N; ++i)
        for (size_t k = 0; k < 3; ++k)
            view.data[i * view.row + k * view.column] *= 0.5;
    assert_ok(ph_simulation_changed(simulation, PH_ARRAY_MOMENTUM, &err));
    assert_ok(ph_simulation_advance(simulation, 5, &err));
    assert_ok(ph_simulation_advance(other, 5, &err));
    same_bits(look(simulation), look(other));
    /* moves are moves: a molecule that leaves the box comes back, and is unwrapped where it was moved to */
    struct state before = look(simulation);
    struct ph_energies energies[2];
    assert_ok(ph_simulation_energies(simulation, &energies[0], &err));
    view = view_of(simulation, PH_ARRAY_POSITION);
    view.data[5 * view.row] += 2.0 * start.edges[0];
    assert_ok(ph_simulation_changed(simulation, PH_ARRAY_POSITION, &err));
    assert_ok(ph_simulation_energies(simulation, &energies[1], &err));
    assert_true(view.data[5 * view.row] >= 0.0 && view.data[5 * view.row] < start.edges[0]);
    assert_close(energies[1].potential, energies[0].potential, 1e-11, fabs(energies[0].radial));
    struct state after = look(simulation);
    for (int k = 0; k < 3 * N; ++k)
        assert_close(after.numbers[0][k], before.numbers[0][k] + (k == 15 ? 2.0 * start.edges[0] : 0.0), 1e-14, 1.0);
    /* quaternions get length 1; what is impossible is refused */
    view = view_of(simulation, PH_ARRAY_QUATERNION);
    const double w = view.data[0];
    view.data[0] += 1e-7;
    assert_ok(ph_simulation_changed(simulation, PH_ARRAY_QUATERNION, &err));
    double q2 = 0.0;
    for (size_t k = 0; k < 4; ++k)
        q2 += view.data[k * view.column] * view.data[k * view.column];
    assert_close(q2, 1.0, 4e-16, 1.0);
    assert_true(view.data[0] != w);
    view.data[7] += 0.1;
    assert_error(ph_simulation_changed(simulation, PH_ARRAY_QUATERNION, &err), PH_ERR_INPUT, "molecule 7");
    assert_error(ph_simulation_changed(simulation, PH_ARRAY_FORCE, &err), PH_ERR_INPUT, "can be written");
    ph_simulation_destroy(simulation);
    ph_simulation_destroy(other);
}

static void steps_can_be_stopped(void **unused)
{
    struct start start;
    struct ph_simulation *simulation = make(&start), *other = make(&start);
    int steps = 0;
    assert_ok(ph_simulation_advance_until(simulation, 100, after_seven, &steps, &err));
    assert_int_equal(ph_simulation_step(simulation), 7);
    assert_ok(ph_simulation_advance(other, 7, &err));
    same_bits(look(simulation), look(other));
    ph_simulation_destroy(simulation);
    ph_simulation_destroy(other);
}

/* ---- A force of the caller's ---- */

/* u = k/2 (|r_0 - r_1| - d)^2 + k/2 |r_2 - a|^2 - g.(Q_3 e) : a bias on a distance, a tether, and an arm that turns */
struct pull {
    double distance_stiffness, distance, tether, anchor[3], field;
    int calls, fails_at;
};

static bool add_pull(struct ph_force_call *call, void *data)
{
    struct pull *pull = data;
    const double *r = call->positions, *q = call->quaternions + 12;
    if (++pull->calls == pull->fails_at)
        return false;
    double d[3], length = 0.0;
    for (int k = 0; k < 3; ++k) {
        d[k] = r[k] - r[3 + k];
        length += d[k] * d[k];
    }
    length = sqrt(length);
    const double off = length - pull->distance;
    call->energy = 0.5 * pull->distance_stiffness * off * off;
    for (int k = 0; k < 3; ++k) {
        const double f = -pull->distance_stiffness * off * d[k] / length, x = r[6 + k] - pull->anchor[k];
        call->forces[k] += f;
        call->forces[3 + k] -= f;
        call->forces[6 + k] -= pull->tether * x;
        call->energy += 0.5 * pull->tether * x * x;
    }
    /* n = Q e3, torque n x g e3 */
    const double n[3] = {2.0 * (q[1] * q[3] + q[0] * q[2]), 2.0 * (q[2] * q[3] - q[0] * q[1]),
                         q[0] * q[0] - q[1] * q[1] - q[2] * q[2] + q[3] * q[3]};
    call->torques[9] = pull->field * n[1];
    call->torques[10] = -pull->field * n[0];
    call->energy -= pull->field * n[2];
    return true;
}

static const struct pull pull_all = {400.0, 0.5, 300.0, {-0.4, -0.45, 0.0}, 20.0, 0, 0};

static struct ph_simulation *pulled(struct start *start, const char *scheme, double step, struct pull *pull)
{
    char words[2][64];
    snprintf(words[0], sizeof words[0], "dynamics.scheme=%s", scheme);
    snprintf(words[1], sizeof words[1], "dynamics.step=%.17g", step);
    const char *const sets[] = {words[0], words[1]};
    struct ph_simulation *simulation = NULL;
    make_start(start);
    assert_ok(ph_simulation_from_arrays(rules, 2, sets, &start->arrays, &simulation, &err));
    assert_ok(ph_simulation_set_force(simulation, add_pull, pull, false, &err));
    return simulation;
}

static struct state after_time(const char *scheme, double step, int64_t steps)
{
    struct pull pull = pull_all;
    struct start start;
    struct ph_simulation *simulation = pulled(&start, scheme, step, &pull);
    struct ph_energies first, last;
    assert_ok(ph_simulation_energies(simulation, &first, &err));
    assert_ok(ph_simulation_advance(simulation, steps, &err));
    assert_ok(ph_simulation_energies(simulation, &last, &err));
    assert_true(fabs(first.external) > 1.0 && fabs(last.external - first.external) > 0.1);
    assert_close(last.total, first.total, 1e-3, first.kinetic_translation + fabs(first.potential));
    const struct state state = look(simulation);
    ph_simulation_destroy(simulation);
    return state;
}

static double difference(const struct state *a, const struct state *b)
{
    double worst = 0.0;
    for (int part = 0; part < 4; part += 2) /* positions, quaternions */
        for (int k = 0; k < 16; ++k)        /* of those that are pulled */
            worst = fmax(worst, fabs(a->numbers[part][k] - b->numbers[part][k]));
    return worst;
}

/* A wrong sign of the force, or forces of another state, would show in the order and in the energy. */
static void schemes_keep_their_order_with_the_callers_force(void **unused)
{
    const struct state exact = after_time("srkn6-11b", 2.5e-4, 160), coarse = after_time("verlet", 1e-3, 40),
                       fine = after_time("verlet", 5e-4, 80);
    const double slope = log2(difference(&coarse, &exact) / difference(&fine, &exact));
    if (!(fabs(slope - 2.0) < 0.2))
        fail_msg("order %.3f, errors %.3e, %.3e", slope, difference(&coarse, &exact), difference(&fine, &exact));
}

/* Of the same energy: interactions.external.tether, of molecules where they are at the start */
static bool add_tethers(struct ph_force_call *call, void *data)
{
    const double k = 250.0, *anchor = data;
    for (size_t i = 0; i < 3 * call->molecules; ++i) {
        const double d = call->positions[i] - anchor[i];
        call->energy += 0.5 * k * d * d;
        call->forces[i] = -k * d;
    }
    return true;
}

static void the_callers_force_is_the_same_as_a_field(void **unused)
{
    static const char *const sets[] = {"interactions.external.tether=250"};
    struct start start;
    struct ph_simulation *one = NULL, *two = make(&start);
    assert_ok(ph_simulation_from_arrays(rules, 1, sets, &start.arrays, &one, &err));
    struct ph_energies a, b;
    assert_ok(ph_simulation_energies(two, &b, &err));
    const double before = b.temperature_translation;
    assert_ok(ph_simulation_set_force(two, add_tethers, start.position, false, &err));
    for (int pass = 0; pass < 3; ++pass) {
        assert_ok(ph_simulation_energies(one, &a, &err));
        assert_ok(ph_simulation_energies(two, &b, &err));
        assert_close(a.external, b.external, 1e-12, fabs(a.external) + 1.0);
        assert_close(a.total, b.total, 1e-12, fabs(a.radial));
        assert_close(a.pressure, b.pressure, 1e-11, fabs(a.pressure));
        assert_close(a.temperature, b.temperature, 1e-12, a.temperature);
        double force[2][3 * N];
        assert_ok(ph_simulation_read(one, PH_ARRAY_FORCE, force[0], &err));
        assert_ok(ph_simulation_read(two, PH_ARRAY_FORCE, force[1], &err));
        for (int k = 0; k < 3 * N; ++k)
            assert_close(force[0][k], force[1][k], 1e-11, 1e3);
        assert_ok(ph_simulation_advance(one, 10, &err));
        assert_ok(ph_simulation_advance(two, 10, &err));
    }
    assert_true(a.external > 0.1);
    /* degrees of freedom: a force that keeps the momentum takes three less */
    struct pull pull = pull_all;
    pull.tether = 0.0;
    ph_simulation_destroy(two);
    two = make(&start);
    assert_ok(ph_simulation_set_force(two, add_pull, &pull, false, &err));
    assert_ok(ph_simulation_energies(two, &b, &err));
    assert_close(b.temperature_translation, before * (3.0 * N - 3.0) / (3.0 * N), 1e-14, before);
    assert_ok(ph_simulation_set_force(two, add_pull, &pull, true, &err));
    assert_ok(ph_simulation_energies(two, &b, &err));
    assert_close(b.temperature_translation, before, 1e-14, before);
    assert_true(b.external != 0.0);
    assert_ok(ph_simulation_set_force(two, NULL, NULL, false, &err));
    assert_ok(ph_simulation_energies(two, &b, &err));
    assert_true(b.external == 0.0);
    ph_simulation_destroy(one);
    ph_simulation_destroy(two);
}

static void refused_with(const char *set, const char *words)
{
    struct pull pull = pull_all;
    struct start start;
    struct ph_simulation *simulation = NULL;
    make_start(&start);
    assert_ok(ph_simulation_from_arrays(rules, 1, &set, &start.arrays, &simulation, &err));
    assert_error(ph_simulation_set_force(simulation, add_pull, &pull, true, &err), PH_ERR_INPUT, words);
    assert_ok(ph_simulation_advance(simulation, 2, &err)); /* without it */
    ph_simulation_destroy(simulation);
}

static void forces_that_cannot_be_are_refused(void **unused)
{
    refused_with("dynamics.scheme=chin4a", "force gradients");
    refused_with("dynamics.barostat={kind: ramp, density: 30}", "barostat");
    refused_with("output.configurational_temperature=true", "configurational_temperature");
    struct start start;
    struct pull pull = pull_all;
    struct ph_simulation *simulation = make(&start);
    pull.fails_at = 1;
    assert_error(ph_simulation_set_force(simulation, add_pull, &pull, true, &err), PH_ERR_INPUT,
                 "could not be computed");
    struct ph_energies energies;
    assert_ok(ph_simulation_energies(simulation, &energies, &err));
    assert_true(energies.external == 0.0);
    assert_ok(ph_simulation_set_force(simulation, add_pull, &pull, true, &err));
    pull.fails_at = pull.calls + 5;
    assert_error(ph_simulation_advance(simulation, 10, &err), PH_ERR_INPUT, "could not be computed");
    ph_simulation_destroy(simulation);
    simulation = make(&start);
    pull = pull_all;
    pull.field = NAN;
    assert_error(ph_simulation_set_force(simulation, add_pull, &pull, true, &err), PH_ERR_NUMBERS, "caller's force");
    ph_simulation_destroy(simulation);
}

/* Files cannot hold functions: who resumes gives it again, and then all goes on as it would have, bit for bit. */
static void a_force_is_given_again_after_resuming(void **unused)
{
    struct start start;
    struct pull pull = pull_all;
    struct ph_simulation *simulation = pulled(&start, "verlet", 0.001, &pull), *resumed = NULL;
    assert_ok(ph_simulation_advance(simulation, 5, &err));
    assert_ok(ph_simulation_save_as(simulation, "pulled", &err));
    assert_ok(ph_simulation_resume("pulled", -1, &resumed, &err));
    struct ph_energies energies, saved;
    assert_error(ph_simulation_energies(resumed, &energies, &err), PH_ERR_INPUT, "gives it again");
    assert_error(ph_simulation_advance(resumed, 1, &err), PH_ERR_INPUT, "gives it again");
    assert_error(ph_simulation_finish(resumed, false, NULL, NULL, &err), PH_ERR_INPUT, "gives it again");
    assert_ok(ph_simulation_set_force(resumed, add_pull, &pull, false, &err));
    assert_ok(ph_simulation_energies(simulation, &saved, &err));
    assert_ok(ph_simulation_energies(resumed, &energies, &err));
    assert_true(energies.external == saved.external && energies.temperature == saved.temperature);
    assert_ok(ph_simulation_advance(simulation, 20, &err));
    assert_ok(ph_simulation_advance(resumed, 20, &err));
    same_bits(look(simulation), look(resumed));
    ph_simulation_destroy(resumed);
    assert_ok(ph_simulation_resume("pulled", -1, &resumed, &err));
    assert_ok(ph_simulation_set_force(resumed, NULL, NULL, false, &err)); /* or on purpose not */
    assert_ok(ph_simulation_energies(resumed, &energies, &err));
    assert_true(energies.external == 0.0);
    ph_simulation_destroy(resumed);
    ph_simulation_destroy(simulation);
    /* a run that was stopped, with its trajectory */
    simulation = make(&start);
    assert_ok(ph_simulation_set_force(simulation, add_pull, &pull, false, &err));
    assert_ok(ph_simulation_finish(simulation, true, NULL, NULL, &err));
    const struct state whole = look(simulation);
    ph_simulation_destroy(simulation);
    simulation = make(&start);
    int steps = 0;
    assert_ok(ph_simulation_set_force(simulation, add_pull, &pull, false, &err));
    assert_ok(ph_simulation_finish(simulation, true, after_seven, &steps, &err));
    ph_simulation_destroy(simulation);
    assert_ok(ph_simulation_resume("water.h5md", -1, &resumed, &err));
    assert_ok(ph_simulation_set_force(resumed, add_pull, &pull, false, &err));
    assert_ok(ph_simulation_finish(resumed, false, NULL, NULL, &err));
    assert_int_equal(ph_simulation_step(resumed), 12);
    same_bits(look(resumed), whole);
    ph_simulation_destroy(resumed);
}

/* No angular momentum comes up about the axis of a linear molecule. */
static bool twist(struct ph_force_call *call, void *data)
{
    for (size_t k = 0; k < 3 * call->molecules; ++k)
        call->torques[k] = 1.0 + (double)k;
    return true;
}

static void torques_about_axes_without_inertia_do_nothing(void **unused)
{
    const double positions[6] = {0, 0, 0, 3, 0, 0}, quaternions[8] = {1, 0, 0, 0, 0.8, 0.6, 0, 0};
    const char *model = "dipolar-lj-dumbbell";
    const size_t count = 2;
    const struct ph_arrays arrays = {
        .n_species = 1, .models = &model, .counts = &count, .positions = positions, .quaternions = quaternions};
    struct ph_simulation *simulation = NULL;
    assert_ok(ph_simulation_from_arrays("units: reduced\ndynamics: {step: 0.001, steps: 5}\n", 0, NULL, &arrays,
                                        &simulation, &err));
    assert_ok(ph_simulation_set_force(simulation, twist, NULL, true, &err));
    const struct ph_species_facts facts = ph_simulation_species_facts(simulation, 0);
    struct ph_view m = view_of(simulation, PH_ARRAY_ANGULAR_MOMENTUM);
    assert_ok(ph_simulation_advance(simulation, 1, &err));
    for (size_t i = 0; i < count; ++i)
        for (size_t k = 0; k < 3; ++k) {
            const double x = m.data[i * m.row + k * m.column];
            assert_true(facts.inertia[k] > 0.0 ? x != 0.0 : fabs(x) < 1e-15);
        }
    ph_simulation_destroy(simulation);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_are_read_as_they_were_given),
        cmocka_unit_test(a_file_and_its_text_give_the_same),
        cmocka_unit_test(forces_are_gradients_of_the_energy),
        cmocka_unit_test(terms_add_up_to_the_potential_energy),
        cmocka_unit_test(energy_is_conserved_and_motion_runs_backwards),
        cmocka_unit_test(a_saved_simulation_goes_on_bit_for_bit),
        cmocka_unit_test(runs_have_trajectories_and_are_resumed),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(point_particles_do_not_turn),
        cmocka_unit_test(simulations_of_two_threads_do_not_know_each_other),
        cmocka_unit_test(views_are_the_present_state),
        cmocka_unit_test(what_is_written_through_views_counts),
        cmocka_unit_test(steps_can_be_stopped),
        cmocka_unit_test(schemes_keep_their_order_with_the_callers_force),
        cmocka_unit_test(the_callers_force_is_the_same_as_a_field),
        cmocka_unit_test(forces_that_cannot_be_are_refused),
        cmocka_unit_test(a_force_is_given_again_after_resuming),
        cmocka_unit_test(torques_about_axes_without_inertia_do_nothing),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
