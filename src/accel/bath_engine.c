/* SPDX-License-Identifier: MIT */
/* Noise is begun and left alone: heat is summed on the machine, and read when somebody asks for it, as sums of the
 * state are for rows of a series. Who scales momenta waits for their kinetic energies, four numbers: how they become
 * factors is said on the host. */

#include "accel/bath_engine.h"

#include "accel/crossing.h"

#include <stdlib.h>
#include <string.h>

/* ---- Set-up ---- */

void ph_bath_engine_release(struct ph_engine *engine)
{
    const struct ph_machine *machine = engine->machine;
    const struct ph_bath_view *bath = &engine->view.bath;
    void *const arrays[] = {bath->noise, bath->kind, bath->id, bath->parts, bath->heat};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k)
        machine->release(arrays[k]);
    free(engine->bath.species);
}

static struct ph_sum_kind sum_kind_of(const struct ph_species *species)
{
    struct ph_sum_kind kind;
    ph_species_dipole(species, kind.dipole);
    for (int k = 0; k < PH_BATH_GROUPS; ++k) {
        const double inert = k == 0 ? species->mass : species->inertia[k - 1];
        kind.half_inverse[k] = inert > 0.0 ? 0.5 / inert : 0.0;
    }
    return kind;
}

enum ph_status ph_bath_engine_make(struct ph_engine *engine, const struct ph_system *system, struct ph_error *err)
{
    const struct ph_machine *machine = engine->machine;
    struct ph_bath_view *bath = &engine->view.bath;
    const size_t n_species = system->n_species, groups = (system->n + PH_SUM_GROUP - 1) / PH_SUM_GROUP;
    struct ph_sum_kind *kind = malloc(n_species * sizeof *kind);
    engine->bath.n_species = n_species;
    engine->bath.species = malloc(n_species * sizeof *engine->bath.species);
    enum ph_status status = kind && engine->bath.species ? PH_OK : PH_ERR_MEMORY;
    for (size_t s = 0; s < n_species && status == PH_OK; ++s) {
        kind[s] = sum_kind_of(&system->species[s]);
        engine->bath.species[s].mass = system->species[s].mass;
        memcpy(engine->bath.species[s].inertia, system->species[s].inertia, sizeof system->species[s].inertia);
    }
    bath->kind = ph_copy_there(machine, kind, n_species * sizeof *kind, &status, err);
    free(kind);
    if (status == PH_OK && !((bath->noise = machine->allocate(n_species * sizeof *bath->noise)) &&
                             (bath->id = machine->allocate(system->n * sizeof *bath->id)) &&
                             (bath->parts = machine->allocate(PH_STATE_SUMS * groups * sizeof *bath->parts)) &&
                             (bath->heat = machine->allocate(sizeof *bath->heat))))
        status = PH_ERR_MEMORY;
    return status;
}

/* ---- Operations ---- */

enum ph_status ph_bath_engine_kinetic(struct ph_backend *backend, double kinetic[PH_BATH_GROUPS], struct ph_error *err)
{
    struct ph_engine *engine = (struct ph_engine *)backend;
    enum ph_status status = ph_engine_run(engine, PH_TASK_KINETIC, engine->view.n, err);
    engine->view.owed = 0.0;
    if (status == PH_OK)
        status = ph_engine_wait(engine, err);
    if (status == PH_OK)
        memcpy(kinetic, engine->view.signals->sums, PH_BATH_GROUPS * sizeof *kinetic);
    return status;
}

enum ph_status ph_bath_engine_observe(struct ph_backend *backend, struct ph_state_sums *sums, struct ph_error *err)
{
    struct ph_engine *engine = (struct ph_engine *)backend;
    enum ph_status status = ph_engine_settle(engine, err);
    if (status == PH_OK)
        status = ph_engine_run(engine, PH_TASK_OBSERVE, engine->view.n, err);
    if (status == PH_OK)
        status = ph_engine_wait(engine, err);
    if (status == PH_OK)
        memcpy(sums, engine->view.signals->sums, sizeof *sums);
    return status;
}

enum ph_status ph_bath_engine_scale(struct ph_backend *backend, const double factor[PH_BATH_GROUPS],
                                    struct ph_error *err)
{
    struct ph_engine *engine = (struct ph_engine *)backend;
    const enum ph_status status = ph_engine_settle(engine, err);
    memcpy(engine->view.bath.factor, factor, sizeof engine->view.bath.factor);
    ph_engine_changed(engine, PH_OF_MOMENTA);
    return status == PH_OK ? ph_engine_run(engine, PH_TASK_SCALE, engine->view.n, err) : status;
}

/* Constants of all species, which cross when they are others than before */
static enum ph_status send_noise(struct ph_engine *engine, const struct ph_noise *noise, struct ph_error *err)
{
    struct ph_noise *sent = &engine->bath.sent;
    if (memcmp(noise->keep, sent->keep, sizeof sent->keep) == 0 &&
        memcmp(noise->spread, sent->spread, sizeof sent->spread) == 0)
        return PH_OK;
    enum ph_status status = PH_OK;
    for (size_t s = 0; s < engine->bath.n_species && status == PH_OK; ++s) {
        const struct ph_inert *inert = &engine->bath.species[s];
        const struct ph_noise_kind kind = ph_noise_kind_of(noise, inert->mass, inert->inertia);
        status = engine->machine->copy_to(engine->view.bath.noise + s, &kind, sizeof kind, err);
    }
    *sent = status == PH_OK ? *noise : (struct ph_noise){.seed = 0};
    return status;
}

enum ph_status ph_bath_engine_shake(struct ph_backend *backend, const struct ph_noise *noise, struct ph_error *err)
{
    struct ph_engine *engine = (struct ph_engine *)backend;
    enum ph_status status = send_noise(engine, noise, err);
    engine->view.bath.seed = noise->seed;
    engine->view.bath.index = noise->index;
    ph_engine_changed(engine, PH_OF_MOMENTA);
    if (status == PH_OK)
        status = ph_engine_run(engine, PH_TASK_SHAKE, engine->view.n, err);
    engine->view.owed = 0.0;
    return status;
}

enum ph_status ph_bath_engine_write_heat(struct ph_backend *backend, double heat, struct ph_error *err)
{
    struct ph_engine *engine = (struct ph_engine *)backend;
    const enum ph_status status = engine->machine->copy_to(engine->view.bath.heat, &heat, sizeof heat, err);
    engine->view.signals->heat = heat;
    return status;
}

enum ph_status ph_bath_engine_read_heat(struct ph_backend *backend, double *heat, struct ph_error *err)
{
    struct ph_engine *engine = (struct ph_engine *)backend;
    const enum ph_status status = ph_engine_wait(engine, err);
    *heat = status == PH_OK ? engine->view.signals->heat : *heat;
    return status;
}
