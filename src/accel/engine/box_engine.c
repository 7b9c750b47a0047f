/* SPDX-License-Identifier: MIT */
/* Changes of the box, and of what the force field has chosen for it. All tables follow from the present box and the
 * present choices alone, so that a resumed run has the same. */

#include "accel/engine/engine_parts.h"

#include "accel/engine/site_table.h"
#include "accel/functions/variants.h"
#include "force/longrange/ewald.h"
#include "force/term.h"

#include <assert.h>
#include <string.h>

/* ---- Formulas of a machine ---- */

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

int ph_engine_find_variant(const struct ph_engine *engine, const struct ph_pair_table *table)
{
    const struct ph_site_pairs *pairs = &table->of[0];
    if (!engine->single || pairs->n != 1 || pairs->pair[0].term.split)
        return -1;
    const struct ph_site_pair *pair = &pairs->pair[0];
    const bool smooth = pair->term.field.edge > 0.0 && pair->electric != PH_KERNEL_NO_ELECTRIC;
    for (int k = 0; k < PH_VARIANT_COUNT; ++k)
        if (variants[k].radial == pair->radial && variants[k].electric == pair->electric &&
            variants[k].truncate == pair->truncate && variants[k].smooth == smooth)
            return k;
    return -1;
}

/* Tilted boxes have no kernels of their own for single sites. */
void ph_engine_choose_formulas(struct ph_engine *engine)
{
    struct ph_accel_view *v = &engine->view;
    v->variant = engine->box.kind == PH_BOX_TRICLINIC ? -1 : engine->variant;
    v->sites.n_kinds = v->variant < 0 ? engine->n_kinds : 0;
    v->round = v->sites.n_kinds == 0 && (!v->rotates || v->top.a2 == 0.0);
}

enum ph_status ph_engine_allocate_scratch(struct ph_engine *engine, struct ph_error *err)
{
    struct ph_accel_view *v = &engine->view;
    enum ph_status status = PH_OK;
    if (v->listed)
        return ph_engine_allocate_lists(engine, err);
    if (v->variant >= 0 && !v->parts)
        v->parts =
            engine->machine->allocate((size_t)PH_PARTS * (7 + PH_ENERGIES) * v->n * sizeof(double), &status, err);
    ph_engine_share_view(engine);
    return status;
}

/* Sites of molecules that had a kernel of their own until the box was tilted */
static enum ph_status make_sites(struct ph_engine *engine, const struct ph_system *system,
                                 const struct ph_force_field *field, struct ph_error *err)
{
    if (engine->n_kinds > 0 || engine->box.kind != PH_BOX_TRICLINIC)
        return PH_OK;
    const enum ph_status status = ph_site_table_make(engine->machine, engine->name, system,
                                                     ph_force_field_pair_table(field, false), &engine->view.sites, err);
    engine->n_kinds = engine->view.sites.n_kinds;
    return status;
}

static enum ph_status fit_box(struct ph_engine *engine, const struct ph_system *system,
                              const struct ph_force_field *field, struct ph_error *err)
{
    engine->box = system->box;
    enum ph_status status = make_sites(engine, system, field, err);
    ph_engine_choose_formulas(engine);
    ph_engine_set_lengths(engine);
    engine->list = engine->list == PH_LIST_RESTORED ? PH_LIST_RESTORED : PH_LIST_STALE;
    engine->placed = false;
    ++engine->view.version;
    ph_engine_changed(engine, PH_OF_LIST);
    if (status == PH_OK)
        status = ph_engine_allocate_scratch(engine, err);
    return status != PH_ERR_MEMORY
               ? status
               : ph_error_set(err, status, "The memory of dynamics.backend: %s does not suffice for the new box.",
                              engine->name);
}

static enum ph_status fit_long_range(struct ph_engine *engine, const struct ph_system *system,
                                     const struct ph_force_field *field, struct ph_error *err)
{
    const struct ph_force_version now = ph_force_field_version(field);
    const struct ph_pair_table *table = ph_force_field_pair_table(field, false);
    const bool again = now.choices != engine->version.choices;
    enum ph_status status = PH_OK;
    if (again) /* another split of pairs and waves */
        status = ph_site_table_set_entries(engine->machine, table, &engine->view.sites, err);
    if (status == PH_OK && engine->view.waves.present)
        status = ph_wave_engine_renew(engine->machine, engine->name, system, table, ph_force_field_ewald_term(field),
                                      again, &engine->waves, &engine->view.waves, err);
    ++engine->view.version;
    engine->version = status == PH_OK ? now : engine->version;
    ph_engine_share_view(engine);
    return status;
}

/* Near pairs of a nested scheme */
static enum ph_status make_near(struct ph_engine *engine, const struct ph_force_field *field, struct ph_error *err)
{
    const struct ph_pair_table *table = ph_force_field_pair_table(field, true);
    struct ph_accel_view *near = &engine->near;
    enum ph_status status = PH_OK;
    assert(table && table->record == ph_force_field_pair_table(field, false)->record);
    near->variant = ph_engine_find_variant(engine, table);
    near->term = table->of[0].pair[0].term;
    near->sites = engine->view.sites;
    near->sites.entry = NULL;
    near->sites.start = NULL;
    near->sites.split = NULL;
    near->sites.angular = NULL;
    near->sites.curves = NULL;
    near->sites.on_host = NULL;
    assert(engine->view.variant < 0 || near->variant >= 0);
    status = ph_site_table_set_entries(engine->machine, table, &near->sites, err);
    engine->has_near = true;
    engine->shared = UINT64_MAX;
    if (status == PH_OK)
        status = ph_engine_allocate_scratch(engine, err);
    ph_engine_share_view(engine);
    engine->list = engine->list == PH_LIST_RESTORED ? PH_LIST_RESTORED : PH_LIST_STALE;
    return status;
}

enum ph_status ph_engine_set_box(struct ph_backend *backend, const struct ph_system *system,
                                 const struct ph_force_field *field, struct ph_error *err)
{
    struct ph_engine *engine = (struct ph_engine *)backend;
    const bool same = memcmp(system->box.edge, engine->box.edge, sizeof engine->box.edge) == 0;
    const struct ph_force_version now = field ? ph_force_field_version(field) : engine->version;
    const bool known = now.boxes == engine->version.boxes && now.choices == engine->version.choices;
    enum ph_status status = PH_OK;
    if (!same)
        status = fit_box(engine, system, field, err);
    if (status == PH_OK && !same && engine->tail)
        status = ph_term_tail.box_changed(engine->tail, system, err);
    if (status == PH_OK && !known)
        status = fit_long_range(engine, system, field, err);
    if (status == PH_OK && engine->near_cutoff > 0.0 && !engine->has_near)
        status = make_near(engine, field, err);
    return status;
}

/* Kicks that are pending come first, because they add to residuals. */
enum ph_status ph_engine_map_centres(struct ph_backend *backend, const double map[3][3], struct ph_error *err)
{
    struct ph_engine *engine = (struct ph_engine *)backend;
    enum ph_status status = ph_engine_sync(engine, err);
    if (status == PH_OK)
        status = engine->machine->copy_to(engine->view.map, map, 9 * sizeof(double), err);
    if (status == PH_OK)
        status = ph_engine_run(engine, PH_TASK_MAP, engine->view.n, err);
    engine->placed = false;
    ph_engine_changed(engine, PH_OF_R | PH_OF_RESIDUALS_R | PH_OF_RESIDUALS_PM);
    return status;
}
