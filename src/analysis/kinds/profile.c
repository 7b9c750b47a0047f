/* SPDX-License-Identifier: MIT */
/* Profiles along the normal n of two faces of the box: bins of equal width from one face to the other.
 *
 * The electrostatic potential solves phi'' = -4 pi k rho, with k = 1/(4 pi eps0). With the charge Q per area below an
 * edge of a bin, the field there is E = E0 + 4 pi k Q. Over a bin from z to z' the potential changes by
 *   phi(z') - phi(z) = -E(z) (z' - z) - 4 pi k sum q (z' - z_q) / area,
 * so it is exact at edges, wherever charges are in the bins. A point dipole adds -mu.n to the last sum. The potential
 * is zero at the lower face. In a periodic box E0 makes it zero at the upper face too: the mean field vanishes, as for
 * an Ewald sum in a conductor. In a slab E0 is zero, since the field ends outside. */
#include "analysis/registry.h"
#include "analysis/statistics/blocks.h"
#include "analysis/trajectory/sweep.h"
#include "base/rotation.h"
#include "base/vec3.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const double volt = 96.48533212; /* kJ/mol/e */

enum { FRAMES, LENGTH, FIRST_SUM };
/* Sums of each bin: densities over its volume, charges over the area, plain sums. Then the density of each kind. */
enum { MASS, CHARGE, DIPOLE, AREA_CHARGE, AREA_MOMENT, DIRECTIONS, COSINE, SECOND, MOVING, KINETIC, OF_KIND };
/* Columns: density of each kind behind these */
enum { C_MASS, C_CHARGE, C_DIPOLE, C_COSINE, C_ORDER, C_TEMPERATURE, C_FIELD, C_KINDS };

struct task {
    const struct ph_recording *recording;
    int axis;
    size_t bins, per_bin, columns;
    bool electric, polar, velocities, slab;
};

struct place {
    size_t bin;
    double above; /* length from here to the upper edge of the bin */
};

static struct place place_of(const struct task *task, const struct ph_recorded *snapshot, const double r[3])
{
    const double s = ph_vec3_dot(snapshot->box.inverse[task->axis], r), n = (double)task->bins;
    const double at = (s - floor(s)) * n;
    const size_t bin = at < n ? (size_t)at : task->bins - 1;
    return (struct place){bin, ((double)(bin + 1) - at) / n * snapshot->box.width[task->axis]};
}

static double *sums_of(const struct task *task, double *sums, size_t bin)
{
    return &sums[FIRST_SUM + bin * task->per_bin];
}

static void add_charges(const struct task *task, const struct ph_recorded *snapshot, const struct ph_species *species,
                        size_t i, const double normal[3], double *sums)
{
    static const double one[4] = {1.0, 0.0, 0.0, 0.0};
    const double *q = snapshot->data[PH_ORIENTATION] ? &snapshot->data[PH_ORIENTATION][4 * i] : one;
    const double area = snapshot->box.volume / snapshot->box.width[task->axis];
    const double bin_volume = snapshot->box.volume / (double)task->bins;
    for (size_t a = 0; a < species->n_sites; ++a) {
        const struct ph_site *site = &species->site[a];
        double r[3], mu[3];
        ph_quat_rotate(species->degrees > 0 ? q : one, site->position, r);
        ph_quat_rotate(species->degrees > 0 ? q : one, site->dipole, mu);
        ph_vec3_add(1.0, &snapshot->data[PH_CENTRE][3 * i], r);
        const struct place at = place_of(task, snapshot, r);
        double *to = sums_of(task, sums, at.bin);
        to[CHARGE] += site->charge / bin_volume;
        to[AREA_CHARGE] += site->charge / area;
        to[AREA_MOMENT] += (site->charge * at.above - ph_vec3_dot(mu, normal)) / area;
    }
}

static bool add(const struct ph_recording *recording, const struct ph_recorded *snapshot, const void *data, void *own,
                double *sums)
{
    (void)own;
    const struct task *task = data;
    const double *inverse = snapshot->box.inverse[task->axis], size = ph_vec3_norm(inverse);
    const double normal[3] = {inverse[0] / size, inverse[1] / size, inverse[2] / size};
    const double bin_volume = snapshot->box.volume / (double)task->bins;
    sums[FRAMES] += 1.0;
    sums[LENGTH] += snapshot->box.width[task->axis];
    for (size_t i = 0; i < recording->n_molecules; ++i) {
        const struct ph_recording_kind *kind = &recording->kinds[recording->kind[i]];
        const struct place at = place_of(task, snapshot, &snapshot->data[PH_CENTRE][3 * i]);
        double *to = sums_of(task, sums, at.bin);
        to[OF_KIND + recording->kind[i]] += 1.0 / bin_volume;
        if (kind->known)
            to[MASS] += kind->species.mass / bin_volume;
        if (kind->known && task->electric)
            add_charges(task, snapshot, &kind->species, i, normal, sums);
        if (task->polar) {
            const double *mu = &snapshot->data[PH_DIPOLE][3 * i], moment = ph_vec3_norm(mu);
            const double along = ph_vec3_dot(mu, normal);
            to[DIPOLE] += along / bin_volume;
            if (moment > 0.0) {
                const double cosine = along / moment;
                to[DIRECTIONS] += 1.0;
                to[COSINE] += cosine;
                to[SECOND] += 1.5 * cosine * cosine - 0.5;
            }
        }
        if (task->velocities && kind->known) {
            const double *v = &snapshot->data[PH_VELOCITY][3 * i];
            to[MOVING] += 1.0;
            to[KINETIC] += kind->species.mass * ph_vec3_dot(v, v) / (3.0 * recording->boltzmann);
        }
    }
    return true;
}

/* ---- Results ---- */

/* Potential at the edges of bins: bins + 1 numbers */
static void integrate(const struct task *task, const double *sums, double *potential)
{
    const double frames = sums[FRAMES], width = sums[LENGTH] / frames / (double)task->bins;
    const double factor = 4.0 * pi * task->recording->coulomb * (task->recording->physical ? 1.0 / volt : 1.0);
    double below = 0.0;
    potential[0] = 0.0;
    for (size_t b = 0; b < task->bins; ++b) {
        const double *from = &sums[FIRST_SUM + b * task->per_bin];
        potential[b + 1] = potential[b] - factor * (below * width + from[AREA_MOMENT] / frames);
        below += from[AREA_CHARGE] / frames;
    }
    const double rise = task->slab ? 0.0 : potential[task->bins];
    for (size_t b = 0; b <= task->bins; ++b)
        potential[b] -= rise * (double)b / (double)task->bins;
}

/* All columns, bin after bin, then the potential */
static void curves(const double *sums, const void *data, double *out)
{
    const struct task *task = data;
    const size_t bins = task->bins, kinds = task->recording->n_kinds;
    const double frames = sums[FRAMES], width = sums[LENGTH] / frames / (double)bins;
    double *potential = out + bins * task->columns;
    integrate(task, sums, potential);
    for (size_t b = 0; b < bins; ++b) {
        const double *from = &sums[FIRST_SUM + b * task->per_bin];
        out[C_MASS * bins + b] = from[MASS] / frames;
        out[C_CHARGE * bins + b] = from[CHARGE] / frames;
        out[C_DIPOLE * bins + b] = from[DIPOLE] / frames;
        out[C_COSINE * bins + b] = from[COSINE] / from[DIRECTIONS];
        out[C_ORDER * bins + b] = from[SECOND] / from[DIRECTIONS];
        out[C_TEMPERATURE * bins + b] = from[KINETIC] / from[MOVING];
        out[C_FIELD * bins + b] = (potential[b] - potential[b + 1]) / width;
        for (size_t k = 0; k < kinds; ++k)
            out[(C_KINDS + k) * bins + b] = from[OF_KIND + k] / frames;
    }
}

static void say_column(struct ph_result *result, struct ph_result_table *table, const char *name, const char *unit,
                       double scale, size_t rows, const double *values, const double *errors)
{
    char error_name[PH_RESULT_NAME];
    snprintf(error_name, sizeof error_name, "%.80s_error", name);
    double *to = ph_result_column(result, table, name, unit),
           *error = ph_result_column(result, table, error_name, unit);
    for (size_t k = 0; k < rows && to && error; ++k) {
        to[k] = scale * values[k];
        error[k] = scale * errors[k];
    }
}

static void say_tables(const struct task *task, double length, const double *values, const double *errors,
                       struct ph_result *result)
{
    const struct ph_recording *recording = task->recording;
    const size_t bins = task->bins;
    const double width = length / (double)bins, kilograms = recording->physical ? 1.66053906660 : 1.0;
    const struct {
        size_t column;
        const char *name, *unit;
        double scale;
        bool there;
    } columns[] = {
        {C_MASS, "mass_density", "kg m-3", kilograms, recording->kinds[0].known},
        {C_CHARGE, "charge_density", "e nm-3", 1.0, task->electric},
        {C_DIPOLE, "polarisation", "e nm-2", 1.0, task->polar},
        {C_COSINE, "mean_cosine", "", 1.0, task->polar},
        {C_ORDER, "order", "", 1.0, task->polar},
        {C_TEMPERATURE, "temperature", "K", 1.0, task->velocities},
        {C_FIELD, "field", "V nm-1", 1.0, task->electric},
    };
    struct ph_result_table *table = ph_result_table(result, bins, "means in layers, at their middles", "profile");
    double *z = ph_result_column(result, table, "z", recording->length);
    for (size_t b = 0; b < bins && z; ++b)
        z[b] = ((double)b + 0.5) * width;
    for (size_t k = 0; k < recording->n_kinds; ++k) {
        char name[PH_RESULT_NAME];
        snprintf(name, sizeof name, "density.%.64s", recording->kinds[k].name);
        say_column(result, table, name, ph_recording_unit(recording, "nm-3"), 1.0, bins, values + (C_KINDS + k) * bins,
                   errors + (C_KINDS + k) * bins);
    }
    for (size_t c = 0; c < sizeof columns / sizeof *columns; ++c)
        if (columns[c].there)
            say_column(result, table, columns[c].name, ph_recording_unit(recording, columns[c].unit), columns[c].scale,
                       bins, values + columns[c].column * bins, errors + columns[c].column * bins);
    if (!task->electric)
        return;
    const size_t at = bins * task->columns;
    table = ph_result_table(result, bins + 1, "electrostatic potential at the edges of layers", "potential");
    z = ph_result_column(result, table, "z", recording->length);
    for (size_t b = 0; b <= bins && z; ++b)
        z[b] = (double)b * width;
    say_column(result, table, "potential", ph_recording_unit(recording, "V"), 1.0, bins + 1, values + at, errors + at);
    if (bins % 2 == 0)
        ph_result_value(result, "potential_in_middle", values[at + bins / 2], errors[at + bins / 2],
                        ph_recording_unit(recording, "V"), "half way between the faces, relative to the lower face");
}

static bool say(const struct task *task, const struct ph_pass *sweep, struct ph_result *result)
{
    const size_t numbers = sweep->n_blocks * sweep->size, width = task->bins * task->columns + task->bins + 1;
    double *merged = malloc((numbers + 1) * sizeof *merged), *values = calloc(2 * width, sizeof *values);
    bool good = merged && values;
    if (good) {
        memcpy(merged, sweep->sums, numbers * sizeof *merged);
        double frames = 0.0, length = 0.0;
        const size_t blocks = ph_blocks_merge(sweep->n_blocks, sweep->size, merged, PH_ERROR_BLOCKS);
        for (size_t b = 0; b < blocks; ++b) {
            frames += merged[b * sweep->size + FRAMES];
            length += merged[b * sweep->size + LENGTH];
        }
        good = ph_jackknife_all(blocks, sweep->size, merged, curves, task, width, values, values + width);
        if (good)
            say_tables(task, length / frames, values, values + width, result);
        ph_result_number(result, "blocks", (double)blocks, NULL);
    }
    free(merged);
    free(values);
    return good;
}

static enum ph_status choose_axis(const struct ph_analysis_request *request, struct task *task, struct ph_error *err)
{
    static const char *const words[] = {"x", "y", "z"};
    task->axis = 2;
    for (int k = 0; k < 3 && request->of; ++k)
        if (strcmp(request->of, words[k]) == 0) {
            task->axis = k;
            return PH_OK;
        }
    return request->of ? ph_error_set(err, PH_ERR_INPUT, "--of %s: not accepted; give the axis x, y or z.", request->of)
                       : PH_OK;
}

static enum ph_status choose_bins(const struct ph_analysis_request *request, struct task *task,
                                  struct ph_result *result, struct ph_error *err)
{
    enum { DEFAULT_BINS = 100, MOST_BINS = 1000000 };
    struct ph_boxes boxes;
    const struct ph_recording *recording = task->recording;
    enum ph_status status = ph_recording_boxes(recording, request->stage, &boxes, result, err);
    if (status != PH_OK)
        return status;
    if (!boxes.periodic)
        return ph_error_set(err, PH_ERR_INPUT, "%s: open space has no faces between which a profile could be taken.",
                            recording->reader.file.name);
    struct ph_box box;
    status = ph_box_init_periodic((const double(*)[3])boxes.edge, &box, err);
    if (status != PH_OK)
        return status;
    const double length = box.width[task->axis];
    const double wanted = isnan(request->spacing) ? DEFAULT_BINS : rint(length / request->spacing);
    if (!(wanted >= 1.0 && wanted <= MOST_BINS))
        return ph_error_set(err, PH_ERR_INPUT, "--spacing %g: not accepted; between the faces there are %g.",
                            request->spacing, length);
    task->bins = (size_t)wanted;
    ph_result_number(result, "spacing", length / wanted, ph_recording_unit(recording, "nm"));
    ph_result_text(result, "axis", task->axis == 0 ? "x" : task->axis == 1 ? "y" : "z");
    if (boxes.change)
        ph_result_note(result, "The box changes in time: layers are equal parts of the box of each frame.");
    return PH_OK;
}

/* Decides which columns there are. Charges need models and, off the centre, orientations. */
static void choose_columns(struct task *task, struct ph_result *result)
{
    const struct ph_recording *recording = task->recording;
    bool electric = false, known = true, turned = (recording->quantities & PH_BIT(PH_ORIENTATION)) != 0;
    for (size_t k = 0; k < recording->n_kinds; ++k) {
        const struct ph_species *species = &recording->kinds[k].species;
        known = known && recording->kinds[k].known;
        for (size_t a = 0; a < species->n_sites && recording->kinds[k].known; ++a)
            electric = electric || species->site[a].charge != 0.0 || !ph_vec3_is_zero(species->site[a].dipole);
        turned = turned || (recording->kinds[k].known && species->degrees == 0 && recording->n_kinds == 1);
    }
    task->electric = electric && known && turned && isfinite(recording->coulomb);
    task->polar = (recording->quantities & PH_BIT(PH_DIPOLE)) != 0;
    task->velocities = (recording->quantities & PH_BIT(PH_VELOCITY)) != 0 && known && isfinite(recording->boltzmann);
    char *geometry = ph_reader_text(&recording->reader, "ewald_geometry");
    task->slab = geometry && strcmp(geometry, "slab") == 0 && task->axis == 2;
    free(geometry);
    if (task->electric)
        ph_result_text(result, "field_outside", task->slab ? "zero at the lower face" : "zero on average");
    else if (electric || !known)
        ph_result_note(result, "Charges have no profile: the file has no models or no orientations.");
    task->per_bin = OF_KIND + recording->n_kinds;
    task->columns = C_KINDS + recording->n_kinds;
}

static enum ph_status run(const struct ph_analysis_request *request, struct ph_result *result, struct ph_error *err)
{
    struct ph_recording recording;
    struct ph_pass sweep = {.sums = NULL};
    struct task task = {.recording = &recording};
    enum ph_status status = choose_axis(request, &task, err);
    if (status != PH_OK)
        return status;
    status =
        ph_recording_open(request, PH_BIT(PH_CENTRE), PH_BIT(PH_ORIENTATION) | PH_BIT(PH_VELOCITY) | PH_BIT(PH_DIPOLE),
                          &recording, result, err);
    if (status == PH_OK)
        status = choose_bins(request, &task, result, err);
    if (status == PH_OK) {
        choose_columns(&task, result);
        const struct ph_pass_task sweep_task = {
            .size = FIRST_SUM + task.per_bin * task.bins, .data = &task, .add = add};
        status = ph_sweep_run(&recording, &sweep_task, request, &sweep, err);
    }
    if (status == PH_OK && !say(&task, &sweep, result))
        status = ph_no_memory(err, "the profiles");
    free(sweep.sums);
    ph_recording_close(&recording);
    return status;
}

const struct ph_analysis ph_analysis_profile = {
    .name = "profile",
    .summary = "density, charge, dipole, order, temperature and potential along an axis",
    .documentation =
        "Layers between two faces of the box (--of x, y or z, the default): densities of molecules, mass and charge, "
        "polarisation, mean cosine and order <3 cos^2 - 1>/2 of the dipoles with the axis, temperature of "
        "translation, electric field and potential. The potential is zero at the lower face, and at the upper one "
        "too but for slabs.",
    .needs = "positions in a periodic box; for more: velocities, orientations and models",
    .options = "stage frames of spacing",
    .run = run,
};
