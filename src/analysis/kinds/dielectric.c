/* SPDX-License-Identifier: MIT */
/* Static dielectric constant from the fluctuations of the total dipole moment M.
 *
 * With L = 4 pi (<M^2> - <M>^2) / (3 V kT) (4 pi eps0 = 1)
 *   x / (1 - Q x) = L/3,  x = (e - 1)/(e + 2)   (Neumann, Mol. Phys. 50 (1983) 841),
 * where 4 pi/3 Q P is the field that a uniform polarisation P makes at a molecule by its truncated interactions.
 *
 * The angular part of two dipoles makes none, however h(r) is truncated: Q = 0 for a plain cutoff. A reaction field
 * has Q = 2 (e' - 1)/(2 e' + 1) if it is cut. Sites with charges, each truncated by itself, see no charge in uniform
 * polarisation and hence no field, which is the field of a conductor around the sample: Q = 1. */

/* So do dipoles whose reaction field vanishes smoothly at the cutoff: with B1 of potential/electric.h, Q = 1 - rc^3
 * B1(rc). Lattice sums with a continuum e' around the sample have Q as a reaction field; a conductor gives e = 1 +
 * L. */
#include "analysis/kinds/dielectric.h"

#include "analysis/registry.h"
#include "analysis/trajectory/recording.h"
#include "analysis/trajectory/series.h"
#include "base/memory.h"
#include "base/vec3.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum sources { NOTHING, CHARGES, DIPOLES, BOTH };

struct conditions {
    enum sources cut;           /* sources whose interactions end at a plain cutoff; NOTHING: there is none */
    bool slab;                  /* no formula for slabs is implemented */
    double field;               /* Q */
    double factor;              /* 4 pi / (3 V kT), with the unit of charge */
    double volume, kT, squares; /* sum of mu^2 of all molecules; NaN if not known */
};

enum { COUNT, SQUARE, X, Y, Z, SUMS };

static double permittivity_of(const double *sums, const void *data)
{
    const struct conditions *c = data;
    const double n = sums[COUNT];
    double spread = sums[SQUARE] / n;
    for (int k = X; k <= Z; ++k)
        spread -= sums[k] / n * (sums[k] / n);
    const double third = c->factor * spread / 3.0, x = third / (1.0 + c->field * third);
    return x < 1.0 ? (1.0 + 2.0 * x) / (1.0 - x) : NAN;
}

static double spread_of(const double *sums, const void *data)
{
    (void)data;
    const double n = sums[COUNT];
    return sums[SQUARE] / n - (sums[X] * sums[X] + sums[Y] * sums[Y] + sums[Z] * sums[Z]) / (n * n);
}

/* Sums over `blocks` stretches of the first `rows` rows */
static void sum_blocks(const struct ph_series *dipole, size_t rows, size_t blocks, double *sums)
{
    memset(sums, 0, blocks * SUMS * sizeof *sums);
    for (size_t b = 0; b < blocks; ++b)
        for (size_t k = b * rows / blocks; k < (b + 1) * rows / blocks; ++k) {
            const double *m = &dipole->values[3 * k];
            double *to = &sums[b * SUMS];
            to[COUNT] += 1.0;
            to[SQUARE] += ph_vec3_dot(m, m);
            for (int a = 0; a < 3; ++a)
                to[X + a] += m[a];
        }
}

static bool say_convergence(const struct ph_series *dipole, const struct conditions *conditions,
                            struct ph_result *result)
{
    enum { POINTS = 50, BLOCKS = 8 };
    const size_t points = dipole->rows < POINTS ? dipole->rows : POINTS;
    struct ph_result_table *table = ph_result_table(
        result, points, "dielectric constant from the beginning up to a time, errors from 8 blocks", "convergence");
    double *time = ph_result_column(result, table, "time", dipole->clock);
    double *epsilon = ph_result_column(result, table, "epsilon", "");
    double *error = ph_result_column(result, table, "epsilon_error", "");
    if (!time || !epsilon || !error)
        return false;
    for (size_t p = 0; p < points; ++p) {
        double sums[BLOCKS * SUMS];
        const size_t rows = (p + 1) * dipole->rows / points, blocks = rows < BLOCKS ? rows : BLOCKS;
        sum_blocks(dipole, rows, blocks, sums);
        ph_jackknife(blocks, SUMS, sums, permittivity_of, conditions, &epsilon[p], &error[p]);
        time[p] = dipole->time[rows - 1];
    }
    return true;
}

struct ph_dipole_record ph_dipole_record_of(const struct ph_series *dipole)
{
    struct ph_dipole_record record = {.square = ph_mean_of(0, NULL)};
    double *square = ph_allocate(dipole->rows + 1, sizeof *square);
    if (!square)
        return record;
    for (size_t k = 0; k < dipole->rows; ++k) {
        const double *m = &dipole->values[3 * k];
        square[k] = ph_vec3_dot(m, m);
    }
    record.square = ph_mean_of(dipole->rows, square);
    free(square);
    record.inefficiency = record.square.inefficiency;
    record.rough = record.square.rough;
    for (size_t a = 0; a < 3; ++a) {
        const struct ph_mean m = ph_series_mean(dipole, a, 1.0);
        record.inefficiency = fmax(record.inefficiency, m.inefficiency);
        record.rough = record.rough || m.rough;
    }
    record.independent = (double)dipole->rows / record.inefficiency;
    return record;
}

/* Adds the reasons why the fluctuations of M do not belong to the bulk fluid, or are not known. In both cases no error
 * of the results can be given. */
static void add_cautions(const struct ph_dipole_record *record, const struct conditions *conditions,
                         struct ph_value *value)
{
    if (conditions->cut & CHARGES)
        ph_value_caution(value, "charges were cut off site by site, which is no model of a fluid");
    else if (conditions->cut & DIPOLES)
        ph_value_caution(
            value, "dipoles ended at a plain cutoff, so that the fluctuations of the whole are not those of the fluid");
    if (conditions->slab)
        ph_value_caution(value, "the formula is that of a bulk fluid, and this is a slab");
    if (record->independent < PH_DIPOLE_ENOUGH)
        ph_value_caution(value,
                         "the run is too short: independent values of the total dipole moment are about %.0f, and an "
                         "error needs %d",
                         fmax(1.0, record->independent), PH_DIPOLE_ENOUGH);
    else if (record->rough)
        ph_value_caution(value, "the run is too short to find the correlation time of the total dipole moment");
    if (isnan(value->value))
        ph_value_caution(value, "the fluctuations are larger than this boundary allows");
}

static bool say_results(const struct ph_series *dipole, const struct conditions *conditions, struct ph_result *result)
{
    enum { MOST = 32, FEWEST = 4 };
    double sums[MOST * SUMS];
    const struct ph_dipole_record record = ph_dipole_record_of(dipole);
    const struct ph_mean mean = record.square;
    if (mean.n == 0)
        return false;
    size_t blocks = dipole->rows / mean.block;
    blocks = blocks > MOST ? MOST : (blocks < FEWEST ? FEWEST : blocks);
    blocks = blocks > dipole->rows ? dipole->rows : blocks;
    sum_blocks(dipole, dipole->rows, blocks, sums);
    double value, error;
    ph_jackknife(blocks, SUMS, sums, permittivity_of, conditions, &value, &error);
    struct ph_value *epsilon = ph_result_value(result, "epsilon", value, error, "", "static dielectric constant");
    epsilon->correlation_time = ph_mean_time(&mean, dipole->interval);
    epsilon->rough = mean.rough;
    add_cautions(&record, conditions, epsilon);
    const bool impossible = isnan(value);
    ph_jackknife(blocks, SUMS, sums, spread_of, NULL, &value, &error);
    if (conditions->squares > 0.0)
        add_cautions(&record, conditions,
                     ph_result_value(result, "kirkwood_factor", value / conditions->squares,
                                     error / conditions->squares, "",
                                     "of the whole sample, for this boundary: (<M^2> - <M>^2) / sum of mu^2"));
    if (conditions->squares > 0.0)
        ph_result_value(result, "y", conditions->factor * conditions->squares / 3.0, NAN, "",
                        "4 pi (sum of mu^2) / (9 V kT): strength of the dipoles");
    char unit[PH_RESULT_UNIT];
    snprintf(unit, sizeof unit, "%s", dipole->unit[0] ? "e+2 nm+2" : "");
    ph_result_value(result, "dipole_fluctuation", value, error, unit, "<M^2> - <M>^2");
    for (size_t a = 0; a < 3; ++a) {
        static const char *const names[] = {"mean_dipole_x", "mean_dipole_y", "mean_dipole_z"};
        const struct ph_mean m = ph_series_mean(dipole, a, 1.0);
        ph_series_say(result, dipole, &m, names[a], dipole->unit, "of the whole sample: zero without a field");
    }
    ph_result_number(result, "blocks", (double)blocks, NULL);
    if (impossible)
        ph_result_note(result,
                       "The fluctuations are larger than this boundary allows for any dielectric constant: the run is "
                       "too short, or interactions are truncated in another way than the formula takes for granted.");
    return true;
}

/* Q of a continuum, and the permittivity of the continuum that a Q stands for */
static double field_of(double permittivity)
{
    return isinf(permittivity) ? 1.0 : 2.0 * (permittivity - 1.0) / (2.0 * permittivity + 1.0);
}

static double continuum_of(double field) { return field >= 1.0 ? INFINITY : (2.0 + field) / (2.0 - 2.0 * field); }

/* With switched radial terms a reaction field vanishes smoothly. */
static bool vanishes_smoothly(const struct ph_recording *recording)
{
    char *truncation = ph_reader_text(&recording->reader, "truncation");
    const bool smooth = truncation && strcmp(truncation, "switched") == 0;
    free(truncation);
    return smooth;
}

static enum sources sources_of(const struct ph_recording *recording)
{
    int found = NOTHING;
    for (size_t k = 0; k < recording->n_kinds; ++k)
        for (size_t a = 0; a < recording->kinds[k].species.n_sites; ++a) {
            const struct ph_site *site = &recording->kinds[k].species.site[a];
            found |= site->charge != 0.0 ? CHARGES : NOTHING;
            found |= !ph_vec3_is_zero(site->dipole) ? DIPOLES : NOTHING;
        }
    return (enum sources)found;
}

/* Finds the boundary of interactions that end at a cutoff */
static void find_truncated(const struct ph_recording *recording, bool reaction_field, double permittivity,
                           struct conditions *conditions, struct ph_result *result)
{
    const enum sources sources = sources_of(recording);
    conditions->field = reaction_field ? field_of(permittivity) : 0.0;
    if (reaction_field && vanishes_smoothly(recording)) {
        conditions->field = 1.0;
        ph_result_note(result, "The reaction field vanishes smoothly at the cutoff: the formula is that of a conductor "
                               "around the sample, whatever its permittivity.");
    } else if (sources == CHARGES) {
        conditions->field = 1.0;
        ph_result_note(result, "Sites with charges are truncated one by one: the formula is that of a conductor around "
                               "the sample, whatever the reaction field.");
    } else if (sources == BOTH) {
        ph_result_note(result, "There are charges and point dipoles, which need different formulas: that of dipoles is "
                               "used, which is a guess.");
    } else if (!reaction_field) {
        ph_result_note(result, "Dipoles interact up to a plain cutoff: the formula is that of vacuum around it, with "
                               "large errors if the dielectric constant is large.");
    }
}

/* Finds the boundary around the sample, from the file or from the user */
static void find_boundary(const struct ph_recording *recording, const struct ph_analysis_request *request,
                          struct conditions *conditions, struct ph_result *result)
{
    const struct ph_reader *reader = &recording->reader;
    char *method = ph_reader_text(reader, "electrostatics");
    double number = INFINITY;
    const bool said = ph_reader_number(reader, "electrostatics_boundary_permittivity", &number);
    const bool cutoff = method && strcmp(method, "cutoff") == 0;
    conditions->cut = cutoff ? sources_of(recording) : NOTHING;
    if (!isnan(request->permittivity)) {
        conditions->field = field_of(request->permittivity);
    } else if (cutoff || (method && strcmp(method, "reaction-field") == 0)) {
        find_truncated(recording, !cutoff, number, conditions, result);
    } else {
        conditions->field = field_of(number);
        if (!said)
            ph_result_note(result,
                           "%s does not say what surrounds the sample: a conductor (tin foil) is assumed; "
                           "--permittivity says otherwise.",
                           reader->file.name);
    }
    char *geometry = ph_reader_text(reader, "ewald_geometry");
    conditions->slab = geometry && strcmp(geometry, "slab") == 0;
    if (conditions->slab)
        ph_result_note(result, "%s is a run of a slab: the formula is that of a bulk fluid, and does not hold.",
                       reader->file.name);
    free(geometry);
    if (method)
        ph_result_text(result, "electrostatics", method);
    ph_result_number(result, "boundary_permittivity", continuum_of(conditions->field), NULL);
    free(method);
}

static enum ph_status find_conditions(const struct ph_recording *recording, const struct ph_analysis_request *request,
                                      struct conditions *conditions, struct ph_result *result, struct ph_error *err)
{
    const struct ph_reader *reader = &recording->reader;
    struct ph_boxes boxes;
    double temperature;
    enum ph_status status = ph_recording_boxes(recording, request->stage, &boxes, result, err);
    if (status != PH_OK)
        return status;
    if (!boxes.periodic)
        return ph_error_set(err, PH_ERR_INPUT, "%s: a dielectric constant needs a periodic box.", reader->file.name);
    if (isnan(recording->boltzmann))
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s: does not say in which units it is (parameters/units: reduced or md).",
                            reader->file.name);
    status = ph_series_temperature(reader, request, &temperature, result, err);
    if (status != PH_OK)
        return status;
    conditions->volume = boxes.volume;
    conditions->kT = recording->boltzmann * temperature;
    conditions->factor =
        4.0 * 3.14159265358979323846 * recording->coulomb / (3.0 * conditions->volume * conditions->kT);
    conditions->squares = 0.0;
    for (size_t k = 0; k < recording->n_kinds; ++k) {
        const double *mu = recording->kinds[k].dipole;
        conditions->squares += recording->kinds[k].known ? (double)recording->kinds[k].n * ph_vec3_dot(mu, mu) : NAN;
    }
    if (boxes.change)
        ph_result_note(result, "The box changes in time: the volume is its mean.");
    ph_result_number(result, "volume", boxes.volume, ph_recording_unit(recording, "nm+3"));
    find_boundary(recording, request, conditions, result);
    return PH_OK;
}

/* The total dipole of the frames, of files without a time series of it */
static enum ph_status dipole_of_frames(const struct ph_analysis_request *request, struct ph_series *dipole,
                                       struct ph_result *result, struct ph_error *err)
{
    struct ph_recording recording;
    struct ph_recorded snapshot = {.frame = 0};
    enum ph_status status = ph_recording_open(request, PH_BIT(PH_DIPOLE), 0, &recording, result, err);
    if (status == PH_OK)
        status = ph_snapshot_init(&recording, &snapshot, err);
    *dipole = (struct ph_series){.width = 3, .rows = recording.n_frames, .interval = recording.interval};
    dipole->values = calloc(3 * dipole->rows + 1, sizeof *dipole->values);
    dipole->time = calloc(dipole->rows + 1, sizeof *dipole->time);
    if (status == PH_OK && (!dipole->values || !dipole->time))
        status = ph_no_memory(err, "a time series");
    for (size_t f = 0; f < recording.n_frames && status == PH_OK; ++f) {
        status = ph_recording_read(&recording, f, &snapshot, err);
        dipole->time[f] = recording.time[f];
        for (size_t k = 0; k < 3 * recording.n_molecules && status == PH_OK; ++k)
            dipole->values[3 * f + k % 3] += snapshot.data[PH_DIPOLE][k];
        if (request->progress)
            request->progress((double)f / (double)recording.n_frames, request->progress_data);
    }
    strcpy(dipole->clock, recording.clock);
    strcpy(dipole->unit, ph_recording_unit(&recording, "e nm"));
    ph_snapshot_free(&snapshot);
    ph_recording_close(&recording);
    return status;
}

static enum ph_status run(const struct ph_analysis_request *request, struct ph_result *result, struct ph_error *err)
{
    struct ph_recording recording;
    struct ph_series dipole = {.rows = 0};
    struct conditions conditions;
    enum ph_status status = ph_recording_open_about(request, &recording, err);
    if (status == PH_OK)
        status = find_conditions(&recording, request, &conditions, result, err);
    const bool series = status == PH_OK && ph_series_has(&recording.reader, "dipole");
    if (series)
        status = ph_series_read(&recording.reader, request, "dipole", request->stage, &dipole, result, err);
    else if (status == PH_OK)
        status = dipole_of_frames(request, &dipole, result, err);
    if (status == PH_OK) {
        ph_result_number(result, "rows", (double)dipole.rows, NULL);
        if (!say_results(&dipole, &conditions, result) || !say_convergence(&dipole, &conditions, result))
            status = ph_no_memory(err, "a time series");
    }
    ph_series_free(&dipole);
    ph_recording_close(&recording);
    return status;
}

const struct ph_analysis ph_analysis_dielectric = {
    .name = "dielectric",
    .summary = "static dielectric constant from fluctuations of the dipole",
    .documentation =
        "From <M^2> - <M>^2 of the total dipole moment, with the formula that fits what surrounds the sample in the "
        "run: a reaction field that is cut or lattice sums with the permittivity in the file, vacuum for dipoles with "
        "a plain cutoff, a conductor for charges that are truncated site by site and for reaction fields that vanish "
        "smoothly; or what --permittivity says (inf: conductor). The table shows how the value develops with time.",
    .needs = "a periodic box; series/dipole, or dipoles or orientations in frames; a temperature",
    .options = "stage frames temperature permittivity",
    .run = run,
};
