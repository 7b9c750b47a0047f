/* SPDX-License-Identifier: MIT */
#include "analysis/trajectory/recording.h"

#include "base/vec3.h"
#include "model/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const size_t ph_quantity_width[PH_QUANTITIES] = {
    [PH_CENTRE] = 3,           [PH_SITE] = 3,   [PH_IMAGE] = 3, [PH_ORIENTATION] = 4, [PH_VELOCITY] = 3,
    [PH_ANGULAR_MOMENTUM] = 3, [PH_DIPOLE] = 3,
};

static const char *const names[PH_QUANTITIES] = {
    [PH_CENTRE] = "position",         [PH_SITE] = "position",     [PH_IMAGE] = "image",
    [PH_ORIENTATION] = "orientation", [PH_VELOCITY] = "velocity", [PH_ANGULAR_MOMENTUM] = "angular_momentum",
    [PH_DIPOLE] = "dipole",
};

static size_t rows_of(const struct ph_recording *recording, enum ph_quantity quantity)
{
    return quantity == PH_SITE ? recording->reader.n_particles : recording->n_molecules;
}

/* ---- Parts ---- */

/* Opens one element; `*there` says whether it has the right shape. */
static enum ph_status add_part(struct ph_recording *recording, enum ph_quantity quantity, const char *group, bool body,
                               size_t first, size_t n, bool *there, struct ph_error *err)
{
    struct ph_recording_part *part = &recording->parts[recording->n_parts];
    *part = (struct ph_recording_part){.quantity = quantity, .first = first, .n = n};
    const enum ph_status status = ph_h5md_element_open(&recording->reader.file, &part->element, err, "%s/%s", group,
                                                       body && quantity == PH_CENTRE ? "center" : names[quantity]);
    *there = status == PH_OK && part->element.value >= 0 && !part->element.fixed &&
             ph_h5md_element_is(&part->element, n, ph_quantity_width[quantity]);
    if (*there)
        ++recording->n_parts;
    else
        ph_h5md_element_close(&part->element);
    return status;
}

/* Points have no orientation, and molecules without charges no dipole. */
static bool exempt(const struct ph_recording_kind *kind, enum ph_quantity quantity)
{
    const double *mu = kind->dipole;
    const bool polar = !ph_vec3_is_zero(mu);
    if (quantity == PH_ORIENTATION || quantity == PH_ANGULAR_MOMENTUM)
        return kind->known && kind->species.degrees == 0;
    return quantity == PH_DIPOLE && kind->known && !polar;
}

static enum ph_status open_quantity(struct ph_recording *recording, enum ph_quantity quantity, bool *complete,
                                    struct ph_error *err)
{
    const struct ph_reader *reader = &recording->reader;
    enum ph_status status = PH_OK;
    const size_t before = recording->n_parts;
    size_t first = 0;
    if (!reader->bodies || quantity == PH_SITE)
        return add_part(recording, quantity, reader->group, false, 0, rows_of(recording, quantity), complete, err);
    *complete = true;
    for (size_t k = 0; k < recording->n_kinds && status == PH_OK; ++k) {
        char group[PH_H5MD_PATH];
        bool there = false;
        snprintf(group, sizeof group, "rigid_bodies/%.60s", recording->kinds[k].name);
        status = add_part(recording, quantity, group, true, first, recording->kinds[k].n, &there, err);
        *complete = *complete && (there || exempt(&recording->kinds[k], quantity));
        first += recording->kinds[k].n;
    }
    *complete = *complete && recording->n_parts > before;
    while (!*complete && recording->n_parts > before)
        ph_h5md_element_close(&recording->parts[--recording->n_parts].element);
    return status;
}

static enum ph_status missing(const struct ph_recording *recording, enum ph_quantity quantity, struct ph_error *err)
{
    const struct ph_reader *reader = &recording->reader;
    const char *group = reader->bodies ? "rigid_bodies/..." : reader->group;
    bool known = recording->n_kinds > 0;
    for (size_t k = 0; k < recording->n_kinds; ++k)
        known = known && recording->kinds[k].known;
    if (quantity == PH_DIPOLE && known)
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s: no molecule has a dipole. An analysis with the option --of can take a body axis "
                            "instead: --of axis-3.",
                            reader->file.name);
    if (quantity == PH_DIPOLE)
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s: dipoles of molecules are needed, but it has neither %s/dipole, nor %s/orientation "
                            "together with models that say what the dipole is.",
                            reader->file.name, group, group);
    return ph_error_set(
        err, PH_ERR_INPUT, "%s: %s/%s is needed for this analysis, but the file has none%s.", reader->file.name, group,
        names[quantity],
        quantity == PH_ORIENTATION || quantity == PH_ANGULAR_MOMENTUM ? ": it has no orientations of molecules" : "");
}

static bool all_known(const struct ph_recording *recording)
{
    bool known = true, polar = false;
    for (size_t k = 0; k < recording->n_kinds; ++k) {
        const double *mu = recording->kinds[k].dipole;
        known = known && recording->kinds[k].known;
        polar = polar || !ph_vec3_is_zero(mu);
    }
    return known && polar;
}

static enum ph_status open_parts(struct ph_recording *recording, unsigned needed, unsigned wanted, struct ph_error *err)
{
    const size_t most = (recording->n_kinds + 1) * PH_QUANTITIES;
    recording->parts = calloc(most + 1, sizeof *recording->parts);
    if (!recording->parts)
        return ph_no_memory(err, "the elements of %s", recording->reader.file.name);
    enum ph_status status = PH_OK;
    for (int q = 0; q < PH_QUANTITIES && status == PH_OK; ++q) {
        const enum ph_quantity quantity = (enum ph_quantity)q;
        bool there = false;
        if (!((needed | wanted) & PH_BIT(q)) || (quantity == PH_SITE && !recording->reader.bodies))
            continue;
        if (quantity == PH_DIPOLE && all_known(recording)) { /* orientations come before dipoles in the list */
            there = (recording->quantities & PH_BIT(PH_ORIENTATION)) != 0;
            if (!there)
                status = open_quantity(recording, PH_ORIENTATION, &there, err);
            recording->derived_dipole = there;
            if (there)
                recording->quantities |= PH_BIT(PH_ORIENTATION);
        }
        if (!there && status == PH_OK)
            status = open_quantity(recording, quantity, &there, err);
        if (there)
            recording->quantities |= PH_BIT(q);
        else if ((needed & PH_BIT(q)) && status == PH_OK)
            status = missing(recording, quantity, err);
    }
    return status;
}

/* ---- Opening ---- */

static void find_units(struct ph_recording *recording)
{
    const struct ph_reader *reader = &recording->reader;
    const struct ph_reader_element *position = ph_reader_find(reader, recording->reader.position.path);
    char path[PH_H5MD_PATH + 8], unit[1][PH_H5MD_WORD] = {""};
    if (position)
        strcpy(recording->length, position->unit);
    snprintf(path, sizeof path, "%s/time", recording->reader.position.path);
    if (ph_h5md_exists(&reader->file, path) > 0 && ph_h5md_words(&reader->file, path, "unit", 1, unit) == 1)
        strcpy(recording->clock, unit[0]);
    char *units = ph_reader_text(reader, "units");
    const struct ph_units *known = units ? ph_units_find(units) : NULL;
    recording->physical = units && strcmp(units, "md") == 0;
    recording->boltzmann = known ? known->boltzmann : NAN;
    recording->coulomb = known ? known->coulomb : NAN;
    free(units);
}

const char *ph_recording_unit(const struct ph_recording *recording, const char *unit)
{
    return recording->physical ? unit : "";
}

enum ph_status ph_recording_open_about(const struct ph_analysis_request *request, struct ph_recording *recording,
                                       struct ph_error *err)
{
    *recording = (struct ph_recording){.help = request->help, .interval = NAN};
    enum ph_status status = request->reader ? ph_reader_lend_particles(request->reader, &recording->reader, err)
                                            : ph_reader_open_particles(request->files[0], &recording->reader, err);
    if (status == PH_OK)
        status = ph_recording_check_boundary(recording, err);
    if (status != PH_OK)
        return status;
    find_units(recording);
    return ph_recording_find_kinds(recording, err);
}

enum ph_status ph_recording_open(const struct ph_analysis_request *request, unsigned needed, unsigned wanted,
                                 struct ph_recording *recording, struct ph_result *result, struct ph_error *err)
{
    enum ph_status status = ph_recording_open_about(request, recording, err);
    if (status == PH_OK)
        status = open_parts(recording, needed, wanted, err);
    if (status == PH_OK)
        status = ph_recording_check_particles(recording, err);
    if (status == PH_OK)
        status = ph_recording_open_frames(recording, request, result, err);
    if (status != PH_OK)
        return status;
    ph_result_number(result, "frames", (double)recording->n_frames, NULL);
    ph_result_number(result, "first_time", recording->time[0], recording->clock);
    ph_result_number(result, "last_time", recording->time[recording->n_frames - 1], recording->clock);
    ph_result_number(result, "molecules", (double)recording->n_molecules, NULL);
    return PH_OK;
}

void ph_recording_close(struct ph_recording *recording)
{
    for (size_t p = 0; p < recording->n_parts; ++p) {
        ph_h5md_element_close(&recording->parts[p].element);
        free(recording->parts[p].row);
    }
    free(recording->parts);
    free(recording->step);
    free(recording->time);
    free(recording->row);
    free(recording->kinds);
    free(recording->types);
    free(recording->kind);
    free(recording->type);
    free(recording->molecule);
    ph_reader_close(&recording->reader);
}
