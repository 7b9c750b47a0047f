/* SPDX-License-Identifier: MIT */
/* Has a fluid separated into phases? Averages over two phases describe neither of them, though energies, temperatures
 * and pressures may all have settled.
 *
 * The box is cut into cells with about 8 molecules each. D is the variance of the numbers in them over their mean.
 * It is 1 for places at random, and less in liquids and crystals. It is 1.5 in a Lennard-Jones fluid 7 % above its
 * critical temperature, and 7 to 13 where that has separated into gas and liquid. The check uses the mean of D over
 * the last ten frames of the production. It scatters by sqrt(2/(M - 1)) of itself with M cells if the frames are all
 * alike. */

/* A system whose D is more than
 *   2 (1 + 4 sqrt(2/(M - 1))), and than 4,
 * is not one phase.
 *
 * If the first frame of the file has half of that already, the system was built so, as a film is, or continues such
 * a run. The check then reports it, but does not change the verdict. The check is left out with external fields,
 * which make densities uneven, and with more than MOST_MOLECULES molecules, which take too long to read. */
#include "analysis/trajectory/recording.h"
#include "analysis/verdict/verdict_parts.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

enum { EACH = 8, FEWEST_CELLS = 8, MOST_MOLECULES = 100000, FRAMES = 10 };

static size_t cells_of(const struct ph_box *box, size_t molecules, size_t cells[3])
{
    const double side = cbrt(EACH * box->volume / (double)molecules);
    size_t all = 1;
    for (int k = 0; k < 3; ++k) {
        cells[k] = (size_t)fmax(1.0, fmin(floor(box->width[k] / side), (double)molecules));
        all *= cells[k];
    }
    return all;
}

/* D of a frame; NaN without memory, or with too few cells */
static double dispersion_of(const struct ph_recorded *snapshot, size_t molecules, size_t *n_cells)
{
    size_t cells[3];
    const size_t all = *n_cells = cells_of(&snapshot->box, molecules, cells);
    double *counts = all >= FEWEST_CELLS && all <= molecules ? ph_allocate(all, sizeof *counts) : NULL;
    if (!counts)
        return NAN;
    for (size_t i = 0; i < molecules; ++i) {
        const double *r = &snapshot->data[PH_CENTRE][3 * i];
        size_t at = 0;
        for (int k = 0; k < 3; ++k) {
            const double *to = snapshot->box.inverse[k], s = to[0] * r[0] + to[1] * r[1] + to[2] * r[2];
            const size_t c = (size_t)((s - floor(s)) * (double)cells[k]);
            at = at * cells[k] + (c < cells[k] ? c : cells[k] - 1);
        }
        counts[at] += 1.0;
    }
    const double mean = (double)molecules / (double)all;
    double square = 0.0;
    for (size_t c = 0; c < all; ++c)
        square += (counts[c] - mean) * (counts[c] - mean);
    free(counts);
    return square / ((double)all - 1.0) / mean;
}

/* Mean of D over the last frames of the production, and D of the first of the file */
static enum ph_status measure(const struct ph_recording *recording, int64_t production, double *last, double *first,
                              size_t *cells, struct ph_error *err)
{
    struct ph_recorded snapshot;
    double sum = 0.0;
    size_t n = 0;
    enum ph_status status = ph_snapshot_init(recording, &snapshot, err);
    const size_t end = recording->n_frames, begin = end > FRAMES ? end - FRAMES : 0;
    for (size_t f = begin; f < end && status == PH_OK; ++f) {
        if (recording->step[f] < production)
            continue;
        status = ph_recording_read(recording, f, &snapshot, err);
        sum += status == PH_OK && snapshot.periodic ? dispersion_of(&snapshot, recording->n_molecules, cells) : NAN;
        ++n;
    }
    *last = n > 0 ? sum / (double)n : NAN;
    if (status == PH_OK)
        status = ph_recording_read(recording, 0, &snapshot, err);
    size_t forgotten;
    *first = status == PH_OK && snapshot.periodic ? dispersion_of(&snapshot, recording->n_molecules, &forgotten) : NAN;
    ph_snapshot_free(&snapshot);
    return status;
}

static enum ph_status has_field(const struct ph_judged *run, bool *has, struct ph_error *err)
{
    struct ph_series field;
    const enum ph_status status = ph_judged_read(run, "energy_field", &field, err);
    *has = false;
    for (size_t k = 0; k < field.rows && status == PH_OK; ++k)
        *has = *has || field.values[k] != 0.0;
    ph_series_free(&field);
    return status;
}

enum ph_status ph_check_phases(const struct ph_judged *run, struct ph_error *err)
{
    const size_t molecules = ph_reader_molecules(run->reader);
    bool field;
    enum ph_status status = has_field(run, &field, err);
    if (status != PH_OK || field || !run->reader->periodic || run->reader->awaits_production ||
        molecules < EACH * FEWEST_CELLS || molecules > MOST_MOLECULES)
        return status;
    const struct ph_analysis_request all = {
        .n_files = 1, .files = &run->reader->file.name, .reader = run->reader, .stage = "all", .frames = {.stride = 1}};
    struct ph_recording recording;
    struct ph_result notes = {0};
    double last = NAN, first = NAN;
    size_t cells = 0;
    status = ph_recording_open(&all, PH_BIT(PH_CENTRE), 0, &recording, &notes, err);
    if (status == PH_OK)
        status = measure(&recording, run->reader->production, &last, &first, &cells, err);
    ph_recording_close(&recording);
    ph_result_free(&notes);
    if (status != PH_OK || isnan(last)) /* frames that cannot be looked at are no fault of the run */
        return status == PH_ERR_MEMORY ? status : PH_OK;
    const double most = fmax(4.0, 2.0 * (1.0 + 4.0 * sqrt(2.0 / ((double)cells - 1.0))));
    const bool separated = last > most, before = first > 0.5 * most;
    ph_verdict_say(run->verdict, "phases", separated ? PH_UNCLEAR : PH_WELL,
                   "numbers in %zu cells have %.2g times the variance of places at random, %.2g at the start%s%s",
                   cells, last, first, separated ? ": more than one phase" : "",
                   separated && !before ? ", averages are of neither" : "")
        ->minor = before;
    return PH_OK;
}
