/* SPDX-License-Identifier: MIT */
#include "dynamics/baths/metropolis.h"

#include "base/array.h"
#include "base/library.h"
#include "base/random.h"

#include <math.h>
#include <stdlib.h>

enum { DOUBLES = 13 }; /* rows of r, p, m and q; images follow */

struct ph_metropolis {
    double *row[PH_METROPOLIS_ROWS]; /* owned */
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
    for (int k = 0; k < PH_METROPOLIS_ROWS; ++k)
        free(metropolis->row[k]);
    free(metropolis);
}

/* Of whose memory the places in use are taken */
enum ph_status ph_metropolis_create(const struct ph_system *system, struct ph_metropolis **out, struct ph_error *err)
{
    *out = NULL;
    struct ph_metropolis *metropolis = calloc(1, sizeof *metropolis);
    bool ok = metropolis != NULL;
    for (int k = 0; k < PH_METROPOLIS_ROWS && ok; ++k)
        ok = (metropolis->row[k] = ph_array_create(ph_padded(system->n), sizeof(double))) != NULL;
    if (!ok) {
        ph_metropolis_destroy(metropolis);
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for a second state of %zu molecules.", system->n);
    }
    *out = metropolis;
    return PH_OK;
}

double *const *ph_metropolis_rows(const struct ph_metropolis *metropolis) { return metropolis->row; }

/* Where the state is that the first rows are of */
static void list_state(const struct ph_system *system, double *state[DOUBLES])
{
    for (int k = 0; k < 3; ++k) {
        state[k] = system->r[k];
        state[3 + k] = system->p[k];
        state[6 + k] = system->m[k];
    }
    for (int k = 0; k < 4; ++k)
        state[9 + k] = system->q[k];
}

/* An exact sum: the same whoever has which molecules */
static double kinetic(const struct ph_owned *own, const struct ph_system *system)
{
    double of[PH_BATH_GROUPS], sum = 0.0;
    ph_bath_kinetic(system, own, of);
    for (int group = 0; group < PH_BATH_GROUPS; ++group)
        sum += of[group];
    return sum;
}

void ph_metropolis_begin(struct ph_metropolis *metropolis, const struct ph_owned *own, const struct ph_system *system,
                         double numbers[PH_METROPOLIS_NUMBERS])
{
    const size_t n = own ? own->n : system->n;
    double *state[DOUBLES];
    list_state(system, state);
    for (int k = 0; k < PH_METROPOLIS_ROWS; ++k)
        for (size_t m = 0; m < n; ++m) {
            const size_t i = own ? own->molecule[m] : m;
            metropolis->row[k][i] = k < DOUBLES ? state[k][i] : system->image[k - DOUBLES][i];
        }
    numbers[PH_METROPOLIS_BEFORE] = numbers[PH_METROPOLIS_POTENTIAL] + kinetic(own, system);
}

static void go_back(const struct ph_metropolis *metropolis, const struct ph_owned *own, struct ph_system *system)
{
    const size_t n = own ? own->n : system->n;
    double *state[DOUBLES];
    list_state(system, state);
    for (int k = 0; k < PH_METROPOLIS_ROWS; ++k) {
        const double *kept = metropolis->row[k];
        const double sign = k >= 3 && k < 9 ? -1.0 : 1.0; /* of momenta */
        for (size_t m = 0; m < n; ++m) {
            const size_t i = own ? own->molecule[m] : m;
            if (k < DOUBLES)
                state[k][i] = sign * kept[i];
            else
                system->image[k - DOUBLES][i] = (int32_t)kept[i];
        }
    }
}

bool ph_metropolis_decide(struct ph_metropolis *metropolis, const struct ph_bath_options *bath, uint64_t step,
                          double potential, const struct ph_owned *own, struct ph_system *system,
                          double numbers[PH_METROPOLIS_NUMBERS])
{
    struct ph_random random = ph_random_stream(bath->seed, PH_RANDOM_METROPOLIS, step);
    const double error = potential + kinetic(own, system) - numbers[PH_METROPOLIS_BEFORE];
    const bool accepted = ph_library_log(ph_random_uniform(&random)) < -error / bath->kT; /* false for NaN */
    numbers[PH_METROPOLIS_TRIED] += 1.0;
    if (accepted) {
        numbers[PH_METROPOLIS_ACCEPTED] += 1.0;
        numbers[PH_METROPOLIS_POTENTIAL] = potential;
    } else {
        go_back(metropolis, own, system);
    }
    return accepted;
}
