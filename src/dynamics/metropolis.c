/* SPDX-License-Identifier: MIT */
#include "dynamics/metropolis.h"

#include "base/library.h"
#include "base/memory.h"
#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct ph_metropolis {
    double *r[3], *p[3], *q[4], *m[3]; /* owned */
    int32_t *image[3];                 /* owned */
};

const char *ph_metropolis_objection(const struct ph_flow *flow, const struct ph_integrator *integrator)
{
    const bool reversible = integrator ? integrator->claims.reversible : flow->claims.reversible;
    const bool volume = integrator ? integrator->claims.symplectic : flow->claims.poisson || flow->claims.symplectic;
    if (!reversible)
        return "is not reversible";
    return volume ? NULL : "does not keep the volume of phase space";
}

void ph_metropolis_destroy(struct ph_metropolis *metropolis)
{
    if (!metropolis)
        return;
    for (int k = 0; k < 3; ++k) {
        free(metropolis->r[k]);
        free(metropolis->p[k]);
        free(metropolis->m[k]);
        free(metropolis->image[k]);
    }
    for (int k = 0; k < 4; ++k)
        free(metropolis->q[k]);
    free(metropolis);
}

enum ph_status ph_metropolis_create(const struct ph_system *system, struct ph_metropolis **out, struct ph_error *err)
{
    *out = NULL;
    const size_t n = system->n;
    struct ph_metropolis *metropolis = calloc(1, sizeof *metropolis);
    bool ok = metropolis != NULL;
    for (int k = 0; k < 3 && ok; ++k)
        ok = (metropolis->r[k] = ph_allocate(n, sizeof(double))) &&
             (metropolis->p[k] = ph_allocate(n, sizeof(double))) &&
             (metropolis->m[k] = ph_allocate(n, sizeof(double))) &&
             (metropolis->image[k] = ph_allocate(n, sizeof(int32_t)));
    for (int k = 0; k < 4 && ok; ++k)
        ok = (metropolis->q[k] = ph_allocate(n, sizeof(double))) != NULL;
    if (!ok) {
        ph_metropolis_destroy(metropolis);
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for a second state of %zu molecules.", n);
    }
    *out = metropolis;
    return PH_OK;
}

static double kinetic(const struct ph_system *system)
{
    return ph_system_kinetic_translation(system) + ph_system_kinetic_rotation(system);
}

void ph_metropolis_begin(struct ph_metropolis *metropolis, const struct ph_system *system,
                         double numbers[PH_METROPOLIS_NUMBERS])
{
    const size_t size = system->n * sizeof(double);
    for (int k = 0; k < 3; ++k) {
        memcpy(metropolis->r[k], system->r[k], size);
        memcpy(metropolis->p[k], system->p[k], size);
        memcpy(metropolis->m[k], system->m[k], size);
        memcpy(metropolis->image[k], system->image[k], system->n * sizeof(int32_t));
    }
    for (int k = 0; k < 4; ++k)
        memcpy(metropolis->q[k], system->q[k], size);
    numbers[PH_METROPOLIS_BEFORE] = numbers[PH_METROPOLIS_POTENTIAL] + kinetic(system);
}

static void go_back(const struct ph_metropolis *metropolis, struct ph_system *system)
{
    const size_t size = system->n * sizeof(double);
    for (int k = 0; k < 3; ++k) {
        memcpy(system->r[k], metropolis->r[k], size);
        memcpy(system->image[k], metropolis->image[k], system->n * sizeof(int32_t));
        for (size_t i = 0; i < system->n; ++i) {
            system->p[k][i] = -metropolis->p[k][i];
            system->m[k][i] = -metropolis->m[k][i];
        }
    }
    for (int k = 0; k < 4; ++k)
        memcpy(system->q[k], metropolis->q[k], size);
}

bool ph_metropolis_decide(struct ph_metropolis *metropolis, const struct ph_bath_options *bath, uint64_t step,
                          double potential, struct ph_system *system, double numbers[PH_METROPOLIS_NUMBERS])
{
    struct ph_random random = ph_random_stream(bath->seed, PH_RANDOM_METROPOLIS, step);
    const double error = potential + kinetic(system) - numbers[PH_METROPOLIS_BEFORE];
    const bool accepted = ph_library_log(ph_random_uniform(&random)) < -error / bath->kT; /* false for NaN */
    numbers[PH_METROPOLIS_TRIED] += 1.0;
    if (accepted) {
        numbers[PH_METROPOLIS_ACCEPTED] += 1.0;
        numbers[PH_METROPOLIS_POTENTIAL] = potential;
    } else {
        go_back(metropolis, system);
    }
    return accepted;
}
