/* SPDX-License-Identifier: MIT */
#include "lab/problems/problem.h"

#include "base/random.h"
#include "force/force_field.h"
#include "run/build/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct ph_problem *const problems[] = {
    &ph_problem_perturbed_body,  &ph_problem_satellite,      &ph_problem_slow_top,       &ph_problem_fast_top,
    &ph_problem_random_body,     &ph_problem_book,           &ph_problem_heavy_book,     &ph_problem_flat_body,
    &ph_problem_asymmetric_body, &ph_problem_free_body,      &ph_problem_soft_wall,      &ph_problem_attractor,
    &ph_problem_dipole_cloud,    &ph_problem_dipole_lattice, &ph_problem_dipolar_liquid, &ph_problem_spherical_pendulum,
    &ph_problem_dipole_array,
};

size_t ph_problem_count(void) { return sizeof problems / sizeof problems[0]; }

const struct ph_problem *ph_problem_at(size_t index) { return index < ph_problem_count() ? problems[index] : NULL; }

const struct ph_problem *ph_problem_find(const char *name)
{
    for (size_t i = 0; i < ph_problem_count(); ++i)
        if (strcmp(problems[i]->name, name) == 0)
            return problems[i];
    return NULL;
}

void ph_posed_clear(struct ph_posed *posed)
{
    ph_system_destroy(posed->system);
    ph_interactions_free(&posed->interactions);
    *posed = (struct ph_posed){.system = NULL};
}

enum ph_status ph_posed_copy_system(const struct ph_system *from, struct ph_system **out, struct ph_error *err)
{
    size_t *counts = calloc(from->n_species, sizeof *counts);
    if (!counts)
        return ph_no_memory(err, "a system of %zu molecules", from->n);
    for (size_t s = 0; s < from->n_species; ++s)
        counts[s] = from->first[s + 1] - from->first[s];
    const enum ph_status status = ph_system_create(from->n_species, from->species, counts, &from->box, out, err);
    free(counts);
    if (status != PH_OK)
        return status;
    const size_t bytes = from->n * sizeof(double);
    for (int k = 0; k < 3; ++k) {
        memcpy((*out)->r[k], from->r[k], bytes);
        memcpy((*out)->p[k], from->p[k], bytes);
        memcpy((*out)->m[k], from->m[k], bytes);
        memcpy((*out)->image[k], from->image[k], from->n * sizeof *from->image[k]);
    }
    for (int k = 0; k < 4; ++k)
        memcpy((*out)->q[k], from->q[k], bytes);
    return PH_OK;
}

enum ph_status ph_posed_body(const char *name, const double inertia[3], struct ph_posed *posed, struct ph_error *err)
{
    struct ph_species species = {.n_sites = 1, .site = {{.name = "A"}}};
    snprintf(species.name, sizeof species.name, "%s", name);
    const double mass = 1.0;
    const struct ph_box box = ph_box_open();
    const size_t count = 1;
    enum ph_status status = ph_species_complete(&species, &mass, inertia, err);
    if (status == PH_OK)
        status = ph_system_create(1, &species, &count, &box, &posed->system, err);
    posed->interactions = (struct ph_interactions){.truncation = PH_TRUNCATE_NONE, .coulomb = 1.0, .pinned = true};
    return status;
}

enum ph_status ph_posed_energy(const struct ph_posed *posed, double *potential, double *kinetic, struct ph_error *err)
{
    struct ph_force_field *field;
    struct ph_energy energy;
    enum ph_status status = ph_force_field_create(posed->system, &posed->interactions, &field, err);
    if (status == PH_OK)
        status = ph_force_field_evaluate(field, posed->system, PH_FORCES_ALL, NULL, &energy, err);
    if (status == PH_OK) {
        *potential = ph_energy_total(&energy);
        *kinetic = ph_system_kinetic_translation(posed->system) + ph_system_kinetic_rotation(posed->system);
    }
    ph_force_field_destroy(field);
    return status;
}

static enum ph_status set(const struct ph_problem *problem, const struct ph_setting *setting, double *value,
                          struct ph_error *err)
{
    for (size_t k = 0; k < problem->n_parameters; ++k)
        if (strcmp(problem->parameter[k].name, setting->name) == 0) {
            value[k] = setting->value;
            return PH_OK;
        }
    return ph_error_set(err, PH_ERR_INPUT, "The problem '%s' has no parameter '%s'.", problem->name, setting->name);
}

enum ph_status ph_problem_pose(const struct ph_problem *problem, size_t n_settings, const struct ph_setting *settings,
                               uint64_t seed, uint64_t number, struct ph_posed *posed, struct ph_error *err)
{
    *posed = (struct ph_posed){.system = NULL};
    double value[PH_PROBLEM_PARAMETERS];
    for (size_t k = 0; k < problem->n_parameters; ++k)
        value[k] = problem->parameter[k].value;
    for (size_t k = 0; k < n_settings; ++k) {
        const enum ph_status status = set(problem, &settings[k], value, err);
        if (status != PH_OK)
            return status;
    }
    /* Each start has a seed of its own, so that its random streams are independent of the streams of other starts. */
    struct ph_random random = ph_random_stream(seed, PH_RANDOM_PROBLEM, number);
    return problem->pose(value, ph_random_bits(&random), posed, err);
}
