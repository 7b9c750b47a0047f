/* SPDX-License-Identifier: MIT */
/* The term of a bias that the library PLUMED computes from the places of all sites. Its atoms are the sites in the
 * order of molecules and of the sites of a model, from 1. Its forces on sites become forces and torques on molecules.
 *
 * Within a step PLUMED evaluates the bias of that step, as often as the scheme asks. Only at the end of a step may it
 * act: print, add hills, change restraints. The bias energy then changes by a work, which conserved energies exclude.
 *
 * Where several ranks share the molecules, the first rank calls PLUMED for all of them and sends the forces. */
#include "base/array.h"
#include "base/rotation.h"
#include "base/vec3.h"
#include "force/external/plumed_kernel.h"
#include "force/external/rows.h"
#include "force/term.h"
#include "parallel/ranks.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct plumed {
    const struct ph_sites *sites; /* not owned */
    struct ph_plumed given;
    double *rows; /* owned; positions, quaternions, forces, torques of molecules, one after the other */
    /* On the first rank: owned; sites of all molecules, or of none on other ranks. PLUMED keeps these addresses. */
    size_t n_sites;
    double *place, *arm, *push, *mass, *charge;
    double box[9], virial[9];
    struct ph_plumed_kernel kernel;
};

/* What the first rank sends besides forces: the molecular virial, as ph_energy has it */
struct result {
    double bias, work, virial[9];
};

static void destroy(void *term)
{
    struct plumed *plumed = term;
    ph_plumed_kernel_close(&plumed->kernel);
    free(plumed->rows);
    free(plumed->place);
    free(plumed);
}

/* The arrays of sites are one piece of memory. */
enum { SITE_NUMBERS = 3 + 3 + 3 + 1 + 1 };

static bool create_sites(const struct ph_system *system, struct plumed *plumed)
{
    if (!ph_ranks_is_first())
        return true;
    for (size_t s = 0; s < system->n_species; ++s)
        plumed->n_sites += (system->first[s + 1] - system->first[s]) * system->species[s].n_sites;
    const size_t n = plumed->n_sites;
    if (!(plumed->place = ph_array_create(n + 1, SITE_NUMBERS * sizeof(double))))
        return false;
    plumed->arm = plumed->place + 3 * n;
    plumed->push = plumed->arm + 3 * n;
    plumed->mass = plumed->push + 3 * n;
    plumed->charge = plumed->mass + n;
    size_t a = 0;
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t i = system->first[s]; i < system->first[s + 1]; ++i)
            for (size_t k = 0; k < system->species[s].n_sites; ++k, ++a) {
                plumed->mass[a] = system->species[s].site[k].mass;
                plumed->charge[a] = system->species[s].site[k].charge;
            }
    return true;
}

static enum ph_status create(const struct ph_term_setup *setup, void **out, struct ph_error *err)
{
    if (!setup->interactions->plumed.file[0])
        return PH_OK;
    struct plumed *plumed = calloc(1, sizeof *plumed);
    if (plumed)
        *plumed = (struct plumed){.sites = setup->sites,
                                  .given = setup->interactions->plumed,
                                  .rows = ph_array_create(setup->system->n + 1, PH_ROW * sizeof(double))};
    if (!plumed || !plumed->rows || !create_sites(setup->system, plumed)) {
        if (plumed)
            destroy(plumed);
        return ph_no_memory(err, "a bias on %zu molecules", setup->system->n);
    }
    *out = plumed;
    return PH_OK;
}

/* ---- Commands ---- */

/* Sends commands until one fails. */
struct talk {
    struct plumed *plumed;
    enum ph_status status;
    struct ph_error *err;
};

static void say(struct talk *talk, const char *word, const void *value)
{
    if (talk->status == PH_OK)
        talk->status = ph_plumed_kernel_command(&talk->plumed->kernel, word, value, talk->err);
}

/* PLUMED counts in nm, ps, kJ/mol, u and e, as md units do. */
static enum ph_status begin(struct plumed *plumed, struct ph_error *err)
{
    const struct ph_plumed *given = &plumed->given;
    if (plumed->n_sites > INT_MAX)
        return ph_error_set(err, PH_ERR_INPUT, "interactions.plumed: PLUMED cannot have %zu sites.", plumed->n_sites);
    struct talk talk = {plumed, ph_plumed_kernel_open(&plumed->kernel, err), err};
    int version = 0;
    const int precision = sizeof(double), n = (int)plumed->n_sites, restart = given->clock && given->clock->restarts;
    say(&talk, "getApiVersion", &version);
    if (talk.status == PH_OK && version < 4)
        talk.status =
            ph_error_set(err, PH_ERR_INPUT,
                         "interactions.plumed: PLUMED has version %d of its interface; at least 4 is needed.", version);
    say(&talk, "setRealPrecision", &precision);
    if (given->reduced)
        say(&talk, "setNaturalUnits", NULL);
    say(&talk, "setMDEngine", "Polhode");
    if (given->step > 0.0)
        say(&talk, "setTimestep", &given->step);
    if (given->kT > 0.0)
        say(&talk, "setKbT", &given->kT);
    say(&talk, "setPlumedDat", given->file);
    say(&talk, "setLogFile", given->log);
    say(&talk, "setNatoms", &n);
    say(&talk, "setRestart", &restart);
    say(&talk, "init", NULL);
    if (talk.status != PH_OK)
        ph_plumed_kernel_close(&plumed->kernel);
    return talk.status;
}

/* Evaluates the bias: energy, virial, forces on sites. `acts`: PLUMED also does its work of this step. */
static enum ph_status perform(struct plumed *plumed, bool acts, double *bias, struct ph_error *err)
{
    const struct ph_plumed_clock *clock = plumed->given.clock;
    const long step = clock ? (long)clock->step : 0;
    const int saves = acts && clock->saves;
    int needs_energy = 0;
    memset(plumed->push, 0, 3 * plumed->n_sites * sizeof(double));
    memset(plumed->virial, 0, sizeof plumed->virial);
    struct talk talk = {plumed, PH_OK, err};
    say(&talk, "setStepLong", &step);
    say(&talk, "setPositions", plumed->place);
    say(&talk, "setMasses", plumed->mass);
    say(&talk, "setCharges", plumed->charge);
    say(&talk, "setBox", plumed->box);
    say(&talk, "setForces", plumed->push);
    say(&talk, "setVirial", plumed->virial);
    say(&talk, "doCheckPoint", &saves);
    say(&talk, "prepareCalc", NULL);
    say(&talk, "isEnergyNeeded", &needs_energy);
    if (talk.status == PH_OK && needs_energy)
        return ph_error_set(err, PH_ERR_INPUT,
                            "interactions.plumed: '%.200s' takes the potential energy of the system (ENERGY), which "
                            "is not supported: accepted are functions of places, box, masses and charges.",
                            plumed->given.file);
    say(&talk, acts ? "performCalc" : "performCalcNoUpdate", NULL);
    say(&talk, "getBias", bias);
    return talk.status;
}

/* ---- Sites and molecules ---- */

static void place_sites(const struct ph_system *system, struct plumed *plumed)
{
    const double *positions = plumed->rows, *quaternions = positions + 3 * system->n;
    size_t a = 0;
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t i = system->first[s]; i < system->first[s + 1]; ++i)
            for (size_t k = 0; k < system->species[s].n_sites; ++k, ++a) {
                double *arm = plumed->arm + 3 * a;
                ph_quat_rotate(quaternions + 4 * i, system->species[s].site[k].position, arm);
                for (int x = 0; x < 3; ++x)
                    plumed->place[3 * a + (size_t)x] = positions[3 * i + (size_t)x] + arm[x];
            }
    for (int e = 0; e < 3; ++e)
        for (int x = 0; x < 3; ++x)
            plumed->box[3 * e + x] = system->box.kind == PH_BOX_OPEN ? 0.0 : system->box.edge[e][x];
}

/* Sums forces on sites. PLUMED's virial is minus the sum of r f over sites; that of molecules has centres instead. */
static void sum_sites(const struct ph_system *system, const struct plumed *plumed, double *forces, double *torques,
                      double virial[9])
{
    for (int k = 0; k < 9; ++k)
        virial[k] = -plumed->virial[k];
    size_t a = 0;
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t i = system->first[s]; i < system->first[s + 1]; ++i)
            for (size_t k = 0; k < system->species[s].n_sites; ++k, ++a) {
                const double *arm = plumed->arm + 3 * a, *push = plumed->push + 3 * a;
                ph_vec3_add_cross(arm, push, torques + 3 * i);
                for (int x = 0; x < 3; ++x) {
                    forces[3 * i + (size_t)x] += push[x];
                    for (int y = 0; y < 3; ++y)
                        virial[3 * x + y] -= arm[x] * push[y];
                }
            }
}

/* Calls PLUMED on the first rank. At the end of a step it acts first; forces are those of the bias after that. */
static enum ph_status compute(struct plumed *plumed, const struct ph_system *system, bool ends, double *forces,
                              struct result *result, struct ph_error *err)
{
    double before = 0.0;
    enum ph_status status = plumed->kernel.plumed ? PH_OK : begin(plumed, err);
    if (status != PH_OK)
        return status;
    place_sites(system, plumed);
    if (ends)
        status = perform(plumed, true, &before, err);
    if (status == PH_OK)
        status = perform(plumed, false, &result->bias, err);
    if (status != PH_OK)
        return status;
    result->work = ends ? result->bias - before : 0.0;
    memset(forces, 0, 6 * system->n * sizeof(double));
    sum_sites(system, plumed, forces, forces + 3 * system->n, result->virial);
    return PH_OK;
}

static enum ph_status evaluate(void *term, struct ph_system *system, struct ph_energy *energy, struct ph_error *err)
{
    struct plumed *plumed = term;
    struct ph_plumed_clock *clock = plumed->given.clock;
    const size_t n = system->n;
    const bool ends = energy && clock && clock->ends;
    double *positions = plumed->rows, *quaternions = positions + 3 * n, *forces = quaternions + 4 * n,
           *torques = forces + 3 * n;
    struct result result = {.bias = 0.0};
    ph_rows_gather(plumed->sites, system, positions, quaternions);
    enum ph_status status = PH_OK;
    if (ph_ranks_is_first())
        status = compute(plumed, system, ends, forces, &result, err);
    status = ph_ranks_agree(status, err);
    if (status != PH_OK)
        return status;
    ph_ranks_broadcast(6 * n * sizeof(double), forces);
    ph_ranks_broadcast(sizeof result, &result);
    ph_rows_add(plumed->sites, quaternions, forces, torques, system);
    if (energy) {
        energy->bias += result.bias;
        for (int k = 0; k < 9; ++k)
            energy->virial[k / 3][k % 3] += result.virial[k];
    }
    if (ends) {
        clock->work += result.work;
        clock->ends = false;
    }
    return PH_OK;
}

static enum ph_status refuse_rates(void *term, const struct ph_system *system, const struct ph_rates *rates,
                                   struct ph_error *err)
{
    (void)term, (void)system, (void)rates;
    return ph_error_set(err, PH_ERR_INPUT,
                        "interactions.plumed: PLUMED gives no derivatives of its forces, which this method or "
                        "observable needs.");
}

const struct ph_term_kind ph_term_plumed = {
    .name = "the bias of PLUMED",
    .create = create,
    .destroy = destroy,
    .evaluate = evaluate,
    .rates = refuse_rates,
};
