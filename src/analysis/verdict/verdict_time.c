/* SPDX-License-Identifier: MIT */
/* Is the run long enough, and did it begin where it had settled?
 *
 * Length: as many independent numbers as fit into it, its rows over the statistical inefficiency (blocks.h) of the
 * potential energy and the temperature. The dipole of all molecules often takes much longer to turn than anything else
 * does to settle, and matters to the permittivity alone. The check reports it, but does not change the verdict.
 * dielectric.h says how many independent values are enough for it. */

/* Settling: the mean of the first fifth against the mean of the last half (after J. Geweke, Bayesian Statistics 4
 * (1992) 169). A quantity that has not settled is slow, so that scatter and correlation of the whole record would hide
 * the difference. Both are therefore taken from the last half. Of m and n rows out of numbers with variance v and
 * inefficiency g, the difference of means has the variance v g (1/m + 1/n). It counts if chance does not allow it
 * (ph_mean_chance), and if it is as large as a change of the temperature by the tolerance. For a potential energy the
 * limit is that part of the mean kinetic energy. */

/* Trend: where the last half continues in one direction it has no ten independent numbers, and the comparison above
 * fails. But a quantity that has settled scatters by an amount that is known, or bounded, whatever its correlation
 * time:
 *   temperature sqrt(2/F), density 1/sqrt(N), as an ideal gas, potential energy sqrt(F) kT: a heat capacity of Fk.
 * The quantity has not settled if the means of all ten tenths of the record rise, or all fall, by more than 4.5 times
 * that and by a tenth of the whole from the first to the last. Of 200 000 records of numbers with an exponential
 * correlation, of times from 0.02 to 10 of the record, at most 3 of 20 000 did so at 4. */
#include "analysis/kinds/dielectric.h"
#include "analysis/verdict/verdict_parts.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS = 30 }; /* that can tell how many are independent */

double ph_independent(const struct ph_mean *mean)
{
    enum { NOT_ROUGH = 30 };
    const double n = (double)mean->n / mean->inefficiency;
    return mean->n < ROWS || (mean->rough && n >= NOT_ROUGH) ? 0.0 : n;
}

/* The slower of potential energy and temperature */
struct slowest {
    const char *name;
    const struct ph_series *series; /* NULL: there is none */
    double inefficiency, numbers;
};

static struct slowest find_slowest(const struct ph_judged *run)
{
    const struct slowest both[] = {{"potential energy", &run->potential, 1.0, 0.0},
                                   {"temperature", &run->temperature, 1.0, 0.0}};
    struct slowest found = {.numbers = INFINITY};
    for (int k = 0; k < 2; ++k) {
        if (both[k].series->rows == 0)
            continue;
        const struct ph_mean mean = ph_series_mean(both[k].series, 0, 1.0);
        if (!(ph_independent(&mean) < found.numbers))
            continue;
        found = both[k];
        found.inefficiency = mean.inefficiency;
        found.numbers = ph_independent(&mean);
    }
    return found;
}

bool ph_is_brief(const struct ph_judged *run) { return find_slowest(run).numbers < PH_INDEPENDENT; }

static struct ph_check *say_length(const struct ph_judged *run, const char *name, const struct slowest *slowest,
                                   bool enough)
{
    const struct ph_series *series = slowest->series;
    const double length = ph_judged_length(series), time = 0.5 * slowest->inefficiency * length / (double)series->rows;
    const char *unit = run->physical ? " ps" : "";
    return series->rows < ROWS
               ? ph_verdict_say(run->verdict, name, PH_UNCLEAR, "%zu rows are too few to judge by", series->rows)
               : ph_verdict_say(run->verdict, name, enough ? PH_WELL : PH_UNCLEAR,
                                "%s%.3g%s, correlation time of the %s %.2g%s", enough ? "" : "too short: ", length,
                                unit, slowest->name, time, unit);
}

enum ph_status ph_check_dipole(const struct ph_judged *run, struct ph_error *err)
{
    struct ph_series dipole;
    const enum ph_status status = ph_judged_read(run, "dipole", &dipole, err);
    if (status == PH_OK && dipole.width == 3 && dipole.rows > 1) {
        const struct ph_dipole_record record = ph_dipole_record_of(&dipole);
        const struct slowest slowest = {"total dipole", &dipole, record.inefficiency, record.independent};
        const bool enough = record.independent >= PH_DIPOLE_ENOUGH && !record.rough;
        if (record.square.mean > 0.0)
            say_length(run, "dipole", &slowest, enough)->minor = true;
    }
    ph_series_free(&dipole);
    return status;
}

/* Returns the difference of beginning and end, in units of the allowed difference; > 1: not settled */
static double unsettled(const struct ph_series *series, double tolerance, double *difference)
{
    const size_t n = series->rows, first = n / 5, last = n / 2;
    double *x = ph_allocate(n + 1, sizeof *x);
    *difference = 0.0;
    if (!x || first == 0) {
        free(x);
        return 0.0;
    }
    for (size_t k = 0; k < n; ++k)
        x[k] = series->values[k * series->width];
    const struct ph_mean begin = ph_mean_of(first, x), end = ph_mean_of(last, x + (n - last));
    free(x);
    *difference = begin.mean - end.mean;
    struct ph_mean both = end;
    both.error = end.error * sqrt(1.0 + (double)last / (double)first);
    return fabs(*difference) / fmax(ph_mean_chance(&both), tolerance);
}

/* Returns the difference of the last tenth from the first, in units of `most`, if all tenths go one way; else 0 */
static double goes_on(const struct ph_series *series, double most, double *difference)
{
    enum { PARTS = 10 };
    double mean[PARTS];
    size_t rising = 0, falling = 0;
    if (series->rows < ROWS)
        return 0.0;
    for (size_t p = 0; p < PARTS; ++p) {
        const size_t begin = p * series->rows / PARTS, end = (p + 1) * series->rows / PARTS;
        mean[p] = 0.0;
        for (size_t k = begin; k < end; ++k)
            mean[p] += series->values[k * series->width] / (double)(end - begin);
        rising += p > 0 && mean[p] > mean[p - 1];
        falling += p > 0 && mean[p] < mean[p - 1];
    }
    *difference = mean[PARTS - 1] - mean[0];
    return rising == PARTS - 1 || falling == PARTS - 1 ? fabs(*difference) / most : 0.0;
}

enum ph_status ph_check_settling(const struct ph_judged *run, struct ph_error *err)
{
    struct ph_series density;
    const enum ph_status status = ph_judged_read(run, "density", &density, err);
    const double each = 1.0 / fmax(1.0, (double)ph_reader_molecules(run->reader));
    const struct {
        const char *name;
        const struct ph_series *series;
        double scale, shown; /* unit of a deviation, NaN: the mean; factor for messages */
        double scatter;      /* in equilibrium, at most, relative to the scale */
    } kinds[] = {
        {"potential energy per molecule", &run->potential, run->kinetic, each, 2.0 / sqrt(run->degrees)},
        {"temperature", &run->temperature, NAN, 1.0, sqrt(2.0 / run->degrees)},
        {"density", &density, NAN, 1.0, sqrt(each)},
    };
    double worst = -1.0, off = 0.0, trend = 1.0, change = 0.0;
    size_t found = 0, going = 0;
    for (size_t k = 0; status == PH_OK && k < sizeof kinds / sizeof *kinds; ++k) {
        const struct ph_series *series = kinds[k].series;
        if (series->rows < 2)
            continue;
        const double own = fabs(ph_series_mean(series, 0, 1.0).mean),
                     scale = isnan(kinds[k].scale) ? own : kinds[k].scale;
        double difference = 0.0;
        const double further = goes_on(series, fmax(0.1, 4.5 * kinds[k].scatter) * scale, &difference);
        if (further > trend) {
            trend = further;
            going = k;
            change = kinds[k].shown * difference;
        }
        const double much = unsettled(series, ph_verdict_tolerance * scale, &difference);
        if (!(much > worst))
            continue;
        worst = much;
        found = k;
        off = kinds[k].shown * difference;
    }
    if (worst > 1.0)
        ph_verdict_say(run->verdict, "settling", PH_WRONG,
                       "%s of the first fifth %s by %.2g than of the last half: begin later, equilibrate longer",
                       kinds[found].name, off > 0.0 ? "higher" : "lower", fabs(off));
    else if (trend > 1.0)
        ph_verdict_say(run->verdict, "settling", PH_WRONG,
                       "%s still %s: by %.2g from the first tenth to the last, all the time: equilibrate longer",
                       kinds[going].name, change > 0.0 ? "rises" : "falls", fabs(change));
    else if (worst > 0.0 && !run->brief)
        ph_verdict_say(run->verdict, "settling", PH_WELL, "the first fifth is as the last half");
    else if (worst >= 0.0)
        ph_verdict_say(run->verdict, "settling", PH_UNCLEAR, "too short to compare the first fifth with the last half")
            ->minor = true; /* the length tells whether that matters */
    ph_series_free(&density);
    return status;
}

enum ph_status ph_check_length(const struct ph_judged *run, struct ph_error *err)
{
    (void)err;
    const struct slowest slowest = find_slowest(run);
    if (slowest.series)
        say_length(run, "length", &slowest, slowest.numbers >= PH_INDEPENDENT);
    return PH_OK;
}
