/* SPDX-License-Identifier: MIT */
/* Judges the drift and the error of the energy E that the equations conserve. The system has F degrees of freedom and
 * the mean kinetic energy K = F kT/2. With a thermostat or a barostat E is the conserved energy (conservation.h).
 *
 * Drift. A slope s of E over a run of length t heats the system by s t. Its heat capacity lies between Fk/2 (ideal gas)
 * and Fk (harmonic vibrations), so that its temperature changes by at most
 *   dT/T = s t / K.
 * A thermostat removes that heat within the correlation time of the energy that it exchanges. This time then stands for
 * t, because only the heat of this time remains. */

/* Error. A symplectic scheme of order p and step h conserves not E but E + d with d of order h^p. As long as the
 * step is short enough for that, E = const - d stays near its value for ever, and E and d have the same root mean
 * square deviation. The run samples the distribution of E + d. To first order in d a mean <A> is then off by -cov(A,
 * d)/kT, which is at most |d<A>| <= sigma_A sigma_d / kT, by Schwarz's inequality. */

/* For the temperature, whose values scatter by sigma_T = T sqrt(2/F), that is dT/T <= sqrt(2/F) sigma_d / kT =
 * sqrt(F/2) sigma_d / K. It does not depend on the size of the system, since sigma_d grows as sqrt(F), and means of
 * other sums over molecules are bounded likewise. */

/* A tenth means that the error of the energy is about a tenth of the energy that kinetic and potential energy
 * exchange. The step is then outside the region where the scheme keeps its order. In between, means may be off by
 * more than the tolerance, and need not be. Halving the step divides sigma_d by 2^p. */

/* A thermostat changes momenta between steps, and with them d, so that the conserved energy wanders. sigma_d is
 * therefore taken about the means of short pieces, some correlation times of the potential energy each. Without a
 * thermostat that is the same. Metropolis' rule corrects the sampling for d, so that the energy of such runs is not
 * judged. With langevin-middle places and momenta of a row belong to different times, and sigma_d would be that of the
 * difference. So the error is not judged there, but the drift is. */
#include "analysis/kinds/conservation.h"
#include "analysis/verdict/verdict_parts.h"
#include "base/plain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Root mean square about the means of pieces of m rows */
static double local_rms(size_t n, const double *x, size_t m)
{
    double square = 0.0, free = 0.0;
    for (size_t first = 0; first + m <= n; first += m) {
        double sum = 0.0;
        for (size_t k = first; k < first + m; ++k)
            sum += x[k] - x[0];
        const double mean = x[0] + sum / (double)m;
        for (size_t k = first; k < first + m; ++k)
            square += (x[k] - mean) * (x[k] - mean);
        free += (double)m - 1.0;
    }
    return sqrt(square / free);
}

static int digits(double part) { return part < 1.0 ? 2 : 3; } /* of a percentage: 1.5, 150 */

static void judge_drift(const struct ph_judged *run, const struct ph_conservation *energy, double time)
{
    const double slope = energy->line.slope, error = energy->line.slope_error, kT = 2.0 * run->kinetic / run->degrees;
    const double each = kT * (double)ph_reader_molecules(run->reader), heat = fabs(slope) * time / run->kinetic;
    const double numbers = (double)energy->line.n / energy->line.inefficiency; /* as ph_mean_chance */
    const bool sure = numbers > 10.0 && fabs(slope) > 4.0 * error * (1.0 + sqrt(8.0 / numbers));
    const enum ph_finding state = !(heat > ph_verdict_tolerance) ? PH_WELL : sure ? PH_WRONG : PH_UNCLEAR;
    static const char *const words[] = {[PH_WELL] = "",
                                        [PH_UNCLEAR] = "; too short to tell it from chance",
                                        [PH_WRONG] = ": a shorter step, or a smoother cutoff"};
    ph_verdict_say(run->verdict, "drift", state,
                   "%+.2g +- %.1g kT per molecule and %s, changes the %s by at most %.*g %%%s%s", slope / each,
                   error / each, run->physical ? "ps" : "unit of time", run->thermal ? "temperature" : "kinetic energy",
                   digits(heat), 100.0 * heat, run->bath ? " against the bath" : "", words[state]);
}

static void judge_error(const struct ph_judged *run, double rms)
{
    const double outside = 0.1, bias = sqrt(0.5 * run->degrees) * rms / run->kinetic;
    const double kT = 2.0 * run->kinetic / run->degrees, each = kT * sqrt((double)ph_reader_molecules(run->reader));
    const enum ph_finding state = !(bias > ph_verdict_tolerance) ? PH_WELL : bias > outside ? PH_WRONG : PH_UNCLEAR;
    char words[128] = "";
    double order = NAN;
    if (!ph_reader_number(run->reader, "scheme_order", &order))
        ph_reader_number(run->reader, "integrator_order", &order);
    if (state == PH_WRONG)
        snprintf(words, sizeof words, ": the step is too long for the scheme, polhode tune finds a better one");
    else if (state == PH_UNCLEAR && order > 0.0)
        ph_snprintf(words, sizeof words, "; half the step makes it %.0f times smaller", exp2(order));
    ph_verdict_say(run->verdict, "energy", state, "rms error %.2g kT sqrt(N), %s %.*g %%%s", rms / each,
                   state == PH_WELL ? "shifts means by at most" : "may shift means by", digits(bias), 100.0 * bias,
                   words);
}

/* Finds the correlation time of the energy that the bath exchanges; without a bath, the length of the run */
static enum ph_status time_of(const struct ph_judged *run, double length, double *time, struct ph_error *err)
{
    struct ph_series total;
    *time = length;
    if (!run->bath)
        return PH_OK;
    const enum ph_status status = ph_judged_read(run, "total_energy", &total, err);
    if (status == PH_OK && total.rows > 1)
        *time = fmin(length, 0.5 * ph_series_mean(&total, 0, 1.0).inefficiency * length / (double)total.rows);
    ph_series_free(&total);
    return status;
}

/* Is every row the same number, other than zero? Of molecules that interact, none has moved. */
static bool never_changes(const struct ph_series *potential)
{
    size_t k = 1;
    while (k < potential->rows && potential->values[k] == potential->values[0])
        ++k;
    return potential->values[0] != 0.0 && k == potential->rows;
}

enum ph_status ph_check_energy(const struct ph_judged *run, struct ph_error *err)
{
    double accepted;
    size_t rows;
    enum ph_status status = ph_judged_accepted(run, "acceptance", &accepted, &rows, err);
    if (status != PH_OK || !(run->kinetic > 0.0 && run->degrees > 0.0) || run->potential.rows < 8)
        return status;
    if (never_changes(&run->potential)) {
        ph_verdict_say(run->verdict, "energy", PH_UNCLEAR,
                       "the potential energy is the same in all %zu rows: nothing moves, or no molecule meets another",
                       run->potential.rows);
        return PH_OK;
    }
    char *thermostat = ph_reader_text(run->reader, "thermostat");
    const bool apart = thermostat && strcmp(thermostat, "langevin-middle") == 0; /* places and momenta of a row */
    free(thermostat);
    if (!isnan(accepted)) /* Metropolis: sampling is exact */
        return PH_OK;
    const double moves = 1e-9; /* kinetic energy per potential energy; below it is the rounding of forces */
    if (!(run->kinetic > moves * fabs(ph_series_mean(&run->potential, 0, 1.0).mean))) {
        ph_verdict_say(run->verdict, "energy", PH_UNCLEAR, "nothing moves: the start is at rest, and no force acts");
        return PH_OK;
    }
    struct ph_series series;
    struct ph_conservation energy;
    struct ph_result notes = {0};
    const char *name;
    double time;
    status = ph_conserved_read(run->reader, &run->request, run->request.stage, &series, &name, &notes, err);
    ph_result_free(&notes);
    if (status == PH_OK && !ph_conservation_of(&series, 1.0, &energy))
        status = ph_no_memory(err, "a time series");
    const bool conserved = !run->bath || strcmp(name, "conserved_energy") == 0;
    if (status == PH_OK && conserved && series.rows >= 8) {
        const double piece = ceil(8.0 * ph_series_mean(&run->potential, 0, 1.0).inefficiency);
        status = time_of(run, ph_judged_length(&series), &time, err);
        if (status == PH_OK)
            judge_drift(run, &energy, time);
        if (status == PH_OK && apart)
            ph_verdict_say(run->verdict, "energy", PH_UNCLEAR,
                           "the error of the step is not judged with langevin-middle")
                ->minor = true;
        else if (status == PH_OK)
            judge_error(run, local_rms(series.rows, series.values, (size_t)fmin(piece, (double)series.rows)));
    }
    ph_series_free(&series);
    return status;
}
