/* SPDX-License-Identifier: MIT */
/* What a machine does for the dynamics, and in which order.
 *
 * Lists. Centres are put into the box and sorted into cells, no narrower than half of what a list reaches along y and z
 * and a sixth of that along x, cells by the numbers of their molecules; the partners of a molecule are those of the
 * rows of cells around it that are within cutoff and skin, in this order. So a list follows from positions alone, and a
 * restart makes it again from where the centres were. Every drift tells when one has moved by half a skin. Boxes
 * narrower than two and a half times what a list reaches, and open space, have all pairs.
 *
 * A kick is owed until something needs it: a drift that follows does it in the same task. */

#include "accel/engine.h"

#include "accel/external_table.h"
#include "accel/site_table.h"
#include "accel/variants.h"
#include "accel/wave_engine.h"
#include "base/vec3.h"
#include "force/pairs/pairs.h"
#include "force/term.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Making lists is cheap beside forces, so skins are thinner than on the processor. Of the cutoff */
static const double skin_part = 0.08;

enum list_state { STALE, RESTORED, VALID }; /* restored: to be made of `built_at`, as it was */

struct engine {
    struct ph_backend backend; /* first */
    const struct ph_machine *machine;
    const char *name;
    double mass;
    struct ph_box box;
    struct ph_accel_view view; /* arrays owned */
    enum list_state list;
    void *mark;  /* owned; after the last drift; NULL before the first */
    bool placed; /* slots are those of the present state */
    size_t lists_made;
    struct ph_wave_engine waves;
    void *tail;          /* owned; the long-range correction, a constant; NULL without */
    double *built_at[3]; /* owned; copies of the host */
    double *anchor[3];   /* owned; the same of anchors, NULL without tethers */
    double *host_sums;   /* owned */
};

/* ---- What a machine has formulas for ---- */

struct variant {
    enum ph_kernel_radial radial;
    enum ph_kernel_electric electric;
    enum ph_truncate truncate;
    bool smooth;
};

enum { NO_FIELD, SHARP_FIELD, SMOOTH_FIELD }; /* as in potential/pair_force.h */
#define VARIANT(name, radial, electric, truncate, field)                                                               \
    {PH_KERNEL_##radial, PH_KERNEL_##electric, truncate, field == SMOOTH_FIELD},
static const struct variant variants[] = {PH_VARIANTS(VARIANT)};

/* -1: none of its own, so that it is one for molecules of several sites */
static int find_variant(const struct ph_system *system, const struct ph_site_pairs *pairs)
{
    if (system->n_species > 1 || !ph_species_single_site(&system->species[0]) || pairs->n != 1 ||
        system->box.kind == PH_BOX_TRICLINIC || pairs->pair[0].term.split)
        return -1;
    const struct ph_site_pair *pair = &pairs->pair[0];
    const bool smooth = pair->term.field.edge > 0.0 && pair->electric != PH_KERNEL_NO_ELECTRIC;
    for (int k = 0; k < PH_VARIANT_COUNT; ++k)
        if (variants[k].radial == pair->radial && variants[k].electric == pair->electric &&
            variants[k].truncate == pair->truncate && variants[k].smooth == smooth)
            return k;
    return -1;
}

static enum ph_status refuse_system(const struct engine *engine, const struct ph_system *system, struct ph_error *err)
{
    if (system->n > PH_MOLECULES_MOST)
        return ph_error_set(err, PH_ERR_INPUT, "system.molecules are %zu; dynamics.backend: %s takes up to %d.",
                            system->n, engine->name, PH_MOLECULES_MOST);
    return PH_OK;
}

/* ---- Set-up ---- */

static void destroy(struct ph_backend *backend)
{
    struct engine *engine = (struct engine *)backend;
    if (!engine)
        return;
    const struct ph_machine *machine = engine->machine;
    struct ph_accel_view *v = &engine->view;
    void *const arrays[] = {v->order,    v->rank,   v->slot, v->cell,  v->filled,   v->start,      v->list,
                            v->partners, v->energy, v->sums, v->parts, v->outdated, v->share_start};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k)
        machine->release(arrays[k]);
    for (int k = 0; k < 9; ++k)
        machine->release(v->residual[k]);
    for (int k = 0; k < 4; ++k)
        machine->release(v->q[k]);
    for (int k = 0; k < 3; ++k) {
        void *const of[] = {v->r[k], v->p[k], v->m[k], v->f[k], v->t[k], v->image[k], v->built_at[k]};
        for (size_t a = 0; a < sizeof of / sizeof *of; ++a)
            machine->release(of[a]);
        free(engine->built_at[k]);
        free(engine->anchor[k]);
    }
    ph_site_table_release(machine, &v->sites);
    ph_external_table_release(machine, &v->external);
    ph_wave_engine_release(machine, &engine->waves, &v->waves);
    machine->release_signals(v->signals);
    if (engine->mark)
        machine->release_mark(engine->mark);
    if (engine->tail)
        ph_term_tail.destroy(engine->tail);
    free(engine->host_sums);
    free(engine);
}

static bool allocate_numbers(const struct ph_machine *machine, size_t count, size_t n, double *array[])
{
    for (size_t k = 0; k < count; ++k)
        if (!(array[k] = machine->allocate(n * sizeof(double))))
            return false;
    return true;
}

static bool allocate_state(struct engine *engine, bool compensated)
{
    const struct ph_machine *machine = engine->machine;
    struct ph_accel_view *v = &engine->view;
    const size_t n = v->n;
    bool ok = allocate_numbers(machine, 3, n, v->r) && allocate_numbers(machine, 3, n, v->p) &&
              allocate_numbers(machine, 4, n, v->q) && allocate_numbers(machine, 3, n, v->m) &&
              allocate_numbers(machine, 3, n, v->f) && allocate_numbers(machine, 3, n, v->t) &&
              allocate_numbers(machine, 3, n, v->built_at) &&
              allocate_numbers(machine, compensated ? 9 : 0, n, v->residual);
    for (int k = 0; k < 3 && ok && v->external.anchor[k]; ++k)
        ok = (engine->anchor[k] = malloc(n * sizeof(double))) != NULL;
    for (int k = 0; k < 3 && ok; ++k)
        ok = (v->image[k] = machine->allocate(n * sizeof(int32_t))) &&
             (engine->built_at[k] = malloc(n * sizeof(double)));
    return ok && (v->order = machine->allocate(n * sizeof(uint32_t))) &&
           (v->rank = machine->allocate(n * sizeof(uint32_t))) &&
           (v->slot = machine->allocate(n * sizeof(struct ph_slot))) &&
           (v->energy = machine->allocate(PH_ALL_ENERGIES * n * sizeof(double))) &&
           (v->sums = machine->allocate(PH_ALL_ENERGIES * PH_ENERGY_PARTS * sizeof(double))) &&
           (engine->host_sums = malloc(PH_ALL_ENERGIES * PH_ENERGY_PARTS * sizeof(double))) &&
           (v->outdated = machine->allocate(sizeof(int))) && (v->signals = machine->allocate_signals());
}

static size_t cells_of(const struct ph_accel_view *v) { return (size_t)v->cells[0] * v->cells[1] * v->cells[2]; }

static bool allocate_room(struct engine *engine, double partners)
{
    struct ph_accel_view *v = &engine->view;
    v->room = ((uint32_t)partners / (PH_ROW * PH_PARTS) + 1) * PH_ROW * PH_PARTS;
    engine->machine->release(v->list);
    v->list = engine->machine->allocate((size_t)v->room * v->n * sizeof(uint32_t));
    return v->list != NULL;
}

static bool allocate_lists(struct engine *engine, const struct ph_system *system)
{
    const struct ph_machine *machine = engine->machine;
    struct ph_accel_view *v = &engine->view;
    const double reach = sqrt(v->reach2), around = 4.1888 * reach * reach * reach;
    return (v->cell = machine->allocate(v->n * sizeof(uint32_t))) &&
           (v->filled = machine->allocate(cells_of(v) * sizeof(uint32_t))) &&
           (v->start = machine->allocate((cells_of(v) + 1) * sizeof(uint32_t))) &&
           (v->share_start = machine->allocate((cells_of(v) / PH_SCAN_SHARE + 1) * sizeof(uint32_t))) &&
           (v->partners = machine->allocate(v->n * sizeof(uint32_t))) &&
           allocate_room(engine, 1.25 * around * (double)v->n / system->box.volume + 2.0 * PH_PARTS);
}

/* Those that are searched, so that none is met twice */
static const uint32_t fewest_cells[3] = {2 * PH_AROUND_X + 1, 2 * PH_AROUND + 1, 2 * PH_AROUND + 1};

/* No narrower than a part of `reach`, along x a smaller one; of whole ones no more than 1024 along an edge, and about
 * as many in all as there are molecules at most: empty ones cost memory and time, too. */
static void set_cells(const struct ph_box *box, double reach, uint32_t n, uint32_t cells[3])
{
    for (int k = 0; k < 3; ++k)
        cells[k] = (uint32_t)(fmin(box->width[k] / reach, 1024.0) * (k == 0 ? PH_AROUND_X : PH_AROUND));
    while ((size_t)cells[0] * cells[1] * cells[2] > (n > 512 ? n : 512)) {
        int most = 0;
        for (int k = 1; k < 3; ++k)
            if ((size_t)cells[k] * fewest_cells[most] > (size_t)cells[most] * fewest_cells[k])
                most = k;
        if (cells[most] <= fewest_cells[most])
            break;
        --cells[most];
    }
}

/* Box, cutoff and lists */
static void set_lengths(const struct ph_system *system, const struct ph_interactions *interactions,
                        struct ph_accel_view *v)
{
    const struct ph_box *box = &system->box;
    const double cutoff = interactions->cutoff,
                 skin = interactions->skin > 0.0 ? interactions->skin : skin_part * cutoff;
    double extent = 0.0;
    for (size_t s = 0; s < system->n_species; ++s)
        extent = fmax(extent, system->species[s].extent);
    const double reach = cutoff + skin + 2.0 * extent;
    v->periodic = box->kind != PH_BOX_OPEN;
    v->tilted = box->kind == PH_BOX_TRICLINIC;
    v->listed = v->periodic;
    v->watch2 = INFINITY;
    if (v->periodic)
        set_cells(box, reach, v->n, v->cells);
    for (int k = 0; k < 3 && v->periodic; ++k) {
        const double part = 0.25 * box->width[k];
        v->edge[k] = box->edge[k][k];
        v->inverse[k] = box->inverse[k][k];
        v->listed = v->listed && v->cells[k] >= fewest_cells[k];
        v->width[k] = box->width[k] / (double)v->cells[k];
        v->watch2 = fmin(v->watch2, part * part);
    }
    memcpy(v->edges, box->edge, sizeof v->edges);
    memcpy(v->inverses, box->inverse, sizeof v->inverses);
    if (v->listed) {
        v->reach2 = reach * reach;
        v->margin = cutoff + 2.0 * skin;
        v->watch2 = 0.25 * skin * skin;
    }
}

/* The formulas, and what is not pairs */
static enum ph_status set_interactions(struct engine *engine, const struct ph_system *system,
                                       const struct ph_interactions *interactions, struct ph_error *err)
{
    struct ph_sites sites = {.place = NULL};
    const struct ph_term_setup setup = {.system = system, .interactions = interactions, .sites = &sites};
    enum ph_status status = ph_pairs_check_cutoff(system, interactions, err);
    if (status == PH_OK)
        status = ph_pair_table_init(system, interactions, &sites.table, err);
    if (status == PH_OK) {
        engine->view.variant = find_variant(system, &sites.table.of[0]);
        if (engine->view.variant >= 0)
            engine->view.term = sites.table.of[0].pair[0].term;
        else
            status = ph_site_table_make(engine->machine, engine->name, system, &sites.table, &engine->view.sites, err);
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

static enum ph_status set_up(struct engine *engine, const struct ph_system *system,
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
    set_lengths(system, interactions, v);
    const bool enough = allocate_state(engine, compensated);
    for (int k = 0; k < 3 && enough && engine->anchor[k] && status == PH_OK; ++k)
        status = engine->machine->copy_from(engine->anchor[k], v->external.anchor[k], v->n * sizeof(double), err);
    if (status != PH_OK)
        return status;
    if (enough &&
        (v->listed        ? allocate_lists(engine, system)
         : v->variant < 0 ? true
                          : allocate_numbers(engine->machine, 1, PH_PARTS * (7 + PH_ENERGIES) * system->n, &v->parts)))
        return PH_OK;
    return ph_error_set(err, PH_ERR_MEMORY, "The memory of dynamics.backend: %s does not suffice for %zu molecules.",
                        engine->name, system->n);
}

/* ---- Lists ---- */

static enum ph_status run(struct engine *engine, enum ph_task task, size_t count, struct ph_error *err)
{
    return engine->machine->run(task, (uint32_t)count, 0.0, 0.0, &engine->view, err);
}

static enum ph_status run_all(struct engine *engine, size_t n_tasks, const enum ph_task task[], struct ph_error *err)
{
    const struct ph_accel_view *v = &engine->view;
    enum ph_status status = PH_OK;
    for (size_t k = 0; k < n_tasks && status == PH_OK; ++k)
        status = run(engine, task[k], task[k] == PH_TASK_SCAN ? cells_of(v) : v->n, err);
    return status;
}

/* The first molecule whose force was not finite */
static enum ph_status explain_broken(struct engine *engine, struct ph_error *err)
{
    struct ph_accel_view *v = &engine->view;
    const uint32_t i = UINT32_MAX - v->signals->not_broken;
    double r[3] = {0.0};
    v->signals->not_broken = 0;
    for (int k = 0; k < 3; ++k) {
        const enum ph_status status = engine->machine->copy_from(&r[k], v->r[k] + i, sizeof r[k], err);
        if (status != PH_OK)
            return status;
    }
    if (!isfinite(r[0] + r[1] + r[2]))
        return ph_error_set(err, PH_ERR_NUMBERS, "The position of molecule %u is not finite: (%g, %g, %g).", i, r[0],
                            r[1], r[2]);
    if (v->periodic && !ph_box_reaches(&engine->box, r))
        return ph_error_set(err, PH_ERR_NUMBERS,
                            "Molecule %u is too far away, at (%g, %g, %g): the step may be too long.", i, r[0], r[1],
                            r[2]);
    return ph_error_set(err, PH_ERR_NUMBERS,
                        "The force or torque on molecule %u at (%g, %g, %g) is not finite: it overlaps with another, "
                        "or its state is not finite.",
                        i, r[0], r[1], r[2]);
}

static enum ph_status wait_for(struct engine *engine, struct ph_error *err)
{
    const enum ph_status status = engine->machine->wait(err);
    return status == PH_OK && engine->view.signals->not_broken > 0 ? explain_broken(engine, err) : status;
}

/* Without partners yet */
static enum ph_status sort_slots(struct engine *engine, struct ph_error *err)
{
    static const enum ph_task sorting[] = {PH_TASK_COUNT, PH_TASK_SCAN, PH_TASK_FILL, PH_TASK_SORT};
    const struct ph_accel_view *v = &engine->view;
    enum ph_status status = engine->list == RESTORED ? PH_OK : run(engine, PH_TASK_WRAP, v->n, err);
    if (status == PH_OK && v->listed)
        status = run_all(engine, sizeof sorting / sizeof *sorting, sorting, err);
    return status == PH_OK ? run(engine, PH_TASK_ARRANGE, v->n, err) : status;
}

/* Leaves slots as of the present state, too. */
static enum ph_status make_list(struct engine *engine, struct ph_error *err)
{
    struct ph_accel_view *v = &engine->view;
    enum ph_status status = PH_OK;
    do {
        if (v->signals->most > 0 && !allocate_room(engine, 1.1 * v->signals->most))
            return ph_error_set(err, PH_ERR_MEMORY,
                                "The memory of dynamics.backend: %s does not suffice for pair "
                                "lists of %u molecules with up to %u partners.",
                                engine->name, v->n, v->signals->most);
        v->signals->most = 0;
        status = sort_slots(engine, err);
        if (status == PH_OK && v->listed)
            status = run(engine, PH_TASK_PARTNERS, v->n, err);
        if (status == PH_OK)
            status = run(engine, PH_TASK_PLACE, v->n, err);
        if (status == PH_OK)
            status = wait_for(engine, err);
    } while (status == PH_OK && v->signals->most > 0);
    ++engine->lists_made;
    engine->list = status == PH_OK ? VALID : STALE;
    return status;
}

/* Slots hold the present state, and the list all pairs within the cutoff. A list that was restored may be outdated. */
static enum ph_status update_list(struct engine *engine, struct ph_error *err)
{
    struct ph_accel_view *v = &engine->view;
    enum ph_status status = wait_for(engine, err);
    if (status == PH_OK && engine->list == VALID && !engine->placed) {
        status = run(engine, PH_TASK_PLACE, v->n, err);
        if (status == PH_OK)
            status = wait_for(engine, err);
    }
    for (int turn = 0; status == PH_OK && turn < 2 && (engine->list != VALID || v->signals->moved); ++turn) {
        v->signals->moved = 0;
        status = make_list(engine, err);
    }
    engine->placed = true;
    v->signals->moved = 0;
    return status;
}

/* ---- The operations ---- */

static enum ph_status drift(struct ph_backend *backend, double t, struct ph_error *err)
{
    struct engine *engine = (struct engine *)backend;
    enum ph_status status = PH_OK;
    if (engine->list != VALID) /* where slots are */
        status = update_list(engine, err);
    if (status == PH_OK)
        status = engine->machine->run(PH_TASK_DRIFT, engine->view.n, t, t / engine->mass, &engine->view, err);
    engine->view.owed = 0.0;
    engine->placed = true;
    return status == PH_OK ? engine->machine->mark(&engine->mark, err) : status;
}

/* The kick that is owed */
static enum ph_status settle(struct engine *engine, struct ph_error *err)
{
    const double t = engine->view.owed;
    engine->view.owed = 0.0;
    return t != 0.0 ? engine->machine->run(PH_TASK_KICK, engine->view.n, t, 0.0, &engine->view, err) : PH_OK;
}

static enum ph_status kick(struct ph_backend *backend, double t, struct ph_error *err)
{
    struct engine *engine = (struct engine *)backend;
    const enum ph_status status = settle(engine, err);
    engine->view.owed = t;
    return status;
}

static enum ph_status add_energies(struct engine *engine, struct ph_energy *energy, struct ph_error *err)
{
    struct ph_accel_view *v = &engine->view;
    const size_t count = PH_ALL_ENERGIES * PH_ENERGY_PARTS;
    enum ph_status status = run(engine, PH_TASK_SUM, count, err);
    if (status == PH_OK)
        status = engine->machine->copy_from(engine->host_sums, v->sums, count * sizeof(double), err);
    if (status == PH_OK)
        status = wait_for(engine, err);
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

/* Forces of all kinds, begun; `unless_outdated`: they leave everything as it is if the list is outdated */
static enum ph_status begin_forces(struct engine *engine, bool energy, bool unless_outdated, struct ph_error *err)
{
    const struct ph_accel_view *v = &engine->view;
    const enum ph_task task = energy ? PH_TASK_FORCES_ENERGY : PH_TASK_FORCES;
    enum ph_status status = engine->machine->run(task, v->n, unless_outdated ? 1.0 : 0.0, 0.0, v, err);
    if (status == PH_OK && v->waves.present)
        status = ph_wave_engine_begin(engine->machine, (struct ph_wave_order){energy, unless_outdated}, v, err);
    if (status == PH_OK && v->external.present)
        status = engine->machine->run(PH_TASK_EXTERNAL, v->n, unless_outdated ? 1.0 : 0.0, energy ? 1.0 : 0.0, v, err);
    return status;
}

/* Forces begin before the host knows whether the list still holds, so that the machine need not wait for it; where it
 * does not, they leave everything as it is, and follow after a new list. */
static enum ph_status evaluate(struct ph_backend *backend, struct ph_energy *energy, struct ph_error *err)
{
    struct engine *engine = (struct engine *)backend;
    const struct ph_accel_view *v = &engine->view;
    enum ph_status status = settle(engine, err);
    bool done = engine->list == VALID && engine->placed;
    if (status == PH_OK && done) {
        status = begin_forces(engine, energy != NULL, true, err);
        if (status == PH_OK)
            status = engine->mark ? engine->machine->wait_for_mark(engine->mark, err) : engine->machine->wait(err);
        done = !v->signals->moved;
        if (status == PH_OK && done && v->signals->not_broken > 0)
            status = explain_broken(engine, err);
    }
    if (status == PH_OK && !done)
        status = update_list(engine, err);
    if (status == PH_OK && !done)
        status = begin_forces(engine, energy != NULL, false, err);
    return status == PH_OK && energy ? add_energies(engine, energy, err) : status;
}

/* ---- The state ---- */

/* Arrays of the host and of the machine, by parts of the state */
struct crossing {
    int part;
    void *here, *there;
    size_t size;
};
enum { CROSSINGS = 3 * 6 + 4 + 9 };

static size_t list_crossings(const struct ph_accel_view *v, const struct ph_system *system, double *const *residual,
                             struct crossing crossing[CROSSINGS])
{
    static const int of_residual[] = {PH_STATE_PLACES, PH_STATE_MOMENTA, PH_STATE_MOMENTA};
    size_t n = 0;
    for (int k = 0; k < 3; ++k) {
        const struct crossing all[] = {{PH_STATE_PLACES, system->r[k], v->r[k], sizeof(double)},
                                       {PH_STATE_PLACES, system->image[k], v->image[k], sizeof(int32_t)},
                                       {PH_STATE_MOMENTA, system->p[k], v->p[k], sizeof(double)},
                                       {PH_STATE_MOMENTA, system->m[k], v->m[k], sizeof(double)},
                                       {PH_STATE_FORCES, system->f[k], v->f[k], sizeof(double)},
                                       {PH_STATE_FORCES, system->t[k], v->t[k], sizeof(double)}};
        memcpy(crossing + n, all, sizeof all);
        n += sizeof all / sizeof *all;
    }
    for (int k = 0; k < 4; ++k)
        crossing[n++] = (struct crossing){PH_STATE_PLACES, system->q[k], v->q[k], sizeof(double)};
    for (int k = 0; k < 9 && residual && v->residual[0]; ++k)
        crossing[n++] = (struct crossing){of_residual[k / 3], residual[k], v->residual[k], sizeof(double)};
    return n;
}

/* A list that was restored goes with the first state that is written. */
static enum ph_status write_state(struct ph_backend *backend, int parts, const struct ph_system *system,
                                  double *const *residual, struct ph_error *err)
{
    struct engine *engine = (struct engine *)backend;
    const struct ph_accel_view *v = &engine->view;
    struct crossing crossing[CROSSINGS];
    const size_t n = list_crossings(v, system, residual, crossing);
    enum ph_status status = settle(engine, err);
    for (size_t k = 0; k < n && status == PH_OK; ++k)
        if (crossing[k].part & parts & ~PH_STATE_FORCES)
            status = engine->machine->copy_to(crossing[k].there, crossing[k].here, v->n * crossing[k].size, err);
    if (parts & PH_STATE_PLACES) {
        engine->list = engine->list == RESTORED ? RESTORED : STALE;
        engine->placed = false;
    }
    return status;
}

static enum ph_status read_state(struct ph_backend *backend, int parts, struct ph_system *system,
                                 double *const *residual, struct ph_error *err)
{
    struct engine *engine = (struct engine *)backend;
    const struct ph_accel_view *v = &engine->view;
    const bool residuals = (parts & PH_STATE_RESIDUALS) != 0;
    struct crossing crossing[CROSSINGS];
    const size_t n = list_crossings(v, system, residuals ? residual : NULL, crossing);
    enum ph_status status = settle(engine, err);
    if (status == PH_OK)
        status = wait_for(engine, err);
    for (size_t k = 0; k < n && status == PH_OK; ++k)
        if (crossing[k].part & parts)
            status = engine->machine->copy_from(crossing[k].here, crossing[k].there, v->n * crossing[k].size, err);
    for (int k = 0; k < 3 && residuals && status == PH_OK; ++k)
        status = engine->machine->copy_from(engine->built_at[k], v->built_at[k], v->n * sizeof(double), err);
    return status;
}

static struct ph_force_memory memory(const struct ph_backend *backend)
{
    const struct engine *engine = (const struct engine *)backend;
    struct ph_force_memory memory = {.boxes = NULL};
    for (int k = 0; k < 3 && engine->list == VALID; ++k)
        memory.built_at[k] = engine->built_at[k];
    for (int k = 0; k < 3; ++k)
        memory.anchor[k] = engine->anchor[k];
    return memory;
}

static enum ph_status restore(struct ph_backend *backend, const struct ph_force_memory *memory, struct ph_error *err)
{
    struct engine *engine = (struct engine *)backend;
    enum ph_status status = PH_OK;
    engine->list = memory->built_at[0] ? RESTORED : STALE;
    for (int k = 0; k < 3 && engine->list == RESTORED && status == PH_OK; ++k)
        status = engine->machine->copy_to(engine->view.built_at[k], memory->built_at[k],
                                          engine->view.n * sizeof(double), err);
    for (int k = 0; k < 3 && memory->anchor[k] && engine->anchor[k] && status == PH_OK; ++k) {
        memcpy(engine->anchor[k], memory->anchor[k], engine->view.n * sizeof(double));
        status = engine->machine->copy_to(engine->view.external.anchor[k], memory->anchor[k],
                                          engine->view.n * sizeof(double), err);
    }
    return status;
}

enum ph_status ph_engine_count(struct ph_backend *backend, struct ph_engine_counts *counts, struct ph_error *err)
{
    struct engine *engine = (struct engine *)backend;
    const struct ph_accel_view *v = &engine->view;
    *counts = (struct ph_engine_counts){.lists_made = engine->lists_made};
    if (!v->listed || engine->list != VALID)
        return PH_OK;
    uint32_t *partners = malloc(v->n * sizeof *partners);
    if (!partners)
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for %u molecules.", v->n);
    const enum ph_status status = engine->machine->copy_from(partners, v->partners, v->n * sizeof *partners, err);
    for (uint32_t k = 0; k < v->n && status == PH_OK; ++k)
        counts->partners += partners[k];
    free(partners);
    return status;
}

enum ph_status ph_engine_create(const struct ph_machine *machine, const char *name, const struct ph_system *system,
                                const struct ph_interactions *interactions, bool compensated, struct ph_backend **out,
                                struct ph_error *err)
{
    *out = NULL;
    struct engine *engine = calloc(1, sizeof *engine);
    if (!engine)
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for dynamics.backend: %s.", name);
    engine->backend = (struct ph_backend){.destroy = destroy,
                                          .write = write_state,
                                          .read = read_state,
                                          .drift = drift,
                                          .evaluate = evaluate,
                                          .kick = kick,
                                          .memory = memory,
                                          .restore = restore};
    engine->machine = machine;
    engine->name = name;
    const enum ph_status status = set_up(engine, system, interactions, compensated, err);
    if (status != PH_OK) {
        destroy(&engine->backend);
        return status;
    }
    *out = &engine->backend;
    return PH_OK;
}
