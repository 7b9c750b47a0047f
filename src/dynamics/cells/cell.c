/* SPDX-License-Identifier: MIT */
#include "dynamics/cells/cell.h"

#include "dynamics/cells/cell_kinds.h"
#include "force/external/external.h"

#include <string.h>

static const struct ph_cell_kind *const kinds[] = {&ph_cell_rescaling, &ph_cell_ramp};

size_t ph_cell_count(void) { return sizeof kinds / sizeof *kinds; }

const struct ph_cell_kind *ph_cell_at(size_t k) { return kinds[k]; }

const struct ph_cell_kind *ph_cell_find(const char *name)
{
    for (size_t k = 0; k < ph_cell_count(); ++k)
        if (strcmp(kinds[k]->name, name) == 0)
            return kinds[k];
    return NULL;
}

/* ---- Systems with a changing cell ---- */

static bool any_pulls(const struct ph_external_kind *kind, const struct ph_external_fields *fields,
                      const struct ph_system *system)
{
    for (size_t s = 0; s < system->n_species; ++s)
        if (kind->pulls && kind->pulls(fields, &system->species[s]))
            return true;
    return false;
}

bool ph_cell_is_triangular(const struct ph_box *box)
{
    return box->edge[0][1] == 0.0 && box->edge[0][2] == 0.0 && box->edge[1][2] == 0.0 && box->edge[0][0] > 0.0 &&
           box->edge[1][1] > 0.0 && box->edge[2][2] > 0.0;
}

const char *ph_cell_refuses(enum ph_cell_shape shape, const struct ph_system *system,
                            const struct ph_interactions *interactions)
{
    if (system->box.kind == PH_BOX_OPEN)
        return "open space has no cell that could change";
    if (interactions->pinned)
        return "pinned centres would have to move with the cell";
    if (ph_is_ewald(interactions) && interactions->ewald.slab)
        return "a slab has empty space above it, which any pressure would close";
    for (size_t k = 0; k < ph_external_count(); ++k) {
        const struct ph_external_kind *kind = ph_external_at(k);
        if (!ph_external_present(kind, &interactions->external))
            continue;
        if (any_pulls(kind, &interactions->external, system))
            return "an external field that pulls molecules depends on where they are, not only within the cell";
        if (shape == PH_CELL_FULL)
            return "a cell of any shape must be free to turn, and an external field fixes directions";
    }
    if (shape == PH_CELL_FULL && !ph_cell_is_triangular(&system->box))
        return "a cell of any shape must begin with its first edge along x and its second in the plane of x and y";
    return NULL;
}

/* ---- A new box ---- */

/* Centres move to where they are in the box, which becomes this one: edges times fractional coordinates */
static void move_centres(const struct ph_box *box, struct ph_state *state)
{
    const struct ph_box *before = &ph_state_system(state)->box;
    double map[3][3] = {{0.0}};
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
            for (int k = 0; k < 3; ++k)
                map[a][b] += box->edge[k][a] * before->inverse[k][b];
    ph_state_set_box(state, (const double(*)[3])map, box);
}

enum ph_status ph_cell_set_box(const double edge[3][3], struct ph_state *state, struct ph_error *err)
{
    struct ph_system *system = ph_state_system(state);
    const struct ph_box before = system->box;
    struct ph_box box;
    enum ph_status status = ph_box_init_periodic(edge, &box, err);
    if (status != PH_OK)
        return status;
    system->box = box; /* terms look at the box alone */
    status = ph_force_field_box_changed(ph_state_field(state), system, err);
    system->box = before;
    if (status == PH_OK)
        move_centres(&box, state);
    else
        ph_force_field_box_changed(ph_state_field(state), system, NULL);
    return status;
}

enum ph_status ph_cell_choose_again(struct ph_state *state, double *jump, struct ph_error *err)
{
    struct ph_force_field *field = ph_state_field(state);
    if (!ph_force_field_is_rough(field, ph_state_system(state)))
        return PH_OK;
    struct ph_energy before, after;
    enum ph_status status = ph_state_forces(state, PH_FORCES_ALL, &before, err);
    if (status == PH_OK)
        status = ph_force_field_choose_again(field, ph_state_system(state), err);
    if (status == PH_OK)
        status = ph_state_forces(state, PH_FORCES_ALL, &after, err);
    if (status == PH_OK)
        *jump += ph_energy_total(&after) - ph_energy_total(&before);
    return status;
}
