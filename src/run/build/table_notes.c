/* SPDX-License-Identifier: MIT */
/* Notes on tables: how far their splines are expected to be from the energies between the points. And on formulas,
 * which are compiled here: by what. */
#include "run/build/build.h"

static void (*watcher)(const char *about);

void ph_build_watch_compilers(void (*say)(const char *about)) { watcher = say; }

static void note_formula(const struct ph_curve *curve, struct ph_build_notes *notes)
{
    if (!curve || curve->kind != PH_RADIAL_FORMULA || curve->tried)
        return;
    if (watcher)
        watcher(curve->about);
    ph_curve_make_native(curve);
    if (watcher)
        watcher(NULL);
    if (curve->native.radial[0] || curve->native.angular[0])
        ph_build_note(notes, "Formula compiled by %s: %.200s.\n", curve->made_by, curve->about);
    else
        ph_build_note(notes, "Formula not compiled, which makes it slower, because %s: %.200s.\n", curve->made_by,
                      curve->about);
}

/* `said`: the table of the last note, because equal ones mostly follow each other */
static void note_table(const struct ph_radial *radial, double *said, struct ph_build_notes *notes)
{
    const double large = 1e-4; /* of the depth */
    const struct ph_curve *curve = ph_curve_of(radial);
    note_formula(curve, notes);
    if (!curve || curve->kind != PH_RADIAL_TABLE || curve->number == *said)
        return;
    *said = curve->number;
    const struct ph_table_error *error = &curve->error;
    ph_build_note(notes,
                  "Table %s: between points the spline of degree %d is expected to err by up to %.1g in u at r = %.4g, "
                  "and by up to %.1g where u is below %.4g.\n",
                  curve->about, PH_SPLINE_DEGREE, error->all, error->at, error->well, curve->depth);
    if (error->well > large * curve->depth)
        ph_build_note(notes,
                      "Warning: the points of the table %s are too far apart, or rounded too much, for a smooth "
                      "interpolation. Give more points, with more digits.\n",
                      curve->about);
}

void ph_build_note_tables(const struct ph_system *system, const struct ph_interactions *interactions,
                          struct ph_build_notes *notes)
{
    double said = 0.0;
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t a = 0; a < system->species[s].n_sites; ++a)
            note_table(&system->species[s].site[a].radial, &said, notes);
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t a = 0; a < system->species[s].n_sites; ++a)
            note_formula(ph_curve_of_angular(&system->species[s].site[a].angular), notes);
    for (size_t k = 0; k < interactions->n_overrides; ++k)
        note_table(&interactions->overrides[k].radial, &said, notes);
    for (size_t k = 0; k < interactions->n_overrides; ++k)
        note_formula(ph_curve_of_angular(&interactions->overrides[k].angular), notes);
}
