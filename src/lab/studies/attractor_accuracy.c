/* SPDX-License-Identifier: MIT */
/* Figures 4.2 and 4.3 of Ortolan's thesis: accuracy and speed of seven integrators. */
#include "lab/studies/frame/study.h"

#include "lab/drift.h"
#include "lab/papers.h"

#include <math.h>

static const char *const methods[] = {"eln-cay", "tln-cay", "prk", "mcg", "new3", "liemid-ea", "vlv"};
enum { ELN, TLN, PRK, MCG, NEW3, LIEMID, VLV, METHODS };

/* ---- Texts about the measurement ---- */

static const char said_order[] =
    "Between h = 2^-7 and 2^-8 the orders in orientation and angular velocity differ from 2 by %.3f at most.";
static const char said_better[] =
    "%zu of the three have a smaller error in the angular velocity than all others, %zu in the orientation. Errors at "
    "h = 2^-7 in orientation and angular velocity: PRK %.1e, %.1e; MCG %.1e, %.1e; LIEMID %.1e, %.1e; ELN %.1e, %.1e; "
    "NEW3 %.1e, %.1e; TLN %.1e, %.1e; VLV %.1e, %.1e.";
static const char said_same[] =
    "At h = 2^-7 the error of TLN is %.1f times that of ELN in the orientation and %.1f times in the angular velocity.";
static const char said_fastest[] =
    "for a step of 0.125 on this machine. ELN takes %.2f times as long as the fastest, %s.";
static const char said_slow[] = "TLN takes %.1f times as long as ELN, and %.1f times as long as the slowest of the "
                                "others: here it needs some five forces for a step, and no second derivatives.";
static const char headline[] = "All seven methods are of order two; the implicit TLN takes %.1f times the time of ELN";

enum { CLAIM_ORDER, CLAIM_BETTER, CLAIM_SAME, CLAIM_FASTEST, CLAIM_SLOW, CLAIMS };

/* The end at t = 5, computed with 25 digits in multiple precision */
static const double end_time = 5.0;
static const double end_m[3] = {-1.344060171519657896, 0.6283065130682129637, -1.351338105230282029};
static const double end_q[4] = {0.9244491828609173389, -0.01217342822878503862, -0.3548453727228356929,
                                0.139033367973780489};

static const struct ph_table_column accuracy_columns[] = {
    {"panel", "problem", true},
    {"method", "integrator", true},
    {"step", "of time", false},
    {"error_q", "of the orientation at the end: norm of the difference of the matrices", false},
    {"error_w", "of the angular velocity in the body: norm of the difference", false},
    {"seconds", "processor time of a step", false},
    {"evaluations", "of forces, per step", false},
};

enum { HALVINGS = 10 };

struct accuracy {
    double w, q, seconds;
    bool broke;
};

static double velocity_error(const struct ph_course *course)
{
    const double *inertia = course->system->species[0].inertia;
    double square = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double off = (course->system->m[k][0] - end_m[k]) / inertia[k];
        square += off * off;
    }
    return sqrt(square);
}

static enum ph_status measure(const struct ph_posed *posed, const struct ph_integrator *integrator, double step,
                              double seconds, struct ph_study_result *result, struct accuracy *a, struct ph_error *err)
{
    struct ph_course course;
    enum ph_status status = ph_course_begin(posed, integrator, step, &course, err);
    if (status == PH_OK)
        status = ph_motion_advance(course.motion, lround(end_time / step), err);
    *a = (struct accuracy){.broke = status == PH_ERR_NUMBERS, .w = INFINITY, .q = INFINITY, .seconds = seconds};
    if (status == PH_OK) {
        a->w = velocity_error(&course);
        a->q = ph_course_orientation_error(&course, end_q);
        const struct ph_motion_counts counts = ph_motion_counts(course.motion);
        status = ph_table_append(
            &result->table[0], (const char *const[]){"attractor", integrator->name},
            (const double[]){step, a->q, a->w, seconds, (double)counts.evaluations / (double)counts.steps}, err);
    }
    ph_course_clear(&course);
    return a->broke ? PH_OK : status;
}

/* Processor time of a step of 0.125, the least of several runs */
static enum ph_status time_step(const struct ph_posed *posed, const struct ph_integrator *integrator, double *seconds,
                                struct ph_error *err)
{
    enum { RUNS = 5 };
    *seconds = INFINITY;
    enum ph_status status = PH_OK;
    for (int i = 0; i < RUNS && status == PH_OK; ++i) {
        struct ph_drift drift;
        const struct ph_drift_test test = {
            .integrator = integrator, .step = 0.125, .time = 250.0, .samples = PH_DRIFT_PARTS};
        status = ph_drift_measure(posed, &test, &drift, err);
        *seconds = fmin(*seconds, drift.seconds / (double)drift.counts.steps);
    }
    return status;
}

static void judge_accuracy(struct ph_study_result *result, struct accuracy a[METHODS][HALVINGS])
{
    enum { FINE = 7 }; /* h = 1/128: well within the power law, far from rounding */
    size_t second = 0, better = 0, better_q = 0;
    double worst = 0.0, best = INFINITY, best_q = INFINITY;
    for (size_t m = 0; m < METHODS; ++m) {
        const double in_q = log2(a[m][FINE].q / a[m][FINE + 1].q), in_w = log2(a[m][FINE].w / a[m][FINE + 1].w);
        second += fabs(in_q - 2.0) < 0.1 && fabs(in_w - 2.0) < 0.1;
        worst = fmax(worst, fmax(fabs(in_q - 2.0), fabs(in_w - 2.0)));
        if (m != PRK && m != MCG && m != LIEMID) {
            best = fmin(best, a[m][FINE].w);
            best_q = fmin(best_q, a[m][FINE].q);
        }
    }
    for (size_t m = 0; m < METHODS; ++m)
        if (m == PRK || m == MCG || m == LIEMID) {
            better += a[m][FINE].w < best;
            better_q += a[m][FINE].q < best_q;
        }
    ph_study_judge(result, CLAIM_ORDER, ph_finding_share(second, METHODS), said_order, worst);
    ph_study_judge(result, CLAIM_BETTER, ph_finding_share(better + better_q, 6), said_better, better, better_q,
                   a[PRK][FINE].q, a[PRK][FINE].w, a[MCG][FINE].q, a[MCG][FINE].w, a[LIEMID][FINE].q, a[LIEMID][FINE].w,
                   a[ELN][FINE].q, a[ELN][FINE].w, a[NEW3][FINE].q, a[NEW3][FINE].w, a[TLN][FINE].q, a[TLN][FINE].w,
                   a[VLV][FINE].q, a[VLV][FINE].w);
    const double ratio_q = a[TLN][FINE].q / a[ELN][FINE].q, ratio_w = a[TLN][FINE].w / a[ELN][FINE].w;
    ph_study_judge(result, CLAIM_SAME,
                   ph_finding(ratio_q < 1.5 && ratio_w < 1.5 && ratio_q > 0.67 && ratio_w > 0.67, false), said_same,
                   ratio_q, ratio_w);
}

static void judge_speed(struct ph_study_result *result, struct accuracy a[METHODS][HALVINGS])
{
    size_t fastest = 0;
    double slowest = 0.0;
    for (size_t m = 0; m < METHODS; ++m) {
        if (a[m][0].seconds < a[fastest][0].seconds)
            fastest = m;
        if (m != TLN)
            slowest = fmax(slowest, a[m][0].seconds);
    }
    for (size_t m = 0; m < METHODS; ++m)
        ph_study_add(result, CLAIM_FASTEST, "%s %.2f us;", methods[m], 1e6 * a[m][0].seconds);
    const double lead = a[ELN][0].seconds / a[fastest][0].seconds;
    ph_study_judge(result, CLAIM_FASTEST, ph_finding(lead < 1.1, false), said_fastest, lead, methods[fastest]);
    const double ratio = a[TLN][0].seconds / a[ELN][0].seconds;
    ph_study_judge(result, CLAIM_SLOW, ph_finding(ratio > 6.0, a[TLN][0].seconds > slowest), said_slow, ratio,
                   a[TLN][0].seconds / slowest);
}

static enum ph_status run(const struct ph_study_options *options, struct ph_study_result *result, struct ph_error *err)
{
    struct accuracy a[METHODS][HALVINGS];
    struct ph_posed posed;
    enum ph_status status = ph_problem_pose(&ph_problem_attractor, 0, NULL, options->seed, 0, &posed, err);
    for (size_t m = 0; m < METHODS && status == PH_OK; ++m) {
        const struct ph_integrator *integrator = ph_integrator_find(methods[m]);
        double seconds;
        status = time_step(&posed, integrator, &seconds, err);
        for (int k = 0; k < HALVINGS && status == PH_OK; ++k)
            status = measure(&posed, integrator, ldexp(1.0, -k), seconds, result, &a[m][k], err);
        ph_study_tell(result, (double)(m + 1) / METHODS);
    }
    ph_posed_clear(&posed);
    if (status != PH_OK)
        return status;
    judge_accuracy(result, a);
    judge_speed(result, a);
    ph_study_headline(result, headline, a[TLN][0].seconds / a[ELN][0].seconds);
    return PH_OK;
}

const struct ph_study ph_study_attractor_accuracy = {
    .name = "attractor-accuracy",
    .title = "Accuracy and speed of rigid body integrators",
    .figure = "Figures 4.2 and 4.3",
    .reference = PH_PAPER_ORTOLAN ", section 4.2",
    .setup = "One body in the potential U_alpha of the problem 'attractor': errors at t = 5 with steps 1, 1/2, ..., "
             "2^-9 against an end state computed with 25 digits, and the processor time of a step of 0.125.",
    .quick = "Nothing is left out: all takes a second.",
    .plot = "convergence",
    .shows = {{"Figure 4.2", "attractor-accuracy.svg", "left: angular velocity; right: orientation"},
              {"Figure 4.3", "attractor-accuracy-time.svg", "left: times; right: over that of ELN"}},
    .claim = {[CLAIM_ORDER] = {PH_FINDING_HOLDS, "All the methods are second-order accurate."},
              [CLAIM_BETTER] = {PH_FINDING_PARTLY,
                                "PRK, MCG and LIEMID[EA] show a better accuracy than other methods."},
              [CLAIM_SAME] = {PH_FINDING_FAILS,
                              "Despite its implicitness, TLN shows the same accuracy than ELN in this numerical test."},
              [CLAIM_FASTEST] = {PH_FINDING_NONE, "ELN turns out to be the fastest method."},
              [CLAIM_SLOW] = {PH_FINDING_NONE,
                              "TLN requires up to twelve (!) times the running time of the remaining algorithms."}},
    .tables = {PH_STUDY_TABLE("errors", "errors at the end", accuracy_columns)},
    .run = run,
};
