/* SPDX-License-Identifier: MIT */
/* The tasks of a machine for the dynamics, and their order. list_engine.c builds lists, state_engine.c transfers the
 * state, and snapshot_engine.c transfers it during steps.
 *
 * A kick is pending until a task needs it: a drift that follows does it in the same task. Half steps of a bath are
 * pending, too: the half step after a step and the one before the next are done together. */

#include "accel/engine/bath_engine.h"
#include "accel/engine/external_table.h"
#include "accel/engine/site_table.h"
#include "force/pairs/pairs.h"
#include "force/term.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum ph_status refuse_system(const struct ph_engine *engine, const struct ph_system *system,
                                    struct ph_error *err)
{
    if (system->n > PH_MOLECULES_MOST)
        return ph_error_set(err, PH_ERR_INPUT, "system.molecules are %zu; dynamics.backend: %s takes up to %d.",
                            system->n, engine->name, PH_MOLECULES_MOST);
    return PH_OK;
}

/* ---- Set-up ---- */

/* Making lists is cheap beside forces, so skins are thinner than on the processor. Of the cutoff */
static const double skin_part = 0.08;

static void destroy(struct ph_backend *backend)
{
    struct ph_engine *engine = (struct ph_engine *)backend;
    if (!engine)
        return;
    const struct ph_machine *machine = engine->machine;
    struct ph_accel_view *v = &engine->view;
    void *const arrays[] = {v->order,
                            v->rank,
                            v->slot,
                            v->cell,
                            v->filled,
                            v->start,
                            v->list,
                            v->partners,
                            v->energy,
                            v->sums,
                            v->parts,
                            v->outdated,
                            v->share_start,
                            v->kept,
                            v->aside,
                            v->fast,
                            v->map,
                            engine->near.list,
                            engine->near.partners};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k)
        machine->release(arrays[k]);
    for (int k = 0; k < 9; ++k)
        machine->release(engine->residual[k]);
    for (int k = 0; k < 4; ++k)
        machine->release(v->q[k]);
    for (int k = 0; k < 3; ++k) {
        void *const of[] = {v->r[k], v->p[k], v->m[k], v->f[k], v->t[k], v->image[k], v->built_at[k]};
        for (size_t a = 0; a < sizeof of / sizeof *of; ++a)
            machine->release(of[a]);
        free(engine->built_at[k]);
        free(engine->anchor[k]);
    }
    ph_site_table_release_entries(machine, &engine->near.sites);
    ph_site_table_release(machine, &v->sites);
    ph_external_table_release(machine, &v->external);
    ph_wave_engine_release(machine, &engine->waves, &v->waves);
    ph_bath_engine_release(engine);
    ph_engine_release_snapshot(engine);
    machine->release_signals(v->signals);
    if (engine->mark)
        machine->release_mark(engine->mark);
    if (engine->tail)
        ph_term_tail.destroy(engine->tail);
    free(engine->host_sums);
    free(engine);
}

static void allocate_numbers(const struct ph_machine *machine, size_t count, size_t n, double *array[],
                             enum ph_status *status, struct ph_error *err)
{
    for (size_t k = 0; k < count; ++k)
        array[k] = machine->allocate(n * sizeof(double), status, err);
}

static void *allocate_here(size_t bytes, enum ph_status *status)
{
    void *memory = *status == PH_OK ? malloc(bytes) : NULL;
    if (!memory && *status == PH_OK)
        *status = PH_ERR_MEMORY;
    return memory;
}

/* PH_ERR_MEMORY without a message */
static enum ph_status allocate_state(struct ph_engine *engine, bool compensated, struct ph_error *err)
{
    const struct ph_machine *machine = engine->machine;
    struct ph_accel_view *v = &engine->view;
    const size_t n = v->n, sums = PH_ALL_ENERGIES * PH_ENERGY_PARTS;
    double **const groups[] = {v->r, v->p, v->m, v->f, v->t, v->built_at};
    enum ph_status status = PH_OK;
    for (size_t g = 0; g < sizeof groups / sizeof *groups; ++g)
        allocate_numbers(machine, 3, n, groups[g], &status, err);
    allocate_numbers(machine, 4, n, v->q, &status, err);
    allocate_numbers(machine, compensated ? 9 : 0, n, engine->residual, &status, err);
    memcpy(v->residual, engine->residual, sizeof v->residual);
    for (int k = 0; k < 3; ++k) {
        v->image[k] = machine->allocate(n * sizeof(int32_t), &status, err);
        engine->built_at[k] = allocate_here(n * sizeof(double), &status);
        if (v->external.anchor[k])
            engine->anchor[k] = allocate_here(n * sizeof(double), &status);
    }
    v->order = machine->allocate(n * sizeof(uint32_t), &status, err);
    v->rank = machine->allocate(n * sizeof(uint32_t), &status, err);
    v->slot = machine->allocate(n * sizeof(struct ph_slot), &status, err);
    v->energy = machine->allocate(PH_ALL_ENERGIES * n * sizeof(double), &status, err);
    v->sums = machine->allocate(sums * sizeof(double), &status, err);
    engine->host_sums = allocate_here(sums * sizeof(double), &status);
    v->outdated = machine->allocate(sizeof(int), &status, err);
    v->map = machine->allocate(9 * sizeof(double), &status, err);
    if (engine->fast != PH_FAST_NONE)
        v->fast = machine->allocate(6 * n * sizeof(double), &status, err);
    v->signals = machine->allocate_signals(&status, err);
    return status;
}

/* Sets the formulas of pairs, and all other interactions. */
static enum ph_status set_interactions(struct ph_engine *engine, const struct ph_system *system,
                                       const struct ph_interactions *interactions, struct ph_error *err)
{
    struct ph_sites sites = {.place = NULL};
    const struct ph_term_setup setup = {.system = system, .interactions = interactions, .sites = &sites};
    enum ph_status status = ph_pairs_check_cutoff(system, interactions, err);
    if (status == PH_OK)
        status = ph_pair_table_init(system, interactions, &sites.table, err);
    if (status == PH_OK) {
        engine->single = system->n_species == 1 && ph_species_single_site(&system->species[0]);
        engine->variant = ph_engine_find_variant(engine, &sites.table);
        if (engine->variant >= 0)
            engine->view.term = sites.table.of[0].pair[0].term;
        if (engine->variant < 0 || system->box.kind == PH_BOX_TRICLINIC)
            status = ph_site_table_make(engine->machine, engine->name, system, &sites.table, &engine->view.sites, err);
        engine->n_kinds = engine->view.sites.n_kinds;
    }
    if (status == PH_OK)
        status =
            ph_external_table_make(engine->machine, engine->name, system, interactions, &engine->view.external, err);
    if (status == PH_OK)
        status = ph_wave_engine_make(engine->machine, engine->name, &setup, &engine->waves, &engine->view.waves, err);
    if (status == PH_OK)
        status = ph_term_tail.create(&setup, &engine->tail, err);
    ph_sites_clear(&sites);
    return status;
}

static enum ph_status set_up(struct ph_engine *engine, const struct ph_system *system,
                             const struct ph_interactions *interactions, bool compensated, struct ph_error *err)
{
    struct ph_accel_view *v = &engine->view;
    const struct ph_species *species = &system->species[0];
    enum ph_status status = refuse_system(engine, system, err);
    if (status == PH_OK)
        status = engine->machine->open(err);
    if (status == PH_OK)
        status = set_interactions(engine, system, interactions, err);
    if (status == PH_OK && species->degrees > 0)
        status = ph_top_init(species->inertia, &v->top, err);
    if (status != PH_OK)
        return status;
    v->n = (uint32_t)system->n;
    v->pinned = interactions->pinned;
    v->rotates = species->degrees > 0;
    memcpy(v->dipole, species->site[0].dipole, sizeof v->dipole);
    engine->mass = species->mass;
    engine->box = system->box;
    engine->cutoff = interactions->cutoff;
    engine->skin = interactions->skin > 0.0 ? interactions->skin : skin_part * interactions->cutoff;
    for (size_t s = 0; s < system->n_species; ++s)
        engine->extent = fmax(engine->extent, system->species[s].extent);
    engine->fast = interactions->fast.kind;
    engine->near_cutoff = interactions->fast.kind == PH_FAST_NEAR ? interactions->fast.radius : 0.0;
    ph_engine_choose_formulas(engine);
    ph_engine_set_lengths(engine);
    status = ph_bath_engine_make(engine, system, err);
    if (status == PH_OK)
        status = allocate_state(engine, compensated, err);
    if (status == PH_OK)
        status = ph_engine_allocate_scratch(engine, err);
    for (int k = 0; k < 3 && engine->anchor[k] && status == PH_OK; ++k)
        status = engine->machine->copy_from(engine->anchor[k], v->external.anchor[k], v->n * sizeof(double), err);
    if (status != PH_ERR_MEMORY)
        return status;
    return ph_error_set(err, PH_ERR_MEMORY, "The memory of dynamics.backend: %s does not suffice for %zu molecules.",
                        engine->name, system->n);
}

/* ---- The operations ---- */

static enum ph_status drift(struct ph_backend *backend, double t, struct ph_error *err)
{
    struct ph_engine *engine = (struct ph_engine *)backend;
    enum ph_status status = engine->view.pending.halves > 0 ? ph_engine_sync(engine, err) : PH_OK;
    if (status == PH_OK && engine->list != PH_LIST_VALID) /* where slots are */
        status = ph_engine_update_list(engine, err);
    if (status == PH_OK)
        status = engine->machine->run(PH_TASK_DRIFT, engine->view.n, t, t / engine->mass, &engine->view, err);
    engine->view.pending.kick = 0.0;
    engine->placed = true;
    engine->bath.kinetic_known = false;
    ph_engine_changed(engine, PH_OF_MOVED);
    return status == PH_OK ? engine->machine->mark(&engine->mark, err) : status;
}

static enum ph_status kick(struct ph_backend *backend, double t, struct ph_error *err)
{
    struct ph_engine *engine = (struct ph_engine *)backend;
    const enum ph_status status = ph_engine_sync(engine, err);
    engine->view.pending.kick = t;
    engine->bath.kinetic_known = false;
    ph_engine_changed(engine, PH_OF_MOMENTA);
    return status;
}

static enum ph_status add_energies(struct ph_engine *engine, struct ph_energy *energy, struct ph_error *err)
{
    struct ph_accel_view *v = &engine->view;
    const size_t count = PH_ALL_ENERGIES * PH_ENERGY_PARTS;
    enum ph_status status = ph_engine_run(engine, PH_TASK_SUM, count, err);
    if (status == PH_OK)
        status = engine->machine->copy_from(engine->host_sums, v->sums, count * sizeof(double), err);
    if (status == PH_OK)
        status = ph_engine_wait(engine, err);
    if (status != PH_OK)
        return status;
    double all[PH_ALL_ENERGIES];
    for (size_t k = 0; k < PH_ALL_ENERGIES; ++k) {
        all[k] = 0.0;
        for (size_t part = 0; part < PH_ENERGY_PARTS; ++part)
            all[k] += engine->host_sums[k * PH_ENERGY_PARTS + part];
    }
    *energy = (struct ph_energy){.radial = all[0], .electric = all[1], .field = all[PH_FIELD_ENERGY]};
    memcpy(energy->virial, all + 2, sizeof energy->virial);
    if (v->waves.present)
        status = ph_wave_engine_add_energy(engine->machine, &engine->waves, v, energy, err);
    if (status != PH_OK)
        return status;
    return engine->tail ? ph_term_tail.evaluate(engine->tail, NULL, energy, err) : PH_OK;
}

/* Forces of a part, begun; `unless_outdated`: they leave everything as it is if the list is outdated. The slow part is
 * that of the waves, or all but the fast forces that are kept; see force/force_parts.h. */
static enum ph_status begin_forces(struct ph_engine *engine, enum ph_force_part part, bool energy, bool unless_outdated,
                                   struct ph_error *err)
{
    const struct ph_machine *machine = engine->machine;
    const struct ph_accel_view *v = &engine->view;
    const bool fast = part == PH_FORCES_FAST, near = engine->fast == PH_FAST_NEAR;
    const bool only_waves = part == PH_FORCES_SLOW && !near;
    const enum ph_task task = only_waves ? PH_TASK_NO_FORCES : energy ? PH_TASK_FORCES_ENERGY : PH_TASK_FORCES;
    const double x = unless_outdated ? 1.0 : 0.0;
    enum ph_status status = machine->run(task, v->n, x, 0.0, fast && near ? &engine->near : v, err);
    if (status == PH_OK && v->waves.present && !fast)
        status = ph_wave_engine_begin(machine, (struct ph_wave_order){energy, unless_outdated}, v, err);
    if (status == PH_OK && v->external.present && !only_waves)
        status = machine->run(PH_TASK_EXTERNAL, v->n, x, energy ? 1.0 : 0.0, v, err);
    if (status == PH_OK && fast)
        status = machine->run(PH_TASK_KEEP_FAST, v->n, x, 0.0, v, err);
    if (status == PH_OK && part == PH_FORCES_SLOW && near)
        status = machine->run(PH_TASK_TAKE_OFF_FAST, v->n, x, 0.0, v, err);
    return status;
}

/* Forces begin before the host knows whether the list still holds, so that the machine need not wait for the host. If
 * the list does not hold, they change nothing, and are evaluated again after a new list. */
static enum ph_status evaluate_now(struct ph_engine *engine, enum ph_force_part part, struct ph_energy *energy,
                                   struct ph_error *err)
{
    const struct ph_accel_view *v = &engine->view;
    enum ph_status status = ph_engine_sync(engine, err);
    bool done = engine->list == PH_LIST_VALID && engine->placed;
    ph_engine_changed(engine, PH_OF_FORCES);
    if (status == PH_OK && done) {
        status = begin_forces(engine, part, energy != NULL, true, err);
        if (status == PH_OK)
            status = engine->mark ? engine->machine->wait_for_mark(engine->mark, err) : engine->machine->wait(err);
        done = !v->signals->moved;
        if (status == PH_OK && done && v->signals->first_bad > 0)
            status = ph_engine_explain(engine, err);
    }
    if (status == PH_OK && !done)
        status = ph_engine_update_list(engine, err);
    if (status == PH_OK && !done)
        status = begin_forces(engine, part, energy != NULL, false, err);
    return status == PH_OK && energy ? add_energies(engine, energy, err) : status;
}

static enum ph_status evaluate(struct ph_backend *backend, struct ph_energy *energy, struct ph_error *err)
{
    return evaluate_now((struct ph_engine *)backend, PH_FORCES_ALL, energy, err);
}

/* ---- Two time scales ---- */

static enum ph_status evaluate_part(struct ph_backend *backend, enum ph_force_part part, struct ph_error *err)
{
    struct ph_engine *engine = (struct ph_engine *)backend;
    const enum ph_status status = evaluate_now(engine, engine->fast == PH_FAST_NONE ? PH_FORCES_ALL : part, NULL, err);
    if (part == PH_FORCES_FAST)
        engine->fast_lists = engine->lists_made;
    return status;
}

static bool keeps_fast(const struct ph_backend *backend)
{
    const struct ph_engine *engine = (const struct ph_engine *)backend;
    return engine->fast_lists == engine->lists_made;
}

static enum ph_status recall_fast(struct ph_backend *backend, bool take_off, struct ph_error *err)
{
    struct ph_engine *engine = (struct ph_engine *)backend;
    enum ph_status status = ph_engine_sync(engine, err);
    ph_engine_changed(engine, PH_OF_FORCES);
    if (status == PH_OK)
        status = ph_engine_run(engine, take_off ? PH_TASK_TAKE_OFF_FAST : PH_TASK_RECALL_FAST, engine->view.n, err);
    return status;
}

enum ph_status ph_engine_count(struct ph_backend *backend, struct ph_engine_counts *counts, struct ph_error *err)
{
    struct ph_engine *engine = (struct ph_engine *)backend;
    const struct ph_accel_view *v = &engine->view;
    *counts = (struct ph_engine_counts){.lists_made = engine->lists_made};
    if (!v->listed || engine->list != PH_LIST_VALID)
        return PH_OK;
    uint32_t *partners = malloc(v->n * sizeof *partners);
    if (!partners)
        return ph_no_memory(err, "%u molecules", v->n);
    const enum ph_status status = engine->machine->copy_from(partners, v->partners, v->n * sizeof *partners, err);
    for (uint32_t k = 0; k < v->n && status == PH_OK; ++k)
        counts->partners += partners[k];
    free(partners);
    return status;
}

static struct ph_traffic since(const struct ph_traffic *before, const struct ph_traffic *now)
{
    return (struct ph_traffic){now->calls - before->calls, now->bytes - before->bytes, now->seconds - before->seconds};
}

struct ph_transfer_counts ph_engine_transfer_counts(const struct ph_backend *backend)
{
    const struct ph_engine *engine = (const struct ph_engine *)backend;
    const struct ph_transfer_counts *before = &engine->before, now = engine->machine->transfers();
    return (struct ph_transfer_counts){.to = since(&before->to, &now.to),
                                       .from = since(&before->from, &now.from),
                                       .beside = since(&before->beside, &now.beside),
                                       .waited = now.waited - before->waited};
}

enum ph_status ph_engine_create(const struct ph_machine *machine, const char *name, const struct ph_system *system,
                                const struct ph_interactions *interactions, bool compensated, struct ph_backend **out,
                                struct ph_error *err)
{
    *out = NULL;
    struct ph_engine *engine = calloc(1, sizeof *engine);
    if (!engine)
        return ph_no_memory(err, "dynamics.backend: %s", name);
    engine->backend = (struct ph_backend){.destroy = destroy,
                                          .write = ph_engine_write,
                                          .read = ph_engine_read,
                                          .snap = ph_engine_snap,
                                          .snapped = ph_engine_snapped,
                                          .drift = drift,
                                          .evaluate = evaluate,
                                          .kick = kick,
                                          .evaluate_part = evaluate_part,
                                          .keeps_fast = keeps_fast,
                                          .recall_fast = recall_fast,
                                          .set_box = ph_engine_set_box,
                                          .map_centres = ph_engine_map_centres,
                                          .keep = ph_engine_keep,
                                          .bring_back = ph_engine_bring_back,
                                          .displace = ph_engine_displace,
                                          .places_back = ph_engine_places_back,
                                          .forces_back = ph_engine_forces_back,
                                          .scale_by = ph_bath_engine_scale_by,
                                          .observe = ph_bath_engine_observe,
                                          .scale = ph_bath_engine_scale,
                                          .apply_noise = ph_bath_engine_apply_noise,
                                          .write_bath = ph_bath_engine_write,
                                          .read_bath = ph_bath_engine_read,
                                          .memory = ph_engine_memory,
                                          .restore = ph_engine_restore};
    engine->machine = machine;
    engine->name = name;
    const enum ph_status status = set_up(engine, system, interactions, compensated, err);
    if (status != PH_OK) {
        destroy(&engine->backend);
        return status;
    }
    engine->before = machine->transfers();
    *out = &engine->backend;
    return PH_OK;
}
