/* SPDX-License-Identifier: MIT */
#include "run/build/build.h"

#include "base/library.h"
#include "base/vec3.h"

#include <math.h>
#include <string.h>

/* The cells of the input, if it has them and they hold all molecules; else chosen */
enum ph_status ph_build_ice_cells(const struct ph_input *input, size_t n, size_t cells[3], struct ph_error *err)
{
    const struct ph_ice_form *form = ph_ice_find(input->system.start.form);
    const bool given = ph_input_given(input, "system.start.cells");
    char place[PH_PLACE];
    struct ph_error inner = {.text = ""};
    if (!given) {
        ph_input_line_place(input, input->system.molecules[0].line, place);
        const enum ph_status status = ph_ice_repeat(form, n, cells, &inner);
        return status == PH_OK
                   ? status
                   : ph_error_set(err, status, "%s: system.molecules[0].count: %.600s Or give system.start.cells.",
                                  place, inner.text);
    }
    double all = (double)ph_ice_molecules(form);
    for (int k = 0; k < 3; ++k) {
        cells[k] = (size_t)input->system.start.cells[k];
        all *= (double)cells[k];
    }
    if (all == (double)n)
        return PH_OK;
    ph_input_place(input, "system.start.cells", place);
    return ph_error_set(err, PH_ERR_INPUT,
                        "%s: system.start.cells: %zu x %zu x %zu cells of ice %s hold %.0f molecules, but "
                        "system.molecules[0].count is %zu.",
                        place, cells[0], cells[1], cells[2], form->name, all, n);
}

enum ph_status ph_build_ice_edges(const struct ph_input *input, const struct ph_species *species, const size_t *counts,
                                  double edge[3][3], struct ph_error *err)
{
    const struct ph_ice_form *form = ph_ice_find(input->system.start.form);
    char place[PH_PLACE];
    struct ph_error inner = {.text = ""};
    if (input->system.n_molecules != 1) {
        ph_input_line_place(input, input->system.molecules[1].line, place);
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s: system.molecules has %zu models, but system.start.kind: ice places a single one.",
                            place, input->system.n_molecules);
    }
    enum ph_status status = ph_ice_check_water(&species[0], &inner);
    if (status != PH_OK) {
        ph_input_line_place(input, input->system.molecules[0].line, place);
        return ph_error_set(err, status, "%s: system.molecules[0].model: %.600s", place, inner.text);
    }
    size_t cells[3];
    status = ph_build_ice_cells(input, counts[0], cells, err);
    if (status != PH_OK)
        return status;
    ph_ice_edges(form, cells, edge);
    const double volume = edge[0][0] * edge[1][1] * edge[2][2], n = (double)counts[0];
    double wanted = volume;
    if (!isnan(input->system.box.density))
        wanted = n / input->system.box.density;
    if (!isnan(input->system.box.mass_density))
        wanted = n * species[0].mass * ph_kilograms_per_cubic_metre / input->system.box.mass_density;
    const double scale = wanted == volume ? 1.0 : ph_library_cbrt(wanted / volume);
    for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 3; ++k)
            edge[j][k] *= scale;
    return PH_OK;
}

void ph_build_note_ice(const struct ph_input *input, const struct ph_system *system, struct ph_build_notes *notes)
{
    const struct ph_ice_form *form = ph_ice_find(input->system.start.form);
    size_t cells[3];
    if (strcmp(input->system.start.kind, "ice") != 0 || ph_build_ice_cells(input, system->n, cells, NULL) != PH_OK)
        return;
    ph_build_note(notes, "Ice %s: %zu x %zu x %zu cells, %.5g x %.5g x %.5g nm, %.4g kg/m^3 (published: %.4g at %s).\n",
                  form->name, cells[0], cells[1], cells[2], ph_vec3_norm(system->box.edge[0]),
                  ph_vec3_norm(system->box.edge[1]), ph_vec3_norm(system->box.edge[2]),
                  ph_kilograms_per_cubic_metre * (double)system->n * system->species[0].mass / system->box.volume,
                  form->density, form->reference);
}
