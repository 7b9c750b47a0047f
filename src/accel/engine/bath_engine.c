/* SPDX-License-Identifier: MIT */
/* Baths act on the machine, and the host does not wait for them. The machine turns kinetic energies into factors. Heat
 * and the memory of a bath stay there until the host reads them, as sums of the state do until a row of a series needs
 * them. Half steps are pending until a task needs the momenta: the half step after a step and the one before the next
 * are done together, and kinetic energies are summed once for both. This does not change a bit, because a scaling
 * always begins with the kinetic energies that the last scaling left, unless another task has changed the momenta. */

#include "accel/engine/bath_engine.h"

#include "accel/functions/transfer.h"

#include <stdlib.h>
#include <string.h>

/* ---- Set-up ---- */

void ph_bath_engine_release(struct ph_engine *engine)
{
    const struct ph_machine *machine = engine->machine;
    const struct ph_bath_view *bath = &engine->view.bath;
    void *const arrays[] = {bath->noise, bath->kind, bath->id, bath->parts, bath->numbers, bath->factor};
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
    bath->noise = machine->allocate(n_species * sizeof *bath->noise, &status, err);
    bath->id = machine->allocate(system->n * sizeof *bath->id, &status, err);
    bath->parts = machine->allocate(PH_STATE_SUMS * groups * sizeof *bath->parts, &status, err);
    bath->numbers = machine->allocate(PH_BATH_NUMBERS * sizeof *bath->numbers, &status, err);
    bath->factor = machine->allocate(PH_BATH_HALVES * PH_BATH_GROUPS * sizeof *bath->factor, &status, err);
    return status;
}

/* ---- Operations ---- */

enum ph_status ph_bath_engine_observe(struct ph_backend *backend, struct ph_state_sums *sums, struct ph_error *err)
{
    struct ph_engine *engine = (struct ph_engine *)backend;
    enum ph_status status = ph_engine_sync(engine, err);
    if (status == PH_OK)
        status = ph_engine_run(engine, PH_TASK_OBSERVE, engine->view.n, err);
    if (status == PH_OK)
        status = ph_engine_wait(engine, err);
    if (status == PH_OK)
        memcpy(sums, engine->view.signals->sums, sizeof *sums);
    return status;
}

/* Prepares one more pending half step of this kind. */
static enum ph_status begin_half(struct ph_engine *engine, bool noise, struct ph_error *err)
{
    const struct ph_pending_work *pending = &engine->view.pending;
    enum ph_status status = PH_OK;
    if (pending->halves == PH_BATH_HALVES || (pending->halves > 0 && engine->bath.noise != noise))
        status = ph_engine_sync(engine, err);
    engine->bath.noise = noise;
    engine->bath.read = false;
    ph_engine_changed(engine, PH_OF_MOMENTA);
    return status;
}

enum ph_status ph_bath_engine_scale(struct ph_backend *backend, const struct ph_scaling *scaling, struct ph_error *err)
{
    struct ph_engine *engine = (struct ph_engine *)backend;
    struct ph_pending_work *pending = &engine->view.pending;
    const enum ph_status status = begin_half(engine, false, err);
    if (status == PH_OK)
        pending->scaling[pending->halves++] = *scaling;
    return status;
}

/* By factors that the host knows */
enum ph_status ph_bath_engine_scale_by(struct ph_backend *backend, const double factor[PH_BATH_GROUPS],
                                       struct ph_error *err)
{
    struct ph_engine *engine = (struct ph_engine *)backend;
    struct ph_pending_work *pending = &engine->view.pending;
    enum ph_status status = ph_engine_sync(engine, err);
    if (status == PH_OK)
        status = engine->machine->copy_to(engine->view.bath.factor, factor, PH_BATH_GROUPS * sizeof *factor, err);
    pending->halves = 1;
    if (status == PH_OK)
        status = ph_engine_run(engine, PH_TASK_SCALE, engine->view.n, err);
    pending->halves = 0;
    engine->bath.kinetic_known = false;
    ph_engine_changed(engine, PH_OF_MOMENTA);
    return status;
}

/* Transfers the constants of all species if they have changed. */
static enum ph_status send_noise(struct ph_engine *engine, const struct ph_noise *noise, struct ph_error *err)
{
    struct ph_noise *sent = &engine->bath.sent;
    if (memcmp(noise->keep, sent->keep, sizeof sent->keep) == 0 &&
        memcmp(noise->spread, sent->spread, sizeof sent->spread) == 0)
        return PH_OK;
    enum ph_status status = ph_engine_sync(engine, err);
    for (size_t s = 0; s < engine->bath.n_species && status == PH_OK; ++s) {
        const struct ph_inert *inert = &engine->bath.species[s];
        const struct ph_noise_kind kind = ph_noise_kind_of(noise, inert->mass, inert->inertia);
        status = engine->machine->copy_to(engine->view.bath.noise + s, &kind, sizeof kind, err);
    }
    *sent = status == PH_OK ? *noise : (struct ph_noise){.seed = 0};
    return status;
}

enum ph_status ph_bath_engine_apply_noise(struct ph_backend *backend, const struct ph_noise *noise,
                                          struct ph_error *err)
{
    struct ph_engine *engine = (struct ph_engine *)backend;
    struct ph_pending_work *pending = &engine->view.pending;
    enum ph_status status = send_noise(engine, noise, err);
    if (status == PH_OK && pending->halves > 0 && pending->seed != noise->seed)
        status = ph_engine_sync(engine, err);
    if (status == PH_OK)
        status = begin_half(engine, true, err);
    pending->seed = noise->seed;
    engine->bath.kinetic_known = false;
    if (status == PH_OK)
        pending->index[pending->halves++] = noise->index;
    return status;
}

enum ph_status ph_bath_engine_write(struct ph_backend *backend, const double numbers[PH_BATH_NUMBERS],
                                    struct ph_error *err)
{
    struct ph_engine *engine = (struct ph_engine *)backend;
    struct ph_bath_engine *bath = &engine->bath;
    const size_t size = sizeof bath->numbers;
    enum ph_status status = ph_engine_sync(engine, err);
    if (status == PH_OK)
        status = engine->machine->copy_to(engine->view.bath.numbers, numbers, size, err);
    memcpy(bath->numbers, numbers, size);
    bath->read = status == PH_OK;
    bath->kinetic_known = numbers[PH_BATH_KNOWN] != 0.0;
    return status;
}

enum ph_status ph_bath_engine_read(struct ph_backend *backend, double numbers[PH_BATH_NUMBERS], struct ph_error *err)
{
    struct ph_engine *engine = (struct ph_engine *)backend;
    struct ph_bath_engine *bath = &engine->bath;
    const size_t size = sizeof bath->numbers;
    enum ph_status status = ph_engine_sync(engine, err);
    if (status == PH_OK)
        status = ph_engine_wait(engine, err);
    if (status == PH_OK && !bath->read)
        status = engine->machine->copy_from(bath->numbers, engine->view.bath.numbers, size, err);
    if (status != PH_OK)
        return status;
    bath->read = true;
    bath->numbers[PH_BATH_KNOWN] = bath->kinetic_known ? 1.0 : 0.0;
    memcpy(numbers, bath->numbers, size);
    return PH_OK;
}
