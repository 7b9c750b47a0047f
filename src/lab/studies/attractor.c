/* SPDX-License-Identifier: MIT */
/* Figure 4.1 of Ortolan's thesis: the energy of seven integrators in a potential made to show drifts. */
#include "lab/studies/frame/study.h"

#include "lab/drift.h"
#include "lab/papers.h"

#include <math.h>

/* The seven methods of the thesis with the drift that it reports, and further methods in the same test */
static const struct method {
    const char *name;
    int sign; /* of the drift: 0 none */
    bool thesis;
} methods[] = {
    {"eln-cay", -1, true},  {"tln-cay", -1, true}, {"prk", -1, true},      {"mcg", 1, true},       {"new3", 1, true},
    {"liemid-ea", 1, true}, {"vlv", 0, true},      {"eln-exp", -1, false}, {"tln-exp", -1, false}, {"rattle", 0, false},
};
enum { ELN, TLN, PRK, MCG, NEW3, LIEMID, VLV, ELN_EXP, TLN_EXP, RATTLE, METHODS, THESIS = VLV + 1 };

/* ---- Texts about the measurement ---- */

static const char said_drift[] = "these are slopes of the energy per unit of time with h = 0.125 over [0, %g], with "
                                 "their standard deviations. RATTLE, which is symplectic too: %.1e +- %.0e.";
static const char said_signs[] = "%zu of %d methods have the sign that is said.";
static const char said_smallest[] = "Of those that drift, %s does so least, by %.2e; the next is %.1f times that.";
static const char said_linear[] = "slope in the second half of the time over that in the first, h = 0.125.";
static const char said_quadratic[] = "powers of h between 0.0625 and 0.125, and between 0.125 and 0.25. It is a square "
                                     "for %zu of %d methods at short steps, and for %zu at long ones.";
static const char also_quadratic[] = "With h = 0.25 %s has lost so much energy on the way, %.2g, that it moves "
                                     "otherwise: its slope in the second half is %.2f of that in the first.";
static const char said_exponential[] = "With the exponential map the drift has the same sign, but is %.2f of that with "
                                       "Cayley's map for ELN and %.2f for TLN (h = 0.125).";
static const char headline[] = "Symmetric methods gain or lose energy all the time (%.1e per unit of time with PRK, "
                               "%.1e with MCG, h = 0.125); the variational one does not (%.0e)";
static const char note_drift[] = "A drift is called one if it is more than %g standard deviations; these come from the "
                                 "scatter of the means of the energy over %d parts of the time about a straight line.";
static const char note_misprints[] = "(3.5) of the thesis, the torque, has a square too much in its first term, and "
                                     "(4.9c) the wrong momentum; both are put right here.";

static const double steps[] = {0.25, 0.125, 0.0625};
enum { LONG, MIDDLE, SHORT, STEPS };

/* A slope counts as a drift if it is this many times its standard deviation. */
static const double significant = 5.0;

enum { CLAIM_DRIFT, CLAIM_LINEAR, CLAIM_QUADRATIC, CLAIM_SIGNS, CLAIM_SMALLEST, CLAIM_EXPONENTIAL, CLAIMS };

static const struct ph_table_column drift_columns[] = {
    {"method", "integrator", true},
    {"step", "of time", false},
    {"slope", "of the energy, per unit of time", false},
    {"deviation", "standard deviation of the slope", false},
    {"slope_first", "slope in the first half", false},
    {"slope_second", "slope in the second half", false},
    {"slope_by_square", "slope over the square of the step", false},
    {"lowest", "energy less that at the start, least", false},
    {"highest", "largest", false},
    {"evaluations", "of forces, per step", false},
};
struct halves {
    double first, second;
};

static struct halves slopes_of_halves(const struct ph_drift *drift)
{
    enum { HALF = PH_DRIFT_PARTS / 2 };
    struct halves halves;
    double deviation;
    ph_drift_line(HALF, drift->mean, drift->time / PH_DRIFT_PARTS, &halves.first, &deviation);
    ph_drift_line(HALF, drift->mean + HALF, drift->time / PH_DRIFT_PARTS, &halves.second, &deviation);
    return halves;
}

static enum ph_status follow(const struct ph_posed *posed, size_t method, size_t step, double time,
                             struct ph_study_result *result, struct ph_drift *drift, struct ph_error *err)
{
    struct ph_drift_track track = {.table = &result->table[1],
                                   .method = methods[method].name,
                                   .step = steps[step],
                                   .scale = 1.0,
                                   .spacing = time / 400.0,
                                   .err = err};
    const struct ph_drift_test test = {.integrator = ph_integrator_find(methods[method].name),
                                       .step = steps[step],
                                       .time = time,
                                       .samples = 1000000,
                                       .watch = ph_drift_track,
                                       .data = &track};
    enum ph_status status = ph_drift_measure(posed, &test, drift, err);
    if (status == PH_OK)
        status = track.status;
    if (status != PH_OK)
        return status;
    const struct halves halves = slopes_of_halves(drift);
    return ph_table_append(&result->table[0], (const char *const[]){methods[method].name},
                           (const double[]){steps[step], drift->slope, drift->deviation, halves.first, halves.second,
                                            drift->slope / (steps[step] * steps[step]), drift->low, drift->high,
                                            (double)drift->counts.evaluations / (double)drift->counts.steps},
                           err);
}

static bool drifts(const struct ph_drift *drift) { return fabs(drift->slope) > significant * drift->deviation; }

static void judge_drifts(struct ph_study_result *result, struct ph_drift d[METHODS][STEPS])
{
    size_t right = 0, signs = 0, smallest = ELN;
    for (size_t m = 0; m < THESIS; ++m) {
        right += drifts(&d[m][MIDDLE]) == (methods[m].sign != 0);
        signs += methods[m].sign == 0 ? !drifts(&d[m][MIDDLE])
                                      : drifts(&d[m][MIDDLE]) && d[m][MIDDLE].slope * methods[m].sign > 0.0;
        ph_study_add(result, CLAIM_DRIFT, "%s %.2e +- %.0e;", methods[m].name, d[m][MIDDLE].slope,
                     d[m][MIDDLE].deviation);
        if (m != VLV && fabs(d[m][MIDDLE].slope) < fabs(d[smallest][MIDDLE].slope))
            smallest = m;
    }
    ph_study_judge(result, CLAIM_DRIFT, ph_finding_share(right, THESIS), said_drift, d[0][MIDDLE].time,
                   d[RATTLE][MIDDLE].slope, d[RATTLE][MIDDLE].deviation);
    ph_study_judge(result, CLAIM_SIGNS, ph_finding_share(signs, THESIS), said_signs, signs, THESIS);
    ph_study_judge(result, CLAIM_SMALLEST, ph_finding(smallest == LIEMID, false), said_smallest, methods[smallest].name,
                   d[smallest][MIDDLE].slope, fabs(d[MCG][MIDDLE].slope / d[smallest][MIDDLE].slope));
}

static void judge_laws(struct ph_study_result *result, struct ph_drift d[METHODS][STEPS])
{
    size_t linear = 0, square = 0, square_long = 0;
    for (size_t m = 0; m < VLV; ++m) {
        const struct halves halves = slopes_of_halves(&d[m][MIDDLE]);
        const double ratio = halves.second / halves.first;
        const double power = log2(d[m][MIDDLE].slope / d[m][SHORT].slope),
                     power_long = log2(d[m][LONG].slope / d[m][MIDDLE].slope);
        linear += fabs(ratio - 1.0) < 0.25;
        square += fabs(power - 2.0) < 0.2;
        square_long += fabs(power_long - 2.0) < 0.2;
        ph_study_add(result, CLAIM_LINEAR, "%s %.2f;", methods[m].name, ratio);
        ph_study_add(result, CLAIM_QUADRATIC, "%s %.2f, %.2f;", methods[m].name, power, power_long);
    }
    ph_study_judge(result, CLAIM_LINEAR, ph_finding_share(linear, VLV), said_linear);
    ph_study_judge(result, CLAIM_QUADRATIC,
                   square == VLV && square_long == VLV ? PH_FINDING_HOLDS
                                                       : ph_finding_share(square > 0 ? square - 1 : 0, VLV),
                   said_quadratic, square, VLV, square_long);
    for (size_t m = 0; m < VLV; ++m) {
        const struct halves halves = slopes_of_halves(&d[m][LONG]);
        if (!(fabs(halves.second / halves.first - 1.0) < 0.25))
            ph_study_add(result, CLAIM_QUADRATIC, also_quadratic, methods[m].name, -d[m][LONG].low,
                         halves.second / halves.first);
    }
}

static void judge_maps(struct ph_study_result *result, struct ph_drift d[METHODS][STEPS])
{
    const double eln = d[ELN_EXP][MIDDLE].slope / d[ELN][MIDDLE].slope,
                 tln = d[TLN_EXP][MIDDLE].slope / d[TLN][MIDDLE].slope;
    const bool same_sign = eln > 0.0 && tln > 0.0, near = fabs(eln - 1.0) < 0.25 && fabs(tln - 1.0) < 0.25;
    ph_study_judge(result, CLAIM_EXPONENTIAL, ph_finding(near, same_sign), said_exponential, eln, tln);
}

static enum ph_status run_drift(const struct ph_study_options *options, struct ph_study_result *result,
                                struct ph_error *err)
{
    struct ph_drift d[METHODS][STEPS];
    const double time = options->quick ? 2000.0 : ph_problem_attractor.time;
    struct ph_posed posed;
    enum ph_status status = ph_problem_pose(&ph_problem_attractor, 0, NULL, options->seed, 0, &posed, err);
    for (size_t m = 0; m < METHODS; ++m)
        for (size_t k = 0; k < STEPS && status == PH_OK; ++k) {
            status = follow(&posed, m, k, time, result, &d[m][k], err);
            ph_study_tell(result, (double)(m * STEPS + k + 1) / (METHODS * STEPS));
        }
    ph_posed_clear(&posed);
    if (status != PH_OK)
        return status;
    judge_drifts(result, d);
    judge_laws(result, d);
    judge_maps(result, d);
    ph_study_headline(result, headline, d[PRK][MIDDLE].slope, d[MCG][MIDDLE].slope, d[VLV][MIDDLE].slope);
    ph_study_note(result, note_drift, significant, PH_DRIFT_PARTS);
    ph_study_note(result, note_misprints);
    return PH_OK;
}

const struct ph_study ph_study_attractor = {
    .name = "energy-drift",
    .title = "A test for the long-time stability of rigid body integrators",
    .figure = "Figure 4.1",
    .reference = PH_PAPER_ORTOLAN ", chapters 3 and 4",
    .setup = "One body in the potential U_alpha of the problem 'attractor', followed over [0, 10000] with steps of "
             "0.25, 0.125 and 0.0625; the energy is looked at after every step.",
    .quick = "[0, 2000].",
    .plot = "drift",
    .shows = {{"Figure 4.1", "energy-drift.svg",
               "left: h = 0.125; right: h = 0.25; the last three methods are not in the figure"}},
    .claim = {[CLAIM_DRIFT] = {PH_FINDING_HOLDS, "A systematic drift for all the methods but the VLV can be observed."},
              [CLAIM_LINEAR] = {PH_FINDING_HOLDS, "The drift is linear with respect to time."},
              [CLAIM_QUADRATIC] = {PH_FINDING_HOLDS,
                                   "A finer analysis also shows that the drift is quadratic in the timestep h."},
              [CLAIM_SIGNS] = {PH_FINDING_HOLDS, "Positive (MCG, NEW3, LIEMID[EA]) and negative energy drifts (ELN, "
                                                 "TLN, PRK) of different slopes are observed."},
              [CLAIM_SMALLEST] = {PH_FINDING_HOLDS,
                                  "LIEMID[EA] exhibits the smallest slope constant (in absolute value)."},
              [CLAIM_EXPONENTIAL] = {PH_FINDING_PARTLY, "Tests using the exponential map in place of the Cayley map in "
                                                        "ELN and TLN also show a very similar drift in the energy."}},
    .expected_full = {[CLAIM_QUADRATIC] = PH_FINDING_PARTLY}, /* with the longest step TLN drifts too far for any law */
    .tables = {PH_STUDY_TABLE("drift", "drift of the energy", drift_columns),
               PH_STUDY_TABLE("energy", "energy in time", ph_drift_track_columns)},
    .run = run_drift,
};
