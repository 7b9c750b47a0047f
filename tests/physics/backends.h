/* SPDX-License-Identifier: MIT */
#ifndef PH_TESTS_BACKENDS_H
#define PH_TESTS_BACKENDS_H

/* `emulated` beside the processor: forces, and courses of the same steps */

#include "support.h"

#include "accel/backends.h"
#include "dynamics/dynamics.h"
#include "force/force_field.h"
#include "model/system.h"
#include "output/checkpoint/hash.h"

#include <stdlib.h>
#include <string.h>

/* Numbers in [-1/2, 1/2), by a multiplicative generator */
static inline double number(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-53 - 0.5;
}

/* Any attitude for molecule i, if it has one; as many numbers are drawn for all */
static inline void turn_anyhow(const struct ph_species *species, size_t i, uint64_t *state, struct ph_system *system)
{
    double norm = 0.0, q[4];
    for (int k = 0; k < 4; ++k) {
        q[k] = number(state);
        norm += q[k] * q[k];
    }
    for (int k = 0; k < 4 && species->degrees > 0; ++k)
        system->q[k][i] = q[k] / sqrt(norm);
}

/* Where backends of tests are made: `emulated`, or what a test has instead of it */
static const struct ph_machine *machine_of_tests = &ph_machine_emulated;

static inline struct ph_backend *make_backend(const struct ph_system *system,
                                              const struct ph_interactions *interactions)
{
    struct ph_backend *backend;
    assert_ok(ph_engine_create(machine_of_tests, "emulated", system, interactions, true, &backend, &err));
    return backend;
}

/* ---- Forces ---- */

static inline double largest(size_t n, double *const x[3])
{
    double most = 0.0;
    for (int k = 0; k < 3; ++k)
        for (size_t i = 0; i < n; ++i)
            most = fmax(most, fabs(x[k][i]));
    return most;
}

/* Of all charges: about the self-energy, of which the energy of waves is a small rest */
static inline double squares(const struct ph_system *system)
{
    double sum = 0.0;
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t a = 0; a < system->species[s].n_sites; ++a) {
            const double q = system->species[s].site[a].charge;
            sum += q * q * (double)(system->first[s + 1] - system->first[s]);
        }
    return sum;
}

/* Forces and torques of the backend beside those of the processor, to `of_forces` of the largest; energies and virial;
 * destroys the system. */
static inline void compare_forces_to(double of_forces, struct ph_system *system,
                                     const struct ph_interactions *interactions)
{
    const double part = 1e-13;
    const size_t n = system->n;
    struct ph_force_field *field;
    struct ph_energy here, there;
    assert_ok(ph_force_field_create(system, interactions, &field, &err));
    assert_ok(ph_force_field_evaluate(field, system, PH_FORCES_ALL, NULL, &here, &err));
    double *want = malloc(6 * n * sizeof *want);
    assert_non_null(want);
    for (size_t k = 0; k < 3; ++k) {
        memcpy(want + k * n, system->f[k], n * sizeof(double));
        memcpy(want + (3 + k) * n, system->t[k], n * sizeof(double));
    }
    const double torque = largest(n, system->t);
    const double force = largest(n, system->f) + (n == 1 ? torque : 0.0); /* its own images push from all sides */
    assert_true(force > 0.1 && force < 1e7);
    struct ph_backend *backend = make_backend(system, interactions);
    for (int energy = 0; energy < 2; ++energy) { /* each has a kernel of its own */
        assert_ok(backend->write(backend, PH_STATE_ALL, system, NULL, &err));
        assert_ok(backend->evaluate(backend, energy ? &there : NULL, &err));
        assert_ok(backend->read(backend, PH_STATE_FORCES, system, NULL, &err));
        for (size_t k = 0; k < 3; ++k)
            for (size_t i = 0; i < n; ++i) {
                assert_close(system->f[k][i], want[k * n + i], of_forces, force);
                assert_close(system->t[k][i], want[(3 + k) * n + i], of_forces, torque);
            }
    }
    const double size = fabs(here.radial) + fabs(here.electric) + fabs(here.waves) + fabs(here.field) + 1.0;
    assert_close(there.radial, here.radial, part, size);
    assert_close(there.electric, here.electric, part, size);
    assert_close(there.waves, here.waves, part, size + squares(system));
    assert_close(there.field, here.field, part, size);
    assert_close(there.long_range, here.long_range, 0.0, 1.0);
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
            assert_close(there.virial[a][b], here.virial[a][b], 2.0 * part,
                         fabs(here.virial[0][0]) + fabs(here.virial[1][1]) + fabs(here.virial[2][2]) + size);
    backend->destroy(backend);
    ph_force_field_destroy(field);
    ph_system_destroy(system);
    free(want);
}

static inline void compare_forces(struct ph_system *system, const struct ph_interactions *interactions)
{
    compare_forces_to(1e-13, system, interactions);
}

/* ---- Courses ---- */

struct course {
    struct ph_system *system;
    struct ph_force_field *field;
    struct ph_backend *backend; /* NULL: the processor */
    struct ph_dynamics *dynamics;
};

static inline struct course begin(struct ph_system *system, const struct ph_interactions *interactions,
                                  const char *scheme, double step, bool elsewhere)
{
    struct course course = {.system = system};
    assert_ok(ph_force_field_create(system, interactions, &course.field, &err));
    course.backend = elsewhere ? make_backend(system, interactions) : NULL;
    const struct ph_dynamics_options options = {.scheme = ph_scheme_find(scheme),
                                                .flow = ph_flow_find("exact"),
                                                .step = step,
                                                .compensated = true,
                                                .backend = course.backend};
    assert_non_null(options.scheme);
    assert_ok(ph_dynamics_create(system, course.field, &options, &course.dynamics, &err));
    return course;
}

static inline void finish(struct course *course)
{
    ph_dynamics_destroy(course->dynamics);
    if (course->backend)
        course->backend->destroy(course->backend);
    ph_force_field_destroy(course->field);
    ph_system_destroy(course->system);
}

static inline void advance(const struct course *course, long steps, struct ph_energy *energy)
{
    const int parts = PH_STATE_PLACES | PH_STATE_MOMENTA | (energy ? PH_STATE_FORCES : 0);
    assert_ok(ph_dynamics_advance(course->dynamics, steps, &err));
    assert_ok(ph_dynamics_synchronise(course->dynamics, energy, &err));
    assert_ok(ph_state_show(ph_dynamics_state(course->dynamics), parts, &err));
}

static inline double distance(const struct ph_system *one, const struct ph_system *other)
{
    double square = 0.0;
    for (size_t i = 0; i < one->n; ++i)
        for (int k = 0; k < 3; ++k) {
            const double dp = one->p[k][i] - other->p[k][i], dm = one->m[k][i] - other->m[k][i];
            double dr = one->r[k][i] - other->r[k][i];
            for (int e = 0; e < 3; ++e)
                dr += one->box.edge[e][k] * (one->image[e][i] - other->image[e][i]);
            square += dr * dr + dp * dp + dm * dm;
        }
    return sqrt(square);
}

static inline uint64_t hash_after(const struct course *course, long steps)
{
    assert_ok(ph_dynamics_advance(course->dynamics, steps, &err));
    assert_ok(ph_state_show(ph_dynamics_state(course->dynamics), PH_STATE_ALL, &err));
    return ph_state_hash(course->system);
}

#endif
