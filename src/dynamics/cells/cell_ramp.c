/* SPDX-License-Identifier: MIT */
/* A steady change of density: all edges get the same factor every few steps, such that the volume reaches its target
 * with the last change of the stage. Each factor follows from the present volume and the number of changes left. So it
 * depends on the state alone, and a resumed run continues as if it had never stopped. */
#include "dynamics/cells/cell_kinds.h"

#include "base/library.h"

static enum ph_status change(const struct ph_cell_options *cell, double h, int64_t step, const struct ph_energy *energy,
                             struct ph_state *state, double numbers[PH_CELL_NUMBERS], bool *changed,
                             struct ph_error *err)
{
    (void)h;
    *changed = false;
    const int64_t left = cell->steps / cell->every - (step - cell->first_step) / cell->every + 1; /* with this one */
    if (left < 1)
        return PH_OK;
    const struct ph_box *box = &ph_state_system(state)->box;
    const double factor = ph_library_pow(cell->volume / box->volume, 1.0 / (3.0 * (double)left));
    double edge[3][3];
    for (int k = 0; k < 9; ++k)
        edge[k / 3][k % 3] = factor * box->edge[k / 3][k % 3];
    struct ph_energy after;
    enum ph_status status = ph_cell_set_box((const double(*)[3])edge, state, err);
    if (status == PH_OK)
        status = ph_state_forces(state, PH_FORCES_ALL, &after, err);
    if (status != PH_OK)
        return status;
    numbers[PH_CELL_WORK] += ph_energy_total(&after) - ph_energy_total(energy);
    numbers[PH_CELL_TRIED] += 1.0;
    numbers[PH_CELL_ACCEPTED] += 1.0;
    *changed = true;
    return PH_OK;
}

const struct ph_cell_kind ph_cell_ramp = {
    .name = "ramp",
    .summary = "to a given density, steadily during the stage",
    .reference = "",
    .change = change,
};
